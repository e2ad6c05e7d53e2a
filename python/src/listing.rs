//! `hashlane.list_files`: what a run would read, without reading it.

use std::ffi::{CStr, OsStr, OsString};
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::{ArrayRef, BinaryArray, Int32Array, Int64Array, RecordBatch, TimestampMicrosecondArray};
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use hashlane_engine::{Control, Found, Halt, Summary, Taken, WalkOptions, list_by, seen_by};
use hashlane_io::Directory;
use hashlane_manifest::columns::{Column, micros};
use hashlane_objects::{Below, Objects};
use hashlane_record::{ItemPath, Timestamp};
use pyo3::prelude::*;

use crate::reading::Jobs;
use crate::records::{
    AHEAD, BATCH_BYTES, BATCH_ROWS, Batches, PATIENCE, are_objects, broken, connect, schema,
};
use crate::running::{Hand, Running};
use crate::{errors, reading};

const COLUMNS: [Column; 4] = [Column::Path, Column::Size, Column::Modified, Column::ModifiedNanos];

/// Threads that list and look at files, unless another number is asked for: each waits for a round trip most of the time where it matters.
const JOBS: usize = 8;

/// More threads than that have nothing to do: this many directories are listed ahead.
const MOST_JOBS: usize = 64;

/// Files that wait to be looked at, for each thread. Whether the listing is to end is asked in between.
const WAITING: usize = 256;

/// Directories whose files wait to be looked at, for each thread and in all. Each has a descriptor, and where none is left files are looked
/// at by their whole paths.
const DIRECTORIES_OF_THREAD: usize = 4;
const DIRECTORIES: usize = 32;

/// Begins to list files.
#[pyfunction]
#[pyo3(signature = (paths, *, follow, include, exclude, jobs))]
pub(crate) fn list_files(
    py: Python<'_>,
    paths: Vec<Vec<u8>>,
    follow: bool,
    include: Vec<String>,
    exclude: Vec<String>,
    jobs: Option<Jobs>,
) -> PyResult<Batches> {
    let jobs = jobs.map_or(JOBS, |Jobs(jobs)| jobs.min(MOST_JOBS));
    let are_objects = are_objects(&paths)?;
    let paths: Vec<OsString> = paths.iter().map(|path| reading::path(path)).collect();
    let walk = reading::walk(follow, &include, &exclude)?;
    let schema = columns().map_err(broken)?;
    let its = Arc::clone(&schema);
    let running = Running::start(py, AHEAD, move |hand, control| {
        let store = are_objects.then(|| connect(&paths)).transpose()?;
        hand.begun();
        let mut listing = Listing::new(its, hand, control, jobs);
        for path in &paths {
            match &store {
                Some(objects) => listing.objects(objects, path, &walk)?,
                None => listing.files(path, &walk)?,
            }
        }
        let _: ControlFlow<()> = listing.hand_over();
        listing.ended()
    })?;
    Ok(Batches::new(schema, running))
}

/// The columns: those of a table that can be known, and when a file was last changed in any way.
fn columns() -> Result<SchemaRef, ArrowError> {
    let table = schema(&COLUMNS)?;
    let of_time = ["mtime", "mtime_nanos"].map(|name| table.field_with_name(name));
    let changed = of_time.into_iter().zip(["ctime", "ctime_nanos"]);
    let changed = changed.map(|(field, name)| Ok(Field::new(name, field?.data_type().clone(), true)));
    let fields = table.fields().iter().map(|field| Ok((**field).clone())).chain(changed);
    Ok(Arc::new(Schema::new(fields.collect::<Result<Vec<_>, ArrowError>>()?)))
}

/// Gathers what is listed to batches.
struct Listing<'a> {
    schema: SchemaRef,
    hand: &'a Hand<RecordBatch>,
    control: &'a Control,
    jobs: usize,
    paths: Vec<Vec<u8>>,
    name_bytes: usize,
    /// What was seen by the first of these paths.
    seen: Vec<Seen>,
    /// What is listed by the others, and waits to be looked at.
    found: Vec<Listed>,
    /// In how many directories, one after the other, these lie.
    directories: usize,
    handed: Instant,
    failed: Option<PyErr>,
}

/// What is seen of something without reading it; `None` of what could not be looked at.
type Seen = Option<Looks>;

/// How something looks. A content that is another one looks otherwise, unless somebody goes to great length.
#[derive(Clone, Copy, Debug)]
struct Looks {
    size_bytes: u64,
    modified: Timestamp,
    /// Of a file, the last change of anything about it: nobody sets this time.
    changed: Option<Timestamp>,
}

/// What is listed.
enum Listed {
    /// A file that is to be looked at.
    File(Arc<Directory>, Arc<CStr>),
    /// Something that all is known of.
    Known(Seen),
}

impl<'a> Listing<'a> {
    fn new(schema: SchemaRef, hand: &'a Hand<RecordBatch>, control: &'a Control, jobs: usize) -> Self {
        let handed = Instant::now();
        Self {
            schema,
            hand,
            control,
            jobs,
            paths: Vec::new(),
            name_bytes: 0,
            seen: Vec::new(),
            found: Vec::new(),
            directories: 0,
            handed,
            failed: None,
        }
    }

