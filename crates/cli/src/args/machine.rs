//! The arguments of `bench machine`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum, ValueHint};
use hashlane_measure::machine_study::Program;
use hashlane_measure::sysperf_count;
use hashlane_report::written::block_size;

use super::bench::RunNameArgs;
use super::study::StudyArgs;

/// More values than this are no sweep that anybody waits for.
const MOST_VALUES: u64 = 64;

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
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = program(), conflicts_with = "as_published")]
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

/// The names of the programs of the original.
fn program() -> PossibleValuesParser {
    PossibleValuesParser::new(Program::originals())
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

/// One number, or all of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counts(pub(crate) Vec<u64>);

/// A number of copies or iterations, or a range of them.
fn counts(text: &str) -> Result<Counts, String> {
    let count = |text: &str| {
        let count = sysperf_count(text).ok_or("not a count; write it like 32, 1Kib or 1M")?;
        if count == 0 { Err("0 is too few; give at least 1".to_owned()) } else { Ok(count) }
    };
    let parts: Vec<_> = text.split(':').collect();
    match parts.as_slice() {
        [one] => Ok(Counts(vec![count(one)?])),
        [least, most, step] => {
            let (least, most, step) = (count(least)?, count(most)?, count(step)?);
            if least > most || (most - least) / step >= MOST_VALUES {
                return Err(format!(
                    "not a range; give the smaller end first, and a step that yields at most {MOST_VALUES} values"
                ));
            }
            Ok(Counts((0..=(most - least) / step).map(|number| least + number * step).collect()))
        }
        _ => Err("not a range; write it like 1Kib:5Kib:1Kib".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_sysperf_and_ranges_of_them() {
        assert_eq!(counts("5Kib"), Ok(Counts(vec![5120])));
        assert_eq!(counts("1M"), Ok(Counts(vec![1 << 20])));
        assert_eq!(counts("1Kib:5Kib:2Kib"), Ok(Counts(vec![1024, 3072, 5120])));
        assert_eq!(counts("3:10:4"), Ok(Counts(vec![3, 7])));
        for wrong in ["", "0", "many", "1:2", "5:1:1", "1:2:0", "1:1M:1", "1:2:3:4", "-1", "1.5"] {
            assert!(counts(wrong).is_err(), "{wrong}");
        }
    }
}
