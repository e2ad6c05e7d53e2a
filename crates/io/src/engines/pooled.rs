//! An engine for any store: readers of a pool open and read, as many at once as it has threads.
//!
//! It is the one that needs nothing of a store but that it opens and reads. One that can be asked for many things at once
//! without a thread for each has an engine of its own.

use std::sync::Arc;

use crate::block::Block;
use crate::delivery::{Delivery, by_delivery};
use crate::engine::{Completion, FirstRead, ReadEngine, Request, Target, Waker};
use crate::open_file::{FileFacts, FileKind};
use crate::pool::ReaderPool;
use crate::read_error::ReadError;
use crate::store::{Opened, Store};

/// Opens and reads the things of a store on a pool of readers. Where their bytes come from is what the store says of all of them.
#[derive(Debug)]
pub struct Pooled<S: Store> {
    store: Arc<S>,
    delivery: Delivery<S>,
    /// Who opens, if that is not whoever reads.
    openers: Option<Arc<ReaderPool>>,
}

impl<S: Store> Pooled<S> {
    /// An engine for the calling thread that lets `pool` do its waiting.
    pub fn new(store: Arc<S>, pool: Arc<ReaderPool>) -> Self {
        Self { store, delivery: Delivery::new(pool), openers: None }
    }

    /// The same with a pool of its own for what is to be opened, so that reads of what is open do not wait for that.
    pub fn with_openers(store: Arc<S>, readers: Arc<ReaderPool>, openers: Arc<ReaderPool>) -> Self {
        Self { openers: Some(openers), ..Self::new(store, readers) }
    }
}

impl<S: Store> ReadEngine<S> for Pooled<S> {
    fn name(&self) -> &'static str {
        "pooled"
    }

    fn submit(&mut self, request: Request<S>) {
        let store = Arc::clone(&self.store);
        let is_opening = matches!(request.target, Target::Open { .. });
        let openers = self.openers.as_ref().filter(|_| is_opening);
        self.delivery.later_by(openers, move || bring(&*store, request));
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
        completion.sources.add(S::SOURCE, completion.block.len() - before);
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
    /// How many bytes of a thing that was just opened are read at once, of `length` asked for.
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::directory::{Directory, OpenHow};
    use crate::read_error::{ReadCause, ReadStep};
    use crate::store::{FilePlace, FileSystem, Place};

    fn complete<S: Store>(engine: &mut Pooled<S>) -> Completion<S> {
        loop {
            match engine.reap() {
                Some(completion) => return completion,
                None => engine.wait(),
            }
        }
    }

    fn open<S: Store>(place: S::Place, largest_bytes: u64) -> Request<S> {
        let first_read = FirstRead { largest_bytes, linked: true, uncached: false };
        let target = Target::Open { place, first_read };
        Request { token: 7, target, offset: 0, length: 100, block: Block::new(100) }
    }

    #[test]
    fn files_are_read_by_their_store_as_by_any_engine() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        fs::write(directory.path().join("file"), [5; 60]).expect("write");
        let base = Arc::new(Directory::by_path(directory.path().as_os_str().as_encoded_bytes()));
        let place = |name: &std::ffi::CStr| FilePlace {
            directory: Arc::clone(&base),
            name: name.into(),
            how: OpenHow::Named,
        };
        let mut engine = Pooled::new(Arc::new(FileSystem), ReaderPool::new(2));
        engine.submit(open(place(c"file"), 100));
        let completion = complete(&mut engine);
        assert!(completion.read && completion.error.is_none());
        assert_eq!((completion.block.bytes(), completion.sources.unknown_bytes), (&[5; 60][..], 60));
        // Larger ones come back open, and are read at offsets.
        engine.submit(open(place(c"file"), 59));
        let completion = complete(&mut engine);
        assert!(!completion.read && completion.block.is_empty());
        let target = Target::File(completion.file.expect("it was opened"));
        engine.submit(Request { token: 8, target, offset: 50, length: 100, block: Block::new(100) });
        let completion = complete(&mut engine);
        assert_eq!((completion.token, completion.block.bytes()), (8, &[5; 10][..]));
        engine.submit(open(place(c"missing"), 100));
        let error = complete(&mut engine).error.expect("it is not there");
        assert_eq!((error.step, error.raw_os_error()), (ReadStep::Open, Some(libc::ENOENT)));
        assert_eq!(engine.in_flight(), 0);
    }

    /// Brings three bytes at a time, and after nine no more.
    #[derive(Debug)]
    struct Breaking;

    #[derive(Debug)]
    struct Breaks(FileFacts);

    impl Place for u8 {
        fn printed(&self) -> Vec<u8> {
            vec![*self]
        }
    }

    impl Store for Breaking {
        type Place = u8;
        type Opened = Breaks;

        fn open(&self, size: &u8) -> Result<Breaks, ReadError> {
            let never = (0, 0);
            Ok(Breaks(FileFacts {
                kind: FileKind::Regular,
                size_bytes: u64::from(*size),
                allocated_bytes: 0,
                modified: never,
                changed: never,
                accessed: never,
                device: 0,
                inode: 0,
                links: 1,
            }))
        }
    }

    impl Opened for Breaks {
        fn facts(&self) -> &FileFacts {
            &self.0
        }

        fn facts_now(&self) -> Result<FileFacts, ReadError> {
            Ok(self.0)
        }

        fn read_at(&self, offset: u64, room: &mut [u8]) -> Result<usize, ReadError> {
            if offset >= 9 {
                return Err(ReadError { step: ReadStep::Read, cause: ReadCause::Remote(503) });
            }
            let count = room.len().min(3);
            room[..count].fill(1);
            Ok(count)
        }
    }

    #[test]
    fn short_answers_are_put_together_and_what_came_before_an_error_is_kept() {
        let mut engine = Pooled::new(Arc::new(Breaking), ReaderPool::new(1));
        engine.submit(open(8, 100));
        let completion = complete(&mut engine);
        assert!(completion.error.is_none());
        assert_eq!(completion.block.bytes(), [1; 8]);
        engine.submit(open(20, 100));
        let completion = complete(&mut engine);
        assert!(matches!(completion.error, Some(ReadError { cause: ReadCause::Remote(503), .. })));
        assert_eq!((completion.block.bytes(), completion.sources.total_bytes()), (&[1; 9][..], 9));
        assert!(completion.read && completion.file.is_some());
    }
}
