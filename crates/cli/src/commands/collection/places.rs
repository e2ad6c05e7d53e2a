//! What a path on the command line means in a collection.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use hashlane_catalog::{Catalog, Collection};
use hashlane_record::unescaped;

use super::failed;
use crate::status::Ended;
use crate::text;

/// A path below the root of a collection as it is kept: without slashes at its ends and detours; empty: the root.
///
/// It may be given as it lies below the root, as it lies here, or absolute, and as hashlane prints it.
pub(super) fn inside(catalog: &Catalog, collection: &Collection, path: &OsStr) -> anyhow::Result<Vec<u8>> {
    let root = &collection.terms.root;
    let name = text::name(path.as_bytes());
    let outside = || Ended::usage(format!("{name}: does not lie below {}", crate::output::shown(root)));
    let given = Path::new(path);
    if given.is_absolute() {
        return below(root, given).ok_or_else(outside);
    }
    let Some(plain) = plain(given) else {
        return here(root, given).ok_or_else(outside);
    };
    if is_known(catalog, collection, &plain)? {
        return Ok(plain);
    }
    let others = [unescaped(&plain), here(root, given)];
    for other in others.into_iter().flatten() {
        if is_known(catalog, collection, &other)? {
            return Ok(other);
        }
    }
    Err(Ended::usage(format!("{name}: nothing is known at or below this path in {}", collection.terms.name)))
}

/// Whether anything is known at or below a path, or lies there.
fn is_known(catalog: &Catalog, collection: &Collection, path: &[u8]) -> anyhow::Result<bool> {
    if path.is_empty() || catalog.has_directory(collection.id, path).map_err(failed)? {
        return Ok(true);
    }
    if catalog.item_at(collection, path).map_err(failed)?.is_some() {
        return Ok(true);
    }
    Ok(collection.terms.root.join(OsStr::from_bytes(path)).symlink_metadata().is_ok())
}

/// A path without detours; nothing of one that leads out of where it begins.
pub(super) fn plain(path: &Path) -> Option<Vec<u8>> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => parts.push(name.as_bytes()),
            Component::ParentDir => _ = parts.pop()?,
            _ => {}
        }
    }
    Some(parts.join(&b'/'))
}

/// A path that is relative to where the command is given, below a root.
fn here(root: &Path, path: &Path) -> Option<Vec<u8>> {
    below(root, &std::path::absolute(path).ok()?)
}

/// An absolute path below a root: as it is written, or as the system sees it.
pub(super) fn below(root: &Path, path: &Path) -> Option<Vec<u8>> {
    let written =
        |path: &Path| plain(path).map(|plain| PathBuf::from(OsStr::from_bytes(&[b"/", &plain[..]].concat())));
    [written(path), written(&canonical(path))]
        .into_iter()
        .flatten()
        .find_map(|path| Some(path.strip_prefix(root).ok()?.as_os_str().as_bytes().to_vec()))
}

/// A path without links, as far as it exists: the file itself may be one, or be gone.
fn canonical(path: &Path) -> PathBuf {
    for above in path.ancestors().skip(1) {
        if let (Ok(real), Ok(below)) = (above.canonicalize(), path.strip_prefix(above)) {
            return real.join(below);
        }
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detours_are_left_out_and_nothing_leads_above() {
        let plain = |path: &str| plain(Path::new(path)).map(|plain| String::from_utf8(plain).unwrap());
        for (path, expected) in
            [("a/b", "a/b"), ("./a//b/", "a/b"), ("a/../b", "b"), (".", ""), ("a/..", ""), ("/x/y", "x/y")]
        {
            assert_eq!(plain(path).as_deref(), Some(expected), "{path}");
        }
        assert_eq!((plain(".."), plain("a/../..")), (None, None));
    }

    #[test]
    fn an_absolute_path_lies_below_a_root_or_not() {
        let below = |path: &str| below(Path::new("/srv/photos"), Path::new(path));
        assert_eq!(below("/srv/photos/2023/./a"), Some(b"2023/a".to_vec()));
        assert_eq!(below("/srv/photos"), Some(Vec::new()));
        assert_eq!(below("/srv/photos-old/a"), None);
        assert_eq!(below("/srv/photos/../a"), None);
    }
}
