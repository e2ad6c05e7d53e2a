//! Arguments of `check`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, ArgGroup, Args, ValueEnum, ValueHint};
use hashlane_digest::Algorithm;
use hashlane_manifest::Format;
use hashlane_verify::Foreign;

use super::parsers::{algorithm, format_of_files, output_file};
use super::{BackendChoiceArgs, FilterArgs, ReadingArgs, RequestArgs, StoreArgs, diff};

/// Verify that files still have the digests that a manifest lists
///
/// Reads every manifest that `sum` writes, and those of sha256sum and related programs, b3sum, xxhsum, rhash, md5deep and
/// hashdeep. If a manifest does not name its algorithm, a listed file whose content matches proves it. An algorithm that is
/// neither named nor proven must be given with --algorithm.
#[derive(Clone, Debug, Args)]
#[command(group(ArgGroup::new("walking").args(["complete", "audit"]).multiple(true)))]
#[command(after_long_help = concat!("\
Examples:
  hashlane check SHA256SUMS               like sha256sum -c
  hashlane check --complete SHA256SUMS    and report files that are not listed
  hashlane check --audit SHA256SUMS       and report what was moved, copied or changed
  hashlane check --audit --exclude '*.tmp' --max-size 1GiB SHA256SUMS
                                          leave out some files: they are neither missing nor new
  hashlane check --from-medium SHA256SUMS what is on the disk, not what is in memory
  hashlane check -a sha256 list.txt       a plain list whose algorithm is neither named nor proven

", exit_codes!()))]
pub(crate) struct CheckArgs {
    /// Manifests; with no MANIFEST, or `-`, reads standard input
    #[arg(value_name = "MANIFEST", value_hint = ValueHint::FilePath)]
    pub(crate) manifests: Vec<OsString>,

    /// The algorithm of a manifest that does not name it
    ///
    /// Names: {names}. Other lengths of BLAKE2b are named in bits: blake2b-192. `hashlane --version` shows how each is computed here.
    #[arg(short, long, value_name = "NAME", value_parser = algorithm(), hide_possible_values = true)]
    pub(crate) algorithm: Option<Algorithm>,

    /// Format of the manifests [default: detected]
    ///
    /// Formats: {names}. `hashlane formats` describes them.
    #[arg(long, value_name = "FORMAT", value_parser = format_of_files(), hide_possible_values = true, hide_short_help = true)]
    pub(crate) manifest_format: Option<Format>,

    /// Lines end with NUL, and nothing is escaped
    #[arg(short, long)]
    pub(crate) zero: bool,

    /// Treat names that end like ` offset 0-1023` as pieces of files
    ///
    /// `hashdeep -p` writes such lists. jsonl and dfxml store pieces separately and do not need this.
    #[arg(long, hide_short_help = true)]
    pub(crate) pieces: bool,

    /// Resolve names relative to DIR, and refuse those that lead out of it
    ///
    /// `s3://BUCKET/PREFIX` looks names up among the objects below PREFIX/; so do `gs://`, `az://` and `https://`.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) base: Option<PathBuf>,

    /// Also report files that exist but are not listed
    #[arg(long)]
    pub(crate) complete: bool,

    /// Compare names only, and read no file
    ///
    /// Reports listed files that are missing and, with --complete, files that are not listed.
    #[arg(long, conflicts_with_all = ["audit", "pieces", "fail_fast", "verbose", "from_medium"])]
    pub(crate) names_only: bool,

    /// Read all files and report what happened to each: changed, moved, copied, new, missing
    #[arg(long, conflicts_with_all = ["complete", "fail_fast"])]
    pub(crate) audit: bool,

    /// Where --complete and --audit look for files; may be repeated
    ///
    /// With --base, DIR is relative to that. The default is the roots in the manifest's header, else --base, else the current
    /// directory. If whole names of objects are listed, DIR is `s3://BUCKET/PREFIX`, and must be named unless a header does.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) root: Vec<PathBuf>,

    /// Remove PREFIX from the listed names
    ///
    /// Use this if the tree has moved since it was listed.
    #[arg(long, value_name = "PREFIX", hide_short_help = true)]
    pub(crate) strip_prefix: Option<OsString>,

