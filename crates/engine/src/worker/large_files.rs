//! What a worker does at large files, its own and those of others: reading and digesting pieces of them.

use std::sync::Arc;

use hashlane_digest::{Algorithm, SavedState, Saving, tree};
use hashlane_io::{Block, Completion, EngineKind, FileKind, Opened as _, ReadEngine, Request, Target};

use super::{BIG, Worker};
use crate::big_file::{Arrival, Begun, BigFile, Plan, ReadStep, Way};
use crate::checkpoints::{CHECKPOINT_BYTES, Checkpoints};
use crate::entry::Entry;
use crate::ring_memory::PART_BYTES;
use crate::source::{OpenedOf, Source};
use crate::verdict;

/// What keeps how far a file is read, and how far it was.
type Kept = (Option<Arc<dyn Checkpoints>>, Vec<SavedState>);

impl<S: Source> Worker<S> {
    pub(super) fn plan(&self, entry: &Entry<S::Store>, file: &OpenedOf<S>) -> Plan {
        let facts = file.facts();
        let has_tree = |algorithm: &Algorithm| algorithm.has_tree();
        let whole = facts.kind == FileKind::Regular && !file.has_holes();
        if whole
            && entry.division.is_none()
            && !entry.algorithms.is_empty()
            && entry.algorithms.iter().all(has_tree)
        {
            Plan::Tree
        } else {
            Plan::Ring
        }
    }

    pub(super) fn begin_big(
        &mut self,
        entry: Entry<S::Store>,
        file: Arc<OpenedOf<S>>,
        plan: Plan,
        start: u64,
        claimed: bool,
    ) {
        let way = self.shared.way(&file, plan);
        let observed = self.shared.source.is_observed();
        let backend = self.shared.options.backend.clone();
        let (checkpoints, saved) = self.checkpoints(&entry, &file, start);
        let start = saved.first().map_or(start, SavedState::length);
        let begun = Begun { file, start, claimed, way, observed, backend, checkpoints, saved };
        let means = (Arc::clone(&self.shared.rings), Arc::clone(&self.shared.drop_behind));
        let big = Arc::new(BigFile::new(entry, begun, plan, means));
        if self.own.is_none() && self.shared.big.begin(&big) {
            self.own = Some(big);
            // It may take hours, and is worked at before anything new is begun.
            self.shared.queue.give_back(&mut self.taken);
        } else {
            self.shared.big.postpone(big);
        }
        self.shared.idle.wake_all();
    }

    /// What keeps how far a file is read, if that is kept, and how far it was.
    fn checkpoints(&self, entry: &Entry<S::Store>, file: &OpenedOf<S>, start: u64) -> Kept {
        let facts = file.facts();
        let is_meant = facts.kind == FileKind::Regular
            && facts.size_bytes > CHECKPOINT_BYTES
            && start == 0
            && entry.division.is_none()
            && entry.algorithms.iter().all(|algorithm| algorithm.saving() != Saving::Never);
        let Some(kept) = self.shared.options.checkpoints.as_ref().filter(|_| is_meant) else {
            return (None, Vec::new());
        };
        let saved = kept.find(&entry.location.printed(), &verdict::facts(facts));
        let is_usable = saved.len() == entry.algorithms.len()
            && entry.algorithms.iter().zip(&saved).all(|(algorithm, state)| {
                state.algorithm() == *algorithm
                    && state.length() == saved[0].length()
                    && state.length() < facts.size_bytes
                    && state.length().is_multiple_of(CHECKPOINT_BYTES)
            });
        (Some(Arc::clone(kept)), if is_usable { saved } else { Vec::new() })
    }

