//! The arguments of `hashlane convert` and `hashlane formats`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use hashlane_digest::Algorithm;
use hashlane_manifest::Format;

use super::{BackendChoiceArgs, ReadingArgs, WriteFormat, algorithm, format};

/// Convert a manifest to another format
///
/// Only the manifest is read: its digests are copied, not verified. With --add the files are read, their listed digests are
/// verified, and digests of more algorithms are added. What entries lose in the new format is reported. An entry that it cannot
/// store is left out, and changes the exit code.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane convert known.txt SHA1SUMS                 in the default format, as sha1sum writes it
  hashlane convert SHA256SUMS list.csv                the extension of the new file selects its format
  hashlane convert --tag -a md5,sha256 list.jsonl -   two of its algorithms, to standard output
  hashlane convert --add sha256 MD5SUMS SUMS          verify the files with md5, list md5 and sha256
  hashlane convert --add sha256 -a sha256 MD5SUMS SHA256SUMS
                                                      the same, but list sha256 only

Exit codes:
  0  converted             16  a line is malformed or cannot be stored, or a file cannot be read
  2  --add: missing files   4  --add: digest mismatch   8  --add: corrupt; these add up
 64  usage error           70  internal error        74  output cannot be written")]
pub(crate) struct ConvertArgs {
    /// The manifest to read; `-` is standard input
    #[arg(value_name = "IN", value_hint = ValueHint::FilePath)]
    pub(crate) input: OsString,

    /// The manifest to write; with no OUT, or `-`, standard output
    ///
    /// It appears only when complete. An existing file is not replaced without --force.
    #[arg(value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Algorithms to copy [default: all that the first entry has]
    ///
    /// If the manifest does not name its algorithm, this names it.
    ///
    /// Names: {names}. Other lengths of BLAKE2b are named in bits: blake2b-192.
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', value_parser = algorithm(), hide_possible_values = true)]
    pub(crate) algorithm: Vec<Algorithm>,

    /// Read the files, verify their listed digests, and add digests of NAME
    ///
    /// A file that fails is left out, and OUT remains OUT.partial.
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = algorithm())]
    pub(crate) add: Vec<Algorithm>,

    /// With --add: resolve names relative to DIR, and refuse those that lead out of it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "add", help_heading = "Input")]
    pub(crate) base: Option<PathBuf>,

    /// Format of IN [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = format(), help_heading = "Input", hide_short_help = true)]
    pub(crate) from: Option<Format>,

    /// The algorithm of IN, if IN does not name it [default: the one that is copied]
    #[arg(long, value_name = "NAME", value_parser = algorithm(), help_heading = "Input", hide_short_help = true)]
    pub(crate) from_algorithm: Option<Algorithm>,

    /// Lines of IN end with NUL, and nothing is escaped
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    pub(crate) from_zero: bool,

    /// Replace OUT if it exists
    #[arg(long, help_heading = "Output")]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) format: WriteFormat,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) backends: BackendChoiceArgs,

    /// Do not print the summary
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
}

/// List the manifest formats: how each is detected, and what it stores
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0  listed                64  usage error             74  output cannot be written")]
pub(crate) struct FormatsArgs {
    /// Output format
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
