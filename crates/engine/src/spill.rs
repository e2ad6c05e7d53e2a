//! Sorted runs in an unlinked temporary file, merged as they are read back.
//!
//! Invariants: every run is sorted by key when it is written; a key that was popped is smaller than all that are left;
//! memory is a read buffer for each run, and the number of runs is kept below [`MOST_RUNS`] by merging.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

/// Runs beyond this number are merged into one: it bounds the read buffers to `MOST_RUNS * READ_BYTES`.
const MOST_RUNS: usize = 64;

/// Size of a run's read buffer in bytes.
const READ_BYTES: usize = 32 * 1024;

/// A set of sorted runs. The file has no name and vanishes with the process.
#[derive(Debug)]
pub(crate) struct Spill {
    directory: PathBuf,
    file: File,
    end: u64,
    runs: Vec<Run>,
    heads: BinaryHeap<Reverse<(Vec<u8>, usize)>>,
}

/// A run that is being read back. Its head is in the heap; `payload` belongs to that head.
#[derive(Clone, Debug)]
struct Run {
    next: u64,
    end: u64,
    buffer: Vec<u8>,
    start: usize,
    payload: Vec<u8>,
}

impl Spill {
    /// An empty set whose file lies in `directory`.
    pub(crate) fn create(directory: &Path) -> io::Result<Self> {
        let file = tempfile::tempfile_in(directory)?;
        Ok(Self { directory: directory.into(), file, end: 0, runs: Vec::new(), heads: BinaryHeap::new() })
    }

    /// Writes a run of key and payload pairs, sorted by key. On an error nothing was added.
    pub(crate) fn write_run<'a>(
        &mut self,
        pairs: impl Iterator<Item = (&'a [u8], &'a [u8])>,
    ) -> io::Result<()> {
        if self.runs.len() >= MOST_RUNS {
            self.merge()?;
        }
        let start = self.end;
        let mut writer = BufWriter::with_capacity(256 * 1024, At { file: &self.file, offset: start });
        for (key, payload) in pairs {
            write_pair(&mut writer, key, payload)?;
        }
        writer.flush()?;
        let end = writer.get_ref().offset;
        drop(writer);
        self.end = end;
        let index = self.runs.len();
        self.runs.push(Run { next: start, end, buffer: Vec::new(), start: 0, payload: Vec::new() });
        self.advance(index)
    }

    /// The smallest key.
    pub(crate) fn peek(&self) -> Option<&[u8]> {
        self.heads.peek().map(|Reverse((key, _))| key.as_slice())
    }

    /// Takes the pair with the smallest key.
    pub(crate) fn pop(&mut self) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
        let Some(Reverse((key, index))) = self.heads.pop() else { return Ok(None) };
        let payload = std::mem::take(&mut self.runs[index].payload);
        self.advance(index)?;
        Ok(Some((key, payload)))
    }

    /// Brings the next pair of a run into the heap, if it has one.
    fn advance(&mut self, index: usize) -> io::Result<()> {
        let run = &mut self.runs[index];
        if let Some(key) = run.read_pair(&self.file)? {
            self.heads.push(Reverse((key, index)));
        }
        Ok(())
    }

    /// Merges all runs into one in a new file. On an error everything stays as it was.
    fn merge(&mut self) -> io::Result<()> {
        let before = (self.runs.clone(), self.heads.clone());
        match self.merged() {
            Ok(merged) => *self = merged,
            Err(error) => {
                (self.runs, self.heads) = before;
                return Err(error);
            }
        }
        Ok(())
    }

    fn merged(&mut self) -> io::Result<Self> {
        let mut merged = Self::create(&self.directory)?;
        let mut writer = BufWriter::with_capacity(256 * 1024, At { file: &merged.file, offset: 0 });
        while let Some((key, payload)) = self.pop()? {
            write_pair(&mut writer, &key, &payload)?;
        }
        writer.flush()?;
        let end = writer.get_ref().offset;
        drop(writer);
        merged.end = end;
        merged.runs.push(Run { next: 0, end, buffer: Vec::new(), start: 0, payload: Vec::new() });
        merged.advance(0)?;
        Ok(merged)
    }
}

impl Run {
    /// The next pair: returns its key and keeps its payload. `None` at the end of the run.
    fn read_pair(&mut self, file: &File) -> io::Result<Option<Vec<u8>>> {
        if self.start == self.buffer.len() && self.next == self.end {
            self.buffer = Vec::new();
            return Ok(None);
        }
        let length = |bytes: [u8; 4]| u32::from_le_bytes(bytes) as usize;
        let header = self.take(file, 8)?;
        let (key, payload) = header.split_at(4);
        let key = length(key.try_into().expect("four bytes"));
        let payload = length(payload.try_into().expect("four bytes"));
        let key = self.take(file, key)?.to_vec();
        self.payload = self.take(file, payload)?.to_vec();
        Ok(Some(key))
    }

