//! Sorts pairs in bounded memory: what does not fit goes to temporary files, run by run.

use std::path::PathBuf;

use crate::Pair;
use crate::error::{Error, Result};
use crate::merging::Merging;
use crate::runs::{Run, Runs, pair_at, prefix_of, push_pair};

/// The minimum memory of a sorter, in bytes.
pub const LEAST_MEMORY: usize = 256 << 10;

/// What a pair takes besides its bytes: eight bytes of its key, and where it lies.
const PLACE_BYTES: usize = size_of::<Keyed>();

/// Eight bytes of a key, behind those that all keys have in common, and below them where the pair lies: one number is compared without a
/// branch, and two are not.
type Keyed = u128;

/// How many pairs are asked for at once. In order they lie all over the memory, and the processor would wait for each of them.
const AT_ONCE: usize = 16;

/// Takes pairs in any order.
#[derive(Debug)]
pub struct Sorter {
    memory: usize,
    directory: PathBuf,
    pairs: Vec<u8>,
    places: Vec<Keyed>,
    /// What does not fit, the first level as it was spilled, each further one merged from the one before.
    levels: Vec<Level>,
    /// A temporary file could not be written or read.
    has_failed: bool,
}

/// Pairs in ascending order of their keys, equal ones in the order in which they came.
#[derive(Debug)]
pub struct Sorted(Inner);

#[derive(Debug)]
enum Inner {
    InMemory {
        pairs: Vec<u8>,
        places: Vec<Keyed>,
        next: usize,
    },
    /// The head was handed out, once the first pair was.
    Merged {
        merging: Merging,
        has_begun: bool,
    },
}

#[derive(Debug)]
struct Level {
    file: Runs,
    runs: Vec<Run>,
}

impl Sorter {
    /// A sorter that takes `memory` bytes, and has its files in a directory.
    pub fn new(memory: usize, directory: PathBuf) -> Self {
        let memory = memory.max(LEAST_MEMORY);
        let (pairs, places, levels) = (Vec::new(), Vec::new(), Vec::new());
        Self { memory, directory, pairs, places, levels, has_failed: false }
    }

    /// Whether a pair would send those before it to a temporary file.
    pub fn is_full_for(&self, (key, payload): Pair<'_>) -> bool {
        let needed = self.pairs.len() + 20 + key.len() + payload.len();
        !self.places.is_empty() && needed + (self.places.len() + 1) * PLACE_BYTES > self.memory
    }

