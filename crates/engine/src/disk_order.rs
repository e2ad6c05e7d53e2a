//! Entries in the order in which their files lie on the device, for disks that turn: every seek takes as long as reading a
//! megabyte.

use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, statat};

use hashlane_io::{FileFacts, FileKind, first_extent};

use crate::entry::{Entry, Location};

/// Entries that are put in order together. A record waits at most for so many others.
pub(crate) const WINDOW: usize = 1_024;

/// Puts entries in order: by where their content begins, as far as the file system tells. To ask it their files are opened
/// in the order of their inodes, which lie on the device as well; that order stays for those of which nothing is told.
pub(crate) fn sort(entries: &mut [Entry]) {
    for entry in &mut *entries {
        if entry.inode == 0 {
            entry.inode = inode(&entry.location);
        }
    }
    entries.sort_by_key(|entry| entry.inode);
    // Those without a place come first, as inodes lie before contents for the most part.
    entries.sort_by_cached_key(|entry| place(entry).unwrap_or(0));
}

/// The inode of a regular file; 0 for all else, which lies nowhere.
fn inode(location: &Location) -> u64 {
    let stat = match location {
        Location::Name { directory, name, .. } | Location::Below { base: directory, name } => {
            match directory.descriptor() {
                Some(descriptor) => statat(descriptor, name.as_c_str(), AtFlags::empty()),
                None => statat(CWD, directory.join(name.to_bytes()), AtFlags::empty()),
            }
        }
        Location::Stdin => return 0,
    };
    let facts = stat.map(|stat| FileFacts::from_stat(&stat));
    facts.ok().filter(|facts| facts.kind == FileKind::Regular).map_or(0, |facts| facts.inode)
}

/// Where the content of a regular file begins on its device, in bytes.
fn place(entry: &Entry) -> Option<u64> {
    use std::os::fd::AsFd as _;
    // What leads out of its base is not opened, not even to look.
    let Location::Name { directory, name, .. } = &entry.location else { return None };
    if entry.inode == 0 {
        return None;
    }
    // It was a regular file a moment ago; should it be a FIFO now, nobody waits for its writer.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match directory.descriptor() {
        Some(descriptor) => openat(descriptor, name.as_c_str(), flags, Mode::empty()),
        None => openat(CWD, directory.join(name.to_bytes()), flags, Mode::empty()),
    };
    first_extent(file.ok()?.as_fd())
}
