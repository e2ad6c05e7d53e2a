//! What was done, and what is left to do: counts by part, and the table at the end.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use clap::ValueEnum;

/// What is tortured in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(super) enum Part {
    /// Commands are killed at random moments, and two audit at once.
    Kills,
    /// The power is cut under the catalogue.
    Cuts,
    /// Disks run full.
    Space,
    /// Files and directories cannot be read.
    Errors,
    /// Bits turn under the file system.
    Flips,
    /// Bits turn in the image of a file system of the kernel.
    Image,
    /// The clock jumps.
    Clocks,
}

impl Part {
    pub(super) const ALL: [Self; 7] =
        [Self::Kills, Self::Cuts, Self::Space, Self::Errors, Self::Flips, Self::Image, Self::Clocks];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Kills => "kills",
            Self::Cuts => "power cuts",
            Self::Space => "full disks",
            Self::Errors => "read errors",
            Self::Flips => "flipped bits",
            Self::Image => "flipped bits, ext4",
            Self::Clocks => "clock jumps",
        }
    }

    /// Of the time that all have, how much it gets beside the others.
    pub(super) fn share(self) -> u32 {
        match self {
            Self::Kills | Self::Cuts => 4,
            Self::Space => 3,
            _ => 1,
        }
    }
}

/// How a turn of a part ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// There may be more.
    Done,
    /// All was tried that there is.
    Over,
    /// It cannot be done here, for want of this.
    Needs(&'static str),
}

/// Counts by part.
#[derive(Debug, Default)]
pub(super) struct Tally {
    parts: BTreeMap<Part, Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    turns: u64,
    took: Duration,
    hits: u64,
    counts: BTreeMap<String, u64>,
    end: Option<Turn>,
}

impl Tally {
    /// Counts what the part is about.
    pub(super) fn hit(&mut self, part: Part, what: &str) {
        self.parts.entry(part).or_default().hits += 1;
        self.note(part, what, 1);
    }

    /// Counts what else is worth reporting.
    pub(super) fn note(&mut self, part: Part, what: &str, number: u64) {
        *self.parts.entry(part).or_default().counts.entry(what.to_owned()).or_default() += number;
    }

    pub(super) fn hits(&self, part: Part) -> u64 {
        self.parts.get(&part).map_or(0, |counts| counts.hits)
    }

    pub(super) fn turns(&self, part: Part) -> u64 {
        self.parts.get(&part).map_or(0, |counts| counts.turns)
    }

    /// A turn has ended.
    pub(super) fn ended(&mut self, part: Part, turn: Turn, took: Duration) {
        let counts = self.parts.entry(part).or_default();
        counts.turns += 1;
        counts.took += took;
        counts.end = (turn != Turn::Done).then_some(turn);
    }

    /// Whether a part has nothing more to do, or cannot do it here.
    pub(super) fn is_over(&self, part: Part) -> bool {
        self.parts.get(&part).is_some_and(|counts| counts.end.is_some())
    }

    /// How much of its share of the time a part has had.
    pub(super) fn had(&self, part: Part) -> Duration {
        self.parts.get(&part).map_or(Duration::ZERO, |counts| counts.took) / part.share()
    }

    /// What parts could not be done for want of, each once.
    pub(super) fn needed(&self) -> Vec<&'static str> {
        let ends = self.parts.values().filter_map(|counts| match counts.end {
            Some(Turn::Needs(what)) => Some(what),
            _ => None,
        });
        let mut needed: Vec<_> = ends.collect();
        needed.sort_unstable();
        needed.dedup();
        needed
    }

    /// All of it as a table.
    pub(super) fn table(&self) -> String {
        let mut table = String::new();
        for part in Part::ALL {
            let Some(counts) = self.parts.get(&part) else { continue };
            let skipped = match counts.end {
                Some(Turn::Needs(what)) => format!("  skipped: needs {what}"),
                _ => String::new(),
            };
            let (title, hits, turns) = (part.title(), counts.hits, counts.turns);
            let seconds = counts.took.as_secs_f64();
            // Writing to a string does not fail.
            let _ = writeln!(table, "{title:<20} {hits:>7}  in {turns} turns, {seconds:.1} s{skipped}");
            for (what, number) in &counts.counts {
                let _ = writeln!(table, "{:<20} {number:>7}  {what}", "");
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_had_its_share_by_what_it_is_to_get() {
        let mut tally = Tally::default();
        tally.ended(Part::Kills, Turn::Done, Duration::from_secs(8));
        tally.ended(Part::Flips, Turn::Done, Duration::from_secs(8));
        assert_eq!(tally.had(Part::Kills), Duration::from_secs(2));
        assert_eq!(tally.had(Part::Flips), Duration::from_secs(8));
        assert_eq!(tally.had(Part::Cuts), Duration::ZERO);
    }

    #[test]
    fn what_cannot_be_done_is_over_and_is_said_once() {
        let mut tally = Tally::default();
        for part in [Part::Errors, Part::Flips] {
            tally.ended(part, Turn::Needs("FUSE"), Duration::ZERO);
        }
        assert!(tally.is_over(Part::Errors) && !tally.is_over(Part::Kills));
        assert_eq!(tally.needed(), ["FUSE"]);
        tally.hit(Part::Kills, "audits");
        tally.note(Part::Kills, "refused", 3);
        assert_eq!(tally.hits(Part::Kills), 1);
        assert!(tally.table().contains("      3  refused"), "{}", tally.table());
        assert!(tally.table().contains("skipped: needs FUSE"));
    }
}
