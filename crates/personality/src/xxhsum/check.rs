//! `--check`.

use hashlane_record::system_text;
use std::borrow::Cow;
use std::io;

use super::line::CheckLine;
use super::{Settings, digest, listed, path};
use crate::outputs::Outputs;
use listed::{List, NumberedLine};

/// What came of the lines.
#[derive(Default)]
struct Tally {
    understood: u64,
    malformed: u64,
    failed: u64,
    mismatched: u64,
    matched: u64,
}

/// Verifies what a file lists; true if all is well.
pub(super) fn run(settings: &Settings, file: Option<&[u8]>, outputs: &mut Outputs) -> bool {
    let Some(mut list) = List::open(file, outputs) else { return false };
    let parse = |line: &[u8]| CheckLine::parse(line, settings.is_little_endian, settings.accepted);
    let mut tally = Tally::default();
    while let Some(entries) = list.batch(parse, outputs) {
        verify(settings, list.name, file.is_none(), entries, &mut tally, outputs);
        if outputs.broken().is_some() {
            return false;
        }
    }
    tally.close(settings, list.name, outputs) && list.is_whole
}

/// Reads the files of some lines and says what became of them, line by line.
fn verify(
    settings: &Settings,
    list: &[u8],
    is_stdin: bool,
    entries: Vec<NumberedLine<CheckLine>>,
    tally: &mut Tally,
    outputs: &mut Outputs,
) {
    // A list cannot name the input that it comes from itself.
    let is_itself = |listed: &CheckLine| is_stdin && listed.name == super::STDIN;
    let files = entries.iter().filter_map(|entry| entry.found.as_ref()).filter(|listed| !is_itself(listed));
    let named: Vec<_> = files.map(|listed| (input(&listed.name), listed.kind.algorithm())).collect();
    let named: Vec<_> = named.iter().map(|(name, algorithm)| (&**name, *algorithm)).collect();
    let mut digests = digest::all(&named).into_iter();
    for NumberedLine { number, found } in entries {
        let Some(listed) = found else {
            tally.malformed += 1;
            if settings.warn {
                let what = format!(":{number}: Error: Improperly formatted checksum line.\n");
                outputs.say(&[list, what.as_bytes()].concat());
            }
            continue;
        };
        tally.understood += 1;
        let digest = if is_itself(&listed) {
            Err("The list itself comes from standard input".to_owned())
        } else {
            match digests.next() {
                Some(Err(error)) if settings.ignore_missing && error.kind() == io::ErrorKind::NotFound => {
                    continue;
                }
                Some(digest) => digest.map_err(|error| system_text(&error)),
                None => Err("It was not read".to_owned()),
            }
        };
        let what = match digest {
            Err(error) => {
                tally.failed += 1;
                if !settings.status_only {
                    listed::could_not_read(list, number, &listed.name, &error, outputs);
                }
                continue;
            }
            Ok(digest) if digest == listed.digest => {
                tally.matched += 1;
                if settings.quiet {
                    continue;
                }
                b": OK\n".as_slice()
            }
            Ok(_) => {
                tally.mismatched += 1;
                b": FAILED\n"
            }
        };
        if !settings.status_only {
            let (escape, name) = settings.shown(&listed.name);
            outputs.print(&[escape, &name, what].concat());
        }
    }
}

/// What is read for a name.
fn input(name: &[u8]) -> Cow<'_, [u8]> {
    if name == super::STDIN { Cow::from(b"-".as_slice()) } else { path(name) }
}

impl Tally {
    /// The closing lines; true if all is well.
    fn close(&self, settings: &Settings, list: &[u8], outputs: &mut Outputs) -> bool {
        if self.understood == 0 {
            outputs.say(&[list, b": no properly formatted xxHash checksum lines found\n"].concat());
        } else if !settings.status_only {
            listed::count(self.malformed, "line is", "lines are", "improperly formatted", outputs);
            listed::count(self.failed, "listed file", "listed files", "could not be read", outputs);
            let (one, many) = ("computed checksum", "computed checksums");
            listed::count(self.mismatched, one, many, "did NOT match", outputs);
        }
        let is_in_vain = settings.ignore_missing && self.matched == 0;
        if is_in_vain {
            outputs.print(&[list, b": no file was verified\n"].concat());
        }
        self.understood > 0
            && self.mismatched == 0
            && self.failed == 0
            && !(settings.strict && self.malformed > 0)
            && !is_in_vain
    }
}
