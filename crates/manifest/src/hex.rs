//! Hexadecimal digits to bytes, in few steps. Digests have a text of their own: [`hashlane_digest::Digest::write_text`].

const NO_DIGIT: u8 = 0xff;

/// The value of each byte as a digit, or [`NO_DIGIT`].
static VALUES: [u8; 256] = {
    let mut values = [NO_DIGIT; 256];
    let mut digit = 0;
    while digit < 16 {
        values[b"0123456789abcdef"[digit] as usize] = digit as u8;
        values[b"0123456789ABCDEF"[digit] as usize] = digit as u8;
        digit += 1;
    }
    values
};

/// Whether all bytes are hexadecimal digits of either case.
pub(crate) fn is_hex(text: &[u8]) -> bool {
    text.iter().all(|&byte| VALUES[usize::from(byte)] != NO_DIGIT)
}

/// Decodes `text` into `bytes`, which has half its length. False if a digit is none.
pub(crate) fn decode(text: &[u8], bytes: &mut [u8]) -> bool {
    debug_assert_eq!(text.len(), 2 * bytes.len());
    let mut seen = 0;
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        let (high, low) = (VALUES[usize::from(pair[0])], VALUES[usize::from(pair[1])]);
        // A digit has its upper four bits clear, NO_DIGIT has them set; one test at the end is enough.
        seen |= high | low;
        *byte = high << 4 | low & 15;
    }
    seen < 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_either_case_are_decoded_and_nothing_else() {
        let mut bytes = [0; 4];
        assert!(decode(b"00fFaB9c", &mut bytes));
        assert_eq!(bytes, [0x00, 0xff, 0xab, 0x9c]);
        for byte in 0..=255u8 {
            let digit = byte.is_ascii_hexdigit();
            assert_eq!(decode(&[byte, b'0'], &mut [0]), digit, "{byte}");
            assert_eq!(decode(&[b'0', byte], &mut [0]), digit, "{byte}");
            assert_eq!(is_hex(&[byte]), digit, "{byte}");
        }
    }
}
