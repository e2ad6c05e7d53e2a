//! Collections that are registered, found again and forgotten.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use hashlane_auditor::{Ground, MARKER, found_again};
use hashlane_catalog::{Collection, CollectionId, Error, Reader, Terms, Writer};
use hashlane_record::Escaped;

/// Why a tree cannot be marked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MarkError {
    /// Another file has the name of the marker.
    #[error("{}: exists, but is not a marker of hashlane", Escaped(.0.as_os_str().as_encoded_bytes()))]
    NoMarker(PathBuf),
    /// The marker cannot be read or written.
    #[error("{}: {source}", Escaped(path.as_os_str().as_encoded_bytes()))]
    Unwritten {
        /// The marker.
        path: PathBuf,
        /// What the system reported.
        source: io::Error,
    },
    /// The catalogue does not take it.
    #[error(transparent)]
    Catalog(#[from] Error),
}

/// Registers a collection, and marks its tree if that `is_marked`: if it cannot be marked, nothing is registered.
///
/// # Errors
/// There is one of that name, the tree cannot be marked, or the catalogue cannot be written to.
pub fn register(catalog: &mut Writer, terms: &Terms, is_marked: bool, now_s: i64) -> Result<(), MarkError> {
    let id = catalog.add_collection(terms, now_s)?;
    if is_marked && let Err(error) = mark(catalog, id, &terms.root) {
        let collection = catalog.collection(&terms.name)?;
        catalog.purge_collection(&collection, now_s)?;
        return Err(error);
    }
    Ok(())
}

/// Writes the file by which a tree is known again. One that is there already serves as well: a tree may be in several collections.
///
/// # Errors
/// Another file has its name, or it cannot be written.
pub fn mark(catalog: &mut Writer, id: CollectionId, root: &Path) -> Result<(), MarkError> {
    let path = root.join(MARKER);
    let marker = match fs::read_to_string(&path) {
        Ok(text) if is_marker(text.trim_end()) => text.trim_end().to_owned(),
        Ok(_) => return Err(MarkError::NoMarker(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let marker = format!("{MARK}{:032x}", fastrand::u128(..));
            write_new(&path, &marker).map_err(|source| MarkError::Unwritten { path, source })?;
            marker
        }
        Err(source) => return Err(MarkError::Unwritten { path, source }),
    };
    Ok(catalog.set_marker(id, Some(&marker))?)
}

/// What a marker begins with; 32 hexadecimal digits follow.
const MARK: &str = "hashlane ";

fn is_marker(text: &str) -> bool {
    text.strip_prefix(MARK)
        .is_some_and(|rest| rest.len() == 32 && rest.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Writes a marker so that it is there, whole, after a power cut: the catalogue says that it is.
fn write_new(path: &Path, marker: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    writeln!(file, "{marker}")?;
    file.sync_all()?;
    path.parent().map_or(Ok(()), |directory| File::open(directory)?.sync_all())
}

/// How a tree and that of another collection have files in common: both will read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// It is the same.
    Same,
    /// The other one contains it.
    Within,
    /// The other one lies in it.
    Around,
}

impl Overlap {
    /// Of a tree and another one; nothing if they have no file in common.
    pub fn of(root: &Path, other: &Path) -> Option<Self> {
        match (root.starts_with(other), other.starts_with(root)) {
            (true, true) => Some(Self::Same),
            (true, false) => Some(Self::Within),
            (false, true) => Some(Self::Around),
            (false, false) => None,
        }
    }
}

/// How much of what is known of a collection lies in a tree, by name and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundAgain {
    /// Files that are known.
    pub known: u64,
    /// Those that were found.
    pub found: u64,
}

impl FoundAgain {
    /// Looks for them.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn of(
        catalog: &Reader,
        collection: &Collection,
        ground: &Ground<'_>,
    ) -> hashlane_catalog::Result<Self> {
        let known = catalog.present(collection.id)?.files;
        Ok(Self { known, found: found_again(catalog, collection, ground)? })
    }

    /// Whether it may be another tree.
    pub fn is_little(&self) -> bool {
        self.found.saturating_mul(10) < self.known.saturating_mul(9)
    }
}

/// Why it is not known which collection of a name is to be forgotten.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PurgeError {
    /// Several were removed at that time.
    #[error("several collections were removed then")]
    SeveralThen,
    /// None was removed at that time; but these were at others, in seconds since 1970.
    #[error("no collection was removed then")]
    NoneThen(Vec<(Collection, i64)>),
    /// Several have had the name.
    #[error("several collections have had this name")]
    Several {
        /// The one that was not removed.
        live: Option<Box<Collection>>,
        /// Those that were, and when, in seconds since 1970.
        removed: Vec<(Collection, i64)>,
    },
    /// There is none, or the catalogue cannot be read.
    #[error(transparent)]
    Catalog(#[from] Error),
}

/// The collection of a name that is to be forgotten. One that was removed can be as well: it is what is left of it. `removed_s`: when it was,
/// in seconds since 1970, to the minute.
///
/// # Errors
/// There is none, or several are possible.
pub fn to_purge(catalog: &Reader, name: &str, removed_s: Option<i64>) -> Result<Collection, PurgeError> {
    /// Lists show minutes.
    const SHOWN_S: i64 = 60;

    let mut removed = catalog.removed_collections()?;
    removed.retain(|(collection, _)| collection.terms.name == name);
    if let Some(at_s) = removed_s {
        let is_meant = |removed_s: i64| (at_s..at_s + SHOWN_S).contains(&removed_s);
        let (mut meant, others): (Vec<_>, Vec<_>) =
            removed.into_iter().partition(|(_, removed_s)| is_meant(*removed_s));
        return match meant.pop() {
            Some((collection, _)) if meant.is_empty() => Ok(collection),
            Some(_) => Err(PurgeError::SeveralThen),
            None => Err(PurgeError::NoneThen(others)),
        };
    }
    match (catalog.collection(name), &removed[..]) {
        (Ok(collection), []) => Ok(collection),
        (Err(Error::NoCollection { .. }), [(collection, _)]) => Ok(collection.clone()),
        (Err(error), []) => Err(error.into()),
        (found, _) => Err(PurgeError::Several { live: found.ok().map(Box::new), removed }),
    }
}
