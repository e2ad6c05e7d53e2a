//! What the page cache holds of a file, and how to make it forget.

mod incore;
mod unseen;

use std::io;
use std::num::NonZeroU64;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd};
use std::time::Duration;

use rustix::fs::{Advice, fadvise, fdatasync};
use rustix::io::Errno;

use crate::file_system::{self, CachedElsewhere};
use crate::open_file::{FileKind, OpenFile};
pub use unseen::CacheUnseen;

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
    let counted = cachestat(file, offset, length_bytes).ok()?;
    // What is wrong there is always too little, and most often nothing.
    let hidden = counted.resident_bytes < length_bytes && file_system::cached_elsewhere(file).is_some();
    (!hidden).then_some(counted)
}

/// How many bytes of the first `length_bytes` of a file are in the page cache, in whole pages: by cachestat(2), and where that is
/// missing, blocked or wrong by mincore(2). That one is right about files that the caller owns or may write to, and costs a
/// mapping: it is for the files of a measurement, and not for each of many.
///
/// # Errors
/// Why neither shows it.
pub fn resident_bytes(file: BorrowedFd<'_>, length_bytes: u64) -> Result<u64, CacheUnseen> {
    if let Some(counted) = residency(file, 0, length_bytes) {
        return Ok(counted.resident_bytes);
    }
    match unseen(file, length_bytes) {
        Some(reason) if reason != CacheUnseen::OwnCache && incore::is_told(file) => {
            incore::resident_bytes(file, length_bytes).map_err(|_| reason)
        }
        Some(reason) => Err(reason),
        // Its pages came between two looks.
        None => residency(file, 0, length_bytes)
            .map(|counted| counted.resident_bytes)
            .ok_or(CacheUnseen::OtherInode),
    }
}

/// Why [`residency`] does not tell of a file; none if it does.
pub(crate) fn unseen(file: BorrowedFd<'_>, length_bytes: u64) -> Option<CacheUnseen> {
    match (cachestat(file, 0, length_bytes), file_system::cached_elsewhere(file)) {
        (Ok(counted), _) if counted.resident_bytes >= length_bytes => None,
        (_, Some(CachedElsewhere::OtherInode)) => Some(CacheUnseen::OtherInode),
        (_, Some(CachedElsewhere::OwnCache)) => Some(CacheUnseen::OwnCache),
        (Ok(_), None) => None,
        (Err(error), None) => Some(CacheUnseen::of(error, file)),
    }
}

/// Asks cachestat(2).
fn cachestat(file: BorrowedFd<'_>, offset: u64, length_bytes: u64) -> Result<Residency, Errno> {
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
    if result != 0 {
        return Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO));
    }
    let page = rustix::param::page_size() as u64;
    Ok(Residency { resident_bytes: counters.cached * page, dirty_bytes: counters.dirty * page })
}

/// Makes the page cache forget a file: what is dirty is written first. Pages that somebody has mapped or locked stay;
/// [`residency`] shows it.
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

/// The same, again and again for a while: a kernel that is just moving a page keeps it for that time. Whether nothing is left. Tests begin with
/// that; a run asks once, and says what was there.
///
/// # Errors
/// What the system says.
#[doc(hidden)]
pub fn evict_wholly(file: BorrowedFd<'_>) -> io::Result<bool> {
    const TRIES: u32 = 200;
    const PAUSE: Duration = Duration::from_millis(10);

    for _ in 0..TRIES {
        evict(file)?;
        match residency(file, 0, u64::MAX / 2) {
            Some(there) if there.resident_bytes > 0 => std::thread::sleep(PAUSE),
            told => return Ok(told.is_some()),
        }
    }
    Ok(false)
}

/// Lets go of the pages of `length_bytes` from `offset`, or up to the end. Those that are dirty, mapped or in part outside
/// stay, and so do all where the kernel knows better: it is a hint.
pub fn forget(file: &OpenFile, offset: u64, length_bytes: Option<NonZeroU64>) {
    let _ = fadvise(file, offset, length_bytes, Advice::DontNeed);
}

impl OpenFile {
    /// Notes how much of the file is in the page cache now, before anything is read: afterwards the kernel's
    /// read-ahead makes it impossible to tell.
    pub fn observe_residency(&mut self) {
        if self.facts().kind == FileKind::Regular && self.facts().size_bytes > 0 {
            let residency = residency(self.as_fd(), 0, self.facts().size_bytes);
            let bytes = residency.map(|residency| residency.resident_bytes.min(self.facts().size_bytes));
            self.set_resident_bytes(bytes);
        }
    }

