//! Sorted runs of pairs in an unnamed temporary file, in blocks that say when they are damaged.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlane_digest::Algorithm;
use hashlane_record::bytes::{Rest, put_number};

use crate::Pair;
use crate::error::{Error, Result};

/// Pairs are gathered into blocks of this many bytes; one that is longer is a block by itself.
pub(crate) const BLOCK_BYTES: usize = 64 << 10;

/// With less memory than that, no more than [`MOST_WAITING`] bytes wait to be written to the disk.
const LITTLE_MEMORY: usize = 64 << 20;
const MOST_WAITING: u64 = 4 << 20;

/// Before each block: its length, and the checksum of its bytes.
const HEAD_BYTES: usize = 4 + 8;

/// A file of runs, one behind the other, to be read. It has no name, and is gone when the process is.
#[derive(Debug)]
pub(crate) struct RunFile {
    directory: PathBuf,
    file: File,
}

/// The same, to be written to.
#[derive(Debug)]
pub(crate) struct Runs {
    file: Arc<RunFile>,
    end: u64,
    /// Whether there is little memory, and how many bytes wait to be written to the disk.
    is_bounded: bool,
    waiting: u64,
}

/// A run in a file: where it lies, and the memory that reading it takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    from: u64,
    to: u64,
    longest_block: usize,
}

/// Writes a run, pair by pair.
pub(crate) struct RunWriter<'a> {
    runs: &'a mut Runs,
    run: Run,
    block: Vec<u8>,
}

/// Reads a run, pair by pair.
#[derive(Clone, Debug)]
pub(crate) struct RunReader {
    run: Run,
    block: Vec<u8>,
    /// Where the present pair lies in the block.
    at: Bounds,
}

impl Runs {
    pub(crate) fn new(directory: &Path) -> Result<Self> {
        let directory = directory.to_path_buf();
        match tempfile::tempfile_in(&directory) {
            Ok(file) => {
                let file = Arc::new(RunFile { directory, file });
                Ok(Self { file, end: 0, is_bounded: false, waiting: 0 })
            }
            Err(source) => Err(Error::Temporary { what: "making a temporary file", directory, source }),
        }
    }

    /// The same for a sorter of `memory` bytes. In a container with a limit, what waits to be written to the disk counts as memory of the
    /// process: if there is little, and the disk is slow, the system would kill it.
    pub(crate) fn within(mut self, memory: usize) -> Self {
        self.is_bounded = memory < LITTLE_MEMORY;
        self
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.file.directory
    }

    /// What reads them.
    pub(crate) fn file(&self) -> &Arc<RunFile> {
        &self.file
    }

    /// Begins a run at the end of the file.
    pub(crate) fn write(&mut self) -> RunWriter<'_> {
        let run = Run { from: self.end, to: self.end, longest_block: 0 };
        RunWriter { runs: self, run, block: Vec::with_capacity(HEAD_BYTES + BLOCK_BYTES) }
    }

    /// Notes that `bytes` bytes were written, and has them reach the disk if too many wait.
    fn written(&mut self, bytes: usize) -> io::Result<()> {
        self.waiting += bytes as u64;
        if self.is_bounded && self.waiting >= MOST_WAITING {
            self.file.file.sync_data()?;
            self.waiting = 0;
        }
        Ok(())
    }
}

impl RunFile {
    #[cfg(test)]
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    fn failed(&self, what: &'static str, source: io::Error) -> Error {
        if source.kind() == io::ErrorKind::UnexpectedEof {
            return self.damaged();
        }
        Error::Temporary { what, directory: self.directory.clone(), source }
    }

    fn damaged(&self) -> Error {
        Error::Damaged { directory: self.directory.clone() }
    }
}

fn sum(block: &[u8]) -> [u8; 8] {
    Algorithm::XXH3.digest(block).as_bytes().try_into().expect("the checksum has 8 bytes")
}

impl Run {
    /// The rest of it, from where a block begins.
    pub(crate) fn starting_at(self, start: u64) -> Self {
        Self { from: start, ..self }
    }

    /// How many bytes it has.
    pub(crate) fn bytes(&self) -> u64 {
        self.to - self.from
    }

    /// The memory in bytes that reading it takes.
    pub(crate) fn reading_bytes(&self) -> usize {
        self.longest_block.max(BLOCK_BYTES)
    }
}

