//! Memory of blocks.
//!
//! Large blocks lie in huge pages where the system gives them. A device writes into memory that is in one piece twice as
//! fast as into 128 scattered pages, where it is a virtual one: 512 KiB read with `O_DIRECT`, 2.0 against 1.0 GB/s. Blocks
//! smaller than a huge page share one.

use std::alloc::{self, Layout};
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::{Mutex, PoisonError};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

use crate::allocator;

/// Alignment of every block's memory in bytes, enough for `O_DIRECT` on any device.
pub const BLOCK_ALIGNMENT: usize = 4096;

/// A huge page of x86-64, and of aarch64 with small pages of 4 KiB.
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// Smaller blocks are as many as there are files in flight: they lie anywhere.
const SMALLEST_PIECE_BYTES: usize = 256 << 10;

/// Blocks from this size on have mappings of their own: the heap would write zeros into them, and of the block of a small file
/// a few pages are ever used.
const SMALLEST_MAPPING_BYTES: usize = 64 << 10;

/// Memory of a block, aligned to [`BLOCK_ALIGNMENT`].
pub(crate) struct Memory {
    start: NonNull<u8>,
    length: usize,
    /// Nobody wrote to it yet: it is all zeros.
    pub(crate) pristine: bool,
    home: Home,
}

/// What gives it back.
enum Home {
    Heap,
    /// A mapping of its own.
    Mapping,
    /// A part of a huge page that others share.
    Slab,
}

/// A huge page in equal pieces. Invariant: a piece whose bit is set in `taken` belongs to exactly one [`Memory`].
struct Slab {
    start: NonNull<u8>,
    piece_bytes: usize,
    taken: u32,
    /// Pieces that were taken before, so that they may hold anything.
    used: u32,
}

// SAFETY: it owns its mapping; the pieces are handed out one by one under the lock of `SLABS`.
unsafe impl Send for Slab {}

/// The slabs of this process: those that a piece is taken of, and at most one other.
static SLABS: Mutex<Vec<Slab>> = Mutex::new(Vec::new());

impl Memory {
    /// `length` bytes of zeros or of anything, see `pristine`. A multiple of [`BLOCK_ALIGNMENT`] and not 0.
    pub(crate) fn new(length: usize) -> Self {
        assert!(length > 0, "a block must hold something");
        let shares = (SMALLEST_PIECE_BYTES..HUGE_PAGE_BYTES).contains(&length)
            && HUGE_PAGE_BYTES.is_multiple_of(length);
        let memory = if shares {
            Self::piece(length)
        } else if length.is_multiple_of(HUGE_PAGE_BYTES) {
            map(length).map(|start| Self { start, length, pristine: true, home: Home::Mapping })
        } else if length >= SMALLEST_MAPPING_BYTES {
            map_anywhere(length).map(|start| Self { start, length, pristine: true, home: Home::Mapping })
        } else {
            None
        };
        // The heap knows what to do when there is no memory.
        memory.unwrap_or_else(|| Self::on_heap(length))
    }

    fn on_heap(length: usize) -> Self {
        let layout = Self::layout(length);
        // SAFETY: the layout's size is not zero, by the assertion above.
        let start = unsafe { alloc::alloc_zeroed(layout) };
        let Some(start) = NonNull::new(start) else { alloc::handle_alloc_error(layout) };
        Self { start, length, pristine: true, home: Home::Heap }
    }

    /// A piece of a slab that has one, or of a new slab; none if there is no memory for one.
    fn piece(length: usize) -> Option<Self> {
        let pieces = (HUGE_PAGE_BYTES / length) as u32;
        let mut slabs = SLABS.lock().unwrap_or_else(PoisonError::into_inner);
        let has_room = |slab: &Slab| slab.piece_bytes == length && slab.taken.trailing_ones() < pieces;
        let slab = match slabs.iter().position(has_room) {
            Some(at) => &mut slabs[at],
            None => {
                slabs.push(Slab { start: map(HUGE_PAGE_BYTES)?, piece_bytes: length, taken: 0, used: 0 });
                slabs.last_mut().expect("just pushed")
            }
        };
        let number = slab.taken.trailing_ones();
        let bit = 1 << number;
        let pristine = slab.used & bit == 0;
        slab.taken |= bit;
        slab.used |= bit;
        // SAFETY: there are `pieces` of them in the mapping, and `number` is below that.
        let start = unsafe { slab.start.add(number as usize * length) };
        Some(Self { start, length, pristine, home: Home::Slab })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: `start` is valid for `length` bytes, initialised as zeros, and the borrow of `self` keeps writers out.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, and the mutable borrow of `self` makes it the only one.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }

    fn layout(length: usize) -> Layout {
        Layout::from_size_align(length, BLOCK_ALIGNMENT).expect("a block's size is far below isize::MAX")
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        match self.home {
            // SAFETY: allocated in `on_heap` with this very layout.
            Home::Heap => unsafe { alloc::dealloc(self.start.as_ptr(), Self::layout(self.length)) },
            Home::Mapping => {
                // As `map` has counted it.
                if self.length.is_multiple_of(HUGE_PAGE_BYTES) {
                    allocator::give(self.length);
                }
                unmap(self.start, self.length);
            }
            Home::Slab => give_back(self.start, self.length),
        }
    }
}

