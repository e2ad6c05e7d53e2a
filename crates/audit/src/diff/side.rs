//! The rows of a side as files: rows of equal name are one.

use std::cmp::Ordering;

use crate::contradiction::contradiction;
use crate::diff::error::Error;
use crate::diff::row::{Row, RowKind, Rows};

/// The number of rows on a side, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SideCounts {
    /// All rows: the first of each name and those after it.
    pub rows: u64,
    /// Names.
    pub names: u64,
    /// Rows that added nothing to a name.
    pub repeated: u64,
    /// Rows that added something to a name.
    pub merged: u64,
    /// Rows that contradict those before them of the same name.
    pub conflicting: u64,
    /// Directories that could not be read. They are not rows.
    pub unsearched: u64,
}

/// Two rows of one side that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The numbers of the first line of the name and of the first that contradicts it, from 1.
    pub lines: (u64, u64),
    /// How they contradict each other.
    pub error: crate::Error,
}

pub(crate) struct Side<R> {
    rows: R,
    /// The present name; all its rows in one.
    present: Row,
    /// The row after it.
    ahead: Row,
    has_present: bool,
    has_ahead: bool,
    conflict: Option<Conflict>,
    pub(crate) counts: SideCounts,
}

impl<R: Rows> Side<R> {
    /// A side at its first name.
    pub(crate) fn new(rows: R) -> Result<Self, Error> {
        let mut side = Self {
            rows,
            present: Row::default(),
            ahead: Row::default(),
            has_present: false,
            has_ahead: false,
            conflict: None,
            counts: SideCounts::default(),
        };
        side.has_ahead = side.rows.next(&mut side.ahead)?;
        side.advance()?;
        Ok(side)
    }

    /// What stands at the present name; nothing at the end.
    pub(crate) fn present(&self) -> Option<&Row> {
        self.has_present.then_some(&self.present)
    }

    pub(crate) fn rows(&self) -> &R {
        &self.rows
    }

    pub(crate) fn conflict(&self) -> Option<&Conflict> {
        self.conflict.as_ref()
    }

    /// Goes on to the next name.
    pub(crate) fn advance(&mut self) -> Result<(), Error> {
        self.conflict = None;
        self.has_present = self.has_ahead;
        if !self.has_present {
            return Ok(());
        }
        std::mem::swap(&mut self.present, &mut self.ahead);
        let is_there = u64::from(self.present.kind() != RowKind::Absent);
        self.counts.rows += is_there;
        self.counts.names += is_there;
        loop {
            self.has_ahead = self.rows.next(&mut self.ahead)?;
            if !self.has_ahead {
                return Ok(());
            }
            match self.present.name().cmp(self.ahead.name()) {
                Ordering::Less => return Ok(()),
                Ordering::Equal => self.join(),
                Ordering::Greater => return Err(Error::OutOfOrder { line: self.ahead.line() }),
            }
        }
    }

    /// Counts the present row, which is a directory that could not be looked into, as no row.
    pub(crate) fn is_unsearched(&mut self) {
        self.counts.rows -= 1;
        self.counts.names -= 1;
        self.counts.unsearched += 1;
    }

    /// Takes the row ahead into the present one, whose name it has.
    fn join(&mut self) {
        self.counts.rows += 1;
        let more = self.ahead.entry();
        if let Err(error) = contradiction(&self.present.entry(), more.size, more.numbered()) {
            self.counts.conflicting += 1;
            let lines = (self.present.line(), self.ahead.line());
            self.conflict.get_or_insert(Conflict { lines, error });
        } else if self.present.add(&self.ahead) {
            self.counts.merged += 1;
        } else {
            self.counts.repeated += 1;
        }
    }
}
