//! A promise is kept by readings of the device, where such can be made.

use std::sync::Arc;

use hashlane_catalog::{ReadingKind, Total, Verdict};
use hashlane_engine::Control;
use hashlane_keeper::{Condition, Overview};
use hashlane_record::{Medium, Obstacle, Record};

use crate::keeper::{DAY, Keeper, said};
use crate::watched::{Hooks, name_of, watched};

const SHOWN: Medium = Medium::Shown;
const IN_USE: Medium = Medium::NotShown(Obstacle::Cached);

fn held_to_device() -> Keeper {
    let keeper = Keeper::new(|terms| (terms.period_s, terms.habits.reads_device) = (Some(10 * DAY), true));
    for name in ["a", "b", "c"] {
        keeper.write(name, format!("content of {name}"));
    }
    keeper
}

/// An audit of all, in which `b` is read in this way and all others from the device.
fn audit(keeper: &mut Keeper, b: Medium) {
    let bend = |_: bool, record: &mut Record| record.medium = if name_of(record) == "b" { b } else { SHOWN };
    let hooks = Hooks { bend: &bend, ..Hooks::default() };
    watched(keeper, &hooks, |_| {}, &Arc::new(Control::new()));
}

/// When a file was last read good, in days since an audit, and where its bytes came from.
fn last(keeper: &Keeper, name: &str, began_s: i64) -> Option<(i64, ReadingKind)> {
    let item = keeper.item(name);
    let read = keeper.catalog.last_reading(&keeper.collection(), item.id).expect("readable");
    read.map(|(at_s, kind)| ((at_s - began_s) / DAY, kind))
}

fn late(keeper: &Keeper) -> u64 {
    keeper.catalog.late(&keeper.collection(), keeper.now()).expect("readable")
}

#[test]
fn a_reading_from_the_cache_keeps_no_promise_unless_the_file_stays_in_use() {
    let mut keeper = held_to_device();
    let began_s = keeper.now();
    audit(&mut keeper, SHOWN);
    for day in 1..=2 {
        keeper.passes(DAY);
        audit(&mut keeper, IN_USE);
        assert_eq!(last(&keeper, "b", began_s), Some((0, ReadingKind::Device)), "day {day}");
        assert_eq!(last(&keeper, "a", began_s), Some((day, ReadingKind::Device)));
    }
    keeper.passes(DAY);
    audit(&mut keeper, IN_USE);
    assert_eq!(last(&keeper, "b", began_s), Some((3, ReadingKind::InUse)), "nothing better will come");
    // It never was let go of meanwhile.
    keeper.passes(DAY);
    audit(&mut keeper, IN_USE);
    assert_eq!(last(&keeper, "b", began_s), Some((4, ReadingKind::InUse)));
    keeper.passes(DAY);
    audit(&mut keeper, SHOWN);
    keeper.passes(DAY);
    audit(&mut keeper, IN_USE);
    assert_eq!(last(&keeper, "b", began_s), Some((5, ReadingKind::Device)), "and begins anew");
}

#[test]
fn one_audit_that_is_gone_on_with_is_one() {
    let mut keeper = held_to_device();
    audit(&mut keeper, SHOWN);
    let began_s = keeper.now();
    keeper.passes(DAY);
    for _ in 0..4 {
        let control = Arc::new(Control::new());
        let bend = |_: bool, record: &mut Record| {
            record.medium = IN_USE;
            control.drain();
        };
        let hooks = Hooks { bend: &bend, ..Hooks::default() };
        watched(&mut keeper, &hooks, |options| options.within = vec!["b".into()], &control);
    }
    assert_eq!(last(&keeper, "b", began_s), Some((0, ReadingKind::Device)));
}

#[test]
fn a_new_file_that_was_read_from_the_cache_counts_as_unread_since_then() {
    for b in [IN_USE, Medium::Unasked] {
        let mut keeper = held_to_device();
        let began_s = keeper.now();
        let bend = |_: bool, record: &mut Record| match name_of(record) == "b" {
            true => {
                record.medium = b;
                (record.origin.cache_bytes, record.origin.device_bytes) = (record.digested_bytes, 0);
            }
            false => record.medium = SHOWN,
        };
        let hooks = Hooks { bend: &bend, ..Hooks::default() };
        watched(&mut keeper, &hooks, |_| {}, &Arc::new(Control::new()));
        assert_eq!(last(&keeper, "b", began_s), Some((0, ReadingKind::Cache)));
        keeper.passes(9 * DAY);
        assert_eq!(late(&keeper), 0);
        // It comes first, though all were looked at in the same night.
        let (.., log) =
            watched(&mut keeper, &hooks, |options| options.budget.files = Some(1), &Arc::new(Control::new()));
        assert_eq!(log, ["b"]);
        assert_eq!(last(&keeper, "b", began_s), Some((0, ReadingKind::Cache)), "that moves nothing");
        keeper.passes(2 * DAY);
        assert_eq!(late(&keeper), 3);
        audit(&mut keeper, SHOWN);
        assert_eq!((last(&keeper, "b", began_s), late(&keeper)), (Some((11, ReadingKind::Device)), 0));
    }
}

