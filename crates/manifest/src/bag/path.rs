//! How a path stands in a manifest or in `fetch.txt`, and whether it stays in the bag.

use memchr::memchr;

use super::Version;
use crate::hex;

/// Why a path is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Outside {
    /// It begins at the root of the file system.
    #[error("the path is absolute and leads out of the bag")]
    Absolute,
    /// One of its components is `..`.
    #[error("a component of the path is `..`, which leads out of its directory")]
    Parent,
    /// It begins with `~`, which shells take for somebody's home.
    #[error("the path begins with `~`, which may lead out of the bag")]
    Tilde,
    /// No file can have it.
    #[error("the path does not name a file")]
    Nothing,
}

/// The path without `.` components and repeated slashes, unless it leads out of the bag.
///
/// # Errors
/// It is absolute, begins with `~`, has a `..`, ends with a slash, or no file can have it.
pub fn confined(path: &[u8]) -> Result<Vec<u8>, Outside> {
    if path.starts_with(b"/") {
        return Err(Outside::Absolute);
    }
    let mut kept = Vec::with_capacity(path.len());
    for component in path.split(|&byte| byte == b'/') {
        match component {
            b".." => return Err(Outside::Parent),
            b"" | b"." => continue,
            _ => {}
        }
        if !kept.is_empty() {
            kept.push(b'/');
        }
        kept.extend_from_slice(component);
    }
    if kept.is_empty() || path.ends_with(b"/") || path.ends_with(b"/.") || memchr(0, path).is_some() {
        return Err(Outside::Nothing);
    }
    if kept.starts_with(b"~") {
        return Err(Outside::Tilde);
    }
    Ok(kept)
}

/// The name of a file as a manifest of this version holds it: line ends as `%0A` and `%0D`, and since 1.0 the
/// percent sign as `%25`. `None` if it cannot be held: it is not UTF-8, or in an older bag it would be read as
/// another name.
pub fn encode(name: &[u8], version: Version) -> Option<Vec<u8>> {
    std::str::from_utf8(name).ok()?;
    let mut text = Vec::with_capacity(name.len());
    for &byte in name {
        match byte {
            b'\n' => text.extend_from_slice(b"%0A"),
            b'\r' => text.extend_from_slice(b"%0D"),
            b'%' if version.encodes_percent() => text.extend_from_slice(b"%25"),
            _ => text.push(byte),
        }
    }
    (decode(&text, version) == name).then_some(text)
}

/// The name behind a path as it stands in a manifest of this version. A percent sign that begins nothing
/// stands for itself.
pub fn decode(text: &[u8], version: Version) -> Vec<u8> {
    let percent: &[u8] = if version.encodes_percent() { b"\n\r%" } else { b"\n\r" };
    decode_only(text, percent)
}

/// Decodes those of the escapes that stand for one of `wanted`.
fn decode_only(text: &[u8], wanted: &[u8]) -> Vec<u8> {
    let mut name = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [byte, behind @ ..] = rest {
        let mut value = [0];
        rest = match (byte, behind.split_at_checked(2)) {
            (b'%', Some((digits, behind)))
                if hex::decode(digits, &mut value) && wanted.contains(&value[0]) =>
            {
                name.push(value[0]);
                behind
            }
            _ => {
                name.push(*byte);
                behind
            }
        };
    }
    name
}

/// The names that other programs may have meant by a path that names no file as it should be read: some
/// encode the percent sign in old bags, some do not in new ones, some encode nothing.
pub(super) fn other_readings(text: &[u8], version: Version) -> Vec<Vec<u8>> {
    let mut readings: Vec<Vec<u8>> = Vec::new();
    let taken = decode(text, version);
    for wanted in [&b"\n\r"[..], b"\n\r%", b""] {
        let reading = decode_only(text, wanted);
        if reading != taken && !readings.contains(&reading) {
            readings.push(reading);
        }
    }
    readings
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OLD: Version = Version { major: 0, minor: 97 };

    #[test]
    fn a_path_that_leads_out_is_refused_and_one_with_dots_is_straightened() {
        for (path, kept) in [("data/a", "data/a"), ("./data//b/./c", "data/b/c"), ("data/..a", "data/..a")] {
            assert_eq!(confined(path.as_bytes()).as_deref(), Ok(kept.as_bytes()));
        }
        for (path, why) in [
            ("/etc/passwd", Outside::Absolute),
            ("../x", Outside::Parent),
            ("data/../../x", Outside::Parent),
            ("data/..", Outside::Parent),
            ("~/x", Outside::Tilde),
            ("./~root/x", Outside::Tilde),
            ("", Outside::Nothing),
            ("./", Outside::Nothing),
            ("data/", Outside::Nothing),
            ("data/.", Outside::Nothing),
            ("data/a\0b", Outside::Nothing),
        ] {
            assert_eq!(confined(path.as_bytes()), Err(why), "{path}");
        }
    }

    #[test]
    fn what_is_encoded_depends_on_the_version() {
        let name = b"data/100%\r\n%41";
        assert_eq!(encode(name, Version::CURRENT).unwrap(), b"data/100%25%0D%0A%2541");
        assert_eq!(encode(name, OLD).unwrap(), b"data/100%%0D%0A%41");
        assert_eq!(encode(b"data/%0a", OLD), None, "it would be read as a newline");
        assert_eq!(encode(b"data/\xff", Version::CURRENT), None);
        assert_eq!(decode(b"%0a%0D%25%7E%", Version::CURRENT), b"\n\r%%7E%");
        assert_eq!(decode(b"%0a%0D%25%7E%2", OLD), b"\n\r%25%7E%2");
        assert_eq!(other_readings(b"a%25b", Version::CURRENT), [b"a%25b".to_vec()]);
        assert_eq!(other_readings(b"a%25b", OLD), [b"a%b".to_vec()]);
        assert!(other_readings(b"a b%", OLD).is_empty());
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded_again(name in "[a%0-9AD\\n\\r/\u{e9}]{0,40}", old: bool) {
            let version = if old { OLD } else { Version::CURRENT };
            if let Some(text) = encode(name.as_bytes(), version) {
                prop_assert!(memchr::memchr2(b'\n', b'\r', &text).is_none());
                prop_assert_eq!(decode(&text, version), name.as_bytes());
            }
            prop_assert!(old || encode(name.as_bytes(), version).is_some());
        }
    }
}
