//! What can be read from: things under names, opened and read at offsets. The files of this machine are one such store.
//!
//! A store says how its things are named ([`Place`]) and what an open one is ([`Opened`]). Whoever asks for bytes is written
//! for any store and compiled for each: to read a file costs no dispatch that reading an object would need.

use std::ffi::CStr;
use std::fmt;
use std::num::NonZeroU64;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, statat};

use crate::directory::{Directory, OpenHow};
use crate::extent::first_extent;
use crate::obstacle::MediumObstacle;
use crate::open_file::{FileFacts, FileKind, OpenFile};
use crate::page_cache::{self, CacheUnseen};
use crate::read_error::{ReadError, ReadStep};
use crate::source::Source;

/// A store of things that can be read: the file system, an object store.
///
/// How often a step is tried again, and how fast a store may be asked, are its own affair: what it returns is final.
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// Where a thing is: enough to open it, and to print its name.
    type Place: Place;

    /// An open thing.
    type Opened: Opened;

    /// Where its bytes come from, as far as that is the same for all of them.
    const SOURCE: Source = Source::Unknown;

    /// Opens what is at a place and asks for its facts. May wait.
    ///
    /// # Errors
    /// What the store says.
    fn open(&self, place: &Self::Place) -> Result<Self::Opened, ReadError>;
}

/// Where a thing of a store is.
pub trait Place: Clone + fmt::Debug + Send + 'static {
    /// The name by which it is to be printed.
    fn printed(&self) -> Vec<u8>;

    /// Whether only what has an end may be read there: no pipe and no device.
    fn is_confined(&self) -> bool {
        false
    }

    /// A number by which things that lie side by side can be put in order; 0 if there is none.
    fn inode(&self) -> u64 {
        0
    }

    /// Where its content begins on its device, in bytes, if it lies on one that turns.
    fn first_byte(&self) -> Option<u64> {
        None
    }
}

/// An open thing of a store.
///
/// What has a default is about page caches, holes and pipes: where nothing of the kind is known of a thing, it needs none of it.
pub trait Opened: fmt::Debug + Send + Sync + 'static {
    /// The facts found when it was opened.
    fn facts(&self) -> &FileFacts;

    /// The facts as they are now, for the look after the last byte. It is taken on a thread that has other things to do: a
    /// store that ties its reads to one state of a thing answers with what its last answer said.
    ///
    /// # Errors
    /// What the store says.
    fn facts_now(&self) -> Result<FileFacts, ReadError>;

    /// Whether its content is what it was when it was opened, where its size is. A store that names states of content (an
    /// entity tag, a generation) compares those; by default the times decide.
    fn is_unchanged(&self, now: &FileFacts) -> bool {
        let before = self.facts();
        // A change time that moves together with the number of names is a link made or removed, not a change.
        now.modified == before.modified && (now.changed == before.changed || now.links != before.links)
    }

    /// What its store calls the state of it that is read, where states have names. Files have none.
    fn state_names(&self) -> StateNames<'_> {
        StateNames::default()
    }

    /// Reads some bytes at an offset, and none only at the end. May wait.
    ///
    /// # Errors
    /// What the store says.
    fn read_at(&self, offset: u64, room: &mut [u8]) -> Result<usize, ReadError>;

    /// Bytes of it that were in the page cache when it was opened, if that was observed.
    fn resident_bytes(&self) -> Option<u64> {
        None
    }

    /// Whether all that is read of it is shown to come from its device.
    fn is_from_medium(&self) -> bool {
        false
    }

    /// Why that cannot be shown, if somebody has tried.
    fn medium_obstacle(&self) -> Option<MediumObstacle> {
        None
    }

    /// Whether reads have gone past the page cache, so that the bytes they brought lie nowhere else.
    fn is_read_direct(&self) -> bool {
        true
    }

    /// Lets go of what the page cache holds of it, from an offset on.
    fn forget(&self, _offset: u64, _length: Option<NonZeroU64>) {}

    /// Whether what one reader takes from it no other one gets.
    fn is_stream(&self) -> bool {
        false
    }

    /// Whether it is made up when it is read, so that its size promises nothing.
    fn is_synthetic(&self) -> bool {
        false
    }

    /// Whether parts of it may be holes, which need not be read.
    fn has_holes(&self) -> bool {
        false
    }

    /// Bytes of it that no medium holds: holes, and what was set aside and never written. 0 where nothing says so.
    fn unwritten_bytes(&self) -> u64 {
        0
    }

    /// Why it cannot be seen what the page cache holds of it; none if it can, and where there is no such cache.
    fn cache_unseen(&self) -> Option<CacheUnseen> {
        None
    }

    /// Offset and end of the data at or behind `offset`, in bytes: what lies before it is a hole. `None` if only hole is left.
    ///
    /// # Errors
    /// What the store says.
    fn data_from(&self, offset: u64) -> Result<Option<(u64, u64)>, ReadError> {
        Ok(Some((offset, u64::MAX)))
    }
}

