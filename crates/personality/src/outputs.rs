//! Standard output and standard error of a program that is played.

use std::io;
use std::sync::Arc;

use super::Host;

/// Both outputs, in the order in which the program writes: what was printed goes out before anything is said.
#[derive(Debug)]
pub(super) struct Outputs {
    host: Arc<dyn Host>,
    printed: Vec<u8>,
    broken: Option<io::Error>,
}

impl Outputs {
    /// This many bytes are kept before they go out.
    const MOST: usize = 1 << 16;

    pub(super) fn new(host: Arc<dyn Host>) -> Self {
        Self { host, printed: Vec::new(), broken: None }
    }

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
        if self.broken.is_none() && !self.printed.is_empty() {
            self.broken = self.host.print(&self.printed).err();
            if self.broken.as_ref().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
                self.host.end_by_broken_pipe();
            }
        }
        self.printed.clear();
    }

    /// Writes to standard error, as it is.
    pub(super) fn say(&mut self, text: &[u8]) {
        self.pour();
        self.host.say(text);
    }

    /// Why standard output took no more.
    pub(super) fn broken(&self) -> Option<&io::Error> {
        self.broken.as_ref()
    }

    /// Whether standard output was closed from the beginning.
    pub(super) fn are_closed(&self) -> bool {
        self.host.is_closed()
    }
}
