//! A checksum of names in their order.

use std::fmt;
use std::str::FromStr;

use hashlane_digest::Algorithm;

/// A checksum of names, one after the other. It shows whether two lists of names are the same, by accident: it is not cryptographic.
///
/// Each step is the XXH128 of the checksum before (16 bytes, at first zeros) and the name behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trail([u8; 16]);

impl Trail {
    /// Takes in the next name.
    pub fn pass(&mut self, name: &[u8]) {
        let algorithm = Algorithm::XXH128;
        let sum = algorithm.digest(&[&self.0[..], name].concat());
        self.0.copy_from_slice(sum.as_bytes());
    }
}

impl fmt::Display for Trail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

/// A text that is not the 32 hexadecimal digits of a checksum of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotATrail;

impl fmt::Display for NotATrail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not the checksum of names")
    }
}

impl std::error::Error for NotATrail {}

impl FromStr for Trail {
    type Err = NotATrail;

    fn from_str(text: &str) -> Result<Self, NotATrail> {
        let is_hex = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let sum = u128::from_str_radix(text, 16).ok().filter(|_| is_hex);
        sum.map(|sum| Self(sum.to_be_bytes())).ok_or(NotATrail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trail(names: &[&str]) -> Trail {
        let mut trail = Trail::default();
        names.iter().for_each(|name| trail.pass(name.as_bytes()));
        trail
    }

    #[test]
    fn names_count_with_their_order_and_their_ends() {
        let one = trail(&["a", "b"]);
        assert_eq!(one, trail(&["a", "b"]));
        for other in [&["b", "a"][..], &["ab"], &["a"], &["a", "b", ""], &[]] {
            assert_ne!(one, trail(other), "{other:?}");
        }
        assert_eq!(one.to_string().parse(), Ok(one));
        for bad in ["", "0", "+0000000000000000000000000000000", "g0000000000000000000000000000000"] {
            assert_eq!(bad.parse::<Trail>(), Err(NotATrail), "{bad}");
        }
    }
}
