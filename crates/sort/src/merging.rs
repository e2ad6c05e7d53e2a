//! Several runs as one.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::Pair;
use crate::error::Result;
use crate::runs::{Run, RunFile, RunReader, prefix_of};

/// Several runs as one: the least key of all is its head. Of equal keys, that of the run that was added first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Merging {
    /// Each with the file that it lies in.
    readers: Vec<(Arc<RunFile>, RunReader)>,
    /// A heap of those that have a pair; on top the one whose pair is the head.
    heap: Vec<Head>,
}

/// What a reader is compared by: most keys differ in their first bytes, and the reader need not be looked at.
#[derive(Clone, Copy, Debug)]
struct Head {
    prefix: u64,
    reader: usize,
}

impl Merging {
    /// Adds a run.
    pub(crate) fn add(&mut self, file: &Arc<RunFile>, run: Run) -> Result<()> {
        let mut reader = RunReader::new(run);
        if reader.advance(file)? {
            self.heap.push(Head { prefix: prefix_of(reader.pair().0), reader: self.readers.len() });
            self.readers.push((Arc::clone(file), reader));
            self.sift_up(self.heap.len() - 1);
        }
        Ok(())
    }

    /// Runs that are not read to their end.
    pub(crate) fn runs(&self) -> usize {
        self.heap.len()
    }

    pub(crate) fn head(&self) -> Option<Pair<'_>> {
        self.heap.first().map(|top| self.readers[top.reader].1.pair())
    }

    /// Goes on to the next pair, if there is any.
    pub(crate) fn advance(&mut self) -> Result<()> {
        let Some(top) = self.heap.first_mut() else { return Ok(()) };
        let (file, reader) = &mut self.readers[top.reader];
        if reader.advance(file)? {
            top.prefix = prefix_of(reader.pair().0);
        } else {
            self.heap.swap_remove(0);
        }
        self.sift_down();
        Ok(())
    }

    fn order(&self, one: usize, other: usize) -> Ordering {
        let (one, other) = (self.heap[one], self.heap[other]);
        let key = |head: Head| self.readers[head.reader].1.pair().0;
        let by_prefix = one.prefix.cmp(&other.prefix);
        by_prefix.then_with(|| key(one).cmp(key(other)).then(one.reader.cmp(&other.reader)))
    }

    fn sift_up(&mut self, mut place: usize) {
        while place > 0 && self.order(place, (place - 1) / 2).is_lt() {
            self.heap.swap(place, (place - 1) / 2);
            place = (place - 1) / 2;
        }
    }

    fn sift_down(&mut self) {
        let mut place = 0;
        loop {
            let children =
                [2 * place + 1, 2 * place + 2].into_iter().filter(|&child| child < self.heap.len());
            match children.min_by(|&one, &other| self.order(one, other)) {
                Some(child) if self.order(child, place).is_lt() => {
                    self.heap.swap(place, child);
                    place = child;
                }
                _ => return,
            }
        }
    }
}
