//! Takes what was read to whoever makes lines of it, file by file and piece by piece; says what could not be read.

use std::io;
use std::os::unix::fs::MetadataExt as _;

use hashlane_digest::Digest;
use hashlane_engine::{Sink, Taken};
use hashlane_record::{Operation, Outcome, Record, Timestamp, system_text};

use super::hashdeep::Hashdeep;
use super::hashed::Hashed;
use super::names::bare;
use super::printer::Printer;
use super::reading::{Piece, Unread, Whole};
use super::settings::Files;
use super::single::Single;
use super::sources::fault;
use super::voice::Voice;

/// What marks the record of standard input.
pub(super) const STDIN: &[u8] = b"stdin";

/// What the mark of the record begins with that only says something of a file.
pub(super) const SAID: &[u8] = b"said ";

/// What is said of a file that did not stay as it was.
const UNSTABLE: &str = "changed while it was read";

/// Times of a file: of the last change of its content, of anything, and of the last reading.
pub(super) type Times = [Timestamp; 3];

pub(super) fn times(facts: &std::fs::Metadata) -> Times {
    [
        (facts.mtime(), facts.mtime_nsec()),
        (facts.ctime(), facts.ctime_nsec()),
        (facts.atime(), facts.atime_nsec()),
    ]
    .map(|(seconds, nanos)| Timestamp { seconds, nanos: nanos as u32 })
}

/// Whoever makes lines.
pub(super) enum AnyLines {
    Hashdeep(Hashdeep),
    Single(Single),
}

impl AnyLines {
    pub(super) fn are_bare(&self) -> bool {
        match self {
            Self::Hashdeep(lines) => lines.are_bare(),
            Self::Single(lines) => lines.are_bare(),
        }
    }

    fn printer(&mut self) -> &mut Printer {
        match self {
            Self::Hashdeep(lines) => lines.printer(),
            Self::Single(lines) => lines.printer(),
        }
    }

    fn take(&mut self, hashed: &Hashed<'_>) -> io::Result<()> {
        match self {
            Self::Hashdeep(lines) => lines.take(hashed),
            Self::Single(lines) => lines.take(hashed),
        }
    }

    pub(super) fn finish(self) -> io::Result<(u8, Printer)> {
        match self {
            Self::Hashdeep(lines) => lines.finish(),
            Self::Single(lines) => lines.finish(),
        }
    }
}

/// Takes what was read to whoever makes lines of it.
pub(super) struct Taker {
    pub(super) lines: AnyLines,
    pub(super) voice: Voice,
    /// Names are shown without directories.
    pub(super) bare: bool,
    pub(super) is_stdin: bool,
    /// Of the present file.
    pub(super) facts: Option<Times>,
    /// In a document: whether the present file has begun.
    is_begun: bool,
    /// Of the present file.
    pub(super) triage: Option<(u64, Digest)>,
}

impl Taker {
    pub(super) fn new(lines: AnyLines, voice: Voice) -> Self {
        let bare = lines.are_bare();
        Self { lines, voice, bare, is_stdin: false, facts: None, is_begun: false, triage: None }
    }

    /// What is known of a file before it is read.
    fn named<'p>(&self, path: &'p [u8]) -> Hashed<'p> {
        let name = if self.bare { bare(path) } else { path };
        let time = |which: usize| self.facts.map(|times| times[which]);
        let (modified, changed, accessed) = (time(0), time(1), time(2));
        let (triage, is_stdin) = (self.triage, self.is_stdin);
        Hashed { modified, changed, accessed, triage, is_stdin, ..Hashed::named(name) }
    }

    /// In a document: begins a file.
    pub(super) fn begin(&mut self, path: &[u8]) {
        let named = self.named(path);
        self.lines.printer().begin_file(&named);
        self.is_begun = true;
    }

    /// In a document: ends it.
    fn end(&mut self, size: Option<u64>) -> Taken {
        self.is_begun = false;
        Ok(self.lines.printer().end_file(size)?)
    }

    pub(super) fn take(&mut self, hashed: &Hashed<'_>) -> Taken {
        Ok(self.lines.take(hashed)?)
    }

    pub(super) fn piece(&mut self, path: &[u8], piece: &Piece<'_>) -> Taken {
        let digests = piece.digests;
        let (size, offset) = (piece.length, Some(piece.offset));
        self.take(&Hashed { size, digests, offset, changed: None, ..self.named(path) })
    }

    pub(super) fn whole(&mut self, path: &[u8], whole: Result<Whole, Unread>, files: &Files) -> Taken {
        let whole = match whole {
            Ok(whole) => whole,
            Err(Unread::Stopped(halt)) => return Err(halt),
            Err(Unread::Open(error)) => return self.fault(path, &error),
            Err(Unread::Read(offset, error)) => return self.unread(path, &broken_off(offset, &error)),
            Err(Unread::Unstable) => return self.unread(path, UNSTABLE),
        };
        let digests = &whole.digests;
        let hashed = Hashed { size: whole.size, digests, ..self.named(path) };
        if files.piece.is_none() {
            self.take(&hashed)?;
        } else {
            // Its pieces were taken one by one; a document has its own digests as well.
            self.lines.printer().digests(&hashed, false)?;
        }
        self.end(Some(whole.size))
    }

    /// Says why a file could not be opened, or a directory listed.
    fn fault(&mut self, path: &[u8], error: &io::Error) -> Taken {
        let (text, is_fault) = fault(&path.into(), error);
        if is_fault { self.unread(path, &text) } else { self.say(path, &text) }
    }

    fn unread(&mut self, path: &[u8], text: &str) -> Taken {
        self.voice.note_unread();
        self.say(path, text)
    }

    /// Says something of a file, where the results go if they are a document.
    pub(super) fn say(&mut self, path: &[u8], text: &str) -> Taken {
        if !self.voice.documented {
            self.voice.file(path, text);
            return Ok(());
        }
        if !self.voice.silent {
            if !self.is_begun {
                self.lines.printer().begin_file(&Hashed::named(path));
            }
            self.lines.printer().error(text);
        } else if !self.is_begun {
            return Ok(());
        }
        self.end(None)
    }
}

fn broken_off(offset: u64, error: &io::Error) -> String {
    format!("error at offset {offset}: {}", system_text(error))
}

impl Sink for Taker {
    fn record(&mut self, record: Record) -> Taken {
        if let Some(said) = record.tag.strip_prefix(SAID) {
            let mut parts = said.splitn(2, |&byte| byte == 0);
            let text = String::from_utf8_lossy(parts.next().unwrap_or_default());
            return self.say(parts.next().unwrap_or_default(), &text);
        }
        self.is_stdin = *record.tag == *STDIN;
        let path = if self.is_stdin { STDIN } else { record.path.as_bytes() };
        match record.outcome {
            Outcome::Read => {
                self.facts = record.facts.map(|facts| [facts.modified, facts.changed, facts.accessed]);
                let (size, digests) = (record.digested_bytes, record.digests.as_slice());
                self.begin(path);
                self.take(&Hashed { size, digests, ..self.named(path) })?;
                self.end(Some(size))
            }
            Outcome::Unstable(_) => self.unread(path, UNSTABLE),
            Outcome::Disputed(dispute) => {
                self.unread(path, &broken_off(dispute.offset_bytes, &dispute.io_error()))
            }
            Outcome::Failed(failure) if failure.operation == Operation::Read => {
                self.unread(path, &broken_off(failure.offset_bytes, &failure.io_error()))
            }
            Outcome::Failed(failure) => self.fault(path, &failure.io_error()),
        }
    }
}
