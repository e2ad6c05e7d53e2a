//! Parquet: one row for each file, with the columns and field ids of [`crate::columns`].
//!
//! The columns are described in `docs/formats.md`. A name is bytes, a digest has a fixed length, no type is unsigned, and what
//! a row lacks is null. So a table holds all that an object of jsonl does, but for the digests of pieces.
//!
//! A table is read from its end, where its columns and their places are listed. A run that was killed leaves none; one that
//! was broken off writes it, and says so there ([`BROKEN_OFF`]).

mod deltas;
pub(crate) mod pages;
pub(crate) mod parser;
mod renderer;

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::errors::ParquetError;
use parquet::schema::types::{Type, TypePtr};

use crate::columns::Column;
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
    detected_by: "its first five bytes",
    by_first_line: true,
    sizes: true,
    times: true,
    // By its bytes, before they are cut into lines.
    recognizes: |_| false,
    renderer: Some(renderer::renderer),
    ..Spec::read_by(parser::parser)
};

/// How much of a manifest shows whether it is a table of Parquet, in bytes.
pub const TABLE_MARK_BYTES: usize = MAGIC.len() + 4;

/// What a structure begins with: a page, a filter or the metadata. No text has it.
pub(crate) const FIRST_FIELD: u8 = 0x15;

/// Whether what follows the magic number is a part of a table: a structure or, where the part is encrypted, its length of less than 16 MiB.
pub(crate) fn begins_with_part(rest: &[u8]) -> bool {
    matches!(rest, [FIRST_FIELD, ..] | [_, _, _, 0, ..])
}

/// Whether a manifest that begins like this is a table of Parquet, which is read from its end.
pub fn is_table(text: &[u8]) -> bool {
    text.strip_prefix(MAGIC).is_some_and(begins_with_part)
}

impl Column {
    fn field(self) -> Result<TypePtr, ParquetError> {
        let time = LogicalType::timestamp(true, TimeUnit::MICROS);
        let (physical, logical) = match self {
            Self::Path => (Physical::BYTE_ARRAY, None),
            Self::Size | Self::Offset | Self::Inode => (Physical::INT64, None),
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
