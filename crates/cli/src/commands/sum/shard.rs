//! One part of what is listed, where several machines share it.

use std::ffi::{CStr, OsStr, OsString};
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use hashlane_engine::{Found, Slice, Survey, WalkOptions, list_by, seen_by};
use hashlane_io::Directory;
use hashlane_manifest::{Format, Listing, Shard};
use hashlane_objects::{Below, Objects};
use hashlane_record::ItemPath;
use hashlane_report::text;
use hashlane_verify::lies_within;

use crate::args::SumArgs;
use crate::hints::store_problem;
use crate::inputs::{Inputs, open_list};
use crate::status::Ended;

/// Threads that list and look at files: each waits for a round trip most of the time where it matters.
const THREADS: usize = 8;

/// Files that wait to be looked at.
const WAITING: usize = 256 * THREADS;

/// Directories whose files wait to be looked at. Each has a descriptor, and where none is left files are looked at by their whole paths.
const DIRECTORIES: usize = 32;

/// Lists everything, and finds out which part of it is this one.
pub(super) fn find(
    args: &SumArgs,
    (inputs, format): (&Inputs, Format),
    store: Option<&Objects>,
    walk: &WalkOptions,
) -> anyhow::Result<Option<(Slice, Shard)>> {
    let Some((index, count)) = args.shard else { return Ok(None) };
    if !format.holds_shard() {
        return Err(Ended::usage(hashlane_manifest::Error::ShardNotHeld { format }));
    }
    // What is not listed would be missed by nobody.
    if let (Inputs::Paths(paths), Some(_)) = (inputs, store)
        && paths.len() < args.paths.len()
    {
        return Err(Ended::unreadable("--shard: all names have to be there; leave out those that are not"));
    }
    if let Some(output) = &args.output {
        refuse_listed(output, inputs)?;
    }
    let mut survey = Survey::new();
    match (inputs, store) {
        (Inputs::Paths(paths), Some(store)) => {
            for path in paths {
                let mut add = |found: Below<'_>| {
                    survey.add(found.path, Some(found.size_bytes));
                    ControlFlow::Continue(())
                };
                let name = path.as_bytes();
                let listed = store.find(name, walk, &mut add);
                listed.map_err(|error| Ended::unreadable(store_problem(name, &error)))?;
            }
            store.traffic().forget_markers();
        }
        (Inputs::Paths(paths), None) => {
            if paths.is_empty() || paths.iter().any(|path| path == "-") {
                return Err(Ended::usage(
                    "--shard: standard input cannot be split; name files or directories",
                ));
            }
            for path in paths {
                add_path(path.as_bytes(), !args.walk.no_recursive, walk, &mut survey)?;
            }
        }
        (Inputs::List { file, zero }, store) => {
            if !fs::metadata(file).is_ok_and(|facts| facts.is_file()) {
                return Err(Ended::usage(
                    "--shard: a list is read twice, so it cannot come through a pipe; write it to a file first",
                ));
            }
            for name in open_list(file, *zero)? {
                let name = name.map_err(|problem| {
                    Ended::unreadable(format!("--shard: {}: {problem}", text::name(file.as_bytes())))
                })?;
                // To ask for the size of each object would be as many requests as to read them.
                let facts = if store.is_none() { fs::metadata(name.as_path()).ok() } else { None };
                let is_wanted = facts.as_ref().is_none_or(|facts| lies_within(walk.filter.bounds(), facts));
                let bytes = facts.map_or(0, |facts| facts.len());
                survey.add(name.as_bytes(), is_wanted.then_some(bytes));
            }
        }
    }
    let (slice, part) = survey.slice(index - 1, count);
    let all = survey.amount();
    let listing = Listing { files: all.things, bytes: all.bytes, digest: survey.digest() };
    Ok(Some((
        slice,
        Shard {
            index,
            count,
            files: part.things,
            bytes: part.bytes,
            names: (part.before, part.through),
            listing,
        },
    )))
}

/// What is said of it at the end.
pub(super) fn line(shard: &Shard) -> String {
    let Shard { index, count, files, bytes, listing, .. } = shard;
    format!(
        "shard {index} of {count}: {} of {}, {} of {}",
        text::count(*files),
        text::counted(listing.files, "file"),
        text::decimal(*bytes as f64),
        text::decimal(listing.bytes as f64)
    )
}

/// Lists what a run finds at a path, in its order.
fn add_path(path: &[u8], walks: bool, walk: &WalkOptions, survey: &mut Survey) -> anyhow::Result<()> {
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
    walked
        .map(drop)
        .map_err(|error| Ended::unreadable(format!("{}: {}", text::name(path), text::system(&error))))
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

/// Refuses an output below what is listed: each machine would list those of the others.
fn refuse_listed(output: &Path, inputs: &Inputs) -> anyhow::Result<()> {
    let Inputs::Paths(paths) = inputs else { return Ok(()) };
    let directory = output.parent().filter(|parent| !parent.as_os_str().is_empty());
    let Ok(directory) = fs::canonicalize(directory.unwrap_or(Path::new("."))) else { return Ok(()) };
    let is_above = |path: &&OsString| {
        fs::canonicalize(path).is_ok_and(|path| path.is_dir() && directory.starts_with(path))
    };
    match paths.iter().find(is_above) {
        Some(path) => Err(Ended::usage(format!(
            "--output {}: lies below {}, where the other shards would list it; write it elsewhere",
            crate::output::shown(output),
            text::name(path.as_bytes())
        ))),
        None => Ok(()),
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
