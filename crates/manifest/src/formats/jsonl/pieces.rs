//! Puts the pieces of a file together that stand in several objects of [`crate::formats::jsonl`].

use std::num::NonZeroU64;

use hashlane_digest::Algorithm;
use hashlane_record::{Division, Pieces};

use super::parser::PiecesObject;
use crate::problem::ProblemKind;
use crate::text::decode_plain;

/// The digests of pieces in one object.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// How many there are of each algorithm.
    count: u64,
    columns: Vec<(Algorithm, Vec<u8>)>,
}

impl Columns {
    /// Adds the digests of one algorithm.
    pub(super) fn add<'t>(
        &mut self,
        algorithm: Algorithm,
        texts: impl ExactSizeIterator<Item = &'t [u8]>,
    ) -> Result<(), ProblemKind> {
        let found = texts.len() as u64;
        if self.columns.iter().any(|(known, _)| *known == algorithm) {
            return Err(ProblemKind::DuplicateDigest { algorithm });
        }
        if !self.columns.is_empty() && found != self.count {
            return Err(ProblemKind::PieceCount { found, expected: self.count });
        }
        let mut column = Vec::with_capacity(texts.len() * algorithm.length());
        for text in texts {
            column.extend_from_slice(decode_plain(algorithm, text)?.as_bytes());
        }
        self.count = found;
        self.columns.push((algorithm, column));
        Ok(())
    }
}

/// The pieces of a file as far as they were met.
#[derive(Debug)]
pub(super) struct Gathered {
    piece_bytes: NonZeroU64,
    end_bytes: u64,
    /// How many there are so far.
    pub(super) found: u64,
    columns: Vec<(Algorithm, Vec<u8>)>,
}

impl Gathered {
    /// What stands in the object of the file itself.
    pub(super) fn start(object: &PiecesObject<'_>, columns: Columns) -> Result<Self, ProblemKind> {
        let (Some(piece_bytes), Some(end_bytes)) = (object.piece_bytes, object.end_bytes) else {
            return Err(ProblemKind::NotALine {
                expected: "piece_bytes and end_bytes in the pieces of a file",
            });
        };
        let found = piece_bytes.min(end_bytes);
        let piece_bytes = NonZeroU64::new(piece_bytes).filter(|_| end_bytes > 0);
        let piece_bytes = piece_bytes.ok_or(ProblemKind::PieceLength { found, expected: 1 })?;
        let gathered = Self { piece_bytes, end_bytes, found: columns.count, columns: columns.columns };
        if gathered.expected() > Division::MOST_PIECES {
            return Err(ProblemKind::TooManyPieces { limit: Division::MOST_PIECES });
        }
        gathered.checked()
    }

    /// How many pieces there have to be.
    pub(super) fn expected(&self) -> u64 {
        self.end_bytes.div_ceil(self.piece_bytes.get())
    }

    /// Adds what stands in a further object.
    pub(super) fn add(&mut self, offset_bytes: u64, more: Columns) -> Result<(), ProblemKind> {
        let expected = self.found * self.piece_bytes.get();
        if offset_bytes != expected {
            return Err(ProblemKind::PieceOffset { found: offset_bytes, expected });
        }
        if more.columns.len() != self.columns.len() || more.count == 0 {
            return Err(ProblemKind::PieceAlgorithms);
        }
        for (algorithm, column) in &mut self.columns {
            let of = more.columns.iter().find(|(known, _)| known == algorithm);
            column.extend_from_slice(&of.ok_or(ProblemKind::PieceAlgorithms)?.1);
        }
        self.found += more.count;
        self.check()
    }

    /// All pieces, with the digests of the algorithm that is wanted only; `None` if it has none.
    pub(super) fn finish(self, wanted: Option<Algorithm>) -> Result<Option<Box<Pieces>>, ProblemKind> {
        let (found, expected) = (self.found, self.expected());
        let mut columns = self.columns;
        columns.retain(|(algorithm, _)| wanted.is_none_or(|wanted| wanted == *algorithm));
        columns.iter_mut().for_each(|(_, column)| column.shrink_to_fit());
        let pieces = Pieces::new(self.piece_bytes, self.end_bytes, columns);
        let pieces = pieces.filter(|_| found == expected);
        let pieces = pieces.ok_or(ProblemKind::PieceCount { found, expected })?;
        Ok((!pieces.columns().is_empty()).then(|| Box::new(pieces)))
    }

    fn checked(self) -> Result<Self, ProblemKind> {
        self.check().map(|()| self)
    }

    fn check(&self) -> Result<(), ProblemKind> {
        let (found, expected) = (self.found, self.expected());
        if found > expected { Err(ProblemKind::PieceCount { found, expected }) } else { Ok(()) }
    }
}
