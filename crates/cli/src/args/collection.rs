//! The arguments of `hashlane collection`: trees that are audited over time.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use hashlane_catalog::Policy;
use hashlane_digest::Algorithm;
use hashlane_keeper::{Changes, PolicyOf, Promise};
use hashlane_manifest::Format;
use hashlane_record::Timestamp;
use hashlane_report::written::{policy, policy_or_none, promise, time};

use super::catalog::{CatalogArgs, KeptCatalogArgs, exit_codes_of_catalog};
use super::parsers::format_of_files;
use super::{ListFormat, StoreArgs, WriteFormat, algorithm, given};
use crate::cache::CacheArgs;

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

/// Where bytes are to come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReadFrom {
    /// The device, past the page cache, where that can be
    Device,
    /// The device or the page cache, whichever is faster
    Any,
}

impl ReadFrom {
    pub(crate) fn is_device(self) -> bool {
        self == Self::Device
    }
}

/// What the place of a collection is like.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct PlaceArgs {
    /// The tree may be away, as an unplugged disk is: that alone is no fault
    ///
    /// An audit that finds it away ends with code 0, until files are late. `collection add` sets it where DIR lies on a removable or USB disk.
    #[arg(long, overrides_with = "no_removable")]
    pub(crate) removable: bool,

    /// The tree is to be there, also where it lies on a removable disk
    #[arg(long, overrides_with = "removable", hide_short_help = true)]
    pub(crate) no_removable: bool,

    /// Which readings keep the promise: those of the `device` alone, or `any`
    ///
    /// With `device`, files are read past the page cache where that can be. A reading from the cache is recorded, but the file counts as
    /// unread. Where nothing can be observed (FUSE, network file systems, memory), any reading counts, and so does one of a file that the
    /// cache has not let go of at three audits in a row. With `any`, files are read as suits the device, and cached ones from the cache.
    /// New collections begin with `device`; those of earlier versions have `any`.
    #[arg(long, value_enum, value_name = "PLACE", hide_short_help = true)]
    pub(crate) from: Option<ReadFrom>,

    /// The tree may have no files when it is first audited
    #[arg(long, hide_short_help = true)]
    pub(crate) allow_empty: bool,
}

impl PlaceArgs {
    /// The option of files that was given, if any was.
    pub(crate) fn given(&self) -> Option<&'static str> {
        given(&[
            (self.removable, "--removable"),
            (self.no_removable, "--no-removable"),
            (self.from.is_some(), "--from"),
        ])
    }

    /// What it changes.
    pub(crate) fn changes(&self) -> Changes {
        Changes {
            is_removable: (self.removable || self.no_removable).then_some(self.removable),
            may_be_empty: self.allow_empty,
            reads_device: self.from.map(ReadFrom::is_device),
            ..Changes::default()
        }
    }
}

/// What may change, in a word.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct LevelArgs {
    /// The same as `--policy frozen`: new and changed files are findings, until somebody accepts them
    #[arg(long, overrides_with = "living")]
    pub(crate) frozen: bool,

    /// The same as `--policy living`: new and changed files are accepted and counted
    #[arg(long, overrides_with = "frozen")]
    pub(crate) living: bool,
}

impl LevelArgs {
    /// The policies that are asked for: this one, then others.
    pub(crate) fn policies(self, others: &[PolicyOf]) -> Vec<PolicyOf> {
        let level = match self {
            Self { frozen: true, .. } => Some(Policy::Frozen),
            Self { living: true, .. } => Some(Policy::Living),
            _ => None,
        };
        level.map(PolicyOf::Rest).into_iter().chain(others.iter().cloned()).collect()
    }
}

/// Which files belong to a collection, and which may grow.
#[derive(Clone, Debug, Args)]
pub(crate) struct GlobArgs {
    /// Only files that match GLOB; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,

    /// Not files and directories that match GLOB; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,

    /// Files that match GLOB may grow, as long as they begin as before; may be repeated
    #[arg(long, value_name = "GLOB")]
    pub(crate) append_only: Vec<String>,
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
  hashlane collection add archive s3://keep/photos --endpoint https://s3.example.org

Exit codes:
  0  registered             16  the store cannot be reached, or refuses
 64  usage error            70  internal error
 74  catalogue cannot be read or written")]
pub(crate) struct CollectionAddArgs {
    /// The name of the collection
    pub(crate) name: String,

