//! What is cached, by mincore(2).
//!
//! The kernel says that every page is there of a file that the caller neither owns nor may write to (Linux 5.2), so those are not
//! asked about. It looks through overlayfs, because the mapping belongs to the file below.

use std::num::NonZeroUsize;
use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::ptr;

use rustix::fs::{Access, AtFlags, CWD, accessat, fstat};
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// Bytes that are mapped at a time: an address space may be limited.
const STEP_BYTES: u64 = 64 << 20;

/// Whether the kernel tells the truth about a file.
pub(super) fn is_told(file: BorrowedFd<'_>) -> bool {
    let is_owner = fstat(file).is_ok_and(|facts| facts.st_uid == rustix::process::geteuid().as_raw());
    let name = format!("/proc/self/fd/{}", file.as_raw_fd());
    is_owner || accessat(CWD, name, Access::WRITE_OK, AtFlags::EACCESS).is_ok()
}

/// Bytes of the first `length_bytes` that are in the page cache: whole pages.
///
/// # Errors
/// What the system says: some files cannot be mapped.
pub(super) fn resident_bytes(file: BorrowedFd<'_>, length_bytes: u64) -> Result<u64, Errno> {
    let page = rustix::param::page_size();
    let mut resident = 0;
    for offset in (0..length_bytes).step_by(STEP_BYTES as usize) {
        let bytes = (length_bytes - offset).min(STEP_BYTES) as usize;
        let Some(bytes) = NonZeroUsize::new(bytes) else { break };
        let mapping = Mapping::of(file, offset, bytes)?;
        resident += mapping.pages(page)? * page;
    }
    Ok(resident as u64)
}

/// A part of a file, mapped and not touched, so that none of its pages is held.
struct Mapping {
    start: *mut libc::c_void,
    bytes: NonZeroUsize,
}

impl Mapping {
    fn of(file: BorrowedFd<'_>, offset: u64, bytes: NonZeroUsize) -> Result<Self, Errno> {
        // SAFETY: a fresh mapping at an address of the kernel's choice overlaps nothing that is in use.
        let start =
            unsafe { mmap(ptr::null_mut(), bytes.get(), ProtFlags::READ, MapFlags::PRIVATE, file, offset)? };
        Ok(Self { start, bytes })
    }

    /// How many of its pages are in the page cache.
    fn pages(&self, page: usize) -> Result<usize, Errno> {
        let mut pages = vec![0_u8; self.bytes.get().div_ceil(page)];
        // SAFETY: the range is our own mapping, and the kernel writes one byte for each of its pages into a vector that has
        // as many.
        let result = unsafe { libc::mincore(self.start, self.bytes.get(), pages.as_mut_ptr().cast()) };
        if result != 0 {
            return Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO));
        }
        Ok(pages.into_iter().filter(|page| page & 1 != 0).count())
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped in `of`, with this length, and nobody has a reference into it.
        let unmapped = unsafe { munmap(self.start, self.bytes.get()) };
        debug_assert!(unmapped.is_ok(), "a mapping of our own can be released");
    }
}
