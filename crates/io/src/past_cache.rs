//! Whether and how a file is read past the page cache.

use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use rustix::fs::{AtFlags, FileType, OFlags, StatxFlags, fcntl_getfl, fcntl_setfl, fstat, statx};
use rustix::io::Errno;

use crate::extent;
use crate::file_system;
use crate::memory::BLOCK_ALIGNMENT;
use crate::obstacle::MediumObstacle;
use crate::open_file::{FileKind, OpenFile};
use crate::page_cache;
use crate::read_state::{DirectState, Refusal, Terms, Way};

/// The longest piece read beside the block, for what is not aligned.
pub(crate) const LONGEST_PIECE_BYTES: usize = 1 << 20;

/// Before each attempt to make the cache forget a file: pages that somebody reads at the moment cannot be dropped.
const PAUSES_MS: [u64; 5] = [0, 1, 5, 20, 80];

impl OpenFile {
    /// Whether reading it past the page cache is sure to ask a device: its file system lies on one, and promises that.
    pub fn promises_direct(&self) -> bool {
        file_system::is_on_block_device(self) && is_promised(self)
    }

    /// Settles how it is read past the page cache, if that takes no waiting; to be called when it was just opened and looked at.
    pub(crate) fn is_settled_at_once(&self) -> bool {
        match glance(self) {
            Some(way) => self.medium().0.set(way).is_ok(),
            None => false,
        }
    }
}

impl DirectState {
    /// How the file is read direct; `None` if it is to be read through the page cache. Sets the flag when first asked.
    pub(crate) fn terms(&self, file: &OpenFile, fallbacks: &AtomicU64) -> Option<Terms> {
        let terms = *self.terms.get_or_init(|| {
            let terms = terms_of(file).filter(|_| set_direct(file, true).is_ok());
            if terms.is_none() {
                fallbacks.fetch_add(1, Ordering::Relaxed);
            }
            terms
        });
        terms.filter(|_| !self.refused.load(Ordering::Acquire))
    }

