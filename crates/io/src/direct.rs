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

use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use rustix::fs::{AtFlags, FileType, OFlags, StatxFlags, fcntl_getfl, fcntl_setfl, fstat, statx};
use rustix::io::{Errno, pread};

use crate::block::{BLOCK_ALIGNMENT, Block};
use crate::delivery::{Delivery, by_delivery};
use crate::engine::{Completion, ReadEngine, ReadError, Request, Source, Waker};
use crate::file_system::{self, MemoryDevices};
use crate::open_file::OpenFile;
use crate::pool::ReaderPool;
use crate::step::{Patience, Step};

/// The longest piece read beside the block, for what is not aligned.
const LONGEST_PIECE_BYTES: usize = 1 << 20;

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

/// What is known of reading an open file direct.
#[derive(Debug, Default)]
pub(crate) struct DirectState {
    /// How its file system wants reads; `None` if it does not read direct.
    terms: OnceLock<Option<Terms>>,
    /// It took the flag and refused to read.
    refused: AtomicBool,
}

/// How a file is read direct.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// Of what offsets, lengths and memory have to be multiples, in bytes.
    alignment: usize,
    /// The file system says that it does not read this file through the page cache.
    promised: bool,
}

impl DirectState {
    /// How the file is read direct; `None` if it is to be read through the page cache. Sets the flag when first asked.
    fn terms(&self, file: &OpenFile, fallbacks: &AtomicU64) -> Option<Terms> {
        let terms = *self.terms.get_or_init(|| {
            let terms = terms_of(file).filter(|_| set_direct(file, true).is_ok());
            if terms.is_none() {
                fallbacks.fetch_add(1, Ordering::Relaxed);
            }
            terms
        });
        terms.filter(|_| !self.refused.load(Ordering::Acquire))
    }

    /// Takes note that the file system refused to read.
    fn refuse(&self, file: &OpenFile, fallbacks: &AtomicU64) {
        // It was set a moment ago; should that not be undone, the read that follows says what is wrong. Undone first, so
        // that nobody who sees the mark reads unaligned with the flag set.
        let _ = set_direct(file, false);
        if !self.refused.swap(true, Ordering::AcqRel) {
            fallbacks.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl DirectState {
    /// Whether reads that were asked for past the page cache went past it.
    pub(crate) fn is_in_use(&self) -> bool {
        self.terms.get().is_some_and(Option::is_some) && !self.refused.load(Ordering::Acquire)
    }
}

/// How a file is read direct whose file system promises to go past the page cache; `None` if it promises nothing. Sets the
/// flag.
pub(crate) fn promised(file: &OpenFile) -> Option<Terms> {
    terms_of(file).filter(|terms| terms.promised && set_direct(file, true).is_ok())
}

/// Whether a file system promises to go past the page cache for a file.
pub(crate) fn is_promised(file: &OpenFile) -> bool {
    terms_of(file).is_some_and(|terms| terms.promised)
}

/// How a file wants to be read direct; `None` if it does not.
fn terms_of(file: &OpenFile) -> Option<Terms> {
    if file.is_shared() {
        return None;
    }
    match FileType::from_raw_mode(fstat(file.as_fd()).ok()?.st_mode) {
        FileType::RegularFile if file_system::is_memory(file.as_fd()) => return None,
        // The name of a device lies in memory, its content does not.
        FileType::RegularFile | FileType::BlockDevice => {}
        // On a FIFO the flag means something else.
        _ => return None,
    }
    let untold = Terms { alignment: BLOCK_ALIGNMENT, promised: false };
    let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC;
    let Ok(facts) = statx(file.as_fd(), c"", flags, StatxFlags::DIOALIGN) else {
        return Some(untold);
    };
    if facts.stx_mask & StatxFlags::DIOALIGN.bits() == 0 {
        return Some(untold);
    }
    let (memory, offset) = (facts.stx_dio_mem_align as usize, facts.stx_dio_offset_align as usize);
    let possible = offset.is_power_of_two() && offset <= LONGEST_PIECE_BYTES && memory <= BLOCK_ALIGNMENT;
    let promised = !file_system::may_pretend_direct(file.as_fd());
    possible.then(|| Terms { alignment: offset.max(memory), promised })
}

fn set_direct(file: &OpenFile, direct: bool) -> Result<(), Errno> {
    let mut flags = fcntl_getfl(file.as_fd())?;
    flags.set(OFlags::DIRECT, direct);
    fcntl_setfl(file.as_fd(), flags)
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
            // What the cache has is told apart from what it has not, as the buffered engine does it.
            let done = step.read(Patience::Now(&MemoryDevices::default()))?;
            if done { Ok(true) } else { step.read(patience) }
        }
        Err(error) => Err(step.unreadable(error)),
    }
}

/// Brings what is wanted past the page cache, or fails.
pub(crate) fn read_direct(step: &mut Step, file: &OpenFile, terms: Terms) -> Result<(), Errno> {
    while step.wanted > 0 {
        match read_piece(step, file, terms) {
            Ok(Piece::Middle) => {}
            Ok(Piece::Last) => break,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Whether more may follow a piece.
enum Piece {
    Middle,
    Last,
}

/// One read: into the block if offset and memory are aligned and an aligned length fits, else beside it.
fn read_piece(step: &mut Step, file: &OpenFile, terms: Terms) -> Result<Piece, Errno> {
    let alignment = terms.alignment;
    let skipped = (step.offset % alignment as u64) as usize;
    let wanted = step.wanted;
    let room = step.completion.block.room();
    let fitting = wanted.next_multiple_of(alignment).min(room.len() / alignment * alignment);
    let (count, ends) =
        if skipped == 0 && room.as_ptr().addr().is_multiple_of(alignment.min(BLOCK_ALIGNMENT)) && fitting > 0
        {
            let count = pread(file.as_fd(), &mut room[..fitting], step.offset)?;
            (count.min(wanted), is_end(count, alignment))
        } else {
            let length = (skipped + wanted).next_multiple_of(alignment).min(LONGEST_PIECE_BYTES);
            let mut piece = Block::new(length);
            let count = pread(file.as_fd(), &mut piece.room()[..length], step.offset - skipped as u64)?;
            piece.advance(count);
            let bytes = piece.bytes().get(skipped..).unwrap_or_default();
            let bytes = &bytes[..bytes.len().min(wanted)];
            room[..bytes.len()].copy_from_slice(bytes);
            (bytes.len(), is_end(count, alignment) || bytes.is_empty())
        };
    step.brought(count, if terms.promised { Source::Device } else { Source::Unknown });
    Ok(if ends { Piece::Last } else { Piece::Middle })
}

/// A direct read stops off an alignment only at the end of the file.
fn is_end(count: usize, alignment: usize) -> bool {
    count == 0 || !count.is_multiple_of(alignment)
}