    /// Why it cannot be seen what the page cache holds of it; none if it can, and of what has no pages there.
    pub fn cache_unseen(&self) -> Option<CacheUnseen> {
        let has_pages = self.facts().kind == FileKind::Regular && !self.is_synthetic();
        if has_pages { unseen(self.as_fd(), self.facts().size_bytes) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read as _, Seek as _, Write as _};
    use std::os::fd::AsFd as _;

    use super::*;

    const BYTES: usize = 300_000;

    /// A file in the temporary directory; none, and the reason is said, where this test cannot be made there.
    fn file(test: &str) -> Option<File> {
        let mut file = tempfile::tempfile().expect("a temporary file");
        file.write_all(&[7; BYTES]).expect("write");
        let reason = match residency(file.as_fd(), 0, BYTES as u64) {
            _ if file_system::is_memory(file.as_fd()) => "the temporary directory is in memory",
            None => "the page cache cannot be observed here",
            Some(_) => return Some(file),
        };
        assert!(std::env::var_os("HASHLANE_SKIPS_FAIL").is_none_or(|fail| fail != "1"), "{reason}");
        eprintln!("SKIPPED: {test}: {reason}");
        None
    }

    #[test]
    fn what_is_evicted_is_gone_and_what_is_read_is_there() {
        let Some(mut file) = file("what_is_evicted_is_gone_and_what_is_read_is_there") else { return };
        let now = |file: &File| residency(file.as_fd(), 0, BYTES as u64).expect("it was told before");
        let page = rustix::param::page_size() as u64;
        let whole = (BYTES as u64).next_multiple_of(page);
        assert_eq!(now(&file).resident_bytes, whole, "it was just written");
        evict_wholly(file.as_fd()).expect("evict");
        assert_eq!(now(&file), Residency { resident_bytes: 0, dirty_bytes: 0 });
        assert!(!now(&file).covers(0, BYTES as u64));
        file.rewind().expect("rewind");
        file.read_to_end(&mut Vec::new()).expect("read");
        assert_eq!(now(&file), Residency { resident_bytes: whole, dirty_bytes: 0 });
        assert!(now(&file).covers(0, BYTES as u64));
        file.write_all(b"more").expect("write");
        assert!(residency(file.as_fd(), 0, BYTES as u64 + 4).expect("it was told before").dirty_bytes > 0);
    }

    #[test]
    fn mincore_counts_as_cachestat_does() {
        let Some(mut file) = file("mincore_counts_as_cachestat_does") else { return };
        assert!(incore::is_told(file.as_fd()), "it is our own");
        let both = |file: &File| {
            let counted =
                residency(file.as_fd(), 0, BYTES as u64).expect("it was told before").resident_bytes;
            assert_eq!(
                incore::resident_bytes(file.as_fd(), BYTES as u64).expect("it can be mapped"),
                counted
            );
            assert_eq!(resident_bytes(file.as_fd(), BYTES as u64), Ok(counted));
            counted
        };
        let whole = (BYTES as u64).next_multiple_of(rustix::param::page_size() as u64);
        assert_eq!(both(&file), whole);
        evict_wholly(file.as_fd()).expect("evict");
        assert_eq!(both(&file), 0);
        // Without read-ahead a read brings what it asks for and no more.
        fadvise(&file, 0, None, Advice::Random).expect("advise");
        file.rewind().expect("rewind");
        file.read_exact(&mut [0; 100]).expect("read");
        let some = both(&file);
        assert!(some > 0 && some < whole, "{some} of {whole}");
    }

    #[test]
    fn a_range_is_covered_by_all_the_pages_that_it_touches() {
        let page = rustix::param::page_size() as u64;
        let pages = |count| Residency { resident_bytes: count * page, dirty_bytes: 0 };
        assert!(pages(1).covers(0, 1) && pages(1).covers(0, page) && pages(1).covers(page - 1, 1));
        assert!(!pages(1).covers(0, page + 1) && !pages(1).covers(page - 1, 2));
        assert!(pages(2).covers(page - 1, 2));
        assert!(!pages(0).covers(0, 1));
    }
}
