//! Reads tables of Parquet, ours and those that other programs made of them.
//!
//! A row is an item. What a cell of it should not have is a problem of that row; where the table itself is damaged the rest is
//! not read. A digest may be text as well, hexadecimal or base64.

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt as _;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use bytes::Bytes;
use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{ItemPath, Outcome, Timestamp};
use parquet::basic::{Compression, ConvertedType, LogicalType, TimeUnit, Type as Physical};
use parquet::column::reader::{ColumnReaderImpl, get_column_reader, get_typed_column_reader};
use parquet::data_type::{
    BoolType, ByteArrayType, DataType, FixedLenByteArrayType, Int32Type, Int64Type, Int96, Int96Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::ColumnDescriptor;

use super::pages::{CONTRADICTION, Checked, Rebuilt};
use super::{BROKEN_OFF, FIRST_FIELD, HEADER_KEY, SCHEMA_KEY, VERSION, VERSION_KEY, pages, told};
use crate::columns::Column;
use crate::error::Error;
use crate::format::{Format, Parser, Setup};
use crate::formats::jsonl;
use crate::header::Recorded;
use crate::item::{Item, keep_wanted};
use crate::lines::{BLOCK_BYTES, LineEnds, Lines};
use crate::problem::{LineProblem, ProblemKind, excerpt};
use crate::shape::SCHEMA;
use crate::text::{checked_name, decode};
use crate::words::{CHANGES, FAILED, Failed, READ, UNSTABLE, named_in};

/// Rows read at once.
pub(crate) const BATCH_ROWS: usize = 1 << 10;

/// What is read at once of a table whose places are not known yet, in bytes.
const READ_AHEAD_BYTES: usize = 64 << 10;

/// A table, as a file that can be read anywhere.
#[derive(Debug)]
pub(crate) struct Place {
    file: Arc<File>,
    length: u64,
}

/// What comes from a place on.
pub(crate) struct Rest {
    file: Arc<File>,
    offset: u64,
}

struct Table {
    file: Arc<Place>,
    metadata: Arc<ParquetMetaData>,
    columns: Vec<Known>,
    algorithms: Vec<Algorithm>,
    wanted: Option<Algorithm>,
    recorded: Recorded,
    /// The next group of rows.
    group: usize,
    /// The columns of the group that is read, and rows of it that were not read.
    open: Vec<Cells>,
    left: u64,
    /// Rows that were read and not taken.
    ready: usize,
    /// The row that was taken last, from 1.
    row: u64,
    /// Columns that are not read, which is said first.
    not_read: Vec<ProblemKind>,
    /// Whether the run that wrote it was broken off, which is said at the end.
    is_broken_off: bool,
    has_ended: bool,
}

/// A column that is read.
struct Known {
    column: Column,
    /// How many of its units are a second, where it has times.
    unit: i64,
    /// Its numbers of 32 bits have no sign.
    is_unsigned: bool,
    /// Its place in the table.
    place: usize,
}

/// The cells of a column.
pub(crate) enum Cells {
    Bools(Values<BoolType>),
    Bytes(Values<ByteArrayType>),
    Fixed(Values<FixedLenByteArrayType>),
    Ints(Values<Int32Type>),
    Longs(Values<Int64Type>),
    /// Times as programs wrote them before the format had such: days, and nanoseconds of the day.
    Days(Values<Int96Type>),
}

pub(crate) struct Values<T: DataType> {
    reader: ColumnReaderImpl<T>,
    values: Vec<T::T>,
    /// Which rows have a value; empty where all have one.
    levels: Vec<i16>,
    is_optional: bool,
    row: usize,
    value: usize,
}

/// Why the rest cannot be read.
pub(crate) enum Broken {
    Input(io::Error),
    Table(String),
}

pub(super) fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    let Setup { format, wanted, untold_only, file, .. } = setup;
    let file = match file {
        Some(file) => file,
        None => copied(lines)?,
    };
    let file = Arc::new(Place::of(file)?);
    let metadata = pages::metadata(&file).map_err(Broken::from);
    let metadata = Arc::new(metadata.map_err(|broken| match broken {
        Broken::Input(source) => Error::Input { source },
        Broken::Table(what) => Error::Table { what },
    })?);
    let (mut recorded, is_broken_off) = said(&metadata)?;
    let (columns, mut not_read) = columns(&file, &metadata, format)?;
    recorded.columns_passed_over = passed_over(&metadata);
    not_read.reverse();
    let algorithms: Vec<_> = columns.iter().filter_map(|known| algorithm(known.column)).collect();
    if let Some(algorithm) = wanted.filter(|wanted| !algorithms.contains(wanted)) {
        return Err(Error::AlgorithmNotListed { format, algorithm, columns: algorithms });
    }
    let open = Vec::new();
    Ok(Box::new(Table {
        file,
        metadata,
        columns,
        algorithms,
        wanted,
        recorded,
        group: 0,
        open,
        left: 0,
        ready: 0,
        row: 0,
        not_read,
        is_broken_off,
        // Every digest has the name of its algorithm above it.
        has_ended: untold_only,
    }))
}

