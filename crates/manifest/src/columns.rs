//! A manifest as a table: its columns, and what stands in them of one file.
//!
//! Owns names, field ids and words, so that a table is the same whoever makes it: a file of Parquet, or batches of Arrow in memory.

use hashlane_digest::Algorithm;
use hashlane_record::{Outcome, Record, Timestamp};

use crate::words;

/// A column of a manifest as a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Column {
    /// The name, as bytes.
    Path,
    /// The size in bytes.
    Size,
    /// When the content was last changed: whole microseconds since 1970, which all programs know.
    Modified,
    /// The nanoseconds beyond them, 0 to 999.
    ModifiedNanos,
    /// How the reading ended, in one word.
    Outcome,
    /// What moved while the file was read, in one word.
    Change,
    /// What failed, in one word.
    Operation,
    /// The system's number of the error.
    Errno,
    /// The status that a store answered with.
    Status,
    /// Why the file was not read where nothing refused it, in one word.
    Obstacle,
    /// The offset at which it failed, in bytes.
    Offset,
    /// What went wrong, as text.
    Error,
    /// The number of the file on its device, as 64 bits without a sign.
    Inode,
    /// The digest by an algorithm.
    Digest(Algorithm),
}

/// All columns but those of digests: their names, and their field ids, which are never given anew.
const COLUMNS: [(Column, &str, i32); 13] = [
    (Column::Path, "path", 1),
    (Column::Size, "size_bytes", 2),
    (Column::Modified, "mtime", 3),
    (Column::ModifiedNanos, "mtime_nanos", 4),
    (Column::Outcome, "outcome", 5),
    (Column::Change, "change", 6),
    (Column::Operation, "operation", 7),
    (Column::Errno, "errno", 8),
    (Column::Status, "status", 9),
    (Column::Obstacle, "obstacle", 10),
    (Column::Offset, "offset_bytes", 11),
    (Column::Error, "error", 12),
    (Column::Inode, "inode", 13),
];

/// The field ids of digests: the place in this list, from 101. New algorithms come at its end.
const DIGESTS: [&str; 36] = [
    "md4",
    "md5",
    "sha1",
    "sha224",
    "sha256",
    "sha384",
    "sha512",
    "sha512-256",
    "sha3-256",
    "sha3-512",
    "blake2b",
    "blake2b-256",
    "blake2s",
    "blake3",
    "sm3",
    "ripemd160",
    "tiger",
    "whirlpool",
    "xxh64",
    "xxh3",
    "xxh128",
    "crc32",
    "crc32c",
    "crc64nvme",
    "xor32",
    "sha512-224",
    "sha3-224",
    "sha3-384",
    "xxh32",
    "shake128",
    "shake256",
    "blake2b-384",
    "blake2b-224",
    "blake2b-160",
    "blake2b-128",
    "c4",
];
const FIRST_DIGEST: i32 = 101;

impl Column {
    /// The columns of a table, in their order. Lists that say when they were made have [`Self::Inode`] besides.
    pub fn all(algorithms: &[Algorithm]) -> Vec<Self> {
        let digests = algorithms.iter().map(|&algorithm| Self::Digest(algorithm));
        let others = COLUMNS.iter().map(|(column, ..)| *column).filter(|column| *column != Self::Inode);
        others.chain(digests).collect()
    }

    /// The column of this name. Others than ours are no error: a table may have them.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let known = COLUMNS.iter().find(|(_, known, _)| *known == name).map(|(column, ..)| *column);
        known.or_else(|| Algorithm::named(name).map(Self::Digest))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Digest(algorithm) => algorithm.name(),
            column => COLUMNS.iter().find(|(known, ..)| *known == column).map_or("", |(_, name, _)| name),
        }
    }

    /// The number that is its field id in Parquet, whatever columns there are besides. A digest by an algorithm that is not registered
    /// has none.
    pub fn field_id(self) -> Option<i32> {
        match self {
            Self::Digest(algorithm) => {
                let place = DIGESTS.iter().position(|name| *name == algorithm.name())?;
                Some(FIRST_DIGEST + i32::try_from(place).ok()?)
            }
            column => COLUMNS.iter().find(|(known, ..)| *known == column).map(|(_, _, id)| *id),
        }
    }
}

