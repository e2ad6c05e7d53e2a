//! What a run is to do.

use std::fmt;
use std::sync::Arc;

use hashlane_digest::BackendChoice;
use hashlane_io::{EngineKind, ReadEngine, ReaderPool};
use hashlane_record::Division;

use crate::entry::AlgorithmSet;
use crate::profile::Profile;
use crate::walk::WalkOptions;

/// What a run is to do: [`Options::new`], and then whatever is to be different.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// What to compute for the files of [`crate::Input::Path`].
    pub algorithms: AlgorithmSet,
    /// What parts of them have digests of their own.
    pub division: Option<Division>,
    /// Number of workers; `None`: as many as the process may use cores.
    pub workers: Option<usize>,
    /// How bytes are brought.
    pub engine: EngineChoice,
    /// What suits the device, where `engine` leaves the choice; of it a custom engine leaves the order.
    pub profile: Profile,
    /// Bytes of what the run brings from the device that may stay in the page cache; `None`: all of it. What was there
    /// before stays in any case.
    pub cache_bytes: Option<u64>,
    /// How digests are computed, where there is a choice.
    pub backend: BackendChoice,
    /// How much is read in a second at most, in bytes, by all workers together; at least [`crate::LOWEST_RATE`]. `None`: as
    /// much as can be.
    pub max_bytes_per_second: Option<u64>,
    /// Whether reads of this run are served when nobody else asks for anything, by schedulers that know priorities. The
    /// calling thread has its own priority again when the run is over.
    pub idle_io: bool,
    /// Whether a file with several names is read once and its result repeated.
    pub links_once: bool,
    /// How directories are walked.
    pub walk: WalkOptions,
    /// Device and inode of files that are no items: those that the output goes to.
    pub excluded: Vec<(u64, u64)>,
}

impl Options {
    /// The digests of these algorithms, of whole files, with all that the machine has: a worker for each core, engines and backends
    /// by choice, no limit. Files with several names are read once.
    pub fn new(algorithms: AlgorithmSet) -> Self {
        Self {
            algorithms,
            division: None,
            workers: None,
            engine: EngineChoice::Auto,
            profile: Profile::default(),
            cache_bytes: None,
            backend: BackendChoice::Auto,
            max_bytes_per_second: None,
            idle_io: false,
            links_once: true,
            walk: WalkOptions::default(),
            excluded: Vec::new(),
        }
    }
}

/// Which read engine a run uses.
#[derive(Clone, Default)]
pub enum EngineChoice {
    /// As [`Options::profile`] says; mapped windows for tree hashes of big files.
    #[default]
    Auto,
    /// One that is not among the kinds: it has faults built in, or reads what is no file.
    Custom {
        /// Makes the engine of a worker.
        start: EngineFactory,
        /// Whether big files are asked for in blocks without memory ([`hashlane_io::Block::window`]).
        windows: bool,
    },
    /// From the device and nowhere else: a file of which that cannot be made sure fails. No file is read once for all of
    /// its names.
    FromMedium,
    /// This one, for everything.
    Only(EngineKind),
}

/// Makes a read engine for the calling thread; what has to wait may do so in the pool.
pub type EngineFactory = Arc<dyn Fn(&Arc<ReaderPool>) -> Box<dyn ReadEngine> + Send + Sync>;

impl fmt::Debug for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("Auto"),
            Self::Custom { windows, .. } => {
                f.debug_struct("Custom").field("windows", windows).finish_non_exhaustive()
            }
            Self::FromMedium => f.write_str("FromMedium"),
            Self::Only(kind) => f.debug_tuple("Only").field(kind).finish(),
        }
    }
}
