//! Hash functions from shared libraries, called as hashbench called them: `void test_name(char *buf, int size)`.
//!
//! The binding to code that is not ours. What such code does cannot be known: before it is called here it is called in a
//! process of its own, which may crash or hang without loss.

// Foreign code is behind raw functions; each call says why it is as safe as it can be.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::path::{Path, PathBuf};
use std::time::Duration;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, fork};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, fstat, memfd_create};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::stdio::dup2_stdout;

/// What hashbench calls.
type Function = unsafe extern "C" fn(*mut c_char, c_int);

/// Letters before the name of a function in its library.
const PREFIX: &str = "test_";

/// A message may not be longer: its size is an `int`.
pub const MOST_BYTES: usize = c_int::MAX as usize;

/// A hash function of a shared library.
#[derive(Debug)]
pub struct Plugin {
    name: String,
    path: PathBuf,
    function: Function,
    // The function is in it.
    _library: Library,
}

/// Why a function cannot be called.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PluginError {
    /// The library cannot be loaded.
    #[error("{}: cannot be loaded: {}", path.display(), reason(source))]
    Library {
        /// The library.
        path: PathBuf,
        /// What the loader said.
        source: libloading::Error,
    },
    /// It has no such function.
    #[error(
        "{}: has no function `{PREFIX}{name}`; it needs `void {PREFIX}{name}(char *buf, int size)`, and in C++ \
         extern \"C\" before it",
        path.display()
    )]
    Function {
        /// The library.
        path: PathBuf,
        /// The name that was asked for.
        name: String,
    },
    /// It crashes.
    #[error("{name}: dies by {signal} with a message of {bytes} bytes; mend it, or leave it out")]
    Dies {
        /// The function.
        name: String,
        /// The signal.
        signal: String,
        /// Length of the message.
        bytes: usize,
    },
    /// It ends the program.
    #[error(
        "{name}: ends the program, with exit status {status}, with a message of {bytes} bytes; it has to return"
    )]
    Exits {
        /// The function.
        name: String,
        /// How it ends.
        status: i32,
        /// Length of the message.
        bytes: usize,
    },
    /// It does not return.
    #[error("{name}: does not return within {} s with a message of {bytes} bytes", limit.as_secs())]
    Hangs {
        /// The function.
        name: String,
        /// How long was waited.
        limit: Duration,
        /// Length of the message.
        bytes: usize,
    },
    /// It prints, and its standard output is that of the results.
    #[error("{name}: prints something with a message of {bytes} bytes; what is timed has to be silent")]
    Prints {
        /// The function.
        name: String,
        /// Length of the message.
        bytes: usize,
    },
    /// It cannot be tried out.
    #[error("{name}: cannot be tried out in a process of its own: {source}")]
    Process {
        /// The function.
        name: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// What the loader said: the library that calls it keeps that behind a text of its own.
fn reason(error: &libloading::Error) -> String {
    use std::error::Error as _;
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

/// What the child that tries a function out says if it has returned: no plugin is likely to end so by itself.
const RETURNED: i32 = 93;

impl Plugin {
    /// Loads a library and looks for `test_name` in it. The library's own initialisers run.
    ///
    /// # Errors
    /// There is no such library, or no such function in it.
    pub fn load(name: &str, path: &Path) -> Result<Self, PluginError> {
        // Without a slash the loader would look in the system's places: what is named is a file.
        let file = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        // SAFETY: whoever names a library wants its code to run, its initialisers first.
        let library = unsafe { Library::open(Some(&file), RTLD_NOW | RTLD_LOCAL) }
            .map_err(|source| PluginError::Library { path: path.to_owned(), source })?;
        let symbol = format!("{PREFIX}{name}");
        // SAFETY: a function of this name has this type by the convention that the user follows; the type of a symbol is
        // written nowhere.
        let function = unsafe { library.get::<Function>(symbol.as_bytes()) }
            .map(|function| *function)
            .map_err(|_| PluginError::Function { path: path.to_owned(), name: name.to_owned() })?;
        Ok(Self { name: name.to_owned(), path: path.to_owned(), function, _library: library })
    }

    /// The name, without `test_`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The library.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Has the function take in a message. It may write to it: hashbench's buffers were not constant.
    ///
    /// # Panics
    /// The message is longer than [`MOST_BYTES`].
    pub fn call(&self, message: &mut [u8]) {
        let size = c_int::try_from(message.len()).expect("a message is no longer than an int can say");
        // SAFETY: the library is loaded as long as `self` is there; pointer and size are those of a slice that nobody else
        // has. That the function keeps within it is its promise.
        unsafe { (self.function)(message.as_mut_ptr().cast(), size) }
    }

    /// Calls the function in a process of its own with a message of `bytes` bytes. To be called before there are threads:
    /// a child has only the one that made it, and what the others have locked stays locked.
    ///
    /// # Errors
    /// It dies, exits, does not return in time, or prints.
    pub fn try_out(&self, bytes: usize, limit: Duration) -> Result<(), PluginError> {
        let mut message = vec![0x5a; bytes];
        let printed =
            memfd_create("printed", MemfdFlags::CLOEXEC).map_err(|errno| self.no_process(errno.into()))?;
        // SAFETY: the child calls the function and leaves; it touches nothing that another thread could have locked, except
        // for what the function itself may do.
        let child = match unsafe { fork() }.map_err(|errno| self.no_process(errno.into()))? {
            ForkResult::Child => {
                // Where that fails, what it prints is seen by whoever looks at the terminal.
                let _ = dup2_stdout(&printed);
                self.call(&mut message);
                // SAFETY: what the function has left in buffers of the C library is written; then this process ends at once,
                // without running what was left for its end by the parent.
                unsafe {
                    nix::libc::fflush(std::ptr::null_mut());
                    nix::libc::_exit(RETURNED)
                }
            }
            ForkResult::Parent { child } => child,
        };
        let has_ended = wait(child.as_raw(), limit).map_err(|error| self.no_process(error));
        if !matches!(has_ended, Ok(true)) {
            // It may have ended meanwhile, which is as well.
            let _ = kill(child, Signal::SIGKILL);
        }
        let status = waitpid(child, None).map_err(|errno| self.no_process(errno.into()))?;
        if !has_ended? {
            return Err(PluginError::Hangs { name: self.name.clone(), limit, bytes });
        }
        match status {
            WaitStatus::Exited(_, RETURNED) => match fstat(&printed) {
                Ok(facts) if facts.st_size > 0 => Err(PluginError::Prints { name: self.name.clone(), bytes }),
                _ => Ok(()),
            },
            WaitStatus::Signaled(_, signal, _) => {
                Err(PluginError::Dies { name: self.name.clone(), signal: signal.to_string(), bytes })
            }
            WaitStatus::Exited(_, status) => {
                Err(PluginError::Exits { name: self.name.clone(), status, bytes })
            }
            _ => Err(self.no_process(std::io::Error::other("it has not ended"))),
        }
    }

    fn no_process(&self, source: std::io::Error) -> PluginError {
        PluginError::Process { name: self.name.clone(), source }
    }
}

/// Waits until a child has ended; whether it has in time.
fn wait(child: i32, limit: Duration) -> std::io::Result<bool> {
    let child = Pid::from_raw(child).ok_or_else(|| std::io::Error::other("no process"))?;
    let ends = pidfd_open(child, PidfdFlags::empty())?;
    let deadline = std::time::Instant::now() + limit;
    loop {
        let left = deadline.saturating_duration_since(std::time::Instant::now());
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
        match poll(&mut [PollFd::new(&ends, PollFlags::IN)], Some(&timeout)) {
            Ok(ready) => return Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Functions that do as they are called.
    const SOURCE: &str = "
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        void test_sum(char *buf, int size) { for (int i = 1; i < size; i++) buf[0] += buf[i]; }
        void test_crash(char *buf, int size) { *(volatile char *)0 = size; }
        void test_abort(char *buf, int size) { abort(); }
        void test_exit(char *buf, int size) { _exit(5); }
        void test_hang(char *buf, int size) { for (;;) pause(); }
        void test_print(char *buf, int size) { puts(\"noise\"); }
        void test_large(char *buf, int size) { if (size > 1000) abort(); }
    ";

    fn library(directory: &Path) -> PathBuf {
        let (source, library) = (directory.join("plugin.c"), directory.join("plugin.so"));
        std::fs::write(&source, SOURCE).expect("there is room");
        let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
        assert!(built.expect("a compiler, as Rust needs one").success());
        library
    }

    #[test]
    fn a_function_is_called_with_the_message() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let library = library(directory.path());
        let plugin = Plugin::load("sum", &library).expect("it is there");
        plugin.try_out(100, Duration::from_secs(60)).expect("it returns");
        let mut message = [1u8; 100];
        plugin.call(&mut message);
        assert_eq!(message[..2], [100, 1]);
    }

    #[test]
    fn one_that_does_not_return_is_found_out_without_loss() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let library = library(directory.path());
        let tried = |name: &str, bytes, limit| {
            let plugin = Plugin::load(name, &library).expect("it is there");
            plugin.try_out(bytes, limit).expect_err("it does not return").to_string()
        };
        let long = Duration::from_secs(60);
        assert_eq!(
            tried("crash", 8, long),
            "crash: dies by SIGSEGV with a message of 8 bytes; mend it, or leave it out"
        );
        assert!(tried("abort", 8, long).starts_with("abort: dies by SIGABRT"));
        assert!(tried("exit", 8, long).contains("with exit status 5"));
        assert_eq!(
            tried("hang", 8, Duration::from_millis(50)),
            "hang: does not return within 0 s with a message of 8 bytes"
        );
        assert_eq!(
            tried("print", 8, long),
            "print: prints something with a message of 8 bytes; what is timed has to be silent"
        );
        assert!(tried("large", 1_001, long).contains("1001 bytes"));
        Plugin::load("large", &library).expect("it is there").try_out(1_000, long).expect("it returns");
    }

    #[test]
    fn what_is_no_library_or_lacks_the_function_is_named() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let library = library(directory.path());
        let refused = |name: &str, path: &Path| Plugin::load(name, path).expect_err("refused").to_string();
        let error = refused("md9", &library);
        assert!(
            error.contains("has no function `test_md9`; it needs `void test_md9(char *buf, int size)`"),
            "{error}"
        );
        let text = directory.path().join("plugin.c");
        assert!(refused("sum", &text).contains("plugin.c: cannot be loaded: "));
        assert!(refused("sum", &directory.path().join("none.so")).contains("none.so: cannot be loaded: "));
    }
}
