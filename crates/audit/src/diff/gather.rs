//! Brings the rows of a side into order, if they are not in order already.

use std::path::PathBuf;

use crate::diff::error::Error;
use crate::diff::row::Row;
use hashlane_sort::{Sorted, Sorter};

/// Takes in the rows of a side, in whatever order they come.
///
/// Rows are kept, first in memory and then in a temporary file. But if the rows can be read again, and those that fit into memory are in
/// order, none is kept, and the others are only checked for order. If they are in order, they need not be sorted and are compared when read
/// again; if not, they are taken in again to be sorted.
pub struct Gather {
    sorter: Sorter,
    /// They can be had again.
    again: bool,
    /// None is kept.
    watching: bool,
    in_order: bool,
    last: Row,
}

/// What happened to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It was taken in.
    Yes,
    /// No row was kept, and this one is out of order: all have to be taken in again, by [`Gather::sorting`].
    Again,
}

/// The result of gathering rows.
pub enum Gathered {
    /// They are sorted.
    Sorted(Sorted),
    /// They are in order as they come, and none was kept.
    InOrder,
}

impl Gather {
    /// For the first reading, with this many bytes of memory. `again`: the rows can be read again.
    pub fn new(memory: usize, directory: PathBuf, again: bool) -> Self {
        let sorter = Sorter::new(memory, directory);
        Self { sorter, again, watching: false, in_order: true, last: Row::default() }
    }

    /// For rows that are known to be out of order.
    pub fn sorting(memory: usize, directory: PathBuf) -> Self {
        Self { in_order: false, ..Self::new(memory, directory, false) }
    }

    /// Takes in a row.
    ///
    /// # Errors
    /// It cannot be kept.
    pub fn push(&mut self, row: &Row) -> Result<Taken, Error> {
        if self.in_order && self.again {
            self.in_order = self.last.name() <= row.name();
            if self.in_order {
                self.last.clone_from(row);
            }
            if !self.watching && self.in_order && self.sorter.is_full_for(row.pair()) {
                self.watching = true;
                self.sorter.forget();
            }
        }
        if !self.watching {
            row.push_to(&mut self.sorter)?;
        }
        Ok(if self.watching && !self.in_order { Taken::Again } else { Taken::Yes })
    }

    /// Ends the input of rows.
    ///
    /// # Errors
    /// They cannot be kept.
    pub fn finish(self) -> Result<Gathered, Error> {
        Ok(if self.watching { Gathered::InOrder } else { Gathered::Sorted(self.sorter.finish()?) })
    }
}
