//! The arguments of the commands about collections: trees that are audited over time.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use hashlane_digest::Algorithm;
use hashlane_manifest::Format;

use super::device::size;
use super::parsers::{format_of_files, time_span};
use super::{BackendChoiceArgs, ListFormat, ReadingArgs, WriteFormat, algorithm};
use crate::cache::CacheArgs;

macro_rules! audit_exit_codes {
    () => {
        "\
Exit codes (1 to 32 add up; the others stand alone):
  0  nothing is wrong                   1  new files, in a frozen collection
  2  missing files                      4  changed files that nobody accepted
  8  corrupt files                     16  unreadable, unstable, or misread
 32  late: a promise is not kept       64  usage error
 70  internal error                    74  catalogue cannot be read or written
 75  held, or not started: nothing was judged

Findings count as long as they stand, unless somebody acknowledged them. In a
frozen collection, touched, moved and copied files count as changed.

A collection that cannot be reached is offline. That alone adds nothing: a disk
may be away for good reasons. From the time on that its files are late, it adds
32. A collection without a promise is never late.

If some collections were judged and others were held or not started, these add
16 instead of 75."
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
    Show(CollectionShowArgs),
    Set(CollectionSetArgs),
    Rename(CollectionRenameArgs),
    Relocate(CollectionRelocateArgs),
    Remove(CollectionRemoveArgs),
    Restore(CollectionRestoreArgs),
    Purge(CollectionPurgeArgs),
    Import(CollectionImportArgs),
    Export(CollectionExportArgs),
    Report(CollectionReportArgs),
}

/// Register a tree as a collection
///
/// Nothing is read: the first audit does that. Nothing is ever written into the tree, unless --marker asks for it.
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
    #[arg(long, value_name = "TIME", value_parser = time_span, allow_hyphen_values = true)]
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

    /// What else it is called; may be repeated
    #[arg(long, value_name = "TAG", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) tag: Vec<String>,

    /// Write a file into the root of the tree by which it is known again
    ///
    /// The file is `.hashlane-marker`. A tree without it is not audited, and a tree with it is the right one wherever it lies. Without this
    /// option a tree is known by its file system and the inode of its root, and nothing is written into it.
    #[arg(long, hide_short_help = true)]
    pub(crate) marker: bool,

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
#[command(after_long_help = "\
Exit codes:
  0  listed                 64  usage error
 70  internal error         74  catalogue cannot be read")]
pub(crate) struct CollectionListArgs {
    /// List those that were removed
    #[arg(long)]
    pub(crate) removed: bool,

    /// Output format: `text`, a table, or `json`, an array
    #[arg(long, value_enum, default_value_t = ListFormat::Text, value_name = "FORMAT")]
    pub(crate) format: ListFormat,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// Show what a collection is, and how it is
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0  shown                  64  usage error
 70  internal error         74  catalogue cannot be read")]
pub(crate) struct CollectionShowArgs {
    /// The name of the collection
    pub(crate) name: String,

    /// Output format: `text` or `json`, an object
    #[arg(long, value_enum, default_value_t = ListFormat::Text, value_name = "FORMAT")]
    pub(crate) format: ListFormat,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// Change what a collection promises, and what belongs to it
///
/// Only what is given changes. A list of globs replaces the one before; an empty glob ('') stands for none. Files that no longer belong to
/// the collection become ignored, never missing.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane collection set photos --every 60d
  hashlane collection set photos --exclude '*.tmp' --exclude cache
  hashlane collection set photos --frozen

Exit codes:
  0  changed                64  usage error
 70  internal error         74  catalogue cannot be read or written")]
pub(crate) struct CollectionSetArgs {
    /// The name of the collection
    pub(crate) name: String,

    /// Promise that every byte is read again within TIME, such as 30d
    #[arg(long, value_name = "TIME", value_parser = time_span, allow_hyphen_values = true)]
    pub(crate) every: Option<Duration>,

    /// Promise nothing
    #[arg(long, conflicts_with = "every")]
    pub(crate) no_promise: bool,

    /// New and changed files are findings, until somebody accepts them
    #[arg(long, overrides_with = "living")]
    pub(crate) frozen: bool,

    /// New and changed files are accepted and counted
    #[arg(long, overrides_with = "frozen")]
    pub(crate) living: bool,

    /// The group that it is listed in
    #[arg(long, value_name = "NAME")]
    pub(crate) group: Option<String>,

    /// What else it is called; may be repeated. An empty TAG ('') stands for none
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,

    /// Only files that match GLOB; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,

    /// Not files and directories that match GLOB; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,

    /// Files that match GLOB may grow, as long as they begin as before; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) append_only: Vec<String>,

    /// Hold an audit where more files than N are missing, changed or unreadable
    #[arg(long, value_name = "N")]
    pub(crate) hold_files: Option<u64>,

    /// Hold an audit where more than P in a hundred files are missing, changed or unreadable
    #[arg(long, value_name = "P")]
    pub(crate) hold_percent: Option<f64>,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// Give a collection another name
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0  renamed                64  usage error
 70  internal error         74  catalogue cannot be read or written")]
pub(crate) struct CollectionRenameArgs {
    /// The name of the collection
    pub(crate) name: String,

    /// Its new name
    #[arg(value_name = "NEW")]
    pub(crate) new: String,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// Say that the tree of a collection lies somewhere else now
///
/// No file is moved. The next audit compares what lies there with what is known.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0  changed                64  usage error
 70  internal error         74  catalogue cannot be read or written")]
pub(crate) struct CollectionRelocateArgs {
    /// The name of the collection
    pub(crate) name: String,

    /// The root of its tree
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) root: PathBuf,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// Forget all that is known of a collection, for ever
///
/// No file of it is touched. Its digests, its history and its proofs are gone. It may be one that was removed. If this is interrupted, the
/// collection is in no list any more, and the same command goes on.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0  forgotten              64  usage error
 70  internal error         74  catalogue cannot be read or written
 75  in use: nothing was changed")]
pub(crate) struct CollectionPurgeArgs {
    /// The name of the collection
    pub(crate) name: String,

    /// Yes, for ever
    #[arg(long, required = true)]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// Register digests that come from elsewhere
///
/// A LIST is any manifest that hashlane reads, such as one that came with the files, or a bag. Its digests are registered, and the next audit
/// compares them with the files. What is known already stays as it is.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane collection import photos SHA256SUMS
  hashlane collection import bag /srv/bag

Exit codes:
  0  all registered         16  a list cannot be read, or lines were left out or
                               contradict what is known
 64  usage error            70  internal error
 74  catalogue cannot be read or written
 75  in use: nothing was registered")]
pub(crate) struct CollectionImportArgs {
    /// The name of the collection
    pub(crate) name: String,

    /// The lists, with names relative to the root, or bags; `-` is standard input
    #[arg(value_name = "LIST", value_hint = ValueHint::FilePath, required = true)]
    pub(crate) lists: Vec<OsString>,

    /// Take PREFIX from the beginning of the listed names
    #[arg(long, value_name = "PREFIX")]
    pub(crate) strip_prefix: Option<OsString>,

    /// Format of the lists [default: detected]
    ///
    /// Formats: gnu, bsd, base64, base64-untagged, multihash, ni, sri, hashdeep, md5deep-sizes, md5deep-csv, triage, sfv, checkm, bagit,
    /// ace, jsonl, csv, dfxml. `hashlane formats` describes them.
    #[arg(long, value_name = "FORMAT", value_parser = format_of_files(), hide_possible_values = true)]
    pub(crate) manifest_format: Option<Format>,

    /// Lines of the lists end with NUL, and nothing is escaped
    #[arg(short, long)]
    pub(crate) zero: bool,

    /// Why, for the history
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) reason: String,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// Write what is known of a collection as a manifest, in any format
///
/// Nothing is read. Names are relative to the root.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane collection export photos --output SHA256SUMS
  hashlane collection export photos --manifest-format jsonl

Exit codes:
  0  written                64  usage error
 70  internal error         74  the list cannot be written, or the catalogue cannot be read")]
pub(crate) struct CollectionExportArgs {
    /// The name of the collection
    pub(crate) name: String,

    /// Write to FILE, which appears only when complete
    #[arg(short, long, value_name = "FILE", value_parser = super::output_file(), value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) format: WriteFormat,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// Report what stands against collections, what to do about it, and how audits went
///
/// Findings come first, each kind with how sure it is, what it may be, and the command to go on with. Where an intact copy of a file is
/// known under the same name in a collection, it is named. Then come the files that were read longest ago, the rate of the last audit
/// beside the best one known, and the last audits. Nothing is read but the catalogue.
///
/// Text and HTML show at most 200 findings of each kind and say how many more there are. CSV and JSON have all of them. Cells of the CSV that a
/// spreadsheet would take for formulas begin with an apostrophe.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane collection report                                        all collections, as text
  hashlane collection report photos --format html -o photos.html    a page for a browser
  hashlane collection report --format csv -o findings.csv           a row for each finding

Exit codes:
  0  written, whatever it says    64  usage error
 70  internal error               74  catalogue cannot be read, or report cannot be written")]
pub(crate) struct CollectionReportArgs {
    /// The collections [default: all]
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,

    /// Output format: `text`, `json`, an object, `csv`, a row for each finding, or `html`, a page
    #[arg(long, value_enum, default_value_t = CollectionReportFormat::Text, value_name = "FORMAT")]
    pub(crate) format: CollectionReportFormat,

    /// Write to FILE, which appears only when complete
    #[arg(short, long, value_name = "FILE", value_parser = super::output_file(), value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) cache: CacheArgs,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// What a report of collections can be made into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CollectionReportFormat {
    Text,
    Json,
    Csv,
    Html,
}

/// Check, copy and compact the catalogue, and list its seals
///
/// The catalogue is one SQLite database that holds all collections and their histories.
#[derive(Clone, Debug, Args)]
pub(crate) struct CatalogCommandArgs {
    #[command(subcommand)]
    pub(crate) command: CatalogCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum CatalogCommand {
    Verify(CatalogVerifyArgs),
    Backup(CatalogBackupArgs),
    Restore(CatalogRestoreArgs),
    Compact(CatalogCompactArgs),
    Seals(CatalogSealsArgs),
}

/// Check that the catalogue is whole
///
/// Pages, references, spans, totals and the checksums of all files are compared.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0  whole                   8  damaged                64  usage error
 70  internal error         74  catalogue cannot be read")]
pub(crate) struct CatalogVerifyArgs {
    /// Do not compare the indexes with the rows
    #[arg(long)]
    pub(crate) quick: bool,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// Copy the catalogue to a file, while it is in use
///
/// The copy is the catalogue as it was at one moment. It appears when it is complete.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0  copied                 64  usage error
 70  internal error         74  the copy cannot be written, or the catalogue cannot be read")]
pub(crate) struct CatalogBackupArgs {
    /// The file to write, which must not exist
    #[arg(value_name = "FILE", value_parser = super::named_file(), value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// Put a backup in the place of the catalogue
///
/// The backup is checked first. What the catalogue holds is copied to a file beside it, which is named.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0  restored               64  usage error
 70  internal error         74  the backup cannot be restored, or the catalogue cannot be
                               written
 75  a collection is in use: nothing was changed")]
pub(crate) struct CatalogRestoreArgs {
    /// The backup
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// Give back the room of what is gone, and bring the file into order
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0  done                   64  usage error
 70  internal error         74  catalogue cannot be read or written")]
pub(crate) struct CatalogCompactArgs {
    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// List the seals of runs, the latest first
///
/// The seal of a run is the Merkle root over all versions of files that it recorded, and their number. Audits have one when they are over,
/// and so have runs of accept, acknowledge and import. Keep roots where nobody can change them: as long as `hashlane catalog verify` finds
/// nothing and prints no other root for a run, the versions that the run recorded are what they were.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane catalog seals                        all that were ever made
  hashlane catalog seals photos -n 1            the last one of photos
  hashlane catalog seals --format json > seals  to be kept elsewhere

Exit codes:
  0  listed                 64  usage error
 70  internal error         74  catalogue cannot be read")]
pub(crate) struct CatalogSealsArgs {
    /// The collection, which may be one that was removed [default: all]
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Only the last N
    #[arg(short = 'n', long = "last", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) last: Option<u32>,

    /// Output format: `text`, a table, or `json`, an array
    #[arg(long, value_enum, default_value_t = ListFormat::Text, value_name = "FORMAT")]
    pub(crate) format: ListFormat,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// Take a collection out of the list
///
/// No file of it is touched, and what is known of it stays in the catalogue: `collection restore` brings it back. Its name can be
/// given to another one.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0  removed                64  usage error
 70  internal error         74  catalogue cannot be read or written
 75  in use: nothing was changed")]
pub(crate) struct CollectionRemoveArgs {
    /// The name of the collection
    pub(crate) name: String,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// Bring back a collection that was removed
///
/// All that was known of it is known again.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0  brought back           64  usage error
 70  internal error         74  catalogue cannot be read or written")]
pub(crate) struct CollectionRestoreArgs {
    /// The name that the collection had
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

    /// Only what lies at or below PATH: below the root of the collection, here, or absolute
    ///
    /// The first of these that is known wins. PATH that begins with `.` or `..` is meant from the current directory alone.
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<OsString>,

    /// Read what is due under the promise, although a collection is named
    #[arg(long)]
    pub(crate) due: bool,

    /// Begin no file after TIME, such as 2h
    ///
    /// A file that was begun is put aside when TIME is over, and the next audit goes on with it.
    #[arg(long = "for", value_name = "TIME", value_parser = time_span, help_heading = "Budget")]
    pub(crate) time: Option<Duration>,

    /// Read at most SIZE, such as 500GB
    ///
    /// A file that was begun is read on to its next 64 MiB or to its end.
    #[arg(long, value_name = "SIZE", value_parser = some_bytes, help_heading = "Budget")]
    pub(crate) bytes: Option<u64>,

    /// Read at most N files
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Budget")]
    pub(crate) files: Option<u64>,

    /// Read at most P in a hundred of the bytes of each collection
    #[arg(long, value_name = "P", value_parser = percent, help_heading = "Budget")]
    pub(crate) percent: Option<f64>,

    /// Begin files between two times of the day only, such as 22:00-06:00
    ///
    /// Outside of them nothing is audited, and the exit code is 75.
    #[arg(long, value_name = "TIMES", value_parser = window, help_heading = "Budget")]
    pub(crate) between: Option<Window>,

    /// Only files with findings of these verdicts, separated by commas
    #[arg(long, value_name = "VERDICT", value_enum, value_delimiter = ',')]
    pub(crate) only: Vec<FindingKind>,

    /// Only count what would be read
    ///
    /// An audit that would be held says so. The exit code is 0, whatever stands against the collections.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Go on with an audit that was held
    ///
    /// Look at the tree first: what the audit held back as missing or changed is then said to be so.
    #[arg(long, requires = "name")]
    pub(crate) resume_held: bool,

    /// Drop what a held audit held back, and audit nothing
    #[arg(long, requires = "name", conflicts_with_all = ["resume_held", "dry_run"])]
    pub(crate) discard_held: bool,

    /// Why, for the history
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true, hide_short_help = true)]
    pub(crate) reason: String,

    /// Print nothing but new findings
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Print findings that were reported before, and files that were accepted, too
    ///
    /// Without it, a finding is printed once for each content. `hashlane status` shows what stands.
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

/// A part of the day, in minutes since midnight. It may last over midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    from: u32,
    to: u32,
}

impl Window {
    /// How many minutes of it are left at a minute of the day; nothing outside of it.
    pub(crate) fn left(self, minute: u32) -> Option<u32> {
        const DAY: u32 = 24 * 60;

        let length = (self.to + DAY - self.from) % DAY;
        let since = (minute + DAY - self.from) % DAY;
        (since < length).then(|| length - since)
    }
}

/// Two times of the day, as people write them.
fn window(text: &str) -> Result<Window, String> {
    let malformed = || "not two times; write them like 22:00-06:00".to_owned();
    let minute = |text: &str| {
        let (hours, minutes) = text.trim().split_once(':')?;
        let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
        (hours < 24 && minutes < 60 && text.trim().len() <= 5).then_some(hours * 60 + minutes)
    };
    let (from, to) = text.split_once('-').ok_or_else(malformed)?;
    match (minute(from), minute(to)) {
        (Some(from), Some(to)) if from != to => Ok(Window { from, to }),
        _ => Err(malformed()),
    }
}

/// A size that is worth an audit.
fn some_bytes(text: &str) -> Result<u64, String> {
    match size(text)? {
        0 => Err("give at least 1 byte; --dry-run reads nothing".to_owned()),
        bytes => Ok(bytes),
    }
}

/// A share of a whole.
fn percent(text: &str) -> Result<f64, String> {
    let share = text.trim_end_matches('%').trim().parse::<f64>().ok();
    share
        .filter(|share| *share > 0.0 && *share <= 100.0)
        .ok_or_else(|| "give more than 0, and at most 100".to_owned())
}

/// Show how the collections are: one sentence, and a row for each
#[derive(Clone, Debug, Args)]
#[command(after_long_help = concat!("\
Examples:
  hashlane status                how are all collections?
  hashlane status --check        the same, for a monitor: the exit code says it
  hashlane status photos

", audit_exit_codes!(), "

Without --check the exit code is 0, whatever is wrong."))]
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
    pub(crate) cache: CacheArgs,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// Show what is known of a file, and what happened to it
///
/// Its versions, every verdict, and when it was last read good and from where.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0  shown                  64  usage error, or nothing is known of the file
 70  internal error         74  catalogue cannot be read")]
pub(crate) struct HistoryArgs {
    /// The file: a path from the current directory, or NAME:PATH with the path below the root of a collection
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
    Corrupt,
    New,
    Changed,
    Touched,
    Moved,
    Missing,
    Unreadable,
    Unstable,
    Misread,
}

/// Accept files as they are now
///
/// What is there now is what is known from then on. An accepted missing file is retired, and its history stays. A corrupt file has to be named itself. What was known before stays in its
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
 74  catalogue cannot be read or written
 75  in use: nothing was accepted")]
pub(crate) struct AcceptArgs {
    #[command(flatten)]
    pub(crate) chosen: ChosenArgs,
}

/// Say that a finding is known, so that it alarms nobody
///
/// The finding stays and is counted apart. When its file changes again, or when its time is over, it alarms as before.
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

    /// Files and directories in it: paths below its root, paths here, or absolute ones
    ///
    /// The first of these that is known wins. PATH that begins with `.` or `..` is meant from the current directory alone.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_may_last_over_midnight() {
        let night = window("22:00-06:00").expect("two times");
        let left = [21 * 60 + 59, 22 * 60, 0, 5 * 60 + 59, 6 * 60].map(|minute| night.left(minute));
        assert_eq!(left, [None, Some(480), Some(360), Some(1), None]);
        let day = window("9:30-17:00").expect("two times");
        assert_eq!(
            [9 * 60 + 29, 9 * 60 + 30, 17 * 60].map(|minute| day.left(minute)),
            [None, Some(450), None]
        );
        for wrong in ["", "22:00", "22-6", "24:00-06:00", "22:60-06:00", "22:00-22:00", "1:1:1-2:00"] {
            assert!(window(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_share_is_more_than_nothing_and_no_more_than_all() {
        assert_eq!(["5", "12.5%", "100 %"].map(percent), [Ok(5.0), Ok(12.5), Ok(100.0)]);
        for wrong in ["0", "-1", "101", "nan", "x", ""] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
    }
}
