//! The set of known files, searched as hashdeep searches it: by digest, the one of the same name first, else
//! the first that was loaded.
//!
//! Invariants: a record is found at once however many share its digest or its name; what was found counts as
//! used.

use std::hash::BuildHasher as _;
use std::hash::RandomState;

use hashbrown::HashTable;
use hashlane_digest::{Algorithm, Digest};

/// Known files.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The algorithms that any record has, each once.
    algorithms: Vec<Algorithm>,
    tables: Vec<Tables>,
    records: Vec<KnownRecord>,
    /// Names and digests of all records, one after the other.
    bytes: Vec<u8>,
    /// Which algorithms a record has: sets that differ are few.
    columns: Vec<Vec<usize>>,
    random: RandomState,
}

/// Where the records with a digest of one algorithm are.
#[derive(Debug, Default)]
struct Tables {
    /// The first record of each digest.
    first: HashTable<u32>,
    /// The first record of each digest and name.
    named: HashTable<u32>,
}

#[derive(Debug)]
struct KnownRecord {
    start: u64,
    size: u64,
    name_length: u32,
    columns: u16,
    used: bool,
}

/// How a file compares with the known ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Digests, size and name are those of a known file.
    Same(usize),
    /// Digests and size are.
    Renamed(usize),
    /// Digests are, the size is not.
    OtherSize(usize),
    /// One digest is, another is not.
    Partial(usize),
    /// No digest is known.
    New,
}

/// A file to be looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    pub(super) name: &'a [u8],
    pub(super) size: u64,
    pub(super) digests: &'a [Digest],
    /// Names are the same if they differ in the case of ASCII letters only.
    pub(super) ignore_case: bool,
}

/// There are more records than can be counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooMany;

impl Known {
    /// Adds a record. One without digests is never found.
    pub(super) fn add(&mut self, name: &[u8], size: u64, digests: &[Digest]) -> Result<(), TooMany> {
        let index = u32::try_from(self.records.len()).map_err(|_| TooMany)?;
        let name_length = u32::try_from(name.len()).map_err(|_| TooMany)?;
        let columns = digests.iter().map(|digest| self.place(digest.algorithm())).collect();
        let columns = self.columns(columns)?;
        let start = self.bytes.len() as u64;
        self.bytes.extend_from_slice(name);
        for digest in digests {
            self.bytes.extend_from_slice(digest.as_bytes());
        }
        self.records.push(KnownRecord { start, size, name_length, columns, used: false });
        for digest in digests {
            self.enter(index, digest, name);
        }
        Ok(())
    }

    /// Number of records.
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether every record was found at least once.
    pub(super) fn are_all_used(&self) -> bool {
        self.records.iter().all(|record| record.used)
    }

