//! Names of lists as paths below the root of a collection.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hashlane_auditor::is_held;
use hashlane_objects::is_object;
use hashlane_verify::lists::ListOptions;
use hashlane_verify::{Within, taken_off};

use crate::paths::plain;

/// How listed names lead to files of a collection: they are relative to its root, or begin with it.
#[derive(Clone, Debug)]
pub struct BelowRoot {
    within: Within,
    is_in_store: bool,
    /// What is taken off them. Relative names without it are none of the collection.
    prefix: Option<OsString>,
}

impl BelowRoot {
    /// Names below a root, behind a prefix if one is given.
    pub fn new(root: &Path, prefix: Option<&OsStr>) -> Self {
        let is_in_store = is_object(root.as_os_str().as_bytes());
        Self { within: Within::of(root), is_in_store, prefix: prefix.map(OsStr::to_owned) }
    }

    /// Gets to know how the names of a list begin, before the first of them is asked for.
    pub fn begin(&mut self, list: &OsStr, reading: &ListOptions) {
        let Self { within, is_in_store, prefix } = self;
        within.begin(list, reading, |name| {
            let off = prefix.as_deref().and_then(|prefix| taken_off(prefix, name, *is_in_store));
            off.unwrap_or(name).to_vec()
        });
    }

    /// Whether all names of the present list begin with the name of the root, which has nothing of that name: they may be relative to the
    /// directory above it.
    pub fn is_one_too_deep(&self) -> bool {
        self.within.one_too_deep().is_some()
    }

    /// A listed name as a path below the root; `None` if it leads elsewhere.
    pub fn path(&self, name: &[u8]) -> Option<Vec<u8>> {
        let off = self.prefix.as_deref().map(|prefix| taken_off(prefix, name, self.is_in_store));
        let below = match off {
            Some(Some(rest)) => Cow::Borrowed(rest),
            Some(None) => self.within.below(name)?,
            None => self.within.inside(name)?,
        };
        if self.is_in_store {
            // Dots are letters of a key.
            return Some(below.into_owned()).filter(|path| is_held(path));
        }
        // A list that leads up somewhere is not of this tree, even where it comes down again.
        let leads_up = below.split(|&byte| byte == b'/').any(|component| component == b"..");
        plain(Path::new(OsStr::from_bytes(&below))).filter(|path| !path.is_empty() && !leads_up)
    }

    /// Whether a name is whole, and none below the root: the list that it is of is one of another place.
    pub fn is_elsewhere(&self, name: &[u8]) -> bool {
        let off = self.prefix.as_deref().and_then(|prefix| taken_off(prefix, name, self.is_in_store));
        off.is_none() && self.within.inside(name).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(root: &str, prefix: Option<&str>, name: &str) -> Option<String> {
        let names = BelowRoot::new(Path::new(root), prefix.map(OsStr::new));
        names.path(name.as_bytes()).map(|path| String::from_utf8(path).expect("text"))
    }

    #[test]
    fn names_are_relative_to_a_root_or_begin_with_it() {
        let tree = |name| path("/srv/photos", None, name);
        for name in ["a/b", "./a//b", "/srv/photos/a/b", "/srv//photos/./a/b"] {
            assert_eq!(tree(name).as_deref(), Some("a/b"), "{name}");
        }
        for name in ["/srv/photos", "/srv/photos-old/a", "../a", "a/../../b", "s3://photos/a", "."] {
            assert_eq!(tree(name), None, "{name}");
        }
        let store = |name| path("s3://b/p", None, name);
        assert_eq!(["a/./b", "s3://b/p/a/./b"].map(|name| store(name).expect("below")), ["a/./b"; 2]);
        for name in ["s3://b/p", "s3://b/q/a", "gs://b/p/a", "/a", "./a"] {
            assert_eq!(store(name), None, "{name}");
        }
    }

    #[test]
    fn what_is_taken_off_is_in_all_relative_names() {
        for prefix in ["old/t", "./old/t/", "old//t"] {
            let below = |name| path("/srv/t", Some(prefix), name);
            assert_eq!(below("old/t/a").as_deref(), Some("a"), "{prefix}");
            assert_eq!(below("/srv/t/a").as_deref(), Some("a"), "{prefix}");
            assert_eq!([below("a"), below("old/tt/a"), below("/old/t/a")], [None, None, None], "{prefix}");
        }
        assert_eq!(path("/srv/t", Some("/old/t"), "/old/t/a").as_deref(), Some("a"));
        assert_eq!(path("s3://b", Some("s3://old"), "s3://old/a").as_deref(), Some("a"));
    }
}
