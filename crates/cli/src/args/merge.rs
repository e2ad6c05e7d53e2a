//! The arguments of `hashlane merge`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::WriteFormat;
use super::parsers::output_file;

/// Join the manifests of shards into one
///
/// Each machine of several writes the manifest of its part with `hashlane sum --shard I/N`. Merge joins these manifests in the order of
/// the listing. It fails, and says why, if a shard or a file is missing, a shard is there twice, or two shards are of different
/// listings.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane sum --shard 1/2 -o 1.sums /data/photos       on one machine
  hashlane sum --shard 2/2 -o 2.sums /data/photos       on another one
  hashlane merge -o SHA256SUMS 1.sums 2.sums
  hashlane merge -o all.parquet shards/*.parquet

Exit codes:
  0  merged                 2  a shard is missing
 16  a shard is incomplete, is there twice, is of another listing, or cannot be read; these add up
 64  usage error           70  internal error        74  output cannot be written")]
pub(crate) struct MergeArgs {
    /// The manifests of all shards, in any order
    #[arg(value_name = "SHARD", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) shards: Vec<OsString>,

    /// Write to FILE, which appears only when complete
    ///
    /// Until then it is FILE.partial.
    #[arg(short, long, value_name = "FILE", value_parser = output_file(), value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) format: WriteFormat,

    /// Do not print the summary
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
}
