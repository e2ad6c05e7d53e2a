//! Where records say that their bytes came from, beside what the kernel says that this process has read from devices.
//!
//! The counter is one for the process: this binary has one test, and nothing else may read meanwhile.

#[allow(dead_code, reason = "the other tests use the rest")]
#[path = "engine/support.rs"]
mod support;

use std::fs::{self, File};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;

use hashlane_engine::{EngineChoice, Summary};
use hashlane_io::{EngineKind, evict, evict_wholly, residency};
use rustix::fs::{FallocateFlags, fallocate};

use support::*;

/// What a run may read beside the files: directories, inodes, pages of this program. Far less than any of the files
/// that the counter is to tell of.
const BESIDE: u64 = 512 * KIB;

/// Bytes that this process has made devices bring.
fn read_from_devices() -> Option<u64> {
    let counters = fs::read_to_string("/proc/self/io").ok()?;
    counters.lines().find_map(|line| line.strip_prefix("read_bytes: "))?.parse().ok()
}

fn forget(path: &Path) {
    let file = File::open(path).expect("open");
    assert!(evict_wholly(file.as_fd()).expect("evict"), "{path:?} stays in the page cache");
}

/// A run over a tree, and the bytes that devices brought meanwhile.
fn counted(root: &Path, algorithm: &str, engine: EngineChoice) -> (Summary, u64) {
    let mut options = options(2, &[algorithm]);
    options.engine = engine;
    let before = read_from_devices().expect("told before");
    let (_, summary) = run(options, [path(root)]);
    let brought = read_from_devices().expect("told before") - before;
    assert_eq!((summary.failed, summary.unstable), (0, 0));
    (summary, brought)
}

/// Whether the kernel has read what the records say, in whole pages, and hardly more.
fn assert_agree(case: &str, summary: &Summary, brought: u64, files: u64, expected: u64) {
    let said = summary.origin.device_bytes;
    assert_eq!(said, expected, "{case}");
    assert!(brought >= said, "{case}: {said} bytes are said to be from the device, which brought {brought}");
    assert!(brought <= said + files * 64 * KIB + BESIDE, "{case}: {said} said, {brought} brought");
}

/// Reads files that are in the page cache. A kernel may take pages away all the same (DAMON does, with memory to spare), but then it
/// counts that something was brought anew, and it hardly does so each time.
fn assert_from_cache(case: &str, root: &Path, made: &[Made], algorithm: &str) {
    let total: u64 = made.iter().map(|made| made.bytes.len() as u64).sum();
    let mut attempts = 0;
    loop {
        // Not all of it is in the cache after direct reading.
        made.iter().for_each(|made| drop(fs::read(&made.path).expect("read")));
        let (summary, brought) = counted(root, algorithm, EngineChoice::Auto);
        let (from_device, from_cache) = (summary.origin.device_bytes, summary.origin.cache_bytes);
        attempts += 1;
        if from_device == 0 || brought == 0 || attempts == 3 {
            assert_eq!((from_device, from_cache), (0, total), "{case}: {brought} brought");
            assert!(brought <= BESIDE, "{case}: {brought} brought");
            return;
        }
    }
}

/// Reads files that are in the page cache but for one. What the kernel takes of the others meanwhile is brought anew and said to
/// be so, and it hardly happens each time.
fn assert_one_cold(root: &Path, algorithm: &str, made: &[Made], cold: &Made) {
    let case = &format!("{algorithm}, one cold");
    let expected = cold.bytes.len() as u64;
    for last in [false, false, true] {
        made.iter().for_each(|made| drop(fs::read(&made.path).expect("read")));
        forget(&cold.path);
        let (summary, brought) = counted(root, algorithm, EngineChoice::Auto);
        let said = summary.origin.device_bytes;
        assert!(
            said >= expected && brought >= said,
            "{case}: {said} said, {brought} brought, {expected} were cold"
        );
        if said == expected || last {
            return assert_agree(case, &summary, brought, 1, expected);
        }
    }
}

