//! Sparse files: holes are digested and not read.

use std::fs::File;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};

use hashlane_engine::EngineChoice;

use crate::support::*;

/// A file of some size with data at some places; `None` where the file system makes no holes.
fn sparse(directory: &std::path::Path, size: u64, data: &[(u64, u64)]) -> Option<Made> {
    let path = directory.join(format!("sparse {size} {data:?}"));
    let file = File::create(&path).expect("create");
    file.set_len(size).expect("truncate");
    let mut bytes = vec![0; size as usize];
    for &(offset, length) in data {
        let part = &mut bytes[offset as usize..][..length as usize];
        part.copy_from_slice(&content(offset, length));
        file.write_all_at(part, offset).expect("write");
    }
    let allocated = 512 * file.metadata().expect("stat").blocks();
    (allocated < size / 2).then_some(Made::new(path, bytes))
}

#[test]
fn holes_are_digested_and_not_read() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let size = 40 * MIB + 5;
    let places = [
        &[][..],
        &[(0, 4096)],
        &[(20 * MIB, 4096)],
        &[(size - 5, 5)],
        &[(0, MIB + 3), (17 * MIB - 1, 2), (size - 4096, 4096)],
    ];
    for data in places {
        let Some(made) = sparse(directory.path(), size, data) else {
            return skipped("the file system of the temporary directory makes no holes");
        };
        for names in [&["sha256"][..], &["blake3"], &["md5", "blake3"], &[]] {
            for workers in [1, 3] {
                let (records, summary) = run(options(workers, names), [path(&made.path)]);
                assert_read(&records[0], &made, &algorithms(names));
                let real: u64 = data.iter().map(|(_, length)| length).sum();
                let read = summary.origin.read_bytes();
                // A hole begins where a block ends.
                assert!(read >= real && read <= real + 5 * 128 * KIB, "{read} bytes read for {real}");
            }
        }
    }
}

#[test]
fn every_engine_gets_holes_right() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let data = [(MIB, 100), (3 * MIB, MIB)];
    let Some(made) = sparse(directory.path(), 12 * MIB + 1, &data) else {
        return skipped("the file system of the temporary directory makes no holes");
    };
    for kind in reading_kinds() {
        for names in [&["sha256"][..], &["blake3"]] {
            let mut options = options(2, names);
            options.engine = EngineChoice::Only(kind);
            let (records, _) = run(options, [path(&made.path)]);
            assert_read(&records[0], &made, &algorithms(names));
        }
    }
}
