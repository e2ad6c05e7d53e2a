//! What happens, as a feed: all of it or what is asked for, forwards or backwards, from any number on.
//!
//! Owns the ways to find a few events among millions. Each thing that is asked for has an index, and the numbers of its events are
//! read without a look at the events: as many as have all of them are looked up. Only what nearly all events have is looked for in them.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::ops::RangeInclusive;
use std::os::unix::fs::MetadataExt as _;

use roaring::RoaringTreemap;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, Transaction, params, params_from_iter};

use crate::edits;
use crate::error::{Error, Result};
use crate::events::{self, EventKind, Happening};
use crate::ids::{CollectionId, ItemId, ROOM, RunId, SHIFT};
use crate::items::path_of;
use crate::paths::split;
use crate::reader::Reader;
use crate::verdict::{Numbered as _, Verdict};
use crate::writer::Writer;

/// Up to this many events are gathered that have one of the things that are asked for.
const MOST_GATHERED: u64 = 1 << 18;

/// So few events are looked at one by one, whatever else is asked for.
const FEW: u64 = 10_000;

/// What is asked of a feed. By default all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wanted {
    /// Of the collections that have this name, be they removed, and what was changed of those that had it.
    pub collection: Option<String>,
    /// Of these kinds; none: of all.
    pub kinds: Vec<EventKind>,
    /// Of what this one has done, or has asked for.
    pub actor: Option<String>,
    /// Of the file of this path below its root, or of all in the directory of this path.
    pub path: Option<Vec<u8>>,
    /// Of what happened since then, in seconds since 1970.
    pub since_s: Option<i64>,
    /// Only those with higher numbers.
    pub after: Option<i64>,
    /// Only those with lower numbers.
    pub before: Option<i64>,
    /// The last one comes first.
    pub is_reversed: bool,
}

/// Something that happened, as a feed reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Happened {
    /// Its number, which no other event has or gets: later ones have higher numbers.
    pub number: i64,
    /// When, in seconds since 1970.
    pub at_s: i64,
    /// What kind of thing it is.
    pub kind: EventKind,
    /// The collection; empty: it is about the catalogue.
    pub collection: String,
    /// The file, by its path below the root.
    pub path: Option<Vec<u8>>,
    /// Who has done it, or has asked for the run that found it.
    pub actor: String,
    /// The run in which it happened.
    pub run: Option<RunId>,
    /// What happened, in one word.
    pub what: String,
    /// Why somebody has done it.
    pub reason: String,
    /// The path of the other file of a move or a copy.
    pub other: Option<Vec<u8>>,
    /// What else there is to say.
    pub detail: String,
}

impl Happened {
    /// What is said of the file, if that is what it is about: the name of a verdict.
    pub fn verdict(&self) -> Option<&str> {
        matches!(self.kind, EventKind::Finding | EventKind::Edit).then_some(&self.what[..])
    }
}

/// What was asked for, page by page. It is of the moment at which it was asked.
#[derive(Debug)]
pub struct Feed<'c> {
    connection: &'c Connection,
    /// What stands before the names of tables whose indexes alone are read: no checksums are looked at then.
    database: &'static str,
    wanted: Wanted,
    /// The collections that are meant, if not all are.
    collections: Option<Vec<i64>>,
    /// The items that are meant, if not all are.
    items: Option<Items>,
    /// Those of the table of events; none: too many to be gathered.
    events: Option<RoaringTreemap>,
    /// Those of the table of edits.
    edits: Option<RoaringTreemap>,
    /// How collections are called.
    names: HashMap<i64, String>,
    /// Those of each table that were looked up and not handed out yet, and whether they are the last ones.
    ahead: [(VecDeque<Happened>, bool); 2],
    /// The number of the last one of each table that was looked up.
    cursors: [Option<i64>; 2],
    /// Nothing is seen of what others write.
    _moment: Option<Transaction<'c>>,
}

