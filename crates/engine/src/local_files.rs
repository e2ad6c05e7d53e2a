//! The files of this machine as a source: walks directories, and reads by the engine that was chosen or that suits the
//! device.

use std::ffi::{CStr, CString};
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use hashlane_io::{
    DescriptorBudget, Directory, EngineKind, FileFacts, FileKind, FilePlace, FileSystem, FromMedium,
    OpenFile, OpenHow, PastCache, ReadEngine, ReaderPool, Uring,
};
use hashlane_record::{Cause, Failure, ItemPath, Operation};
use rustix::fs::{AtFlags, CWD, statat};
use rustix::io::Errno;

use crate::lister::Lister;
use crate::options::{EngineChoice, Options};
use crate::profile::{LargeFiles, LargeWay, Profile, ReadOrder};
use crate::source::Source;
use crate::summary::Skipped;
use crate::walk::{Walk, WalkOptions};

/// Reads that wait at once, all workers together, where the engine was named and so nothing is known of the device.
pub(crate) const READERS: usize = 64;

/// Requests that the ring of a worker has room for, at least.
const LEAST_DEPTH: usize = 8;

/// Files, read as the options of a run say.
#[derive(Debug)]
pub(crate) struct LocalFiles {
    engine: EngineChoice,
    profile: Profile,
    /// How files are opened that have a base.
    confined: OpenHow,
    current: Arc<Directory>,
    descriptors: DescriptorBudget,
    /// Waits for small files.
    pool: Arc<ReaderPool>,
    /// Waits for the pieces of large ones, which are limited by their rings.
    large_pool: Arc<ReaderPool>,
}

impl LocalFiles {
    /// With room for `most_readers` readers and `directories` open directories.
    pub(crate) fn new(options: &Options, most_readers: usize, directories: usize) -> Self {
        let readers = match options.engine {
            EngineChoice::Auto | EngineChoice::FromMedium | EngineChoice::PastCache => {
                options.profile.small.in_flight
            }
            _ => READERS,
        };
        Self {
            engine: options.engine.clone(),
            profile: options.profile,
            confined: if options.listed { OpenHow::Listed } else { OpenHow::Confined },
            current: Arc::new(Directory::current()),
            descriptors: DescriptorBudget::new(directories),
            pool: ReaderPool::taking_turns(readers.max(READERS).min(most_readers), readers),
            large_pool: ReaderPool::new(LargeFiles::MOST_IN_FLIGHT.min(most_readers)),
        }
    }

    /// The engine that suits the device.
    fn start_usual(&self, workers: usize) -> Box<dyn ReadEngine> {
        match self.profile.small.engine {
            EngineKind::Uring => {
                // Some for FIFOs, which may wait for ever.
                let depth = self.profile.small.in_flight.div_ceil(workers).max(LEAST_DEPTH);
                Box::new(Uring::new(depth, Arc::clone(&self.pool)))
            }
            _ => EngineKind::Buffered.start(&self.pool),
        }
    }
}

impl Source for LocalFiles {
    type Store = FileSystem;
    type Base = Arc<Directory>;

    fn place(&self, path: &ItemPath, base: Option<Arc<Directory>>) -> Result<FilePlace, Failure> {
        let name = name(path)?;
        Ok(match base {
            Some(directory) => FilePlace { directory, name, how: self.confined },
            None => FilePlace { directory: Arc::clone(&self.current), name, how: OpenHow::Named },
        })
    }

    fn list(
        &self,
        root: &ItemPath,
        options: &WalkOptions,
        lister: &mut impl Lister,
    ) -> (Skipped, ControlFlow<()>) {
        let mut skipped = Skipped::default();
        let place = match self.place(root, None) {
            Ok(place) => place,
            Err(failure) => return (skipped, lister.failed(root.clone(), failure)),
        };
        // A path too long for this call is not a directory that anybody named by hand; opening it will show what it is.
        let stat = statat(CWD, &*place.name, AtFlags::empty());
        let kind = stat.map(|stat| FileFacts::from_stat(&stat).kind);
        if kind != Ok(FileKind::Directory) {
            return (skipped, lister.found(place, 0));
        }
        let inodes = self.order() == ReadOrder::OnDisk;
        let mut walk = Walk::new(options, &self.descriptors, lister, &mut skipped).with_inodes(inodes);
        let ended = walk.run(&place.name);
        (skipped, ended)
    }

    fn standard_input(&self) -> io::Result<(OpenFile, u64)> {
        hashlane_io::stdin()
    }

    fn start_engine(&self, workers: usize) -> Box<dyn ReadEngine> {
        match &self.engine {
            EngineChoice::Auto => self.start_usual(workers),
            EngineChoice::PastCache => {
                Box::new(PastCache::new(self.start_usual(workers), Arc::clone(&self.pool)))
            }
            EngineChoice::Custom { start, .. } => start(&self.pool),
            EngineChoice::FromMedium => Box::new(FromMedium::new(Arc::clone(&self.pool))),
            EngineChoice::Only(kind) => kind.start(&self.pool),
        }
    }

    fn start_large_engine(&self, kind: EngineKind, beside: &dyn ReadEngine) -> Option<Box<dyn ReadEngine>> {
        Some(kind.start_beside(beside, &self.large_pool))
    }

    fn large(&self, file: &OpenFile, has_tree: bool) -> LargeWay {
        let windows = match self.engine {
            // By the one engine that knows whether it goes past the cache.
            EngineChoice::PastCache if !file.is_from_medium() && file.medium_obstacle().is_none() => false,
            EngineChoice::Auto | EngineChoice::PastCache => {
                let pieces = self.profile.large(file);
                // The parts of a tree are large, and nobody needs a copy of them.
                let engine = if has_tree { EngineKind::Mapped } else { pieces.engine };
                return LargeWay { engine: Some(engine), windows: engine == EngineKind::Mapped, pieces };
            }
            EngineChoice::Custom { windows, .. } => windows,
            EngineChoice::FromMedium => false,
            EngineChoice::Only(kind) => kind == EngineKind::Mapped,
        };
        LargeWay { engine: None, windows, pieces: LargeFiles::default() }
    }

    fn order(&self) -> ReadOrder {
        match self.engine {
            EngineChoice::Only(_) => ReadOrder::Inputs,
            _ => self.profile.order,
        }
    }

    fn is_observed(&self) -> bool {
        self.reads_direct() || matches!(self.engine, EngineChoice::Only(EngineKind::Null))
    }

    fn reads_direct(&self) -> bool {
        self.reads_from_medium() || matches!(self.engine, EngineChoice::Only(EngineKind::Direct))
    }

    fn reads_from_medium(&self) -> bool {
        matches!(self.engine, EngineChoice::FromMedium)
    }
}

/// The place of a file that is named as it is to be opened.
pub(crate) fn named_file(path: &ItemPath) -> Result<FilePlace, Failure> {
    Ok(FilePlace { directory: Arc::new(Directory::current()), name: name(path)?, how: OpenHow::Named })
}

fn name(path: &ItemPath) -> Result<Arc<CStr>, Failure> {
    let name = CString::new(path.as_bytes()).map_err(|_| {
        let cause = Cause::System(Errno::INVAL.raw_os_error());
        Failure { operation: Operation::Open, cause, offset_bytes: 0 }
    })?;
    Ok(name.into())
}
