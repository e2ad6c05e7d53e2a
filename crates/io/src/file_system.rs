//! What kind of file system a file lies in, where reading depends on it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::num::NonZeroU64;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::Path;

use crate::open_file::{FileKind, OpenFile};

/// Magic numbers of `statfs(2)` and linux/magic.h: tmpfs, ramfs, hugetlbfs.
const MEMORY: [u32; 3] = [0x0102_1994, 0x8584_58f6, 0x9584_58f6];

/// Likewise: overlayfs.
const OVERLAY: u32 = 0x794c_7630;

const ZFS: u32 = 0x2fc1_2fc1;

/// Likewise: proc, sysfs, debugfs, tracefs, cgroup, cgroup2, securityfs, configfs, pstore, efivarfs, bpf, selinuxfs.
const SYNTHETIC: [u32; 12] = [
    0x9fa0,
    0x6265_6572,
    0x6462_6720,
    0x7472_6163,
    0x0027_e0eb,
    0x6367_7270,
    0x7363_6673,
    0x6265_6570,
    0x6165_676c,
    0xde5e_81e4,
    0xcafe_4a11,
    0xf97c_ff8c,
];

/// Likewise: ext2 to ext4, XFS, btrfs, FAT, exFAT. They keep the content of files in their pages and nowhere else,
/// but what lies beside the metadata. Others may keep it elsewhere too: FUSE and stacked file systems in the pages of
/// other files, squashfs and erofs compressed, network file systems in another machine.
const CACHES_PAGES_ONLY: [u32; 5] = [0xef53, 0x5846_5342, BTRFS, 0x4d44, 0x2011_bab0];

const BTRFS: u32 = 0x9123_683e;

/// Likewise: F2FS, bcachefs, JFS, NTFS. With those above, all that the kernel reads itself from a device of this machine, and
/// in which no file system of somebody else's making can be hidden, as one can below overlayfs.
const LOCAL: [u32; 4] = [0xf2f5_2010, 0xca45_1a4e, 0x3153_464a, 0x7366_746e];

/// Likewise, where an inode is the number of its file until that is deleted: ext2 to ext4, XFS, btrfs, ZFS, F2FS, bcachefs, JFS, NTFS, tmpfs. Not
/// overlayfs: its layers may have the same numbers.
const LASTING: [u32; 9] =
    [0xef53, 0x5846_5342, BTRFS, ZFS, 0xf2f5_2010, 0xca45_1a4e, 0x3153_464a, 0x7366_746e, 0x0102_1994];

/// Whether what io_uring brings of its files can be relied on: that they come whole is the kernel's own doing. What is not
/// known is not relied on.
pub(crate) fn suits_rings(file: BorrowedFd<'_>) -> bool {
    let known = |magic| [&CACHES_PAGES_ONLY[..], &MEMORY, &LOCAL].iter().any(|some| some.contains(&magic));
    magic(file).is_some_and(known)
}

/// Whether its files live in memory and nowhere else.
pub(crate) fn is_memory(file: BorrowedFd<'_>) -> bool {
    magic(file).is_some_and(|magic| MEMORY.contains(&magic))
}

/// Whether its files are made up when they are read.
pub(crate) fn is_synthetic(file: BorrowedFd<'_>) -> bool {
    magic(file).is_some_and(|magic| SYNTHETIC.contains(&magic))
}

/// Where files are cached that cachestat(2) sees nothing of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CachedElsewhere {
    /// Under the inode of another file system: overlayfs. Of a file that was read a moment ago the call says 0 pages (Linux 6.18).
    OtherInode,
    /// In a cache of the file system's own: ZFS.
    OwnCache,
}

/// Where its files are cached, if the kernel's page-cache counters say nothing about them.
pub(crate) fn cached_elsewhere(file: BorrowedFd<'_>) -> Option<CachedElsewhere> {
    match magic(file)? {
        OVERLAY => Some(CachedElsewhere::OtherInode),
        ZFS => Some(CachedElsewhere::OwnCache),
        _ => None,
    }
}

/// Whether what the page cache has forgotten of a file must come from its device.
pub(crate) fn caches_pages_only(file: BorrowedFd<'_>) -> bool {
    magic(file).is_some_and(|magic| CACHES_PAGES_ONLY.contains(&magic))
}

/// Whether a file system may read from memory although it was asked to go past it: btrfs does so for compressed files, ZFS
/// for what it has in its own cache, and of FUSE nobody knows.
pub(crate) fn may_pretend_direct(file: BorrowedFd<'_>) -> bool {
    const FUSE: u32 = 0x6573_5546;
    magic(file).is_none_or(|magic| [BTRFS, FUSE, ZFS].contains(&magic))
}

thread_local! {
    /// The kinds of file systems on devices, for who asks of each of many files.
    static KINDS: Devices<Option<u32>> = const { Devices(RefCell::new(Vec::new())) };
}

