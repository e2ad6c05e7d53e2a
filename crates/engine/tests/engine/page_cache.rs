//! What a run leaves in the page cache: what was there, and of what it has brought as much as it was granted.

use std::fs::File;
use std::os::fd::AsFd as _;

use hashlane_engine::{LargeFiles, Profile};
use hashlane_io::{EngineKind, evict_wholly, residency};

use crate::support::*;

fn resident(made: &Made) -> Option<u64> {
    let file = File::open(&made.path).expect("open");
    let bytes = made.bytes.len() as u64;
    residency(file.as_fd(), 0, bytes).map(|residency| residency.resident_bytes.min(bytes))
}

fn evicted(made: &Made) -> bool {
    evict_wholly(File::open(&made.path).expect("open").as_fd()).expect("evict");
    resident(made) == Some(0)
}

#[test]
fn what_a_run_brings_stays_as_far_as_granted_and_what_was_there_stays() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let sizes = [3_000, 20_000, 200_000, 2 * MIB, 34 * MIB + 5, 41 * MIB];
    let made = make_files(directory.path(), &sizes);
    let (warm, cold): (Vec<_>, Vec<_>) = made.iter().zip(0..).partition(|(_, number)| number % 2 == 0);
    for engine in [EngineKind::Buffered, EngineKind::Mapped, EngineKind::Direct] {
        for names in [&["sha256"][..], &["blake3"], &["md5", "blake3"], &[]] {
            for (workers, granted) in [(1, Some(0)), (2, Some(0)), (2, None), (1, Some(u64::MAX))] {
                let what = format!("{engine:?} {names:?} {workers} {granted:?}");
                let mut options = options(workers, names);
                options.profile =
                    Profile { cold: LargeFiles { engine, ..LargeFiles::default() }, ..Profile::default() };
                options.cache_bytes = granted;
                // The kernel may take pages away that nobody has looked at for a while (DAMON does with memory to spare), but hardly
                // the same way each time. What is to go is gone the first time.
                let mut otherwise = Vec::new();
                for _ in 0..3 {
                    if !cold.iter().all(|(made, _)| evicted(made)) {
                        return skipped(
                            "the page cache of the temporary directory keeps its files, or cannot be seen",
                        );
                    }
                    for (made, _) in &warm {
                        std::fs::read(&made.path).expect("read");
                    }
                    let (records, _) = run(options.clone(), [path(directory.path())]);
                    for (record, made) in records.iter().zip(&made) {
                        assert_read(record, made, &algorithms(names));
                    }
                    let bytes = |made: &Made| made.bytes.len() as u64;
                    otherwise = warm.iter().map(|(made, _)| (resident(made), Some(bytes(made)))).collect();
                    for (made, _) in &cold {
                        // Large files only are read direct.
                        if engine == EngineKind::Direct {
                            continue;
                        }
                        if granted == Some(0) {
                            assert_eq!(resident(made), Some(0), "{} bytes, {what}", bytes(made));
                        } else {
                            otherwise.push((resident(made), Some(bytes(made))));
                        }
                    }
                    otherwise.retain(|(there, all)| there != all);
                    if otherwise.is_empty() {
                        break;
                    }
                }
                assert_eq!(otherwise, [], "resident bytes, and how many should be, {what}");
            }
        }
    }
}
