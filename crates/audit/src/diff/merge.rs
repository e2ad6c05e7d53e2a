//! Compares two sides, name by name.

use std::cmp::Ordering;
use std::fmt;

use hashlane_record::{Dispute, Outcome};

use crate::diff::error::Error;
use crate::diff::row::{Row, RowKind, Rows};
use crate::diff::side::{Conflict, Side, SideCounts};
use crate::file::Content;
use crate::judge::{Comparison, Rules};
use crate::verdict::Verdict;

/// How a name differs between the left side and the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Difference {
    /// Nothing, as far as is known: all shared digests and the size are equal, and there is a shared digest.
    Same,
    /// The content.
    Changed,
    /// The content, and nothing says that it was written: the times are the same in some form, and the right side is not longer. Or a store
    /// disputes one of the contents, two readings have brought it, and neither time nor size says that it was written.
    Corrupt,
    /// Some shared digests are equal, but another one or the size is not.
    Collision,
    /// It is on the right side only.
    New,
    /// It is on the left side only.
    Missing,
    /// One of the sides contradicts itself.
    Conflict,
    /// Undecidable: it could not be read, or it may be in a directory that could not be read.
    Unreadable,
    /// Undecidable: the sizes are equal, and no digest is shared.
    SizeOnly,
    /// Undecidable: there is nothing to compare.
    Unverified,
    /// One of the sides leaves it out on purpose, so its absence means nothing. Only a caller knows this, and recounts the name.
    Excluded,
    /// Nobody can tell: it changed while it was read.
    Unstable,
}

/// A name, and how it differs.
#[derive(Debug)]
pub struct Pair<'a> {
    /// What differs.
    pub difference: Difference,
    left: Option<&'a Row>,
    right: Option<&'a Row>,
    /// The rows of the left side that contradict each other.
    pub left_conflict: Option<&'a Conflict>,
    /// The rows of the right side that contradict each other.
    pub right_conflict: Option<&'a Conflict>,
}

/// The number of names of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Of the left side.
    pub left: SideCounts,
    /// Of the right side.
    pub right: SideCounts,
    /// Names that both sides have.
    pub on_both: u64,
    of: [u64; Difference::ALL.len()],
}

/// Compares two sides whose rows are in order.
pub struct Merge<L, R> {
    left: Side<L>,
    right: Side<R>,
    /// Which side is at a name that was reported already.
    told: (bool, bool),
    /// Names that begin so may be on the side, and nobody can tell.
    left_unsearched: Vec<u8>,
    right_unsearched: Vec<u8>,
    on_both: u64,
    of: [u64; Difference::ALL.len()],
}

impl Difference {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Same,
        Self::Changed,
        Self::Corrupt,
        Self::Collision,
        Self::New,
        Self::Missing,
        Self::Conflict,
        Self::Unreadable,
        Self::SizeOnly,
        Self::Unverified,
        Self::Excluded,
        Self::Unstable,
    ];

    /// Its name, lower case with hyphens: `size-only`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Changed => "changed",
            Self::Corrupt => "corrupt",
            Self::Collision => "collision",
            Self::New => "new",
            Self::Missing => "missing",
            Self::Conflict => "conflict",
            Self::Unreadable => "unreadable",
            Self::SizeOnly => "size-only",
            Self::Unverified => "unverified",
            Self::Excluded => "excluded",
            Self::Unstable => "unstable",
        }
    }

    /// What it says of a file where the left side is what is known of it.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Same => Verdict::Ok,
            Self::Excluded => Verdict::Excluded,
            Self::New => Verdict::New,
            Self::Missing => Verdict::Missing,
            // Two lines of one list.
            Self::Collision | Self::Conflict => Verdict::Collision,
            Self::Changed => Verdict::Changed,
            Self::Corrupt => Verdict::Corrupt,
            Self::Unreadable => Verdict::Unreadable,
            Self::Unstable => Verdict::Unstable,
            Self::SizeOnly => Verdict::SizeOnly,
            Self::Unverified => Verdict::Unverified,
        }
    }

    /// Whether the contents of both sides were compared.
    pub fn is_compared(self) -> bool {
        matches!(self, Self::Same | Self::Changed | Self::Corrupt | Self::Collision)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl From<Verdict> for Difference {
    /// What a verdict on a file at its name says of two sides.
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Ok | Verdict::Touched => Self::Same,
            Verdict::Changed | Verdict::Grown => Self::Changed,
            Verdict::Corrupt => Self::Corrupt,
            Verdict::Collision => Self::Collision,
            Verdict::SizeOnly => Self::SizeOnly,
            Verdict::Unreadable | Verdict::NotChecked(_) | Verdict::Contradicted => Self::Unreadable,
            Verdict::Unstable | Verdict::UnstableMedium => Self::Unstable,
            Verdict::New | Verdict::Copied | Verdict::Moved => Self::New,
            Verdict::Missing | Verdict::DuplicateLost | Verdict::MovedAway | Verdict::NotFoundYet => {
                Self::Missing
            }
            Verdict::Unverified | Verdict::Registered | Verdict::Suspect | Verdict::Misread => {
                Self::Unverified
            }
            Verdict::Excluded | Verdict::Ignored => Self::Excluded,
        }
    }
}

