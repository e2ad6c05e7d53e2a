//! Where formats list the digests of pieces, and what the pieces of a file have to be like.
//!
//! Owns the names that pieces have in formats without a place for them, and the row that their digests are
//! put in as they are read. What is put together of lines with such names is [`crate::Pieced`]'s.

use std::num::NonZeroU64;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{Division, Extent, ItemPath, Outcome, Pieces};
use memchr::memmem;

use crate::problem::ProblemKind;

/// What stands between the name of a file and the place of a piece, as hashdeep writes it.
const BETWEEN: &[u8] = b" offset ";

/// Where a format lists digests of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piecewise {
    /// In a place of its own.
    Native,
    /// In lines as if they were files, with names that say which piece it is: `NAME offset 0-1048575`. They
    /// are put together by [`crate::Merged::pieced`], and only there: a file may really be named so.
    ByName,
    /// In a column for the first bytes of each file, this many of them, and no more.
    Beginning(NonZeroU64),
}

impl Piecewise {
    /// Whether pieces of this kind have their place.
    pub(crate) fn holds(self, division: Division) -> bool {
        match (self, division) {
            (Self::Native, _) | (Self::ByName, Division::Every(_)) => true,
            (Self::Beginning(bytes), Division::Beginning(wanted)) => bytes == wanted,
            (Self::ByName, Division::Beginning(_)) | (Self::Beginning(_), Division::Every(_)) => false,
        }
    }
}

/// The name of the file and the place of the piece, where a name is one of a piece: `NAME offset 0-1048575`,
/// the last byte included.
///
/// hashdeep 4.4 gives a file without bytes the piece `0-0` or `0-18446744073709551615`, and what is read from
/// a pipe one as
/// `10-9` at its end. The latter two have a length of 0 here; the first looks like a piece of one byte.
pub fn piece_of_name(name: &[u8]) -> Option<(&[u8], Extent)> {
    let at = memmem::rfind(name, BETWEEN).filter(|&at| at > 0)?;
    let place = &name[at + BETWEEN.len()..];
    let (first, last) = place.split_at(memchr::memchr(b'-', place)?);
    let (offset, last) = (plain_number(first)?, plain_number(&last[1..])?);
    // Going around at 2^64 makes 0 of both odd ends.
    let length = last.wrapping_sub(offset).wrapping_add(1);
    (length == 0 || last >= offset).then_some((&name[..at], Extent { offset, length }))
}

/// The name that [`piece_of_name`] reads.
pub(crate) fn name_of_piece(name: &[u8], extent: Extent) -> ItemPath {
    let last = extent.offset.wrapping_add(extent.length).wrapping_sub(1);
    let place = format!("{}-{last}", extent.offset);
    ItemPath::new([name, BETWEEN, place.as_bytes()].concat())
}

/// A number as it is written, without zeros before it.
fn plain_number(digits: &[u8]) -> Option<u64> {
    let is_plain = digits.iter().all(u8::is_ascii_digit) && (digits.len() == 1 || !digits.starts_with(b"0"));
    std::str::from_utf8(digits).ok().filter(|_| is_plain)?.parse().ok()
}

/// How much of a file of this size pieces are of, and whether that is one of the ways to divide it. What
/// changed while it was read has pieces of what was there.
pub(crate) fn division(
    pieces: &Pieces,
    size: Option<u64>,
    outcome: Option<Outcome>,
) -> Result<Division, ProblemKind> {
    let was_read = matches!(outcome, None | Some(Outcome::Read));
    match size.filter(|_| was_read) {
        Some(size) if pieces.end() < size && pieces.end() == pieces.piece_bytes().get() => {
            Ok(Division::Beginning(pieces.piece_bytes()))
        }
        Some(size) if pieces.end() != size => {
            Err(ProblemKind::PiecesUnlikeSize { end_bytes: pieces.end(), size_bytes: size })
        }
        _ => Ok(Division::Every(pieces.piece_bytes())),
    }
}

/// The digests of the pieces of a file, as one after the other is read.
#[derive(Debug)]
pub(crate) struct Row {
    piece_bytes: NonZeroU64,
    end: u64,
    count: u64,
    columns: Vec<(Algorithm, Vec<u8>)>,
}

impl Row {
    /// A row that begins with this piece.
    pub(crate) fn start(extent: Extent, digests: &[Digest]) -> Result<Self, ProblemKind> {
        let found = extent.length;
        let piece_bytes = NonZeroU64::new(found).ok_or(ProblemKind::PieceLength { found, expected: 1 })?;
        let columns = digests.iter().map(|digest| (digest.algorithm(), Vec::new())).collect();
        let mut row = Self { piece_bytes, end: 0, count: 0, columns };
        row.push(extent, digests)?;
        Ok(row)
    }

    /// Puts the next piece at the end.
    pub(crate) fn push(&mut self, extent: Extent, digests: &[Digest]) -> Result<(), ProblemKind> {
        let (expected, rest) = (self.piece_bytes.get(), self.end % self.piece_bytes);
        if extent.offset != self.end {
            return Err(ProblemKind::PieceOffset { found: extent.offset, expected: self.end });
        }
        if rest != 0 {
            return Err(ProblemKind::PieceLength { found: rest, expected });
        }
        if extent.length == 0 || extent.length > expected {
            return Err(ProblemKind::PieceLength { found: extent.length, expected });
        }
        if self.count == Division::MOST_PIECES {
            return Err(ProblemKind::TooManyPieces { limit: Division::MOST_PIECES });
        }
        let end = extent.offset.checked_add(extent.length);
        let end =
            end.ok_or(ProblemKind::PieceLength { found: extent.length, expected: u64::MAX - self.end })?;
        if digests.len() != self.columns.len() {
            return Err(ProblemKind::PieceAlgorithms);
        }
        let of = |algorithm| digests.iter().find(move |digest| digest.algorithm() == algorithm);
        if self.columns.iter().any(|(algorithm, _)| of(*algorithm).is_none()) {
            return Err(ProblemKind::PieceAlgorithms);
        }
        for (algorithm, column) in &mut self.columns {
            column.extend(of(*algorithm).into_iter().flat_map(|digest| digest.as_bytes()));
        }
        (self.end, self.count) = (end, self.count + 1);
        Ok(())
    }