#[test]
fn origins_agree_with_what_the_kernel_counts() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let root = directory.path().join("files");
    fs::create_dir(&root).expect("mkdir");
    // One for each way that a file is read: a request, pieces, a ring or parts of a tree.
    let sizes = [10_000, 3 * MIB + 5, 40 * MIB + 12_345];
    let made = make_files(&root, &sizes);
    let total: u64 = sizes.iter().sum();
    let files = sizes.len() as u64;

    let before = read_from_devices();
    let probe = File::open(&made[1].path).expect("open");
    let observed = rustix::fs::major(probe.metadata().expect("stat").dev()) != 0
        && evict(probe.as_fd()).is_ok()
        && residency(probe.as_fd(), 0, sizes[1]).is_some();
    fs::read(&made[1].path).expect("read");
    if !observed || read_from_devices() == before {
        return skipped("the temporary directory is on no disk that the kernel counts");
    }

    for algorithm in ["sha256", "blake3"] {
        for kind in [EngineKind::Buffered, EngineKind::Mapped, EngineKind::Direct, EngineKind::Uring] {
            let case = format!("{algorithm}, {}", kind.name());
            made.iter().for_each(|made| forget(&made.path));
            let (summary, brought) = counted(&root, algorithm, EngineChoice::Only(kind));
            assert_agree(&format!("{case}, cold"), &summary, brought, files, total);
        }
        assert_from_cache(&format!("{algorithm}, warm"), &root, &made, algorithm);

        assert_one_cold(&root, algorithm, &made, &made[1]);

        for state in ["warm", "cold", "dirty"] {
            for (engine, way) in
                [(EngineChoice::FromMedium, "from the medium"), (EngineChoice::PastCache, "past the cache")]
            {
                match state {
                    "cold" => made.iter().for_each(|made| forget(&made.path)),
                    "dirty" => {
                        made.iter().for_each(|made| fs::write(&made.path, &made.bytes).expect("write"))
                    }
                    _ => {}
                }
                let (summary, brought) = counted(&root, algorithm, engine);
                assert_agree(&format!("{algorithm}, {way}, {state}"), &summary, brought, files, total);
                assert_eq!(summary.origin.read_bytes(), total);
            }
        }
    }
    small_files_are_from_the_device_also_when_it_answers_at_once(directory.path());
    a_part_that_was_there_is_not_from_the_device(directory.path());
    holes_are_not_from_the_medium(directory.path());
}

/// A part of this binary's only test: so many files that a fast device brings some of them before the kernel has said that
/// they have to be waited for.
fn small_files_are_from_the_device_also_when_it_answers_at_once(directory: &Path) {
    let root = directory.join("small");
    fs::create_dir(&root).expect("mkdir");
    let sizes = [10_000; 500];
    let made = make_files(&root, &sizes);
    let total: u64 = sizes.iter().sum();
    for kind in [EngineKind::Buffered, EngineKind::Mapped, EngineKind::Direct, EngineKind::Uring] {
        made.iter().for_each(|made| forget(&made.path));
        let (summary, brought) = counted(&root, "sha256", EngineChoice::Only(kind));
        let said = summary.origin.device_bytes;
        assert_eq!(said, total, "{}, small files", kind.name());
        assert!(brought >= said, "{}, small files: {brought} brought", kind.name());
        let case = format!("{}, small files again", kind.name());
        assert_from_cache(&case, &root, &made, "sha256");
    }

    for half in [0, sizes.len() / 2, sizes.len()] {
        made.iter().for_each(|made| drop(fs::read(&made.path).expect("read")));
        made[half..].iter().for_each(|made| forget(&made.path));
        let (summary, brought) = counted(&root, "sha256", EngineChoice::PastCache);
        assert_eq!(summary.origin.device_bytes, total, "past the cache, small files, {half} warm");
        assert!(brought >= total, "past the cache, small files, {half} warm: {brought} brought");
    }

    made.iter().for_each(|made| drop(fs::read(&made.path).expect("read")));
    // The warm half comes first: a thread for which nothing was brought for a while looks again within 64 reads.
    let cold = &made[sizes.len() / 2..];
    let cold_bytes: u64 = cold.iter().map(|made| made.bytes.len() as u64).sum();
    cold.iter().for_each(|made| forget(&made.path));
    let (summary, brought) = counted(&root, "sha256", EngineChoice::Auto);
    let said = summary.origin.device_bytes;
    assert!(brought >= said && said >= cold_bytes - 2 * 64 * sizes[0], "{said} of {cold_bytes} bytes said");
}