    /// Whether no pair was pushed.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.levels.is_empty()
    }

    /// Takes a pair in.
    ///
    /// # Errors
    /// A temporary file cannot be made or written.
    pub fn push(&mut self, (key, payload): Pair<'_>) -> Result<()> {
        if self.is_full_for((key, payload)) {
            self.spill()?;
        }
        let needed = 20 + key.len() + payload.len();
        if self.pairs.capacity() - self.pairs.len() < needed || self.places.len() == self.places.capacity() {
            self.grow(needed);
        }
        self.places.push(self.pairs.len() as Keyed);
        push_pair(&mut self.pairs, (key, payload));
        Ok(())
    }

    /// Makes room for one more pair. A vector that doubles would take more than was given.
    #[cold]
    fn grow(&mut self, needed: usize) {
        let of_pair = self.pairs.len() / self.places.len().max(1) + PLACE_BYTES;
        let most = self.memory / of_pair;
        grow(&mut self.pairs, needed, most * (of_pair - PLACE_BYTES));
        grow(&mut self.places, 1, most);
    }

    /// Drops all pairs, which have to be in memory yet.
    pub fn forget(&mut self) {
        self.pairs = Vec::new();
        self.places = Vec::new();
    }

    /// All pairs, in order.
    ///
    /// # Errors
    /// A temporary file cannot be written or read.
    pub fn finish(mut self) -> Result<Sorted> {
        if self.has_failed {
            return Err(Error::Failed);
        }
        if self.levels.is_empty() {
            self.sort();
            return Ok(Sorted(Inner::InMemory { pairs: self.pairs, places: self.places, next: 0 }));
        }
        if !self.places.is_empty() {
            self.spill()?;
        }
        self.forget();
        // Those of higher levels came first.
        Ok(Sorted::of(merging(self.levels.iter().rev())?))
    }

    fn sort(&mut self) {
        let pairs = &self.pairs;
        let key = |keyed: Keyed| pair_at(pairs, place_of(keyed)).0;
        let Some(&first) = self.places.first() else { return };
        let first = key(first);
        let mut common = first.len();
        for &keyed in &self.places {
            // Mostly there is nothing, and the first few pairs show it.
            if common == 0 {
                break;
            }
            let same = first[..common].iter().zip(key(keyed)).take_while(|(one, other)| one == other);
            common = same.count();
        }
        for keyed in &mut self.places {
            *keyed |= Keyed::from(prefix_of(&key(*keyed)[common..])) << 64;
        }
        // By numbers first: that is a sort without a call for each comparison. Few keys have the same eight bytes.
        self.places.sort_unstable();
        for alike in self.places.chunk_by_mut(|one, other| one >> 64 == other >> 64) {
            if alike.len() > 1 {
                alike.sort_unstable_by(|one, other| {
                    key(*one)[common..].cmp(&key(*other)[common..]).then(one.cmp(other))
                });
            }
        }
    }

    /// A level without runs.
    fn level(&self) -> Result<Level> {
        Ok(Level { file: Runs::new(&self.directory)?.within(self.memory), runs: Vec::new() })
    }

    /// Writes the pairs in memory as a run. One that fails has lost some, and does nothing any more.
    fn spill(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.has_failed, true) {
            return Err(Error::Failed);
        }
        self.spill_all()?;
        self.has_failed = false;
        Ok(())
    }

    fn spill_all(&mut self) -> Result<()> {
        self.sort();
        if self.levels.is_empty() {
            self.levels.push(self.level()?);
        }
        let level = &mut self.levels[0];
        let mut writer = level.file.write();
        for places in self.places.chunks(AT_ONCE) {
            ask_for(&self.pairs, places);
            for &keyed in places {
                writer.push(pair_at(&self.pairs, place_of(keyed)))?;
            }
        }
        level.runs.push(writer.finish()?);
        self.pairs.clear();
        self.places.clear();
        self.merge_levels()
    }

    /// Merges the runs of levels that have so many of them that reading all would take too much memory.
    fn merge_levels(&mut self) -> Result<()> {
        let mut lower = 0;
        while self.levels[lower].reading_bytes() > self.memory / 2 && self.levels[lower].runs.len() > 1 {
            // The memory of the pairs is that of the blocks now.
            self.forget();
            if lower + 1 == self.levels.len() {
                self.levels.push(self.level()?);
            }
            let empty = self.level()?;
            let full = std::mem::replace(&mut self.levels[lower], empty);
            let above = &mut self.levels[lower + 1];
            let mut merging = merging([full].iter())?;
            let mut writer = above.file.write();
            while let Some(pair) = merging.head() {
                writer.push(pair)?;
                merging.advance()?;
            }
            above.runs.push(writer.finish()?);
            lower += 1;
        }
        Ok(())
    }
}

impl Level {
    fn reading_bytes(&self) -> usize {
        self.runs.iter().map(Run::reading_bytes).sum()
    }
}

/// The runs of levels, earlier pairs first.
fn merging<'a>(levels: impl Iterator<Item = &'a Level>) -> Result<Merging> {
    let mut merging = Merging::default();
    for level in levels {
        for run in &level.runs {
            merging.add(level.file.file(), *run)?;
        }
    }
    Ok(merging)
}

impl Sorted {
    pub(crate) fn of(merging: Merging) -> Self {
        Self(Inner::Merged { merging, has_begun: false })
    }

    /// The next pair.
    ///
    /// # Errors
    /// A temporary file cannot be read, or is damaged.
    pub fn next_pair(&mut self) -> Result<Option<Pair<'_>>> {
        match &mut self.0 {
            Inner::InMemory { pairs, places, next } => {
                let Some(&keyed) = places.get(*next) else { return Ok(None) };
                if next.is_multiple_of(AT_ONCE) {
                    ask_for(pairs, &places[*next..places.len().min(*next + AT_ONCE)]);
                }
                *next += 1;
                Ok(Some(pair_at(pairs, place_of(keyed))))
            }
            Inner::Merged { merging, has_begun } => {
                if std::mem::replace(has_begun, true) {
                    merging.advance()?;
                }
                Ok(merging.head())
            }
        }
    }
}

/// Makes room for more, twice as much as there is, but seldom for more than `most` in all.
fn grow<T>(items: &mut Vec<T>, more: usize, most: usize) {
    if items.capacity() - items.len() < more {
        let step = items.len().min(most.saturating_sub(items.len()));
        items.reserve_exact(step.max(items.len() / 16).max(more).max(64));
    }
}