/// What comes through a pipe, in a file without a name: a table is read from its end.
fn copied(lines: &mut Lines<'_>) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    loop {
        let block = lines.take(BLOCK_BYTES)?;
        if block.is_empty() {
            break;
        }
        file.write_all(block)?;
    }
    Ok(file)
}

fn algorithm(column: Column) -> Option<Algorithm> {
    match column {
        Column::Digest(algorithm) => Some(algorithm),
        _ => None,
    }
}

/// What the table says of itself, and whether it is not all of it.
fn said(metadata: &ParquetMetaData) -> Result<(Recorded, bool), Error> {
    let said = metadata.file_metadata().key_value_metadata();
    let value = |key: &str| {
        let found = said.and_then(|said| said.iter().find(|said| said.key == key))?;
        found.value.as_deref()
    };
    let version =
        value(VERSION_KEY).filter(|version| value(SCHEMA_KEY) == Some(SCHEMA) && *version != VERSION);
    if let Some(version) = version {
        return Err(Error::TableVersion { version: excerpt(version.as_bytes()) });
    }
    let mut recorded = Recorded::default();
    if let Some(header) = value(HEADER_KEY) {
        let mut lines = Lines::new(Box::new(io::Cursor::new(header.to_owned())), LineEnds::Lf);
        recorded = jsonl::parser::header(&mut lines)?;
    }
    Ok((recorded, value(BROKEN_OFF) == Some("true")))
}

/// The columns to read, and what is to be said of those with a known name that are not. Others are passed over.
fn columns(
    file: &Arc<Place>,
    metadata: &ParquetMetaData,
    format: Format,
) -> Result<(Vec<Known>, Vec<ProblemKind>), Error> {
    let schema = metadata.file_metadata().schema_descr();
    let (mut columns, mut not_read): (Vec<Known>, Vec<ProblemKind>) = (Vec::new(), Vec::new());
    for (place, descriptor) in schema.columns().iter().enumerate() {
        let named = Column::named(descriptor.name()).filter(|_| descriptor.path().parts().len() == 1);
        // Tables of others have something else of that name.
        let is_ours = |column: &Column| *column != Column::Inode || is_read(*column, descriptor);
        let Some(column) = named.filter(is_ours) else { continue };
        if !is_read(column, descriptor) {
            let found = shown_type(descriptor);
            not_read.push(ProblemKind::ColumnNotRead { column: column.name(), found });
            continue;
        }
        if columns.iter().any(|known| known.column == column) {
            return Err(Error::DuplicateColumn { format, column: column.name().to_owned() });
        }
        check_readable(file, metadata, place, column.name())?;
        let (unit, is_unsigned) = (unit(descriptor).unwrap_or(1), is_unsigned(descriptor));
        columns.push(Known { column, unit, is_unsigned, place });
    }
    let has = |wanted: fn(Column) -> bool| columns.iter().any(|known| wanted(known.column));
    if has(|column| column == Column::Path) && has(|column| algorithm(column).is_some()) {
        return Ok((columns, not_read));
    }
    let shown = |column: &Arc<ColumnDescriptor>| {
        format!("{} ({})", excerpt(column.path().string().as_bytes()), shown_type(column))
    };
    Err(Error::MissingColumns {
        format,
        columns: schema.columns().iter().take(MOST_NAMED).map(shown).collect(),
    })
}

