//! What lies below a directory: every name with its kind and size.
//!
//! Unlike the walk of a run this one shows what is not a file: a bag has to account for it.

use std::ffi::{CString, OsStr};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A symbolic link that leads to a regular file, wherever.
    LinkToFile,
    /// A symbolic link that leads to a directory.
    LinkToDirectory,
    /// A symbolic link that leads nowhere.
    LinkToNothing,
    /// A directory without entries.
    EmptyDirectory,
    /// A FIFO, a socket, a device, or a link to one.
    Special,
}

/// What is known of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryFacts {
    /// What it is.
    pub kind: EntryKind,
    /// In bytes; of a link, what it leads to.
    pub size: u64,
    /// When the content was last changed, in seconds and nanoseconds.
    pub modified: (i64, i64),
}

impl EntryFacts {
    /// Whether it can be read as a file.
    pub fn is_file(&self) -> bool {
        matches!(self.kind, EntryKind::File | EntryKind::LinkToFile)
    }
}

/// What a walk shows: a name relative to the root.
pub(crate) enum Found {
    Name(Vec<u8>, EntryFacts),
    Unsearched(Vec<u8>, io::Error),
}

/// Shows everything below `root` that is not a directory with entries. `enters` says of a directory whether to
/// go down.
pub(crate) fn walk(root: &Path, enters: impl Fn(&[u8]) -> bool, mut show: impl FnMut(Found)) {
    let mut left: Vec<Vec<u8>> = vec![Vec::new()];
    while let Some(directory) = left.pop() {
        let entries = match fs::read_dir(below(root, &directory)) {
            Ok(entries) => entries,
            Err(error) => {
                show(Found::Unsearched(directory, error));
                continue;
            }
        };
        let mut is_empty = true;
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    show(Found::Unsearched(directory.clone(), error));
                    break;
                }
            };
            is_empty = false;
            let mut name = directory.clone();
            if !name.is_empty() {
                name.push(b'/');
            }
            name.extend(entry.file_name().into_vec());
            if !enters(&name) {
                continue;
            }
            match look(&entry.path()) {
                Ok(None) => left.push(name),
                Ok(Some(facts)) => show(Found::Name(name, facts)),
                Err(error) => show(Found::Unsearched(name, error)),
            }
        }
        if is_empty && !directory.is_empty() {
            let facts = EntryFacts { kind: EntryKind::EmptyDirectory, size: 0, modified: (0, 0) };
            show(Found::Name(directory, facts));
        }
    }
}

/// What a name stands for; `None` is a directory.
fn look(path: &Path) -> io::Result<Option<EntryFacts>> {
    use std::os::unix::fs::MetadataExt as _;
    let facts = fs::symlink_metadata(path)?;
    let is_link = facts.is_symlink();
    let facts = match is_link {
        true => match fs::metadata(path) {
            Ok(behind) => behind,
            // Loops too lead nowhere.
            Err(_) => {
                return Ok(Some(EntryFacts { kind: EntryKind::LinkToNothing, size: 0, modified: (0, 0) }));
            }
        },
        false => facts,
    };
    let kind = match (facts.is_dir(), facts.is_file(), is_link) {
        (true, _, false) => return Ok(None),
        (true, _, true) => EntryKind::LinkToDirectory,
        (_, true, true) => EntryKind::LinkToFile,
        (_, true, false) => EntryKind::File,
        _ => EntryKind::Special,
    };
    Ok(Some(EntryFacts { kind, size: facts.len(), modified: (facts.mtime(), facts.mtime_nsec()) }))
}

/// The path of a name below a directory.
pub fn below(root: &Path, name: &[u8]) -> PathBuf {
    if name.is_empty() { root.to_owned() } else { root.join(OsStr::from_bytes(name)) }
}

/// A name for the system; what comes from a walk has no NUL.
pub(crate) fn c_name(name: &[u8]) -> io::Result<CString> {
    CString::new(name).map_err(io::Error::other)
}
