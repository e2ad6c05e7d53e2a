//! A checksum of every row, kept with it: a bit that changes by itself does not go unnoticed.
//!
//! Owns what each is over, and how it comes about. Rows get theirs by triggers of the connection that writes, so that no statement can
//! forget it, and views of the connection that reads look at it. Items are too many for one each: theirs are summed up in the rows of
//! their segments, by each [`Batch`](crate::Batch).
//!
//! Invariants:
//! 1. A row that was damaged stays so, whatever is written to it later: a change adds to its checksum what the change adds, and makes no
//!    new one. Only a row that is replaced as a whole gets a new one.
//! 2. Whoever reads a damaged row through a view gets an error that says what is damaged.

use std::cell::RefCell;

use hashlane_record::shown_name;
use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ffi};
use xxhash_rust::xxh3::xxh3_64;

use crate::damage::CataloguePart;
use crate::error::{Error, Result};

/// Since which version of the schema rows have checksums.
pub(crate) const SINCE: u32 = 11;

/// The column of the checksum.
const SUM: &str = "row_sum";

/// A table whose rows have one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summed {
    pub(crate) table: &'static str,
    /// What it is a part of.
    pub(crate) part: CataloguePart,
    /// The version that has it first.
    since: u32,
}

impl Summed {
    const fn since(since: u32, table: &'static str, part: CataloguePart) -> Self {
        Self { table, part, since }
    }
}

/// The tables whose rows have one. What a damaged row is found by is the place of its table among them.
pub(crate) const TABLES: [Summed; 29] = [
    Summed::since(SINCE, "collection", CataloguePart::Collection),
    Summed::since(SINCE, "run", CataloguePart::Run),
    Summed::since(SINCE, "stint", CataloguePart::Stint),
    Summed::since(SINCE, "directory", CataloguePart::Directory),
    Summed::since(SINCE, "segment", CataloguePart::Files),
    Summed::since(SINCE, "version", CataloguePart::Version),
    Summed::since(SINCE, "span", CataloguePart::Reading),
    Summed::since(SINCE, "total", CataloguePart::Total),
    Summed::since(SINCE, "finding", CataloguePart::Finding),
    Summed::since(SINCE, "event", CataloguePart::Event),
    Summed::since(SINCE, "change", CataloguePart::Event),
    Summed::since(SINCE, "edit", CataloguePart::Event),
    Summed::since(SINCE, "unlisted", CataloguePart::Unlisted),
    Summed::since(SINCE, "checkpoint", CataloguePart::Checkpoint),
    Summed::since(SINCE, "withheld", CataloguePart::Withheld),
    Summed::since(SINCE, "evidence", CataloguePart::Evidence),
    Summed::since(SINCE, "statement", CataloguePart::Evidence),
    Summed::since(SINCE, "read_version", CataloguePart::Evidence),
    Summed::since(SINCE, "ignored", CataloguePart::Note),
    Summed::since(SINCE, "missed", CataloguePart::Note),
    Summed::since(SINCE, "in_use", CataloguePart::Note),
    Summed::since(SINCE, "pending", CataloguePart::Decision),
    Summed::since(SINCE, "pending_item", CataloguePart::Decision),
    Summed::since(SINCE, "counter", CataloguePart::Counter),
    Summed::since(12, "steering", CataloguePart::Stint),
    Summed::since(12, "pause", CataloguePart::Note),
    Summed::since(12, "target", CataloguePart::Message),
    Summed::since(12, "told", CataloguePart::Message),
    Summed::since(12, "message", CataloguePart::Message),
];

/// How many damaged rows of a table are reported.
const MOST: usize = 20;

thread_local! {
    /// What a checksum is made of: one text after the other, in the same memory.
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// What the extended result code of an error begins with that says that a row is damaged; the place of its table follows.
const DAMAGED: i32 = ffi::SQLITE_CORRUPT | (100 << 8);

/// What an error of SQLite is about, if it says that a row does not have its checksum.
pub(crate) fn damaged_part(error: &rusqlite::Error) -> Option<CataloguePart> {
    let code = error.sqlite_error()?.extended_code;
    let place = (code - DAMAGED) >> 8;
    let is_of_row = code & 0xff == ffi::SQLITE_CORRUPT;
    let table = TABLES.get(usize::try_from(place).ok().filter(|_| is_of_row)?)?;
    Some(table.part)
}

/// Gives a connection the functions that the checksums are made with.
pub(crate) fn add_functions(connection: &Connection) -> Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("row_sum", -1, flags, |context| Ok(sum_of(context, 0)))?;
    // What a change leaves of a checksum: the old one, what was there, what is there.
    connection.create_scalar_function("sum_carried", 3, flags, |context| {
        let number = |place| context.get::<i64>(place);
        Ok(number(0)? ^ number(1)? ^ number(2)?)
    })?;
    connection.create_scalar_function("sum_added", 2, flags, |context| {
        Ok(context.get::<i64>(0)?.wrapping_add(context.get::<i64>(1)?))
    })?;
    // The place of a table, the checksum of a row, and what that is over.
    connection.create_scalar_function("row_is_whole", -1, flags, |context| {
        let place: i32 = context.get(0)?;
        let is_whole = context.get_raw(1).as_i64().is_ok_and(|kept| kept == sum_of(context, 2));
        match is_whole {
            true => Ok(true),
            false => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(DAMAGED + (place << 8)), None)),
        }
    })?;
    connection.create_aggregate_function("items_sum", -1, flags, ItemsSum)?;
    Ok(())
}

