//! The `hashlane` command: arguments, messages, exit codes; nothing else.

mod args;
mod backups;
mod cache;
mod calibration;
mod commands;
mod configuration;
mod filters;
mod hints;
mod how;
mod inputs;
mod manifests;
mod new_list;
mod not_begun;
mod output;
mod partial;
mod session;
mod status;
mod telling;
mod terminal;
mod version;

use std::ffi::OsStr;
use std::process::ExitCode;
use std::thread;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _};
use hashlane_io::{Allocator, StandardOutput};
use hashlane_personality::Call;
use hashlane_report::text;

use crate::args::{Cli, Command, refuse_objects};
use crate::status::{Ended, Status, told};
use crate::terminal::screen::Screen;
use crate::terminal::signals::die_by_broken_pipe;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator::new(
    "hashlane: out of memory: the process, its cgroup or the machine has none left; raise the limit (ulimit -v, memory.max) or lower --jobs\n",
    70,
);

/// The same of what has no jobs.
const NO_MEMORY_TO_MEASURE: &str = "hashlane: out of memory: the process, its cgroup or the machine has none left; raise the limit (ulimit -v, memory.max) or measure less at a time\n";

/// The least address space that is left to a program that does anything.
const LEAST_BYTES: u64 = 16 << 20;

/// The stack of the main thread, where that of the process is smaller.
const STACK_BYTES: usize = 4 << 20;

fn main() -> ExitCode {
    let asked = Call::of(std::env::args_os());
    if let Some(asked) = &asked {
        ALLOCATOR.say_instead(asked.message("memory exhausted"), 1);
    }
    let left = hashlane_io::keep_to_limits();
    if left.is_some_and(|left| left < LEAST_BYTES) {
        let what = "too little address space to start; raise the limit (ulimit -v)";
        return cannot_start(asked.as_ref(), what);
    }
    if let Err(error) = hashlane_io::keep_closed() {
        let what = format!("cannot keep closed descriptors closed: {}", text::system(&error));
        return cannot_start(asked.as_ref(), &what);
    }
    if !hashlane_io::has_small_stack() {
        return play(asked.as_ref());
    }
    let played = thread::scope(|scope| {
        let started = thread::Builder::new()
            .name("main".into())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || play(asked.as_ref()));
        started.map(thread::ScopedJoinHandle::join)
    });
    match played {
        // One that panicked has said so.
        Ok(ended) => ended.unwrap_or_else(|_| Status::INTERNAL.into()),
        Err(error) => {
            let what = format!(
                "cannot start a thread: {}; the stack of the process is too small to run without one (ulimit -s)",
                text::system(&error)
            );
            cannot_start(asked.as_ref(), &what)
        }
    }
}

/// Ends a process that cannot begin: in the words of the program that is played, if one is, and with the code of its errors.
fn cannot_start(asked: Option<&Call>, what: &str) -> ExitCode {
    match asked {
        Some(call) => commands::personality::cannot_start(call, what),
        None => {
            Screen::plain().message(what);
            Status::INTERNAL.into()
        }
    }
}

/// Does what the command line says.
fn play(asked: Option<&Call>) -> ExitCode {
    if let Some(call) = asked {
        return commands::personality::play(call);
    }
    let status = match parse() {
        Ok(cli) => {
            if matches!(cli.command, Command::Bench(_) | Command::Tune(_)) {
                ALLOCATOR.say_instead(NO_MEMORY_TO_MEASURE.as_bytes(), 70);
            }
            run(&cli.command)
        }
        Err(error) => explain(&error),
    };
    status.into()
}

fn parse() -> Result<Cli, clap::Error> {
    let matches = without_variables(Cli::command(), |value| value.is_empty()).try_get_matches();
    // Where a variable is there, usage lines have its option as if it were needed.
    let plain = || without_variables(Cli::command(), |_| true).try_get_matches();
    // Help names variables, and all values: what puts those in takes time that no other run has to spend.
    let help = || without_variables(Cli::definition(), |value| value.is_empty()).try_get_matches();
    let matches = matches.map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp => help().err().unwrap_or(error),
        _ if error.use_stderr() => plain().err().unwrap_or(error),
        _ => error,
    })?;
    refuse_objects(&Cli::command(), &matches)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut Cli::command()))
}

/// Passes over variables that are there and whose value is `left_out`. One that is empty always is: that is how a script unsets it
/// for a single command.
fn without_variables(command: clap::Command, left_out: fn(&OsStr) -> bool) -> clap::Command {
    let is_left_out =
        |arg: &clap::Arg| arg.get_env().and_then(std::env::var_os).is_some_and(|value| left_out(&value));
    let names: Vec<_> =
        command.get_arguments().filter(|arg| is_left_out(arg)).map(|arg| arg.get_id().clone()).collect();
    let command = names
        .into_iter()
        .fold(command, |command, id| command.mut_arg(id, |arg| arg.env(None::<&'static str>)));
    command.mut_subcommands(|command| without_variables(command, left_out))
}

/// Shows help, a version, or what is wrong with the command line: that in the form of all other messages.
fn explain(error: &clap::Error) -> Status {
    let text = error.render().to_string();
    match text.strip_prefix("error: ") {
        Some(text) => Screen::plain().message(text.trim_end()),
        // Nothing can be done about a standard error that does not take the text.
        None if error.use_stderr() => drop(error.print()),
        None => {
            // What it prints by would take a closed output for one that has taken all.
            if let Err(failed) = StandardOutput.check().and_then(|()| error.print()) {
                return fail(&output::Place::Stdout.failed(&failed));
            }
        }
    }
    if error.use_stderr() { Status::USAGE } else { Status::OK }
}

/// Runs a command, and says why it ended where it failed.
fn run(command: &Command) -> Status {
    commands::run(command).unwrap_or_else(|error| fail(&error))
}

/// Says why a command failed. Nobody reads at the end of a broken pipe.
fn fail(error: &anyhow::Error) -> Status {
    if Ended::of(error.as_ref()).is_some_and(Ended::is_broken_pipe) {
        die_by_broken_pipe();
    }
    let (text, status) = told(error);
    Screen::plain().message(&text);
    status
}
