//! One big file by several threads, in the modes that the engine does not know: each takes parts of the file,
//! which are subtrees of the hash, and their roots are put together at the end.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use blake3::OutputReader;
use blake3::hazmat::{
    ChainingValue, HasherExt as _, left_subtree_len, merge_subtrees_non_root, merge_subtrees_root_xof,
};

use super::output::Mode;

/// How much a thread takes at a time: a power of two, as subtrees are.
const PART_BYTES: u64 = 1 << 20;

/// Files of this many bytes are worth threads; at least two parts, so that there is a root above them.
const BIG_BYTES: u64 = 2 << 20;

/// The output for a file, if it is a regular one and big. One that is cut short meanwhile is an error.
pub(super) fn output(path: &Path, mode: &Mode, threads: usize) -> io::Result<Option<OutputReader>> {
    let is_big = |facts: &Metadata| facts.is_file() && facts.len() >= BIG_BYTES;
    // A pipe must not be opened twice, so nothing else is opened here.
    if threads < 2 || !is_big(&fs::metadata(path)?) {
        return Ok(None);
    }
    let file = File::open(path)?;
    let facts = file.metadata()?;
    if !is_big(&facts) {
        return Ok(None);
    }
    let length = facts.len();
    let count = length.div_ceil(PART_BYTES);
    let roots = Mutex::new(vec![[0; blake3::OUT_LEN]; usize::try_from(count).map_err(io::Error::other)?]);
    let next = AtomicU64::new(0);
    let work = || -> io::Result<()> {
        let mut buffer = vec![0; PART_BYTES as usize];
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return Ok(());
            }
            let offset = number * PART_BYTES;
            let bytes = &mut buffer[..PART_BYTES.min(length - offset) as usize];
            if let Err(error) = file.read_exact_at(bytes, offset) {
                // The others need not go on.
                next.store(count, Ordering::Relaxed);
                return Err(error);
            }
            let root = mode.hasher().set_input_offset(offset).update(bytes).finalize_non_root();
            if let Ok(mut roots) = roots.lock() {
                roots[number as usize] = root;
            }
        }
    };
    thread::scope(|scope| {
        // As many as the system gives.
        let other = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..threads.min(count as usize)).map_while(other).collect();
        let own = work();
        let ended = others.into_iter().map(|other| other.join().unwrap_or_else(|_| Err(defect())));
        ended.fold(own, Result::and)
    })?;
    let roots = roots.into_inner().map_err(|_| defect())?;
    let (left, right) = children(&roots, length, mode);
    Ok(Some(merge_subtrees_root_xof(&left, &right, mode.of_tree())))
}

/// The root of some parts that hold `length` bytes together.
fn subtree(roots: &[ChainingValue], length: u64, mode: &Mode) -> ChainingValue {
    if let [root] = roots {
        return *root;
    }
    let (left, right) = children(roots, length, mode);
    merge_subtrees_non_root(&left, &right, mode.of_tree())
}

/// What is left and right of the topmost fork above several parts. The left one is as big as a power of two can
/// be.
fn children(roots: &[ChainingValue], length: u64, mode: &Mode) -> (ChainingValue, ChainingValue) {
    let left_length = left_subtree_len(length);
    let (left, right) = roots.split_at((left_length / PART_BYTES) as usize);
    (subtree(left, left_length, mode), subtree(right, length - left_length, mode))
}

fn defect() -> io::Error {
    io::Error::other("a thread ended before its time")
}
