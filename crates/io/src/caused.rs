//! What a read that did not wait has made devices bring all the same.
//!
//! `RWF_NOWAIT` refuses what the page cache has not, but only after the kernel has asked the device for it. A device that
//! answers before the call comes back to the question makes its bytes look as if they had been there. The kernel counts for
//! each thread what it asked devices for (`ru_inblock`), and the count before and after the call tells them apart. Each
//! look at it costs about a quarter of a microsecond: nothing beside a device, but too much where everything is cached.
//! So a thread looks at each read while devices are at work for it, and now and then otherwise.

use std::cell::RefCell;

use nix::sys::resource::{UsageWho, getrusage};
use rustix::io::Errno;

use crate::engine::{Source, Sources};

/// So many reads in a row have to come from the cache alone before a thread looks at them no longer, and then at so many at once.
const QUIET_READS: u32 = 64;

/// The unit of `ru_inblock`, whatever the device.
const BLOCK_BYTES: u64 = 512;

thread_local! {
    static WATCH: RefCell<Watch> = RefCell::default();
}

/// Makes a read with `RWF_NOWAIT`, and tells where what it brought came from.
///
/// # Errors
/// Those of `read`.
pub(crate) fn sources_of(read: impl FnOnce() -> Result<usize, Errno>) -> Result<Sources, Errno> {
    WATCH.with_borrow_mut(|watch| watch.sources_of(read, caused_bytes))
}

/// Bytes that the calling thread has made devices bring; always 0 where the kernel does not count them.
fn caused_bytes() -> u64 {
    // It cannot fail for the calling thread.
    let blocks = getrusage(UsageWho::RUSAGE_THREAD).map_or(0, |usage| usage.block_reads());
    u64::try_from(blocks).unwrap_or(0) * BLOCK_BYTES
}

/// How closely a thread looks.
#[derive(Debug, Default)]
struct Watch {
    /// Reads in a row for which no device had to do anything.
    quiet_reads: u32,
    /// What the count was when it was last looked at.
    seen_bytes: u64,
}

impl Watch {
    /// As [`sources_of`], with the count of this thread.
    fn sources_of(
        &mut self,
        read: impl FnOnce() -> Result<usize, Errno>,
        caused_bytes: impl Fn() -> u64,
    ) -> Result<Sources, Errno> {
        let close = self.quiet_reads < QUIET_READS;
        if close {
            self.seen_bytes = caused_bytes();
        }
        let before = self.seen_bytes;
        let result = read();
        if close || self.quiet_reads == 2 * QUIET_READS {
            self.seen_bytes = caused_bytes();
            self.quiet_reads = self.quiet_reads.min(QUIET_READS);
        }
        let caused = self.seen_bytes.saturating_sub(before);
        self.quiet_reads = if caused > 0 || result == Err(Errno::AGAIN) { 0 } else { self.quiet_reads + 1 };
        let count = result?;
        // Of what many reads caused none is charged to the last one.
        let from_device = if close { count.min(usize::try_from(caused).unwrap_or(usize::MAX)) } else { 0 };
        let mut sources = Sources::default();
        sources.add(Source::Device, from_device);
        sources.add(Source::Cache, count - from_device);
        Ok(sources)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A thread's count, and how often it was looked at.
    #[derive(Default)]
    struct Counter {
        bytes: Cell<u64>,
        looks: Cell<u32>,
    }

    impl Counter {
        /// A read of 4,000 bytes that makes a device bring `caused` bytes.
        fn read(&self, watch: &mut Watch, caused: u64) -> (u64, u64) {
            let read = || {
                self.bytes.set(self.bytes.get() + caused);
                Ok(4_000)
            };
            let sources = watch.sources_of(read, || self.look()).expect("read");
            assert_eq!(sources.unknown_bytes, 0);
            (sources.cache_bytes, sources.device_bytes)
        }

        fn refuse(&self, watch: &mut Watch) {
            let read = || {
                self.bytes.set(self.bytes.get() + 4_096);
                Err(Errno::AGAIN)
            };
            assert_eq!(watch.sources_of(read, || self.look()), Err(Errno::AGAIN));
        }

        fn look(&self) -> u64 {
            self.looks.set(self.looks.get() + 1);
            self.bytes.get()
        }

        /// So many reads from the cache that nobody looks any more.
        fn calm(&self, watch: &mut Watch) {
            for _ in 0..QUIET_READS {
                assert_eq!(self.read(watch, 0), (4_000, 0));
            }
            self.looks.set(0);
        }
    }

    #[test]
    fn what_a_device_brought_before_the_call_was_over_is_from_the_device() {
        let (counter, mut watch) = (Counter::default(), Watch::default());
        assert_eq!(counter.read(&mut watch, 0), (4_000, 0));
        assert_eq!(counter.read(&mut watch, 4_096), (0, 4_000));
        assert_eq!(counter.read(&mut watch, 1_024), (2_976, 1_024));
        // What the thread caused between two reads, by opening a file for example, belongs to neither.
        counter.bytes.set(1 << 20);
        assert_eq!(counter.read(&mut watch, 0), (4_000, 0));
        assert_eq!(watch.sources_of(|| Err(Errno::IO), || counter.look()), Err(Errno::IO));
    }

    #[test]
    fn reads_from_the_cache_are_looked_at_now_and_then() {
        let (counter, mut watch) = (Counter::default(), Watch::default());
        counter.calm(&mut watch);
        for _ in 0..10 * QUIET_READS {
            counter.read(&mut watch, 0);
        }
        assert!((9..=10).contains(&counter.looks.get()), "{} looks", counter.looks.get());
    }

    #[test]
    fn a_device_at_work_is_looked_at_closely() {
        let (counter, mut watch) = (Counter::default(), Watch::default());
        counter.calm(&mut watch);
        counter.refuse(&mut watch);
        assert_eq!(counter.read(&mut watch, 4_096), (0, 4_000));

        // One that answers always in time is found by the next look.
        counter.calm(&mut watch);
        let unseen = (0..).take_while(|_| counter.read(&mut watch, 4_096) == (4_000, 0)).count();
        assert!(unseen as u32 <= QUIET_READS + 1, "{unseen} reads");
    }

    #[test]
    fn the_kernel_counts_what_a_thread_makes_a_device_bring() {
        use std::io::Write as _;
        use std::os::fd::AsFd as _;

        let mut file = tempfile::tempfile().expect("a temporary file");
        file.write_all(&[7; 1 << 20]).expect("write");
        crate::evict(file.as_fd()).expect("evict");
        if crate::residency(file.as_fd(), 0, 1 << 20).is_none_or(|there| there.resident_bytes > 0) {
            let reason = "the page cache of the temporary directory keeps its files, or cannot be seen";
            assert!(std::env::var_os("HASHLANE_SKIPS_FAIL").is_none_or(|fail| fail != "1"), "{reason}");
            return eprintln!("SKIPPED: the_kernel_counts_what_a_thread_makes_a_device_bring: {reason}");
        }
        let before = caused_bytes();
        rustix::io::pread(&file, &mut vec![0; 1 << 20], 0).expect("read");
        assert!(caused_bytes() - before >= 1 << 20, "{} bytes", caused_bytes() - before);
    }
}
