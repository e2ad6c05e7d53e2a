//! Why a file was not read, or a directory not searched.

use hashlane_record::{Dispute, Failure, Instability, Outcome, Record};

use crate::confined::{Confined, Refused};
use crate::extras::Unsearched;
use crate::judge::Disputed;
use crate::out_of_place::OutOfPlace;

/// Why a file was not read, or a directory not searched.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem<'a> {
    /// It changed while it was read.
    #[error("{0}")]
    Unstable(Instability),
    /// The system refused.
    #[error("{0}")]
    Failed(Failure),
    /// It was read, and its store keeps a checksum of another content.
    #[error("{0}")]
    OtherChecksum(Dispute),
    /// The same, and what was read was compared with what is expected.
    #[error("{0}")]
    Disputed(Disputed),
    /// It is not below the base, or is not a file.
    #[error("{0}")]
    Refused(Refused),
    /// It is none of what is looked at: an object among files, say.
    #[error("{0}")]
    OutOfPlace(OutOfPlace),
    /// It is standard input, which a list or another entry has already used.
    #[error("standard input can be read only once")]
    StandardInputTaken,
    /// It is a pipe, socket or device, which an audit does not read.
    #[error("is a pipe, socket or device, which an audit does not read")]
    Special,
    /// It is a directory that could not be searched.
    #[error("{0}")]
    Unsearched(&'a Unsearched),
}

impl Problem<'_> {
    /// The problem with reading a file, if any. `has_base`: it was read below one.
    pub fn of(record: &Record, has_base: bool) -> Option<Self> {
        Self::of_outcome(record.outcome, has_base)
    }

    /// The same, of how the reading ended.
    pub(crate) fn of_outcome(outcome: Outcome, has_base: bool) -> Option<Self> {
        match outcome {
            Outcome::Read => None,
            Outcome::Unstable(what) => Some(Self::Unstable(what)),
            Outcome::Disputed(dispute) => Some(Self::OtherChecksum(dispute)),
            Outcome::Failed(failure) => {
                let refused = Confined::refused(failure).filter(|_| has_base);
                Some(refused.map_or(Self::Failed(failure), Self::Refused))
            }
        }
    }
}