impl Reader {
    /// What has happened, as far as it is asked for.
    ///
    /// # Errors
    /// No collection has the name, or had it when it was changed; or the catalogue cannot be read.
    pub fn feed(&self, wanted: &Wanted) -> Result<Feed<'_>> {
        // What an earlier version has instead is shown as a whole, and has no indexes of its own.
        let database = if self.has_sums() { "main." } else { "" };
        // Else an event might come between two looks, and be passed over for ever.
        let moment = self.begin_moment()?;
        Ok(Feed { _moment: moment, ..Feed::new(&self.connection, wanted, database)? })
    }

    /// What each table and each index takes, in bytes.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn sizes(&self) -> Result<Vec<(String, u64)>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY name")?;
        let sizes = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?;
        Ok(sizes.collect::<rusqlite::Result<_>>()?)
    }

    /// Whether the file that was opened is still the one in its place, as far as there is one.
    pub fn is_in_place(&self) -> bool {
        let there = fs::metadata(self.path()).map(|facts| (facts.dev(), facts.ino())).ok();
        // Where none is, one may be about to come.
        there.is_none_or(|there| Some(there) == self.opened)
    }

    /// Whether another process has written to the catalogue since this was asked the last time: then the number that is returned is another one.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn data_version(&self) -> Result<i64> {
        Ok(self.connection.query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }
}

impl Writer {
    /// Records events that nobody has lived through, to measure what it takes to find some among millions: kind, collection, item, time in seconds
    /// since 1970, and actor. All of them are recorded or none.
    ///
    /// # Errors
    /// The catalogue does not take it.
    #[doc(hidden)]
    pub fn make_up_events<'e>(
        &mut self,
        events: impl Iterator<Item = (EventKind, CollectionId, Option<ItemId>, i64, &'e str)>,
    ) -> Result<()> {
        let transaction = self.begin()?;
        for (kind, collection, item, at_s, actor) in events {
            let happening = Happening {
                kind,
                collection: Some(collection.0),
                item: item.map(|item| item.0),
                at_s,
                actor,
                what: "made-up",
                ..Happening::default()
            };
            events::record(&transaction, &happening)?;
        }
        transaction.commit()?;
        Ok(())
    }
}

impl<'c> Feed<'c> {
    fn new(connection: &'c Connection, wanted: &Wanted, database: &'static str) -> Result<Self> {
        let names: HashMap<i64, String> = connection
            .prepare_cached("SELECT id, name FROM collection")?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let collections = match &wanted.collection {
            Some(name) => Some(collections_of(connection, &names, name)?),
            None => None,
        };
        let items = match &wanted.path {
            Some(path) => {
                let all: Vec<i64> = names.keys().copied().collect();
                let below = plain(path);
                let items = Items::below(connection, collections.as_deref().unwrap_or(&all), &below)?;
                // Who has written it otherwise would take this for peace.
                if items.0.is_empty() && !below.is_empty() {
                    return Err(Error::NoPath { path: path.clone() });
                }
                Some(items)
            }
            None => None,
        };
        let wanted = wanted.clone();
        let mut feed = Self {
            connection,
            database,
            wanted,
            collections,
            items,
            events: None,
            edits: None,
            names,
            ahead: Default::default(),
            cursors: [None; 2],
            _moment: None,
        };
        feed.events = feed.gather_events()?;
        feed.edits = feed.gather_edits()?;
        Ok(feed)
    }

