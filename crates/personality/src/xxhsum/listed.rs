//! Lists and their lines, and `--files-from`.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::unix::ffi::OsStrExt as _;

use hashlane_io::StandardInput;
use hashlane_record::system_text;

use super::{BATCH, Failure, STDIN, Settings, digest, line, path};
use crate::lines::{self, Line};
use crate::outputs::Outputs;

/// A longer line ends a list.
const MOST_BYTES: usize = (32 << 10) - 2;

/// A list that is being read.
pub(super) struct List<'a> {
    input: Box<dyn BufRead>,
    /// What it is called in messages.
    pub(super) name: &'a [u8],
    number: u64,
    is_over: bool,
    /// Whether it could be read to its end.
    pub(super) is_whole: bool,
}

/// A line of a list, in its place.
pub(super) struct NumberedLine<T> {
    pub(super) number: u64,
    /// None if it was not understood.
    pub(super) found: Option<T>,
}

impl<'a> List<'a> {
    /// Opens a file, or standard input. If that fails, it is said.
    pub(super) fn open(file: Option<&'a [u8]>, outputs: &mut Outputs) -> Option<Self> {
        let input: Box<dyn BufRead> = match file {
            None => Box::new(BufReader::new(StandardInput)),
            Some(name) => match File::open(std::ffi::OsStr::from_bytes(name)) {
                Ok(file) => Box::new(BufReader::with_capacity(1 << 16, file)),
                Err(error) => {
                    let system = system_text(&error);
                    let what = [b"Error: Could not open '", name, b"': ", system.as_bytes(), b"\n"].concat();
                    outputs.say(&what);
                    return None;
                }
            },
        };
        let name = file.unwrap_or(STDIN);
        Some(Self { input, name, number: 0, is_over: false, is_whole: true })
    }

    /// The next lines, comments left out; none at the end.
    pub(super) fn batch<T>(
        &mut self,
        parse: impl Fn(&[u8]) -> Option<T>,
        outputs: &mut Outputs,
    ) -> Option<Vec<NumberedLine<T>>> {
        if self.is_over {
            return None;
        }
        let mut entries = Vec::new();
        while entries.len() < BATCH {
            self.number += 1;
            let line = match lines::next(&mut self.input, MOST_BYTES) {
                Ok(Some(Line::Whole(line))) => line,
                Ok(None) => {
                    self.is_over = true;
                    break;
                }
                Ok(Some(Line::TooLong)) => {
                    self.fails("Line too long", outputs);
                    break;
                }
                // The original takes a directory for an empty list.
                Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
                    self.is_over = true;
                    break;
                }
                Err(error) => {
                    self.fails(&system_text(&error), outputs);
                    break;
                }
            };
            let line = line.strip_suffix(b"\n").unwrap_or(&line);
            if !line.starts_with(b"#") {
                entries.push(NumberedLine { number: self.number, found: parse(line) });
            }
        }
        Some(entries)
    }

    fn fails(&mut self, why: &str, outputs: &mut Outputs) {
        (self.is_over, self.is_whole) = (true, false);
        let what = format!(":{}: Error: {why}.\n", self.number);
        outputs.say(&[self.name, what.as_bytes()].concat());
    }
}

/// Prints the digests of the files that a file names; true if all went well.
pub(super) fn run(settings: &Settings, file: Option<&[u8]>, outputs: &mut Outputs) -> bool {
    let Some(mut list) = List::open(file, outputs) else { return false };
    let (mut understood, mut malformed, mut failed) = (0, 0, 0);
    while let Some(entries) = list.batch(line::name, outputs) {
        let named: Vec<_> = entries.iter().filter_map(|entry| entry.found.as_deref()).map(path).collect();
        let named: Vec<_> = named.iter().map(|name| (&**name, settings.kind.algorithm())).collect();
        let mut digests = digest::all(&named).into_iter();
        for NumberedLine { number, found } in entries {
            let Some(name) = found else {
                malformed += 1;
                if settings.warn {
                    let what = format!(":{number}: Error: Improperly formatted line.\n");
                    outputs.say(&[list.name, what.as_bytes()].concat());
                }
                continue;
            };
            understood += 1;
            match digests.next() {
                Some(Ok(digest)) => settings.print(&name, digest, outputs),
                Some(Err(error)) if settings.ignore_missing && error.kind() == io::ErrorKind::NotFound => {}
                Some(Err(error)) => {
                    failed += 1;
                    if settings.status_only {
                        continue;
                    }
                    if matches!(Failure::of(&name, &error), Failure::Directory) {
                        let what = format!(":{number}: Target is a directory '");
                        outputs.print(&[list.name, what.as_bytes(), &name, b"'.\n"].concat());
                    } else {
                        could_not_read(list.name, number, &name, &system_text(&error), outputs);
                    }
                }
                None => failed += 1,
            }
        }
        if outputs.broken().is_some() {
            return false;
        }
    }
    if understood == 0 {
        outputs.say(&[list.name, b": no properly formatted filename lines found\n"].concat());
    }
    count(malformed, "line is", "lines are", "improperly formatted", outputs);
    count(failed, "listed file", "listed files", "could not be read", outputs);
    understood > 0 && failed == 0 && malformed == 0 && list.is_whole
}

/// Says that a listed file could not be read.
pub(super) fn could_not_read(list: &[u8], number: u64, name: &[u8], why: &str, outputs: &mut Outputs) {
    let (before, after) = (format!(":{number}: Could not open or read '"), format!("': {why}.\n"));
    outputs.print(&[list, before.as_bytes(), name, after.as_bytes()].concat());
}

/// Says how many there were, if there were any.
pub(super) fn count(count: u64, one: &str, many: &str, what: &str, outputs: &mut Outputs) {
    if count > 0 {
        let which = if count == 1 { one } else { many };
        outputs.print(format!("{count} {which} {what}\n").as_bytes());
    }
}
