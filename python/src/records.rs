//! `hashlane.sum_files`: the records of a run as batches of Arrow, whose columns are those of our tables.

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::builder::FixedSizeBinaryBuilder;
use arrow_array::ffi::to_ffi;
use arrow_array::{
    Array as _, ArrayRef, BinaryArray, Int32Array, Int64Array, RecordBatch, StringArray, StructArray,
    TimestampMicrosecondArray,
};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef, TimeUnit};
use hashlane_digest::Algorithm;
use hashlane_engine::{Control, Halt, Input, Options, Sink, Summary, Taken};
use hashlane_manifest::columns::{Column, Ended, micros, size_bytes};
use hashlane_objects::{Connection, Objects, is_object};
use hashlane_record::{Facts, ItemPath, Record, Timestamp};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors;
use crate::hash::algorithms;
use crate::reading;
use crate::reading::Jobs;
use crate::running::{Hand, Running};

/// Rows of a batch, and the bytes of their names.
pub(crate) const BATCH_ROWS: usize = 16 << 10;
pub(crate) const BATCH_BYTES: usize = 4 << 20;

/// Batches that wait to be taken; the run then waits.
pub(crate) const AHEAD: usize = 4;

/// A batch that is not full waits no longer than this for more rows.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);

/// The records of a run, as they become available.
#[pyclass(frozen, module = "hashlane._hashlane")]
pub(crate) struct Batches {
    schema: SchemaRef,
    running: Running<RecordBatch, Summary>,
}

/// Some records: a batch of Arrow.
#[pyclass(frozen, module = "hashlane._hashlane")]
pub(crate) struct Batch(RecordBatch);

/// The columns of a table.
pub(crate) struct Columns {
    columns: Vec<Column>,
    /// Whether two more tell a file from another one that lies under its name later.
    has_identity: bool,
    schema: SchemaRef,
}

/// Begins to read files. `identity`: with the columns `ctime_ns` and `inode`.
#[pyfunction]
#[pyo3(signature = (paths, algorithm_names, *, recursive, follow, include, exclude, jobs, identity=false))]
#[expect(clippy::too_many_arguments, reason = "they are named where it is called")]
pub(crate) fn sum_files(
    py: Python<'_>,
    paths: Vec<Vec<u8>>,
    algorithm_names: Vec<String>,
    recursive: bool,
    follow: bool,
    include: Vec<String>,
    exclude: Vec<String>,
    jobs: Option<Jobs>,
    identity: bool,
) -> PyResult<Batches> {
    let algorithms: Arc<[Algorithm]> = algorithms(&algorithm_names)?.into();
    let are_objects = are_objects(&paths)?;
    let paths: Vec<OsString> = paths.iter().map(|path| reading::path(path)).collect();
    let places = paths.iter().map(OsString::as_os_str).filter(|_| !are_objects);
    let walk = reading::walk(follow, &include, &exclude)?;
    let options = reading::options(Arc::clone(&algorithms), walk, jobs, places)?;
    let columns = Columns::new(&algorithms, identity).map_err(broken)?;
    let schema = Arc::clone(&columns.schema);
    let running = Running::start(py, AHEAD, move |hand, control| {
        // Of things that are named one by one, each says what is wrong with it.
        let probed = if recursive { paths.as_slice() } else { &[] };
        let store = are_objects.then(|| connect(probed)).transpose()?;
        hand.begun();
        let inputs = paths.into_iter().map(move |path| {
            let path = ItemPath::from(path.as_encoded_bytes());
            match recursive {
                true => Input::Path(path),
                false => {
                    let algorithms = Arc::clone(&algorithms);
                    Input::File { path, base: None, algorithms, division: None, tag: Box::default() }
                }
            }
        });
        run(store, options, inputs, Gathering::new(columns, hand), control)
    })?;
    Ok(Batches { schema, running })
}

fn run(
    store: Option<Objects>,
    options: Options,
    inputs: impl Iterator<Item = Input> + Send + 'static,
    mut sink: Gathering<'_>,
    control: &Arc<Control>,
) -> PyResult<Summary> {
    let run = match store {
        None => hashlane_engine::run(options, inputs, &mut sink, control),
        Some(objects) => {
            let inputs = inputs.map(|input| Input::elsewhere(input, None));
            objects.heed(control);
            hashlane_engine::run_from(objects, options, inputs, &mut sink, control)
        }
    };
    let summary = run.map_err(|error| errors::engine(&error))?;
    match sink.hand_over() {
        Ok(()) | Err(Halt::Enough) => Ok(summary),
        Err(Halt::Failed(error)) => Err(errors::refused(None, &error)),
    }
}

