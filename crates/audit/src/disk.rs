//! An audit of more files than memory has room for: known files and inputs lie in temporary files, in the order of their
//! names.
//!
//! Names are matched by a merge of the two. What is left over is matched by content: rows are sorted by digest, and those of
//! one digest are judged by the code that judges an audit in memory. Every verdict comes at the end.
//!
//! Invariants:
//! 1. Verdicts are those of an audit in memory.
//! 2. All known files with a digest have one of the same algorithm, by which contents are brought together.
//! 3. Memory is bounded, but for files of equal content: these are in memory while they are judged.

mod contents;
mod findings;
mod inputs;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use hashlane_digest::Digest;
use hashlane_record::{Dispute, Outcome};

use crate::algorithms::{Algorithms, NONE_PLACED, Placed, Shape};
use crate::contradiction::contradiction;
use crate::counters::Counters;
use crate::diff::row::{Row, Rows, spooled};
use crate::diff::{Error, Merge};
use crate::empty::Empty;
use crate::entry::{Draft, Entry};
use crate::file::{Content, Seen};
use crate::judge::{Comparison, Rules};
use crate::records::Records;
use crate::state::State;
use crate::tables::{Tables, Which};
use crate::verdict::Verdict;
use hashlane_sort::{Sorter, Spool};

pub(crate) use findings::OnDiskFindings;

use inputs::{Inputs, Mark};

/// An audit on disk.
pub(crate) struct OnDisk {
    place: SortSpace,
    rules: Rules,
    empty: Empty,
    /// Those of known files, in the order in which they came.
    algorithms: Algorithms,
    /// The numbers of the same among those registered; the first is that which all known files with digests have.
    places: Vec<usize>,
    known: Spool,
    inputs: Mutex<Gathered>,
    pub(crate) counters: Counters,
    /// Inputs whose verdicts were given before, while all was in memory.
    told: u64,
    /// Why no verdict can be given.
    failed: Mutex<Option<Error>>,
}

/// Inputs and names that are set aside.
struct Gathered {
    /// As they come.
    rows: Sorter,
    /// Those that came before somebody asked for names without an input, in order.
    earlier: Vec<Spool>,
}

/// The line of the row of a known file whose records contradict each other, and so hold nothing.
pub(crate) const CONTRADICTED: u64 = 1;

/// Where temporary files are made, and how much memory a sort takes in bytes.
#[derive(Clone, Debug)]
pub(crate) struct SortSpace {
    pub(crate) directory: PathBuf,
    pub(crate) memory: usize,
}

/// What is there at a name.
pub(crate) struct Name<'a> {
    known: Option<&'a Row>,
    /// The input that counts.
    input: Option<&'a Row>,
    /// The name is set aside, and has no input.
    aside: Option<Verdict>,
}

impl SortSpace {
    pub(crate) fn sorter(&self) -> Sorter {
        Sorter::new(self.memory, self.directory.clone())
    }

    fn spool(&self, rows: impl Rows) -> Result<Spool, Error> {
        spooled(&self.directory, rows)
    }
}

impl Name<'_> {
    fn path(&self) -> &[u8] {
        self.known.or(self.input).map_or(b"", Row::name)
    }

    /// It is known, has no input and is not set aside.
    fn is_gone(&self) -> bool {
        matches!(self, Name { known: Some(_), input: None, aside: None })
    }

    /// It is not known, and has an input that was read.
    fn is_unnamed(&self) -> bool {
        self.known.is_none() && self.input.is_some_and(|input| Mark::of(input) == Mark::Read)
    }

    /// The verdict on an input at its place, or on one without content; nothing if it was given before.
    fn verdict(&self, rules: Rules) -> Option<Verdict> {
        let input = self.input?;
        let mark = Mark::of(input);
        match mark {
            Mark::Unread(verdict) => return Some(verdict),
            Mark::Told { .. } => return None,
            Mark::Read | Mark::Disputed { .. } | Mark::Aside(_) => {}
        }
        let seen = input.entry();
        let comparison =
            Comparison::of_entry(&self.known?.entry(), seen.size, seen.modified, seen.numbered());
        Some(comparison.verdict_on(mark.dispute(seen.size).map_or(Outcome::Read, Outcome::Disputed), rules))
    }

    /// How the store of the input disputes its content.
    fn dispute(&self) -> Option<Dispute> {
        self.input.and_then(|input| Mark::of(input).dispute(input.entry().size))
    }
}

impl OnDisk {
    /// `known`: each name once, in order.
    pub(crate) fn new(
        place: SortSpace,
        options: crate::options::Options,
        (algorithms, places): (Algorithms, Vec<usize>),
        known: Spool,
        counters: Counters,
    ) -> Self {
        Self {
            rules: options.rules,
            empty: Empty::new(options.ignore_empty_content, Algorithms::registered().as_slice()),
            algorithms,
            places,
            known,
            inputs: Mutex::new(Gathered { rows: place.sorter(), earlier: Vec::new() }),
            counters,
            told: 0,
            failed: Mutex::new(None),
            place,
        }
    }