impl RunWriter<'_> {
    /// Appends a pair, which has to come after all before it.
    pub(crate) fn push(&mut self, (key, payload): Pair<'_>) -> Result<()> {
        if self.block.is_empty() {
            self.block.resize(HEAD_BYTES, 0);
        }
        push_pair(&mut self.block, (key, payload));
        if self.block.len() >= HEAD_BYTES + BLOCK_BYTES { self.flush() } else { Ok(()) }
    }

    /// Where the block begins that the next pair is the first of, if it is the first of one.
    pub(crate) fn next_block(&self) -> Option<u64> {
        self.block.is_empty().then_some(self.run.to)
    }

    /// Ends the run.
    pub(crate) fn finish(mut self) -> Result<Run> {
        self.flush()?;
        self.runs.end = self.run.to;
        Ok(self.run)
    }

    fn flush(&mut self) -> Result<()> {
        let Some(pairs) = self.block.get(HEAD_BYTES..).filter(|pairs| !pairs.is_empty()) else {
            return Ok(());
        };
        let length = u32::try_from(pairs.len()).expect("a block is a pair longer than 64 KiB at most");
        let sum = sum(pairs);
        self.run.longest_block = self.run.longest_block.max(pairs.len());
        self.block[..4].copy_from_slice(&length.to_le_bytes());
        self.block[4..HEAD_BYTES].copy_from_slice(&sum);
        let written = self.runs.file.file.write_all_at(&self.block, self.run.to);
        let written = written.and_then(|()| self.runs.written(self.block.len()));
        written.map_err(|source| self.runs.file.failed("writing a temporary file", source))?;
        self.run.to += self.block.len() as u64;
        self.block.clear();
        Ok(())
    }
}

impl RunReader {
    pub(crate) fn new(run: Run) -> Self {
        Self { run, block: Vec::new(), at: [0; 3] }
    }

    /// Goes on to the next pair; false if there is none.
    pub(crate) fn advance(&mut self, file: &RunFile) -> Result<bool> {
        if self.at[2] == self.block.len() && !self.fill(file)? {
            return Ok(false);
        }
        self.at = place(&self.block, self.at[2]);
        Ok(true)
    }

    pub(crate) fn pair(&self) -> Pair<'_> {
        cut(&self.block, self.at)
    }

    /// Reads the next block. What it holds is as it was written, or it is damaged.
    fn fill(&mut self, file: &RunFile) -> Result<bool> {
        let filled = self.fill_block(file);
        if filled.is_err() {
            // Nothing of it is ever read, whoever goes on.
            self.block.clear();
        }
        filled
    }

    fn fill_block(&mut self, file: &RunFile) -> Result<bool> {
        self.at = [0; 3];
        if self.run.from == self.run.to {
            self.block = Vec::new();
            return Ok(false);
        }
        let read = |buffer: &mut [u8], at: u64| {
            let read = file.file.read_exact_at(buffer, at);
            read.map_err(|source| file.failed("reading a temporary file", source))
        };
        let mut head = [0; HEAD_BYTES];
        read(&mut head, self.run.from)?;
        let (length, expected) = head.split_first_chunk().expect("it begins with the length");
        let length = u32::from_le_bytes(*length) as usize;
        if length > self.run.longest_block {
            return Err(file.damaged());
        }
        self.block.resize(length, 0);
        read(&mut self.block, self.run.from + HEAD_BYTES as u64)?;
        if sum(&self.block) != expected {
            return Err(file.damaged());
        }
        self.run.from += (HEAD_BYTES + length) as u64;
        Ok(true)
    }
}

/// Appends a pair as it is kept in memory and in files.
pub(crate) fn push_pair(bytes: &mut Vec<u8>, (key, payload): Pair<'_>) {
    put_number(bytes, key.len() as u64);
    put_number(bytes, payload.len() as u64);
    bytes.extend_from_slice(key);
    bytes.extend_from_slice(payload);
}

/// The pair that [`push_pair`] has put somewhere.
pub(crate) fn pair_at(bytes: &[u8], at: usize) -> Pair<'_> {
    cut(bytes, place(bytes, at))
}

/// Where a key begins, where what belongs to it does, and where that ends.
type Bounds = [usize; 3];

fn place(bytes: &[u8], at: usize) -> Bounds {
    let mut rest = Rest(&bytes[at..]);
    let mut length = || rest.number().expect("what was stored is complete") as usize;
    let (key, payload) = (length(), length());
    let start = bytes.len() - rest.0.len();
    [start, start + key, start + key + payload]
}

fn cut(bytes: &[u8], [start, middle, end]: Bounds) -> Pair<'_> {
    (&bytes[start..middle], &bytes[middle..end])
}

/// Eight bytes as a number that has their order; a key that is shorter comes first.
pub(crate) fn prefix_of(key: &[u8]) -> u64 {
    let mut prefix = [0; 8];
    let length = key.len().min(8);
    prefix[..length].copy_from_slice(&key[..length]);
    u64::from_be_bytes(prefix)
}
