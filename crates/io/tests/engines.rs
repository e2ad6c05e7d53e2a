//! One suite for every read engine: what they all promise, on files of all kinds and sizes.

use std::ffi::CString;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlane_io::{
    Block, Completion, Device, Directory, EngineKind, FileKind, FilePlace, FirstRead, Medium, OpenFile,
    OpenHow, ReadEngine, ReadStep, ReaderPool, Request, Target,
};

/// An engine with a temporary directory for its files.
struct Bench {
    kind: EngineKind,
    engine: Box<dyn ReadEngine>,
    directory: tempfile::TempDir,
}

/// Makes the blocks of a test: with memory, or for windows.
type NewBlock = fn(usize) -> Block;

const BLOCKS: [NewBlock; 2] = [Block::new, Block::window];
const READ_ALL: FirstRead = FirstRead { largest_bytes: u64::MAX, linked: true, uncached: false };

impl Bench {
    fn new(kind: EngineKind) -> Self {
        Self::within(kind, &std::env::temp_dir())
    }

    fn within(kind: EngineKind, place: &Path) -> Self {
        let directory = tempfile::tempdir_in(place).expect("a temporary directory");
        Self { kind, engine: kind.start(&ReaderPool::new(4)), directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).expect("write");
    }

    fn open(&self, name: &str) -> Arc<OpenFile> {
        let file = File::open(self.path(name)).expect("open");
        Arc::new(OpenFile::new(file.into()).expect("stat"))
    }

    /// What this engine is to bring of a file that holds `bytes`.
    fn expected(&self, bytes: &[u8]) -> Vec<u8> {
        if self.kind == EngineKind::Null { vec![0; bytes.len()] } else { bytes.to_vec() }
    }

    fn submit_open(&mut self, token: u64, name: &str, how: OpenHow, block: Block) {
        let directory = Arc::new(Directory::by_path(self.directory.path().as_os_str().as_bytes()));
        let name = CString::new(name).expect("no NUL");
        let length = block.capacity();
        let target =
            Target::Open { place: FilePlace { directory, name: name.into(), how }, first_read: READ_ALL };
        self.engine.submit(Request { token, target, offset: 0, length, block });
    }

    fn open_and_read(&mut self, name: &str, how: OpenHow, block: Block) -> Completion {
        self.submit_open(7, name, how, block);
        self.complete()
    }

    fn read(&mut self, file: &Arc<OpenFile>, offset: u64, length: usize, block: Block) -> Completion {
        let target = Target::File(Arc::clone(file));
        self.engine.submit(Request { token: 8, target, offset, length, block });
        self.complete()
    }

    fn complete(&mut self) -> Completion {
        let before = self.engine.in_flight();
        let completion = loop {
            match self.engine.reap() {
                Some(completion) => break completion,
                None => self.engine.wait(),
            }
        };
        assert_eq!(self.engine.in_flight(), before - 1);
        completion
    }

    /// All of a file from an offset, by as many requests of `length` bytes as it takes, up to the one that says that the
    /// end is reached.
    fn read_to_end(
        &mut self,
        file: &Arc<OpenFile>,
        mut offset: u64,
        length: usize,
        new: NewBlock,
    ) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut block = new(length);
        loop {
            let completion = self.read(file, offset, length, block);
            assert!(completion.error.is_none(), "{:?}", completion.error);
            assert!(completion.read);
            assert_eq!(completion.sources.total_bytes(), completion.block.len() as u64);
            assert!(completion.block.len() <= length, "no more than was asked for");
            block = completion.block;
            if block.is_empty() {
                assert!(self.engine.reap().is_none());
                return bytes;
            }
            bytes.extend_from_slice(block.bytes());
            assert!(!block.is_broken());
            offset += block.len() as u64;
            block.clear();
        }
    }
}

