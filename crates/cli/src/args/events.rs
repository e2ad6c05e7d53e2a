//! The arguments of `hashlane events`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use hashlane_catalog::EventKind;
use hashlane_record::Timestamp;
use hashlane_report::written::time;

use super::parsers::one_of;
use super::{CatalogArgs, RowsFormat};

/// List what happened, in one order, and follow it
///
/// Findings and recoveries, decisions and changes, audits that begin, end or are held, and collections that go offline, fall silent or are late: all
/// of it stands in one list. Each event has a number that no other event ever has, so a program that remembers the last number it has seen
/// misses nothing. That a
/// collection is silent or late is recorded by the next audit of it; `hashlane status --check` tells it before. New and edited files of a living or growing collection are listed for 90 days, and at most a million of them.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane events photos --since 7d                  what happened to photos in a week?
  hashlane events --kind finding --reverse --limit 20  the last 20 findings
  hashlane events photos --path 2019/a.jpg           the events of one file
  hashlane events --after 4711 --format json         all since the last event that was seen
  hashlane events --follow --kind finding,held       each finding as it is made

Exit codes:
  0  listed                 64  usage error
 70  internal error         74  catalogue cannot be read")]
pub(crate) struct EventsArgs {
    /// The collection, by the name that it has, or had when it was changed [default: all]
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Only events with numbers above N
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) after: Option<i64>,

    /// Only events with numbers below N
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) before: Option<i64>,

    /// Only events of these kinds
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',', value_parser = one_of(EventKind::ALL.map(EventKind::name), EventKind::named))]
    pub(crate) kinds: Vec<EventKind>,

    /// Only what ACTOR did or asked for
    #[arg(long, value_name = "ACTOR")]
    pub(crate) actor: Option<String>,

    /// Only events of this file, or of files in this directory: a path below the root of the collection, or an absolute one. A file that was
    /// moved is told of under its new path
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) path: Option<PathBuf>,

    /// Only those since TIME: a date, a time, or an age such as 30d
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) since: Option<Timestamp>,

    /// The last event first
    #[arg(long, conflicts_with = "follow")]
    pub(crate) reverse: bool,

    /// At most N events
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: Option<u64>,

    /// List what there is, then each event as it happens, until interrupted or --limit is reached
    #[arg(short, long, conflicts_with = "before")]
    pub(crate) follow: bool,

    /// Output format: `text`, `json`, a line for each, or `csv`
    #[arg(long, value_enum, default_value_t = RowsFormat::Text, value_name = "FORMAT")]
    pub(crate) format: RowsFormat,

    #[command(flatten)]
    pub(crate) catalog: CatalogArgs,
}
