//! Numbers as Parquet packs them: each by what it is more than the one before it.
//!
//! A page says how many there are, and they tell how much memory its values take. So they are read here first, one by one, and none is
//! kept.

use super::pages::number;

/// Numbers of one list, and what follows it.
#[derive(Debug)]
pub(super) struct Deltas<'a> {
    rest: &'a [u8],
    /// Numbers of a small block, and small blocks of a block.
    of_small: usize,
    small_blocks: usize,
    left: u64,
    last: i64,
    is_first: bool,
    /// What is added to each number of the block.
    least: i64,
    /// How many bits the numbers of the coming small blocks have.
    widths: &'a [u8],
    /// The small block that is read: its bits, their number for each, and the numbers that were read.
    small: (&'a [u8], u32, usize),
}

impl<'a> Deltas<'a> {
    /// Blocks of more numbers than that are written by nobody.
    const MOST_OF_BLOCK: u64 = 1 << 20;

    /// Those that begin there. `None`: they cannot be understood.
    pub(super) fn new(mut rest: &'a [u8]) -> Option<Self> {
        let block = number(&mut rest).filter(|block| *block <= Self::MOST_OF_BLOCK)?;
        let small_blocks = number(&mut rest).filter(|&small| small > 0 && small <= block)?;
        let left = number(&mut rest)?;
        let last = signed(number(&mut rest)?);
        let of_small = block / small_blocks;
        if block % 128 != 0 || block % small_blocks != 0 || of_small % 32 != 0 {
            return None;
        }
        let (of_small, small_blocks) = (of_small as usize, small_blocks as usize);
        let small = (&rest[..0], 0, of_small);
        Some(Self { rest, of_small, small_blocks, left, last, is_first: true, least: 0, widths: &[], small })
    }

    /// How many are left.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// What follows the numbers, if all of them were read.
    pub(super) fn behind(&self) -> Option<&'a [u8]> {
        (self.left == 0).then_some(self.rest)
    }

    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(bytes)?;
        self.rest = rest;
        Some(taken)
    }

    /// The next one. `None`: there is none, or it is cut off.
    pub(super) fn next(&mut self) -> Option<i64> {
        let left = self.left.checked_sub(1)?;
        if std::mem::take(&mut self.is_first) {
            self.left = left;
            return Some(self.last);
        }
        if self.small.2 == self.of_small {
            if self.widths.is_empty() {
                self.least = signed(number(&mut self.rest)?);
                self.widths = self.take(self.small_blocks)?;
            }
            let (&width, widths) = self.widths.split_first()?;
            let width = u32::from(width);
            let bits = self.take(self.of_small / 8 * width as usize).filter(|_| width <= 64)?;
            (self.widths, self.small) = (widths, (bits, width, 0));
        }
        let (bits, width, place) = self.small;
        self.last = self.last.wrapping_add(self.least).wrapping_add(packed(bits, width, place).cast_signed());
        self.small.2 += 1;
        self.left = left;
        Some(self.last)
    }
}

/// The number at a place among numbers of `width` bits, the lowest bits first.
fn packed(bits: &[u8], width: u32, place: usize) -> u64 {
    let (width, first) = (width as usize, place * width as usize);
    let bit = |at: usize| u64::from(bits[at / 8] >> (at % 8) & 1);
    (0..width).fold(0, |number, at| number | bit(first + at) << at)
}

/// A number whose lowest bit says its sign.
fn signed(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -((number & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> (Vec<i64>, Option<&[u8]>) {
        let mut deltas = Deltas::new(bytes).expect("numbers");
        let numbers = std::iter::from_fn(|| deltas.next()).collect();
        (numbers, deltas.behind())
    }

    #[test]
    fn numbers_are_read_as_they_are_written_down() {
        // The example of the format's description, with a block of 128 numbers in four small ones: 7 5 3 1 2 3 4 5.
        let widths = [2, 0, 0, 0];
        let bits = [0b1100_0000, 0b0011_1111, 0, 0, 0, 0, 0, 0];
        let bytes = [&[0x80, 0x01, 4, 8, 14, 3][..], &widths, &bits, b"rest"].concat();
        assert_eq!(all(&bytes), (vec![7, 5, 3, 1, 2, 3, 4, 5], Some(&b"rest"[..])));
        assert_eq!(all(&[0x80, 0x01, 4, 1, 9, b'x']), (vec![-5], Some(&b"x"[..])));
        assert_eq!(all(&[0x80, 0x01, 4, 0, 0]), (vec![], Some(&b""[..])));
    }

    #[test]
    fn what_is_cut_off_ends() {
        let bytes = [0x80, 0x01, 4, 8, 14, 3, 2, 0, 0, 0, 0xff];
        assert_eq!(all(&bytes), (vec![7], None));
        for bad in [&b""[..], &[0x80], &[0x81, 1, 4, 1, 2], &[0x80, 1, 0, 1, 2], &[0x80, 1, 8, 1, 2]] {
            assert!(Deltas::new(bad).is_none(), "{bad:?}");
        }
    }
}
