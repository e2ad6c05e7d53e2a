//! What is stated about one file: by a manifest, by a reading, by an audit.

use hashlane_digest::Digest;
use hashlane_record::Timestamp;

use crate::entry::Entry;
use crate::verdict::{Unchecked, Verdict};

/// What a manifest states about one file.
#[derive(Clone, Copy, Debug)]
pub struct KnownFile<'a> {
    /// The name.
    pub path: &'a [u8],
    /// Size in bytes, if it is known.
    pub size: Option<u64>,
    /// Time of the last change of the content, if it is known. It distinguishes corrupt files from changed ones.
    pub modified: Option<Timestamp>,
    /// The digests, one for each algorithm. There may be none.
    pub digests: &'a [Digest],
}

/// A file in its present state.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The name.
    pub path: &'a [u8],
    /// Size in bytes, if it is known.
    pub size: Option<u64>,
    /// Time of the last change of the content, if it is known.
    pub modified: Option<Timestamp>,
    /// The result of reading it.
    pub reading: Reading<'a>,
}

/// The result of reading a file.
#[derive(Clone, Copy, Debug)]
pub enum Reading<'a> {
    /// Its digests, one for each algorithm. Those of algorithms that no known file has are not kept.
    Read(&'a [Digest]),
    /// None that anybody vouches for, because the store of the file keeps the checksum of another content. The caller has compared it
    /// with what is known ([`crate::Comparison::verdict_on`]), and this is the verdict.
    Disputed(Verdict),
    /// None: it could not be read.
    Unreadable,
    /// None: it changed while it was read.
    Unstable,
    /// None: a rule of the caller excludes it from judgement.
    Ignored,
    /// None: it was not read, for a reason.
    NotChecked(Unchecked),
}

/// Size and digests of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Size in bytes, if it is known.
    pub size: Option<u64>,
    /// Time of the last change of the content, if it is known.
    pub modified: Option<Timestamp>,
    /// Digests in the order of [`crate::Known::algorithms`].
    pub digests: Vec<Digest>,
}

impl<'a> Reading<'a> {
    /// The digests, or the verdict on a file without content.
    pub(crate) fn digests(self) -> Result<&'a [Digest], Verdict> {
        match self {
            Self::Read(digests) => Ok(digests),
            Self::Disputed(verdict) => Err(verdict),
            Self::Unreadable => Err(Verdict::Unreadable),
            Self::Unstable => Err(Verdict::Unstable),
            Self::Ignored => Err(Verdict::Ignored),
            Self::NotChecked(reason) => Err(Verdict::NotChecked(reason)),
        }
    }
}

impl Content {
    pub(crate) fn of(entry: &Entry<'_>) -> Self {
        Self { size: entry.size, modified: entry.modified, digests: entry.digests() }
    }
}
