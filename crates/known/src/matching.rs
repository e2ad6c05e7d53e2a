//! Several indexes that contents are looked up in together, and what of them was met.

use hashlane_digest::{Algorithm, Digest, Security};

use crate::{Error, Found, Index, Judgement};

/// Sets of known contents, and how many contents were found in them.
#[derive(Debug, Default)]
pub struct Matching {
    sets: Vec<KnownSet>,
    algorithms: Vec<Algorithm>,
    /// Contents that were known.
    pub known: u64,
    /// Contents that were not.
    pub unknown: u64,
    /// Contents that have one digest of something known, and another that they should not have with it.
    pub collisions: u64,
}

/// A set that contents are looked up in.
#[derive(Debug)]
struct KnownSet {
    name: String,
    index: Index,
    /// What it is looked up by.
    algorithms: Vec<Algorithm>,
    /// Of each row of the first of these whether it was met; empty where nobody asks.
    met: Vec<u64>,
}

/// A row that a content has the digest of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    /// Its name, if the index has names.
    pub name: Option<Vec<u8>>,
    /// The set that it comes from, as the index calls it.
    pub set: String,
}

/// What the sets say of a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Match {
    /// It is known.
    Known(Met),
    /// It is not.
    Unknown,
    /// It has one digest of something known, and another that it should not have with it.
    Collision {
        /// What is known.
        met: Met,
        /// The algorithm of the digest that it has.
        algorithm: Algorithm,
        /// That of the one that differs.
        other: Algorithm,
    },
}

/// Why a set cannot be asked.
#[derive(Debug)]
pub struct SetError {
    /// The name that it was added by.
    pub set: String,
    /// Why.
    pub error: Error,
}

/// Why it cannot be said of a set what was not met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmarkable {
    /// It has no names.
    NoNames,
    /// It has no algorithm that all its records have.
    NoCommonAlgorithm,
}

impl Matching {
    /// Adds a set; false if it has no digests, and nothing can be looked up in it.
    pub fn add(&mut self, name: String, index: Index) -> bool {
        let algorithms = looked_up_by(&index);
        Algorithm::unite(&mut self.algorithms, algorithms.iter().copied());
        let is_filled = !algorithms.is_empty();
        self.sets.push(KnownSet { name, index, algorithms, met: Vec::new() });
        is_filled
    }

    /// Takes note of what is met from now on.
    ///
    /// # Errors
    /// The name of a set that cannot be marked, and why.
    pub fn mark(&mut self) -> Result<(), (String, Unmarkable)> {
        self.sets.iter_mut().try_for_each(|set| set.mark().map_err(|why| (set.name.clone(), why)))
    }

    /// The algorithms that contents are looked up by.
    pub fn algorithms(&self) -> &[Algorithm] {
        &self.algorithms
    }

    /// The algorithms of what [`Self::each_unseen`] hands out.
    pub fn marked(&self) -> Vec<Algorithm> {
        let mut marked: Vec<_> = self.sets.iter().filter_map(|set| set.algorithms.first().copied()).collect();
        marked.dedup();
        marked
    }

    /// What the sets say of a content with these digests, and counts it. The first set that knows it counts, and a collision more.
    ///
    /// # Errors
    /// An index is damaged, or cannot be read.
    pub fn judge(&mut self, digests: &[Digest]) -> Result<Match, SetError> {
        let mut verdict = Match::Unknown;
        for set in &mut self.sets {
            verdict =
                set.judge(digests, verdict).map_err(|error| SetError { set: set.name.clone(), error })?;
            if let Match::Collision { .. } = verdict {
                break;
            }
        }
        *match verdict {
            Match::Known(_) => &mut self.known,
            Match::Unknown => &mut self.unknown,
            Match::Collision { .. } => &mut self.collisions,
        } += 1;
        Ok(verdict)
    }

