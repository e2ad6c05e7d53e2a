//! Collections: trees that are audited over time.

use std::path::PathBuf;

use hashlane_digest::Algorithm;
use hashlane_engine::{Filter, SeenRoot};
use rusqlite::{Connection, OptionalExtension as _, Params, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::changes::{self, Changed};
use crate::damage::CataloguePart;
use crate::error::{Error, Result};
use crate::habits::Habits;
use crate::ids::CollectionId;
use crate::paths::{bytes_of, is_in_store, path_of};
use crate::reader::Reader;
use crate::writer::Writer;

/// Stands for the time when a collection was removed, while it is purged.
pub(crate) const BEING_PURGED: i64 = i64::MIN;

/// What new and changed files mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// They are accepted and counted.
    Living,
    /// New files are, in whatever place. Other contents under known names are findings.
    #[default]
    Growing,
    /// They are findings.
    Frozen,
}

impl Policy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Living, Self::Growing, Self::Frozen];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Living => "living",
            Self::Growing => "growing",
            Self::Frozen => "frozen",
        }
    }

    /// What a catalogue writes for it.
    fn number(self) -> i64 {
        match self {
            Self::Living => 0,
            Self::Frozen => 1,
            Self::Growing => 2,
        }
    }

    fn of_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.number() == number)
    }
}

/// The policies of a collection, made ready to be asked.
#[derive(Debug)]
pub struct Policies {
    of_rest: Policy,
    /// The last one comes first.
    by_glob: Vec<(Filter, Policy)>,
}

impl Policies {
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn of(terms: &Terms) -> Result<Self> {
        let by_glob = terms.policies.iter().rev().map(|(glob, policy)| {
            let filter = Filter::new(std::slice::from_ref(glob), &[], &[]).map_err(Error::Filter)?;
            Ok((filter, *policy))
        });
        Ok(Self { of_rest: terms.policy, by_glob: by_glob.collect::<Result<_>>()? })
    }

    /// The one of a file, by its path below the root.
    pub fn at(&self, path: &[u8]) -> Policy {
        let found = self.by_glob.iter().find(|(filter, _)| filter.takes_below(path));
        found.map_or(self.of_rest, |(_, policy)| *policy)
    }

    /// The one of all files, if there is no other one.
    pub fn of_all(&self) -> Option<Policy> {
        self.by_glob.is_empty().then_some(self.of_rest)
    }
}

/// Which files of the tree belong to a collection. Globs are compared as those of [`hashlane_engine::Filter`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Selection {
    /// Only these; none: all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// Not these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// These may grow: what was known of one is to be its beginning.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub append_only: Vec<String>,
    /// What lies on the file system of the root, and no other.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub one_file_system: bool,
}

/// How the object store of a collection is reached. Credentials are no part of it: they are looked for anew by each command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct StoreTerms {
    /// The URL of a server that speaks S3; nothing: what the environment says, else that of AWS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The region of its bucket; nothing: what the environment says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Requests are not signed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub anonymous: bool,
    /// Whoever asks pays.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub requester_pays: bool,
}

/// When a run is held: where more files than both of these are missing, changed or unreadable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HoldIf {
    /// This many files.
    pub files: u64,
    /// This many in a hundred.
    pub percent: f64,
}

impl Default for HoldIf {
    fn default() -> Self {
        Self { files: 50, percent: 1.0 }
    }
}

/// What a collection is: all that a keeper says of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Terms {
    /// Its name.
    pub name: String,
    /// The group that it is listed in; empty: none.
    pub group: String,
    /// The root of its tree, absolute; or the name of a prefix in an object store, such as `s3://BUCKET/PREFIX`.
    pub root: PathBuf,
    /// How that store is reached.
    pub store: StoreTerms,
    /// By which algorithms its files are known, in this order. At least one. They never change.
    pub algorithms: Vec<Algorithm>,
    /// Within how many seconds every byte is to be read again, if that is promised.
    pub period_s: Option<i64>,
    /// What new and changed files mean.
    pub policy: Policy,
    /// What they mean where a file has a name that a glob takes. The last one counts that does.
    pub policies: Vec<(String, Policy)>,
    /// Which files belong to it.
    pub selection: Selection,
    /// What else it is called.
    pub tags: Vec<String>,
    /// When a run is held.
    pub hold_if: HoldIf,
    /// What its place is like, and how its promise is meant.
    pub habits: Habits,
}

