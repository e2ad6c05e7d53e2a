#![doc = include_str!("../README.md")]
// Foreign code is behind raw functions; each call says why it is as safe as it can be.
#![allow(unsafe_code)]

mod trial;

use std::ffi::{c_char, c_int};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::trial::{End, Trial};

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

/// Code of a library that is tried out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// What runs when the library is loaded.
    Constructor(PathBuf),
    /// What runs when it is unloaded.
    Destructor(PathBuf),
    /// A function.
    Function {
        /// Its name.
        name: String,
        /// Length of the message.
        bytes: usize,
    },
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constructor(path) => write!(f, "{}: its constructor", path.display()),
            Self::Destructor(path) => write!(f, "{}: its destructor", path.display()),
            Self::Function { name, bytes } => write!(f, "{name}: with a message of {bytes} bytes it"),
        }
    }
}

/// Why a function cannot be called.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PluginError {
    /// The library cannot be loaded.
    #[error("{}: cannot be loaded: {reason}", path.display())]
    Library {
        /// The library.
        path: PathBuf,
        /// What the loader said.
        reason: String,
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
    #[error("{part} dies by {signal}{}; fix it, or leave it out", quoted(said.as_ref()))]
    Dies {
        /// What was tried.
        part: Part,
        /// The signal.
        signal: String,
        /// The first line that it wrote to standard error.
        said: Option<String>,
    },
    /// It ends the program.
    #[error("{part} ends the program with exit status {status}{}; it must return", quoted(said.as_ref()))]
    Exits {
        /// What was tried.
        part: Part,
        /// How it ends.
        status: i32,
        /// The first line that it wrote to standard error.
        said: Option<String>,
    },
    /// It does not return.
    #[error("{part} does not return within {} s; fix it, or leave it out", limit.as_secs_f64())]
    Hangs {
        /// What was tried.
        part: Part,
        /// How long was waited.
        limit: Duration,
    },
    /// It prints, and its standard output is that of the results.
    #[error("{part} prints something; it must be silent, because results go to standard output")]
    Prints {
        /// What was tried.
        part: Part,
    },
    /// It cannot be tried out.
    #[error("{part} cannot be tried out in a separate process: {source}")]
    Process {
        /// What was to be tried.
        part: Part,
        /// What the system said.
        source: io::Error,
    },
}

/// What somebody said, at the end of a sentence.
fn quoted(said: Option<&String>) -> String {
    said.map_or_else(String::new, |said| format!(" and prints `{said}`"))
}

