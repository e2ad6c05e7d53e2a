//! The arguments of `hashlane convert` and `hashlane formats`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use hashlane_digest::Algorithm;
use hashlane_manifest::Format;

use super::{WriteFormat, algorithm, format};

/// Turn a manifest into another format
///
/// No file is read but the manifest: its digests are carried over, not verified. What the new format cannot hold is said, and
/// the exit code tells that something is missing there.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane convert known.txt SHA1SUMS                 by the default format, lines as sha1sum writes them
  hashlane convert SHA256SUMS list.csv                the name of the new file tells its format
  hashlane convert --tag -a md5,sha256 list.jsonl -   two algorithms of many, to standard output

Exit codes:
  0  converted             16  a line was not understood, or cannot be held by the new format
 64  usage error           70  internal error        74  output cannot be written")]
pub(crate) struct ConvertArgs {
    /// The manifest to read; `-` is standard input
    #[arg(value_name = "IN", value_hint = ValueHint::FilePath)]
    pub(crate) input: OsString,

    /// The manifest to write; it appears when it is complete. `-`, or no OUT at all, is standard output
    #[arg(value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// The algorithms to carry over [default: all that the first entry has]; of a manifest that does not tell, the algorithm that
    /// it has
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', value_parser = algorithm())]
    pub(crate) algorithm: Vec<Algorithm>,

    /// Format of IN [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = format(), help_heading = "Input")]
    pub(crate) from: Option<Format>,

    /// Lines of IN end with NUL and nothing is escaped
    #[arg(long, help_heading = "Input")]
    pub(crate) from_zero: bool,

    #[command(flatten)]
    pub(crate) format: WriteFormat,

    /// Do not say what was converted
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
}

/// List the manifest formats: how each is told from the others, and what it holds
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0  listed                64  usage error             74  output cannot be written")]
pub(crate) struct FormatsArgs {
    /// How to show them
    #[arg(long, value_enum, default_value_t = ListFormat::Text, value_name = "FORMAT")]
    pub(crate) format: ListFormat,
}

/// How a list is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// A table for a terminal
    Text,
    /// Everything, for programs
    Json,
}