/// Has the processor fetch pairs: loads that do not depend on each other are under way at the same time.
fn ask_for(pairs: &[u8], places: &[Keyed]) {
    std::hint::black_box(places.iter().fold(0, |all, &keyed| all | pairs[place_of(keyed)]));
}

/// Where a pair lies.
fn place_of(keyed: Keyed) -> usize {
    keyed as u64 as usize
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt as _;

    use proptest::prelude::*;

    use super::*;
    use crate::error::Error;

    fn sorter(memory: usize) -> Sorter {
        Sorter { memory, ..Sorter::new(0, std::env::temp_dir()) }
    }

    fn drained(mut sorted: Sorted) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut pairs = Vec::new();
        while let Some((key, payload)) = sorted.next_pair().unwrap() {
            pairs.push((key.to_vec(), payload.to_vec()));
        }
        pairs
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn pairs_come_out_as_a_stable_sort_has_them(
            rows in proptest::collection::vec((proptest::collection::vec(0_u8..3, 0..6), any::<[u8; 3]>()), 0..300),
            memory in 1_usize..4000,
        ) {
            let mut sorter = sorter(memory);
            for (name, content) in &rows {
                sorter.push((name, content)).unwrap();
            }
            let mut expected: Vec<_> = rows.into_iter().map(|(name, content)| (name, content.to_vec())).collect();
            expected.sort_by(|one, other| one.0.cmp(&other.0));
            prop_assert_eq!(drained(sorter.finish().unwrap()), expected);
        }
    }

    #[test]
    fn runs_are_merged_level_by_level_when_there_are_too_many_to_be_read_at_once() {
        let mut sorter = sorter(512 << 10);
        let name = |number: u32| number.wrapping_mul(2_654_435_761).to_be_bytes();
        for number in 0..400_000_u32 {
            sorter.push((&name(number), &[7; 20])).unwrap();
        }
        assert!(sorter.levels.len() > 1);
        assert!(sorter.levels.iter().all(|level| level.reading_bytes() <= sorter.memory));
        let names: Vec<_> = drained(sorter.finish().unwrap()).into_iter().map(|(name, _)| name).collect();
        let mut expected: Vec<_> = (0..400_000).map(|number| name(number).to_vec()).collect();
        expected.sort();
        assert!(names == expected);
    }

    #[test]
    fn long_names_count_as_the_memory_that_they_take() {
        let mut sorter = sorter(1 << 20);
        for number in (0..40_u8).rev() {
            sorter.push((&vec![number; 300_000], b"content")).unwrap();
            assert!(sorter.pairs.len() <= 1 << 20);
            assert!(sorter.levels.iter().all(|level| level.reading_bytes() <= 1 << 20));
        }
        let firsts: Vec<_> = drained(sorter.finish().unwrap()).into_iter().map(|(name, _)| name[0]).collect();
        assert!(firsts.into_iter().eq(0..40));
    }

    /// A sorter that has spilled, and a change of its file.
    fn damaged(change: impl FnOnce(&std::fs::File)) -> Error {
        let mut sorter = sorter(10_000);
        for number in 0..1000_u32 {
            sorter.push((&number.to_be_bytes(), b"content")).unwrap();
        }
        change(sorter.levels.last().unwrap().file.file().file());
        let read = || -> Result<()> {
            let mut sorted = sorter.finish()?;
            while sorted.next_pair()?.is_some() {}
            Ok(())
        };
        read().expect_err("the damage is seen")
    }

    #[test]
    fn a_temporary_file_that_was_changed_is_an_error() {
        for at in [0, 3, 5, 11, 12, 13, 200, 3000] {
            let flip = |file: &std::fs::File| {
                let mut byte = [0];
                file.read_exact_at(&mut byte, at).unwrap();
                file.write_all_at(&[byte[0] ^ 0x10], at).unwrap();
            };
            assert!(matches!(damaged(flip), Error::Damaged { .. }), "byte {at}");
        }
        assert!(matches!(damaged(|file| file.set_len(1000).unwrap()), Error::Damaged { .. }));
    }

    #[test]
    fn a_directory_that_is_not_there_is_an_error_that_names_it() {
        let mut sorter = Sorter { memory: 1, ..Sorter::new(0, "/dev/null/none".into()) };
        sorter.push((b"a", b"")).unwrap();
        let error = sorter.push((b"b", b"")).unwrap_err();
        assert!(error.to_string().ends_with("(making a temporary file in /dev/null/none)"), "{error}");
    }
}
