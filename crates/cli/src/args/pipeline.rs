//! The arguments of `bench pipeline`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use hashlane_digest::Algorithm;
use hashlane_measure::pipeline::Model;
use hashlane_report::written::{block_size, file_size};

use super::parsers::one_of;
use super::{RunNameArgs, StudyArgs, algorithm};

/// Measure reading and digesting, alone and together, by block size and by reading thread
///
/// Reads the same files, warm and cold, with one thread that reads and digests in turns, with a separate reading thread, and with
/// each read engine. Reports the rate, its share of the slower stage, the rate without any overlap, how long each side waited,
/// and which setting is best. Modelled on the study of the author of ACE, whose tables --classic prints.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane bench pipeline                            with files made in the current directory
  hashlane bench pipeline /mnt/archive --most 2GB    existing files, up to 2 GB of them
  hashlane bench pipeline --block 64KiB,1MiB --model serial,pipelined -a blake3
  hashlane bench pipeline --as-published --classic   16 GB in files of 27 MB, as for ACE

Exit codes:
  0  measured              64  usage error
 70  internal error        74  the run or its page cannot be written

Anything that cannot be measured is reported with the reason; this is not a failure.")]
pub(crate) struct PipelineArgs {
    /// Read the existing files below DIR, which are not changed, instead of making files
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath,
          conflicts_with_all = ["as_published", "files", "file_size", "dir"])]
    pub(crate) there: Option<PathBuf>,

    /// Algorithms, separated by commas [default: sha256]
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', value_parser = algorithm(), conflicts_with = "as_published")]
    pub(crate) algorithm: Vec<Algorithm>,

    /// Block sizes, separated by commas [default: 4096,8192,10000,1MiB; with --quick: 8KiB,1MiB]
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = block_size, conflicts_with = "as_published")]
    pub(crate) block: Vec<usize>,

    /// What reads, separated by commas: the thread that digests, a separate thread, or a read engine [default: all]
    #[arg(long, value_name = "MODEL", value_delimiter = ',', value_parser = one_of(Model::ALL.map(Model::name), Model::named), conflicts_with = "as_published")]
    pub(crate) model: Vec<Model>,

    /// Number of blocks between reading and digesting
    #[arg(long, value_name = "N", default_value_t = 5, conflicts_with = "as_published",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) buffers: u16,

    /// Read files that are in the page cache, files that are not, or both
    #[arg(long, value_enum, value_name = "STATE", default_value_t = CacheStates::Both)]
    pub(crate) cache_state: CacheStates,

    /// Number of files to make [default: 8; with --quick: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), conflicts_with = "as_published")]
    pub(crate) files: Option<u32>,

    /// Size of each file [default: 8MB; with --quick: 3MB]
    #[arg(long, value_name = "SIZE", value_parser = file_size, conflicts_with = "as_published")]
    pub(crate) file_size: Option<u64>,

    /// Total bytes to read below DIR; files are taken in order of name, and one that would exceed this is skipped
    #[arg(long, value_name = "SIZE", value_parser = file_size, default_value = "256MB", requires = "there")]
    pub(crate) most: u64,

    /// Directory for the files, on the disk or in the memory that they are read from
    #[arg(long, visible_alias = "path", value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) dir: PathBuf,

    #[command(flatten)]
    pub(crate) name: RunNameArgs,

    #[command(flatten)]
    pub(crate) study: StudyArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CacheStates {
    Both,
    Warm,
    Cold,
}
