//! The exclusive or of a message's words: the cheapest checksum that touches every byte, for measuring more than for use.
//!
//! The message is read as little-endian words of four bytes, the last one filled up with zeros. The digest is the
//! resulting word, big-endian.

use hashlane_lanes::Midstate;

use crate::state::State;

pub(crate) fn xor32() -> Box<dyn State> {
    Box::new(Xor32 { word: 0, length: 0 })
}

#[derive(Clone)]
struct Xor32 {
    word: u32,
    /// Bytes so far.
    length: u64,
}

impl State for Xor32 {
    fn update(&mut self, bytes: &[u8]) {
        // A byte acts on the byte of the word that its position in the message selects. So the bytes can be folded as if
        // they began a word, and the result turned to where they do begin.
        self.word ^= fold(bytes).rotate_left(8 * (self.length % 4) as u32);
        self.length = self.length.wrapping_add(bytes.len() as u64);
    }

    fn finish_into(&mut self, digest: &mut [u8]) {
        digest.copy_from_slice(&self.word.to_be_bytes());
        self.reset();
    }

    fn reset(&mut self) {
        *self = Self { word: 0, length: 0 };
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }

    fn save(&self) -> Option<Midstate> {
        let chaining = self.word.to_le_bytes().to_vec();
        Some(Midstate { length: self.length, chaining, pending: Vec::new() })
    }

    fn restore(&mut self, saved: &Midstate) -> bool {
        self.reset();
        let Ok(word) = saved.chaining.as_slice().try_into() else { return false };
        if !saved.pending.is_empty() || saved.length > Midstate::MOST_LENGTH {
            return false;
        }
        *self = Self { word: u32::from_le_bytes(word), length: saved.length };
        true
    }
}

/// The exclusive or of the words of `bytes`, the last one filled up with zeros.
fn fold(bytes: &[u8]) -> u32 {
    let (words, tail) = bytes.as_chunks::<4>();
    let word = words.iter().fold(0, |folded, &word| folded ^ u32::from_le_bytes(word));
    let mut last = [0; 4];
    last[..tail.len()].copy_from_slice(tail);
    word ^ u32::from_le_bytes(last)
}