/// The columns that mean nothing here, as many as are named.
fn passed_over(metadata: &ParquetMetaData) -> Vec<String> {
    let schema = metadata.file_metadata().schema_descr();
    let is_known = |column: &&Arc<ColumnDescriptor>| {
        column.path().parts().len() == 1 && Column::named(column.name()).is_some()
    };
    let others = schema.columns().iter().filter(|column| !is_known(column)).take(MOST_NAMED);
    others.map(|column| excerpt(column.path().string().as_bytes()).to_string()).collect()
}

/// The type of a column, as the format calls it.
fn shown_type(descriptor: &ColumnDescriptor) -> String {
    match (descriptor.max_rep_level(), descriptor.converted_type()) {
        (1.., _) => "of lists".to_owned(),
        (_, ConvertedType::NONE) => descriptor.physical_type().to_string(),
        (_, converted) => format!("{} {converted}", descriptor.physical_type()),
    }
}

/// Refuses a column that is encrypted, or compressed in a way that this program was not built with.
pub(crate) fn check_readable(
    file: &Arc<Place>,
    metadata: &ParquetMetaData,
    place: usize,
    column: &str,
) -> Result<(), Error> {
    let Some(chunk) = metadata.row_groups().first().and_then(|group| group.columns().get(place)) else {
        return Ok(());
    };
    if is_encrypted(file, chunk) {
        return Err(Error::Table { what: format!("its column `{column}` is encrypted") });
    }
    match chunk.compression() {
        codec @ (Compression::BROTLI(_) | Compression::LZO) => {
            let name = if codec == Compression::LZO { "LZO" } else { "Brotli" };
            Err(Error::Table {
                what: format!(
                    "its column `{column}` is compressed with {name}, which is not read; write it with zstd"
                ),
            })
        }
        _ => Ok(()),
    }
}

/// Whether the pages of a column are encrypted, where what the table says of itself is not: each part then begins with its length, and not
/// with a structure.
fn is_encrypted(file: &Arc<Place>, chunk: &ColumnChunkMetaData) -> bool {
    let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
    let first = u64::try_from(start).ok().and_then(|start| file.get_bytes(start, 4).ok());
    let Some(first) = first.and_then(|first| <[u8; 4]>::try_from(&first[..]).ok()) else { return false };
    first[0] != FIRST_FIELD && i64::from(u32::from_le_bytes(first)) < chunk.compressed_size()
}

/// This many columns of a table that is not ours are named.
const MOST_NAMED: usize = 16;

/// Whether the type of a column is one that is read for what it is named after.
fn is_read(column: Column, descriptor: &ColumnDescriptor) -> bool {
    let is_flat = descriptor.max_rep_level() == 0 && descriptor.max_def_level() <= 1;
    let physical = descriptor.physical_type();
    let is_decimal = descriptor.converted_type() == ConvertedType::DECIMAL;
    let is_text = physical == Physical::BYTE_ARRAY && !is_decimal;
    let is_number = matches!(physical, Physical::INT32 | Physical::INT64) && !is_decimal;
    is_flat
        && match column {
            Column::Modified => {
                physical == Physical::INT96 || physical == Physical::INT64 && unit(descriptor).is_some()
            }
            Column::Digest(_) => is_text || physical == Physical::FIXED_LEN_BYTE_ARRAY && !is_decimal,
            Column::Size
            | Column::ModifiedNanos
            | Column::Errno
            | Column::Status
            | Column::Offset
            | Column::Inode => is_number,
            _ => is_text,
        }
}

