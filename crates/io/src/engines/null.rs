//! The null engine: tests the tester.
//!
//! It opens files and asks for their facts as the others do, and then brings zeros, as many as the file has bytes, without
//! reading anything. What is left to measure is everything but reading: walking, opening, scheduling, digesting. On a
//! block that no other engine wrote to, the zeros cost nothing.

use std::sync::Arc;

use crate::delivery::{Delivery, by_delivery};
use crate::engine::{Completion, ReadEngine, Request, Waker};
use crate::file_system::MemoryDevices;
use crate::open_file::FileKind;
use crate::pool::ReaderPool;
use crate::read_error::{ReadError, ReadStep};
use crate::source::Source;
use crate::step::{Patience, Step};

/// Brings zeros in the place of content. They come from nowhere, so their source is [`Source::Unknown`]; what has no size
/// (FIFOs, made-up files) has no content here.
#[derive(Debug)]
pub struct Null {
    delivery: Delivery,
    memory: MemoryDevices,
}

impl Null {
    /// An engine for the calling thread that lets `pool` wait for opening.
    pub fn new(pool: Arc<ReaderPool>) -> Self {
        Self::with(Delivery::new(pool))
    }

    /// An engine that delivers by `delivery`.
    pub(crate) fn with(delivery: Delivery) -> Self {
        Self { delivery, memory: MemoryDevices::default() }
    }
}

impl ReadEngine for Null {
    fn name(&self) -> &'static str {
        "null"
    }

    fn submit(&mut self, request: Request) {
        let mut step = Step::new(request);
        if step.advance(Patience::Now(&self.memory), bring_zeros) {
            self.delivery.now(step.completion);
            return;
        }
        self.delivery.later(move || {
            step.advance(Patience::Wait, bring_zeros);
            step.completion
        });
    }

    by_delivery!();
}

fn bring_zeros(step: &mut Step, _: Patience<'_>) -> Result<bool, ReadError> {
    if step.wanted == 0 {
        return Ok(true);
    }
    let facts = step.file().facts_now().map_err(|error| ReadError::system(ReadStep::Stat, error))?;
    let size = if facts.kind == FileKind::Regular { facts.size_bytes } else { 0 };
    let left = usize::try_from(size.saturating_sub(step.offset)).unwrap_or(usize::MAX);
    let count = step.wanted.min(left);
    if count > 0 {
        step.completion.block.zero(count);
    }
    step.completion.read = true;
    if count > 0 {
        step.brought(count, Source::Unknown);
    }
    Ok(true)
}
