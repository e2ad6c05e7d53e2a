//! The write rate: a new file, written and brought to the device.

use std::io::Write as _;
use std::path::PathBuf;

use hashlane_io::Content;

use super::not_possible;
use crate::cell::{Cell, Stage};
use crate::sample::Work;
use crate::sampler::{NotPossible, Probe};
use crate::temporary::nameless_file;

/// Writes a file without a name and waits until the device has it.
#[derive(Debug)]
pub struct WriteProbe {
    directory: PathBuf,
    bytes: u64,
    block: Vec<u8>,
}

impl WriteProbe {
    /// Writes `bytes` in blocks of `block_bytes`, which divides them.
    pub fn new(directory: PathBuf, bytes: u64, block_bytes: usize) -> Self {
        let mut block = vec![0; block_bytes];
        Content::seeded(2).fill(0, &mut block);
        Self { directory, bytes, block }
    }
}

impl Probe for WriteProbe {
    fn cell(&self) -> Cell {
        Cell { block_bytes: Some(self.block.len() as u64), ..Cell::new(Stage::Write) }
    }

    fn run(&mut self, repeats: u64) -> Result<Work, NotPossible> {
        let failed = |error| not_possible("a test file cannot be written", &error);
        let blocks = self.bytes / self.block.len() as u64;
        for _ in 0..repeats {
            let mut file = nameless_file(&self.directory).map_err(failed)?;
            for _ in 0..blocks {
                file.write_all(&self.block).map_err(failed)?;
            }
            file.sync_all().map_err(failed)?;
        }
        let operations = repeats * blocks;
        Ok(Work { bytes: operations * self.block.len() as u64, operations, ..Work::default() })
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
        let work = probe.run(2).expect("there is room");
        assert_eq!((work.bytes, work.operations), (2 << 20, 32));
        assert_eq!(std::fs::read_dir(directory.path()).expect("list").count(), 0);
        let mut probe = WriteProbe::new("/nowhere".into(), 1 << 20, 64 << 10);
        assert!(probe.run(1).expect_err("there is no such directory").0.contains("cannot be written"));
    }
}
