//! Files that appear under their name only when they are complete.
//!
//! Until then one is written beside its place, locked, so that two runs never write into one. An [`AtomicFile`] that people are to
//! find, [`AtomicFile::partial`], is written under its name with `.partial`, and stays there if the run does not come to its end.
//! One that means nothing to anybody before it is complete, [`AtomicFile::hidden`], has a name drawn at random, and goes with the
//! run. Everything that follows is the same for both: written, synced, looked after, renamed, and the directory synced.
//!
//! Invariants:
//! 1. Where there are no locks, a run writes only into what it has created itself.
//! 2. What an earlier run left under the partial name is worth something to somebody: it gets a number and stays.
//! 3. By its name a file is only renamed or removed by the run that has it open and locked.
//! 4. Whoever reads the final name meanwhile gets what was there before or what is complete.
//!
//! What stands under the final name is replaced, or not, as whoever writes it has decided ([`Existing`]).

mod claim;
mod error;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::temporary::locked_file;
use claim::{Claimed, claimed, set_aside};
pub use error::ReplaceError;

/// How many symbolic links are followed one after the other, as Linux does.
const MOST_LINKS: usize = 40;

/// What becomes of a file that has the name already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It is replaced.
    Replaced,
    /// It stays, and the new file does not get the name.
    Kept,
    /// Replaced as long as it is what it was (`None`: absent): what was written into it meanwhile is in no other file.
    Unchanged(Option<FileVersion>),
}

/// What shows whether a file is the one that it was, with what was in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileVersion {
    identity: (u64, u64),
    size_bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileVersion {
    /// That of the file that a path leads to, if there is one.
    pub fn of(path: &Path) -> Option<Self> {
        let facts = fs::metadata(path).ok()?;
        Some(Self {
            identity: identity(&facts),
            size_bytes: facts.len(),
            modified: (facts.mtime(), facts.mtime_nsec()),
            changed: (facts.ctime(), facts.ctime_nsec()),
        })
    }
}

/// A file on its way to its name.
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    /// Its name until then.
    beside: PathBuf,
    path: PathBuf,
    is_hidden: bool,
}

impl AtomicFile {
    /// Creates the file, empty, under the name with `.partial`; `path` is what it will be. Not a link but the file that it leads to
    /// is replaced, or made. What an earlier run left there is kept: `kept` learns its name and the one that it got.
    ///
    /// # Errors
    /// It cannot be created, or another run is writing it.
    pub fn partial(path: &Path, mut kept: impl FnMut(&Path, &Path)) -> Result<Self, ReplaceError> {
        let path = behind(path).map_err(|source| ReplaceError::Write { path: path.into(), source })?;
        let beside = partial_name(&path);
        let file = loop {
            match claimed(&beside, fs::metadata(&path).is_ok())? {
                Claimed::Empty(file) => break file,
                Claimed::Left(left) => {
                    let aside = set_aside(&beside)?;
                    // Until here no other run could take it for its own, and have that one set aside.
                    drop(left);
                    kept(&beside, &aside);
                }
            }
        };
        Ok(Self { file, beside, path, is_hidden: false })
    }

    /// Creates the file, empty, under a name drawn at random, which it loses when it is dropped. Not a link but the file that it
    /// leads to is replaced, or made.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn hidden(path: &Path) -> Result<Self, ReplaceError> {
        let failed = |source| ReplaceError::Write { path: path.into(), source };
        let path = behind(path).map_err(failed)?;
        // Nobody else has rights to it until it has those of the file that it replaces.
        let mode = if fs::metadata(&path).is_ok() { 0o600 } else { 0o666 };
        let made = locked_file(directory_of(&path), mode).map_err(failed)?;
        // Its own drop takes the name away, and only while it is its own.
        let (file, beside) = made.keep().map_err(|error| failed(error.error))?;
        Ok(Self { file, beside, path, is_hidden: true })
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Its name until it is complete.
    pub fn beside(&self) -> &Path {
        &self.beside
    }

    /// The name that it will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives what is complete its name, for good.
    ///
    /// # Errors
    /// It is not on the device, is not the file of this run any more, or cannot have the name. What has a name of its own stays as it
    /// was then, but for [`ReplaceError::Changed`]: what was made of a file that has changed is worth nothing.
    pub fn put_in_place(&self, existing: Existing) -> Result<(), ReplaceError> {
        let Self { file, beside, path, .. } = self;
        if let Ok(old) = fs::metadata(path) {
            take_rights(file, path, &old);
        }
        file.sync_all().map_err(|source| match self.is_hidden {
            true => ReplaceError::Write { path: path.clone(), source },
            false => ReplaceError::Sync { path: self.name(), source },
        })?;
        if !is_at(file, beside) {
            // Without locks, as on some file systems, another run may have set it aside as left by an earlier one.
            return Err(ReplaceError::Displaced { partial: self.name(), path: path.clone() });
        }
        if matches!(existing, Existing::Unchanged(version) if version != FileVersion::of(path)) {
            self.discard()?;
            return Err(ReplaceError::Changed { path: path.clone() });
        }
        let renamed = match existing {
            Existing::Replaced | Existing::Unchanged(_) => fs::rename(beside, path),
            Existing::Kept => rename_new(beside, path),
        };
        renamed.map_err(|source| match self.is_hidden {
            true => ReplaceError::Write { path: path.clone(), source },
            false => ReplaceError::Rename { partial: self.name(), path: path.clone(), source },
        })?;
        // The new name survives a power cut once the directory is written; some file systems cannot, and say so.
        let _ = File::open(directory_of(path)).and_then(|directory| directory.sync_all());
        Ok(())
    }

