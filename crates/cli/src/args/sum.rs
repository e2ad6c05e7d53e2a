//! Arguments of `sum`, and what other commands that write manifests take as it does.

use std::ffi::{OsStr, OsString};
use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use hashlane_digest::Algorithm;
use hashlane_manifest::Format;
use hashlane_report::written::{piece_bytes, shard};

use super::parsers::{algorithm, output_file, written_format};
use super::{BackendChoiceArgs, MatchArgs, ReadingArgs, RequestArgs, StoreArgs, UpdateArgs, WalkArgs};

/// Print the digests of files and trees
///
/// Directories are walked. Lines are in byte order of the path, whatever the number of cores. By default they are in the format
/// of sha256sum; `sha256sum -c` and `hashlane check` verify them.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = concat!("\
Examples:
  hashlane sum .                             digests of all files below the current directory
  hashlane sum -a blake3 -o B3SUMS photos    with BLAKE3, into a file
  hashlane sum -a md5,sha256 photos          two algorithms while reading once, one line for each
  find . -name '*.raw' -print0 | hashlane sum --files0-from -
  hashlane sum --header -o list.jsonl photos  with sizes, times and a header, as JSON lines
  hashlane sum --update list.jsonl           read only what is new or has changed
  hashlane sum --known nsrl.known --no-match /evidence
                                             only unknown files
  hashlane sum --newer-than 7d --max-size 1GiB photos
                                             files modified within a week, except huge ones
  hashlane sum -q --known dupes.txt --match --files0-out - . | xargs -0 ls -l
                                             the names of known files, for other programs

", exit_codes!()))]
pub(crate) struct SumArgs {
    /// Files and directories; with no PATH, or `-`, reads standard input
    ///
    /// `s3://BUCKET/KEY` names an object, or all below KEY/; so do `gs://BUCKET/KEY` and `az://CONTAINER/KEY`. `https://HOST/PATH` names
    /// one object.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<OsString>,

    /// Algorithms, separated by commas [default: sha256]
    ///
    /// Names: {names}. Other lengths of BLAKE2b are named in bits: blake2b-192. `hashlane --version` shows how each is computed here.
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', value_parser = algorithm(), hide_possible_values = true)]
    pub(crate) algorithm: Vec<Algorithm>,

    #[command(flatten)]
    pub(crate) format: WriteFormat,

    /// Also digest each file in pieces of SIZE
    ///
    /// The file is still read once. A later check can then report which bytes differ.
    #[arg(long, value_name = "SIZE", value_parser = piece_bytes, conflicts_with_all = ["update", "show_matched_by"],
        help_heading = "Output", hide_short_help = true)]
    pub(crate) pieces: Option<NonZeroU64>,

    /// Write to FILE, which appears only when complete
    ///
    /// Until then it is FILE.partial. Files that could not be read are left out; this is reported.
    #[arg(short, long, value_name = "FILE", value_parser = output_file(), value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Write the names of the listed files to FILE, for `xargs -0`
    ///
    /// Each name ends with NUL. With `-` the names go to standard output; the lines then go to --output, or nowhere.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "update", help_heading = "Output",
        hide_short_help = true)]
    pub(crate) files0_out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) names: NamesFrom,

    #[command(flatten)]
    pub(crate) matching: MatchArgs,

    #[command(flatten)]
    pub(crate) update: UpdateArgs,

    #[command(flatten)]
    pub(crate) walk: WalkArgs,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) store: StoreArgs,

    #[command(flatten)]
    pub(crate) requests: RequestArgs,

    /// Read only part I of N of what is listed, for N machines that share the work
    ///
    /// Each machine lists everything, and reads its part: the parts are next to each other and take about the same time. The manifest
    /// gets a header that names the part, and `hashlane merge` joins all parts. Nothing may be added or removed meanwhile.
    #[arg(long, value_name = "I/N", value_parser = shard, conflicts_with_all = ["update", "known", "no_header", "dry_run"],
        help_heading = "Input", hide_short_help = true)]
    pub(crate) shard: Option<(u32, u32)>,

    /// Read all versions that a bucket of S3 keeps, not only the current ones
    ///
    /// Each is named `s3://BUCKET/KEY?versionId=ID`. Delete markers are counted and passed over. Names of this form are also read
    /// from lists.
    #[arg(long, conflicts_with_all = ["update", "no_recursive"], help_heading = "Object stores", hide_short_help = true)]
    pub(crate) versions: bool,

    /// Only list the objects, and print how many bytes and requests it would take to read them
    #[arg(long, conflicts_with_all = ["output", "files0_out", "update", "matching", "pieces", "files_from", "files0_from", "no_recursive"], help_heading = "Object stores",
        hide_short_help = true)]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) backends: BackendChoiceArgs,

    /// Do not print the summary line
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct WriteFormat {
    /// Format of the manifest [default: gnu; with several algorithms: bsd]
    ///
    /// If the name of the output ends with a format (.csv, .jsonl, .dfxml, .mhl, .sfv, .parquet), that is the default.
    /// Formats: {names}. `hashlane formats` describes them.
    #[arg(long, value_name = "FORMAT", value_parser = written_format(), conflicts_with_all = ["tag", "base64"],
        hide_possible_values = true)]
    pub(crate) manifest_format: Option<Format>,

    /// Write BSD lines, `SHA256 (name) = …`; short for --manifest-format bsd
    #[arg(long)]
    pub(crate) tag: bool,

    /// Write digests in base64, with or without --tag; short for --manifest-format base64
    #[arg(long, hide_short_help = true)]
    pub(crate) base64: bool,

    /// End lines with NUL and escape nothing
    #[arg(short, long)]
    pub(crate) zero: bool,

    /// Begin with a header that states which run wrote the manifest, and of what
    ///
    /// `check --complete` then knows where to look.
    #[arg(long, overrides_with = "no_header", hide_short_help = true)]
    pub(crate) header: bool,

    /// Do not write a header, even if the format has one by default (hashdeep's own two lines are kept)
    #[arg(long, overrides_with = "header", hide_short_help = true)]
    pub(crate) no_header: bool,

    /// With --manifest-format hashdeep: refuse entries that hashdeep 4.4 would not read back correctly
    #[arg(long, hide_short_help = true)]
    pub(crate) strict_hashdeep: bool,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct NamesFrom {
    /// Read file names from FILE, one per line; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["paths", "files0_from"],
        hide_short_help = true)]
    pub(crate) files_from: Option<OsString>,

    /// Read NUL-terminated file names from FILE, as `find -print0` writes them
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "paths")]
    pub(crate) files0_from: Option<OsString>,
}

impl NamesFrom {
    /// The list, and whether its names end with NUL.
    pub(crate) fn list(&self) -> Option<(&OsStr, bool)> {
        let list = self.files_from.as_deref().map(|list| (list, false));
        list.or_else(|| self.files0_from.as_deref().map(|list| (list, true)))
    }
}
