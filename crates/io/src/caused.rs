//! Whether devices are at work for a thread, so that its small files are worth a closer look.
//!
//! `RWF_NOWAIT` refuses what the page cache has not, but only after the kernel has asked the device for it. One that answers
//! before the call comes back to the question makes its bytes look as if they had been there. To ask for the cached pages
//! of a file before it is read (`cachestat`) distinguishes them, for a quarter of a microsecond: nothing beside a device, too much
//! for each small file where everything is cached. So a thread asks while devices bring something for it, which the kernel
//! counts (`ru_inblock`). The count says that something was brought and not what: readahead, directories and pages of the
//! program are in it as well.

use std::cell::RefCell;

use nix::sys::resource::{UsageWho, getrusage};

/// Reads in a row that all came at once, after which a thread looks at the count.
const STRETCH_READS: u32 = 64;

thread_local! {
    static WATCH: RefCell<Watch> = RefCell::default();
}

/// Whether the calling thread is to ask for the cached pages of a small file before it reads it.
pub(crate) fn looks_closely() -> bool {
    WATCH.with_borrow(|watch| watch.closely)
}

/// Takes note of a read of the calling thread that was not to wait, and whether it would have had to.
pub(crate) fn note_read(refused: bool) {
    WATCH.with_borrow_mut(|watch| watch.note_read(refused, caused_blocks));
}

/// Blocks that the calling thread has made devices bring; always 0 where the kernel does not count them.
fn caused_blocks() -> i64 {
    // It cannot fail for the calling thread.
    getrusage(UsageWho::RUSAGE_THREAD).map_or(0, |usage| usage.block_reads())
}

#[derive(Debug)]
struct Watch {
    closely: bool,
    /// Reads since the last one that was refused, or since the last look at the count.
    reads: u32,
    /// The count as it was then.
    seen_blocks: i64,
}

impl Default for Watch {
    /// As long as nothing is known.
    fn default() -> Self {
        Self { closely: true, reads: 0, seen_blocks: 0 }
    }
}

impl Watch {
    fn note_read(&mut self, refused: bool, caused_blocks: impl Fn() -> i64) {
        if refused {
            (self.closely, self.reads) = (true, 0);
            return;
        }
        self.reads += 1;
        if self.reads == STRETCH_READS {
            let now = caused_blocks();
            self.closely = now != self.seen_blocks;
            (self.reads, self.seen_blocks) = (0, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many reads at once. At their end the count stands at `blocks`.
    fn stretch(watch: &mut Watch, blocks: i64) -> bool {
        (1..STRETCH_READS).for_each(|_| watch.note_read(false, || panic!("looked too early")));
        watch.note_read(false, || blocks);
        watch.closely
    }

    #[test]
    fn a_thread_looks_closely_until_a_stretch_brought_nothing() {
        let mut watch = Watch::default();
        assert!(watch.closely);
        assert!(stretch(&mut watch, 8));
        assert!(!stretch(&mut watch, 8) && !stretch(&mut watch, 8));
        // A device that always answers in time is found by the count alone.
        assert!(stretch(&mut watch, 16) && stretch(&mut watch, 24));
        assert!(!stretch(&mut watch, 24));
    }

    #[test]
    fn a_read_that_would_wait_makes_it_look_closely_at_once() {
        let mut watch = Watch::default();
        assert!(!stretch(&mut watch, 0));
        watch.note_read(true, || panic!("no need to look"));
        assert!(watch.closely);
        assert!(stretch(&mut watch, 8) && !stretch(&mut watch, 8));
    }

    #[test]
    fn the_kernel_counts_what_a_thread_makes_a_device_bring() {
        use std::io::Write as _;
        use std::os::fd::AsFd as _;

        const BYTES: usize = 1 << 20;
        let mut file = tempfile::tempfile().expect("a temporary file");
        file.write_all(&[7; BYTES]).expect("write");
        crate::evict_wholly(file.as_fd()).expect("evict");
        if crate::residency(file.as_fd(), 0, BYTES as u64).is_none_or(|there| there.resident_bytes > 0) {
            let reason = "the page cache of the temporary directory keeps its files, or cannot be seen";
            assert!(std::env::var_os("HASHLANE_SKIPS_FAIL").is_none_or(|fail| fail != "1"), "{reason}");
            return eprintln!("SKIPPED: the_kernel_counts_what_a_thread_makes_a_device_bring: {reason}");
        }
        let before = caused_blocks();
        rustix::io::pread(&file, &mut vec![0; BYTES], 0).expect("read");
        assert!((caused_blocks() - before) * 512 >= BYTES as i64, "{} blocks", caused_blocks() - before);
    }
}
