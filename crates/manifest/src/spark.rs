//! The `_manifest.json` of an audit by `hashlane.spark`: what was read, when, by whom, and in which tables that stands.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::Timestamp;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use serde::Deserialize;
use serde::de::{Deserializer, Visitor};

use crate::evidence::fields;
use crate::formats::parquet::pages::{self, Rebuilt};
use crate::formats::parquet::parser::{BATCH_ROWS, Broken, Cells, Place, check_readable, guarded};
use crate::text::decode_plain;

/// The name of the list in the directory of a run.
pub const MANIFEST: &str = "_manifest.json";

/// The directory of the tables that have what was read.
pub const FINGERPRINTS: &str = "fingerprints";

/// A list is no longer than that. It has some 300 bytes for a table, and a table has what a task has read, 1 GiB or more: for a pebibyte
/// half a gibibyte, with the verdicts. All of it is held in memory while it is taken apart, and about as much again.
pub const MOST_MANIFEST_BYTES: u64 = 4 << 30;

const SCHEMA: &str = "hashlane-spark-audit";
const VERSION: u64 = 1;

/// An audit by Spark that came to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Run {
    /// Its name, which no other one has.
    pub id: String,
    /// When it began: nothing was read before.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Timestamp,
    /// What was read, as the nodes saw it: a directory or a prefix of objects.
    pub source: Vec<u8>,
    /// The version of hashlane.
    pub hashlane: String,
    /// The version of Spark.
    pub spark: String,
    /// How many files were read.
    pub files: u64,
    /// All its tables, by the directories in which they lie: those of [`FINGERPRINTS`], in the order of the names in them, and others.
    pub tables: Vec<(String, Vec<Table>)>,
}

/// A table of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name in its directory.
    pub name: PathBuf,
    /// Its rows.
    pub rows: u64,
    /// Its bytes.
    pub size_bytes: u64,
    /// The BLAKE3 digest of its bytes.
    pub blake3: Digest,
}

/// Why a list is not one of an audit by Spark, or cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It is not one of an audit by Spark.
    #[error("is not the list of an audit by hashlane.spark: {0}")]
    Unknown(String),
    /// It is of a version that this program does not know.
    #[error("has version {found}, and this program knows version {VERSION}")]
    Version {
        /// Its version.
        found: u64,
    },
    /// A part of it is malformed.
    #[error("{what} is malformed: {found:?}")]
    Malformed {
        /// Which part.
        what: &'static str,
        /// What is there.
        found: String,
    },
    /// A number that stands in it twice is not the same.
    #[error("the tables in {directory} have {sum} rows together, and it says {told}")]
    Sum {
        /// The directory.
        directory: String,
        /// What the tables have.
        sum: u64,
        /// What it says.
        told: u64,
    },
    /// It has no tables of what was read.
    #[error("names no tables of what was read")]
    NoTables,
}

/// What says whose list it is.
#[derive(Deserialize)]
struct Head {
    schema: String,
    version: u64,
}

#[derive(Deserialize)]
struct Told {
    run_id: String,
    started: String,
    ended: String,
    source: Name,
    hashlane: String,
    spark: String,
    files: u64,
    tables: std::collections::BTreeMap<String, Tables>,
}

#[derive(Deserialize)]
struct Tables {
    rows: u64,
    files: Vec<ToldTable>,
}

#[derive(Deserialize)]
struct ToldTable {
    name: Name,
    rows: u64,
    size_bytes: u64,
    blake3: String,
}

/// A name that need not be UTF-8. Python writes each byte that is not as half of a pair of UTF-16.
struct Name(Vec<u8>);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;

        impl Visitor<'_> for Bytes {
            type Value = Name;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Name, E> {
                Ok(Name(without_halves(bytes)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Name, E> {
                Ok(Name(text.as_bytes().to_vec()))
            }
        }

        deserializer.deserialize_bytes(Bytes)
    }
}

/// Bytes in which U+DC80 to U+DCFF stand for the bytes 0x80 to 0xFF, as PEP 383 has it.
fn without_halves(bytes: &[u8]) -> Vec<u8> {
    let mut name = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, behind)) = rest.split_first() {
        match rest {
            [0xed, second @ (0xb2 | 0xb3), third @ 0x80..=0xbf, behind @ ..] => {
                name.push(((second & 0x03) << 6) | (third & 0x3f));
                rest = behind;
            }
            _ => {
                name.push(first);
                rest = behind;
            }
        }
    }
    name
}