    /// Digests one piece of a big file; false if there is none to digest.
    pub(super) fn digest_big(&mut self) -> bool {
        let Some((big, mut step)) = self.shared.big.claim_digest(self.own.as_ref()) else { return false };
        // What is finished must not wait for a file that may take hours.
        self.flush();
        let bytes = step.run();
        if step.counts() {
            self.shared.control.add_digested(bytes);
        }
        let (freed, room) = big.digest_done(step);
        if let Some(block) = freed {
            self.shared.big.give_block(block);
        }
        if room {
            self.shared.idle.wake_all();
        }
        self.settle(&big);
        true
    }

    /// Reads one piece of a big file, its own or another's; false if there is none to read.
    pub(super) fn read_big(&mut self, own: bool) -> bool {
        let claimed = if own {
            self.own.as_ref().and_then(|big| Some((Arc::clone(big), big.claim_read()?)))
        } else {
            self.shared.big.claim_read()
        };
        if let Some((big, step)) = claimed {
            let block = self.big_block(big.plan, big.way);
            self.submit_big(big, step, block);
            return true;
        }
        // Planning may have met holes, or the end.
        if own { self.own.clone().is_some_and(|big| self.settle(&big)) } else { false }
    }

    fn big_block(&self, plan: Plan, way: Way) -> Block {
        let bytes = way.piece_bytes;
        match plan {
            _ if way.windows => Block::window(bytes),
            Plan::Tree => Block::new(bytes),
            Plan::Ring => self.shared.big.take_block(bytes).unwrap_or_else(|| Block::new(bytes)),
        }
    }

    /// The engine for pieces of large files of a kind; the worker's own where there is none.
    fn large_engine(&mut self, kind: EngineKind) -> &mut dyn ReadEngine<S::Store> {
        let index = self.large_engines.iter().position(|(known, _)| *known == kind).or_else(|| {
            let engine = self.shared.start_large_engine(kind, &*self.engine)?;
            self.large_engines.push((kind, engine));
            Some(self.large_engines.len() - 1)
        });
        match index {
            Some(index) => &mut *self.large_engines[index].1,
            None => &mut *self.engine,
        }
    }

    fn submit_big(&mut self, big: Arc<BigFile<S::Store>>, step: ReadStep, block: Block) {
        let target = Target::File(Arc::clone(&big.file));
        let kind = big.way.engine;
        let index = match self.readings.iter().position(Option::is_none) {
            Some(index) => index,
            None => {
                self.readings.push(None);
                self.readings.len() - 1
            }
        };
        self.readings[index] = Some((big, step));
        let request =
            Request { token: BIG + index as u64, target, offset: step.offset, length: step.length, block };
        match kind {
            Some(kind) => self.large_engine(kind).submit(request),
            None => self.engine.submit(request),
        }
    }

    pub(super) fn big_arrived(&mut self, index: usize, completion: Completion<S::Store>) {
        let Some((big, step)) = self.readings[index].take() else { return };
        match big.read_done(step, completion) {
            Arrival::Taken => {
                self.shared.idle.wake_all();
                self.settle(&big);
            }
            Arrival::Incomplete(rest, block) => self.submit_big(big, rest, block),
            Arrival::Part(block) => {
                self.flush();
                let offset = step.sequence * PART_BYTES as u64;
                let part = tree::part(offset, block.bytes());
                self.shared.control.add_digested(block.len() as u64);
                let (length, broken) = (block.len(), block.is_broken());
                // Before its pages are let go of: what is mapped stays.
                drop(block);
                big.part_done(step.sequence, part, length, broken);
                if !self.settle(&big) {
                    // There is room for another part.
                    self.shared.idle.wake_all();
                }
            }
        }
    }

    /// Takes the result of a big file if it is finished; true if it was.
    pub(super) fn settle(&mut self, big: &Arc<BigFile<S::Store>>) -> bool {
        let Some((entry, reading)) = big.finish() else { return false };
        self.conclude(entry, reading, big.claimed);
        // A run that is stopped waits for some of those that are in work: till the record of this one is on its way.
        self.flush();
        self.shared.big.end(big);
        self.own.take_if(|own| Arc::ptr_eq(own, big));
        self.shared.idle.wake_all();
        true
    }
}
