//! Tables of Parquet: ours, those of other programs, and damaged ones.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write as _;
use std::sync::Arc;

use hashlane_digest::{Algorithm, Digest};
use hashlane_manifest::{
    Error, Format, Item, LineProblem, ProblemKind, ReadOptions, Reader, WriteOptions, Writer,
};
use hashlane_record::{ItemPath, Timestamp};
use parquet::basic::Type as Physical;
use parquet::data_type::{
    ByteArray, ByteArrayType, DataType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type,
};
use parquet::file::metadata::{KeyValue, ParquetMetaDataReader};
use parquet::file::properties::{ReaderProperties, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

fn algorithm(name: &str) -> Algorithm {
    Algorithm::named(name).unwrap()
}

fn item(path: &str) -> Item {
    Item {
        line: 0,
        path: ItemPath::from(path),
        size: Some(path.len() as u64),
        modified: Some(Timestamp { seconds: -1, nanos: 123_456_789 }),
        digests: vec![algorithm("sha256").digest(path.as_bytes())],
        ..Item::default()
    }
}

fn table(items: impl IntoIterator<Item = Item>) -> Vec<u8> {
    let options = WriteOptions::default();
    let mut writer =
        Writer::new(Format::named("parquet").unwrap(), &[algorithm("sha256")], &options, Vec::new()).unwrap();
    items.into_iter().for_each(|item| writer.item(&item).unwrap());
    writer.finish().unwrap()
}

/// A table that another program writes: a column is a name with a type and cells.
fn foreign(schema: &str, said: &[(&str, &str)], columns: Vec<Cells>) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let said =
        said.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), (*value).to_owned())).collect();
    let properties = WriterProperties::builder().set_key_value_metadata(Some(said)).build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for cells in columns {
        let mut column = group.next_column().unwrap().unwrap();
        match cells {
            Cells::Bytes(cells) => {
                let cells = cells.into_iter().map(|cell| cell.map(|cell| ByteArray::from(cell.to_vec())));
                write::<ByteArrayType>(column.typed(), cells.collect());
            }
            Cells::Longs(cells) => write::<Int64Type>(column.typed(), cells),
            Cells::Ints(cells) => write::<Int32Type>(column.typed(), cells),
            Cells::Fixed(cells) => {
                let cells = cells.into_iter().map(|cell| Some(FixedLenByteArray::from(cell?.to_vec())));
                write::<FixedLenByteArrayType>(column.typed(), cells.collect());
            }
        }
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.into_inner().unwrap()
}