    fn objects(&mut self, objects: &Objects, path: &OsStr, walk: &WalkOptions) -> PyResult<()> {
        let mut add = |found: Below<'_>| {
            let (size_bytes, modified) = (found.size_bytes, found.modified);
            let seen = Some(Looks { size_bytes, modified, changed: None });
            self.add(found.path.to_vec(), Listed::Known(seen))
        };
        let listed = objects.find(path.as_encoded_bytes(), walk, &mut add);
        listed.map(drop).map_err(|error| errors::refused(Some(path), &error))
    }

    fn files(&mut self, path: &OsStr, walk: &WalkOptions) -> PyResult<()> {
        let facts = std::fs::metadata(Path::new(path)).ok();
        if !facts.as_ref().is_some_and(std::fs::Metadata::is_dir) {
            let time = |seconds, nanos| Timestamp { seconds, nanos: u32::try_from(nanos).unwrap_or(0) };
            let seen = facts.map(|facts| Looks {
                size_bytes: facts.len(),
                modified: time(facts.mtime(), facts.mtime_nsec()),
                changed: Some(time(facts.ctime(), facts.ctime_nsec())),
            });
            let _: ControlFlow<()> = self.add(path.as_encoded_bytes().to_vec(), Listed::Known(seen));
            return Ok(());
        }
        let root = ItemPath::from(path.as_encoded_bytes());
        let listed = list_by(self.jobs, &root, walk, &mut |found| match found {
            Found::File { directory, name } => {
                self.add(directory.join(name.to_bytes()), Listed::File(Arc::clone(directory), name.into()))
            }
            Found::Failed { path, .. } => self.add(path, Listed::Known(None)),
        });
        listed.map(drop).map_err(|error| errors::system(path, &error))
    }

    fn add(&mut self, path: Vec<u8>, listed: Listed) -> ControlFlow<()> {
        if self.control.stopped().is_some() {
            return ControlFlow::Break(());
        }
        self.name_bytes += path.len();
        self.paths.push(path);
        self.directories += usize::from(!listed.lies_with(self.found.last()));
        self.found.push(listed);
        if self.found.len() >= self.jobs.saturating_mul(WAITING)
            || self.directories >= self.jobs.saturating_mul(DIRECTORIES_OF_THREAD).min(DIRECTORIES)
        {
            self.look();
        }
        let is_full = self.paths.len() >= BATCH_ROWS || self.name_bytes >= BATCH_BYTES;
        if is_full || self.handed.elapsed() >= PATIENCE {
            self.hand_over()
        } else {
            ControlFlow::Continue(())
        }
    }

    fn hand_over(&mut self) -> ControlFlow<()> {
        if self.paths.is_empty() {
            self.handed = Instant::now();
            return ControlFlow::Continue(());
        }
        match self.batch() {
            Ok(()) => ControlFlow::Continue(()),
            Err(Halt::Enough) => ControlFlow::Break(()),
            Err(Halt::Failed(error)) => {
                self.failed = Some(errors::refused(None, &error));
                ControlFlow::Break(())
            }
        }
    }

    fn look(&mut self) {
        self.seen.extend(seen_by(self.jobs, &self.found, Listed::seen));
        self.found.clear();
        self.directories = 0;
    }

    fn batch(&mut self) -> Taken {
        self.look();
        let seen = std::mem::take(&mut self.seen);
        // From here on: to look at them may have taken longer than a batch waits.
        self.handed = Instant::now();
        let sizes = seen.iter().map(|looks| looks.map(|looks| looks.size_bytes.try_into()).transpose());
        let sizes = sizes.collect::<Result<Int64Array, _>>()?;
        let [modified, modified_nanos] = times(&seen, |looks| Some(looks.modified));
        let [changed, changed_nanos] = times(&seen, |looks| looks.changed);
        let paths = self.paths.iter().map(Some).collect::<BinaryArray>();
        let columns: Vec<ArrayRef> =
            vec![Arc::new(paths), Arc::new(sizes), modified, modified_nanos, changed, changed_nanos];
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)?;
        self.paths.clear();
        self.name_bytes = 0;
        self.hand.give(batch)
    }

    fn ended(self) -> PyResult<Summary> {
        self.failed.map_or_else(|| Ok(Summary::default()), Err)
    }
}

/// The two columns of a time. One that they do not hold, years from now, is none.
fn times(seen: &[Seen], time: impl Fn(Looks) -> Option<Timestamp>) -> [ArrayRef; 2] {
    let times: Vec<_> = seen.iter().map(|looks| looks.and_then(&time).and_then(micros)).collect();
    let micros = times.iter().map(|time| time.map(|(micros, _)| micros));
    let micros = micros.collect::<TimestampMicrosecondArray>().with_timezone("UTC");
    let nanos = times.iter().map(|time| time.map(|(_, nanos)| nanos)).collect::<Int32Array>();
    [Arc::new(micros), Arc::new(nanos)]
}

impl Listed {
    /// Whether it needs no other directory than what was listed before it.
    fn lies_with(&self, before: Option<&Self>) -> bool {
        match (self, before) {
            (Self::Known(_), _) => true,
            (Self::File(directory, _), Some(Self::File(other, _))) => Arc::ptr_eq(directory, other),
            (Self::File(..), _) => false,
        }
    }

    fn seen(&self) -> Seen {
        match self {
            Self::Known(seen) => *seen,
            Self::File(directory, name) => directory.facts(name).ok().map(|facts| {
                let time = |(seconds, nanos)| Timestamp { seconds, nanos };
                Looks {
                    size_bytes: facts.size_bytes,
                    modified: time(facts.modified),
                    changed: Some(time(facts.changed)),
                }
            }),
        }
    }
}
