//! Arguments of all commands that read files: which, and how.

use clap::{Args, ValueEnum};
use hashlane_io::EngineKind;

use super::parsers::engine;
use super::{DeviceArgs, FileType, FilterArgs};

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Directories")]
pub(crate) struct WalkArgs {
    /// Walk directories: the default; accepted for compatibility
    #[arg(short, long, overrides_with = "no_recursive", hide_short_help = true)]
    pub(crate) recursive: bool,

    /// Refuse directories
    #[arg(long, overrides_with = "recursive", hide_short_help = true)]
    pub(crate) no_recursive: bool,

    /// Stay on the file system of the named directory
    #[arg(short = 'x', long)]
    pub(crate) one_file_system: bool,

    /// Follow symbolic links; by default they are counted and skipped
    #[arg(short = 'L', long)]
    pub(crate) follow: bool,

    /// Types of files to read in directories
    ///
    /// A file named on the command line is read whatever its type.
    #[arg(
        long = "type",
        value_name = "TYPE",
        value_enum,
        value_delimiter = ',',
        default_value = "file",
        hide_short_help = true
    )]
    pub(crate) types: Vec<FileType>,

    /// Read a file with several names (hard links) once for each name instead of once
    #[arg(long, hide_short_help = true)]
    pub(crate) no_links_once: bool,

    #[command(flatten)]
    pub(crate) filter: FilterArgs,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct ReadingArgs {
    /// Cores to use [default: all that this process may use]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) jobs: Option<u16>,

    /// Read engine
    ///
    /// `auto` suits every case; `direct` bypasses the page cache; `uring` is used on local file systems, and others are read
    /// without it.
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = engine(), hide_short_help = true)]
    pub(crate) engine: EngineName,

    /// Ignore the profile that `hashlane tune` saved for the device
    #[arg(long, hide_short_help = true)]
    pub(crate) no_profile: bool,

    /// Leave no files in the page cache that were not in it before
    ///
    /// By default, a run may fill a quarter of the memory first.
    #[arg(long, overrides_with = "no_drop_behind", hide_short_help = true)]
    pub(crate) drop_behind: bool,

    /// Leave the page cache to the system
    #[arg(long, overrides_with = "drop_behind", hide_short_help = true)]
    pub(crate) no_drop_behind: bool,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,

    /// Show progress: `auto` on a terminal, `json` as lines on standard error
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ProgressMode::Auto)]
    pub(crate) progress: ProgressMode,
}

/// A read engine as the user names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EngineName {
    Auto,
    Only(EngineKind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressMode {
    Auto,
    Always,
    Never,
    Json,
}
