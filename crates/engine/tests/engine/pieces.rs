//! Digests of the pieces of files, and of their beginnings.

use std::fs;
use std::num::NonZeroU64;

use hashlane_digest::Algorithm;
use hashlane_engine::{EngineChoice, Input, Options};
use hashlane_record::{Division, Operation, Outcome, Record};

use crate::support::*;

const WORKERS: [usize; 2] = [1, 3];

fn every(bytes: u64) -> Option<Division> {
    NonZeroU64::new(bytes).map(Division::Every)
}

fn beginning(bytes: u64) -> Option<Division> {
    NonZeroU64::new(bytes).map(Division::Beginning)
}

/// The same options for files that are cut into pieces.
fn cut(division: Option<Division>, mut options: Options) -> Options {
    options.division = division;
    options
}

/// What of a file has digests: all of it, or its first bytes.
fn divided(division: Division, bytes: &[u8]) -> &[u8] {
    match division {
        Division::Every(_) => bytes,
        Division::Beginning(most) => &bytes[..bytes.len().min(most.get() as usize)],
    }
}

fn assert_divided(record: &Record, made: &Made, algorithms: &[Algorithm], division: Division) {
    assert_read(record, made, algorithms);
    let length = division.piece_bytes().get() as usize;
    let context = format!("{division:?} of {} bytes", made.bytes.len());
    let Some(pieces) = &record.pieces else {
        assert!(made.bytes.len() <= length, "{context}: no pieces");
        return;
    };
    assert!(made.bytes.len() > length, "{context}: one piece is the whole");
    let expected: Vec<_> = divided(division, &made.bytes)
        .chunks(length)
        .map(|chunk| algorithms.iter().map(|algorithm| algorithm.digest(chunk)).collect::<Vec<_>>())
        .collect();
    let found: Vec<_> = pieces.iter().map(|(_, digests)| digests).collect();
    assert_eq!(found, expected, "{context}");
    assert_eq!(pieces.end(), divided(division, &made.bytes).len() as u64, "{context}");
}

#[test]
fn pieces_and_the_whole_are_digested_in_one_reading_by_every_engine() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let piece = 64 * KIB;
    let sizes = [
        0,
        1,
        511,
        512,
        513,
        piece - 1,
        piece,
        piece + 1,
        2 * piece,
        3 * piece + 7,
        MIB,
        MIB + 1,
        5 * MIB + 3,
        0,
        9,
    ];
    let files = make_files(directory.path(), &sizes);
    let names = &["sha256", "blake3", "md5"];
    for kind in reading_kinds() {
        for workers in WORKERS {
            for division in [every(piece), every(1000), every(MIB), beginning(512), beginning(100_000)] {
                let mut options = cut(division, options(workers, names));
                options.engine = EngineChoice::Only(kind);
                let (records, _) = run(options, [path(directory.path())]);
                assert_eq!(records.len(), files.len());
                for (record, made) in records.iter().zip(&files) {
                    assert_divided(record, made, &algorithms(names), division.expect("given"));
                }
            }
        }
    }
}

#[test]
fn files_beside_each_other_in_lanes_keep_their_beginnings_apart() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let sizes: Vec<u64> = (0..300).map(|number| 300 + number * 7).collect();
    let files = make_files(directory.path(), &sizes);
    let options = cut(beginning(512), options(2, &["md5"]));
    let (records, summary) = run(options, [path(directory.path())]);
    for (record, made) in records.iter().zip(&files) {
        assert_divided(record, made, &algorithms(&["md5"]), beginning(512).expect("given"));
    }
    assert_eq!(summary.files, 300);
}

#[test]
fn holes_are_in_pieces_as_zeros() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("sparse");
    let made = fs::File::create(&file).expect("a file");
    std::os::unix::fs::FileExt::write_all_at(&made, b"data", 7 * MIB + 5).expect("written");
    made.set_len(20 * MIB + 1).expect("longer");
    let bytes = fs::read(&file).expect("read");
    let division = every(3 * MIB - 1);
    let (records, _) = run(cut(division, options(2, &["sha1"])), [path(&file)]);
    assert_divided(&records[0], &Made::new(file, bytes), &algorithms(&["sha1"]), division.expect("given"));
}

#[test]
fn each_file_of_a_list_is_divided_in_its_own_way_and_names_of_one_file_share_their_reading() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let files = make_files(directory.path(), &[5000]);
    let link = directory.path().join("link");
    fs::hard_link(&files[0].path, &link).expect("a hard link");
    let set = algorithms(&["sha256"]);
    let divisions = [None, every(1000), every(1000), beginning(512), every(4096)];
    let input = |(number, division): (usize, Option<Division>)| Input::File {
        path: item(if number == 2 { &link } else { &files[0].path }),
        base: None,
        algorithms: set.clone(),
        division,
        tag: Box::default(),
    };
    let inputs: Vec<_> = divisions.into_iter().enumerate().map(input).collect();
    let (records, _) = run(options(2, &[]), inputs);
    assert_eq!(records.len(), divisions.len());
    let read = |number: usize| records[number].origin.read_bytes();
    assert_eq!(read(1) + read(2), 5000, "one of the two names of the same pieces was read");
    for (record, division) in records.iter().zip(divisions) {
        let made = Made::new(record.path.as_path(), files[0].bytes.clone());
        match division {
            Some(division) => assert_divided(record, &made, &set, division),
            None => assert_eq!(record.pieces, None),
        }
    }
}