#[test]
fn what_can_never_be_observed_counts_and_says_why() {
    for (obstacle, kind) in [
        (Obstacle::BesideMetadata, ReadingKind::BesideMetadata),
        (Obstacle::CacheUnseen, ReadingKind::CacheUnseen),
        (Obstacle::CacheUnreported, ReadingKind::CacheUnreported),
        (Obstacle::InMemory, ReadingKind::InMemory),
    ] {
        let mut keeper = held_to_device();
        let began_s = keeper.now();
        audit(&mut keeper, SHOWN);
        keeper.passes(DAY);
        audit(&mut keeper, Medium::NotShown(obstacle));
        assert_eq!(last(&keeper, "b", began_s), Some((1, kind)));
    }
}

#[test]
fn a_renamed_file_keeps_the_time_of_its_reading_and_an_edited_one_counts_as_unread() {
    let mut keeper = held_to_device();
    let began_s = keeper.now();
    audit(&mut keeper, SHOWN);
    keeper.passes(DAY);
    std::fs::rename(keeper.tree().join("b"), keeper.tree().join("b2")).expect("renamed");
    let cached = |_: bool, record: &mut Record| record.medium = IN_USE;
    let hooks = Hooks { bend: &cached, ..Hooks::default() };
    let control = Arc::new(Control::new());
    let (_, found, _) = watched(&mut keeper, &hooks, |_| {}, &control);
    assert_eq!(found, said(&[("b2", Verdict::Moved)]));
    assert_eq!(last(&keeper, "b2", began_s), Some((0, ReadingKind::Device)));
    keeper.passes(DAY);
    keeper.write("a", "another content");
    watched(&mut keeper, &hooks, |_| {}, &control);
    assert_eq!(last(&keeper, "a", began_s), Some((2, ReadingKind::Cache)));
}

#[test]
fn a_collection_that_takes_readings_from_anywhere_takes_those_from_the_cache() {
    let mut keeper = held_to_device();
    keeper.set(|terms| terms.habits.reads_device = false);
    let began_s = keeper.now();
    audit(&mut keeper, SHOWN);
    keeper.passes(DAY);
    audit(&mut keeper, IN_USE);
    assert_eq!(last(&keeper, "b", began_s), Some((1, ReadingKind::InUse)));
}

#[test]
fn the_share_by_kind_adds_up() {
    let mut keeper = held_to_device();
    audit(&mut keeper, SHOWN);
    for number in 0..40 {
        keeper.write(&format!("d/{number}"), vec![b'x'; number + 1]);
    }
    keeper.passes(DAY);
    let bend = |_: bool, record: &mut Record| {
        let (name, size) = (name_of(record), record.digested_bytes);
        record.medium = match size % 4 {
            _ if !name.starts_with("d/") => SHOWN,
            0 => IN_USE,
            1 => Medium::NotShown(Obstacle::InMemory),
            2 => Medium::NotShown(Obstacle::CacheUnseen),
            _ => SHOWN,
        };
    };
    let hooks = Hooks { bend: &bend, ..Hooks::default() };
    watched(&mut keeper, &hooks, |options| options.budget.files = Some(30), &Arc::new(Control::new()));
    std::fs::remove_file(keeper.tree().join("a")).expect("removed");
    keeper.passes(DAY);
    watched(&mut keeper, &hooks, |options| options.within = vec!["a".into()], &Arc::new(Control::new()));
    let overview = Overview::of(&keeper.catalog, keeper.collection(), keeper.now(), 1_000).expect("readable");
    assert_eq!(overview.condition(), Condition::Attention, "one is missing");
    let mut kinds = std::collections::BTreeMap::<_, Total>::new();
    let names =
        ["a", "b", "c"].map(str::to_owned).into_iter().chain((0..40).map(|number| format!("d/{number}")));
    for name in names.filter(|name| keeper.state(name).is_some()) {
        let item = keeper.item(&name);
        let Some((_, kind)) = last(&keeper, &name, 0) else { continue };
        let total = kinds.entry(kind).or_default();
        total.files += 1;
        total.bytes += item.content.size.expect("known");
    }
    let told = overview.readings.iter().map(|of| (of.reading, of.total)).collect();
    assert_eq!(kinds, told);
    let all: u64 = kinds.values().map(|total| total.files).sum();
    assert_eq!(all + overview.never_read, overview.total.files);
}
