//! How a catalogue is opened to be written to.

use crate::acting::Acting;
use crate::backups::Backups;

/// Who opens a catalogue to write to it, and what is to become of its copies.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// By whom.
    pub acting: Acting,
    /// Where it is copied to by itself.
    pub backups: Backups,
}
