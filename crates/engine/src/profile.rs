//! How a run reads if no engine is named: settings that suit the device of the files.

use hashlane_io::{EngineKind, OpenFile};

/// The ways to read files. The default suits solid-state and unknown devices; settings measured on a device suit it better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// For small files that are not in the page cache.
    pub small: SmallFiles,
    /// For a large file that is not in the page cache.
    pub cold: LargeFiles,
    /// For a large file that is in the page cache, or if that is unknown.
    pub warm: LargeFiles,
    /// The order in which files are begun.
    pub order: ReadOrder,
}

/// How small files are read. Files in the page cache are read at once in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmallFiles {
    /// What waits for the device: `Buffered`, threads; `Uring`, a ring.
    pub engine: EngineKind,
    /// Files waited for at once, by all workers together.
    pub in_flight: usize,
}

/// How the pieces of a large file are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LargeFiles {
    /// `Buffered`, `Direct` or `Mapped`.
    pub engine: EngineKind,
    /// Bytes of a piece.
    pub block_bytes: usize,
    /// Maximum number of pieces of one file read at once.
    pub in_flight: usize,
}

/// How the pieces of a large thing are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LargeWay {
    /// The engine, if it is not that of the worker.
    pub engine: Option<EngineKind>,
    /// Whether pieces are requested in blocks without memory ([`hashlane_io::Block::window`]).
    pub windows: bool,
    /// Bytes of a piece, and how many are read at once. If the digest is a tree, its parts have a length of their own.
    pub pieces: LargeFiles,
}

/// The order in which files are begun. Records are always delivered in the order of the inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadOrder {
    /// The order of the inputs.
    #[default]
    Inputs,
    /// The order on the device, within a window: for rotating disks.
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
    /// For a rotating disk: one reader, files in the order on the disk, each read from end to end.
    pub fn rotational() -> Self {
        let default = Self::default();
        Self {
            small: SmallFiles { in_flight: 1, ..default.small },
            cold: LargeFiles { in_flight: 2, ..default.cold },
            order: ReadOrder::OnDisk,
            ..default
        }
    }

    /// Whether a run can use it: engines that can read such files, and numbers within bounds.
    pub fn is_sound(&self) -> bool {
        let small = matches!(self.small.engine, EngineKind::Buffered | EngineKind::Uring);
        small
            && (1..=SmallFiles::MOST_IN_FLIGHT).contains(&self.small.in_flight)
            && self.cold.is_sound()
            && self.warm.is_sound()
    }

    /// How the pieces of a large file are read.
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
    /// The upper limit, more than any device benefits from.
    pub const MOST_IN_FLIGHT: usize = 1_024;
}

impl LargeFiles {
    /// Bytes of a piece unless a profile sets them: with smaller pieces, waking a reader costs too much; larger ones leave the caches
    /// between reading and digesting (bench/records).
    pub const BLOCK_BYTES: usize = 512 << 10;

    /// The smallest and the largest piece, in bytes.
    pub const BLOCK_BOUNDS: (usize, usize) = (64 << 10, 4 << 20);

    /// The upper limit, more than any device benefits from.
    pub const MOST_IN_FLIGHT: usize = 32;

    /// Maximum bytes of all pieces read at once: they must fit into the memory for large files.
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
