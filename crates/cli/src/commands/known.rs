//! `hashlane known`: sets of known contents, indexed and asked.

mod build;
mod lookup;
mod matching;
mod set;

use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;

use hashlane_digest::{Algorithm, Security};
use hashlane_known::{Error, Index};
use hashlane_report::text;

use crate::args::{KnownArgs, KnownCommand};
use crate::manifests::shown;
use crate::output::{refused, shown as shown_path};
use crate::status::{Ended, Status, unreadable, unwritten, usage};

pub(crate) use matching::{Matching, Verdict};

pub(super) fn run(args: &KnownArgs) -> anyhow::Result<Status> {
    match &args.command {
        KnownCommand::Build(args) => build::run(args),
        KnownCommand::Info(args) => lookup::info(args),
        KnownCommand::Lookup(args) => lookup::run(args),
    }
}

/// Opens an index.
fn open_index(name: &OsStr) -> anyhow::Result<Index> {
    let file = File::open(name).map_err(|error| unreadable!("{}: {}", shown(name), text::system(&error)))?;
    Index::new(file).map_err(|error| failed(&shown(name), &error))
}

/// Why an index or a set cannot be used.
pub(crate) fn failed(shown: &str, error: &Error) -> anyhow::Error {
    let what = match error {
        Error::Io { what, source } => format!("{} ({what})", text::system(source)),
        error => error.to_string(),
    };
    match error {
        Error::NotAnIndex | Error::NotNsrl { .. } | Error::ManySets { .. } | Error::OtherVersion { .. } => {
            usage!("{shown}: {what}")
        }
        _ => unreadable!("{shown}: {what}"),
    }
}

/// Why an index could not be made: the file that it goes to, if it has a name, or the temporary files that digests are sorted in.
fn not_written(index: Option<&Path>, error: Error) -> anyhow::Error {
    let (what, source) = match (index, error) {
        (Some(index), Error::Written { source }) => return refused(index, &source),
        (None, Error::Written { source }) => ("writing an index into a temporary file", source),
        (_, Error::Io { what, source }) => (what, source),
        (_, error) => return Ended::output(error),
    };
    let (place, error) = (std::env::temp_dir(), text::system(&source));
    unwritten!("{}: {error} ({what}); set TMPDIR to another directory", shown_path(&place))
}

/// Whether different contents have the same digest by chance or by anybody's will, where nobody had to work for it.
fn is_checksum(algorithm: Algorithm) -> bool {
    algorithm.security() == Security::Checksum
}
