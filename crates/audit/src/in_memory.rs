//! Inputs against known files that are in memory: at once by name, at the end by content.

use std::collections::HashSet;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{Outcome, Timestamp};

use crate::algorithms::NONE_PLACED;
use crate::counters::Counters;
use crate::diff;
use crate::disk::{self, OnDisk, SortSpace};
use crate::empty::Empty;
use crate::entry::Draft;
use crate::file::{Content, Seen};
use crate::finding::NumberedFinding;
use crate::findings::InMemoryFindings;
use crate::judge::Comparison;
use crate::known::Known;
use crate::options::Options;
use crate::records::Records;
use crate::state::State;
use crate::tables::{Tables, Which, judged_name};
use crate::verdict::Verdict;
use crate::{moves, remains};

/// An audit of files that fit into memory.
pub(crate) struct InMemory {
    tables: Tables,
    empty: Empty,
    options: Options,
    counters: Counters,
    /// Names that are set aside and known otherwise spelled, with their verdicts.
    aside: Vec<(Vec<u8>, Verdict)>,
    /// Names that are not known, of inputs that are looked for under no other name: each counts once.
    unmatched: HashSet<Vec<u8>>,
    /// Where it goes to if it takes more memory than that.
    place: Option<SortSpace>,
    /// Why it could not go there.
    failed: Option<diff::Error>,
}

impl InMemory {
    /// An audit of these files. None has been seen.
    pub(crate) fn new(known: Known) -> Self {
        let Known { options, names, mut records, counters, by_name, place, .. } = known;
        drop(by_name);
        records.shrink();
        records.sort_by(|left, right| names.order(left.name, right.name));
        let held = Records::new(records.algorithms.clone());
        let empty = Empty::new(options.ignore_empty_content, records.algorithms.as_slice());
        let tables = Tables { names, known: records, held };
        let (aside, unmatched) = (Vec::new(), HashSet::new());
        Self { tables, empty, options, counters, aside, unmatched, place, failed: None }
    }

    /// Takes in an input. The verdict, if it is final: the name is known as it is spelled, or nothing can be
    /// matched since the file was not read. `None` if it comes with [`InMemory::finish`].
    ///
    /// A name is to be given once. Where it is remembered the first reading counts, and the second has no
    /// verdict.
    ///
    /// # Panics
    /// There are 2^32 inputs, or 1 TiB of their names and digests, to be kept until the end.
    pub(crate) fn see(&mut self, seen: Seen<'_>) -> Option<Verdict> {
        if self.has_failed() {
            return None;
        }
        if let Some(number) = self.tables.find_exact(seen.path) {
            if !self.tables.known.state(number).is_free() {
                self.counters.seen_again += 1;
                return None;
            }
            self.counters.inputs += 1;
            return Some(self.judge(number, seen.size, seen.modified, seen.reading.content()));
        }
        if self.unmatched.contains(seen.path) {
            self.counters.seen_again += 1;
            return None;
        }
        self.counters.inputs += 1;
        let is_alike = self.tables.alike(seen.path).next().is_some();
        let (state, digests) = match seen.reading.content() {
            Ok((digests, outcome)) => (State::of_content(outcome), digests),
            Err(verdict) => (State::Aside(verdict), &[][..]),
        };
        if let Some(verdict) = state.unmatched().filter(|_| !is_alike) {
            self.unmatched.insert(seen.path.to_vec());
            self.counters.input(verdict, false);
            return Some(verdict);
        }
        // Only a name that is known otherwise spelled can make it corrupt, which depends on the time.
        let modified = seen.modified.filter(|_| is_alike);
        let digests = self.tables.held.algorithms.placed(digests);
        hold(&mut self.tables.held, &Draft { size: seen.size, modified, digests, name: seen.path }, state);
        None
    }

    /// The same audit on disk, if it takes more memory than it may. Where the known files do not share an algorithm it stays in
    /// memory, whatever that takes. Where there can be no temporary files it has failed.
    pub(crate) fn outgrown(&mut self) -> Option<OnDisk> {
        let place = self.place.take_if(|place| {
            self.tables.known.memory_bytes() + self.tables.held.memory_bytes() > place.memory
        })?;
        let written = disk::write(&place, &self.tables.known).map_err(|error| self.failed = Some(error));
        let (spool, shapes) = written.ok()?;
        let algorithms = shapes.algorithms(&self.tables.known.algorithms)?;
        let mut on_disk = OnDisk::new(place, self.options, algorithms, spool, self.counters.clone());
        on_disk.take_over(&self.tables, &self.unmatched);
        Some(on_disk)
    }

