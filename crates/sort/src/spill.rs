//! Sorted runs that are merged as they are read back, while more are added.

use std::path::Path;

use crate::Pair;
use crate::error::Result;
use crate::merging::Merging;
use crate::runs::Runs;

/// Runs beyond this number are merged into one: it bounds the memory for their blocks.
const MOST_RUNS: usize = 64;

/// Pairs in temporary files. The one with the least key is taken out next.
#[derive(Debug)]
pub struct Spill {
    runs: Runs,
    merging: Merging,
}

impl Spill {
    /// An empty set whose file lies in a directory.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn new(directory: &Path) -> Result<Self> {
        Ok(Self { runs: Runs::new(directory)?, merging: Merging::default() })
    }

    /// Adds pairs that are sorted by key.
    ///
    /// # Errors
    /// A file cannot be made or written. Then nothing was added, and nothing is lost.
    pub fn add<'a>(&mut self, pairs: impl Iterator<Item = Pair<'a>>) -> Result<()> {
        if self.merging.runs() >= MOST_RUNS {
            *self = self.merged()?;
        }
        let mut writer = self.runs.write();
        for pair in pairs {
            writer.push(pair)?;
        }
        let run = writer.finish()?;
        self.merging.add(self.runs.file(), run)
    }

    /// The pair with the least key.
    pub fn first(&self) -> Option<Pair<'_>> {
        self.merging.head()
    }

    /// Takes that out.
    ///
    /// # Errors
    /// The next one cannot be read.
    pub fn drop_first(&mut self) -> Result<()> {
        self.merging.advance()
    }

    /// All that is left, as one run in a new file.
    fn merged(&self) -> Result<Self> {
        let mut merged = Self::new(self.runs.directory())?;
        let mut left = self.merging.clone();
        let mut writer = merged.runs.write();
        while let Some(pair) = left.head() {
            writer.push(pair)?;
            left.advance()?;
        }
        let run = writer.finish()?;
        merged.merging.add(merged.runs.file(), run)?;
        Ok(merged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::BLOCK_BYTES;

    /// Takes the first pair out.
    fn pop(spill: &mut Spill) -> Option<(Vec<u8>, Vec<u8>)> {
        let (key, payload) = spill.first()?;
        let pair = (key.to_vec(), payload.to_vec());
        spill.drop_first().expect("read");
        Some(pair)
    }

    fn run(keys: &[u32]) -> Vec<([u8; 4], Vec<u8>)> {
        keys.iter().map(|key| (key.to_be_bytes(), format!("payload {key}").into_bytes())).collect()
    }

    #[test]
    fn many_runs_come_back_as_one_sorted_sequence() {
        let mut spill = Spill::new(&std::env::temp_dir()).expect("a temporary file");
        let runs = 3 * MOST_RUNS as u32;
        for start in 0..runs {
            let keys: Vec<u32> = (0..20).map(|step| start + step * runs).collect();
            let pairs = run(&keys);
            spill.add(pairs.iter().map(|(key, payload)| (&key[..], &payload[..]))).expect("written");
        }
        for expected in 0..20 * runs {
            assert_eq!(spill.first().map(|(key, _)| key), Some(&expected.to_be_bytes()[..]));
            let (key, payload) = pop(&mut spill).expect("a pair");
            assert_eq!(
                (&key[..], payload),
                (&expected.to_be_bytes()[..], format!("payload {expected}").into_bytes())
            );
        }
        assert!(pop(&mut spill).is_none());
    }

    #[test]
    fn a_merge_that_fails_loses_nothing() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut spill = Spill::new(directory.path()).expect("a temporary file");
        let write = |spill: &mut Spill, key: u32| {
            let pairs = run(&[key, key + 1000]);
            spill.add(pairs.iter().map(|(key, payload)| (&key[..], &payload[..])))
        };
        for key in 0..MOST_RUNS as u32 {
            write(&mut spill, key).expect("written");
        }
        assert_eq!(pop(&mut spill).expect("a pair").0, 0u32.to_be_bytes());
        drop(directory);
        write(&mut spill, 500).expect_err("there is no place for the merged file");
        let mut left = Vec::new();
        while let Some((key, payload)) = pop(&mut spill) {
            let key = u32::from_be_bytes(key.try_into().expect("four bytes"));
            assert_eq!(payload, format!("payload {key}").into_bytes());
            left.push(key);
        }
        let most = MOST_RUNS as u32;
        assert_eq!(left, (1..most).chain(1000..1000 + most).collect::<Vec<_>>());
    }

    #[test]
    fn runs_may_be_added_while_others_are_read() {
        let mut spill = Spill::new(&std::env::temp_dir()).expect("a temporary file");
        for keys in [&[5, 9][..], &[6, 7]] {
            let pairs = run(keys);
            spill.add(pairs.iter().map(|(key, payload)| (&key[..], &payload[..]))).expect("written");
        }
        let mut seen = vec![pop(&mut spill).expect("a pair").0];
        let pairs = run(&[8]);
        spill.add(pairs.iter().map(|(key, payload)| (&key[..], &payload[..]))).expect("written");
        while let Some((key, _)) = pop(&mut spill) {
            seen.push(key);
        }
        assert_eq!(seen, [5u32, 6, 7, 8, 9].map(|key| key.to_be_bytes().to_vec()));
    }

    #[test]
    fn pairs_larger_than_the_buffer_survive() {
        let mut spill = Spill::new(&std::env::temp_dir()).expect("a temporary file");
        let payload = vec![7; 5 * BLOCK_BYTES];
        spill.add([(&b"a"[..], &payload[..]), (b"b", b"")].into_iter()).expect("written");
        assert_eq!(pop(&mut spill), Some((b"a".to_vec(), payload)));
        assert_eq!(pop(&mut spill), Some((b"b".to_vec(), Vec::new())));
    }
}
