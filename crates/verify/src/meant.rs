//! What a list means by a name without a file, where a file is there by another reading of its line.
//!
//! A file of the very name goes first, always: names may be anything.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{self, Path};

use hashlane_audit::folded;
use hashlane_manifest::unescape;
use hashlane_record::ItemPath;
use memchr::{memchr2, memrchr};

use crate::normalization::is_there;

/// Another reading of a name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Meant<'n> {
    pub(crate) name: Cow<'n, [u8]>,
    /// The size that stands beside it, in bytes.
    pub(crate) size: Option<u64>,
    /// A carriage return belongs to the line end: lines of Windows may stand among others.
    pub(crate) is_line_end: bool,
}

impl<'n> Meant<'n> {
    /// The other reading of a name, if it has one.
    pub(crate) fn of(name: &'n [u8]) -> Option<Self> {
        let meant = |name: Cow<'n, [u8]>, size, is_line_end| Self { name, size, is_line_end };
        let borrowed = |name| Cow::Borrowed(name);
        if name.ends_with(b"\r") {
            let end = name.iter().rposition(|&byte| byte != b'\r')? + 1;
            return Some(meant(borrowed(&name[..end]), None, true));
        }
        // RHash escapes names in SFV, which nobody else does.
        if let Some(escaped) = name.strip_prefix(b"\\") {
            return unescape(escaped).map(|name| meant(name, None, false));
        }
        let (name, size) = size_before(name).or_else(|| size_behind(name))?;
        Some(meant(borrowed(name), Some(size), false))
    }
}

/// `SIZE name`.
fn size_before(text: &[u8]) -> Option<(&[u8], u64)> {
    let blank = memchr2(b' ', b'\t', text)?;
    let name = text[blank..].trim_ascii_start();
    Some((name, number(&text[..blank])?)).filter(|_| !name.is_empty())
}

/// `name<TAB>SIZE`.
fn size_behind(text: &[u8]) -> Option<(&[u8], u64)> {
    let tab = memrchr(b'\t', text)?;
    let name = text[..tab].trim_ascii_end();
    Some((name, number(&text[tab + 1..])?)).filter(|_| !name.is_empty())
}

fn number(digits: &[u8]) -> Option<u64> {
    let text =
        std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
    text.parse().ok()
}

/// The only name that is there and differs from one that is not in case alone, in any of its components.
pub(crate) fn in_another_case(base: &Path, name: &[u8]) -> Option<Vec<u8>> {
    if is_there(base, name) {
        return None;
    }
    let mut found = vec![Vec::new()];
    for (place, component) in name.split(|&byte| byte == b'/').enumerate() {
        let mut further = Vec::new();
        for start in &found {
            let slash: &[u8] = if place > 0 { b"/" } else { b"" };
            let begun = [start, slash].concat();
            let exact = [&begun[..], component].concat();
            if component.is_empty() || is_there(base, &exact) {
                further.push(exact);
                continue;
            }
            let directory = match begun.is_empty() {
                true if base.as_os_str().is_empty() => Path::new(".").to_owned(),
                _ => base.join(OsStr::from_bytes(&begun)),
            };
            let entries = fs::read_dir(directory).into_iter().flatten().flatten();
            let names = entries.map(|entry| entry.file_name().into_encoded_bytes());
            let alike = names.filter(|other| folded(other) == folded(component));
            further.extend(alike.map(|other| [&begun[..], &other].concat()));
        }
        found = further;
    }
    found.pop().filter(|_| found.is_empty())
}

/// A name that is relative to where the program runs, relative to a base that it lies below; otherwise as it is.
pub(crate) fn below(base: &Path, name: &ItemPath) -> ItemPath {
    let (Ok(base), Ok(path)) = (path::absolute(base), path::absolute(name.as_path())) else {
        return name.clone();
    };
    path.strip_prefix(&base)
        .map_or_else(|_| name.clone(), |below| below.as_os_str().as_encoded_bytes().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_readings_of_names() {
        let read = |name: &str| {
            let meant = Meant::of(name.as_bytes())?;
            Some((String::from_utf8(meant.name.to_vec()).expect("text"), meant.size, meant.is_line_end))
        };
        let is = |name: &str, size, is_line_end| Some((name.to_owned(), size, is_line_end));
        assert_eq!(read("a b\r"), is("a b", None, true));
        assert_eq!(read("a b\r\r"), is("a b", None, true));
        assert_eq!(read("\\a\\nb"), is("a\nb", None, false));
        assert_eq!(read("12 a b"), is("a b", Some(12), false));
        assert_eq!(read("a b\t\t2"), is("a b", Some(2), false));
        for plain in ["a", "a 1", "12", "\r", "\\a\\q", "x12 a", "18446744073709551616 a"] {
            assert_eq!(read(plain), None, "{plain}");
        }
    }

    #[test]
    fn the_only_name_in_another_case_is_found() {
        let root = tempfile::tempdir().expect("a directory");
        fs::create_dir(root.path().join("Photos")).expect("made");
        for name in ["Photos/A.JPG", "Photos/b", "Photos/B", "x"] {
            fs::write(root.path().join(name), "").expect("written");
        }
        let found = |name: &str| {
            in_another_case(root.path(), name.as_bytes()).map(|name| String::from_utf8(name).expect("text"))
        };
        assert_eq!(found("photos/a.jpg").as_deref(), Some("Photos/A.JPG"));
        assert_eq!(found("photos/b").as_deref(), Some("Photos/b"));
        for none in ["Photos/A.JPG", "photos/c", "x/y", "PHOTOS/./a"] {
            assert_eq!(found(none), None, "{none}");
        }
        assert_eq!(found("X").as_deref(), Some("x"));
    }

    #[test]
    fn a_name_below_a_base_is_relative_to_it() {
        let name =
            |base: &str, name: &str| below(Path::new(base), &ItemPath::from(name)).as_path().to_owned();
        assert_eq!(name("t", "t/a.iso"), Path::new("a.iso"));
        assert_eq!(name("t/", "./t/u/a.iso"), Path::new("u/a.iso"));
        assert_eq!(name("t", "u/a.iso"), Path::new("u/a.iso"));
    }
}