/// Bytes that tell where they come from.
fn content(length: usize) -> Vec<u8> {
    (0..length as u32).map(|index| (index.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

fn mkfifo(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).expect("make a FIFO");
}

fn an_empty_file_ends_at_once(kind: EngineKind) {
    let mut bench = Bench::new(kind);
    bench.write("empty", b"");
    for new in BLOCKS {
        let completion = bench.open_and_read("empty", OpenHow::Walked, new(4096));
        assert!(completion.error.is_none() && completion.read && completion.block.is_empty());
        assert_eq!(completion.file.expect("it is open").facts().size_bytes, 0);
    }
}

fn sizes_around_every_edge_are_read_whole(kind: EngineKind) {
    const EDGES: [usize; 6] = [512, 4096, 8192, 16_384, 65_536, 131_072];
    let mut bench = Bench::new(kind);
    let sizes = EDGES.iter().flat_map(|&edge| [edge - 1, edge, edge + 1]).chain([1, 2, 100, 300_001]);
    for size in sizes {
        let bytes = content(size);
        bench.write("file", &bytes);
        for new in BLOCKS {
            let completion = bench.open_and_read("file", OpenHow::Walked, new(size));
            assert!(completion.error.is_none() && completion.read && completion.token == 7);
            assert_eq!(completion.block.bytes(), bench.expected(&bytes), "{size} bytes in one piece");
            let file = bench.open("file");
            for length in [4096, 65_536] {
                let read = bench.read_to_end(&file, 0, length, new);
                assert_eq!(read, bench.expected(&bytes), "{size} bytes in pieces of {length}");
            }
        }
    }
}

fn any_offset_and_length_may_be_read(kind: EngineKind) {
    let mut bench = Bench::new(kind);
    let bytes = content(100_000);
    bench.write("file", &bytes);
    let expected = bench.expected(&bytes);
    let file = bench.open("file");
    for new in BLOCKS {
        for offset in [0, 1, 511, 512, 513, 4095, 4096, 4097, 70_001, 99_999, 100_000, 200_000] {
            for length in [1, 511, 512, 4096, 5000, 40_000] {
                let completion = bench.read(&file, offset as u64, length, new(length));
                let end = expected.len().min(offset + length);
                let wanted = expected.get(offset..end).unwrap_or_default();
                assert_eq!(completion.block.bytes(), wanted, "{length} bytes from {offset}");
                assert_eq!(completion.sources.total_bytes(), wanted.len() as u64);
            }
        }
        assert_eq!(bench.read_to_end(&file, 33_333, 7000, new), expected[33_333..]);
    }
}

fn bytes_are_appended_behind_those_already_there(kind: EngineKind) {
    let mut bench = Bench::new(kind);
    let bytes = content(50_000);
    bench.write("file", &bytes);
    let expected = bench.expected(&bytes);
    let file = bench.open("file");
    for new in BLOCKS {
        for (first, second) in [(4096, 4096), (100, 9000), (4097, 50_000)] {
            let block = bench.read(&file, 0, first, new(60_000)).block;
            let block = bench.read(&file, first as u64, second, block).block;
            assert_eq!(block.bytes(), &expected[..50_000.min(first + second)]);
        }
    }
}

fn a_file_larger_than_the_block_is_read_on(kind: EngineKind) {
    let mut bench = Bench::new(kind);
    let bytes = content(1_000_003);
    bench.write("file", &bytes);
    for new in BLOCKS {
        let completion = bench.open_and_read("file", OpenHow::Walked, new(8192));
        let file = completion.file.expect("it is open");
        let mut read = completion.block.bytes().to_vec();
        assert!(!read.is_empty() && read.len() <= 8192);
        let rest = bench.read_to_end(&file, read.len() as u64, 100_000, new);
        read.extend(rest);
        assert_eq!(read, bench.expected(&bytes));
    }
}

fn a_first_read_that_is_not_wanted_only_opens(kind: EngineKind) {
    let mut bench = Bench::new(kind);
    bench.write("file", &content(10_000));
    fs::hard_link(bench.path("file"), bench.path("link")).expect("link");
    let wishes = [(9999, true), (10_000, false)];
    for (largest_bytes, linked) in wishes {
        let directory = Arc::new(Directory::by_path(bench.directory.path().as_os_str().as_bytes()));
        let first_read = FirstRead { largest_bytes, linked, uncached: false };
        let target = Target::Open {
            place: FilePlace { directory, name: c"file".into(), how: OpenHow::Walked },
            first_read,
        };
        bench.engine.submit(Request { token: 0, target, offset: 0, length: 4096, block: Block::new(4096) });
        let completion = bench.complete();
        assert!(completion.error.is_none() && !completion.read && completion.block.is_empty());
        assert!(completion.file.is_some());
    }
}

fn what_is_missing_is_an_error_of_opening(kind: EngineKind) {
    let mut bench = Bench::new(kind);
    for (how, new) in [(OpenHow::Walked, BLOCKS[0]), (OpenHow::Named, BLOCKS[1])] {
        let completion = bench.open_and_read("missing", how, new(4096));
        let error = completion.error.expect("there is no such file");
        assert_eq!((error.step, error.raw_os_error()), (ReadStep::Open, Some(libc::ENOENT)));
        assert!(completion.file.is_none() && completion.block.capacity() == 4096);
    }
}

fn a_symlink_in_the_place_of_a_walked_file_is_refused(kind: EngineKind) {
    let mut bench = Bench::new(kind);
    bench.write("file", b"abc");
    symlink("file", bench.path("link")).expect("symlink");
    let completion = bench.open_and_read("link", OpenHow::Walked, Block::new(4096));
    let error = completion.error.expect("links are not followed in a walk");
    assert_eq!((error.step, error.raw_os_error()), (ReadStep::Open, Some(libc::ELOOP)));
    let completion = bench.open_and_read("link", OpenHow::Named, Block::new(4096));
    assert_eq!(completion.block.bytes(), bench.expected(b"abc"));
}

fn a_directory_can_be_opened_but_not_read(kind: EngineKind) {
    let mut bench = Bench::new(kind);
    fs::create_dir(bench.path("directory")).expect("mkdir");
    for new in BLOCKS {
        let completion = bench.open_and_read("directory", OpenHow::Walked, new(4096));
        assert!(completion.error.is_none() && !completion.read);
        let file = completion.file.expect("it is open");
        assert_eq!(file.facts().kind, FileKind::Directory);
        let completion = bench.read(&file, 0, 100, new(4096));
        assert!(completion.block.is_empty());
        if kind != EngineKind::Null {
            let error = completion.error.expect("directories cannot be read");
            assert_eq!((error.step, error.raw_os_error()), (ReadStep::Read, Some(libc::EISDIR)));
        }
    }
}

fn a_named_fifo_is_read_to_its_end(kind: EngineKind) {
    for new in BLOCKS {
        let mut bench = Bench::new(kind);
        mkfifo(&bench.path("fifo"));
        let bytes = content(200_000);
        let (path, written) = (bench.path("fifo"), bytes.clone());
        // Nobody may be left to read when the null engine is asked.
        let writer = std::thread::spawn(move || drop(fs::write(path, written)));
        let completion = bench.open_and_read("fifo", OpenHow::Named, new(4096));
        assert!(completion.error.is_none(), "{:?}", completion.error);
        let file = completion.file.expect("it is open");
        assert_eq!(file.facts().kind, FileKind::Special);
        let read = bench.read_to_end(&file, 0, 10_000, new);
        assert_eq!(read, if kind == EngineKind::Null { Vec::new() } else { bytes });
        drop(completion.block);
        drop(file);
        writer.join().expect("the writer ends");
    }
}

fn a_made_up_file_is_read_although_its_size_is_0(kind: EngineKind) {
    if kind == EngineKind::Null {
        return;
    }
    let mut bench = Bench::new(kind);
    let version = fs::read("/proc/version").expect("read /proc/version");
    for new in BLOCKS {
        let directory = Arc::new(Directory::by_path(*b"/proc"));
        let target = Target::Open {
            place: FilePlace { directory, name: c"version".into(), how: OpenHow::Walked },
            first_read: READ_ALL,
        };
        bench.engine.submit(Request { token: 0, target, offset: 0, length: 4096, block: new(4096) });
        let completion = bench.complete();
        assert!(completion.error.is_none());
        assert_eq!(completion.block.bytes(), version);
    }
}

fn holes_are_zeros(kind: EngineKind) {
    let mut bench = Bench::new(kind);
    let file = File::create(bench.path("sparse")).expect("create");
    file.set_len(1_000_000).expect("grow");
    file.write_all_at(b"abc", 500_000).expect("write");
    let mut bytes = vec![0; 1_000_000];
    bytes[500_000..500_003].copy_from_slice(b"abc");
    let file = bench.open("sparse");
    for new in BLOCKS {
        assert_eq!(bench.read_to_end(&file, 0, 65_536, new), bench.expected(&bytes));
    }
}

fn requests_in_flight_come_back_once_each(kind: EngineKind) {
    let mut bench = Bench::new(kind);
    let bytes = content(400_000);
    bench.write("file", &bytes);
    let expected = bench.expected(&bytes);
    // Nothing in the cache: some engines go to their pools.
    hashlane_io::evict(rustix::fd::AsFd::as_fd(&File::open(bench.path("file")).expect("open")))
        .expect("evict");
    let file = bench.open("file");
    for number in 0..100 {
        let block = BLOCKS[number % 2](4096);
        let request = Request {
            token: number as u64,
            target: Target::File(Arc::clone(&file)),
            offset: number as u64 * 4000,
            length: 4000,
            block,
        };
        bench.engine.submit(request);
        bench.submit_open(
            1000 + number as u64,
            ["file", "missing"][number % 2],
            OpenHow::Walked,
            Block::new(4096),
        );
    }
    assert_eq!(bench.engine.in_flight(), 200);
    let mut seen = Vec::new();
    while bench.engine.in_flight() > 0 {
        let completion = bench.complete();
        assert_eq!(completion.block.capacity(), 4096);
        if let Ok(number) = usize::try_from(completion.token).map(|token| token * 4000)
            && completion.token < 1000
        {
            assert_eq!(completion.block.bytes(), &expected[number..number + 4000]);
        }
        seen.push(completion.token);
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..100).chain(1000..1100).collect::<Vec<_>>());
    assert!(bench.engine.reap().is_none());
}

fn a_file_that_was_truncated_ends_earlier(kind: EngineKind) {
    let mut bench = Bench::new(kind);
    for new in BLOCKS {
        bench.write("file", &content(100_000));
        let file = bench.open("file");
        let block = bench.read(&file, 0, 40_000, new(40_000)).block;
        assert_eq!(block.len(), 40_000);
        drop(block);
        File::options()
            .write(true)
            .open(bench.path("file"))
            .expect("open")
            .set_len(50_000)
            .expect("truncate");
        let rest = bench.read_to_end(&file, 40_000, 40_000, new);
        assert_eq!(rest, bench.expected(&content(100_000)[40_000..50_000]));
        assert!(bench.read(&file, 60_000, 10_000, new(40_000)).block.is_empty());
    }
}

fn a_file_that_grows_is_read_to_its_new_end(kind: EngineKind) {
    let mut bench = Bench::new(kind);
    for new in BLOCKS {
        bench.write("file", &content(10_000));
        let file = bench.open("file");
        assert_eq!(bench.read(&file, 0, 20_000, new(20_000)).block.len(), 10_000);
        bench.write("file", &content(30_000));
        assert_eq!(bench.read_to_end(&file, 10_000, 8192, new), bench.expected(&content(30_000)[10_000..]));
    }
}

fn files_in_memory_are_read_too(kind: EngineKind) {
    let place = Path::new("/dev/shm");
    if Device::at(place).map_or(true, |device| device.medium != Medium::Memory) {
        assert!(
            std::env::var_os("HASHLANE_SKIPS_FAIL").is_none_or(|fail| fail != "1"),
            "no memory file system"
        );
        return eprintln!("SKIPPED: files_in_memory_are_read_too: /dev/shm is no memory file system");
    }
    let mut bench = Bench::within(kind, place);
    let bytes = content(150_000);
    bench.write("file", &bytes);
    for new in BLOCKS {
        let completion = bench.open_and_read("file", OpenHow::Walked, new(150_000));
        assert!(completion.error.is_none());
        assert_eq!(completion.block.bytes(), bench.expected(&bytes));
        let sources = completion.sources;
        if kind == EngineKind::Null {
            assert_eq!(sources.unknown_bytes, 150_000);
        } else {
            assert_eq!(sources.cache_bytes, 150_000, "it is in memory: {sources:?}");
        }
        let file = bench.open("file");
        assert_eq!(bench.read_to_end(&file, 0, 10_000, new), bench.expected(&bytes));
    }
}

fn a_wait_ends_when_somebody_wakes_the_engine(kind: EngineKind) {
    let mut bench = Bench::new(kind);
    let waker = bench.engine.waker();
    let other = std::thread::spawn(move || waker.wake());
    bench.engine.wait();
    other.join().expect("it only wakes");
}

macro_rules! suite {
    ($engine:ident: $kind:expr, $tests:tt) => {
        mod $engine {
            suite!(@tests $kind, $tests);
        }
    };
    (@tests $kind:expr, [$($test:ident),* $(,)?]) => {
        $(
            #[test]
            fn $test() {
                super::$test($kind);
            }
        )*
    };
}

macro_rules! suites {
    ($($engine:ident: $kind:expr),* ; $tests:tt) => {
        $(suite!($engine: $kind, $tests);)*

        #[test]
        fn every_engine_is_tested_and_found_by_its_name() {
            assert_eq!(EngineKind::all(), [$($kind),*]);
            for &kind in EngineKind::all() {
                assert_eq!(EngineKind::named(kind.name()), Some(kind));
                assert_eq!(kind.start(&ReaderPool::new(1)).name(), kind.name());
            }
            assert_eq!(EngineKind::named("other"), None);
        }
    };
}

suites! {
    buffered: hashlane_io::EngineKind::Buffered,
    direct: hashlane_io::EngineKind::Direct,
    mapped: hashlane_io::EngineKind::Mapped,
    null: hashlane_io::EngineKind::Null,
    uring: hashlane_io::EngineKind::Uring;
    [
        a_directory_can_be_opened_but_not_read,
        a_file_larger_than_the_block_is_read_on,
        a_file_that_grows_is_read_to_its_new_end,
        a_file_that_was_truncated_ends_earlier,
        a_first_read_that_is_not_wanted_only_opens,
        a_made_up_file_is_read_although_its_size_is_0,
        a_named_fifo_is_read_to_its_end,
        a_symlink_in_the_place_of_a_walked_file_is_refused,
        a_wait_ends_when_somebody_wakes_the_engine,
        an_empty_file_ends_at_once,
        any_offset_and_length_may_be_read,
        bytes_are_appended_behind_those_already_there,
        files_in_memory_are_read_too,
        holes_are_zeros,
        requests_in_flight_come_back_once_each,
        sizes_around_every_edge_are_read_whole,
        what_is_missing_is_an_error_of_opening,
    ]
}
