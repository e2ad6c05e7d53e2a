//! Files that fail under a mapping.

#![allow(unsafe_code)]

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;
use std::ptr;
use std::sync::Arc;

use hashlane_io::{Block, Completion, EngineKind, OpenFile, ReadEngine, ReaderPool, Request, Target};

fn complete(engine: &mut dyn ReadEngine) -> Completion {
    loop {
        match engine.reap() {
            Some(completion) => return completion,
            None => engine.wait(),
        }
    }
}

fn window(file: &Arc<OpenFile>, offset: u64, length: usize) -> (Box<dyn ReadEngine>, Block) {
    let mut engine = EngineKind::Mapped.start(&ReaderPool::new(1));
    let target = Target::File(Arc::clone(file));
    engine.submit(Request { token: 1, target, offset, length, block: Block::window(length) });
    let completion = complete(engine.as_mut());
    assert!(completion.error.is_none());
    (engine, completion.block)
}

fn file_of(bytes: &[u8]) -> (tempfile::TempDir, File, Arc<OpenFile>) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("file");
    fs::write(&path, bytes).expect("write");
    let file = OpenFile::new(File::open(&path).expect("open").into()).expect("stat");
    (directory, File::options().write(true).open(&path).expect("open to write"), Arc::new(file))
}

#[test]
fn a_file_truncated_under_its_window_reads_as_zeros_and_breaks_it() {
    let (_directory, writer, file) = file_of(&[7; 100_000]);
    let (_engine, mut block) = window(&file, 0, 100_000);
    assert_eq!(block.bytes(), [7; 100_000]);
    assert!(!block.is_broken());
    writer.set_len(5000).expect("truncate");
    assert!(block.bytes()[..5000].iter().all(|&byte| byte == 7));
    assert!(block.bytes()[8192..].iter().all(|&byte| byte == 0));
    assert!(block.is_broken());
    assert!(block.is_broken(), "a broken window stays broken");
    block.clear();
    assert!(!block.is_broken(), "the next one is whole");
}

#[test]
fn a_window_that_breaks_does_not_break_its_neighbours() {
    let (_directory, writer, file) = file_of(&[7; 100_000]);
    let (_first_engine, first) = window(&file, 0, 50_000);
    let (_second_engine, second) = window(&file, 50_001, 40_000);
    writer.set_len(50_000).expect("truncate");
    assert_eq!(second.bytes().len(), 40_000);
    assert_eq!(second.bytes().iter().filter(|&&byte| byte == 7).count(), 0);
    assert!(second.is_broken());
    assert_eq!(first.bytes(), [7; 50_000]);
    assert!(!first.is_broken());
}

#[test]
fn bytes_appended_to_a_broken_window_leave_it_broken() {
    let (_directory, writer, file) = file_of(&[7; 20_000]);
    let (mut engine, block) = window(&file, 0, 16_000);
    writer.set_len(4096).expect("truncate");
    engine.submit(Request { token: 2, target: Target::File(file), offset: 0, length: 100, block });
    let block = complete(engine.as_mut()).block;
    assert_eq!(&block.bytes()[..4096], [7; 4096]);
    assert_eq!(&block.bytes()[4096..16_000], [0; 16_000 - 4096]);
    assert_eq!(&block.bytes()[16_000..], [7; 100]);
    assert!(block.is_broken());
}

#[test]
fn many_threads_may_break_windows_at_once() {
    let (_directory, writer, file) = file_of(&[7; 1 << 20]);
    let windows: Vec<_> = (0..16).map(|number| window(&file, number * 65_536, 65_536).1).collect();
    writer.set_len(0).expect("truncate");
    std::thread::scope(|scope| {
        for block in windows.iter().chain(&windows) {
            scope.spawn(|| {
                assert_eq!(block.bytes().iter().filter(|&&byte| byte == 7).count(), 0);
                assert!(block.is_broken());
            });
        }
    });
}

/// Not a test of its own: the child that the next one starts.
#[test]
fn child_that_faults_elsewhere() {
    let Some(how) = std::env::var_os("HASHLANE_TEST_FAULT") else { return };
    let (_directory, writer, file) = file_of(&[7; 20_000]);
    let (_engine, block) = window(&file, 0, 20_000);
    if how == "sent" {
        // SAFETY: sends a signal to this thread.
        unsafe { libc::raise(libc::SIGBUS) };
    }
    // SAFETY: a fresh mapping at an address of the kernel's choice.
    let other = unsafe {
        rustix::mm::mmap(
            ptr::null_mut(),
            8192,
            rustix::mm::ProtFlags::READ,
            rustix::mm::MapFlags::PRIVATE,
            &*file,
            0,
        )
    };
    writer.set_len(0).expect("truncate");
    assert_eq!(block.bytes()[0], 0);
    // SAFETY: the mapping is ours; that reading it kills is the point.
    unsafe { ptr::read_volatile(other.expect("map").cast::<u8>()) };
}

#[test]
fn a_bus_error_that_is_not_ours_kills_as_before() {
    for how in ["fault", "sent"] {
        let child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "child_that_faults_elsewhere", "--nocapture"])
            .env("HASHLANE_TEST_FAULT", how)
            .output()
            .expect("start a child");
        assert_eq!(child.status.signal(), Some(libc::SIGBUS), "{how}: {child:?}");
    }
}
