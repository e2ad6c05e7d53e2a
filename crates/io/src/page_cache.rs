//! What the page cache holds of a file, and how to make it forget.

use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd};

use rustix::fs::{Advice, fadvise, fdatasync};

use crate::file_system;

/// How much of a range of a file is in the page cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residency {
    /// Bytes in the cache: whole pages, so it may exceed the range asked for.
    pub resident_bytes: u64,
    /// Bytes in the cache and not yet written to the device.
    pub dirty_bytes: u64,
}

impl Residency {
    /// Whether a range is in the cache from end to end, if this is the answer for that range.
    pub(crate) fn covers(&self, offset: u64, length_bytes: u64) -> bool {
        let page = rustix::param::page_size() as u64;
        self.resident_bytes >= (offset + length_bytes).div_ceil(page) * page - offset / page * page
    }
}

/// How much of `length_bytes` from `offset` is in the page cache, by cachestat(2): Linux 6.5 and later. `None` if the
/// kernel or a sandbox does not tell, or if the file system caches its files where the call does not see them (overlayfs,
/// ZFS): then it is unknown, and nothing is guessed.
pub fn residency(file: BorrowedFd<'_>, offset: u64, length_bytes: u64) -> Option<Residency> {
    #[repr(C)]
    struct Range {
        offset: u64,
        length: u64,
    }
    #[repr(C)]
    #[derive(Default)]
    struct Counters {
        cached: u64,
        dirty: u64,
        writeback: u64,
        evicted: u64,
        recently_evicted: u64,
    }
    /// The number is the same on every architecture.
    const SYS_CACHESTAT: libc::c_long = 451;

    let range = Range { offset, length: length_bytes };
    let mut counters = Counters::default();
    // SAFETY: both structures have the layout of linux/mman.h and live through the call; the kernel reads the first,
    // writes the second and keeps neither. The descriptor is borrowed, hence open.
    let result =
        unsafe { libc::syscall(SYS_CACHESTAT, file.as_raw_fd(), &raw const range, &raw mut counters, 0) };
    let page = rustix::param::page_size() as u64;
    // What is wrong there is always too little, and most often nothing.
    let hidden = counters.cached * page < length_bytes && file_system::is_cached_elsewhere(file);
    (result == 0 && !hidden)
        .then(|| Residency { resident_bytes: counters.cached * page, dirty_bytes: counters.dirty * page })
}

/// Makes the page cache forget a file: what is dirty is written first. Pages that somebody has mapped or locked stay;
/// [`residency`] tells.
///
/// # Errors
/// What the system says.
pub fn evict(file: BorrowedFd<'_>) -> io::Result<()> {
    // A read-only file system has nothing dirty and refuses to sync on some kernels.
    match fdatasync(file) {
        Ok(()) | Err(rustix::io::Errno::ROFS | rustix::io::Errno::INVAL) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(fadvise(file, 0, None, Advice::DontNeed)?)
}
