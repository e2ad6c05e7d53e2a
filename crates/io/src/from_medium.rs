//! The engine of `--from-medium`: every byte that it brings has come from the device since the run began, or the file
//! fails.
//!
//! Two ways prove it, and each file goes one of them ([`Way::of`]):
//!
//! - **Direct**, where the file system promises it for this file (statx `STATX_DIOALIGN`, Linux 6.1): what is dirty
//!   in the page cache is written first, and no read is answered from there. The cache stays as it is, and who has
//!   the file mapped does not matter.
//! - **Evicted**: the page cache is made to forget the file, and cachestat(2) to say that it holds no page of it
//!   (Linux 6.5). From that moment on, whatever is read was brought by the device, whoever asked for it; a write
//!   makes the file unstable.
//!
//! What neither can prove is refused: [`MediumObstacle`] says why, or the system said it when the cache was to forget the
//! file.
//!
//! [`PastCache`] goes the same ways where there is one, and reads through the page cache where there is none; the file says why
//! ([`OpenFile::medium_obstacle`]). A file that the page cache holds nothing of is as good as evicted: its bytes are proven to
//! come from the device before anybody has to wait, and the engine that suits the device reads it.
//!
//! A hole has no bytes on the medium and is not read: a file that has one comes back from its opening with nothing read
//! ([`OpenFile::has_holes`]), for the caller to plan. So does one that is refused; its first read says why.

use std::fmt;
use std::sync::Arc;

use crate::delivery::{Delivery, by_delivery};
use crate::direct_reads::read_direct;
use crate::engine::{Completion, ReadEngine, Request, Target, Waker};
use crate::file_system::MemoryDevices;
use crate::pool::ReaderPool;
use crate::read_error::{ReadCause, ReadError, ReadStep};
use crate::read_state::{Refusal, Way};
use crate::step::{Patience, Step};

/// Reads from the device and nowhere else. Every read waits for it, so all go to the pool.
#[derive(Debug)]
pub struct FromMedium {
    delivery: Delivery,
    memory: MemoryDevices,
}

impl FromMedium {
    /// An engine for the calling thread that lets `pool` do its waiting.
    pub fn new(pool: Arc<ReaderPool>) -> Self {
        Self { delivery: Delivery::new(pool), memory: MemoryDevices::default() }
    }
}

impl ReadEngine for FromMedium {
    fn name(&self) -> &'static str {
        "from-medium"
    }

    fn submit(&mut self, request: Request) {
        let opens = matches!(request.target, Target::Open { .. });
        let mut step = Step::new(request);
        // Opened at once if that takes no waiting, so that a file that is not there costs no reader.
        if step.advance(Patience::Now(&self.memory), |_, _| Ok(false)) {
            self.delivery.now(step.completion);
            return;
        }
        let pool = Arc::clone(self.delivery.pool());
        self.delivery.later(move || {
            step.advance(Patience::Wait, |step, _| {
                let file = step.file();
                let _turn = pool.turn_for(&file);
                bring(step, opens)
            });
            step.completion
        });
    }

    by_delivery!();
}

/// Reads past the page cache what can be, and the rest through it.
///
/// The engine beneath it opens all files, and reads those that the page cache holds nothing of and those that there is no way for.
pub struct PastCache {
    usual: Box<dyn ReadEngine>,
    delivery: Delivery,
}

impl PastCache {
    /// Around an engine of the calling thread. `pool` waits for what is read past the cache.
    pub fn new(usual: Box<dyn ReadEngine>, pool: Arc<ReaderPool>) -> Self {
        let delivery = Delivery::with_waker(pool, usual.waker());
        Self { usual, delivery }
    }
}

impl fmt::Debug for PastCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PastCache").field("usual", &self.usual.name()).finish_non_exhaustive()
    }
}

impl ReadEngine for PastCache {
    fn name(&self) -> &'static str {
        self.usual.name()
    }

    fn submit(&mut self, mut request: Request) {
        match &mut request.target {
            Target::Open { first_read, .. } => first_read.uncached = true,
            Target::File(file) if file.medium().is_past_cache() => {
                let pool = Arc::clone(self.delivery.pool());
                let mut step = Step::new(request);
                self.delivery.later(move || {
                    step.advance(Patience::Wait, |step, _| {
                        let file = step.file();
                        let _turn = pool.turn_for(&file);
                        bring_if_possible(step)
                    });
                    step.completion
                });
                return;
            }
            Target::File(_) => {}
        }
        self.usual.submit(request);
    }

    fn reap(&mut self) -> Option<Completion> {
        self.usual.reap().or_else(|| self.delivery.reap())
    }

    /// What the pool has brought wakes the engine beneath.
    fn wait(&mut self) {
        if self.delivery.is_empty() {
            self.usual.wait();
        }
    }

    fn waker(&self) -> Waker {
        self.usual.waker()
    }

    fn in_flight(&self) -> usize {
        self.usual.in_flight() + self.delivery.in_flight()
    }

    fn fallbacks(&self) -> u64 {
        self.usual.fallbacks()
    }

    fn unsuited(&self) -> u64 {
        self.usual.unsuited()
    }
}

impl From<Refusal> for ReadError {
    fn from(refusal: Refusal) -> Self {
        let cause = match refusal {
            Refusal::System(error) => ReadCause::System(error.into()),
            Refusal::Obstacle(obstacle) => obstacle.into(),
        };
        Self { step: ReadStep::FromMedium, cause }
    }
}

/// Brings what is wanted; on a reader, for all of it may wait.
fn bring(step: &mut Step, opens: bool) -> Result<bool, ReadError> {
    let file = step.file();
    let way = *file.medium().0.get_or_init(|| Way::of(&file));
    if opens && (way.is_err() || file.has_holes()) {
        step.wanted = 0;
    }
    if step.wanted == 0 {
        return Ok(true);
    }
    match way {
        Ok(Way::Empty) => step.read(Patience::Wait),
        Ok(Way::Direct(terms)) => match read_direct(step, &file, terms) {
            Ok(()) => Ok(true),
            Err(error) => Err(step.unreadable(error)),
        },
        Ok(Way::Uncached) => {
            step.expect_device();
            step.read(Patience::Wait)
        }
        Err(refusal) => Err(refusal.into()),
    }
}

/// The same where a file that there is no way for is read through the page cache.
fn bring_if_possible(step: &mut Step) -> Result<bool, ReadError> {
    let file = step.file();
    match file.medium().0.get_or_init(|| Way::of(&file)) {
        Ok(_) => bring(step, false),
        Err(_) => step.read(Patience::Wait),
    }
}
