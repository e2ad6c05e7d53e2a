//! Files of figures: runs of ours, and what other programs have written.

use std::path::{Path, PathBuf};

use crate::import::{ImportError, Imported, import};
use crate::run::{Run, RunError, SCHEMA, read, without_mark};

/// What a file holds.
#[derive(Clone, Debug)]
pub enum Loaded {
    /// A run of ours.
    Run(Box<Run>),
    /// What another program has written.
    Imported(Imported),
}

/// Why a file of figures cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// It is a directory.
    #[error("{}: is a directory; name the files in it, as in {}/*", shown(path), shown(path).trim_end_matches('/'))]
    Directory {
        /// The directory.
        path: PathBuf,
    },
    /// It is no file of another program either.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// It cannot be read, or is a run that cannot be trusted.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl Loaded {
    /// Reads a file. What it is is told from its content.
    ///
    /// # Errors
    /// It cannot be read, is no file of figures, or one that cannot be trusted.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        if path.is_dir() {
            return Err(LoadError::Directory { path: path.to_path_buf() });
        }
        Self::parse(&read(path)?, path)
    }

    /// Reads what a file holds; `path` is for messages.
    ///
    /// # Errors
    /// It is no file of figures, or one that cannot be trusted.
    pub fn parse(content: &[u8], path: &Path) -> Result<Self, LoadError> {
        if is_run(content) {
            return Ok(Self::Run(Box::new(Run::parse(content, path)?)));
        }
        Ok(Self::Imported(import(content, path)?))
    }
}

/// Whether content says at its beginning that it is a run, even if what follows is broken: then it is told what is wrong with
/// it as a run.
pub fn is_run(content: &[u8]) -> bool {
    const HEAD: usize = 512;
    let content = without_mark(content);
    let head = &content[..content.len().min(HEAD)];
    let mark = format!("\"{SCHEMA}\"");
    head.trim_ascii_start().starts_with(b"{")
        && head.windows(mark.len()).any(|bytes| bytes == mark.as_bytes())
}

fn shown(path: &Path) -> String {
    hashlane_record::Escaped(path.as_os_str().as_encoded_bytes()).to_string()
}
