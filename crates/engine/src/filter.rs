//! Filters that select files.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::bounds::Bounds;

/// Globs and ignore files, types, and bounds of size and time. All except the bounds apply to what a walk finds, never to named files.
///
/// Paths are relative to the root of the walk. A glob without a `/` is matched against the last component, one with a `/` against the whole
/// relative path; `*` does not cross a `/`, `**` does. An excluded directory is not entered.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    include: Option<GlobSet>,
    exclude: GlobSet,
    ignore: Vec<Gitignore>,
    types: FileTypes,
    bounds: Bounds,
}

/// The types of files that a walk reads. Files of other types are counted and skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileTypes {
    /// Regular files.
    pub file: bool,
    /// FIFOs: reading waits until a program writes to each.
    pub fifo: bool,
    /// Block devices.
    pub block: bool,
    /// Character devices: many never end.
    pub char: bool,
}

impl Default for FileTypes {
    /// Regular files only.
    fn default() -> Self {
        Self { file: true, fifo: false, block: false, char: false }
    }
}

/// A glob or ignore file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// A glob is malformed.
    #[error("{glob}: {reason}; write \\[ for the character itself")]
    Glob {
        /// Its purpose.
        purpose: GlobPurpose,
        /// The glob as given.
        glob: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An ignore file cannot be read or has a malformed line.
    #[error("{}: {reason}", path.display())]
    IgnoreFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// What happens to the files that a glob matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlobPurpose {
    /// Only they are read.
    Include,
    /// They are not read.
    Exclude,
}

impl Filter {
    /// A filter of globs and of ignore files in the syntax of gitignore(5). Without an `include` glob, every file is included.
    ///
    /// # Errors
    /// A glob is malformed, or an ignore file is malformed or cannot be read.
    pub fn new(
        include: &[String],
        exclude: &[String],
        ignore_files: &[PathBuf],
    ) -> Result<Self, FilterError> {
        let ignore = ignore_files.iter().map(|path| ignore_file(path)).collect::<Result<_, _>>()?;
        let include = if include.is_empty() { None } else { Some(glob_set(GlobPurpose::Include, include)?) };
        let exclude = glob_set(GlobPurpose::Exclude, exclude)?;
        Ok(Self { include, exclude, ignore, ..Self::default() })
    }

    /// The same, within bounds of size and time.
    pub fn within(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// The same, for files of these types.
    pub fn of_types(self, types: FileTypes) -> Self {
        Self { types, ..self }
    }

    /// The bounds of size and time.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The types of files.
    pub fn types(&self) -> FileTypes {
        self.types
    }

    /// Whether a walk would reach a file of this name below its root, and take it.
    pub fn takes_below(&self, relative: &[u8]) -> bool {
        let slashes = relative.iter().enumerate().filter(|&(_, &byte)| byte == b'/');
        let mut above = slashes.map(|(end, _)| &relative[..end]);
        above.all(|directory| directory.is_empty() || self.enters(directory)) && self.takes(relative)
    }

    /// Whether it accepts every name.
    pub fn is_empty(&self) -> bool {
        self.include.is_none() && self.exclude.is_empty() && self.ignore.is_empty()
    }

    /// Whether the walk enters the directory.
    pub(crate) fn enters(&self, relative: &[u8]) -> bool {
        let path = Path::new(OsStr::from_bytes(relative));
        !self.exclude.is_match(path) && !self.is_ignored(path, true)
    }

    /// Whether the file is read.
    pub(crate) fn takes(&self, relative: &[u8]) -> bool {
        let path = Path::new(OsStr::from_bytes(relative));
        self.include.as_ref().is_none_or(|include| include.is_match(path))
            && !self.exclude.is_match(path)
            && !self.is_ignored(path, false)
    }

    fn is_ignored(&self, path: &Path, is_directory: bool) -> bool {
        self.ignore.iter().any(|ignore| ignore.matched(path, is_directory).is_ignore())
    }
}

fn glob_set(purpose: GlobPurpose, globs: &[String]) -> Result<GlobSet, FilterError> {
    let malformed = |glob: &str, error: &globset::Error| FilterError::Glob {
        purpose,
        glob: glob.to_owned(),
        reason: error.kind().to_string(),
    };
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        let relative = glob.strip_prefix("./").unwrap_or(glob);
        let anchored = relative.trim_end_matches('/');
        let pattern = if anchored.contains('/') {
            anchored.trim_start_matches('/').to_owned()
        } else {
            format!("**/{anchored}")
        };
        let compiled = GlobBuilder::new(&pattern).literal_separator(true).backslash_escape(true).build();
        set.add(compiled.map_err(|error| malformed(glob, &error))?);
    }
    set.build().map_err(|error| malformed(error.glob().unwrap_or_default(), &error))
}

