//! The arguments of `hashlane bag`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::{BackendChoiceArgs, ReadingArgs, ReportFormat};

/// Verify bags (BagIt, RFC 8493)
#[derive(Clone, Debug, Args)]
pub(crate) struct BagArgs {
    #[command(subcommand)]
    pub(crate) command: BagCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum BagCommand {
    Validate(BagValidateArgs),
}

/// Verify a bag: its form, its completeness and every digest in it
///
/// Reads versions 0.93 to 1.0. Everything that is wrong is listed, and what can be verified is, also after an
/// error. Nothing is fetched: what fetch.txt names and is not there yet is missing.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane bag validate photos            every digest, and all that RFC 8493 demands
  hashlane bag validate --quick photos    are all files there, with as many bytes as Payload-Oxum says? Reads no file

Exit codes (1 to 16 add up, the others stand alone):
  0  valid; with --quick: complete       1  extra files      2  missing files
  4  digest or Payload-Oxum mismatch    16  unreadable, or not as RFC 8493 demands
 64  usage error         70  internal error                 74  output cannot be written")]
pub(crate) struct BagValidateArgs {
    /// The bag: a directory
    #[arg(value_name = "BAG", value_hint = ValueHint::DirPath)]
    pub(crate) bag: OsString,

    /// Compare presence and Payload-Oxum only, and compute no digest: that is no validation
    #[arg(long)]
    pub(crate) quick: bool,

    /// Stop at the first error
    #[arg(long)]
    pub(crate) fail_fast: bool,

    /// Do not print OK for each file that is right
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,

    /// Print nothing; the exit code tells
    #[arg(long, visible_alias = "silent", help_heading = "Output")]
    pub(crate) status: bool,

    /// Print the expected and the computed digest of each mismatch
    #[arg(short, long, help_heading = "Output")]
    pub(crate) verbose: bool,

    /// How the results are printed: lines of text, or an object a line
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: ReportFormat,

    /// Write the results to FILE instead of standard output; it appears when it is complete
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) backends: BackendChoiceArgs,
}