/// Whether all paths are names of objects.
///
/// # Errors
/// Some are and some are not: a run reads from one kind of source.
pub(crate) fn are_objects(paths: &[Vec<u8>]) -> PyResult<bool> {
    let objects = paths.iter().filter(|path| is_object(path)).count();
    match objects {
        0 => Ok(false),
        _ if objects == paths.len() => Ok(true),
        _ => Err(PyValueError::new_err(
            "some paths are objects (s3://...) and some are not; read them by two calls",
        )),
    }
}

/// The store that the environment names, where all paths have something.
pub(crate) fn connect(paths: &[OsString]) -> PyResult<Objects> {
    let objects = Objects::new(&Connection::new()).map_err(|error| errors::refused(None, &error))?;
    for path in paths {
        objects
            .probe(path.as_encoded_bytes())
            .map_err(|error| errors::refused(Some(path.as_os_str()), &error))?;
    }
    Ok(objects)
}

impl Batches {
    pub(crate) fn new(schema: SchemaRef, running: Running<RecordBatch, Summary>) -> Self {
        Self { schema, running }
    }
}

#[pymethods]
impl Batches {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.schema).map_err(broken)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        Ok(self.running.next(py)?.map(Batch))
    }
}

#[pymethods]
impl Batch {
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The protocol leaves it to us whether another schema is possible; whoever asks for one converts the batch.
        drop(requested_schema);
        let (array, data_schema) = to_ffi(&StructArray::from(self.0.clone()).to_data()).map_err(broken)?;
        drop(data_schema);
        let schema = FFI_ArrowSchema::try_from(&*self.0.schema()).map_err(broken)?;
        let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
        Ok((schema, PyCapsule::new_with_value(py, array, c"arrow_array")?))
    }
}

/// What the library refuses of what is made here: nobody can cause it.
pub(crate) fn broken(error: ArrowError) -> PyErr {
    errors::refused(None, &format!("{error}: this is a bug in hashlane; please report it"))
}

/// The schema of batches: the columns of a table of Parquet, with their field ids as readers and writers of Parquet expect them.
pub(crate) fn schema(columns: &[Column]) -> Result<SchemaRef, ArrowError> {
    let field = |&column: &Column| {
        let kind = match column {
            Column::Path => DataType::Binary,
            Column::Size | Column::Offset => DataType::Int64,
            Column::Modified => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            Column::ModifiedNanos | Column::Errno | Column::Status => DataType::Int32,
            Column::Digest(algorithm) => DataType::FixedSizeBinary(length(algorithm)?),
            _ => DataType::Utf8,
        };
        let id = column.field_id().map(|id| ("PARQUET:field_id".to_owned(), id.to_string()));
        Ok(Field::new(column.name(), kind, column != Column::Path)
            .with_metadata(id.into_iter().collect::<HashMap<_, _>>()))
    };
    let fields = columns.iter().map(field).collect::<Result<Vec<_>, ArrowError>>()?;
    Ok(Arc::new(Schema::new(fields)))
}

fn length(algorithm: Algorithm) -> Result<i32, ArrowError> {
    i32::try_from(algorithm.length()).map_err(|error| ArrowError::SchemaError(error.to_string()))
}

/// Gathers records to batches.
struct Gathering<'a> {
    columns: Columns,
    hand: &'a Hand<RecordBatch>,
    records: Vec<Record>,
    name_bytes: usize,
    handed: Instant,
}

impl<'a> Gathering<'a> {
    fn new(columns: Columns, hand: &'a Hand<RecordBatch>) -> Self {
        Self { columns, hand, records: Vec::new(), name_bytes: 0, handed: Instant::now() }
    }

    fn hand_over(&mut self) -> Taken {
        self.handed = Instant::now();
        if self.records.is_empty() {
            return Ok(());
        }
        let Batch(batch) = self.columns.batch(&self.records)?;
        self.records.clear();
        self.name_bytes = 0;
        self.hand.give(batch)
    }
}

impl Sink for Gathering<'_> {
    fn record(&mut self, record: Record) -> Taken {
        self.name_bytes += record.path.as_bytes().len();
        self.records.push(record);
        match self.records.len() >= BATCH_ROWS || self.name_bytes >= BATCH_BYTES {
            true => self.hand_over(),
            false => Ok(()),
        }
    }

    fn tick(&mut self) -> Taken {
        if self.handed.elapsed() >= PATIENCE { self.hand_over() } else { Ok(()) }
    }
}

