//! The arguments of `hashlane catalog`, and where the catalogue lies.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use hashlane_catalog::Backups;
use hashlane_record::Timestamp;
use hashlane_report::written::time;

use super::ListFormat;

/// Where the catalogue lies.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CatalogArgs {
    /// The catalogue [default: $XDG_DATA_HOME/hashlane/catalog.sqlite]
    #[arg(long, value_name = "FILE", help_heading = "Catalogue", env = "HASHLANE_CATALOG", hide_env_values = true, value_hint = ValueHint::FilePath)]
    pub(crate) catalog: Option<PathBuf>,
}

/// Where a catalogue lies that is written to, and where its copies go.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct KeptCatalogArgs {
    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,

    /// Where copies go that hashlane makes by itself, once a week and before a migration: a directory, or `none` [default: backups beside the
    /// catalogue]
    #[arg(long, value_name = "DIR", help_heading = "Catalogue", env = "HASHLANE_BACKUPS", hide_env_values = true, hide_short_help = true, value_parser = backups(), value_hint = ValueHint::DirPath)]
    pub(crate) backups: Option<Backups>,
}

/// What is said at the end of the help of a command that does one thing to the catalogue.
pub(super) fn exit_codes_of_catalog(done: &str, is_to_be: &str) -> String {
    format!(
        "Exit codes:\n  0  {done:<22} 64  usage error\n 70  internal error         74  catalogue cannot be {is_to_be}"
    )
}

/// A directory, or the word for none.
fn backups() -> impl TypedValueParser<Value = Backups> {
    OsStringValueParser::new().try_map(|name| match name.is_empty() {
        true => Err("it is empty; name a directory, or write `none` for no copies"),
        false => Ok(Backups::named(&name)),
    })
}

/// Check, copy and compact the catalogue, and list its seals and what was changed
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
    Changes(CatalogChangesArgs),
}

/// How rows are written
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowsFormat {
    /// For a terminal
    Text,
    /// A line of JSON for each
    Json,
    /// Comma-separated values
    Csv,
}

/// Check that the catalogue is whole
///
/// The tables are compared with those that this program makes, each row with its checksum, and the files of each stretch of names with the
/// checksum of that. Pages, indexes, references, spans and totals are compared, too. The seals of all runs are computed anew. A catalogue of a
/// version before 11 has no checksums of rows.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Exit codes:
  0  whole                   8  damaged                64  usage error
 70  internal error         74  catalogue cannot be read")]
pub(crate) struct CatalogVerifyArgs {
    /// Neither compare the indexes with the rows nor compute the seals
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
/// The backup is checked first. What the catalogue holds is copied to a file beside it, which is named. Without FILE the copies that
/// hashlane has made by itself are listed, and nothing is changed.
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
    pub(crate) file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) catalog: KeptCatalogArgs,
}

/// Give back the room of what is gone, and bring the file into order
#[derive(Clone, Debug, Args)]
#[command(after_long_help = exit_codes_of_catalog("done", "read or written"))]
pub(crate) struct CatalogCompactArgs {
    #[command(flatten)]
    pub(crate) catalog: KeptCatalogArgs,
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

/// List what was changed, by whom, when and why: the earliest first
///
/// Each change of the terms of a collection, each decision on its findings, and what was done with the catalogue itself has a line, which
/// no later change removes. A collection that was purged is forgotten, and what was changed of it is not.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane catalog changes                             all that were ever made
  hashlane catalog changes photos --since 30d          those of photos in 30 days
  hashlane catalog changes --format csv > changes.csv  for a spreadsheet

Exit codes:
  0  listed                 64  usage error
 70  internal error         74  catalogue cannot be read")]
pub(crate) struct CatalogChangesArgs {
    /// The collection, by the name that it has or had then [default: all]
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Only those since TIME: a date, a time, or an age such as 30d
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) since: Option<Timestamp>,

    /// Output format: `text`, a table, `json`, a line for each, or `csv`
    #[arg(long, value_enum, default_value_t = RowsFormat::Text, value_name = "FORMAT")]
    pub(crate) format: RowsFormat,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}