fn ignore_file(path: &Path) -> Result<Gitignore, FilterError> {
    let malformed = |reason: String| FilterError::IgnoreFile { path: path.into(), reason };
    let mut builder = GitignoreBuilder::new("");
    if let Some(error) = builder.add(path) {
        return Err(malformed(reason(&error)));
    }
    builder.build().map_err(|error| malformed(reason(&error)))
}

/// What is wrong, without the path, which stands before it, and without the system's number.
fn reason(error: &ignore::Error) -> String {
    match error {
        ignore::Error::WithPath { err, .. } => reason(err),
        ignore::Error::Io(error) => hashlane_record::system_text(error),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn filter(include: &[&str], exclude: &[&str]) -> Filter {
        let owned = |globs: &[&str]| globs.iter().map(|&glob| glob.to_owned()).collect::<Vec<_>>();
        Filter::new(&owned(include), &owned(exclude), &[]).expect("good globs")
    }

    #[test]
    fn a_glob_without_a_slash_is_compared_with_the_last_component() {
        let filter = filter(&["*.txt"], &["secret*"]);
        assert!(filter.takes(b"a.txt") && filter.takes(b"deep/down/a.txt"));
        assert!(!filter.takes(b"a.bin") && !filter.takes(b"deep/secret.txt"));
        assert!(!filter.enters(b"deep/secrets") && filter.enters(b"deep"));
    }

    #[test]
    fn a_glob_with_a_slash_is_compared_with_the_whole_path() {
        let filter = filter(&[], &["build/*.o", "/top", "cache/**"]);
        assert!(
            !filter.takes(b"build/a.o") && filter.takes(b"build/sub/a.o") && filter.takes(b"x/build/a.o")
        );
        assert!(!filter.takes(b"top") || filter.takes(b"sub/top"));
        assert!(!filter.takes(b"cache/a/b"));
    }

    #[test]
    fn a_name_is_taken_where_no_directory_above_it_is_excluded() {
        let filter = filter(&["*.txt"], &["secret", "/top/sub"]);
        for taken in ["a.txt", "deep/down/a.txt", "x/top/sub/a.txt"] {
            assert!(filter.takes_below(taken.as_bytes()), "{taken}");
        }
        for excluded in ["a.bin", "secret/a.txt", "x/secret/y/a.txt", "top/sub/a.txt", "secret"] {
            assert!(!filter.takes_below(excluded.as_bytes()), "{excluded}");
        }
        assert!(Filter::default().takes_below(b"/any//thing"));
    }

    #[test]
    fn names_that_are_not_utf_8_can_be_matched() {
        assert!(!filter(&[], &["*.bad"]).takes(b"\xff\xfe.bad"));
    }

    #[test]
    fn a_malformed_glob_says_which_and_where() {
        let error = Filter::new(&[], &["[a".to_owned()], &[]).expect_err("an unclosed class");
        assert!(matches!(error, FilterError::Glob { purpose: GlobPurpose::Exclude, .. }), "{error:?}");
        assert!(error.to_string().starts_with("[a: "), "{error}");
    }

    #[test]
    fn an_ignore_file_follows_gitignore() {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        writeln!(file, "# comment\n*.log\n!keep.log\n/target/").expect("written");
        let filter = Filter::new(&[], &[], &[file.path().into()]).expect("a good file");
        assert!(!filter.takes(b"x/a.log") && filter.takes(b"x/keep.log"));
        assert!(!filter.enters(b"target") && filter.enters(b"src/target"));
        let missing = Filter::new(&[], &[], &["no/such/file".into()]).expect_err("missing");
        assert!(missing.to_string().contains("no/such/file"), "{missing}");
    }
}
