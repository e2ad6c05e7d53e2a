//! Waiting until what was written is on the device, by looking at what the kernel has left to write.

use std::fs::{self, File};
use std::io;
use std::time::{Duration, Instant};

use crate::clock::nanoseconds;
use crate::inputs::Settling;
use crate::machine::kibibytes;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(10);

/// What others may have left to write meanwhile without being waited for.
const MARGIN_BYTES: u64 = 4 << 20;

/// Bytes that the kernel has still to write, all files together; none where it does not say.
pub(super) fn unwritten_bytes() -> Option<u64> {
    let facts = fs::read_to_string("/proc/meminfo").ok()?;
    Some(kibibytes(&facts, "Dirty:")? + kibibytes(&facts, "Writeback:")?)
}

/// Brings a file to its device and waits until no more is left to write than `before_bytes` and a little, or
/// `limit` is over. None where the kernel does not say what is left.
pub(super) fn settle(
    file: &File,
    before_bytes: Option<u64>,
    limit: Duration,
    stops: &dyn Fn() -> bool,
) -> io::Result<Option<Settling>> {
    let begun = Instant::now();
    let written_bytes = unwritten_bytes();
    file.sync_all()?;
    let (Some(before_bytes), Some(written_bytes)) = (before_bytes, written_bytes) else { return Ok(None) };
    let (left_bytes, settled) = wait(before_bytes, written_bytes, |is_first| {
        if !is_first {
            if begun.elapsed() >= limit || stops() {
                return None;
            }
            std::thread::sleep(PAUSE);
        }
        unwritten_bytes()
    });
    let waited_ns = nanoseconds(begun.elapsed());
    Ok(Some(Settling { before_bytes, written_bytes, left_bytes, waited_ns, settled }))
}

/// Looks until little is left, or until `look` has enough. What was seen last, and whether that is little.
fn wait(before_bytes: u64, written_bytes: u64, mut look: impl FnMut(bool) -> Option<u64>) -> (u64, bool) {
    let (mut left_bytes, mut is_first) = (written_bytes, true);
    while let Some(bytes) = look(is_first) {
        (left_bytes, is_first) = (bytes, false);
        if left_bytes <= before_bytes.saturating_add(MARGIN_BYTES) {
            return (left_bytes, true);
        }
    }
    (left_bytes, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_looked_at_until_little_is_left() {
        let mut levels = [900 << 20, 500 << 20, 8 << 20, 0].into_iter();
        assert_eq!(wait(5 << 20, 1 << 30, |_| levels.next()), (8 << 20, true));
        assert_eq!(levels.next(), Some(0));
    }

    #[test]
    fn where_others_go_on_writing_there_is_an_end() {
        let mut looks = 0;
        let waited = wait(0, 1 << 30, |is_first| {
            assert_eq!(is_first, looks == 0);
            looks += 1;
            (looks < 5).then_some(700 << 20)
        });
        assert_eq!((waited, looks), ((700 << 20, false), 5));
    }

    #[test]
    fn a_file_is_brought_to_its_device() {
        let file = tempfile::tempfile().expect("there is room");
        file.set_len(1 << 20).expect("there is room");
        let settling =
            settle(&file, unwritten_bytes(), Duration::from_secs(5), &|| false).expect("it is there");
        // Others may write meanwhile: that it ends is what is asked.
        assert_eq!(settling.is_some(), unwritten_bytes().is_some());
        // Whoever stops it is not kept waiting, whatever is left: there is no other end here.
        let stopped = settle(&file, Some(0), Duration::MAX, &|| true).expect("it is there");
        assert_eq!(stopped.is_some(), unwritten_bytes().is_some());
    }
}
