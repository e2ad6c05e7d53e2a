//! How an index lies in its file.
//!
//! ```text
//! magic            16 bytes
//! names            for each record: length (LEB128), bytes; only where names are kept
//! for each algorithm:
//!   pages          4096 bytes each: rows in ascending order, zeros, CRC-32C of all before it (4 bytes)
//!   directory      the first 8 bytes of each page's first digest, big-endian as they stand
//! description      JSON: sets, tables, where they are, checksums of directories and names
//! tail             length of the description (u32, little-endian), its CRC-32C, magic (16 bytes)
//! ```
//!
//! A row is the digest, the number of its set (1 byte), and, where names are kept, where the name begins (6 bytes,
//! big-endian). Rows are unique; without names digests are. A page is what a lookup reads and what a checksum is for: a
//! SHA-256 takes 33.1 bytes without a name and 39.5 with the place of one.

use hashlane_digest::{Algorithm, Digest, MAX_DIGEST_LENGTH};
use serde::{Deserialize, Serialize};

/// Begins and ends an index.
pub(crate) const MAGIC: [u8; 16] = *b"hashlane-known\0\x01";

/// The layout that is described above.
pub(crate) const VERSION: u32 = 1;

/// Bytes of a page.
pub(crate) const PAGE_BYTES: usize = 4096;

/// Bytes of a checksum.
pub(crate) const CHECKSUM_BYTES: usize = 4;

/// Bytes of the number of a set in a row.
pub(crate) const SET_BYTES: usize = 1;

/// Bytes of the place of a name in a row.
pub(crate) const NAME_BYTES: usize = 6;

/// The longest row.
pub(crate) const MAX_ROW_BYTES: usize = MAX_DIGEST_LENGTH + SET_BYTES + NAME_BYTES;

/// Most sets in one index.
pub(crate) const MAX_SETS: usize = 256;

/// Bytes of a page's entry in the directory: as much of its first digest.
pub(crate) const PREFIX_BYTES: usize = 8;

/// Bytes behind the description.
pub(crate) const TAIL_BYTES: usize = 4 + CHECKSUM_BYTES + MAGIC.len();

/// The longest description that is believed: 256 sets with long names and a table for every algorithm take less.
pub(crate) const MAX_DESCRIPTION_BYTES: usize = 4 << 20;

/// What an index says of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Description {
    pub(crate) version: u32,
    pub(crate) sets: Vec<SetDescription>,
    /// Where names lie; `None` if none were kept.
    pub(crate) names: Option<Section>,
    pub(crate) tables: Vec<TableDescription>,
}

/// A set that went into an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetDescription {
    /// What it is called.
    pub name: String,
    /// How many records it had.
    pub records: u64,
}

/// Part of the file.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Section {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) crc32c: u32,
}

/// The digests of one algorithm.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TableDescription {
    pub(crate) algorithm: String,
    pub(crate) rows: u64,
    /// Whether every record had a digest of this algorithm.
    pub(crate) complete: bool,
    /// Where its pages begin.
    pub(crate) pages: u64,
    pub(crate) directory: Section,
}

/// The length of a row.
pub(crate) fn row_bytes(algorithm: Algorithm, names: bool) -> usize {
    algorithm.length() + SET_BYTES + if names { NAME_BYTES } else { 0 }
}

/// How many rows a page has.
pub(crate) fn rows_of_page(row_bytes: usize) -> usize {
    (PAGE_BYTES - CHECKSUM_BYTES) / row_bytes
}

/// The first bytes of a row, as a number that sorts as they do. A digest that is shorter is followed by zeros: its row goes on
/// with the number of the set, which is no part of the order that lookups rely on.
pub(crate) fn prefix(digest: &[u8]) -> u64 {
    let mut bytes = [0; PREFIX_BYTES];
    let length = digest.len().min(PREFIX_BYTES);
    bytes[..length].copy_from_slice(&digest[..length]);
    u64::from_be_bytes(bytes)
}

/// The checksum that the index is believed by.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    number(&crc32c().digest(bytes))
}

/// The algorithm of that checksum, where it is computed piece by piece.
pub(crate) fn crc32c() -> Algorithm {
    Algorithm::named("crc32c").expect("crc32c is registered")
}

/// A CRC-32C as a number.
pub(crate) fn number(digest: &Digest) -> u32 {
    digest.as_bytes().iter().fold(0, |number, &byte| number << 8 | u32::from(byte))
}
