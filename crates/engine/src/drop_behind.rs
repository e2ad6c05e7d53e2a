//! What a run leaves behind in the page cache.
//!
//! What was there before stays. Of what the run itself has brought from the device, so much stays as was granted; when that
//! is used up, pages are let go of as soon as they are digested, so that those of other programs are not pushed out by what
//! nobody is going to read again.

use std::sync::atomic::{AtomicU64, Ordering};

use hashlane_io::{FileKind, OpenFile, Sources, forget};

/// The bytes that a run has brought, and how many of them may stay.
#[derive(Debug)]
pub(crate) struct DropBehind {
    /// Bytes that stay; `None`: all.
    granted_bytes: Option<u64>,
    brought_bytes: AtomicU64,
}

impl DropBehind {
    pub(crate) fn new(granted_bytes: Option<u64>) -> Self {
        Self { granted_bytes, brought_bytes: AtomicU64::new(0) }
    }

    /// Takes note of bytes that came from the device through the page cache; whether their pages are to be let go of.
    pub(crate) fn brought(&self, bytes: u64) -> bool {
        match self.granted_bytes {
            Some(granted) => self.brought_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes > granted,
            None => false,
        }
    }

    /// Whether nothing of a file was in the page cache before, as was seen when it was opened.
    pub(crate) fn is_ours(file: &OpenFile) -> bool {
        file.facts().kind == FileKind::Regular && file.resident_bytes() == Some(0)
    }

    /// Lets go of a file of which nothing was there before, if what was granted is used up. To be called when it is digested.
    pub(crate) fn file_done(&self, file: &OpenFile, sources: Sources) {
        // After the first read the kernel reads ahead, and the others find in the cache what the first one caused. A file
        // that one read brings is not looked at beforehand: that read tells.
        let total = sources.total_bytes();
        let ours = match file.resident_bytes() {
            Some(resident) => resident == 0 && sources.device_bytes > 0,
            None => total > 0 && sources.device_bytes == total,
        };
        if ours && self.brought(total) {
            forget(file, 0, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_granted_stays_and_what_comes_after_goes() {
        let drop_behind = DropBehind::new(Some(100));
        assert!(!drop_behind.brought(60) && !drop_behind.brought(40));
        assert!(drop_behind.brought(1) && drop_behind.brought(0));
        let everything_stays = DropBehind::new(None);
        assert!(!everything_stays.brought(u64::MAX));
        assert!(DropBehind::new(Some(0)).brought(1));
    }
}
