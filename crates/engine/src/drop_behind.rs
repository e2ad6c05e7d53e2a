//! What a run leaves behind in the page cache.
//!
//! What was there when a file was opened stays. Of what came while it was read, as much stays as was granted; when that is used up,
//! pages are let go of as soon as they are digested, so that those of other programs are not pushed out by what nobody is going to
//! read again.

use std::sync::atomic::{AtomicU64, Ordering};

use hashlane_io::{FileKind, Opened, Sources};

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
    pub(crate) fn is_ours(file: &impl Opened) -> bool {
        file.facts().kind == FileKind::Regular && file.resident_bytes() == Some(0)
    }

    /// Lets go of a file if nothing of it was there before and what was granted is used up. To be called when it is digested.
    pub(crate) fn file_done(&self, file: &impl Opened, sources: Sources) {
        // Where it was not looked at beforehand, one read has brought it all, and that read says where from. Otherwise the reads
        // say nothing: all of them may find in the cache what the kernel read ahead.
        let total = sources.total_bytes();
        let ours = match file.resident_bytes() {
            Some(_) => Self::is_ours(file),
            None => total > 0 && sources.device_bytes == total,
        };
        if ours && self.brought(total) {
            file.forget(0, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::fd::AsFd as _;

    use hashlane_io::{OpenFile, evict_wholly, residency};

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

    #[test]
    fn a_file_goes_if_nothing_was_there_before_wherever_its_reads_found_it() {
        const BYTES: u64 = 300_000;
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        fs::write(file.path(), [7; BYTES as usize]).expect("write");
        let open = || {
            let mut file = OpenFile::new(File::open(file.path()).expect("open").into()).expect("stat");
            file.observe_residency();
            file
        };
        let resident =
            || residency(file.as_file().as_fd(), 0, BYTES).map(|there| there.resident_bytes.min(BYTES));
        evict_wholly(file.as_file().as_fd()).expect("evict");
        if resident() != Some(0) {
            let reason = "the page cache of the temporary directory keeps its files, or cannot be seen";
            assert!(std::env::var_os("HASHLANE_SKIPS_FAIL").is_none(), "SKIPPED: {reason}");
            return println!("SKIPPED: {reason}");
        }
        // Every read found there what had been read ahead, or what somebody else had read meanwhile.
        let sources = Sources { cache_bytes: BYTES, ..Sources::default() };
        let opened_before = open();
        fs::read(file.path()).expect("read");
        DropBehind::new(None).file_done(&opened_before, sources);
        assert_eq!(resident(), Some(BYTES));
        DropBehind::new(Some(0)).file_done(&open(), sources);
        assert_eq!(resident(), Some(BYTES), "it was there before");
        DropBehind::new(Some(0)).file_done(&opened_before, sources);
        assert_eq!(resident(), Some(0));
    }
}
