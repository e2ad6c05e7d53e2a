//! The one definition of the command line: help, man pages and completions all come from it.

macro_rules! exit_codes {
    () => {
        "\
Exit codes (1 to 16 add up; the others stand alone):
  0  success                1  extra files           2  missing files
  4  digest mismatch        8  corrupt: other content, and nothing says that it was written
 16  unreadable, unstable or I/O error               64  usage error
 70  internal error        74  output cannot be written"
    };
}

mod audit;
mod backends;
mod bag;
mod bench;
mod catalog;
mod check;
mod collection;
mod compare;
mod convert;
mod device;
mod diff;
mod events;
mod filter;
mod generate;
mod io;
mod known;
mod local;
mod machine;
mod merge;
mod mhl;
#[cfg(test)]
mod options;
mod parsers;
mod personality;
mod pipeline;
mod reading;
mod steering;
mod store;
mod study;
mod sum;
mod tell;
mod tune;
mod update;

use clap::{Parser, Subcommand};

pub(crate) use audit::{AcceptArgs, AcknowledgeArgs, AuditArgs, ChosenArgs, HistoryArgs, StatusArgs};
pub(crate) use backends::{BackendChoiceArgs, BackendsArgs};
pub(crate) use bag::{BagArgs, BagCommand, BagCreateArgs, BagValidateArgs, ExistingData};
pub(crate) use bench::{BenchArgs, ReportArgs, ResultArgs, RunFormat, RunNameArgs};
pub(crate) use catalog::*;
pub(crate) use check::{CheckArgs, ReportFormat};
pub(crate) use collection::*;
pub(crate) use compare::{CompareArgs, ComparisonFormat};
pub(crate) use convert::{ConvertArgs, FormatsArgs, ListFormat};
pub(crate) use device::DeviceArgs;
pub(crate) use diff::{DiffArgs, DiffFormat};
pub(crate) use events::EventsArgs;
pub(crate) use filter::{FileType, FilterArgs};
pub(crate) use generate::{GenerateArgs, Generated};
pub(crate) use io::IoArgs;
pub(crate) use known::*;
pub(crate) use local::refuse_objects;
pub(crate) use machine::{MachineArgs, Mode, SinkName};
pub(crate) use merge::MergeArgs;
pub(crate) use mhl::{MhlArgs, MhlCommand, MhlCreateArgs, MhlInfoArgs};
pub(crate) use parsers::given;
pub(crate) use personality::{AsArgs, InstallLinksArgs};
pub(crate) use pipeline::{CacheStates, PipelineArgs};
pub(crate) use reading::{EngineName, ProgressMode, ReadingArgs, WalkArgs};
pub(crate) use steering::limit;
pub(crate) use store::{PatienceArgs, RequestArgs, StoreArgs};
pub(crate) use study::{Forms, SpeedArgs, StudyArgs, StudyCommand, VariantArgs};
pub(crate) use sum::{NamesFrom, SumArgs, WriteFormat};
pub(crate) use tell::{ConfigArgs, ConfigCommand, TellArgs, TellCommand, TellListArgs, TellTestArgs};
pub(crate) use tune::TuneArgs;
pub(crate) use update::{Trust, UpdateArgs};

use parsers::{algorithm, format, named_file, output_file};

use crate::version;

/// Measures how fast this machine reads and digests, and fingerprints and checks files at that speed.
#[derive(Debug, Parser)]
#[command(
    name = "hashlane",
    version = version::short(),
    long_version = version::long(),
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true,
    max_term_width = 110,
    after_help = "\
Examples:
  hashlane bench                           how fast is this machine, and what limits it?
  hashlane sum photos                      digests of all files below photos
  hashlane sum -o SHA256SUMS photos        into a file
  hashlane check SHA256SUMS                are the files unchanged?
  hashlane check --complete SHA256SUMS     and are there no unlisted files?
  hashlane collection add photos photos    remember photos, and then, again and again:
  hashlane audit                           what is missing, changed or corrupt?

Exit codes (1 to 32 add up; the others stand alone):
  0  success                1  extra files           2  missing files
  4  digest mismatch        8  corrupt: other content, and nothing says that it was written
 16  unreadable, unstable or I/O error               32  late: a promise is not kept
 64  usage error           70  internal error        74  output or catalogue cannot be used
 75  audits: held, offline, paused, stopped, or not started; nothing was judged"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Bench(BenchArgs),
    Report(ReportArgs),
    Compare(CompareArgs),
    Sum(SumArgs),
    Check(CheckArgs),
    Diff(DiffArgs),
    Convert(ConvertArgs),
    Merge(MergeArgs),
    Formats(FormatsArgs),
    Collection(CollectionArgs),
    Audit(Box<AuditArgs>),
    Status(StatusArgs),
    History(HistoryArgs),
    Events(EventsArgs),
    Accept(AcceptArgs),
    Acknowledge(AcknowledgeArgs),
    Catalog(CatalogCommandArgs),
    Tell(TellArgs),
    Config(ConfigArgs),
    Known(KnownArgs),
    Bag(BagArgs),
    Mhl(MhlArgs),
    Backends(BackendsArgs),
    Tune(TuneArgs),
    As(AsArgs),
    InstallLinks(InstallLinksArgs),
    Generate(GenerateArgs),
}

impl Cli {
    /// The definition with all that its help says, for help and for what is generated.
    pub(crate) fn definition() -> clap::Command {
        with_names(<Self as clap::CommandFactory>::command())
    }
}

/// Writes the names of all values, which are hidden at the end of a help, where that has a place for them.
fn with_names(command: clap::Command) -> clap::Command {
    let of_values = |arg: clap::Arg| match arg.get_long_help().map(ToString::to_string) {
        Some(help) if help.contains("{names}") => {
            let values = arg.get_possible_values();
            let names: Vec<_> = values.iter().map(|value| value.get_name()).collect();
            arg.long_help(help.replace("{names}", &names.join(", ")))
        }
        _ => arg,
    };
    command.mut_args(of_values).mut_subcommands(with_names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::definition().debug_assert();
    }

    #[test]
    fn what_is_hidden_among_the_values_is_named_in_the_text() {
        fn ask(command: &clap::Command) {
            for argument in command.get_arguments().filter(|argument| argument.is_hide_possible_values_set())
            {
                let text = argument.get_long_help().map(ToString::to_string).unwrap_or_default();
                let names: Vec<_> = text.split([' ', ',', '.', '\n']).collect();
                for value in argument.get_possible_values() {
                    let name = value.get_name();
                    assert!(names.contains(&name), "{} {}: {name}", command.get_name(), argument.get_id());
                }
            }
            command.get_subcommands().for_each(ask);
        }
        Cli::definition().get_subcommands().for_each(ask);
    }

    #[test]
    fn every_argument_says_what_it_does() {
        fn ask(command: &clap::Command) {
            for argument in command.get_arguments().filter(|argument| argument.get_id() != "help") {
                assert!(argument.get_help().is_some(), "{} {}", command.get_name(), argument.get_id());
            }
            command.get_subcommands().for_each(ask);
        }
        Cli::definition().get_subcommands().for_each(ask);
    }
}
