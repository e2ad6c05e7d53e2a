//! Standard input and output, as they were given to this process.
//!
//! The streams of Rust's library take an input that cannot be read for an empty one, and an output that cannot be written
//! for one that has taken everything: its runtime opens /dev/null in the place of what is closed, and its streams pass over
//! "bad file descriptor". A digest of nothing would then stand for data that was never read. The streams here report both.
//!
//! Invariants:
//! 1. What was closed when the process began is neither read nor written, and no file that is opened later gets its number.
//! 2. Neither stream buffers: what one does not read is there for the next, and a write that returns has happened.

use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::{CWD, Mode, OFlags, fcntl_getfl, openat};
use rustix::io::Errno;
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout, stdin, stdout};

/// Standard input. Does not buffer.
#[derive(Clone, Copy, Debug, Default)]
pub struct StandardInput;

/// Standard output. Does not buffer.
#[derive(Clone, Copy, Debug, Default)]
pub struct StandardOutput;

impl StandardInput {
    /// Whether somebody types it.
    pub fn is_terminal(self) -> bool {
        stdin().is_terminal()
    }

    /// Whether it was closed when the process began.
    pub fn is_closed(self) -> bool {
        was_closed(0)
    }

    /// Whether it can be read at all.
    ///
    /// # Errors
    /// It is closed, or open for writing only: "bad file descriptor", as a read would say.
    pub fn check(self) -> io::Result<()> {
        refuse_closed(0)?;
        refuse_useless(stdin(), OFlags::WRONLY)
    }
}

impl StandardOutput {
    /// Whether somebody looks at it.
    pub fn is_terminal(self) -> bool {
        stdout().is_terminal()
    }

    /// Whether it was closed when the process began.
    pub fn is_closed(self) -> bool {
        was_closed(1)
    }

    /// Whether it can be written at all.
    ///
    /// # Errors
    /// It is closed, or open for reading only: "bad file descriptor", as a write would say.
    pub fn check(self) -> io::Result<()> {
        refuse_closed(1)?;
        refuse_useless(stdout(), OFlags::RDONLY)
    }
}

impl StandardOutput {
    /// Waits for a moment of less than a second, and says whether anybody still reads what is written.
    pub fn is_read(self, moment: Duration) -> bool {
        let timeout = Timespec { tv_sec: 0, tv_nsec: moment.subsec_nanos().into() };
        let output = stdout();
        let mut watched = [PollFd::new(&output, PollFlags::empty())];
        // A signal ends the moment early, which does no harm.
        let _ = poll(&mut watched, Some(&timeout));
        !watched[0].revents().contains(PollFlags::ERR)
    }
}

impl Read for StandardInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        refuse_closed(0)?;
        Ok(rustix::io::read(stdin(), buffer)?)
    }
}

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        refuse_closed(1)?;
        Ok(rustix::io::write(stdout(), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsFd for StandardInput {
    fn as_fd(&self) -> BorrowedFd<'_> {
        stdin()
    }
}

impl AsFd for StandardOutput {
    fn as_fd(&self) -> BorrowedFd<'_> {
        stdout()
    }
}

/// Puts something in the place of each standard descriptor that was closed when the process began that can neither be read
/// nor written, nor opened anew as `/dev/stdin` and its kin. A program calls this first, before it opens anything.
///
/// # Errors
/// What the system says.
pub fn keep_closed() -> io::Result<()> {
    let replace: [fn(OwnedFd) -> io::Result<()>; 3] = [
        |barrier| Ok(dup2_stdin(barrier)?),
        |barrier| Ok(dup2_stdout(barrier)?),
        |barrier| Ok(dup2_stderr(barrier)?),
    ];
    for (number, replace) in (0..).zip(replace) {
        if was_closed(number) {
            replace(barrier()?)?;
        }
    }
    Ok(())
}

/// A descriptor that nothing can be done with. That of an event can be opened by no path; without /proc nothing that is open
/// can, and the root serves as well.
fn barrier() -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let event = eventfd(0, EventfdFlags::CLOEXEC)?;
    let path = format!("/proc/self/fd/{}", event.as_raw_fd());
    let opened = openat(CWD, path, flags, Mode::empty());
    Ok(opened.or_else(|_| openat(CWD, c"/", flags, Mode::empty()))?)
}

/// Refuses what is open for the wrong direction, or for none.
fn refuse_useless(descriptor: BorrowedFd<'_>, useless: OFlags) -> io::Result<()> {
    let flags = fcntl_getfl(descriptor)?;
    let is_useless = flags.contains(OFlags::PATH) || flags & OFlags::ACCMODE == useless;
    if is_useless { Err(Errno::BADF.into()) } else { Ok(()) }
}

fn refuse_closed(number: u8) -> io::Result<()> {
    if was_closed(number) { Err(Errno::BADF.into()) } else { Ok(()) }
}

/// A bit for each standard descriptor that was closed when the process began.
static CLOSED: AtomicU8 = AtomicU8::new(0);

fn was_closed(number: u8) -> bool {
    // Also a use of the entry, so that no linker takes it for unused.
    std::hint::black_box(&LOOK);
    CLOSED.load(Ordering::Relaxed) & 1 << number != 0
}

/// Called by the C library before the runtime of Rust begins, which opens /dev/null in the place of what is closed.
#[used]
// SAFETY: the section holds pointers to functions of the C calling convention, and this is one.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = {
    extern "C" fn look() {
        for number in 0..3_u8 {
            // SAFETY: asks for the flags of a number, which need not be that of anything open. Allocates nothing and
            // touches no memory but that of `errno`, so that it may run before all else.
            let flags = unsafe { libc::fcntl(number.into(), libc::F_GETFD) };
            if flags == -1 {
                CLOSED.fetch_or(1 << number, Ordering::Relaxed);
            }
        }
    }
    look
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_barrier_nothing_can_be_done() {
        let barrier = barrier().unwrap();
        let bad = Some(Errno::BADF.raw_os_error());
        let read = rustix::io::read(&barrier, &mut [0_u8; 1]).map_err(|error| Some(error.raw_os_error()));
        let written = rustix::io::write(&barrier, b"x").map_err(|error| Some(error.raw_os_error()));
        assert_eq!((read, written), (Err(bad), Err(bad)));
        let path = format!("/proc/self/fd/{}", barrier.as_raw_fd());
        assert!(std::fs::File::open(&path).is_err());
        assert!(std::fs::OpenOptions::new().append(true).open(&path).is_err());
        assert!(!barrier.is_terminal());
    }

    #[test]
    fn what_is_open_for_the_other_direction_cannot_be_used() {
        let open = |flags| openat(CWD, c"/dev/null", flags, Mode::empty()).unwrap();
        let of = |flags, useless| refuse_useless(open(flags).as_fd(), useless).is_ok();
        assert!(of(OFlags::RDONLY, OFlags::WRONLY) && of(OFlags::RDWR, OFlags::WRONLY));
        assert!(of(OFlags::WRONLY, OFlags::RDONLY) && of(OFlags::RDWR, OFlags::RDONLY));
        assert!(!of(OFlags::WRONLY, OFlags::WRONLY) && !of(OFlags::RDONLY, OFlags::RDONLY));
        assert!(!of(OFlags::PATH, OFlags::WRONLY) && !of(OFlags::PATH, OFlags::RDONLY));
    }
}
