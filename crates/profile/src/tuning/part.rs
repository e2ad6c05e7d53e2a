//! Kinds of reading, and the ways that are tried for each.

use hashlane_digest::Algorithm;
use hashlane_engine::{LargeFiles, Profile, ReadOrder, SmallFiles};
use hashlane_io::EngineKind;

/// Kinds of reading that are tuned, each by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TunedPart {
    /// A large file that the page cache does not hold.
    ColdLarge,
    /// Small files that the page cache does not hold.
    ColdSmall,
    /// A large file that the page cache holds.
    WarmLarge,
}

impl TunedPart {
    /// All of them, with the share that each has of the time. The rest is for the last comparison.
    pub(super) const ALL: [(Self, f64); 3] =
        [(Self::ColdLarge, 0.3), (Self::ColdSmall, 0.35), (Self::WarmLarge, 0.15)];

    /// As it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::ColdLarge => "large file, cold",
            Self::ColdSmall => "small files, cold",
            Self::WarmLarge => "large file, warm",
        }
    }

    /// What is computed while the ways are compared. Mapping a file reads nothing before somebody looks at it, and takes time
    /// from who digests that copying takes from who reads ahead: warm, only both together show it.
    pub(super) fn computed(self) -> Option<Algorithm> {
        (self == Self::WarmLarge).then_some(Algorithm::SHA256)
    }

    /// The profile `base` with this part of `other`.
    pub(super) fn graft(self, base: Profile, other: &Profile) -> Profile {
        match self {
            Self::ColdLarge => Profile { cold: other.cold, ..base },
            Self::ColdSmall => Profile { small: other.small, order: other.order, ..base },
            Self::WarmLarge => Profile { warm: other.warm, ..base },
        }
    }

    /// The ways to try, the one of `base` first. `turns`: on a disk that may turn the order of the disk is one of them.
    pub(super) fn ways(self, base: Profile, turns: bool, has_rings: bool, cores: usize) -> Vec<Profile> {
        let others: Vec<Profile> = match self {
            Self::ColdLarge => {
                let buffered = large(EngineKind::Buffered, &[128, 512, 2_048], &[1, 4, 8]);
                let direct = large(EngineKind::Direct, &[512, 1_024, 2_048], &[1, 2, 4, 8]);
                buffered.chain(direct).map(|cold| Profile { cold, ..base }).collect()
            }
            Self::WarmLarge => {
                let buffered = large(EngineKind::Buffered, &[128, 256, 512, 1_024, 2_048], &[8]);
                let mapped = large(EngineKind::Mapped, &[512, 1_024, 4_096], &[4]);
                buffered.chain(mapped).map(|warm| Profile { warm, ..base }).collect()
            }
            Self::ColdSmall => small(turns, has_rings, cores)
                .into_iter()
                .map(|(small, order)| Profile { small, order, ..base })
                .collect(),
        };
        let mut distinct = vec![base];
        for way in others {
            if !distinct.contains(&way) {
                distinct.push(way);
            }
        }
        distinct
    }
}

/// Ways to read large files: sizes of blocks in KiB, and how many of them at once.
fn large(engine: EngineKind, blocks: &[usize], depths: &[usize]) -> impl Iterator<Item = LargeFiles> {
    const KIB: usize = 1 << 10;
    blocks.iter().flat_map(move |&block| {
        depths.iter().map(move |&in_flight| LargeFiles { engine, block_bytes: block * KIB, in_flight })
    })
}

/// Ways to read small files.
fn small(turns: bool, has_rings: bool, cores: usize) -> Vec<(SmallFiles, ReadOrder)> {
    let mut ways = Vec::new();
    for engine in [EngineKind::Buffered, EngineKind::Uring] {
        for in_flight in [1, 4, 16, 32, 64, 128] {
            let small = SmallFiles { engine, in_flight };
            // Each worker has a ring of its own, and none of them is shorter than this.
            let rings_are_as_long = has_rings && in_flight >= 8 * cores;
            if engine == EngineKind::Buffered || rings_are_as_long {
                ways.push((small, ReadOrder::Inputs));
            }
            if turns && engine == EngineKind::Buffered && in_flight <= 4 {
                ways.push((small, ReadOrder::OnDisk));
            }
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_is_sound_and_tried_once() {
        for (part, _) in TunedPart::ALL {
            for base in [Profile::default(), Profile::rotational()] {
                let ways = part.ways(base, true, true, 2);
                assert_eq!(ways[0], base);
                for (at, way) in ways.iter().enumerate() {
                    assert!(way.is_sound(), "{way:?}");
                    assert!(!ways[..at].contains(way), "{way:?}");
                    assert_eq!(part.graft(base, way), *way, "it differs in this part only");
                }
                let without_rings = part.ways(base, false, false, 2);
                assert!(without_rings.iter().all(|way| way.small.engine != EngineKind::Uring));
            }
        }
    }
}