    /// The next ones, at most `most`. Nothing is left if there are fewer.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn next(&mut self, most: usize) -> Result<Vec<Happened>> {
        let mut next: Vec<(usize, Happened)> = Vec::new();
        while next.len() < most {
            if let Err(error) = self.look_ahead(most) {
                // Who was interrupted may go on: nothing that was handed over is lost.
                for (place, happened) in next.into_iter().rev() {
                    self.ahead[place].0.push_front(happened);
                }
                return Err(error);
            }
            let number = |place: usize| self.ahead[place].0.front().map(|happened| happened.number);
            let place = match (number(0), number(1)) {
                (None, None) => break,
                (Some(_), None) => 0,
                (None, Some(_)) => 1,
                (Some(event), Some(edit)) => usize::from((edit < event) != self.wanted.is_reversed),
            };
            next.extend(self.ahead[place].0.pop_front().map(|happened| (place, happened)));
        }
        Ok(next.into_iter().map(|(_, happened)| happened).collect())
    }

    /// Looks up more of each table of which nothing is left, if there is more.
    fn look_ahead(&mut self, most: usize) -> Result<()> {
        for (place, table) in [Table::Events, Table::Edits].into_iter().enumerate() {
            let (ahead, is_over) = &self.ahead[place];
            if ahead.is_empty() && !is_over {
                let more = self.next_of(table, most)?;
                let is_over = more.len() < most;
                self.ahead[place] = (more.into(), is_over);
            }
        }
        Ok(())
    }

    /// The highest number that was given out at the moment of the feed: who goes on from there misses nothing, whatever was found.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn last_number(&self) -> Result<i64> {
        events::last_number(self.connection)
    }

    /// The number up to which edits are not listed any more that would be among what is asked for, if there are any: they are kept for 90 days.
    /// `now_s`: in seconds since 1970.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn forgotten_to(&self, now_s: i64) -> Result<Option<i64>> {
        if !self.has_edits() {
            return Ok(None);
        }
        // What is asked for since then is kept as yet.
        if self.wanted.since_s.is_some_and(|since_s| since_s > now_s.saturating_sub(edits::KEPT_S)) {
            return Ok(None);
        }
        let bounds = self.bounds();
        let mut last = None;
        for collection in self.names.keys().filter(|id| self.is_meant(**id)) {
            last = last.max(edits::forgotten_to(self.connection, *collection)?);
        }
        Ok(last.filter(|last| last >= bounds.start()).map(|last| last.min(*bounds.end())))
    }

    /// The numbers that are asked for.
    fn bounds(&self) -> RangeInclusive<i64> {
        let first = self.wanted.after.map_or(0, |after| after.saturating_add(1));
        let last = self.wanted.before.map_or(i64::MAX, |before| before.saturating_sub(1));
        first..=last
    }

    fn is_meant(&self, collection: i64) -> bool {
        self.collections.as_ref().is_none_or(|collections| collections.contains(&collection))
    }

    /// Whether what is asked for can be among the edits.
    fn has_edits(&self) -> bool {
        self.wanted.kinds.is_empty() || self.wanted.kinds.contains(&EventKind::Edit)
    }

    /// The events that have all that is asked for, as far as what is rare shows that.
    fn gather_events(&self) -> Result<Option<RoaringTreemap>> {
        let mut gathered = Gathered::new((self.connection, self.database), self.bounds());
        if let Some(items) = &self.items {
            for items in &items.0 {
                gathered.add_all("event WHERE item BETWEEN ?3 AND ?4", &[items.0, items.1])?;
            }
            gathered.close(true);
        }
        if let Some(collections) = &self.collections {
            for collection in collections {
                gathered.add("event WHERE collection = ?3", &[(*collection).into()])?;
            }
            // What was changed of one that is gone knows its name alone.
            let name = self.wanted.collection.clone().unwrap_or_default();
            gathered.add("(SELECT event AS id, name FROM change) WHERE name = ?3", &[name.into()])?;
            gathered.close(false);
        }
        if !self.wanted.kinds.is_empty() && !gathered.is_few() {
            for kind in &self.wanted.kinds {
                gathered.add("event WHERE kind = ?3", &[kind.number().into()])?;
            }
            gathered.close(false);
        }
        if let Some(actor) = self.wanted.actor.as_ref().filter(|_| !gathered.is_few()) {
            gathered.add("event WHERE actor = ?3", &[actor.clone().into()])?;
            gathered.close(false);
        }
        if let Some(since_s) = self.wanted.since_s.filter(|_| !gathered.is_few()) {
            gathered.add("event WHERE at_s >= ?3", &[since_s.into()])?;
            gathered.close(false);
        }
        Ok(gathered.all)
    }

    /// The same of edits: what is not in their table is in that of their runs.
    fn gather_edits(&self) -> Result<Option<RoaringTreemap>> {
        if !self.has_edits() {
            return Ok(Some(RoaringTreemap::new()));
        }
        let mut gathered = Gathered::new((self.connection, self.database), self.bounds());
        if let Some(items) = &self.items {
            for items in &items.0 {
                gathered.add_all("edit WHERE item BETWEEN ?3 AND ?4", &[items.0, items.1])?;
            }
            gathered.close(true);
        }
        let Wanted { actor, since_s, .. } = &self.wanted;
        if self.collections.is_some() || actor.is_some() || since_s.is_some() {
            let mut statement = self.connection.prepare_cached(
                "SELECT id, collection FROM run WHERE (?1 IS NULL OR actor = ?1) AND (?2 IS NULL OR ended_s IS NULL OR ended_s >= ?2)",
            )?;
            let mut rows = statement.query(params![actor, since_s])?;
            while let Some(row) = rows.next()? {
                let (run, collection): (i64, i64) = (row.get(0)?, row.get(1)?);
                if self.is_meant(collection) {
                    gathered.add("edit WHERE run = ?3", &[run.into()])?;
                }
            }
            gathered.close(false);
        }
        Ok(gathered.all)
    }

    /// The next ones of a table.
    fn next_of(&mut self, table: Table, most: usize) -> Result<Vec<Happened>> {
        let next = self.looked_up(table, most)?;
        // Each table goes on where it has come to.
        if let Some(last) = next.last() {
            self.cursors[table as usize] = Some(last.number);
        }
        Ok(next)
    }

    fn looked_up(&self, table: Table, most: usize) -> Result<Vec<Happened>> {
        let (first, last) = self.bounds().into_inner();
        let bounds = match (self.cursors[table as usize], self.wanted.is_reversed) {
            (None, _) => first..=last,
            (Some(cursor), true) => first..=cursor - 1,
            (Some(cursor), false) => cursor + 1..=last,
        };
        if bounds.is_empty() {
            return Ok(Vec::new());
        }
        let gathered = match table {
            Table::Events => &self.events,
            Table::Edits => &self.edits,
        };
        let mut next = Vec::new();
        let Some(gathered) = gathered else {
            let order = if self.wanted.is_reversed { "DESC" } else { "ASC" };
            let sql = format!(
                "{} WHERE {} BETWEEN ?1 AND ?2 ORDER BY {} {order}",
                table.rows(),
                table.id(),
                table.id()
            );
            let mut statement = self.connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![bounds.start(), bounds.end()])?;
            while let Some(row) = rows.next()? {
                next.extend(self.happened(table, row)?);
                if next.len() >= most {
                    break;
                }
            }
            return Ok(next);
        };
        let mut statement =
            self.connection.prepare_cached(&format!("{} WHERE {} = ?1", table.rows(), table.id()))?;
        let mut add = |number: u64| -> Result<bool> {
            let mut rows = statement.query([number as i64])?;
            if let Some(row) = rows.next()? {
                next.extend(self.happened(table, row)?);
            }
            Ok(next.len() < most)
        };
        let (first, last) = (*bounds.start() as u64, *bounds.end() as u64);
        if self.wanted.is_reversed {
            let behind = gathered.rank(last);
            for nth in (0..behind).rev() {
                match gathered.select(nth) {
                    Some(number) if number >= first && add(number)? => {}
                    _ => break,
                }
            }
        } else {
            let mut numbers = gathered.iter();
            numbers.advance_to(first);
            for number in numbers.take_while(|number| *number <= last) {
                if !add(number)? {
                    break;
                }
            }
        }
        Ok(next)
    }

    /// What a row says, if it is asked for.
    fn happened(&self, table: Table, row: &Row<'_>) -> Result<Option<Happened>> {
        let Wanted { collection: name, actor: by, since_s, kinds, .. } = &self.wanted;
        let kind = EventKind::of_number(row.get(2)?)?;
        let at_s: i64 = row.get(1)?;
        let (collection, item): (Option<i64>, Option<i64>) = (row.get(3)?, row.get(5)?);
        let then: Option<String> = row.get(4)?;
        let actor: String = row.get(6)?;
        let is_of_collection = match collection {
            Some(collection) => self.is_meant(collection) || name.is_some() && *name == then,
            None => name.is_none() || *name == then,
        };
        let is_wanted = kind != EventKind::History
            && (kinds.is_empty() || kinds.contains(&kind))
            && is_of_collection
            && by.as_ref().is_none_or(|by| *by == actor)
            && since_s.is_none_or(|since_s| at_s >= since_s)
            && self.items.as_ref().is_none_or(|items| item.is_some_and(|item| items.has(item)));
        if !is_wanted {
            return Ok(None);
        }
        let path = |item: Option<i64>| item.map(|item| path_of(self.connection, ItemId(item))).transpose();
        let what = match table {
            Table::Events => row.get(8)?,
            Table::Edits => Verdict::of_number(row.get(8)?)?.name_in_collection().to_owned(),
        };
        let named = collection.and_then(|collection| self.names.get(&collection)).cloned();
        Ok(Some(Happened {
            number: row.get(0)?,
            at_s,
            kind,
            collection: named.or(then).unwrap_or_default(),
            path: path(item)?,
            actor,
            run: row.get::<_, Option<i64>>(7)?.map(RunId),
            what,
            reason: row.get(9)?,
            other: path(row.get(10)?)?,
            detail: row.get(11)?,
        }))
    }
}

