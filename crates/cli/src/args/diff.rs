//! The arguments of `hashlane diff`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use hashlane_digest::Algorithm;
use hashlane_manifest::Format;
use hashlane_report::written;

use super::{BackendChoiceArgs, FilterArgs, ReadingArgs, RequestArgs, StoreArgs, algorithm, format};

/// The memory for sorting, by default.
pub(crate) const MEMORY: &str = "64MiB";

/// Report what differs between two manifests, two trees, or one of each
///
/// A is the old state and B the new one: a name that only A has is missing, one that only B has is new. Names are compared byte
/// for byte, and contents by every algorithm that both sides have.
///
/// A tree is a directory, or the objects below `s3://BUCKET/PREFIX`. Beside a manifest, its files are digested with the
/// algorithms of the manifest. Beside another tree, names are relative to both, and contents are digested with --algorithm. Of two
/// directories, only files of the same size are read. Options about object stores hold for both sides.
///
/// Memory does not grow with the number of files; what is not in order is sorted in temporary files.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane diff monday.txt friday.txt            what changed in between?
  hashlane diff SHA256SUMS photos                and between a manifest and a directory?
  hashlane diff --base photos SHA256SUMS photos  the listed names are relative to photos
  hashlane diff photos /mnt/backup/photos        is the copy complete and equal?
  hashlane diff photos s3://archive/photos       are the objects those of the directory?
  hashlane diff --strip-prefix /old --strip-prefix /mnt/new here.txt there.txt
  hashlane diff -z --format names old.txt new.txt | rsync -a -0 --files-from=- new/ copy/

Output of --format rsync, one line per name, as `rsync -i` prints when it makes a copy of A equal to B:
  >f+++++++++ NAME    only in B
  >fcst...... NAME    content differs; s and t if size and time are known and differ, else a dot
  >f????????? NAME    undecidable
  *deleting   NAME    only in A

Exit codes (1 to 16 add up; the others stand alone):
  0  the same               1  new: only in B         2  missing: only in A
  4  changed, in collision or in conflict
  8  corrupt: other content, and nothing says that it was written
 16  undecidable: unreadable, nothing to compare, or a malformed line
 64  usage error           70  internal error        74  output or temporary file cannot be written")]
pub(crate) struct DiffArgs {
    /// The old state: a manifest, a directory or s3://BUCKET/PREFIX; `-` is a manifest on standard input
    #[arg(value_name = "A", value_hint = ValueHint::AnyPath)]
    pub(crate) a: OsString,

    /// The new state: a manifest, a directory or s3://BUCKET/PREFIX
    #[arg(value_name = "B", value_hint = ValueHint::AnyPath)]
    pub(crate) b: OsString,

    /// The algorithm of a manifest that does not name it, or of a comparison without manifests [default: sha256]
    ///
    /// Names: {names}. Other lengths of BLAKE2b are named in bits: blake2b-192. `hashlane --version` shows how each is computed here.
    #[arg(short, long, value_name = "NAME", value_parser = algorithm(), help_heading = "Input", hide_possible_values = true)]
    pub(crate) algorithm: Option<Algorithm>,

    /// Format of the manifests [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = format(), help_heading = "Input", hide_short_help = true)]
    pub(crate) manifest_format: Option<Format>,

    /// Lines of the manifests end with NUL, and nothing is escaped
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    pub(crate) from_zero: bool,

    /// The directory, or s3://BUCKET/PREFIX, that the names in the manifest are relative to
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Input")]
    pub(crate) base: Option<PathBuf>,

    /// Remove PREFIX from the listed names of both manifests; may be repeated
    ///
    /// If several match a name, the first is removed.
    #[arg(long, value_name = "PREFIX", help_heading = "Input")]
    pub(crate) strip_prefix: Vec<OsString>,

    /// Compare names of two directories in whatever Unicode normalization
    ///
    /// macOS writes names decomposed (NFD), other systems composed (NFC). A name that only A has is compared with the same text in
    /// the other form that only B has. Without it, these are two names, and the command says so.
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    pub(crate) normalize: bool,

    /// Follow symbolic links in the tree; by default they are counted and skipped
    #[arg(short = 'L', long, help_heading = "Input")]
    pub(crate) follow: bool,

    /// Stay on the file system of the tree's directory
    #[arg(short = 'x', long, help_heading = "Input")]
    pub(crate) one_file_system: bool,

    #[command(flatten)]
    pub(crate) filter: FilterArgs,

    /// Fail for every malformed line, even one that lists no file
    #[arg(long, help_heading = "Input")]
    pub(crate) strict: bool,

    /// Warn about each malformed line, even one that lists no file
    #[arg(short, long, help_heading = "Output")]
    pub(crate) warn: bool,

    /// Output format
    #[arg(long, value_enum, default_value_t = DiffFormat::Text, value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: DiffFormat,

    /// End lines with NUL and escape nothing, for `rsync -0` and `xargs -0`
    ///
    /// Not with --format json.
    #[arg(short, long, short_alias = '0', help_heading = "Output")]
    pub(crate) zero: bool,

    /// Print both sizes and digests of each difference
    #[arg(short, long, conflicts_with = "zero", help_heading = "Output")]
    pub(crate) verbose: bool,

    /// Do not print the summary
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,

    /// Print nothing; the exit code is the result
    #[arg(long, visible_alias = "silent", help_heading = "Output")]
    pub(crate) status: bool,

    /// Write to FILE, which appears only when complete
    #[arg(short, long, value_name = "FILE", value_parser = super::output_file(), value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Memory for sorting manifests that are not in order, such as 64MiB or 1GB
    ///
    /// Beyond it, temporary files are used.
    #[arg(long, value_name = "SIZE", default_value = MEMORY, value_parser = memory, help_heading = "Sorting", hide_short_help = true)]
    pub(crate) memory: u64,

    /// Directory for temporary files, which are unnamed [default: TMPDIR, else /var/tmp]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Sorting", hide_short_help = true)]
    pub(crate) temporary_directory: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) store: StoreArgs,

    #[command(flatten)]
    pub(crate) requests: RequestArgs,

    #[command(flatten)]
    pub(crate) backends: BackendChoiceArgs,
}

/// Output format
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// One name and a word per line
    Text,
    /// One object per line
    Json,
    /// As `rsync -i` prints changes
    Rsync,
    /// Only names that are new or differ in B, for `rsync --files-from`
    Names,
}

/// Memory for sorting two sides.
pub(crate) fn memory(text: &str) -> Result<u64, String> {
    written::memory(text, 2 * hashlane_audit::diff::LEAST_MEMORY as u64)
}