/// Gives a piece back to its slab. One slab without a taken piece is kept: who takes blocks and gives them back one at a time
/// does not pay for a page each time.
fn give_back(start: NonNull<u8>, length: usize) {
    let mut slabs = SLABS.lock().unwrap_or_else(PoisonError::into_inner);
    let offset = |slab: &Slab| start.addr().get().wrapping_sub(slab.start.addr().get());
    let at = slabs.iter().position(|slab| offset(slab) < HUGE_PAGE_BYTES);
    let at = at.expect("a slab stays as long as one of its pieces");
    let number = offset(&slabs[at]) / length;
    slabs[at].taken &= !(1 << number);
    let is_spare = |slab: &Slab| slab.taken == 0;
    if is_spare(&slabs[at]) && slabs.iter().filter(|slab| is_spare(slab)).count() > 1 {
        let slab = slabs.swap_remove(at);
        // Others may have their pieces meanwhile.
        drop(slabs);
        allocator::give(HUGE_PAGE_BYTES);
        unmap(slab.start, HUGE_PAGE_BYTES);
    }
}

// SAFETY: it owns its memory alone; nothing in it is tied to a thread.
unsafe impl Send for Memory {}
// SAFETY: shared memory can only be read.
unsafe impl Sync for Memory {}

/// Maps `length` bytes of zeros; none if the system refuses.
fn map_anywhere(length: usize) -> Option<NonNull<u8>> {
    // SAFETY: a fresh mapping at an address of the kernel's choice overlaps nothing that is in use.
    let mapping = unsafe {
        mmap_anonymous(ptr::null_mut(), length, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE).ok()?
    };
    NonNull::new(mapping.cast::<u8>())
}

/// Maps `length` bytes of zeros from the start of a huge page, a multiple of one; none if the system refuses.
fn map(length: usize) -> Option<NonNull<u8>> {
    let longer = length + HUGE_PAGE_BYTES;
    if !allocator::take(length) {
        return None;
    }
    let Some(mapping) = map_anywhere(longer) else {
        allocator::give(length);
        return None;
    };
    let before = mapping.addr().get().next_multiple_of(HUGE_PAGE_BYTES) - mapping.addr().get();
    // SAFETY: `before` is below a huge page, so start and end lie within the mapping.
    let (start, end) = unsafe { (mapping.add(before), mapping.add(before + length)) };
    if before > 0 {
        unmap(mapping, before);
    }
    if longer > before + length {
        unmap(end, longer - before - length);
    }
    // SAFETY: the bytes are mapped, and where their pages lie changes nothing of what they hold. Where there are no huge
    // pages the advice is refused, and small ones do.
    let _ = unsafe { madvise(start.as_ptr().cast(), length, Advice::LinuxHugepage) };
    Some(start)
}

/// Gives whole pages of a mapping of [`map_anywhere`] back.
fn unmap(start: NonNull<u8>, length: usize) {
    // SAFETY: mapped in `map_anywhere`, and whoever had the bytes gives them up.
    let result = unsafe { munmap(start.as_ptr().cast(), length) };
    debug_assert!(result.is_ok(), "what was mapped can be given back");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_any_size_is_aligned_and_of_nobody_else() {
        for length in [4096, 128 << 10, 132 << 10, 256 << 10, 512 << 10, 768 << 10, 1 << 20, 2 << 20, 4 << 20]
        {
            let mut all: Vec<Memory> = (0..9).map(|_| Memory::new(length)).collect();
            for (number, memory) in all.iter_mut().enumerate() {
                assert!(memory.bytes().len() == length && memory.start.addr().get() % BLOCK_ALIGNMENT == 0);
                assert!(!memory.pristine || memory.bytes().iter().all(|&byte| byte == 0));
                memory.bytes_mut().fill(number as u8);
            }
            // In another order than they were taken.
            all.swap(0, 5);
            all.truncate(7);
            all.extend((0..4).map(|_| Memory::new(length)));
            for (number, memory) in all.iter().enumerate().take(7) {
                let number = match number {
                    0 => 5,
                    5 => 0,
                    other => other,
                };
                assert!(memory.bytes().iter().all(|&byte| byte == number as u8), "{length}");
            }
        }
    }

    #[test]
    fn a_piece_that_is_given_back_is_free_and_not_called_pristine_again() {
        let is_taken = |start: NonNull<u8>| {
            let slabs = SLABS.lock().expect("no test panics with it");
            slabs.iter().any(|slab| {
                let offset = start.addr().get().wrapping_sub(slab.start.addr().get());
                offset < HUGE_PAGE_BYTES && slab.taken & (1 << (offset / slab.piece_bytes)) != 0
            })
        };
        const LENGTH: usize = 512 << 10;
        let (first, neighbour) = (Memory::new(LENGTH), Memory::new(LENGTH));
        let start = first.start;
        assert!(is_taken(start));
        drop(first);
        // Others take and give back pieces at the same time; only this address says something.
        let mut all: Vec<Memory> = Vec::new();
        while all.len() < 64 && all.last().is_none_or(|memory| memory.start != start) {
            all.push(Memory::new(LENGTH));
        }
        if let Some(again) = all.last().filter(|memory| memory.start == start) {
            assert!(!again.pristine && is_taken(start));
        }
        let starts: Vec<_> = all.iter().map(|memory| memory.start).collect();
        assert!(starts.iter().all(|start| is_taken(*start)));
        drop((all, neighbour));
    }
}
