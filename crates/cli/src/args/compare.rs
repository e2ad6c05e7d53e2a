//! The arguments of `hashlane compare`.

use std::ffi::OsStr;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

/// Compare runs and machines, cell by cell
///
/// Takes runs of hashlane, and what others have written: CSV and description files of sysperf, JSON of fio, hyperfine and
/// Google Benchmark, the output of `openssl speed -mr`. The kind of a file is detected from its content. Ratios say how many times as fast
/// a machine is as the reference; where the interval of one holds 1 the two cannot be told apart. Files of sysperf are put
/// together by host; every other file is a column of its own, called by the name of its run, else by its host, else by its file.
/// Means are of one kind of work each, and over cells of equal work only.
#[derive(Clone, Debug, Args)]
#[command(after_long_help = "\
Examples:
  hashlane compare before.json after.json             what has become slower, and is it real?
  hashlane compare sysperf/* --reference PI04-08-03   recorded files of several hosts
  hashlane compare a.json b.json -o compared.html     as a page

Exit codes:
  0  compared              16  a file cannot be read
 64  usage error, not a file of figures, or nothing to compare
 70  internal error        74  output cannot be written")]
pub(crate) struct CompareArgs {
    /// Files of figures: runs that `bench` has saved, or files of the other programs
    #[arg(value_name = "RUN", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) runs: Vec<PathBuf>,

    /// The machine to compare with: the name of a run, a host, or a file [default: the first]
    #[arg(long, value_name = "NAME")]
    pub(crate) reference: Option<String>,

    /// How to show it [default: as the name of --output ends, else text]
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(crate) format: Option<ComparisonFormat>,

    /// Show all columns, in lines of any width; without it lines of text have 100 columns at most
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
    /// A line for each machine and cell
    Csv,
    /// Everything, for programs
    Json,
    /// A page that loads nothing
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
