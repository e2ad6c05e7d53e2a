//! Why a run could not be completed.

/// Why a run could not be completed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused a thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
    /// The system refused to change the I/O priority.
    #[error("cannot lower the priority of reading: {0}")]
    Priority(std::io::Error),
    /// Records in the temporary file could not be read back.
    #[error("cannot read back the records in the temporary file: {0}")]
    Spill(std::io::Error),
    /// The sink failed. Its source is what the sink gave as its reason, as it was.
    #[error("the results were not taken")]
    Sink(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// What is listed is not what was listed when it was split into slices.
    #[error("what is listed has changed since it was split")]
    OtherListing,
    /// A thread panicked, or a record was lost. This is a bug in hashlane.
    #[error("{0} of {1} records were lost: this is a bug in hashlane; please report it")]
    Lost(u64, u64),
}
