//! An engine for any store: readers of a pool open and read, as many at once as it has threads.
//!
//! It is the one that needs nothing of a store but that it opens and reads. One that can be asked for many things at once
//! without a thread for each has an engine of its own.

use std::sync::Arc;

use crate::block::Block;
use crate::delivery::{Delivery, by_delivery};
use crate::engine::{Completion, FirstRead, ReadEngine, ReadError, Request, Source, Target, Waker};
use crate::open_file::{FileFacts, FileKind};
use crate::pool::ReaderPool;
use crate::store::{Opened, Store};

/// Opens and reads the things of a store on a pool of readers. Where their bytes come from is not observed.
#[derive(Debug)]
pub struct Pooled<S: Store> {
    store: Arc<S>,
    delivery: Delivery<S>,
}

impl<S: Store> Pooled<S> {
    /// An engine for the calling thread that lets `pool` do its waiting.
    pub fn new(store: Arc<S>, pool: Arc<ReaderPool>) -> Self {
        Self { store, delivery: Delivery::new(pool) }
    }
}

impl<S: Store> ReadEngine<S> for Pooled<S> {
    fn name(&self) -> &'static str {
        "pooled"
    }

    fn submit(&mut self, request: Request<S>) {
        let store = Arc::clone(&self.store);
        self.delivery.later(move || bring(&*store, request));
    }

    by_delivery!(S);
}

/// Brings a request to its end.
fn bring<S: Store>(store: &S, request: Request<S>) -> Completion<S> {
    let Request { token, target, offset, length, block } = request;
    let mut completion =
        Completion { token, file: None, block, read: false, sources: Default::default(), error: None };
    let (file, wanted) = match target {
        Target::File(file) => (file, length),
        Target::Open { place, first_read } => match store.open(&place) {
            Ok(opened) => {
                let wanted = first_read.wanted(opened.facts(), length);
                (Arc::new(opened), wanted)
            }
            Err(error) => {
                completion.error = Some(error);
                return completion;
            }
        },
    };
    if wanted > 0 {
        completion.read = true;
        let before = completion.block.len();
        completion.error = fill(&*file, offset, wanted, &mut completion.block).err();
        completion.sources.add(Source::Unknown, completion.block.len() - before);
    }
    completion.file = Some(file);
    completion
}

/// Reads until a block has what is wanted, or the thing ends.
fn fill<O: Opened>(file: &O, offset: u64, mut wanted: usize, block: &mut Block) -> Result<(), ReadError> {
    let mut offset = offset;
    while wanted > 0 {
        let count = file.read_at(offset, &mut block.room()[..wanted])?;
        if count == 0 {
            break;
        }
        block.advance(count);
        offset += count as u64;
        wanted -= count;
    }
    Ok(())
}

impl FirstRead {
    /// How many bytes of a thing that was just opened are read at once, of so many asked for.
    pub(crate) fn wanted(self, facts: &FileFacts, length: usize) -> usize {
        let reads = facts.kind == FileKind::Regular
            && facts.size_bytes <= self.largest_bytes
            && (self.linked || facts.links == 1);
        match usize::try_from(facts.size_bytes) {
            _ if !reads => 0,
            // Made-up files have no size and yet content.
            Ok(0) => length,
            Ok(size) => length.min(size),
            Err(_) => length,
        }
    }
}