/// How many of its units are a second, where a column has times.
pub(crate) fn unit(descriptor: &ColumnDescriptor) -> Option<i64> {
    match (descriptor.logical_type_ref(), descriptor.converted_type()) {
        (Some(LogicalType::Timestamp(time)), _) => Some(match time.unit {
            TimeUnit::MILLIS => 1_000,
            TimeUnit::MICROS => 1_000_000,
            TimeUnit::NANOS => 1_000_000_000,
        }),
        // As programs wrote them before there were logical types.
        (None, ConvertedType::TIMESTAMP_MILLIS) => Some(1_000),
        (None, ConvertedType::TIMESTAMP_MICROS) => Some(1_000_000),
        _ => None,
    }
}

/// Whether a column of 32 bits has no sign.
fn is_unsigned(descriptor: &ColumnDescriptor) -> bool {
    descriptor.physical_type() == Physical::INT32 && descriptor.converted_type() == ConvertedType::UINT_32
}

impl Parser for Table {
    fn next(&mut self, _: &mut Lines<'_>) -> Option<Result<Item, LineProblem>> {
        if self.has_ended {
            return None;
        }
        if let Some(kind) = self.not_read.pop() {
            return Some(Err(LineProblem::new(0, 0, kind, b"")));
        }
        match self.fill() {
            Ok(true) => {}
            Ok(false) => {
                self.has_ended = true;
                let end = self.is_broken_off.then(|| problem(self.row + 1, ProblemKind::TableBrokenOff));
                return end.map(Err);
            }
            Err(broken) => {
                self.has_ended = true;
                let kind = match broken {
                    Broken::Input(error) => ProblemKind::Input(error),
                    Broken::Table(what) => ProblemKind::Table { what, left: self.rows_left() },
                };
                return Some(Err(problem(self.row + 1, kind)));
            }
        }
        self.ready -= 1;
        self.row += 1;
        let mut row = Row::default();
        for (known, cells) in self.columns.iter().zip(&mut self.open) {
            row.take(known, cells);
        }
        let path = row.path;
        let item = row.item(self.row, self.wanted);
        Some(item.map_err(|kind| problem(self.row, kind).of_file(path.map(ItemPath::new))))
    }

    fn recorded(&self) -> Option<&Recorded> {
        Some(&self.recorded)
    }

    fn algorithms(&self) -> &[Algorithm] {
        &self.algorithms
    }
}

impl Table {
    /// How many rows there are behind the one that was taken last.
    fn rows_left(&self) -> u64 {
        let rows =
            self.metadata.row_groups().iter().map(|group| u64::try_from(group.num_rows()).unwrap_or(0));
        rows.sum::<u64>().saturating_sub(self.row)
    }

    /// Makes sure that there is a row. False at the end.
    fn fill(&mut self) -> Result<bool, Broken> {
        while self.ready == 0 {
            if self.left == 0 {
                if self.group == self.metadata.num_row_groups() {
                    return Ok(false);
                }
                self.open = self.open_group()?;
                self.left = u64::try_from(self.metadata.row_group(self.group).num_rows()).unwrap_or(0);
                self.group += 1;
                continue;
            }
            let rows = usize::try_from(self.left).unwrap_or(BATCH_ROWS).min(BATCH_ROWS);
            let open = &mut self.open;
            let read =
                guarded(|| open.iter_mut().map(|cells| cells.fill(rows)).collect::<Result<Vec<_>, _>>())?;
            if read.iter().any(|&read| read != rows) {
                return Err(Broken::Table("a column has fewer rows than the table".to_owned()));
            }
            self.left -= rows as u64;
            self.ready = rows;
        }
        Ok(true)
    }

    /// The columns of the next group.
    fn open_group(&self) -> Result<Vec<Cells>, Broken> {
        let group = self.metadata.row_group(self.group);
        let rebuilt = Rebuilt::default();
        let cells = |&Known { place, .. }: &Known| Cells::of(&self.file, group, place, &rebuilt);
        guarded(|| self.columns.iter().map(cells).collect())
    }
}

