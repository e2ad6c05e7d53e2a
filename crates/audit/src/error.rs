//! Why a record of a manifest is not taken in.

use hashlane_digest::Algorithm;

/// Why a record of a manifest is not taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The same name is known with another digest of the same algorithm.
    #[error("is listed with two different {algorithm} digests; neither is compared")]
    OtherDigest {
        /// The algorithm of both digests.
        algorithm: Algorithm,
    },

    /// The same name is known with another size.
    #[error("is listed with {known} bytes and with {given}; neither size is compared")]
    OtherSize {
        /// Size of the known file in bytes.
        known: u64,
        /// Size in the new record, in bytes.
        given: u64,
    },

    /// The manifests together have digests of more algorithms than can be distinguished.
    #[error("the manifests have digests of more than {most} algorithms; leave out some manifests")]
    ManyAlgorithms {
        /// The maximum number.
        most: usize,
    },

    /// There are more files, or more bytes of names and digests, than can be numbered.
    #[error(
        "more than {most_files} files or {most_bytes} bytes of names and digests; leave out some manifests"
    )]
    ManyFiles {
        /// The maximum number of files.
        most_files: u64,
        /// The maximum number of bytes of their names and digests.
        most_bytes: u64,
    },
}
