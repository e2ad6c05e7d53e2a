//! The arguments about how digests are computed, and the command that shows it.

use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use hashlane_digest::{Algorithm, Backend};
use hashlane_report::written::budget;

use super::{ProgressMode, ReportFormat};
use crate::cache::CacheArgs;

/// The backend that the user asks for.
#[derive(Clone, Debug, Args)]
pub(crate) struct ForcedArgs {
    /// Backend that computes digests [default: the fastest]
    ///
    /// See `hashlane backends`.
    #[arg(long, value_name = "BACKEND", env = "HASHLANE_BACKEND", hide_env_values = true, value_parser = backend(),
        hide_short_help = true)]
    pub(crate) backend: Option<Backend>,
}

/// What decides which backends are used.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Backends")]
pub(crate) struct BackendChoiceArgs {
    #[command(flatten)]
    pub(crate) forced: ForcedArgs,

    /// Use the backends that were measured as fastest on this CPU: the default
    #[arg(long, overrides_with = "no_calibrate", hide_short_help = true)]
    pub(crate) calibrate: bool,

    /// Use the backends that are fastest on most CPUs, and do not measure them after a long run
    #[arg(long, overrides_with = "calibrate", hide_short_help = true)]
    pub(crate) no_calibrate: bool,

    #[command(flatten)]
    pub(crate) cache: CacheArgs,
}

/// Measure how fast each backend of this CPU computes each algorithm
///
/// A backend is one way to compute an algorithm: with a given instruction set, one message at a time or several side by side. The
/// results are saved: from then on `sum`, `check` and `bench` use the fastest backend for the number of files at hand. --backend
/// or HASHLANE_BACKEND selects another one.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane backends                 all algorithms that have more than one backend
  hashlane backends -a sha256,md5   only these
  hashlane backends --no-save       show the results without saving them

Exit codes:
  0  measured    64  usage error    70  internal error    74  output cannot be written")]
pub(crate) struct BackendsArgs {
    /// Algorithms, separated by commas [default: all that have more than one backend]
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', value_parser = super::algorithm())]
    pub(crate) algorithm: Vec<Algorithm>,

    /// Time to spend on measuring, such as 90s or 5m
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = budget)]
    pub(crate) budget: Duration,

    #[command(flatten)]
    pub(crate) forced: ForcedArgs,

    #[command(flatten)]
    pub(crate) cache: CacheArgs,

    /// Do not save the results
    #[arg(long)]
    pub(crate) no_save: bool,

    /// Output format: `text`, a table, or `json`, one object per line
    #[arg(long, value_enum, default_value_t = ReportFormat::Text, value_name = "FORMAT")]
    pub(crate) format: ReportFormat,

    /// Show progress: `auto` on a terminal, `json` as lines on standard error
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ProgressMode::Auto)]
    pub(crate) progress: ProgressMode,
}

/// A backend that this CPU has: asking for another one is an error, reported at once.
fn backend() -> impl clap::builder::TypedValueParser<Value = Backend> {
    PossibleValuesParser::new(Backend::ALL.iter().rev().map(|backend| backend.name())).try_map(|name| {
        let backend = Backend::named(&name).ok_or_else(|| format!("{name} is not a backend"))?;
        let there = Backend::ALL.iter().rev().filter(|backend| backend.is_available());
        let there = there.map(|backend| backend.name()).collect::<Vec<_>>().join(", ");
        if backend.is_available() { Ok(backend) } else { Err(format!("this CPU supports {there}")) }
    })
}
