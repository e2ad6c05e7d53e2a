//! What a writer writes, a reader reads back equal; or the writer refused.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::num::NonZeroU64;

use hashlane_digest::{Algorithm, Digest, Notation};
use hashlane_manifest::{Error, Format, Header, Item, Piecewise, ReadOptions, Reader, WriteOptions, Writer};
use hashlane_record::{
    Cause, Dispute, Division, Facts, Failure, Instability, ItemPath, ObjectState, Obstacle, Operation,
    Origin, Outcome, Pieces, Record, Timestamp,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

/// Names of every kind that a file system allows, the awkward ones more often than chance would have them.
fn name() -> impl Strategy<Value = ItemPath> {
    let byte = prop_oneof![
        select(b"\n\r\\\"',()=*# /%{}:\t\x7f\x1b".to_vec()),
        select("aé日\u{1f600}".as_bytes().to_vec()),
        1..=255_u8,
    ];
    let awkward = select(vec![
        &b"# hashlane root: x"[..],
        b"%%%% HASHDEEP-1.0",
        b"a) = 00",
        b"\\",
        b"\r",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b" ",
        b"=1+1",
        b"{\"schema\":\"hashlane-manifest\"}",
    ]);
    prop_oneof![
        4 => vec(byte, 1..24).prop_map(ItemPath::from),
        1 => awkward.prop_map(ItemPath::from),
        1 => "[a-z/]{1,40}".prop_map(|name| ItemPath::from(&name[..])),
    ]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let change = select(vec![Instability::Shrank, Instability::Grew, Instability::Modified]);
    let operation = select(vec![
        Operation::List,
        Operation::Open,
        Operation::Read,
        Operation::Stat,
        Operation::FromMedium,
        Operation::Divide,
    ]);
    let obstacle = select(Obstacle::ALL.to_vec());
    let cause = prop_oneof![
        any::<i32>().prop_map(Cause::System),
        obstacle.prop_map(Cause::Obstacle),
        any::<u16>().prop_map(Cause::Remote),
    ];
    prop_oneof![
        6 => Just(Outcome::Read),
        1 => change.prop_map(Outcome::Unstable),
        1 => (any::<bool>(), any::<u64>()).prop_map(|(is_read_twice, offset_bytes)| {
            Outcome::Disputed(Dispute { is_read_twice, offset_bytes })
        }),
        2 => (operation, cause, any::<u64>()).prop_map(|(operation, cause, offset_bytes)| {
            Outcome::Failed(Failure { operation, cause, offset_bytes })
        }),
    ]
}

/// Digests of the pieces of a file of this size, or of its beginning, of any content.
fn pieces(size: u64, kind: (u8, u64), algorithms: &[Algorithm], content: [u8; 8]) -> Option<Box<Pieces>> {
    let (kind, seed) = kind;
    let (piece_bytes, end) = match kind {
        0 => (512, 512),
        1 => (seed, seed),
        // Up to 300 pieces.
        _ => ((size / (1 + seed % 300)).max(1), size),
    };
    let piece_bytes = NonZeroU64::new(piece_bytes)?;
    if end > size || kind < 2 && end == size {
        return None;
    }
    let digest = |algorithm: &Algorithm, number: u64| {
        algorithm.digest(&[&content[..], &number.to_le_bytes()].concat()).as_bytes().to_vec()
    };
    let count = end.div_ceil(piece_bytes.get());
    let column = |algorithm: &Algorithm| {
        (*algorithm, (0..count).flat_map(|number| digest(algorithm, number)).collect::<Vec<u8>>())
    };
    Pieces::new(piece_bytes, end, algorithms.iter().map(column).collect()).map(Box::new)
}

/// Some files are objects, and some of those have a version.
fn state(content: [u8; 8]) -> Option<Box<ObjectState>> {
    let (etag, version) = (format!("\"{:02x}\\", content[1]), format!("{}ü", content[2]));
    let is_object = content[3].is_multiple_of(2);
    let has_version = is_object && content[3].is_multiple_of(4);
    ObjectState::new(is_object.then_some(&etag), has_version.then_some(&version)).map(Box::new)
}

fn records(algorithms: Vec<Algorithm>) -> impl Strategy<Value = (Vec<Algorithm>, Vec<Record>)> {
    let size = prop_oneof![1..=u64::MAX, 1..2000_u64];
    let kind = proptest::option::of((0..5_u8, 0..2000_u64));
    let one = (name(), outcome(), size, any::<i64>(), 0..1_000_000_000_u32, any::<[u8; 8]>(), kind);
    let record = {
        let algorithms = algorithms.clone();
        one.prop_map(move |(path, outcome, size_bytes, seconds, nanos, content, kind)| {
            let modified = Timestamp { seconds, nanos };
            let facts = Facts {
                size_bytes,
                modified,
                changed: modified,
                accessed: modified,
                device: 1,
                // Some have none, and some a number of all 64 bits.
                inode: u64::from_le_bytes(content) >> (content[0] % 65).min(63) & !u64::from(content[4] % 2),
                links: 1,
            };
            let failed = matches!(outcome, Outcome::Failed(_));
            // What a mapped file lost while it was read leaves nothing to digest.
            let lost = matches!(outcome, Outcome::Unstable(_)) && content[0] % 2 == 0;
            let digests = algorithms.iter().map(|algorithm| algorithm.digest(&content));
            let has_pieces = !failed && !lost;
            let kind = kind.filter(|_| has_pieces);
            Record {
                number: 0,
                path,
                outcome,
                facts: (!failed).then_some(facts),
                digests: if failed || lost { Vec::new() } else { digests.collect() },
                pieces: kind.and_then(|kind| pieces(size_bytes, kind, &algorithms, content)),
                digested_bytes: size_bytes,
                origin: Origin::default(),
                medium: Default::default(),
                state: state(content),
                tag: Box::default(),
            }
        })
    };
    (Just(algorithms), vec(record, 0..8))
}

fn some_algorithms() -> impl Strategy<Value = Vec<Algorithm>> {
    let all: Vec<_> = Algorithm::all().collect();
    let count = all.len();
    prop_oneof![subsequence(all.clone(), 1..=2).prop_shuffle(), subsequence(all, 1..=count).prop_shuffle(),]
}

/// The pieces of a record that a format has a place for.
fn held_pieces(record: &Record, format: Format) -> Option<Box<Pieces>> {
    let pieces = record.pieces.clone()?;
    let size = record.facts.map(|facts| facts.size_bytes);
    let is_beginning = record.outcome == Outcome::Read && size.is_some_and(|size| pieces.end() < size);
    let division = if is_beginning { Division::Beginning } else { Division::Every };
    Some(pieces).filter(|pieces| format.holds_pieces(division(pieces.piece_bytes())))
}

/// What a reader of `format` should say of a record.
fn expected(record: &Record, format: Format, algorithms: &[Algorithm], with_inodes: bool) -> Item {
    let rich = matches!(format.name(), "jsonl" | "csv" | "dfxml" | "mhl" | "parquet");
    let rich = rich || format.name() == "checkm";
    let sized = rich || matches!(format.name(), "hashdeep" | "md5deep-sizes" | "triage");
    let mut digests = record.digests.clone();
    if format.name() == "hashdeep" {
        let order = ["md5", "sha1", "sha256", "tiger", "whirlpool"];
        let place = |name| order.iter().position(|&known| known == name).unwrap_or(order.len());
        let given = |digest: &Digest| algorithms.iter().position(|&known| known == digest.algorithm());
        digests.sort_by_key(|digest| (place(digest.algorithm().name()), given(digest)));
    }
    Item {
        line: 0,
        path: record.path.clone(),
        size: record.facts.map(|facts| facts.size_bytes).filter(|_| sized),
        modified: record.facts.map(|facts| facts.modified).filter(|_| rich),
        digests,
        outcome: match format.name() {
            "jsonl" | "parquet" => Some(record.outcome),
            // It says nothing of what was read.
            "dfxml" => Some(record.outcome).filter(|outcome| *outcome != Outcome::Read),
            _ => None,
        },
        pieces: held_pieces(record, format),
        state: record.state.clone().filter(|_| format.name() == "jsonl"),
        inode: record.facts.and_then(|facts| NonZeroU64::new(facts.inode)).filter(|_| with_inodes),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(
        (algorithms, records) in some_algorithms().prop_flat_map(records),
        roots in vec(name(), 0..4),
        cwd in name(),
        started: Option<(i64, u32)>,
        file_systems in vec(any::<u64>(), 0..3),
        format in select(Format::all().collect::<Vec<_>>()),
        zero: bool,
        with_header: bool,
        strict_hashdeep: bool,
        name_format: bool,
    ) {
        let started =
            started.map(|(seconds, nanos)| Timestamp { seconds: seconds >> 8, nanos: nanos % 1_000_000_000 });
        let header = Header {
            program: "hashlane 0".to_owned(),
            command: b"sum \n x".to_vec(),
            cwd,
            roots: roots.clone(),
            started,
            file_systems: file_systems.iter().copied().filter_map(NonZeroU64::new).collect(),
            shard: None,
            superuser: zero,
        };
        let zero = zero && format.can_end_with_nul();
        let options = WriteOptions { zero, header: with_header.then_some(header), strict_hashdeep, pieces: None };
        let many = algorithms.len() > 1;
        let mut writer = match Writer::new(format, &algorithms, &options, Vec::new()) {
            Ok(writer) => writer,
            Err(Error::OneAlgorithmOnly { .. }) => {
                prop_assert!(many && !format.holds_many_algorithms());
                return Ok(());
            }
            Err(Error::ReadOnly { .. }) => {
                prop_assert!(!format.can_be_written());
                return Ok(());
            }
            Err(Error::NoNameFor { algorithm, .. }) => {
                let notation = match format.name() {
                    "multihash" => Notation::Multihash,
                    "ni" => Notation::NamedInformation,
                    _ => Notation::SubresourceIntegrity,
                };
                prop_assert!(!notation.has(algorithm));
                return Ok(());
            }
            Err(Error::OnlyOneKind { .. }) => {
                prop_assert!(format.name() == "sfv" && algorithms[0].name() != "crc32");
                return Ok(());
            }
            Err(Error::DigestTooShort { .. }) => {
                let is_list = format.name().starts_with("md5deep") || format.name() == "triage";
                prop_assert!(is_list && algorithms[0].length() < 16);
                return Ok(());
            }
            Err(Error::NotInHashdeep { .. }) => {
                prop_assert!(strict_hashdeep && format.name() == "hashdeep");
                return Ok(());
            }
            Err(Error::NotInMhl { .. }) => {
                prop_assert_eq!(format.name(), "mhl");
                return Ok(());
            }
            Err(Error::HeaderNotHeld { .. }) => {
                prop_assert!(with_header && ["ace", "csv"].contains(&format.name()));
                return Ok(());
            }
            Err(error) => panic!("{error}"),
        };
        let with_inodes = with_header && started.is_some() && ["jsonl", "dfxml", "parquet"].contains(&format.name());
        prop_assert_eq!(writer.has_inodes(), with_inodes);
        let mut accepted = Vec::new();
        for record in &records {
            match writer.numbered_record(record) {
                Ok(()) => accepted.push(expected(record, format, &algorithms, with_inodes)),
                Err(Error::NotRead { .. }) => {
                    let holds_failures = matches!(format.name(), "jsonl" | "dfxml" | "parquet");
                    prop_assert!(!holds_failures && record.outcome != Outcome::Read);
                }
                Err(Error::ValueNotHeld { .. }) => {
                    let offset = match record.outcome {
                        Outcome::Failed(failure) => failure.offset_bytes,
                        _ => 0,
                    };
                    let facts = record.facts;
                    let largest = facts.map_or(0, |facts| facts.size_bytes).max(offset);
                    let micros = facts.map_or(Some(0), |facts| facts.modified.seconds.checked_mul(1_000_000));
                    let is_far = micros.is_none_or(|micros| micros > i64::MAX - 1_000_000);
                    prop_assert!(format.name() == "parquet" && (largest > i64::MAX as u64 || is_far));
                }
                Err(Error::NoBeginning { .. }) => prop_assert_eq!(format.name(), "triage"),
                Err(Error::NameNotHeld { .. }) => {
                    let name = record.path.as_bytes();
                    let bad_end = match format.name() {
                        "hashdeep" => strict_hashdeep && name.ends_with(b"\r"),
                        "md5deep-sizes" | "md5deep-csv" | "triage" | "ace" => name.ends_with(b"\r"),
                        "sfv" => {
                            name.last().unwrap().is_ascii_whitespace()
                                || [b';', b'#', 0xef, 0xfe, 0xff].contains(&name[0])
                        }
                        "mhl" => String::from_utf8_lossy(name).chars().any(|letter| {
                            let is_space = matches!(letter, '\t' | '\n' | '\r');
                            letter < ' ' && !is_space || "\u{fffd}\u{fffe}\u{ffff}".contains(letter)
                        }),
                        "bagit" => {
                            std::str::from_utf8(name).is_err() || [b' ', b'\t', b'*'].contains(&name[0])
                        }
                        _ => panic!("{format} refuses {:?}", record.path),
                    };
                    prop_assert!(bad_end || format.name() != "bagit" && name.contains(&b'\n'));
                }
                Err(error) => panic!("{error}"),
            }
        }
        let text = writer.finish().unwrap();
        let untagged = !format.holds_many_algorithms() && !with_header;
        let options = ReadOptions {
            format: name_format.then_some(format),
            algorithm: untagged.then(|| algorithms[0]),
            zero,
            file_name: match format.name() {
                "sfv" => Some(b"list.sfv"),
                "bagit" => Some(b"tagmanifest-md5.txt"),
                _ => None,
            },
            ..ReadOptions::default()
        };
        let begins = matches!(format.name(), "hashdeep" | "csv" | "dfxml" | "mhl" | "parquet") || with_header && format.name() == "jsonl";
        let nothing = accepted.is_empty() && !begins;
        let reader = match Reader::open(&text[..], &options) {
            Err(Error::Empty) if nothing => return Ok(()),
            // Its first line alone is no more than a word and a colon.
            Err(Error::UnknownFormat { .. }) if nothing && format.name() == "ace" => return Ok(()),
            other => other.unwrap(),
        };
        prop_assert_eq!(reader.format(), format);
        let said = if with_header { &roots[..] } else { &[] };
        prop_assert_eq!(reader.header_roots(), said);
        if with_header && format.holds_inodes() {
            let read: Vec<_> = reader.header_file_systems().iter().map(|name| name.get()).collect();
            prop_assert_eq!(read, file_systems.iter().copied().filter(|name| *name != 0).collect::<Vec<_>>());
        }
        let says_when = with_header && format.name() != "hashdeep";
        prop_assert_eq!(reader.header_started(), started.filter(|_| says_when));
        if format.name() == "parquet" {
            accepted.sort_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
        }
        let merged = adjacent_names_differ(&accepted);
        let by_name = format.piecewise() == Some(Piecewise::ByName);
        let mut read: Vec<_> = match by_name {
            true => reader.merged().pieced().map(|item| Item { line: 0, ..item.unwrap() }).collect(),
            false => reader.merged().map(|item| Item { line: 0, ..item.unwrap() }).collect(),
        };
        for item in accepted.iter_mut().chain(&mut read).filter(|_| by_name) {
            // One piece alone does not say how long others would be, and columns have the order of the lines.
            item.pieces = item.pieces.take().map(|pieces| {
                let mut columns = pieces.columns().to_vec();
                columns.sort_by_key(|(algorithm, _)| algorithm.name());
                let bytes = NonZeroU64::new(pieces.piece_bytes().get().min(pieces.end())).unwrap();
                Box::new(Pieces::new(bytes, pieces.end(), columns).unwrap())
            });
        }
        if merged {
            prop_assert_eq!(read, accepted);
        }
    }

    #[test]
    fn no_input_does_harm(
        start in select(vec![
            &b""[..],
            b"%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n",
            b"path,sha256\n",
            b"{\"schema\":\"hashlane-manifest\",\"version\":1",
            b"\xff\xfe",
            b"<dfxml><fileobject><filename>",
            b"MD5 (",
            b"PAR1",
            b"\\",
        ]),
        rest in vec(
            prop_oneof![select(b"\n\r\\\",()=*# {}:[]<>&;/?!-0123456789abcdef\0".to_vec()), any::<u8>()],
            0..200,
        ),
        format in prop_oneof![Just(None), select(Format::all().map(Some).collect::<Vec<_>>())],
        zero: bool,
    ) {
        let text = [start, &rest].concat();
        if let Ok(reader) = Reader::open(&text[..], &ReadOptions { format, zero, ..ReadOptions::default() }) {
            prop_assert!(reader.take(1000).count() <= text.len());
        }
    }
}

/// Whether no two items in a row have one name, so that merging is the identity.
fn adjacent_names_differ(items: &[Item]) -> bool {
    items.windows(2).all(|pair| pair[0].path != pair[1].path)
}
