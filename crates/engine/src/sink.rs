//! Who takes what a run finds out.

use std::error::Error as StdError;

use hashlane_record::Record;

use crate::entry::Excluded;
use crate::error::Error;

/// Takes the records of a run, in order.
pub trait Sink {
    /// Takes a record.
    ///
    /// # Errors
    /// [`Halt`] ends the run.
    fn record(&mut self, record: Record) -> Taken;

    /// Takes a file that the bounds of size and time exclude, or the caller itself.
    ///
    /// # Errors
    /// [`Halt`] ends the run.
    fn excluded(&mut self, _excluded: Excluded) -> Taken {
        Ok(())
    }
}

/// What a sink answers: whether it takes more.
pub type Taken = Result<(), Halt>;

/// Why a sink takes no more: it wants none, or it cannot. What implements [`std::error::Error`] becomes one by `?`.
#[derive(Debug)]
pub enum Halt {
    /// It has what it wants. The run is aborted, and is no failure.
    Enough,
    /// It has failed, as where its output is full. The run is aborted, and this is its error ([`Error::Sink`]).
    Failed(Box<dyn StdError + Send + Sync>),
}

impl Halt {
    /// What it means for a whole of which the run is a part: one that has enough is no error.
    ///
    /// # Errors
    /// What failed, as [`Error::Sink`].
    pub fn into_result(self) -> Result<(), Error> {
        match self {
            Self::Enough => Ok(()),
            Self::Failed(source) => Err(Error::Sink(source)),
        }
    }
}

impl<E: StdError + Send + Sync + 'static> From<E> for Halt {
    fn from(error: E) -> Self {
        Self::Failed(Box::new(error))
    }
}
