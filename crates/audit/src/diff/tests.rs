//! Two sides against a model: maps from names to contents, compared with each other.

use std::collections::{BTreeMap, BTreeSet};

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::file::KnownFile;

/// A row as a test has it: a name, and of the content a size and what its digests are of.
#[derive(Clone, Debug)]
struct Given {
    path: Vec<u8>,
    size: Option<u64>,
    modified: Option<i64>,
    md5: Option<u8>,
    sha256: Option<u8>,
}

/// Rows that are in order.
struct InOrder(std::vec::IntoIter<Row>);

impl Rows for InOrder {
    fn next(&mut self, row: &mut Row) -> Result<bool, Error> {
        Ok(self.0.next().map(|next| *row = next).is_some())
    }
}

fn digests(given: &Given) -> Vec<Digest> {
    let digest =
        |name, content: Option<u8>| content.map(|content| Algorithm::named(name).unwrap().digest(&[content]));
    [digest("md5", given.md5), digest("sha256", given.sha256)].into_iter().flatten().collect()
}

fn row(line: u64, given: &Given) -> Row {
    let mut row = Row::default();
    let modified = given.modified.map(|seconds| Timestamp { seconds, nanos: 0 });
    let digests = &digests(given);
    row.set(line, RowKind::File, &KnownFile { path: &given.path, size: given.size, modified, digests });
    row
}

fn rows(given: &[Given]) -> Vec<Row> {
    given.iter().zip(1..).map(|(given, line)| row(line, given)).collect()
}

/// As a command brings a side into order.
fn gathered(given: &[Given], memory: usize, again: bool) -> Box<dyn Rows> {
    let mut gather = Gather::new(memory, std::env::temp_dir(), again);
    let rows = rows(given);
    if rows.iter().any(|row| gather.push(row).unwrap() == Taken::Again) {
        gather = Gather::sorting(memory, std::env::temp_dir());
        for row in &rows {
            assert_eq!(gather.push(row).unwrap(), Taken::Yes);
        }
    }
    match gather.finish().unwrap() {
        Gathered::Sorted(sorted) => Box::new(sorted),
        Gathered::InOrder => Box::new(InOrder(rows.into_iter())),
    }
}

fn compared(left: impl Rows, right: impl Rows) -> (Vec<(Vec<u8>, Difference)>, Counts) {
    let mut merge = Merge::new(left, right).unwrap();
    let mut found = Vec::new();
    while let Some(pair) = merge.next().unwrap() {
        found.push((pair.path().to_vec(), pair.difference));
    }
    (found, merge.counts())
}

/// A side of the model: each name with all that is said of it, and whether that contradicts itself.
fn model(given: &[Given]) -> BTreeMap<Vec<u8>, (Given, bool)> {
    let mut files: BTreeMap<Vec<u8>, (Given, bool)> = BTreeMap::new();
    for given in given {
        let Some((known, conflicting)) = files.get_mut(&given.path) else {
            files.insert(given.path.clone(), (given.clone(), false));
            continue;
        };
        let differ =
            |one: Option<u64>, other: Option<u64>| one.zip(other).is_some_and(|(one, other)| one != other);
        if differ(known.md5.map(u64::from), given.md5.map(u64::from))
            || differ(known.sha256.map(u64::from), given.sha256.map(u64::from))
            || differ(known.size, given.size)
        {
            *conflicting = true;
            continue;
        }
        known.md5 = known.md5.or(given.md5);
        known.sha256 = known.sha256.or(given.sha256);
        known.size = known.size.or(given.size);
        known.modified = known.modified.or(given.modified);
    }
    files
}

fn expected(left: &[Given], right: &[Given]) -> Vec<(Vec<u8>, Difference)> {
    let (left, right) = (model(left), model(right));
    let names: BTreeSet<_> = left.keys().chain(right.keys()).cloned().collect();
    let difference = |name: &Vec<u8>| match (left.get(name), right.get(name)) {
        (Some((_, true)), _) | (_, Some((_, true))) => Difference::Conflict,
        (Some(_), None) => Difference::Missing,
        (None, _) => Difference::New,
        (Some((one, _)), Some((other, _))) => of_two(one, other),
    };
    names.into_iter().map(|name| (name.clone(), difference(&name))).collect()
}

