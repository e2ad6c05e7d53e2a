//! xxhsum 0.8 and its other names, which digest with xxHash.
//!
//! Recorded from the program itself, and held against it by the differential tests. Where its versions differ,
//! the newest one is played. Benchmarks are not: `hashlane bench` has its own.

mod check;
mod kind;
mod line;
mod listed;
mod options;

use hashlane_record::system_text;
use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;
use std::sync::Arc;

use super::digest::{self, BATCH};
use super::outputs::Outputs;
use super::{Call, Host};
use kind::XxhAlgorithm;

/// What standard input is called, in lines and in messages.
const STDIN: &[u8] = b"stdin";

/// What the command line asks for.
#[derive(Debug)]
struct Settings {
    kind: XxhAlgorithm,
    /// What a line of a list may hold.
    accepted: Option<XxhAlgorithm>,
    action: Action,
    tag: bool,
    is_little_endian: bool,
    strict: bool,
    status_only: bool,
    warn: bool,
    quiet: bool,
    ignore_missing: bool,
    /// Whether names and the lines of XXH3 are written as up to version 0.8.1.
    as_is: bool,
    /// None for standard input.
    files: Vec<OsString>,
}

/// What is done with files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// Print their digests.
    Sum,
    /// Verify what they list.
    Check,
    /// Print the digests of what they name.
    Listed,
}

pub(super) fn run(call: Call, host: Arc<dyn Host>) -> u8 {
    let mut outputs = Outputs::new(host);
    let code = match Settings::parse(&call, &mut outputs) {
        Ok(settings) => u8::from(!settings.run(&mut outputs)),
        Err(code) => code,
    };
    outputs.pour();
    if let Some(error) = outputs.broken() {
        let message = format!("Error: could not write to standard output: {}\n", system_text(error));
        outputs.say(message.as_bytes());
        return 1;
    }
    code
}

impl Settings {
    /// True if all went well.
    fn run(&self, outputs: &mut Outputs) -> bool {
        let files: Vec<_> = self.files.iter().map(|file| Some(file.as_bytes())).collect();
        let files = if files.is_empty() { vec![None] } else { files };
        let mut succeeded = true;
        match self.action {
            Action::Sum => {
                for files in files.chunks(BATCH) {
                    succeeded &= self.sum(files, outputs);
                }
            }
            Action::Check => files.iter().for_each(|file| succeeded &= check::run(self, *file, outputs)),
            Action::Listed => files.iter().for_each(|file| succeeded &= listed::run(self, *file, outputs)),
        }
        succeeded
    }

    /// Prints the lines of files, or of standard input.
    fn sum(&self, files: &[Option<&[u8]>], outputs: &mut Outputs) -> bool {
        let algorithm = self.kind.algorithm();
        let named: Vec<_> = files.iter().map(|file| file.map_or(Cow::from(b"-"), path)).collect();
        let named: Vec<_> = named.iter().map(|name| (&**name, algorithm)).collect();
        let mut succeeded = true;
        for (file, digest) in files.iter().zip(digest::all(&named)) {
            let name = file.unwrap_or(STDIN);
            match digest {
                Ok(digest) => self.print(name, digest, outputs),
                Err(error) => {
                    succeeded = false;
                    let system = system_text(&error);
                    let (before, after) = match file.map_or(Failure::Read, |name| Failure::of(name, &error)) {
                        Failure::Directory => (&b"xxhsum: "[..], ": Is a directory \n".to_owned()),
                        Failure::Open => (&b"Error: Could not open '"[..], format!("': {system}. \n")),
                        Failure::Read => (&b"Error: Could not read '"[..], format!("': {system}. \n")),
                    };
                    outputs.say(&[before, name, after.as_bytes()].concat());
                }
            }
        }
        succeeded
    }

    /// Prints the line of a file.
    fn print(&self, name: &[u8], mut digest: Vec<u8>, outputs: &mut Outputs) {
        if self.is_little_endian {
            digest.reverse();
        }
        let hex = data_encoding::HEXLOWER.encode(&digest);
        let (escape, name) = self.shown(name);
        let line = if self.tag {
            let order = if self.is_little_endian { "_LE" } else { "" };
            let tag = format!("{}{order} (", self.kind.tag());
            [escape, tag.as_bytes(), &name[..], b") = ", hex.as_bytes(), b"\n"].concat()
        } else {
            [escape, self.kind.prefix(), hex.as_bytes(), b"  ", &name[..], b"\n"].concat()
        };
        outputs.print(&line);
    }

    /// What stands at the beginning of a line with a name that takes several, and the name as it stands there.
    fn shown<'a>(&self, name: &'a [u8]) -> (&'static [u8], Cow<'a, [u8]>) {
        if self.as_is { (b"", name.into()) } else { line::shown(name) }
    }
}

/// Why a file has no digest.
enum Failure {
    Directory,
    Open,
    Read,
}

impl Failure {
    fn of(name: &[u8], error: &io::Error) -> Self {
        let name = Path::new(std::ffi::OsStr::from_bytes(name));
        let kind = fs::metadata(name).map(|facts| facts.file_type()).ok();
        if error.kind() == io::ErrorKind::IsADirectory || kind.is_some_and(|kind| kind.is_dir()) {
            Self::Directory
        } else if kind.is_some_and(|kind| kind.is_fifo()) || File::open(name).is_ok() {
            // A pipe would wait for somebody to open its other end.
            Self::Read
        } else {
            Self::Open
        }
    }
}

/// The path of a name that is a file's even if it looks like standard input.
fn path(name: &[u8]) -> Cow<'_, [u8]> {
    if name == b"-" { Cow::from(b"./-".as_slice()) } else { name.into() }
}
