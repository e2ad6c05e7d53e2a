//! Selects files by name, size and time: those that a walk finds, and those that are listed.

mod roots;

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use hashlane_engine::{Bounds, WalkOptions};
use hashlane_record::{ItemPath, Timestamp};

use crate::normal::normal;

pub use roots::Roots;

/// Whether a file is within bounds of size and time.
pub fn lies_within(bounds: &Bounds, facts: &Metadata) -> bool {
    let modified = Timestamp { seconds: facts.mtime(), nanos: facts.mtime_nsec() as u32 };
    !facts.is_file() || bounds.hold(Some(facts.len()), Some(modified))
}

/// The devices of the roots.
pub fn devices(roots: &[ItemPath]) -> BTreeSet<u64> {
    let facts = roots.iter().filter_map(|root| std::fs::metadata(root.as_path()).ok());
    facts.map(|facts| facts.dev()).collect()
}

/// Selects files that manifests list. All others are excluded: neither missing nor verified.
#[derive(Clone, Debug)]
pub struct Selection {
    /// How directories are walked, and which files are selected.
    pub walk: WalkOptions,
    /// What relative names are relative to.
    here: Vec<u8>,
}

impl Selection {
    /// Selects what a walk finds. `here`: what listed names are relative to: the current directory or, with a base, nothing.
    pub fn new(walk: WalkOptions, here: Vec<u8>) -> Self {
        Self { walk, here }
    }

    /// The bounds of size and time.
    pub fn bounds(&self) -> &Bounds {
        self.walk.filter.bounds()
    }

    /// Whether any file could be excluded.
    pub fn is_everything(&self) -> bool {
        self.walk.filter.is_empty() && self.bounds().are_open() && !self.walk.one_file_system
    }

    /// Adds the new ones of `named` to the roots. `named` may only have grown.
    pub fn grow(&self, roots: &mut Roots, named: &[ItemPath]) {
        // Without globs nobody asks for them.
        if !self.walk.filter.is_empty() {
            roots.grow(&self.here, named);
        }
    }

    /// Exactly these roots.
    pub fn roots(&self, named: &[ItemPath]) -> Roots {
        let mut roots = Roots::default();
        self.grow(&mut roots, named);
        roots
    }

    /// One root, which is needed even without globs.
    pub fn root(&self, named: &ItemPath) -> Roots {
        let mut roots = Roots::default();
        roots.grow(&self.here, std::slice::from_ref(named));
        roots
    }

    /// Whether a name is one of the roots or below one.
    pub fn lies_in(&self, name: &[u8], roots: &Roots) -> bool {
        let name = normal(&self.here, name);
        roots.has(&name) || roots.below(&self.here, &name).next().is_some()
    }

    /// Whether the globs select a listed name. Globs with a slash are matched against the path below its root, or against the whole name if
    /// it is in no root. One root that matches is enough. No roots: the root that names are relative to.
    pub fn takes_name(&self, name: &[u8], roots: &Roots) -> bool {
        let filter = &self.walk.filter;
        if filter.is_empty() {
            return true;
        }
        let name = normal(&self.here, name);
        let mut below = roots.below(&self.here, &name).peekable();
        if below.peek().is_none() {
            let start = name.iter().position(|&byte| byte != b'/').unwrap_or(name.len());
            return filter.takes_below(&name[start..]);
        }
        below.any(|relative| filter.takes_below(relative))
    }

    /// Whether the walk stays on the file systems of its roots, and a file, or the directory that it would be in, is on another one.
    /// `devices`: those of the roots; none if they are unknown.
    pub fn is_elsewhere(&self, path: &Path, devices: &BTreeSet<u64>) -> bool {
        if !self.walk.one_file_system || devices.is_empty() {
            return false;
        }
        let above =
            path.ancestors().map(|above| if above.as_os_str().is_empty() { Path::new(".") } else { above });
        let device = above.filter_map(|above| std::fs::metadata(above).ok()).map(|facts| facts.dev()).next();
        device.is_some_and(|device| !devices.contains(&device))
    }

    /// Whether a listed size and time are within the bounds; this is all that can be checked for a file that is gone.
    pub fn takes_listed(&self, size: Option<u64>, modified: Option<Timestamp>) -> bool {
        self.bounds().hold(size, modified)
    }
}

#[cfg(test)]
mod tests {
    use hashlane_engine::{Filter, Memory};

    use super::*;

    fn selection(here: &str, exclude: &[&str]) -> Selection {
        let exclude: Vec<_> = exclude.iter().map(|&glob| glob.to_owned()).collect();
        let walk = WalkOptions {
            follow: false,
            inside: None,
            one_file_system: false,
            filter: Filter::new(&[], &exclude, &[]).expect("good globs"),
            spill_directory: std::env::temp_dir(),
            memory: Memory::default(),
        };
        Selection::new(walk, here.into())
    }

    #[test]
    fn globs_are_compared_with_what_lies_below_a_root() {
        let selection = selection("/home/ada", &["*.log", "/cache"]);
        let roots = selection.roots(&[ItemPath::from("t"), ItemPath::from("/srv/u")]);
        let taken = |name: &str| selection.takes_name(name.as_bytes(), &roots);
        assert!(taken("t/a") && taken("t/sub/cache") && taken("/srv/u/x/cache"));
        assert!(!taken("t/a.log") && !taken("t/cache/x") && !taken("./t//cache/x"));
        assert!(!taken("/home/ada/t/cache/x") && !taken("../../srv/u/cache/x"));
        // In no root: all of the name.
        assert!(taken("/other/cache") && !taken("/cache/x") && !taken("/other/x.log"));
    }

    #[test]
    fn a_name_that_one_of_several_roots_has_is_taken() {
        let named = [ItemPath::from("t"), ItemPath::from("t/sub")];
        let selection = selection("", &["/sub"]);
        let taken = |name: &[u8], named: &[ItemPath]| selection.takes_name(name, &selection.roots(named));
        assert!(taken(b"t/sub/a", &named) && !taken(b"t/sub/a", &named[..1]));
        for named in [&[ItemPath::from(".")][..], &[]] {
            assert!(!taken(b"sub/a", named) && taken(b"t/sub/a", named));
        }
    }

    #[test]
    fn names_do_not_cost_more_the_more_roots_there_are() {
        // Each name with each root would be 10^10 comparisons, which nobody waits for.
        let selection = selection("/home/ada", &["/cache"]);
        let named: Vec<_> =
            (0..100_000).map(|number| ItemPath::from(format!("t{number}").as_bytes())).collect();
        let mut roots = Roots::default();
        for end in 1..=named.len() {
            selection.grow(&mut roots, &named[..end]);
            let name = |rest: &str| format!("t{}/{rest}", end - 1).into_bytes();
            assert!(selection.takes_name(&name("sub/cache"), &roots));
            assert!(!selection.takes_name(&name("cache"), &roots));
        }
    }
}
