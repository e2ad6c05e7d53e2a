//! The engine of `--from-medium`: every byte that it brings has come from the device since the run began, or the file
//! fails.
//!
//! Two ways prove it, and each file goes one of them ([`Way::of`]):
//!
//! - **Direct**, where the file system promises it for this file (statx `STATX_DIOALIGN`, Linux 6.1): what is dirty
//!   in the page cache is written first, and no read is answered from there. The cache stays as it is, and who has
//!   the file mapped does not matter.
//! - **Evicted**: the page cache is made to forget the file, and cachestat(2) to say that it holds no page of it
//!   (Linux 6.5). From that moment on, whatever is read was brought by the device, whoever asked for it; a write
//!   makes the file unstable.
//!
//! What neither can prove is refused: [`MediumObstacle`] says why, or the system said it when the cache was to forget the
//! file.
//!
//! [`PastCache`] goes the same ways where there is one, and reads through the page cache where there is none; the file tells why
//! ([`OpenFile::medium_obstacle`]). A file of which the page cache holds nothing is as good as evicted: its bytes are proven to
//! come from the device before anybody has to wait, and the engine that suits the device reads it.
//!
//! A hole has no bytes on the medium and is not read: a file that has one comes back from its opening with nothing read
//! ([`OpenFile::has_holes`]), for the caller to plan. So does one that is refused; its first read says why.

use std::fmt;
use std::os::fd::AsFd as _;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use rustix::fs::{FileType, fstat};
use rustix::io::Errno;

use crate::delivery::{Delivery, by_delivery};
use crate::direct::{self, Terms, read_direct};
use crate::engine::{Completion, ReadCause, ReadEngine, ReadError, ReadStep, Request, Target, Waker};
use crate::extent;
use crate::file_system::{self, MemoryDevices};
use crate::obstacle::MediumObstacle;
use crate::open_file::{FileKind, OpenFile};
use crate::page_cache;
use crate::pool::ReaderPool;
use crate::step::{Patience, Step};

/// Before each attempt to make the cache forget a file: pages that somebody reads at the moment cannot be dropped.
const PAUSES_MS: [u64; 5] = [0, 1, 5, 20, 80];

/// Reads from the device and nowhere else. Every read waits for it, so all go to the pool.
#[derive(Debug)]
pub struct FromMedium {
    delivery: Delivery,
    memory: MemoryDevices,
}

impl FromMedium {
    /// An engine for the calling thread that lets `pool` do its waiting.
    pub fn new(pool: Arc<ReaderPool>) -> Self {
        Self { delivery: Delivery::new(pool), memory: MemoryDevices::default() }
    }
}

impl ReadEngine for FromMedium {
    fn name(&self) -> &'static str {
        "from-medium"
    }

    fn submit(&mut self, request: Request) {
        let opens = matches!(request.target, Target::Open { .. });
        let mut step = Step::new(request);
        // Opened at once if that takes no waiting, so that a file that is not there costs no reader.
        if step.advance(Patience::Now(&self.memory), |_, _| Ok(false)) {
            self.delivery.now(step.completion);
            return;
        }
        let pool = Arc::clone(self.delivery.pool());
        self.delivery.later(move || {
            step.advance(Patience::Wait, |step, _| {
                let file = step.file();
                let _turn = pool.turn_for(&file);
                bring(step, opens)
            });
            step.completion
        });
    }

    by_delivery!();
}

/// Reads past the page cache what can be, and the rest through it.
///
/// The engine beneath it opens all files, and reads those of which the page cache holds nothing and those that there is no way for.
pub struct PastCache {
    usual: Box<dyn ReadEngine>,
    delivery: Delivery,
}

impl PastCache {
    /// Around an engine of the calling thread. `pool` waits for what is read past the cache.
    pub fn new(usual: Box<dyn ReadEngine>, pool: Arc<ReaderPool>) -> Self {
        let delivery = Delivery::with_waker(pool, usual.waker());
        Self { usual, delivery }
    }
}

impl fmt::Debug for PastCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PastCache").field("usual", &self.usual.name()).finish_non_exhaustive()
    }
}

