//! A slice of a listing: which of the things that are listed a run reads.
//!
//! Several machines share a tree by listing it each, and reading a slice each. Slices are next to each other in the order of the listing
//! and cost about the same. A [`Survey`] of the listing finds them; a run counts what it lists and takes its own. Nothing is kept for
//! each thing: the survey has marks at places that are as far apart as memory asks for, and slices begin and end at marks.
//!
//! A place says nothing where the listing has changed since. So marks hold a checksum of all names before them, and a run that comes
//! to the end of its slice by other names fails.

use std::ops::Range;

use hashlane_digest::{Algorithm, Digest, Hasher};
use hashlane_record::Trail;

/// Marks that are kept, at most. A slice is as exact as the distance between two of them.
const MOST_MARKS: usize = 1 << 16;

/// What a thing costs besides its bytes, as bytes that take as long to read and digest. A round figure: a file of the page cache costs
/// less, an object of a store more (docs/decisions/0044).
const COST_BYTES: u64 = 64 << 10;

/// Which things of a listing a run takes. It ends behind the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Their places in the listing, from 0.
    pub places: Range<u64>,
    /// The checksum of all names before them.
    pub before: Trail,
    /// The checksum of all names up to their last.
    pub through: Trail,
}

/// All that is listed, as far as it takes to split it.
#[derive(Debug)]
pub struct Survey {
    here: Mark,
    marks: Vec<Mark>,
    /// Places between two marks.
    spacing: u64,
    names_and_sizes: Hasher,
}

/// What a listing, or a slice of it, holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Things that are to be read.
    pub things: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The checksum of the names of all things that are to be read before them.
    pub before: Trail,
    /// The checksum of those names and theirs.
    pub through: Trail,
}

/// All that lies before a place.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    place: u64,
    amount: Amount,
    trail: Trail,
}

impl Mark {
    fn cost(&self) -> u128 {
        u128::from(self.amount.bytes) + u128::from(self.amount.things) * u128::from(COST_BYTES)
    }
}

impl Default for Survey {
    fn default() -> Self {
        Self::new()
    }
}

impl Survey {
    /// That of an empty listing.
    pub fn new() -> Self {
        let names_and_sizes = Algorithm::BLAKE3.hasher();
        Self { here: Mark::default(), marks: Vec::new(), spacing: 1, names_and_sizes }
    }

    /// Takes the next thing that is listed: its name, and its size in bytes, if it is to be read. What is listed and passed over has
    /// a place as well. What cannot be looked at counts, with no bytes: somebody has to say so.
    pub fn add(&mut self, name: &[u8], size_bytes: Option<u64>) {
        if self.here.place.is_multiple_of(self.spacing) {
            if self.marks.len() == MOST_MARKS {
                let mut is_even = false;
                self.marks.retain(|_| {
                    is_even = !is_even;
                    is_even
                });
                self.spacing *= 2;
            }
            if self.here.place.is_multiple_of(self.spacing) {
                self.marks.push(self.here);
            }
        }
        self.here.place += 1;
        self.here.trail.pass(name);
        if let Some(bytes) = size_bytes {
            self.here.amount.things += 1;
            self.here.amount.bytes = self.here.amount.bytes.saturating_add(bytes);
            self.here.amount.through.pass(name);
        }
        self.names_and_sizes.update(&(name.len() as u64).to_le_bytes());
        self.names_and_sizes.update(name);
        match size_bytes {
            Some(bytes) => self.names_and_sizes.update(&[&[1], &bytes.to_le_bytes()[..]].concat()),
            None => self.names_and_sizes.update(&[0]),
        }
    }

    /// All that is to be read.
    pub fn amount(&self) -> Amount {
        self.here.amount
    }

    /// The BLAKE3 digest of all names and sizes: two listings that are split alike have the same one.
    pub fn digest(&mut self) -> Digest {
        self.names_and_sizes.finish()
    }

    /// Slice `index` (from 0) of `count`, and what it holds. Some are empty where there are fewer things than slices.
    pub fn slice(&self, index: u32, count: u32) -> (Slice, Amount) {
        let (begin, end) = (self.border(index, count), self.border(index + 1, count));
        let slice = Slice { places: begin.place..end.place, before: begin.trail, through: end.trail };
        let amount = Amount {
            things: end.amount.things - begin.amount.things,
            bytes: end.amount.bytes - begin.amount.bytes,
            before: begin.amount.through,
            through: end.amount.through,
        };
        (slice, amount)
    }

    /// The mark nearest to where slice `index` of `count` should begin.
    fn border(&self, index: u32, count: u32) -> &Mark {
        if index >= count {
            return &self.here;
        }
        let wanted = self.here.cost() * u128::from(index) / u128::from(count);
        let after = self.marks.partition_point(|mark| mark.cost() < wanted);
        let after_mark = self.marks.get(after).unwrap_or(&self.here);
        match after.checked_sub(1).map(|before| &self.marks[before]) {
            Some(before) if wanted - before.cost() < after_mark.cost() - wanted => before,
            _ => after_mark,
        }
    }
}

/// How far a listing has come towards a slice.
#[derive(Debug)]
pub(crate) struct Progress {
    slice: Slice,
    place: u64,
    trail: Trail,
    is_other: bool,
}