impl Pair<'_> {
    /// The name.
    pub fn path(&self) -> &[u8] {
        self.left.or(self.right).map_or(b"", Row::name)
    }

    /// Its content on the left side, if known.
    pub fn left(&self) -> Option<Content> {
        self.left.and_then(Row::described)
    }

    /// Its content on the right side, if known.
    pub fn right(&self) -> Option<Content> {
        self.right.and_then(Row::described)
    }

    /// Whether each of the sides, the left one first, has a content that its store keeps another checksum for.
    pub fn is_disputed(&self) -> (bool, bool) {
        let is_disputed = |row: Option<&Row>| row.is_some_and(Row::is_disputed);
        (is_disputed(self.left), is_disputed(self.right))
    }

    /// Whether each of the sides, the left one first, has the name.
    pub fn is_on(&self) -> (bool, bool) {
        (self.left.is_some(), self.right.is_some())
    }
}

impl<'a> Pair<'a> {
    /// The rows of the left side and of the right one.
    pub(crate) fn rows(&self) -> (Option<&'a Row>, Option<&'a Row>) {
        (self.left, self.right)
    }
}

impl Counts {
    /// The number of names of a kind.
    pub fn of(&self, difference: Difference) -> u64 {
        self.of[difference as usize]
    }

    /// The number of distinct names on both sides together.
    pub fn names(&self) -> u64 {
        self.of.iter().sum()
    }

    /// Whether there is a name whose contents were compared.
    pub fn is_compared(&self) -> bool {
        Difference::ALL.into_iter().any(|difference| difference.is_compared() && self.of(difference) > 0)
    }
}

impl<L: Rows, R: Rows> Merge<L, R> {
    /// Starts the comparison at the first row of each side.
    ///
    /// # Errors
    /// The first rows cannot be read.
    pub fn new(left: L, right: R) -> Result<Self, Error> {
        Ok(Self {
            left: Side::new(left)?,
            right: Side::new(right)?,
            told: (false, false),
            left_unsearched: Vec::new(),
            right_unsearched: Vec::new(),
            on_both: 0,
            of: [0; Difference::ALL.len()],
        })
    }

    /// Whether each of the sides, the left one first, has no rows; ask before the first name.
    pub fn is_empty(&self) -> (bool, bool) {
        (self.left.present().is_none(), self.right.present().is_none())
    }

    /// The next name; `None` if there is none.
    ///
    /// # Errors
    /// The rows of a side cannot be had to their end, or are not in order.
    // It lends what it gives, so that nothing is copied.
    #[allow(clippy::should_implement_trait, reason = "an iterator cannot lend")]
    pub fn next(&mut self) -> Result<Option<Pair<'_>>, Error> {
        let (left, right) = std::mem::take(&mut self.told);
        if left {
            self.left.advance()?;
        }
        if right {
            self.right.advance()?;
        }
        let order = loop {
            let order = match (self.left.present(), self.right.present()) {
                (None, None) => return Ok(None),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(left), Some(right)) => left.name().cmp(right.name()),
            };
            if order.is_le() && pass_unsearched(&mut self.left, &mut self.left_unsearched)? {
                continue;
            }
            if order.is_ge() && pass_unsearched(&mut self.right, &mut self.right_unsearched)? {
                continue;
            }
            if order.is_lt() && pass_absent(&mut self.left)? || order.is_gt() && pass_absent(&mut self.right)?
            {
                continue;
            }
            break order;
        };
        self.told = (order.is_le(), order.is_ge());
        let is_there = |row: &&Row| row.kind() != RowKind::Absent;
        let left = self.left.present().filter(|_| order.is_le()).filter(is_there);
        let right = self.right.present().filter(|_| order.is_ge()).filter(is_there);
        self.on_both += u64::from(left.is_some() && right.is_some());
        let left_conflict = self.left.conflict().filter(|_| order.is_le());
        let right_conflict = self.right.conflict().filter(|_| order.is_ge());
        let difference = if left_conflict.is_some() || right_conflict.is_some() {
            Difference::Conflict
        } else {
            match (left, right) {
                (Some(left), Some(right)) => both(left, right),
                (Some(row), None) => only(row, &self.right_unsearched, Difference::Missing),
                (None, Some(row)) => only(row, &self.left_unsearched, Difference::New),
                (None, None) => return Ok(None),
            }
        };
        self.of[difference as usize] += 1;
        Ok(Some(Pair { difference, left, right, left_conflict, right_conflict }))
    }

    /// Counts the last name differently: the caller knows more about it.
    pub fn recount(&mut self, from: Difference, to: Difference) {
        self.of[from as usize] -= 1;
        self.of[to as usize] += 1;
    }

    /// The rows of the right side.
    pub(crate) fn right(&self) -> &R {
        self.right.rows()
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        Counts { left: self.left.counts, right: self.right.counts, on_both: self.on_both, of: self.of }
    }
}