/// The checksum of the arguments of a function from one on.
fn sum_of(context: &Context<'_>, first: usize) -> i64 {
    TEXT.with_borrow_mut(|text| {
        text.clear();
        for place in first..context.len() {
            write(context.get_raw(place), text);
        }
        xxh3_64(text) as i64
    })
}

/// Writes a value so that no two differ only in where one ends.
fn write(value: ValueRef<'_>, text: &mut Vec<u8>) {
    let mut put = |kind: u8, length: usize, bytes: &[u8]| {
        text.push(kind);
        text.extend((length as u64).to_le_bytes());
        text.extend(bytes);
    };
    match value {
        ValueRef::Null => put(0, 0, &[]),
        ValueRef::Integer(number) => put(1, 8, &number.to_le_bytes()),
        ValueRef::Real(number) => put(2, 8, &number.to_bits().to_le_bytes()),
        ValueRef::Text(bytes) => put(3, bytes.len(), bytes),
        ValueRef::Blob(bytes) => put(4, bytes.len(), bytes),
    }
}

/// The columns of a table.
struct Columns {
    /// By which a row is found.
    key: Vec<String>,
    /// All but the checksum, in their order.
    all: Vec<String>,
}

impl Columns {
    fn of(connection: &Connection, table: &str) -> Result<Self> {
        let mut statement =
            connection.prepare_cached("SELECT name, pk FROM pragma_table_info(?1, 'main') ORDER BY cid")?;
        let mut rows = statement.query([table])?;
        let (mut key, mut all) = (Vec::new(), Vec::new());
        while let Some(row) = rows.next()? {
            let (name, place): (String, i64) = (row.get(0)?, row.get(1)?);
            if place > 0 {
                key.push(name.clone());
            }
            if name != SUM {
                all.push(name);
            }
        }
        match all.is_empty() {
            true => Err(Error::damaged(CataloguePart::Schema, format!("there is no table {table}"))),
            false => Ok(Self { key, all }),
        }
    }

    /// The checksum of a row, as SQL. `of`: what stands before each column.
    fn sum(&self, of: &str) -> String {
        format!("row_sum({})", self.list(of))
    }

    fn list(&self, of: &str) -> String {
        self.all.iter().map(|column| format!("{of}{column}")).collect::<Vec<_>>().join(", ")
    }

    /// Finds the row that a trigger is about.
    fn found(&self) -> String {
        self.key.iter().map(|column| format!("{column} = NEW.{column}")).collect::<Vec<_>>().join(" AND ")
    }
}

/// Has a connection that writes by itself give each row its checksum, as a catalogue does: for tests that tell what a killed process has left.
///
/// # Errors
/// It is not a connection to a catalogue.
#[doc(hidden)]
pub fn keep_checksums(connection: &Connection) -> Result<()> {
    add_functions(connection)?;
    keep(connection)
}

/// Has a connection that writes give each row its checksum, of all tables that the version of the catalogue has.
pub(crate) fn keep(connection: &Connection) -> Result<()> {
    let version: u32 = connection.pragma_query_value(Some("main"), "user_version", |row| row.get(0))?;
    for Summed { table, .. } in TABLES.into_iter().filter(|table| table.since <= version) {
        let columns = Columns::of(connection, table)?;
        let (found, list) = (columns.found(), columns.list(""));
        let (old, new) = (columns.sum("OLD."), columns.sum("NEW."));
        connection.execute_batch(&format!(
            "CREATE TEMP TRIGGER IF NOT EXISTS {table}_added AFTER INSERT ON main.{table} BEGIN
                 UPDATE {table} SET {SUM} = {new} WHERE {found};
             END;
             CREATE TEMP TRIGGER IF NOT EXISTS {table}_changed AFTER UPDATE OF {list} ON main.{table} BEGIN
                 UPDATE {table} SET {SUM} = sum_carried(OLD.{SUM}, {old}, {new}) WHERE {found};
             END;"
        ))?;
    }
    Ok(())
}

/// Has a connection that only reads a catalogue of a version see no damaged row: a view takes the place of each table, and fails where a row does not have its
/// checksum. SQLite looks for a table among the temporary ones first, and sees through a view to the indexes of its table.
pub(crate) fn look(connection: &Connection, version: u32) -> Result<()> {
    for (place, Summed { table, .. }) in TABLES.iter().enumerate().filter(|(_, table)| table.since <= version)
    {
        let whole = is_whole(place, &Columns::of(connection, table)?);
        // In a query of its own, which SQLite asks last: it puts what a column is compared with in the place of the column, wherever that
        // stands, also for rows where that is not true.
        let view = format!("CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} WHERE (SELECT {whole})");
        connection.execute_batch(&view)?;
    }
    Ok(())
}

