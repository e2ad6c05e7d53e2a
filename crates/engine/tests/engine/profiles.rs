//! What suits a device changes the way in which files are brought, and nothing else.

use std::fs::File;
use std::os::fd::AsFd as _;
use std::sync::{Arc, Mutex};

use hashlane_engine::{Control, Input, LargeFiles, Profile, ReadOrder, SmallFiles};
use hashlane_io::{
    Call, EngineKind, Fault, FaultPlan, FilePlace, ReadStep, Target, evict, evict_wholly, first_extent,
    residency,
};
use hashlane_record::Outcome;

use crate::support::*;

/// Profiles that differ from the default in one thing each, and one in all.
fn profiles() -> Vec<Profile> {
    let default = Profile::default();
    let large = |engine, block_bytes, in_flight| LargeFiles { engine, block_bytes, in_flight };
    let (small, least, most) = (64 << 10, 1, LargeFiles::MOST_IN_FLIGHT);
    vec![
        Profile::rotational(),
        Profile { small: SmallFiles { engine: EngineKind::Uring, in_flight: 64 }, ..default },
        Profile { small: SmallFiles { engine: EngineKind::Uring, in_flight: 1 }, ..default },
        Profile { small: SmallFiles { in_flight: 1, ..default.small }, ..default },
        Profile { cold: large(EngineKind::Direct, 1 << 20, 4), ..default },
        Profile { cold: large(EngineKind::Direct, small, most), ..default },
        Profile {
            cold: large(EngineKind::Mapped, 4 << 20, 2),
            warm: large(EngineKind::Mapped, small, least),
            ..default
        },
        Profile {
            cold: large(EngineKind::Buffered, 4 << 20, least),
            warm: large(EngineKind::Direct, 512 << 10, most),
            ..default
        },
        Profile {
            small: SmallFiles { engine: EngineKind::Uring, in_flight: 3 },
            cold: large(EngineKind::Direct, 128 << 10, 3),
            warm: large(EngineKind::Mapped, 128 << 10, 3),
            order: ReadOrder::OnDisk,
        },
    ]
}

#[test]
fn every_profile_gives_the_same_digests_warm_and_cold() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let sizes: Vec<u64> = (0..100)
        .map(|number| number * 700)
        .chain([MIB - 1, 5 * MIB + 1, 34 * MIB + 4097, 33 * MIB])
        .collect();
    let made = make_files(directory.path(), &sizes);
    for profile in profiles() {
        assert!(profile.is_sound(), "{profile:?}");
        // Each way meets each profile, and so does each set of algorithms.
        let ways = [(1, true), (3, true), (2, false)];
        let sets: [(&[&str], _); 4] = [
            (&["sha256"], &ways[..]),
            (&["md5", "blake3"], &ways[1..2]),
            (&["blake3"], &ways[..1]),
            (&[], &ways[2..]),
        ];
        for (names, ways) in sets {
            for &(workers, cold) in ways {
                if cold {
                    for made in &made {
                        evict(File::open(&made.path).expect("open").as_fd()).expect("evict");
                    }
                }
                let mut options = options(workers, names);
                options.profile = profile;
                let (records, summary) = run(options, [path(directory.path())]);
                assert_eq!(records.len(), made.len());
                for (record, made) in records.iter().zip(&made) {
                    assert_read(record, made, &algorithms(names));
                }
                assert_eq!(summary.origin.read_bytes(), sizes.iter().sum::<u64>(), "{profile:?}");
            }
        }
    }
}

#[test]
fn a_cold_file_that_is_read_direct_leaves_the_page_cache_as_it_was() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let size = 40 * MIB + 7;
    let made = &make_files(directory.path(), &[size])[0];
    let file = File::open(&made.path).expect("open");
    evict_wholly(file.as_fd()).expect("evict");
    let resident = || residency(file.as_fd(), 0, size).map(|residency| residency.resident_bytes);
    if resident() != Some(0) {
        return skipped("the page cache of the temporary directory keeps its files, or cannot be seen");
    }
    let cold = LargeFiles { engine: EngineKind::Direct, block_bytes: 1 << 20, in_flight: 4 };
    for names in [&["sha256"][..], &["md5", "blake3"]] {
        let mut options = options(2, names);
        options.profile.cold = cold;
        let (records, _) = run(options, [path(&made.path)]);
        assert_read(&records[0], made, &algorithms(names));
        assert_eq!((records[0].origin.device_bytes, records[0].origin.cache_bytes), (size, 0));
        assert_eq!(resident(), Some(0), "{names:?}");
    }
}