    /// Takes note that the file system refused to read.
    pub(crate) fn refuse(&self, file: &OpenFile, fallbacks: &AtomicU64) {
        // It was set a moment ago; should that not be undone, the read that follows says what is wrong. Undone first, so
        // that nobody who sees the mark reads unaligned with the flag set.
        let _ = set_direct(file, false);
        if !self.refused.swap(true, Ordering::AcqRel) {
            fallbacks.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// How a file is read direct whose file system promises to go past the page cache; `None` if it promises nothing. Sets the
/// flag.
fn promised(file: &OpenFile) -> Option<Terms> {
    terms_of(file).filter(|terms| terms.promised && set_direct(file, true).is_ok())
}

/// Whether a file system promises to go past the page cache for a file.
fn is_promised(file: &OpenFile) -> bool {
    terms_of(file).is_some_and(|terms| terms.promised)
}

/// How a file wants to be read direct; `None` if it does not.
fn terms_of(file: &OpenFile) -> Option<Terms> {
    if file.is_shared() {
        return None;
    }
    match FileType::from_raw_mode(fstat(file.as_fd()).ok()?.st_mode) {
        FileType::RegularFile if file_system::is_memory(file.as_fd()) => return None,
        // The name of a device lies in memory, its content does not.
        FileType::RegularFile | FileType::BlockDevice => {}
        // On a FIFO the flag means something else.
        _ => return None,
    }
    let untold = Terms { alignment: BLOCK_ALIGNMENT, promised: false };
    let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC;
    let Ok(facts) = statx(file.as_fd(), c"", flags, StatxFlags::DIOALIGN) else {
        return Some(untold);
    };
    if facts.stx_mask & StatxFlags::DIOALIGN.bits() == 0 {
        return Some(untold);
    }
    let (memory, offset) = (facts.stx_dio_mem_align as usize, facts.stx_dio_offset_align as usize);
    let possible = offset.is_power_of_two() && offset <= LONGEST_PIECE_BYTES && memory <= BLOCK_ALIGNMENT;
    let promised = !file_system::may_pretend_direct(file.as_fd());
    possible.then(|| Terms { alignment: offset.max(memory), promised })
}

fn set_direct(file: &OpenFile, direct: bool) -> Result<(), Errno> {
    let mut flags = fcntl_getfl(file.as_fd())?;
    flags.set(OFlags::DIRECT, direct);
    fcntl_setfl(file.as_fd(), flags)
}

fn glance(file: &OpenFile) -> Option<Result<Way, Refusal>> {
    let facts = file.facts();
    if facts.kind != FileKind::Regular {
        return Some(Err(MediumObstacle::NotOnDevice.into()));
    }
    if !file_system::keeps_pages_only(file) {
        let is_in_memory = file_system::is_memory(file.as_fd()) || file.is_synthetic();
        return match is_in_memory {
            true => Some(Err(MediumObstacle::InMemory.into())),
            false if facts.size_bytes == 0 => Some(Ok(Way::Empty)),
            false if file_system::is_on_block_device(file) => None,
            false => Some(Err(MediumObstacle::CacheUnseen.into())),
        };
    }
    match file.resident_bytes() {
        _ if facts.size_bytes == 0 => Some(Ok(Way::Empty)),
        Some(0) if !file_system::may_be_inline(file) => Some(Ok(Way::Uncached)),
        Some(0) => Some(match extent::is_inline(file.as_fd()) {
            Ok(false) => Ok(Way::Uncached),
            Ok(true) => Err(MediumObstacle::BesideMetadata.into()),
            Err(error) => Err(error.into()),
        }),
        _ => None,
    }
}

impl Way {
    /// The way for a file, with what it takes done.
    pub(crate) fn of(file: &OpenFile) -> Result<Self, Refusal> {
        match FileType::from_raw_mode(fstat(file.as_fd())?.st_mode) {
            FileType::RegularFile if file.is_synthetic() => return Err(MediumObstacle::InMemory.into()),
            FileType::RegularFile if file.facts().size_bytes == 0 => return Ok(Self::Empty),
            FileType::RegularFile if file_system::is_memory(file.as_fd()) => {
                return Err(MediumObstacle::InMemory.into());
            }
            // Looking would move the offset of whoever shares it.
            FileType::RegularFile if file.is_shared() => {}
            FileType::RegularFile => file.look_for_holes(),
            FileType::BlockDevice => {}
            _ => return Err(MediumObstacle::NotOnDevice.into()),
        }
        if file_system::is_on_block_device(file)
            && let Some(terms) = promised(file)
        {
            return Ok(Self::Direct(terms));
        }
        forget(file).map(|()| Self::Uncached)
    }
}

/// Makes the page cache forget a file, and sees that it did.
fn forget(file: &OpenFile) -> Result<(), Refusal> {
    if !file_system::caches_pages_only(file.as_fd()) {
        return Err(MediumObstacle::CacheUnseen.into());
    }
    if extent::is_inline(file.as_fd())? {
        return Err(MediumObstacle::BesideMetadata.into());
    }
    for pause in PAUSES_MS {
        thread::sleep(Duration::from_millis(pause));
        page_cache::evict(file.as_fd()).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
        match page_cache::residency(file.as_fd(), 0, file.facts().size_bytes) {
            None => return Err(MediumObstacle::CacheUnreported.into()),
            Some(left) if left.resident_bytes > 0 => {}
            Some(_) => return Ok(()),
        }
    }
    Err(MediumObstacle::Cached.into())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write as _;

    use super::*;
    use crate::window::Window;

    const BYTES: usize = 300_000;

    /// A file that was just written, or a reason why its cache cannot be looked into here.
    fn written() -> Result<(tempfile::NamedTempFile, OpenFile), &'static str> {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(&[7; BYTES]).expect("write");
        let opened = OpenFile::new(File::open(file.path()).expect("open").into()).expect("stat");
        let seen = file_system::caches_pages_only(opened.as_fd())
            && page_cache::residency(opened.as_fd(), 0, BYTES as u64).is_some();
        if seen {
            Ok((file, opened))
        } else {
            Err("the page cache of the temporary directory cannot be observed")
        }
    }

    fn skip(reason: &str) {
        assert!(std::env::var_os("HASHLANE_SKIPS_FAIL").is_none_or(|fail| fail != "1"), "{reason}");
        eprintln!("SKIPPED: {reason}");
    }

    #[test]
    fn a_file_is_forgotten_though_it_was_dirty_and_not_while_it_is_mapped() {
        let (_file, opened) = match written() {
            Ok(written) => written,
            Err(reason) => return skip(reason),
        };
        let resident =
            || page_cache::residency(opened.as_fd(), 0, BYTES as u64).expect("told before").resident_bytes;
        assert!(resident() >= BYTES as u64);
        assert_eq!(forget(&opened), Ok(()));
        assert_eq!(resident(), 0);
        let window = Window::map(&opened, 0, BYTES).expect("map");
        window.populate().expect("populate");
        assert_eq!(forget(&opened), Err(MediumObstacle::Cached.into()));
        drop(window);
        assert_eq!(forget(&opened), Ok(()));
    }

    #[test]
    fn what_lies_in_no_block_of_a_device_has_no_way() {
        let of = |file: File| Way::of(&OpenFile::new(file.into()).expect("stat")).map(|_| ());
        assert_eq!(of(File::open("/proc/version").expect("open")), Err(MediumObstacle::InMemory.into()));
        assert_eq!(of(File::open("/dev/null").expect("open")), Err(MediumObstacle::NotOnDevice.into()));
        let (reading, _writing) = std::io::pipe().expect("a pipe");
        assert_eq!(
            of(File::from(std::os::fd::OwnedFd::from(reading))),
            Err(MediumObstacle::NotOnDevice.into())
        );
        let memory =
            rustix::fs::memfd_create("a test", rustix::fs::MemfdFlags::CLOEXEC).expect("a file in memory");
        assert_eq!(of(memory.try_clone().expect("a second one").into()), Ok(()), "it is empty");
        rustix::io::write(&memory, b"more").expect("write");
        assert_eq!(of(memory.into()), Err(MediumObstacle::InMemory.into()));
    }
}
