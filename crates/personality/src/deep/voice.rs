//! What is said on standard error, in the words and with the line ends of the old programs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Host;

/// Says what is wrong. Cheap to copy; all copies share whether something could not be read.
#[derive(Clone, Debug)]
pub(super) struct Voice {
    /// What is written to.
    pub(super) host: Arc<dyn Host>,
    /// The name of the program.
    pub(super) program: Arc<str>,
    /// Nothing is said of files (`-s`).
    pub(super) silent: bool,
    /// Lines of results and of files end with NUL (`-0`).
    pub(super) zero: bool,
    /// What is not ASCII in a name is written as a code point (`-u`).
    pub(super) escape: super::names::Escape,
    /// What is said of files stands in the document of results (`-d`).
    pub(super) documented: bool,
    unread: Arc<AtomicBool>,
}

impl Voice {
    pub(super) fn new(program: &str, host: Arc<dyn Host>) -> Self {
        Self {
            host,
            program: program.into(),
            silent: false,
            zero: false,
            escape: super::names::Escape::None,
            documented: false,
            unread: Arc::default(),
        }
    }

    /// What ends a line of a result.
    pub(super) fn end(&self) -> u8 {
        if self.zero { 0 } else { b'\n' }
    }

    /// Says something of the whole run, behind the program's name.
    pub(super) fn error(&self, text: impl AsRef<[u8]>) {
        if !self.silent {
            self.fatal(text);
        }
    }

    /// The same, and not to be silenced.
    pub(super) fn fatal(&self, text: impl AsRef<[u8]>) {
        self.write(&[self.program.as_bytes(), b": ", text.as_ref(), b"\n"]);
    }

    /// Says something of a file.
    pub(super) fn file(&self, name: &[u8], text: &str) {
        if !self.silent {
            let name = self.escape.apply(name);
            self.write(&[&name, b": ", text.as_bytes(), &[self.end()]]);
        }
    }

    /// Says that a file could not be read, which shows in the exit code.
    pub(super) fn unread(&self, name: &[u8], text: &str) {
        self.note_unread();
        self.file(name, text);
    }

    /// Keeps in mind that a file could not be read.
    pub(super) fn note_unread(&self) {
        self.unread.store(true, Ordering::Relaxed);
    }

    /// Whether something could not be read.
    pub(super) fn has_unread(&self) -> bool {
        self.unread.load(Ordering::Relaxed)
    }

    /// Says where help is.
    pub(super) fn hint(&self) {
        self.write(&[b"Try `", self.program.as_bytes(), b" -h` for more information.\n"]);
    }

    /// A line as it is, in one piece.
    pub(super) fn write(&self, parts: &[&[u8]]) {
        self.host.say(&parts.concat());
    }
}