    /// The root of its tree: a directory, or objects as s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or az://CONTAINER/PREFIX
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) root: PathBuf,

    /// Promise that every byte is read again within TIME, such as 30d; `never` promises nothing [default: 90d, for objects never]
    #[arg(long, value_name = "TIME", value_parser = promise, allow_hyphen_values = true)]
    pub(crate) every: Option<Promise>,

    /// Algorithms, separated by commas; they cannot be changed later
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', value_parser = algorithm(), default_value = "sha256")]
    pub(crate) algorithm: Vec<Algorithm>,

    /// What may change: `living`, `growing` (the default) or `frozen`; with `:GLOB` for the files that match; may be repeated
    ///
    /// In a growing collection new files are welcome; a file that has changed, was emptied or is gone is a finding. In a living one edits are
    /// accepted, too: other contents under other modification times. In a frozen one everything new is a finding. Damage and loss are findings
    /// in each of them. Of several globs that match a file the last one counts.
    #[arg(long, value_name = "POLICY", value_parser = policy)]
    pub(crate) policy: Vec<PolicyOf>,

    #[command(flatten)]
    pub(crate) level: LevelArgs,

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

    #[command(flatten)]
    pub(crate) globs: GlobArgs,

    /// Stay on the file system of DIR
    #[arg(short = 'x', long)]
    pub(crate) one_file_system: bool,

    /// Hold an audit where more files than N are lost or changed
    ///
    /// Lost are files that are missing, emptied, older than they were, or unreadable. The audit is held where they are more than N, and more
    /// than --hold-percent of all. Nothing is then said to be missing or changed. Other changes hold it where they are more than N, and more
    /// than a tenth of all files; where the policy accepts them, more than half of all files.
    #[arg(long, value_name = "N", default_value_t = 50, hide_short_help = true)]
    pub(crate) hold_files: u64,

    /// Hold an audit where more than P in a hundred files are lost or changed, whatever the policy; by default 1, of those that are lost
    #[arg(long, value_name = "P", hide_short_help = true)]
    pub(crate) hold_percent: Option<f64>,

    #[command(flatten)]
    pub(crate) place: PlaceArgs,

    #[command(flatten)]
    pub(crate) store: StoreArgs,

    #[command(flatten)]
    pub(crate) catalog: KeptCatalogArgs,
}

/// List the collections
#[derive(Clone, Debug, Args)]
#[command(after_long_help = exit_codes_of_catalog("listed", "read"))]
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
#[command(after_long_help = exit_codes_of_catalog("shown", "read"))]
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
/// the collection become ignored, never missing. What stands against them stands on.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane collection set photos --every 60d
  hashlane collection set photos --exclude '*.tmp' --exclude cache
  hashlane collection set photos --policy frozen
  hashlane collection set photos --policy 'living:*.xmp'

Exit codes:
  0  changed                64  usage error
 70  internal error         74  catalogue cannot be read or written")]
pub(crate) struct CollectionSetArgs {
    /// The name of the collection
    pub(crate) name: String,

    /// Promise that every byte is read again within TIME, such as 30d; `never` promises nothing
    #[arg(long, value_name = "TIME", value_parser = promise, allow_hyphen_values = true)]
    pub(crate) every: Option<Promise>,

    /// The same as `--every never`
    #[arg(long, conflicts_with = "every", hide = true)]
    pub(crate) no_promise: bool,

    /// What may change: `living`, `growing` or `frozen`; with `:GLOB` for the files that match; may be repeated
    ///
    /// `none:GLOB` takes the policy of a glob away. What a policy accepts by now is no finding any more.
    #[arg(long, value_name = "POLICY", value_parser = policy_or_none)]
    pub(crate) policy: Vec<PolicyOf>,

    #[command(flatten)]
    pub(crate) level: LevelArgs,

    /// A filter that leaves out more than a tenth of the known files is meant; or it is the right tree for --marker
    #[arg(long)]
    pub(crate) yes: bool,

    /// The group that it is listed in
    #[arg(long, value_name = "NAME")]
    pub(crate) group: Option<String>,

    /// What else it is called; may be repeated. An empty TAG ('') stands for none
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,

    #[command(flatten)]
    pub(crate) globs: GlobArgs,

    /// Hold an audit where more files than N are lost or changed
    #[arg(long, value_name = "N")]
    pub(crate) hold_files: Option<u64>,

