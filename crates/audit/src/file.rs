//! What is stated about one file: by a manifest, by a reading, by an audit.

use hashlane_digest::Digest;
use hashlane_record::{Dispute, Outcome, Timestamp};

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
    /// The same, but the store of the file keeps the checksum of another content. It is compared with what is known under its name
    /// ([`crate::Comparison::verdict_on`]) and never passes. It is not looked for under other names.
    Disputed(&'a [Digest], Dispute),
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
    /// The digests and how they were read, or the verdict on a file without content.
    pub(crate) fn content(self) -> Result<(&'a [Digest], Outcome), Verdict> {
        match self {
            Self::Read(digests) => Ok((digests, Outcome::Read)),
            Self::Disputed(digests, dispute) => Ok((digests, Outcome::Disputed(dispute))),
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