    pub(crate) fn algorithms(&self) -> &Algorithms {
        &self.algorithms
    }

    pub(crate) fn see(&mut self, seen: &Seen<'_>) {
        if self.has_failed() {
            return;
        }
        self.counters.inputs += 1;
        let (mark, digests) = match seen.reading.content() {
            Ok((digests, Outcome::Disputed(Dispute { is_read_twice, .. }))) => {
                (Mark::Disputed { is_read_twice }, self.placed(digests))
            }
            Ok((digests, _)) => (Mark::Read, self.placed(digests)),
            Err(verdict) => (Mark::Unread(verdict), NONE_PLACED),
        };
        self.push(mark, &Draft { size: seen.size, modified: seen.modified, digests, name: seen.path });
    }

    pub(crate) fn set_aside(&mut self, path: &[u8], verdict: Verdict) {
        self.push(Mark::Aside(verdict), &Draft::of_name(path));
    }

    /// Goes on with an audit that was in memory: what became of known files and inputs so far.
    pub(crate) fn take_over(&mut self, tables: &Tables, unmatched: &HashSet<Vec<u8>>) {
        let Tables { known, held, .. } = tables;
        let mut waiting = 0;
        let mut row = Row::default();
        for number in 0..held.len() {
            let entry = held.entry(number);
            let (mark, name) = match entry.state {
                State::Judged => (Mark::Told { verified: false }, tables.path(Which::Input(number))),
                _ => (Mark::Read, entry.name),
            };
            waiting += u64::from(mark == Mark::Read);
            fill(&mut row, mark.line(), &entry, name);
            self.push_row(&row);
        }
        for number in known.in_state(0, |state| state != State::Unseen) {
            let mark = match known.state(number) {
                State::Aside(verdict) => Mark::Aside(verdict),
                state => Mark::Told { verified: state == State::Verified },
            };
            let name = known.entry(number).name;
            self.push(mark, &Draft::of_name(name));
        }
        for name in unmatched {
            self.push(Mark::Told { verified: false }, &Draft::of_name(name));
        }
        self.told = self.counters.inputs - waiting;
    }

    fn push(&mut self, mark: Mark, draft: &Draft<'_>) {
        let mut row = Row::default();
        row.fill(mark.line(), draft);
        self.push_row(&row);
    }

    /// Keeps a row. After a failure there will be no verdict, and nothing is kept any more: a sorter that could not write
    /// would sort and write all that it holds again for each row.
    fn push_row(&mut self, row: &Row) {
        let failed = self.failed.get_mut().unwrap_or_else(PoisonError::into_inner);
        if failed.is_some() {
            return;
        }
        let inputs = self.inputs.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = row.push_to(&mut inputs.rows) {
            *failed = Some(error);
            *inputs = Gathered { rows: self.place.sorter(), earlier: Vec::new() };
        }
    }

