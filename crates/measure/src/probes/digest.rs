//! The digest ceiling: one algorithm over bytes that lie in the nearest cache.

use hashlane_digest::{Algorithm, BackendChoice};
use hashlane_io::Content;

use super::on_threads;
use crate::cell::{Cell, Stage};
use crate::clock::Stopwatch;
use crate::sample::Work;
use crate::sampler::{NotPossible, Probe};

/// Digests one message on each thread, piece by piece.
#[derive(Debug)]
pub struct DigestProbe {
    algorithm: Algorithm,
    backend: BackendChoice,
    threads: usize,
    piece: Vec<u8>,
}

impl DigestProbe {
    /// Pieces of `block_bytes` for each of `threads` threads.
    pub fn new(algorithm: Algorithm, threads: usize, block_bytes: usize) -> Self {
        let mut piece = vec![0; block_bytes];
        Content::seeded(1).fill(0, &mut piece);
        Self { algorithm, backend: BackendChoice::Auto, threads, piece }
    }

    /// Computed as was chosen, where there is a choice.
    pub fn by(mut self, backend: &BackendChoice) -> Self {
        self.backend = backend.clone();
        self
    }
}

impl Probe for DigestProbe {
    fn cell(&self) -> Cell {
        Cell {
            algorithm: Some(self.algorithm.name().to_owned()),
            backend: Some(self.algorithm.backend_for(1, &self.backend).to_owned()),
            threads: self.threads,
            block_bytes: Some(self.piece.len() as u64),
            ..Cell::new(Stage::Digest)
        }
    }

    fn run(&mut self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        // A copy of its own for each thread, in its own cache.
        let prepare = |_| (self.piece.clone(), self.algorithm.hasher_by(&self.backend));
        let digests = on_threads(self.threads, watch, prepare, |(piece, mut hasher)| {
            (0..repeats).for_each(|_| hasher.update(&piece));
            hasher.finish()
        })?;
        if digests.iter().any(|digest| *digest != digests[0]) {
            return Err(NotPossible::Wrong(format!(
                "{} of the same bytes differ between threads",
                self.algorithm
            )));
        }
        let pieces = repeats * self.threads as u64;
        Ok(Work { bytes: pieces * self.piece.len() as u64, operations: pieces, ..Work::default() })
    }
}
