//! The trait that takes the results of a run.

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

    /// Takes a file that is excluded by the bounds of size and time, or by the caller.
    ///
    /// # Errors
    /// [`Halt`] ends the run.
    fn excluded(&mut self, _excluded: Excluded) -> Taken {
        Ok(())
    }

    /// Time passes: called several times a second, whether records come or not.
    ///
    /// # Errors
    /// [`Halt`] ends the run.
    fn tick(&mut self) -> Taken {
        Ok(())
    }
}

/// The answer of a sink: whether it takes more.
pub type Taken = Result<(), Halt>;

/// Why a sink takes no more: it wants none, or it cannot. What implements [`std::error::Error`] becomes one by `?`.
#[derive(Debug)]
pub enum Halt {
    /// It has what it wants. The run is aborted, which is not a failure.
    Enough,
    /// It has failed, for example because its output is full. The run is aborted and returns this error ([`Error::Sink`]).
    Failed(Box<dyn StdError + Send + Sync>),
}

impl Halt {
    /// The result for a larger operation that the run is a part of: having enough is not an error.
    ///
    /// # Errors
    /// The failure, as [`Error::Sink`].
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
