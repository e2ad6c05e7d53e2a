//! How the reading of one file ended.

use std::fmt;
use std::io;

use crate::pieces::Division;

/// How the reading of one file ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Read from its first byte to its last, and not seen to change meanwhile.
    Read,
    /// Read, but it changed meanwhile: its digests belong to no state that the file ever had.
    Unstable(Instability),
    /// Read to its last byte, and its store keeps a checksum of another content. What came is known then, and nobody vouches for it.
    Disputed(Dispute),
    /// Not read, or not to the end.
    Failed(Failure),
}

impl Outcome {
    /// Why a file has no digests that belong to one state of it, if it has none.
    pub fn problem(&self) -> Option<&dyn fmt::Display> {
        match self {
            Self::Read => None,
            Self::Unstable(change) => Some(change),
            Self::Disputed(dispute) => Some(dispute),
            Self::Failed(failure) => Some(failure),
        }
    }
}

/// What is known of a content whose store keeps a checksum of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dispute {
    /// Two readings have brought the same. A single one does not show whether it was damaged in the store or on its way.
    pub is_read_twice: bool,
    /// The offset at which its bytes ended.
    pub offset_bytes: u64,
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
    /// What stopped it.
    pub cause: Cause,
    /// The offset in the file at which it happened, in bytes.
    pub offset_bytes: u64,
}

/// What stopped a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// The system refused, with this number of errno(3).
    System(i32),
    /// Nothing refused: hashlane did not go on, for this reason.
    Obstacle(Obstacle),
    /// A store on the network refused, with this HTTP status.
    Remote(u16),
}

/// Makes the enumeration and the list of its variants of one text, so that no variant can be missing from the list.
macro_rules! with_all {
    (
        $(#[$about:meta])*
        pub enum $name:ident { $($(#[$doc:meta])* $variant:ident,)* }
    ) => {
        $(#[$about])*
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];
        }
    };
}

with_all! {
    /// Why hashlane did not go on where the system would have.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Obstacle {
        /// A store has it in an archive, from which it has to be restored first.
        Archived,
        /// What is to come from a device is stored with its metadata, which is in memory already.
        BesideMetadata,
        /// The page cache keeps part of what is to come from a device.
        Cached,
        /// On this file system it cannot be seen whether bytes come from the device.
        CacheUnseen,
        /// This system does not report what its page cache holds.
        CacheUnreported,
        /// It was deleted in a store that may keep older versions of it.
        Deleted,
        /// What is to come from a device lies in memory.
        InMemory,
        /// What came from a store is not what it keeps a checksum of; a second reading brought something else.
        DamagedOnWay,
        /// What is to come from a device is neither a regular file nor a block device.
        NotOnDevice,
        /// As many requests were made of a store as there were to be.
        RequestsUsedUp,
        /// A pipe, socket or device stands where only files are read.
        Special,
        /// A pipe, socket or terminal is being read under another name, and brings its bytes only once.
        StreamInUse,
        /// It has more than [`Division::MOST_PIECES`] pieces.
        TooManyPieces,
        /// There are no valid credentials to ask the store with.
        Unsigned,
    }
}

/// What was being done when a reading was stopped.
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
    /// Making sure that the bytes come from the device.
    FromMedium,
    /// Cutting it into pieces.
    Divide,
}

impl Failure {
    /// The error as the standard library has it: its kind says whether there was no such thing, or no permission.
    pub fn io_error(&self) -> io::Error {
        let kind = match self.cause {
            Cause::System(errno) => return io::Error::from_raw_os_error(errno),
            Cause::Remote(404 | 410) | Cause::Obstacle(Obstacle::Deleted) => io::ErrorKind::NotFound,
            Cause::Remote(401 | 403) => io::ErrorKind::PermissionDenied,
            Cause::Remote(_) | Cause::Obstacle(_) => io::ErrorKind::Other,
        };
        io::Error::new(kind, self.cause.to_string())
    }
}

/// The phrases of RFC 9110 and RFC 6585 for what a store answers when it does not bring what it was asked for.
fn phrase(status: u16) -> Option<&'static str> {
    let phrase = match status {
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        412 => "Precondition Failed",
        416 => "Range Not Satisfiable",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => return None,
    };
    Some(phrase)
}

