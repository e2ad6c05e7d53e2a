//! A digest: the output of an algorithm, with the algorithm that made it.

use std::fmt;

use data_encoding::HEXLOWER_PERMISSIVE;

use crate::algorithm::Algorithm;
use crate::c4;

/// The longest digest of any algorithm, in bytes.
pub const MAX_DIGEST_LENGTH: usize = 64;

/// The output of a hash algorithm. Displayed in lower-case hexadecimal, or as a C4 ID if it is one.
#[derive(Clone, Copy)]
pub struct Digest {
    algorithm: Algorithm,
    bytes: [u8; MAX_DIGEST_LENGTH],
}

/// Bytes that cannot be a digest of the algorithm named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a {algorithm} digest has {} bytes, not {given}", algorithm.length())]
pub struct InvalidDigest {
    /// The algorithm asked for.
    pub algorithm: Algorithm,
    /// The number of bytes that were given.
    pub given: usize,
}

impl Digest {
    /// Wraps the bytes of a digest.
    ///
    /// # Errors
    /// The length is not the algorithm's.
    pub fn new(algorithm: Algorithm, digest: &[u8]) -> Result<Self, InvalidDigest> {
        if digest.len() != algorithm.length() {
            return Err(InvalidDigest { algorithm, given: digest.len() });
        }
        let mut bytes = [0; MAX_DIGEST_LENGTH];
        bytes[..digest.len()].copy_from_slice(digest);
        Ok(Self { algorithm, bytes })
    }

    /// The algorithm that made it.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Its bytes, [`Algorithm::length`] of them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.algorithm.length()]
    }

    /// The same bytes, the last one first: what a digest is if somebody has written its lowest byte first.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let mut reversed = *self;
        reversed.bytes[..self.algorithm.length()].reverse();
        reversed
    }

    /// The digest that a text is, in hexadecimal of either case; one of C4, as its ID.
    pub fn parse(algorithm: Algorithm, text: &[u8]) -> Option<Self> {
        if algorithm.names_itself() {
            return c4::parse(text).and_then(|bytes| Self::new(algorithm, &bytes).ok());
        }
        let mut bytes = [0; MAX_DIGEST_LENGTH];
        let bytes = bytes.get_mut(..HEXLOWER_PERMISSIVE.decode_len(text.len()).ok()?)?;
        HEXLOWER_PERMISSIVE.decode_mut(text, bytes).ok()?;
        Self::new(algorithm, bytes).ok()
    }

    /// Writes it at the end of `text`: in lower-case hexadecimal; one of C4, as its ID.
    pub fn write_text(&self, text: &mut Vec<u8>) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        if self.algorithm.names_itself() {
            return c4::push(self.as_bytes(), text);
        }
        for &byte in self.as_bytes() {
            text.push(DIGITS[usize::from(byte >> 4)]);
            text.push(DIGITS[usize::from(byte & 15)]);
        }
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        self.algorithm == other.algorithm && self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Digest {}

impl std::hash::Hash for Digest {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.algorithm.hash(state);
        self.as_bytes().hash(state);
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(self.algorithm.text_length());
        self.write_text(&mut text);
        f.pad(std::str::from_utf8(&text).expect("digits are ASCII"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{self}", self.algorithm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Algorithm {
        Algorithm::named(name).expect("a registered name")
    }

    #[test]
    fn a_digest_is_shown_in_lower_case_hexadecimal_and_padded_on_request() {
        let digest = Digest::new(named("crc32"), &[0x00, 0x9a, 0xbc, 0xff]).unwrap();
        assert_eq!(digest.to_string(), "009abcff");
        assert_eq!(format!("{digest:>10}|"), "  009abcff|");
        assert_eq!(format!("{digest:?}"), "crc32:009abcff");
    }

    #[test]
    fn bytes_of_another_length_are_no_digest() {
        let error = Digest::new(named("sha256"), &[0; 20]).unwrap_err();
        assert_eq!(error.to_string(), "a sha256 digest has 32 bytes, not 20");
    }

    #[test]
    fn the_same_bytes_from_two_algorithms_are_two_digests() {
        let [sha256, blake3] = ["sha256", "blake3"].map(|name| Digest::new(named(name), &[7; 32]).unwrap());
        assert_ne!(sha256, blake3);
        assert_eq!(sha256, Digest::new(named("sha256"), &[7; 32]).unwrap());
    }
}
