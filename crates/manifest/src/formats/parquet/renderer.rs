//! Writes tables of Parquet, in groups of rows that are sorted by name.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use hashlane_digest::Algorithm;
use hashlane_record::Outcome;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{
    ByteArray, ByteArrayType, DataType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::ColumnPath;

use super::{BROKEN_OFF, HEADER_KEY, SCHEMA_KEY, SPEC, VERSION, VERSION_KEY, schema, told};
use crate::columns::{Column, Ended, micros};
use crate::error::Error;
use crate::format::{Entry, Format, Renderer};
use crate::formats::jsonl;
use crate::header::Header;
use crate::shape::SCHEMA;
use crate::write_options::{WriteOptions, has_inodes};

/// Rows of a group, unless their names are very long. A reader skips whole groups, by the names in them and by the Bloom
/// filter of their digests.
const GROUP_ROWS: usize = 128 << 10;

/// The names of a group, in bytes: what bounds memory where they are long.
const GROUP_BYTES: usize = 32 << 20;

/// How often a digest that is not in a group seems to be.
const FALSE_POSITIVES: f64 = 0.01;

const ZSTD_LEVEL: i32 = 3;

struct Table {
    columns: Vec<Column>,
    rows: Rows,
    /// There is one from the preamble on. It writes into memory, from where its bytes are taken.
    file: Option<SerializedFileWriter<Vec<u8>>>,
}

/// The rows of the group that is being gathered.
#[derive(Default)]
struct Rows {
    names: Vec<u8>,
    rows: Vec<Row>,
    /// The digests of each algorithm, row by row, zeros where there is none.
    digests: Vec<Digests>,
}

struct Row {
    /// Where its name lies.
    name: Range<usize>,
    size: Option<i64>,
    /// In microseconds and nanoseconds beyond.
    modified: Option<(i64, i32)>,
    ended: Option<Ended>,
    /// Without a sign.
    inode: Option<i64>,
}

struct Digests {
    algorithm: Algorithm,
    bytes: Vec<u8>,
    is_there: Vec<bool>,
}

pub(super) fn renderer(algorithms: &[Algorithm], options: &WriteOptions) -> Result<Box<dyn Renderer>, Error> {
    let digests = |&algorithm| Digests { algorithm, bytes: Vec::new(), is_there: Vec::new() };
    let rows = Rows { digests: algorithms.iter().map(digests).collect(), ..Rows::default() };
    let inode = has_inodes(options).then_some(Column::Inode);
    let columns = Column::all(algorithms).into_iter().chain(inode).collect();
    Ok(Box::new(Table { columns, rows, file: None }))
}

impl Renderer for Table {
    fn preamble(&mut self, header: Option<&Header>, text: &mut Vec<u8>) -> Result<(), Error> {
        self.file = Some(start(&self.columns, header).map_err(not_written)?);
        self.take_ready(text);
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<'_>, text: &mut Vec<u8>) -> Result<(), Error> {
        self.rows.push(entry)?;
        if self.rows.rows.len() >= GROUP_ROWS || self.rows.names.len() >= GROUP_BYTES {
            self.write_group()?;
            self.take_ready(text);
        }
        Ok(())
    }

    fn epilogue(&mut self, text: &mut Vec<u8>) -> Result<(), Error> {
        self.write_group()?;
        if let Some(file) = self.file.take() {
            text.append(&mut file.into_inner().map_err(not_written)?);
        }
        Ok(())
    }

    /// Without its end nobody could read a table, so it gets one, which says that rows are missing.
    fn broken_off(&mut self, text: &mut Vec<u8>) -> Result<(), Error> {
        if let Some(file) = &mut self.file {
            file.append_key_value_metadata(KeyValue::new(BROKEN_OFF.to_owned(), "true".to_owned()));
        }
        self.epilogue(text)
    }
}

impl Table {
    fn write_group(&mut self) -> Result<(), Error> {
        let Some(file) = self.file.as_mut().filter(|_| !self.rows.rows.is_empty()) else { return Ok(()) };
        let written = write_group(file, &self.columns, &mut self.rows);
        self.rows.clear();
        written.map_err(not_written)
    }

    /// Takes over the bytes that are ready.
    fn take_ready(&mut self, text: &mut Vec<u8>) {
        if let Some(file) = &mut self.file {
            text.append(file.inner_mut());
        }
    }
}

/// The library refuses what nobody can cause: it writes into memory.
fn not_written(error: ParquetError) -> Error {
    Error::Table { what: told(&error) }
}

fn start(columns: &[Column], header: Option<&Header>) -> Result<SerializedFileWriter<Vec<u8>>, ParquetError> {
    let mut said = vec![
        KeyValue::new(SCHEMA_KEY.to_owned(), SCHEMA.to_owned()),
        KeyValue::new(VERSION_KEY.to_owned(), VERSION.to_owned()),
    ];
    said.extend(header.map(|header| {
        let mut text = Vec::new();
        jsonl::push_header(&mut text, header);
        KeyValue::new(HEADER_KEY.to_owned(), String::from_utf8_lossy(&text).into_owned())
    }));
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("hashlane version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(said))
        .set_sorting_columns(Some(vec![SortingColumn {
            column_idx: 0,
            descending: false,
            nulls_first: false,
        }]))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?));
    for &column in columns {
        let path = ColumnPath::from(column.name());
        properties = match column {
            // No two are alike, so nothing is smaller for a dictionary; nor is a digest for compression.
            Column::Path | Column::Size | Column::Modified | Column::Inode => {
                properties.set_column_dictionary_enabled(path, false)
            }
            Column::Digest(_) => properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_compression(path.clone(), Compression::UNCOMPRESSED)
                .set_column_statistics_enabled(path, EnabledStatistics::Chunk),
            _ => properties,
        };
    }
    if let Some(first) = columns.iter().find(|column| matches!(column, Column::Digest(_))) {
        let path = ColumnPath::from(first.name());
        properties = properties
            .set_column_bloom_filter_enabled(path.clone(), true)
            .set_column_bloom_filter_fpp(path.clone(), FALSE_POSITIVES)
            .set_column_bloom_filter_max_ndv(path, GROUP_ROWS as u64);
    }
    SerializedFileWriter::new(Vec::new(), schema(columns)?, Arc::new(properties.build()))
}