    /// Removes the file of this run. What another run has under that name by now stays.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn discard(&self) -> Result<(), ReplaceError> {
        let removed = if is_at(&self.file, &self.beside) { fs::remove_file(&self.beside) } else { Ok(()) };
        removed.map_err(|source| ReplaceError::Write { path: self.name(), source })
    }

    /// Its name in messages: one drawn at random means nothing to anybody.
    fn name(&self) -> PathBuf {
        if self.is_hidden { self.path.clone() } else { self.beside.clone() }
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if self.is_hidden {
            // What stays is found as the leftover of a killed run.
            let _ = self.discard();
        }
    }
}

/// Writes to the file, from its beginning on.
impl Write for &AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&self.file).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&self.file).flush()
    }
}

/// Puts a file where it belongs: it is there whole and on the device, or as it was before. Not a link but the file that it
/// leads to is replaced; a pipe or a device is written to as it is.
///
/// # Errors
/// It cannot be written, or cannot have the name.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), ReplaceError> {
    if fs::metadata(path).is_ok_and(|facts| !facts.is_file()) {
        let written = OpenOptions::new().append(true).open(path).and_then(|mut file| file.write_all(content));
        return written.map_err(|source| ReplaceError::Write { path: path.into(), source });
    }
    put(path, content, Existing::Replaced)
}

/// Puts a file under a name that nothing has yet.
///
/// # Errors
/// It cannot be written, or the name is taken: [`ReplaceError::is_taken`].
pub fn put_new(path: &Path, content: &[u8]) -> Result<(), ReplaceError> {
    put(path, content, Existing::Kept)
}

fn put(path: &Path, content: &[u8], existing: Existing) -> Result<(), ReplaceError> {
    let file = AtomicFile::hidden(path)?;
    let written = (&file).write_all(content);
    written.map_err(|source| ReplaceError::Write { path: path.into(), source })?;
    file.put_in_place(existing)
}

/// Renames a file, and replaces nothing.
///
/// # Errors
/// What the system says; `AlreadyExists` if the name is taken.
pub fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS) => rename_new_without_promise(from, to),
        result => Ok(result?),
    }
}

/// The same where the file system cannot promise it in one step.
fn rename_new_without_promise(from: &Path, to: &Path) -> io::Result<()> {
    // A second name replaces nothing either; directories cannot have one.
    if !fs::symlink_metadata(from)?.is_dir() {
        match fs::hard_link(from, to) {
            Ok(()) => return fs::remove_file(from),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            // No links here, as on FAT.
            Err(_) => {}
        }
    }
    if fs::symlink_metadata(to).is_ok() { Err(Errno::EXIST.into()) } else { fs::rename(from, to) }
}

/// The name under which an [`AtomicFile::partial`] is written until it is complete.
pub fn partial_name(path: &Path) -> PathBuf {
    with_ending(path, ".partial")
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// What a path leads to where it is a symbolic link, else itself. Nothing has to be there: it is what `>` of a shell would make.
fn behind(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        if !path.is_symlink() {
            return Ok(path);
        }
        match fs::canonicalize(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                path = directory_of(&path).join(fs::read_link(&path)?);
            }
            found => return found,
        }
    }
    Err(Errno::LOOP.into())
}

/// The directory that a name is in.
pub fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Gives a file the rights of the one that it replaces, or fewer: who may not read that may not read this.
fn take_rights(file: &File, path: &Path, old: &fs::Metadata) {
    use std::os::unix::fs::fchown;
    let mut mode = old.mode() & 0o777;
    let has_group = fchown(file, Some(old.uid()), Some(old.gid()))
        .or_else(|_| fchown(file, None, Some(old.gid())))
        .is_ok();
    // With a list of rights those of the group are no more than its mask.
    let has_list =
        rustix::fs::getxattr(path, c"system.posix_acl_access", &mut [0_u8; 0]).is_ok_and(|size| size > 0);
    if !has_group || has_list {
        mode &= !0o070 | (mode & 0o007) << 3;
    }
    // A file system without rights refuses, and has none to keep.
    let _ = file.set_permissions(fs::Permissions::from_mode(mode));
}

/// Whether a path leads to an open file itself.
fn is_at(file: &File, path: &Path) -> bool {
    let (open, named) = (file.metadata(), fs::symlink_metadata(path));
    open.is_ok_and(|open| named.is_ok_and(|named| identity(&open) == identity(&named)))
}

fn identity(facts: &fs::Metadata) -> (u64, u64) {
    (facts.dev(), facts.ino())
}

#[cfg(test)]
mod tests;
