//! The record of one file.

use std::ops::AddAssign;

use hashlane_digest::Digest;

use crate::item_path::ItemPath;
use crate::outcome::{Obstacle, Outcome};
use crate::pieces::Pieces;
use crate::state::ObjectState;

/// All that one reading of one file found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Place in the order of the run, from 0.
    pub number: u64,
    /// The name, as it is to be printed.
    pub path: ItemPath,
    /// How the reading ended.
    pub outcome: Outcome,
    /// Size, times and identity when it was opened; `None` if it could not be.
    pub facts: Option<Facts>,
    /// One digest for each algorithm asked for, in that order; empty if the file could not be read. A run that asks for them also has
    /// those of contents that their store disputes ([`Outcome::Disputed`]).
    pub digests: Vec<Digest>,
    /// The digests of its pieces, where such were asked for and it is longer than one: what is not longer has those of the
    /// whole.
    pub pieces: Option<Box<Pieces>>,
    /// How many bytes were digested: holes count, a file whose reading failed counts up to there.
    pub digested_bytes: u64,
    /// Where the bytes came from. A second name of a file already read brings none.
    pub origin: Origin,
    /// Whether they are shown to come from its device. A second name has that of the reading.
    pub medium: Medium,
    /// Which state of an object was read, where its store names states. Files have no such names.
    pub state: Option<Box<ObjectState>>,
    /// Bytes that the source of the entry gave along, untouched.
    pub tag: Box<[u8]>,
}

/// Whether the bytes of a reading are shown to come from a device, where somebody has made sure of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Medium {
    /// Nobody has: [`Record::origin`] says what was seen.
    #[default]
    Unasked,
    /// Nobody has, and it is the second name of a file, and some of its bytes came from the page cache.
    SeenCached,
    /// All of them are.
    Shown,
    /// They are not, for this reason.
    NotShown(Obstacle),
}

/// What the system says of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Size in bytes.
    pub size_bytes: u64,
    /// Time of the last change of its content.
    pub modified: Timestamp,
    /// Time of the last change of its content or metadata.
    pub changed: Timestamp,
    /// Time of the last reading of its content, as far as the file system keeps it.
    pub accessed: Timestamp,
    /// Number of the device that holds it.
    pub device: u64,
    /// Its number on the device.
    pub inode: u64,
    /// Number of names it has.
    pub links: u32,
}

/// A point in time: seconds since 1970-01-01 UTC, and nanoseconds beyond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    /// Seconds since 1970-01-01 UTC; negative before.
    pub seconds: i64,
    /// Nanoseconds beyond, 0 to 999,999,999.
    pub nanos: u32,
}

/// Where the bytes of a reading came from, as far as could be observed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Bytes that were in the page cache before they were asked for.
    pub cache_bytes: u64,
    /// Bytes that the device had to bring.
    pub device_bytes: u64,
    /// Bytes that a store on the network had to bring.
    pub network_bytes: u64,
    /// Bytes where it could not be observed.
    pub unknown_bytes: u64,
}

impl Origin {
    /// All bytes that were read.
    pub fn read_bytes(&self) -> u64 {
        self.cache_bytes + self.device_bytes + self.network_bytes + self.unknown_bytes
    }
}

impl AddAssign for Origin {
    fn add_assign(&mut self, other: Self) {
        self.cache_bytes += other.cache_bytes;
        self.device_bytes += other.device_bytes;
        self.network_bytes += other.network_bytes;
        self.unknown_bytes += other.unknown_bytes;
    }
}