/// How the reading of a file ended, in the words and numbers of the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended(Outcome);

impl Ended {
    /// That of an outcome.
    pub fn new(outcome: Outcome) -> Self {
        Self(outcome)
    }

    /// Of [`Column::Outcome`].
    pub fn outcome(self) -> &'static str {
        match self.0 {
            Outcome::Read => words::READ,
            Outcome::Unstable(_) => words::UNSTABLE,
            Outcome::Disputed(_) | Outcome::Failed(_) => words::FAILED,
        }
    }

    /// Of [`Column::Change`].
    pub fn change(self) -> Option<&'static str> {
        match self.0 {
            Outcome::Unstable(change) => Some(words::name_in(&words::CHANGES, change)),
            _ => None,
        }
    }

    /// Of [`Column::Operation`].
    pub fn operation(self) -> Option<&'static str> {
        Some(self.failed()?.operation)
    }

    /// Of [`Column::Errno`].
    pub fn errno(self) -> Option<i32> {
        self.cause(words::ERRNO)?.ok()
    }

    /// Of [`Column::Status`].
    pub fn status(self) -> Option<i32> {
        self.cause(words::STATUS)?.ok()
    }

    /// Of [`Column::Obstacle`].
    pub fn obstacle(self) -> Option<&'static str> {
        self.cause(words::OBSTACLE)?.err()
    }

    /// Of [`Column::Offset`].
    pub fn offset_bytes(self) -> Option<u64> {
        Some(self.failed()?.offset_bytes)
    }

    /// Of [`Column::Error`].
    pub fn error(self) -> Option<String> {
        match self.0 {
            Outcome::Unstable(change) => Some(change.to_string()),
            _ => Some(self.failed()?.error),
        }
    }

    fn failed(self) -> Option<words::Failed> {
        words::Failed::of(self.0)
    }

    fn cause(self, kind: &str) -> Option<Result<i32, &'static str>> {
        let (known, value) = self.failed()?.cause;
        (known == kind).then_some(value)
    }
}

/// The size of a file that was read, as all formats list it.
pub fn size_bytes(record: &Record) -> Option<u64> {
    match (record.outcome, record.facts) {
        // A pipe or a device has no size of its own: what was digested counts.
        (Outcome::Read, None) => Some(record.digested_bytes),
        (Outcome::Read, Some(facts)) if facts.size_bytes == 0 => Some(record.digested_bytes),
        (_, facts) => facts.map(|facts| facts.size_bytes),
    }
}

/// A time as [`Column::Modified`] and [`Column::ModifiedNanos`] have it. `None` for one that 64 bits do not hold.
pub fn micros(time: Timestamp) -> Option<(i64, i32)> {
    let micros = time.seconds.checked_mul(1_000_000)?.checked_add(i64::from(time.nanos / 1_000))?;
    Some((micros, (time.nanos % 1_000) as i32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_field_id_of_its_own() {
        let algorithms: Vec<_> = Algorithm::all().collect();
        let mut ids: Vec<_> = Column::all(&algorithms)
            .into_iter()
            .chain([Column::Inode])
            .map(|column| column.field_id().unwrap_or_else(|| panic!("{column:?} needs a field id")))
            .collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
        assert_eq!(Column::named("sha256").and_then(Column::field_id), Some(105), "ids stay");
        assert_eq!(Column::named("xor32").and_then(Column::field_id), Some(125), "ids stay");
    }

    #[test]
    fn columns_are_found_by_their_names() {
        for column in Column::all(&Algorithm::all().collect::<Vec<_>>()).into_iter().chain([Column::Inode]) {
            assert_eq!(Column::named(column.name()), Some(column));
        }
        assert_eq!(Column::named("owner"), None);
    }
}