impl ReadEngine for PastCache {
    fn name(&self) -> &'static str {
        self.usual.name()
    }

    fn submit(&mut self, mut request: Request) {
        match &mut request.target {
            Target::Open { first_read, .. } => first_read.uncached = true,
            Target::File(file) if file.medium().is_past_cache() => {
                let pool = Arc::clone(self.delivery.pool());
                let mut step = Step::new(request);
                self.delivery.later(move || {
                    step.advance(Patience::Wait, |step, _| {
                        let file = step.file();
                        let _turn = pool.turn_for(&file);
                        bring_if_possible(step)
                    });
                    step.completion
                });
                return;
            }
            Target::File(_) => {}
        }
        self.usual.submit(request);
    }

    fn reap(&mut self) -> Option<Completion> {
        self.usual.reap().or_else(|| self.delivery.reap())
    }

    /// What the pool has brought wakes the engine beneath.
    fn wait(&mut self) {
        if self.delivery.is_empty() {
            self.usual.wait();
        }
    }

    fn waker(&self) -> Waker {
        self.usual.waker()
    }

    fn in_flight(&self) -> usize {
        self.usual.in_flight() + self.delivery.in_flight()
    }

    fn fallbacks(&self) -> u64 {
        self.usual.fallbacks()
    }

    fn unsuited(&self) -> u64 {
        self.usual.unsuited()
    }
}

/// How a file is read so that all comes from its device; settled before its first read, by whoever comes first.
#[derive(Debug, Default)]
pub(crate) struct MediumState(OnceLock<Result<Way, Refusal>>);

impl MediumState {
    /// Whether reads go past the page cache, or may.
    fn is_past_cache(&self) -> bool {
        matches!(self.0.get(), None | Some(Ok(Way::Direct(_))))
    }

    /// Whether all that is read of it is shown to come from its device.
    pub(crate) fn is_proven(&self) -> bool {
        matches!(self.0.get(), Some(Ok(_)))
    }

    /// Whether reads have gone past the page cache.
    pub(crate) fn is_direct(&self) -> bool {
        matches!(self.0.get(), Some(Ok(Way::Direct(_))))
    }

    /// Why that cannot be shown, if it was looked for.
    pub(crate) fn obstacle(&self) -> Option<MediumObstacle> {
        match self.0.get()? {
            Ok(_) => None,
            Err(Refusal::Obstacle(obstacle)) => Some(*obstacle),
            // It could not be written, so that the cache keeps it.
            Err(Refusal::System(_)) => Some(MediumObstacle::Cached),
        }
    }
}

/// Settles the way of a file that was just opened and of which is known what the page cache holds, if that takes no waiting. Else
/// whoever reads it first does.
pub(crate) fn is_settled_at_once(file: &OpenFile) -> bool {
    match glance(file) {
        Some(way) => file.medium().0.set(way).is_ok(),
        None => false,
    }
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

#[derive(Clone, Copy, Debug)]
enum Way {
    /// There is nothing to read.
    Empty,
    /// Past the page cache.
    Direct(Terms),
    /// Through the page cache, which holds nothing of the file, or has forgotten it.
    Uncached,
}

/// Why there is no way. Told again for each read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    System(Errno),
    Obstacle(MediumObstacle),
}

impl From<Errno> for Refusal {
    fn from(error: Errno) -> Self {
        Self::System(error)
    }
}

impl From<MediumObstacle> for Refusal {
    fn from(obstacle: MediumObstacle) -> Self {
        Self::Obstacle(obstacle)
    }
}

impl From<Refusal> for ReadError {
    fn from(refusal: Refusal) -> Self {
        let cause = match refusal {
            Refusal::System(error) => ReadCause::System(error.into()),
            Refusal::Obstacle(obstacle) => obstacle.into(),
        };
        Self { step: ReadStep::FromMedium, cause }
    }
}

impl Way {
    /// The way for a file, with what it takes done.
    fn of(file: &OpenFile) -> Result<Self, Refusal> {
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
            && let Some(terms) = direct::promised(file)
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

/// Brings what is wanted; on a reader, for all of it may wait.
fn bring(step: &mut Step, opens: bool) -> Result<bool, ReadError> {
    let file = step.file();
    let way = *file.medium().0.get_or_init(|| Way::of(&file));
    if opens && (way.is_err() || file.has_holes()) {
        step.wanted = 0;
    }
    if step.wanted == 0 {
        return Ok(true);
    }
    match way {
        Ok(Way::Empty) => step.read(Patience::Wait),
        Ok(Way::Direct(terms)) => match read_direct(step, &file, terms) {
            Ok(()) => Ok(true),
            Err(error) => Err(step.unreadable(error)),
        },
        Ok(Way::Uncached) => {
            step.expect_device();
            step.read(Patience::Wait)
        }
        Err(refusal) => Err(refusal.into()),
    }
}

/// The same where a file that there is no way for is read through the page cache.
fn bring_if_possible(step: &mut Step) -> Result<bool, ReadError> {
    let file = step.file();
    match file.medium().0.get_or_init(|| Way::of(&file)) {
        Ok(_) => bring(step, false),
        Err(_) => step.read(Patience::Wait),
    }
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
