//! The arguments of the studies.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use hashlane_digest::Algorithm;
use hashlane_report::written::{budget, file_size, message_size, plugin, run_name};

use super::bench::{ResultArgs, RunNameArgs};
use super::io::IoArgs;
use super::machine::MachineArgs;
use super::pipeline::PipelineArgs;
use super::{BackendChoiceArgs, ProgressMode, algorithm};

/// The studies.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum StudyCommand {
    Io(IoArgs),
    Pipeline(PipelineArgs),
    Machine(MachineArgs),
    Speed(SpeedArgs),
    Variant(VariantArgs),
}

/// What every study takes.
#[derive(Clone, Debug, Args)]
pub(crate) struct StudyArgs {
    /// Take less than half a minute: fewer cells, shorter samples, wider intervals
    #[arg(long)]
    pub(crate) quick: bool,

    /// Time to spend on measuring, such as 90s or 5m; more time gives more rounds and narrower intervals [default: what the study
    /// needs, less than 5m; with --quick: less than 30s]
    #[arg(long, value_name = "TIME", value_parser = budget)]
    pub(crate) budget: Option<Duration>,

    /// Measure what the original study measured, with its sizes and numbers
    ///
    /// An estimate of what that takes is printed first.
    #[arg(long, conflicts_with = "quick")]
    pub(crate) as_published: bool,

    /// Seed for contents and the order of the cells
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Print the tables of the original study instead of ours
    #[arg(long, conflicts_with_all = ["json", "plot", "wide"], help_heading = "Results")]
    pub(crate) classic: bool,

    #[command(flatten)]
    pub(crate) results: ResultArgs,

    #[command(flatten)]
    pub(crate) backends: BackendChoiceArgs,

    /// Show progress: `auto` on a terminal, `json` as lines on standard error
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ProgressMode::Auto)]
    pub(crate) progress: ProgressMode,
}

impl StudyArgs {
    /// Whether it is quick, and whether it is the original study.
    pub(crate) fn extent(&self) -> (bool, bool) {
        (self.quick, self.as_published)
    }
}

/// Measure digests of messages in memory, by algorithm and message size
///
/// Digests whole messages, one after the other and side by side (as `sum` does with many files), on one core and on all. Reports
/// nanoseconds per message, rate, processor time and cycles per byte. Modelled on hashbench, whose table --classic prints.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane bench speed                            common digests of files, from 16 B to 16 MiB
  hashlane bench speed -a sha256,blake3 --size 64,4KiB,1MiB
  hashlane bench speed --plugin fnv1a=./fnv1a.so  also measure a function of your own
  hashlane bench speed --as-published --classic   md4, tiger and md5, as in hashbench

Exit codes:
  0  measured              64  usage error
 70  internal error        74  the run or its page cannot be written")]
pub(crate) struct SpeedArgs {
    /// Algorithms, separated by commas [default: md5, sha1, sha256, sha512, blake2b, blake3, xxh3]
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', value_parser = algorithm(), conflicts_with = "as_published")]
    pub(crate) algorithm: Vec<Algorithm>,

    /// Message sizes, separated by commas, such as 64,10kB,1MiB [default: nine from 16 to 16MiB]
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = message_size, conflicts_with = "as_published")]
    pub(crate) size: Vec<usize>,

    /// Numbers of threads, separated by commas; a number above that of cores counts as all cores [default: 1 and all]
    #[arg(long, value_name = "N", value_delimiter = ',', conflicts_with = "as_published",
          value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) threads: Vec<u16>,

    /// Also measure `void test_NAME(char *buf, int size)` of the shared library FILE, on one thread
    ///
    /// This is hashbench's signature; bench/plugin has a header and an example. The library is first loaded and the function
    /// tried out in a separate process: a function that crashes, hangs, prints or ends the program is refused.
    #[arg(long, value_name = "NAME=FILE", value_parser = plugin)]
    pub(crate) plugin: Vec<(String, PathBuf)>,

    /// Messages one after the other, side by side in lanes, or both
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Forms::Both, conflicts_with = "as_published")]
    pub(crate) form: Forms,

    #[command(flatten)]
    pub(crate) name: RunNameArgs,

    #[command(flatten)]
    pub(crate) study: StudyArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Forms {
    Both,
    Single,
    Lanes,
}

