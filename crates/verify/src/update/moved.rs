//! Finds listed files again below directories that were renamed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::num::NonZeroU64;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use hashlane_io::FileSystems;
use hashlane_record::ItemPath;

use super::old::OldList;
use crate::trust::Signs;

/// Finds them.
///
/// A file is taken for a listed one under another name where inode, base name, size and mtime are as listed, its file system is one that the list
/// names, nothing has the listed name any more, and what is left of the way to that name lies in the same file system. So no other file
/// system with the same numbers counts: a copy of a disk, a snapshot, what lay under a mount point. If it was also neither written
/// nor renamed itself since the listing (ctime), nothing else can be it, and it is not read; otherwise it is read and judged by what is listed.
#[derive(Debug, Default)]
pub(super) struct Moved {
    file_systems: RefCell<FileSystems>,
    /// How many of the files of an inode have new names already, of those that come first.
    taken: RefCell<HashMap<NonZeroU64, usize>>,
}

impl Moved {
    /// Of at most this many files alike it is looked up whether their names are gone.
    const MOST: usize = 64;

    /// The inode of a file, if the file keeps it.
    pub(super) fn kept_inode(&self, path: &ItemPath, signs: &Signs) -> Option<NonZeroU64> {
        let (inode, device) = signs.place?;
        self.file_systems.borrow_mut().identity(device, path.as_path()).map(|_| inode)
    }

    /// A listed file with the inode and the base name of a file, and whose name is gone, among those that `may_be` takes.
    pub(super) fn former(
        &self,
        old: &OldList,
        path: &ItemPath,
        signs: &Signs,
        may_be: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let (inode, device) = signs.place?;
        let alike = old.of_inode(inode);
        let mut taken = self.taken.borrow_mut();
        let first = taken.get(&inode).copied().unwrap_or_default();
        let has_base_name = |number: u32| base_name(old.files.file(number).0) == base_name(path.as_bytes());
        let may_be = |&(_, number): &(usize, u32)| has_base_name(number) && may_be(number);
        let candidates = (first..).zip(alike[first..].iter().copied()).filter(may_be);
        let mut candidates = candidates.take(Self::MOST).peekable();
        candidates.peek()?;
        let file_system = self.file_systems.borrow_mut().identity(device, path.as_path());
        if !file_system.is_some_and(|file_system| old.names(file_system)) || !is_regular(path, inode, device)
        {
            return None;
        }
        let is_former = |&(_, number): &(usize, u32)| {
            let listed = old.files.file(number).0;
            is_gone(listed) && is_on_same_device(listed, path, device)
        };
        let (place, former) = candidates.find(is_former)?;
        if place == first {
            taken.insert(inode, first + 1);
        }
        Some(former)
    }
}

/// What stands behind the last slash.
fn base_name(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

/// Whether a name is that of a file with this inode, and of no symbolic link to it.
fn is_regular(path: &ItemPath, inode: NonZeroU64, device: u64) -> bool {
    let facts = fs::symlink_metadata(path.as_path());
    facts.is_ok_and(|facts| facts.is_file() && facts.ino() == inode.get() && facts.dev() == device)
}

/// Whether nothing has a name any more.
fn is_gone(name: &[u8]) -> bool {
    fs::symlink_metadata(ItemPath::from(name).as_path()).is_err_and(|error| is_absence(&error))
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether a file, its directory and the nearest directory that is left above a name that is gone are all on one device. What cannot be looked
/// at is not.
fn is_on_same_device(gone: &[u8], path: &ItemPath, device: u64) -> bool {
    let is_there = |place: &Path| fs::metadata(place).is_ok_and(|facts| facts.dev() == device);
    let gone = ItemPath::from(gone);
    let mut left = above(gone.as_path());
    while let Some(place) = left {
        match fs::metadata(&place) {
            Err(error) if is_absence(&error) => left = above(&place),
            Err(_) => return false,
            Ok(facts) => {
                return facts.dev() == device && above(path.as_path()).is_some_and(|place| is_there(&place));
            }
        }
    }
    false
}

/// The directory above a name.
fn above(path: &Path) -> Option<PathBuf> {
    path.parent().map(|above| if above.as_os_str().is_empty() { ".".into() } else { above.to_owned() })
}