/// What becomes of a thing that is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Before,
    Taken,
    /// It lies behind, or the listing is another one.
    Over,
}

impl Progress {
    pub(crate) fn new(slice: Slice) -> Self {
        Self { slice, place: 0, trail: Trail::default(), is_other: false }
    }

    /// Takes the next thing that is listed.
    pub(crate) fn next(&mut self, name: &[u8]) -> Turn {
        if self.is_over() {
            return Turn::Over;
        }
        if self.place == self.slice.places.start && self.trail != self.slice.before {
            self.is_other = true;
            return Turn::Over;
        }
        self.place += 1;
        self.trail.pass(name);
        if self.place > self.slice.places.start { Turn::Taken } else { Turn::Before }
    }

    /// Whether nothing is to come any more.
    pub(crate) fn is_over(&self) -> bool {
        self.is_other || self.slice.places.is_empty() || self.place >= self.slice.places.end
    }

    /// Whether what was listed is what was to be listed, now that it is over.
    pub(crate) fn is_as_surveyed(&self) -> bool {
        self.slice.places.is_empty()
            || !self.is_other && self.place == self.slice.places.end && self.trail == self.slice.through
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(sizes: &[Option<u64>]) -> Survey {
        let mut survey = Survey::new();
        for (place, &size) in sizes.iter().enumerate() {
            survey.add(place.to_string().as_bytes(), size);
        }
        survey
    }

    #[test]
    fn slices_are_next_to_each_other_and_hold_everything() {
        let sizes: Vec<_> =
            (0..1000_u64).map(|place| (place % 7 > 0).then_some(place * place * 100)).collect();
        let survey = survey(&sizes);
        for count in [1, 2, 3, 7, 999, 5000] {
            let (mut place, mut all) = (0, Amount::default());
            for index in 0..count {
                let (slice, amount) = survey.slice(index, count);
                assert_eq!((slice.places.start, amount.before), (place, all.through), "{index} of {count}");
                place = slice.places.end;
                all.things += amount.things;
                all.bytes += amount.bytes;
                all.through = amount.through;
            }
            assert_eq!((place, all), (1000, survey.amount()), "{count}");
        }
    }

    #[test]
    fn slices_cost_about_the_same() {
        let mut survey = Survey::new();
        for place in 0..300_000_u64 {
            survey.add(&place.to_le_bytes(), Some(place % 1000 * 1000));
        }
        assert!(survey.marks.len() <= MOST_MARKS && survey.marks.len() > MOST_MARKS / 4);
        let whole = survey.amount();
        for index in 0..10 {
            let (_, amount) = survey.slice(index, 10);
            let share = amount.bytes as f64 / whole.bytes as f64;
            assert!((share - 0.1).abs() < 0.001, "{index}: {share}");
        }
        // One large thing is more than a slice: others have less, or nothing.
        let mut survey = Survey::new();
        for bytes in [1, 1, 1 << 40, 1, 1] {
            survey.add(b"x", Some(bytes));
        }
        let things: Vec<_> = (0..4).map(|index| survey.slice(index, 4).1.things).collect();
        assert_eq!(things.iter().sum::<u64>(), 5);
        assert!(things.contains(&0), "{things:?}");
    }

    #[test]
    fn a_listing_that_has_changed_is_noticed() {
        let survey = survey(&[Some(1); 100]);
        let (slice, amount) = survey.slice(1, 4);
        let taken = |names: &mut dyn Iterator<Item = String>| {
            let mut progress = Progress::new(slice.clone());
            let turns = names.map(|name| progress.next(name.as_bytes()));
            let taken = turns.filter(|&turn| turn == Turn::Taken).count() as u64;
            (taken, progress.is_as_surveyed())
        };
        let names = || (0..100).map(|place| place.to_string());
        assert_eq!(taken(&mut names()), (amount.things, true));
        // Behind its end anything may be.
        assert_eq!(taken(&mut names().chain(["new".to_owned()])), (amount.things, true));
        assert_eq!(taken(&mut ["new".to_owned()].into_iter().chain(names())), (0, false));
        assert_eq!(taken(&mut names().skip(1)), (0, false));
        assert!(!taken(&mut names().filter(|name| name != "40")).1);
        assert!(!taken(&mut names().take(30)).1);
        assert!(!taken(&mut std::iter::empty()).1);
    }

    #[test]
    fn an_empty_slice_takes_nothing() {
        let survey = survey(&[Some(1)]);
        let empty = (0..3).map(|index| survey.slice(index, 3).0).filter(|slice| slice.places.is_empty());
        let empty: Vec<_> = empty.collect();
        assert_eq!(empty.len(), 2);
        for slice in empty {
            let mut progress = Progress::new(slice);
            assert_eq!(progress.next(b"0"), Turn::Over);
            assert!(progress.is_as_surveyed());
        }
    }

    #[test]
    fn what_is_listed_has_a_digest_of_names_and_sizes() {
        let digest = |sizes: &[Option<u64>]| survey(sizes).digest();
        let one = digest(&[Some(1), None]);
        assert_eq!(one, digest(&[Some(1), None]));
        for other in [&[Some(2), None][..], &[Some(1), Some(0)], &[Some(1)], &[]] {
            assert_ne!(one, digest(other), "{other:?}");
        }
    }
}
