//! The lines of md5deep and its kin: one digest a file, in many shapes, and matches.

use std::io;

use hashlane_digest::Algorithm;
use hashlane_record::Timestamp;

use super::FAILURE;
use super::hashed::Hashed;
use super::printer::Printer;
use super::settings::{Mode, Settings};
use super::voice::Voice;

/// Makes md5deep's lines of what is read.
#[derive(Debug)]
pub(super) struct Single {
    algorithm: Algorithm,
    triage: bool,
    settings: Settings,
    voice: Voice,
    printer: Printer,
}

impl Single {
    pub(super) fn new(
        algorithm: Algorithm,
        triage: bool,
        settings: Settings,
        voice: Voice,
        printer: Printer,
    ) -> Self {
        Self { algorithm, triage, settings, voice, printer }
    }

    /// Whether names are shown without directories.
    pub(super) fn are_bare(&self) -> bool {
        self.settings.lines.bare
    }

    /// Where lines go.
    pub(super) fn printer(&mut self) -> &mut Printer {
        &mut self.printer
    }

    /// Takes a file or a piece of one.
    pub(super) fn take(&mut self, hashed: &Hashed<'_>) -> io::Result<()> {
        match self.settings.mode {
            Mode::Match { negative } => self.match_one(hashed, negative),
            _ => self.list(hashed),
        }
    }

    /// Says what only the end shows; gives the exit code.
    pub(super) fn finish(mut self) -> io::Result<(u8, Printer)> {
        if !matches!(self.settings.mode, Mode::Match { .. }) {
            return Ok((0, self.printer));
        }
        let code = if self.settings.known.are_all_used() { 0 } else { FAILURE };
        if self.settings.lines.show_unmatched {
            for name in self.settings.known.unused() {
                self.printer.line(&[name])?;
            }
        }
        Ok((code, self.printer))
    }

    fn list(&mut self, hashed: &Hashed<'_>) -> io::Result<()> {
        if self.printer.is_document() {
            return self.printer.digests(hashed, false);
        }
        let shape = &self.settings.lines;
        let mut line = Vec::new();
        if let Some((size, first)) = &hashed.triage {
            line.extend_from_slice(format!("{size}\t").as_bytes());
            first.write_text(&mut line);
            line.push(b'\t');
        }
        line.extend_from_slice(self.size(hashed).as_bytes());
        hashed.push_digest(0, self.algorithm, &mut line);
        if shape.quiet {
            line.extend_from_slice(b"  ");
        } else if hashed.offset.is_some() || !hashed.is_stdin {
            if let Some(changed) = hashed.changed.filter(|_| shape.time) {
                line.push(if shape.csv { b',' } else { b' ' });
                line.extend_from_slice(&time(changed));
            }
            line.extend_from_slice(self.separator(b"\t"));
            line.extend_from_slice(&self.voice.escape.apply(hashed.name));
        }
        self.printer.line(&[&line, hashed.stretch().as_bytes()])
    }

    fn match_one(&mut self, hashed: &Hashed<'_>, negative: bool) -> io::Result<()> {
        let name = hashed.listed_name();
        let known = hashed.digests.first().and_then(|digest| self.settings.known.find(digest, &name));
        let shape = &self.settings.lines;
        if known.is_some() == negative || shape.show_unmatched {
            return Ok(());
        }
        if self.printer.is_document() {
            return self.printer.digests(hashed, !negative);
        }
        let mut line = self.size(hashed).into_bytes();
        if shape.digests_of_matches {
            hashed.push_digest(0, self.algorithm, &mut line);
            line.extend_from_slice(self.separator(b"  "));
        }
        line.extend_from_slice(hashed.name);
        match known {
            Some(known) if shape.show_matched => {
                line.extend_from_slice(b" matched ");
                line.extend_from_slice(self.settings.known.name(known));
            }
            None if shape.show_matched => line.extend_from_slice(b" does NOT match"),
            _ => line.extend_from_slice(hashed.stretch().as_bytes()),
        }
        self.printer.line(&[&line])
    }

    /// The column of the size, if there is one.
    fn size(&self, hashed: &Hashed<'_>) -> String {
        let shape = &self.settings.lines;
        match (shape.size, shape.csv) {
            (false, _) => String::new(),
            (true, true) => format!("{:>10}, ", hashed.size),
            (true, false) => format!("{:>10}  ", hashed.size),
        }
    }

    /// What stands between digest and name.
    fn separator(&self, of_triage: &'static [u8]) -> &'static [u8] {
        match () {
            () if self.settings.lines.csv => b",",
            () if self.settings.lines.asterisk => b" *",
            () if self.triage => of_triage,
            () => b"  ",
        }
    }
}

/// A time as md5deep has it, in UTC.
fn time(time: Timestamp) -> Vec<u8> {
    let time = jiff::Timestamp::from_second(time.seconds).unwrap_or_default();
    time.strftime("%Y:%m:%d:%H:%M:%S").to_string().into_bytes()
}
