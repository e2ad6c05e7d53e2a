//! Where the content of a file lies on its device.

use std::os::fd::{AsRawFd as _, BorrowedFd};

/// Offset on the device of the first byte of a file's content, by FIEMAP, in bytes. `None` if the file system does not tell,
/// or if there is no such place: the content is in the inode, or not yet written.
pub fn first_extent(file: BorrowedFd<'_>) -> Option<u64> {
    /// `struct fiemap` of linux/fiemap.h, with room for one extent.
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
    /// `struct fiemap_extent`.
    #[repr(C)]
    #[derive(Default)]
    struct Extent {
        logical: u64,
        physical: u64,
        length: u64,
        reserved: [u64; 2],
        flags: u32,
        reserved_too: [u32; 3],
    }
    /// `FS_IOC_FIEMAP`: `_IOWR('f', 11, struct fiemap)`, the same on every architecture that we build for.
    const FIEMAP: u32 = 0xc020_660b;
    /// The place is not known, not chosen yet, or that of the inode: FIEMAP_EXTENT_UNKNOWN, _DELALLOC, _DATA_INLINE.
    const NOWHERE: u32 = 0x2 | 0x4 | 0x200;

    let mut map = Map { length: u64::MAX, extent_count: 1, ..Map::default() };
    // SAFETY: the structure has the layout of linux/fiemap.h with room for as many extents as it says, and lives through
    // the call; the kernel keeps no pointer to it. The descriptor is borrowed, hence open.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), FIEMAP as _, &raw mut map) };
    (result == 0 && map.mapped_extents == 1 && map.extent.flags & NOWHERE == 0).then_some(map.extent.physical)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write as _;
    use std::os::fd::AsFd as _;

    use super::*;

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
