//! Why a message could not be delivered.

/// Why a message could not be delivered, in words without a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Undelivered(pub(crate) String);

impl Undelivered {
    /// Of an error that may be shown.
    pub(crate) fn of(error: impl std::fmt::Display) -> Self {
        Self(hashlane_record::Escaped(error.to_string().as_bytes()).to_string())
    }
}