    /// Whether it takes more memory than it may and could not go to disk: there will be no verdict.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Gives a known file without an input this verdict. Says whether the name is known.
    pub(crate) fn set_aside(&mut self, path: &[u8], verdict: Verdict) -> bool {
        let Some(number) = self.tables.find_exact(path) else {
            let is_alike = self.tables.alike(path).next().is_some();
            if is_alike {
                self.aside.push((path.to_vec(), verdict));
            }
            return is_alike;
        };
        if self.tables.known.state(number) == State::Unseen {
            self.tables.known.set_state(number, State::Aside(verdict));
        }
        true
    }

    /// The names of the known files that have no input so far and are not left out, in their order, from the first that
    /// comes after a name on. They may be there for all that: under a symbolic link, say, that a walk did not follow.
    pub(crate) fn unseen_after(&self, name: &[u8]) -> impl Iterator<Item = &[u8]> {
        let Tables { names, known, .. } = &self.tables;
        let unseen = known.in_state(0, |state| state == State::Unseen).map(|number| known.entry(number).name);
        unseen.skip_while(move |unseen| names.order(unseen, name).is_le())
    }

    /// What is known of the file of a name.
    pub(crate) fn known(&self, path: &[u8]) -> Option<Content> {
        self.tables.find(path).map(|number| Content::of(&self.tables.known.entry(number)))
    }

    /// The number of the known file of a name, from 0 in the order of names. Where case is folded it may be spelled otherwise.
    pub(crate) fn number(&self, path: &[u8]) -> Option<u32> {
        self.tables.find(path)
    }

    /// Name and content of a known file.
    ///
    /// # Panics
    /// No known file has this number.
    pub(crate) fn file(&self, number: u32) -> (&[u8], Content) {
        let entry = self.tables.known.entry(number);
        (entry.name, Content::of(&entry))
    }

    /// The algorithms of all known files.
    pub(crate) fn algorithms(&self) -> &[Algorithm] {
        self.tables.known.algorithms.as_slice()
    }

