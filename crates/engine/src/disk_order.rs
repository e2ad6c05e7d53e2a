//! Entries in the order in which their files lie on the device, for disks that turn: every seek takes as long as reading a
//! megabyte.

use hashlane_io::{Place as _, Store};

use crate::entry::{Entry, Location};

/// Entries that are put in order together. A record waits for at most this many others.
pub(crate) const WINDOW: usize = 1_024;

/// Puts entries in order: by where their content begins, as far as the file system says. To ask for that, their files are opened in
/// the order of their inodes, which lie on the device as well; that order stays for those about which it says nothing.
pub(crate) fn sort<S: Store>(entries: &mut [Entry<S>]) {
    for entry in &mut *entries {
        if let Location::At(place) = &entry.location
            && entry.inode == 0
        {
            entry.inode = place.inode();
        }
    }
    entries.sort_by_key(|entry| entry.inode);
    // Those without a place come first, as inodes lie before contents for the most part.
    entries.sort_by_cached_key(|entry| match &entry.location {
        Location::At(place) if entry.inode != 0 => place.first_byte().unwrap_or(0),
        _ => 0,
    });
}