    /// The names of those that were not.
    pub(super) fn unused(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.records.len()).filter(|&index| !self.records[index].used).map(|index| self.name(index))
    }

    /// The name of a record.
    pub(super) fn name(&self, index: usize) -> &[u8] {
        let record = &self.records[index];
        &self.bytes[record.start as usize..][..record.name_length as usize]
    }

    /// The record of this digest, that of the same name if there is one.
    pub(super) fn find(&mut self, digest: &Digest, name: &[u8]) -> Option<usize> {
        let column = self.algorithms.iter().position(|&algorithm| algorithm == digest.algorithm())?;
        let tables = &self.tables[column];
        let is_it = |&index: &u32| self.digest(index as usize, column) == Some(digest.as_bytes());
        let named = |index: &u32| is_it(index) && self.name(*index as usize) == name;
        let found = tables
            .named
            .find(self.random.hash_one((digest.as_bytes(), name)), named)
            .or_else(|| tables.first.find(self.random.hash_one(digest.as_bytes()), is_it));
        let index = *found? as usize;
        self.records[index].used = true;
        Some(index)
    }

    /// Compares a file with the known ones, as hashdeep does: the first of its digests that is known decides
    /// with which.
    pub(super) fn compare(&mut self, wanted: &Wanted<'_>) -> Verdict {
        let found = wanted.digests.iter().find_map(|digest| self.find(digest, wanted.name));
        let Some(index) = found else { return Verdict::New };
        let disagrees = |digest: &Digest| {
            let column = self.algorithms.iter().position(|&algorithm| algorithm == digest.algorithm());
            let known = column.and_then(|column| self.digest(index, column));
            known.is_some_and(|known| known != digest.as_bytes())
        };
        let name = self.name(index);
        let same_name =
            if wanted.ignore_case { name.eq_ignore_ascii_case(wanted.name) } else { name == wanted.name };
        match () {
            () if wanted.digests.iter().any(disagrees) => Verdict::Partial(index),
            () if self.records[index].size != wanted.size => Verdict::OtherSize(index),
            () if same_name => Verdict::Same(index),
            () => Verdict::Renamed(index),
        }
    }

    /// The place of an algorithm, which it gets if it has none.
    fn place(&mut self, algorithm: Algorithm) -> usize {
        self.algorithms.iter().position(|&known| known == algorithm).unwrap_or_else(|| {
            self.algorithms.push(algorithm);
            self.tables.push(Tables::default());
            self.algorithms.len() - 1
        })
    }

    fn columns(&mut self, columns: Vec<usize>) -> Result<u16, TooMany> {
        let place = self.columns.iter().position(|known| *known == columns).unwrap_or_else(|| {
            self.columns.push(columns);
            self.columns.len() - 1
        });
        u16::try_from(place).map_err(|_| TooMany)
    }

    /// Puts a record into the tables, where no earlier one has its place.
    fn enter(&mut self, index: u32, digest: &Digest, name: &[u8]) {
        let column = self.place(digest.algorithm());
        let mut tables = std::mem::take(&mut self.tables[column]);
        let of = |index: &u32| self.digest(*index as usize, column).unwrap_or_default();
        let name_of = |index: &u32| self.name(*index as usize);
        let same = |other: &u32| of(other) == digest.as_bytes();
        let hash = self.random.hash_one(digest.as_bytes());
        if tables.first.find(hash, same).is_none() {
            tables.first.insert_unique(hash, index, |index| self.random.hash_one(of(index)));
        }
        let hash = self.random.hash_one((digest.as_bytes(), name));
        if tables.named.find(hash, |other| same(other) && name_of(other) == name).is_none() {
            let rehash = |index: &u32| self.random.hash_one((of(index), name_of(index)));
            tables.named.insert_unique(hash, index, rehash);
        }
        self.tables[column] = tables;
    }

    /// The digest of a record, if it has one of that algorithm.
    fn digest(&self, index: usize, column: usize) -> Option<&[u8]> {
        let record = &self.records[index];
        let mut at = record.start as usize + record.name_length as usize;
        for &held in &self.columns[usize::from(record.columns)] {
            let length = self.algorithms[held].length();
            if held == column {
                return Some(&self.bytes[at..at + length]);
            }
            at += length;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digests(content: &[u8]) -> Vec<Digest> {
        ["md5", "sha256"].map(|name| Algorithm::named(name).expect("a name").digest(content)).into()
    }

    fn wanted<'a>(name: &'a str, size: u64, digests: &'a [Digest]) -> Wanted<'a> {
        Wanted { name: name.as_bytes(), size, digests, ignore_case: false }
    }

    #[test]
    fn of_several_with_one_digest_that_of_the_same_name_is_taken_else_the_first() {
        let mut known = Known::default();
        let of = digests(b"x");
        for name in ["a", "b", "b"] {
            known.add(name.as_bytes(), 1, &of).unwrap();
        }
        assert_eq!(known.compare(&wanted("b", 1, &of)), Verdict::Same(1));
        assert_eq!(known.compare(&wanted("c", 1, &of)), Verdict::Renamed(0));
        assert_eq!(known.unused().collect::<Vec<_>>(), [b"b"]);
        assert!(!known.are_all_used());
    }

    #[test]
    fn size_case_and_each_digest_count() {
        let mut known = Known::default();
        let (one, other) = (digests(b"one"), digests(b"other"));
        known.add(b"Name", 3, &one).unwrap();
        assert_eq!(known.compare(&wanted("Name", 4, &one)), Verdict::OtherSize(0));
        assert_eq!(known.compare(&wanted("name", 3, &one)), Verdict::Renamed(0));
        let ignoring = Wanted { ignore_case: true, ..wanted("name", 3, &one) };
        assert_eq!(known.compare(&ignoring), Verdict::Same(0));
        assert_eq!(known.compare(&wanted("Name", 3, &[one[0], other[1]])), Verdict::Partial(0));
        assert_eq!(known.compare(&wanted("Name", 3, &[other[0], one[1]])), Verdict::Partial(0));
        assert_eq!(known.compare(&wanted("Name", 3, &other)), Verdict::New);
        assert_eq!(known.compare(&wanted("Name", 3, &one[1..])), Verdict::Same(0));
    }

    #[test]
    fn a_record_without_digests_is_never_found() {
        let mut known = Known::default();
        known.add(b"nothing", 0, &[]).unwrap();
        assert_eq!(known.compare(&wanted("nothing", 0, &digests(b""))), Verdict::New);
        assert_eq!((known.len(), known.are_all_used()), (1, false));
    }
}
