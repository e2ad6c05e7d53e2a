//! What is there and not listed: the other half of `check --complete`.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::hash::{BuildHasher as _, RandomState};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hashlane_engine::{Found, Skipped, WalkOptions, list};
use hashlane_record::ItemPath;

use crate::confined::Confined;
use crate::selection::lies_within;

/// The names that a manifest lists, as 128-bit fingerprints: 16 bytes and the table's own overhead for each, whatever its
/// length. The keys are random, so nobody can prepare names that collide.
#[derive(Debug, Default)]
pub(crate) struct Known {
    names: HashSet<u128>,
    /// How many names are in each directory, where they are relative to each other: a fingerprint does not tell what it lies below.
    directories: HashMap<Vec<u8>, usize>,
    keys: (RandomState, RandomState),
    relative: bool,
    /// What relative names are relative to; empty: to each other.
    here: Vec<u8>,
}

/// What was found beside the listed files.
#[derive(Debug)]
pub(crate) enum Extra {
    /// A file that no manifest lists.
    File(ItemPath),
    /// A directory that could not be searched.
    Unsearched { path: ItemPath, error: std::io::Error },
}

impl Known {
    /// Nothing yet. Names are relative to the current directory, so that `photos/a` and `/home/ada/photos/a` are the
    /// same there.
    pub(crate) fn from_here() -> Self {
        Self { here: here(), ..Self::default() }
    }