/// Passes over a directory that could not be looked into, and keeps its name; false where the side is at something else.
fn pass_unsearched<S: Rows>(side: &mut Side<S>, unsearched: &mut Vec<u8>) -> Result<bool, Error> {
    let Some(row) = side.present().filter(|row| row.kind() == RowKind::Unsearched) else { return Ok(false) };
    unsearched.clear();
    unsearched.extend_from_slice(row.name());
    side.is_unsearched();
    side.advance()?;
    Ok(true)
}

/// Passes over a name that the side does not have; false where it is at another one.
fn pass_absent<S: Rows>(side: &mut Side<S>) -> Result<bool, Error> {
    let is_absent = side.present().is_some_and(|row| row.kind() == RowKind::Absent);
    if is_absent {
        side.advance()?;
    }
    Ok(is_absent)
}

/// What a name says that one side has, and the other, as far as could be seen, has not.
fn only(row: &Row, unsearched: &[u8], difference: Difference) -> Difference {
    let is_lost = !unsearched.is_empty() && row.name().starts_with(unsearched);
    if is_lost { Difference::Unreadable } else { without_content(row).unwrap_or(difference) }
}

/// How the reading of a row's content ended, or what is said where there is no content.
fn outcome(row: &Row) -> Result<Outcome, Difference> {
    let disputed = |is_read_twice| Outcome::Disputed(Dispute { is_read_twice, offset_bytes: 0 });
    match row.kind() {
        RowKind::File => Ok(Outcome::Read),
        RowKind::Disputed => Ok(disputed(false)),
        RowKind::DisputedTwice => Ok(disputed(true)),
        RowKind::Unstable => Err(Difference::Unstable),
        RowKind::Unreadable | RowKind::Unsearched | RowKind::Absent => Err(Difference::Unreadable),
    }
}

/// What is said of a row that has no content, or none that anybody vouches for.
fn without_content(row: &Row) -> Option<Difference> {
    match outcome(row) {
        Ok(Outcome::Read) => None,
        Ok(_) => Some(Difference::Unreadable),
        Err(difference) => Some(difference),
    }
}

fn both(left: &Row, right: &Row) -> Difference {
    let (of_left, of_right) = match (outcome(left), outcome(right)) {
        (Ok(of_left), Ok(of_right)) => (of_left, of_right),
        // That of the right side, which was read later.
        (_, Err(difference)) | (Err(difference), Ok(_)) => return difference,
    };
    // The times of a store are never moved by hours, so one side that lies in one is enough.
    let rules = Rules { is_in_store: left.is_in_store() || right.is_in_store(), ..Rules::NONE };
    let judge = |known: &Row, seen: &Row, outcome| {
        let seen = seen.entry();
        let comparison = Comparison::of_entry(&known.entry(), seen.size, seen.modified, seen.numbered());
        comparison.verdict_on(outcome, rules)
    };
    // What a store disputes is compared with what nobody disputes, whichever side has it.
    let verdict = match (of_left, of_right) {
        (Outcome::Disputed(one), Outcome::Disputed(other)) => {
            let weaker = Outcome::Disputed(if one.is_read_twice { other } else { one });
            let (forth, back) = (judge(left, right, weaker), judge(right, left, weaker));
            // Neither of the two is known, so neither says that the other one is longer than it was.
            if forth == back { forth } else { Verdict::Unreadable }
        }
        (Outcome::Disputed(_), _) => judge(right, left, of_left),
        _ => judge(left, right, of_right),
    };
    verdict.into()
}
