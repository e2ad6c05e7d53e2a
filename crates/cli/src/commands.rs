//! What each command does with its arguments.

pub(crate) mod bag;
mod bench;
mod catalog;
mod check;
mod check_audit;
mod collection;
mod compare;
mod config;
mod convert;
mod diff;
mod events;
mod follow;
mod formats;
mod generate;
mod install_links;
mod known;
mod listed;
mod merge;
mod mhl;
pub(crate) mod personality;
mod steering;
mod sum;
mod tell;
mod tune;
mod update;

use crate::args::Command;
use crate::status::Status;

/// Runs a command.
///
/// # Errors
/// Why it was not begun, or not brought to its end.
pub(crate) fn run(command: &Command) -> anyhow::Result<Status> {
    match command {
        Command::Accept(args) => collection::decide::accept(args),
        Command::Acknowledge(args) => collection::decide::acknowledge(args),
        Command::As(args) => personality::run(args),
        Command::Audit(args) => match steering::run(args)? {
            Some(status) => Ok(status),
            None => collection::audit::run(args),
        },
        Command::Backends(args) => bench::backends(args),
        Command::Bag(args) => bag::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Catalog(args) => catalog::run(args),
        Command::Check(args) if args.audit => check_audit::run(args),
        Command::Check(args) => match mhl::history_of(args) {
            Some(directory) => mhl::verify(&directory, args.clone()),
            None => check::run(args),
        },
        Command::Collection(args) => collection::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Config(args) => config::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Events(args) => events::run(args),
        Command::Formats(args) => formats::run(args),
        Command::Generate(args) => generate::run(args),
        Command::History(args) => collection::history::run(args),
        Command::InstallLinks(args) => install_links::run(args),
        Command::Known(args) => known::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Mhl(args) => mhl::run(args),
        Command::Report(args) => bench::report(args),
        Command::Status(args) => {
            if args.follow {
                follow::until_none_runs(args)?;
            }
            collection::status::run(args)
        }
        Command::Sum(args) => match &args.update.update {
            Some(manifest) => update::run(args, manifest),
            None => sum::run(args),
        },
        Command::Tell(args) => tell::run(args),
        Command::Tune(args) => tune::run(args),
    }
}
