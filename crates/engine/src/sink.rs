//! Who takes what a run finds out.

use std::ops::ControlFlow;

use hashlane_record::Record;

use crate::entry::Excluded;

/// Takes the records of a run, in order.
pub trait Sink {
    /// Takes a record. `Break` aborts the run.
    fn record(&mut self, record: Record) -> ControlFlow<()>;

    /// Takes a file that the bounds of size and time exclude, or the caller itself. `Break` aborts the run.
    fn excluded(&mut self, _excluded: Excluded) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
