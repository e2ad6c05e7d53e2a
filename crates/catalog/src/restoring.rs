//! A backup in the place of a catalogue, whatever is left of that.

use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::opening::Opening;
use crate::reader::Reader;
use crate::writer::Writer;

/// What a backup took the place of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// Nothing.
    Nothing,
    /// A catalogue, which was copied to this file.
    Copied(PathBuf),
    /// One that is damaged, and has this name now.
    PutAside(PathBuf),
}

/// Why a backup was not restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// The backup is the catalogue.
    #[error("is the catalogue itself")]
    SameFile,
    /// The file of the catalogue cannot be looked at.
    #[error(transparent)]
    Place(io::Error),
    /// What is there is too damaged to be taken for a catalogue.
    #[error(transparent)]
    NotPutAside(Error),
    /// The damaged catalogue has this name now, and no new one could be made.
    #[error("{1}")]
    NotMade(PathBuf, Error),
    /// The backup cannot be read, or the catalogue cannot be written to.
    #[error(transparent)]
    Catalog(#[from] Error),
}

/// Restores a backup at a time in seconds since 1970. A catalogue that is there is copied first; one that is too damaged for that gets another
/// name.
///
/// # Errors
/// Nothing was restored.
pub fn restore(path: &Path, file: &Path, opening: &Opening, now_s: i64) -> Result<Replaced, RestoreError> {
    let facts = match path.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        facts => Some(facts.map_err(RestoreError::Place)?),
    };
    // A device that was named by mistake keeps its name.
    if facts.as_ref().is_some_and(|facts| !facts.is_file()) {
        return Err(Error::NotCatalog { path: path.to_owned() }.into());
    }
    let inode = |facts: &Metadata| (facts.dev(), facts.ino());
    if facts.is_some() && file.metadata().ok().as_ref().map(inode) == facts.as_ref().map(inode) {
        return Err(RestoreError::SameFile);
    }
    // Before anything is put aside.
    let backup = Reader::open_backup(file)?;
    let anew = || Writer::open_or_make_by(path, opening)?.restore(&backup, None, now_s);
    if facts.is_none() {
        return Ok(anew().map(|()| Replaced::Nothing)?);
    }
    let aside = unused(path);
    let copied =
        Writer::open_by(path, opening).and_then(|mut catalog| catalog.restore(&backup, Some(&aside), now_s));
    match copied {
        Ok(()) => Ok(Replaced::Copied(aside)),
        // It is damaged: that is why somebody restores a backup.
        Err(error) if has_lost_its_content(&error) && aside.symlink_metadata().is_err() => {
            Reader::put_aside(path, &aside).map_err(|error| match error {
                error @ Error::NotCatalog { .. } => RestoreError::NotPutAside(error),
                error => error.into(),
            })?;
            match anew() {
                Ok(()) => Ok(Replaced::PutAside(aside)),
                Err(error) => Err(RestoreError::NotMade(aside, error)),
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether so much of a catalogue may be lost that a backup cannot be copied into it.
fn has_lost_its_content(error: &Error) -> bool {
    error.is_damage() || matches!(error, Error::NotCatalog { .. })
}

/// A name beside the catalogue that nothing has yet.
fn unused(catalog: &Path) -> PathBuf {
    let named = |number: u32| {
        let mut name = catalog.as_os_str().to_owned();
        name.push(format!(".before-restore-{number}"));
        PathBuf::from(name)
    };
    (1..).map(named).find(|path| path.symlink_metadata().is_err()).expect("numbers do not end")
}
