//! The lines of hashdeep: lists of digests, matches, and the audit with its counters.

use std::io;

use super::FAILURE;
use super::hashed::Hashed;
use super::known::{Known, Verdict, Wanted};
use super::names::Escape;
use super::printer::Printer;
use super::settings::{Mode, Settings};
use super::voice::Voice;

/// Makes hashdeep's lines of what is read.
#[derive(Debug)]
pub(super) struct Hashdeep {
    settings: Settings,
    voice: Voice,
    printer: Printer,
    /// What stands before the first line, until it was written.
    banner: Option<Vec<u8>>,
    counters: Counters,
}

/// What an audit counts.
#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    examined: u64,
    matched: u64,
    partial: u64,
    moved: u64,
    new: u64,
}

impl Hashdeep {
    pub(super) fn new(settings: Settings, voice: Voice, printer: Printer, banner: Vec<u8>) -> Self {
        Self { settings, voice, printer, banner: Some(banner), counters: Counters::default() }
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
            Mode::Compute => self.list(hashed),
            Mode::Match { negative } => self.match_one(hashed, negative),
            Mode::Audit => self.audit(hashed),
        }
    }

    /// Says what only the end shows; gives the exit code.
    pub(super) fn finish(mut self) -> io::Result<(u8, Printer)> {
        let code = match self.settings.mode {
            Mode::Compute => 0,
            Mode::Match { .. } if self.settings.known.are_all_used() => 0,
            Mode::Match { .. } => FAILURE,
            Mode::Audit => self.conclude()?,
        };
        Ok((code, self.printer))
    }

    fn list(&mut self, hashed: &Hashed<'_>) -> io::Result<()> {
        if self.printer.is_document() {
            return self.printer.digests(hashed, self.settings.mode == Mode::Match { negative: false });
        }
        if let Some(banner) = self.banner.take() {
            self.printer.text(&banner)?;
        }
        let mut line = format!("{},", hashed.size).into_bytes();
        for (column, &algorithm) in self.settings.algorithms.iter().enumerate() {
            hashed.push_digest(column, algorithm, &mut line);
            line.push(b',');
        }
        let name = self.voice.escape.apply(hashed.name);
        self.printer.line(&[&line, &name, hashed.stretch().as_bytes()])
    }

    fn compare(&mut self, hashed: &Hashed<'_>) -> Verdict {
        let name = hashed.listed_name();
        let ignore_case = self.settings.lines.ignore_case;
        let wanted = Wanted { name: &name, size: hashed.size, digests: hashed.digests, ignore_case };
        self.settings.known.compare(&wanted)
    }

    fn match_one(&mut self, hashed: &Hashed<'_>, negative: bool) -> io::Result<()> {
        let verdict = self.compare(hashed);
        let escape = self.voice.escape;
        let name = escape.apply(hashed.name);
        let known = known_name(&self.settings.known, escape, verdict);
        let clash = match verdict {
            Verdict::OtherSize(_) => Some(": Hash collision with "),
            Verdict::Partial(_) => Some(": partial hash match with "),
            _ => None,
        };
        if let Some(clash) = clash {
            self.voice.write(&[&name, clash.as_bytes(), &known, &[self.voice.end()]]);
        }
        let is_known = matches!(verdict, Verdict::Same(_) | Verdict::Renamed(_));
        if is_known == negative {
            return Ok(());
        }
        if self.settings.lines.digests_of_matches || self.printer.is_document() {
            return self.list(hashed);
        }
        if self.settings.lines.show_matched && !negative {
            return self.printer.line(&[&name, b" matches ", &known]);
        }
        self.printer.line(&[&name])
    }

    fn audit(&mut self, hashed: &Hashed<'_>) -> io::Result<()> {
        let verdict = self.compare(hashed);
        let counters = &mut self.counters;
        counters.examined += 1;
        let (counter, from_verbose, text) = match verdict {
            Verdict::Same(_) => (&mut counters.matched, 3, ": Ok"),
            Verdict::New => (&mut counters.new, 2, ": No match"),
            Verdict::Renamed(_) => (&mut counters.moved, 2, ": Moved from "),
            Verdict::OtherSize(_) | Verdict::Partial(_) => {
                (&mut counters.partial, 0, ": Hash collision with ")
            }
        };
        *counter += 1;
        if self.settings.verbose < from_verbose {
            return Ok(());
        }
        let escape = self.voice.escape;
        let known = match verdict {
            Verdict::Same(_) | Verdict::New => Vec::new(),
            _ => known_name(&self.settings.known, escape, verdict),
        };
        let name = escape.apply(hashed.name);
        self.printer.line_to_stdout(&[&name, hashed.stretch().as_bytes(), text.as_bytes(), &known])
    }

    /// Says how the audit went. What could not be read was not audited, and a collision is not a match: neither
    /// passes.
    fn conclude(&mut self) -> io::Result<u8> {
        let program = self.voice.program.clone();
        let mut unused = 0_u64;
        for name in self.settings.known.unused() {
            unused += 1;
            if self.settings.verbose >= 2 {
                self.printer.line(&[name, b": Known file not used"])?;
            }
        }
        let Counters { examined, matched, partial, moved, new } = self.counters;
        let passed = unused == 0 && new == 0 && moved == 0 && partial == 0 && !self.voice.has_unread();
        let verdict = if passed { ": Audit passed" } else { ": Audit failed" };
        self.printer.line(&[program.as_bytes(), verdict.as_bytes()])?;
        let expected = self.settings.known.len() as u64;
        let counted = [
            (2, "   Input files examined", examined),
            (2, "  Known files expecting", expected),
            (1, "          Files matched", matched),
            (1, "Files partially matched", partial),
            (1, "            Files moved", moved),
            (1, "        New files found", new),
            (1, "  Known files not found", unused),
        ];
        for (_, what, number) in counted.iter().filter(|(least, ..)| self.settings.verbose >= *least) {
            self.printer.line(&[format!("{what}: {number}").as_bytes()])?;
        }
        Ok(if passed { 0 } else { FAILURE })
    }
}

/// The name of the known file that a verdict is about.
fn known_name(known: &Known, escape: Escape, verdict: Verdict) -> Vec<u8> {
    match verdict {
        Verdict::New => b"(unknown file)".to_vec(),
        Verdict::Same(index)
        | Verdict::Renamed(index)
        | Verdict::OtherSize(index)
        | Verdict::Partial(index) => escape.apply(known.name(index)).into_owned(),
    }
}
