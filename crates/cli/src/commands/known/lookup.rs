//! `hashlane known info` and `hashlane known lookup`: an index, asked.

use std::io::{self, BufRead as _, Write};

use hashlane_digest::Digest;
use hashlane_io::{StandardInput, StandardOutput};
use hashlane_known::{Index, Judgement};
use hashlane_report::written::digest_of;
use hashlane_report::{index_json, index_text, text};

use super::{failed, open_index};
use crate::args::{ALGORITHMS, KnownInfoArgs, KnownLookupArgs, ListFormat};
use crate::commands::bench::print;
use crate::manifests::shown;
use crate::output::Place;
use crate::status::{Status, unreadable, usage};
use crate::terminal::screen::Screen;

pub(super) fn info(args: &KnownInfoArgs) -> anyhow::Result<Status> {
    let index = open_index(&args.index)?;
    if args.verify {
        index.verify().map_err(|error| failed(&shown(&args.index), &error))?;
    }
    print(&match args.format {
        ListFormat::Text => index_text(&index, args.verify),
        ListFormat::Json => index_json(&index, args.verify),
    })?;
    Ok(Status::OK)
}

pub(super) fn run(args: &KnownLookupArgs) -> anyhow::Result<Status> {
    let lookup = Lookup { index: open_index(&args.index)?, shown: shown(&args.index) };
    let mut status = Status::OK;
    let mut stdout = io::BufWriter::new(StandardOutput);
    let wrote = |error: io::Error| Place::Stdout.failed(&error);
    for text in &args.digests {
        let digest = digest_of(&lookup.index, text, ALGORITHMS).map_err(|why| usage!("{text}: {why}"))?;
        status |= lookup.answer(text, &digest, &mut stdout)?;
    }
    if args.digests.is_empty() {
        let screen = Screen::plain();
        if StandardInput.is_terminal() {
            screen.message("reading digests from standard input, one a line; press Ctrl-D to end");
        }
        let mut lines = io::BufReader::new(StandardInput);
        let (mut line, mut number) = (Vec::new(), 0_u64);
        loop {
            line.clear();
            let read = read_line(&mut lines, &mut line)
                .map_err(|error| unreadable!("standard input: {}", text::system(&error)))?;
            if !read {
                break;
            }
            number += 1;
            let text = String::from_utf8_lossy(line.trim_ascii()).into_owned();
            if text.is_empty() {
                continue;
            }
            match digest_of(&lookup.index, &text, ALGORITHMS) {
                Ok(digest) => status |= lookup.answer(&text, &digest, &mut stdout)?,
                Err(why) => {
                    status |= Status::UNREADABLE;
                    screen.message(&format!("line {number}: {}: {why}", text::name(text.as_bytes())));
                }
            }
        }
    }
    stdout.flush().map_err(wrote)?;
    Ok(status)
}

/// The longest line that can hold a digest, with room for a name and spaces; the rest of a longer one is not kept.
const MAX_LINE_BYTES: u64 = 1024;

/// Reads a line; whether there was one.
fn read_line(lines: &mut impl io::BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    use io::Read as _;
    if lines.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    if !line.ends_with(b"\n") && line.len() as u64 == MAX_LINE_BYTES {
        lines.skip_until(b'\n')?;
    }
    Ok(true)
}

/// An index that is asked.
struct Lookup {
    index: Index,
    shown: String,
}

impl Lookup {
    /// Says whether it is known.
    fn answer(&self, text: &str, digest: &Digest, out: &mut impl Write) -> anyhow::Result<Status> {
        let damaged = |error| failed(&self.shown, &error);
        let (said, status) = match self.index.judge(std::slice::from_ref(digest)).map_err(damaged)? {
            Judgement::Known(found) => {
                let set = &self.index.sets()[usize::from(found.set)].name;
                let name = self.index.name(&found).map_err(damaged)?;
                let name = name.map_or_else(String::new, |name| format!(" as {}", text::name(&name)));
                (format!("known{name} ({set})"), Status::OK)
            }
            _ => ("not known".to_owned(), Status::EXTRA),
        };
        writeln!(out, "{text}: {said}").map_err(|error| Place::Stdout.failed(&error))?;
        Ok(status)
    }
}
