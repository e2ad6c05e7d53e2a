//! Where on its device the content of a file lies, by `FS_IOC_FIEMAP`.

use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd};

use rustix::io::Errno;

/// `FIEMAP_FLAG_SYNC`: what is not written yet is written first.
const SYNC: u32 = 1;

/// Flags of an extent: `FIEMAP_EXTENT_UNKNOWN`, `FIEMAP_EXTENT_DELALLOC` and `FIEMAP_EXTENT_DATA_INLINE`.
const UNKNOWN: u32 = 0x2;
const NOT_YET_CHOSEN: u32 = 0x4;
const INLINE: u32 = 0x200;

/// `FIEMAP_EXTENT_LAST` and `FIEMAP_EXTENT_UNWRITTEN`: set aside for the file, and never written.
const LAST: u32 = 0x1;
const UNWRITTEN: u32 = 0x800;

/// `struct fiemap_extent` of linux/fiemap.h.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Extent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved_64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

/// The first extents of a file from an offset, and how many there are: no more than `N`.
fn extents<const N: usize>(
    file: BorrowedFd<'_>,
    start: u64,
    flags: u32,
) -> Result<([Extent; N], usize), Errno> {
    /// `struct fiemap` with room for this many extents.
    #[repr(C)]
    struct Map<const N: usize> {
        start: u64,
        length: u64,
        flags: u32,
        mapped_extents: u32,
        extent_count: u32,
        reserved: u32,
        extents: [Extent; N],
    }
    /// `_IOWR('f', 11, struct fiemap)`: the size in it is that without extents. The same on every architecture that we build
    /// for.
    const FS_IOC_FIEMAP: u32 = 0xc020_660b;

    let mut map = Map {
        start,
        length: u64::MAX - start,
        flags,
        mapped_extents: 0,
        extent_count: N as u32,
        reserved: 0,
        extents: [Extent::default(); N],
    };
    // SAFETY: the structure has the layout of linux/fiemap.h with as many extents behind it as `extent_count` says; the
    // kernel writes into it during the call and keeps nothing. The descriptor is borrowed, hence open.
    let result = unsafe { libc::ioctl(file.as_raw_fd(), FS_IOC_FIEMAP as _, &raw mut map) };
    if result == 0 {
        return Ok((map.extents, (map.mapped_extents as usize).min(N)));
    }
    Err(Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO))
}

/// The first extent of a file; `None` if it has none.
fn first(file: BorrowedFd<'_>, flags: u32) -> Result<Option<Extent>, Errno> {
    let ([extent], count) = extents::<1>(file, 0, flags)?;
    Ok((count > 0).then_some(extent))
}

/// Bytes of the first `length_bytes` of a file that no medium holds: holes, and what was set aside and never written. What
/// waits in the page cache to be written for the first time may count among them. Moves the offset of the descriptor where the
/// file system has no map of extents.
///
/// # Errors
/// What the system says.
pub fn unwritten_bytes(file: BorrowedFd<'_>, length_bytes: u64) -> io::Result<u64> {
    const AT_ONCE: usize = 32;
    let mut written = 0;
    let mut at = 0;
    while at < length_bytes {
        let (found, count) = match extents::<AT_ONCE>(file, at, 0) {
            Ok(found) => found,
            Err(Errno::OPNOTSUPP | Errno::NOTTY | Errno::INVAL) => return hole_bytes(file, length_bytes),
            Err(error) => return Err(error.into()),
        };
        let found = &found[..count];
        for extent in found.iter().filter(|extent| extent.flags & UNWRITTEN == 0) {
            let end = extent.logical.saturating_add(extent.length).min(length_bytes);
            written += end.saturating_sub(extent.logical.max(at));
        }
        match found.last() {
            Some(last) if last.flags & LAST == 0 && last.length > 0 => {
                at = last.logical.saturating_add(last.length);
            }
            _ => break,
        }
    }
    Ok(length_bytes - written.min(length_bytes))
}

/// The same by `SEEK_DATA`, which takes what was set aside for data where the page cache has it.
fn hole_bytes(file: BorrowedFd<'_>, length_bytes: u64) -> io::Result<u64> {
    let mut data = 0;
    let mut at = 0;
    while at < length_bytes {
        match data_from(file, at)? {
            Some((start, end)) if start < length_bytes => {
                data += end.min(length_bytes) - start;
                at = end;
            }
            _ => break,
        }
    }
    Ok(length_bytes - data)
}

/// Offset and end of the data at or behind `offset`, in bytes. `None` if only hole is left up to the end. A file system that
/// knows no holes says that all is data.
///
/// # Errors
/// What the system says.
pub(crate) fn data_from(file: BorrowedFd<'_>, offset: u64) -> io::Result<Option<(u64, u64)>> {
    use rustix::fs::{SeekFrom, seek};
    let start = match seek(file, SeekFrom::Data(offset)) {
        Ok(start) => start,
        Err(Errno::NXIO) => return Ok(None),
        Err(Errno::INVAL | Errno::OPNOTSUPP) => return Ok(Some((offset, u64::MAX))),
        Err(error) => return Err(error.into()),
    };
    match seek(file, SeekFrom::Hole(start)) {
        Ok(end) => Ok(Some((start, end))),
        // The file became shorter between the two calls.
        Err(Errno::NXIO) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Offset on the device of the first byte of a file's content, in bytes. `None` if the file system does not say, or if there
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
    fn holes_and_what_was_never_written_lie_on_no_medium() {
        use std::os::unix::fs::FileExt as _;
        const PIECE: u64 = 1 << 20;
        let of = |file: &File, bytes| unwritten_bytes(file.as_fd(), bytes).expect("it can be asked");
        let skipped = |reason: &str| {
            assert!(std::env::var_os("HASHLANE_SKIPS_FAIL").is_none_or(|fail| fail != "1"), "{reason}");
            eprintln!("SKIPPED: holes_and_what_was_never_written_lie_on_no_medium: {reason}");
        };
        let file = tempfile::tempfile().expect("a temporary file");
        file.set_len(100 * PIECE).expect("it has a length");
        if of(&file, 100 * PIECE) != 100 * PIECE {
            return skipped("the file system of the temporary directory does not tell where holes are");
        }
        // More pieces than are asked for at once.
        for number in 0..40 {
            file.write_all_at(&[7; PIECE as usize], 2 * number * PIECE).expect("write");
        }
        file.sync_all().expect("sync");
        assert_eq!(of(&file, 100 * PIECE), 60 * PIECE);
        assert_eq!(of(&file, 3 * PIECE), PIECE);
        assert_eq!(hole_bytes(file.as_fd(), 100 * PIECE).expect("it can be asked"), 60 * PIECE);
        // Set aside: not a hole, and yet nothing is there. Memory file systems have no such difference, and without a map of extents it
        // cannot be seen.
        if crate::file_system::is_memory(file.as_fd()) {
            return;
        }
        if extents::<1>(file.as_fd(), 0, 0).is_err() {
            return skipped("the file system of the temporary directory has no map of extents");
        }
        match rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, 80 * PIECE) {
            Ok(()) => {}
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => {
                return skipped("the file system of the temporary directory sets nothing aside");
            }
            Err(error) => panic!("there is room: {error}"),
        }
        assert_eq!(of(&file, 80 * PIECE), 40 * PIECE);
        std::io::copy(&mut &file, &mut std::io::sink()).expect("read");
        assert_eq!(of(&file, 80 * PIECE), 40 * PIECE, "whatever the page cache has of it");
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
