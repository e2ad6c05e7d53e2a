//! The arguments of `bench pipeline`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, ValueEnum, ValueHint};
use hashlane_digest::Algorithm;
use hashlane_measure::pipeline::Model;

use super::io::block_size;
use super::study::file_size;
use super::{RunNameArgs, StudyArgs, algorithm};

/// Measure reading and digesting, alone and together, by block size and by who reads
///
/// The same files are read by one thread in turns with digesting them, by a thread of its own, and by each read engine, warm
/// and cold: rate, share of the slower stage, what both would do without any overlap, how long each side waited. Says which
/// setting is best. After the study of the author of ACE, whose tables --classic prints.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane bench pipeline                            files made in the current directory
  hashlane bench pipeline /mnt/archive --most 2GB    files that are there, up to 2 GB of them
  hashlane bench pipeline --block 64KiB,1MiB --model serial,pipelined -a blake3
  hashlane bench pipeline --as-published --classic   16 GB in files of 27 MB, as it was done for ACE

Exit codes:
  0  measured              64  usage error
 70  internal error        74  the run or its page cannot be written

What could not be measured is reported with its reason, and is not a failure.")]
pub(crate) struct PipelineArgs {
    /// Read the files below DIR, which are left as they are, instead of files that are made
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath,
          conflicts_with_all = ["as_published", "files", "file_size", "dir"])]
    pub(crate) there: Option<PathBuf>,

    /// What to compute: one or several, separated by commas [default: sha256]
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', value_parser = algorithm(), conflicts_with = "as_published")]
    pub(crate) algorithm: Vec<Algorithm>,

    /// Sizes of the blocks, separated by commas [default: 4096,8192,10000,1MiB; with --quick: 8KiB,1MiB]
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = block_size, conflicts_with = "as_published")]
    pub(crate) block: Vec<usize>,

    /// Who reads, separated by commas: the thread that digests, one of its own, or a read engine [default: all]
    #[arg(long, value_name = "MODEL", value_delimiter = ',', value_parser = model(), conflicts_with = "as_published")]
    pub(crate) model: Vec<Model>,

    /// Blocks between reading and digesting
    #[arg(long, value_name = "N", default_value_t = 5, conflicts_with = "as_published",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) buffers: u16,

    /// Files that the page cache holds, that it does not hold, or both
    #[arg(long, value_enum, value_name = "STATE", default_value_t = CacheStates::Both)]
    pub(crate) cache_state: CacheStates,

    /// How many files are made [default: 8; with --quick: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), conflicts_with = "as_published")]
    pub(crate) files: Option<u32>,

    /// How large they are [default: 8MB; with --quick: 3MB]
    #[arg(long, value_name = "SIZE", value_parser = file_size, conflicts_with = "as_published")]
    pub(crate) file_size: Option<u64>,

    /// Bytes of the files below DIR in all: they are taken in order of their names, and one that would be too much is not
    #[arg(long, value_name = "SIZE", value_parser = file_size, default_value = "256MB", requires = "there")]
    pub(crate) most: u64,

    /// Directory for the files, on the disk, or in the memory, that they are to be read from
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

fn model() -> impl clap::builder::TypedValueParser<Value = Model> {
    let names = PossibleValuesParser::new(Model::ALL.map(Model::name));
    names.map(|name| Model::named(&name).expect("one of the possible values"))
}
