//! Notes on what is found while reading lists.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::{fmt, io};

use hashlane_digest::Algorithm;
use hashlane_manifest::{LineProblem, ProblemKind};
use hashlane_record::{ItemPath, shown_name, system_text};

use crate::error::{Error, shown};
use crate::out_of_place::OutOfPlace;

/// Takes notes as they occur. Those of a check come from the thread that reads its lists, while files are judged on another.
pub type Notes = Arc<dyn Fn(Note<'_>) + Send + Sync>;

/// Something found while reading lists. No note ends a check.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Note<'a> {
    /// A list comes from standard input, and reading waits for it.
    StandardInput,
    /// A list of a check could not be opened; its files are not examined.
    Unopened(&'a Error),
    /// A listed file has proven the algorithm of a list that does not name it.
    Proven {
        /// The list.
        list: &'a OsStr,
        /// Its algorithm.
        algorithm: Algorithm,
        /// The file.
        by: &'a ItemPath,
    },
    /// Nothing names the algorithm of a list and nothing can prove it; its digests are taken for what such digests usually are.
    Assumed {
        /// The list.
        list: &'a OsStr,
        /// The algorithm.
        algorithm: Algorithm,
    },
    /// A list does not name its algorithm, and none of its files can be read.
    Unproven {
        /// The list.
        list: &'a OsStr,
    },
    /// A line that was skipped: it cannot be parsed, or has none of the requested algorithms.
    Line {
        /// The list.
        list: &'a OsStr,
        /// What is wrong with the line.
        problem: &'a LineProblem,
    },
    /// A list could not be read to its end; the rest is not examined.
    BrokenOff {
        /// The list.
        list: &'a OsStr,
        /// The line that could not be read.
        line: u64,
        /// The error from the system.
        error: &'a io::Error,
    },
    /// An entry that an audit cannot store, or that contradicts another one.
    NotTaken {
        /// The list.
        list: &'a OsStr,
        /// The line of the entry.
        line: u64,
        /// Its name.
        path: &'a ItemPath,
        /// Why.
        error: &'a hashlane_audit::Error,
    },
    /// All names of a list begin with the name of the directory that they are relative to, which has nothing of that name. They may be
    /// relative to the one above it.
    OneTooDeep {
        /// The list.
        list: &'a OsStr,
        /// The name.
        name: &'a ItemPath,
    },
    /// An entry whose name is none of what is looked at, in a list of others.
    OutOfPlace {
        /// The list.
        list: &'a OsStr,
        /// The line of the entry.
        line: u64,
        /// Its name.
        path: &'a ItemPath,
        /// Why.
        why: OutOfPlace,
    },
    /// The entries of a name contradict each other, as found when all of them were brought together.
    Contradicted {
        /// The name.
        path: &'a [u8],
        /// How.
        error: &'a hashlane_audit::Error,
    },
}

/// In words, without a way out.
impl fmt::Display for Note<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |path: &ItemPath| shown_name(path.as_bytes());
        match *self {
            Self::StandardInput => f.write_str("a list is read from standard input"),
            Self::Unopened(error) => error.fmt(f),
            Self::Proven { list, algorithm, by } => {
                write!(f, "{}: the digests are {algorithm}, proven by {}", shown(list), name(by))
            }
            Self::Assumed { list, algorithm } => {
                let bytes = algorithm.length();
                write!(f, "{}: digests of {bytes} bytes are taken for {algorithm}", shown(list))
            }
            Self::Unproven { list } => {
                write!(f, "{}: algorithm not proven: no listed file can be read", shown(list))
            }
            Self::Line { list, problem } => write!(f, "{}: {problem}", shown(list)),
            Self::BrokenOff { list, line, error } => {
                write!(f, "{}: {} (reading line {line})", shown(list), system_text(error))
            }
            Self::NotTaken { list, line, path, error } => {
                write!(f, "{}: line {line}: {} {error}", shown(list), name(path))
            }
            Self::OneTooDeep { list, name: above } => {
                write!(f, "{}: all listed names begin with {}/, which is not there", shown(list), name(above))
            }
            Self::OutOfPlace { list, line, path, why } => {
                write!(f, "{}: line {line}: {} {why}", shown(list), name(path))
            }
            Self::Contradicted { path, error } => write!(f, "{} {error}", shown_name(path)),
        }
    }
}

/// A summary of a list that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListSummary {
    /// Its name.
    pub name: OsString,
    /// The number of lines that could not be parsed.
    pub malformed: u64,
    /// The columns of a table that have a known name and a type that is not read.
    pub columns_not_read: Vec<&'static str>,
    /// The number of lines whose digests are not as long as those of the list's algorithm: another section, or a digest cut off.
    pub other_lengths: u64,
    /// The number of lines skipped because another algorithm was requested.
    pub skipped: u64,
    /// The algorithm that it is named after and those that it has, if it has only others.
    pub misnamed: Option<(Algorithm, Vec<Algorithm>)>,
    /// Whether reading it failed before its end.
    pub broken_off: bool,
    /// The number of entries without a digest that can be verified.
    pub undigested: u64,
    /// The number of entries that stand behind the mark of a comment, and are not read.
    pub commented_out: u64,
    /// The number of names that end with a carriage return, whose files are there without it: it belongs to the line end.
    pub carriage_returns: u64,
    /// The number of entries recorded as failed or unstable, whose digests are those of no file.
    pub recorded_bad: u64,
    /// The number of entries that an audit cannot store, or that contradict others.
    pub refused: u64,
}

impl ListSummary {
    /// Of a list that nothing is known of yet.
    pub(crate) fn of(name: &OsStr) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Takes note of a line that was not understood.
    pub(crate) fn pass_over(&mut self, kind: &ProblemKind) {
        *match kind {
            ProblemKind::ColumnNotRead { column, .. } => return self.columns_not_read.push(column),
            ProblemKind::AlgorithmNotAsked { .. } => &mut self.skipped,
            ProblemKind::DigestLength { .. } => &mut self.other_lengths,
            _ => &mut self.malformed,
        } += 1;
    }

    /// Whether there is anything to be said.
    pub(crate) fn is_plain(&self) -> bool {
        *self == Self::of(&self.name)
    }
}
