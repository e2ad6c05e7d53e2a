//! Designs: what a compression function does with a block, written once for all widths.

mod blake2b;
mod keccak;
mod md4;
mod md5;
mod sha1;
mod sha2;
mod sm3;

pub(crate) use blake2b::{Blake2b, IV as BLAKE2B_IV};
pub(crate) use keccak::{Sha3_256, Sha3_512};
pub(crate) use md4::Md4;
pub(crate) use md5::Md5;
#[cfg(target_arch = "aarch64")]
pub(crate) use sha1::K as SHA1_K;
pub(crate) use sha1::Sha1;
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
pub(crate) use sha2::{SHA256_K, SHA512_K};
pub(crate) use sha2::{Sha256, Sha512};
pub(crate) use sm3::Sm3;

use crate::vector::{Block, Vector};

/// What a design computes with.
pub(crate) trait Word: Copy + Default + Send + Sync + 'static {
    /// Writes it at the start of `bytes`, as much of it as there is room for.
    fn write(self, bytes: &mut [u8], big_endian: bool);

    /// Reads it from as many little-endian bytes as it has. `None` if they are more or less.
    fn read(bytes: &[u8]) -> Option<Self>;
}

macro_rules! word {
    ($word:ident) => {
        impl Word for $word {
            fn write(self, bytes: &mut [u8], big_endian: bool) {
                let own = if big_endian { self.to_be_bytes() } else { self.to_le_bytes() };
                bytes.iter_mut().zip(own).for_each(|(byte, own)| *byte = own);
            }

            fn read(bytes: &[u8]) -> Option<Self> {
                Some(Self::from_le_bytes(bytes.try_into().ok()?))
            }
        }
    };
}
word!(u32);
word!(u64);

/// A compression function, chaining words and a block of the message in, chaining words out, and how a message ends.
///
/// What is given is the way of MD4 and its descendants; the others say how they differ.
pub(crate) trait Design: Send + Sync + 'static {
    /// What it computes with: `u32` or `u64`.
    type Word: Word;

    /// Chaining words. The first of them become the digest.
    const WORDS: usize;

    /// Chaining words that have to be saved. Those behind them are set by [`Design::reopen`].
    const SAVED_WORDS: usize = Self::WORDS;

    /// Bytes of a block.
    const BLOCK_BYTES: usize = 16 * size_of::<Self::Word>();

    /// Whether the first byte of a word is the one on top, in the message and in the digest.
    const BIG_ENDIAN: bool;

    /// Whether the last block is taken in unlike the others, a full one too. Then the end of a message is held back, as
    /// much as a block of it, until it is known whether more follows.
    const LAST_DIFFERS: bool = false;

    /// The constants that are added in its rounds.
    type Constants: 'static;
    const CONSTANTS: &'static Self::Constants;

    /// Takes in a block of every lane. The constants are [`Design::CONSTANTS`], from where a compiler cannot see them: what
    /// it knows to be constant it adds last, and that is what the next operation waits for.
    fn compress<V: Vector<Word = Self::Word>>(
        state: &mut [V; MAX_WORDS],
        block: Block<V>,
        constants: &Self::Constants,
    );

    /// Pads a message of `length` bytes whose last `begun` ones lie at the start of `tail`, which has room for two blocks.
    /// Returns the number of blocks.
    ///
    /// Here: a one, zeros, and the number of bits in the last eighth of a block.
    fn pad(tail: &mut [u8], begun: usize, length: u64) -> usize {
        let block = Self::BLOCK_BYTES;
        let blocks = (begun + 1 + block / 8).div_ceil(block);
        let tail = &mut tail[..blocks * block];
        tail[begun] = 0x80;
        tail[begun + 1..].fill(0);
        let bits = u128::from(length) * 8;
        let place = blocks * block - block / 8;
        match (Self::BIG_ENDIAN, block / 8) {
            (true, 8) => tail[place..].copy_from_slice(&(bits as u64).to_be_bytes()),
            (true, _) => tail[place..].copy_from_slice(&bits.to_be_bytes()),
            (false, _) => tail[place..].copy_from_slice(&(bits as u64).to_le_bytes()),
        }
        blocks
    }

    /// Prepares the chaining words of a message of `length` bytes for its last block. Asked for where that one differs.
    fn close(_words: &mut [Self::Word], _length: u64) {}

    /// Sets the words behind [`Design::SAVED_WORDS`], for a message with `taken` bytes compressed so far.
    fn reopen(_words: &mut [Self::Word], _taken: u64) {}
}

/// Up to this many blocks are not worth a schedule of all lanes, which has as many operations as two or three of one lane.
#[cfg(target_arch = "x86_64")]
pub(crate) const FEW: usize = 3;

/// A design of rounds that take the words of a schedule, and nothing else of the block. The schedules of several blocks of one
/// message can then be computed side by side, before the rounds of the first.
#[cfg(target_arch = "x86_64")]
pub(crate) trait Scheduled: Design {
    /// Computes what each round adds, constant included. Rounds that it does not have it leaves alone.
    fn schedule<V: Vector<Word = Self::Word>, const LANES: usize>(
        block: Block<V>,
        constants: &Self::Constants,
        words: &mut [[Self::Word; LANES]; MAX_ROUNDS],
    );

    /// Takes in the block in `lane` of what was computed.
    fn rounds<V: Vector<Word = Self::Word>, const LANES: usize>(
        state: &mut [V; MAX_WORDS],
        words: &[[Self::Word; LANES]; MAX_ROUNDS],
        lane: usize,
    );
}

/// A design of rounds that take the words of the block as they are, each several times. The words can then lie in memory, and
/// those of the next block be brought there meanwhile.
pub(crate) trait Unscheduled: Design {
    /// Takes in the words of a block, with a pause after each quarter of the rounds.
    fn rounds<V: Vector<Word = Self::Word>>(
        state: &mut [V; MAX_WORDS],
        words: &[V; 16],
        constants: &Self::Constants,
        pauses: impl Pause,
    );
}

/// What is done in the pauses of an [`Unscheduled`] design. A closure would do, but it cannot be forced inline: one that is not
/// inlined lacks the instructions of the kernel.
pub(crate) trait Pause {
    /// Called with 0, 1, 2 and 3.
    fn pause(&mut self, number: usize);
}

/// Nothing is done.
impl Pause for () {
    #[inline(always)]
    fn pause(&mut self, _number: usize) {}
}

/// The most rounds that a scheduled design has.
#[cfg(target_arch = "x86_64")]
pub(crate) const MAX_ROUNDS: usize = 80;

/// The most chaining words that a design has. Those with fewer leave the others alone.
pub(crate) const MAX_WORDS: usize = 25;

/// Says a macro with each number from 0 to 15: rounds have to be written out, for their operands to be registers.
macro_rules! sixteen {
    ($say:ident) => {
        $say!(0);
        $say!(1);
        $say!(2);
        $say!(3);
        $say!(4);
        $say!(5);
        $say!(6);
        $say!(7);
        $say!(8);
        $say!(9);
        $say!(10);
        $say!(11);
        $say!(12);
        $say!(13);
        $say!(14);
        $say!(15);
    };
}
pub(crate) use sixteen;
