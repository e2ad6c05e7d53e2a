//! The read engines by name.

use std::sync::Arc;

use crate::delivery::Delivery;
use crate::engine::ReadEngine;
use crate::engines::buffered::Buffered;
use crate::engines::direct::Direct;
use crate::engines::mapped::Mapped;
use crate::engines::null::Null;
use crate::engines::uring::Uring;
use crate::pool::ReaderPool;

/// The read engines that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EngineKind {
    /// [`Buffered`].
    Buffered,
    /// [`Direct`].
    Direct,
    /// [`Mapped`].
    Mapped,
    /// [`Null`].
    Null,
    /// [`Uring`].
    Uring,
}

impl EngineKind {
    /// All of them, the default first.
    pub fn all() -> &'static [Self] {
        &[Self::Buffered, Self::Direct, Self::Mapped, Self::Null, Self::Uring]
    }

    /// The one of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().iter().copied().find(|kind| kind.name() == name)
    }

    /// Its name, as the user gives it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Buffered => "buffered",
            Self::Direct => "direct",
            Self::Mapped => "mmap",
            Self::Null => "null",
            Self::Uring => "uring",
        }
    }

    /// An engine of this kind for the calling thread, with `pool` for what has to wait.
    pub fn start(self, pool: &Arc<ReaderPool>) -> Box<dyn ReadEngine> {
        let pool = Arc::clone(pool);
        match self {
            Self::Buffered => Box::new(Buffered::new(pool)),
            Self::Direct => Box::new(Direct::new(pool)),
            Self::Mapped => Box::new(Mapped::new(pool)),
            Self::Null => Box::new(Null::new(pool)),
            Self::Uring => Box::new(Uring::new(Uring::DEPTH, pool)),
        }
    }

    /// An engine of this kind for the thread that `other` belongs to. The thread waits in `other` only, and reaps both: what
    /// this one has ready ends the wait there. Rings wait for nothing but themselves: in place of one it is buffered.
    pub fn start_beside(self, other: &dyn ReadEngine, pool: &Arc<ReaderPool>) -> Box<dyn ReadEngine> {
        let delivery = || Delivery::with_waker(Arc::clone(pool), other.waker());
        match self {
            Self::Buffered | Self::Uring => Box::new(Buffered::with(delivery())),
            Self::Direct => Box::new(Direct::with(delivery())),
            Self::Mapped => Box::new(Mapped::with(delivery())),
            Self::Null => Box::new(Null::with(delivery())),
        }
    }
}
