//! The arguments of `hashlane mhl`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};
use hashlane_digest::Algorithm;
use hashlane_report::written::mhl_algorithm;

use super::{BackendChoiceArgs, ReadingArgs};

/// Make, verify and show histories of media (ASC MHL 2.0)
#[derive(Clone, Debug, Args)]
pub(crate) struct MhlArgs {
    #[command(subcommand)]
    pub(crate) command: MhlCommand,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum MhlCommand {
    Create(MhlCreateArgs),
    Verify(MhlVerifyArgs),
    Info(MhlInfoArgs),
}

/// Read all files of a directory and record them in a new generation
///
/// The generation is a list in DIR/ascmhl. Files that are known are compared with what earlier generations have, and the list says what came
/// of it. Histories that are nested in DIR get a generation each. The chain file is written last.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane mhl create A001                          the first generation, or the next one
  hashlane mhl create -a xxh64,c4 --ignore '*.tmp' A001
  hashlane mhl create --detect-renaming A001        files that are missing and have another name now

Exit codes (2 to 16 add up; the others stand alone):
  0  recorded               2  known files are missing     4  files differ from what is known
 16  a file cannot be read, or a list cannot be stored; nothing was written
 64  usage error           70  internal error             74  the list cannot be written")]
pub(crate) struct MhlCreateArgs {
    /// The directory
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,

    /// Algorithms, separated by commas: md5, sha1, xxh64, xxh3, xxh128, c4
    #[arg(short, long, value_name = "NAME", value_delimiter = ',', default_value = "xxh128", value_parser = mhl_algorithm)]
    pub(crate) algorithm: Vec<Algorithm>,

    /// Record no digests of directories
    #[arg(short, long)]
    pub(crate) no_directory_hashes: bool,

    /// Look for missing files among the new ones
    #[arg(long)]
    pub(crate) detect_renaming: bool,

    /// Also ignore what PATTERN matches, in gitignore syntax; may be repeated. The history keeps it
    #[arg(long, value_name = "PATTERN")]
    pub(crate) ignore: Vec<String>,

    /// Print failures only
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) reading: ReadingArgs,

    #[command(flatten)]
    pub(crate) backends: BackendChoiceArgs,
}

/// Compare a directory with all generations of its history
///
/// The chain file vouches for the lists, and they for the files. Files that no list has are reported, too. `hashlane check DIR/ascmhl` does the
/// same, and takes the options of `check`.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane mhl verify A001                          what is not as all generations have it?
  hashlane check --format json A001/ascmhl          the same, for programs

Exit codes (1 to 16 add up; the others stand alone):
  0  all files as recorded   1  files or lists that are not recorded   2  files, directories or lists are missing
  4  files or lists differ  16  unreadable, or nothing vouches for the lists
 64  usage error            70  internal error                        74  output cannot be written")]
pub(crate) struct MhlVerifyArgs {
    /// The directory
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,

    /// Print failures only
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
}

/// Show the generations of a history
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane mhl info A001                            its lists, when they were made, where and by what

Exit codes (1 to 16 add up; the others stand alone):
  0  all lists are as recorded   1  lists that are not recorded   2  lists are missing
  4  lists differ               16  unreadable, or nothing vouches for the lists
 64  usage error                70  internal error                74  output cannot be written")]
pub(crate) struct MhlInfoArgs {
    /// The directory
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: PathBuf,
}