impl Rows {
    /// Takes in a row, or nothing of it.
    fn push(&mut self, entry: &Entry<'_>) -> Result<(), Error> {
        let format = Format(&SPEC);
        let has_digest = self.digests.iter().any(|digests| entry.digest(digests.algorithm).is_some());
        if !has_digest && matches!(entry.outcome, None | Some(Outcome::Read)) {
            entry.needed_digest(self.digests[0].algorithm, format)?;
        }
        let beyond = |what| Error::ValueNotHeld { format, path: entry.path.clone(), what };
        let size = entry.size.map(|size| i64::try_from(size).map_err(|_| beyond("its size")));
        let modified = entry.modified.map(|time| micros(time).ok_or_else(|| beyond("its time of change")));
        let (size, modified) = (size.transpose()?, modified.transpose()?);
        let ended = entry.outcome.map(Ended::new);
        if ended.is_some_and(|ended| ended.offset_bytes().is_some() && offset(ended).is_none()) {
            return Err(beyond("where its reading failed"));
        }
        let begin = self.names.len();
        self.names.extend_from_slice(entry.path.as_bytes());
        let inode = entry.inode.map(|inode| inode.get().cast_signed());
        self.rows.push(Row { name: begin..self.names.len(), size, modified, ended, inode });
        for Digests { algorithm, bytes, is_there } in &mut self.digests {
            let digest = entry.digest(*algorithm);
            is_there.push(digest.is_some());
            match digest {
                Some(digest) => bytes.extend_from_slice(digest.as_bytes()),
                None => bytes.resize(bytes.len() + algorithm.length(), 0),
            }
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.names.clear();
        self.rows.clear();
        for digests in &mut self.digests {
            digests.bytes.clear();
            digests.is_there.clear();
        }
    }

    /// The rows by name.
    fn order(&self) -> Vec<usize> {
        let name = |&row: &usize| &self.names[self.rows[row].name.clone()];
        let mut order: Vec<_> = (0..self.rows.len()).collect();
        // As they come from a walk, most are in order.
        order.sort_by(|a, b| name(a).cmp(name(b)));
        order
    }
}

fn write_group(
    file: &mut SerializedFileWriter<Vec<u8>>,
    columns: &[Column],
    rows: &mut Rows,
) -> Result<(), ParquetError> {
    let order = rows.order();
    let names = Bytes::from(std::mem::take(&mut rows.names));
    let rows = &*rows;
    let each = |of: &dyn Fn(&Row) -> Option<Bytes>| -> Vec<Option<ByteArray>> {
        order.iter().map(|&row| of(&rows.rows[row]).map(ByteArray::from)).collect()
    };
    let words = |of: &dyn Fn(&Row) -> Option<&'static str>| {
        each(&|row| of(row).map(|word| Bytes::from_static(word.as_bytes())))
    };
    let longs = |of: &dyn Fn(&Row) -> Option<i64>| -> Vec<Option<i64>> {
        order.iter().map(|&row| of(&rows.rows[row])).collect()
    };
    let ints = |of: &dyn Fn(&Row) -> Option<i32>| -> Vec<Option<i32>> {
        order.iter().map(|&row| of(&rows.rows[row])).collect()
    };
    let mut group = file.next_row_group()?;
    for &column in columns {
        let Some(mut writer) = group.next_column()? else { break };
        let to = &mut writer;
        match column {
            Column::Path => {
                write::<ByteArrayType>(to, each(&|row| Some(names.slice(row.name.clone()))), true)
            }
            Column::Size => write::<Int64Type>(to, longs(&|row| row.size), false),
            Column::Modified => write::<Int64Type>(to, longs(&|row| Some(row.modified?.0)), false),
            Column::ModifiedNanos => write::<Int32Type>(to, ints(&|row| Some(row.modified?.1)), false),
            Column::Outcome => write::<ByteArrayType>(to, words(&|row| Some(row.ended?.outcome())), false),
            Column::Change => write::<ByteArrayType>(to, words(&|row| row.ended?.change()), false),
            Column::Operation => write::<ByteArrayType>(to, words(&|row| row.ended?.operation()), false),
            Column::Errno => write::<Int32Type>(to, ints(&|row| row.ended?.errno()), false),
            Column::Status => write::<Int32Type>(to, ints(&|row| row.ended?.status()), false),
            Column::Obstacle => write::<ByteArrayType>(to, words(&|row| row.ended?.obstacle()), false),
            Column::Offset => write::<Int64Type>(to, longs(&|row| offset(row.ended?)), false),
            Column::Inode => write::<Int64Type>(to, longs(&|row| row.inode), false),
            Column::Error => {
                write::<ByteArrayType>(to, each(&|row| row.ended?.error().map(Bytes::from)), false)
            }
            Column::Digest(algorithm) => {
                let digests = rows.digests.iter().find(|digests| digests.algorithm == algorithm);
                let values = digests.map(|digests| digests.values(&order)).unwrap_or_default();
                write::<FixedLenByteArrayType>(to, values, false)
            }
        }?;
        writer.close()?;
    }
    group.close().map(drop)
}

impl Digests {
    /// The digests in the order of the table.
    fn values(&self, order: &[usize]) -> Vec<Option<FixedLenByteArray>> {
        let all = Bytes::copy_from_slice(&self.bytes);
        let length = self.algorithm.length();
        let value = |row: usize| {
            FixedLenByteArray::from(ByteArray::from(all.slice(row * length..(row + 1) * length)))
        };
        order.iter().map(|&row| self.is_there[row].then(|| value(row))).collect()
    }
}

/// Where it failed.
fn offset(ended: Ended) -> Option<i64> {
    i64::try_from(ended.offset_bytes()?).ok()
}

/// Writes a column: its values, and which rows have one.
fn write<T: DataType>(
    column: &mut SerializedColumnWriter<'_>,
    values: Vec<Option<T::T>>,
    is_required: bool,
) -> Result<(), ParquetError> {
    let levels: Vec<_> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<_> = values.into_iter().flatten().collect();
    let levels = Some(&levels[..]).filter(|_| !is_required);
    column.typed::<T>().write_batch(&values, levels, None).map(drop)
}