    fn take(&mut self, file: &File, count: usize) -> io::Result<&[u8]> {
        if self.buffer.len() - self.start < count {
            self.buffer.drain(..self.start);
            self.start = 0;
            let have = self.buffer.len();
            let left = usize::try_from(self.end - self.next).unwrap_or(usize::MAX);
            let more = left.min(count.max(READ_BYTES) - have);
            self.buffer.resize(have + more, 0);
            file.read_exact_at(&mut self.buffer[have..], self.next)?;
            self.next += more as u64;
            if self.buffer.len() < count {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        self.start += count;
        Ok(&self.buffer[self.start - count..self.start])
    }
}

fn write_pair(writer: &mut impl io::Write, key: &[u8], payload: &[u8]) -> io::Result<()> {
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).map(u32::to_le_bytes).map_err(io::Error::other);
    writer.write_all(&length(key)?)?;
    writer.write_all(&length(payload)?)?;
    writer.write_all(key)?;
    writer.write_all(payload)
}

/// Writes at a position of its own, so that readers of the same file are not disturbed.
struct At<'a> {
    file: &'a File,
    offset: u64,
}

impl io::Write for At<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write_at(bytes, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(keys: &[u32]) -> Vec<([u8; 4], Vec<u8>)> {
        keys.iter().map(|key| (key.to_be_bytes(), format!("payload {key}").into_bytes())).collect()
    }

    #[test]
    fn many_runs_come_back_as_one_sorted_sequence() {
        let mut spill = Spill::create(&std::env::temp_dir()).expect("a temporary file");
        let runs = 3 * MOST_RUNS as u32;
        for start in 0..runs {
            let keys: Vec<u32> = (0..20).map(|step| start + step * runs).collect();
            let pairs = run(&keys);
            spill.write_run(pairs.iter().map(|(key, payload)| (&key[..], &payload[..]))).expect("written");
        }
        for expected in 0..20 * runs {
            assert_eq!(spill.peek(), Some(&expected.to_be_bytes()[..]));
            let (key, payload) = spill.pop().expect("read").expect("a pair");
            assert_eq!(
                (&key[..], payload),
                (&expected.to_be_bytes()[..], format!("payload {expected}").into_bytes())
            );
        }
        assert!(spill.pop().expect("read").is_none());
    }

    #[test]
    fn a_merge_that_fails_loses_nothing() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut spill = Spill::create(directory.path()).expect("a temporary file");
        let write = |spill: &mut Spill, key: u32| {
            let pairs = run(&[key, key + 1000]);
            spill.write_run(pairs.iter().map(|(key, payload)| (&key[..], &payload[..])))
        };
        for key in 0..MOST_RUNS as u32 {
            write(&mut spill, key).expect("written");
        }
        assert_eq!(spill.pop().expect("read").expect("a pair").0, 0u32.to_be_bytes());
        drop(directory);
        write(&mut spill, 500).expect_err("there is no place for the merged file");
        let mut left = Vec::new();
        while let Some((key, payload)) = spill.pop().expect("read") {
            let key = u32::from_be_bytes(key.try_into().expect("four bytes"));
            assert_eq!(payload, format!("payload {key}").into_bytes());
            left.push(key);
        }
        let most = MOST_RUNS as u32;
        assert_eq!(left, (1..most).chain(1000..1000 + most).collect::<Vec<_>>());
    }

    #[test]
    fn runs_may_be_added_while_others_are_read() {
        let mut spill = Spill::create(&std::env::temp_dir()).expect("a temporary file");
        for keys in [&[5, 9][..], &[6, 7]] {
            let pairs = run(keys);
            spill.write_run(pairs.iter().map(|(key, payload)| (&key[..], &payload[..]))).expect("written");
        }
        let mut seen = vec![spill.pop().expect("read").expect("a pair").0];
        let pairs = run(&[8]);
        spill.write_run(pairs.iter().map(|(key, payload)| (&key[..], &payload[..]))).expect("written");
        while let Some((key, _)) = spill.pop().expect("read") {
            seen.push(key);
        }
        assert_eq!(seen, [5u32, 6, 7, 8, 9].map(|key| key.to_be_bytes().to_vec()));
    }

    #[test]
    fn pairs_larger_than_the_buffer_survive() {
        let mut spill = Spill::create(&std::env::temp_dir()).expect("a temporary file");
        let payload = vec![7; 5 * READ_BYTES];
        spill.write_run([(&b"a"[..], &payload[..]), (b"b", b"")].into_iter()).expect("written");
        assert_eq!(spill.pop().expect("read"), Some((b"a".to_vec(), payload)));
        assert_eq!(spill.pop().expect("read"), Some((b"b".to_vec(), Vec::new())));
    }
}