impl Run {
    /// Takes a list apart.
    ///
    /// # Errors
    /// It is not one of an audit by Spark, is of another version, or is malformed.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        let unknown = |error: serde_json::Error| Error::Unknown(error.to_string());
        let head: Head = serde_json::from_slice(text).map_err(unknown)?;
        if head.schema != SCHEMA {
            return Err(Error::Unknown(format!("its schema is {:?}", head.schema)));
        }
        if head.version != VERSION {
            return Err(Error::Version { found: head.version });
        }
        let told: Told = serde_json::from_slice(text).map_err(unknown)?;
        let mut tables = Vec::with_capacity(told.tables.len());
        for (directory, Tables { rows, files }) in told.tables {
            plain(directory.as_bytes(), "the name of a directory")?;
            let files = files.into_iter().map(table).collect::<Result<Vec<_>, _>>()?;
            // Whoever adds them again may rely on it that they can be added.
            let sum = files.iter().try_fold(0_u64, |sum, table| sum.checked_add(table.rows));
            let sum = sum.ok_or_else(|| Error::Malformed {
                what: "the number of rows",
                found: format!("more than {} in {directory}", u64::MAX),
            })?;
            if sum != rows {
                return Err(Error::Sum { directory, sum, told: rows });
            }
            tables.push((directory, files));
        }
        if !tables.iter().any(|(directory, files)| directory == FINGERPRINTS && !files.is_empty()) {
            return Err(Error::NoTables);
        }
        if told.run_id.is_empty() || !told.run_id.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Error::Malformed { what: "run_id", found: told.run_id });
        }
        Ok(Self {
            id: told.run_id,
            started: time(&told.started, "started")?,
            ended: time(&told.ended, "ended")?,
            source: told.source.0,
            hashlane: told.hashlane,
            spark: told.spark,
            files: told.files,
            tables,
        })
    }

    /// The tables that have what was read.
    pub fn fingerprints(&self) -> &[Table] {
        let of = self.tables.iter().find(|(directory, _)| directory == FINGERPRINTS);
        of.map_or(&[], |(_, tables)| tables)
    }
}

/// How many rows a table has, by what it says of itself.
///
/// # Errors
/// It is not a table of Parquet, or is damaged; what the library says of it.
pub fn rows(file: File) -> io::Result<u64> {
    let metadata = pages::metadata(&Arc::new(Place::of(file)?)).map_err(io::Error::other)?;
    u64::try_from(metadata.file_metadata().num_rows()).map_err(io::Error::other)
}

/// What distinguishes a file that was read from another one that lies under its name later: two columns of [`FINGERPRINTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// When anything of it changed last. Nobody can set that back.
    pub changed: Timestamp,
    /// The number of its inode.
    pub inode: u64,
}

/// The identities of the rows of a table, in their order. Objects have none, and neither have files that could not be opened.
pub struct Identities {
    file: Arc<Place>,
    metadata: ParquetMetaData,
    /// Where the two columns are, in a table that has them.
    places: Option<[usize; 2]>,
    /// The next group of rows.
    group: usize,
    open: Vec<Cells>,
    /// Rows of the open group that were not read, and those that were read and not taken.
    left: usize,
    ready: usize,
}

impl Identities {
    /// Those of a table.
    ///
    /// # Errors
    /// It is not a table of Parquet, or is damaged; what the library says of it.
    pub fn of(file: File) -> io::Result<Self> {
        let file = Arc::new(Place::of(file)?);
        let metadata = pages::metadata(&file).map_err(io::Error::other)?;
        let schema = metadata.file_metadata().schema_descr();
        let place = |name: &str| {
            let is_it = |column: &Arc<parquet::schema::types::ColumnDescriptor>| {
                column.path().parts() == [name.to_owned()]
                    && column.physical_type() == parquet::basic::Type::INT64
            };
            schema.columns().iter().position(is_it)
        };
        let places = place("ctime_ns").zip(place("inode")).map(|(changed, inode)| [changed, inode]);
        for place in places.into_iter().flatten() {
            check_readable(&file, &metadata, place, schema.column(place).name()).map_err(io::Error::other)?;
        }
        Ok(Self { file, metadata, places, group: 0, open: Vec::new(), left: 0, ready: 0 })
    }