    /// Whether something went wrong on disk: there will be no verdict.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn fails(&self, error: Error) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.get_or_insert(error);
    }

    /// What is known of the file of a name.
    pub(crate) fn content(&self, path: &[u8]) -> Option<Content> {
        match self.known.find(path) {
            Ok(content) => content.map(|content| {
                let mut row = Row::default();
                row.put(path, &content);
                self.described(&row)
            }),
            Err(error) => {
                self.fails(error.into());
                None
            }
        }
    }

    /// The names of known files without an input that are not set aside, from the first on that comes after a name.
    pub(crate) fn unseen_after<'a>(&'a self, after: &'a [u8]) -> impl Iterator<Item = Vec<u8>> + 'a {
        let failed = |error| self.fails(error);
        let mut names = self.sort_inputs().and_then(|()| self.merge_from(after)).map_err(failed).ok();
        std::iter::from_fn(move || {
            loop {
                let name = next_name(names.as_mut()?).map_err(|error| self.fails(error)).ok()??;
                if let Name { known: Some(known), input: None, aside: None } = name
                    && known.name() > after
                {
                    return Some(known.name().to_vec());
                }
            }
        })
    }

    /// All verdicts.
    pub(crate) fn finish(mut self) -> Result<OnDiskFindings, Error> {
        let failed = self.failed.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = failed.take() {
            return Err(error);
        }
        self.sort_inputs()?;
        let results = contents::match_contents(&self)?;
        OnDiskFindings::new(self, results)
    }

    /// Digests by the number of their algorithm among those registered, of those that known files have.
    fn placed<'a>(&self, digests: &'a [Digest]) -> Placed<'a> {
        let mut placed = Algorithms::registered().placed(digests);
        for (place, digest) in placed.iter_mut().enumerate() {
            digest.take_if(|_| !self.places.contains(&place));
        }
        placed
    }

    /// Sorts what came since.
    fn sort_inputs(&self) -> Result<(), Error> {
        let mut inputs = self.inputs.lock().unwrap_or_else(PoisonError::into_inner);
        if !inputs.rows.is_empty() {
            let rows = std::mem::replace(&mut inputs.rows, self.place.sorter());
            inputs.earlier.push(self.place.spool(rows.finish()?)?);
            self.compact(&mut inputs.earlier)?;
        }
        Ok(())
    }

    /// Merges the last files into one, so that each has at least twice the bytes of the one after it: there are few of them, and
    /// no row is written again often.
    fn compact(&self, spools: &mut Vec<Spool>) -> Result<(), Error> {
        let (mut from, mut bytes) = (spools.len(), 0);
        while let Some(before) =
            from.checked_sub(1).filter(|&before| spools[before].bytes() < 2 * bytes || bytes == 0)
        {
            bytes += spools[before].bytes();
            from = before;
        }
        if spools.len() - from > 1 {
            let merged = self.place.spool(Spool::merged(&spools[from..], b"")?)?;
            spools.truncate(from);
            spools.push(merged);
        }
        Ok(())
    }

    /// Known files and inputs, name by name.
    fn merge(&self) -> Result<Merge<impl Rows + use<>, Inputs>, Error> {
        self.merge_from(b"")
    }

    /// The same from a name on, with some that come before it.
    fn merge_from(&self, name: &[u8]) -> Result<Merge<impl Rows + use<>, Inputs>, Error> {
        let inputs = self.inputs.lock().unwrap_or_else(PoisonError::into_inner);
        let known = Spool::merged(std::slice::from_ref(&self.known), name)?;
        Merge::new(known, Inputs::new(&inputs.earlier, name)?)
    }

    /// Goes through all names, in order.
    fn each_name(&self, mut each: impl FnMut(&Name<'_>) -> Result<(), Error>) -> Result<(), Error> {
        let mut names = self.merge()?;
        while let Some(name) = next_name(&mut names)? {
            each(&name)?;
        }
        Ok(())
    }

    /// Size, time and digests of a row, in the order of the algorithms of known files.
    fn described(&self, row: &Row) -> Content {
        let mut content = Content::of(&row.entry());
        content.digests.sort_by_key(|digest| self.algorithms.place(digest.algorithm()));
        content
    }
}

/// The next name; names that are set aside and not known are passed over.
fn next_name<L: Rows>(names: &mut Merge<L, Inputs>) -> Result<Option<Name<'_>>, Error> {
    let Some(pair) = names.next()? else { return Ok(None) };
    let (known, input) = pair.rows();
    Ok(Some(match input.map(|row| (Mark::of(row), row)) {
        Some((Mark::Aside(verdict), _)) => Name { known, input: None, aside: Some(verdict) },
        other => Name { known, input: other.map(|(_, row)| row), aside: None },
    }))
}

/// Fills in the row of an entry, whatever the numbers of its algorithms.
pub(crate) fn fill(row: &mut Row, line: u64, entry: &Entry<'_>, name: &[u8]) {
    let digests = entry.digests();
    let digests = Algorithms::registered_with(&digests).placed(&digests);
    row.fill(line, &Draft { digests, name, ..entry.draft() });
}

/// Writes known files that are in memory, in order, to disk; with the algorithms that all with digests have.
pub(crate) fn write(place: &SortSpace, records: &Records) -> Result<(Spool, Shapes), Error> {
    struct Entries<'a>(&'a Records, u32);

    impl Rows for Entries<'_> {
        fn next(&mut self, row: &mut Row) -> Result<bool, Error> {
            let Self(records, number) = self;
            if *number == records.len() {
                return Ok(false);
            }
            let entry = records.entry(*number);
            fill(row, 0, &entry, entry.name);
            *number += 1;
            Ok(true)
        }
    }

    let contradiction = &mut |_: &[u8], _| {};
    let mut files = Files::new(Entries(records, 0), contradiction)?;
    let known = place.spool(&mut files)?;
    Ok((known, files.shapes))
}

/// Brings known files into order, each name once, and what its records say in one. `contradiction` hears of each record that
/// contradicts those before it.
pub(crate) fn settle(
    place: &SortSpace,
    rows: Sorter,
    counters: &mut Counters,
    mut contradiction: impl FnMut(&[u8], crate::Error),
) -> Result<(Spool, Shapes), Error> {
    let mut files = Files::new(rows.finish()?, &mut contradiction)?;
    let known = place.spool(&mut files)?;
    counters.knowns = files.counts.0;
    counters.merged += files.counts.1;
    counters.repeated += files.counts.2;
    counters.conflicting += files.counts.3;
    Ok((known, files.shapes))
}