/// Where events are kept.
#[derive(Clone, Copy, Debug)]
enum Table {
    Events,
    Edits,
}

impl Table {
    /// All of its rows: number, time, kind, collection, what that was called when it was changed, item, actor, run, what, reason, other item,
    /// detail.
    fn rows(self) -> &'static str {
        match self {
            Self::Events => {
                "SELECT event.id, event.at_s, event.kind, event.collection, (SELECT name FROM change WHERE change.event = event.id),
                     event.item, event.actor, event.run, event.what, event.reason, event.other, event.detail FROM event"
            }
            Self::Edits => {
                "SELECT edit.id, edit.at_s, 12, edit.collection, NULL, edit.item, (SELECT actor FROM run WHERE run.id = edit.run),
                     edit.run, edit.verdict, '', NULL, '' FROM edit"
            }
        }
    }

    fn id(self) -> &'static str {
        match self {
            Self::Events => "event.id",
            Self::Edits => "edit.id",
        }
    }
}

/// A path as the catalogue has it: `./a//b/` is `a/b`.
fn plain(path: &[u8]) -> Vec<u8> {
    let parts = path.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && *part != b".");
    parts.collect::<Vec<_>>().join(&b'/')
}

/// Items by their numbers: from each first one to its last.
#[derive(Debug)]
struct Items(Vec<(i64, i64)>);

