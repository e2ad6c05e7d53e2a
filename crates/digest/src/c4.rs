//! The text of a C4 ID: `c4`, and a SHA-512 digest as a number to the base 58, in 88 digits.
//!
//! Source: SMPTE ST 2114; the C4 framework, <https://github.com/Avalanche-io/c4>.

/// The digits, by their values. They are those of base58 as it is usual; a number is padded on the left with the first of them.
const DIGITS: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const PREFIX: &[u8; 2] = b"c4";
const NUMBER_DIGITS: usize = 88;
const BASE: u32 = 58;

/// The length of a SHA-512 digest, in bytes.
const DIGEST_BYTES: usize = 64;

/// The length of a C4 ID, in characters.
pub(crate) const LENGTH: usize = PREFIX.len() + NUMBER_DIGITS;

/// Appends the C4 ID of a SHA-512 digest.
pub(crate) fn push(digest: &[u8], text: &mut Vec<u8>) {
    let mut number = [0_u8; NUMBER_DIGITS];
    for &byte in digest {
        let mut carried = u32::from(byte);
        for digit in number.iter_mut().rev() {
            carried += u32::from(*digit) << 8;
            *digit = (carried % BASE) as u8;
            carried /= BASE;
        }
    }
    text.extend_from_slice(PREFIX);
    text.extend(number.iter().map(|&digit| DIGITS[usize::from(digit)]));
}

/// The SHA-512 digest of a C4 ID. Case matters, and a number that no digest has is none.
pub(crate) fn parse(text: &[u8]) -> Option<[u8; DIGEST_BYTES]> {
    let number = text.strip_prefix(PREFIX).filter(|number| number.len() == NUMBER_DIGITS)?;
    let mut digest = [0; DIGEST_BYTES];
    for digit in number {
        let mut carried = DIGITS.iter().position(|known| known == digit)? as u32;
        for byte in digest.iter_mut().rev() {
            carried += u32::from(*byte) * BASE;
            *byte = carried as u8;
            carried >>= 8;
        }
        if carried > 0 {
            return None;
        }
    }
    Some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(digest: [u8; DIGEST_BYTES]) -> String {
        let mut text = Vec::new();
        push(&digest, &mut text);
        String::from_utf8(text).expect("ASCII")
    }

    #[test]
    fn small_and_large_numbers_have_as_many_digits() {
        assert_eq!(shown([0; 64]), format!("c4{}", "1".repeat(88)));
        let mut one = [0; 64];
        one[63] = 58;
        assert_eq!(shown(one), format!("c4{}21", "1".repeat(86)));
        // Published as the largest one there is, in the tests of the C4 framework.
        assert_eq!(
            shown([0xff; 64]),
            "c467rpwLCuS5DGA8KGZXKsVQ7dnPb9goRLoKfgGbLfQg9WoLUgNY77E2jT11fem3coV9nAkguBACzrU1iyZM4B8roQ"
        );
        for digest in [[0; 64], one, [0xff; 64], [7; 64]] {
            assert_eq!(parse(shown(digest).as_bytes()), Some(digest));
        }
    }

    #[test]
    fn what_is_no_digest_is_not_read() {
        let most = shown([0xff; 64]);
        let above = format!("{}R", &most[..89]);
        let largest = format!("c4{}", "z".repeat(88));
        for bad in
            ["", "c4", &most[..89], &above, &largest, &most.replacen("c4", "C4", 1), &most.replace('u', "0")]
        {
            assert_eq!(parse(bad.as_bytes()), None, "{bad}");
        }
    }
}
