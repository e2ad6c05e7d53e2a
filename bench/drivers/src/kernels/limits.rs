//! How fast a core could be if its vector ports were busy all the time: what a kernel is held against beside
//! its peers.
//!
//! Owns the operations of each algorithm, counted from its specification, and what a core can do in a cycle.
//! A limit of ports says nothing of latencies: where the chain of one message, or of a few, is what takes
//! long, a kernel stays far below it.

use hashlane_lanes::{Backend, cpu_model};

use super::cells::{Cell, Hash};

/// CPUs whose ports are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Core {
    /// Four vector ports of 256 bits.
    Zen4,
    /// The same four with 512 bits.
    Zen5,
}

impl Core {
    /// The core that this runs on, where it is one of those.
    pub(super) fn here() -> Option<Self> {
        Self::of(&cpu_model()?)
    }

    /// By maker, family and model, as [`cpu_model`] says them. Zen 5 has vectors of 512 bits in servers and
    /// on desktops; mobile ones are left out, as some have half as much.
    fn of(model: &str) -> Option<Self> {
        let mut numbers = model.strip_prefix("AuthenticAMD ")?.split([' ', '-']);
        let (family, model) = (numbers.next()?, numbers.next()?.parse().ok()?);
        match (family, model) {
            ("25", 0x10..=0x1f | 0x60..=0x7f | 0xa0..=0xaf) => Some(Self::Zen4),
            ("26", 0x00..=0x1f | 0x40..=0x4f) => Some(Self::Zen5),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Zen4 => "Zen 4",
            Self::Zen5 => "Zen 5",
        }
    }

    /// Cycles for an operation on 512 bits on any of the ports, and for one that only two of them have:
    /// rotations, shifts and shuffles. Zen 4: measured there. Zen 5: as many ports, twice as wide (AMD,
    /// Software Optimization Guide for the Zen 5 Microarchitecture).
    fn cycles(self) -> (f64, f64) {
        match self {
            Self::Zen4 => (0.5, 1.0),
            Self::Zen5 => (0.25, 0.5),
        }
    }
}

/// Operations on vectors of 512 bits for one block of every lane. Three operands meet in one operation of
/// logic (`vpternlog`), a rotation is one, and additions take words and constants from memory.
struct Operations {
    lanes: usize,
    /// All of them.
    all: u32,
    /// Those that only two ports have.
    shifts: u32,
}

/// Sixteen vectors of 32-bit words, or two times eight of 64-bit ones, turned into lanes: four times sixteen
/// exchanges in pairs, or three. Half of them are unpackings, which three ports have.
const TURN_SHORT: u32 = 64;
const TURN_LONG: u32 = 48;

impl Operations {
    const fn of(algorithm: Hash) -> Self {
        match algorithm {
            // A step: the function, three additions, the rotation, an addition.
            Hash::Md5 => Self::new(16, 64 * 6 + TURN_SHORT + 4, 64 + TURN_SHORT / 2),
            // A round: the function, four additions, two rotations. The schedule: two operations of logic and
            // a rotation. Bytes are swapped.
            Hash::Sha1 => {
                Self::new(16, 80 * 7 + 64 * 3 + TURN_SHORT + 16 + 5, 80 * 2 + 64 + TURN_SHORT / 2 + 16)
            }
            // A round: two sums of three rotations each, two functions, seven additions. The schedule: two of
            // three shifts, three additions.
            Hash::Sha256 => {
                Self::new(16, 64 * 17 + 48 * 11 + TURN_SHORT + 16 + 8, 64 * 6 + 48 * 6 + TURN_SHORT / 2 + 16)
            }
            Hash::Sha512 => {
                Self::new(8, 80 * 17 + 64 * 11 + TURN_LONG + 16 + 8, 80 * 6 + 64 * 6 + TURN_LONG / 2 + 16)
            }
            // A round: the parities of five columns, each turned once, mixed into 25 lanes; 24 turned, five
            // rows, a constant. A block is 17 of 25 lanes.
            Hash::Sha3 => {
                Self::new(8, 24 * (10 + 5 + 25 + 24 + 25 + 1) + TURN_LONG + 17, 24 * 29 + TURN_LONG / 2)
            }
            // A round: six rotations, two of them and an operation of logic make the permutation; two
            // functions, eight additions, two exclusive ors. The schedule: four rotations, three operations
            // of logic.
            Hash::Sm3 => {
                Self::new(16, 64 * 19 + 52 * 7 + TURN_SHORT + 16 + 8, 64 * 6 + 52 * 4 + TURN_SHORT / 2 + 16)
            }
            // A mixing: six additions, four exclusive ors, four rotations.
            Hash::Blake2b => Self::new(8, 12 * 8 * 14 + TURN_LONG + 8, 12 * 8 * 4 + TURN_LONG / 2),
        }
    }

    const fn new(lanes: usize, all: u32, shifts: u32) -> Self {
        Self { lanes, all, shifts }
    }

    /// For one block of every lane.
    fn cycles(&self, core: Core) -> f64 {
        let (any, shift) = core.cycles();
        (f64::from(self.all) * any).max(f64::from(self.shifts) * shift)
    }
}