fn of_two(one: &Given, other: &Given) -> Difference {
    let pairs = [one.md5.zip(other.md5), one.sha256.zip(other.sha256)];
    let equal: Vec<bool> = pairs.into_iter().flatten().map(|(one, other)| one == other).collect();
    let sizes = one.size.zip(other.size).map(|(one, other)| one == other);
    let is_longer = one.size.zip(other.size).is_some_and(|(one, other)| other > one);
    let untouched = !is_longer && one.modified.is_some() && one.modified == other.modified;
    match (equal.contains(&true), equal.contains(&false), sizes) {
        (true, false, None | Some(true)) => Difference::Same,
        (true, ..) => Difference::Collision,
        (false, true, _) | (false, false, Some(false)) if untouched => Difference::Corrupt,
        (false, true, _) | (false, false, Some(false)) => Difference::Changed,
        (false, false, Some(true)) => Difference::SizeOnly,
        (false, false, None) => Difference::Unverified,
    }
}

fn given() -> impl Strategy<Value = Given> {
    let path = proptest::collection::vec(prop_oneof![Just(b'/'), Just(b'a'), Just(0xff), Just(b'\n')], 0..4);
    let few = || proptest::option::weighted(0.7, 0_u8..2);
    let facts = (proptest::option::of(0_u64..2), proptest::option::of(prop_oneof![Just(0_i64), Just(100)]));
    (path, facts, few(), few()).prop_map(|(path, (size, modified), md5, sha256)| Given {
        path,
        size,
        modified,
        md5,
        sha256,
    })
}

proptest! {
    #[test]
    fn every_name_has_the_verdict_that_two_maps_have(
        mut left in proptest::collection::vec(given(), 0..40),
        right in proptest::collection::vec(given(), 0..40),
        in_order: bool,
        again: bool,
    ) {
        if in_order {
            // Stable: of a name the first row stays the first.
            left.sort_by(|one, other| one.path.cmp(&other.path));
        }
        let (found, counts) = compared(gathered(&left, 0, again), gathered(&right, 0, !again));
        prop_assert_eq!(&found, &expected(&left, &right));
        prop_assert_eq!(counts.names(), found.len() as u64);
        prop_assert_eq!(counts.left.names + counts.right.names - counts.on_both, counts.names());
        for (side, given) in [(counts.left, &left), (counts.right, &right)] {
            prop_assert_eq!(side.rows, given.len() as u64);
            prop_assert_eq!(side.rows, side.names + side.repeated + side.merged + side.conflicting);
        }
        for difference in Difference::ALL {
            let number = found.iter().filter(|(_, found)| *found == difference).count();
            prop_assert_eq!(counts.of(difference), number as u64);
        }
    }
}

fn named(path: &str, sha256: u8) -> Given {
    Given { path: path.into(), size: None, modified: None, md5: None, sha256: Some(sha256) }
}

/// So many rows that they do not fit into the least memory.
fn many() -> Vec<Given> {
    (0..20_000).map(|number| named(&format!("{number:08}"), (number % 251) as u8)).collect()
}

#[test]
fn rows_in_order_that_can_be_had_again_are_not_kept() {
    let mut gather = Gather::new(0, std::env::temp_dir(), true);
    assert!(rows(&many()).iter().all(|row| gather.push(row).unwrap() == Taken::Yes));
    assert!(matches!(gather.finish().unwrap(), Gathered::InOrder));
}

#[test]
fn a_row_out_of_order_behind_many_in_order_is_found_all_the_same() {
    let ordered = many();
    let mut disordered = ordered.clone();
    disordered.push(named("00000000x", 1));
    for again in [false, true] {
        let (found, counts) = compared(gathered(&ordered, 0, again), gathered(&disordered, 0, again));
        let differing: Vec<_> = found.into_iter().filter(|(_, found)| *found != Difference::Same).collect();
        assert_eq!(differing, [(b"00000000x".to_vec(), Difference::New)]);
        assert_eq!((counts.on_both, counts.of(Difference::Same)), (20_000, 20_000));
    }
}

#[test]
fn rows_that_are_promised_in_order_and_are_not_end_in_an_error() {
    let side = |names: &[&str]| {
        InOrder(rows(&names.iter().map(|name| named(name, 0)).collect::<Vec<_>>()).into_iter())
    };
    let mut merge = Merge::new(side(&["a", "c", "b"]), side(&["a"])).unwrap();
    let error = loop {
        match merge.next() {
            Ok(pair) => assert!(pair.is_some(), "the order was not looked at"),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::OutOfOrder { line: 3 }), "{error}");
}

