//! `hashlane.list_files`: what a run would read, without reading it.

use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use arrow_array::{ArrayRef, BinaryArray, Int32Array, Int64Array, RecordBatch, TimestampMicrosecondArray};
use arrow_schema::{ArrowError, SchemaRef};
use hashlane_engine::{Control, Found, Halt, Summary, Taken, WalkOptions, list};
use hashlane_manifest::columns::{Column, micros};
use hashlane_objects::{Below, Objects};
use hashlane_record::{Escaped, ItemPath, Timestamp};
use pyo3::prelude::*;

use crate::records::{
    AHEAD, BATCH_BYTES, BATCH_ROWS, Batches, PATIENCE, are_objects, broken, connect, schema,
};
use crate::running::{Hand, Running};
use crate::store::whole;
use crate::{errors, reading};

const COLUMNS: [Column; 4] = [Column::Path, Column::Size, Column::Modified, Column::ModifiedNanos];

/// Begins to list files.
#[pyfunction]
#[pyo3(signature = (paths, *, follow, include, exclude))]
pub(crate) fn list_files(
    py: Python<'_>,
    paths: Vec<Vec<u8>>,
    follow: bool,
    include: Vec<String>,
    exclude: Vec<String>,
) -> PyResult<Batches> {
    let are_objects = are_objects(&paths)?;
    let paths: Vec<OsString> = paths.iter().map(|path| reading::path(path)).collect();
    let walk = reading::walk(follow, &include, &exclude)?;
    let schema = schema(&COLUMNS).map_err(broken)?;
    let its = Arc::clone(&schema);
    let running = Running::start(py, AHEAD, move |hand, control| {
        let store = are_objects.then(|| connect(&paths)).transpose()?;
        hand.begun();
        let mut listing = Listing::new(its, hand, control);
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

/// Gathers what is listed to batches.
struct Listing<'a> {
    schema: SchemaRef,
    hand: &'a Hand<RecordBatch>,
    control: &'a Control,
    paths: Vec<Vec<u8>>,
    name_bytes: usize,
    facts: Vec<Option<(u64, Timestamp)>>,
    handed: Instant,
    failed: Option<PyErr>,
}

impl<'a> Listing<'a> {
    fn new(schema: SchemaRef, hand: &'a Hand<RecordBatch>, control: &'a Control) -> Self {
        let handed = Instant::now();
        Self {
            schema,
            hand,
            control,
            paths: Vec::new(),
            name_bytes: 0,
            facts: Vec::new(),
            handed,
            failed: None,
        }
    }

    fn objects(&mut self, objects: &Objects, path: &OsStr, walk: &WalkOptions) -> PyResult<()> {
        let mut add =
            |found: Below<'_>| self.add(found.path.to_vec(), Some((found.size_bytes, whole(found.modified))));
        let listed = objects.find(path.as_encoded_bytes(), walk, &mut add);
        listed.map(drop).map_err(|error| errors::refused(Some(path), &error))
    }

    fn files(&mut self, path: &OsStr, walk: &WalkOptions) -> PyResult<()> {
        let facts = std::fs::metadata(Path::new(path)).ok();
        if !facts.as_ref().is_some_and(std::fs::Metadata::is_dir) {
            let time = |facts: &std::fs::Metadata| Timestamp {
                seconds: facts.mtime(),
                nanos: u32::try_from(facts.mtime_nsec()).unwrap_or(0),
            };
            let facts = facts.map(|facts| (facts.len(), time(&facts)));
            let _: ControlFlow<()> = self.add(path.as_encoded_bytes().to_vec(), facts);
            return Ok(());
        }
        let root = ItemPath::from(path.as_encoded_bytes());
        let listed = list(&root, walk, &mut |found| match found {
            Found::File { directory, name } => {
                let facts = directory.facts(name).ok().map(|facts| {
                    let (seconds, nanos) = facts.modified;
                    (facts.size_bytes, Timestamp { seconds, nanos })
                });
                self.add(directory.join(name.to_bytes()), facts)
            }
            Found::Failed { path, .. } => self.add(path, None),
        });
        listed.map(drop).map_err(|error| errors::system(path, &error))
    }

    /// `facts`: size and time; `None` of what could not be looked at.
    fn add(&mut self, path: Vec<u8>, facts: Option<(u64, Timestamp)>) -> ControlFlow<()> {
        if self.control.stopped().is_some() {
            return ControlFlow::Break(());
        }
        self.name_bytes += path.len();
        self.paths.push(path);
        self.facts.push(facts);
        let is_full = self.paths.len() >= BATCH_ROWS || self.name_bytes >= BATCH_BYTES;
        if is_full || self.handed.elapsed() >= PATIENCE {
            self.hand_over()
        } else {
            ControlFlow::Continue(())
        }
    }

    fn hand_over(&mut self) -> ControlFlow<()> {
        self.handed = Instant::now();
        if self.paths.is_empty() {
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

    fn batch(&mut self) -> Taken {
        let times = self.facts.iter().zip(&self.paths).map(|(facts, path)| {
            let beyond = || {
                let path = Escaped(path);
                ArrowError::InvalidArgumentError(format!(
                    "{path}: its time of change does not fit into a column of 64 bits"
                ))
            };
            facts.map(|(_, time)| micros(time).ok_or_else(beyond)).transpose()
        });
        let times = times.collect::<Result<Vec<_>, _>>()?;
        let sizes = self.facts.iter().map(|facts| facts.map(|(size, _)| size.try_into()).transpose());
        let paths = self.paths.iter().map(Some).collect::<BinaryArray>();
        let sizes = sizes.collect::<Result<Int64Array, _>>()?;
        let micros = times.iter().map(|time| time.map(|(micros, _)| micros));
        let micros = micros.collect::<TimestampMicrosecondArray>().with_timezone("UTC");
        let nanos = times.iter().map(|time| time.map(|(_, nanos)| nanos)).collect::<Int32Array>();
        let columns: Vec<ArrayRef> =
            vec![Arc::new(paths), Arc::new(sizes), Arc::new(micros), Arc::new(nanos)];
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)?;
        self.paths.clear();
        self.facts.clear();
        self.name_bytes = 0;
        self.hand.give(batch)
    }

    fn ended(self) -> PyResult<Summary> {
        self.failed.map_or_else(|| Ok(Summary::default()), Err)
    }
}
