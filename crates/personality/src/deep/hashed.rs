//! What is known of a file, or of a piece of one, when a line is made of it.

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::Timestamp;

/// A file or a piece of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hashed<'a> {
    /// Its name as it is printed, without `-u`.
    pub(super) name: &'a [u8],
    /// Its size in bytes.
    pub(super) size: u64,
    /// Its digests in the order of the columns; none if it was too large.
    pub(super) digests: &'a [Digest],
    /// Where it begins in its file, if it is a piece.
    pub(super) offset: Option<u64>,
    pub(super) modified: Option<Timestamp>,
    pub(super) changed: Option<Timestamp>,
    pub(super) accessed: Option<Timestamp>,
    /// Size of the whole file, and digest of its beginning (`-Z`).
    pub(super) triage: Option<(u64, Digest)>,
    pub(super) is_stdin: bool,
}

impl<'a> Hashed<'a> {
    /// An empty file without digests.
    pub(super) fn named(name: &'a [u8]) -> Self {
        Self {
            name,
            size: 0,
            digests: &[],
            offset: None,
            modified: None,
            changed: None,
            accessed: None,
            triage: None,
            is_stdin: false,
        }
    }

    /// Appends a digest in hexadecimal, or stars if there is none.
    pub(super) fn push_digest(&self, column: usize, algorithm: Algorithm, line: &mut Vec<u8>) {
        match self.digests.get(column) {
            Some(digest) => digest.write_text(line),
            None => line.extend(std::iter::repeat_n(b'*', 2 * algorithm.length())),
        }
    }

    /// Where a piece lies, as it stands behind its name; nothing for a file.
    pub(super) fn stretch(&self) -> String {
        match self.offset {
            None => String::new(),
            Some(offset) => format!(" offset {offset}-{}", (offset + self.size).saturating_sub(1)),
        }
    }

    /// The name under which a list has it: that of a piece says where it lies.
    pub(super) fn listed_name(&self) -> Vec<u8> {
        [self.name, self.stretch().as_bytes()].concat()
    }
}
