//! Known digests that come from elsewhere, and go elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rusqlite::{ErrorCode, params};
use serde_json::{Map, Value};

use crate::changes::{self, Changed};
use crate::collections::Collection;
use crate::comparison::Comparison;
use crate::error::{Error, Result};
use crate::ids::{CollectionId, ItemId, RunId};
use crate::items::{Content, Item, State, digests_of, time_of};
use crate::keeping::Decision;
use crate::paths::split;
use crate::reader::Reader;
use crate::row::Row;
use crate::runs::{Ending, Request};
use crate::scratch::Scratch;
use crate::verdict::is_as_known;
use crate::writer::Writer;

/// Files that are recorded together.
const TOGETHER: usize = 16_384;

/// Files whose digests come from elsewhere, until they are all there.
#[derive(Debug)]
pub struct Import {
    files: Scratch,
    imported: Imported,
}

/// What became of files whose digests came from elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imported {
    /// They are registered now, and will be compared with the files.
    pub registered: u64,
    /// They were known, with the same digests, and the same size if both are known.
    pub known: u64,
    /// They were known, with other digests or another size, and are left as they were.
    pub contradicting: u64,
    /// The tree was listed, and does not have them. They are registered, and will be missing.
    pub not_found: u64,
    /// They are known, and in no list.
    pub not_listed: u64,
}

/// An import, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PastImport {
    /// Its run.
    pub run: RunId,
    /// When it was made, in seconds since 1970.
    pub at_s: i64,
    /// Who has made it.
    pub actor: String,
    /// Why.
    pub reason: String,
    /// What became of its files; nothing of one that did not come to its end, or that an earlier program has made.
    pub counted: Option<Imported>,
}

impl Imported {
    /// Its numbers, each with the name that programs read.
    pub fn counts(&self) -> [(&'static str, u64); 5] {
        let Self { registered, known, contradicting, not_found, not_listed } = *self;
        [
            ("registered", registered),
            ("matched", known),
            ("differing", contradicting),
            ("not_found", not_found),
            ("not_listed", not_listed),
        ]
    }

    fn object(&self) -> Map<String, Value> {
        self.counts().map(|(name, files)| (name.to_owned(), files.into())).into_iter().collect()
    }

    /// What was kept of it.
    fn of_text(text: &str) -> Result<Option<Self>> {
        let counts: BTreeMap<String, Value> = serde_json::from_str(text).map_err(Error::json)?;
        let count = |name| counts.get(name).and_then(Value::as_u64);
        let kept = || {
            Some(Self {
                registered: count("registered")?,
                known: count("matched")?,
                contradicting: count("differing")?,
                not_found: count("not_found")?,
                not_listed: count("not_listed")?,
            })
        };
        Ok(kept())
    }
}

impl Import {
    /// Begins. `scratch`: where large temporary files may lie.
    ///
    /// # Errors
    /// No temporary file can be made there.
    pub fn new(scratch: &Path) -> Result<Self> {
        let files = Scratch::new(
            scratch,
            "CREATE TABLE file (directory BLOB NOT NULL, name BLOB NOT NULL, size INTEGER, mtime_ns INTEGER,
                 digests BLOB NOT NULL, PRIMARY KEY (directory, name)) WITHOUT ROWID;
             BEGIN",
        )?;
        Ok(Self { files, imported: Imported::default() })
    }

