//! Reads files of known digests into the known set: hashdeep's own for `-k`, whatever list there is for `-m`
//! and `-x`.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hashlane_digest::Algorithm;
use hashlane_manifest::{Error, Format, LineProblem, ProblemKind, ReadOptions, Reader};

use super::known::{Known, TooMany};
use super::voice::Voice;
use crate::text;

/// Why nothing more is to be done than to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// The header names what is no algorithm.
    Columns,
    /// There are more records than fit.
    TooMany,
}

impl From<TooMany> for Unusable {
    fn from(_: TooMany) -> Self {
        Self::TooMany
    }
}

/// Reads a file of hashdeep's. Gives the algorithms that it has, in the order of its columns; `None` if it
/// was refused, which was said.
pub(super) fn hashdeep(
    known: &mut Known,
    path: &Path,
    voice: &Voice,
) -> Result<Option<Vec<Algorithm>>, Unusable> {
    let Some(input) = open(path, voice) else { return Ok(None) };
    let options = ReadOptions { format: Format::named("hashdeep"), ..ReadOptions::default() };
    let reader = match Reader::open(LinesOfRecords(input), &options) {
        Ok(reader) => reader,
        Err(Error::UnknownColumn { .. } | Error::DuplicateColumn { .. }) => {
            say(voice, path, "Badly formatted file");
            return Err(Unusable::Columns);
        }
        Err(Error::Input { source }) => {
            say(voice, path, &text::system(&source));
            return Ok(None);
        }
        Err(_) => {
            say(voice, path, "Unable to identify file format");
            return Ok(None);
        }
    };
    let algorithms = reader.algorithms().to_vec();
    let mut has_bad = false;
    for item in reader {
        match item {
            Ok(item) => known.add(item.path.as_bytes(), item.size.unwrap_or(0), &item.digests)?,
            Err(problem) => {
                say(voice, path, &bad_line(&problem));
                has_bad = true;
            }
        }
    }
    if has_bad {
        say(voice, path, "contains some bad hashes, using anyway");
    }
    Ok(Some(algorithms))
}

/// What is said of a line of a file of hashdeep's.
fn bad_line(problem: &LineProblem) -> String {
    match problem.kind {
        ProblemKind::DigestDigits { algorithm } | ProblemKind::DigestLength { algorithm, .. } => {
            format!("Invalid {algorithm} hash in line {}", problem.line)
        }
        _ => problem.to_string(),
    }
}

/// Reads a list with digests of one algorithm, of any format. `warns`: lines without one are named.
pub(super) fn list(
    known: &mut Known,
    path: &Path,
    algorithm: Algorithm,
    voice: &Voice,
    warns: bool,
) -> Result<(), Unusable> {
    let Some(input) = open(path, voice) else { return Ok(()) };
    let file_name = Some(path.as_os_str().as_bytes());
    let options = ReadOptions { algorithm: Some(algorithm), file_name, ..ReadOptions::default() };
    let reader = match Reader::open(input, &options) {
        Ok(reader) => reader,
        Err(Error::Input { source }) => {
            say(voice, path, &text::system(&source));
            return Ok(());
        }
        Err(_) => {
            say(voice, path, "Unable to find any hashes in file, skipped.");
            return Ok(());
        }
    };
    // The sets of EnCase have no names: the original gives them that of the file.
    let is_encase = reader.format().name() == "encase";
    let mut found = false;
    for item in reader {
        match item {
            Ok(item) if item.digests.is_empty() => {}
            Ok(item) => {
                let name = if is_encase { path.as_os_str().as_bytes() } else { item.path.as_bytes() };
                known.add(name, 0, &item.digests)?;
                found = true;
            }
            Err(problem) if warns => {
                let name = path.as_os_str().as_bytes();
                let text = format!(": No hash found in line {}", problem.line);
                voice.fatal([name, text.as_bytes()].concat());
            }
            Err(_) => {}
        }
    }
    if !found {
        say(voice, path, "Unable to find any hashes in file, skipped.");
    }
    Ok(())
}

fn open(path: &Path, voice: &Voice) -> Option<File> {
    File::open(path).inspect_err(|error| say(voice, path, &text::system(error))).ok()
}

fn say(voice: &Voice, path: &Path, text: &str) {
    voice.error([path.as_os_str().as_bytes(), b": ", text.as_bytes()].concat());
}

/// A file of hashdeep's whose records end with NUL (`-0`), as lines.
struct LinesOfRecords(File);

impl Read for LinesOfRecords {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        for byte in buffer[..count].iter_mut().filter(|byte| **byte == 0) {
            *byte = b'\n';
        }
        Ok(count)
    }
}
