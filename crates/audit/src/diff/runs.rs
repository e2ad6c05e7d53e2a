//! Sorted runs of rows in an unnamed temporary file, in blocks that say when they are damaged.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use hashlane_digest::Algorithm;

use crate::diff::error::Error;
use crate::diff::row::Row;
use crate::entry::{push_number, take, take_number};

/// Rows are gathered into blocks of so many bytes; one that is longer is a block by itself.
pub(crate) const BLOCK_BYTES: usize = 64 << 10;

/// With less memory than that, no more than [`MOST_WAITING`] bytes wait to be written to the disk.
const LITTLE_MEMORY: usize = 64 << 20;
const MOST_WAITING: u64 = 4 << 20;

/// Before each block: its length, and the checksum of its bytes.
const HEAD_BYTES: usize = 4 + 8;

/// A file of runs, one behind the other. It has no name, and is gone when the process is.
pub(crate) struct RunFile {
    directory: PathBuf,
    file: File,
    end: u64,
    checksum: Algorithm,
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

/// Writes a run, row by row.
pub(crate) struct RunWriter<'a> {
    file: &'a mut RunFile,
    run: Run,
    block: Vec<u8>,
}

/// Reads a run, row by row.
pub(crate) struct RunReader {
    run: Run,
    block: Vec<u8>,
    next: usize,
    /// Where name and content of the present row lie in the block.
    name: (usize, usize),
    content: (usize, usize),
}

impl RunFile {
    /// An empty file in a directory.
    pub(crate) fn new(directory: &Path) -> Result<Self, Error> {
        let directory = directory.to_path_buf();
        match tempfile::tempfile_in(&directory) {
            Ok(file) => {
                let checksum = Algorithm::XXH3;
                Ok(Self { directory, file, end: 0, checksum, is_bounded: false, waiting: 0 })
            }
            Err(source) => Err(Error::Temporary { what: "making a temporary file", directory, source }),
        }
    }

    /// The same for a sorter of so much memory. In a container with a limit, what waits to be written to the disk counts as memory of the
    /// process: if there is little, and the disk is slow, the system would kill it.
    pub(crate) fn within(mut self, memory: usize) -> Self {
        self.is_bounded = memory < LITTLE_MEMORY;
        self
    }

    /// Notes that so many bytes were written, and has them reach the disk if too many wait.
    fn written(&mut self, bytes: usize) -> io::Result<()> {
        self.waiting += bytes as u64;
        if self.is_bounded && self.waiting >= MOST_WAITING {
            self.file.sync_data()?;
            self.waiting = 0;
        }
        Ok(())
    }

    /// Begins a run at the end of the file.
    pub(crate) fn write(&mut self) -> RunWriter<'_> {
        let run = Run { from: self.end, to: self.end, longest_block: 0 };
        RunWriter { file: self, run, block: Vec::with_capacity(HEAD_BYTES + BLOCK_BYTES) }
    }

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

    fn sum(&self, block: &[u8]) -> [u8; 8] {
        let digest = self.checksum.digest(block);
        digest.as_bytes().try_into().expect("the checksum has 8 bytes")
    }
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
    /// Appends a row, which has to come after all before it.
    pub(crate) fn push(&mut self, name: &[u8], content: &[u8]) -> Result<(), Error> {
        if self.block.is_empty() {
            self.block.resize(HEAD_BYTES, 0);
        }
        push_number(&mut self.block, name.len() as u64);
        push_number(&mut self.block, content.len() as u64);
        self.block.extend_from_slice(name);
        self.block.extend_from_slice(content);
        if self.block.len() >= HEAD_BYTES + BLOCK_BYTES { self.flush() } else { Ok(()) }
    }

    /// Where the block begins that the next row is the first of, if it is the first of one.
    pub(crate) fn next_block(&self) -> Option<u64> {
        self.block.is_empty().then_some(self.run.to)
    }

    /// Ends the run.
    pub(crate) fn finish(mut self) -> Result<Run, Error> {
        self.flush()?;
        self.file.end = self.run.to;
        Ok(self.run)
    }

    fn flush(&mut self) -> Result<(), Error> {
        let Some(rows) = self.block.get(HEAD_BYTES..).filter(|rows| !rows.is_empty()) else { return Ok(()) };
        let length = u32::try_from(rows.len()).expect("a block is a row longer than 64 KiB at most");
        let sum = self.file.sum(rows);
        self.run.longest_block = self.run.longest_block.max(rows.len());
        self.block[..4].copy_from_slice(&length.to_le_bytes());
        self.block[4..HEAD_BYTES].copy_from_slice(&sum);
        let written = self.file.file.write_all_at(&self.block, self.run.to);
        let written = written.and_then(|()| self.file.written(self.block.len()));
        written.map_err(|source| self.file.failed("writing a temporary file", source))?;
        self.run.to += self.block.len() as u64;
        self.block.clear();
        Ok(())
    }
}

impl RunReader {
    pub(crate) fn new(run: Run) -> Self {
        Self { run, block: Vec::new(), next: 0, name: (0, 0), content: (0, 0) }
    }

    /// Goes on to the next row; false if there is none.
    pub(crate) fn advance(&mut self, file: &RunFile) -> Result<bool, Error> {
        if self.next == self.block.len() && !self.fill(file)? {
            return Ok(false);
        }
        let mut rest = &self.block[self.next..];
        let (name, content) = (take_number(&mut rest) as usize, take_number(&mut rest) as usize);
        let start = self.block.len() - rest.len();
        self.name = (start, start + name);
        self.content = (start + name, start + name + content);
        self.next = self.content.1;
        Ok(true)
    }

    pub(crate) fn name(&self) -> &[u8] {
        &self.block[self.name.0..self.name.1]
    }

    pub(crate) fn copy(&self, row: &mut Row) {
        row.put(self.name(), &self.block[self.content.0..self.content.1]);
    }

    /// Reads the next block. What it holds is as it was written, or it is damaged.
    fn fill(&mut self, file: &RunFile) -> Result<bool, Error> {
        if self.run.from == self.run.to {
            self.block = Vec::new();
            self.next = 0;
            return Ok(false);
        }
        let read = |buffer: &mut [u8], at: u64| {
            let read = file.file.read_exact_at(buffer, at);
            read.map_err(|source| file.failed("reading a temporary file", source))
        };
        let mut head = [0; HEAD_BYTES];
        read(&mut head, self.run.from)?;
        let (length, sum) = head.split_at(4);
        let length = take(&mut &*length, 4).iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte));
        if length > self.run.longest_block {
            return Err(file.damaged());
        }
        self.block.resize(length, 0);
        read(&mut self.block, self.run.from + HEAD_BYTES as u64)?;
        if file.sum(&self.block) != sum {
            return Err(file.damaged());
        }
        self.run.from += (HEAD_BYTES + length) as u64;
        self.next = 0;
        Ok(true)
    }
}