    /// Takes a file: its path below the root, and its digests, one for each algorithm of the collection in that order. `false`: the
    /// same path came before, with other digests or another size.
    ///
    /// # Errors
    /// The temporary file cannot be written.
    pub fn add(&mut self, path: &[u8], content: &Content) -> Result<bool> {
        let ((directory, name), row) = (split(path), Row::of(content));
        self.files.run(|files| {
            let mut statement = files.prepare_cached(
                "INSERT INTO file (directory, name, size, mtime_ns, digests) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            match statement.execute(params![directory, name, row.size, row.mtime_ns, row.digests]) {
                Ok(_) => Ok(true),
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                    let mut same = files.prepare_cached(
                        "SELECT digests = ?3 AND coalesce(size = ?4, true) FROM file WHERE directory = ?1 AND name = ?2",
                    )?;
                    same.query_row(params![directory, name, row.digests, row.size], |row| row.get(0))
                }
                Err(error) => Err(error),
            }
        })
    }

    /// Registers all of them. `contradicts` gets the paths of files that are known with other digests or another size.
    ///
    /// # Errors
    /// The catalogue does not take them. What was registered before stays, and the same import goes on from there.
    pub fn register(
        mut self,
        catalog: &mut Writer,
        collection: &Collection,
        decision: &Decision,
        contradicts: &mut dyn FnMut(&[u8]),
    ) -> Result<Imported> {
        let Decision { actor, reason, at_s } = decision.clone();
        // Who audits would find files that were not there when it listed the tree.
        let _lock = catalog.lock(collection, at_s)?;
        let request = Request { what: "import".into(), actor, reason };
        let acting = catalog.acting.on(&request.actor, &request.reason, at_s);
        let stint = catalog.begin_stint(collection.id, &request, at_s, i64::MAX)?;
        let reader = catalog.reader()?;
        // What it registers itself is in its lists.
        let moment = reader.begin_moment()?;
        let mut comparison = Comparison::new(&reader, collection);
        // Who listens to a walk hears of what is gone; a list need not be complete.
        let mut not_listed = 0;
        let mut unheard = |_: &[u8], item: Item| {
            not_listed += u64::from(item.state != State::Ignored);
            Ok(())
        };
        let mut new: Vec<(Vec<u8>, Vec<u8>, Content)> = Vec::new();
        let mut unread: Vec<(ItemId, Content)> = Vec::new();
        {
            let failed = |error| self.files.failed(error);
            let mut statement = self
                .files
                .connection()
                .prepare("SELECT directory, name, size, mtime_ns, digests FROM file ORDER BY CAST(directory || x'2f' AS BLOB), name")
                .map_err(failed)?;
            let mut rows = statement.query([]).map_err(failed)?;
            while let Some(row) = rows.next().map_err(failed)? {
                let (directory, name): (Vec<u8>, Vec<u8>) = (row.get(0)?, row.get(1)?);
                let digests: Vec<u8> = row.get(4)?;
                let content = Content {
                    size: row.get::<_, Option<i64>>(2)?.map(|size| size as u64),
                    modified: row.get::<_, Option<i64>>(3)?.map(time_of),
                    digests: digests_of(&collection.terms.algorithms, &digests)?,
                    ..Content::default()
                };
                match comparison.file(&directory, &name, &mut unheard)? {
                    None => {
                        self.imported.not_found += u64::from(collection.listed_s.is_some());
                        new.push((directory, name, content));
                    }
                    Some(item) if is_as_known(&item.content, &content) => self.imported.known += 1,
                    Some(item) if item.state == State::Unread => unread.push((item.id, content)),
                    Some(_) => {
                        self.imported.contradicting += 1;
                        contradicts(&crate::paths::joined(&directory, &name));
                    }
                }
                if new.len() + unread.len() >= TOGETHER {
                    self.imported.registered += add(catalog, collection, stint, &mut new, &mut unread)?;
                }
            }
        }
        self.imported.registered += add(catalog, collection, stint, &mut new, &mut unread)?;
        comparison.finish(&mut unheard)?;
        drop(moment);
        self.imported.not_listed = not_listed;
        let becomes = self.imported.object();
        let counts = serde_json::to_string(&becomes).map_err(Error::json)?;
        let changed = Changed { becomes, ..collection.changed("imported") };
        let transaction = catalog.begin()?;
        changes::record(&transaction, &acting, &changed)?;
        transaction.commit()?;
        let ending = Ending { counts: &counts, ..Ending::of("imported") };
        catalog.end_stint(stint, Some(ending), at_s)?;
        Ok(self.imported)
    }
}

fn add(
    catalog: &mut Writer,
    collection: &Collection,
    stint: crate::runs::Stint,
    new: &mut Vec<(Vec<u8>, Vec<u8>, Content)>,
    unread: &mut Vec<(ItemId, Content)>,
) -> Result<u64> {
    let mut batch = catalog.batch(collection.id, stint)?;
    let added = (new.len() + unread.len()) as u64;
    for (item, content) in unread.drain(..) {
        batch.replace(item, &content, State::Registered)?;
    }
    for (directory, name, content) in new.drain(..) {
        let directory = batch.directory(&directory)?;
        batch.add(directory, &name, &content, State::Registered)?;
    }
    batch.commit()?;
    Ok(added)
}

impl Reader {
    /// The last imports into a collection, at most `most`, the latest first.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn imports(&self, collection: CollectionId, most: usize) -> Result<Vec<PastImport>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, started_s, actor, reason, counts FROM run WHERE collection = ?1 AND request = 'import' ORDER BY id DESC LIMIT ?2",
        )?;
        let mut rows = statement.query(params![collection.0, i64::try_from(most).unwrap_or(i64::MAX)])?;
        let mut imports = Vec::new();
        while let Some(row) = rows.next()? {
            imports.push(PastImport {
                run: RunId(row.get("id")?),
                at_s: row.get("started_s")?,
                actor: row.get("actor")?,
                reason: row.get("reason")?,
                counted: Imported::of_text(&row.get::<_, String>("counts")?)?,
            });
        }
        Ok(imports)
    }

    /// The imports since a file is known, the earliest first, each with whether it has registered this file. An import says of the others how
    /// many files it is about, and not which.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn imports_since_known(
        &self,
        collection: &Collection,
        item: &Item,
    ) -> Result<Vec<(PastImport, bool)>> {
        let recorded: BTreeSet<RunId> =
            self.versions(collection, item.id)?.iter().map(|version| version.run).chain([item.run]).collect();
        let first = recorded.first().copied();
        let mut imports = self.imports(collection.id, usize::MAX)?;
        imports.retain(|import| first.is_none_or(|first| import.run >= first));
        imports.reverse();
        Ok(imports
            .into_iter()
            .map(|import| {
                let registers = recorded.contains(&import.run);
                (import, registers)
            })
            .collect())
    }

    /// Shows all items of a collection, a directory at a time: its path below the root, and the item.
    ///
    /// # Errors
    /// The catalogue cannot be read, is damaged, or `show` fails.
    pub fn each_item(
        &self,
        collection: &Collection,
        show: &mut dyn FnMut(&[u8], Item) -> Result<()>,
    ) -> Result<()> {
        for (directory, path) in self.directories(collection.id)? {
            for segment in self.segments(directory)? {
                for item in self.items(collection, &segment)? {
                    show(&path, item)?;
                }
            }
        }
        Ok(())
    }
}
