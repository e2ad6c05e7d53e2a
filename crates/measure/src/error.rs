//! Why a study, or a program of others, cannot be run.
//!
//! Values and limits are data; what a program calls the options that lead out of it is its own to add.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use hashlane_digest::Algorithm;
use hashlane_record::{Escaped, system_text};

use crate::sampler::NotPossible;
use crate::scratch::Allowance;

/// Why there is nothing to measure with.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// A directory or a file cannot be used.
    #[error("{}: {}", shown(path), system_text(source))]
    Path {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: Arc<io::Error>,
    },
    /// No input can be written for programs to read.
    #[error("{}: {}: the input cannot be written", shown(directory), system_text(source))]
    Input {
        /// Where it was to lie.
        directory: PathBuf,
        /// What the system says.
        source: Arc<io::Error>,
    },
    /// Many files cannot be made where one could.
    #[error("{count} {what} cannot be created: {}", system_text(source))]
    Files {
        /// How many.
        count: u64,
        /// What they are called.
        what: &'static str,
        /// What the system says.
        source: Arc<io::Error>,
    },
    /// A file has nothing to read.
    #[error("{}: is empty; there is nothing to read", shown(path))]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// What is not a regular file has no length.
    #[error("{}: is not a regular file", shown(path))]
    NotRegular {
        /// What it is called.
        path: PathBuf,
    },
    /// No file of a directory can be read.
    #[error(
        "{}: contains no file of 1 byte to {:.0} MB",
        shown(directory),
        *most_bytes as f64 / 1e6
    )]
    NoFiles {
        /// The directory.
        directory: PathBuf,
        /// How many bytes files may have together.
        most_bytes: u64,
    },
    /// What may be taken is less than the least that makes sense.
    #[error(
        "too little space: {} is {:.1} MiB, and at least {} MiB are needed{purpose}",
        allowance.reason,
        allowance.bytes as f64 / f64::from(1 << 20),
        least_bytes >> 20
    )]
    LeastRoom {
        /// What may be taken.
        allowance: Allowance,
        /// The least.
        least_bytes: u64,
        /// What for: nothing, or ` for many files`.
        purpose: &'static str,
    },
    /// Not even one file of the size that was asked for has room.
    #[error(
        "{}: no space for a file of {:.1} MB: files may take {:.1} MB, {}; choose smaller files",
        shown(directory),
        *file_bytes as f64 / 1e6,
        allowance.bytes as f64 / 1e6,
        allowance.reason
    )]
    FileRoom {
        /// Where it was to lie.
        directory: PathBuf,
        /// What it takes.
        file_bytes: u64,
        /// What may be taken.
        allowance: Allowance,
    },
    /// Inputs take more than is left for them.
    #[error(
        "too little space: {:.1} MB are needed, the files may take {:.1} MB in all, {}, and {:.1} MB of that are left",
        *needed_bytes as f64 / 1e6,
        allowance.bytes as f64 / 1e6,
        allowance.reason,
        *left_bytes as f64 / 1e6
    )]
    InputRoom {
        /// What they take.
        needed_bytes: u64,
        /// What all may take.
        allowance: Allowance,
        /// What others have left of it.
        left_bytes: u64,
    },
    /// A file that was to be written takes more than is free.
    #[error(
        "{}: too little space: {:.1} MB are to be written, and {:.1} MB are free",
        shown(path),
        *needed_bytes as f64 / 1e6,
        *free_bytes as f64 / 1e6
    )]
    FreeRoom {
        /// The file.
        path: PathBuf,
        /// What it takes.
        needed_bytes: u64,
        /// What is free.
        free_bytes: u64,
    },
    /// A study that reads no files was asked where they lie.
    #[error("this study uses no files")]
    NoPlace,
}

/// A path for a message.
fn shown(path: &Path) -> Escaped<'_> {
    Escaped(path.as_os_str().as_encoded_bytes())
}

impl StudyError {
    /// For what the system says of a path.
    pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::Path { path: path.into(), source: Arc::new(error) }
    }
}

/// Why a program of others was not run to a good end.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// It is not installed.
    #[error("{name} is not in PATH; install the package coreutils")]
    Missing {
        /// What it is called.
        name: String,
    },
    /// It cannot be started, watched or waited for.
    #[error("{program}: {what}: {}", system_text(source))]
    Process {
        /// The program.
        program: String,
        /// What cannot be done: `cannot be started`.
        what: &'static str,
        /// What the system says.
        source: Arc<io::Error>,
    },
    /// It takes longer than it may.
    #[error("{program}: does not end within {} s", limit.as_secs())]
    TooLong {
        /// The program.
        program: String,
        /// How long it may take.
        limit: Duration,
    },
    /// Somebody asked to stop.
    #[error("{0}")]
    Stopped(NotPossible),
    /// It says itself that it has failed.
    #[error("ended with {status}{}", said.as_ref().map(|said| format!(": {said}")).unwrap_or_default())]
    Failed {
        /// How it ended.
        status: ExitStatus,
        /// The line of its complaints that says why.
        said: Option<String>,
    },
    /// The file that its output goes to cannot be opened.
    #[error("{}: {}", shown(path), system_text(source))]
    Output {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: Arc<io::Error>,
    },
    /// It is to compute a digest and prints none.
    #[error("it does not print a digest")]
    NoDigest,
    /// Its input cannot be read to compute the digest that it should have.
    #[error("the input cannot be read: {source}")]
    Input {
        /// What the system says.
        source: Arc<io::Error>,
    },
    /// Its digest is wrong.
    #[error("its digest is {found}, but {algorithm} of the same file is {ours}")]
    OtherDigest {
        /// What it prints.
        found: String,
        /// The algorithm.
        algorithm: Algorithm,
        /// What it should have printed.
        ours: String,
    },
}

impl ProgramError {
    /// Why a cell cannot be measured that it is needed for.
    pub(crate) fn broken(self) -> NotPossible {
        match self {
            Self::Stopped(how) => how,
            other => NotPossible::Broken(other.to_string()),
        }
    }
}
