//! Inputs against known files: at once by name, at the end by content.

use std::fmt;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::Timestamp;

use crate::algorithms::Placed;
use crate::counters::Counters;
use crate::empty::Empty;
use crate::entry::{Draft, Entry};
use crate::findings::{Content, Findings, Found};
use crate::known::Known;
use crate::likeness::Likeness;
use crate::records::{Records, State};
use crate::tables::{Tables, Which, judged_name};
use crate::verdict::Verdict;
use crate::{moves, remains};

/// A file as it is now.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The name.
    pub path: &'a [u8],
    /// Size in bytes, where it is known.
    pub size: Option<u64>,
    /// Time of the last change of the content, where it is known.
    pub modified: Option<Timestamp>,
    /// What came of reading it.
    pub reading: Reading<'a>,
}

/// What came of reading a file.
#[derive(Clone, Copy, Debug)]
pub enum Reading<'a> {
    /// Its digests, one for each algorithm. Those of algorithms that no known file has are not kept.
    Read(&'a [Digest]),
    /// None: it could not be read, or not in one state.
    Unreadable,
}

/// Compares inputs with known files.
pub struct Audit {
    tables: Tables,
    empty: Empty,
    counters: Counters,
}

impl Audit {
    /// An audit of these files, none of which has been seen.
    pub fn new(known: Known) -> Self {
        let Known { options, names, mut records, counters, .. } = known;
        records.shrink();
        records.sort_by(|left, right| names.order(left.name, right.name));
        let held = Records::new(records.algorithms.clone());
        let empty = Empty::new(options.ignore_empty_content, records.algorithms.as_slice());
        Self { tables: Tables { names, known: records, held }, empty, counters }
    }

    /// Takes in an input. The verdict, if it is final: the name is known as it is spelled, or nothing can be matched since
    /// the file could not be read. `None` if it comes with [`Audit::finish`].
    ///
    /// A name is to be given once. Where it is remembered the first reading counts, and the second has no verdict.
    ///
    /// # Panics
    /// There are 2^32 inputs, or 1 TiB of their names and digests, to be kept until the end.
    pub fn see(&mut self, seen: Seen<'_>) -> Option<Verdict> {
        let found = self.tables.find(seen.path);
        let exact = found.filter(|&number| self.tables.known.entry(number).name == seen.path);
        if let Some(number) = exact {
            if !is_free(self.tables.known.state(number)) {
                self.counters.seen_again += 1;
                return None;
            }
            self.counters.inputs += 1;
            return Some(self.judge(number, &seen));
        }
        self.counters.inputs += 1;
        let (state, digests) = match seen.reading {
            Reading::Read(digests) => (State::Waiting, digests),
            Reading::Unreadable if found.is_none() => {
                self.counters.input(Verdict::Unreadable, false);
                return Some(Verdict::Unreadable);
            }
            Reading::Unreadable => (State::WaitingUnreadable, &[][..]),
        };
        // Only a name that is known otherwise spelled can make it corrupt, which depends on the time.
        let modified = seen.modified.filter(|_| found.is_some());
        let digests = self.tables.held.algorithms.placed(digests);
        hold(&mut self.tables.held, &Draft { size: seen.size, modified, digests, name: seen.path }, state);
        None
    }

    /// Leaves a known file out: it is not missing if it is not seen, and no input is called moved from it. An input of its
    /// name is judged nevertheless. Says whether the name is known.
    pub fn leave_out(&mut self, path: &[u8]) -> bool {
        let found = self.tables.find(path);
        if let Some(number) = found.filter(|&number| self.tables.known.state(number) == State::Unseen) {
            self.tables.known.set_state(number, State::LeftOut);
        }
        found.is_some()
    }

    /// What is known of the file of a name.
    pub fn known(&self, path: &[u8]) -> Option<Content> {
        self.tables.find(path).map(|number| Content::of(&self.tables.known.entry(number)))
    }

    /// The algorithms of all known files.
    pub fn algorithms(&self) -> &[Algorithm] {
        self.tables.known.algorithms.as_slice()
    }

    /// What was counted so far: verdicts that come at the end are not in it.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Memory it takes in bytes, names and digests included.
    pub fn memory_bytes(&self) -> usize {
        self.tables.known.memory_bytes() + self.tables.held.memory_bytes()
    }

