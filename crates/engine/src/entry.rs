//! What goes in: inputs as the user names them, entries as the workers take them.

use std::ffi::CString;
use std::sync::Arc;

use hashlane_digest::Algorithm;
use hashlane_io::{Directory, OpenHow};
use hashlane_record::{Division, ItemPath};

/// The algorithms to compute for a file, in the order in which its digests are wanted.
pub type AlgorithmSet = Arc<[Algorithm]>;

/// One thing to fingerprint, as it was named.
#[derive(Clone, Debug)]
pub enum Input {
    /// A path: a directory is walked, anything else is read.
    Path(ItemPath),
    /// A file of a list or a manifest: never walked.
    File {
        /// Its name, as it is to be printed.
        path: ItemPath,
        /// The directory that its name is relative to and must not lead out of; `None`: the current directory, and the
        /// name may lead anywhere.
        base: Option<Arc<Directory>>,
        /// What to compute for it.
        algorithms: AlgorithmSet,
        /// What parts of it have digests of their own.
        division: Option<Division>,
        /// Comes back in its record.
        tag: Box<[u8]>,
    },
    /// A file of a list that the caller passes over: it keeps its place in the order, and [`crate::Sink::excluded`] takes it.
    Excluded {
        /// Its name, as it is to be printed.
        path: ItemPath,
        /// Comes back with it.
        tag: Box<[u8]>,
    },
    /// Standard input, named `-`.
    Stdin {
        /// Comes back in its record.
        tag: Box<[u8]>,
        /// What to compute for it.
        algorithms: AlgorithmSet,
        /// What parts of it have digests of their own.
        division: Option<Division>,
    },
}

/// A file that is there, or listed, and not wanted: nothing is said of its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excluded {
    /// Its place in the order of the run, from 0.
    pub number: u64,
    /// Its name, as it is to be printed.
    pub path: ItemPath,
    /// Bytes that its input gave along, untouched.
    pub tag: Box<[u8]>,
}

/// A file with its place in the order.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its place in the order of the inputs, in which records leave.
    pub(crate) number: u64,
    /// Its place in the order in which files are begun.
    pub(crate) turn: u64,
    /// Number of its file on the device; 0 if nobody has asked.
    pub(crate) inode: u64,
    pub(crate) location: Location,
    pub(crate) algorithms: AlgorithmSet,
    pub(crate) division: Option<Division>,
    pub(crate) tag: Box<[u8]>,
}

/// Where an entry is.
#[derive(Debug)]
pub(crate) enum Location {
    /// Under a name in a directory, by which it is also printed.
    Name { directory: Arc<Directory>, name: CString, how: OpenHow },
    /// Under a name in a directory that is not printed.
    Below { base: Arc<Directory>, name: CString },
    /// Standard input.
    Stdin,
}

impl Entry {
    /// One that has no place in any order yet.
    pub(crate) fn new(location: Location, algorithms: AlgorithmSet, tag: Box<[u8]>) -> Self {
        Self { number: 0, turn: 0, inode: 0, location, algorithms, division: None, tag }
    }
}

impl Location {
    /// The name as it is to be printed.
    pub(crate) fn printed(&self) -> ItemPath {
        match self {
            Self::Name { directory, name, .. } => ItemPath::from(directory.join(name.to_bytes())),
            Self::Below { name, .. } => ItemPath::from(name.to_bytes()),
            Self::Stdin => ItemPath::from("-"),
        }
    }
}
