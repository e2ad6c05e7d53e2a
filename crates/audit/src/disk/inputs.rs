//! Inputs in the order of their names, each name once.

use hashlane_record::Dispute;

use crate::diff::Error;
use crate::diff::row::{Row, Rows};
use crate::verdict::Verdict;
use hashlane_sort::Sorted;
use hashlane_sort::Spool;

/// What a row of an input stands for; it is in the place of the number of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// An input with its content.
    Read,
    /// The same, and its store disputes that content: it is judged by its name alone.
    Disputed {
        /// Two readings have brought the same.
        is_read_twice: bool,
    },
    /// An input without content, and its verdict.
    Unread(Verdict),
    /// No input: the name is set aside, and has this verdict if there is none.
    Aside(Verdict),
    /// An input at its place whose verdict was given before; whether it is all that is listed. If not, its content follows, if it
    /// has any.
    Told {
        /// Its content is as listed, and no more is known of it.
        verified: bool,
    },
}

/// Inputs, the first reading of each name; a name that has none and is set aside has that.
pub(super) struct Inputs {
    rows: Sorted,
    ahead: Row,
    has_ahead: bool,
    /// Readings after the first of their name.
    pub(super) seen_again: u64,
}

impl Mark {
    pub(super) fn line(self) -> u64 {
        match self {
            Self::Read => 0,
            Self::Told { verified } => 1 + u64::from(verified),
            Self::Disputed { is_read_twice } => 3 + u64::from(is_read_twice),
            Self::Unread(verdict) => 5 + 2 * verdict.code(),
            Self::Aside(verdict) => 6 + 2 * verdict.code(),
        }
    }

    pub(super) fn of(row: &Row) -> Self {
        match row.line() {
            0 => Self::Read,
            line @ 1..3 => Self::Told { verified: line == 2 },
            line @ 3..5 => Self::Disputed { is_read_twice: line == 4 },
            line if line % 2 == 1 => Self::Unread(Verdict::of_code(line / 2 - 2)),
            line => Self::Aside(Verdict::of_code(line / 2 - 3)),
        }
    }

    /// How its store disputes the content of an input, which has `size` bytes.
    pub(super) fn dispute(self, size: Option<u64>) -> Option<Dispute> {
        match self {
            Self::Disputed { is_read_twice } => {
                Some(Dispute { is_read_twice, offset_bytes: size.unwrap_or(0) })
            }
            _ => None,
        }
    }

    fn is_input(self) -> bool {
        !matches!(self, Self::Aside(_))
    }
}

impl Inputs {
    /// The inputs of several files from a name on, with some before it; what is in the first files came first.
    pub(super) fn new(spools: &[Spool], name: &[u8]) -> Result<Self, Error> {
        let mut inputs = Self {
            rows: Spool::merged(spools, name)?,
            ahead: Row::default(),
            has_ahead: false,
            seen_again: 0,
        };
        inputs.has_ahead = inputs.rows.next(&mut inputs.ahead)?;
        Ok(inputs)
    }
}

impl Rows for Inputs {
    fn next(&mut self, row: &mut Row) -> Result<bool, Error> {
        if !self.has_ahead {
            return Ok(false);
        }
        std::mem::swap(row, &mut self.ahead);
        let mut has_input = Mark::of(row).is_input();
        loop {
            self.has_ahead = self.rows.next(&mut self.ahead)?;
            if !self.has_ahead || self.ahead.name() != row.name() {
                return Ok(true);
            }
            let mark = Mark::of(&self.ahead);
            if mark.is_input() {
                self.seen_again += u64::from(has_input && !matches!(mark, Mark::Told { .. }));
                if !has_input {
                    has_input = true;
                    std::mem::swap(row, &mut self.ahead);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Unchecked;

    #[test]
    fn a_mark_is_what_its_line_says() {
        let verdicts = [Verdict::Unreadable, Verdict::Excluded, Verdict::NotChecked(Unchecked::Held)];
        let marks = verdicts.into_iter().flat_map(|verdict| [Mark::Unread(verdict), Mark::Aside(verdict)]);
        let told = [true, false].map(|verified| Mark::Told { verified });
        let disputed = [true, false].map(|is_read_twice| Mark::Disputed { is_read_twice });
        for mark in marks.chain([Mark::Read]).chain(told).chain(disputed) {
            let mut row = Row::default();
            let digests = crate::algorithms::NONE_PLACED;
            row.fill(mark.line(), &crate::entry::Draft { size: None, modified: None, digests, name: b"a" });
            assert_eq!(Mark::of(&row), mark);
        }
    }
}
