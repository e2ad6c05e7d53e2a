//! Blocks on their way through a read engine: as many are asked for at once as there are blocks.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hashlane_io::{Block, EngineKind, OpenFile, ReadEngine, ReaderPool, Request, Sources, Target};

use super::{not_possible, not_warm};
use crate::cell::CacheState;
use crate::sampler::NotPossible;

/// A block, and its number among those of its engine.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) number: usize,
    pub(crate) block: Block,
}

/// What is asked for.
#[derive(Debug)]
pub(crate) struct Wanted {
    pub(crate) file: Arc<OpenFile>,
    pub(crate) offset: u64,
    pub(crate) length: usize,
}

/// An engine, and the blocks that it fills.
pub(crate) struct InFlight {
    kind: EngineKind,
    engine: Box<dyn ReadEngine>,
    /// Blocks that nothing is asked for with.
    spare: Vec<Slot>,
    /// Bytes that were asked for with each block.
    lengths: Vec<usize>,
}

impl InFlight {
    /// `depth` blocks, for the calling thread.
    pub(crate) fn new(kind: EngineKind, depth: usize, block_bytes: usize) -> Self {
        let block = || {
            if kind == EngineKind::Mapped {
                return Block::window(block_bytes);
            }
            let mut block = Block::new(block_bytes);
            // Its memory is to be there before a watch starts.
            block.room().fill(0);
            block
        };
        Self {
            kind,
            engine: kind.start(&ReaderPool::new(depth)),
            spare: (0..depth).map(|number| Slot { number, block: block() }).collect(),
            lengths: vec![0; depth],
        }
    }

    /// Asks for what `next` wants until it wants nothing more, and hands over what has come, in any order. `take` gives blocks
    /// back when it is done with them. Returns how long nothing was there to be taken.
    ///
    /// # Errors
    /// Something cannot be read, or less came than was wanted; what `next` or `take` find wrong.
    pub(crate) fn run(
        &mut self,
        mut next: impl FnMut(usize) -> Result<Option<Wanted>, NotPossible>,
        mut take: impl FnMut(Slot, Sources, &mut Vec<Slot>) -> Result<(), NotPossible>,
    ) -> Result<Duration, NotPossible> {
        let (mut waited, mut is_all_asked) = (Duration::ZERO, false);
        loop {
            while !is_all_asked && let Some(slot) = self.spare.pop() {
                match next(slot.number)? {
                    Some(wanted) => self.submit(slot, wanted),
                    None => {
                        is_all_asked = true;
                        self.spare.push(slot);
                    }
                }
            }
            if is_all_asked && self.engine.in_flight() == 0 {
                return Ok(waited);
            }
            match self.reap()? {
                Some((slot, sources)) => {
                    let begin = self.spare.len();
                    take(slot, sources, &mut self.spare)?;
                    self.spare[begin..].iter_mut().for_each(|slot| slot.block.clear());
                }
                None => {
                    let begun = Instant::now();
                    self.engine.wait();
                    waited += begun.elapsed();
                }
            }
        }
    }

    fn submit(&mut self, slot: Slot, wanted: Wanted) {
        self.lengths[slot.number] = wanted.length;
        self.engine.submit(Request {
            token: slot.number as u64,
            target: Target::File(wanted.file),
            offset: wanted.offset,
            length: wanted.length,
            block: slot.block,
        });
    }

    fn reap(&mut self) -> Result<Option<(Slot, Sources)>, NotPossible> {
        let Some(completion) = self.engine.reap() else { return Ok(None) };
        if let Some(error) = completion.error {
            return Err(not_possible("the file cannot be read", &error));
        }
        let number = completion.token as usize;
        let (wanted, brought) = (self.lengths[number] as u64, completion.sources.total_bytes());
        if brought < wanted {
            return Err(NotPossible::Broken(format!(
                "a read of {wanted} bytes of the file returned {brought}"
            )));
        }
        Ok(Some((Slot { number, block: completion.block }, completion.sources)))
    }

    /// Whether all was read as the engine's name and the state of the cache say, by where it came from.
    ///
    /// # Errors
    /// It was not: that is another cell.
    pub(crate) fn check(&self, cache: CacheState, sources: &Sources) -> Result<(), NotPossible> {
        if self.engine.fallbacks() > 0 {
            return Err(NotPossible::Broken(format!(
                "the file system refuses the engine `{}`",
                self.kind.name()
            )));
        }
        if cache == CacheState::Warm && sources.device_bytes > 0 {
            return Err(not_warm());
        }
        Ok(())
    }
}