    /// How names are written in the list: `windows`, a code page such as `cp1252`, or both, separated by a comma
    ///
    /// `windows`: components are separated by backslashes, and the letter of a drive is taken off. A code page says which characters the bytes of
    /// names are: those of Windows (cp1250 to cp1258), of DOS (cp437, cp850, ...), ISO 8859, KOI8, Shift_JIS, GBK, Big5 and others. Here names are
    /// UTF-8. --strip-prefix removes what names begin with after that. If files are missing that are there under such a name, the
    /// summary says so.
    #[arg(long, value_name = "HOW", hide_short_help = true)]
    pub(crate) names: Option<Foreign>,

    /// Resolve names relative to the directory of their manifest
    ///
    /// Several manifests in several directories can be checked at once. --complete and --audit look for files there, or below the roots that
    /// a header names.
    #[arg(long, conflicts_with = "base")]
    pub(crate) beside: bool,

    /// Match names that differ only in Unicode normalization (NFC, NFD)
    ///
    /// A listed name that is missing then matches a file whose name is the same in the other form, as macOS writes it. Only one
    /// of the two forms may be listed, and only one may exist.
    #[arg(long, hide_short_help = true)]
    pub(crate) normalize: bool,

    /// Treat names that differ only in case as the same
    ///
    /// Without --audit, a listed name that is missing then matches the only file whose name is the same but for case.
    #[arg(long, hide_short_help = true)]
    pub(crate) ignore_case: bool,

    /// With --complete or --audit: stay on the file system of the directory
    #[arg(short = 'x', long, requires = "walking", hide_short_help = true)]
    pub(crate) one_file_system: bool,

    /// With --complete or --audit: follow symbolic links
    ///
    /// By default they are counted and skipped.
    #[arg(short = 'L', long, requires = "walking", hide_short_help = true)]
    pub(crate) follow: bool,

    #[command(flatten)]
    pub(crate) filter: FilterArgs,

    /// Do not fail for missing files
    #[arg(long)]
    pub(crate) ignore_missing: bool,

    /// Fail for every malformed line, even one that lists no file
    #[arg(long)]
    pub(crate) strict: bool,

    /// Warn about each malformed line
    #[arg(short, long, help_heading = "Output")]
    pub(crate) warn: bool,

    /// Stop at the first file that fails
    #[arg(long)]
    pub(crate) fail_fast: bool,

    /// Print failures only, and no summary if there are none
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,

    /// Print nothing; the exit code is the result
    #[arg(long, visible_alias = "silent", help_heading = "Output")]
    pub(crate) status: bool,

    /// Print the expected and the computed digest of each mismatch
    ///
    /// With --audit, -vv also prints the digests of new, moved and copied files, and at the end all counters, one per line.
    #[arg(short, long, action = ArgAction::Count, help_heading = "Output")]
    pub(crate) verbose: u8,

    /// Output format: `text` as in coreutils, `json` as one object per line
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: ReportFormat,

    /// Write results to FILE, which appears only when complete
    #[arg(short, long, value_name = "FILE", value_parser = output_file(), value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// With --audit: memory for the listed entries, such as 64MiB or 1GB; beyond it, temporary files are used and all verdicts
    /// come at the end
    #[arg(long, value_name = "SIZE", default_value = diff::MEMORY, value_parser = diff::memory, requires = "audit", conflicts_with = "complete", help_heading = "Sorting")]
    pub(crate) memory: u64,

    /// With --audit: directory for temporary files, which are unnamed [default: TMPDIR, else /var/tmp]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "audit", conflicts_with = "complete", help_heading = "Sorting")]
    pub(crate) temporary_directory: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) store: StoreArgs,

    #[command(flatten)]
    pub(crate) requests: RequestArgs,

    /// Read names that end with `?versionId=ID` as that version of an object of S3
    ///
    /// `sum --versions` writes such names. Without this, the whole name is a key.
    #[arg(long, conflicts_with_all = ["complete", "audit"], help_heading = "Object stores", hide_short_help = true)]
    pub(crate) versions: bool,

    #[command(flatten)]
    pub(crate) backends: BackendChoiceArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    Text,
    Json,
}
