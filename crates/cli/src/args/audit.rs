//! The arguments of audits, of what they have found, and of what a keeper decides about that.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use hashlane_catalog::Verdict;
use hashlane_keeper::Window;
use hashlane_report::written::{percent, size, time_span, window};

use super::catalog::{CatalogArgs, KeptCatalogArgs};
use super::collection::ReadFrom;
use super::parsers::one_of;
use super::steering::SteeringArgs;
use super::{BackendChoiceArgs, ListFormat, PatienceArgs, ReadingArgs};
use crate::cache::CacheArgs;

macro_rules! audit_exit_codes {
    () => {
        "\
Exit codes (1 to 32 add up; the others stand alone):
  0  nothing is wrong                   1  new files, in a frozen collection
  2  missing files                      4  collisions, and changed files that
                                           nobody accepted
  8  corrupt files                     16  unreadable, unstable, misread, or
                                           contradicted by a provider
 32  late: a promise is not kept       64  usage error
 70  internal error                    74  catalogue cannot be read or written
 75  held, offline, paused, stopped, or not started: nothing was judged

Findings count as long as they stand, unless somebody acknowledged them. In a
frozen collection, touched, moved and copied files count as changed.

A collection that cannot be reached is offline. If it is removable, that alone
adds nothing: its disk may be away for good reasons. From the time on that its
files are late, it adds 32. A collection without a promise is never late.

A store that refuses, and a first audit that finds no file, add 16. If some
collections were judged and others were held, offline or not started, these add
16 instead of 75."
    };
}

/// Audit collections: what is missing, changed, corrupt or new?
///
/// The whole tree of each collection is listed first, so new, missing and changed files are seen each time. Then files are read:
/// first those that a provider contradicts, then new ones, then those that were read longest ago. Without NAME, each collection reads what is due under its promise. With NAME,
/// all of it is read. A content that differs though neither size nor time says that it was written is read a second time, past the page
/// cache, before it is called corrupt. So is a collision: one digest is the known one, and another is not.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = concat!("\
Examples:
  hashlane audit                      what is due in all collections
  hashlane audit --for 2h             the same, for two hours at most
  hashlane audit photos               all of photos
  hashlane audit photos 2023/summer   what lies below photos/2023/summer
  hashlane audit --dry-run            how much is due?
  hashlane audit photos --evidence report/manifest.json
                                      what S3 has computed, recorded apart
  hashlane audit photos --by /shared/audits/2026-11-26
                                      what a run of Spark has read
  hashlane audit --set-rate photos 20MB   let the audit that is under way read slower
  hashlane audit --stop photos            and end it; the next one goes on from there

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
    /// A file that was begun is put aside when TIME is over, but not before 64 MiB of it are read. The next audit
    /// goes on with it. No further collection is begun then, unless none has read anything yet.
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

    /// Make at most N requests of object stores, listings and repetitions included
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Budget")]
    pub(crate) max_requests: Option<u64>,

    /// Read at most P in a hundred of the bytes of each collection
    #[arg(long, value_name = "P", value_parser = percent, help_heading = "Budget")]
    pub(crate) percent: Option<f64>,

    /// Begin files between two times of the day only, such as 22:00-06:00
    ///
    /// Outside of them nothing is audited, and the exit code is 75.
    #[arg(long, value_name = "TIMES", value_parser = window, help_heading = "Budget")]
    pub(crate) between: Option<Window>,

    /// Begin an audit only while fewer than N are under way, and wait for that
    ///
    /// Audits of the same catalogue count, whoever began them. What --for leaves after the wait is for reading.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Budget", hide_short_help = true)]
    pub(crate) at_most: Option<u32>,

    /// Only files with findings of these verdicts, separated by commas
    #[arg(long, value_name = "VERDICT", value_delimiter = ',', value_parser = one_of(FINDINGS.split(' '), Verdicts::named))]
    pub(crate) only: Vec<Verdicts>,

    /// Record what a provider says of the files, and read nothing
    ///
    /// REPORT is a completion report of S3 Batch Operations (Compute checksum): its files, its manifest.json, or the directory of
    /// that; an inventory of Google Storage Insights or of Azure blobs, as CSV with a header or as Parquet; or a list by `rclone
    /// lsjson --hash`. What it says stands apart from what was read: no file is intact by it, and no promise is kept. A file that
    /// it contradicts is a finding. In a store, the next audit reads that file first and settles it; in a tree, where the provider
    /// speaks of another copy, a later report does, or `accept`. One report at a time, the oldest first.
    #[arg(
        long,
        value_name = "REPORT",
        num_args = 1..,
        value_hint = ValueHint::AnyPath,
        requires = "name",
        conflicts_with_all = [
            "paths", "due", "time", "bytes", "files", "percent", "between", "only", "resume_held", "discard_held",
        ],
    )]
    pub(crate) evidence: Vec<PathBuf>,

    /// Take what a run of Spark has read, and read nothing here but what differs
    ///
    /// RUN is the directory of a complete audit by `hashlane.spark`. Its tables are verified first. The tree is listed here. What the run
    /// has read of a file counts as read when the run began, from an unknown place, if the file still has that size and time and was not
    /// touched since; all other files are left to the next audit, and so are those that were read here since. A content that differs is
    /// read again here. The same run counts once.
    #[arg(
        long,
        value_name = "RUN",
        value_hint = ValueHint::DirPath,
        requires = "name",
        conflicts_with_all = [
            "paths", "due", "time", "bytes", "files", "percent", "between", "only", "evidence", "discard_held", "dry_run",
        ],
    )]
    pub(crate) by: Option<PathBuf>,

    /// Take PREFIX from the beginning of the names in RUN: its nodes saw the tree of the collection there
    #[arg(long, value_name = "PREFIX", requires = "by")]
    pub(crate) strip_prefix: Option<OsString>,

    /// Read from the `device`, past the page cache, or from `any` place, in this run
    ///
    /// By default each collection is read as it was registered. With `any`, cached files are read from the cache; where the promise is kept by
    /// the device, such a reading does not keep it. A file that cannot be read past the cache is read through it; `--from-medium`
    /// fails it instead.
    #[arg(long, value_enum, value_name = "PLACE", conflicts_with_all = ["from_medium", "evidence", "by"])]
    pub(crate) from: Option<ReadFrom>,

    /// Only count what would be read
    ///
    /// An audit that would be held for what the listing shows says so: what has changed is only known when it is read. The exit code is 0, whatever stands against the collections.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Go on with an audit that was held
    ///
    /// Look at the tree first: what the audit held back as missing or changed is then said to be so.
    #[arg(long, requires = "name")]
    pub(crate) resume_held: bool,

    /// Drop all that a held audit held back, and audit nothing
    #[arg(
        long,
        requires = "name",
        conflicts_with_all = [
            "paths", "due", "time", "bytes", "files", "max_requests", "percent", "between", "only", "resume_held", "dry_run",
        ],
    )]
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
    pub(crate) steering: SteeringArgs,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) backends: BackendChoiceArgs,

    #[command(flatten)]
    pub(crate) catalog: KeptCatalogArgs,

    #[command(flatten)]
    pub(crate) patience: PatienceArgs,
}

