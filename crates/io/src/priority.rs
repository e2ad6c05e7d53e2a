//! The priority of a thread's reads and writes.

use std::io;
use std::marker::PhantomData;
use std::os::raw::c_int;

use rustix::process::Pid;

/// A class and a level, as `ioprio_get(2)` has them. Schedulers that know no priorities ignore it: BFQ and
/// mq-deadline heed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoPriority(c_int);

/// `IOPRIO_WHO_PROCESS` of linux/ioprio.h: one thread.
const WHO_PROCESS: c_int = 1;

/// `IOPRIO_CLASS_IDLE`, and where the class begins.
const CLASS_IDLE: c_int = 3;
const CLASS_SHIFT: c_int = 13;

impl IoPriority {
    /// Served when nobody else asks for anything.
    pub const IDLE: Self = Self(CLASS_IDLE << CLASS_SHIFT);

    /// That of a thread of this process, or of the calling one.
    ///
    /// # Errors
    /// What the system says: there is no such thread, or the kernel knows no priorities.
    pub fn of_thread(thread: Option<Pid>) -> io::Result<Self> {
        let thread = thread.map_or(0, |thread| thread.as_raw_nonzero().get());
        // SAFETY: the call takes and returns numbers only.
        let priority = unsafe { libc::syscall(libc::SYS_ioprio_get, WHO_PROCESS, thread) };
        if priority < 0 { Err(io::Error::last_os_error()) } else { Ok(Self(priority as c_int)) }
    }

    /// Gives it to the calling thread; threads that it starts from then on begin with it.
    ///
    /// # Errors
    /// What the system says: it is forbidden, or the kernel knows no priorities.
    pub fn set(self) -> io::Result<()> {
        // SAFETY: the call takes numbers only.
        let result = unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, 0, self.0) };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// As [`IoPriority::set`], for as long as the result is kept.
    ///
    /// # Errors
    /// As there.
    pub fn hold(self) -> io::Result<HeldPriority> {
        let before = Self::of_thread(None)?;
        self.set()?;
        Ok(HeldPriority { before, _thread: PhantomData })
    }
}

/// A priority that the calling thread has until this is dropped, and then the one of before.
#[derive(Debug)]
pub struct HeldPriority {
    before: IoPriority,
    /// It belongs to the thread.
    _thread: PhantomData<*const ()>,
}

impl Drop for HeldPriority {
    fn drop(&mut self) {
        // What was allowed before is allowed again; if not, the thread stays as modest as it was asked to be.
        let _ = self.before.set();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_has_the_priority_that_it_was_given_and_gives_it_to_those_that_it_starts() {
        let of = || IoPriority::of_thread(None).expect("a priority");
        let inherited = std::thread::spawn(move || {
            assert_ne!(of(), IoPriority::IDLE);
            IoPriority::IDLE.set().expect("anybody may");
            assert_eq!(of(), IoPriority::IDLE);
            std::thread::spawn(of).join()
        });
        let before = of();
        let held = IoPriority::IDLE.hold().expect("anybody may");
        assert_eq!(of(), IoPriority::IDLE);
        drop(held);
        assert_eq!(of(), before);
        assert_eq!(inherited.join().expect("no panic").expect("no panic"), IoPriority::IDLE);
        assert_ne!(of(), IoPriority::IDLE, "others keep theirs");
    }
}