impl Terms {
    /// All files below a root, without a promise, known by sha256.
    pub fn new(name: impl Into<String>, root: impl Into<PathBuf>) -> Self {
        Self {
            name: name.into(),
            group: String::new(),
            root: root.into(),
            store: StoreTerms::default(),
            algorithms: [Algorithm::SHA256].into(),
            period_s: None,
            policy: Policy::default(),
            policies: Vec::new(),
            selection: Selection::default(),
            tags: Vec::new(),
            hold_if: HoldIf::default(),
            habits: Habits::usual(),
        }
    }
}

impl Terms {
    /// All of them by their names, as the log of changes has them, and the marker. What is not set needs no words.
    pub(crate) fn told(&self, marker: Option<&str>) -> Result<Map<String, Value>> {
        let mut told = Map::new();
        let mut put = |key: &str, value: Value| {
            // What is not set needs no words.
            let is_set = match &value {
                Value::Null => false,
                Value::String(text) => !text.is_empty(),
                Value::Array(list) => !list.is_empty(),
                Value::Object(object) => !object.is_empty(),
                Value::Bool(_) | Value::Number(_) => true,
            };
            if is_set {
                told.insert(key.to_owned(), value);
            }
        };
        let kept = |value: serde_json::Result<Value>| -> Result<Map<String, Value>> {
            match value.map_err(Error::json)? {
                Value::Object(object) => Ok(object),
                _ => Ok(Map::new()),
            }
        };
        put("name", json!(self.name));
        put("group", json!(self.group));
        put("root", json!(String::from_utf8_lossy(bytes_of(&self.root))));
        for (key, value) in kept(serde_json::to_value(&self.store))? {
            put(&key, value);
        }
        put(
            "algorithms",
            json!(self.algorithms.iter().map(|algorithm| algorithm.name()).collect::<Vec<_>>()),
        );
        put("period_s", json!(self.period_s));
        put("policy", json!(self.policy.name()));
        put("policies", json!(self.policies.iter().map(|(glob, of)| (glob, of.name())).collect::<Vec<_>>()));
        for (key, value) in kept(serde_json::to_value(&self.selection))? {
            put(&key, value);
        }
        put("tags", json!(self.tags));
        put("hold_files", json!(self.hold_if.files));
        put("hold_percent", json!(self.hold_if.percent));
        for (key, value) in kept(serde_json::to_value(self.habits))? {
            put(&key, value);
        }
        put("marker", json!(marker));
        Ok(told)
    }

    /// Whether its files lie in an object store.
    pub fn is_in_store(&self) -> bool {
        is_in_store(&self.root)
    }
}

impl Collection {
    /// Whether its promise is kept by readings of the device alone, where such can be made.
    pub fn is_held_to_device(&self) -> bool {
        self.terms.habits.reads_device && !self.terms.is_in_store()
    }
}

impl Collection {
    /// That something was done with it as a whole.
    pub(crate) fn changed<'a>(&'a self, what: &'a str) -> Changed<'a> {
        let (id, name) = (Some(self.id.0), &self.terms.name[..]);
        Changed { what, collection: id, name, was: Map::new(), becomes: Map::new() }
    }
}

/// A collection as it is registered.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Collection {
    /// Its number.
    pub id: CollectionId,
    /// What a keeper says of it.
    pub terms: Terms,
    /// What it is called by for ever, whatever its name becomes: 16 random bytes.
    pub identity: Vec<u8>,
    /// When it was registered, in seconds since 1970.
    pub created_s: i64,
    /// What the file says by which its tree is known again, if it has one.
    pub marker: Option<String>,
    /// What its root was when it was last listed: the identity of its file system, and its inode.
    pub seen_root: Option<SeenRoot>,
    /// Since when it could not be reached, if it cannot, in seconds since 1970.
    pub offline_s: Option<i64>,
    /// When its tree was last listed, in seconds since 1970; nothing before its first audit is over.
    pub listed_s: Option<i64>,
}

