//! Audits with lists that have digests of pieces only, as `hashdeep -p` writes them.
//!
//! An audit compares whole contents. For such a list, the content of a file is the digest of the digests of all its pieces: equal exactly
//! if all pieces are equal, and as small as any other digest. It can be compared only with its like, so a list that also has digests of
//! whole files is refused.

use std::num::NonZeroU64;

use hashlane_digest::Digest;
use hashlane_manifest::Item;
use hashlane_record::{Division, Pieces, Record};

/// Why an entry does not fit those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unlike {
    /// Its pieces differ in length from those of others.
    #[error("lists pieces of {bytes} bytes, but others have {first}; audit them separately")]
    PieceLength {
        /// Length of its pieces in bytes.
        bytes: u64,
        /// Length in bytes of the pieces listed first.
        first: u64,
    },
    /// Some entries have digests of whole files, and others of pieces only.
    #[error("lists whole files, and pieces of files without a digest of the whole; audit them separately")]
    WholesAndPieces,
}

/// What the lists have.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kind {
    /// Digests of whole files.
    has_whole: bool,
    /// Files without them.
    has_pieces: bool,
    /// Bytes of a piece, where a file has several.
    piece_bytes: Option<NonZeroU64>,
    /// Bytes of the longest only piece of a file.
    longest: u64,
}

impl Kind {
    /// The digests that stand for a listed content, and its size where the pieces tell it.
    ///
    /// # Errors
    /// It does not go with what was listed before.
    pub(crate) fn content(&mut self, item: &Item) -> Result<(Vec<Digest>, Option<u64>), Unlike> {
        let pieces = item.pieces.as_deref().filter(|_| item.digests.is_empty());
        let Some(pieces) = pieces else {
            // The digest of nothing is that of no digests as well.
            let is_of_nothing = |digest: &Digest| *digest == digest.algorithm().digest(b"");
            self.has_whole = self.has_whole || !item.digests.iter().all(is_of_nothing);
            return self.checked((item.digests.clone(), item.size));
        };
        self.has_pieces = true;
        if pieces.count() > 1 {
            self.piece_bytes.get_or_insert(pieces.piece_bytes());
        }
        self.longest = self.longest.max(pieces.extent(0).map_or(0, |extent| extent.length));
        if let Some(first) = self.piece_bytes {
            let bytes = if pieces.count() > 1 { pieces.piece_bytes().get() } else { self.longest };
            if bytes > first.get() || pieces.count() > 1 && (bytes != first.get() || self.longest > bytes) {
                return Err(Unlike::PieceLength { bytes, first: first.get() });
            }
        }
        self.checked((of_pieces(pieces), Some(pieces.end())))
    }

    fn checked<T>(self, content: T) -> Result<T, Unlike> {
        if self.has_whole && self.has_pieces {
            return Err(Unlike::WholesAndPieces);
        }
        Ok(content)
    }

    /// How the files that are there are to be divided; `None`: not at all.
    pub(crate) fn division(self) -> Option<Division> {
        self.has_pieces.then(|| Division::Every(self.piece_bytes.unwrap_or(NonZeroU64::MAX)))
    }
}

/// The digests that stand for the content of a file that was read in pieces.
pub(crate) fn of_record(record: &Record) -> Vec<Digest> {
    // What is empty has no piece; what is not longer than one is its only piece.
    let only = if record.digested_bytes == 0 { 0 } else { usize::MAX };
    let of_whole = |digest: &Digest| {
        let bytes = digest.as_bytes();
        digest.algorithm().digest(&bytes[..only.min(bytes.len())])
    };
    match &record.pieces {
        Some(pieces) => of_pieces(pieces),
        None => record.digests.iter().map(of_whole).collect(),
    }
}

fn of_pieces(pieces: &Pieces) -> Vec<Digest> {
    pieces.columns().iter().map(|(algorithm, column)| algorithm.digest(column)).collect()
}
