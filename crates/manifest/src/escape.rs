//! How coreutils escapes names in digest lines: `\\`, `\n` and `\r`, announced by a backslash before the
//! line.

use std::borrow::Cow;

use memchr::{memchr, memchr3};

/// Whether a name cannot stand as it is.
pub(crate) fn needs_escape(name: &[u8]) -> bool {
    memchr3(b'\\', b'\n', b'\r', name).is_some()
}

/// Appends a name with its escapes.
pub(crate) fn push_escaped(text: &mut Vec<u8>, name: &[u8]) {
    for &byte in name {
        match byte {
            b'\\' => text.extend_from_slice(b"\\\\"),
            b'\n' => text.extend_from_slice(b"\\n"),
            b'\r' => text.extend_from_slice(b"\\r"),
            _ => text.push(byte),
        }
    }
}

/// The name behind its escapes, or `None` if a backslash starts no known escape.
pub fn unescape(text: &[u8]) -> Option<Cow<'_, [u8]>> {
    let Some(first) = memchr(b'\\', text) else {
        return Some(Cow::Borrowed(text));
    };
    let mut name = Vec::with_capacity(text.len());
    name.extend_from_slice(&text[..first]);
    let mut rest = text[first..].iter();
    while let Some(&byte) = rest.next() {
        name.push(match byte {
            b'\\' => match rest.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            _ => byte,
        });
    }
    Some(Cow::Owned(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_coreutils() {
        let mut text = Vec::new();
        push_escaped(&mut text, b"a\\b\nc\rd\te\xff");
        assert_eq!(text, b"a\\\\b\\nc\\rd\te\xff");
        assert_eq!(unescape(&text).unwrap(), &b"a\\b\nc\rd\te\xff"[..]);
        assert!(!needs_escape(b"plain \"name\"\t"));
        for bad in [&b"\\"[..], b"a\\", b"\\t", b"\\N", b"\\\\\\"] {
            assert_eq!(unescape(bad), None);
        }
    }
}
