//! The arguments that say which files are wanted.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use hashlane_record::Timestamp;
use hashlane_report::written::{size, time};

use super::given;

/// Which files are wanted, by name, size and time.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Filters")]
pub(crate) struct FilterArgs {
    /// Only files that match GLOB; may be repeated
    ///
    /// A glob without a slash is matched against the file name, one with a slash against the path below the named directory.
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,

    /// Skip files and directories that match GLOB; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,

    /// Skip what the patterns in FILE match, in gitignore syntax
    ///
    /// Ignore files are honoured only if they are named here.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub(crate) ignore_file: Vec<PathBuf>,

    /// Skip files smaller than SIZE, such as 100MB or 64KiB
    ///
    /// This also applies to files named on the command line. Pipes, devices and standard input have no size and are read.
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    pub(crate) min_size: Option<u64>,

    /// Skip files larger than SIZE
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    pub(crate) max_size: Option<u64>,

    /// Skip files last modified before TIME, such as 2026-01-31 or 7d
    ///
    /// TIME is a date (UTC) such as 2026-01-31, a time such as 2026-01-31T12:00:00Z, or an age such as 7d or 12h. This also
    /// applies to files named on the command line.
    #[arg(long, value_name = "TIME", value_parser = time, hide_short_help = true)]
    pub(crate) newer_than: Option<Timestamp>,

    /// Skip files last modified at TIME or later
    #[arg(long, value_name = "TIME", value_parser = time, hide_short_help = true)]
    pub(crate) older_than: Option<Timestamp>,
}

impl FilterArgs {
    /// The option that was given, if any was.
    pub(crate) fn given(&self) -> Option<&'static str> {
        given(&[
            (!self.include.is_empty(), "--include"),
            (!self.exclude.is_empty(), "--exclude"),
            (!self.ignore_file.is_empty(), "--ignore-file"),
            (self.min_size.is_some(), "--min-size"),
            (self.max_size.is_some(), "--max-size"),
            (self.newer_than.is_some(), "--newer-than"),
            (self.older_than.is_some(), "--older-than"),
        ])
    }
}

/// A type of file that a walk reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileType {
    /// Regular files
    File,
    /// FIFOs: reading waits until a program writes to each
    Fifo,
    /// Block devices
    Block,
    /// Character devices: many never end
    Char,
}
