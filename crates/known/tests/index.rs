//! The index against a plain map, and against damage.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write as _;

use hashlane_digest::{Algorithm, Digest};
use hashlane_known::{Builder, Error, Index, Judgement};
use proptest::prelude::*;

/// The least that a builder works with.
const MEMORY: usize = 0;

fn named(name: &str) -> Algorithm {
    Algorithm::named(name).expect("a registered name")
}

/// A digest whose bytes are mostly the same, so that pages begin alike.
fn alike(algorithm: Algorithm, content: u16) -> Digest {
    let mut bytes = vec![0x5a; algorithm.length()];
    let end = bytes.len();
    bytes[end - 2..].copy_from_slice(&content.to_be_bytes());
    Digest::new(algorithm, &bytes).unwrap()
}

fn build(records: &[(&[u8], Vec<Digest>)], algorithms: &[Algorithm], names: bool) -> File {
    let mut builder = Builder::new(tempfile::tempfile().unwrap(), algorithms, names, MEMORY).unwrap();
    let set = builder.set("a set").unwrap();
    for (name, digests) in records {
        builder.add(set, name, digests).unwrap();
    }
    builder.finish().unwrap()
}

fn file_of(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_went_in_is_found_and_nothing_else(
        contents in proptest::collection::vec(0_u16..600, 0..900),
        asked in proptest::collection::vec(0_u16..700, 0..100),
        names: bool,
        is_alike: bool,
    ) {
        let algorithms = [named("sha256"), named("md5")];
        let digest = |algorithm: Algorithm, content: u16| {
            if is_alike { alike(algorithm, content) } else { algorithm.digest(&content.to_le_bytes()) }
        };
        let digests = |content: u16| algorithms.map(|algorithm| digest(algorithm, content)).to_vec();
        let all_names: Vec<Vec<u8>> = (0..contents.len()).map(|number| format!("name {number}").into_bytes()).collect();
        let records: Vec<(&[u8], Vec<Digest>)> =
            all_names.iter().zip(&contents).map(|(name, &content)| (name.as_slice(), digests(content))).collect();
        let index = Index::new(build(&records, &algorithms, names)).unwrap();
        index.verify().unwrap();
        // The first name of each content is the one that is reported.
        let mut expected = BTreeMap::new();
        for (name, content) in all_names.iter().zip(&contents) {
            expected.entry(*content).or_insert(name.clone());
        }
        for content in asked {
            match (index.judge(&digests(content)).unwrap(), expected.get(&content)) {
                (Judgement::Known(found), Some(name)) => {
                    prop_assert_eq!(index.name(&found).unwrap(), names.then(|| name.clone()));
                    prop_assert_eq!(&index.sets()[usize::from(found.set)].name, "a set");
                }
                (Judgement::Unknown, None) => {}
                (judgement, name) => prop_assert!(false, "{judgement:?}, {name:?}"),
            }
        }
        let table = index.table(algorithms[0]).unwrap();
        prop_assert_eq!(table.rows(), if names { contents.len() } else { expected.len() } as u64);
        let listed: BTreeSet<_> = index.rows(table).map(|row| row.unwrap().0.to_string()).collect();
        let wanted: BTreeSet<_> = expected.keys().map(|&content| digest(algorithms[0], content).to_string()).collect();
        prop_assert_eq!(listed, wanted);
    }
}

#[test]
fn a_content_that_is_known_in_one_algorithm_only_is_a_collision() {
    let (md5, sha256) = (named("md5"), named("sha256"));
    let record = vec![md5.digest(b"a"), sha256.digest(b"a")];
    let index = Index::new(build(&[(b"a", record)], &[md5, sha256], true)).unwrap();
    let judged = index.judge(&[md5.digest(b"a"), sha256.digest(b"b")]).unwrap();
    assert!(
        matches!(judged, Judgement::Collision { found, other } if found.algorithm == md5 && other == sha256)
    );
    let judged = index.judge(&[named("sha1").digest(b"a")]).unwrap();
    assert_eq!(judged, Judgement::NotComparable);
}

#[test]
fn what_some_records_lack_proves_nothing_by_being_missing() {
    let (md5, sha256) = (named("md5"), named("sha256"));
    let records: [(&[u8], _); 2] =
        [(b"a", vec![md5.digest(b"a")]), (b"b", vec![md5.digest(b"b"), sha256.digest(b"b")])];
    let index = Index::new(build(&records, &[md5, sha256], true)).unwrap();
    let judged = index.judge(&[md5.digest(b"a"), sha256.digest(b"a")]).unwrap();
    assert!(matches!(judged, Judgement::Known(found) if found.algorithm == md5));
}

#[test]
fn other_files_and_other_versions_are_named_for_what_they_are() {
    let error = Index::new(file_of(&[b'x'; 4096])).unwrap_err();
    assert!(error.to_string().starts_with("not an index of known contents"), "{error}");
    let error = Index::new(file_of(b"")).unwrap_err();
    assert!(matches!(error, Error::NotAnIndex));
    // The description is where every version has it.
    const MAGIC: &[u8] = b"hashlane-known\0\x01";
    for (version, found) in [("1", 1), ("3", 3)] {
        let text = format!(r#"{{"version":{version},"sets":[],"names":null,"tables":[]}}"#);
        let mut checksum = named("crc32c").digest(text.as_bytes()).as_bytes().to_vec();
        checksum.reverse();
        let length = u32::try_from(text.len()).unwrap().to_le_bytes();
        let file = [MAGIC, text.as_bytes(), &length, &checksum, MAGIC].concat();
        let error = Index::new(file_of(&file)).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("an index of version {found}, but this program reads version 2; build it again")
        );
    }
}

#[test]
fn a_sha_256_takes_forty_bytes_at_most_beside_its_name() {
    let sha256 = named("sha256");
    for names in [false, true] {
        let mut builder = Builder::new(tempfile::tempfile().unwrap(), &[sha256], names, MEMORY).unwrap();
        let set = builder.set("numbers").unwrap();
        let count = 20_000_u32;
        for number in 0..count {
            builder.add(set, b"", &[sha256.digest(&number.to_le_bytes())]).unwrap();
        }
        let file = builder.finish().unwrap();
        // Names that are empty take a byte each.
        let bytes = file.metadata().unwrap().len() - if names { u64::from(count) } else { 0 };
        assert!(bytes < u64::from(count) * 40, "{} bytes a digest", bytes as f64 / f64::from(count));
        Index::new(file).unwrap().verify().unwrap();
    }
}

#[test]
fn names_of_any_bytes_and_lengths_come_back() {
    let md5 = named("md5");
    let names: Vec<Vec<u8>> = [0, 1, 126, 127, 128, 129, 5000, 70_000]
        .map(|length| vec![b'\xff'; length])
        .into_iter()
        .chain([b"a\nb\0".to_vec()])
        .collect();
    let records: Vec<(&[u8], Vec<Digest>)> =
        names.iter().map(|name| (name.as_slice(), vec![md5.digest(name)])).collect();
    let index = Index::new(build(&records, &[md5], true)).unwrap();
    for name in &names {
        let found = index.find(&md5.digest(name)).unwrap().unwrap();
        assert_eq!(index.name(&found).unwrap().as_ref(), Some(name));
    }
}
