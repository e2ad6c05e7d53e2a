//! The arguments by which a manifest is brought up to date.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Update")]
pub(crate) struct UpdateArgs {
    /// Bring MANIFEST up to date: read what is new or was changed, keep what is listed of the other files, drop what is gone. PATHs
    /// are by default the roots in its header. Algorithms that are listed stay; those of --algorithm are added to them, and files
    /// that lack one are read
    #[arg(
        long,
        value_name = "MANIFEST",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = ["files_from", "files0_from", "manifest_format", "tag", "base64", "zero", "matching"]
    )]
    pub(crate) update: Option<PathBuf>,

    /// With --update: when a listed file is not read again
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Trust::Times, requires = "update")]
    pub(crate) trust: Trust,

    /// With --update: exit with 1 for added, 2 for gone, and 4 for changed files; these add up
    #[arg(long, requires = "update")]
    pub(crate) fail_on_change: bool,
}

/// What shows that a file is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Trust {
    /// Size and mtime are as listed, and ctime lies before the listing, where the header says when that was: a run moves that time
    /// only if all that is listed was verified, and one that is yet to come is not believed
    Times,
    /// Size and mtime are as listed: for a tree that was copied with its times
    Mtime,
    /// Its name is listed: for formats without times; only new files are read
    Names,
}
