//! What there is below a directory, without what patterns ignore.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hashlane_record::Timestamp;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::error::Error;
use crate::xml::holds;

/// The patterns that every history ignores.
pub const DEFAULT_PATTERNS: [&str; 3] = [".DS_Store", "ascmhl", "ascmhl/"];

/// Patterns of files to ignore, in the syntax of gitignore(5), relative to the directory of the history.
#[derive(Debug)]
pub struct Patterns(Gitignore);

impl Patterns {
    /// Takes in patterns.
    ///
    /// # Errors
    /// One is malformed.
    pub fn new(patterns: &[String]) -> Result<Self, Error> {
        let malformed = |pattern: &str| {
            let pattern = pattern.to_owned();
            move |error: ignore::Error| Error::Pattern { pattern, what: error.to_string() }
        };
        let mut builder = GitignoreBuilder::new("");
        for pattern in patterns {
            builder.add_line(None, pattern).map_err(malformed(pattern))?;
        }
        builder.build().map(Self).map_err(malformed(&patterns.join(" ")))
    }

    /// Whether they ignore a name, or a directory that it is in.
    pub(crate) fn ignore(&self, name: &str, is_directory: bool) -> bool {
        self.0.matched_path_or_any_parents(name, is_directory).is_ignore()
    }
}

/// What there is below a directory: names relative to it. Links are no part of it.
#[derive(Debug, Default)]
pub struct FoundNames {
    /// The files, sorted.
    pub files: Vec<String>,
    /// The directories, with the times of their last changes; the directory itself has no name.
    pub directories: BTreeMap<String, Timestamp>,
}

impl FoundNames {
    /// Looks at a directory.
    ///
    /// # Errors
    /// A name cannot be stored, or the system refuses.
    pub fn look(directory: &Path, patterns: &Patterns) -> Result<Self, Error> {
        let mut tree = Self::default();
        tree.add(directory, String::new(), &patterns.0)?;
        tree.files.sort();
        Ok(tree)
    }

    fn add(&mut self, path: &Path, name: String, ignored: &Gitignore) -> Result<(), Error> {
        let modified = fs::metadata(path).and_then(|facts| facts.modified()).map_err(Error::io(path))?;
        let since = jiff::Timestamp::try_from(modified).map_or(0, jiff::Timestamp::as_second);
        let prefix = if name.is_empty() { String::new() } else { format!("{name}/") };
        self.directories.insert(name, Timestamp { seconds: since, nanos: 0 });
        for entry in fs::read_dir(path).map_err(Error::io(path))? {
            let entry = entry.map_err(Error::io(path))?;
            let kind = entry.file_type().map_err(Error::io(&entry.path()))?;
            let refused = || Error::Name { path: entry.path() };
            let name = entry.file_name().into_string().map_err(|_| refused())?;
            let name = format!("{prefix}{name}");
            if ignored.matched(&name, kind.is_dir()).is_ignore() {
                continue;
            }
            if !holds(&name) {
                return Err(refused());
            }
            if kind.is_dir() {
                self.add(&entry.path(), name, ignored)?;
            } else if kind.is_file() {
                self.files.push(name);
            }
        }
        Ok(())
    }
}