impl Reader {
    /// The collections that were removed, and when, in seconds since 1970; those of a name together, the last one first.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn removed_collections(&self) -> Result<Vec<(Collection, i64)>> {
        let sql = format!(
            "{SELECT} WHERE removed_s IS NOT NULL AND removed_s <> ?1 ORDER BY name, removed_s DESC, id DESC"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query([BEING_PURGED])?;
        let mut collections = Vec::new();
        while let Some(row) = rows.next()? {
            collections.push((of_row(row)?, row.get(17)?));
        }
        Ok(collections)
    }

    /// The collections that are being purged, by name: those whose purge was interrupted, and those that another process purges.
    /// Nothing can be done with them but to purge them to their end.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn half_purged(&self) -> Result<Vec<Collection>> {
        self.all("WHERE removed_s = ?1 ORDER BY name, id", [BEING_PURGED])
    }

    /// All collections that were not removed, by name.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn collections(&self) -> Result<Vec<Collection>> {
        self.all("WHERE removed_s IS NULL ORDER BY name", [])
    }

    fn all(&self, which: &str, parameters: impl Params) -> Result<Vec<Collection>> {
        let mut statement = self.connection.prepare_cached(&format!("{SELECT} {which}"))?;
        let mut rows = statement.query(parameters)?;
        let mut collections = Vec::new();
        while let Some(row) = rows.next()? {
            collections.push(of_row(row)?);
        }
        Ok(collections)
    }

    /// The collections of these names, each once; without a name all of them.
    ///
    /// # Errors
    /// There is none of a name, or the catalogue cannot be read.
    pub fn named(&self, names: &[String]) -> Result<Vec<Collection>> {
        if names.is_empty() {
            return self.collections();
        }
        let mut collections: Vec<Collection> = Vec::with_capacity(names.len());
        for name in names {
            let collection = self.collection(name)?;
            // Who names one twice does not have its files twice.
            if collections.iter().all(|other| other.id != collection.id) {
                collections.push(collection);
            }
        }
        Ok(collections)
    }

    /// A collection by its number, also one that was removed.
    pub(crate) fn collection_of(&self, id: CollectionId) -> Result<Collection> {
        by_number(&self.connection, id)
    }

    /// Whether a collection that was looked up a while ago is still there, whatever was changed of it.
    pub(crate) fn is_still(&self, collection: &Collection) -> Result<bool> {
        let sql = "SELECT 1 FROM collection WHERE id = ?1 AND identity = ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found = statement.query_row(params![collection.id.0, collection.identity], |_| Ok(()));
        Ok(found.optional()?.is_some())
    }

    /// The collection of a name.
    ///
    /// # Errors
    /// There is none, or the catalogue cannot be read.
    pub fn collection(&self, name: &str) -> Result<Collection> {
        let mut statement =
            self.connection.prepare_cached(&format!("{SELECT} WHERE removed_s IS NULL AND name = ?1"))?;
        let mut rows = statement.query([name])?;
        match rows.next()? {
            Some(row) => of_row(row),
            None => Err(Error::NoCollection { name: name.to_owned() }),
        }
    }
}

impl Writer {
    /// Registers a collection at a time, in seconds since 1970.
    ///
    /// # Errors
    /// Its name is taken or cannot be one.
    pub fn add_collection(&mut self, terms: &Terms, now_s: i64) -> Result<CollectionId> {
        check_name(&terms.name)?;
        let acting = self.acting.clone();
        let transaction = self.begin()?;
        refuse_taken(&transaction, &terms.name)?;
        let algorithms: Vec<_> = terms.algorithms.iter().map(|algorithm| algorithm.name()).collect();
        transaction.execute(
            "INSERT INTO collection (name, root, algorithms, created_s, identity) VALUES (?1, ?2, ?3, ?4, randomblob(16))",
            params![terms.name, bytes_of(&terms.root), algorithms.join(","), now_s],
        )?;
        let id = CollectionId(transaction.last_insert_rowid());
        write_terms(&transaction, id, terms)?;
        let becomes = terms.told(None)?;
        let changed =
            Changed { what: "added", collection: Some(id.0), name: &terms.name, was: Map::new(), becomes };
        changes::record(&transaction, &acting, &changed)?;
        transaction.commit()?;
        Ok(id)
    }

