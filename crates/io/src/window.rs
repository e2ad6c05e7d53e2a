//! A window of a file: a part of it mapped into memory.

use std::io;
use std::os::fd::AsFd as _;
use std::ptr::{self, NonNull};
use std::slice;

use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap};

use crate::live_windows::LiveWindow;
use crate::open_file::OpenFile;

/// A mapped part of a file, released when dropped.
///
/// The file may fail under it: then the rest of the window reads as zeros and [`Window::is_broken`] says so.
pub(crate) struct Window {
    // Dropped before the mapping is released, so that the table never holds what is not mapped: see `Drop`.
    live: Option<LiveWindow>,
    /// The mapping, from the start of a page.
    mapping: NonNull<u8>,
    /// Bytes of the mapping before those that were asked for.
    skipped: usize,
    length: usize,
}

impl Window {
    /// Maps `length` bytes from `offset`. The file must reach that far, or the window breaks when it is read.
    ///
    /// # Errors
    /// What the system says of mapping this file; `ENOMEM` if too many windows are live.
    pub(crate) fn map(file: &OpenFile, offset: u64, length: usize) -> io::Result<Self> {
        if length == 0 {
            return Err(Errno::INVAL.into());
        }
        let page = rustix::param::page_size() as u64;
        let skipped = (offset % page) as usize;
        // Private: nobody writes through it, and some FUSE file systems refuse to share. Tried in windows of 8 MiB on ext4
        // in the page cache, and within the noise of each other: MAP_SHARED, MAP_POPULATE, MADV_HUGEPAGE,
        // MADV_SEQUENTIAL.
        // SAFETY: a fresh mapping at an address of the kernel's choice overlaps nothing that is in use.
        let mapping = unsafe {
            mmap(
                ptr::null_mut(),
                skipped + length,
                ProtFlags::READ,
                MapFlags::PRIVATE,
                file.as_fd(),
                offset - offset % page,
            )?
        };
        let mapping = NonNull::new(mapping.cast()).expect("the kernel maps nothing at 0 unless asked to");
        let mut window = Self { live: None, mapping, skipped, length };
        window.live = Some(
            LiveWindow::register(mapping.as_ptr(), skipped + length).ok_or(io::Error::from(Errno::NOMEM))?,
        );
        Ok(window)
    }

    /// Brings the whole window into memory, waiting for the device where that is needed.
    ///
    /// # Errors
    /// A part of it cannot be had: the file became shorter or its device failed. A `pread` says which.
    pub(crate) fn populate(&self) -> io::Result<()> {
        loop {
            // SAFETY: the range is our own mapping; this advice changes no content.
            match unsafe { madvise(self.mapping.as_ptr().cast(), self.mapped(), Advice::LinuxPopulateRead) } {
                Ok(()) => return Ok(()),
                Err(Errno::INTR | Errno::AGAIN) => {}
                // Linux before 5.14.
                Err(Errno::INVAL) => break,
                Err(error) => return Err(error.into()),
            }
        }
        for offset in (0..self.mapped()).step_by(rustix::param::page_size()) {
            // SAFETY: the offset lies in the mapping, which is readable; volatile, so that the page is touched.
            unsafe { ptr::read_volatile(self.mapping.as_ptr().add(offset)) };
        }
        if self.is_broken() { Err(Errno::FAULT.into()) } else { Ok(()) }
    }

    /// The bytes. Other processes may change them at any time: two looks at the same byte may differ.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping holds `skipped + length` bytes, readable until `self` is dropped. That others write to
        // the file is the caller's to bear: the bytes are only ever fed to digests and comparisons, which take any value
        // for any byte. That the file fails is met by the table of live windows, in which the mapping is registered.
        unsafe { slice::from_raw_parts(self.mapping.as_ptr().add(self.skipped), self.length) }
    }

    /// Number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Whether the file failed under it; to be asked after the bytes were used.
    pub(crate) fn is_broken(&self) -> bool {
        self.live.as_ref().is_some_and(LiveWindow::is_broken)
    }

    fn mapped(&self) -> usize {
        self.skipped + self.length
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // Out of the table first: as soon as the range is unmapped, another thread may be given it.
        self.live = None;
        // SAFETY: mapped in `map`, with this length, and no borrow of its bytes outlives `self`.
        let unmapped = unsafe { munmap(self.mapping.as_ptr().cast(), self.mapped()) };
        debug_assert!(unmapped.is_ok(), "a mapping of our own can be released");
    }
}

// SAFETY: a window owns its mapping alone; nothing in it is tied to a thread.
unsafe impl Send for Window {}
// SAFETY: a shared window can only be read.
unsafe impl Sync for Window {}