enum Cells {
    Bytes(Vec<Option<&'static [u8]>>),
    Fixed(Vec<Option<&'static [u8]>>),
    Longs(Vec<Option<i64>>),
    Ints(Vec<Option<i32>>),
}

fn write<T: DataType>(
    column: &mut parquet::column::writer::ColumnWriterImpl<'_, T>,
    cells: Vec<Option<T::T>>,
) {
    let levels: Vec<_> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let values: Vec<_> = cells.into_iter().flatten().collect();
    column.write_batch(&values, Some(&levels), None).unwrap();
}

fn read(table: &[u8]) -> Result<Vec<Result<Item, LineProblem>>, Error> {
    Ok(Reader::open(table, &ReadOptions::default())?.collect())
}

fn names(read: &[Result<Item, LineProblem>]) -> Vec<String> {
    read.iter()
        .map(|item| String::from_utf8_lossy(item.as_ref().unwrap().path.as_bytes()).into_owned())
        .collect()
}

#[test]
fn rows_are_sorted_within_their_groups_and_all_of_them_come_back() {
    let count = 140_000;
    // Whatever order they come in.
    let shuffled =
        (0..count).map(|number: u64| format!("{:08x}", number.wrapping_mul(2_654_435_761) % 4_294_967_296));
    let paths: Vec<_> = shuffled.collect();
    let table = table(paths.iter().map(|path| item(path)));
    let read: Vec<_> = read(&table).unwrap();
    assert_eq!(read.len(), paths.len());
    let groups = [&paths[..131_072], &paths[131_072..]];
    let sorted = groups.into_iter().flat_map(|group| {
        let mut group = group.to_vec();
        group.sort();
        group
    });
    for ((row, found), path) in read.into_iter().enumerate().zip(sorted) {
        assert_eq!(found.unwrap(), Item { line: row as u64 + 1, ..item(&path) });
    }
}

#[test]
fn a_table_tells_other_programs_what_it_is() {
    let bytes = bytes::Bytes::from(table([item("b"), item("a")]));
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&bytes).unwrap();
    let schema = metadata.file_metadata().schema_descr();
    let columns: Vec<_> = schema.columns().iter().map(|column| column.name()).collect();
    assert_eq!(
        columns,
        [
            "path",
            "size_bytes",
            "mtime",
            "mtime_nanos",
            "outcome",
            "change",
            "operation",
            "errno",
            "status",
            "obstacle",
            "offset_bytes",
            "error",
            "sha256"
        ]
    );
    let [path, digest] = [schema.column(0), schema.column(12)];
    assert_eq!((path.physical_type(), path.max_def_level()), (Physical::BYTE_ARRAY, 0));
    assert_eq!((digest.physical_type(), digest.type_length()), (Physical::FIXED_LEN_BYTE_ARRAY, 32));
    assert_eq!(digest.self_type().get_basic_info().id(), 105);
    let group = metadata.row_group(0);
    assert!(group.sorting_columns().is_some_and(|sorted| sorted[0].column_idx == 0 && !sorted[0].descending));
    assert!(
        group.column(0).offset_index_offset().is_some() && group.column(0).column_index_offset().is_some()
    );
    let properties = ReaderProperties::builder().set_read_bloom_filter(true).build();
    let options = ReadOptionsBuilder::new().with_reader_properties(properties).build();
    let reader = SerializedFileReader::new_with_options(bytes, options).unwrap();
    let group = reader.get_row_group(0).unwrap();
    let filter = group.get_column_bloom_filter(12).unwrap();
    assert!(filter.check(item("a").digests[0].as_bytes()));
    assert!(!filter.check(item("c").digests[0].as_bytes()));
}

#[test]
fn a_file_is_read_where_it_lies_and_a_pipe_is_copied() {
    let table = table([item("a"), item("b")]);
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&table).unwrap();
    let options = ReadOptions { file: Some(&file), ..ReadOptions::default() };
    // What was read of the input already does not matter.
    let reader = Reader::open(&table[..], &options).unwrap();
    assert_eq!(names(&reader.collect::<Vec<_>>()), ["a", "b"]);
    assert_eq!(names(&read(&table).unwrap()), ["a", "b"]);
    // Nor does a file where the input is text.
    let options = ReadOptions { file: Some(&file), ..ReadOptions::default() };
    let text = b"SHA1 (x) = da39a3ee5e6b4b0d3255bfef95601890afd80709\n";
    assert_eq!(names(&Reader::open(&text[..], &options).unwrap().collect::<Vec<_>>()), ["x"]);
}

#[test]
fn a_run_that_was_broken_off_leaves_a_table_that_says_so() {
    let options = WriteOptions::default();
    let format = Format::named("parquet").unwrap();
    let mut writer = Writer::new(format, &[algorithm("sha256")], &options, Vec::new()).unwrap();
    writer.item(&item("a")).unwrap();
    let read = read(&writer.leave().unwrap()).unwrap();
    assert_eq!(names(&read[..1]), ["a"]);
    let problem = read[1].as_ref().unwrap_err();
    assert!(matches!(problem.kind, ProblemKind::TableBrokenOff) && problem.is_entry(), "{problem}");
    assert_eq!(read.len(), 2);
}

#[test]
fn a_table_that_was_cut_off_is_no_table() {
    let table = table([item("a"), item("b")]);
    for end in 5..table.len() {
        let error = read(&table[..end]).unwrap_err();
        assert!(matches!(error, Error::Table { .. }), "{end}: {error}");
    }
}

/// A library that panics is caught, and says so on standard error, which the tests keep to themselves.
#[test]
fn a_changed_byte_does_no_harm() {
    let items = [item("a"), item("b"), item("c")];
    let table = table(items.clone());
    let (mut noticed, mut same) = (0, 0);
    for place in 5..table.len() {
        for bit in [0, 3, 7] {
            let mut changed = table.clone();
            changed[place] ^= 1 << bit;
            let Ok(read) = read(&changed) else {
                noticed += 1;
                continue;
            };
            let (good, bad): (Vec<_>, Vec<_>) = read.into_iter().partition(Result::is_ok);
            assert!(good.len() <= items.len() && bad.len() <= items.len(), "byte {place}, bit {bit}");
            noticed += usize::from(!bad.is_empty());
            same += usize::from(
                good.iter().zip(&items).all(|(found, item)| found.as_ref().unwrap().path == item.path),
            );
        }
    }
    assert!(noticed > table.len() && same > 0, "{noticed} of {}", 3 * table.len());
}