#[test]
fn what_waits_for_a_file_before_it_keeps_its_pieces_on_disk() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let files = make_files(directory.path(), &[40 * MIB, 100_000, 100_000, 100_000, 100_000, 100_000]);
    let mut options = cut(every(100), options(2, &["md5"]));
    options.walk.memory.records_bytes = 1000;
    let (records, _) = run(options, [path(directory.path())]);
    assert_eq!(records.len(), files.len());
    for (record, made) in records.iter().zip(&files) {
        assert_divided(record, made, &algorithms(&["md5"]), every(100).expect("given"));
    }
}

#[test]
fn a_file_of_too_many_pieces_fails_and_the_others_are_read() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let large = directory.path().join("a");
    fs::File::create(&large)
        .and_then(|file| file.set_len(Division::MOST_PIECES * 2 + 1))
        .expect("a sparse file");
    fs::write(directory.path().join("b"), b"abc").expect("written");
    let (records, summary) = run(cut(every(2), options(2, &["crc32"])), [path(directory.path())]);
    let Outcome::Failed(failure) = records[0].outcome else { panic!("{:?}", records[0]) };
    assert_eq!((failure.operation, records[0].digested_bytes), (Operation::Divide, 0));
    assert_eq!(
        failure.to_string(),
        "has more than 4194304 pieces, whose digests are kept in memory; use larger pieces"
    );
    assert_eq!(records[1].pieces.as_ref().map(|pieces| pieces.count()), Some(2));
    assert_eq!((summary.files, summary.failed), (1, 1));
}

#[test]
fn a_stream_of_too_many_pieces_fails_when_there_are_too_many() {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    let feeding = std::thread::spawn(move || {
        let zeros = vec![0; 1 << 16];
        // The reader goes away when it has had enough.
        while std::io::Write::write_all(&mut writer, &zeros).is_ok() {}
    });
    let name = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader));
    let options = cut(every(1), options(1, &["crc32"]));
    let (records, _) = run(options, [path(name.as_ref())]);
    let Outcome::Failed(failure) = records[0].outcome else { panic!("{:?}", records[0]) };
    assert_eq!(failure.operation, Operation::Divide);
    drop(reader);
    feeding.join().expect("the writer ends");
}

#[test]
fn a_stream_is_divided_to_its_end() {
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    let bytes = content(1, 3 * MIB + 11);
    let sent = bytes.clone();
    let feeding = std::thread::spawn(move || std::io::Write::write_all(&mut writer, &sent).expect("taken"));
    let name = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader));
    let division = every(MIB);
    let (records, _) = run(cut(division, options(2, &["sha256"])), [path(name.as_ref())]);
    feeding.join().expect("the writer ends");
    let made = Made::new(name, bytes);
    assert_divided(&records[0], &made, &algorithms(&["sha256"]), division.expect("given"));
}

#[test]
fn a_file_of_many_pieces_is_read_for_each_of_its_names() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let files = make_files(directory.path(), &[40_000]);
    for number in 0..50 {
        fs::hard_link(&files[0].path, directory.path().join(format!("link {number:02}")))
            .expect("a hard link");
    }
    let (records, summary) = run(cut(every(100), options(2, &["md5"])), [path(directory.path())]);
    assert_eq!((records.len(), summary.origin.read_bytes()), (51, 51 * 40_000));
    for record in &records {
        let made = Made::new(record.path.as_path(), files[0].bytes.clone());
        assert_divided(record, &made, &algorithms(&["md5"]), every(100).expect("given"));
    }
}

#[test]
fn pieces_wait_for_a_sink_that_is_slow() {
    struct Slow(u64);

    impl hashlane_engine::Sink for Slow {
        fn record(&mut self, record: Record) -> hashlane_engine::Taken {
            std::thread::sleep(std::time::Duration::from_millis(1));
            self.0 += record.pieces.map_or(0, |pieces| pieces.count());
            Ok(())
        }
    }

    let directory = tempfile::tempdir().expect("a temporary directory");
    // 16 MiB of digests each.
    make_files(directory.path(), &[1 << 18; 12]);
    let options = cut(every(1), options(3, &["sha512"]));
    let mut slow = Slow(0);
    let inputs = [path(directory.path())].into_iter();
    let control = std::sync::Arc::new(hashlane_engine::Control::new());
    let summary = watched("a run", || hashlane_engine::run(options, inputs, &mut slow, &control));
    assert_eq!((summary.expect("it ends").files, slow.0), (12, 12 << 18));
}