    /// Hold an audit where more than P in a hundred files are lost or changed, whatever the policy
    #[arg(long, value_name = "P")]
    pub(crate) hold_percent: Option<f64>,

    #[command(flatten)]
    pub(crate) place: PlaceArgs,

    /// Write a file into the root of the tree by which it is known again
    ///
    /// If one was there and is gone, it is written again, after the files that are there were compared with those that are known, by name and
    /// size. If fewer than nine tenths of those are found, --yes says that it is the right tree.
    #[arg(long, conflicts_with = "no_marker")]
    pub(crate) marker: bool,

    /// Know the tree by its file system and the inode of its root, and not by a marker
    #[arg(long)]
    pub(crate) no_marker: bool,

    #[command(flatten)]
    pub(crate) catalog: KeptCatalogArgs,
}

/// Give a collection another name
#[derive(Clone, Debug, Args)]
#[command(after_long_help = exit_codes_of_catalog("renamed", "read or written"))]
pub(crate) struct CollectionRenameArgs {
    /// The name of the collection
    pub(crate) name: String,

    /// Its new name
    #[arg(value_name = "NEW")]
    pub(crate) new: String,

    #[command(flatten)]
    pub(crate) catalog: KeptCatalogArgs,
}

/// Say that the tree of a collection lies somewhere else now
///
/// No file is moved. What was read before was read elsewhere, so all files count as unread until the next audits have read them: `hashlane
/// audit NAME` reads all of them now. A tree with a marker (`collection add --marker`) is known by that, wherever it lies.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = exit_codes_of_catalog("changed", "read or written"))]
pub(crate) struct CollectionRelocateArgs {
    /// The name of the collection
    pub(crate) name: String,

    /// The root of its tree: a directory, or objects as s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or az://CONTAINER/PREFIX
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) root: PathBuf,

    #[command(flatten)]
    pub(crate) store: StoreArgs,

    #[command(flatten)]
    pub(crate) catalog: KeptCatalogArgs,
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

    /// The one that was removed at TIME, as `collection list --removed` shows it, where several have had the name
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) removed_at: Option<Timestamp>,

    #[command(flatten)]
    pub(crate) catalog: KeptCatalogArgs,
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
    /// Formats: {names}. `hashlane formats` describes them.
    #[arg(long, value_name = "FORMAT", value_parser = format_of_files(), hide_possible_values = true)]
    pub(crate) manifest_format: Option<Format>,

    /// Lines of the lists end with NUL, and nothing is escaped
    #[arg(short, long)]
    pub(crate) zero: bool,

    /// Why, for the history
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) reason: String,

    #[command(flatten)]
    pub(crate) catalog: KeptCatalogArgs,
}

/// Write what is known of a collection as a manifest, in any format
///
/// Nothing is read. Names are relative to the root.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane collection export photos --output SHA256SUMS
  hashlane collection export photos --manifest-format jsonl
  hashlane collection export masters --format s3-batch --output objects.csv

Exit codes:
  0  written                64  usage error
 70  internal error         74  the list cannot be written, or the catalogue cannot be read")]
pub(crate) struct CollectionExportArgs {
    /// The name of the collection
    pub(crate) name: String,

    /// Write to FILE, which appears only when complete
    #[arg(short, long, value_name = "FILE", value_parser = super::output_file(), value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Write a list for a provider instead: `s3-batch`, which S3 Batch Operations takes
    ///
    /// A row for each object: bucket and key, URL-encoded. The job Compute checksum computes checksums of them. `hashlane audit
    /// NAME --evidence` reads its completion report.
    #[arg(long = "format", value_enum, value_name = "FORMAT", conflicts_with_all = ["manifest_format", "tag", "base64", "zero",
        "header", "no_header", "strict_hashdeep"])]
    pub(crate) list: Option<ExportList>,

    #[command(flatten)]
    pub(crate) format: WriteFormat,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}

/// A list that is no manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportList {
    /// Bucket and key of each object, as S3 Batch Operations takes them
    S3Batch,
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
    pub(crate) catalog: KeptCatalogArgs,
}

/// Bring back a collection that was removed
///
/// All that was known of it is known again.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = exit_codes_of_catalog("brought back", "read or written"))]
pub(crate) struct CollectionRestoreArgs {
    /// The name that the collection had
    pub(crate) name: String,

    #[command(flatten)]
    pub(crate) catalog: KeptCatalogArgs,
}