    /// Bytes of the digests.
    pub(crate) fn bytes(&self) -> usize {
        self.columns.iter().map(|(_, column)| column.len()).sum()
    }

    /// Where the next piece would begin.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// The pieces, with the digests of the algorithm that is wanted only; `None` if it has none.
    pub(crate) fn finish(self, wanted: Option<Algorithm>) -> Option<Box<Pieces>> {
        let mut columns = self.columns;
        columns.retain(|(algorithm, _)| wanted.is_none_or(|wanted| wanted == *algorithm));
        columns.iter_mut().for_each(|(_, column)| column.shrink_to_fit());
        if columns.is_empty() {
            return None;
        }
        Pieces::new(self.piece_bytes, self.end, columns).map(Box::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_of_a_piece_only_as_hashdeep_writes_it() {
        let split = |name: &'static str| {
            piece_of_name(name.as_bytes()).map(|(name, extent)| (name, extent.offset, extent.length))
        };
        assert_eq!(split("a offset 0-9"), Some((&b"a"[..], 0, 10)));
        assert_eq!(split("a offset 0-0"), Some((&b"a"[..], 0, 1)));
        assert_eq!(split("a offset 0-9 offset 5-5"), Some((&b"a offset 0-9"[..], 5, 1)));
        assert_eq!(split("a offset 10-9"), Some((&b"a"[..], 10, 0)));
        assert_eq!(split("a offset 0-18446744073709551615"), Some((&b"a"[..], 0, 0)));
        assert_eq!(
            split("a offset 1-18446744073709551615"),
            Some((&b"a"[..], 1, u64::MAX)),
            "the last byte that there can be"
        );
        for name in [
            "a",
            " offset 0-9",
            "a offset ",
            "a offset 0-",
            "a offset -9",
            "a offset 0-9 ",
            "a offset  0-9",
            "a offset 00-9",
            "a offset 0-09",
            "a offset +0-9",
            "a offset 5-3",
            "a offset 0-18446744073709551616",
            "a offset 18446744073709551616-18446744073709551617",
            "a Offset 0-9",
            "a\toffset 0-9",
        ] {
            assert_eq!(split(name), None, "{name}");
        }
    }

    #[test]
    fn the_name_of_a_piece_is_read_again() {
        for (offset, length) in [(0, 1), (0, 10), (7, 1), (1, u64::MAX), (u64::MAX, 1), (0, 0), (10, 0)] {
            let extent = Extent { offset, length };
            let name = name_of_piece(b"a b", extent);
            assert_eq!(piece_of_name(name.as_bytes()), Some((&b"a b"[..], extent)));
        }
    }

    #[test]
    fn a_row_takes_what_lies_in_a_row() {
        let md5 = Algorithm::MD5;
        let digest = [md5.digest(b"x")];
        let piece = |offset, length| Extent { offset, length };
        let row = |pieces: &[(u64, u64)]| {
            let mut row = Row::start(piece(pieces[0].0, pieces[0].1), &digest)?;
            for (offset, length) in &pieces[1..] {
                row.push(piece(*offset, *length), &digest)?;
            }
            Ok(row.finish(None).unwrap().count())
        };
        let said = |pieces: &[(u64, u64)]| row(pieces).map_err(|kind: ProblemKind| kind.to_string());
        assert_eq!(said(&[(0, 4), (4, 4), (8, 1)]), Ok(3));
        assert_eq!(said(&[(0, u64::MAX)]), Ok(1));
        for (pieces, wrong) in [
            (&[(4, 4)][..], "begins at 4"),
            (&[(0, 0)], "has 0 bytes"),
            (&[(0, 4), (5, 4)], "begins at 5"),
            (&[(0, 4), (3, 4)], "begins at 3"),
            (&[(0, 4), (4, 5)], "has 5 bytes"),
            (&[(0, 4), (4, 3), (7, 1)], "has 3 bytes"),
            (&[(0, u64::MAX), (u64::MAX, 2)], "has 2 bytes"),
        ] {
            assert!(said(pieces).is_err_and(|error| error.contains(wrong)), "{pieces:?}: {:?}", said(pieces));
        }
        let sha1 = Algorithm::SHA1;
        let mut row = Row::start(piece(0, 1), &digest).unwrap();
        for others in [&[][..], &[sha1.digest(b"x")], &[digest[0], sha1.digest(b"x")]] {
            assert!(matches!(row.push(piece(1, 1), others), Err(ProblemKind::PieceAlgorithms)));
        }
        assert!(row.finish(Some(sha1)).is_none());
    }

    #[test]
    fn a_row_has_an_end() {
        let crc32 = Algorithm::CRC32;
        let digest = [crc32.digest(b"")];
        let mut row = Row::start(Extent { offset: 0, length: 1 }, &digest).unwrap();
        for offset in 1..Division::MOST_PIECES {
            row.push(Extent { offset, length: 1 }, &digest).unwrap();
        }
        let more = Extent { offset: row.end(), length: 1 };
        let refused = row.push(more, &digest).unwrap_err().to_string();
        assert_eq!(
            refused,
            "more than 4194304 pieces of one file, whose digests are kept in memory; use larger pieces"
        );
        assert_eq!(row.finish(None).unwrap().count(), Division::MOST_PIECES);
    }
}
