//! `--check`.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

use hashlane_io::StandardInput;

use super::line::CheckLine;
use super::{Ends, Settings};
use crate::digest::BATCH;
use crate::lines::{self, Line};
use crate::outputs::Outputs;

/// A line may be so long; a longer one lists nothing.
const MOST_BYTES: usize = 1 << 20;

/// Verifies what the lists name; true if all is well. A list that cannot be read ends the program.
pub(super) fn run(settings: &Settings, outputs: &mut Outputs) -> Result<bool, Ends> {
    let mut failed = 0_u64;
    for file in &settings.args.file {
        let is_stdin = file.as_os_str() == "-";
        let mut input: Box<dyn BufRead> = if is_stdin {
            Box::new(BufReader::new(StandardInput))
        } else {
            Box::new(BufReader::with_capacity(1 << 16, File::open(file)?))
        };
        loop {
            let (batch, end) = batch(&mut input);
            failed += verify(settings, batch, is_stdin, outputs);
            match end {
                Some(Ok(())) => break,
                Some(Err(error)) => return Err(error.into()),
                None if outputs.broken().is_some() => return Ok(false),
                None => {}
            }
        }
    }
    if failed > 0 {
        let plural = if failed == 1 { "" } else { "s" };
        let warning = format!("b3sum: WARNING: {failed} computed checksum{plural} did NOT match\n");
        outputs.say(warning.as_bytes());
    }
    Ok(failed == 0)
}

type ParsedLine = Result<CheckLine, &'static str>;

/// Some lines of a list, and how it ended if it did.
fn batch(input: &mut dyn BufRead) -> (Vec<ParsedLine>, Option<io::Result<()>>) {
    let mut entries = Vec::new();
    while entries.len() < BATCH {
        entries.push(match lines::next(input, MOST_BYTES) {
            Ok(Some(Line::Whole(line))) => match std::str::from_utf8(&line) {
                Ok(line) => CheckLine::parse(line),
                Err(_) => {
                    let error =
                        io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8");
                    return (entries, Some(Err(error)));
                }
            },
            Ok(Some(Line::TooLong)) => match lines::skip(input) {
                Ok(()) => Err("Invalid check line format"),
                Err(error) => return (entries, Some(Err(error))),
            },
            Ok(None) => return (entries, Some(Ok(()))),
            Err(error) => return (entries, Some(Err(error))),
        });
    }
    (entries, None)
}

/// Reads the files of some lines and says what became of them, line by line; gives how many failed.
fn verify(settings: &Settings, entries: Vec<ParsedLine>, is_stdin: bool, outputs: &mut Outputs) -> u64 {
    // A list cannot name the input that it comes from itself.
    let is_itself = |listed: &CheckLine| is_stdin && listed.name == "-";
    let files = entries.iter().flatten().filter(|listed| !is_itself(listed));
    let names: Vec<_> = files.map(|listed| listed.name.as_bytes()).collect();
    let mut digests = settings.outputs(&names, blake3::OUT_LEN as u64).into_iter();
    let mut failed = 0;
    for entry in entries {
        let listed = match entry {
            Ok(listed) => listed,
            Err(wrong) => {
                failed += 1;
                outputs.say(format!("b3sum: {wrong}\n").as_bytes());
                continue;
            }
        };
        let found = if is_itself(&listed) {
            Err(io::Error::other("the list itself comes from standard input"))
        } else {
            digests.next().unwrap_or_else(|| Err(io::Error::other("it was not read")))
        };
        let shown = &listed.shown;
        let said = match found.map(|output| output.into_bytes() == listed.digest) {
            Ok(true) if settings.args.quiet => continue,
            Ok(true) => format!("{shown}: OK\n"),
            Ok(false) => {
                failed += 1;
                format!("{shown}: FAILED\n")
            }
            Err(error) => {
                failed += 1;
                format!("{shown}: FAILED ({error})\n")
            }
        };
        outputs.print(said.as_bytes());
    }
    failed
}
