//! What a path means in a collection, and why an audit would read nothing of it.

use std::cmp::Reverse;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use hashlane_auditor::Ground;
use hashlane_catalog::{Collection, Item, Reader, Terms};
use hashlane_engine::{DirectoryState, FilterError, Options};
use hashlane_objects::{Told, is_object};
use hashlane_record::unescaped;

use crate::error::Error;
use crate::paths::{below, has_files, here, link, place, plain};
use crate::place::Place;

/// Why a path means nothing in a collection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// It is empty, as a variable leaves it that is not set: it names nothing, least of all everything.
    #[error("the path is empty; name a file or a directory")]
    Empty,
    /// It does not lie below the root.
    #[error("does not lie below the root")]
    Outside {
        /// It begins with a dot, so it is meant from the current directory.
        is_of_here: bool,
    },
    /// Nothing is known at or below it, and nothing lies there.
    #[error("nothing is known at or below this path, and nothing lies there")]
    Unknown,
    /// An audit would read nothing of it.
    #[error("an audit reads nothing of it")]
    Unread(Unread),
    /// The store does not say what lies there.
    #[error(transparent)]
    Store(io::Error),
    /// The files of the collection cannot be looked for.
    #[error(transparent)]
    Place(#[from] Error),
    /// The catalogue cannot be read.
    #[error(transparent)]
    Catalog(#[from] hashlane_catalog::Error),
}

impl From<FilterError> for PathError {
    fn from(error: FilterError) -> Self {
        Self::Place(error.into())
    }
}

/// Why an audit would read nothing of what lies at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unread {
    /// It is a symbolic link, or lies behind one.
    Link {
        /// The one that it lies behind, by its path below the root; nothing if it is one itself.
        behind: Option<Vec<u8>>,
        /// Where the path leads; nothing if that is nowhere.
        target: Option<PathBuf>,
    },
    /// No file of the collection lies in this directory.
    Empty,
    /// It is neither a file nor a directory, but this.
    Other(&'static str),
    /// The filters leave it out.
    Filtered,
}

/// A path below the root of a collection as it is kept: without slashes at its ends and detours; empty: the root.
///
/// It may be given as it lies below the root, as it lies here, or absolute, and as hashlane prints it: the first of these that is known
/// wins, then the first where something lies. One that begins with `.` or `..` speaks of here, and of nothing else.
///
/// # Errors
/// At or below it no file is known, and none lies that the next audit will read.
pub fn meant(
    catalog: &Reader,
    collection: &Collection,
    path: &OsStr,
    told: Told,
) -> Result<Vec<u8>, PathError> {
    if path.is_empty() {
        return Err(PathError::Empty);
    }
    if collection.terms.is_in_store() {
        return meant_in_store(catalog, collection, path.as_bytes(), told);
    }
    let (root, given) = (&collection.terms.root, Path::new(path));
    let is_of_here = matches!(given.components().next(), Some(Component::CurDir | Component::ParentDir));
    let below_root = plain(given).filter(|_| !given.is_absolute() && !is_of_here);
    let printed = below_root.as_deref().and_then(unescaped);
    let meant: Vec<_> = [below_root, printed, here(root, given)].into_iter().flatten().collect();
    if meant.is_empty() {
        return Err(PathError::Outside { is_of_here });
    }
    for path in &meant {
        if is_known(catalog, collection, path)? {
            return Ok(path.clone());
        }
    }
    let Some(path) = meant.into_iter().find(|path| place(root, path).symlink_metadata().is_ok()) else {
        // Below the root there is nothing of that name, but here there is.
        let is_outside = here(root, given).is_none() && given.symlink_metadata().is_ok();
        let outside = PathError::Outside { is_of_here: false };
        return Err(if is_outside { outside } else { PathError::Unknown });
    };
    match unread(catalog, collection, &path)? {
        Some(why) => Err(PathError::Unread(why)),
        None => Ok(path),
    }
}

/// The same of a collection in an object store: a path below its root, or the whole name of an object.
fn meant_in_store(
    catalog: &Reader,
    collection: &Collection,
    given: &[u8],
    told: Told,
) -> Result<Vec<u8>, PathError> {
    let below = match is_object(given) {
        true => {
            below_prefix(&collection.terms.root, given).ok_or(PathError::Outside { is_of_here: false })?
        }
        false => given,
    };
    let below = below.strip_suffix(b"/").unwrap_or(below);
    for path in [Some(below.to_vec()), unescaped(below)].into_iter().flatten() {
        if is_known(catalog, collection, &path)? {
            return Ok(path);
        }
    }
    let ground = Place::to_look_at(catalog, collection, told)?.ground;
    let is_object = ground.facts(below).map_err(PathError::Store)?.is_some();
    if !is_object && ground.directory(below) == DirectoryState::Gone {
        return Err(PathError::Unknown);
    }
    if is_object && !ground.takes(below) {
        return Err(PathError::Unread(Unread::Filtered));
    }
    Ok(below.to_vec())
}

/// What the whole name of an object says below the root of a collection in a store.
fn below_prefix<'a>(root: &Path, name: &'a [u8]) -> Option<&'a [u8]> {
    let rest = name.strip_prefix(root.as_os_str().as_bytes())?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(b"/") }
}