/// Cycles for the blocks of one message side by side with those of others, or of one alone.
enum Limit {
    /// All ports busy.
    Ports { lanes: usize, cycles: f64 },
    /// One message by the SHA extensions: the rounds wait for each other.
    Chain { cycles: f64 },
}

/// The limit of a kernel. None where it is not known: kernels of half the width and of a few messages wait
/// for their chains.
fn limit(core: Core, algorithm: Hash, (backend, lanes): (Backend, usize)) -> Option<Limit> {
    // On Zen 4. A block has 32 sha256rnds2 of 4 cycles, as measured, or 20 sha1rnds4 of 6: what one message
    // was seen to take, 123 cycles a block, leaves no other whole number.
    const SHA256_CHAIN: f64 = 32.0 * 4.0;
    const SHA1_CHAIN: f64 = 20.0 * 6.0;
    match (core, algorithm, backend, lanes) {
        (Core::Zen4, Hash::Sha256, Backend::ShaNi, 1) => Some(Limit::Chain { cycles: SHA256_CHAIN }),
        (Core::Zen4, Hash::Sha1, Backend::ShaNi, 1) => Some(Limit::Chain { cycles: SHA1_CHAIN }),
        // Of sixteen blocks: the schedule and its turning, two halves each, and 32 double rounds of each
        // block.
        (Core::Zen4, Hash::Sha256, Backend::ShaNiAvx512, _) => {
            let shifts = 2 * (48 * 6 + TURN_SHORT / 2 + 16) + 16 * 32;
            Some(Limit::Ports { lanes: 16, cycles: f64::from(shifts) / 2.0 })
        }
        (_, _, Backend::Avx512, _) => {
            let operations = Operations::of(algorithm);
            let whole = lanes.is_multiple_of(operations.lanes);
            whole.then(|| Limit::Ports { lanes: operations.lanes, cycles: operations.cycles(core) })
        }
        _ => None,
    }
}

/// The fewest cycles that a core could take for a cell by a kernel, where that is known: if all its lanes are
/// taken.
pub(super) fn fewest_cycles(core: Core, cell: &Cell, kernel: (Backend, usize)) -> Option<f64> {
    let full = cell.messages.is_multiple_of(kernel.1);
    let blocks = (cell.messages * cell.algorithm.blocks(cell.size_bytes)) as f64;
    limit(core, cell.algorithm, kernel).filter(|_| full).map(|limit| match limit {
        Limit::Ports { lanes, cycles } => blocks / lanes as f64 * cycles,
        Limit::Chain { cycles } => blocks * cycles,
    })
}

#[cfg(test)]
mod tests {
    use super::super::cells::Placing;
    use super::*;

    #[test]
    fn cores_are_known_by_their_models() {
        assert_eq!(Core::of("AuthenticAMD 25-17-1 AMD EPYC 9R14"), Some(Core::Zen4));
        assert_eq!(Core::of("AuthenticAMD 25-97-2 AMD Ryzen 9 7950X"), Some(Core::Zen4));
        assert_eq!(Core::of("AuthenticAMD 25-1-1 AMD EPYC 7763"), None, "Zen 3");
        assert_eq!(Core::of("AuthenticAMD 26-2-1 AMD EPYC"), Some(Core::Zen5));
        assert_eq!(Core::of("AuthenticAMD 26-36-0 AMD Ryzen AI 9"), None, "half the width");
        assert_eq!(Core::of("GenuineIntel 6-207-2 Intel Xeon"), None);
    }

    #[test]
    fn limits_are_those_that_were_counted_by_hand() {
        let of_a_kibibyte = |algorithm: Hash| Operations::of(algorithm).cycles(Core::Zen4);
        assert_eq!(of_a_kibibyte(Hash::Md5), 226.0);
        assert_eq!(of_a_kibibyte(Hash::Sha1), 418.5);
        assert_eq!(of_a_kibibyte(Hash::Sha256), 852.0);
        assert_eq!(of_a_kibibyte(Hash::Sha512), 1068.0);
        assert_eq!(of_a_kibibyte(Hash::Sm3), 834.0);
        assert_eq!(of_a_kibibyte(Hash::Blake2b), 700.0);
        // Of eight blocks of 136 bytes.
        assert_eq!(of_a_kibibyte(Hash::Sha3), 1112.5);
    }

    #[test]
    fn only_full_kernels_have_a_limit() {
        let placing = Placing::Staggered;
        let cell = |messages| Cell { algorithm: Hash::Sha256, messages, size_bytes: 16384, placing };
        let eight = (Backend::ShaNiAvx512, 8);
        // 257 blocks of each of eight messages, sixteen at a time.
        assert_eq!(fewest_cycles(Core::Zen4, &cell(8), eight), Some(257.0 / 2.0 * 592.0));
        assert_eq!(fewest_cycles(Core::Zen4, &cell(20), eight), None);
        assert_eq!(fewest_cycles(Core::Zen5, &cell(8), eight), None);
        assert_eq!(fewest_cycles(Core::Zen4, &cell(1), (Backend::ShaNi, 1)), Some(257.0 * 128.0));
        assert_eq!(fewest_cycles(Core::Zen4, &cell(8), (Backend::Avx512, 8)), None, "half the width");
    }
}
