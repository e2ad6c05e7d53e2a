//! The arguments of `hashlane compare`.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

/// Compare runs and machines, cell by cell
///
/// Reads hashlane runs, and files of other programs: CSV and description files of sysperf, JSON of fio, hyperfine and Google
/// Benchmark, and the output of `openssl speed -mr`. The kind of a file is detected from its content. A ratio states how many
/// times as fast as the reference a machine is; if its interval contains 1, no difference is seen. Intervals cover what equal runs
/// differ by. A directory holds repeated runs, whose scatter is measured; for single runs, it is assumed. Files of sysperf are
/// grouped by host. Every other file or directory is a column of its own, named after its run, else its host, else the file. A mean
/// covers one kind of work, and only cells of equal work.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane compare before.json after.json             what became slower, and is the difference real?
  hashlane compare before after                       the same over runs in two directories, best 7 in each
  hashlane compare sysperf/* --reference PI04-08-03   recorded files of several hosts
  hashlane compare a.json b.json -o compared.html     as a page

Exit codes:
  0  compared              16  a file cannot be read
 64  usage error, unknown kind of file, or nothing to compare
 70  internal error        74  output cannot be written")]
pub(crate) struct CompareArgs {
    /// What to compare: runs saved by `bench`, files of the other programs, or directories of repeated runs
    #[arg(value_name = "RUN", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) runs: Vec<PathBuf>,

    /// The machine to compare with: the name of a run, a host, or a file [default: the first]
    #[arg(long, value_name = "NAME")]
    pub(crate) reference: Option<String>,

    /// Output format [default: by the extension of --output, else text]
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) format: Option<ComparisonFormat>,

    /// Show all columns; by default lines of text are at most 100 characters wide
    #[arg(long)]
    pub(crate) wide: bool,

    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
}

/// How a comparison is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ComparisonFormat {
    /// Tables for a terminal
    Text,
    /// Tables for a document
    Markdown,
    /// One line per machine and cell
    Csv,
    /// Everything, for programs
    Json,
    /// A self-contained page
    Html,
}

impl CompareArgs {
    /// The format that is asked for, or that the name of the output ends with.
    pub(crate) fn format(&self) -> ComparisonFormat {
        let ending = self.output.as_ref().and_then(|path| path.extension()).and_then(OsStr::to_str);
        self.format.unwrap_or(match ending {
            Some("csv") => ComparisonFormat::Csv,
            Some("htm" | "html") => ComparisonFormat::Html,
            Some("json") => ComparisonFormat::Json,
            Some("md" | "markdown") => ComparisonFormat::Markdown,
            _ => ComparisonFormat::Text,
        })
    }
}