/// What the loader said: the library that calls it keeps that behind a text of its own.
fn reason(error: &libloading::Error) -> String {
    use std::error::Error as _;
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

impl Plugin {
    /// Loads a library and looks for `test_name` in it, once it was loaded and unloaded in a process of its own. To be called
    /// before there are threads: that process has only the one that made it, and what others have locked stays locked.
    ///
    /// # Errors
    /// There is no such library, or no such function in it. Its constructor or destructor dies, exits, does not return in time,
    /// or prints.
    pub fn load(name: &str, path: &Path, limit: Duration) -> Result<Self, PluginError> {
        let tried = trial::run(limit, |outputs| match open(path) {
            Ok(library) => {
                outputs.answer("");
                drop(library);
            }
            Err(reason) => outputs.answer(&reason),
        });
        let refused = |reason| PluginError::Library { path: path.to_owned(), reason };
        let part: fn(PathBuf) -> Part = match &tried {
            Ok(Trial { end: End::Done, answer: Some(answer), .. }) if !answer.text.is_empty() => {
                return Err(refused(answer.text.clone()));
            }
            Ok(Trial { answer: Some(answer), .. }) if !answer.printed => Part::Destructor,
            _ => Part::Constructor,
        };
        judge(part(path.to_owned()), limit, tried)?;
        let library = open(path).map_err(refused)?;
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

    /// Calls the function in a process of its own with a message of `bytes` bytes. To be called before there are threads, as
    /// [`load`](Self::load) is.
    ///
    /// # Errors
    /// It dies, exits, does not return in time, or prints.
    pub fn try_out(&self, bytes: usize, limit: Duration) -> Result<(), PluginError> {
        let mut message = vec![0x5a; bytes];
        let tried = trial::run(limit, |outputs| {
            self.call(&mut message);
            outputs.answer("");
        });
        judge(Part::Function { name: self.name.clone(), bytes }, limit, tried)
    }
}

/// Loads a library, or says why it cannot be loaded. The library's own initialisers run.
fn open(path: &Path) -> Result<Library, String> {
    // Without a slash the loader would look in the system's places: what is named is a file.
    let file = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    // SAFETY: whoever names a library wants its code to run, its initialisers first.
    unsafe { Library::open(Some(&file), RTLD_NOW | RTLD_LOCAL) }.map_err(|error| reason(&error))
}

/// Whether what was tried out may run here.
fn judge(part: Part, limit: Duration, tried: io::Result<Trial>) -> Result<(), PluginError> {
    match tried {
        Err(source) => Err(PluginError::Process { part, source }),
        Ok(Trial { end: End::Late, .. }) => Err(PluginError::Hangs { part, limit }),
        Ok(Trial { end: End::Died(signal), said, .. }) => {
            Err(PluginError::Dies { part, signal: signal.to_string(), said })
        }
        Ok(Trial { end: End::Exited(status), said, .. }) => Err(PluginError::Exits { part, status, said }),
        Ok(Trial { end: End::Done, printed: true, .. }) => Err(PluginError::Prints { part }),
        Ok(Trial { end: End::Done, .. }) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use super::*;

    /// Long enough for what ends by itself.
    const LONG: Duration = Duration::from_secs(60);

    /// Trials belong before there are threads, or at least before another thread loads something.
    fn alone() -> MutexGuard<'static, ()> {
        static LOADER: Mutex<()> = Mutex::new(());
        LOADER.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Functions that do as they are called.
    const SOURCE: &str = "
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        void test_sum(char *buf, int size) { for (int i = 1; i < size; i++) buf[0] += buf[i]; }
        void test_crash(char *buf, int size) { *(volatile char *)0 = size; }
        void test_abort(char *buf, int size) { fputs(\"no memory\\n\", stderr); abort(); }
        void test_exit(char *buf, int size) { _exit(5); }
        void test_leave(char *buf, int size) { _exit(0); }
        void test_hang(char *buf, int size) { for (;;) pause(); }
        void test_print(char *buf, int size) { puts(\"noise\"); }
        void test_large(char *buf, int size) { if (size > 1000) abort(); }
    ";

    fn library(directory: &Path) -> PathBuf {
        built(directory, "plugin", SOURCE)
    }

    fn built(directory: &Path, name: &str, source: &str) -> PathBuf {
        let (file, library) =
            (directory.join(name).with_extension("c"), directory.join(name).with_extension("so"));
        std::fs::write(&file, source).expect("there is room");
        let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &file]).status();
        assert!(built.expect("a compiler, as Rust needs one").success());
        library
    }

    /// A library that runs something when it is loaded, or when it is unloaded, beside a function that does no harm.
    fn with(directory: &Path, name: &str, when: &str, body: &str) -> PathBuf {
        let source = format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
             __attribute__(({when})) static void run(void) {{ {body} }}\n\
             void test_sum(char *buf, int size) {{ for (int i = 1; i < size; i++) buf[0] += buf[i]; }}\n"
        );
        built(directory, name, &source)
    }

    #[test]
    fn a_function_is_called_with_the_message() {
        let _alone = alone();
        let directory = tempfile::tempdir().expect("a temporary directory");
        let library = library(directory.path());
        let plugin = Plugin::load("sum", &library, LONG).expect("it is there");
        plugin.try_out(100, LONG).expect("it returns");
        let mut message = [1u8; 100];
        plugin.call(&mut message);
        assert_eq!(message[..2], [100, 1]);
    }

    #[test]
    fn one_that_does_not_return_is_found_out_without_loss() {
        let _alone = alone();
        let directory = tempfile::tempdir().expect("a temporary directory");
        let library = library(directory.path());
        let tried = |name: &str, bytes, limit| {
            let plugin = Plugin::load(name, &library, LONG).expect("it is there");
            plugin.try_out(bytes, limit).expect_err("it does not return").to_string()
        };
        assert_eq!(
            tried("crash", 8, LONG),
            "crash: with a message of 8 bytes it dies by SIGSEGV; fix it, or leave it out"
        );
        assert_eq!(
            tried("abort", 8, LONG),
            "abort: with a message of 8 bytes it dies by SIGABRT and prints `no memory`; fix it, or leave it out"
        );
        assert_eq!(
            tried("exit", 8, LONG),
            "exit: with a message of 8 bytes it ends the program with exit status 5; it must return"
        );
        assert!(tried("leave", 8, LONG).contains("ends the program with exit status 0;"));
        assert_eq!(
            tried("hang", 8, Duration::from_millis(50)),
            "hang: with a message of 8 bytes it does not return within 0.05 s; fix it, or leave it out"
        );
        assert_eq!(
            tried("print", 8, LONG),
            "print: with a message of 8 bytes it prints something; it must be silent, because results go to standard output"
        );
        assert!(tried("large", 1_001, LONG).contains("1001 bytes"));
        let large = Plugin::load("large", &library, LONG).expect("it is there");
        large.try_out(1_000, LONG).expect("it returns");
    }

    #[test]
    fn a_library_that_does_harm_when_it_is_loaded_or_unloaded_is_loaded_nowhere_else() {
        let _alone = alone();
        let directory = tempfile::tempdir().expect("a temporary directory");
        let short = Duration::from_millis(50);
        let cases = [
            ("for (;;) ;", short, "does not return within 0.05 s; fix it, or leave it out"),
            ("for (;;) pause();", short, "does not return within 0.05 s; fix it, or leave it out"),
            ("abort();", LONG, "dies by SIGABRT; fix it, or leave it out"),
            ("*(volatile char *)0 = 1;", LONG, "dies by SIGSEGV; fix it, or leave it out"),
            ("fputs(\"a\\tb\\nc\\n\", stderr); abort();", LONG, "dies by SIGABRT and prints `a?b`; fix it"),
            ("exit(0);", LONG, "ends the program with exit status 0; it must return"),
            ("_exit(0);", LONG, "ends the program with exit status 0; it must return"),
            ("puts(\"noise\");", LONG, "prints something; it must be silent"),
            ("if (write(1, \"\", 1)) {}", LONG, "prints something; it must be silent"),
        ];
        let mut refused = 0;
        for when in ["constructor", "destructor"] {
            for (number, (body, limit, said)) in cases.into_iter().enumerate() {
                // A short time may be up before anything is unloaded.
                if when == "destructor" && limit == short {
                    continue;
                }
                let library = with(directory.path(), &format!("{when}{number}"), when, body);
                let error = Plugin::load("sum", &library, limit).expect_err("it is refused").to_string();
                let expected = format!("{}: its {when} {said}", library.display());
                assert!(error.starts_with(&expected), "{error}\n{expected}");
                refused += 1;
            }
        }
        assert_eq!(refused, 16);
        // What they do without harm is theirs.
        for (number, body) in
            ["", "free(malloc(9));", "setenv(\"PLUGIN\", \"1\", 1);"].into_iter().enumerate()
        {
            for when in ["constructor", "destructor"] {
                let library = with(directory.path(), &format!("good{when}{number}"), when, body);
                let plugin = Plugin::load("sum", &library, LONG).expect("it does no harm");
                plugin.try_out(100, LONG).expect("it returns");
            }
        }
    }

    #[test]
    fn what_is_no_library_or_lacks_the_function_is_named() {
        let _alone = alone();
        let directory = tempfile::tempdir().expect("a temporary directory");
        let library = library(directory.path());
        let refused =
            |name: &str, path: &Path| Plugin::load(name, path, LONG).expect_err("refused").to_string();
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
