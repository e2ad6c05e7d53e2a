//! The mmap engine: windows of files mapped into blocks that have no memory of their own.
//!
//! What is wholly in the page cache is mapped at once; for the rest a reader asks for read-ahead, maps and waits until
//! the pages are there, so that whoever uses the bytes waits for nothing.
//!
//! Blocks with memory ([`Block::new`](crate::Block::new)) are read into, as the buffered engine does it: small files
//! cost less that way. So is what cannot be mapped (FIFOs, made-up files), and a window that the file fails under before
//! it is delivered, since only a read says what is wrong.

use std::io;
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{Advice, fadvise};

use crate::delivery::{Delivery, by_delivery};
use crate::engine::{Completion, ReadEngine, Request, Waker};
use crate::file_system::MemoryDevices;
use crate::open_file::{FileKind, OpenFile};
use crate::page_cache::{self, Residency};
use crate::pool::ReaderPool;
use crate::read_error::{ReadError, ReadStep};
use crate::source::Source;
use crate::step::{Patience, Step};
use crate::window::Window;

/// The longest window: long enough that mapping costs nothing (one call for some milliseconds of digesting), short
/// enough that a few of them leave the page cache to others.
pub const LONGEST_WINDOW_BYTES: usize = 32 << 20;

/// Maps files, a window at a time.
#[derive(Debug)]
pub struct Mapped {
    delivery: Delivery,
    memory: MemoryDevices,
    fallbacks: Arc<AtomicU64>,
}

impl Mapped {
    /// An engine for the calling thread that lets `pool` do its waiting.
    pub fn new(pool: Arc<ReaderPool>) -> Self {
        Self::with(Delivery::new(pool))
    }

    /// An engine that delivers by `delivery`.
    pub(crate) fn with(delivery: Delivery) -> Self {
        Self { delivery, memory: MemoryDevices::default(), fallbacks: Arc::default() }
    }
}

impl ReadEngine for Mapped {
    fn name(&self) -> &'static str {
        "mmap"
    }

    fn submit(&mut self, request: Request) {
        let mut view = View { residency: None, fallbacks: Arc::clone(&self.fallbacks) };
        let mut step = Step::new(request);
        if step.advance(Patience::Now(&self.memory), |step, patience| view.bring(step, patience)) {
            self.delivery.now(step.completion);
            return;
        }
        self.delivery.later(move || {
            step.advance(Patience::Wait, |step, patience| view.bring(step, patience));
            step.completion
        });
    }

    by_delivery!();

    fn fallbacks(&self) -> u64 {
        self.fallbacks.load(Ordering::Relaxed)
    }
}

/// One request's view of its file.
struct View {
    /// What the page cache held of the window when it was asked for, once that was looked at.
    residency: Option<Option<Residency>>,
    fallbacks: Arc<AtomicU64>,
}

impl View {
    /// Maps what is wanted, or reads it; false if that would wait.
    fn bring(&mut self, step: &mut Step, patience: Patience<'_>) -> Result<bool, ReadError> {
        if step.wanted == 0 || !step.completion.block.is_window() || !step.completion.block.is_empty() {
            return step.read(patience);
        }
        let file = step.file();
        let facts = file.facts_now().map_err(|error| ReadError::system(ReadStep::Stat, error))?;
        if facts.kind != FileKind::Regular || facts.size_bytes == 0 {
            return step.read(patience);
        }
        let left = usize::try_from(facts.size_bytes.saturating_sub(step.offset)).unwrap_or(usize::MAX);
        let length = step.wanted.min(left).min(LONGEST_WINDOW_BYTES);
        if length == 0 {
            step.completion.read = true;
            return Ok(true);
        }
        let residency = *self
            .residency
            .get_or_insert_with(|| page_cache::residency(file.as_fd(), step.offset, length as u64));
        let cached = residency.is_some_and(|residency| residency.covers(step.offset, length as u64));
        match patience {
            Patience::Now(memory) if !cached && !memory.hold(&file) => return Ok(false),
            Patience::Now(_) => {}
            Patience::Wait => read_ahead(&file, step.offset, length),
        }
        // What is cached is faulted in while it is digested, 16 pages at a time: populating it would look up each page
        // by itself, a tenth of the time of BLAKE3.
        let window = match cached {
            true => Window::map(&file, step.offset, length),
            false => populated(&file, step.offset, length),
        };
        match window {
            Ok(window) => {
                step.completion.block.attach(window);
                let resident = residency.map(|residency| length.min(residency.resident_bytes as usize));
                match (resident, patience) {
                    (_, Patience::Now(_)) => step.brought(length, Source::Cache),
                    (None, Patience::Wait) => step.brought(length, Source::Unknown),
                    (Some(resident), Patience::Wait) => {
                        step.brought(resident, Source::Cache);
                        step.brought(length - resident, Source::Device);
                    }
                }
                Ok(true)
            }
            Err(_) => {
                self.fallbacks.fetch_add(1, Ordering::Relaxed);
                step.read(patience)
            }
        }
    }
}

/// A window with all its pages present.
fn populated(file: &OpenFile, offset: u64, length: usize) -> io::Result<Window> {
    let window = Window::map(file, offset, length)?;
    window.populate()?;
    Ok(window)
}

/// Asks for all of a range at once, where page faults would ask for it bit by bit.
fn read_ahead(file: &OpenFile, offset: u64, length: usize) {
    let length = std::num::NonZeroU64::new(length as u64);
    // A file system that takes no advice reads all the same.
    let _ = fadvise(file.as_fd(), offset, length, Advice::WillNeed);
}