impl Items {
    /// Those that lie at a path below the roots of collections, or below it.
    fn below(connection: &Connection, collections: &[i64], path: &[u8]) -> Result<Self> {
        let mut items = Vec::new();
        // A slash is followed by `0`: what lies between begins with the path and a slash.
        let mut below = connection.prepare_cached(
            "SELECT segment.id FROM directory JOIN segment ON segment.directory = directory.id WHERE directory.collection = ?1
             AND (directory.path = ?2
                 OR (directory.path > CAST(?2 || x'2f' AS BLOB) AND directory.path < CAST(?2 || x'30' AS BLOB)))",
        )?;
        let mut all = connection.prepare_cached(
            "SELECT segment.id FROM directory JOIN segment ON segment.directory = directory.id WHERE directory.collection = ?1",
        )?;
        let mut named = connection.prepare_cached(
            "SELECT item.id FROM directory JOIN segment ON segment.directory = directory.id
             JOIN item ON item.id BETWEEN segment.id << 16 AND (segment.id << 16) + 65535
             WHERE directory.collection = ?1 AND directory.path = ?2 AND item.name = ?3",
        )?;
        let (directory, name) = split(path);
        for collection in collections {
            let mut segments = match path.is_empty() {
                true => all.query([collection])?,
                false => below.query(params![collection, path])?,
            };
            while let Some(row) = segments.next()? {
                let segment: i64 = row.get(0)?;
                items.push((segment << SHIFT, (segment << SHIFT) + ROOM - 1));
            }
            let mut rows = named.query(params![collection, directory, name])?;
            while let Some(row) = rows.next()? {
                let item: i64 = row.get(0)?;
                items.push((item, item));
            }
        }
        items.sort_unstable();
        Ok(Self(items))
    }

