//! The direct engine: reads with `O_DIRECT`, past the page cache, so that the device is asked for every byte.
//!
//! Offsets, lengths and memory are aligned as the file system asks (statx `STATX_DIOALIGN`, Linux 6.1; else 4096). What a
//! request wants beyond that is read in aligned pieces beside the block and copied. Pages of the file that are dirty in the
//! page cache are written by the kernel before a direct read, and clean ones are left alone: the bytes are right, and the
//! cache is as before.
//!
//! Where direct reading is refused (at once, or by `EINVAL` of the first read), would be a pretence (memory file systems
//! take the flag and read memory), or would change what others hold (standard input), a file is read as the buffered
//! engine reads, and counted by [`ReadEngine::fallbacks`]. Some file systems take the flag and read through the page cache
//! all the same (btrfs compressed files). Where statx does not promise direct reading for a file, its bytes are
//! [`Source::Unknown`].
//!
//! Invariant: the flag is set on the file's descriptor at the first read and stays, so a file that was given to this engine
//! is read by no other one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::io::Errno;

use crate::delivery::{Delivery, by_delivery};
use crate::direct_reads::read_direct;
use crate::engine::{Completion, ReadEngine, Request, Waker};
use crate::file_system::MemoryDevices;
use crate::pool::ReaderPool;
use crate::read_error::ReadError;
use crate::step::{Patience, Step};

/// Reads past the page cache. Every read waits for the device, so all go to the pool.
#[derive(Debug)]
pub struct Direct {
    delivery: Delivery,
    memory: MemoryDevices,
    fallbacks: Arc<AtomicU64>,
}

impl Direct {
    /// An engine for the calling thread that lets `pool` do its waiting: as many reads are in flight as it has threads.
    pub fn new(pool: Arc<ReaderPool>) -> Self {
        Self::with(Delivery::new(pool))
    }

    /// An engine that delivers by `delivery`.
    pub(crate) fn with(delivery: Delivery) -> Self {
        Self { delivery, memory: MemoryDevices::default(), fallbacks: Arc::default() }
    }
}

impl ReadEngine for Direct {
    fn name(&self) -> &'static str {
        "direct"
    }

    fn submit(&mut self, request: Request) {
        let fallbacks = Arc::clone(&self.fallbacks);
        let mut step = Step::new(request);
        if step.advance(Patience::Now(&self.memory), |step, patience| bring(step, patience, &fallbacks)) {
            self.delivery.now(step.completion);
            return;
        }
        self.delivery.later(move || {
            step.advance(Patience::Wait, |step, patience| bring(step, patience, &fallbacks));
            step.completion
        });
    }

    by_delivery!();

    fn fallbacks(&self) -> u64 {
        self.fallbacks.load(Ordering::Relaxed)
    }
}

/// Brings what is wanted; false if that would wait.
fn bring(step: &mut Step, patience: Patience<'_>, fallbacks: &AtomicU64) -> Result<bool, ReadError> {
    if step.wanted == 0 {
        return Ok(true);
    }
    let file = step.file();
    let Some(terms) = file.direct().terms(&file, fallbacks) else { return step.read(patience) };
    if matches!(patience, Patience::Now(_)) {
        return Ok(false);
    }
    match read_direct(step, &file, terms) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::OPNOTSUPP) => {
            file.direct().refuse(&file, fallbacks);
            // What the cache has is kept apart from what it has not, as the buffered engine does it.
            let done = step.read(Patience::Now(&MemoryDevices::default()))?;
            if done { Ok(true) } else { step.read(patience) }
        }
        Err(error) => Err(step.unreadable(error)),
    }
}