/// The algorithms that all files with digests have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shapes {
    pub(crate) common: Shape,
}

impl Shapes {
    /// The algorithms that any record has, and their numbers among those registered: first that which all files with digests
    /// have. `None` if there is none of these.
    pub(crate) fn algorithms(self, all: &Algorithms) -> Option<(Algorithms, Vec<usize>)> {
        let place_of = |&algorithm: &_| Algorithms::registered().place(algorithm);
        let mut places: Vec<usize> = all.as_slice().iter().filter_map(place_of).collect();
        if !places.is_empty() {
            let primary = places.iter().position(|&place| self.common.has(place))?;
            places.swap(0, primary);
        }
        Some((all.clone(), places))
    }
}

/// Rows of known files, those of equal name as one.
struct Files<'a, R> {
    rows: R,
    ahead: Row,
    has_ahead: bool,
    contradiction: &'a mut dyn FnMut(&[u8], crate::Error),
    /// Names, and rows that were merged, repeated or contradictory.
    counts: (u64, u64, u64, u64),
    shapes: Shapes,
}

impl<'a, R: Rows> Files<'a, R> {
    fn new(mut rows: R, contradiction: &'a mut dyn FnMut(&[u8], crate::Error)) -> Result<Self, Error> {
        let mut ahead = Row::default();
        let has_ahead = rows.next(&mut ahead)?;
        let shapes = Shapes { common: Shape::ALL_DIGESTS };
        Ok(Self { rows, ahead, has_ahead, contradiction, counts: (0, 0, 0, 0), shapes })
    }
}

impl<R: Rows> Rows for Files<'_, R> {
    fn next(&mut self, row: &mut Row) -> Result<bool, Error> {
        if !self.has_ahead {
            return Ok(false);
        }
        std::mem::swap(row, &mut self.ahead);
        self.counts.0 += 1;
        let mut is_contradicted = row.line() == CONTRADICTED;
        loop {
            self.has_ahead = self.rows.next(&mut self.ahead)?;
            if !self.has_ahead || self.ahead.name() != row.name() {
                break;
            }
            is_contradicted |= self.ahead.line() == CONTRADICTED;
            if is_contradicted {
                self.counts.2 += 1;
                continue;
            }
            let more = self.ahead.entry();
            if let Err(error) = contradiction(&row.entry(), more.size, more.numbered()) {
                is_contradicted = true;
                self.counts.3 += 1;
                (self.contradiction)(row.name(), error);
            } else if row.add(&self.ahead) {
                self.counts.1 += 1;
            } else {
                self.counts.2 += 1;
            }
        }
        if is_contradicted {
            let name = row.name().to_vec();
            row.fill(CONTRADICTED, &Draft::of_name(&name));
        }
        let digests = row.entry().shape.digests();
        if digests.0 != 0 {
            self.shapes.common.0 &= digests.0;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{KnownFile, Reading};
    use crate::testing::digest;

    #[test]
    fn whoever_asks_often_finds_few_files() {
        let mut known = Sorter::new(0, std::env::temp_dir());
        let mut row = Row::default();
        let digests = [digest("md5", "x")];
        let name = |number: usize| format!("{number:05}").into_bytes();
        let rounds = 500;
        for number in 0..=rounds {
            let path = &*name(number);
            row.set(
                0,
                crate::diff::RowKind::File,
                &KnownFile { path, size: None, modified: None, digests: &digests },
            );
            known.push(row.pair()).unwrap();
        }
        let place = SortSpace { directory: std::env::temp_dir(), memory: 0 };
        let mut counters = Counters::default();
        let (known, shapes) = settle(&place, known, &mut counters, |_, _| {}).unwrap();
        let algorithms = shapes.algorithms(Algorithms::registered()).unwrap();
        let mut audit = OnDisk::new(place, crate::options::Options::default(), algorithms, known, counters);
        for round in 0..rounds {
            // The first reading of a name counts, in whatever file it is.
            let path = name(round * 7 % rounds);
            for reading in [Reading::Read(&digests), Reading::Unreadable] {
                audit.see(&Seen { path: &path, size: None, modified: None, reading });
                assert_eq!(audit.unseen_after(b"00499x").next(), Some(b"00500".to_vec()));
            }
            let files = audit.inputs.get_mut().unwrap().earlier.len();
            assert!(files <= 11, "{files} files after {round} rounds");
        }
        let counters = audit.finish().unwrap().counters;
        assert_eq!((counters.of(Verdict::Ok), counters.of(Verdict::DuplicateLost)), (rounds as u64, 1));
        assert_eq!(counters.seen_again, rounds as u64);
    }
}
