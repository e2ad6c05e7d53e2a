//! Names of files as the old programs print them: absolute, tidied, bare, escaped. Bytes in, bytes out.

use std::borrow::Cow;

/// The path that an operand stands for: below the current directory, unless it is absolute.
pub(super) fn absolute(current: &[u8], operand: &[u8]) -> Vec<u8> {
    if operand.starts_with(b"/") { operand.to_vec() } else { [current, b"/", operand].concat() }
}

/// Takes double slashes, `/./` and `x/../` out of a path. It goes by the text alone: what a symbolic link
/// leads to is not asked.
pub(super) fn tidied(path: &[u8]) -> Vec<u8> {
    let ends_open = path.ends_with(b"/");
    let mut parts: Vec<&[u8]> = Vec::new();
    let rooted = path.starts_with(b"/");
    let mut rest = path.split(|&byte| byte == b'/').peekable();
    while let Some(part) = rest.next() {
        let is_last = rest.peek().is_none();
        match part {
            b"" => {}
            b"." if !is_last && (rooted || !parts.is_empty()) => {}
            // Only what stands between slashes: a `..` at the end is a name that the caller has to look at.
            b".." if !is_last && goes_up(rooted, &parts) => {
                parts.pop();
            }
            // There is nothing above the root.
            b".." if !is_last && rooted && parts.is_empty() => {}
            part => parts.push(part),
        }
    }
    let mut tidied = if rooted { b"/".to_vec() } else { Vec::new() };
    tidied.extend_from_slice(&parts.join(&b'/'));
    if ends_open && !tidied.ends_with(b"/") {
        tidied.push(b'/');
    }
    tidied
}

/// Whether the last part and a `..` behind it cancel each other: the first part of a relative path stays, as
/// it does in the original.
fn goes_up(rooted: bool, parts: &[&[u8]]) -> bool {
    parts.last().is_some_and(|&before| before != b"..") && (rooted || parts.len() > 1)
}

/// The name without the directories before it.
pub(super) fn bare(name: &[u8]) -> &[u8] {
    let start = name.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    &name[start..]
}

/// How names are written with `-u`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escape {
    /// As they are.
    None,
    /// What is not ASCII as `U+00E9`, a byte that is not UTF-8 as `\xff`.
    All,
    /// As the original does: code points below 256 become a single byte.
    Latin1,
}

impl Escape {
    pub(super) fn apply(self, name: &[u8]) -> Cow<'_, [u8]> {
        if self == Self::None || name.is_ascii() {
            return Cow::Borrowed(name);
        }
        let mut escaped = Vec::with_capacity(2 * name.len());
        for chunk in name.utf8_chunks() {
            for character in chunk.valid().chars() {
                match (u32::from(character), self) {
                    (code @ 0..=127, _) | (code @ 128..=255, Self::Latin1) => escaped.push(code as u8),
                    (code, _) => escaped.extend_from_slice(format!("U+{code:04X}").as_bytes()),
                }
            }
            for byte in chunk.invalid() {
                escaped.extend_from_slice(format!("\\x{byte:02x}").as_bytes());
            }
        }
        Cow::Owned(escaped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_tidied_by_its_text() {
        let cases = [
            ("/w/a", "/w/a"),
            ("/w//a///b", "/w/a/b"),
            ("/w/./a/./b", "/w/a/b"),
            ("/w/../a", "/a"),
            ("/w/x/../y/../a", "/w/a"),
            ("/w/..", "/w/.."),
            ("/w/.", "/w/."),
            ("/w/../", "/"),
            ("/w/./", "/w/"),
            ("/..hidden/x", "/..hidden/x"),
            ("./a", "./a"),
            ("a/../b", "a/../b"),
            ("a/b/../c", "a/c"),
        ];
        for (path, expected) in cases {
            assert_eq!(String::from_utf8_lossy(&tidied(path.as_bytes())), expected, "{path}");
        }
    }

    #[test]
    fn escaped_names_are_ascii_whatever_their_bytes() {
        let name = b"a \xc3\xbc\xe2\x98\x83 \xff".as_slice();
        assert_eq!(*Escape::All.apply(name), *b"a U+00FCU+2603 \\xff");
        assert_eq!(*Escape::Latin1.apply(name), *b"a \xfcU+2603 \\xff");
        assert_eq!(*Escape::None.apply(name), *name);
    }
}
