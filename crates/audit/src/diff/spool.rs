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

    /// The first row of a name; reads a block or two.
    pub(crate) fn find(&self, name: &[u8]) -> Result<Option<Row>, Error> {
        // Rows of this name may begin in the block before the first that begins with it.
        let after = self.blocks.partition_point(|(first, _)| &**first < name);
        let Some((_, start)) = self.blocks.get(after.saturating_sub(1)) else { return Ok(None) };
        let mut reader = RunReader::new(self.run.starting_at(*start));
        let mut row = Row::default();
        while reader.advance(&self.file)? {
            if reader.name() >= name {
                reader.copy(&mut row);
                return Ok((row.name() == name).then_some(row));
            }
        }
        Ok(None)
    }

    /// File and run, to be merged with others.
    pub(crate) fn parts(&self) -> (Arc<RunFile>, Vec<Run>) {
        (Arc::clone(&self.file), vec![self.run])
    }
}
