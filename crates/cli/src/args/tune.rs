//! The arguments of `tune`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use hashlane_report::written::budget;

use super::ProgressMode;
use crate::cache::CacheArgs;

/// Measure how best to read the device of PATH, and save that for sum and check
///
/// Reads test files, cold and warm, with different engines, block sizes and numbers of reads at once. A setting is chosen only if
/// it is faster beyond doubt, never if the default is as good. No special privileges are needed. Anything that cannot be measured
/// is reported. The files are removed afterwards; they take at most a tenth of the free space.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane tune /mnt/archive        the device that holds /mnt/archive
  sudo hashlane tune --drop-caches  with names and inodes cold as well; saved for root

Exit codes:
  0  measured              64  usage error, or no room for test files
 70  internal error        74  the profile cannot be saved, or a test file cannot be written")]
pub(crate) struct TuneArgs {
    /// A directory on the device, for the test files
    #[arg(value_name = "PATH", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) path: PathBuf,

    /// Time to spend on measuring, such as 90s or 5m
    #[arg(long, value_name = "TIME", default_value = "40s", value_parser = budget)]
    pub(crate) budget: Duration,

    /// Seed for file contents and the order of the measurements
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Drop cached names and inodes of all files before each cold reading of small ones
    ///
    /// This needs root, and slows down other programs for a while.
    #[arg(long)]
    pub(crate) drop_caches: bool,

    /// Print the profile as it is saved, with every sample, instead of tables
    #[arg(long)]
    pub(crate) json: bool,

    /// Do not save the profile
    #[arg(long)]
    pub(crate) no_save: bool,

    #[command(flatten)]
    pub(crate) cache: CacheArgs,

    /// Show progress: `auto` on a terminal, `json` as lines on standard error
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ProgressMode::Auto)]
    pub(crate) progress: ProgressMode,
}