#[test]
fn tables_of_other_programs_are_read() {
    let schema = "message m {
        optional binary note (UTF8);
        optional binary path (UTF8);
        optional int32 size_bytes;
        optional int64 mtime (TIMESTAMP(MILLIS, true));
        optional binary md5 (UTF8);
        optional binary crc32;
        optional int64 sha256;
    }";
    let md5: [Option<&'static [u8]>; 4] = [
        Some(b"d41d8cd98f00b204e9800998ecf8427e"),
        Some(b"1B2M2Y8AsgTpgAmY7PhCfg=="),
        None,
        Some(b"d41d8cd98f00b204e9800998ecf8427"),
    ];
    let columns = vec![
        Cells::Bytes(vec![None, Some(b"x"), None, None]),
        Cells::Bytes(vec![Some(b"a"), Some(b"b"), Some(b"c"), Some(b"d")]),
        Cells::Ints(vec![Some(0), None, Some(7), Some(0)]),
        Cells::Longs(vec![Some(-1), None, None, None]),
        Cells::Bytes(md5.to_vec()),
        Cells::Bytes(vec![None, Some(&[0; 4]), Some(&[1; 4]), None]),
        Cells::Longs(vec![None, None, None, None]),
    ];
    let table = foreign(schema, &[], columns);
    let mut read = read(&table).unwrap();
    let problem = read.remove(0).unwrap_err();
    assert_eq!(problem.kind.to_string(), "the column `sha256` has the type INT64, and is not read");
    assert!(!problem.is_entry());
    assert_eq!(names(&read[..3]), ["a", "b", "c"]);
    let empty = algorithm("md5").digest(b"");
    let crc = |byte| Digest::new(algorithm("crc32"), &[byte; 4]).unwrap();
    let found: Vec<_> = read[..3].iter().map(|item| item.as_ref().unwrap()).collect();
    assert_eq!(found[0].digests, [empty]);
    assert_eq!(found[1].digests, [empty, crc(0)]);
    assert_eq!(found[2].digests, [crc(1)]);
    assert_eq!([found[0].size, found[1].size, found[2].size], [Some(0), None, Some(7)]);
    assert_eq!(found[0].modified, Some(Timestamp { seconds: -1, nanos: 999_000_000 }));
    let problem = read[3].as_ref().unwrap_err();
    assert!(problem.to_string().starts_with("line 4: a md5 digest has 32 hexadecimal"), "{problem}");
    assert_eq!(problem.listed().map(ItemPath::as_bytes), Some(&b"d"[..]));
}

#[test]
fn cells_that_no_manifest_has_are_problems_of_their_rows() {
    let schema = "message m {
        optional binary path;
        optional int64 size_bytes;
        optional fixed_len_byte_array(5) crc32;
        optional binary outcome (UTF8);
    }";
    let crc: Option<&'static [u8]> = Some(b"\0\0\0\0\0");
    let columns = vec![
        Cells::Bytes(vec![None, Some(b"a\0b"), Some(b"c"), Some(b"d"), Some(b"e"), Some(b"f")]),
        Cells::Longs(vec![None, None, None, Some(-1), None, None]),
        Cells::Fixed(vec![None, None, crc, None, None, None]),
        Cells::Bytes(vec![None, None, None, Some(b"failed"), Some(b"eaten"), None]),
    ];
    let problems: Vec<_> = read(&foreign(schema, &[], columns))
        .unwrap()
        .into_iter()
        .map(|item| item.unwrap_err().to_string())
        .collect();
    assert_eq!(
        problems,
        [
            "line 1: the name is empty",
            "line 2: the name contains a NUL byte",
            "line 3: a crc32 digest has 4 bytes, not 5",
            "line 4: the size is not a number from 0 to 18446744073709551615",
            "line 5: unknown outcome",
            "line 6: it has no digest",
        ]
    );
}

