//! Where names lie: those that are listed, and those that are found in a tree.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use memchr::memmem;

use crate::args::DiffArgs;
use crate::extras::{here, normal};

/// Brings names together: relative names begin at the current directory, or at --base.
#[derive(Debug)]
pub(crate) struct Places {
    /// The directory from which on the names of the tree count.
    base: Option<Vec<u8>>,
    /// The current directory; empty with a base, and where nobody knows it.
    here: Vec<u8>,
    /// What lies below the current directory is named from there on. Not so for a tree that the current directory lies in: its
    /// names would lose their order.
    from_here: bool,
    /// What is taken off listed names, with a slash at its end.
    prefixes: Vec<Vec<u8>>,
}

impl Places {
    pub(crate) fn new(args: &DiffArgs, tree: Option<&OsStr>) -> Self {
        let base = args.base.as_ref().map(|base| base.as_os_str().as_bytes().to_vec());
        let here = match base {
            Some(_) => Vec::new(),
            None => here(),
        };
        let is_in = |tree: &OsStr| {
            let root = normal(&here, tree.as_bytes());
            here != root && Path::new(OsStr::from_bytes(&here)).starts_with(OsStr::from_bytes(&root))
        };
        let from_here = !tree.is_some_and(is_in);
        let prefixes = args.strip_prefix.iter().map(|prefix| {
            let prefix = prefix.as_bytes();
            let end = prefix.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1);
            [&prefix[..end], b"/"].concat()
        });
        Self { base, here, from_here, prefixes: prefixes.collect() }
    }

    /// What a listed name is compared by.
    pub(crate) fn of_listed<'a>(&self, name: &'a [u8]) -> Cow<'a, [u8]> {
        let stripped = self.prefixes.iter().find_map(|prefix| name.strip_prefix(prefix.as_slice()));
        self.of(stripped.unwrap_or(name))
    }

    /// What the name of a file in the tree is compared by.
    pub(crate) fn of_found<'a>(&self, name: &'a [u8]) -> Cow<'a, [u8]> {
        let Some(base) = &self.base else { return self.of(name) };
        let below = name.strip_prefix(base.as_slice()).unwrap_or(name);
        let start = below.iter().position(|&byte| byte != b'/').unwrap_or(below.len());
        self.of(&below[start..])
    }

    /// The directory that relative names are relative to: nothing where that is another one than the current one.
    pub(crate) fn here(&self) -> &[u8] {
        &self.here
    }

    /// Where the file of a name lies, or would lie, if it can lie anywhere.
    pub(crate) fn path(&self, name: &[u8]) -> Option<PathBuf> {
        let Some(base) = &self.base else { return Some(PathBuf::from(OsStr::from_bytes(name))) };
        let leads_out = name.starts_with(b"/") || name.split(|&byte| byte == b'/').any(|part| part == b"..");
        (!leads_out).then(|| Path::new(OsStr::from_bytes(base)).join(OsStr::from_bytes(name)))
    }

    /// The facts of the file of a name, if there is one. An error that does not say so is no proof of anything.
    pub(crate) fn facts(&self, name: &[u8]) -> io::Result<Metadata> {
        self.path(name).map_or_else(|| Err(io::ErrorKind::NotFound.into()), std::fs::metadata)
    }

    fn of<'a>(&self, name: &'a [u8]) -> Cow<'a, [u8]> {
        if (self.from_here || self.here.is_empty()) && is_plain(name) {
            return Cow::Borrowed(name);
        }
        let mut normal = normal(&self.here, name);
        let below = normal.strip_prefix(self.here.as_slice()).and_then(|rest| rest.strip_prefix(b"/"));
        if let Some(below) = below.filter(|_| self.from_here && !self.here.is_empty()) {
            let start = normal.len() - below.len();
            normal.drain(..start);
        }
        Cow::Owned(normal)
    }
}

/// Whether a relative name is spelled as it is when it is brought together with others.
fn is_plain(name: &[u8]) -> bool {
    !matches!(name.first(), None | Some(b'/' | b'.'))
        && name.last() != Some(&b'/')
        && !name.ends_with(b"/.")
        && memmem::find(name, b"//").is_none()
        && memmem::find(name, b"/./").is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(here: &str, from_here: bool, prefixes: &[&str]) -> Places {
        let prefixes = prefixes.iter().map(|prefix| prefix.as_bytes().to_vec()).collect();
        Places { base: None, here: here.into(), from_here, prefixes }
    }

    #[test]
    fn names_that_are_plain_are_those_that_do_not_change() {
        let names: [&[u8]; 12] =
            [b"a", b"a/b", b".a", b"./a", b"a//b", b"a/./b", b"a/", b"a/.", b"a/..", b"..a/b", b"", b"a/.b"];
        for name in names {
            if is_plain(name) {
                assert_eq!(normal(b"", name), name);
            }
        }
        assert!(is_plain(b"a/b") && is_plain(b"a/..") && !is_plain(b"./a") && !is_plain(b"a/."));
    }

    #[test]
    fn names_below_the_current_directory_begin_there() {
        let places = places("/home/ada", true, &["/old/", "new/"]);
        let cases = [
            ("./a", "a"),
            ("a//b/./c", "a/b/c"),
            ("/home/ada/a", "a"),
            ("/home/adam/a", "/home/adam/a"),
            ("../b", "/home/b"),
            ("/old/x", "x"),
            ("new/x", "x"),
            ("/older/x", "/older/x"),
            ("/old/new/x", "new/x"),
        ];
        for (name, expected) in cases {
            assert_eq!(*places.of_listed(name.as_bytes()), *expected.as_bytes(), "{name}");
        }
    }

    #[test]
    fn names_of_a_tree_around_the_current_directory_keep_their_order() {
        let places = places("/home/ada", false, &[]);
        assert_eq!(*places.of_found(b"../ada/x"), *b"/home/ada/x");
        assert_eq!(*places.of_found(b"../bob"), *b"/home/bob");
        assert_eq!(*places.of_listed(b"x"), *b"/home/ada/x");
    }
}
