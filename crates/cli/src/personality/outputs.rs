//! Standard output and standard error of a program that is played.

use std::io::{self, Write as _};

use hashlane_io::StandardOutput;

/// Both outputs, in the order in which the program writes: what was printed goes out before anything is said.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    printed: Vec<u8>,
    broken: Option<io::Error>,
}

impl Outputs {
    /// So many bytes are kept before they go out.
    const MOST: usize = 1 << 16;

    /// Prints to standard output.
    pub(super) fn print(&mut self, text: &[u8]) {
        self.printed.extend_from_slice(text);
        if self.printed.len() >= Self::MOST {
            self.pour();
        }
    }

    /// Writes what was printed. The first error is kept, and nothing is written after it. A broken pipe ends the
    /// process.
    pub(super) fn pour(&mut self) {
        if self.broken.is_none()
            && !self.printed.is_empty()
            && let Err(error) = StandardOutput.write_all(&self.printed)
        {
            self.fail(error);
        }
        self.printed.clear();
    }

    /// Takes note that standard output takes no more. A broken pipe ends the process.
    pub(super) fn fail(&mut self, error: io::Error) {
        if error.kind() == io::ErrorKind::BrokenPipe {
            crate::signals::die_by_broken_pipe();
        }
        self.broken = Some(error);
    }

    /// Writes to standard error, as it is.
    pub(super) fn say(&mut self, text: &[u8]) {
        self.pour();
        // Nothing can be done about a standard error that does not take the text.
        let _ = io::stderr().lock().write_all(text);
    }

    /// Why standard output took no more.
    pub(super) fn broken(&self) -> Option<&io::Error> {
        self.broken.as_ref()
    }
}
