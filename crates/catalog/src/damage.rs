//! What is wrong with a catalogue, and of what kind that is.

use std::fmt;

/// What a catalogue is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CataloguePart {
    /// The database as a file: its header, pages that belong to nothing.
    File,
    /// The tables themselves: their columns, indexes and rules.
    Schema,
    /// Collections and their terms.
    Collection,
    /// Runs.
    Run,
    /// The parts of runs that one process did.
    Stint,
    /// Paths of directories.
    Directory,
    /// Files as they are known now, a stretch of the names of a directory at a time.
    Files,
    /// Files as they were known before.
    Version,
    /// When files were last read good.
    Reading,
    /// How many files there are.
    Total,
    /// What stands against files.
    Finding,
    /// What happened.
    Event,
    /// Directories that could not be listed.
    Unlisted,
    /// How far large files were read.
    Checkpoint,
    /// Findings of a run that may be held.
    Withheld,
    /// Reports of providers, and what they say.
    Evidence,
    /// What else is kept of files for the next audit.
    Note,
    /// Decisions that wait to be carried out.
    Decision,
    /// Numbers that are given out once.
    Counter,
    /// Seals of runs.
    Seal,
    /// Who is told what happens, and what they are told.
    Message,
}

impl CataloguePart {
    /// All of them.
    pub const ALL: [Self; 21] = [
        Self::File,
        Self::Schema,
        Self::Collection,
        Self::Run,
        Self::Stint,
        Self::Directory,
        Self::Files,
        Self::Version,
        Self::Reading,
        Self::Total,
        Self::Finding,
        Self::Event,
        Self::Unlisted,
        Self::Checkpoint,
        Self::Withheld,
        Self::Evidence,
        Self::Note,
        Self::Decision,
        Self::Counter,
        Self::Seal,
        Self::Message,
    ];

    /// In one word, for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Schema => "schema",
            Self::Collection => "collection",
            Self::Run => "run",
            Self::Stint => "stint",
            Self::Directory => "directory",
            Self::Files => "files",
            Self::Version => "version",
            Self::Reading => "reading",
            Self::Total => "total",
            Self::Finding => "finding",
            Self::Event => "event",
            Self::Unlisted => "unlisted",
            Self::Checkpoint => "checkpoint",
            Self::Withheld => "withheld",
            Self::Evidence => "evidence",
            Self::Note => "note",
            Self::Decision => "decision",
            Self::Counter => "counter",
            Self::Seal => "seal",
            Self::Message => "message",
        }
    }

    /// What is damaged, in words.
    fn words(self) -> &'static str {
        match self {
            Self::File => "its file",
            Self::Schema => "its tables",
            Self::Collection => "the terms of a collection",
            Self::Run => "a run",
            Self::Stint => "a part of a run",
            Self::Directory => "the path of a directory",
            Self::Files => "files of a directory",
            Self::Version => "an earlier version of a file",
            Self::Reading => "when files were last read good",
            Self::Total => "how many files there are",
            Self::Finding => "a finding",
            Self::Event => "an event",
            Self::Unlisted => "a directory that could not be listed",
            Self::Checkpoint => "how far a large file was read",
            Self::Withheld => "what an audit that is held has found",
            Self::Evidence => "what a provider says",
            Self::Note => "a note for the next audit",
            Self::Decision => "a decision that waits",
            Self::Counter => "a number that is given out once",
            Self::Seal => "the seal of a run",
            Self::Message => "who is told what happens",
        }
    }
}

/// Something that is wrong with a catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// What of it is damaged.
    pub part: CataloguePart,
    /// Which one, and what is wrong with it.
    pub problem: String,
}

impl Damage {
    pub(crate) fn new(part: CataloguePart, problem: impl Into<String>) -> Self {
        Self { part, problem: problem.into() }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.part.words(), self.problem)
    }
}