impl Columns {
    pub(crate) fn new(algorithms: &[Algorithm], has_identity: bool) -> Result<Self, ArrowError> {
        let columns = Column::all(algorithms);
        let mut schema = schema(&columns)?;
        if has_identity {
            let identity = IDENTITY.map(|name| Arc::new(Field::new(name, DataType::Int64, true)));
            schema =
                Arc::new(Schema::new(schema.fields().iter().cloned().chain(identity).collect::<Vec<_>>()));
        }
        Ok(Self { columns, has_identity, schema })
    }

    /// Records as a batch.
    pub(crate) fn batch(&self, records: &[Record]) -> Result<Batch, ArrowError> {
        let cells = self.columns.iter().map(|column| cells(*column, records));
        let mut cells = cells.collect::<Result<Vec<_>, _>>()?;
        if self.has_identity {
            cells.extend(identity(records));
        }
        RecordBatch::try_new(Arc::clone(&self.schema), cells).map(Batch)
    }
}

/// When anything of a file changed last, in nanoseconds since 1970, and the number of its inode.
const IDENTITY: [&str; 2] = ["ctime_ns", "inode"];

fn identity(records: &[Record]) -> [ArrayRef; 2] {
    // Objects have neither.
    let of_file = |record: &Record| record.facts.filter(|facts| facts.inode != 0);
    let changed = |facts: Facts| {
        let Timestamp { seconds, nanos } = facts.changed;
        seconds.checked_mul(1_000_000_000)?.checked_add(nanos.into())
    };
    let times = records.iter().map(|record| of_file(record).and_then(changed)).collect::<Int64Array>();
    let inodes = records.iter().map(|record| of_file(record).map(|facts| facts.inode as i64));
    [Arc::new(times), Arc::new(inodes.collect::<Int64Array>())]
}

/// The cells of a column.
fn cells(column: Column, records: &[Record]) -> Result<ArrayRef, ArrowError> {
    let ended = |record: &Record| Ended::new(record.outcome);
    let beyond = |record: &Record, what: &str| {
        let path = record.path.escaped();
        ArrowError::InvalidArgumentError(format!("{path}: {what} does not fit into a column of 64 bits"))
    };
    // A time that the columns do not hold, years from now, is none: the content of the file was read all the same.
    let modified = |record: &Record| record.facts.and_then(|facts| micros(facts.modified));
    let long = |record: &Record, value: Option<u64>, what: &str| {
        value.map(|value| i64::try_from(value).map_err(|_| beyond(record, what))).transpose()
    };
    Ok(match column {
        Column::Path => {
            let names = records.iter().map(|record| Some(record.path.as_bytes()));
            Arc::new(names.collect::<BinaryArray>())
        }
        Column::Size => longs(records, |record| long(record, size_bytes(record), "its size"))?,
        Column::Offset => {
            longs(records, |record| long(record, ended(record).offset_bytes(), "where its reading failed"))?
        }
        Column::Modified => {
            let times = records.iter().map(|record| modified(record).map(|(micros, _)| micros));
            Arc::new(times.collect::<TimestampMicrosecondArray>().with_timezone("UTC"))
        }
        Column::ModifiedNanos => ints(records, |record| modified(record).map(|(_, nanos)| nanos)),
        Column::Errno => ints(records, |record| ended(record).errno()),
        Column::Status => ints(records, |record| ended(record).status()),
        Column::Outcome => words(records, |record| Some(ended(record).outcome())),
        Column::Change => words(records, |record| ended(record).change()),
        Column::Operation => words(records, |record| ended(record).operation()),
        Column::Obstacle => words(records, |record| ended(record).obstacle()),
        Column::Error => words(records, |record| ended(record).error()),
        Column::Digest(algorithm) => {
            let mut digests = FixedSizeBinaryBuilder::with_capacity(records.len(), length(algorithm)?);
            for record in records {
                match record.digests.iter().find(|digest| digest.algorithm() == algorithm) {
                    Some(digest) => digests.append_value(digest.as_bytes())?,
                    None => digests.append_null(),
                }
            }
            Arc::new(digests.finish())
        }
        column => {
            let what = format!("{} has no form in Arrow", column.name());
            return Err(ArrowError::NotYetImplemented(what));
        }
    })
}

fn longs(
    records: &[Record],
    of: impl Fn(&Record) -> Result<Option<i64>, ArrowError>,
) -> Result<ArrayRef, ArrowError> {
    Ok(Arc::new(records.iter().map(of).collect::<Result<Int64Array, _>>()?))
}

fn ints(records: &[Record], of: impl Fn(&Record) -> Option<i32>) -> ArrayRef {
    Arc::new(records.iter().map(of).collect::<Int32Array>())
}

fn words<T: AsRef<str>>(records: &[Record], of: impl Fn(&Record) -> Option<T>) -> ArrayRef {
    Arc::new(records.iter().map(of).collect::<StringArray>())
}
