//! The arguments of `hashlane bag`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use hashlane_digest::Algorithm;
use hashlane_manifest::bag::Version;
use hashlane_report::written::{bag_element, bag_version};

use super::{BackendChoiceArgs, ReadingArgs, ReportFormat, algorithm};

/// Make bags (BagIt, RFC 8493) and verify them
#[derive(Clone, Debug, Args)]
pub(crate) struct BagArgs {
    #[command(subcommand)]
    pub(crate) command: BagCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum BagCommand {
    Create(BagCreateArgs),
    Validate(BagValidateArgs),
}

/// Turn a directory into a bag, in place
///
/// All files are read before anything is changed. Then the contents of DIR are moved into DIR/data by renaming, and
/// the tag files are written beside it, bagit.txt last. If a run is interrupted, the next one puts back what it
/// moved.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane bag create photos                                sha256 and sha512, as bagit.py does
  hashlane bag create -a sha512 --info 'Contact-Name=Ada Lovelace' photos
  hashlane bag create --data keep delivery                  delivery/data is already the payload
  hashlane bag create --undo photos                         put back what an interrupted run moved

Exit codes:
  0  bag created           16  a file cannot be read, or cannot be in a bag; nothing was changed
 64  usage error           70  internal error        74  the bag cannot be written")]
pub(crate) struct BagCreateArgs {
    /// The directory to turn into a bag
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,

    /// Algorithms, separated by commas [default: sha256,sha512]
    ///
    /// Names: {names}. Other lengths of BLAKE2b are named in bits: blake2b-192. `hashlane --version` shows how each is computed here.
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', value_parser = algorithm(), hide_possible_values = true)]
    pub(crate) algorithm: Vec<Algorithm>,

    /// Add an element to bag-info.txt; may be repeated
    #[arg(long, value_name = "LABEL=VALUE", value_parser = bag_element)]
    pub(crate) info: Vec<(String, String)>,

    /// BagIt version: 1.0 is RFC 8493; 0.97 does not escape percent signs in names
    #[arg(long, value_name = "VERSION", default_value = "1.0", value_parser = bag_version)]
    pub(crate) bagit_version: Version,

    /// What to do with an existing DIR/data: keep it as the payload, or move it like everything else
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) data: Option<ExistingData>,

    /// Put an empty `.keep` file into each empty directory, because a bag lists files only
    #[arg(long)]
    pub(crate) keep_empty: bool,

    /// Put back what an interrupted run moved, without making a bag
    #[arg(long, conflicts_with_all = ["algorithm", "info", "bagit_version", "data", "keep_empty"])]
    pub(crate) undo: bool,

    /// Do not print the summary
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) backends: BackendChoiceArgs,
}

/// What becomes of an existing `data`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExistingData {
    /// It is the payload, and everything beside it is a tag file; nothing is moved
    Keep,
    /// It is part of the payload, as data/data
    Move,
}

/// Verify a bag: its structure, its completeness and every digest in it
///
/// Reads versions 0.93 to 1.0. Reports every problem, and verifies what it can even after an error. Nothing is
/// fetched: a file that fetch.txt lists and that does not exist yet is missing.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane bag validate photos            every digest, and everything that RFC 8493 requires
  hashlane bag validate --quick photos    do all files exist, with the total size in Payload-Oxum? Reads no file

Exit codes (1 to 16 add up; the others stand alone):
  0  valid; with --quick: complete       1  extra files      2  missing files
  4  digest or Payload-Oxum mismatch    16  unreadable, or not as RFC 8493 requires
 64  usage error         70  internal error                 74  output cannot be written")]
pub(crate) struct BagValidateArgs {
    /// The directory of the bag
    #[arg(value_name = "BAG", value_hint = ValueHint::DirPath)]
    pub(crate) bag: OsString,

    /// Compare names and Payload-Oxum only, without computing digests: this is not a validation
    #[arg(long, conflicts_with = "from_medium")]
    pub(crate) quick: bool,

    /// Stop at the first error
    #[arg(long)]
    pub(crate) fail_fast: bool,

    /// Print failures only
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,

    /// Print nothing; the exit code is the result
    #[arg(long, visible_alias = "silent", help_heading = "Output")]
    pub(crate) status: bool,

    /// Print the expected and the computed digest of each mismatch
    #[arg(short, long, help_heading = "Output")]
    pub(crate) verbose: bool,

    /// Output format: lines of text, or one JSON object per line
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: ReportFormat,

    /// Write results to FILE, which appears only when complete
    #[arg(short, long, value_name = "FILE", value_parser = super::output_file(), value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) backends: BackendChoiceArgs,
}
