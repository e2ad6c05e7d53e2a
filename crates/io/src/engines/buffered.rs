//! The buffered engine: `pread` into blocks.
//!
//! What the page cache holds is read at once, by `preadv2(RWF_NOWAIT)`; the rest goes to a pool of readers that may
//! wait. The same call shows where the bytes came from, where that was not looked at beforehand. Memory file systems are
//! read at once, always.

use std::sync::Arc;

use crate::delivery::{Delivery, by_delivery};
use crate::engine::{Completion, ReadEngine, Request, Waker};
use crate::file_system::MemoryDevices;
use crate::pool::ReaderPool;
use crate::step::{Patience, Step};

/// Reads through the page cache: at once what is there, by a pool of readers what is not.
#[derive(Debug)]
pub struct Buffered {
    delivery: Delivery,
    memory: MemoryDevices,
}

impl Buffered {
    /// An engine for the calling thread that lets `pool` do its waiting.
    pub fn new(pool: Arc<ReaderPool>) -> Self {
        Self::with(Delivery::new(pool))
    }

    /// An engine that delivers by `delivery`.
    pub(crate) fn with(delivery: Delivery) -> Self {
        Self { delivery, memory: MemoryDevices::default() }
    }
}

impl ReadEngine for Buffered {
    fn name(&self) -> &'static str {
        "buffered"
    }

    fn submit(&mut self, request: Request) {
        let mut step = Step::new(request);
        if step.advance(Patience::Now(&self.memory), Step::read) {
            self.delivery.now(step.completion);
            return;
        }
        let pool = Arc::clone(self.delivery.pool());
        self.delivery.later(move || {
            step.advance(Patience::Wait, |step, patience| {
                let file = step.file();
                let _turn = pool.turn_for(&file);
                step.read(patience)
            });
            step.completion
        });
    }

    by_delivery!();
}
