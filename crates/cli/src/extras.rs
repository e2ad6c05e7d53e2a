//! What is there and not listed: the other half of `check --complete`.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::ops::ControlFlow;
use std::path::Path;

use hashlane_engine::{Found, list};
use hashlane_record::ItemPath;

use crate::inputs::plain_walk;

/// The names that a manifest lists, as 128-bit fingerprints: 16 bytes and the table's own overhead for each, whatever its
/// length. The keys are random, so nobody can prepare names that collide.
#[derive(Debug, Default)]
pub(crate) struct Known {
    names: HashSet<u128>,
    keys: (RandomState, RandomState),
    relative: bool,
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
    /// Takes note of a listed name.
    pub(crate) fn add(&mut self, name: &[u8]) {
        self.relative |= !name.starts_with(b"/");
        let key = self.fingerprint(&normal(name));
        self.names.insert(key);
    }

    /// Whether a name is listed.
    pub(crate) fn has(&self, name: &[u8]) -> bool {
        self.names.contains(&self.fingerprint(&normal(name)))
    }

    /// Whether any listed name is relative.
    pub(crate) fn has_relative(&self) -> bool {
        self.relative
    }

    fn fingerprint(&self, name: &[u8]) -> u128 {
        u128::from(self.keys.0.hash_one(name)) << 64 | u128::from(self.keys.1.hash_one(name))
    }
}

/// A name without `.` components and repeated slashes, so that `./a//b` and `a/b` are the same.
fn normal(name: &[u8]) -> Vec<u8> {
    let mut normal = Vec::with_capacity(name.len());
    if name.starts_with(b"/") {
        normal.push(b'/');
    }
    for component in name.split(|&byte| byte == b'/').filter(|&component| !matches!(component, b"" | b".")) {
        if !normal.is_empty() && !normal.ends_with(b"/") {
            normal.push(b'/');
        }
        normal.extend_from_slice(component);
    }
    normal
}

/// Walks below the roots and shows what is not known. With `base` names are taken relative to it, and it is the root.
pub(crate) fn search(
    roots: &[ItemPath],
    base: Option<&Path>,
    known: &Known,
    manifests: &[(u64, u64)],
    show: &mut dyn FnMut(Extra) -> ControlFlow<()>,
) -> std::io::Result<()> {
    use std::os::unix::ffi::OsStrExt as _;
    let base = base.map(|base| ItemPath::from(base.as_os_str().as_bytes()));
    for root in base.as_ref().map_or(roots, std::slice::from_ref) {
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
        let is_manifest = |directory: &hashlane_io::Directory, name: &std::ffi::CStr| {
            let facts = directory.facts(name);
            facts.is_ok_and(|facts| manifests.contains(&(facts.device, facts.inode)))
        };
        if root.as_path().is_file() {
            if !known.has(root.as_bytes()) && show(Extra::File(root.clone())).is_break() {
                return Ok(());
            }
            continue;
        }
        let mut ended = false;
        list(root, &plain_walk(), &mut |found| {
            let extra = match found {
                Found::File { directory, name } => {
                    let path = trimmed(below(&directory.join(name.to_bytes())));
                    if known.has(&path) || is_manifest(directory, name) {
                        return ControlFlow::Continue(());
                    }
                    Extra::File(ItemPath::from(path))
                }
                Found::Failed { path, error } => Extra::Unsearched { path: ItemPath::from(path), error },
            };
            let flow = show(extra);
            ended = flow.is_break();
            flow
        })?;
        if ended {
            return Ok(());
        }
    }
    Ok(())
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
}
