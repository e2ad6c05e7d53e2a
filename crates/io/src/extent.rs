//! Where on its device the content of a file begins, by `FS_IOC_FIEMAP`.

use std::os::fd::{AsRawFd as _, BorrowedFd};

use rustix::io::Errno;

/// `FIEMAP_FLAG_SYNC`: what is not written yet is written first.
const SYNC: u32 = 1;

/// Flags of an extent: `FIEMAP_EXTENT_UNKNOWN`, `FIEMAP_EXTENT_DELALLOC` and `FIEMAP_EXTENT_DATA_INLINE`.
const UNKNOWN: u32 = 0x2;
const NOT_YET_CHOSEN: u32 = 0x4;
const INLINE: u32 = 0x200;

/// `struct fiemap_extent` of linux/fiemap.h.
#[repr(C)]
#[derive(Default)]
struct Extent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved_64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

/// The first extent of a file; `None` if it has none.
fn first(file: BorrowedFd<'_>, flags: u32) -> Result<Option<Extent>, Errno> {
    /// `struct fiemap` with room for one extent.
    #[repr(C)]
    #[derive(Default)]
    struct Map {
        start: u64,
        length: u64,
        flags: u32,
        mapped_extents: u32,
        extent_count: u32,
        reserved: u32,
        extent: Extent,
    }
    /// `_IOWR('f', 11, struct fiemap)`: the size in it is that without extents. The same on every architecture that we build
    /// for.
    const FS_IOC_FIEMAP: u32 = 0xc020_660b;

    let mut map = Map { length: u64::MAX, flags, extent_count: 1, ..Map::default() };
    // SAFETY: the structure has the layout of linux/fiemap.h with as many extents behind it as `extent_count` says; the
    // kernel writes into it during the call and keeps nothing. The descriptor is borrowed, hence open.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), FS_IOC_FIEMAP as _, &raw mut map) };
    if result == 0 {
        return Ok((map.mapped_extents > 0).then_some(map.extent));
    }
    Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO))
}

/// Offset on the device of the first byte of a file's content, in bytes. `None` if the file system does not tell, or if there
/// is no such place: the content is in the inode, or not yet written.
pub fn first_extent(file: BorrowedFd<'_>) -> Option<u64> {
    let extent = first(file, 0).ok().flatten()?;
    (extent.flags & (UNKNOWN | NOT_YET_CHOSEN | INLINE) == 0).then_some(extent.physical)
}

/// Whether the content lies beside the metadata and not in blocks of its own, as small files of btrfs and ext4 may:
/// then the kernel has it in memory as soon as the file is open. A file system that cannot be asked has no such files.
///
/// # Errors
/// What the system says.
pub(crate) fn is_inline(file: BorrowedFd<'_>) -> Result<bool, Errno> {
    // Content that is inline begins with the file.
    match first(file, SYNC) {
        Ok(extent) => Ok(extent.is_some_and(|extent| extent.flags & INLINE != 0)),
        Err(Errno::OPNOTSUPP | Errno::NOTTY) => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write as _;
    use std::os::fd::AsFd as _;

    use super::*;

    #[test]
    fn content_in_blocks_is_not_inline_and_an_answer_is_had_without_extents_too() {
        let mut file = tempfile::tempfile().expect("a temporary file");
        assert_eq!(is_inline(file.as_fd()), Ok(false));
        file.write_all(&[7; 1 << 20]).expect("write");
        assert_eq!(is_inline(file.as_fd()), Ok(false));
        assert_eq!(is_inline(File::open("/proc/version").expect("open").as_fd()), Ok(false));
    }

    #[test]
    fn what_lies_nowhere_has_no_place() {
        let made_up = File::open("/proc/version").expect("it is there");
        assert_eq!(first_extent(made_up.as_fd()), None);
        let empty = tempfile::tempfile().expect("a temporary file");
        assert_eq!(first_extent(empty.as_fd()), None);
    }

    #[test]
    fn two_files_on_a_device_lie_in_two_places() {
        let file = || {
            let mut file = tempfile::tempfile().expect("a temporary file");
            file.write_all(&[1; 100_000]).expect("write");
            file.sync_all().expect("sync");
            file
        };
        let (one, other) = (file(), file());
        let (Some(one), Some(other)) = (first_extent(one.as_fd()), first_extent(other.as_fd())) else {
            let reason = "the file system of the temporary directory does not tell where files lie";
            assert!(std::env::var_os("HASHLANE_SKIPS_FAIL").is_none_or(|fail| fail != "1"), "{reason}");
            return eprintln!("SKIPPED: two_files_on_a_device_lie_in_two_places: {reason}");
        };
        assert!(one.abs_diff(other) >= 100_000, "{one} {other}");
    }
}