    /// Takes note of what the file says by which the tree of a collection is known again; nothing: it is known by its root from now on.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn set_marker(&mut self, id: CollectionId, marker: Option<&str>) -> Result<()> {
        let acting = self.acting.clone();
        let transaction = self.begin()?;
        let Collection { terms, marker: was, .. } = by_number(&transaction, id)?;
        transaction.execute("UPDATE collection SET marker = ?2 WHERE id = ?1", params![id.0, marker])?;
        let told = |marker| terms.told(marker);
        let (was, becomes) = changes::difference(told(was.as_deref())?, told(marker)?);
        if !was.is_empty() || !becomes.is_empty() {
            let changed = Changed { what: "set", collection: Some(id.0), name: &terms.name, was, becomes };
            changes::record(&transaction, &acting, &changed)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Takes note of what the root of a collection was found to be; nothing: from now on it may be another one.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn set_seen_root(&mut self, id: CollectionId, seen: Option<&SeenRoot>) -> Result<()> {
        let mounts: Vec<_> = seen
            .iter()
            .flat_map(|seen| &seen.mounts)
            .map(|(path, identity)| (path.as_slice(), identity.as_str()))
            .collect();
        self.connection.execute(
            "UPDATE collection SET file_system = ?2, root_inode = ?3, mounts = ?4 WHERE id = ?1",
            params![
                id.0,
                seen.map(|seen| &seen.file_system),
                seen.map(|seen| seen.inode as i64),
                serde_json::to_string(&mounts).map_err(Error::json)?,
            ],
        )?;
        Ok(())
    }

    /// Takes note of since when a collection cannot be reached, or that it can.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn set_offline(&mut self, id: CollectionId, since_s: Option<i64>) -> Result<()> {
        self.connection
            .execute("UPDATE collection SET offline_s = ?2 WHERE id = ?1", params![id.0, since_s])?;
        Ok(())
    }

