//! Where on its device the content of a file lies.

use std::os::fd::{AsRawFd as _, BorrowedFd};

use rustix::io::Errno;

/// Whether the content lies beside the metadata and not in blocks of its own, as small files of btrfs and ext4 may:
/// then the kernel has it in memory as soon as the file is open. By `FS_IOC_FIEMAP`; a file system without that has
/// no such files.
///
/// # Errors
/// What the system says.
pub(crate) fn are_inline(file: BorrowedFd<'_>) -> Result<bool, Errno> {
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
    #[repr(C)]
    #[derive(Default)]
    struct Extent {
        logical: u64,
        physical: u64,
        length: u64,
        reserved64: [u64; 2],
        flags: u32,
        reserved: [u32; 3],
    }
    /// `_IOWR('f', 11, struct fiemap)`: the size in it is that without extents.
    const FS_IOC_FIEMAP: u32 = 0xc020_660b;
    const FIEMAP_FLAG_SYNC: u32 = 1;
    const FIEMAP_EXTENT_DATA_INLINE: u32 = 0x200;

    // Content that is inline begins with the file.
    let mut map = Map { length: u64::MAX, flags: FIEMAP_FLAG_SYNC, extent_count: 1, ..Map::default() };
    // SAFETY: the structure has the layout of linux/fiemap.h with as many extents behind it as `extent_count` says; the
    // kernel writes into it during the call and keeps nothing. The descriptor is borrowed, hence open.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), FS_IOC_FIEMAP as _, &raw mut map) };
    if result == 0 {
        return Ok(map.mapped_extents > 0 && map.extent.flags & FIEMAP_EXTENT_DATA_INLINE != 0);
    }
    match Errno::from_io_error(&std::io::Error::last_os_error()) {
        Some(Errno::OPNOTSUPP | Errno::NOTTY) => Ok(false),
        error => Err(error.unwrap_or(Errno::IO)),
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
        assert_eq!(are_inline(file.as_fd()), Ok(false));
        file.write_all(&[7; 1 << 20]).expect("write");
        assert_eq!(are_inline(file.as_fd()), Ok(false));
        assert_eq!(are_inline(File::open("/proc/version").expect("open").as_fd()), Ok(false));
    }
}
