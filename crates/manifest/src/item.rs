//! One line of a manifest, understood.

use std::num::NonZeroU64;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{Division, ItemPath, ObjectState, Outcome, Pieces, Timestamp};

use crate::pieces::division;
use crate::problem::ProblemKind;

/// What a manifest says of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// Number of the line on which it begins, from 1.
    pub line: u64,
    /// The name.
    pub path: ItemPath,
    /// Size in bytes, where the format holds it.
    pub size: Option<u64>,
    /// Time of the last change of the content, where the format holds it.
    pub modified: Option<Timestamp>,
    /// The digests, in the order of the line; each algorithm at most once. Of what was read none are missing,
    /// but where only pieces are listed ([`crate::Pieced`]).
    pub digests: Vec<Digest>,
    /// How the reading ended, where the format holds it (jsonl). `None` means read completely, as far as is
    /// known.
    pub outcome: Option<Outcome>,
    /// The digests of its pieces, where the format holds them. If there are no others, the file ends where
    /// they do.
    pub pieces: Option<Box<Pieces>>,
    /// Which state of an object was read, where the format holds that (jsonl).
    pub state: Option<Box<ObjectState>>,
    /// The number of the file on its device, where the format holds it, and whoever made the list knew that the file keeps it.
    pub inode: Option<NonZeroU64>,
}

impl Item {
    /// How much of the file its pieces are of; `None` if it has none.
    pub fn division(&self) -> Option<Division> {
        let pieces = self.pieces.as_deref()?;
        division(pieces, self.size, self.outcome).ok()
    }

    /// An item with a name and digests only.
    pub(crate) fn of_digest(line: u64, path: ItemPath, digest: Digest) -> Self {
        Self { line, path, digests: vec![digest], ..Self::default() }
    }
}

/// Takes away the digests that were not asked for.
pub(crate) fn keep_wanted(digests: &mut Vec<Digest>, wanted: Option<Algorithm>) {
    if let Some(wanted) = wanted {
        digests.retain(|digest| digest.algorithm() == wanted);
    }
}

/// Adds a digest to those of a file.
pub(crate) fn add_digest(digests: &mut Vec<Digest>, digest: Digest) -> Result<(), ProblemKind> {
    let algorithm = digest.algorithm();
    if digests.iter().any(|other| other.algorithm() == algorithm) {
        return Err(ProblemKind::DuplicateDigest { algorithm });
    }
    digests.push(digest);
    Ok(())
}
