//! Files that change under the reader.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use hashlane_io::EngineKind;
use hashlane_record::{Instability, Outcome};

use crate::support::*;

/// Reads a file by every engine, in slots and as a big file, and changes it when its first bytes have come.
fn outcomes_after(change: fn(&Path)) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for kind in reading_kinds() {
        for (size, names) in
            [(400 * KIB, &["sha256"][..]), (6 * MIB, &["sha256", "md5"]), (13 * MIB, &["blake3"])]
        {
            let directory = tempfile::tempdir().expect("a temporary directory");
            let made = make_files(directory.path(), &[size, 10]);
            // So long ago that whatever happens now shows in its times.
            let past = SystemTime::now() - Duration::from_secs(1000);
            File::options()
                .write(true)
                .open(&made[0].path)
                .and_then(|file| file.set_modified(past))
                .expect("utime");
            let mut options = options(2, names);
            options.engine = change_when_read(kind, made[0].path.clone(), change);
            let (records, summary) = run(options, [path(directory.path())]);
            assert_read(&records[1], &made[1], &algorithms(names));
            assert_eq!(summary.failed, 0, "{} by {}: {:?}", size, kind.name(), records[0].outcome);
            outcomes.push(records[0].outcome);
        }
    }
    outcomes
}

fn change_when_read(kind: EngineKind, path: PathBuf, change: fn(&Path)) -> hashlane_engine::EngineChoice {
    let done = AtomicBool::new(false);
    hooked(kind, move |seen| {
        if let Seen::Reaped(completion) = seen
            && completion.read
            && completion.file.as_ref().is_some_and(|file| file.facts().size_bytes > 10)
            && !done.swap(true, Ordering::AcqRel)
        {
            change(&path);
        }
    })
}

fn assert_all(outcomes: Vec<Outcome>, instability: Instability) {
    for outcome in outcomes {
        assert_eq!(outcome, Outcome::Unstable(instability));
    }
}

#[test]
fn a_file_that_grows_while_it_is_read_is_unstable() {
    assert_all(outcomes_after(|path| append(path, b"more")), Instability::Grew);
}

#[test]
fn a_file_that_becomes_shorter_while_it_is_read_is_unstable() {
    assert_all(outcomes_after(|path| shorten(path, 130 * KIB + 7)), Instability::Shrank);
    assert_all(outcomes_after(|path| shorten(path, 0)), Instability::Shrank);
}

fn shorten(path: &Path, length: u64) {
    File::options().write(true).open(path).and_then(|file| file.set_len(length)).expect("truncate");
}

#[test]
fn a_file_that_is_written_to_while_it_is_read_is_unstable() {
    let overwrite = |path: &Path| {
        File::options().write(true).open(path).and_then(|file| file.write_all_at(b"new", 5)).expect("write");
    };
    assert_all(outcomes_after(overwrite), Instability::Modified);
}

#[test]
fn a_file_that_is_emptied_and_written_anew_while_it_is_read_is_unstable_and_no_error() {
    let rewrite = |path: &Path| {
        let size = fs::metadata(path).expect("stat").len();
        shorten(path, 0);
        append(path, &content(77, size));
    };
    assert_all(outcomes_after(rewrite), Instability::Modified);
}

#[test]
fn a_file_that_is_replaced_while_it_is_read_is_what_it_was() {
    // Its last name goes, its content stays: what was read is a state that the file had.
    let replace = |path: &Path| {
        let new = path.with_file_name("new");
        fs::write(&new, b"another file").expect("write");
        fs::rename(&new, path).expect("rename");
    };
    for outcome in outcomes_after(replace) {
        assert_eq!(outcome, Outcome::Read);
    }
}
