//! Sorts rows of any length by name in bounded memory: what does not fit goes to temporary files, run by run.
//!
//! Rows of equal name come out in the order in which they came in.

use std::cmp::Ordering;
use std::path::PathBuf;
use std::sync::Arc;

use crate::diff::error::Error;
use crate::diff::row::{Row, Rows};
use crate::diff::runs::{Run, RunFile, RunReader};
use crate::diff::spool::Spool;
use crate::entry::{push_number, take, take_number};

/// The minimum memory of a sorter, in bytes.
pub const LEAST_MEMORY: usize = 256 << 10;

/// What a row takes besides its bytes: eight bytes of its name, and where it lies.
const PLACE_BYTES: usize = size_of::<Place>();

/// First bytes of a name, from those on that all names have in common, and where the row lies.
type Place = (u64, u64);

/// Takes rows in any order.
pub(crate) struct Sorter {
    memory: usize,
    directory: PathBuf,
    rows: Vec<u8>,
    places: Vec<Place>,
    /// What does not fit, the first level as it was spilled, each further one merged from the one before.
    levels: Vec<Level>,
}

/// Rows in ascending order of their names.
pub struct Sorted(Inner);

enum Inner {
    InMemory { rows: Vec<u8>, places: std::vec::IntoIter<Place> },
    Merged(Merging),
}

struct Level {
    file: RunFile,
    runs: Vec<Run>,
}

/// Several runs as one.
struct Merging {
    files: Vec<Arc<RunFile>>,
    /// Each with the number of its file.
    readers: Vec<(usize, RunReader)>,
    /// A heap of the numbers of those that have a row; on top the one whose row comes first.
    heap: Vec<usize>,
    begun: bool,
}

impl Sorter {
    /// A sorter that takes so many bytes of memory.
    pub(crate) fn new(memory: usize, directory: PathBuf) -> Self {
        let memory = memory.max(LEAST_MEMORY);
        Self { memory, directory, rows: Vec::new(), places: Vec::new(), levels: Vec::new() }
    }

    /// Whether a row would send those before it to a temporary file.
    pub(crate) fn is_full_for(&self, row: &Row) -> bool {
        let needed = self.rows.len() + 20 + row.name().len() + row.content().len();
        !self.places.is_empty() && needed + (self.places.len() + 1) * PLACE_BYTES > self.memory
    }