/// A size that is worth an audit.
fn some_bytes(text: &str) -> Result<u64, String> {
    match size(text)? {
        0 => Err("give at least 1 byte; --dry-run reads nothing".to_owned()),
        bytes => Ok(bytes),
    }
}

/// Show how the collections are: one sentence, and a row for each
#[derive(Clone, Debug, Args)]
#[command(after_long_help = concat!("\
Examples:
  hashlane status                how are all collections?
  hashlane status --check        the same, for a monitor: the exit code says it
  hashlane status photos
  hashlane status --follow       how far are the audits that are under way?

", audit_exit_codes!(), "

Without --check the exit code is 0, whatever is wrong."))]
pub(crate) struct StatusArgs {
    /// The collections [default: all]
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,

    /// Set the exit code by what stands against them
    ///
    /// Code 64 where no collection is registered: nothing is watched then.
    #[arg(long)]
    pub(crate) check: bool,

    /// Code 32 where no audit has judged a collection for longer than TIME, such as 2d
    #[arg(long, value_name = "TIME", value_parser = time_span)]
    pub(crate) audited_within: Option<Duration>,

    /// Show how far audits are until none is under way, and then the status
    ///
    /// A line for each, written over on a terminal, and else to standard error every five seconds. With `--format json`, an object a line
    /// to standard output each time that an audit has said how far it is, and then the status in one line.
    #[arg(long)]
    pub(crate) follow: bool,

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

/// The verdicts that findings can have, by their names.
const FINDINGS: &str =
    "corrupt collision new changed touched moved copied missing unreadable unstable misread contradicted";

/// What one of these names means.
#[derive(Clone, Debug)]
pub(crate) struct Verdicts(pub(crate) Vec<Verdict>);

impl Verdicts {
    fn named(name: &str) -> Option<Self> {
        let verdict = Verdict::named_in_collection(name)?;
        Some(Self(match verdict {
            Verdict::Corrupt => vec![verdict, Verdict::Suspect],
            Verdict::Unstable => vec![verdict, Verdict::UnstableMedium],
            _ => vec![verdict],
        }))
    }
}

/// Accept files as they are now
///
/// What is there now is what is known from then on. What was known before stays in the history of the file. A missing file that is
/// accepted is retired. A corrupt file has to be named itself.
///
/// While the collection is audited, the decision is recorded, and the audit carries it out when it is over.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane accept masters --verdict changed,new --reason 'new release'
  hashlane accept masters 2023/summer --reason 'colours corrected'
  hashlane accept masters 2023/a.raw --dry-run

Exit codes:
  0  accepted, or recorded  16  no such finding, or the file is not as it was found
 64  usage error            70  internal error
 74  catalogue cannot be read or written
 75  --all-gone, and the collection is being audited")]
pub(crate) struct AcceptArgs {
    #[command(flatten)]
    pub(crate) chosen: ChosenArgs,

    /// Accept that all files are gone: the tree was emptied on purpose
    ///
    /// The root has to be there, and without a file. What is known of the files stays in their history.
    #[arg(long, requires = "reason", conflicts_with_all = ["paths", "verdict", "dry_run"])]
    pub(crate) all_gone: bool,
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
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<OsString>,

    /// Findings of these verdicts, separated by commas
    #[arg(long, value_name = "VERDICT", value_delimiter = ',', value_parser = one_of(FINDINGS.split(' '), Verdicts::named))]
    pub(crate) verdict: Vec<Verdicts>,

    /// Why, for the history
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) reason: String,

    /// Only show what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) catalog: KeptCatalogArgs,
}
