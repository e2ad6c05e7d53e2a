//! The arguments of the commands about collections: trees that are audited over time.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use hashlane_digest::Algorithm;

use super::device::size;
use super::parsers::time_span;
use super::{BackendChoiceArgs, ListFormat, ReadingArgs, algorithm};

macro_rules! audit_exit_codes {
    () => {
        "\
Exit codes (1 to 32 add up; the others stand alone):
  0  all that was due is intact         1  new files, in a frozen collection
  2  missing files                      4  changed files that nobody accepted
  8  corrupt files                     16  unreadable, unstable, or misread
 32  late: a promise is not kept       64  usage error
 70  internal error                    74  catalogue cannot be read or written
 75  held, or not started: nothing was judged"
    };
}

/// Where the catalogue lies.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CatalogArgs {
    /// The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]
    #[arg(long, value_name = "FILE", env = "HASHLANE_CATALOG", hide_env_values = true, value_hint = ValueHint::FilePath)]
    pub(crate) catalog: Option<PathBuf>,
}

/// Register trees of files that are audited over time
///
/// A collection is a tree whose files are known by their digests. `hashlane audit` reads it again and again, and tells what has become
/// of each file.
#[derive(Clone, Debug, Args)]
pub(crate) struct CollectionArgs {
    #[command(subcommand)]
    pub(crate) command: CollectionCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum CollectionCommand {
    Add(CollectionAddArgs),
    List(CollectionListArgs),
    Remove(CollectionRemoveArgs),
}

/// Register a tree as a collection
///
/// Nothing is read: the first audit does that. Nothing is ever written into the tree.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane collection add photos /srv/photos --every 30d
  hashlane collection add masters /srv/masters --every 90d --frozen
  hashlane collection add mail /srv/mail --exclude '*.tmp' --append-only '*.mbox'

Exit codes:
  0  registered             64  usage error
 70  internal error         74  catalogue cannot be read or written")]
pub(crate) struct CollectionAddArgs {
    /// The name of the collection
    pub(crate) name: String,

    /// The root of its tree
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) root: PathBuf,

    /// Promise that every byte is read again within TIME, such as 30d
    #[arg(long, value_name = "TIME", value_parser = time_span)]
    pub(crate) every: Option<Duration>,

    /// Algorithms, separated by commas; they cannot be changed later
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', value_parser = algorithm(), default_value = "sha256")]
    pub(crate) algorithm: Vec<Algorithm>,

    /// New and changed files are findings, until somebody accepts them
    ///
    /// By default a collection is alive: new files, and files with a new modification time, are accepted and counted.
    #[arg(long)]
    pub(crate) frozen: bool,

    /// The group that it is listed in
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    pub(crate) group: String,

    /// Only files that match GLOB; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,

    /// Not files and directories that match GLOB; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,

    /// Files that match GLOB may grow, as long as they begin as before; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) append_only: Vec<String>,

    /// Stay on the file system of DIR
    #[arg(short = 'x', long)]
    pub(crate) one_file_system: bool,

    /// Hold an audit where more files than N are missing, changed or unreadable
    ///
    /// The audit is held where this number and --hold-percent are both exceeded. Nothing is then said to be missing or changed.
    #[arg(long, value_name = "N", default_value_t = 50, hide_short_help = true)]
    pub(crate) hold_files: u64,

    /// Hold an audit where more than P in a hundred files are missing, changed or unreadable
    #[arg(long, value_name = "P", default_value_t = 1.0, hide_short_help = true)]
    pub(crate) hold_percent: f64,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// List the collections
#[derive(Clone, Debug, Args)]
pub(crate) struct CollectionListArgs {
    /// Output format: `text`, a table, or `json`, an array
    #[arg(long, value_enum, default_value_t = ListFormat::Text, value_name = "FORMAT")]
    pub(crate) format: ListFormat,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// Take a collection out of the list
///
/// No file of it is touched, and what is known of it stays in the catalogue. Its name can be given to another one.
#[derive(Clone, Debug, Args)]
pub(crate) struct CollectionRemoveArgs {
    /// The name of the collection
    pub(crate) name: String,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// Audit collections: what is missing, changed, corrupt or new?
///
/// The whole tree of each collection is listed first, so new, missing and changed files are seen each time. Then files are read: new
/// ones first, then those that were read longest ago. Without NAME, each collection reads what is due under its promise. With NAME,
/// all of it is read. A content that differs though size and time do not is read a second time, past the page cache, before it is called
/// corrupt.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = concat!("\
Examples:
  hashlane audit                      what is due in all collections
  hashlane audit --for 2h             the same, for two hours at most
  hashlane audit photos               all of photos
  hashlane audit photos 2023/summer   what lies below photos/2023/summer
  hashlane audit --dry-run            how much is due?

", audit_exit_codes!()))]
pub(crate) struct AuditArgs {
    /// A collection, and paths in it; without one, all collections
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Only what lies at or below PATH
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<OsString>,

