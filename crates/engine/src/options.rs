//! Options of a run.

use std::fmt;
use std::sync::Arc;

use hashlane_digest::BackendChoice;
use hashlane_io::{EngineKind, ReadEngine, ReaderPool};
use hashlane_record::Division;

use crate::checkpoints::Checkpoints;
use crate::entry::AlgorithmSet;
use crate::profile::Profile;
use crate::slice::Slice;
use crate::walk::WalkOptions;

/// Options of a run: start with [`Options::new`], and change what should differ.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The algorithms for files of [`crate::Input::Path`].
    pub algorithms: AlgorithmSet,
    /// Which of their parts get digests of their own.
    pub division: Option<Division>,
    /// Number of workers; `None`: one per core that the process may use.
    pub workers: Option<usize>,
    /// How bytes are read.
    pub engine: EngineChoice,
    /// The device profile, used if `engine` leaves the choice; a custom engine uses only its order.
    pub profile: Profile,
    /// How many of the bytes that the run reads from the device may stay in the page cache; `None`: all of them. What was cached before
    /// stays in any case.
    pub cache_bytes: Option<u64>,
    /// How digests are computed, if there is a choice.
    pub backend: BackendChoice,
    /// Maximum bytes read per second, by all workers together; at least [`crate::LOWEST_RATE`]. `None`: no limit.
    pub max_bytes_per_second: Option<u64>,
    /// Whether that may change while the run goes on ([`crate::Control::set_rate`]). Else a run that is begun without a limit has none.
    pub rate_may_change: bool,
    /// Whether reads of this run are served only when no other program reads, by schedulers that support priorities. The calling thread
    /// gets its own priority back when the run is over.
    pub idle_io: bool,
    /// Whether a file with several names is read once and its result repeated.
    pub links_once: bool,
    /// How directories are walked.
    pub walk: WalkOptions,
    /// Which of the things that are listed are read: those of all inputs count, in their order. `None`: all of them.
    pub slice: Option<Slice>,
    /// Files of [`crate::Input::File`] with a base were just listed as regular files: a symbolic link in the place of one, or on the way
    /// to it, is refused, and opening one takes one call instead of two.
    pub listed: bool,
    /// What keeps how far large files were read. `None`: nothing does.
    pub checkpoints: Option<Arc<dyn Checkpoints>>,
    /// Whether records leave in the order of their numbers. If not, each leaves as soon as it is there: none waits for a large file that was
    /// begun earlier.
    pub in_order: bool,
    /// Whether records have the digests of contents that their store disputes ([`hashlane_record::Outcome::Disputed`]).
    pub disputed: bool,
    /// Device and inode of files that are not items: those that the output goes to.
    pub excluded: Vec<(u64, u64)>,
}

impl Options {
    /// The digests of these algorithms, of whole files, using the whole machine: a worker per core, automatic engines and backends, no rate
    /// limit. Files with several names are read once.
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
            rate_may_change: false,
            idle_io: false,
            links_once: true,
            walk: WalkOptions::default(),
            slice: None,
            listed: false,
            checkpoints: None,
            in_order: true,
            disputed: false,
            excluded: Vec::new(),
        }
    }
}

/// Which read engine a run uses.
#[derive(Clone, Default)]
pub enum EngineChoice {
    /// As [`Options::profile`] states; mapped windows for tree hashes of big files.
    #[default]
    Auto,
    /// An engine other than the kinds: one with built-in faults, or for things that are not files.
    Custom {
        /// Makes the engine of a worker.
        start: EngineFactory,
        /// Whether big files are requested in blocks without memory ([`hashlane_io::Block::window`]).
        windows: bool,
    },
    /// From the device only: a file for which this cannot be guaranteed fails. Every name of a file is read separately.
    FromMedium,
    /// From the device where that can be shown, and as [`EngineChoice::Auto`] where not; the record of a file says why.
    PastCache,
    /// This kind, for everything.
    Only(EngineKind),
}

/// Makes a read engine for the calling thread; requests that have to wait may wait in the pool.
pub type EngineFactory = Arc<dyn Fn(&Arc<ReaderPool>) -> Box<dyn ReadEngine> + Send + Sync>;

impl fmt::Debug for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("Auto"),
            Self::Custom { windows, .. } => {
                f.debug_struct("Custom").field("windows", windows).finish_non_exhaustive()
            }
            Self::FromMedium => f.write_str("FromMedium"),
            Self::PastCache => f.write_str("PastCache"),
            Self::Only(kind) => f.debug_tuple("Only").field(kind).finish(),
        }
    }
}
