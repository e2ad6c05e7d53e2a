//! Blocks of a file, asked for one at a time with nothing but the system call around it: what programs do that read without
//! a pipeline, and what our own engines are held against.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::sync::{Arc, OnceLock};

use hashlane_digest::{Algorithm, Digest};
use hashlane_io::Block;

use super::{not_possible, on_threads, prepare, share, still_warm};
use crate::cell::{CacheState, Cell, Stage};
use crate::clock::Stopwatch;
use crate::sample::Work;
use crate::sampler::{NotPossible, Probe};
use crate::scratch::LargeFile;

/// What the engine of these cells is called.
pub const ENGINE: &str = "pread";

/// Bytes of the words that are combined by XOR.
const WORD_BYTES: u64 = 4;

/// The XOR of a file: the first probe that has read all of it says what the others have to find.
pub type ExpectedXor = Arc<OnceLock<Digest>>;

/// Reads a file in blocks, each thread its share.
#[derive(Debug)]
pub struct BlockProbe {
    file: Arc<LargeFile>,
    cache: CacheState,
    threads: usize,
    block_bytes: usize,
    /// Bytes from the beginning that are read.
    bytes: u64,
    /// What the file is called in the cell, if anything.
    name: Option<String>,
    /// What is done with the bytes, if anything is.
    xor: Option<(Algorithm, ExpectedXor)>,
}

impl BlockProbe {
    /// Reads what is in the page cache, as far as that can be seen.
    pub fn warm(file: &Arc<LargeFile>, threads: usize, block_bytes: usize) -> Self {
        Self {
            file: Arc::clone(file),
            cache: file.when_read(),
            threads,
            block_bytes,
            bytes: file.bytes(),
            name: None,
            xor: None,
        }
    }

    /// Reads what the page cache does not hold.
    pub fn cold(file: &Arc<LargeFile>, block_bytes: usize) -> Self {
        Self { cache: CacheState::Cold, ..Self::warm(file, 1, block_bytes) }
    }

    /// Reads no more than `bytes` bytes from the beginning.
    pub fn of_first(self, bytes: u64) -> Self {
        Self { bytes: self.bytes.min(bytes), ..self }
    }

    /// Names the file in the cell.
    pub fn named(self, name: String) -> Self {
        Self { name: Some(name), ..self }
    }

    /// Combines all words by XOR, little-endian, the last one filled with zeros, and holds what comes out against the others
    /// that share `expected`.
    pub fn combining(self, expected: &ExpectedXor) -> Self {
        let xor32 = Algorithm::XOR32;
        Self { xor: Some((xor32, Arc::clone(expected))), ..self }
    }

    /// What threads have shares of: whole blocks, and whole words.
    fn unit_bytes(&self) -> u64 {
        let mut unit = self.block_bytes as u64;
        while !unit.is_multiple_of(WORD_BYTES) {
            unit *= 2;
        }
        unit
    }

    /// The part of the file that a thread reads.
    fn part(&self, number: usize) -> Range<u64> {
        let unit = self.unit_bytes();
        let part = share(self.bytes.div_ceil(unit), number, self.threads);
        (part.start * unit).min(self.bytes)..(part.end * unit).min(self.bytes)
    }

    fn read(&self, repeats: u64, watch: &mut Stopwatch) -> Result<Vec<Digest>, NotPossible> {
        let failed = |error: std::io::Error| not_possible("the file cannot be read", &error);
        let open = |number| {
            let mut block = Block::new(self.block_bytes);
            // Its memory is to be there before the watch starts.
            block.room().fill(0);
            Ok((self.file.open().map_err(failed)?, block, number))
        };
        let digests = on_threads(self.threads, watch, open, |prepared| {
            let (file, mut block, number) = prepared?;
            let mut hasher = self.xor.as_ref().map(|(algorithm, _)| algorithm.hasher());
            let mut digest = None;
            for _ in 0..repeats {
                let block = &mut block.room()[..self.block_bytes];
                read_blocks(&file, self.part(number), block, |bytes| {
                    if let Some(hasher) = &mut hasher {
                        hasher.update(bytes);
                    }
                })
                .map_err(failed)?;
                digest = hasher.as_mut().map(|hasher| hasher.finish());
            }
            Ok(digest)
        })?;
        let digests: Result<Vec<_>, _> = digests.into_iter().collect();
        Ok(digests?.into_iter().flatten().collect())
    }

    fn compare(&self, parts: &[Digest]) -> Result<(), NotPossible> {
        let Some((algorithm, expected)) = &self.xor else { return Ok(()) };
        let mut xor = [0; WORD_BYTES as usize];
        for part in parts {
            xor.iter_mut().zip(part.as_bytes()).for_each(|(all, one)| *all ^= one);
        }
        let found = Digest::new(*algorithm, &xor).expect("as long as a word");
        match expected.get_or_init(|| found) {
            wanted if *wanted == found => Ok(()),
            wanted => Err(NotPossible::Wrong(format!(
                "its XOR is {found}, but that of the first reading was {wanted}"
            ))),
        }
    }
}

