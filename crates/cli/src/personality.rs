//! The command lines of older programs: `hashlane as sha256sum ...`, or this program under the name `sha256sum`.
//!
//! Owns the list of names and which module plays which. Nothing of a personality goes through the definition of our own command
//! line: its arguments, messages and exit codes are those of its original, and it starts as fast. What is different on purpose
//! stands in `docs/old-command-lines.md`.

mod b3sum;
mod coreutils;
mod deep;
mod digest;
mod getopt;
mod install;
mod lines;
mod outputs;
mod quote;
mod xxhsum;

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::ExitCode;

use hashlane_io::StandardOutput;

use crate::args::AsArgs;
use crate::output::Place;
use crate::status::{Ended, Status};
use crate::text;

pub(crate) use install::run as install_links;

/// A program that can be played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Personality {
    /// The name by which it is called.
    pub(crate) name: &'static str,
    run: fn(Call) -> ExitCode,
}

/// How a personality was called.
#[derive(Debug)]
pub(crate) struct Call {
    /// The personality's own name: `sha256sum`.
    pub(crate) program: &'static str,
    /// How it was called, as its messages say it: `/usr/local/bin/sha256sum`.
    pub(crate) called: OsString,
    /// What follows the name.
    pub(crate) arguments: Vec<OsString>,
    /// Whether old quirks are wanted back that a script may depend on.
    pub(crate) as_is: bool,
}

/// All that can be played, in the order in which they are listed.
const ALL: &[Personality] = &[
    Personality { name: "md5sum", run: coreutils::run },
    Personality { name: "sha1sum", run: coreutils::run },
    Personality { name: "sha224sum", run: coreutils::run },
    Personality { name: "sha256sum", run: coreutils::run },
    Personality { name: "sha384sum", run: coreutils::run },
    Personality { name: "sha512sum", run: coreutils::run },
    Personality { name: "b2sum", run: coreutils::run },
    Personality { name: "b3sum", run: b3sum::run },
    Personality { name: "xxhsum", run: xxhsum::run },
    Personality { name: "xxh32sum", run: xxhsum::run },
    Personality { name: "xxh64sum", run: xxhsum::run },
    Personality { name: "xxh128sum", run: xxhsum::run },
    Personality { name: "xxh3sum", run: xxhsum::run },
    Personality { name: "hashdeep", run: deep::run },
    Personality { name: "md5deep", run: deep::run },
    Personality { name: "sha1deep", run: deep::run },
    Personality { name: "sha256deep", run: deep::run },
    Personality { name: "tigerdeep", run: deep::run },
    Personality { name: "whirlpooldeep", run: deep::run },
];

impl Personality {
    /// All of them.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        ALL.iter().copied()
    }

    fn play(self, called: OsString, arguments: Vec<OsString>, as_is: bool) -> ExitCode {
        (self.run)(Call { program: self.name, called, arguments, as_is })
    }

    /// The one of a name.
    fn named(name: &OsStr) -> Option<Self> {
        Self::all().find(|personality| OsStr::new(personality.name) == name)
    }
}

/// A program that a command line asks for.
#[derive(Debug)]
pub(crate) struct Asked {
    personality: Personality,
    called: OsString,
    arguments: Vec<OsString>,
    as_is: bool,
}

impl Asked {
    /// The one that the command line of this process asks for, by the name under which it was called or by `as NAME`. `None` if
    /// it asks for none: then the command line is our own.
    pub(crate) fn by_command_line() -> Option<Self> {
        let mut arguments = std::env::args_os();
        let called = arguments.next()?;
        if let Some(personality) = Path::new(&called).file_name().and_then(Personality::named) {
            return Some(Self { personality, called, arguments: arguments.collect(), as_is: false });
        }
        if arguments.next()? != "as" {
            return None;
        }
        let mut words: Vec<_> = arguments.collect();
        let as_is = words.first().is_some_and(|word| word == "--as-is");
        if as_is {
            words.remove(0);
        }
        let name = words.first()?.clone();
        let personality = Personality::named(&name)?;
        words.remove(0);
        Some(Self { personality, called: name, arguments: words, as_is })
    }

    /// Plays it.
    pub(crate) fn play(&self) -> ExitCode {
        self.personality.play(self.called.clone(), self.arguments.clone(), self.as_is)
    }

    /// A message in its name, with the end of the line.
    pub(crate) fn message(&self, text: &str) -> Vec<u8> {
        [self.called.as_bytes(), b": ", text.as_bytes(), b"\n"].concat()
    }
}

/// `hashlane as`, where that is not for another program.
pub(crate) fn run(args: &AsArgs) -> anyhow::Result<Status> {
    match &args.name {
        _ if args.list => {
            let names: String =
                Personality::all().map(|personality| format!("{}\n", personality.name)).collect();
            StandardOutput.write_all(names.as_bytes()).map_err(|error| Place::Stdout.failed(&error))?;
            Ok(Status::OK)
        }
        Some(name) => Err(unknown(name)),
        None => Err(Ended::usage("as: which program is to be played? --list shows them")),
    }
}

/// A name that is none of them.
fn unknown(name: &OsStr) -> anyhow::Error {
    let names: Vec<_> = Personality::all().map(|personality| personality.name).collect();
    Ended::usage(format!(
        "{}: not a program that can be played; these can: {}",
        text::name(name.as_bytes()),
        names.join(", ")
    ))
}
