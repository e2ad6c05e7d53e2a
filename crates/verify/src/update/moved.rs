//! Finds listed files again below directories that were renamed.

use std::cell::RefCell;
use std::fs;
use std::io;
use std::num::NonZeroU64;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use hashlane_io::LastingInodes;
use hashlane_record::ItemPath;

use super::old::OldList;
use crate::trust::Signs;

/// Finds them.
///
/// A file is a listed one under another name only where nothing else can be: inode, base name, size and mtime are as listed, it was neither written
/// nor renamed itself since the listing (ctime), nothing has the listed name any more, and what is left of the way to that name lies in
/// the file system of the file. So no other file system with the same numbers counts: a copy of a disk, a snapshot, what lay under a
/// mount point.
#[derive(Debug, Default)]
pub(super) struct Moved {
    lasting: RefCell<LastingInodes>,
}

impl Moved {
    /// Whether what is seen of a file holds an inode that it keeps.
    pub(super) fn keeps_inode(&self, path: &[u8], signs: &Signs) -> Option<NonZeroU64> {
        let (inode, device) = signs.place?;
        let path = ItemPath::from(path);
        self.lasting.borrow_mut().hold(device, path.as_path()).then_some(inode)
    }

    /// The listed files with the inode and the base name of a file, whose names are gone.
    pub(super) fn formers<'a>(
        &'a self,
        old: &'a OldList,
        path: &'a [u8],
        signs: &Signs,
    ) -> impl Iterator<Item = u32> + 'a {
        let inode = self.keeps_inode(path, signs).filter(|&inode| is_regular(path, inode));
        inode.into_iter().flat_map(|inode| old.of_inode(inode)).filter(move |&number| {
            let name = old.files.file(number).0;
            base_name(name) == base_name(path) && is_gone(name) && is_on_same_device(name, path)
        })
    }
}

/// What stands behind the last slash.
fn base_name(path: &[u8]) -> &[u8] {
    path.rsplit(|&byte| byte == b'/').next().unwrap_or(path)
}

/// Whether a name is that of a file with this inode, and of no symbolic link to it.
fn is_regular(path: &[u8], inode: NonZeroU64) -> bool {
    let facts = fs::symlink_metadata(ItemPath::from(path).as_path());
    facts.is_ok_and(|facts| facts.is_file() && facts.ino() == inode.get())
}

/// Whether nothing has a name any more.
fn is_gone(name: &[u8]) -> bool {
    fs::symlink_metadata(ItemPath::from(name).as_path()).is_err_and(|error| is_absence(&error))
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether the directory of a file lies in the file system of the nearest directory that is left above a name that is gone. What cannot be
/// looked at does not.
fn is_on_same_device(gone: &[u8], path: &[u8]) -> bool {
    let (gone, path) = (ItemPath::from(gone), ItemPath::from(path));
    let above = |path: &Path| {
        path.parent().map(|above| if above.as_os_str().is_empty() { ".".into() } else { above.to_owned() })
    };
    let Some(directory) = above(path.as_path()).and_then(|directory| fs::metadata(directory).ok()) else {
        return false;
    };
    let mut left = above(gone.as_path());
    while let Some(place) = left {
        match fs::metadata(&place) {
            Ok(facts) => return facts.dev() == directory.dev(),
            Err(error) if is_absence(&error) => left = above(&place),
            Err(_) => return false,
        }
    }
    false
}
