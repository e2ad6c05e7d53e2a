//! An event that a thread can wait for in the kernel, among other things.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::event::{EventfdFlags, eventfd};

/// A counter in the kernel (`eventfd(2)`): who waits reads it, who wakes adds to it.
///
/// Invariant: an event that is raised stays so until it is taken, whether anybody reads the counter meanwhile or not.
#[derive(Debug)]
pub(crate) struct Event {
    counter: OwnedFd,
    /// Raised and not taken yet: to raise it once more takes no system call.
    raised: AtomicBool,
    /// Where the kernel puts what it reads from the counter. Nobody looks at it.
    read: AtomicU64,
}

impl Event {
    /// An event that is not raised.
    pub(crate) fn new() -> io::Result<Self> {
        // Not `NONBLOCK`: a ring would answer that there is nothing to read, in the place of waiting.
        let counter = eventfd(0, EventfdFlags::CLOEXEC)?;
        Ok(Self { counter, raised: AtomicBool::new(false), read: AtomicU64::new(0) })
    }

    /// Lets the wait for it end.
    pub(crate) fn raise(&self) {
        if !self.raised.swap(true, Ordering::AcqRel) {
            // It counts to 2^64 and is at most a few: there is room, and nothing else can go wrong.
            let _ = rustix::io::write(&self.counter, &1_u64.to_ne_bytes());
        }
    }

    /// Takes note that it was raised. To be called after the counter was read and before looking for what others
    /// announce by it: who raises it later writes to the counter again.
    pub(crate) fn take(&self) {
        self.raised.swap(false, Ordering::AcqRel);
    }

    /// Where to read the counter to: memory of 8 bytes, valid as long as the event.
    pub(crate) fn room(&self) -> *mut u8 {
        self.read.as_ptr().cast()
    }
}

impl AsFd for Event {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.counter.as_fd()
    }
}