    /// Reads rows, of the next group if need be.
    fn fill(&mut self, places: [usize; 2]) -> io::Result<()> {
        let broken = |broken| match broken {
            Broken::Input(error) => error,
            Broken::Table(what) => io::Error::other(what),
        };
        while self.left == 0 {
            let group = self.metadata.row_groups().get(self.group);
            let group = group.ok_or_else(|| io::Error::other("the table has fewer rows than it says"))?;
            let rebuilt = Rebuilt::default();
            let cells = |place: &usize| Cells::of(&self.file, group, *place, &rebuilt);
            let open = || places.iter().map(cells).collect();
            self.open = guarded(open).map_err(broken)?;
            self.left = usize::try_from(group.num_rows()).unwrap_or(0);
            self.group += 1;
        }
        let rows = self.left.min(BATCH_ROWS);
        let open = &mut self.open;
        let fill = || open.iter_mut().map(|cells| cells.fill(rows)).collect::<Result<Vec<_>, ParquetError>>();
        if guarded(fill).map_err(broken)?.iter().any(|&read| read != rows) {
            return Err(io::Error::other("a column has fewer rows than the table"));
        }
        self.left -= rows;
        self.ready = rows;
        Ok(())
    }

    /// That of the next row. There must be one.
    ///
    /// # Errors
    /// The table cannot be read, or is damaged.
    pub fn next_row(&mut self) -> io::Result<Option<Identity>> {
        const NANOS: i64 = 1_000_000_000;

        let Some(places) = self.places else { return Ok(None) };
        if self.ready == 0 {
            self.fill(places)?;
        }
        self.ready -= 1;
        let mut numbers = self.open.iter_mut().map(Cells::number);
        // Both are taken, so that the next row begins where it does.
        let (changed, inode) = (numbers.next().flatten(), numbers.next().flatten());
        Ok(changed.zip(inode).map(|(nanos, inode)| Identity {
            changed: Timestamp { seconds: nanos.div_euclid(NANOS), nanos: nanos.rem_euclid(NANOS) as u32 },
            inode: inode as u64,
        }))
    }
}

impl fmt::Debug for Identities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identities").field("places", &self.places).finish_non_exhaustive()
    }
}

fn table(told: ToldTable) -> Result<Table, Error> {
    let ToldTable { name, rows, size_bytes, blake3 } = told;
    plain(&name.0, "the name of a table")?;
    let digest = decode_plain(Algorithm::BLAKE3, blake3.as_bytes()).ok();
    let digest = digest.ok_or(Error::Malformed { what: "blake3", found: blake3 })?;
    let name = std::ffi::OsString::from_vec(name.0).into();
    Ok(Table { name, rows, size_bytes, blake3: digest })
}

/// Refuses a name that leads out of the directory in which it is looked for.
fn plain(name: &[u8], what: &'static str) -> Result<(), Error> {
    match name.is_empty() || name == b"." || name == b".." || name.contains(&b'/') || name.contains(&0) {
        true => Err(Error::Malformed { what, found: String::from_utf8_lossy(name).into_owned() }),
        false => Ok(()),
    }
}