fn problem(row: u64, kind: ProblemKind) -> LineProblem {
    LineProblem::new(row, 0, kind, b"").entry_if(true)
}

/// Does what reads the table. A table that nobody would write makes the library panic at some places, which then is no more
/// than a damaged table.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, Broken> {
    match panic::catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => done.map_err(Broken::from),
        Err(_) => Err(Broken::Table(CONTRADICTION.to_owned())),
    }
}

impl From<ParquetError> for Broken {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(error) => match error.downcast::<io::Error>() {
                Ok(error) => Self::Input(*error),
                Err(error) => Self::Table(error.to_string()),
            },
            error => Self::Table(told(&error)),
        }
    }
}

impl<T: DataType> Values<T> {
    fn new(reader: ColumnReaderImpl<T>, is_optional: bool) -> Self {
        Self { reader, values: Vec::new(), levels: Vec::new(), is_optional, row: 0, value: 0 }
    }

    /// Reads `rows` rows, fewer only at the end of the group.
    fn fill(&mut self, rows: usize) -> Result<usize, ParquetError> {
        self.values.clear();
        self.levels.clear();
        (self.row, self.value) = (0, 0);
        let levels = Some(&mut self.levels).filter(|_| self.is_optional);
        let (read, ..) = self.reader.read_records(rows, levels, None, &mut self.values)?;
        Ok(read)
    }

    /// The cell of the next row.
    fn next(&mut self) -> Option<&T::T> {
        let is_there = !self.is_optional || self.levels.get(self.row).is_some_and(|&level| level > 0);
        self.row += 1;
        if !is_there {
            return None;
        }
        self.value += 1;
        self.values.get(self.value - 1)
    }
}

impl Cells {
    /// Those of a column in a group of rows. `rebuilt`: one for all of its columns.
    pub(crate) fn of(
        file: &Arc<Place>,
        group: &RowGroupMetaData,
        place: usize,
        rebuilt: &Rebuilt,
    ) -> Result<Self, ParquetError> {
        let rows = usize::try_from(group.num_rows())
            .map_err(|_| ParquetError::General("a negative number of rows".to_owned()))?;
        let column =
            group.columns().get(place).ok_or(ParquetError::IndexOutOfBound(place, group.num_columns()))?;
        // The library takes it for granted.
        let places = [
            column.data_page_offset(),
            column.dictionary_page_offset().unwrap_or(0),
            column.compressed_size(),
        ];
        if places.iter().any(|&place| place < 0) {
            return Err(ParquetError::General("a column begins before the table".to_owned()));
        }
        let is_optional = column.column_descr().max_def_level() > 0;
        let pages = SerializedPageReader::new(Arc::clone(file), column, rows, None)?;
        let pages = Checked::new(pages, column.column_type(), is_optional, rebuilt.clone());
        let reader = get_column_reader(column.column_descr_ptr(), Box::new(pages));
        Ok(match column.column_type() {
            Physical::BOOLEAN => Self::Bools(Values::new(get_typed_column_reader(reader), is_optional)),
            Physical::BYTE_ARRAY => Self::Bytes(Values::new(get_typed_column_reader(reader), is_optional)),
            Physical::INT32 => Self::Ints(Values::new(get_typed_column_reader(reader), is_optional)),
            Physical::INT64 => Self::Longs(Values::new(get_typed_column_reader(reader), is_optional)),
            Physical::INT96 => Self::Days(Values::new(get_typed_column_reader(reader), is_optional)),
            _ => Self::Fixed(Values::new(get_typed_column_reader(reader), is_optional)),
        })
    }

    pub(crate) fn fill(&mut self, rows: usize) -> Result<usize, ParquetError> {
        match self {
            Self::Bools(values) => values.fill(rows),
            Self::Bytes(values) => values.fill(rows),
            Self::Fixed(values) => values.fill(rows),
            Self::Ints(values) => values.fill(rows),
            Self::Longs(values) => values.fill(rows),
            Self::Days(values) => values.fill(rows),
        }
    }