    /// Hands out what was not met, by digest and name, since [`Self::mark`].
    ///
    /// # Errors
    /// An index is damaged, or cannot be read; and those of `take`.
    pub fn each_unseen<E>(
        &self,
        damaged: impl Fn(SetError) -> E,
        mut take: impl FnMut(Digest, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.sets.iter().try_for_each(|set| {
            let failed = |error| damaged(SetError { set: set.name.clone(), error });
            set.each_unseen(failed, &mut take)
        })
    }
}

impl KnownSet {
    /// What it says of a content. `before`: what the sets before it said.
    fn judge(&mut self, digests: &[Digest], before: Match) -> Result<Match, Error> {
        Ok(match self.index.judge(digests)? {
            Judgement::Known(found) => {
                self.meet(&found, digests)?;
                if before == Match::Unknown { Match::Known(self.met(&found)?) } else { before }
            }
            Judgement::Collision { found, other } => {
                Match::Collision { met: self.met(&found)?, algorithm: found.algorithm, other }
            }
            Judgement::Unknown | Judgement::NotComparable => before,
        })
    }

    fn met(&self, found: &Found) -> Result<Met, Error> {
        let set = self.index.sets().get(usize::from(found.set)).map_or("?", |set| &set.name);
        Ok(Met { name: self.index.name(found)?, set: set.to_owned() })
    }

    /// Makes room for what is met.
    fn mark(&mut self) -> Result<(), Unmarkable> {
        if !self.index.has_names() {
            return Err(Unmarkable::NoNames);
        }
        let first = self.algorithms.first().and_then(|&algorithm| self.index.table(algorithm));
        let table = first.filter(|table| table.is_complete()).ok_or(Unmarkable::NoCommonAlgorithm)?;
        self.met = vec![0; table.rows().div_ceil(64) as usize];
        Ok(())
    }

    /// Marks what was found as met, in the table that is asked in the end.
    fn meet(&mut self, found: &Found, digests: &[Digest]) -> Result<(), Error> {
        let (Some(&marked), false) = (self.algorithms.first(), self.met.is_empty()) else { return Ok(()) };
        let found = match digests.iter().find(|digest| digest.algorithm() == marked) {
            Some(digest) if found.algorithm != marked => self.index.find(digest)?,
            _ => Some(*found),
        };
        if let Some(found) = found {
            self.met[(found.row / 64) as usize] |= 1 << (found.row % 64);
        }
        Ok(())
    }

    fn each_unseen<E>(
        &self,
        damaged: impl Fn(Error) -> E,
        take: &mut impl FnMut(Digest, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(table) = self.algorithms.first().and_then(|&algorithm| self.index.table(algorithm)) else {
            return Ok(());
        };
        // Of rows with one digest the first is marked.
        let mut group: Option<(Digest, bool)> = None;
        for row in self.index.rows(table) {
            let (digest, found) = row.map_err(&damaged)?;
            let is_met = match &group {
                Some((last, is_met)) if *last == digest => *is_met,
                _ => self.met[(found.row / 64) as usize] >> (found.row % 64) & 1 == 1,
            };
            if !is_met && let Some(name) = self.index.name(&found).map_err(&damaged)? {
                take(digest, &name)?;
            }
            group = Some((digest, is_met));
        }
        Ok(())
    }
}

/// What contents are looked up by: the best algorithm that all records have. One for which contents can be made, all: they
/// then show.
fn looked_up_by(index: &Index) -> Vec<Algorithm> {
    let mut best: Vec<_> =
        index.tables().iter().filter(|table| table.is_complete()).map(|table| table.algorithm()).collect();
    best.sort_by_key(|algorithm| std::cmp::Reverse(algorithm.length()));
    match best.iter().find(|algorithm| algorithm.security() == Security::Strong) {
        Some(&strong) => vec![strong],
        None => {
            let all = index.tables().iter().filter(|table| table.rows() > 0).map(|table| table.algorithm());
            let mut all: Vec<_> = all.collect();
            all.sort_by_key(|algorithm| !best.contains(algorithm));
            all
        }
    }
}
