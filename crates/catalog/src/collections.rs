//! Collections: trees that are audited over time.

use std::path::PathBuf;

use hashlane_digest::Algorithm;
use rusqlite::{OptionalExtension as _, Row, params};

use crate::catalog::Catalog;
use crate::error::{Error, Result};
use crate::paths::{bytes_of, path_of};

/// A collection's number in its catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CollectionId(pub(crate) i64);

/// What new and changed files mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// They are accepted and counted.
    #[default]
    Living,
    /// They are findings.
    Frozen,
}

/// What it takes to register a collection.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NewCollection {
    /// Its name.
    pub name: String,
    /// The group that it is listed in; empty: none.
    pub group: String,
    /// The root of its tree, absolute.
    pub root: PathBuf,
    /// By which algorithms its files are known, in this order. At least one.
    pub algorithms: Vec<Algorithm>,
    /// Within how many seconds every byte is to be read again, if that is promised.
    pub period_s: Option<i64>,
    /// What new and changed files mean.
    pub policy: Policy,
}

impl NewCollection {
    /// One without a promise, known by sha256.
    pub fn new(name: impl Into<String>, root: impl Into<PathBuf>) -> Self {
        Self {
            name: name.into(),
            group: String::new(),
            root: root.into(),
            algorithms: Algorithm::named("sha256").into_iter().collect(),
            period_s: None,
            policy: Policy::Living,
        }
    }
}

/// A collection as it is registered.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Collection {
    /// Its number.
    pub id: CollectionId,
    /// Its name.
    pub name: String,
    /// The group that it is listed in; empty: none.
    pub group: String,
    /// The root of its tree.
    pub root: PathBuf,
    /// By which algorithms its files are known, in this order.
    pub algorithms: Vec<Algorithm>,
    /// Within how many seconds every byte is to be read again, if that is promised.
    pub period_s: Option<i64>,
    /// What new and changed files mean.
    pub policy: Policy,
    /// When it was registered, in seconds since 1970.
    pub created_s: i64,
}

impl Catalog {
    /// Registers a collection at a time, in seconds since 1970.
    ///
    /// # Errors
    /// Its name is taken or cannot be one.
    pub fn add_collection(&mut self, new: &NewCollection, now_s: i64) -> Result<CollectionId> {
        check_name(&new.name)?;
        let algorithms: Vec<_> = new.algorithms.iter().map(|algorithm| algorithm.name()).collect();
        let policy = match new.policy {
            Policy::Living => 0,
            Policy::Frozen => 1,
        };
        let transaction = self.begin()?;
        let taken = transaction
            .query_row("SELECT 1 FROM collection WHERE name = ?1", [&new.name], |_| Ok(()))
            .optional()?;
        if taken.is_some() {
            return Err(Error::Exists { name: new.name.clone() });
        }
        transaction.execute(
            "INSERT INTO collection (name, team, root, algorithms, period_s, policy, created_s)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                new.name,
                new.group,
                bytes_of(&new.root),
                algorithms.join(","),
                new.period_s,
                policy,
                now_s
            ],
        )?;
        let id = CollectionId(transaction.last_insert_rowid());
        transaction.commit()?;
        Ok(id)
    }

    /// All collections that were not removed, by name.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn collections(&self) -> Result<Vec<Collection>> {
        let mut statement = self.connection.prepare_cached(&format!("{SELECT} ORDER BY name"))?;
        let mut rows = statement.query([])?;
        let mut collections = Vec::new();
        while let Some(row) = rows.next()? {
            collections.push(of_row(row)?);
        }
        Ok(collections)
    }

    /// The collection of a name.
    ///
    /// # Errors
    /// There is none, or the catalogue cannot be read.
    pub fn collection(&self, name: &str) -> Result<Collection> {
        let mut statement = self.connection.prepare_cached(&format!("{SELECT} AND name = ?1"))?;
        let mut rows = statement.query([name])?;
        match rows.next()? {
            Some(row) => of_row(row),
            None => Err(Error::NoCollection { name: name.to_owned() }),
        }
    }
}

const SELECT: &str = "SELECT id, name, team, root, algorithms, period_s, policy, created_s FROM collection
     WHERE removed_s IS NULL";

fn of_row(row: &Row<'_>) -> Result<Collection> {
    let name: String = row.get(1)?;
    let algorithms: String = row.get(4)?;
    let known = algorithms.split(',').map(|name| Algorithm::named(name).ok_or(name));
    let algorithms = known.collect::<std::result::Result<_, _>>().map_err(|unknown| Error::Damaged {
        what: format!("collection {name} is known by {unknown}, which is not an algorithm"),
    })?;
    let policy = match row.get(6)? {
        0_i64 => Policy::Living,
        1 => Policy::Frozen,
        other => return Err(Error::Damaged { what: format!("collection {name} has the policy {other}") }),
    };
    let root: Vec<u8> = row.get(3)?;
    Ok(Collection {
        id: CollectionId(row.get(0)?),
        name,
        group: row.get(2)?,
        root: path_of(&root).to_owned(),
        algorithms,
        period_s: row.get(5)?,
        policy,
        created_s: row.get(7)?,
    })
}

/// Names stand in lines, in addresses of pages and beside paths: nothing in one may need quoting.
fn check_name(name: &str) -> Result<()> {
    let bad = |why| Err(Error::BadName { name: name.to_owned(), why });
    let is_plain = |char: char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.');
    match name {
        "" => bad("it is empty"),
        name if name.len() > 200 => bad("it has more than 200 bytes"),
        name if name.starts_with(['-', '.']) => bad("it begins with a hyphen or a dot"),
        name if !name.chars().all(is_plain) => bad("only letters, digits, `-`, `_` and `.` are allowed"),
        _ => Ok(()),
    }
}
