//! Where in the segments of a directory a new name goes.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use crate::error::Result;
use crate::ids::{DirectoryId, FILL, ROOM, SHIFT};

/// Finds places for new names, and remembers the end of the directory that the last one went to: names that come in order need no look
/// at what is there.
#[derive(Debug, Default)]
pub(crate) struct Placing {
    filling: Option<Filling>,
    /// The first segment that was made.
    first_made: Option<i64>,
    /// How many items segments have had, of those that a place was taken in.
    items: BTreeMap<i64, i64>,
}

/// The end of a directory.
#[derive(Debug)]
struct Filling {
    directory: DirectoryId,
    /// Its last segment, and how many items that has had.
    tail: Option<(i64, i64)>,
    /// Its last name.
    last: Option<Vec<u8>>,
}

impl Placing {
    /// Takes a place for a name: the segment, and the ordinal in it.
    pub(crate) fn place(
        &mut self,
        connection: &Connection,
        directory: DirectoryId,
        name: &[u8],
    ) -> Result<(i64, i64)> {
        let mut filling = match self.filling.take().filter(|filling| filling.directory == directory) {
            Some(filling) => filling,
            None => Filling::of(connection, directory, &self.items)?,
        };
        let is_behind = filling.last.as_deref().is_none_or(|last| last < name);
        let (segment, items) = match filling.tail {
            None => (new_segment(connection, directory, b"", 0)?, 0),
            Some((_, items)) if is_behind && items >= FILL => {
                (new_segment(connection, directory, name, 0)?, 0)
            }
            Some(tail) if is_behind => tail,
            Some(_) => covering(connection, directory, name, &self.items)?,
        };
        if items == 0 {
            self.first_made.get_or_insert(segment);
        }
        if is_behind {
            filling.last = Some(name.to_vec());
        }
        if is_behind || filling.tail.is_some_and(|(tail, _)| tail == segment) {
            filling.tail = Some((segment, items + 1));
        }
        self.filling = Some(filling);
        self.items.insert(segment, items + 1);
        Ok((segment, items))
    }

    /// How many items a segment has had, if a place was taken in it: who takes places writes that down when all are taken.
    pub(crate) fn items(&self, segment: i64) -> Option<i64> {
        self.items.get(&segment).copied()
    }
}

impl Placing {
    /// Whether a segment was there before the first place was taken.
    pub(crate) fn was_there(&self, segment: i64) -> bool {
        // Numbers of segments rise.
        self.first_made.is_none_or(|made| segment < made)
    }
}

impl Filling {
    fn of(connection: &Connection, directory: DirectoryId, placed: &BTreeMap<i64, i64>) -> Result<Self> {
        let mut statement = connection.prepare_cached(
            "SELECT id, items FROM segment WHERE directory = ?1
             AND first = (SELECT max(first) FROM segment WHERE directory = ?1) ORDER BY part",
        )?;
        let parts: Vec<(i64, i64)> = statement
            .query_map([directory.0], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let mut statement =
            connection.prepare_cached("SELECT max(name) FROM item WHERE id BETWEEN ?1 AND ?2")?;
        let mut last = None;
        for (segment, _) in &parts {
            let first = segment << SHIFT;
            let of_part: Option<Vec<u8>> =
                statement.query_row(params![first, first + ROOM - 1], |row| row.get(0))?;
            last = last.max(of_part);
        }
        let tail = parts.last().map(|(part, items)| (*part, placed.get(part).copied().unwrap_or(*items)));
        Ok(Self { directory, tail, last })
    }
}

/// The segment whose names a name is among, and how many items it has had.
fn covering(
    connection: &Connection,
    directory: DirectoryId,
    name: &[u8],
    placed: &BTreeMap<i64, i64>,
) -> Result<(i64, i64)> {
    let mut statement = connection.prepare_cached(
        "SELECT id, items, first, part FROM segment WHERE directory = ?1 AND first <= ?2
         ORDER BY first DESC, part DESC LIMIT 1",
    )?;
    let (segment, items, first, part): (i64, i64, Vec<u8>, i64) = statement
        .query_row(params![directory.0, name], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })?;
    let items = placed.get(&segment).copied().unwrap_or(items);
    if items < ROOM {
        return Ok((segment, items));
    }
    Ok((new_segment(connection, directory, &first, part + 1)?, 0))
}

fn new_segment(connection: &Connection, directory: DirectoryId, first: &[u8], part: i64) -> Result<i64> {
    let mut statement = connection
        .prepare_cached("INSERT INTO segment (directory, first, part, items) VALUES (?1, ?2, ?3, 0)")?;
    Ok(statement.insert(params![directory.0, first, part])?)
}
