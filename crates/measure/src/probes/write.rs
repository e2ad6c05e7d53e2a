//! The write rate: a new file, written and brought to the device.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;

use hashlane_io::{Content, nameless_file};

use super::not_possible;
use crate::cell::{Cell, Stage};
use crate::clock::Stopwatch;
use crate::sample::Work;
use crate::sampler::{NotPossible, Probe};

/// Writes a file without a name and waits until the device has it.
#[derive(Debug)]
pub struct WriteProbe {
    directory: PathBuf,
    bytes: u64,
    block: Vec<u8>,
    stamps: u64,
    written: Vec<File>,
}

impl WriteProbe {
    /// Writes `bytes` in blocks of `block_bytes`, which divides them.
    pub fn new(directory: PathBuf, bytes: u64, block_bytes: usize) -> Self {
        let mut block = vec![0; block_bytes];
        Content::seeded(2).fill(0, &mut block);
        Self { directory, bytes, block, stamps: 0, written: Vec::new() }
    }

    /// Makes every page of the block unlike any written before: some devices write what they have only once.
    fn stamp(&mut self) {
        for page in self.block.chunks_mut(4096) {
            self.stamps += 1;
            let stamp = self.stamps.to_le_bytes();
            let length = stamp.len().min(page.len());
            page[..length].copy_from_slice(&stamp[..length]);
        }
    }
}

impl Probe for WriteProbe {
    fn cell(&self) -> Cell {
        Cell {
            block_bytes: Some(self.block.len() as u64),
            input_bytes: Some(self.bytes),
            ..Cell::new(Stage::Write)
        }
    }

    fn run(&mut self, repeats: u64, _: &mut Stopwatch) -> Result<Work, NotPossible> {
        let failed = |error| not_possible("a test file cannot be written", &error);
        let blocks = self.bytes / self.block.len() as u64;
        for _ in 0..repeats {
            let mut file = nameless_file(&self.directory).map_err(failed)?;
            for _ in 0..blocks {
                self.stamp();
                file.write_all(&self.block).map_err(failed)?;
            }
            file.sync_all().map_err(failed)?;
            self.written.push(file);
        }
        let operations = repeats * blocks;
        Ok(Work { bytes: operations * self.block.len() as u64, operations, ..Work::default() })
    }

    fn confirm(&mut self, _: bool) -> Result<(), NotPossible> {
        // What was written goes here: giving a file up takes time as well, and is not writing.
        self.written.clear();
        Ok(())
    }

    fn repeats(&self) -> bool {
        // Every repetition wears a disk.
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_leaves_no_name() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut probe = WriteProbe::new(directory.path().into(), 1 << 20, 64 << 10);
        let work = probe.run(2, &mut Stopwatch::start()).expect("there is room");
        assert_eq!((work.bytes, work.operations), (2 << 20, 32));
        assert_eq!(std::fs::read_dir(directory.path()).expect("list").count(), 0);
        let mut probe = WriteProbe::new("/nowhere".into(), 1 << 20, 64 << 10);
        assert!(
            probe
                .run(1, &mut Stopwatch::start())
                .expect_err("there is no such directory")
                .to_string()
                .contains("cannot be written")
        );
    }
}
