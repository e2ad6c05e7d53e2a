//! Rows in order in a temporary file, to be read as often as is wanted.

use std::path::Path;
use std::sync::Arc;

use crate::diff::error::Error;
use crate::diff::row::{Row, Rows};
use crate::diff::runs::{Run, RunFile, RunReader};
use crate::diff::sorter::Sorted;

/// Rows in ascending order of their names, written once. The file has no name, and is gone when the process is.
pub(crate) struct Spool {
    file: Arc<RunFile>,
    run: Run,
    /// The first name of each block, and where the block begins.
    blocks: Vec<(Box<[u8]>, u64)>,
}

impl Spool {
    /// Writes rows, as many as there are.
    pub(crate) fn write(directory: &Path, rows: &mut impl Rows) -> Result<Self, Error> {
        let mut file = RunFile::new(directory)?;
        let mut writer = file.write();
        let mut blocks = Vec::new();
        let mut row = Row::default();
        while rows.next(&mut row)? {
            if let Some(start) = writer.next_block() {
                blocks.push((row.name().into(), start));
            }
            writer.push(row.name(), row.content())?;
        }
        let run = writer.finish()?;
        Ok(Self { file: Arc::new(file), run, blocks })
    }

    /// The rows, from the first on.
    pub(crate) fn rows(&self) -> Sorted {
        Sorted::merged(std::slice::from_ref(self))
    }

    /// How many bytes it has.
    pub(crate) fn bytes(&self) -> u64 {
        self.run.bytes()
    }

    /// The first row of a name; reads a block or two.
    pub(crate) fn find(&self, name: &[u8]) -> Result<Option<Row>, Error> {
        let mut reader = RunReader::new(self.run_from(name));
        let mut row = Row::default();
        while reader.advance(&self.file)? {
            if reader.name() >= name {
                reader.copy(&mut row);
                return Ok((row.name() == name).then_some(row));
            }
        }
        Ok(None)
    }

    /// File and run, to be merged with others: from a block on before which no row has this name or one that comes after it.
    pub(crate) fn parts(&self, name: &[u8]) -> (Arc<RunFile>, Vec<Run>) {
        (Arc::clone(&self.file), vec![self.run_from(name)])
    }

    fn run_from(&self, name: &[u8]) -> Run {
        // Rows of this name may begin in the block before the first that begins with it.
        let after = self.blocks.partition_point(|(first, _)| &**first < name);
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
    use crate::diff::sorter::Sorter;

    #[test]
    fn rows_from_a_name_on_are_read_without_those_before() {
        let mut sorter = Sorter::new(0, std::env::temp_dir());
        let mut row = Row::default();
        // Each name three times, so that names lie across the borders of blocks.
        for number in 0..9000_u32 {
            row.put(&(number / 3).to_be_bytes(), &[0; 100]);
            sorter.push(&row).unwrap();
        }
        let spool = Spool::write(&std::env::temp_dir(), &mut sorter.finish().unwrap()).unwrap();
        let starts: Vec<u64> = spool.blocks.iter().map(|&(_, start)| start).collect();
        assert!(starts.len() > 10);
        for number in (0..3001_u32).step_by(50) {
            let name = number.to_be_bytes();
            let mut rows = Sorted::merged_from(std::slice::from_ref(&spool), &name);
            let mut found = 0;
            while rows.next(&mut row).unwrap() {
                found += u32::from(row.name() >= &name[..]);
            }
            assert_eq!(found, 3 * 3000_u32.saturating_sub(number), "{number}");
        }
        let last = spool.blocks.last().unwrap().0.to_vec();
        let following = [&last[..], b"x"].concat();
        // All blocks but the last are damaged.
        for start in &starts[..starts.len() - 1] {
            spool.file.file().write_all_at(&[0xff; 4], *start).unwrap();
        }
        assert!(spool.rows().next(&mut row).is_err());
        let mut rows = Sorted::merged_from(std::slice::from_ref(&spool), &following);
        assert!(rows.next(&mut row).unwrap() && row.name() == last);
    }
}
