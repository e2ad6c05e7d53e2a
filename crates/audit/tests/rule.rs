//! The rule against an oracle that is written from the words of the documentation (docs/decisions/0049-one-rule.md).

use std::collections::BTreeSet;

use hashlane_audit::{Comparison, Facts, Rules, TimeMatch, Verdict, judge};
use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{Dispute, Outcome, Timestamp};
use proptest::prelude::*;

const SECOND: i128 = 1_000_000_000;

/// A file as it is known or seen: its size, its time in nanoseconds, and the contents whose MD5 and SHA-256 it has.
#[derive(Clone, Copy, Debug)]
struct Side {
    size: Option<u64>,
    time: Option<i128>,
    md5: Option<u8>,
    sha256: Option<u8>,
}

impl Side {
    fn digests(self) -> Vec<Digest> {
        let of = |name, content: Option<u8>| {
            content.map(|content| Algorithm::named(name).expect("registered").digest(&[content]))
        };
        [of("md5", self.md5), of("sha256", self.sha256)].into_iter().flatten().collect()
    }

    fn modified(self) -> Option<Timestamp> {
        let nanos = |time: i128| (time.rem_euclid(SECOND)) as u32;
        self.time.map(|time| Timestamp { seconds: time.div_euclid(SECOND) as i64, nanos: nanos(time) })
    }
}

/// The forms in which a time can be kept by a clock that knows no zones.
fn forms(time: i128) -> BTreeSet<i128> {
    let steps = [1, 100, 1_000, 1_000_000, 10_000_000, SECOND];
    steps.iter().map(|step| time - time.rem_euclid(*step)).collect()
}

/// The even seconds around a time.
fn even(time: i128) -> [i128; 2] {
    let (two, over) = (2 * SECOND, time.rem_euclid(2 * SECOND));
    [time - over, if over == 0 { time } else { time - over + two }]
}

/// The forms in which it can be kept by the clock on the wall: even seconds, or fractions that are kept as they are.
fn on_the_wall(time: i128) -> BTreeSet<i128> {
    let as_it_is = (time.rem_euclid(SECOND) != 0).then_some(time);
    even(time).into_iter().chain(as_it_is).collect()
}

fn is_same_time(one: i128, other: i128, is_local: bool) -> bool {
    let is_even = even(one).contains(&other) || even(other).contains(&one);
    let is_moved = (1..=14).flat_map(|hours| [hours, -hours]).any(|hours| {
        let moved = other + hours * 3_600 * SECOND;
        on_the_wall(one).contains(&moved) || on_the_wall(moved).contains(&one)
    });
    forms(one).contains(&other) || forms(other).contains(&one) || is_local && (is_even || is_moved)
}

/// What the words say of it.
fn oracle(known: Side, seen: Side, rules: Rules, begins: bool) -> Verdict {
    let shared = [known.md5.zip(seen.md5), known.sha256.zip(seen.sha256)];
    let equal = shared.iter().flatten().filter(|(one, other)| one == other).count();
    let different = shared.iter().flatten().count() - equal;
    let other_size = known.size.zip(seen.size).is_some_and(|(one, other)| one != other);
    let is_longer = known.size.zip(seen.size).is_some_and(|(one, other)| other > one);
    let times = known.time.zip(seen.time);
    let other_time = times.is_some_and(|(one, other)| !is_same_time(one, other, !rules.is_in_store));
    let unproven = |verdict| if rules.reads_again { Verdict::Suspect } else { verdict };
    if equal > 0 && different == 0 && !other_size {
        return if rules.touched && other_time { Verdict::Touched } else { Verdict::Ok };
    }
    if equal > 0 {
        return unproven(Verdict::Collision);
    }
    if different > 0 || other_size {
        return match () {
            () if rules.may_grow && begins => Verdict::Grown,
            () if times.is_none() || rules.is_unsettled => Verdict::Changed,
            () if other_time || is_longer => Verdict::Changed,
            () => unproven(Verdict::Corrupt),
        };
    }
    match known.size.zip(seen.size) {
        _ if rules.registered && known.md5.is_none() && known.sha256.is_none() => Verdict::Registered,
        Some(_) => Verdict::SizeOnly,
        None => Verdict::Unverified,
    }
}

fn side() -> impl Strategy<Value = Side> {
    let fraction = prop_oneof![
        Just(0),
        Just(1),
        Just(100),
        Just(123_456_789),
        Just(123_456_700),
        Just(123_456_000),
        Just(120_000_000)
    ];
    let hours = prop_oneof![4 => Just(0), 3 => -15_i128..=15, 1 => Just(24)];
    let time = (0..4_i128, fraction, hours)
        .prop_map(|(seconds, fraction, hours)| (1_000_000 + seconds + 3_600 * hours) * SECOND + fraction);
    let content = || proptest::option::weighted(0.8, 0..2_u8);
    let size = proptest::option::weighted(0.8, 3..6_u64);
    (size, proptest::option::weighted(0.8, time), content(), content())
        .prop_map(|(size, time, md5, sha256)| Side { size, time, md5, sha256 })
}

fn rules() -> impl Strategy<Value = Rules> {
    any::<[bool; 6]>().prop_map(|[touched, registered, may_grow, is_unsettled, is_in_store, reads_again]| {
        Rules { touched, registered, may_grow, is_unsettled, is_in_store, reads_again }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn the_rule_says_what_the_words_say(known in side(), seen in side(), rules in rules(), begins: bool) {
        let (of_known, of_seen) = (known.digests(), seen.digests());
        let facts = |side: Side, digests| Facts { size: side.size, modified: side.modified(), digests };
        let (of_known, of_seen) = (facts(known, &of_known), facts(seen, &of_seen));
        let mut comparison = Comparison::new(&of_known, &of_seen);
        if begins {
            comparison.begins_as_known();
        }
        let expected = oracle(known, seen, rules, begins);
        prop_assert_eq!(comparison.verdict(rules), expected);
        prop_assert_eq!(comparison.verdict_on(Outcome::Read, rules), expected);
        prop_assert_eq!(judge(&of_known, &of_seen, rules), oracle(known, seen, rules, false));
        // What is disputed never passes, and is never an edit.
        let disputed = Outcome::Disputed(Dispute { is_read_twice: true, offset_bytes: 0 });
        let judged = comparison.verdict_on(disputed, rules);
        prop_assert!(matches!(
            judged,
            Verdict::Corrupt | Verdict::Collision | Verdict::Suspect | Verdict::Unreadable
        ));
        let plain = Rules { is_unsettled: false, may_grow: false, ..rules };
        let is_damage = |verdict| matches!(verdict, Verdict::Corrupt | Verdict::Collision | Verdict::Suspect);
        prop_assert!(is_damage(judged) || !is_damage(comparison.verdict(plain)), "{judged}");
    }

    #[test]
    fn times_are_the_same_where_one_is_a_form_of_the_other(one in side(), other in side()) {
        let (Some(known), Some(seen)) = (one.time, other.time) else { return Ok(()) };
        let (one, other) = (one.modified().expect("a time"), other.modified().expect("a time"));
        let judged = TimeMatch::between(one, other);
        prop_assert_eq!(judged, TimeMatch::between(other, one), "whichever is known");
        prop_assert_eq!(judged == TimeMatch::Exact, one == other);
        prop_assert_eq!(judged.is_same(false), is_same_time(known, seen, true));
        prop_assert_eq!(judged.is_same(true), is_same_time(known, seen, false));
    }
}
