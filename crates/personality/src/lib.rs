//! The command lines of older programs: those of coreutils, b3sum, xxhsum, hashdeep and md5deep.
//!
//! Owns the list of names, which module plays which, and all that is old: options, lines, messages and exit codes are those of
//! the originals. Files are read by `hashlane-engine`. Knows nothing of hashlane's own command line and exit codes, and writes
//! to nothing but the [`Host`] that it is given. What is different on purpose stands in `docs/old-command-lines.md`.

#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod b3sum;
mod coreutils;
mod deep;
mod digest;
mod getopt;
mod host;
mod lines;
mod outputs;
mod quote;
mod xxhsum;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

pub use host::{Destination, Host, Refusal};

/// The number of versions: that of hashlane.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A program that can be played.
#[derive(Clone, Copy, Debug)]
pub struct Personality {
    name: &'static str,
    run: fn(Call, Arc<dyn Host>) -> u8,
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
    /// All of them, in the order in which they are listed.
    pub fn all() -> impl Iterator<Item = Self> {
        ALL.iter().copied()
    }

    /// The one of a name.
    pub fn named(name: &OsStr) -> Option<Self> {
        Self::all().find(|personality| OsStr::new(personality.name) == name)
    }

    /// The name by which it is called: `sha256sum`.
    pub fn name(self) -> &'static str {
        self.name
    }
}

/// A program that a command line asks for, and how it was called.
#[derive(Clone, Debug)]
pub struct Call {
    personality: Personality,
    /// How it was called, as its messages say it: `/usr/local/bin/sha256sum`.
    called: OsString,
    /// What follows the name.
    arguments: Vec<OsString>,
    /// Whether old quirks are wanted back that a script may depend on.
    as_is: bool,
}

impl Call {
    /// The program that a command line asks for, by the name under which this one was called or by `as NAME`. `None` if it asks
    /// for none.
    pub fn of(command_line: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let mut words = command_line.into_iter();
        let called = words.next()?;
        if let Some(personality) = Path::new(&called).file_name().and_then(Personality::named) {
            return Some(Self { personality, called, arguments: words.collect(), as_is: false });
        }
        if words.next()? != "as" {
            return None;
        }
        let first = words.next()?;
        let as_is = first == "--as-is";
        let called = if as_is { words.next()? } else { first };
        let personality = Personality::named(&called)?;
        Some(Self { personality, called, arguments: words.collect(), as_is })
    }

    /// Plays it; gives the exit code of the original.
    pub fn play(self, host: Arc<dyn Host>) -> u8 {
        (self.personality.run)(self, host)
    }

    /// A message in its name, with the end of the line.
    pub fn message(&self, text: &str) -> Vec<u8> {
        [self.called.as_bytes(), b": ", text.as_bytes(), b"\n"].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &[&str]) -> Option<(&'static str, OsString, usize, bool)> {
        let call = Call::of(words.iter().map(OsString::from))?;
        Some((call.personality.name, call.called, call.arguments.len(), call.as_is))
    }

    #[test]
    fn a_program_is_asked_for_by_its_name_or_behind_as() {
        assert_eq!(asked(&["bin/b2sum", "as", "x"]), Some(("b2sum", "bin/b2sum".into(), 2, false)));
        assert_eq!(asked(&["hashlane", "as", "md5sum", "-c"]), Some(("md5sum", "md5sum".into(), 1, false)));
        assert_eq!(
            asked(&["hashlane", "as", "--as-is", "xxhsum"]),
            Some(("xxhsum", "xxhsum".into(), 0, true))
        );
        for none in [
            &["hashlane"][..],
            &["hashlane", "sum", "md5sum"],
            &["hashlane", "as"],
            &["hashlane", "as", "sum"],
        ] {
            assert_eq!(asked(none), None, "{none:?}");
        }
        assert_eq!(asked(&["hashlane", "as", "--as-is"]), None);
        assert_eq!(asked(&["hashlane", "as", "md5sum/"]), None);
    }

    #[test]
    fn each_program_is_found_by_its_name() {
        for personality in Personality::all() {
            let found = Personality::named(OsStr::new(personality.name())).map(Personality::name);
            assert_eq!(found, Some(personality.name()));
        }
        assert_eq!(Personality::all().count(), 19);
    }
}
