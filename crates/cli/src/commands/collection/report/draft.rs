//! A report until it is complete.
//!
//! All of it is asked of the catalogue at one moment: findings, totals and audits belong together, and an audit may be under way. As long
//! as that moment lasts, SQLite cannot begin its log anew, so the log grows with all that others write. Whoever reads the report may take
//! hours, as a pager does. So the report waits here, and is handed over once the moment has ended.
//!
//! Asking for segments one at a time instead, as `collection export` does, would need no such file. But its parts would be of several
//! moments: counts that no list bears out.

use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, Write as _};
use std::path::PathBuf;

use hashlane_report::text;
use tempfile::{SpooledTempFile, spooled_tempfile_in};

use crate::output::{Output, Place, shown};
use crate::status::unwritten;

/// Bytes that wait in memory. Most reports are shorter.
const MOST_IN_MEMORY: usize = 16 << 20;

/// Bytes that are handed over together.
const TOGETHER: usize = 64 << 10;

pub(super) struct Draft {
    file: BufWriter<SpooledTempFile>,
    directory: PathBuf,
}

impl Draft {
    pub(super) fn new() -> Self {
        let directory = hashlane_io::temporary_directory();
        let file = BufWriter::new(spooled_tempfile_in(MOST_IN_MEMORY, &directory));
        Self { file, directory }
    }

    /// Writes a piece of the report.
    pub(super) fn put(&mut self, text: &str) -> anyhow::Result<()> {
        self.file.write_all(text.as_bytes()).map_err(|error| self.failed(&error))
    }

    /// Hands the whole report over.
    pub(super) fn hand_over(mut self, output: &mut Output, place: &Place) -> anyhow::Result<()> {
        self.file.rewind().map_err(|error| self.failed(&error))?;
        let Self { file, directory } = self;
        let failed = |error: &io::Error| unusable(&directory, error);
        let file = file.into_inner().map_err(|error| failed(error.error()))?;
        let (mut file, mut part) = (BufReader::new(file), vec![0; TOGETHER]);
        loop {
            let length = file.read(&mut part).map_err(|error| failed(&error))?;
            if length == 0 {
                return Ok(());
            }
            output.write_all(&part[..length]).map_err(|error| place.failed(&error))?;
        }
    }

    fn failed(&self, error: &io::Error) -> anyhow::Error {
        unusable(&self.directory, error)
    }
}

/// What the system says of temporary files.
fn unusable(directory: &std::path::Path, error: &io::Error) -> anyhow::Error {
    unwritten!(
        "{}: {} (a temporary file of the report); name another directory by TMPDIR",
        shown(directory),
        text::system(error)
    )
}