/// What the system said, without the number: `No such file or directory`.
pub fn system_text(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::System(errno) => f.write_str(&system_text(&io::Error::from_raw_os_error(errno))),
            Self::Obstacle(obstacle) => obstacle.fmt(f),
            Self::Remote(status) => match phrase(status) {
                Some(phrase) => write!(f, "the store answered {status} {phrase}"),
                None => write!(f, "the store answered {status}"),
            },
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Archived => "is archived; restore it before it can be read",
            Self::BesideMetadata => "it is stored with its metadata, which is already in memory",
            Self::Cached => {
                "part of it remains in the page cache, because a program has it mapped or locked, or is writing it"
            }
            Self::CacheUnseen => "this file system does not show whether bytes come from the device",
            Self::CacheUnreported => {
                "this system does not report what its page cache contains (Linux 6.5 and later do)"
            }
            Self::DamagedOnWay => {
                "was damaged on its way from the store: it does not match the checksum that the store keeps, and a second reading brought something else; read it again"
            }
            Self::Deleted => "was deleted in the store, which may still keep older versions of it",
            Self::InMemory => "it is in memory",
            Self::RequestsUsedUp => "was not requested: the limit on requests is reached",
            Self::NotOnDevice => "it is neither a regular file nor a block device",
            Self::Special => "is not a regular file",
            Self::StreamInUse => "is read under another name, and can be read only once",
            Self::Unsigned => "cannot be requested: there are no valid credentials",
            Self::TooManyPieces => {
                let most = Division::MOST_PIECES;
                return write!(
                    f,
                    "has more than {most} pieces, whose digests are kept in memory; use larger pieces"
                );
            }
        };
        f.write_str(text)
    }
}

impl Dispute {
    /// It as an error of the standard library.
    pub fn io_error(&self) -> io::Error {
        io::Error::other(self.to_string())
    }
}

impl fmt::Display for Dispute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.is_read_twice {
            true => {
                "does not match the checksum that the store keeps for it, in two readings; the object or its checksum is damaged"
            }
            false => {
                "does not match the checksum that the store keeps for it; read it again: it may have been damaged on its way"
            }
        })
    }
}

/// What stopped it, and where.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, cause, offset_bytes } = self;
        match (operation, cause) {
            (Operation::FromMedium, Cause::Obstacle(obstacle)) => {
                write!(f, "cannot be read from the medium: {obstacle}")
            }
            (_, Cause::Obstacle(obstacle)) => write!(f, "{obstacle}"),
            (Operation::Open | Operation::Divide, cause) => write!(f, "{cause}"),
            (Operation::Read, cause) if *offset_bytes > 0 => {
                write!(f, "{cause} (reading at byte {offset_bytes})")
            }
            (Operation::Read, cause) => write!(f, "{cause} (reading)"),
            (Operation::List, cause) => write!(f, "{cause} (listing the directory)"),
            (Operation::Stat, cause) => write!(f, "{cause} (reading size and times)"),
            (Operation::FromMedium, cause) => write!(f, "{cause} (dropping it from the page cache)"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_its_cause_and_the_place() {
        let failure = |operation, cause, offset_bytes| Failure { operation, cause, offset_bytes };
        for (failure, text) in [
            (failure(Operation::Open, Cause::System(2), 0), "No such file or directory"),
            (failure(Operation::Read, Cause::System(5), 0), "Input/output error (reading)"),
            (failure(Operation::Read, Cause::System(5), 7), "Input/output error (reading at byte 7)"),
            (
                failure(Operation::Read, Cause::Remote(503), 7),
                "the store answered 503 Service Unavailable (reading at byte 7)",
            ),
            (failure(Operation::Open, Cause::Remote(499), 0), "the store answered 499"),
            (
                failure(Operation::FromMedium, Cause::Obstacle(Obstacle::InMemory), 0),
                "cannot be read from the medium: it is in memory",
            ),
            (
                failure(Operation::FromMedium, Cause::System(5), 0),
                "Input/output error (dropping it from the page cache)",
            ),
            (
                failure(Operation::Open, Cause::Obstacle(Obstacle::StreamInUse), 0),
                "is read under another name, and can be read only once",
            ),
        ] {
            assert_eq!(failure.to_string(), text);
        }
    }

    #[test]
    fn what_is_not_there_has_one_kind_of_error_wherever_it_is_missing() {
        let kind = |cause| Failure { operation: Operation::Open, cause, offset_bytes: 0 }.io_error().kind();
        for cause in [Cause::System(2), Cause::Remote(404), Cause::Obstacle(Obstacle::Deleted)] {
            assert_eq!(kind(cause), io::ErrorKind::NotFound);
        }
        for cause in [Cause::System(13), Cause::Remote(403)] {
            assert_eq!(kind(cause), io::ErrorKind::PermissionDenied);
        }
        assert_eq!(kind(Cause::Obstacle(Obstacle::Special)), io::ErrorKind::Other);
    }
}