    /// The verdicts that were not final: on inputs whose name is not known, and on known files that were not seen.
    ///
    /// Inputs are taken in the order of their names. First each gets the known file that is gone, has its content and has
    /// its base name too; then each that has none gets one that is gone and has its content. Of several it is the one whose
    /// name comes first, everywhere. The order is that of bytes, of lower case where case is folded.
    pub fn finish(mut self) -> Findings {
        let repeated = self.tables.sort_held();
        self.counters.inputs -= repeated;
        self.counters.seen_again += repeated;
        let mut found = Vec::new();
        let unnamed = self.judge_folded(&mut found);
        for matched in moves::match_contents(&mut self.tables, &unnamed, &self.empty) {
            self.counters.input(matched.verdict, matched.verdict == Verdict::Moved);
            found.push(matched);
        }
        self.judge_unseen(&mut found);
        self.counters.excluded = self.tables.known.in_state(&[State::LeftOut]).count() as u64;
        Findings::new(self.tables, found, self.counters)
    }

    /// Judges an input by its name, which is that of a known file without an input.
    fn judge(&mut self, number: u32, seen: &Seen<'_>) -> Verdict {
        let Tables { known, held, .. } = &mut self.tables;
        let entry = known.entry(number);
        let digests = match seen.reading {
            Reading::Read(digests) => Some(known.algorithms.placed(digests)),
            Reading::Unreadable => None,
        };
        let verdict = digests.map_or(Verdict::Unreadable, |digests| by_name(&entry, seen, &digests));
        let digests = digests.unwrap_or_default();
        let listed = |(place, digest): (usize, &Option<_>)| digest.is_none() || entry.shape.has(place);
        let mut state = State::Seen;
        if verdict == Verdict::Ok && digests.iter().enumerate().all(listed) {
            state = State::Verified;
        } else if digests.iter().any(Option::is_some) {
            let name = &judged_name(number);
            let mut draft = Draft { size: seen.size, modified: None, digests, name };
            if verdict == Verdict::Ok {
                draft.add(&Draft { modified: None, ..entry.draft() });
            }
            hold(held, &draft, State::Judged);
        }
        known.set_state(number, state);
        self.counters.input(verdict, true);
        verdict
    }

    /// Judges the inputs whose name is known otherwise spelled, if it has no input. The others that waited are left.
    fn judge_folded(&mut self, found: &mut Vec<Found>) -> Vec<u32> {
        let waiting: Vec<u32> =
            self.tables.held.in_state(&[State::Waiting, State::WaitingUnreadable]).collect();
        let mut unnamed = Vec::new();
        for input in waiting {
            let entry = self.tables.held.entry(input);
            let number = self.tables.find(entry.name);
            let is_free = |&number: &u32| is_free(self.tables.known.state(number));
            let Some(number) = number.filter(is_free) else {
                unnamed.push(input);
                continue;
            };
            let digests = entry.digests();
            let reading = match entry.state {
                State::WaitingUnreadable => Reading::Unreadable,
                _ => Reading::Read(&digests),
            };
            let seen = Seen { path: b"", size: entry.size, modified: entry.modified, reading };
            let verdict = self.judge(number, &seen);
            self.tables.held.set_state(input, State::Settled);
            let (subject, other) = (Which::Input(input), Some(Which::Known(number)));
            found.push(Found { verdict, subject, other });
        }
        unnamed
    }

    /// Judges the known files that were not seen and have not moved.
    fn judge_unseen(&mut self, found: &mut Vec<Found>) {
        let unseen: Vec<u32> = self.tables.known.in_state(&[State::Unseen]).collect();
        let remains = remains::find(&self.tables, &unseen, &self.empty);
        for (number, other) in unseen.into_iter().zip(remains) {
            let verdict = if other.is_some() { Verdict::DuplicateLost } else { Verdict::Missing };
            self.counters.known(verdict);
            found.push(Found { verdict, subject: Which::Known(number), other });
        }
    }
}

impl fmt::Debug for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Audit").field("counters", &self.counters).finish_non_exhaustive()
    }
}

/// Whether a known file in this state can get an input.
fn is_free(state: State) -> bool {
    matches!(state, State::Unseen | State::LeftOut)
}

fn hold(held: &mut Records, draft: &Draft<'_>, state: State) {
    held.push(draft, state).expect("fewer than 2^32 inputs and less than 1 TiB of their names and digests");
}

fn by_name(entry: &Entry<'_>, seen: &Seen<'_>, digests: &Placed<'_>) -> Verdict {
    let digests = digests.iter().enumerate().filter_map(|(place, digest)| Some((place, (*digest)?)));
    match Likeness::of(entry, seen.size, digests) {
        Likeness::Same => Verdict::Ok,
        Likeness::Collision => Verdict::Collision,
        Likeness::Different if is_untouched(entry, seen) => Verdict::Corrupt,
        Likeness::Different => Verdict::Changed,
        Likeness::SameSize => Verdict::SizeOnly,
        Likeness::Unknown => Verdict::Unverified,
    }
}

fn is_untouched(entry: &Entry<'_>, seen: &Seen<'_>) -> bool {
    entry.size.is_some()
        && entry.modified.is_some()
        && (entry.size, entry.modified) == (seen.size, seen.modified)
}
