//! A block: what the bytes of one read lie in, memory or a mapped window of the file.

use std::fmt;

use crate::memory::{BLOCK_ALIGNMENT, Memory};
use crate::window::Window;

/// Bytes up to a fixed capacity, filled from the start.
///
/// A block made by [`Block::new`] has memory that bytes are read into. One made by [`Block::window`] has none: the mmap
/// engine puts a mapped window of the file in it, and whoever asks for its [`Block::room`] gives it memory after all.
///
/// Invariants:
/// 1. Where the bytes are mapped, the file may fail under them: it is truncated, or its device has an error. Then they
///    read as zeros from there on, and [`Block::is_broken`] says so. It must be asked **after** the bytes were used
///    and before the result is believed; what was made from a broken block is void. It does not replace a second
///    look at the file's size and times: a cut within the last page, or one that was made good, breaks nothing.
/// 2. Mapped bytes may change while they are looked at, if somebody writes to the file. Read each byte once.
/// 3. Mapped bytes are not for system calls: where the file failed, the kernel answers `EFAULT`.
pub struct Block {
    store: Store,
    /// Whether it was made for windows.
    window: bool,
    /// A part of its bytes was copied from a window that broke.
    broken: bool,
    /// Bytes of the memory that stay unused in front.
    lead: usize,
    capacity: usize,
    length: usize,
}

enum Store {
    Nothing,
    Memory(Memory),
    Window(Window),
}

impl Block {
    /// An empty block of at least `capacity` bytes, rounded up to [`BLOCK_ALIGNMENT`].
    ///
    /// # Panics
    /// `capacity` is zero.
    pub fn new(capacity: usize) -> Self {
        let mut block = Self::window(capacity);
        block.window = false;
        block.memory();
        block
    }

    /// An empty block without memory, for windows of at most `capacity` bytes, rounded up to [`BLOCK_ALIGNMENT`].
    ///
    /// # Panics
    /// `capacity` is zero.
    pub fn window(capacity: usize) -> Self {
        assert!(capacity > 0, "a block must hold something");
        let capacity = capacity.next_multiple_of(BLOCK_ALIGNMENT);
        Self { store: Store::Nothing, window: true, broken: false, lead: 0, capacity, length: 0 }
    }

    /// An empty block whose bytes begin `lead` bytes behind an alignment, a multiple of a cache line. Blocks that are read
    /// side by side, line by line, must not all begin at the same place of a page: the first-level cache has room for a few
    /// such lines only. Not for direct reading.
    ///
    /// # Panics
    /// `capacity` is zero.
    pub fn staggered(capacity: usize, lead: usize) -> Self {
        let mut block = Self::window(capacity);
        (block.window, block.lead) = (false, lead);
        block.memory();
        block
    }

    /// Whether it was made by [`Block::window`].
    pub fn is_window(&self) -> bool {
        self.window
    }

    /// The bytes read so far.
    pub fn bytes(&self) -> &[u8] {
        match &self.store {
            Store::Nothing => &[],
            Store::Memory(memory) => &memory.bytes()[self.lead..self.lead + self.length],
            Store::Window(window) => &window.bytes()[..self.length],
        }
    }

    /// Whether the file failed under the bytes, so that a part of them are zeros that it does not hold. To be asked after
    /// the bytes were used. Never true of bytes that were read into memory.
    pub fn is_broken(&self) -> bool {
        self.broken || matches!(&self.store, Store::Window(window) if window.is_broken())
    }

    /// The room behind the bytes read so far. Initialised, with whatever was there before.
    ///
    /// A block without memory is given some, and mapped bytes are copied there.
    pub fn room(&mut self) -> &mut [u8] {
        let (start, end) = (self.lead + self.length, self.lead + self.capacity);
        let memory = self.memory();
        memory.pristine = false;
        &mut memory.bytes_mut()[start..end]
    }

    /// Declares the next `count` bytes of [`Block::room`] read.
    ///
    /// # Panics
    /// There is not that much room.
    pub fn advance(&mut self, count: usize) {
        let end = match &self.store {
            Store::Nothing => 0,
            Store::Memory(_) => self.capacity,
            Store::Window(window) => window.len(),
        };
        assert!(count <= end - self.length, "a block cannot hold more than its capacity");
        self.length += count;
    }

    /// Forgets the bytes; memory stays, a mapping is released.
    pub fn clear(&mut self) {
        self.length = 0;
        self.broken = false;
        if matches!(self.store, Store::Window(_)) {
            self.store = Store::Nothing;
        }
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

    /// Puts a window in the place of what it held; none of its bytes count as read yet.
    pub(crate) fn attach(&mut self, window: Window) {
        debug_assert!(self.window && self.is_empty() && window.len() <= self.capacity);
        self.clear();
        self.store = Store::Window(window);
    }

    /// Takes the last `count` bytes back, as if they had never been read.
    pub(crate) fn take_back(&mut self, count: usize) {
        self.length -= count;
    }

    /// Makes the next `count` bytes of the room zeros, at no cost if nobody ever wrote to it.
    ///
    /// # Panics
    /// There is not that much room.
    pub(crate) fn zero(&mut self, count: usize) {
        let start = self.lead + self.length;
        let memory = self.memory();
        if !memory.pristine {
            memory.bytes_mut()[start..start + count].fill(0);
        }
    }

    /// Its memory, which it is given if it has none.
    fn memory(&mut self) -> &mut Memory {
        if !matches!(self.store, Store::Memory(_)) {
            let mut memory = Memory::new((self.lead + self.capacity).next_multiple_of(BLOCK_ALIGNMENT));
            if self.length > 0 {
                memory.bytes_mut()[self.lead..self.lead + self.length].copy_from_slice(self.bytes());
                memory.pristine = false;
                self.broken = self.is_broken();
            }
            self.store = Store::Memory(memory);
        }
        match &mut self.store {
            Store::Memory(memory) => memory,
            Store::Nothing | Store::Window(_) => unreachable!("it was given memory above"),
        }
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let store = match self.store {
            Store::Nothing => "nothing",
            Store::Memory(_) => "memory",
            Store::Window(_) => "window",
        };
        write!(f, "Block({store}, {} of {} bytes)", self.length, self.capacity)
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

    #[test]
    fn a_block_for_windows_gets_memory_when_it_is_asked_for_room() {
        let mut block = Block::window(1);
        assert!(block.bytes().is_empty() && block.is_window() && !block.is_broken());
        assert_eq!(block.capacity(), 4096);
        block.room()[..3].copy_from_slice(b"abc");
        block.advance(3);
        assert_eq!(block.bytes(), b"abc");
    }

    #[test]
    fn zeros_are_zeros_whatever_was_there() {
        let mut block = Block::new(4096);
        block.zero(10);
        block.room().fill(7);
        block.advance(10);
        block.zero(10);
        block.advance(10);
        assert_eq!(block.bytes(), [[7; 10], [0; 10]].concat());
    }
}
