//! The directories below which listed names lie, for globs that are compared with what is left of a name there.
//!
//! Manifests name as many roots as they have lines. So each is brought into its normal form once, when it comes up,
//! and a name asks for its own ancestors alone: in 16 MiB of roots are no more than some 5,800 different lengths, and no slash
//! of a name stands at most of them.

use std::collections::{BTreeSet, HashSet};

use hashlane_record::ItemPath;

use crate::normal::normal;

/// Some roots. None: the one that names are relative to.
#[derive(Clone, Debug, Default)]
pub struct Roots {
    normal: HashSet<Vec<u8>>,
    /// The lengths of those, in bytes.
    lengths: BTreeSet<usize>,
    /// How many of those that were named are in it, repeated ones too.
    taken: usize,
}

impl Roots {
    /// Takes in those of `named` that were not among them the last time: more may follow, and none goes.
    pub(super) fn grow(&mut self, here: &[u8], named: &[ItemPath]) {
        for root in named.iter().skip(self.taken) {
            let root = normal(here, root.as_bytes());
            self.lengths.insert(root.len());
            self.normal.insert(root);
        }
        self.taken = self.taken.max(named.len());
    }

    /// Whether a name in its normal form is a root itself.
    pub(super) fn has(&self, name: &[u8]) -> bool {
        self.normal.contains(name)
    }

    /// What is left of a name in its normal form below each of the roots that it lies in.
    pub(super) fn below<'a>(&'a self, here: &'a [u8], name: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let current = (self.taken == 0).then(|| below(name, here)).flatten();
        let lengths = self.lengths.iter().take_while(|&&length| length <= name.len());
        let named = lengths.filter_map(move |&length| {
            // Before the set is asked: mostly the name has no slash there.
            let rest = below(name, &name[..length])?;
            self.normal.contains(&name[..length]).then_some(rest)
        });
        named.chain(current)
    }
}

/// A name below a root, both from the same place on. The root of an empty name holds all relative names.
fn below<'a>(name: &'a [u8], root: &[u8]) -> Option<&'a [u8]> {
    if root.is_empty() {
        return (!name.starts_with(b"/")).then_some(name);
    }
    let rest = name.strip_prefix(root)?;
    if root.ends_with(b"/") { Some(rest) } else { rest.strip_prefix(b"/") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_lies_below_its_ancestors_and_not_below_itself() {
        let mut roots = Roots::default();
        let below = |roots: &Roots, here: &str, name: &str| {
            let rest = roots.below(here.as_bytes(), name.as_bytes());
            rest.map(|rest| String::from_utf8(rest.into()).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(below(&roots, "/home", "/home/a/b"), ["a/b"]);
        assert_eq!(below(&roots, "", "a/b"), ["a/b"]);
        let mut named = vec![ItemPath::from("/"), ItemPath::from("a"), ItemPath::from("/home/./a/")];
        roots.grow(b"/home", &named);
        assert_eq!(below(&roots, "/home", "/home/a/b"), ["home/a/b", "b"]);
        assert_eq!(below(&roots, "/home", "/home/a"), ["home/a"]);
        assert_eq!(below(&roots, "/home", "/home/ab/c"), ["home/ab/c"]);
        named.push(ItemPath::from("a/b"));
        roots.grow(b"/home", &named);
        assert_eq!(below(&roots, "/home", "/home/a/b/c"), ["home/a/b/c", "b/c", "c"]);
    }
}
