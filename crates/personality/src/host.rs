//! What a program that is played has instead of standard output, standard error and files of its own.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

/// Why a destination was not opened, or not put in its place: a text for its reader.
pub type Refusal = Box<dyn Error + Send + Sync>;

/// What a program that is played writes to. Whoever plays it gives it.
pub trait Host: fmt::Debug + Send + Sync {
    /// Writes all of this to standard output.
    ///
    /// # Errors
    /// It takes no more.
    fn print(&self, bytes: &[u8]) -> io::Result<()>;

    /// Writes this to standard error, in one piece. What that does not take has no other place to go.
    fn say(&self, bytes: &[u8]);

    /// Whether standard output was closed when the process began: some programs say why they could not write only then.
    fn is_closed(&self) -> bool;

    /// Ends the process as a pipe without readers ends others.
    fn end_by_broken_pipe(&self) -> !;

    /// Opens where results go: a file, or standard output.
    ///
    /// # Errors
    /// It cannot be opened.
    fn open(&self, file: Option<&Path>) -> Result<Box<dyn Destination>, Refusal>;
}

/// Where results go.
pub trait Destination: Write + fmt::Debug {
    /// Device and inode of the files that it goes to, or will replace: they are not read in the same run.
    fn identities(&self) -> Vec<(u64, u64)>;

    /// Puts the complete result in its place.
    ///
    /// # Errors
    /// It cannot be written, or not put there.
    fn finish(self: Box<Self>) -> Result<(), Refusal>;
}
