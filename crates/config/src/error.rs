//! What is wrong with a configuration, and where.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use hashlane_record::{shown_name, system_text};

/// Something that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, the first being 1.
    pub line: usize,
    /// The character of the line, the first being 1.
    pub column: usize,
    /// The key, with those of its tables: `mail.to`; empty where none is at fault.
    pub key: String,
    /// What is wrong, and what to do.
    pub what: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.what)
    }
}

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Its file cannot be read.
    #[error("{}: {}", shown_name(path.as_os_str().as_encoded_bytes()), system_text(source))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Its file is no configuration, whatever is in it.
    #[error("{}: {what}", shown_name(path.as_os_str().as_encoded_bytes()))]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// It says what it may not.
    #[error("{}", lines(path.as_deref(), problems))]
    Text {
        /// The file, if it is one.
        path: Option<PathBuf>,
        /// What is wrong: at least one thing, in the order of the text.
        problems: Vec<Problem>,
    },
}

impl Error {
    /// The line of the first thing that is wrong with a text.
    pub fn line(&self) -> Option<usize> {
        self.problems().first().map(|problem| problem.line)
    }

    /// The column of the first thing that is wrong with a text.
    pub fn column(&self) -> Option<usize> {
        self.problems().first().map(|problem| problem.column)
    }

    /// What is wrong with the text.
    pub fn problems(&self) -> &[Problem] {
        match self {
            Self::Text { problems, .. } => problems,
            _ => &[],
        }
    }

    pub(crate) fn of(self, path: &Path) -> Self {
        match self {
            Self::Text { problems, .. } => Self::Text { path: Some(path.into()), problems },
            other => other,
        }
    }
}

/// One line for each.
fn lines(path: Option<&Path>, problems: &[Problem]) -> String {
    let place = path
        .map_or_else(String::new, |path| format!("{}: ", shown_name(path.as_os_str().as_encoded_bytes())));
    problems.iter().map(|problem| format!("{place}{problem}")).collect::<Vec<_>>().join("\n")
}
