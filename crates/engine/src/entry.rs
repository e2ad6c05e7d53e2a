//! Inputs as the user names them, and entries as the workers take them.

use std::sync::Arc;

use hashlane_digest::Algorithm;
use hashlane_io::{Directory, FileSystem, Place as _, Store};
use hashlane_record::{Division, ItemPath};

/// The algorithms to compute for a file, in the order in which its digests are wanted.
pub type AlgorithmSet = Arc<[Algorithm]>;

/// One thing to fingerprint, as it was named. `B` is what names can be relative to; where files are read, a directory.
#[derive(Clone, Debug)]
pub enum Input<B = Arc<Directory>> {
    /// A path. If something is listed below it, that is read; otherwise the path itself.
    Path(ItemPath),
    /// A file from a list or a manifest; never walked.
    File {
        /// Its name, as it is printed.
        path: ItemPath,
        /// The directory that its name is relative to and must not lead out of; `None`: the current directory, and the name may lead
        /// anywhere.
        base: Option<B>,
        /// What to compute for it.
        algorithms: AlgorithmSet,
        /// Which of its parts get digests of their own.
        division: Option<Division>,
        /// Returned in its record.
        tag: Box<[u8]>,
    },
    /// A file from a list that the caller skips. It keeps its place in the order, and [`crate::Sink::excluded`] takes it.
    Excluded {
        /// Its name, as it is printed.
        path: ItemPath,
        /// Returned with it.
        tag: Box<[u8]>,
    },
    /// Standard input, named `-`.
    Stdin {
        /// Returned in its record.
        tag: Box<[u8]>,
        /// What to compute for it.
        algorithms: AlgorithmSet,
        /// Which of its parts get digests of their own.
        division: Option<Division>,
    },
}

impl<B> Input<B> {
    /// A file without digests of parts.
    pub fn file(path: ItemPath, base: Option<B>, algorithms: &AlgorithmSet, tag: Box<[u8]>) -> Self {
        Self::File { path, base, algorithms: Arc::clone(algorithms), division: None, tag }
    }

    /// The same for another source, with what its names are relative to there.
    pub fn elsewhere<C>(self, base: Option<C>) -> Input<C> {
        match self {
            Self::Path(path) => Input::Path(path),
            Self::File { path, base: _, algorithms, division, tag } => {
                Input::File { path, base, algorithms, division, tag }
            }
            Self::Excluded { path, tag } => Input::Excluded { path, tag },
            Self::Stdin { tag, algorithms, division } => Input::Stdin { tag, algorithms, division },
        }
    }
}

/// A file that exists or is listed, but is not selected. Its content is not examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excluded {
    /// Its place in the order of the run, from 0.
    pub number: u64,
    /// Its name, as it is printed.
    pub path: ItemPath,
    /// The tag of its input, unchanged.
    pub tag: Box<[u8]>,
}

/// A file with its place in the order.
#[derive(Debug)]
pub(crate) struct Entry<S: Store = FileSystem> {
    /// Its place in the order of the inputs, in which records leave.
    pub(crate) number: u64,
    /// Its place in the order in which files are begun.
    pub(crate) turn: u64,
    /// Number of its file on the device; 0 if nobody has asked.
    pub(crate) inode: u64,
    pub(crate) location: Location<S>,
    pub(crate) algorithms: AlgorithmSet,
    pub(crate) division: Option<Division>,
    pub(crate) tag: Box<[u8]>,
}

/// Where an entry is.
#[derive(Debug)]
pub(crate) enum Location<S: Store = FileSystem> {
    /// At a place of the store.
    At(S::Place),
    /// Standard input.
    Stdin,
}

impl<S: Store> Entry<S> {
    /// One that has no place in any order yet.
    pub(crate) fn new(location: Location<S>, algorithms: AlgorithmSet, tag: Box<[u8]>) -> Self {
        Self { number: 0, turn: 0, inode: 0, location, algorithms, division: None, tag }
    }
}

impl<S: Store> Location<S> {
    /// The name as it is to be printed.
    pub(crate) fn printed(&self) -> ItemPath {
        match self {
            Self::At(place) => ItemPath::from(place.printed()),
            Self::Stdin => ItemPath::from("-"),
        }
    }
}