    /// Takes note of when the tree of a collection was listed to its end.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn set_listed(&mut self, id: CollectionId, at_s: i64) -> Result<()> {
        self.connection.execute("UPDATE collection SET listed_s = ?2 WHERE id = ?1", params![id.0, at_s])?;
        Ok(())
    }

    /// Takes a collection out of all lists. What is known of it stays, and its name is free.
    ///
    /// # Errors
    /// It is being audited, or the catalogue does not take it.
    pub fn remove_collection(&mut self, collection: &Collection, now_s: i64) -> Result<()> {
        let _lock = self.lock(collection, now_s)?;
        let acting = self.acting.clone();
        let transaction = self.begin()?;
        let removed = transaction.execute(
            "UPDATE collection SET removed_s = ?2 WHERE id = ?1 AND removed_s IS NULL",
            params![collection.id.0, now_s],
        )?;
        if removed > 0 {
            changes::record(&transaction, &acting, &collection.changed("removed"))?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Brings a collection that was removed back into the lists.
    ///
    /// # Errors
    /// Another one has its name by now, it was purged, or the catalogue does not take it.
    pub fn restore_collection(&mut self, collection: &Collection) -> Result<()> {
        let acting = self.acting.clone();
        let transaction = self.begin()?;
        refuse_taken(&transaction, &collection.terms.name)?;
        let restored = transaction.execute(
            "UPDATE collection SET removed_s = NULL WHERE id = ?1 AND removed_s IS NOT ?2",
            params![collection.id.0, BEING_PURGED],
        )?;
        if restored > 0 {
            changes::record(&transaction, &acting, &collection.changed("restored"))?;
        }
        transaction.commit()?;
        match restored {
            0 => Err(Error::NoCollection { name: collection.terms.name.clone() }),
            _ => Ok(()),
        }
    }
}

const SELECT: &str = "SELECT id, name, team, root, algorithms, period_s, policy, created_s, selection, tags,
     hold_files, hold_percent, file_system, root_inode, mounts, offline_s, listed_s, removed_s, marker, identity, store, policies,
     habits FROM collection";

/// A collection by its number, also one that was removed.
pub(crate) fn by_number(connection: &Connection, id: CollectionId) -> Result<Collection> {
    let mut statement = connection.prepare_cached(&format!("{SELECT} WHERE id = ?1"))?;
    let mut rows = statement.query([id.0])?;
    match rows.next()? {
        Some(row) => of_row(row),
        None => Err(Error::damaged(CataloguePart::Collection, format!("there is no collection {}", id.0))),
    }
}

pub(crate) fn refuse_taken(connection: &Connection, name: &str) -> Result<()> {
    let taken = connection
        .query_row("SELECT 1 FROM collection WHERE name = ?1 AND removed_s IS NULL", [name], |_| Ok(()))
        .optional()?;
    match taken {
        Some(()) => Err(Error::Exists { name: name.to_owned() }),
        None => Ok(()),
    }
}

/// All but the algorithms, which never change.
pub(crate) fn write_terms(connection: &Connection, id: CollectionId, terms: &Terms) -> Result<()> {
    let policies: Vec<_> = terms.policies.iter().map(|(glob, policy)| (glob, policy.number())).collect();
    connection.execute(
        "UPDATE collection SET name = ?2, team = ?3, root = ?4, period_s = ?5, policy = ?6, selection = ?7, tags = ?8,
         hold_files = ?9, hold_percent = ?10, store = ?11, policies = ?12, habits = ?13 WHERE id = ?1",
        params![
            id.0,
            terms.name,
            terms.group,
            bytes_of(&terms.root),
            terms.period_s,
            terms.policy.number(),
            serde_json::to_string(&terms.selection).map_err(Error::json)?,
            serde_json::to_string(&terms.tags).map_err(Error::json)?,
            terms.hold_if.files as i64,
            terms.hold_if.percent,
            serde_json::to_string(&terms.store).map_err(Error::json)?,
            serde_json::to_string(&policies).map_err(Error::json)?,
            serde_json::to_string(&terms.habits).map_err(Error::json)?,
        ],
    )?;
    Ok(())
}

fn of_row(row: &Row<'_>) -> Result<Collection> {
    let name: String = row.get(1)?;
    let algorithms: String = row.get(4)?;
    let known = algorithms.split(',').map(|name| Algorithm::named(name).ok_or(name));
    let algorithms = known.collect::<std::result::Result<_, _>>().map_err(|unknown| {
        Error::damaged(
            CataloguePart::Collection,
            format!("collection {name} is known by {unknown}, which is not an algorithm"),
        )
    })?;
    let policy_of = |number: i64| {
        let unknown = || {
            Error::damaged(CataloguePart::Collection, format!("collection {name} has the policy {number}"))
        };
        Policy::of_number(number).ok_or_else(unknown)
    };
    let policy = policy_of(row.get(6)?)?;
    let by_glob: Vec<(String, i64)> =
        serde_json::from_str(&row.get::<_, String>(21)?).map_err(Error::json)?;
    let policies = by_glob.into_iter().map(|(glob, number)| Ok((glob, policy_of(number)?)));
    let policies = policies.collect::<Result<_>>()?;
    let root: Vec<u8> = row.get(3)?;
    let (selection, tags, mounts): (String, String, String) = (row.get(8)?, row.get(9)?, row.get(14)?);
    let (store, habits): (String, String) = (row.get(20)?, row.get(22)?);
    let seen_root = match (row.get::<_, Option<String>>(12)?, row.get::<_, Option<i64>>(13)?) {
        (Some(file_system), Some(inode)) => Some(SeenRoot {
            file_system,
            inode: inode as u64,
            mounts: serde_json::from_str(&mounts).map_err(Error::json)?,
        }),
        _ => None,
    };
    Ok(Collection {
        id: CollectionId(row.get(0)?),
        terms: Terms {
            name,
            group: row.get(2)?,
            root: path_of(&root).to_owned(),
            store: serde_json::from_str(&store).map_err(Error::json)?,
            algorithms,
            period_s: row.get(5)?,
            policy,
            policies,
            selection: serde_json::from_str(&selection).map_err(Error::json)?,
            tags: serde_json::from_str(&tags).map_err(Error::json)?,
            hold_if: HoldIf { files: row.get::<_, i64>(10)?.max(0) as u64, percent: row.get(11)? },
            habits: serde_json::from_str(&habits).map_err(Error::json)?,
        },
        identity: row.get(19)?,
        created_s: row.get(7)?,
        marker: row.get(18)?,
        seen_root,
        offline_s: row.get(15)?,
        listed_s: row.get(16)?,
    })
}

/// Names stand in lines, in addresses of pages and beside paths: nothing in one may need quoting.
pub(crate) fn check_name(name: &str) -> Result<()> {
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
