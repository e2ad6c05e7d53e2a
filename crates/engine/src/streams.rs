//! Streams are read once: two readers of one pipe would each get a part of it, and neither would know.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use hashlane_io::Opened;

/// The streams that a run has begun to read, by device and inode. What was read of one is gone, so none is ever forgotten.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    begun: Mutex<HashSet<(u64, u64)>>,
}

impl Streams {
    /// Whether nobody has read from it before, if it is a stream. All other files may be read by any number.
    pub(crate) fn begin(&self, file: &impl Opened) -> bool {
        let facts = file.facts();
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        !file.is_stream() || begun.insert((facts.device, facts.inode))
    }
}