#[test]
fn of_what_is_in_a_directory_that_cannot_be_read_nothing_is_said() {
    let marked = |name: &str, kind| {
        let mut row = Row::default();
        row.set(0, kind, &KnownFile { path: name.as_bytes(), size: None, modified: None, digests: &[] });
        row
    };
    let listed = ["a", "d", "d.x", "d/a", "d/z", "e/a", "f"].map(|name| named(name, 0));
    let mut tree =
        vec![row(0, &named("a", 0)), marked("d/", RowKind::Unsearched), marked("e/", RowKind::Unsearched)];
    tree.extend([marked("f", RowKind::Unreadable), row(0, &named("g", 0)), marked("h", RowKind::Unstable)]);
    let expected = [
        ("a", Difference::Same),
        ("d", Difference::Missing),
        ("d.x", Difference::Missing),
        ("d/a", Difference::Unreadable),
        ("d/z", Difference::Unreadable),
        ("e/a", Difference::Unreadable),
        ("f", Difference::Unreadable),
        ("g", Difference::New),
        ("h", Difference::Unstable),
    ];
    let (found, counts) = compared(InOrder(rows(&listed).into_iter()), InOrder(tree.into_iter()));
    assert_eq!(found, expected.map(|(name, difference)| (name.as_bytes().to_vec(), difference)));
    assert_eq!((counts.right.names, counts.right.unsearched, counts.right.rows), (4, 2, 4));
}

#[test]
fn what_a_store_disputes_is_compared_and_never_passes() {
    let [known, other] = [b"known", b"other"].map(|content| [Algorithm::SHA256.digest(content)]);
    let side = |kind, digests: &[Digest]| {
        let mut row = Row::default();
        let modified = Some(Timestamp { seconds: 1, nanos: 0 });
        row.set(0, kind, &KnownFile { path: b"a", size: Some(5), modified, digests });
        InOrder(vec![row].into_iter())
    };
    for (kind, digests, expected) in [
        (RowKind::DisputedTwice, &other, Difference::Corrupt),
        // It may have been damaged on its way.
        (RowKind::Disputed, &other, Difference::Unreadable),
        (RowKind::DisputedTwice, &known, Difference::Unreadable),
        (RowKind::Disputed, &known, Difference::Unreadable),
    ] {
        let right = compared(side(RowKind::File, &known), side(kind, digests)).0;
        assert_eq!(right, [(b"a".to_vec(), expected)], "{kind:?}");
        let left = compared(side(kind, digests), side(RowKind::File, &known)).0;
        assert_eq!(left, [(b"a".to_vec(), expected)], "{kind:?}");
        let both = compared(side(kind, digests), side(kind, digests)).0;
        assert_eq!(both, [(b"a".to_vec(), Difference::Unreadable)], "{kind:?}");
        let without = compared(side(RowKind::File, &known), side(RowKind::Unreadable, &[])).0;
        assert_eq!(without, [(b"a".to_vec(), Difference::Unreadable)]);
        let only = compared(InOrder(vec![].into_iter()), side(kind, digests)).0;
        assert_eq!(only, [(b"a".to_vec(), Difference::Unreadable)], "{kind:?}");
    }
}

/// How a content was read, its size, time and digests.
type Read<'a> = (RowKind, Option<u64>, Option<i64>, &'a [Digest]);

/// What is said of two contents, and which of them is disputed.
fn of_contents([left, right]: [Read<'_>; 2]) -> (Difference, (bool, bool)) {
    let side = |(kind, size, modified, digests): Read<'_>| {
        let mut row = Row::default();
        let modified = modified.map(|seconds| Timestamp { seconds, nanos: 0 });
        row.set(0, kind, &KnownFile { path: b"a", size, modified, digests });
        InOrder(vec![row].into_iter())
    };
    let mut merge = Merge::new(side(left), side(right)).unwrap();
    let pair = merge.next().unwrap().unwrap();
    (pair.difference, pair.is_disputed())
}

