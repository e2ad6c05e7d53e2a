//! What only the uring engine promises. What all engines promise is tested in `tests/engines.rs`.
//!
//! Most of what a test reads was written a moment ago, and would never see the ring. So the requests here are given to it
//! past the page cache of names and content: [`Uring::wait_for`].

use std::fs::{self, File};
use std::io::Write as _;
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, symlink};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::*;
use crate::{Block, Directory, FilePlace, FirstRead, OpenFile, OpenHow, Target};

const READ_ALL: FirstRead = FirstRead { largest_bytes: u64::MAX, linked: true, uncached: false };

/// An engine with a ring and a temporary directory.
struct Bench {
    engine: Uring,
    place: tempfile::TempDir,
}

impl Bench {
    /// None, and the test is skipped, where there is no ring to be had.
    fn new(test: &str) -> Option<Self> {
        // First, as a short ring limits how many threads of the kernel serve the others of its thread.
        let place = place(test)?;
        match Ring::new(Uring::DEPTH) {
            Ok(ring) => Some(Self { engine: Uring::with_ring(Ok(ring), ReaderPool::new(2)), place }),
            Err(error) => {
                skip(test, &format!("no io_uring: {error}"));
                None
            }
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    fn open(&self, name: &str) -> Arc<OpenFile> {
        Arc::new(OpenFile::new(File::open(self.path(name)).expect("open").into()).expect("stat"))
    }

    /// Opens a file by the ring, which may then be asked for its bytes.
    fn start_open(&mut self, token: u64, name: &str, how: OpenHow) {
        let descriptor = File::open(self.place.path()).expect("open the directory").into();
        let directory =
            Directory::with_descriptor(self.place.path().as_os_str().as_bytes(), descriptor, None);
        let name = std::ffi::CString::new(name).expect("no NUL");
        let target = Target::Open {
            place: FilePlace { directory: Arc::new(directory), name: name.into(), how },
            first_read: READ_ALL,
        };
        let block = Block::new(4096);
        self.engine.wait_for(Step::new(Request { token, target, offset: 0, length: 4096, block }));
    }

    fn start_read(&mut self, token: u64, file: &Arc<OpenFile>, offset: u64, length: usize) {
        let (target, block) = (Target::File(Arc::clone(file)), Block::new(length));
        self.engine.wait_for(Step::new(Request { token, target, offset, length, block }));
    }

    fn complete(&mut self) -> Completion {
        complete(&mut self.engine)
    }

    fn read(&mut self, file: &Arc<OpenFile>, offset: u64, length: usize) -> Vec<u8> {
        self.start_read(0, file, offset, length);
        let completion = self.complete();
        assert!(completion.error.is_none() && completion.read, "{:?}", completion.error);
        completion.block.bytes().to_vec()
    }

    /// The error of opening, by its number.
    fn refusal(&mut self, name: &str, how: OpenHow) -> Option<i32> {
        self.start_open(0, name, how);
        let completion = self.complete();
        let error = completion.error?;
        assert!(error.step == ReadStep::Open && completion.file.is_none() && !completion.read);
        error.raw_os_error()
    }
}

/// A temporary directory that rings may read; where temporary files lie on overlayfs it is one in memory, if there is any.
fn place(test: &str) -> Option<tempfile::TempDir> {
    let place = tempfile::tempdir().expect("a temporary directory");
    let place = match Uring::available_at(place.path()) {
        Ok(()) => Ok(place),
        Err(_) => tempfile::tempdir_in("/dev/shm"),
    };
    place.inspect_err(|error| skip(test, &format!("no directory that rings may read: {error}"))).ok()
}

#[test]
fn what_no_ring_may_read_is_read_by_the_pool_and_counted() {
    let Some(mut bench) = Bench::new("what_no_ring_may_read_...") else { return };
    // Of proc nobody knows what stands behind it, as with FUSE and with other machines.
    let known = fs::read("/proc/version").expect("proc");
    let file = Arc::new(OpenFile::new(File::open("/proc/version").expect("open").into()).expect("stat"));
    assert_eq!(bench.read(&file, 0, 4096), known);
    assert_eq!((bench.engine.unsuited(), bench.engine.fallbacks()), (1, 1));
    // Nor is a name in it opened by one.
    let descriptor = File::open("/proc").expect("open").into();
    let directory = Arc::new(Directory::with_descriptor(*b"/proc", descriptor, None));
    let target = Target::Open {
        place: FilePlace { directory, name: c"version".into(), how: OpenHow::Walked },
        first_read: READ_ALL,
    };
    let block = Block::new(4096);
    bench.engine.wait_for(Step::new(Request { token: 1, target, offset: 0, length: 4096, block }));
    let completion = bench.complete();
    assert!(completion.error.is_none() && completion.block.bytes() == known, "{:?}", completion.error);
    assert_eq!(bench.engine.unsuited(), 2);
    // By its path a name is opened, and what it leads to is not read.
    let directory = Arc::new(Directory::current());
    let place = FilePlace { directory, name: c"/proc/version".into(), how: OpenHow::Named };
    let target = Target::Open { place, first_read: READ_ALL };
    let block = Block::new(4096);
    bench.engine.wait_for(Step::new(Request { token: 2, target, offset: 0, length: 4096, block }));
    assert!(bench.complete().block.bytes() == known);
    assert!(Uring::available_at(std::path::Path::new("/proc")).is_err());
    // What lies on a device of this machine is read by rings all the same.
    fs::write(bench.path("file"), "here").expect("write");
    let file = bench.open("file");
    let before = bench.engine.fallbacks();
    assert_eq!(bench.read(&file, 0, 4), b"here");
    assert_eq!(bench.engine.fallbacks(), before);
}

fn skip(test: &str, reason: &str) {
    assert!(std::env::var_os("HASHLANE_SKIPS_FAIL").is_none_or(|fail| fail != "1"), "{test}: {reason}");
    eprintln!("SKIPPED: {test}: {reason}");
}

fn complete(engine: &mut Uring) -> Completion {
    loop {
        match engine.reap() {
            Some(completion) => return completion,
            None => engine.wait(),
        }
    }
}

fn content(length: usize) -> Vec<u8> {
    (0..length as u32).map(|index| (index.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

fn mkfifo(path: PathBuf) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).expect("make a FIFO");
}

#[test]
fn what_the_ring_opens_is_what_the_system_opens() {
    let Some(mut bench) = Bench::new("what_the_ring_opens_...") else { return };
    fs::write(bench.path("file"), b"abc").expect("write");
    fs::create_dir(bench.path("directory")).expect("mkdir");
    symlink("file", bench.path("link")).expect("symlink");
    symlink("/etc/passwd", bench.path("out")).expect("symlink");
    for (name, how) in
        [("file", OpenHow::Walked), ("link", OpenHow::Named), ("directory/../link", OpenHow::Confined)]
    {
        bench.start_open(5, name, how);
        let completion = bench.complete();
        assert_eq!((completion.block.bytes(), completion.token), (&b"abc"[..], 5));
        assert_eq!(completion.sources.total_bytes(), 3);
    }
    let long = "./".repeat(3000) + "file";
    bench.start_open(5, &long, OpenHow::Confined);
    assert_eq!(bench.complete().block.bytes(), b"abc", "that takes several calls");
    for (name, how, errno) in [
        ("missing", OpenHow::Walked, libc::ENOENT),
        ("file/below", OpenHow::Named, libc::ENOTDIR),
        ("link", OpenHow::Walked, libc::ELOOP),
        ("out", OpenHow::Confined, libc::EXDEV),
        ("../secret", OpenHow::Confined, libc::EXDEV),
        ("/etc/passwd", OpenHow::Confined, libc::EXDEV),
    ] {
        assert_eq!(bench.refusal(name, how), Some(errno), "{name}");
    }
    bench.start_open(5, "directory", OpenHow::Walked);
    let completion = bench.complete();
    assert!(completion.error.is_none() && !completion.read);
    assert_eq!(completion.file.expect("it is open").facts().kind, FileKind::Directory);
}

#[test]
fn more_requests_than_the_ring_has_room_for_come_back_once_each() {
    let Some(mut bench) = Bench::new("more_requests_...") else { return };
    let bytes = content(400_000);
    fs::write(bench.path("file"), &bytes).expect("write");
    let file = bench.open("file");
    crate::evict(file.as_fd()).expect("evict");
    const COUNT: u64 = 5 * Uring::DEPTH as u64;
    for number in 0..COUNT {
        bench.start_read(number, &file, number * 1000, 1000);
        bench.start_open(COUNT + number, "file", OpenHow::Walked);
        assert_eq!(bench.engine.in_flight(), 2 * (number as usize + 1));
    }
    let mut seen = Vec::new();
    while bench.engine.in_flight() > 0 {
        let completion = bench.complete();
        assert!(completion.error.is_none() && completion.read);
        let start = if completion.token < COUNT { completion.token as usize * 1000 } else { 0 };
        let end = start + if completion.token < COUNT { 1000 } else { 4096 };
        assert_eq!(completion.block.bytes(), &bytes[start..end]);
        seen.push(completion.token);
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..2 * COUNT).collect::<Vec<_>>());
    assert!(bench.engine.reap().is_none() && bench.engine.fallbacks() == 0);
}

#[test]
fn short_reads_are_read_on_holes_are_zeros_and_ends_are_where_they_are_now() {
    let Some(mut bench) = Bench::new("short_reads_...") else { return };
    let mut bytes = content(1_000_000);
    bytes[100_000..900_000].fill(0);
    let writer = File::create(bench.path("file")).expect("create");
    writer.write_all_at(&bytes[..100_000], 0).expect("write");
    writer.write_all_at(&bytes[900_000..], 900_000).expect("write");
    let file = bench.open("file");
    crate::evict(file.as_fd()).expect("evict");
    assert!(bench.read(&file, 0, 1_000_000) == bytes);
    assert!(bench.read(&file, 99_999, 2_000_000) == bytes[99_999..]);
    assert!(bench.read(&file, 1_000_000, 100).is_empty());
    writer.set_len(50_000).expect("truncate");
    assert!(bench.read(&file, 40_000, 100_000) == bytes[40_000..50_000]);
    assert!(bench.read(&file, 60_000, 100).is_empty());
    writer.write_all_at(b"more", 50_000).expect("write");
    assert_eq!(bench.read(&file, 50_000, 100_000), b"more");
}

#[test]
fn what_had_to_be_waited_for_came_from_the_device() {
    let Some(mut bench) = Bench::new("what_had_to_be_waited_for_...") else { return };
    let bytes = content(100_000);
    fs::write(bench.path("file"), &bytes).expect("write");
    let file = bench.open("file");
    let mut read = || {
        let (target, block) = (Target::File(Arc::clone(&file)), Block::new(100_000));
        bench.engine.submit(Request { token: 0, target, offset: 0, length: 100_000, block });
        let completion = bench.complete();
        assert_eq!(completion.block.bytes(), bytes);
        (completion.sources.cache_bytes, completion.sources.device_bytes)
    };
    // The question itself makes the kernel read ahead, and a quick device may have answered before it is looked at.
    let found = (0..20).any(|_| {
        crate::evict(file.as_fd()).expect("evict");
        let emptied =
            crate::residency(file.as_fd(), 0, 100_000).is_some_and(|found| found.resident_bytes == 0);
        emptied && read() == (0, 100_000)
    });
    if !found {
        return skip("what_had_to_be_waited_for_...", "the page cache cannot be emptied or not be seen");
    }
    assert!((0..20).any(|_| read() == (100_000, 0)));
    assert_eq!(bench.engine.fallbacks(), 0);
    let version = Arc::new(OpenFile::new(File::open("/proc/version").expect("open").into()).expect("stat"));
    let (target, block) = (Target::File(version), Block::new(4096));
    bench.engine.submit(Request { token: 0, target, offset: 0, length: 4096, block });
    let completion = bench.complete();
    assert_eq!(completion.block.bytes(), fs::read("/proc/version").expect("read"));
    assert_eq!(completion.sources.unknown_bytes, completion.block.len() as u64);
}

#[test]
fn a_fifo_waits_for_its_writer_and_keeps_nobody_else_waiting() {
    let Some(mut bench) = Bench::new("a_fifo_waits_...") else { return };
    mkfifo(bench.path("fifo"));
    fs::write(bench.path("file"), b"abc").expect("write");
    bench.start_open(1, "fifo", OpenHow::Named);
    for _ in 0..100 {
        bench.start_open(2, "file", OpenHow::Named);
        let completion = bench.complete();
        assert_eq!((completion.token, completion.block.bytes()), (2, &b"abc"[..]));
    }
    let path = bench.path("fifo");
    let writer = thread::spawn(move || fs::write(path, b"from afar").expect("write"));
    let completion = bench.complete();
    assert!(completion.token == 1 && completion.error.is_none() && !completion.read);
    let fifo = completion.file.expect("it is open");
    assert_eq!(bench.read(&fifo, 0, 100), b"from afar");
    assert!(bench.read(&fifo, 9, 100).is_empty());
    assert!(bench.engine.fallbacks() > 0, "the pool reads FIFOs");
    writer.join().expect("it only writes");
}

#[test]
fn no_wake_up_is_lost_in_a_wait_or_before_it() {
    let Some(mut bench) = Bench::new("no_wake_up_is_lost_...") else { return };
    const TURNS: u32 = 20_000;
    let (asked, done) = (AtomicU32::new(0), AtomicU32::new(0));
    let waker = bench.engine.waker();
    thread::scope(|scope| {
        scope.spawn(|| {
            for turn in 1..=TURNS {
                while asked.load(Ordering::Acquire) < turn {
                    thread::yield_now();
                }
                done.store(turn, Ordering::Release);
                waker.wake();
                if turn % 3 == 0 {
                    waker.wake();
                }
            }
        });
        for turn in 1..=TURNS {
            asked.store(turn, Ordering::Release);
            while done.load(Ordering::Acquire) < turn {
                // Sometimes the wake-up is met by a look for completions.
                if turn % 2 == 0 {
                    assert!(bench.engine.reap().is_none());
                }
                bench.engine.wait();
            }
        }
    });
    assert_eq!(bench.engine.in_flight(), 0);
}

#[test]
fn a_wait_with_nothing_to_wait_for_sleeps() {
    let Some(mut bench) = Bench::new("a_wait_with_nothing_...") else { return };
    const TIME: Duration = Duration::from_millis(100);
    let waker = bench.engine.waker();
    waker.wake();
    // The last wake-up comes when this time is over, never before: after one that came before, the wait would be for ever.
    let start = Instant::now();
    let other = thread::spawn(move || {
        thread::sleep(TIME);
        waker.wake();
    });
    let mut waits = 0;
    while start.elapsed() < TIME {
        assert!(bench.engine.reap().is_none());
        bench.engine.wait();
        waits += 1;
    }
    other.join().expect("it only sleeps and wakes");
    assert!(waits < 10, "{waits} waits: that is no sleep");
}

#[test]
fn an_engine_that_is_dropped_takes_everything_back_from_the_kernel() {
    for round in 0..20 {
        let Some(mut bench) = Bench::new("an_engine_that_is_dropped_...") else { return };
        fs::write(bench.path("file"), content(400_000)).expect("write");
        mkfifo(bench.path("fifo"));
        let file = bench.open("file");
        crate::evict(file.as_fd()).expect("evict");
        for number in 0..100 {
            bench.start_read(number, &file, number * 4000, 4096);
            bench.start_open(number, ["file", "fifo", "missing"][number as usize % 3], OpenHow::Named);
        }
        // In some rounds the kernel has them all, in some none, in some a part of them is back.
        if round % 3 > 0 {
            bench.engine.take_in();
        }
        if round % 3 > 1 {
            bench.engine.wait();
            bench.engine.take_in();
        }
        let start = Instant::now();
        if round % 2 == 0 {
            let ring = bench.engine.ring.as_mut().expect("it has one");
            assert!(ring.come_home() && ring.in_flight() == 0);
        }
        drop(bench);
        assert!(start.elapsed() < Duration::from_secs(2), "nothing here takes so long");
        // Memory that is free again is nobody's but its new owner's.
        let mut blocks: Vec<Block> = (0..100).map(|_| Block::new(4096)).collect();
        blocks.iter_mut().for_each(|block| block.room().fill(round));
        thread::sleep(Duration::from_millis(2));
        assert!(blocks.iter_mut().all(|block| block.room().iter().all(|&byte| byte == round)));
    }
}

#[test]
fn an_engine_ends_with_its_thread_that_panics() {
    let Some(mut bench) = Bench::new("an_engine_ends_with_...") else { return };
    mkfifo(bench.path("fifo"));
    let panicked = panic::catch_unwind(AssertUnwindSafe(move || {
        bench.start_open(0, "fifo", OpenHow::Named);
        bench.engine.take_in();
        bench.engine.take_in();
        panic!("a panic made for a test");
    }));
    assert!(panicked.is_err());
}

#[test]
fn a_forked_process_leaves_the_ring_alone() {
    let Some(mut bench) = Bench::new("a_forked_process_...") else { return };
    mkfifo(bench.path("fifo"));
    bench.start_open(1, "fifo", OpenHow::Named);
    bench.engine.take_in();
    bench.engine.take_in();
    // SAFETY: the child drops the engine, which takes no lock that another thread may have held, and leaves.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        drop(bench.engine);
        // SAFETY: ends the child without the destructors of a process that it is not.
        unsafe { libc::_exit(42) };
    }
    let mut status = 0;
    // SAFETY: `status` is where the child's status goes.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 42, "{status:#x}");
    let mut writer = File::options().write(true).open(bench.path("fifo")).expect("open");
    let fifo = bench.complete().file.expect("it is open, as if nothing had happened");
    writer.write_all(b"still here").expect("write");
    drop(writer);
    assert_eq!(bench.read(&fifo, 0, 100), b"still here");
}

/// Reads what is at hand and what has to be waited for with an engine that has no ring.
fn reads_without_a_ring(mut engine: Uring) {
    assert!(engine.ring.is_none() && engine.name() == "uring");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let bytes = content(300_000);
    fs::write(directory.path().join("file"), &bytes).expect("write");
    let file = File::open(directory.path().join("file")).expect("open");
    let file = Arc::new(OpenFile::new(file.into()).expect("stat"));
    // Evicted or not: a device may be faster than the thread that asks for its bytes without waiting.
    crate::evict(file.as_fd()).expect("evict");
    let mut waited = 0;
    for given_to in [Uring::submit, |engine: &mut Uring, request| engine.wait_for(Step::new(request))] {
        let (target, block) = (Target::File(Arc::clone(&file)), Block::new(300_000));
        let before = engine.fallbacks();
        given_to(&mut engine, Request { token: 3, target, offset: 0, length: 300_000, block });
        assert_eq!(engine.in_flight(), 1);
        let completion = complete(&mut engine);
        assert!(completion.error.is_none() && completion.block.bytes() == bytes);
        assert_eq!(completion.sources.total_bytes(), 300_000);
        waited = engine.fallbacks() - before;
    }
    assert_eq!(waited, 1, "what has to be waited for is read by the pool");
    let waker = engine.waker();
    let other = thread::spawn(move || waker.wake());
    engine.wait();
    other.join().expect("it only wakes");
}

#[test]
fn without_a_ring_the_pool_reads() {
    reads_without_a_ring(Uring::with_ring(Err(Errno::NOMEM.into()), ReaderPool::new(2)));
}

#[test]
fn a_sandbox_that_forbids_rings_does_no_harm() {
    let (tell, told) = mpsc::channel();
    // The filter is the thread's, and ends with it.
    let sandboxed = thread::spawn(move || {
        let confined = forbid_rings();
        tell.send(confined).expect("the test waits");
        if confined {
            reads_without_a_ring(Uring::new(Uring::DEPTH, ReaderPool::new(2)));
        }
    });
    let confined = told.recv().expect("the thread says whether it is confined");
    sandboxed.join().expect("it reads what there is");
    if !confined {
        skip("a_sandbox_that_forbids_rings_does_no_harm", "no seccomp");
    }
}

/// Lets `io_uring_setup(2)` fail with `EPERM` in this thread and those that it starts; false if that cannot be done.
fn forbid_rings() -> bool {
    // SAFETY: these only fill structures.
    let mut filter = unsafe {
        [
            libc::BPF_STMT((libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16, 0),
            libc::BPF_JUMP(
                (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16,
                libc::SYS_io_uring_setup as u32,
                0,
                1,
            ),
            libc::BPF_STMT(
                (libc::BPF_RET | libc::BPF_K) as u16,
                libc::SECCOMP_RET_ERRNO | libc::EPERM as u32,
            ),
            libc::BPF_STMT((libc::BPF_RET | libc::BPF_K) as u16, libc::SECCOMP_RET_ALLOW),
        ]
    };
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the program and its instructions outlive the calls, which copy them.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0
    }
}
