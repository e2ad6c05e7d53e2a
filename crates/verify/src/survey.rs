//! A look at all that a run would read: its names and sizes, by which several machines share it.

use std::ffi::{CStr, OsStr};
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;
use std::{fs, io};

use hashlane_engine::{Found, Slice, Survey, WalkOptions, list_by, seen_by};
use hashlane_io::{Directory, directory_of};
use hashlane_manifest::names::Names;
use hashlane_manifest::{LineProblem, Listing, Shard};
use hashlane_record::ItemPath;

use crate::selection::lies_within;

/// Threads that list and look at files: each waits for a round trip most of the time where it matters.
const THREADS: usize = 8;

/// Files that wait to be looked at.
const WAITING: usize = 256 * THREADS;

/// Directories whose files wait to be looked at. Each has a descriptor, and where none is left files are looked at by their whole paths.
const DIRECTORIES: usize = 32;

/// One of `count` parts of what was surveyed, from 1: what is read of it, and what its list says of itself.
pub fn shard_of(mut survey: Survey, index: u32, count: u32) -> (Slice, Shard) {
    let (slice, part) = survey.slice(index - 1, count);
    let all = survey.amount();
    let listing = Listing { files: all.things, bytes: all.bytes, digest: survey.digest() };
    let (files, bytes, names) = (part.things, part.bytes, (part.before, part.through));
    (slice, Shard { index, count, files, bytes, names, listing })
}

/// Whether a file that is written lies in a directory that is listed, or below it.
pub fn lies_below(file: &Path, listed: &OsStr) -> bool {
    let directory = fs::canonicalize(directory_of(file));
    let listed = fs::canonicalize(listed).ok().filter(|path| path.is_dir());
    directory.is_ok_and(|directory| listed.is_some_and(|listed| directory.starts_with(listed)))
}

/// Surveys what a run finds at a path, in its order. `walks`: of a directory that is what lies below it.
///
/// # Errors
/// The path cannot be listed.
pub fn survey_path(path: &[u8], walks: bool, walk: &WalkOptions, survey: &mut Survey) -> io::Result<()> {
    let facts = fs::metadata(Path::new(OsStr::from_bytes(path))).ok();
    if !walks || !facts.as_ref().is_some_and(fs::Metadata::is_dir) {
        let is_wanted = facts.as_ref().is_none_or(|facts| lies_within(walk.filter.bounds(), facts));
        survey.add(path, is_wanted.then(|| facts.map_or(0, |facts| facts.len())));
        return Ok(());
    }
    let mut looking = Looking { survey, walk, found: Vec::new(), directories: 0 };
    let walked = list_by(THREADS, &ItemPath::from(path), walk, &mut |found| {
        match found {
            Found::File { directory, name } => looking.add(directory, name),
            // It is for its shard to say what is wrong there.
            Found::Failed { path, .. } => looking.failed(&path),
        }
        ControlFlow::Continue(())
    });
    looking.look();
    walked.map(drop)
}

/// Surveys the files of a list of names; without their `sizes` where it takes too long to ask for them.
///
/// # Errors
/// A name is none.
pub fn survey_names(
    names: Names<'_>,
    sizes: bool,
    walk: &WalkOptions,
    survey: &mut Survey,
) -> Result<(), LineProblem> {
    for name in names {
        let name = name?;
        let facts = if sizes { fs::metadata(name.as_path()).ok() } else { None };
        let is_wanted = facts.as_ref().is_none_or(|facts| lies_within(walk.filter.bounds(), facts));
        survey.add(name.as_bytes(), is_wanted.then(|| facts.map_or(0, |facts| facts.len())));
    }
    Ok(())
}

/// Files that are listed and wait to be looked at, in the order of the listing.
struct Looking<'a> {
    survey: &'a mut Survey,
    walk: &'a WalkOptions,
    found: Vec<Waiting>,
    /// In how many directories, one after the other, these lie.
    directories: usize,
}

/// A file by its directory and its name there.
type Waiting = (Arc<Directory>, Arc<CStr>);

impl Looking<'_> {
    fn add(&mut self, directory: &Arc<Directory>, name: &CStr) {
        let lies_with_last = self.found.last().is_some_and(|(last, _)| Arc::ptr_eq(last, directory));
        self.directories += usize::from(!lies_with_last);
        self.found.push((Arc::clone(directory), name.into()));
        if self.found.len() >= WAITING || self.directories >= DIRECTORIES {
            self.look();
        }
    }

    fn failed(&mut self, path: &[u8]) {
        self.look();
        self.survey.add(path, Some(0));
    }

    /// Looks at all that waits, and surveys it.
    fn look(&mut self) {
        let seen = seen_by(THREADS, &self.found, |(directory, name)| directory.facts(name).ok());
        for ((directory, name), facts) in self.found.drain(..).zip(seen) {
            let is_wanted = facts.as_ref().is_none_or(|facts| self.walk.filter.bounds().take(facts));
            let bytes = facts.map_or(0, |facts| facts.size_bytes);
            self.survey.add(&directory.join(name.to_bytes()), is_wanted.then_some(bytes));
        }
        self.directories = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_several_threads_look_at_are_surveyed_in_the_order_of_the_listing() {
        let root = tempfile::tempdir().expect("a directory");
        let path = root.path().as_os_str().as_bytes();
        let mut expected = Survey::new();
        // More directories than wait at a time, and in the last one more files.
        let of_directory = |number: usize| if number == 39 { WAITING + 5 } else { number };
        for number in 0..40 {
            let directory = root.path().join(format!("{number:02}"));
            fs::create_dir(&directory).expect("made");
            for name in 0..of_directory(number) {
                let (file, size) = (directory.join(format!("{name:05}")), name % 7);
                // What is gone counts with no bytes.
                match name % 97 {
                    96 => std::os::unix::fs::symlink("gone", &file).expect("linked"),
                    _ => fs::write(&file, vec![0; size]).expect("written"),
                }
                let bytes = if name % 97 == 96 { 0 } else { size as u64 };
                expected.add(file.as_os_str().as_bytes(), Some(bytes));
            }
        }
        let mut survey = Survey::new();
        let walk = WalkOptions::default();
        let mut looking = Looking { survey: &mut survey, walk: &walk, found: Vec::new(), directories: 0 };
        let mut most = (0, 0);
        for number in 0..40 {
            let name = [path, format!("/{number:02}").as_bytes()].concat();
            let directory = Arc::new(Directory::by_path(name.clone()));
            for name in 0..of_directory(number) {
                let name = std::ffi::CString::new(format!("{name:05}")).expect("no NUL");
                looking.add(&directory, &name);
                most = (most.0.max(looking.found.len()), most.1.max(looking.directories));
            }
        }
        looking.look();
        assert_eq!((survey.amount(), survey.digest()), (expected.amount(), expected.digest()));
        assert!(most.0 < WAITING && most.1 == DIRECTORIES - 1, "{most:?}");
    }
}
