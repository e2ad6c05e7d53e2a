//! The arguments of `hashlane diff`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use hashlane_digest::Algorithm;
use hashlane_manifest::Format;

use super::device::size;
use super::{BackendChoiceArgs, FilterArgs, ReadingArgs, algorithm, format};

/// The memory for sorting, by default.
pub(crate) const MEMORY: &str = "64MiB";

/// Report what differs between two manifests, or between a manifest and a tree
///
/// A is what was, B what is: a name that only A has is missing, one that only B has is new. Names are compared byte for byte, and
/// contents by every algorithm that both sides have. A directory is a tree: its files are digested with the algorithms of the
/// manifest on the other side. Memory does not grow with the number of files; lists out of order are sorted in temporary files.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane diff monday.txt friday.txt            what was changed in between?
  hashlane diff SHA256SUMS photos                and between a list and a directory?
  hashlane diff --base photos SHA256SUMS photos  where the listed names begin below photos
  hashlane diff --strip-prefix /old --strip-prefix /mnt/new here.txt there.txt
  hashlane diff -z --format names old.txt new.txt | rsync -a -0 --files-from=- new/ copy/

Output of --format rsync, a line for each name, as `rsync -i` would print it to make a copy of A hold what B holds:
  >f+++++++++ NAME    only B has it
  >fcst...... NAME    other content; s and t where size and time are known and differ, else a dot
  >f????????? NAME    undecidable
  *deleting   NAME    only A has it

Exit codes (1 to 16 add up, the others stand alone):
  0  the same               1  new: only B has them   2  missing: only A has them
  4  changed, in collision or in conflict             8  corrupt: size and time are the same, content is not
 16  undecidable: unreadable, nothing to compare, or a malformed line
 64  usage error           70  internal error        74  output or temporary file cannot be written")]
pub(crate) struct DiffArgs {
    /// What was: a manifest or a directory; `-` is a manifest on standard input
    #[arg(value_name = "A", value_hint = ValueHint::AnyPath)]
    pub(crate) a: OsString,

    /// What is
    #[arg(value_name = "B", value_hint = ValueHint::AnyPath)]
    pub(crate) b: OsString,

    /// The algorithm of a manifest that does not name it
    ///
    /// Names: md4, md5, sha1, sha224, sha256, sha384, sha512, sha512-256, sha3-256, sha3-512, blake2b, blake2b-256, blake2s, blake3,
    /// sm3, ripemd160, tiger, whirlpool, xxh64, xxh3, xxh128, crc32, crc32c, crc64nvme, xor32. `hashlane --version` reports how each is
    /// computed here.
    #[arg(short, long, value_name = "NAME", value_parser = algorithm(), help_heading = "Input", hide_possible_values = true)]
    pub(crate) algorithm: Option<Algorithm>,

    /// Format of the manifests [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = format(), help_heading = "Input", hide_short_help = true)]
    pub(crate) manifest_format: Option<Format>,

    /// Lines of the manifests end with NUL and nothing is escaped
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    pub(crate) from_zero: bool,

    /// The directory that the names in the manifest are relative to
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Input")]
    pub(crate) base: Option<PathBuf>,

    /// Take PREFIX off the listed names of both manifests; may be repeated
    ///
    /// Of several, the first that a name begins with is taken off.
    #[arg(long, value_name = "PREFIX", help_heading = "Input")]
    pub(crate) strip_prefix: Vec<OsString>,

    /// Follow symbolic links in the tree; by default they are counted and skipped
    #[arg(short = 'L', long, help_heading = "Input")]
    pub(crate) follow: bool,

    /// Stay on the file system of the tree's directory
    #[arg(short = 'x', long, help_heading = "Input")]
    pub(crate) one_file_system: bool,

    #[command(flatten)]
    pub(crate) filter: FilterArgs,

    /// Fail for every malformed line, also for those that list no file
    #[arg(long, help_heading = "Input")]
    pub(crate) strict: bool,

    /// Warn about each malformed line, also about those that list no file
    #[arg(short, long, help_heading = "Output")]
    pub(crate) warn: bool,

    /// How differences are printed
    #[arg(long, value_enum, default_value_t = DiffFormat::Text, value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: DiffFormat,

    /// End lines with NUL and escape nothing, for `rsync -0` and `xargs -0`
    ///
    /// Not with --format json.
    #[arg(short, long, short_alias = '0', help_heading = "Output")]
    pub(crate) zero: bool,

    /// Print both sizes and digests of what differs
    #[arg(short, long, conflicts_with = "zero", help_heading = "Output")]
    pub(crate) verbose: bool,

    /// Do not print the summary
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,

    /// Print nothing; the exit code tells
    #[arg(long, visible_alias = "silent", help_heading = "Output")]
    pub(crate) status: bool,

    /// Write to FILE, which appears when it is complete
    #[arg(short, long, value_name = "FILE", value_parser = super::output_file(), value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Memory for sorting manifests that are not in order, as in 64MiB or 1GB
    ///
    /// What takes more goes to temporary files.
    #[arg(long, value_name = "SIZE", default_value = MEMORY, value_parser = memory, help_heading = "Sorting", hide_short_help = true)]
    pub(crate) memory: u64,

    /// Directory for temporary files, which have no names there [default: TMPDIR, else /var/tmp]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Sorting", hide_short_help = true)]
    pub(crate) temporary_directory: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) backends: BackendChoiceArgs,
}

/// How differences are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// A name and a word on a line
    Text,
    /// An object a line
    Json,
    /// As `rsync -i` prints what it would do
    Rsync,
    /// Names only, of what is new or differs in B: what `rsync --files-from` takes
    Names,
}

/// Memory as people write it, in bytes.
pub(crate) fn memory(text: &str) -> Result<u64, String> {
    let bytes = size(text)?;
    let least = 2 * hashlane_audit::diff::LEAST_MEMORY as u64;
    if bytes < least {
        return Err(format!("too little to sort with; give at least {}KiB", least >> 10));
    }
    Ok(bytes)
}
