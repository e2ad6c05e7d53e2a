//! The arguments by which a manifest is brought up to date.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Update")]
pub(crate) struct UpdateArgs {
    /// Bring MANIFEST up to date: read only what is new or has changed
    ///
    /// The entries of other files are kept, and those of files that no longer exist are dropped. Files below a renamed directory keep
    /// theirs under the new names, if MANIFEST holds inodes. By default, PATHs are the roots in its header. Listed algorithms are kept; those of --algorithm are added, and files that lack one are read. Objects are
    /// kept if the store lists them with the size and the time that MANIFEST has.
    #[arg(
        long,
        value_name = "MANIFEST",
        value_hint = ValueHint::FilePath,
        conflicts_with_all = ["files_from", "files0_from", "manifest_format", "tag", "base64", "zero", "no_header", "no_recursive", "matching"]
    )]
    pub(crate) update: Option<PathBuf>,

    /// With --update: what shows that a listed file is unchanged
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Trust::Times, requires = "update", hide_short_help = true)]
    pub(crate) trust: Trust,

    /// With --update: exit with 1 for added, 2 for gone, 4 for changed files; these add up, and a moved file counts as added and gone
    #[arg(long, requires = "update", hide_short_help = true)]
    pub(crate) fail_on_change: bool,
}

/// What shows that a file is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Trust {
    /// Size, mtime and inode are as listed, and ctime is before the listing. The header has the time of the listing: a run moves it only
    /// if everything listed was verified, and a time in the future is not trusted
    Times,
    /// Size and mtime are as listed; for a tree that was copied with its times, and file systems whose inodes change
    Mtime,
    /// The name is listed; for formats without times. Only new files are read
    Names,
}
