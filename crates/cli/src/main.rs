//! The `hashlane` command: arguments, messages, exit codes; nothing else.

mod args;
mod bench;
mod cache;
mod calibration;
mod check;
mod device_profile;
mod expected;
mod extras;
mod generate;
mod inputs;
mod listed;
mod manifests;
mod output;
mod progress;
mod report;
mod screen;
mod signals;
mod status;
mod sum;
mod terminal;
mod text;
mod tune;
mod version;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Cli, Command};
use crate::screen::Screen;
use crate::status::{Ended, Status};

fn main() -> ExitCode {
    let status = match Cli::try_parse() {
        Ok(cli) => run(&cli.command),
        Err(error) => explain(&error),
    };
    status.into()
}

/// Shows help, a version, or what is wrong with the command line: that in the form of all other messages.
fn explain(error: &clap::Error) -> Status {
    let text = error.render().to_string();
    match text.strip_prefix("error: ") {
        Some(text) => Screen::plain().message(text.trim_end()),
        // Nothing can be done about a terminal that does not take the text either.
        None => drop(error.print()),
    }
    if error.use_stderr() { Status::USAGE } else { Status::OK }
}

fn run(command: &Command) -> Status {
    let result = match command {
        Command::Backends(args) => bench::backends(args),
        Command::Bench(args) => bench::run(args),
        Command::Check(args) => check::run(args),
        Command::Compare(args) => bench::compare(args),
        Command::Generate(args) => generate::run(args),
        Command::Report(args) => bench::report(args),
        Command::Sum(args) => sum::run(args),
        Command::Tune(args) => tune::run(args),
    };
    result.unwrap_or_else(|error| {
        Screen::plain().message(&format!("{error:#}"));
        error.downcast_ref::<Ended>().map_or(Status::INTERNAL, Ended::status)
    })
}
