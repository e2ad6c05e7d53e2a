//! What becomes of a program that finds no memory: it ends with a message and an exit code.
//!
//! The library of Rust aborts then, which looks like a defect. A program names an [`Allocator`] as its global one; the words
//! and the code are its own. Where a cgroup limits the memory, no allocation fails: the kernel kills whoever touches too
//! much. So large allocations are counted, and one too many is refused before its pages are touched.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The allocator of the system, which ends the process where it has no memory.
#[derive(Debug)]
pub struct Allocator {
    message: &'static str,
    code: i32,
    /// Words and code of a program that is played, once it is known which one.
    played: OnceLock<(Box<[u8]>, i32)>,
}

/// Allocations from this size on are counted. The smaller ones are bounded by what is in work.
const LARGE_BYTES: usize = 1 << 20;

/// Bytes of large allocations, at most.
static MOST_BYTES: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Bytes of large allocations.
static HELD_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Limits the large allocations of this process.
pub(crate) fn limit(bytes: usize) {
    MOST_BYTES.store(bytes, Ordering::Relaxed);
}

/// Counts an allocation that becomes this much larger; false if that is too much.
pub(crate) fn take(bytes: usize) -> bool {
    if bytes == 0 {
        return true;
    }
    let held = HELD_BYTES.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
    let fits = held <= MOST_BYTES.load(Ordering::Relaxed);
    if !fits {
        give(bytes);
    }
    fits
}

/// An allocation has become this much smaller.
pub(crate) fn give(bytes: usize) {
    HELD_BYTES.fetch_sub(bytes, Ordering::Relaxed);
}

/// What is counted of an allocation of `bytes` bytes.
pub(crate) fn counted(bytes: usize) -> usize {
    if bytes < LARGE_BYTES { 0 } else { bytes }
}

impl Allocator {
    /// One that writes `message` to standard error and ends the process with `code` where there is no memory.
    pub const fn new(message: &'static str, code: i32) -> Self {
        Self { message, code, played: OnceLock::new() }
    }

    /// From now on writes this instead, and ends with this code. The first call counts.
    pub fn say_instead(&self, message: impl Into<Box<[u8]>>, code: i32) {
        let _ = self.played.set((message.into(), code));
    }

    /// Allocates by `allocate`, which gives null if there is no memory.
    fn or_end(&self, bytes: usize, allocate: impl FnOnce() -> *mut u8) -> *mut u8 {
        if !take(bytes) {
            self.end();
        }
        let start = allocate();
        if start.is_null() {
            self.end();
        }
        start
    }

    /// Ends the process. Allocates nothing.
    #[cold]
    fn end(&self) -> ! {
        static ENDS: AtomicBool = AtomicBool::new(false);
        if ENDS.swap(true, Ordering::SeqCst) {
            // Another thread says it, and ends this one.
            loop {
                // SAFETY: waits for a signal, and touches nothing.
                unsafe { libc::pause() };
            }
        }
        let own = || (self.message.as_bytes(), self.code);
        let (message, code) = self.played.get().map_or_else(own, |(message, code)| (message, *code));
        // SAFETY: the message is valid for its length. The process ends here: no destructor may run, as each may allocate.
        unsafe {
            libc::write(2, message.as_ptr().cast(), message.len());
            libc::_exit(code)
        }
    }
}

// SAFETY: all is done by the allocator of the system, with the very layouts that the caller promises something of. It does not
// unwind: where there is no memory it does not return.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the promises of this very function.
        self.or_end(counted(layout.size()), || unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        self.or_end(counted(layout.size()), || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        give(counted(layout.size()));
        // SAFETY: as above.
        unsafe { System.dealloc(start, layout) };
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let (before, after) = (counted(layout.size()), counted(new_size));
        // SAFETY: as above.
        let start =
            self.or_end(after.saturating_sub(before), || unsafe { System.realloc(start, layout, new_size) });
        give(before.saturating_sub(after));
        start
    }
}
