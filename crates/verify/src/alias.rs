//! Other names of the tree that a list is compared with: whole names, and names that lead to it by symbolic links.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use crate::lists::ListOptions;
use crate::normal::{here, normal};
use crate::within::Within;

/// A tree that has several names. What is listed below any of them is meant by the one that the tree was given.
#[derive(Clone, Debug)]
pub(crate) struct Alias {
    within: Within,
    /// What the tree was called.
    named: Vec<u8>,
    /// What relative names are relative to, from the root; empty if it is unknown.
    start: Vec<u8>,
}

impl Alias {
    /// `base`: what listed names are relative to, if that is not the current directory.
    pub(crate) fn of(tree: &OsStr, base: &Path) -> Self {
        let start = normal(&here(), base.as_os_str().as_bytes());
        Self { within: Within::directory(Path::new(tree)), named: tree.as_bytes().to_vec(), start }
    }

    /// Gets to know how the names of a list begin. `bare`: a name as the list means it.
    pub(crate) fn begin(&mut self, list: &OsStr, reading: &ListOptions, bare: impl Fn(&[u8]) -> Vec<u8>) {
        let start = &self.start;
        self.within.begin(list, reading, |name| normal(start, &bare(name)));
    }

    /// A listed name as the tree has it; `None` if it does not lie in the tree.
    pub(crate) fn found(&self, name: &[u8]) -> Option<Vec<u8>> {
        let whole = normal(&self.start, name);
        let below: Cow<'_, [u8]> = self.within.below(&whole).filter(|_| whole.starts_with(b"/"))?;
        match &*below {
            b"." => Some(self.named.clone()),
            below => Some([&self.named[..], b"/", below].concat()),
        }
    }
}

/// A tree by a name that begins with a directory that it lies in, however both are named; `None` if it does not lie there.
pub fn named_below(base: &Path, tree: &OsStr) -> Option<PathBuf> {
    let within = Within::directory(base);
    let below = |name: &[u8]| within.below(name).map(Cow::into_owned);
    let leads_up = |below: &Vec<u8>| {
        Path::new(OsStr::from_bytes(below)).components().any(|part| part == Component::ParentDir)
    };
    let named = below(&normal(&here(), tree.as_bytes())).filter(|below| !leads_up(below));
    let real = || below(Path::new(tree).canonicalize().ok()?.as_os_str().as_bytes());
    let below = named.or_else(real)?;
    Some(if below == b"." { base.to_owned() } else { base.join(OsStr::from_bytes(&below)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_lies_in_a_directory_however_both_are_named() {
        let root = tempfile::tempdir().expect("a directory");
        let path = |name: &str| root.path().canonicalize().expect("there").join(name);
        std::fs::create_dir_all(path("t/d")).expect("made");
        std::fs::create_dir(path("tt")).expect("made");
        std::os::unix::fs::symlink("t", path("lt")).expect("made");
        std::os::unix::fs::symlink("t/d", path("ld")).expect("made");
        let named = |base: &str, tree: &str| named_below(&path(base), path(tree).as_os_str());
        for (base, tree, expected) in [
            ("t", "t", Some("t")),
            ("t", "t/./d/", Some("t/d")),
            ("lt", "t/d", Some("lt/d")),
            ("t", "lt/d", Some("t/d")),
            ("t", "ld", Some("t/d")),
            // The name that it was given is kept where it lies there by that one.
            ("", "lt", Some("lt")),
            ("t", "tt", None),
            ("t/d", "t", None),
            ("t", "t/../tt", None),
            ("t", "nothing", None),
        ] {
            assert_eq!(named(base, tree), expected.map(path), "{base} {tree}");
        }
    }
}