/// Reads a range in blocks. A file that ends within it is an error: what is measured is then not what was said.
fn read_blocks(
    file: &File,
    range: Range<u64>,
    block: &mut [u8],
    mut take: impl FnMut(&[u8]),
) -> std::io::Result<()> {
    let mut at = range.start;
    while at < range.end {
        let wanted = usize::try_from(range.end - at).unwrap_or(usize::MAX).min(block.len());
        file.read_exact_at(&mut block[..wanted], at)?;
        take(&block[..wanted]);
        at += wanted as u64;
    }
    Ok(())
}

impl Probe for BlockProbe {
    fn cell(&self) -> Cell {
        Cell {
            algorithm: self.xor.as_ref().map(|(algorithm, _)| algorithm.name().to_owned()),
            engine: Some(ENGINE.to_owned()),
            cache: Some(self.cache),
            threads: self.threads,
            depth: Some(self.threads),
            block_bytes: Some(self.block_bytes as u64),
            input_bytes: Some(self.bytes),
            input: self.name.clone(),
            ..Cell::new(if self.xor.is_some() { Stage::Pipeline } else { Stage::Read })
        }
    }

    fn prepare(&mut self) -> Result<Option<u64>, NotPossible> {
        let shares = self.bytes.div_ceil(self.unit_bytes());
        if shares < self.threads as u64 {
            let threads = self.threads;
            return Err(NotPossible::Broken(format!("{shares} blocks are too few for {threads} threads")));
        }
        prepare(&self.file, self.cache)
    }

    fn run(&mut self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        let parts = self.read(repeats, watch)?;
        self.compare(&parts)?;
        let bytes = repeats * self.bytes;
        Ok(Work {
            bytes,
            operations: repeats * self.bytes.div_ceil(self.block_bytes as u64),
            // Nothing of it was in the page cache before.
            device_bytes: if self.cache == CacheState::Cold { bytes } else { 0 },
            unknown_bytes: if self.cache == CacheState::Unknown { bytes } else { 0 },
            ..Work::default()
        })
    }

    fn confirm(&mut self, from_cache: bool) -> Result<(), NotPossible> {
        still_warm(&self.file, self.cache, from_cache)
    }

    fn repeats(&self) -> bool {
        self.cache != CacheState::Cold
    }

    fn digest(&self) -> Option<String> {
        let (_, expected) = self.xor.as_ref()?;
        expected.get().map(ToString::to_string)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn threads_and_blocks_of_any_size_find_the_same_words() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = LargeFile::create(directory.path(), 300_007, Duration::MAX, 1).expect("there is room");
        let content = std::fs::read(file.path()).expect("it can be read");
        let xor = content.chunks(4).fold(0, |xor, word| {
            let mut whole = [0; 4];
            whole[..word.len()].copy_from_slice(word);
            xor ^ u32::from_le_bytes(whole)
        });
        let (file, expected) = (Arc::new(file), ExpectedXor::default());
        for threads in [1, 2, 3, 8] {
            for block_bytes in [5, 50, 1_000, 4_096, 1 << 20] {
                let mut probe = BlockProbe::warm(&file, threads, block_bytes).combining(&expected);
                let work = probe.run(2, &mut Stopwatch::start()).expect("they agree");
                assert_eq!(work.bytes, 600_014);
                assert_eq!(work.operations, 2 * 300_007u64.div_ceil(block_bytes as u64));
            }
        }
        let found = expected.get().expect("it was read").to_string();
        assert_eq!(found, format!("{xor:08x}"));
    }

    #[test]
    fn another_xor_is_no_figure() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let file = |seed| {
            Arc::new(LargeFile::create(directory.path(), 4_096, Duration::MAX, seed).expect("there is room"))
        };
        let expected = ExpectedXor::default();
        let run = |seed| {
            let mut probe = BlockProbe::warm(&file(seed), 1, 512).combining(&expected);
            probe.run(1, &mut Stopwatch::start())
        };
        assert!(run(1).is_ok());
        assert!(run(2).expect_err("another content").to_string().contains("its XOR is "));
        assert!(run(1).is_ok());
    }

    #[test]
    fn a_file_that_became_shorter_is_not_measured() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("file");
        std::fs::write(&path, [7; 10_000]).expect("there is room");
        let file = Arc::new(LargeFile::existing(&path, u64::MAX).expect("it is there"));
        std::fs::write(&path, [7; 10]).expect("there is room");
        let ran = BlockProbe::warm(&file, 1, 1_000).run(1, &mut Stopwatch::start());
        assert!(ran.expect_err("it ends early").to_string().contains("cannot be read"));
    }
}
