//! `hashlane as`: the programs that `hashlane-personality` plays, in this process.

use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use hashlane_io::StandardOutput;
use hashlane_personality::{Call, Destination, Host, Personality, Refusal};
use hashlane_report::text;

use crate::args::AsArgs;
use crate::output::{Output, Place};
use crate::status::{Ended, Status, usage};
use crate::terminal::screen::Screen;
use crate::terminal::signals::die_by_broken_pipe;

/// The standard descriptors of this process, and files that appear when they are complete.
#[derive(Debug)]
struct Process;

impl Host for Process {
    fn print(&self, bytes: &[u8]) -> io::Result<()> {
        StandardOutput.write_all(bytes)
    }

    fn say(&self, bytes: &[u8]) {
        // Nothing can be done about a standard error that does not take the text.
        let _ = io::stderr().lock().write_all(bytes);
    }

    fn is_closed(&self) -> bool {
        StandardOutput.is_closed()
    }

    fn end_by_broken_pipe(&self) -> ! {
        die_by_broken_pipe()
    }

    fn open(&self, file: Option<&Path>) -> Result<Box<dyn Destination>, Refusal> {
        Ok(Box::new(Output::open(file, &Screen::plain())?))
    }
}

impl Destination for Output {
    fn identities(&self) -> Vec<(u64, u64)> {
        self.identities()
    }

    fn finish(self: Box<Self>) -> Result<(), Refusal> {
        Ok((*self).finish()?)
    }
}

/// Plays a program.
pub(crate) fn play(call: &Call) -> ExitCode {
    call.clone().play(Arc::new(Process)).into()
}

/// Says in the name of a program why it cannot even begin.
pub(crate) fn cannot_start(call: &Call, why: &str) -> ExitCode {
    Process.say(&call.message(why));
    ExitCode::FAILURE
}

/// `hashlane as`, where that is not for another program.
pub(crate) fn run(args: &AsArgs) -> anyhow::Result<Status> {
    match &args.name {
        _ if args.list => {
            let names: String =
                Personality::all().map(|personality| format!("{}\n", personality.name())).collect();
            StandardOutput.write_all(names.as_bytes()).map_err(|error| Place::Stdout.failed(&error))?;
            Ok(Status::OK)
        }
        Some(name) => Err(unknown(name)),
        None => Err(Ended::usage("as: no program is named; --list shows them")),
    }
}

/// A name that is none of them.
pub(crate) fn unknown(name: &OsStr) -> anyhow::Error {
    let names: Vec<_> = Personality::all().map(Personality::name).collect();
    usage!("{}: not one of the programs: {}", text::name(name.as_bytes()), names.join(", "))
}
