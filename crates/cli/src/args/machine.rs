//! The arguments of `bench machine`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum, ValueHint};
use hashlane_measure::machine_study::Program;
use hashlane_report::run::counts::{Counts, counts};
use hashlane_report::written::block_size;

use super::bench::RunNameArgs;
use super::study::StudyArgs;

/// Measure programs on copies of a dictionary, and compare this engine with them
///
/// Runs b2sum, sha1sum, sha256sum, sha512sum and dd over and over on a file made of copies of the dictionary american-english.
/// Reports what starting a program costs, what reading alone takes, what the first run on a new file costs, and how fast this
/// engine processes the same file within one process. A program is measured only if its digest equals ours. Modelled on sysperf:
/// --classic prints its tables, --sysperf-dir writes its files, and `hashlane compare` reads them.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Numbers of copies and iterations are written as in sysperf: 1024, 1Kib and 1K are the same; 1M and 1Mib are 2^20.
MIN:MAX:STEP is a range.

Examples:
  hashlane bench machine                              1 and 32 copies, in three minutes
  hashlane bench machine --corpus random --dir /dev/shm
  hashlane bench machine --copies 1,64 --iterations 64:256:64 --programs sha256sum,dd
  hashlane bench machine --sysperf-dir results        also write files as sysperf does
  hashlane bench machine --as-published --classic     what sysperf measured; takes long, and prints an estimate first

Exit codes:
  0  measured              64  usage error, or the input cannot be made
 70  internal error        74  the run, its page or the files of sysperf cannot be written

Anything that cannot be measured is reported with the reason; this is not a failure.")]
pub(crate) struct MachineArgs {
    /// Programs, separated by commas [default: all five]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = PossibleValuesParser::new(Program::originals()), conflicts_with = "as_published")]
    pub(crate) programs: Vec<String>,

    /// What to measure: programs, this engine in one process, or both
    #[arg(long, value_enum, value_name = "MODE", default_value_t = Mode::Both, conflicts_with = "as_published")]
    pub(crate) mode: Mode,

    /// What inputs are made of: `dictionary`, which is /usr/share/dict/american-english, or `word-list` if that does not exist;
    /// `word-list`, which is the same on every machine; `random`; or a FILE
    #[arg(long, value_name = "WHAT", default_value = "dictionary", value_hint = ValueHint::FilePath)]
    pub(crate) corpus: PathBuf,

    /// Copies in each input, separated by commas [default: 1,32; with --quick: 1,16; as published: 1,512]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = counts, conflicts_with = "as_published")]
    pub(crate) copies: Vec<Counts>,

    /// Effective iterations, counting all copies [default: 32,64,128; with --quick: 16,32; as published: 1Kib,5Kib,10Kib,15Kib]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = counts, conflicts_with = "as_published")]
    pub(crate) iterations: Vec<Counts>,

    /// Where the output of the programs goes; dd writes all that it reads
    #[arg(long, value_enum, value_name = "SINK", default_value_t = SinkName::Null)]
    pub(crate) sink: SinkName,

    /// Block size of dd [default: 32KiB, as in the other programs; as published: the default of dd]
    #[arg(long, value_name = "SIZE", value_parser = block_size, conflicts_with = "as_published")]
    pub(crate) dd_block: Option<usize>,

    /// Write files of sysperf, which name this host, into DIR; measurements are added to existing ones
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Results")]
    pub(crate) sysperf_dir: Option<PathBuf>,

    /// Directory for the inputs, on the disk or in the memory that they are read from
    #[arg(long, visible_alias = "path", value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) dir: PathBuf,

    #[command(flatten)]
    pub(crate) name: RunNameArgs,

    #[command(flatten)]
    pub(crate) study: StudyArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    Both,
    Programs,
    InProcess,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SinkName {
    Null,
    File,
}
