//! What a path on the command line means in a collection.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use hashlane_catalog::{Catalog, Collection, DirectoryState, Ground as _, LocalTree, Terms};
use hashlane_engine::Options;
use hashlane_keeper::{has_files, here, is_object, link, place, plain};
use hashlane_record::unescaped;

use super::failed;
use super::ground::place_to_look_at;
use crate::output::shown;
use crate::status::Ended;
use crate::text;

/// A path below the root of a collection as it is kept: without slashes at its ends and detours; empty: the root.
///
/// It may be given as it lies below the root, as it lies here, or absolute, and as hashlane prints it: the first of these that is known
/// wins, then the first where something lies. One that begins with `.` or `..` speaks of here, and of nothing else. At or below it a file is
/// known, or lies that the next audit will read: of anything else there is nothing to say, which is an error.
pub(super) fn inside(catalog: &Catalog, collection: &Collection, path: &OsStr) -> anyhow::Result<Vec<u8>> {
    let root = &collection.terms.root;
    let name = text::name(path.as_bytes());
    let given = Path::new(path);
    refuse_empty(path)?;
    if collection.terms.is_in_store() {
        return inside_store(catalog, collection, path.as_bytes());
    }
    let is_of_here = matches!(given.components().next(), Some(Component::CurDir | Component::ParentDir));
    let below_root = plain(given).filter(|_| !given.is_absolute() && !is_of_here);
    let printed = below_root.as_deref().and_then(unescaped);
    let meant: Vec<_> = [below_root, printed, here(root, given)].into_iter().flatten().collect();
    if meant.is_empty() {
        // The whole collection is a lot to mean by accident.
        let why = if is_of_here {
            "begins with a dot, so it is meant from the current directory, and "
        } else {
            ""
        };
        return Err(Ended::usage(format!("{name}: {why}does not lie below {}", shown(root))));
    }
    for path in &meant {
        if is_known(catalog, collection, path)? {
            return Ok(path.clone());
        }
    }
    let Some(path) = meant.into_iter().find(|path| place(root, path).symlink_metadata().is_ok()) else {
        // Below the root there is nothing of that name, but here there is.
        let is_outside = here(root, given).is_none() && given.symlink_metadata().is_ok();
        return Err(Ended::usage(match is_outside {
            true => format!("{name}: does not lie below {}", shown(root)),
            false => format!(
                "{name}: nothing is known at or below this path in {}, and nothing lies there",
                collection.terms.name
            ),
        }));
    };
    match left_out(catalog, collection, &path)? {
        Some(why) => Err(Ended::usage(format!("{name}: {why}"))),
        None => Ok(path),
    }
}

/// The same of a collection in an object store: a path below its root, or the whole name of an object.
fn inside_store(catalog: &Catalog, collection: &Collection, given: &[u8]) -> anyhow::Result<Vec<u8>> {
    let name = text::name(given);
    let root = &collection.terms.root;
    let below = match is_object(given) {
        true => below_prefix(root, given)
            .ok_or_else(|| Ended::usage(format!("{name}: does not lie below {}", shown(root))))?,
        false => given,
    };
    let below = below.strip_suffix(b"/").unwrap_or(below);
    for path in [Some(below.to_vec()), unescaped(below)].into_iter().flatten() {
        if is_known(catalog, collection, &path)? {
            return Ok(path);
        }
    }
    let place = place_to_look_at(catalog, collection)?;
    let ground = place.ground();
    let unknown = |error| Ended::unreadable(format!("{name}: {}", text::system(&error)));
    let is_object = ground.facts(below).map_err(unknown)?.is_some();
    if !is_object && ground.directory(below) == DirectoryState::Gone {
        return Err(Ended::usage(format!(
            "{name}: nothing is known at or below this path in {0}, and nothing lies there",
            collection.terms.name
        )));
    }
    match is_object && !ground.takes(below) {
        true => Err(Ended::usage(format!(
            "{name}: is left out of {0}; `hashlane collection show {0}` shows its filters",
            collection.terms.name
        ))),
        false => Ok(below.to_vec()),
    }
}

/// What the whole name of an object says below the root of a collection in a store.
pub(super) fn below_prefix<'a>(root: &Path, name: &'a [u8]) -> Option<&'a [u8]> {
    let rest = name.strip_prefix(root.as_os_str().as_bytes())?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(b"/") }
}

/// Refuses an empty path, as a variable leaves it that is not set: it names nothing, least of all everything.
pub(super) fn refuse_empty(path: &OsStr) -> anyhow::Result<()> {
    match path.is_empty() {
        true => Err(Ended::usage("the path is empty; name a file or a directory")),
        false => Ok(()),
    }
}

/// Whether anything is known at or below a path.
fn is_known(catalog: &Catalog, collection: &Collection, path: &[u8]) -> anyhow::Result<bool> {
    Ok(path.is_empty()
        || catalog.has_directory(collection.id, path).map_err(failed)?
        || catalog.item_at(collection, path).map_err(failed)?.is_some())
}

/// Why an audit would read nothing of what lies at a path, and what to name instead; nothing if it would read something.
pub(super) fn left_out(
    catalog: &Catalog,
    collection: &Collection,
    path: &[u8],
) -> anyhow::Result<Option<String>> {
    let Terms { name, root, algorithms, .. } = &collection.terms;
    if collection.terms.is_in_store() {
        return Ok(None);
    }
    if let Some(link) = link(root, path) {
        let which = match link == path {
            true => "is a symbolic link".to_owned(),
            false => format!("lies behind the symbolic link {}", text::name(link)),
        };
        let instead = match place(root, path).canonicalize() {
            Err(_) => "it leads nowhere".to_owned(),
            Ok(target) => match target.strip_prefix(root) {
                Ok(below) => format!("name {} instead", text::name(below.as_os_str().as_bytes())),
                Err(_) => format!("it leads out of {}", shown(root)),
            },
        };
        return Ok(Some(format!("{which}, which is not followed; {instead}")));
    }
    let tree = LocalTree::new(collection, Options::new(algorithms.clone().into())).map_err(Ended::usage)?;
    let tree = tree.without(catalog);
    let filters = format!("`hashlane collection show {name}` shows its filters");
    if place(root, path).is_dir() {
        let is_empty = !has_files(&tree, root, path);
        return Ok(is_empty.then(|| format!("no file of {name} lies in this directory; {filters}")));
    }
    Ok(match tree.other(path) {
        Some(what) => Some(format!("is {what}; only files and directories are audited")),
        None => (!tree.takes(path)).then(|| format!("is left out of {name}; {filters}")),
    })
}
