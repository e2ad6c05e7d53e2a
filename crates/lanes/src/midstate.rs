//! Messages that are put aside before they end: what another state needs to go on with them.

/// What is left of a message that has not ended, as bytes. It does not depend on the backend that took it in.
///
/// Shapes: `chaining` has the length that its algorithm needs; words are little-endian. `pending` holds the bytes that do
/// not fill a block yet, at most a block of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Midstate {
    /// Bytes of the message so far. Those that are pending are among them.
    pub length: u64,
    /// What came of the bytes before those that are pending.
    pub chaining: Vec<u8>,
    /// Bytes that were taken in and have not been worked on.
    pub pending: Vec<u8>,
}

impl Midstate {
    /// The longest message that can be put aside, in bytes. None is so long: what counts bits in 64 bits has room for more.
    pub const MOST_LENGTH: u64 = 1 << 60;
}
