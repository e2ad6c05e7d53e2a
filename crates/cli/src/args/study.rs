//! The arguments of the studies.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use hashlane_digest::Algorithm;

use super::bench::{ResultArgs, budget};
use super::device::size;
use super::{BackendChoiceArgs, ProgressMode, algorithm};

/// The studies.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum StudyCommand {
    Speed(SpeedArgs),
}

/// What every study takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct StudyArgs {
    /// Take less than half a minute: fewer cells, shorter samples, wider intervals
    #[arg(long)]
    pub(crate) quick: bool,

    /// Time for measuring, as in 90s or 5m [default: what the study needs, less than 5m; with --quick: less than 30s]
    #[arg(long, value_name = "TIME", value_parser = budget)]
    pub(crate) budget: Option<Duration>,

    /// Take the parameters of the original study, and say first how long that takes and what it writes
    #[arg(long, conflicts_with = "quick")]
    pub(crate) as_published: bool,

    /// Seed of contents and of the order of the cells
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Print the layout of the original study
    #[arg(long, conflicts_with_all = ["json", "plot"], help_heading = "Results")]
    pub(crate) classic: bool,

    #[command(flatten)]
    pub(crate) results: ResultArgs,

    #[command(flatten)]
    pub(crate) backends: BackendChoiceArgs,

    /// Show progress: `auto` on a terminal, `json` as lines on standard error
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ProgressMode::Auto)]
    pub(crate) progress: ProgressMode,
}

/// Measure digests of messages in memory, by algorithm and message size
///
/// Whole messages, one after the other and side by side as `sum` takes many files, on one core and on all: nanoseconds for
/// a message, rate, processor time, cycles for a byte. After hashbench, whose table --classic prints.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane bench speed                            what people use for files, from 16 B to 16 MiB
  hashlane bench speed -a sha256,blake3 --size 64,4KiB,1MiB
  hashlane bench speed --as-published --classic   md4, tiger and md5 as hashbench had them

Exit codes:
  0  measured              64  usage error
 70  internal error        74  the run or its page cannot be written")]
pub(crate) struct SpeedArgs {
    /// What to compute: one or several, separated by commas [default: md5, sha1, sha256, sha512, blake2b, blake3, xxh3]
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', value_parser = algorithm(), conflicts_with = "as_published")]
    pub(crate) algorithm: Vec<Algorithm>,

    /// Sizes of the messages, separated by commas, as in 64,10kB,1MiB [default: nine from 16 to 16MiB]
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = message_size, conflicts_with = "as_published")]
    pub(crate) size: Vec<usize>,

    /// Numbers of threads, separated by commas; more than there are cores are as many as there are [default: 1 and all]
    #[arg(long, value_name = "N", value_delimiter = ',', conflicts_with = "as_published",
          value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) threads: Vec<u16>,

    /// One message after the other, side by side in lanes, or both
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Forms::Both, conflicts_with = "as_published")]
    pub(crate) form: Forms,

    #[command(flatten)]
    pub(crate) study: StudyArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Forms {
    Both,
    Single,
    Lanes,
}

/// The size of a message in memory.
fn message_size(text: &str) -> Result<usize, String> {
    const LARGEST: u64 = 1 << 30;
    let bytes = size(text)?;
    if !(1..=LARGEST).contains(&bytes) {
        return Err("out of bounds; give from 1 to 1GiB".to_owned());
    }
    Ok(bytes as usize)
}
