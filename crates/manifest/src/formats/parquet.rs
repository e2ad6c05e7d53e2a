//! Parquet: one row for each file, with the columns and field ids of [`COLUMNS`], and one column for each algorithm.
//!
//! The columns are described in `docs/formats.md`. A name is bytes, a digest has a fixed length, no type is unsigned, and what
//! a row lacks is null. So a table holds all that an object of jsonl does, but for the digests of pieces.
//!
//! A table is read from its end, where its columns and their places are listed. A run that was killed leaves none; one that
//! was broken off writes it, and says so there ([`BROKEN_OFF`]).

use std::sync::Arc;

use hashlane_digest::Algorithm;
use parquet::basic::{LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::errors::ParquetError;
use parquet::schema::types::{Type, TypePtr};

use super::{parquet_parser, parquet_renderer};
use crate::format::Spec;

/// The bytes that a table begins and ends with.
pub(super) const MAGIC: &[u8] = b"PAR1";

/// The keys of what a table says of itself: of the schema the name and the version, of the run the header as the
/// objects of jsonl, and whether it came to its end.
pub(super) const SCHEMA_KEY: &str = "hashlane.schema";
pub(super) const VERSION_KEY: &str = "hashlane.version";
pub(super) const HEADER_KEY: &str = "hashlane.header";
pub(super) const BROKEN_OFF: &str = "hashlane.broken_off";

/// The version of the schema.
pub(super) const VERSION: &str = "1";

pub(crate) const SPEC: Spec = Spec {
    name: "parquet",
    shape: "binary: a table with the columns path, size_bytes, mtime, sha256, …",
    many_algorithms: true,
    zero: false,
    detected_by: "its first five bytes",
    by_first_line: true,
    sizes: true,
    times: true,
    pieces: None,
    known_set: false,
    // By its bytes, before they are cut into lines.
    recognizes: |_| false,
    parser: parquet_parser::parser,
    renderer: Some(parquet_renderer::renderer),
};

/// How much of a manifest tells whether it is a table of Parquet, in bytes.
pub const TABLE_MARK_BYTES: usize = MAGIC.len() + 1;

/// What stands behind the mark in every table: the beginning of a page, of a filter or of the metadata. No text has it.
const FIRST_FIELD: u8 = 0x15;

/// Whether a manifest that begins like this is a table of Parquet, which is read from its end.
pub fn is_table(text: &[u8]) -> bool {
    text.strip_prefix(MAGIC).is_some_and(|rest| rest.first() == Some(&FIRST_FIELD))
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Path,
    Size,
    /// Whole microseconds since 1970, which all programs know.
    Modified,
    /// The nanoseconds beyond them, 0 to 999.
    ModifiedNanos,
    Outcome,
    Change,
    Operation,
    Errno,
    Status,
    Obstacle,
    Offset,
    Error,
    Digest(Algorithm),
}

/// All columns but those of digests: their names, and their field ids, which are never given anew.
const COLUMNS: [(Column, &str, i32); 12] = [
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
];

/// The field ids of digests: the place in this list, from 101. New algorithms come at its end.
const DIGESTS: [&str; 25] = [
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
];
const FIRST_DIGEST: i32 = 101;

impl Column {
    /// The columns of a table, in their order.
    pub(super) fn all(algorithms: &[Algorithm]) -> Vec<Self> {
        let digests = algorithms.iter().map(|&algorithm| Self::Digest(algorithm));
        COLUMNS.iter().map(|(column, ..)| *column).chain(digests).collect()
    }

    /// The column of this name. Others than ours are no error: a table may have them.
    pub(super) fn named(name: &str) -> Option<Self> {
        let known = COLUMNS.iter().find(|(_, known, _)| *known == name).map(|(column, ..)| *column);
        known.or_else(|| Algorithm::named(name).map(Self::Digest))
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Digest(algorithm) => algorithm.name(),
            column => COLUMNS.iter().find(|(known, ..)| *known == column).map_or("", |(_, name, _)| name),
        }
    }

    fn field_id(self) -> Option<i32> {
        match self {
            Self::Digest(algorithm) => {
                let place = DIGESTS.iter().position(|name| *name == algorithm.name())?;
                Some(FIRST_DIGEST + i32::try_from(place).ok()?)
            }
            column => COLUMNS.iter().find(|(known, ..)| *known == column).map(|(_, _, id)| *id),
        }
    }

    fn field(self) -> Result<TypePtr, ParquetError> {
        let time = LogicalType::timestamp(true, TimeUnit::MICROS);
        let (physical, logical) = match self {
            Self::Path => (Physical::BYTE_ARRAY, None),
            Self::Size | Self::Offset => (Physical::INT64, None),
            Self::Modified => (Physical::INT64, Some(time)),
            Self::ModifiedNanos | Self::Errno | Self::Status => (Physical::INT32, None),
            Self::Outcome | Self::Change | Self::Operation | Self::Obstacle | Self::Error => {
                (Physical::BYTE_ARRAY, Some(LogicalType::String))
            }
            Self::Digest(_) => (Physical::FIXED_LEN_BYTE_ARRAY, None),
        };
        let is_path = self == Self::Path;
        let field = Type::primitive_type_builder(self.name(), physical)
            .with_repetition(if is_path { Repetition::REQUIRED } else { Repetition::OPTIONAL })
            .with_logical_type(logical)
            .with_id(self.field_id());
        let field = match self {
            Self::Digest(algorithm) => field.with_length(i32::try_from(algorithm.length())?),
            _ => field,
        };
        Ok(Arc::new(field.build()?))
    }
}

/// The schema of a table with these columns.
pub(super) fn schema(columns: &[Column]) -> Result<TypePtr, ParquetError> {
    let fields = columns.iter().map(|column| column.field()).collect::<Result<_, _>>()?;
    Ok(Arc::new(Type::group_type_builder("manifest").with_fields(fields).build()?))
}

/// What the library says, without the words that it puts before.
pub(super) fn told(error: &ParquetError) -> String {
    match error {
        ParquetError::General(what) | ParquetError::NYI(what) | ParquetError::EOF(what) => what.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_field_id_of_its_own() {
        let algorithms: Vec<_> = Algorithm::all().collect();
        let mut ids: Vec<_> = Column::all(&algorithms)
            .into_iter()
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
        for column in Column::all(&Algorithm::all().collect::<Vec<_>>()) {
            assert_eq!(Column::named(column.name()), Some(column));
        }
        assert_eq!(Column::named("owner"), None);
    }
}
