//! How a manifest is to be written.

use hashlane_record::Division;

use crate::header::Header;

/// The longest name, in bytes. In whatever way a format writes it, its line stays below
/// [`crate::MAX_LINE_BYTES`].
pub(crate) const MAX_NAME_BYTES: usize = 128 << 10;

/// How much of an item with many pieces is written at once, in bytes.
pub(crate) const HANDED_OVER_BYTES: usize = 256 << 10;

/// How a manifest is to be written.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// End lines with NUL and escape nothing (gnu, bsd, base64).
    pub zero: bool,
    /// Say at the top which run wrote it. A format without a place for that is refused.
    pub header: Option<Header>,
    /// Write only what hashdeep 4.4 reads back unharmed: its own algorithms, lines that it does not split.
    pub strict_hashdeep: bool,
    /// What pieces have digests of their own. A format without a place for them is refused, and so is a file
    /// that is longer than one piece and has none. If `None`, an item's pieces are written where the format
    /// has a place for them.
    pub pieces: Option<Division>,
}

/// Whether a list has inodes, if its format has a place for them.
pub(crate) fn has_inodes(options: &WriteOptions) -> bool {
    options.header.as_ref().is_some_and(|header| header.started.is_some())
}