    fn has(&self, item: i64) -> bool {
        let place = self.0.partition_point(|(first, _)| *first <= item);
        place.checked_sub(1).is_some_and(|place| item <= self.0[place].1)
    }
}

/// The numbers of events that have all of some things, as they are gathered one thing after the other.
struct Gathered<'c> {
    connection: &'c Connection,
    database: &'static str,
    bounds: RangeInclusive<i64>,
    /// Those that have all things so far; none: so far all are meant, or those that have one are too many.
    all: Option<RoaringTreemap>,
    /// Those that have the one thing.
    one: RoaringTreemap,
}

impl<'c> Gathered<'c> {
    fn new((connection, database): (&'c Connection, &'static str), bounds: RangeInclusive<i64>) -> Self {
        Self { connection, database, bounds, all: None, one: RoaringTreemap::new() }
    }

    /// Adds those of a table for which something is true of values, from the third parameter on. Where they are many, not all are.
    fn add(&mut self, of: &str, values: &[Value]) -> Result<()> {
        self.gather(of, values, MOST_GATHERED)
    }

    /// Adds those of numbers, however many they are.
    fn add_all(&mut self, of: &str, values: &[i64]) -> Result<()> {
        let values: Vec<Value> = values.iter().map(|value| (*value).into()).collect();
        self.gather(of, &values, u64::MAX)
    }

    fn gather(&mut self, of: &str, values: &[Value], most: u64) -> Result<()> {
        let database = if of.starts_with('(') { "" } else { self.database };
        // Behind a range an index is of no use for the numbers, and without the sign SQLite goes through those of all events instead.
        let number = if of.contains(">=") || of.contains("BETWEEN") { "+id" } else { "id" };
        let sql = format!("SELECT id FROM {database}{of} AND {number} BETWEEN ?1 AND ?2");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let bounds = [*self.bounds.start(), *self.bounds.end()].map(Value::from);
        let mut rows = statement.query(params_from_iter(bounds.iter().chain(values)))?;
        while let Some(row) = rows.next()? {
            if self.one.len() > most {
                break;
            }
            self.one.insert(row.get::<_, i64>(0)? as u64);
        }
        Ok(())
    }

    /// Whether those that are left are so few that each is looked at.
    fn is_few(&self) -> bool {
        self.all.as_ref().is_some_and(|all| all.len() <= FEW)
    }

    /// Goes on to the next thing.
    fn close(&mut self, takes_all: bool) {
        let one = std::mem::take(&mut self.one);
        if !takes_all && one.len() > MOST_GATHERED {
            return;
        }
        self.all = Some(match self.all.take() {
            Some(all) => all & one,
            None => one,
        });
    }
}

/// The collections of a name: those that have it, or if none does, those that had it when they were changed. Refuses one that nobody has heard
/// of.
fn collections_of(connection: &Connection, names: &HashMap<i64, String>, name: &str) -> Result<Vec<i64>> {
    let nobody = || Error::NoCollection { name: name.to_owned() };
    if name.is_empty() {
        return Err(nobody());
    }
    let mut collections: Vec<i64> =
        names.iter().filter(|(_, other)| *other == name).map(|(id, _)| *id).collect();
    collections.sort_unstable();
    if !collections.is_empty() {
        return Ok(collections);
    }
    let mut statement = connection.prepare_cached(
        "SELECT DISTINCT event.collection FROM change JOIN event ON event.id = change.event WHERE change.name = ?1",
    )?;
    let had = statement.query_map([name], |row| row.get::<_, Option<i64>>(0))?;
    let had = had.collect::<rusqlite::Result<Vec<_>>>()?;
    // One that was purged has left its changes.
    match had.is_empty() {
        true => Err(nobody()),
        false => Ok(had.into_iter().flatten().collect()),
    }
}