fn kind_of(file: &OpenFile) -> Option<u32> {
    KINDS.with(|kinds| kinds.answer(file, magic))
}

/// The same as [`caches_pages_only`] of a file among many.
pub(crate) fn keeps_pages_only(file: &OpenFile) -> bool {
    kind_of(file).is_some_and(|kind| CACHES_PAGES_ONLY.contains(&kind))
}

/// Whether the content of a small file may lie beside its metadata: btrfs keeps up to a sector there, and ext4 what fits into an inode, which
/// takes no block of its own.
pub(crate) fn may_be_inline(file: &OpenFile) -> bool {
    const SECTOR_BYTES: u64 = 64 << 10;
    const EXT: u32 = 0xef53;
    const LEAST_BLOCK_BYTES: u64 = 1024;
    let facts = file.facts();
    match kind_of(file) {
        Some(BTRFS) | None => facts.size_bytes <= SECTOR_BYTES,
        Some(EXT) => facts.allocated_bytes < LEAST_BLOCK_BYTES.max(facts.size_bytes.min(SECTOR_BYTES)),
        // The others have no such files.
        Some(_) => false,
    }
}

/// Whether a file is a block device, or lies in a file system on one: those on none have a device number of their own.
pub(crate) fn is_on_block_device(file: &OpenFile) -> bool {
    file.facts().kind == FileKind::Special || rustix::fs::major(file.facts().device) != 0
}

#[allow(clippy::unnecessary_cast, reason = "the width of this field differs between architectures")]
fn magic(file: BorrowedFd<'_>) -> Option<u32> {
    rustix::fs::fstatfs(file).ok().map(|fs| fs.f_type as u32)
}

/// Which devices are memory file systems, asked once for each device number.
///
/// tmpfs refuses `RWF_NOWAIT` (EOPNOTSUPP, Linux 6.18) although none of its reads waits for a device, short of swap.
#[derive(Debug, Default)]
pub(crate) struct MemoryDevices(Devices<bool>);

impl MemoryDevices {
    /// Whether a file lies in memory.
    pub(crate) fn hold(&self, file: &OpenFile) -> bool {
        self.0.answer(file, is_memory)
    }
}

/// Which devices hold file systems that rings may read, asked once for each device number.
#[derive(Debug, Default)]
pub(crate) struct RingDevices(Devices<bool>);

impl RingDevices {
    /// Whether a file lies on such a device.
    pub(crate) fn hold(&self, file: &OpenFile) -> bool {
        self.0.answer(file, suits_rings)
    }
}

/// The file systems on devices: which of them give a file one inode for as long as it exists, whatever is mounted anew meanwhile, and how those
/// are recognized. FAT makes its inodes up as files are looked at, and of FUSE and SMB nobody knows. Asked once for each device
/// number.
#[derive(Debug, Default)]
pub struct FileSystems(HashMap<u64, Option<NonZeroU64>>);

impl FileSystems {
    /// What names the file system of a device wherever it is mounted (`f_fsid`, which most derive from their UUID); `None` if its files do not
    /// keep their inodes, or if it has no such name. `path`: a file on it.
    pub fn identity(&mut self, device: u64, path: &Path) -> Option<NonZeroU64> {
        if let Some(known) = self.0.get(&device) {
            return *known;
        }
        // What is not there any more shows nothing of its device.
        rustix::fs::stat(path).ok().filter(|found| found.st_dev == device)?;
        let found = rustix::fs::statfs(path).ok()?;
        #[allow(clippy::unnecessary_cast, reason = "the width of this field differs between architectures")]
        let lasts = LASTING.contains(&(found.f_type as u32));
        let name = rustix::fs::statvfs(path).ok().and_then(|found| NonZeroU64::new(found.f_fsid));
        let identity = name.filter(|_| lasts);
        self.0.insert(device, identity);
        identity
    }
}

/// Answers to one question by device number.
#[derive(Debug, Default)]
struct Devices<T>(RefCell<Vec<(u64, T)>>);

impl<T: Copy> Devices<T> {
    /// More devices than this in one run are asked about again and again.
    const MOST: usize = 32;

    fn answer(&self, file: &OpenFile, ask: fn(BorrowedFd<'_>) -> T) -> T {
        let device = file.facts().device;
        let mut known = self.0.borrow_mut();
        if let Some(&(_, answer)) = known.iter().find(|(number, _)| *number == device) {
            return answer;
        }
        let answer = ask(file.as_fd());
        if known.len() < Self::MOST {
            known.push((device, answer));
        }
        answer
    }
}
impl OpenFile {
    /// Whether it lies in a file system whose files are made up when they are read (proc, sysfs and their kin), where
    /// sizes promise nothing.
    pub fn is_synthetic(&self) -> bool {
        is_synthetic(self.as_fd())
    }
}
