//! Compares two lists of files, in memory that does not grow with them.
//!
//! Owns the order of rows ([`Gather`], which sorts in temporary files if needed) and the verdict on each name ([`Merge`]), by the rule that
//! [`crate::Audit`] has for names. Contents are not looked up under other names.
//!
//! Invariants:
//! 1. Every name of either side gets exactly one verdict.
//! 2. Only [`Difference::Same`] is a pass.
//! 3. Names come out in byte order, whatever the order of the rows.

mod error;
mod gather;
mod merge;
pub(crate) mod row;
pub(crate) mod side;
#[cfg(test)]
mod tests;

pub use hashlane_sort::{Error as SortError, LEAST_MEMORY, Sorted};

pub use error::Error;
pub use gather::{Gather, Gathered, Taken};
pub use merge::{Counts, Difference, Merge, Pair};
pub use row::{Batch, Row, RowKind, Rows};
pub use side::{Conflict, SideCounts};
