//! Digests of parts of a file, beside those of the whole.

use std::num::NonZeroU64;

use hashlane_digest::{Algorithm, Digest};

/// How much of a file gets digests of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Division {
    /// Every piece of this many bytes; the last one is what is left.
    Every(NonZeroU64),
    /// The first bytes, this many of them, and nothing behind them.
    Beginning(NonZeroU64),
}

impl Division {
    /// The most pieces of one file: 4 TiB in pieces of 1 MiB. Their digests are in memory until the file is known to have kept
    /// still, so there has to be an end.
    pub const MOST_PIECES: u64 = 1 << 22;

    /// Bytes of a piece, but for the last.
    pub fn piece_bytes(self) -> NonZeroU64 {
        let (Self::Every(bytes) | Self::Beginning(bytes)) = self;
        bytes
    }
}

/// The digests of the pieces of one file.
///
/// Shapes: pieces lie one behind the other from offset 0. Each has [`Pieces::piece_bytes`], but for the last one of a file,
/// which has what is left and at least 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pieces {
    piece_bytes: NonZeroU64,
    /// End of the last piece.
    end: u64,
    /// By algorithm the digests of all pieces, one after the other.
    columns: Vec<(Algorithm, Vec<u8>)>,
}

/// Where a piece lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Its first byte.
    pub offset: u64,
    /// Its number of bytes.
    pub length: u64,
}

impl Pieces {
    /// The pieces from 0 to `end`, with the digests of all of them by algorithm, one after the other. `None` if a column does
    /// not have one digest for each.
    pub fn new(piece_bytes: NonZeroU64, end: u64, columns: Vec<(Algorithm, Vec<u8>)>) -> Option<Self> {
        let count = end.div_ceil(piece_bytes.get());
        let fits = |(algorithm, column): &(Algorithm, Vec<u8>)| {
            count.checked_mul(algorithm.length() as u64) == Some(column.len() as u64)
        };
        columns.iter().all(fits).then_some(Self { piece_bytes, end, columns })
    }

    /// Bytes of each piece, but for the last.
    pub fn piece_bytes(&self) -> NonZeroU64 {
        self.piece_bytes
    }

    /// Where the last piece ends: the size of the file, unless only its beginning has digests.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.end.div_ceil(self.piece_bytes.get())
    }

    /// The algorithms, and of each the digests of all pieces, one after the other.
    pub fn columns(&self) -> &[(Algorithm, Vec<u8>)] {
        &self.columns
    }

    /// Where the piece of this number lies, from 0. `None` if there are fewer.
    pub fn extent(&self, number: u64) -> Option<Extent> {
        let offset = number.checked_mul(self.piece_bytes.get()).filter(|offset| *offset < self.end)?;
        Some(Extent { offset, length: self.piece_bytes.get().min(self.end - offset) })
    }

    /// All pieces in order, with their digests in the order of the algorithms.
    pub fn iter(&self) -> impl Iterator<Item = (Extent, Vec<Digest>)> {
        (0..self.count()).map_while(|number| Some((self.extent(number)?, self.digests(number))))
    }

    /// The digests of the piece of this number.
    ///
    /// # Panics
    /// There are fewer.
    pub fn digests(&self, number: u64) -> Vec<Digest> {
        let digest = |(algorithm, column): &(Algorithm, Vec<u8>)| {
            let start = number as usize * algorithm.length();
            Digest::new(*algorithm, &column[start..start + algorithm.length()])
                .expect("a column has digests of its algorithm's length")
        };
        self.columns.iter().map(digest).collect()
    }

    /// Keeps the first `count` algorithms only.
    pub fn truncate(&mut self, count: usize) {
        self.columns.truncate(count);
    }

    /// Memory of the digests in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.columns.iter().map(|(_, column)| column.len() + size_of::<(Algorithm, Vec<u8>)>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_piece_is_what_is_left() {
        let md5 = Algorithm::MD5;
        let of = |bytes: &[u8]| md5.digest(bytes);
        let column = [of(b"abcd"), of(b"efgh"), of(b"i")].map(|digest| digest.as_bytes().to_vec()).concat();
        let four = NonZeroU64::new(4).unwrap();
        let pieces =
            Pieces::new(four, 9, vec![(md5, column.clone())]).expect("three digests for three pieces");
        let found: Vec<_> =
            pieces.iter().map(|(extent, digests)| (extent.offset, extent.length, digests[0])).collect();
        assert_eq!(found, [(0, 4, of(b"abcd")), (4, 4, of(b"efgh")), (8, 1, of(b"i"))]);
        assert_eq!(pieces.extent(3), None);
        for end in [8, 13] {
            assert_eq!(Pieces::new(four, end, vec![(md5, column.clone())]), None, "{end}");
        }
    }

    #[test]
    fn the_largest_file_has_an_extent_for_each_piece() {
        let pieces = Pieces::new(NonZeroU64::MAX, u64::MAX, Vec::new()).unwrap();
        assert_eq!(pieces.extent(0), Some(Extent { offset: 0, length: u64::MAX }));
        assert_eq!((pieces.count(), pieces.extent(1)), (1, None));
    }
}