/// A part of this binary's only test: a small file whose beginning somebody has read.
fn a_part_that_was_there_is_not_from_the_device(directory: &Path) {
    const HEAD: u64 = 4096;
    let root = directory.join("part");
    fs::create_dir(&root).expect("mkdir");
    let made = make_files(&root, &[100_000]);
    forget(&made[0].path);
    let file = File::open(&made[0].path).expect("open");
    // So that nothing is read ahead.
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::Random).expect("advise");
    file.read_exact_at(&mut [0; HEAD as usize], 0).expect("read");
    if residency(file.as_fd(), 0, 100_000).expect("told before").resident_bytes != HEAD {
        return skipped("the file system reads more than was asked for");
    }
    let mut options = options(1, &["sha256"]);
    options.cache_bytes = Some(0);
    let (_, summary) = run(options, [path(&root)]);
    assert_eq!((summary.origin.cache_bytes, summary.origin.device_bytes), (HEAD, 100_000 - HEAD));
    assert!(
        residency(file.as_fd(), 0, HEAD).expect("told before").resident_bytes == HEAD,
        "it was there before"
    );
}

/// A part of this binary's only test: blocks that were never written are not bytes of the device.
fn holes_are_not_from_the_medium(directory: &Path) {
    let root = directory.join("holes");
    fs::create_dir(&root).expect("mkdir");
    for (name, size) in [("small", 100 * KIB), ("large", 70 * MIB)] {
        let file = File::create_new(root.join(name)).expect("create");
        file.set_len(size).expect("a hole");
        file.write_all_at(&content(1, 8 * KIB), 64 * KIB).expect("write");
        file.sync_all().expect("sync");
    }
    let reserved = File::create_new(root.join("reserved")).expect("create");
    if fallocate(&reserved, FallocateFlags::empty(), 0, 4 * MIB).is_err() {
        reserved.set_len(4 * MIB).expect("a hole");
    }
    let (summary, brought) = counted(&root, "sha256", EngineChoice::FromMedium);
    assert_agree("holes", &summary, brought, 2, 16 * KIB);
    assert_eq!(summary.origin.read_bytes(), 16 * KIB);
    assert_eq!(summary.digested_bytes, 100 * KIB + 74 * MIB);

    for engine in [EngineChoice::Auto, EngineChoice::Only(EngineKind::Direct)] {
        for name in ["small", "large", "reserved"] {
            forget(&root.join(name));
        }
        let case = format!("{engine:?}");
        let (summary, brought) = counted(&root, "sha256", engine);
        let said = summary.origin;
        assert!(brought >= said.device_bytes, "{case}: {brought} brought, {said:?}");
        // Of the small file the kernel may have made up the hole before it was asked to wait: then it is not known which part came. And
        // it may have been looked ahead at so early that all of it was there.
        assert!(said.device_bytes + said.unknown_bytes <= 16 * KIB, "{case}: {said:?}");
        assert!(said.device_bytes >= 8 * KIB, "{case}: {said:?}");
        assert_eq!(summary.digested_bytes, 100 * KIB + 74 * MIB);
    }
}