/// What a store calls a state of a thing. Nobody has looked at these texts yet: they are as they came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateNames<'a> {
    /// The entity tag: another content has another one.
    pub etag: Option<&'a str>,
    /// The version, or the generation.
    pub version: Option<&'a str>,
}

/// The files of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileSystem;

/// Where a file is.
#[derive(Clone, Debug)]
pub struct FilePlace {
    /// The directory that its name is relative to.
    pub directory: Arc<Directory>,
    /// Its name there: one component or several.
    pub name: Arc<CStr>,
    /// What may be opened. What is [`OpenHow::Confined`] or [`OpenHow::Listed`] is printed without its directory.
    pub how: OpenHow,
}

impl Store for FileSystem {
    type Place = FilePlace;
    type Opened = OpenFile;

    fn open(&self, place: &FilePlace) -> Result<OpenFile, ReadError> {
        let descriptor = place.directory.open(&place.name, place.how);
        let descriptor = descriptor.map_err(|error| ReadError::system(ReadStep::Open, error))?;
        OpenFile::new(descriptor).map_err(|error| ReadError::system(ReadStep::Stat, error))
    }
}

impl Place for FilePlace {
    fn printed(&self) -> Vec<u8> {
        match self.how {
            OpenHow::Confined | OpenHow::Listed => self.name.to_bytes().to_vec(),
            _ => self.directory.join(self.name.to_bytes()),
        }
    }

    fn is_confined(&self) -> bool {
        self.how.is_confined()
    }

    /// Of a regular file; 0 for all else, which lies nowhere.
    fn inode(&self) -> u64 {
        let Self { directory, name, .. } = self;
        let stat = match directory.descriptor() {
            Some(descriptor) => statat(descriptor, &**name, AtFlags::empty()),
            None => statat(CWD, directory.join(name.to_bytes()), AtFlags::empty()),
        };
        let facts = stat.map(|stat| FileFacts::from_stat(&stat));
        facts.ok().filter(|facts| facts.kind == FileKind::Regular).map_or(0, |facts| facts.inode)
    }

    fn first_byte(&self) -> Option<u64> {
        let Self { directory, name, how } = self;
        // What leads out of its base is not opened, not even to look.
        if how.is_confined() {
            return None;
        }
        // It was a regular file a moment ago; should it be a FIFO now, nobody waits for its writer.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file: Result<OwnedFd, _> = match directory.descriptor() {
            Some(descriptor) => openat(descriptor, &**name, flags, Mode::empty()),
            None => openat(CWD, directory.join(name.to_bytes()), flags, Mode::empty()),
        };
        first_extent(file.ok()?.as_fd())
    }
}

impl Opened for OpenFile {
    fn facts(&self) -> &FileFacts {
        self.facts()
    }

    fn facts_now(&self) -> Result<FileFacts, ReadError> {
        self.facts_now().map_err(|error| ReadError::system(ReadStep::Stat, error))
    }

    fn read_at(&self, offset: u64, room: &mut [u8]) -> Result<usize, ReadError> {
        self.read_some(room, offset).map_err(|error| ReadError::system(ReadStep::Read, error))
    }

    fn resident_bytes(&self) -> Option<u64> {
        self.resident_bytes()
    }

    fn is_from_medium(&self) -> bool {
        self.is_from_medium()
    }

    fn medium_obstacle(&self) -> Option<MediumObstacle> {
        self.medium_obstacle()
    }

    fn is_read_direct(&self) -> bool {
        self.is_read_direct()
    }

    fn forget(&self, offset: u64, length: Option<NonZeroU64>) {
        page_cache::forget(self, offset, length);
    }

    fn is_stream(&self) -> bool {
        self.is_stream()
    }

    fn is_synthetic(&self) -> bool {
        self.is_synthetic()
    }

    fn has_holes(&self) -> bool {
        self.has_holes()
    }

    fn unwritten_bytes(&self) -> u64 {
        self.unwritten_bytes()
    }

    fn cache_unseen(&self) -> Option<CacheUnseen> {
        self.cache_unseen()
    }

    fn data_from(&self, offset: u64) -> Result<Option<(u64, u64)>, ReadError> {
        self.data_from(offset).map_err(|error| ReadError::system(ReadStep::Read, error))
    }
}
