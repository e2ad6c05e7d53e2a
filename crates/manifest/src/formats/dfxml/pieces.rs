//! The digests of pieces in a document of [`crate::formats::dfxml`].
//!
//! Only those that lie in a row from the beginning of the file on, each of the same length but the last, are
//! pieces as other formats have them. Whatever else tools list in `<byte_run>` elements, with digests or
//! without, is passed over: the digest of the whole file is there all the same.

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{Extent, Outcome, Pieces};

use crate::item::add_digest;
use crate::pieces::{Row, division};
use crate::problem::ProblemKind;
use crate::text::parse_number;
use crate::xml::{Attributes, Fault};

/// A `<byte_run>` that is open.
#[derive(Debug)]
pub(super) struct Run {
    /// The depth at which it is.
    pub(super) depth: usize,
    extent: Option<Extent>,
    digests: Vec<Digest>,
}

impl Run {
    pub(super) fn open(depth: usize, attributes: &Attributes<'_>) -> Result<Self, Fault> {
        let number = |value: Option<Vec<u8>>| value.and_then(|value| parse_number(&value));
        let offset = number(attributes.value(b"file_offset")?);
        let length = number(attributes.value(b"len")?);
        let extent = offset.zip(length).map(|(offset, length)| Extent { offset, length });
        Ok(Self { depth, extent, digests: Vec::new() })
    }

    /// Takes in a digest of it.
    pub(super) fn push(&mut self, digest: Digest) -> Result<(), ProblemKind> {
        add_digest(&mut self.digests, digest)
    }
}

/// What the runs of a file came to so far.
#[derive(Debug, Default)]
pub(super) enum Parts {
    #[default]
    None,
    Row(Row),
    /// They do not lie in a row.
    Odd,
}

impl Parts {
    /// Takes in a run that was closed.
    pub(super) fn push(&mut self, run: &Run) -> Result<(), ProblemKind> {
        let digests = &run.digests[..];
        let pushed = match (run.extent, &mut *self) {
            _ if digests.is_empty() => return Ok(()),
            (_, Self::Odd) => return Ok(()),
            // hashdeep 4.4 writes one for a file without bytes.
            (Some(Extent { offset: 0, length: 0 }), Self::None) => return Ok(()),
            (None, _) => Err(None),
            (Some(extent), Self::None) => {
                Row::start(extent, digests).map(|row| *self = Self::Row(row)).map_err(Some)
            }
            (Some(extent), Self::Row(row)) => row.push(extent, digests).map_err(Some),
        };
        match pushed {
            Ok(()) => Ok(()),
            Err(Some(kind @ ProblemKind::TooManyPieces { .. })) => {
                *self = Self::Odd;
                Err(kind)
            }
            Err(_) => {
                *self = Self::Odd;
                Ok(())
            }
        }
    }

    /// The pieces of a file, if these are what its runs are.
    pub(super) fn finish(
        self,
        wanted: Option<Algorithm>,
        size: Option<u64>,
        outcome: Option<Outcome>,
    ) -> Option<Box<Pieces>> {
        let Self::Row(row) = self else { return None };
        row.finish(wanted).filter(|pieces| division(pieces, size, outcome).is_ok())
    }
}