/// Whether anything is known at or below a path.
fn is_known(catalog: &Reader, collection: &Collection, path: &[u8]) -> hashlane_catalog::Result<bool> {
    Ok(path.is_empty()
        || catalog.has_directory(collection.id, path)?
        || catalog.item_at(collection, path)?.is_some())
}

/// Why an audit would read nothing of what lies at a path in a tree; nothing if it would read something.
///
/// # Errors
/// The globs of the collection are malformed.
pub fn unread(catalog: &Reader, collection: &Collection, path: &[u8]) -> Result<Option<Unread>, FilterError> {
    let Terms { root, algorithms, .. } = &collection.terms;
    if collection.terms.is_in_store() {
        return Ok(None);
    }
    if let Some(link) = link(root, path) {
        let target = place(root, path).canonicalize().ok();
        let behind = (link != path).then(|| link.to_vec());
        return Ok(Some(Unread::Link { behind, target }));
    }
    let tree = Ground::local(catalog, collection, Options::new(algorithms.clone().into()))?;
    if place(root, path).is_dir() {
        return Ok((!has_files(&tree, root, path)).then_some(Unread::Empty));
    }
    let filtered = || (!tree.takes(path)).then_some(Unread::Filtered);
    Ok(tree.other(path).map(Unread::Other).or_else(filtered))
}

/// Why nothing is known of a file.
#[derive(Clone, Debug)]
pub enum UnknownFile {
    /// It is a directory.
    Directory,
    /// It is there, and no audit of this collection has read it yet.
    NotReadYet(Collection),
    /// It is there, and an audit of this collection would not read it.
    Unread(Collection, Unread),
    /// It is in no collection.
    Nowhere,
}

/// What is known of the files that a name means, each with its collection and its path in it: those of all collections whose tree it lies in,
/// or that of `NAME:PATH`.
///
/// # Errors
/// The catalogue cannot be read.
pub fn files_named(
    catalog: &Reader,
    file: &OsStr,
) -> hashlane_catalog::Result<Vec<(Collection, Vec<u8>, Item)>> {
    let mut found = Vec::new();
    for (collection, path) in may_lie_at(catalog, file)? {
        // As it is, and as hashlane prints it.
        // Dots and double slashes are letters of a key.
        let written = match collection.terms.is_in_store() {
            true => Some(path.clone()),
            false => plain(Path::new(OsStr::from_bytes(&path))),
        };
        for path in [written, unescaped(&path)].into_iter().flatten() {
            if let Some(item) = catalog.item_at(&collection, &path)? {
                found.push((collection, path, item));
                break;
            }
        }
    }
    Ok(found)
}

/// Where a file of a name may lie: in which collection, and at which path below its root.
fn may_lie_at(catalog: &Reader, file: &OsStr) -> hashlane_catalog::Result<Vec<(Collection, Vec<u8>)>> {
    let absolute = std::path::absolute(Path::new(file)).unwrap_or_else(|_| file.into());
    let mut places = Vec::new();
    for collection in catalog.collections()? {
        let prefix = format!("{}:", collection.terms.name);
        // Of a name that is a collection's, what it says; then what lies there.
        let named = file.as_bytes().strip_prefix(prefix.as_bytes()).map(<[u8]>::to_vec);
        let below = match collection.terms.is_in_store() {
            true => below_prefix(&collection.terms.root, file.as_bytes()).map(<[u8]>::to_vec),
            false => below(&collection.terms.root, &absolute),
        };
        places.extend([named, below].into_iter().flatten().map(|path| (collection.clone(), path)));
    }
    Ok(places)
}

/// Why nothing is known of what a name means. Collections may lie in each other: the innermost one that would read the file is named, and that
/// it is left out is said only where all of them leave it out.
///
/// # Errors
/// The catalogue cannot be read, or the globs of a collection are malformed, or its store is not reached as is asked for.
pub fn why_unknown(catalog: &Reader, file: &OsStr, told: Told) -> Result<UnknownFile, PathError> {
    let mut places = may_lie_at(catalog, file)?;
    places.sort_by_key(|(collection, _)| Reverse(collection.terms.root.components().count()));
    let (mut is_directory, mut not_read_yet, mut left_out) = (false, None, None);
    for (collection, path) in places {
        if collection.terms.is_in_store() {
            let path = path.strip_suffix(b"/").unwrap_or(&path);
            is_directory |= path.is_empty() || catalog.has_directory(collection.id, path)?;
            let ground = Place::to_look_at(catalog, &collection, told)?.ground;
            if !is_directory && matches!(ground.facts(path), Ok(Some(_))) {
                not_read_yet.get_or_insert(collection);
            }
            continue;
        }
        let Some(path) = plain(Path::new(OsStr::from_bytes(&path))) else { continue };
        is_directory |= path.is_empty() || catalog.has_directory(collection.id, &path)?;
        if place(&collection.terms.root, &path).symlink_metadata().is_ok() {
            match unread(catalog, &collection, &path)? {
                Some(why) => _ = left_out.get_or_insert((collection, why)),
                None => _ = not_read_yet.get_or_insert(collection),
            }
        }
    }
    Ok(match (not_read_yet, left_out) {
        _ if is_directory => UnknownFile::Directory,
        (Some(collection), _) => UnknownFile::NotReadYet(collection),
        (None, Some((collection, why))) => UnknownFile::Unread(collection, why),
        (None, None) => UnknownFile::Nowhere,
    })
}