    /// Read what is due under the promise, although a collection is named
    #[arg(long)]
    pub(crate) due: bool,

    /// Begin no file after TIME, such as 2h
    #[arg(long = "for", value_name = "TIME", value_parser = time_span, help_heading = "Budget")]
    pub(crate) time: Option<Duration>,

    /// Read at most SIZE, such as 500GB
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Budget")]
    pub(crate) bytes: Option<u64>,

    /// Read at most N files
    #[arg(long, value_name = "N", help_heading = "Budget")]
    pub(crate) files: Option<u64>,

    /// Only count what would be read
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Go on with an audit that was held
    ///
    /// Look at the tree first: what the audit held back as missing or changed is then said to be so.
    #[arg(long)]
    pub(crate) resume_held: bool,

    /// Why, for the history
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true, hide_short_help = true)]
    pub(crate) reason: String,

    /// Print nothing but findings
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Print new, moved, touched and changed files that were accepted, too
    #[arg(short, long)]
    pub(crate) verbose: bool,

    /// Output format: `text`, or `json`, one object per line
    #[arg(long, value_enum, default_value_t = ListFormat::Text, value_name = "FORMAT")]
    pub(crate) format: ListFormat,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) backends: BackendChoiceArgs,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// Show how the collections are: one sentence, and a row for each
#[derive(Clone, Debug, Args)]
#[command(after_long_help = concat!("\
With --check the exit code says what stands against the collections. Without it, it is 0.

", audit_exit_codes!()))]
pub(crate) struct StatusArgs {
    /// The collections [default: all]
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,

    /// Set the exit code by what stands against them
    #[arg(long)]
    pub(crate) check: bool,

    /// Output format: `text`, a table, or `json`, an object
    #[arg(long, value_enum, default_value_t = ListFormat::Text, value_name = "FORMAT")]
    pub(crate) format: ListFormat,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// Show what is known of a file: its versions, what happened to it, when it was last read good
#[derive(Clone, Debug, Args)]
pub(crate) struct HistoryArgs {
    /// The file: a path, or NAME:PATH with the path below the root of a collection
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: OsString,

    /// Output format: `text` or `json`, an object
    #[arg(long, value_enum, default_value_t = ListFormat::Text, value_name = "FORMAT")]
    pub(crate) format: ListFormat,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// A verdict that findings can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FindingKind {
    New,
    Changed,
    Touched,
    Moved,
    Missing,
    Unreadable,
    Unstable,
    Misread,
}

/// Accept files as they are: what is there now is what is known from now on
///
/// An accepted missing file is retired, and its history stays. A corrupt file has to be named itself. What was known before stays in its
/// history.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane accept masters --verdict changed,new --reason 'new release'
  hashlane accept masters 2023/summer --reason 'colours corrected'
  hashlane accept masters 2023/a.raw --dry-run

Exit codes:
  0  accepted               16  no such finding, or the file is not as it was found
 64  usage error            70  internal error
 74  catalogue cannot be read or written")]
pub(crate) struct AcceptArgs {
    #[command(flatten)]
    pub(crate) chosen: ChosenArgs,
}

/// Say that a finding is known: it stays, and alarms nobody until its file changes again
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane acknowledge photos 2023/a.raw --reason 'restored next week' --until 14d
  hashlane acknowledge photos --verdict missing --reason 'disk 3 is away'

Exit codes:
  0  acknowledged           16  no such finding
 64  usage error            70  internal error
 74  catalogue cannot be read or written")]
pub(crate) struct AcknowledgeArgs {
    #[command(flatten)]
    pub(crate) chosen: ChosenArgs,

    /// For how long, such as 14d [default: until the file changes]
    #[arg(long, value_name = "TIME", value_parser = time_span)]
    pub(crate) until: Option<Duration>,
}

/// Which findings are meant, and why.
#[derive(Clone, Debug, Args)]
pub(crate) struct ChosenArgs {
    /// The collection
    pub(crate) name: String,

    /// Files and directories in it, by their paths below the root
    #[arg(value_name = "PATH", required_unless_present = "verdict")]
    pub(crate) paths: Vec<OsString>,

    /// Findings of these verdicts, separated by commas
    #[arg(long, value_name = "VERDICT", value_enum, value_delimiter = ',')]
    pub(crate) verdict: Vec<FindingKind>,

    /// Why, for the history
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) reason: String,

    /// Only show what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}
