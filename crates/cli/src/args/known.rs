//! The arguments of `hashlane known`, and those of `hashlane sum` that ask for known contents.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use hashlane_digest::Algorithm;
use hashlane_manifest::Format;
use hashlane_report::written::{digest, memory};

use super::{ListFormat, algorithm, format};

/// Index sets of known contents, and look up digests
///
/// A set such as that of NSRL has hundreds of millions of digests. Its index is built once, on disk; each lookup then reads one
/// page. `hashlane sum --known` looks up the contents of files.
#[derive(Clone, Debug, Args)]
pub(crate) struct KnownArgs {
    #[command(subcommand)]
    pub(crate) command: KnownCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum KnownCommand {
    Build(KnownBuildArgs),
    Info(KnownInfoArgs),
    Lookup(KnownLookupArgs),
}

/// Build an index from sets of known contents
///
/// A SET is any manifest that hashlane reads, a list of NSRL (RDS 2, CSV), Hashkeeper, iLook or EnCase, or a database of NSRL (RDS 3,
/// SQLite). Rows that cannot be read are reported and left out.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane known build -o nsrl.known RDS_2026.03.1_modern.db
  hashlane known build -o known.known -a sha256 --names good.txt golden.jsonl
  hashlane sum --known nsrl.known --no-match /evidence

Exit codes:
  0  built                 16  a set could not be read, or rows of it were left out
 64  usage error           70  internal error        74  the index cannot be written")]
pub(crate) struct KnownBuildArgs {
    /// The sets; `-` is a manifest from standard input
    #[arg(value_name = "SET", value_hint = ValueHint::FilePath, required = true)]
    pub(crate) sets: Vec<OsString>,

    /// The index to write, which appears only when complete
    ///
    /// Until then it is INDEX.partial.
    #[arg(short, long, value_name = "INDEX", value_parser = super::named_file(), value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,

    /// Algorithms to index, separated by commas [default: all that the sets have, except checksums]
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', value_parser = algorithm())]
    pub(crate) algorithm: Vec<Algorithm>,

    /// Keep the names, for --show-matched-by and --unseen
    ///
    /// Each record then takes 7 bytes more, and its name.
    #[arg(long)]
    pub(crate) names: bool,

    /// Memory for sorting; beyond it, a temporary file is used
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = |text: &str| memory(text, 1 << 20))]
    pub(crate) memory: u64,

    /// Format of the manifests [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = format())]
    pub(crate) manifest_format: Option<Format>,

    /// Lines of the manifests end with NUL, and nothing is escaped
    #[arg(short, long)]
    pub(crate) zero: bool,

    /// Do not print the summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Show what an index contains
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0  shown                 16  the index cannot be read, or is damaged
 64  usage error           70  internal error        74  output cannot be written")]
pub(crate) struct KnownInfoArgs {
    /// The index
    #[arg(value_name = "INDEX", value_hint = ValueHint::FilePath)]
    pub(crate) index: OsString,

    /// Read the whole index, and verify every checksum and the order
    #[arg(long)]
    pub(crate) verify: bool,

    /// Output format
    #[arg(long, value_enum, default_value_t = ListFormat::Text, value_name = "FORMAT")]
    pub(crate) format: ListFormat,
}

/// Look up digests in an index
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane known lookup nsrl.known md5:d41d8cd98f00b204e9800998ecf8427e
  cut -c1-64 SHA256SUMS | hashlane known lookup nsrl.known

Exit codes:
  0  all are known          1  some are not          16  the index cannot be read, or a line is not a digest
 64  usage error           70  internal error        74  output cannot be written")]
pub(crate) struct KnownLookupArgs {
    /// The index
    #[arg(value_name = "INDEX", value_hint = ValueHint::FilePath)]
    pub(crate) index: OsString,

    /// Digests in hexadecimal, as `sha1:HEX`; with none, reads standard input, one per line
    ///
    /// The algorithm may be left out if the index has only one of that length.
    #[arg(value_name = "DIGEST")]
    pub(crate) digests: Vec<String>,
}

/// What `hashlane sum` compares contents with.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Known contents")]
#[group(id = "matching")]
pub(crate) struct MatchArgs {
    /// Look up contents in FILE: an index of `hashlane known build`, or a manifest
    ///
    /// May be repeated. Without --algorithm, the digests are those that are looked up.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) known: Vec<OsString>,

    /// Digest of a known content, as `sha256:HEX`; may be repeated
    #[arg(long, value_name = "ALGORITHM:HEX", value_parser = |text: &str| digest(text, ALGORITHMS), hide_short_help = true)]
    pub(crate) known_digest: Vec<hashlane_digest::Digest>,

    /// List only files whose content is known
    #[arg(long = "match", conflicts_with = "no_match")]
    pub(crate) only_known: bool,

    /// List only files whose content is not known
    #[arg(long)]
    pub(crate) no_match: bool,

    /// Print what each file matches instead of its digests: `PATH: matches NAME (SET)`
    #[arg(long, conflicts_with_all = ["no_match", "manifest_format", "tag", "base64", "header", "zero"], hide_short_help = true)]
    pub(crate) show_matched_by: bool,

    /// Write known contents that were not found to FILE, one digest and name per line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub(crate) unseen: Option<PathBuf>,
}

impl MatchArgs {
    /// Whether anything is looked up.
    pub(crate) fn is_asked_for(&self) -> bool {
        !self.known.is_empty() || !self.known_digest.is_empty()
    }
}

/// What lists the known algorithms.
pub(crate) const ALGORITHMS: &str = "`hashlane sum --help`";
