//! What keeps bytes from being shown to come from a device.

/// Why the bytes of a file cannot be shown to come from its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MediumObstacle {
    /// Its content lies beside its metadata and is kept in memory with it.
    #[error("stored with its metadata")]
    BesideMetadata,
    /// Pages of it stay in the cache: mapped, locked, or being written.
    #[error("kept in the page cache")]
    Cached,
    /// The file system may keep content where the page cache's counters do not see it.
    #[error("a file system whose cache cannot be seen")]
    CacheUnseen,
    /// The kernel does not report what its page cache holds.
    #[error("a kernel that does not report its page cache")]
    CacheUnreported,
    /// It lies in memory, or is made up when it is read.
    #[error("in memory")]
    InMemory,
    /// It is neither a regular file nor a block device.
    #[error("not on a device")]
    NotOnDevice,
}