    /// The bytes of the next row.
    pub(crate) fn bytes(&mut self) -> Option<&[u8]> {
        match self {
            Self::Bytes(values) => values.next().map(|value| value.data()),
            Self::Fixed(values) => values.next().map(|value| value.data()),
            Self::Bools(_) | Self::Ints(_) | Self::Longs(_) | Self::Days(_) => None,
        }
    }

    /// Whether the next row says so.
    pub(crate) fn truth(&mut self) -> Option<bool> {
        match self {
            Self::Bools(values) => values.next().copied(),
            _ => None,
        }
    }

    /// The number of the next row.
    pub(crate) fn number(&mut self) -> Option<i64> {
        match self {
            Self::Ints(values) => values.next().map(|&value| value.into()),
            Self::Longs(values) => values.next().copied(),
            Self::Bools(_) | Self::Bytes(_) | Self::Fixed(_) | Self::Days(_) => None,
        }
    }

    /// The time of the next row, where `unit` of its units are a second. An error if there is no such time.
    pub(crate) fn time(&mut self, unit: i64) -> Option<Result<Timestamp, ProblemKind>> {
        if let Self::Days(values) = self {
            return values.next().map(|days| time_of_days(days).ok_or(ProblemKind::MalformedTime));
        }
        let time = self.number()?;
        let nanos = u32::try_from(time.rem_euclid(unit) * (1_000_000_000 / unit));
        let time = nanos.map(|nanos| Timestamp { seconds: time.div_euclid(unit), nanos });
        Some(time.map_err(|_| ProblemKind::MalformedTime))
    }
}

/// The time that a day, counted as astronomers do, and nanoseconds of it are.
fn time_of_days(days: &Int96) -> Option<Timestamp> {
    const EPOCH: i64 = 2_440_588;
    const SECONDS_OF_DAY: u64 = 86_400;
    let [low, high, day] = *days.data() else { return None };
    let nanos = u64::from(high) << 32 | u64::from(low);
    let seconds = Some(nanos / 1_000_000_000).filter(|&seconds| seconds < SECONDS_OF_DAY)?;
    let days = i64::from(day.cast_signed()) - EPOCH;
    Some(Timestamp {
        seconds: days * SECONDS_OF_DAY.cast_signed() + seconds.cast_signed(),
        nanos: (nanos % 1_000_000_000) as u32,
    })
}

/// The cells of a row.
#[derive(Default)]
struct Row<'a> {
    path: Option<&'a [u8]>,
    size: Option<i64>,
    modified: Option<Result<Timestamp, ProblemKind>>,
    /// Nanoseconds beyond.
    nanos: Option<i64>,
    outcome: Option<&'a [u8]>,
    change: Option<&'a [u8]>,
    operation: Option<&'a [u8]>,
    obstacle: Option<&'a [u8]>,
    errno: Option<i64>,
    status: Option<i64>,
    offset: Option<i64>,
    inode: Option<i64>,
    digests: Vec<Digest>,
    /// What is wrong with the first digest that is none.
    wrong: Option<ProblemKind>,
}

impl<'a> Row<'a> {
    fn take(&mut self, known: &Known, cells: &'a mut Cells) {
        match known.column {
            Column::Path => self.path = cells.bytes(),
            Column::Size if known.is_unsigned => {
                self.size = cells.number().map(|number| number & i64::from(u32::MAX));
            }
            Column::Size => self.size = cells.number(),
            Column::Modified => self.modified = cells.time(known.unit),
            Column::ModifiedNanos => self.nanos = cells.number(),
            Column::Outcome => self.outcome = cells.bytes(),
            Column::Change => self.change = cells.bytes(),
            Column::Operation => self.operation = cells.bytes(),
            Column::Errno => self.errno = cells.number(),
            Column::Status => self.status = cells.number(),
            Column::Obstacle => self.obstacle = cells.bytes(),
            Column::Offset => self.offset = cells.number(),
            Column::Inode => self.inode = cells.number(),
            // What the other columns of a failure say in words.
            Column::Error => {
                cells.bytes();
            }
            Column::Digest(algorithm) => match cells.bytes().map(|bytes| digest(algorithm, bytes)) {
                None => {}
                Some(Ok(digest)) => self.digests.push(digest),
                Some(Err(kind)) => self.wrong = self.wrong.take().or(Some(kind)),
            },
        }
    }

