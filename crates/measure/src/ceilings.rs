//! What ceilings are measured of.

/// Algorithms whose ceilings are measured: those that people use for files.
pub const ALGORITHMS: [&str; 7] = ["md5", "sha1", "sha256", "sha512", "blake2b", "blake3", "xxh3"];

/// Bytes of a request for read ceilings: that of the engine for large files.
pub const READ_BLOCK_BYTES: usize = 512 << 10;
