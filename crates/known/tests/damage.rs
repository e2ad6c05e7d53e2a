//! Damage of every kind to a whole index: none goes unnoticed.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::FileExt as _;

use hashlane_digest::{Algorithm, Digest};
use hashlane_known::{Builder, Error, Index, Judgement};

/// How many contents the index has: enough for two pages of rows, of names, and a name that goes over both.
const RECORDS: u32 = 100;

fn sha512() -> Algorithm {
    Algorithm::SHA512
}

fn content(number: u32) -> Digest {
    sha512().digest(&number.to_le_bytes())
}

fn name(number: u32) -> Vec<u8> {
    format!("a name that is long enough for a second page: {number}").into_bytes()
}

/// An index with names, and its bytes.
fn whole() -> (File, Vec<u8>) {
    let mut builder = Builder::new(tempfile::tempfile().unwrap(), &[sha512()], true, 0).unwrap();
    let set = builder.set("a set").unwrap();
    for number in 0..RECORDS {
        builder.add(set, &name(number), &[content(number)]).unwrap();
    }
    let mut file = builder.finish().unwrap();
    let mut bytes = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    (file, bytes)
}

/// Asks for a content that is in the index and for one that is not. An error is an answer that cannot mislead; whether there was one.
fn ask(index: &Index, number: u32) -> bool {
    let known = index.judge(&[content(number)]).map(|judged| match judged {
        Judgement::Known(found) => index.name(&found).map(|found| assert_eq!(found, Some(name(number)))),
        other => panic!("{number} is {other:?}"),
    });
    let other = index.judge(&[content(RECORDS + number)]);
    assert!(!matches!(other, Ok(ref other) if *other != Judgement::Unknown), "{other:?}");
    !matches!(known, Ok(Ok(()))) || other.is_err()
}

/// Whether opening the index or reading all of it finds damage; and whatever it finds, no answer is wrong.
fn is_noticed(file: &File, asked: impl Iterator<Item = u32>) -> bool {
    let index = match Index::new(file.try_clone().unwrap()) {
        Ok(index) => index,
        Err(Error::NotAnIndex | Error::Damaged { .. }) => return true,
        Err(other) => panic!("{other}"),
    };
    let verified = index.verify();
    assert!(matches!(verified, Ok(()) | Err(Error::Damaged { .. })), "{verified:?}");
    let failed = asked.map(|number| ask(&index, number)).filter(|&failed| failed).count();
    assert!(failed == 0 || verified.is_err(), "a lookup failed of what was verified");
    verified.is_err()
}

#[test]
fn no_bit_of_an_index_changes_unnoticed() {
    let (file, bytes) = whole();
    assert!(bytes.len() > 6 * 4096, "{}", bytes.len());
    assert!(!is_noticed(&file, 0..RECORDS), "it is whole");
    let mut unnoticed = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        for bit in 0..8 {
            file.write_all_at(&[byte ^ 1 << bit], at as u64).unwrap();
            // All contents are asked for with one bit of every fourth byte, some with each.
            let step = if bit * 4 == at % 32 { 1 } else { 37 };
            let asked = (at as u32 % step..RECORDS).step_by(step as usize);
            unnoticed += u32::from(!is_noticed(&file, asked));
        }
        file.write_all_at(&[byte], at as u64).unwrap();
    }
    println!("{} bits, {unnoticed} unnoticed", bytes.len() * 8);
    assert_eq!(unnoticed, 0);
    assert!(!is_noticed(&file, 0..RECORDS), "it is whole again");
}

#[test]
fn an_index_of_any_other_length_is_refused() {
    let (file, bytes) = whole();
    for length in (0..bytes.len() as u64).rev() {
        file.set_len(length).unwrap();
        let error = Index::new(file.try_clone().unwrap()).unwrap_err();
        assert!(matches!(error, Error::NotAnIndex | Error::Damaged { .. }), "{length}: {error}");
    }
    for more in [&b"\0"[..], &bytes[..16], &bytes] {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[&bytes, more].concat()).unwrap();
        let error = Index::new(file).unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{} more: {error}", more.len());
    }
}

#[test]
fn an_index_that_is_cut_short_while_it_is_open_fails_and_misleads_nobody() {
    let (file, bytes) = whole();
    let index = Index::new(file.try_clone().unwrap()).unwrap();
    for length in (0..bytes.len() as u64).rev().step_by(97) {
        file.set_len(length).unwrap();
        for number in (0..RECORDS).step_by(7) {
            ask(&index, number);
        }
    }
    assert!(matches!(index.verify(), Err(Error::Damaged { .. })));
}

#[test]
fn a_page_that_took_the_place_of_another_is_noticed() {
    let (file, bytes) = whole();
    let pages: BTreeMap<usize, &[u8]> = bytes.chunks_exact(4096).enumerate().collect();
    for (&one, page) in &pages {
        for (&other, of_other) in &pages {
            if one == other {
                continue;
            }
            file.write_all_at(page, 4096 * other as u64).unwrap();
            assert!(is_noticed(&file, 0..RECORDS), "page {one} in place of {other}");
            file.write_all_at(of_other, 4096 * other as u64).unwrap();
        }
    }
    assert!(!is_noticed(&file, 0..RECORDS), "it is whole again");
}
