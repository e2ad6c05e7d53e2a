//! The command lines of older programs: `hashlane as sha256sum ...`, or this program under the name `sha256sum`.
//!
//! Owns the list of names and which module plays which. Nothing of a personality goes through the definition of our own command
//! line: its arguments, messages and exit codes are those of its original, and it starts as fast. What is different on purpose
//! stands in `docs/old-command-lines.md`.

mod coreutils;
mod getopt;
mod install;
mod quote;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::ExitCode;

pub(crate) use install::run as install_links;

/// A program that can be played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Personality {
    /// The name by which it is called.
    pub(crate) name: &'static str,
    run: fn(&Call<'_>) -> ExitCode,
}

/// How a personality was called.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    /// The personality's own name: `sha256sum`.
    pub(crate) name: &'static str,
    /// How it was called, as its messages say it: `/usr/local/bin/sha256sum`.
    pub(crate) program: &'a OsStr,
    /// What follows the name.
    pub(crate) arguments: &'a [OsString],
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
];

impl Personality {
    /// All of them.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        ALL.iter().copied()
    }

    /// The one of a name.
    fn named(name: &OsStr) -> Option<Self> {
        Self::all().find(|personality| OsStr::new(personality.name) == name)
    }
}

/// Plays the program that a command line asks for, by the name under which this one was called or by `as NAME`. `None` if it asks
/// for none: then the command line is our own.
pub(crate) fn play(arguments: &[OsString]) -> Option<ExitCode> {
    let (program, rest) = arguments.split_first()?;
    let called = Path::new(program).file_name().and_then(Personality::named);
    let (personality, program, arguments) = match (called, rest) {
        (Some(personality), _) => (personality, program.as_os_str(), rest),
        (None, [command, name, rest @ ..]) if command == "as" => {
            (Personality::named(name)?, name.as_os_str(), rest)
        }
        _ => return None,
    };
    Some((personality.run)(&Call { name: personality.name, program, arguments }))
}

/// `hashlane as` without a name that is known: the definition of our command line has said the rest.
pub(crate) fn unknown(name: &OsStr) -> anyhow::Error {
    let names: Vec<_> = Personality::all().map(|personality| personality.name).collect();
    crate::status::Ended::usage(format!(
        "{}: not a program that can be played; these can: {}",
        crate::text::name(name.as_bytes()),
        names.join(", ")
    ))
}
