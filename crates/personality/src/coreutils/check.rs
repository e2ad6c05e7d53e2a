//! `--check`.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::unix::ffi::OsStrExt as _;

use hashlane_io::StandardInput;

use super::line::{CheckLine, Lines, push_name};
use super::{BATCH, Settings, Terminal, digest, quote};
use crate::lines::{self, Line};

/// A line may be so long; a longer one lists nothing.
const MOST_BYTES: usize = 1 << 20;

/// A line of a checksum file, in its place.
enum ReadLine {
    Listed(CheckLine),
    /// Not understood.
    Other {
        number: u64,
    },
}

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
pub(super) fn run(settings: &Settings, file: &[u8], lines: &mut Lines, terminal: &mut Terminal) -> bool {
    let (mut input, name): (Box<dyn BufRead>, &[u8]) = match file {
        b"-" => (Box::new(BufReader::new(StandardInput)), b"standard input"),
        file => match File::open(std::ffi::OsStr::from_bytes(file)) {
            Ok(opened) => (Box::new(BufReader::with_capacity(1 << 16, opened)), file),
            Err(error) => {
                terminal.failed(file, &error);
                return false;
            }
        },
    };
    let shown = quote::name(name, terminal.utf8);
    let (mut tally, mut number) = (Tally::default(), 0);
    let mut is_whole = true;
    loop {
        let mut batch = Vec::new();
        let mut is_end = false;
        while batch.len() < BATCH {
            match next_line(&mut input) {
                Ok(Some(line)) => {
                    number += 1;
                    if line.is_empty() || line.starts_with(b"#") {
                        continue;
                    }
                    let listed = lines
                        .parse(&line, settings.kind)
                        .filter(|listed| file != b"-" || listed.name != b"-");
                    batch.push(listed.map_or(ReadLine::Other { number }, ReadLine::Listed));
                }
                Ok(None) => {
                    is_end = true;
                    break;
                }
                Err(_) => {
                    (is_end, is_whole) = (true, false);
                    break;
                }
            }
        }
        verify(settings, &shown, batch, &mut tally, terminal);
        if is_end {
            break;
        }
    }
    if !is_whole {
        terminal.say(&[&shown[..], b": read error"].concat());
        return false;
    }
    tally.close(settings, &shown, terminal)
}

/// The next line, without its end: a newline, and a carriage return before it. Of one that is too long nothing is understood.
fn next_line(input: &mut dyn BufRead) -> io::Result<Option<Vec<u8>>> {
    let Some(line) = lines::next(input, MOST_BYTES)? else { return Ok(None) };
    let Line::Whole(mut line) = line else {
        lines::skip(input)?;
        return Ok(Some(b"?".to_vec()));
    };
    if line.ends_with(b"\n") {
        line.pop();
        if line.ends_with(b"\r") {
            line.pop();
        }
    }
    Ok(Some(line))
}

/// Reads the files of some lines and says what became of them, line by line.
fn verify(
    settings: &Settings,
    shown: &[u8],
    batch: Vec<ReadLine>,
    tally: &mut Tally,
    terminal: &mut Terminal,
) {
    let listed = batch.iter().filter_map(|entry| match entry {
        ReadLine::Listed(listed) => Some((&listed.name[..], settings.kind.algorithm(listed.digest.len()))),
        ReadLine::Other { .. } => None,
    });
    let mut digests = digest::all(&listed.collect::<Vec<_>>()).into_iter();
    for entry in batch {
        let listed = match entry {
            ReadLine::Listed(listed) => listed,
            ReadLine::Other { number } => {
                tally.malformed += 1;
                if settings.warn {
                    let tag = settings.kind.tag;
                    let what = format!(": {number}: improperly formatted {tag} checksum line");
                    terminal.say(&[shown, what.as_bytes()].concat());
                }
                continue;
            }
        };
        tally.understood += 1;
        let Some(digest) = digests.next() else { continue };
        match digest {
            Err(error) if settings.ignore_missing && error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                terminal.failed(&listed.name, &error);
                tally.failed += 1;
                say(settings, &listed.name, b"FAILED open or read", terminal);
            }
            Ok(digest) if digest == listed.digest => {
                tally.matched += 1;
                if !settings.quiet {
                    say(settings, &listed.name, b"OK", terminal);
                }
            }
            Ok(_) => {
                tally.mismatched += 1;
                say(settings, &listed.name, b"FAILED", terminal);
            }
        }
    }
}

/// Says what became of a file. A name is escaped where it would take several lines.
fn say(settings: &Settings, name: &[u8], what: &[u8], terminal: &mut Terminal) {
    if settings.status_only {
        return;
    }
    let escapes = name.contains(&b'\n');
    let mut text = if escapes { b"\\".to_vec() } else { Vec::new() };
    push_name(&mut text, name, escapes);
    text.extend(b": ");
    text.extend(what);
    text.push(b'\n');
    terminal.print(&text);
}

impl Tally {
    /// The closing lines; true if all is well.
    fn close(&self, settings: &Settings, shown: &[u8], terminal: &mut Terminal) -> bool {
        if self.understood == 0 {
            terminal.say(&[shown, b": no properly formatted checksum lines found"].concat());
            return false;
        }
        if !settings.status_only {
            let counts = [
                (self.malformed, "line is improperly formatted", "lines are improperly formatted"),
                (self.failed, "listed file could not be read", "listed files could not be read"),
                (self.mismatched, "computed checksum did NOT match", "computed checksums did NOT match"),
            ];
            for (count, one, many) in counts.into_iter().filter(|(count, ..)| *count > 0) {
                let what = if count == 1 { one } else { many };
                terminal.say(format!("WARNING: {count} {what}").as_bytes());
            }
            if settings.ignore_missing && self.matched == 0 {
                terminal.say(&[shown, b": no file was verified"].concat());
            }
        }
        self.matched > 0
            && self.mismatched == 0
            && self.failed == 0
            && (!settings.strict || self.malformed == 0)
    }
}
