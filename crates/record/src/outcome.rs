//! How the reading of one file ended.

use std::fmt;
use std::io;

use rustix::io::Errno;

use crate::pieces::Division;

/// How the reading of one file ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Read from its first byte to its last, and not seen to change meanwhile.
    Read,
    /// Read, but it changed meanwhile: its digests belong to no state that the file ever had.
    Unstable(Instability),
    /// Not read, or not to the end.
    Failed(Failure),
}

/// What moved while a file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instability {
    /// Fewer bytes came than its size promised.
    Shrank,
    /// Its size became larger.
    Grew,
    /// Its size stayed, its modification or change time did not.
    Modified,
}

/// Why a file could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What was being done.
    pub operation: Operation,
    /// The system's error number.
    pub errno: i32,
    /// The offset in the file at which it happened, in bytes.
    pub offset_bytes: u64,
}

/// What was being done when the system refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Listing a directory.
    List,
    /// Opening a file.
    Open,
    /// Reading a file.
    Read,
    /// Asking for size and times.
    Stat,
    /// Making sure that the bytes come from the device. The number says why they would not: see [`Failure`]'s text.
    FromMedium,
    /// Cutting it into pieces.
    Divide,
}

impl Failure {
    /// The error as the standard library has it.
    pub fn io_error(&self) -> io::Error {
        io::Error::from_raw_os_error(self.errno)
    }

    /// What keeps the bytes of a file from being read from its device, by the number that stands for it.
    fn obstacle(&self) -> Option<&'static str> {
        let obstacles = [
            (Errno::SPIPE, "it is neither a regular file nor a block device"),
            (Errno::NODEV, "it lies in memory"),
            (
                Errno::BUSY,
                "part of it stays in the page cache, because a program has it mapped or locked, or is writing it",
            ),
            (Errno::OPNOTSUPP, "on this file system it cannot be seen whether bytes come from the device"),
            (Errno::NOSYS, "this system does not say what its page cache holds (Linux 6.5 and later do)"),
            (Errno::NOTBLK, "it is stored with its metadata, which is in memory already"),
        ];
        let obstacle = obstacles.iter().find(|(errno, _)| errno.raw_os_error() == self.errno);
        obstacle.map(|(_, text)| *text)
    }
}

/// What the system said, without the number: `No such file or directory`.
pub fn system_text(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// What the system said, and where.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = system_text(&self.io_error());
        match self.operation {
            Operation::Open => write!(f, "{text}"),
            Operation::Read if self.offset_bytes > 0 => {
                write!(f, "{text} (reading at byte {})", self.offset_bytes)
            }
            Operation::Read => write!(f, "{text} (reading)"),
            Operation::List => write!(f, "{text} (listing the directory)"),
            Operation::Stat => write!(f, "{text} (asking for size and times)"),
            Operation::Divide => {
                write!(
                    f,
                    "has more than {} pieces, whose digests are kept in memory; use larger ones",
                    Division::MOST_PIECES
                )
            }
            Operation::FromMedium => match self.obstacle() {
                Some(obstacle) => write!(f, "cannot be read from the medium: {obstacle}"),
                None => write!(f, "{text} (making the page cache forget it)"),
            },
        }
    }
}

impl fmt::Display for Instability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shrank => "became shorter while it was read",
            Self::Grew => "grew while it was read",
            Self::Modified => "was modified while it was read",
        })
    }
}