    fn item(mut self, line: u64, wanted: Option<Algorithm>) -> Result<Item, ProblemKind> {
        let path = checked_name(self.path.unwrap_or_default())?;
        if let Some(kind) = self.wrong.take() {
            return Err(kind);
        }
        let size =
            self.size.map(|size| u64::try_from(size).map_err(|_| ProblemKind::NotASize)).transpose()?;
        let (modified, outcome) = (self.modified()?, self.outcome()?);
        if self.digests.is_empty() && matches!(outcome, None | Some(Outcome::Read)) {
            return Err(ProblemKind::NoDigest);
        }
        let mut digests = self.digests;
        keep_wanted(&mut digests, wanted);
        let inode = self.inode.and_then(|inode| NonZeroU64::new(inode.cast_unsigned()));
        Ok(Item { line, path, size, modified, digests, outcome, pieces: None, state: None, inode })
    }

    fn modified(&mut self) -> Result<Option<Timestamp>, ProblemKind> {
        let Some(Timestamp { seconds, nanos }) = self.modified.take().transpose()? else { return Ok(None) };
        let beyond = u32::try_from(self.nanos.unwrap_or(0)).ok().filter(|&nanos| nanos < 1_000);
        let nanos = beyond.map(|beyond| nanos + beyond).filter(|&nanos| nanos < 1_000_000_000);
        Ok(Some(Timestamp { seconds, nanos: nanos.ok_or(ProblemKind::MalformedTime)? }))
    }

    fn outcome(&self) -> Result<Option<Outcome>, ProblemKind> {
        let word = |cell: Option<&'a [u8]>| cell.and_then(|cell| std::str::from_utf8(cell).ok());
        let Some(cell) = self.outcome else { return Ok(None) };
        let outcome = match word(Some(cell)) {
            Some(READ) => Some(Outcome::Read),
            Some(UNSTABLE) => named_in(&CHANGES, word(self.change)).map(Outcome::Unstable),
            Some(FAILED) => {
                let errno = self.errno.and_then(|errno| i32::try_from(errno).ok());
                let status = self.status.and_then(|status| u16::try_from(status).ok());
                let offset_bytes = self.offset.and_then(|offset| u64::try_from(offset).ok()).unwrap_or(0);
                let cause = (errno, status, word(self.obstacle));
                Failed::outcome(word(self.operation), cause, offset_bytes)
            }
            _ => None,
        };
        outcome.map(Some).ok_or(ProblemKind::UnknownOutcome)
    }
}

/// A digest, by itself or as text.
fn digest(algorithm: Algorithm, cell: &[u8]) -> Result<Digest, ProblemKind> {
    if let Ok(digest) = Digest::new(algorithm, cell) {
        return Ok(digest);
    }
    match cell.iter().all(u8::is_ascii_graphic) {
        true => decode(algorithm, cell),
        false => Err(ProblemKind::DigestBytes { algorithm, found: cell.len() }),
    }
}

impl Place {
    pub(crate) fn of(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self { file: Arc::new(file), length })
    }
}

impl Length for Place {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Place {
    type T = io::BufReader<Rest>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let rest = Rest { file: Arc::clone(&self.file), offset: start };
        Ok(io::BufReader::with_capacity(READ_AHEAD_BYTES, rest))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        // What a damaged table asks for is not believed before memory is taken for it.
        if start.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(ParquetError::EOF("a part lies beyond its end".to_owned()));
        }
        let mut bytes = vec![0; length];
        self.file
            .read_exact_at(&mut bytes, start)
            .map_err(|error| ParquetError::External(Box::new(error)))?;
        Ok(bytes.into())
    }
}

impl Read for Rest {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}