    /// What was counted so far: verdicts that come at the end are not in it.
    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Memory it takes in bytes, names and digests included.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.tables.known.memory_bytes() + self.tables.held.memory_bytes()
    }

    /// The verdicts that were not final: on inputs whose name is not known, and on known files that were not
    /// seen.
    ///
    /// Inputs are taken in the order of their names. First each gets the known file that is gone, has its
    /// content and has its base name too; then each that has none gets one that is gone and has its content.
    /// Of several it is the one whose name comes first, everywhere. The order is that of bytes, of lower case
    /// where case is folded.
    ///
    /// # Errors
    /// It took more memory than it may, and a temporary file could not be made or written.
    pub(crate) fn finish(mut self) -> Result<InMemoryFindings, diff::Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let repeated = self.tables.sort_held();
        self.counters.inputs -= repeated;
        self.counters.seen_again += repeated;
        let mut found = Vec::new();
        let unnamed = self.judge_folded(&mut found);
        self.set_folded_aside();
        for matched in moves::match_contents(&mut self.tables, &unnamed, &self.empty) {
            self.counters.input(matched.verdict, matched.verdict == Verdict::Moved);
            found.push(matched);
        }
        self.judge_unseen(&mut found);
        Ok(InMemoryFindings::new(self.tables, found, self.counters))
    }

    /// Judges an input by its name, which is that of a known file without an input. `read`: the digests and how they were
    /// read, or the verdict on an input without content.
    fn judge(
        &mut self,
        number: u32,
        size: Option<u64>,
        modified: Option<Timestamp>,
        read: Result<(&[Digest], Outcome), Verdict>,
    ) -> Verdict {
        let Tables { known, held, .. } = &mut self.tables;
        let entry = known.entry(number);
        let (verdict, digests) = match read {
            Ok((digests, outcome)) => {
                let numbered = known.algorithms.numbered(digests);
                let comparison = Comparison::of_entry(&entry, size, modified, numbered);
                // What is disputed is not a content that a file which is gone could remain in.
                let kept = if outcome == Outcome::Read { digests } else { &[] };
                (comparison.verdict_on(outcome, self.options.rules), known.algorithms.placed(kept))
            }
            Err(verdict) => (verdict, NONE_PLACED),
        };
        let listed = |(place, digest): (usize, &Option<_>)| digest.is_none() || entry.shape.has(place);
        let mut state = State::Seen;
        if verdict.is_pass() && digests.iter().enumerate().all(listed) {
            state = State::Verified;
        } else if digests.iter().any(Option::is_some) {
            let name = &judged_name(number);
            let mut draft = Draft { size, modified: None, digests, name };
            if verdict.is_pass() {
                draft.add(&Draft { modified: None, ..entry.draft() });
            }
            hold(held, &draft, State::Judged);
        }
        known.set_state(number, state);
        self.counters.input(verdict, true);
        verdict
    }

    /// Judges the inputs whose name is known otherwise spelled, as long as there are such known files without an input. The
    /// others that waited are left.
    fn judge_folded(&mut self, found: &mut Vec<NumberedFinding>) -> Vec<u32> {
        let waiting: Vec<u32> = self.tables.held.in_state(0, State::waits).collect();
        let mut unnamed = Vec::new();
        let mut left_over = LeftOver::default();
        for input in waiting {
            let entry = self.tables.held.entry(input);
            let Some(number) = left_over.next(&self.tables, entry.name) else {
                unnamed.push(input);
                continue;
            };
            let digests = entry.digests();
            let dispute = entry.state.dispute(entry.size);
            let read = match entry.state {
                State::Aside(verdict) => Err(verdict),
                _ => Ok((&digests[..], dispute.map_or(Outcome::Read, Outcome::Disputed))),
            };
            let verdict = self.judge(number, entry.size, entry.modified, read);
            if dispute.is_none() {
                self.tables.held.set_state(input, State::Settled);
            }
            let (subject, other) = (Which::Input(input), Some(Which::Known(number)));
            found.push(NumberedFinding { verdict, subject, other });
        }
        unnamed
    }

    /// Sets known files aside whose names are set aside in another spelling, one for each name.
    fn set_folded_aside(&mut self) {
        let mut aside = std::mem::take(&mut self.aside);
        aside.sort_by(|(left, _), (right, _)| self.tables.names.order(left, right));
        aside.dedup_by(|(next, _), (kept, _)| next == kept);
        let mut left_over = LeftOver::default();
        for (name, verdict) in &aside {
            let number = left_over.next(&self.tables, name);
            if let Some(number) = number.filter(|&number| self.tables.known.state(number) == State::Unseen) {
                self.tables.known.set_state(number, State::Aside(*verdict));
            }
        }
    }

    /// Judges the known files that were not seen and have not moved.
    fn judge_unseen(&mut self, found: &mut Vec<NumberedFinding>) {
        for (number, other) in remains::find(&self.tables, &self.empty) {
            self.tables.known.set_state(number, State::Remains);
            let verdict = Verdict::DuplicateLost;
            self.counters.known(verdict);
            found.push(NumberedFinding { verdict, subject: Which::Known(number), other: Some(other) });
        }
        // What is missing or was left out is not kept again: it may be everything.
        for number in self.tables.known.in_state(0, State::is_free) {
            self.counters.known(match self.tables.known.state(number) {
                State::Aside(verdict) => verdict,
                _ => Verdict::Missing,
            });
        }
    }
}

/// The known files without an input whose names count as the same as one, to be had one after the other.
#[derive(Default)]
struct LeftOver {
    name: Vec<u8>,
    numbers: std::vec::IntoIter<u32>,
}

impl LeftOver {
    /// The next one that a name may stand for: those that are set aside come last. Names come in order, so that all spellings
    /// of one follow each other.
    fn next(&mut self, tables: &Tables, name: &[u8]) -> Option<u32> {
        if self.name.is_empty() || tables.names.compare(&self.name, name).is_ne() {
            let state = |number: u32| tables.known.state(number);
            let (unseen, others): (Vec<u32>, Vec<u32>) =
                tables.alike(name).partition(|&number| state(number) == State::Unseen);
            let aside = others.into_iter().filter(|&number| state(number).is_free());
            self.numbers = unseen.into_iter().chain(aside).collect::<Vec<_>>().into_iter();
            self.name = name.to_vec();
        }
        self.numbers.next()
    }
}

fn hold(held: &mut Records, draft: &Draft<'_>, state: State) {
    held.push(draft, state).expect("fewer than 2^32 inputs and less than 1 TiB of their names and digests");
}
