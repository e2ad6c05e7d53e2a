//! The names that manifests list, in little memory.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::hash::{BuildHasher as _, RandomState};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hashlane_record::ItemPath;

use crate::normal::{here, normal};

/// The names that a manifest lists, as 128-bit fingerprints: 16 bytes and the table's own overhead for each, whatever its
/// length. The keys are random, so nobody can prepare names that collide.
#[derive(Debug, Default)]
pub(crate) struct Names {
    names: HashSet<u128>,
    /// How many names are in each directory, where they are relative to each other: a fingerprint does not tell what it lies below.
    directories: HashMap<Vec<u8>, usize>,
    keys: (RandomState, RandomState),
    relative: bool,
    /// What relative names are relative to; empty: to each other.
    here: Vec<u8>,
    /// They are keys, which are others as soon as a byte is.
    are_keys: bool,
}

impl Names {
    /// Nothing yet. Names are relative to the current directory, so that `photos/a` and `/home/ada/photos/a` are the
    /// same there.
    pub(crate) fn from_here() -> Self {
        Self { here: here(), ..Self::default() }
    }

    /// Nothing yet. Names are keys of a store.
    pub(crate) fn of_keys() -> Self {
        Self { are_keys: true, ..Self::default() }
    }

    /// Takes note of a listed name.
    pub(crate) fn add(&mut self, name: &[u8]) {
        self.relative |= !name.starts_with(b"/");
        let name = self.compared(name).into_owned();
        let is_new = self.names.insert(self.fingerprint(&name));
        if is_new && self.here.is_empty() {
            match self.directories.get_mut(directory(&name)) {
                Some(names) => *names += 1,
                None => _ = self.directories.insert(directory(&name).to_vec(), 1),
            }
        }
    }

    /// Whether all of the names, which are relative to each other, are among these roots or lie below one.
    pub(crate) fn lie_in(&self, roots: &[ItemPath]) -> bool {
        let roots: HashSet<Vec<u8>> = roots.iter().map(|root| normal(b"", root.as_bytes())).collect();
        let mut files: HashMap<&[u8], usize> = HashMap::new();
        for file in roots.iter().filter(|root| self.has(root)) {
            *files.entry(directory(file)).or_default() += 1;
        }
        self.directories.iter().all(|(directory, names)| {
            let mut above = Path::new(OsStr::from_bytes(directory)).ancestors();
            above.any(|above| roots.contains(above.as_os_str().as_bytes()))
                || files.get(directory.as_slice()) == Some(names)
        })
    }

    /// Whether a name is listed.
    pub(crate) fn has(&self, name: &[u8]) -> bool {
        self.names.contains(&self.fingerprint(&self.compared(name)))
    }

    /// A name that was found, as a listed one is written: an audit calls it the same. What does not lie below the current directory keeps the
    /// name by which it was found.
    pub(crate) fn shown<'a>(&self, name: &'a [u8]) -> Cow<'a, [u8]> {
        if !self.relative || self.are_keys {
            return Cow::Borrowed(name);
        }
        let whole = self.compared(name);
        let below = whole.strip_prefix(&self.here[..]).and_then(|below| match self.here.is_empty() {
            true => Some(below),
            false => below.strip_prefix(b"/"),
        });
        below
            .filter(|below| !below.is_empty())
            .map_or(Cow::Borrowed(name), |below| Cow::Owned(below.to_vec()))
    }

    fn compared<'a>(&self, name: &'a [u8]) -> Cow<'a, [u8]> {
        if self.are_keys { Cow::Borrowed(name) } else { Cow::Owned(normal(&self.here, name)) }
    }

    /// Whether any listed name is relative.
    pub(crate) fn has_relative(&self) -> bool {
        self.relative
    }

    fn fingerprint(&self, name: &[u8]) -> u128 {
        u128::from(self.keys.0.hash_one(name)) << 64 | u128::from(self.keys.1.hash_one(name))
    }
}

/// The directory that a name is in; empty: the one that names are relative to.
fn directory(name: &[u8]) -> &[u8] {
    let parent = Path::new(OsStr::from_bytes(name)).parent();
    parent.map_or(b"", |parent| parent.as_os_str().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_to_the_same_file_are_the_same() {
        let mut names = Names::default();
        names.add(b"./a//b/./c");
        assert!(names.has(b"a/b/c") && names.has_relative());
        assert!(!names.has(b"/a/b/c") && !names.has(b"a/b/../b/c"));
        assert_eq!([&b"./x//y"[..], b"/x/y"].map(|name| names.shown(name)), [&b"x/y"[..], b"/x/y"]);
        let mut names = Names { here: b"/home/ada".to_vec(), ..Names::default() };
        assert_eq!(names.shown(b"/home/ada/x"), &b"/home/ada/x"[..], "no name is relative");
        names.add(b"a");
        for (found, shown) in [
            ("./x", "x"),
            ("/home/ada/./x", "x"),
            ("x/y", "x/y"),
            ("../x", "../x"),
            ("/home/adam/x", "/home/adam/x"),
        ] {
            assert_eq!(names.shown(found.as_bytes()), shown.as_bytes(), "{found}");
        }
        let mut names = Names::default();
        names.add(b"//abs/./x");
        assert!(names.has(b"/abs/x") && !names.has_relative());
    }

    #[test]
    fn names_lie_in_roots_that_are_above_all_of_them() {
        let mut names = Names::default();
        for name in ["t/a", "./t/sub/b", "u/c", "u/c"] {
            names.add(name.as_bytes());
        }
        let lie_in = |names: &Names, roots: &[&str]| {
            let roots: Vec<_> = roots.iter().map(|root| ItemPath::from(root.as_bytes())).collect();
            names.lie_in(&roots)
        };
        assert!(lie_in(&names, &["t/", "u"]) && lie_in(&names, &["t", "u/c"]) && lie_in(&names, &["."]));
        assert!(!lie_in(&names, &["t"]) && !lie_in(&names, &["t/a", "u"]) && !lie_in(&names, &[]));
        names.add(b"u/beside");
        assert!(!lie_in(&names, &["t", "u/c"]) && !lie_in(&names, &["t", "u/c", "u/d"]));
        assert!(lie_in(&names, &["t", "u/c", "u/beside"]));
    }

    #[test]
    fn keys_are_others_as_soon_as_a_byte_is() {
        let mut names = Names::of_keys();
        names.add(b"a//b");
        names.add(b"../c");
        assert!(names.has(b"a//b") && names.has(b"../c"));
        assert!(!names.has(b"a/b") && !names.has(b"./a//b") && !names.has(b"c"));
    }

    #[test]
    fn a_relative_name_and_an_absolute_one_are_the_same_where_it_starts() {
        let mut names = Names { here: b"/home/ada".to_vec(), ..Names::default() };
        names.add(b"photos/a");
        names.add(b"../b");
        names.add(b"../../../c");
        names.add(b"x/../d");
        assert!(names.has(b"/home/ada/photos/a") && names.has(b"./photos/a"));
        assert!(names.has(b"/home/b") && names.has(b"/c") && names.has(b"../../c"));
        assert!(!names.has(b"d"), "x may be a symbolic link");
    }
}
