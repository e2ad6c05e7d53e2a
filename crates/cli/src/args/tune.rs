//! The arguments of `tune`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};

use super::ProgressMode;
use super::bench::budget;
use crate::cache::CacheArgs;

/// Measure how the device below PATH is read best, and keep that for sum and check
///
/// Reads test files, cold and warm, in different ways: by which engine, in blocks of which size, how many at once.
/// A way is taken only where it is faster beyond doubt, and never where the default is as good. It needs no special privileges. What
/// could not be measured is reported. The files are removed afterwards; they take at most a tenth of the free space.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane tune /mnt/archive        the device that /mnt/archive lies on
  sudo hashlane tune --drop-caches  with names and inodes cold as well; kept for root

Exit codes:
  0  measured              64  usage error, or no room for test files
 70  internal error        74  the profile cannot be kept, or a test file not be written")]
pub(crate) struct TuneArgs {
    /// A directory on the device, for the test files
    #[arg(value_name = "PATH", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) path: PathBuf,

    /// Time for measuring, as in 90s or 5m
    #[arg(long, value_name = "TIME", default_value = "40s", value_parser = budget)]
    pub(crate) budget: Duration,

    /// Seed of file contents and of the order of the measurements
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Drop the names and inodes of all files before each cold reading of small ones
    ///
    /// Needs root, and slows other programs down for a while.
    #[arg(long)]
    pub(crate) drop_caches: bool,

    /// Print the profile as it is kept, every sample in it, instead of tables
    #[arg(long)]
    pub(crate) json: bool,

    /// Keep nothing
    #[arg(long)]
    pub(crate) no_save: bool,

    #[command(flatten)]
    pub(crate) cache: CacheArgs,

    /// Show progress: `auto` on a terminal, `json` as lines on standard error
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ProgressMode::Auto)]
    pub(crate) progress: ProgressMode,
}