/// Fails if a row of a collection is damaged by which an audit decides what is to be read and reported. Who writes has no views.
pub(crate) fn check(connection: &Connection, collection: i64) -> Result<()> {
    let of_run = "run IN (SELECT id FROM run WHERE collection = ?1)";
    for (place, Summed { table, .. }) in TABLES.iter().enumerate() {
        let of = match *table {
            "collection" => "id = ?1",
            "run" | "span" | "total" | "finding" | "checkpoint" => "collection = ?1",
            "stint" | "withheld" => of_run,
            _ => continue,
        };
        let whole = is_whole(place, &Columns::of(connection, table)?);
        let sql = format!("SELECT count({whole}) FROM main.{table} WHERE {of}");
        connection.query_row(&sql, [collection], |_| Ok(()))?;
    }
    Ok(())
}

/// That a row of a table is whole, as SQL.
fn is_whole(place: usize, columns: &Columns) -> String {
    format!("row_is_whole({place}, {SUM}, {})", columns.list(""))
}

/// Makes the checksums of all rows: what is there is what is meant.
pub(crate) fn fill(connection: &Connection) -> Result<()> {
    let items = "UPDATE segment SET items_sum = (SELECT items_sum(id, name, size, mtime_ns, ctime_ns, inode, digests, run, state)
             FROM item WHERE item.id BETWEEN segment.id << 16 AND (segment.id << 16) + 65535)";
    connection.execute(items, [])?;
    for Summed { table, .. } in TABLES {
        let sum = Columns::of(connection, table)?.sum("");
        connection.execute(&format!("UPDATE {table} SET {SUM} = {sum}"), [])?;
    }
    Ok(())
}

/// Reports rows of a catalogue of a version that do not have their checksums: `tell` gets the part, the table, and by which numbers or words the row is found.
pub(crate) fn each_damaged(
    connection: &Connection,
    version: u32,
    tell: &mut dyn FnMut(CataloguePart, String),
) -> Result<()> {
    for Summed { table, part, .. } in TABLES.into_iter().filter(|table| table.since <= version) {
        let columns = Columns::of(connection, table)?;
        let (sum, key) = (columns.sum(""), columns.key.join(", "));
        let mut statement = connection
            .prepare(&format!("SELECT {key} FROM main.{table} WHERE {SUM} <> {sum} LIMIT {MOST}"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let shown = (0..columns.key.len()).map(|place| Ok(shown(row.get_ref(place)?)));
            let shown = shown.collect::<rusqlite::Result<Vec<_>>>()?.join(", ");
            tell(part, format!("row {shown} of {table} is not as it was written"));
        }
    }
    Ok(())
}

/// A value of a key.
fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "NULL".into(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => shown_name(bytes),
    }
}

/// What is known of an item, as the columns of its row.
pub(crate) struct ItemRow<'a> {
    pub(crate) id: i64,
    pub(crate) name: &'a [u8],
    /// Its size, when it was written to and changed, and its inode.
    pub(crate) facts: [Option<i64>; 4],
    pub(crate) digests: Option<&'a [u8]>,
    pub(crate) run: i64,
    pub(crate) state: i64,
}

impl ItemRow<'_> {
    /// Its checksum.
    pub(crate) fn sum(&self) -> i64 {
        let number = |number: &Option<i64>| number.map_or(ValueRef::Null, ValueRef::Integer);
        TEXT.with_borrow_mut(|text| {
            text.clear();
            write(ValueRef::Integer(self.id), text);
            write(ValueRef::Blob(self.name), text);
            self.facts.iter().for_each(|fact| write(number(fact), text));
            write(self.digests.map_or(ValueRef::Null, ValueRef::Blob), text);
            write(ValueRef::Integer(self.run), text);
            write(ValueRef::Integer(self.state), text);
            xxh3_64(text) as i64
        })
    }
}

/// The checksum of an item whose columns begin at one of a row: its number, its name, size, times, inode, digests, run and state.
pub(crate) fn of_item_in(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<i64> {
    TEXT.with_borrow_mut(|text| {
        text.clear();
        for column in first..first + 9 {
            write(row.get_ref(column)?, text);
        }
        Ok(xxh3_64(text) as i64)
    })
}

/// The sum of the checksums of rows of items.
struct ItemsSum;

impl Aggregate<i64, i64> for ItemsSum {
    fn init(&self, _: &mut Context<'_>) -> rusqlite::Result<i64> {
        Ok(0)
    }

    fn step(&self, context: &mut Context<'_>, sum: &mut i64) -> rusqlite::Result<()> {
        *sum = sum.wrapping_add(sum_of(context, 0));
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, sum: Option<i64>) -> rusqlite::Result<i64> {
        Ok(sum.unwrap_or(0))
    }
}

#[cfg(test)]
mod tests;
