//! What is measured: algorithms, numbers of messages, sizes, and where messages begin in memory.

use std::fmt;
use std::ops::Range;

use clap::ValueEnum;
use hashlane_lanes::Algorithm;
use serde::Serialize;

use crate::peers::random::Random;

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// Bytes of a page.
const PAGE: usize = 4096;

/// Sizes from which on the bars of peers bind: below, what is around the kernels counts as much as they do.
pub(super) const LONG: usize = 4096;

/// The algorithms that have bars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Hash {
    Md5,
    Sha1,
    Sha256,
    Sha512,
    #[value(name = "sha3-256")]
    #[serde(rename = "sha3-256")]
    Sha3,
    Sm3,
    Blake2b,
}

impl Hash {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Md5 => "md5",
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
            Self::Sha512 => "sha512",
            Self::Sha3 => "sha3-256",
            Self::Sm3 => "sm3",
            Self::Blake2b => "blake2b",
        }
    }

    /// As the kernels call it.
    pub(super) fn lanes(self) -> Algorithm {
        match self {
            Self::Md5 => Algorithm::Md5,
            Self::Sha1 => Algorithm::Sha1,
            Self::Sha256 => Algorithm::Sha256,
            Self::Sha512 => Algorithm::Sha512,
            Self::Sha3 => Algorithm::Sha3_256,
            Self::Sm3 => Algorithm::Sm3,
            Self::Blake2b => Algorithm::Blake2b,
        }
    }

    /// The blocks that a message of `bytes` bytes takes, padding included.
    pub(super) fn blocks(self, bytes: usize) -> usize {
        match self {
            Self::Md5 | Self::Sha1 | Self::Sha256 | Self::Sm3 => (bytes + 9).div_ceil(64),
            Self::Sha512 => (bytes + 17).div_ceil(128),
            Self::Sha3 => (bytes + 1).div_ceil(136),
            Self::Blake2b => bytes.div_ceil(128).max(1),
        }
    }
}

/// Where messages begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Placing {
    /// Each at another line of its page, as in the blocks of a batch
    Staggered,
    /// All at the start of a page: what the lanes read at one time competes for one set of the cache
    OnePageOffset,
}

impl Placing {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Staggered => "staggered",
            Self::OnePageOffset => "one page offset",
        }
    }

    /// From the start of a message to that of the next.
    fn step(self, bytes: usize) -> usize {
        match self {
            // An odd number of lines: of 64 messages no two begin at the same line of a page. More than the
            // message has, so that the prefetcher for one does not fetch the next.
            Self::Staggered => ((bytes.div_ceil(LINE) | 1) + 4) * LINE,
            Self::OnePageOffset => bytes.next_multiple_of(PAGE),
        }
    }
}

/// One combination.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Cell {
    pub(super) algorithm: Hash,
    /// How many messages.
    pub(super) messages: usize,
    /// The size of each.
    pub(super) size_bytes: usize,
    pub(super) placing: Placing,
}

impl Cell {
    /// Of all messages.
    pub(super) fn bytes(&self) -> usize {
        self.messages * self.size_bytes
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { algorithm, messages, size_bytes, placing } = self;
        write!(f, "{} {messages} x {}, {}", algorithm.name(), shown(*size_bytes), placing.name())
    }
}

/// A size as people say it.
pub(super) fn shown(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        _ if bytes.is_multiple_of(1024) => format!("{} KiB", bytes / 1024),
        _ => format!("{bytes} B"),
    }
}

/// The messages of a cell.
pub(super) struct Messages {
    memory: Vec<u8>,
    places: Vec<Range<usize>>,
}

impl Messages {
    /// Random bytes, the same for the same seed.
    pub(super) fn new(cell: &Cell, seed: u64) -> Self {
        let step = cell.placing.step(cell.size_bytes);
        let mut memory = vec![0; cell.messages * step + PAGE];
        Random::new(seed).fill(&mut memory);
        let first = memory.as_ptr().align_offset(PAGE);
        let places = (0..cell.messages).map(|message| first + message * step);
        let places = places.map(|start| start..start + cell.size_bytes).collect();
        Self { memory, places }
    }

    pub(super) fn slices(&self) -> Vec<&[u8]> {
        self.places.iter().map(|place| &self.memory[place.clone()]).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn offsets(placing: Placing, size_bytes: usize) -> Vec<usize> {
        let cell = Cell { algorithm: Hash::Md5, messages: 48, size_bytes, placing };
        let messages = Messages::new(&cell, 1);
        let slices = messages.slices();
        assert!(slices.iter().all(|message| message.len() == size_bytes));
        assert!(slices.windows(2).all(|pair| pair[0].as_ptr_range().end <= pair[1].as_ptr()));
        slices.iter().map(|message| message.as_ptr() as usize % PAGE).collect()
    }

    #[test]
    fn staggered_messages_all_begin_at_another_line_of_a_page() {
        for size_bytes in [64, 256, 4096, 16384, 65536] {
            let offsets = offsets(Placing::Staggered, size_bytes);
            assert!(offsets.iter().all(|offset| offset % LINE == 0));
            assert_eq!(offsets.iter().collect::<BTreeSet<_>>().len(), 48, "{size_bytes}");
        }
    }

    #[test]
    fn messages_at_one_page_offset_all_begin_where_a_page_does() {
        for size_bytes in [64, 4096, 65536] {
            assert_eq!(offsets(Placing::OnePageOffset, size_bytes), [0; 48]);
        }
    }

    #[test]
    fn blocks_are_counted_with_their_padding() {
        let blocks = |algorithm: Hash| [0, 55, 64, 111, 128, 136].map(|bytes| algorithm.blocks(bytes));
        assert_eq!(blocks(Hash::Sha256), [1, 1, 2, 2, 3, 3]);
        assert_eq!(blocks(Hash::Sha512), [1, 1, 1, 1, 2, 2]);
        assert_eq!(blocks(Hash::Sha3), [1, 1, 1, 1, 1, 2]);
        assert_eq!(blocks(Hash::Blake2b), [1, 1, 1, 1, 1, 2]);
    }
}