#[test]
fn a_dispute_weighs_the_same_on_whichever_side_it_is() {
    let digests = |md5: &[u8], sha256: &[u8]| {
        [("md5", md5), ("sha256", sha256)].map(|(name, text)| Algorithm::named(name).unwrap().digest(text))
    };
    let (known, other, collides) = (digests(b"x", b"x"), digests(b"y", b"y"), digests(b"x", b"y"));
    type Disputed<'a> = (Option<u64>, Option<i64>, &'a [Digest]);
    // What is disputed, beside four bytes of the time 10; and what is said of it after two readings.
    let table: &[(Disputed<'_>, Difference)] = &[
        ((Some(4), Some(10), &known), Difference::Unreadable),
        ((Some(4), Some(10), &other), Difference::Corrupt),
        // Cut short, and longer: written since.
        ((Some(3), Some(10), &other), Difference::Corrupt),
        ((Some(5), Some(10), &other), Difference::Unreadable),
        ((Some(3), Some(20), &other), Difference::Unreadable),
        ((Some(4), Some(20), &other), Difference::Unreadable),
        ((Some(4), None, &other), Difference::Corrupt),
        ((Some(4), Some(10), &collides), Difference::Collision),
        ((Some(3), Some(10), &collides), Difference::Collision),
        ((Some(5), Some(20), &collides), Difference::Collision),
        ((Some(5), Some(10), &known), Difference::Collision),
        ((Some(4), Some(10), &[]), Difference::Unreadable),
    ];
    let plain = (RowKind::File, Some(4), Some(10), &known[..]);
    for (line, &((size, modified, digests), twice)) in table.iter().enumerate() {
        for (kind, expected) in [(RowKind::DisputedTwice, twice), (RowKind::Disputed, Difference::Unreadable)]
        {
            let disputed = (kind, size, modified, digests);
            assert_eq!(
                of_contents([plain, disputed]),
                (expected, (false, true)),
                "line {line}, on the right"
            );
            assert_eq!(of_contents([disputed, plain]), (expected, (true, false)), "line {line}, on the left");
        }
    }
}

#[test]
fn of_two_disputes_the_weaker_one_counts_whichever_side_has_it() {
    let digests = |text: &[u8]| [Algorithm::SHA256.digest(text)];
    let (one, other) = (digests(b"x"), digests(b"y"));
    for (size, difference) in [
        (Some(4), Difference::Corrupt),
        (None, Difference::Corrupt),
        // Nobody knows which of the two was there before.
        (Some(3), Difference::Unreadable),
        (Some(5), Difference::Unreadable),
    ] {
        for (kinds, expected) in [
            ([RowKind::DisputedTwice, RowKind::DisputedTwice], difference),
            ([RowKind::DisputedTwice, RowKind::Disputed], Difference::Unreadable),
            ([RowKind::Disputed, RowKind::DisputedTwice], Difference::Unreadable),
            ([RowKind::Disputed, RowKind::Disputed], Difference::Unreadable),
        ] {
            let [left, right] =
                [(kinds[0], Some(4), Some(10), &one[..]), (kinds[1], size, Some(10), &other[..])];
            assert_eq!(of_contents([left, right]), (expected, (true, true)), "{size:?} {kinds:?}");
            assert_eq!(of_contents([right, left]), (expected, (true, true)), "{size:?} {kinds:?}, swapped");
        }
    }
}

#[test]
fn whole_hours_between_two_times_are_a_zone_on_a_file_system_and_an_edit_in_a_store() {
    let side = |modified, content, is_in_store| {
        let path = b"f".to_vec();
        let given = Given { path, size: Some(1), modified: Some(modified), md5: Some(content), sha256: None };
        // A second row of the name, which adds something.
        let more = Given { md5: None, sha256: Some(content), ..given.clone() };
        let mut rows = rows(&[given, more]);
        if is_in_store {
            rows[1].put_in_store();
            assert_eq!((rows[1].line(), rows[1].kind(), rows[1].is_in_store()), (2, RowKind::File, true));
        }
        InOrder(rows.into_iter())
    };
    for (are_in_store, expected) in [
        ([false, false], Difference::Corrupt),
        ([true, false], Difference::Changed),
        ([false, true], Difference::Changed),
        ([true, true], Difference::Changed),
    ] {
        let mut merge = Merge::new(side(1_000, 1, are_in_store[0]), side(8_200, 2, are_in_store[1])).unwrap();
        assert_eq!(merge.next().unwrap().unwrap().difference, expected, "{are_in_store:?}");
    }
}
