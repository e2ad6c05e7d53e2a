//! Files with several names.

use std::fs;
use std::path::Path;
use std::time::Duration;

use hashlane_engine::Input;
use hashlane_io::{Call, EngineKind, Failing, Fault, FaultPlan, ReadStep};
use hashlane_record::{Cause, Failure, Operation, Outcome};

use crate::support::*;

/// One file by the names `a`, `b` and `c`, in three directories.
fn three_names(root: &Path, size: u64) -> Vec<Made> {
    let names = ["a", "b", "c"].map(|name| root.join(name).join("name"));
    names.iter().for_each(|name| fs::create_dir(name.parent().expect("a directory")).expect("mkdir"));
    fs::write(&names[0], content(1, size)).expect("write");
    names[1..].iter().for_each(|name| fs::hard_link(&names[0], name).expect("link"));
    names.map(|path| Made::new(path, content(1, size))).into()
}

#[test]
fn a_file_is_read_once_whatever_the_number_of_its_names() {
    for size in [1, 200 * KIB, 6 * MIB] {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let made = three_names(directory.path(), size);
        for (workers, links_once) in [(1, true), (4, true), (1, false), (4, false)] {
            let mut options = options(workers, &["sha256"]);
            options.links_once = links_once;
            let (records, summary) = run(options, [path(directory.path())]);
            for (record, made) in records.iter().zip(&made) {
                assert_read(record, made, &algorithms(&["sha256"]));
            }
            let times = if links_once { 1 } else { 3 };
            assert_eq!(summary.origin.read_bytes(), times * size);
            assert_eq!((summary.digested_bytes, summary.repeated_bytes), (3 * size, (3 - times) * size));
        }
    }
}

#[test]
fn names_that_are_to_have_other_digests_are_read_again() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = three_names(directory.path(), 3 * MIB);
    let sets = ["md5", "sha256", "md5"].map(|name| algorithms(&[name]));
    let inputs: Vec<_> = made
        .iter()
        .zip(&sets)
        .map(|(made, set)| Input::File {
            path: item(&made.path),
            base: None,
            algorithms: set.clone(),
            division: None,
            tag: Box::default(),
        })
        .collect();
    for workers in [1, 4] {
        let (records, summary) = run(options(workers, &[]), inputs.clone());
        for ((record, made), set) in records.iter().zip(&made).zip(&sets) {
            assert_read(record, made, set);
        }
        assert_eq!(summary.origin.read_bytes(), 6 * MIB);
    }
}

#[test]
fn a_reading_that_fails_fails_for_all_names_and_loses_none() {
    for (size, call) in [(200 * KIB, Call::Read(0)), (6 * MIB, Call::Read(3))] {
        let directory = tempfile::tempdir().expect("a temporary directory");
        three_names(directory.path(), size);
        let fault = Fault::Fail { step: ReadStep::Read, errno: 5, after_bytes: 0 };
        let mut options = options(1, &["sha256"]);
        options.engine = failing(EngineKind::Buffered, FaultPlan::new().at(call, fault));
        let (records, summary) = run(options, [path(directory.path())]);
        assert_eq!(summary.failed, 3);
        for record in records {
            let Outcome::Failed(Failure { operation, cause, .. }) = record.outcome else {
                panic!("{:?}", record.outcome)
            };
            assert_eq!((operation, cause, record.digests.len()), (Operation::Read, Cause::System(5), 0));
        }
    }
}

#[test]
fn names_that_wait_for_a_reading_that_fails_all_get_their_record() {
    for size in [200 * KIB, 6 * MIB] {
        let directory = tempfile::tempdir().expect("a temporary directory");
        three_names(directory.path(), size);
        // It fails late enough that the other names have been found.
        let stall = FaultPlan::new().at(Call::Read(0), Fault::StallFor(Duration::from_millis(20)));
        let fault = Fault::Fail { step: ReadStep::Read, errno: 5, after_bytes: 0 };
        let fail = FaultPlan::new().at(Call::Read(0), fault);
        let mut options = options(1, &["sha256"]);
        options.engine = custom(false, move |pool| {
            let stalled = Failing::new(EngineKind::Buffered.start(pool), stall.clone());
            Box::new(Failing::new(Box::new(stalled), fail.clone()))
        });
        let (records, summary) = run(options, [path(directory.path())]);
        assert_eq!((records.len(), summary.failed), (3, 3));
    }
}

#[test]
fn a_name_that_cannot_be_opened_fails_alone() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = three_names(directory.path(), 200 * KIB);
    for failed in 0..3 {
        let fault = Fault::Fail { step: ReadStep::Open, errno: 5, after_bytes: 0 };
        let mut options = options(1, &["sha256"]);
        options.engine = failing(EngineKind::Buffered, FaultPlan::new().at(Call::Open(failed), fault));
        let (records, _) = run(options, [path(directory.path())]);
        for ((number, record), made) in (0..).zip(&records).zip(&made) {
            if number == failed {
                assert!(matches!(record.outcome, Outcome::Failed(_)));
            } else {
                assert_read(record, made, &algorithms(&["sha256"]));
            }
        }
    }
}

#[test]
fn thousands_of_names_of_one_file_all_get_their_record() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let first = directory.path().join("00000");
    fs::write(&first, content(1, 2 * MIB)).expect("write");
    for number in 1..3000 {
        fs::hard_link(&first, directory.path().join(format!("{number:05}"))).expect("link");
    }
    let (records, summary) = run(options(3, &["sha1"]), [path(directory.path())]);
    assert_eq!((records.len(), summary.files), (3000, 3000));
    assert_eq!(summary.origin.read_bytes(), 2 * MIB);
    assert!(records.iter().all(|record| record.digests == records[0].digests));
}
