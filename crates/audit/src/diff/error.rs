//! Why two lists cannot be compared completely.

/// Why two lists cannot be compared completely.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Temporary files fail.
    #[error(transparent)]
    Sort(#[from] hashlane_sort::Error),

    /// Rows that were in order no longer are.
    #[error("line {line} is now out of order: the list was changed in the meantime")]
    OutOfOrder {
        /// Number of the line, from 1.
        line: u64,
    },

    /// The source of the rows of a side failed.
    #[error(transparent)]
    Source(Box<dyn std::error::Error + Send + Sync>),
}
