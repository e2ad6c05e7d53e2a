//! What kind of file system a file lies in, where reading depends on it.

use std::cell::RefCell;
use std::os::fd::{AsFd as _, BorrowedFd};

use crate::open_file::OpenFile;

/// Magic numbers of `statfs(2)` and linux/magic.h: tmpfs, ramfs, hugetlbfs.
const MEMORY: [u32; 3] = [0x0102_1994, 0x8584_58f6, 0x9584_58f6];

/// Likewise: overlayfs, whose files are cached under another inode, and ZFS, which has a cache of its own. cachestat(2)
/// sees nothing of either: on overlayfs (Linux 6.18) it says 0 pages of a file that was read a moment ago.
const CACHED_ELSEWHERE: [u32; 2] = [0x794c_7630, 0x2fc1_2fc1];

/// Whether its files live in memory and nowhere else.
pub(crate) fn is_memory(file: BorrowedFd<'_>) -> bool {
    magic(file).is_some_and(|magic| MEMORY.contains(&magic))
}

/// Whether the kernel's page-cache counters say nothing about its files.
pub(crate) fn is_cached_elsewhere(file: BorrowedFd<'_>) -> bool {
    magic(file).is_some_and(|magic| CACHED_ELSEWHERE.contains(&magic))
}

#[allow(clippy::unnecessary_cast, reason = "the width of this field differs between architectures")]
fn magic(file: BorrowedFd<'_>) -> Option<u32> {
    rustix::fs::fstatfs(file).ok().map(|fs| fs.f_type as u32)
}

/// Which devices are memory file systems, asked once for each device number.
///
/// tmpfs refuses `RWF_NOWAIT` (EOPNOTSUPP, Linux 6.18) although none of its reads waits for a device, short of swap.
#[derive(Debug, Default)]
pub(crate) struct MemoryDevices(RefCell<Vec<(u64, bool)>>);

impl MemoryDevices {
    /// More devices than this in one run are asked about again and again.
    const MOST: usize = 32;

    /// Whether a file lies in memory.
    pub(crate) fn hold(&self, file: &OpenFile) -> bool {
        let device = file.facts().device;
        let mut known = self.0.borrow_mut();
        if let Some(&(_, memory)) = known.iter().find(|(number, _)| *number == device) {
            return memory;
        }
        let memory = is_memory(file.as_fd());
        if known.len() < Self::MOST {
            known.push((device, memory));
        }
        memory
    }
}
