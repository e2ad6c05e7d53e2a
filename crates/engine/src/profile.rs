//! How a run reads, where nobody has named an engine: what suits the device that the files lie on.

use hashlane_io::{EngineKind, OpenFile};

/// The ways in which files are brought. The default suits solid-state and unknown devices; what was measured on a device
/// suits it better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// For small files that the page cache does not hold.
    pub small: SmallFiles,
    /// For a large file that the page cache does not hold.
    pub cold: LargeFiles,
    /// For a large file that the page cache holds, and where that cannot be seen.
    pub warm: LargeFiles,
    /// In which order files are begun.
    pub order: ReadOrder,
}

/// How small files are brought. What is in the page cache is read at once in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmallFiles {
    /// Who waits for the device: `Buffered` by threads, `Uring` by a ring.
    pub engine: EngineKind,
    /// Files that are waited for at once, all workers together.
    pub in_flight: usize,
}

/// How the pieces of a large file are brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LargeFiles {
    /// `Buffered`, `Direct` or `Mapped`.
    pub engine: EngineKind,
    /// Bytes of a piece.
    pub block_bytes: usize,
    /// Pieces of one file that are read at once, at most.
    pub in_flight: usize,
}

/// How the pieces of a large thing are brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LargeWay {
    /// The engine, where it is not that of the worker.
    pub engine: Option<EngineKind>,
    /// Whether pieces are asked for in blocks without memory ([`hashlane_io::Block::window`]).
    pub windows: bool,
    /// Bytes of a piece and how many are read at once. Of a thing whose digest has a tree the parts have a length of their own.
    pub pieces: LargeFiles,
}

/// The order in which files are begun. Records leave in the order of the inputs whatever it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadOrder {
    /// That of the inputs.
    #[default]
    Inputs,
    /// That in which they lie on the device, within a window: for disks that turn.
    OnDisk,
}

/// Small files waited for at once unless a profile says otherwise. With 64 readers 100,000 cold small files take a quarter
/// of the time that one reader takes.
const IN_FLIGHT: usize = 64;

impl Default for Profile {
    fn default() -> Self {
        Self {
            small: SmallFiles { engine: EngineKind::Buffered, in_flight: IN_FLIGHT },
            cold: LargeFiles::default(),
            warm: LargeFiles::default(),
            order: ReadOrder::Inputs,
        }
    }
}

impl Default for LargeFiles {
    fn default() -> Self {
        Self { engine: EngineKind::Buffered, block_bytes: Self::BLOCK_BYTES, in_flight: 8 }
    }
}

impl Profile {
    /// For a disk that turns: one reader, files in the order in which they lie there, each read from end to end.
    pub fn rotational() -> Self {
        let default = Self::default();
        Self {
            small: SmallFiles { in_flight: 1, ..default.small },
            cold: LargeFiles { in_flight: 2, ..default.cold },
            order: ReadOrder::OnDisk,
            ..default
        }
    }

    /// Whether a run can read by it: engines that bring such files, and numbers within bounds.
    pub fn is_sound(&self) -> bool {
        let small = matches!(self.small.engine, EngineKind::Buffered | EngineKind::Uring);
        small
            && (1..=SmallFiles::MOST_IN_FLIGHT).contains(&self.small.in_flight)
            && self.cold.is_sound()
            && self.warm.is_sound()
    }

    /// How the pieces of a large file are brought.
    pub(crate) fn large(&self, file: &OpenFile) -> LargeFiles {
        /// What somebody has looked into is cold all the same.
        const WARM_PART: u64 = 8;
        let size = file.facts().size_bytes;
        match file.resident_bytes() {
            Some(resident) if resident <= size / WARM_PART => self.cold,
            _ => self.warm,
        }
    }
}

impl SmallFiles {
    /// More than any device gains from.
    pub const MOST_IN_FLIGHT: usize = 1_024;
}

impl LargeFiles {
    /// Bytes of a piece unless a profile says otherwise: below, waking a reader shows; above, the pieces between reading and
    /// digesting leave the caches (bench/records).
    pub const BLOCK_BYTES: usize = 512 << 10;

    /// The smallest and the largest piece, in bytes.
    pub const BLOCK_BOUNDS: (usize, usize) = (64 << 10, 4 << 20);

    /// More than any device gains from.
    pub const MOST_IN_FLIGHT: usize = 32;

    /// Bytes of all pieces that are read at once, at most: they have to fit into the memory that large files have.
    pub const MOST_BYTES: usize = 16 << 20;

    fn is_sound(&self) -> bool {
        let (least, most) = Self::BLOCK_BOUNDS;
        matches!(self.engine, EngineKind::Buffered | EngineKind::Direct | EngineKind::Mapped)
            && (least..=most).contains(&self.block_bytes)
            && self.block_bytes.is_power_of_two()
            && (1..=Self::MOST_IN_FLIGHT).contains(&self.in_flight)
            && self.block_bytes * self.in_flight <= Self::MOST_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_in_is_sound_and_nonsense_is_not() {
        let profile = Profile::default();
        assert!(profile.is_sound() && Profile::rotational().is_sound());
        let small = |small| Profile { small, ..profile };
        let cold = |cold| Profile { cold, ..profile };
        for wrong in [
            small(SmallFiles { engine: EngineKind::Null, ..profile.small }),
            small(SmallFiles { in_flight: 0, ..profile.small }),
            small(SmallFiles { in_flight: usize::MAX, ..profile.small }),
            cold(LargeFiles { engine: EngineKind::Null, ..profile.cold }),
            cold(LargeFiles { engine: EngineKind::Uring, ..profile.cold }),
            cold(LargeFiles { block_bytes: 0, ..profile.cold }),
            cold(LargeFiles { block_bytes: 100_000, ..profile.cold }),
            cold(LargeFiles { block_bytes: 1 << 30, ..profile.cold }),
            cold(LargeFiles { in_flight: 0, ..profile.cold }),
            cold(LargeFiles { in_flight: 33, ..profile.cold }),
            cold(LargeFiles { in_flight: 8, block_bytes: 4 << 20, ..profile.cold }),
        ] {
            assert!(!wrong.is_sound(), "{wrong:?}");
        }
    }
}