fn time(text: &str, what: &'static str) -> Result<Timestamp, Error> {
    fields::time(text).ok_or_else(|| Error::Malformed { what, found: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use parquet::data_type::Int64Type;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use serde_json::{Value, json};

    use super::*;

    fn list() -> Value {
        let blake3 = "ab".repeat(32);
        let table = |name: &str, rows: u64| json!({ "name": name, "rows": rows, "size_bytes": 1000, "blake3": blake3 });
        json!({
            "schema": SCHEMA, "version": 1, "run_id": "0d2f-11", "started": "2026-11-26T08:00:00+00:00",
            "ended": "2026-11-26T09:00:00+00:00", "source": "/shared/archive", "hashlane": "0.1.0", "spark": "4.1.4",
            "passed": true, "files": 5, "known": [{ "path": "\u{fc}", "size_bytes": 3, "blake3": blake3 }],
            "tables": {
                "fingerprints": { "rows": 5, "files": [table("part-0.parquet", 2), table("part-1.parquet", 3)] },
                "verdicts": { "rows": 5, "files": [table("part-000000.parquet", 5)] },
            },
        })
    }

    fn refused(change: impl FnOnce(&mut Value)) -> String {
        let mut list = list();
        change(&mut list);
        Run::parse(list.to_string().as_bytes()).expect_err("it cannot be used").to_string()
    }

    #[test]
    fn a_list_says_what_was_read_when_and_in_which_tables_that_stands() {
        let run = Run::parse(list().to_string().as_bytes()).expect("whole");
        assert_eq!(
            (&run.id[..], &run.source[..], &run.spark[..]),
            ("0d2f-11", &b"/shared/archive"[..], "4.1.4")
        );
        assert_eq!(run.ended.seconds - run.started.seconds, 3600);
        let rows: Vec<_> = run.fingerprints().iter().map(|table| table.rows).collect();
        assert_eq!((rows, run.tables.len()), (vec![2, 3], 2));
    }

    /// A table with groups of rows. Each seventh row has no identity.
    fn table_of(columns: &str, groups: &[usize]) -> File {
        let schema = Arc::new(parse_message_type(&format!("message m {{ {columns} }}")).expect("a schema"));
        let file = tempfile::tempfile().expect("a file");
        let again = file.try_clone().expect("the same file");
        let properties = Arc::new(WriterProperties::builder().build());
        let mut writer = SerializedFileWriter::new(again, Arc::clone(&schema), properties).expect("a writer");
        let mut first = 0;
        for &rows in groups {
            let mut group = writer.next_row_group().expect("a group");
            let levels: Vec<i16> = (first..first + rows).map(|row| i16::from(row % 7 != 0)).collect();
            for column in schema.get_fields() {
                let of_name = |row: usize| match column.name() {
                    "inode" => -(row as i64),
                    _ => row as i64 * 1_500_000_000 - 1,
                };
                let values: Vec<i64> =
                    (first..first + rows).filter(|row| row % 7 != 0).map(of_name).collect();
                let mut open = group.next_column().expect("a column").expect("one more");
                open.typed::<Int64Type>().write_batch(&values, Some(&levels), None).expect("written");
                open.close().expect("closed");
            }
            group.close().expect("closed");
            first += rows;
        }
        writer.close().expect("closed");
        file
    }

    #[test]
    fn identities_are_those_of_their_rows_in_all_groups() {
        let columns = "optional int64 size_bytes; optional int64 inode; optional int64 ctime_ns;";
        let groups = [BATCH_ROWS + 500, 1, 2 * BATCH_ROWS, 3];
        let mut identities = Identities::of(table_of(columns, &groups)).expect("a table");
        let rows: usize = groups.iter().sum();
        for row in 0..rows {
            let nanos = row as i64 * 1_500_000_000 - 1;
            let expected = (row % 7 != 0).then(|| Identity {
                changed: Timestamp {
                    seconds: nanos.div_euclid(1_000_000_000),
                    nanos: nanos.rem_euclid(1_000_000_000) as u32,
                },
                inode: (-(row as i64)) as u64,
            });
            assert_eq!(identities.next_row().expect("readable"), expected, "row {row}");
        }
        assert!(identities.next_row().is_err(), "there is no more");
        // A table of objects, or of another program.
        let mut none = Identities::of(table_of("optional int64 size_bytes;", &[2])).expect("a table");
        assert_eq!(none.next_row().expect("readable"), None);
    }

    #[test]
    fn a_name_that_is_not_utf_8_comes_back_as_its_bytes() {
        let text = list().to_string().replace("/shared/archive", r"/m\u00fcll/\udcff\udc80x");
        assert_eq!(Run::parse(text.as_bytes()).expect("whole").source, b"/m\xc3\xbcll/\xff\x80x");
        // Also where it does not matter.
        let text = list().to_string().replace("\u{fc}", r"\udcff");
        assert!(Run::parse(text.as_bytes()).is_ok());
    }

    #[test]
    fn what_is_not_such_a_list_says_why() {
        assert!(refused(|list| list["schema"] = json!("other")).contains("its schema is \"other\""));
        assert_eq!(
            refused(|list| list["version"] = json!(2)),
            "has version 2, and this program knows version 1"
        );
        assert!(
            refused(|list| _ = list.as_object_mut().expect("one").remove("started")).contains("`started`")
        );
        assert!(refused(|list| list["ended"] = json!("soon")).contains("ended is malformed: \"soon\""));
        assert!(
            refused(|list| list["tables"]["fingerprints"]["rows"] = json!(6))
                .contains("fingerprints have 5 rows together, and it says 6")
        );
        let table = |list: &mut Value, what: &str, is: Value| {
            list["tables"]["fingerprints"]["files"][0][what] = is;
        };
        for name in ["../part-0.parquet", "", "..", "/etc/passwd"] {
            assert!(
                refused(|list| table(list, "name", json!(name))).contains("name of a table is malformed")
            );
        }
        let too_many = |list: &mut Value| {
            table(list, "rows", json!(u64::MAX));
            list["tables"]["fingerprints"]["rows"] = json!(u64::MAX);
        };
        assert_eq!(
            refused(too_many),
            "the number of rows is malformed: \"more than 18446744073709551615 in fingerprints\""
        );
        assert!(refused(|list| table(list, "blake3", json!("ab"))).contains("blake3 is malformed"));
        assert!(refused(|list| list["tables"] = json!({})).contains("names no tables"));
        assert!(refused(|list| list["run_id"] = json!("a b")).contains("run_id is malformed"));
        assert!(Run::parse(b"{").is_err() && Run::parse(b"[]").is_err());
    }
}
