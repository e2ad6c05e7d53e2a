//! Sorted pairs in a temporary file, to be read as often as is wanted.

use std::path::Path;
use std::sync::Arc;

use crate::Pair;
use crate::error::{Error, Result};
use crate::merging::Merging;
use crate::runs::{Run, RunFile, RunReader, Runs};
use crate::sorter::Sorted;

/// Pairs in ascending order of their keys, written once.
#[derive(Debug)]
pub struct Spool {
    file: Arc<RunFile>,
    run: Run,
    /// The first key of each block, and where the block begins.
    blocks: Vec<(Box<[u8]>, u64)>,
}

impl Spool {
    /// Writes pairs into a file in a directory. `write` is called once, and hands them over in order.
    ///
    /// # Errors
    /// The file cannot be made or written, or `write` fails.
    pub fn write<E: From<Error>>(
        directory: &Path,
        write: impl FnOnce(&mut dyn FnMut(Pair<'_>) -> Result<()>) -> std::result::Result<(), E>,
    ) -> std::result::Result<Self, E> {
        let mut runs = Runs::new(directory)?;
        let mut writer = runs.write();
        let mut blocks = Vec::new();
        write(&mut |pair| {
            if let Some(start) = writer.next_block() {
                blocks.push((pair.0.into(), start));
            }
            writer.push(pair)
        })?;
        let run = writer.finish()?;
        Ok(Self { file: Arc::clone(runs.file()), run, blocks })
    }

    /// The pairs, from the first on.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn pairs(&self) -> Result<Sorted> {
        Self::merged(std::slice::from_ref(self), b"")
    }

    /// The pairs of several, of a key and of those that come after it; and some of those that come before it, as they are read with these. Of
    /// equal keys those of the first come first.
    ///
    /// # Errors
    /// A file cannot be read, or is damaged.
    pub fn merged(spools: &[Self], key: &[u8]) -> Result<Sorted> {
        let mut merging = Merging::default();
        for spool in spools {
            merging.add(&spool.file, spool.run_from(key))?;
        }
        Ok(Sorted::of(merging))
    }

    /// How many bytes it has.
    pub fn bytes(&self) -> u64 {
        self.run.bytes()
    }

    /// What belongs to the first pair of a key, if there is one; reads a block or two.
    ///
    /// # Errors
    /// The file cannot be read, or is damaged.
    pub fn find(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let mut reader = RunReader::new(self.run_from(key));
        while reader.advance(&self.file)? {
            let (found, payload) = reader.pair();
            if found >= key {
                return Ok((found == key).then(|| payload.to_vec()));
            }
        }
        Ok(None)
    }

    fn run_from(&self, key: &[u8]) -> Run {
        // Pairs of this key may begin in the block before the first that begins with it.
        let after = self.blocks.partition_point(|(first, _)| &**first < key);
        match self.blocks.get(after.saturating_sub(1)) {
            Some((_, start)) => self.run.starting_at(*start),
            None => self.run,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt as _;

    use super::*;
    use crate::sorter::Sorter;

    #[test]
    fn pairs_from_a_key_on_are_read_without_those_before() {
        let mut sorter = Sorter::new(0, std::env::temp_dir());
        // Each name three times, so that names lie across the borders of blocks.
        for number in 0..9000_u32 {
            sorter.push((&(number / 3).to_be_bytes(), &[0; 100])).unwrap();
        }
        let mut sorted = sorter.finish().unwrap();
        let spool = Spool::write(&std::env::temp_dir(), |push| -> Result<()> {
            while let Some(pair) = sorted.next_pair()? {
                push(pair)?;
            }
            Ok(())
        });
        let spool = spool.unwrap();
        let starts: Vec<u64> = spool.blocks.iter().map(|&(_, start)| start).collect();
        assert!(starts.len() > 10);
        for number in (0..3001_u32).step_by(50) {
            let name = number.to_be_bytes();
            let mut pairs = Spool::merged(std::slice::from_ref(&spool), &name).unwrap();
            let mut found = 0;
            while let Some((key, _)) = pairs.next_pair().unwrap() {
                found += u32::from(key >= &name[..]);
            }
            assert_eq!(found, 3 * 3000_u32.saturating_sub(number), "{number}");
        }
        let last = spool.blocks.last().unwrap().0.to_vec();
        let following = [&last[..], b"x"].concat();
        // All blocks but the last are damaged.
        for start in &starts[..starts.len() - 1] {
            spool.file.file().write_all_at(&[0xff; 4], *start).unwrap();
        }
        assert!(spool.pairs().is_err());
        let mut pairs = Spool::merged(std::slice::from_ref(&spool), &following).unwrap();
        assert_eq!(pairs.next_pair().unwrap().unwrap().0, last);
    }
}