/// Compare programs or builds with each other
///
/// The commands read the same files in turns. Real, user and system time are measured, and a plain sentence reports whether a
/// difference is real. The file name replaces `{}` in a command, or is appended to it. A command is split into words as in a
/// shell, but runs without one unless --shell is given. The commands are measured only if all give the same result: the first
/// sequence of eight or more hexadecimal digits that they print. Commands that read no file are compared with --command.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane bench variant sha256sum 'openssl sha256' 'hashlane sum --no-header'
  hashlane bench variant ./sum-O2 ./sum-O3 --name O2 --name O3 --sizes 10MB,100MB
  hashlane bench variant ./sum ./sum --name O2 --name O3 --build-dir o2 --build-dir o3 \\
      --setup 'cc -O2 -o sum ../sum.c' --setup 'cc -O3 -o sum ../sum.c'
  hashlane bench variant 'dd if={} of=/dev/null' 'cat' --no-result
  hashlane bench variant --command 'sleep 0.10' --command 'sleep 0.12'
  hashlane bench variant --shell 'sha256sum {} | cut -c1-64' sha256sum

Exit codes:
  0  measured              16  a command failed or gave another result
 64  usage error, or a --setup that fails
 70  internal error        74  the run or its page cannot be written

The others are measured when one fails, and the run is kept.")]
pub(crate) struct VariantArgs {
    /// Commands that read a file; the others are compared with the first
    #[arg(value_name = "CMD", required_unless_present = "command")]
    pub(crate) commands: Vec<String>,

    /// Command to run as it is, without a file; once per command. Results are compared only with --result
    #[arg(long, value_name = "CMD", conflicts_with_all = ["commands", "sizes", "cold", "as_published"])]
    pub(crate) command: Vec<String>,

    /// Run each command by `sh -c`, so that pipes and variables work; the start of the shell is part of its time
    #[arg(long)]
    pub(crate) shell: bool,

    /// Count a run also if the command fails
    #[arg(long)]
    pub(crate) ignore_failure: bool,

    /// Name of a variant, once per command, in the same order [default: the command]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Vec<String>,

    /// Shell command to run before anything is timed, once per command, in the same order; may be empty
    #[arg(long, value_name = "CMD")]
    pub(crate) setup: Vec<String>,

    /// Directory in which a variant is set up and run, once per command, in the same order; may be empty
    #[arg(long, value_name = "DIR", value_parser = clap::value_parser!(OsString), value_hint = ValueHint::DirPath)]
    pub(crate) build_dir: Vec<OsString>,

    /// File sizes, separated by commas [default: 10MB,100MB,1GB; with --quick: 1MB,10MB]
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = file_size, conflicts_with = "as_published")]
    pub(crate) sizes: Vec<u64>,

    /// Drop the file from the page cache before each run
    #[arg(long)]
    pub(crate) cold: bool,

    /// Where the result is in the output of a command: the first group of REGEX, or all of it
    #[arg(long, value_name = "REGEX", conflicts_with = "no_result")]
    pub(crate) result: Option<regex::bytes::Regex>,

    /// Do not compare results
    #[arg(long)]
    pub(crate) no_result: bool,

    /// Kill a run that takes longer than TIME
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = budget)]
    pub(crate) timeout: Duration,

    /// Directory for the files, on the disk or in the memory that they are read from
    #[arg(long, visible_alias = "path", value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) dir: PathBuf,

    /// Name of the run, which the run file stores and `report` and `compare` show
    #[arg(long, value_name = "NAME", value_parser = run_name, help_heading = "Results")]
    pub(crate) run_name: Option<String>,

    #[command(flatten)]
    pub(crate) study: StudyArgs,
}
