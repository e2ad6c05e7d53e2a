//! `cargo xtask bare`: walk, open, ask for facts, read, close, and nothing else. What reading alone costs, as a program among
//! programs.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result};
use rustix::fs::{CWD, FileType, Mode, OFlags, RawDir, fstat, openat};
use rustix::io::read;

/// Names handed over at once.
const BATCH: usize = 64;

/// Bytes of a read.
const READ_BYTES: usize = 128 << 10;

/// Options of `bare`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Threads that read; another one walks
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// What to read
    path: PathBuf,
}

/// Files of one directory.
struct Batch {
    directory: Arc<OwnedFd>,
    names: Vec<CString>,
}

/// Reads all regular files below the path.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let (send, receive) = sync_channel(64);
    // The readers' alone: when the last of them ends, who sends notices.
    let receive = Arc::new(Mutex::new(receive));
    thread::scope(|scope| {
        let reader = |receive: Arc<Mutex<Receiver<Batch>>>| scope.spawn(move || read_all(&receive));
        let readers: Vec<_> = (0..options.threads).map(|_| reader(Arc::clone(&receive))).collect();
        drop(receive);
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let shown = options.path.display();
        let root = openat(CWD, &options.path, flags, Mode::empty()).with_context(|| format!("{shown}"))?;
        let walked = if FileType::from_raw_mode(fstat(&root)?.st_mode) == FileType::Directory {
            walk(root, &send)
        } else {
            read_file(root)
        };
        drop(send);
        // A reader that failed says why; the walk then only knows that nobody takes names any more.
        readers.into_iter().try_for_each(|reader| reader.join().expect("a reader does not panic"))?;
        walked
    })?;
    Ok(true)
}

fn walk(directory: OwnedFd, send: &SyncSender<Batch>) -> Result<()> {
    let directory = Arc::new(directory);
    let mut names = Vec::new();
    let mut below = Vec::new();
    let mut listing = Vec::with_capacity(64 << 10);
    let mut entries = RawDir::new(directory.as_fd(), listing.spare_capacity_mut());
    while let Some(entry) = entries.next() {
        let entry = entry?;
        match entry.file_type() {
            FileType::RegularFile => names.push(entry.file_name().to_owned()),
            FileType::Directory if entry.file_name() != c"." && entry.file_name() != c".." => {
                below.push(entry.file_name().to_owned());
            }
            _ => {}
        }
        if names.len() == BATCH {
            hand_over(&directory, &mut names, send)?;
        }
    }
    hand_over(&directory, &mut names, send)?;
    for name in below {
        walk(open(&directory, &name)?, send)?;
    }
    Ok(())
}

fn hand_over(directory: &Arc<OwnedFd>, names: &mut Vec<CString>, send: &SyncSender<Batch>) -> Result<()> {
    let batch = Batch { directory: Arc::clone(directory), names: std::mem::take(names) };
    send.send(batch).ok().context("all readers have ended")
}

fn read_all(batches: &Mutex<Receiver<Batch>>) -> Result<()> {
    loop {
        let batch = batches.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Batch { directory, names }) = batch else { return Ok(()) };
        for name in names {
            read_file(open(&directory, &name)?).with_context(|| name.to_string_lossy().into_owned())?;
        }
    }
}

fn open(directory: &OwnedFd, name: &CStr) -> Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    openat(directory, name, flags, Mode::empty()).with_context(|| name.to_string_lossy().into_owned())
}

fn read_file(file: OwnedFd) -> Result<()> {
    thread_local! {
        static BUFFER: std::cell::RefCell<Vec<u8>> = std::cell::RefCell::new(vec![0; READ_BYTES]);
    }
    let size = fstat(&file)?.st_size;
    BUFFER.with_borrow_mut(|buffer| {
        let mut left = u64::try_from(size).unwrap_or(0);
        while left > 0 {
            match read(&file, &mut buffer[..])? {
                0 => break,
                count => left = left.saturating_sub(count as u64),
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_and_files_are_read_and_what_is_missing_is_told() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        std::fs::create_dir(directory.path().join("below")).expect("mkdir");
        for number in 0..200 {
            let path = directory.path().join(format!("below/{number}"));
            std::fs::write(path, vec![1; number * 1_000]).expect("write");
        }
        let run = |path: PathBuf| run(&Options { threads: 2, path });
        assert!(run(directory.path().to_owned()).expect("it can be read"));
        assert!(run(directory.path().join("below/199")).expect("it can be read"));
        let error = run(directory.path().join("missing")).expect_err("it is not there");
        assert!(error.to_string().ends_with("missing"), "{error}");
    }

    #[test]
    fn a_reader_that_fails_ends_the_walk() {
        let (send, receive) = sync_channel(1);
        let receive = Arc::new(Mutex::new(receive));
        let directory = tempfile::tempdir().expect("a temporary directory");
        let folder =
            Arc::new(openat(CWD, directory.path(), OFlags::RDONLY, Mode::empty()).expect("it is there"));
        let reader = thread::spawn(move || read_all(&receive));
        let mut refused = false;
        for _ in 0..100 {
            refused |= hand_over(&folder, &mut vec![c"missing".to_owned()], &send).is_err();
        }
        let error = reader.join().expect("no panic").expect_err("there is no such file");
        assert!(refused && error.to_string().contains("missing"), "{error}");
    }
}
