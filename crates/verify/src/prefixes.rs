//! Roots in a store, byte by byte.

use std::collections::HashSet;

use hashlane_record::ItemPath;

/// Roots: the names that begin with one of them and a slash lie below it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prefixes(HashSet<Vec<u8>>);

impl Prefixes {
    pub(crate) fn new<'a>(roots: impl IntoIterator<Item = &'a ItemPath>) -> Self {
        Self(roots.into_iter().map(|root| root.as_bytes().to_vec()).collect())
    }

    /// Whether a name is one of the roots or lies below one.
    pub(crate) fn hold(&self, name: &[u8]) -> bool {
        self.0.contains(name) || self.is_below(name)
    }

    /// Whether a name lies below one of the roots, and is not that root itself.
    fn is_below(&self, name: &[u8]) -> bool {
        let mut slashes = (0..name.len()).filter(|&at| name[at] == b'/');
        slashes.any(|at| self.0.contains(&name[..at]) || at + 1 < name.len() && self.0.contains(&name[..=at]))
    }
}

/// Roots, each once. `nested`: without those that lie in another one, too.
pub(crate) fn distinct(roots: Vec<ItemPath>, nested: bool) -> Vec<ItemPath> {
    let named = Prefixes::new(&roots);
    let mut met = HashSet::new();
    let is_wanted = |root: &ItemPath| {
        !(nested && named.is_below(root.as_bytes())) && met.insert(root.as_bytes().to_vec())
    };
    roots.into_iter().filter(is_wanted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_lies_below_a_root_where_the_root_ends_at_one_of_its_slashes() {
        let prefixes = |roots: &[&str]| {
            let roots: Vec<_> = roots.iter().map(|root| ItemPath::from(*root)).collect();
            Prefixes::new(&roots)
        };
        let photos = prefixes(&["s3://b/photos"]);
        for name in ["s3://b/photos", "s3://b/photos/a", "s3://b/photos/", "s3://b/photos//a"] {
            assert!(photos.hold(name.as_bytes()), "{name}");
        }
        for name in ["s3://b/photos-old", "s3://b/photo", "s3://b", "photos/a", "s3://b//photos/a"] {
            assert!(!photos.hold(name.as_bytes()), "{name}");
        }
        // All below, and not what has the name itself.
        let below = prefixes(&["s3://b/photos/"]);
        assert!(below.hold(b"s3://b/photos/a") && below.hold(b"s3://b/photos//a"));
        assert!(!below.hold(b"s3://b/photos"));
        assert!(prefixes(&["s3://b"]).hold(b"s3://b/a") && !prefixes(&["s3://b//"]).hold(b"s3://b/a"));
    }

    #[test]
    fn roots_that_lie_in_others_are_left_out_where_that_is_asked_for() {
        let distinct = |roots: &[&str], nested| {
            let roots = roots.iter().map(|root| ItemPath::from(*root)).collect();
            let kept = distinct(roots, nested);
            kept.iter().map(|root| root.escaped().to_string()).collect::<Vec<_>>()
        };
        let roots = ["s3://b/a/c", "s3://b/a", "s3://b/ab", "s3://b/a", "s3://b/a/"];
        assert_eq!(distinct(&roots, true), ["s3://b/a", "s3://b/ab"]);
        assert_eq!(distinct(&roots, false), ["s3://b/a/c", "s3://b/a", "s3://b/ab", "s3://b/a/"]);
        assert_eq!(distinct(&[], true), [""; 0]);
    }
}
