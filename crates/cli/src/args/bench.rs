//! The arguments of the commands that measure.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum, ValueHint};
use hashlane_report::written::{budget, run_name};

use super::study::StudyCommand;
use super::{BackendChoiceArgs, ProgressMode};

/// Measure how fast this machine reads, writes and digests
///
/// A one-minute check-up that needs no special privileges. Measures memory; digests of one message and of many, on one core and
/// on all; reading, warm and cold; writing; and reading and digesting together, of one file and of many. Reports what limits the
/// machine, saves the run with every sample, and makes a page of it. Test files go to --path and are removed afterwards; they
/// take at most a tenth of the free space and a quarter of memory.
#[derive(Clone, Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_long_help = "\
Examples:
  hashlane bench                       the check-up, with test files in the current directory
  hashlane bench --path /mnt/archive   the same for another disk
  hashlane bench --quick --plot        ten seconds, with bars
  hashlane bench --open                show the page in a browser
  hashlane bench --name before         a name that `compare` shows

Exit codes:
  0  measured              64  usage error
 70  internal error        74  the run or its page cannot be written

Anything that cannot be measured is reported with the reason; this is not a failure."
)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    pub(crate) study: Option<StudyCommand>,

    /// Directory for the test files, on the disk to be measured
    #[arg(long, visible_alias = "dir", value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) path: PathBuf,

    /// Take ten seconds: smaller files, shorter samples, wider intervals
    #[arg(long)]
    pub(crate) quick: bool,

    /// Time to spend on measuring, such as 90s or 5m [default: 60s; with --quick: 9s]
    #[arg(long, value_name = "TIME", value_parser = budget)]
    pub(crate) budget: Option<Duration>,

    /// Seed for file contents and the order of the cells
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    #[command(flatten)]
    pub(crate) name: RunNameArgs,

    #[command(flatten)]
    pub(crate) results: ResultArgs,

    #[command(flatten)]
    pub(crate) backends: BackendChoiceArgs,

    /// Show progress: `auto` on a terminal, `json` as lines on standard error
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ProgressMode::Auto)]
    pub(crate) progress: ProgressMode,
}

/// What a run is called.
#[derive(Clone, Debug, Args)]
pub(crate) struct RunNameArgs {
    /// Name of the run, which the run file stores and `report` and `compare` show
    #[arg(long = "name", visible_alias = "run-name", value_name = "NAME", value_parser = run_name, help_heading = "Results")]
    pub(crate) name: Option<String>,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Results")]
pub(crate) struct ResultArgs {
    /// Leave the name of this host out of the run file and the page
    #[arg(long)]
    pub(crate) no_host_name: bool,

    /// Show all columns; by default lines are at most 100 characters wide
    #[arg(long)]
    pub(crate) wide: bool,

    /// Print the run as JSON, with every sample, instead of tables
    #[arg(long, conflicts_with = "plot")]
    pub(crate) json: bool,

    /// Print bars below the tables
    #[arg(long)]
    pub(crate) plot: bool,

    /// Directory for the run file and its page [default: $XDG_STATE_HOME/hashlane/runs]
    #[arg(long, value_name = "DIR", env = "HASHLANE_RUNS", value_hint = ValueHint::DirPath)]
    pub(crate) runs: Option<PathBuf>,

    /// Write the run to FILE, and the page beside it
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "no_save")]
    pub(crate) output: Option<PathBuf>,

    /// Do not save the run
    #[arg(long)]
    pub(crate) no_save: bool,

    /// Open the page in a browser
    #[arg(long, conflicts_with = "no_save")]
    pub(crate) open: bool,
}

/// Show a saved run, make its page, or export its figures
///
/// Prints the tables that `bench` printed, or writes the page: a single file without scripts or external resources. The run
/// itself is JSON; docs/schema/run.schema.json describes it.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane report run.json                 the tables
  hashlane report run.json -o run.html     the page
  hashlane report run.json --format csv    one row per cell
  hashlane report run.json --format prometheus -o /var/lib/node_exporter/hashlane.prom

Exit codes:
  0  shown                 16  the run cannot be read
 64  usage error, or not a run of this version
 70  internal error        74  output cannot be written")]
pub(crate) struct ReportArgs {
    /// A run file saved by `bench`
    #[arg(value_name = "RUN", value_hint = ValueHint::FilePath)]
    pub(crate) run: PathBuf,

    /// Output format: tables, CSV rows, Prometheus gauges, Google Benchmark JSON, or the page [default: text; with --output:
    /// html]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<RunFormat>,

    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Print bars below the tables
    #[arg(long, conflicts_with_all = ["output", "format"])]
    pub(crate) plot: bool,

    /// Show all columns; by default lines are at most 100 characters wide
    #[arg(long, conflicts_with_all = ["output", "format"])]
    pub(crate) wide: bool,

    /// Print the tables of the original study instead of ours
    #[arg(long, conflicts_with_all = ["output", "format", "plot", "wide"])]
    pub(crate) classic: bool,
}

/// What a run can be made into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunFormat {
    Text,
    Html,
    Csv,
    Prometheus,
    GoogleBenchmark,
}
