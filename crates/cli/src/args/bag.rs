//! The arguments of `hashlane bag`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use hashlane_digest::Algorithm;
use hashlane_manifest::bag::{Version, check_label, check_value};

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

/// Turn a directory into a bag, in its place
///
/// All files are read first, and nothing is changed meanwhile. Then what DIR holds is moved into DIR/data by
/// renaming, and the tag files are put beside it, bagit.txt last: what is interrupted on the way is put back
/// when the command is run again.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane bag create photos                                sha256 and sha512, as bagit.py does
  hashlane bag create -a sha512 --info 'Contact-Name=Ada Lovelace' photos
  hashlane bag create --data keep delivery                  delivery/data is the payload already
  hashlane bag create --undo photos                         put back what an interrupted run has moved

Exit codes:
  0  the bag is made       16  something could not be read, or no bag can hold it; nothing was changed
 64  usage error           70  internal error        74  the bag cannot be written")]
pub(crate) struct BagCreateArgs {
    /// The directory
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,

    /// Algorithms, separated by commas [default: sha256,sha512]
    ///
    /// Names: md4, md5, sha1, sha224, sha256, sha384, sha512, sha512-256, sha3-256, sha3-512, blake2b, blake2b-256, blake2s, blake3,
    /// sm3, ripemd160, tiger, whirlpool, xxh64, xxh3, xxh128, crc32, crc32c, crc64nvme, xor32. `hashlane --version` reports how each is
    /// computed here.
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', value_parser = algorithm(), hide_possible_values = true)]
    pub(crate) algorithm: Vec<Algorithm>,

    /// An element of bag-info.txt; may be repeated
    #[arg(long, value_name = "LABEL=VALUE", value_parser = element)]
    pub(crate) info: Vec<(String, String)>,

    /// The version of the bag: 1.0 is RFC 8493; 0.97 writes percent signs in names as they are
    #[arg(long, value_name = "VERSION", default_value = "1.0", value_parser = written_version)]
    pub(crate) bagit_version: Version,

    /// What to do where DIR has a `data` already: it is the payload, or it is moved like all else
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) data: Option<ExistingData>,

    /// Put an empty file `.keep` into each empty directory: a bag lists files only
    #[arg(long)]
    pub(crate) keep_empty: bool,

    /// Put back what an interrupted run has moved, without making a bag
    #[arg(long, conflicts_with_all = ["algorithm", "info", "data", "keep_empty"])]
    pub(crate) undo: bool,

    /// Do not report what was made
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) backends: BackendChoiceArgs,
}

/// What becomes of a `data` that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExistingData {
    /// It is the payload, and what lies beside it are tag files; nothing is moved
    Keep,
    /// It is a part of the payload, as data/data
    Move,
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

    /// Compare names and Payload-Oxum only, without computing digests: this is not a validation
    #[arg(long)]
    pub(crate) quick: bool,

    /// Stop at the first error
    #[arg(long)]
    pub(crate) fail_fast: bool,

    /// Print failures only
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

    /// Write results to FILE, which appears when it is complete
    #[arg(short, long, value_name = "FILE", value_parser = super::output_file(), value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) backends: BackendChoiceArgs,
}

/// A label and a value for `bag-info.txt`.
fn element(text: &str) -> Result<(String, String), String> {
    let (label, value) = text.split_once('=').ok_or("has no `=` between label and value")?;
    check_label(label).map_err(|why| format!("the label {why}"))?;
    check_value(value).map_err(|why| format!("the value {why}"))?;
    if label.eq_ignore_ascii_case("Payload-Oxum") {
        return Err("Payload-Oxum is counted, not stated; leave it out".into());
    }
    Ok((label.to_owned(), value.to_owned()))
}

/// A version that bags are written in.
fn written_version(text: &str) -> Result<Version, &'static str> {
    let known =
        Version::parse(text).filter(|version| version.to_string() == text && ["0.97", "1.0"].contains(&text));
    known.ok_or("bags are written in versions 0.97 and 1.0")
}