/// Where the files of a list lie, in the order in which they were begun.
fn places_as_begun(made: &[Made], order: ReadOrder, inputs: Vec<Input>) -> Vec<Option<u64>> {
    let begun = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&begun);
    let mut options = options(1, &["crc32"]);
    options.engine = hooked(EngineKind::Buffered, move |seen_now| {
        if let Passed::Submitted(request) = seen_now
            && let Target::Open { place: FilePlace { directory, name, .. }, .. } = &request.target
        {
            seen.lock().expect("no panic").push(directory.join(name.to_bytes()));
        }
    });
    options.profile.order = order;
    let (records, _) = run(options, inputs);
    for (record, made) in records.iter().zip(made) {
        assert_read(record, made, &algorithms(&["crc32"]));
    }
    let begun = begun.lock().expect("no panic");
    assert_eq!(begun.len(), made.len());
    let place = |path: &Vec<u8>| first_extent(File::open(item_of(path)).expect("open").as_fd());
    begun.iter().map(place).collect()
}

fn item_of(path: &[u8]) -> std::path::PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    std::ffi::OsStr::from_bytes(path).into()
}

#[test]
fn files_are_begun_in_the_order_of_the_disk_and_leave_in_that_of_the_inputs() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    // Written in another order than that of their names, so that they do not lie in that order either.
    let sizes: Vec<u64> = (0..200).map(|number| 5_000 + number).collect();
    let mut made = make_files(directory.path(), &sizes);
    for (number, made) in made.iter_mut().enumerate() {
        // That gives it its place.
        File::open(&made.path).expect("open").sync_all().expect("sync");
        let to = directory.path().join(format!("{:03}", number * 13 % 200));
        std::fs::rename(&made.path, &to).expect("rename");
        made.path = to;
    }
    made.sort_by(|a, b| a.path.cmp(&b.path));
    let file = |made: &Made| Input::File {
        path: item(&made.path),
        base: None,
        algorithms: algorithms(&["crc32"]),
        division: None,
        tag: Box::default(),
    };
    let walked = places_as_begun(&made, ReadOrder::OnDisk, vec![path(directory.path())]);
    if walked.contains(&None) {
        return skipped("the file system of the temporary directory does not tell where files lie");
    }
    let by_name = places_as_begun(&made, ReadOrder::Inputs, vec![path(directory.path())]);
    let steps_back = |places: &[Option<u64>]| places.windows(2).filter(|pair| pair[1] < pair[0]).count();
    assert!(steps_back(&by_name) > 20, "the test is about another order than that of the names");
    assert!(steps_back(&walked) < steps_back(&by_name) / 2, "{walked:?}");
    // The names of a list are put in order as far as they have come when a window is taken up: how far, only they know.
    places_as_begun(&made, ReadOrder::OnDisk, made.iter().map(file).collect());
}

#[test]
fn what_fails_in_the_order_of_the_disk_fails_in_its_place() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &[10; 300]);
    std::fs::hard_link(&made[7].path, directory.path().join("file 00007 again")).expect("link");
    for workers in [1, 4] {
        let mut options = options(workers, &["sha256"]);
        options.profile = Profile::rotational();
        options.engine = failing(
            EngineKind::Buffered,
            FaultPlan::new()
                .at(Call::Open(20), Fault::Fail { step: ReadStep::Open, errno: 5, after_bytes: 0 }),
        );
        let inputs = [path(directory.path()), Input::Path("missing".into()), Input::Path("no\0name".into())];
        let (records, result) = try_run(options, inputs, &Arc::new(Control::new()));
        let summary = result.expect("it ends");
        assert_eq!(records.len(), 303);
        assert!(
            matches!(records[301].outcome, Outcome::Failed(_))
                && matches!(records[302].outcome, Outcome::Failed(_))
        );
        assert!(summary.failed >= 3, "one file for each engine, and the two names");
    }
}

#[test]
fn the_order_of_the_disk_ends_where_no_more_records_can_be_kept() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let made = make_files(directory.path(), &[100; 5_000]);
    for workers in [1, 2, 5] {
        let mut options = options(workers, &["crc32"]);
        options.profile = Profile::rotational();
        options.walk.memory.records_bytes = 4 << 10;
        options.walk.spill_directory = directory.path().join("missing");
        let (records, _) = run(options, [path(directory.path())]);
        assert_eq!(records.len(), made.len());
    }
}
