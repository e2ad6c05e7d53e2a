//! An audit that comes upon damage of the catalogue.

use std::sync::Arc;

use hashlane_auditor::{AuditOptions, audit};
use hashlane_catalog::Clock;
use hashlane_engine::Control;
use hashlane_keeper::{Condition, Overview};

use crate::keeper::{DAY, Keeper};

#[test]
fn nobody_hears_that_all_is_well_after_an_audit_that_came_upon_damage_of_the_catalogue() {
    let mut keeper = Keeper::new(|_| {});
    keeper.write("a", "content");
    keeper.write("b", "content of b");
    keeper.all();
    keeper.passes(DAY);
    // As a bit that flips by itself: no trigger adds to the checksum.
    let raw = rusqlite::Connection::open(keeper.catalog.path()).expect("opened");
    raw.execute_batch("UPDATE item SET size = size + 1 WHERE name = x'61'").expect("written");
    drop(raw);
    let (collection, tree, now_s) = (keeper.collection(), keeper.local_tree(), keeper.now());
    let mut options = AuditOptions::new("keeper");
    (options.clock, options.scratch) = (Clock::new(move || now_s), keeper.directory.path().to_owned());
    let control = Arc::new(Control::new());
    let audited = audit(&mut keeper.catalog, &collection, &tree, &options, &control, &mut |_| Ok(()));
    assert!(audited.is_err_and(|error| error.is_damage()));
    let overview = Overview::of(&keeper.catalog, keeper.collection(), now_s, 9).expect("readable");
    assert_eq!((overview.condition(), overview.needs_a_person()), (Condition::Refused, true));
    // A catalogue that is whole again says what it said.
    let raw = rusqlite::Connection::open(keeper.catalog.path()).expect("opened");
    raw.execute_batch("UPDATE item SET size = size - 1 WHERE name = x'61'").expect("written");
    keeper.all();
    let overview = Overview::of(&keeper.catalog, keeper.collection(), now_s, 9).expect("readable");
    assert_eq!((overview.condition(), overview.needs_a_person()), (Condition::Ok, false));
}
