//! One algorithm by one kernel: several messages side by side that lie in the second-level cache.

use hashlane_digest::{Algorithm, Backend, LaneSet, Part};
use hashlane_io::Content;

use crate::cell::{Cell, Stage};
use crate::clock::Stopwatch;
use crate::sample::Work;
use crate::sampler::{NotPossible, Probe};

/// Bytes of each message: so few that those of all lanes fit into a second-level cache.
const MESSAGE_BYTES: usize = 16 << 10;

/// Bytes between the beginnings of two messages, less the message: as blocks of files lie, see `Block::staggered`.
const STAGGER_BYTES: usize = 128;

/// Digests messages side by side on one core.
#[derive(Debug)]
pub struct LanesProbe {
    algorithm: Algorithm,
    backend: Backend,
    lanes: LaneSet,
    messages: Vec<u8>,
}

impl LanesProbe {
    /// As many messages as a kernel takes in at once. `None` if this CPU has no such kernel for the algorithm.
    pub fn new(algorithm: Algorithm, backend: Backend, messages: usize) -> Option<Self> {
        let lanes = LaneSet::with_kernel(algorithm, backend, messages)?;
        let mut bytes = vec![0; messages * (MESSAGE_BYTES + STAGGER_BYTES)];
        Content::seeded(1).fill(0, &mut bytes);
        Some(Self { algorithm, backend, lanes, messages: bytes })
    }
}

impl Probe for LanesProbe {
    fn cell(&self) -> Cell {
        Cell {
            algorithm: Some(self.algorithm.name().to_owned()),
            backend: Some(self.backend.name().to_owned()),
            threads: 1,
            block_bytes: Some(MESSAGE_BYTES as u64),
            ..Cell::new(Stage::Digest)
        }
    }

    fn run(&mut self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        let messages = self.messages.chunks_exact(MESSAGE_BYTES + STAGGER_BYTES).enumerate();
        let parts: Vec<_> = messages
            .map(|(slot, bytes)| Part { slot, bytes: &bytes[..MESSAGE_BYTES], last: false })
            .collect();
        // What was measured before has had the cache, and wide vector units take their time to wake up.
        self.lanes.advance(&parts);
        watch.restart();
        (0..repeats).for_each(|_| self.lanes.advance(&parts));
        let operations = repeats * parts.len() as u64;
        Ok(Work { bytes: operations * MESSAGE_BYTES as u64, operations, ..Work::default() })
    }
}
