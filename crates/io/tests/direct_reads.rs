//! Reading past the page cache, where the file system does it.

use std::fs::{self, File};
use std::os::fd::AsFd as _;
use std::sync::Arc;

use hashlane_io::{
    Block, Completion, EngineKind, OpenFile, ReadEngine, ReaderPool, Request, Target, residency,
};

const BYTES: usize = 100_000;

fn read(engine: &mut dyn ReadEngine, file: &Arc<OpenFile>, offset: u64, length: usize) -> Completion {
    let target = Target::File(Arc::clone(file));
    engine.submit(Request { token: 0, target, offset, length, block: Block::new(BYTES) });
    loop {
        match engine.reap() {
            Some(completion) => return completion,
            None => engine.wait(),
        }
    }
}

fn skip(test: &str, reason: &str) {
    assert!(std::env::var_os("HASHLANE_SKIPS_FAIL").is_none_or(|fail| fail != "1"), "{test}: {reason}");
    eprintln!("SKIPPED: {test}: {reason}");
}

#[test]
fn cached_and_dirty_files_are_read_from_the_device_and_the_cache_is_left_alone() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("file");
    let content: Vec<u8> = (0..BYTES).map(|index| (index % 251) as u8).collect();
    fs::write(&path, &content).expect("write");
    let file = Arc::new(OpenFile::new(File::open(&path).expect("open").into()).expect("stat"));
    let mut engine = EngineKind::Direct.start(&ReaderPool::new(2));
    let completion = read(engine.as_mut(), &file, 0, BYTES);
    assert_eq!(completion.block.bytes(), content);
    if engine.fallbacks() > 0 {
        return skip(
            "cached_and_dirty_files_...",
            "the temporary directory's file system does not read direct",
        );
    }
    assert_eq!(completion.sources.device_bytes, BYTES as u64);
    for (offset, length) in [(1, 10), (511, 4097), (4096, 4096), (99_000, 1000), (99_999, 1)] {
        let completion = read(engine.as_mut(), &file, offset as u64, length);
        assert_eq!(completion.block.bytes(), &content[offset..offset + length]);
        assert_eq!(completion.sources.device_bytes, length as u64);
    }
    if let Some(found) = residency(file.as_fd(), 0, BYTES as u64) {
        assert_eq!(found.dirty_bytes, 0, "the kernel wrote what was dirty before it read");
    }
}

#[test]
fn a_file_that_is_not_read_direct_is_counted_once() {
    let version = Arc::new(OpenFile::new(File::open("/proc/version").expect("open").into()).expect("stat"));
    let mut engine = EngineKind::Direct.start(&ReaderPool::new(2));
    for _ in 0..3 {
        let completion = read(engine.as_mut(), &version, 0, 4096);
        assert!(completion.error.is_none() && !completion.block.is_empty());
        assert_eq!(completion.sources.device_bytes, 0);
    }
    assert_eq!(engine.fallbacks(), 1);
}