    /// Whether no row was pushed.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.levels.is_empty()
    }

    pub(crate) fn push(&mut self, row: &Row) -> Result<(), Error> {
        if self.is_full_for(row) {
            self.spill()?;
        }
        self.places.push((0, self.rows.len() as u64));
        push_number(&mut self.rows, row.name().len() as u64);
        push_number(&mut self.rows, row.content().len() as u64);
        self.rows.extend_from_slice(row.name());
        self.rows.extend_from_slice(row.content());
        Ok(())
    }

    /// Drops all rows, which have to be in memory yet.
    pub(crate) fn forget(&mut self) {
        self.rows = Vec::new();
        self.places = Vec::new();
    }

    /// All rows, in order.
    pub(crate) fn finish(mut self) -> Result<Sorted, Error> {
        if self.levels.is_empty() {
            self.sort();
            return Ok(Sorted(Inner::InMemory { rows: self.rows, places: self.places.into_iter() }));
        }
        if !self.places.is_empty() {
            self.spill()?;
        }
        self.rows = Vec::new();
        self.places = Vec::new();
        // Those of higher levels came first.
        let levels = self.levels.into_iter().rev().collect();
        Ok(Sorted(Inner::Merged(Merging::new(levels))))
    }

    fn sort(&mut self) {
        let rows = &self.rows;
        let name = |at: u64| row_at(rows, at).0;
        let Some(&(_, first)) = self.places.first() else { return };
        let first = name(first);
        let common = |at: u64, most: usize| {
            first[..most].iter().zip(name(at)).take_while(|(one, other)| one == other).count()
        };
        let common = self.places.iter().fold(first.len(), |most, &(_, at)| common(at, most));
        for (prefix, at) in &mut self.places {
            *prefix = prefix_of(&name(*at)[common..]);
        }
        self.places.sort_unstable_by(|one, other| {
            let by_name = || name(one.1)[common..].cmp(&name(other.1)[common..]);
            one.0.cmp(&other.0).then_with(by_name).then(one.1.cmp(&other.1))
        });
    }

    /// A level without runs.
    fn level(&self) -> Result<Level, Error> {
        Ok(Level { file: RunFile::new(&self.directory)?.within(self.memory), runs: Vec::new() })
    }

    /// Writes the rows in memory as a run.
    fn spill(&mut self) -> Result<(), Error> {
        self.sort();
        if self.levels.is_empty() {
            self.levels.push(self.level()?);
        }
        let level = &mut self.levels[0];
        let mut writer = level.file.write();
        for &(_, at) in &self.places {
            let (name, content) = row_at(&self.rows, at);
            writer.push(name, content)?;
        }
        level.runs.push(writer.finish()?);
        self.rows.clear();
        self.places.clear();
        self.merge_levels()
    }

    /// Merges the runs of levels that have so many of them that reading all would take too much memory.
    fn merge_levels(&mut self) -> Result<(), Error> {
        let mut lower = 0;
        while self.levels[lower].reading_bytes() > self.memory / 2 && self.levels[lower].runs.len() > 1 {
            // The memory of the rows is that of the blocks now.
            self.rows = Vec::new();
            self.places = Vec::new();
            if lower + 1 == self.levels.len() {
                self.levels.push(self.level()?);
            }
            let empty = self.level()?;
            let (below, above) = self.levels.split_at_mut(lower + 1);
            let full = std::mem::replace(&mut below[lower], empty);
            let mut merging = Merging::new(vec![full]);
            let mut writer = above[0].file.write();
            let mut row = Row::default();
            while merging.next(&mut row)? {
                writer.push(row.name(), row.content())?;
            }
            above[0].runs.push(writer.finish()?);
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

impl Merging {
    /// The runs of levels, earlier rows first.
    fn new(levels: Vec<Level>) -> Self {
        Self::of(levels.into_iter().map(|level| (Arc::new(level.file), level.runs)))
    }

    /// The runs of files, earlier rows first.
    fn of(files: impl Iterator<Item = (Arc<RunFile>, Vec<Run>)>) -> Self {
        let mut merging = Self { files: Vec::new(), readers: Vec::new(), heap: Vec::new(), begun: false };
        for (number, (file, runs)) in files.enumerate() {
            merging.files.push(file);
            merging.readers.extend(runs.into_iter().map(|run| (number, RunReader::new(run))));
        }
        merging
    }

    fn next(&mut self, row: &mut Row) -> Result<bool, Error> {
        if !self.begun {
            self.begun = true;
            for number in 0..self.readers.len() {
                if self.advance(number)? {
                    self.heap.push(number);
                }
            }
            for place in (0..self.heap.len() / 2).rev() {
                self.sift_down(place);
            }
        } else if let Some(&top) = self.heap.first() {
            if !self.advance(top)? {
                self.heap.swap_remove(0);
            }
            self.sift_down(0);
        }
        let Some(&top) = self.heap.first() else { return Ok(false) };
        self.readers[top].1.copy(row);
        Ok(true)
    }

    fn advance(&mut self, number: usize) -> Result<bool, Error> {
        let (file, reader) = &mut self.readers[number];
        reader.advance(&self.files[*file])
    }

    fn order(&self, one: usize, other: usize) -> Ordering {
        let name = |number: usize| self.readers[number].1.name();
        name(one).cmp(name(other)).then(one.cmp(&other))
    }

    fn sift_down(&mut self, mut place: usize) {
        loop {
            let children =
                [2 * place + 1, 2 * place + 2].into_iter().filter(|&child| child < self.heap.len());
            let least = children.min_by(|&one, &other| self.order(self.heap[one], self.heap[other]));
            match least {
                Some(child) if self.order(self.heap[child], self.heap[place]).is_lt() => {
                    self.heap.swap(place, child);
                    place = child;
                }
                _ => return,
            }
        }
    }
}

impl Sorted {
    /// The rows of several files as one; of equal names those of the first file come first.
    pub(crate) fn merged(spools: &[Spool]) -> Self {
        Self::merged_from(spools, b"")
    }

    /// All rows of a name and of those that come after it; and some of those that come before it, as they are read with these.
    pub(crate) fn merged_from(spools: &[Spool], name: &[u8]) -> Self {
        Self(Inner::Merged(Merging::of(spools.iter().map(|spool| spool.parts(name)))))
    }
}

impl Rows for Sorted {
    fn next(&mut self, row: &mut Row) -> Result<bool, Error> {
        match &mut self.0 {
            Inner::InMemory { rows, places } => {
                let Some((_, at)) = places.next() else { return Ok(false) };
                let (name, content) = row_at(rows, at);
                row.put(name, content);
                Ok(true)
            }
            Inner::Merged(merging) => merging.next(row),
        }
    }
}

/// Name and content of the row at a place.
fn row_at(rows: &[u8], at: u64) -> (&[u8], &[u8]) {
    let mut rest = &rows[at as usize..];
    let (name, content) = (take_number(&mut rest) as usize, take_number(&mut rest) as usize);
    let name = take(&mut rest, name);
    (name, take(&mut rest, content))
}

/// Eight bytes as a number that has their order; a name that is shorter comes first.
fn prefix_of(name: &[u8]) -> u64 {
    let mut prefix = [0; 8];
    let length = name.len().min(8);
    prefix[..length].copy_from_slice(&name[..length]);
    u64::from_be_bytes(prefix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt as _;

    use proptest::prelude::*;

    fn row(name: &[u8], content: &[u8]) -> Row {
        let mut row = Row::default();
        row.put(name, content);
        row
    }

    fn sorter(memory: usize) -> Sorter {
        Sorter { memory, ..Sorter::new(0, std::env::temp_dir()) }
    }

    fn drained(mut sorted: Sorted) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut row = Row::default();
        let mut rows = Vec::new();
        while sorted.next(&mut row).unwrap() {
            rows.push((row.name().to_vec(), row.content().to_vec()));
        }
        rows
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn rows_come_out_as_a_stable_sort_has_them(
            rows in proptest::collection::vec((proptest::collection::vec(0_u8..3, 0..6), any::<[u8; 3]>()), 0..300),
            memory in 1_usize..4000,
        ) {
            let mut sorter = sorter(memory);
            for (name, content) in &rows {
                sorter.push(&row(name, content)).unwrap();
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
            sorter.push(&row(&name(number), &[7; 20])).unwrap();
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
            sorter.push(&row(&vec![number; 300_000], b"content")).unwrap();
            assert!(sorter.rows.len() <= 1 << 20);
            assert!(sorter.levels.iter().all(|level| level.reading_bytes() <= 1 << 20));
        }
        let firsts: Vec<_> = drained(sorter.finish().unwrap()).into_iter().map(|(name, _)| name[0]).collect();
        assert!(firsts.into_iter().eq(0..40));
    }

    /// A sorter that has spilled, and a change of its file.
    fn damaged(change: impl FnOnce(&std::fs::File)) -> Error {
        let mut sorter = sorter(10_000);
        for number in 0..1000_u32 {
            sorter.push(&row(&number.to_be_bytes(), b"content")).unwrap();
        }
        change(sorter.levels.last().unwrap().file.file());
        let mut sorted = sorter.finish().unwrap();
        let mut row = Row::default();
        loop {
            match sorted.next(&mut row) {
                Ok(more) => assert!(more, "the damage was not seen"),
                Err(error) => return error,
            }
        }
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
        sorter.push(&row(b"a", b"")).unwrap();
        let error = sorter.push(&row(b"b", b"")).unwrap_err();
        assert!(error.to_string().ends_with("(making a temporary file in /dev/null/none)"), "{error}");
    }
}