    /// Takes note of a listed name.
    pub(crate) fn add(&mut self, name: &[u8]) {
        self.relative |= !name.starts_with(b"/");
        let name = normal(&self.here, name);
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
        self.names.contains(&self.fingerprint(&normal(&self.here, name)))
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

/// The current directory; empty where nobody knows it.
pub(crate) fn here() -> Vec<u8> {
    use std::os::unix::ffi::OsStringExt as _;
    std::env::current_dir().map_or_else(|_| Vec::new(), |path| path.into_os_string().into_vec())
}

/// A name from the root, if it is known where it starts, without `.` components and repeated slashes: `./a//b` and `a/b`
/// are the same. Each `..` at its beginning takes one component from `here`, which has no symbolic links in it; further
/// down it may follow one, and stays.
pub(crate) fn normal(here: &[u8], name: &[u8]) -> Vec<u8> {
    let mut normal = Vec::with_capacity(here.len() + 1 + name.len());
    if name.starts_with(b"/") {
        normal.push(b'/');
    } else {
        normal.extend_from_slice(here);
    }
    let mut climbs = !here.is_empty() && !name.starts_with(b"/");
    for component in name.split(|&byte| byte == b'/').filter(|&component| !matches!(component, b"" | b".")) {
        climbs &= component == b"..";
        if climbs {
            let parent = normal.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
            normal.truncate(parent.max(1));
            continue;
        }
        if !normal.is_empty() && !normal.ends_with(b"/") {
            normal.push(b'/');
        }
        normal.extend_from_slice(component);
    }
    normal
}

/// Walks below the roots and shows what is wanted and not known; says what it passed over. With `base` names and roots are relative
/// to it, and no root is the base itself.
pub(crate) fn search(
    roots: &[ItemPath],
    base: Option<(&Path, &Confined)>,
    walk: &WalkOptions,
    known: &mut Known,
    manifests: &[(u64, u64)],
    show: &mut dyn FnMut(Extra) -> ControlFlow<()>,
) -> std::io::Result<Skipped> {
    use std::os::unix::fs::MetadataExt as _;
    let whole = [ItemPath::from(".")];
    let mut skipped = Skipped::default();
    for root in if base.is_some() && roots.is_empty() { &whole } else { roots } {
        let walked = match base.map(|(_, confined)| confined.walked(root)) {
            None => root.clone(),
            Some(Ok(walked)) => walked,
            Some(Err(problem)) => {
                let error = std::io::Error::other(problem);
                if show(Extra::Unsearched { path: root.clone(), error }).is_break() {
                    return Ok(skipped);
                }
                continue;
            }
        };
        let root = &walked;
        let base = base.map(|(base, _)| ItemPath::from(base.as_os_str().as_bytes()));
        let below = |path: &[u8]| match &base {
            Some(base) => path[base.as_bytes().len()..].to_vec(),
            None => path.to_vec(),
        };
        let trimmed = |path: Vec<u8>| match &base {
            Some(_) => {
                path.iter().position(|&byte| byte != b'/').map_or(Vec::new(), |start| path[start..].to_vec())
            }
            None => path,
        };
        if let Some(facts) = std::fs::metadata(root.as_path()).ok().filter(std::fs::Metadata::is_file) {
            let name = trimmed(below(root.as_bytes()));
            let listed = known.has(&name) || manifests.contains(&(facts.dev(), facts.ino()));
            let is_excluded = !listed && !lies_within(walk.filter.bounds(), &facts);
            skipped.excluded += u64::from(is_excluded);
            if !listed && !is_excluded && show(Extra::File(ItemPath::from(name))).is_break() {
                return Ok(skipped);
            }
            continue;
        }
        let mut ended = false;
        let walked = list(root, walk, &mut |found| {
            let extra = match found {
                Found::File { directory, name } => {
                    let path = trimmed(below(&directory.join(name.to_bytes())));
                    if known.has(&path) {
                        return ControlFlow::Continue(());
                    }
                    let facts = directory.facts(name).ok();
                    if facts.is_some_and(|facts| manifests.contains(&(facts.device, facts.inode))) {
                        return ControlFlow::Continue(());
                    }
                    if facts.is_some_and(|facts| !walk.filter.bounds().take(&facts)) {
                        skipped.excluded += 1;
                        return ControlFlow::Continue(());
                    }
                    // Roots may lie in each other: what was shown is known.
                    known.add(&path);
                    Extra::File(ItemPath::from(path))
                }
                Found::Failed { path, error } => Extra::Unsearched { path: ItemPath::from(path), error },
            };
            let flow = show(extra);
            ended = flow.is_break();
            flow
        })?;
        skipped.symlinks += walked.symlinks;
        skipped.special += walked.special;
        skipped.excluded += walked.excluded;
        skipped.other_filesystem += walked.other_filesystem;
        if ended {
            return Ok(skipped);
        }
    }
    Ok(skipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_to_the_same_file_are_the_same() {
        let mut known = Known::default();
        known.add(b"./a//b/./c");
        assert!(known.has(b"a/b/c") && known.has_relative());
        assert!(!known.has(b"/a/b/c") && !known.has(b"a/b/../b/c"));
        let mut known = Known::default();
        known.add(b"//abs/./x");
        assert!(known.has(b"/abs/x") && !known.has_relative());
    }

    #[test]
    fn names_lie_in_roots_that_are_above_all_of_them() {
        let mut known = Known::default();
        for name in ["t/a", "./t/sub/b", "u/c", "u/c"] {
            known.add(name.as_bytes());
        }
        let lie_in = |known: &Known, roots: &[&str]| {
            let roots: Vec<_> = roots.iter().map(|root| ItemPath::from(root.as_bytes())).collect();
            known.lie_in(&roots)
        };
        assert!(lie_in(&known, &["t/", "u"]) && lie_in(&known, &["t", "u/c"]) && lie_in(&known, &["."]));
        assert!(!lie_in(&known, &["t"]) && !lie_in(&known, &["t/a", "u"]) && !lie_in(&known, &[]));
        known.add(b"u/beside");
        assert!(!lie_in(&known, &["t", "u/c"]) && !lie_in(&known, &["t", "u/c", "u/d"]));
        assert!(lie_in(&known, &["t", "u/c", "u/beside"]));
    }

    #[test]
    fn a_relative_name_and_an_absolute_one_are_the_same_where_it_starts() {
        let mut known = Known { here: b"/home/ada".to_vec(), ..Known::default() };
        known.add(b"photos/a");
        known.add(b"../b");
        known.add(b"../../../c");
        known.add(b"x/../d");
        assert!(known.has(b"/home/ada/photos/a") && known.has(b"./photos/a"));
        assert!(known.has(b"/home/b") && known.has(b"/c") && known.has(b"../../c"));
        assert!(!known.has(b"d"), "x may be a symbolic link");
    }
}
