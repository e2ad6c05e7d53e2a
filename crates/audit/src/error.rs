//! Why a record of a manifest is not taken in.

use hashlane_digest::Algorithm;

/// Why a record of a manifest is not taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The same name is known with another digest of the same algorithm.
    #[error("is listed with two {algorithm} digests, and one file has one; neither is compared")]
    OtherDigest {
        /// The algorithm of both digests.
        algorithm: Algorithm,
    },

    /// The same name is known with another size.
    #[error("is listed with {known} bytes and with {given}, and one file has one size; neither is compared")]
    OtherSize {
        /// Size of the known file in bytes.
        known: u64,
        /// Size given now in bytes.
        given: u64,
    },

    /// The manifests together have digests of more algorithms than can be told apart.
    #[error("the manifests have digests of more than {most} algorithms; leave some manifests out")]
    ManyAlgorithms {
        /// How many there may be.
        most: usize,
    },

    /// There are more files, or more bytes of names and digests, than can be numbered.
    #[error(
        "more than {most_files} files or {most_bytes} bytes of names and digests; leave some manifests out"
    )]
    ManyFiles {
        /// How many files there may be.
        most_files: u64,
        /// How many bytes their names and digests may take.
        most_bytes: u64,
    },
}
