//! What stands around the lines of a signed list: the marks of a message in clear, a signature, its comments.
//!
//! OpenPGP, SSH and X.509 have armour: base64 between a line that begins it and one that ends it. signify and minisign have a comment and
//! one line of base64 below it. Their lines are as long as digests and list nothing.
//!
//! Invariant: a line that a list can have ends a frame, so that nothing which follows a damaged one is passed over.

use memchr::memchr;

/// The longest line of armour (RFC 9580 has 76 characters, some programs write 78).
const LONGEST_ARMOUR: usize = 78;

/// The fewest and the most characters of a signature of signify or minisign: 74 bytes, or 64 of a comment that is signed.
const SIGNATURE_CHARACTERS: [usize; 2] = [88, 100];

/// Where in a frame a text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Frame {
    /// In none.
    #[default]
    None,
    /// Between the mark of a message in clear and the blank line above it.
    Headers,
    /// In armour.
    Armour,
    /// Below a comment of signify or minisign.
    Signature,
}

impl Frame {
    /// Goes on to the next line. True if it belongs to a frame.
    pub(crate) fn takes(&mut self, line: &[u8]) -> bool {
        if *self == Self::None && !matches!(line, [b'-' | b'u' | b't', ..]) {
            return false;
        }
        let line = line.trim_ascii_end();
        if let Some(mark) = line.strip_prefix(b"-----").and_then(|rest| rest.strip_suffix(b"-----")) {
            let begun = mark.strip_prefix(b"BEGIN ");
            *self = match begun {
                Some(b"PGP SIGNED MESSAGE") => Self::Headers,
                Some(_) => Self::Armour,
                None => Self::None,
            };
            return begun.is_some() || mark.starts_with(b"END ");
        }
        if line.starts_with(b"untrusted comment: ") || line.starts_with(b"trusted comment: ") {
            *self = Self::Signature;
            return true;
        }
        let belongs = match self {
            Self::None => false,
            Self::Headers => !line.is_empty() && is_header(line),
            Self::Armour => {
                line.is_empty() || is_header(line) || is_base64(line) && line.len() <= LONGEST_ARMOUR
            }
            Self::Signature => {
                *self = Self::None;
                return is_base64(line) && SIGNATURE_CHARACTERS.contains(&line.len());
            }
        };
        if !belongs {
            *self = Self::None;
        }
        belongs
    }
}

/// `Hash: SHA256`, `Comment: ...`.
fn is_header(line: &[u8]) -> bool {
    let colon =
        memchr(b':', line).filter(|&at| at > 0 && line[at + 1..].first().is_none_or(|&byte| byte == b' '));
    colon.is_some_and(|at| line[..at].iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-'))
}

fn is_base64(line: &[u8]) -> bool {
    let text = line.trim_ascii_end();
    !text.is_empty()
        && text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a text that belong to no frame.
    fn outside(text: &str) -> Vec<&str> {
        let mut frame = Frame::default();
        text.lines().filter(|line| !frame.takes(line.as_bytes())).collect()
    }

    #[test]
    fn what_stands_around_a_signed_list_is_told_from_it() {
        let signed = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nab12  a\n\nab12  b\n\
                      -----BEGIN PGP SIGNATURE-----\nVersion: 1\n\niQIzBAEBCAAdFiEE\n=njUN\n-----END PGP SIGNATURE-----\nab12  c\n";
        assert_eq!(outside(signed), ["", "ab12  a", "", "ab12  b", "ab12  c"]);
        let base64 = "RW".repeat(50);
        let signify =
            format!("untrusted comment: verify with a.pub\n{base64}\nSHA256 (a) = ab12\n{base64}\n");
        assert_eq!(outside(&signify), ["SHA256 (a) = ab12", base64.as_str()]);
    }

    #[test]
    fn a_line_of_a_list_ends_a_frame_that_nothing_has_ended() {
        let torn = "-----BEGIN PGP SIGNATURE-----\niQIzBAEBCAAdFiEE\nab12  a\niQIzBAEBCAAdFiEE\n";
        assert_eq!(outside(torn), ["ab12  a", "iQIzBAEBCAAdFiEE"]);
        let torn = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\nab12  a\nHash: SHA256\n";
        assert_eq!(outside(torn), ["ab12  a", "Hash: SHA256"]);
    }
}
