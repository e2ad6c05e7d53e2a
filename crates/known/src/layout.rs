//! How an index lies in its file.
//!
//! ```text
//! pages            4096 bytes each: contents, zeros, CRC-32C of the page's number (8 bytes) and of all before it (4 bytes)
//!   header         magic
//!   names          for each record: length (LEB128), bytes; only where names are kept
//!   for each algorithm:
//!     rows         in ascending order, as many to a page as it has room for
//!     directory    the first 8 bytes of each page's first digest, big-endian as they stand
//! description      JSON: sets, tables, and the pages where they are
//! tail             length of the description (u32), its CRC-32C, magic (16 bytes)
//! ```
//!
//! Numbers are little-endian where nothing else is said. Each part begins with a page of its own, right behind the last one;
//! names and directories go on from page to page without gaps. So every byte is of a page, of the description or of the tail, and
//! what reads it can tell whether it is as it was written.
//!
//! A row is the digest, the number of its set (1 byte), and, where names are kept, where the name begins (6 bytes,
//! big-endian). Rows are unique; without names digests are. A page is what a lookup reads: a SHA-256 takes 33.1 bytes without a
//! name and 39.5 with the place of one.

use hashlane_digest::{Algorithm, MAX_DIGEST_LENGTH};
use serde::{Deserialize, Serialize};

use crate::pages::{CHECKSUM_BYTES, ROOM_BYTES, pages_of};

/// Begins and ends an index, of any version.
pub(crate) const MAGIC: [u8; 16] = *b"hashlane-known\0\x01";

/// The layout that is described above.
pub(crate) const VERSION: u32 = 2;

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

impl Description {
    /// How many pages there are, the header included; `None` unless each part begins where the one before it ends. `algorithms` are
    /// those of the tables.
    pub(crate) fn pages(&self, algorithms: &[Algorithm]) -> Option<u64> {
        let mut end = 1_u64;
        let mut part = |page, pages| {
            let begins = page == end;
            end = end.checked_add(pages)?;
            begins.then_some(())
        };
        if let Some(names) = self.names {
            part(names.page, pages_of(names.bytes))?;
        }
        for (table, &algorithm) in self.tables.iter().zip(algorithms) {
            let rows_of_page = rows_of_page(row_bytes(algorithm, self.names.is_some()));
            let pages = table.rows.div_ceil(rows_of_page as u64);
            part(table.page, pages)?;
            let Section { page, bytes } = table.directory;
            if pages.checked_mul(PREFIX_BYTES as u64) != Some(bytes) {
                return None;
            }
            part(page, pages_of(bytes))?;
        }
        Some(end)
    }
}

/// A set that went into an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetDescription {
    /// What it is called.
    pub name: String,
    /// How many records it had.
    pub records: u64,
}

/// Bytes that lie in pages without gaps.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Section {
    /// The first page.
    pub(crate) page: u64,
    pub(crate) bytes: u64,
}

/// The digests of one algorithm.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TableDescription {
    pub(crate) algorithm: String,
    pub(crate) rows: u64,
    /// Whether every record had a digest of this algorithm.
    pub(crate) complete: bool,
    /// The first page of its rows.
    pub(crate) page: u64,
    pub(crate) directory: Section,
}

/// The length of a row.
pub(crate) fn row_bytes(algorithm: Algorithm, names: bool) -> usize {
    algorithm.length() + SET_BYTES + if names { NAME_BYTES } else { 0 }
}

/// How many rows a page has.
pub(crate) fn rows_of_page(row_bytes: usize) -> usize {
    ROOM_BYTES / row_bytes
}

/// The first bytes of a row, as a number that sorts as they do. A digest that is shorter is followed by zeros: its row goes on
/// with the number of the set, which is not part of the order that lookups rely on.
pub(crate) fn prefix(digest: &[u8]) -> u64 {
    let mut bytes = [0; PREFIX_BYTES];
    let length = digest.len().min(PREFIX_BYTES);
    bytes[..length].copy_from_slice(&digest[..length]);
    u64::from_be_bytes(bytes)
}