#[test]
fn what_is_no_table_of_files_says_what_it_lacks() {
    let rows = || vec![Cells::Bytes(vec![Some(b"a")]), Cells::Longs(vec![Some(1)])];
    let error =
        read(&foreign("message m { optional binary file; optional int64 size; }", &[], rows())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the parquet table needs a column `path` with names and one of digests named after an algorithm, such as \
         `sha256`; it has file (BYTE_ARRAY), size (INT64)"
    );
    let cells = || Cells::Bytes(vec![Some(b"00000000")]);
    let twice = "message m { optional binary path; optional binary crc32; optional binary CRC32; }";
    let error = read(&foreign(twice, &[], vec![cells(), cells(), cells()])).unwrap_err();
    assert_eq!(error.to_string(), "the parquet manifest has the column `crc32` twice; remove one");
    let newer = [("hashlane.schema", "hashlane-manifest"), ("hashlane.version", "2")];
    let schema = "message m { optional binary path; optional binary crc32; }";
    let error = read(&foreign(schema, &newer, vec![cells(), cells()])).unwrap_err();
    assert!(error.to_string().contains("version 2"), "{error}");
    let error = read(b"PAR1\x15 is what I got from the shop\n").unwrap_err();
    assert!(matches!(error, Error::Table { .. }), "{error}");
    // What is text is none.
    assert_eq!(names(&read(b"PAR1.vol00 d202ef8d\n").unwrap()), ["PAR1.vol00"]);
    let wanted = ReadOptions { algorithm: Some(algorithm("md5")), ..ReadOptions::default() };
    let error = Reader::open(&table([item("a")])[..], &wanted).unwrap_err();
    assert_eq!(error.to_string(), "the parquet manifest has no md5 column; it has sha256");
}

#[test]
fn tables_that_were_joined_are_refused() {
    let [one, other] = [table([item("a"), item("b")]), table([item("c"), item("d")])];
    let error = read(&[&one[..], &other].concat()).unwrap_err();
    assert!(error.to_string().contains("several tables were joined"), "{error}");
}

#[test]
fn a_table_of_columns_within_columns_without_end_is_refused() {
    // A chain of groups with one member each: too many of them, and too deep.
    for (depth, why) in [(200_000, "more than 20,000 columns"), (15_000, "too deep in each other")] {
        let mut metadata = vec![0x15, 2, 0x19, 0xfc];
        let mut number = depth + 2;
        while number >= 0x80 {
            metadata.push(number as u8 | 0x80);
            number >>= 7;
        }
        metadata.push(number as u8);
        for _ in 0..=depth {
            // Optional, a name of one letter, and one child.
            metadata.extend([0x35, 2, 0x18, 1, b'g', 0x15, 2, 0]);
        }
        // A column of bytes; no rows, and no groups of them.
        metadata.extend([0x15, 12, 0x25, 2, 0x18, 1, b'x', 0, 0x16, 0, 0x19, 0x0c, 0]);
        let length = (metadata.len() as u32).to_le_bytes();
        let table = [b"PAR1", &metadata[..], &length, b"PAR1"].concat();
        let error = read(&table).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn a_table_that_shrinks_while_it_is_read_is_an_error_of_the_input() {
    let table = table((0..5_000).map(|number| item(&format!("{number:04}"))));
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&table).unwrap();
    let reader =
        Reader::open(&table[..], &ReadOptions { file: Some(&file), ..ReadOptions::default() }).unwrap();
    file.set_len(100).unwrap();
    let read: Vec<_> = reader.collect();
    let problem = read.last().unwrap().as_ref().unwrap_err();
    assert!(matches!(problem.kind, ProblemKind::Input(_) | ProblemKind::Table { .. }), "{problem}");
    assert_eq!(read.iter().filter(|item| item.is_err()).count(), 1);
}

/// Where the end of a table is not encrypted, each column that is begins with the length of its first part instead of a structure.
#[test]
fn a_column_that_is_encrypted_is_called_so() {
    let mut table = table([item("a"), item("b")]);
    table[4..8].copy_from_slice(&12_u32.to_le_bytes());
    let error = read(&table).expect_err("nobody has the key");
    assert_eq!(error.to_string(), "the Parquet table cannot be read: its column `path` is encrypted");
    // Recognized without anybody saying what it is.
    assert!(hashlane_manifest::is_table(&table[..hashlane_manifest::TABLE_MARK_BYTES]));
    assert!(!hashlane_manifest::is_table(b"PAR1 is a name"));
}
