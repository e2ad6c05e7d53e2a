//! Things that change under the reader.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use hashlane_io::{Completion, Opened as _, Store};
use hashlane_record::{Instability, Outcome};

use crate::support::*;
use crate::worlds::{Files, World, for_each_world};

for_each_world!(
    what_grows_while_it_is_read_is_unstable,
    what_becomes_shorter_while_it_is_read_is_unstable,
    what_is_written_to_while_it_is_read_is_unstable,
);

fn is_large<S: Store>(completion: &Completion<S>) -> bool {
    completion.file.as_ref().is_some_and(|file| file.facts().size_bytes > 10)
}

/// Reads a thing in every way, in slots and as a big one, and changes it when its first bytes have come.
fn outcomes_after<W: World + Send + Sync + 'static>(change: fn(&W)) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for way in W::ways() {
        for (size, names) in
            [(400 * KIB, &["sha256"][..]), (6 * MIB, &["sha256", "md5"]), (13 * MIB, &["blake3"])]
        {
            let world = W::make(&[size, 10]);
            let (changed, done) = (world.handle(), AtomicBool::new(false));
            let wrap = observed(move |passed| {
                if let Passed::Reaped(completion) = passed
                    && (completion.read || !W::CHANGES_AFTER_READ)
                    && is_large(completion)
                    && !done.swap(true, Ordering::AcqRel)
                {
                    change(&changed);
                }
            });
            let (records, summary) = world.run(options(2, names), way, wrap);
            assert_read(&records[1], &world.made()[1], &algorithms(names));
            assert_eq!(summary.failed, 0, "{size} by {way:?}: {:?}", records[0].outcome);
            outcomes.push(records[0].outcome);
        }
    }
    outcomes
}

fn assert_all(outcomes: Vec<Outcome>, instability: Instability) {
    for outcome in outcomes {
        assert_eq!(outcome, Outcome::Unstable(instability));
    }
}

fn what_grows_while_it_is_read_is_unstable<W: World + Send + Sync + 'static>() {
    assert_all(outcomes_after::<W>(|world| world.resize(0, 14 * MIB)), Instability::Grew);
}

fn what_becomes_shorter_while_it_is_read_is_unstable<W: World + Send + Sync + 'static>() {
    assert_all(outcomes_after::<W>(|world| world.resize(0, 130 * KIB + 7)), Instability::Shrank);
    assert_all(outcomes_after::<W>(|world| world.resize(0, 0)), Instability::Shrank);
}

fn what_is_written_to_while_it_is_read_is_unstable<W: World + Send + Sync + 'static>() {
    assert_all(outcomes_after::<W>(|world| world.overwrite(0)), Instability::Modified);
}

#[test]
fn a_file_that_is_emptied_and_written_anew_while_it_is_read_is_unstable_and_no_error() {
    let rewrite = |world: &Files| {
        let path = &world.made()[0].path;
        let size = fs::metadata(path).expect("stat").len();
        world.resize(0, 0);
        append(path, &content(77, size));
    };
    assert_all(outcomes_after(rewrite), Instability::Modified);
}

#[test]
fn a_file_that_is_replaced_while_it_is_read_is_what_it_was() {
    // Its last name goes, its content stays: what was read is a state that the file had.
    let replace = |world: &Files| {
        let path = &world.made()[0].path;
        // Beside the tree that is walked.
        let new = tempfile::NamedTempFile::new().expect("a temporary file");
        fs::write(new.path(), b"another file").expect("write");
        new.persist(path).expect("rename");
    };
    for outcome in outcomes_after(replace) {
        assert_eq!(outcome, Outcome::Read);
    }
}
