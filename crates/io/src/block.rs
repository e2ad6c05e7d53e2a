//! A block: the memory that the bytes of one read lie in.

use std::alloc::{self, Layout};
use std::fmt;
use std::ptr::NonNull;
use std::slice;

/// Alignment of every block's memory in bytes, enough for `O_DIRECT` on any device.
pub const BLOCK_ALIGNMENT: usize = 4096;

/// Aligned memory of a fixed capacity, filled from its start.
pub struct Block {
    memory: NonNull<u8>,
    capacity: usize,
    length: usize,
}

impl Block {
    /// An empty block of at least `capacity` bytes, rounded up to [`BLOCK_ALIGNMENT`].
    ///
    /// # Panics
    /// `capacity` is zero.
    pub fn new(capacity: usize) -> Self {
        assert!(capacity > 0, "a block must hold something");
        let capacity = capacity.next_multiple_of(BLOCK_ALIGNMENT);
        let layout = Self::layout(capacity);
        // SAFETY: the layout's size is not zero, by the assertion above.
        let memory = unsafe { alloc::alloc_zeroed(layout) };
        let Some(memory) = NonNull::new(memory) else { alloc::handle_alloc_error(layout) };
        Self { memory, capacity, length: 0 }
    }

    /// The bytes read so far.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `memory` is valid for `capacity` bytes and initialised from the start (allocated zeroed), `length` is
        // at most `capacity`, and the borrow of `self` keeps writers out.
        unsafe { slice::from_raw_parts(self.memory.as_ptr(), self.length) }
    }

    /// The room behind the bytes read so far. Initialised, with whatever was there before.
    pub fn room(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`; the range from `length` to `capacity` lies inside the allocation, and the mutable
        // borrow of `self` makes it the only one.
        unsafe {
            slice::from_raw_parts_mut(self.memory.as_ptr().add(self.length), self.capacity - self.length)
        }
    }

    /// Declares the next `count` bytes of [`Block::room`] read.
    ///
    /// # Panics
    /// There is not so much room.
    pub fn advance(&mut self, count: usize) {
        assert!(count <= self.capacity - self.length, "a block cannot hold more than its capacity");
        self.length += count;
    }

    /// Forgets the bytes; the memory stays.
    pub fn clear(&mut self) {
        self.length = 0;
    }

    /// Number of bytes read so far.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether nothing was read yet.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Number of bytes that it can hold.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    fn layout(capacity: usize) -> Layout {
        Layout::from_size_align(capacity, BLOCK_ALIGNMENT).expect("a block's size is far below isize::MAX")
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this very layout.
        unsafe { alloc::dealloc(self.memory.as_ptr(), Self::layout(self.capacity)) }
    }
}

// SAFETY: a block owns its memory alone; nothing in it is tied to a thread.
unsafe impl Send for Block {}
// SAFETY: a shared block can only be read.
unsafe impl Sync for Block {}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Block({} of {} bytes)", self.length, self.capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_fills_from_its_start_and_is_aligned() {
        let mut block = Block::new(5000);
        assert_eq!(block.capacity(), 8192);
        assert_eq!(block.room().as_ptr().addr() % BLOCK_ALIGNMENT, 0);
        block.room()[..3].copy_from_slice(b"abc");
        block.advance(3);
        block.room()[..2].copy_from_slice(b"de");
        block.advance(2);
        assert_eq!(block.bytes(), b"abcde");
        block.clear();
        assert!(block.is_empty() && block.bytes().is_empty());
    }

    #[test]
    #[should_panic(expected = "more than its capacity")]
    fn a_block_cannot_be_overfilled() {
        Block::new(1).advance(4097);
    }
}
