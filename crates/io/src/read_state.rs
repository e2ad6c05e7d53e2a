//! What is known of reading an open file past the page cache. Data: how it comes to be known is in `past_cache.rs`.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::io::Errno;

use crate::obstacle::MediumObstacle;

/// What is known of reading an open file direct.
#[derive(Debug, Default)]
pub(crate) struct DirectState {
    /// How its file system wants reads; `None` if it does not read direct.
    pub(crate) terms: OnceLock<Option<Terms>>,
    /// It took the flag and refused to read.
    pub(crate) refused: AtomicBool,
}

/// How a file is read direct.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// Of what offsets, lengths and memory have to be multiples, in bytes.
    pub(crate) alignment: usize,
    /// The file system says that it does not read this file through the page cache.
    pub(crate) promised: bool,
}

impl DirectState {
    /// Whether reads that were asked for past the page cache went past it.
    pub(crate) fn is_in_use(&self) -> bool {
        self.terms.get().is_some_and(Option::is_some) && !self.refused.load(Ordering::Acquire)
    }
}

/// How a file is read so that all comes from its device; settled before its first read, by whoever comes first.
#[derive(Debug, Default)]
pub(crate) struct MediumState(pub(crate) OnceLock<Result<Way, Refusal>>);

impl MediumState {
    /// Whether reads go past the page cache, or may.
    pub(crate) fn is_past_cache(&self) -> bool {
        matches!(self.0.get(), None | Some(Ok(Way::Direct(_))))
    }

    /// Whether all that is read of it is shown to come from its device.
    pub(crate) fn is_proven(&self) -> bool {
        matches!(self.0.get(), Some(Ok(_)))
    }

    /// Whether reads have gone past the page cache.
    pub(crate) fn is_direct(&self) -> bool {
        matches!(self.0.get(), Some(Ok(Way::Direct(_))))
    }

    /// Why that cannot be shown, if it was looked for.
    pub(crate) fn obstacle(&self) -> Option<MediumObstacle> {
        match self.0.get()? {
            Ok(_) => None,
            Err(Refusal::Obstacle(obstacle)) => Some(*obstacle),
            // It could not be written, so that the cache keeps it.
            Err(Refusal::System(_)) => Some(MediumObstacle::Cached),
        }
    }
}

/// How all that is read of a file comes from its device.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// There is nothing to read.
    Empty,
    /// Past the page cache.
    Direct(Terms),
    /// Through the page cache, which holds nothing of the file, or has forgotten it.
    Uncached,
}

/// Why there is no way. Found again for each read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    System(Errno),
    Obstacle(MediumObstacle),
}

impl From<Errno> for Refusal {
    fn from(error: Errno) -> Self {
        Self::System(error)
    }
}

impl From<MediumObstacle> for Refusal {
    fn from(obstacle: MediumObstacle) -> Self {
        Self::Obstacle(obstacle)
    }
}
