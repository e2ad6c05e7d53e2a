//! Values as bytes, for what one process writes and reads again: no format, never read by another version.

use std::num::NonZeroU64;

use hashlane_digest::{Algorithm, Digest};

use crate::{Pieces, Timestamp};

/// Puts a number: 7 bits a byte, the lowest first; the top bit says that more follow.
#[inline]
pub fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Puts some bytes, behind their number.
#[inline]
pub fn put_bytes(bytes: &mut Vec<u8>, value: &[u8]) {
    put_number(bytes, value.len() as u64);
    bytes.extend_from_slice(value);
}

/// Puts a time.
#[inline]
pub fn put_time(bytes: &mut Vec<u8>, time: Timestamp) {
    bytes.extend_from_slice(&time.seconds.to_le_bytes());
    bytes.extend_from_slice(&time.nanos.to_le_bytes());
}

/// Puts an algorithm, by its name.
pub fn put_algorithm(bytes: &mut Vec<u8>, algorithm: Algorithm) {
    put_bytes(bytes, algorithm.name().as_bytes());
}

/// Puts a digest, behind its algorithm.
pub fn put_digest(bytes: &mut Vec<u8>, digest: &Digest) {
    put_algorithm(bytes, digest.algorithm());
    bytes.extend_from_slice(digest.as_bytes());
}

/// Puts pieces, which have to be the last.
pub fn put_pieces(bytes: &mut Vec<u8>, pieces: &Pieces) {
    put_number(bytes, pieces.piece_bytes().get());
    put_number(bytes, pieces.end());
    for (algorithm, column) in pieces.columns() {
        put_algorithm(bytes, *algorithm);
        put_bytes(bytes, column);
    }
}

/// What is still to be taken. Each method takes what the function of its name has put; nothing if it is not there.
#[derive(Clone, Copy, Debug)]
pub struct Rest<'a>(pub &'a [u8]);

impl<'a> Rest<'a> {
    /// The next `count` bytes.
    #[inline]
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// As many bytes as the array has.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    /// A byte.
    #[inline]
    pub fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    /// A number.
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let byte = self.byte()?;
        if byte < 0x80 { Some(u64::from(byte)) } else { self.long_number(byte) }
    }

    /// A number of several bytes, whose first byte was taken.
    fn long_number(&mut self, first: u8) -> Option<u64> {
        let mut number = u64::from(first & 0x7f);
        for shift in (7..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        Some(number)
    }

    /// Several numbers.
    pub fn numbers<const N: usize>(&mut self) -> Option<[u64; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Some(numbers)
    }

    /// Bytes that their number stands before.
    #[inline]
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        self.take(usize::try_from(length).ok()?)
    }

    /// A time.
    #[inline]
    pub fn time(&mut self) -> Option<Timestamp> {
        Some(Timestamp {
            seconds: i64::from_le_bytes(self.array()?),
            nanos: u32::from_le_bytes(self.array()?),
        })
    }

    /// An algorithm.
    pub fn algorithm(&mut self) -> Option<Algorithm> {
        Algorithm::named(std::str::from_utf8(self.bytes()?).ok()?)
    }

    /// A digest.
    pub fn digest(&mut self) -> Option<Digest> {
        let algorithm = self.algorithm()?;
        Digest::new(algorithm, self.take(algorithm.length())?).ok()
    }

    /// Pieces, which are all that is left.
    pub fn pieces(&mut self) -> Option<Pieces> {
        let (piece_bytes, end) = (NonZeroU64::new(self.number()?)?, self.number()?);
        let mut columns = Vec::new();
        while !self.0.is_empty() {
            columns.push((self.algorithm()?, self.bytes()?.to_vec()));
        }
        Pieces::new(piece_bytes, end, columns)
    }
}
