//! Seals: the Merkle root of each run, over all versions of files that it has recorded.
//!
//! A version is a leaf of the run that recorded it. The leaves of a run stand in order of their items and, of one item, in the order in
//! which its versions came. So the place of each is known without a byte in its row, and any change of what was recorded once changes a
//! root that was given out long ago.

use std::collections::BTreeMap;

use hashlane_proof::{FileVersion, Hash, Salts, Tree};
use roaring::RoaringTreemap;
use rusqlite::params;

use crate::collections::Collection;
use crate::damage::CataloguePart;
use crate::error::{Error, Result};
use crate::ids::{CollectionId, ItemId, RunId, SHIFT};
use crate::items::{digests_of, time_of};
use crate::paths::joined;
use crate::reader::Reader;
use crate::requests::is_audit;
use crate::writer::Writer;

/// Items that lie so near to each other are asked for at once: those in between cost less than one more question.
const NEAR: i64 = 32;

/// What a run has recorded, in one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Seal {
    /// How many versions of files.
    pub leaves: u64,
    /// The root of their Merkle tree (RFC 9162).
    pub root: Hash,
}

impl Seal {
    /// The root in lower-case hexadecimal.
    pub fn root_hex(&self) -> String {
        self.root.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A run that is being sealed.
struct Sealing {
    started_s: i64,
    salts: Salts,
    tree: Tree,
}

/// Runs that are being sealed, by their numbers.
type Sealings = BTreeMap<RunId, Sealing>;

impl Reader {
    /// The seal of a run, if it has one.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn seal_of(&self, run: RunId) -> Result<Option<Seal>> {
        let mut statement =
            self.connection.prepare_cached("SELECT leaves, merkle_root FROM run WHERE id = ?1")?;
        let (leaves, root): (i64, Option<Vec<u8>>) =
            statement.query_row([run.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let seal = root.map(|root| match Hash::try_from(root) {
            Ok(root) => Ok(Seal { leaves: leaves as u64, root }),
            Err(_) => {
                Err(Error::damaged(CataloguePart::Run, format!("the seal of run {} is not one", run.0)))
            }
        });
        seal.transpose()
    }

    /// The runs of a collection that did not record what their seals say.
    pub(crate) fn broken_seals(&self, collection: &Collection) -> Result<Vec<RunId>> {
        let mut sealings = self.sealings(
            "SELECT id, started_s, secret FROM run WHERE collection = ?1 AND merkle_root IS NOT NULL",
            collection.id.0,
        )?;
        self.leaves(collection, &mut sealings)?;
        let mut broken = Vec::new();
        for (run, mut sealing) in sealings {
            let now = Seal { leaves: sealing.tree.leaves(), root: sealing.tree.root() };
            if self.seal_of(run)? != Some(now) {
                broken.push(run);
            }
        }
        Ok(broken)
    }

    fn sealings(&self, sql: &str, of: i64) -> Result<Sealings> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([of])?;
        let mut sealings = Sealings::new();
        while let Some(row) = rows.next()? {
            let run = RunId(row.get(0)?);
            let secret: Vec<u8> = row.get(2)?;
            let secret = secret.try_into().map_err(|secret: Vec<u8>| {
                Error::damaged(
                    CataloguePart::Run,
                    format!("the secret of run {} has {} bytes", run.0, secret.len()),
                )
            })?;
            let sealing = Sealing { started_s: row.get(1)?, salts: Salts::new(secret), tree: Tree::new() };
            sealings.insert(run, sealing);
        }
        Ok(sealings)
    }

    /// Gives each of the runs its leaves, by one look at all versions of all files of their collection.
    fn leaves(&self, collection: &Collection, sealings: &mut Sealings) -> Result<()> {
        // As of one moment: a version that is replaced meanwhile would be seen twice, or not at all.
        let _moment = self.begin_moment()?;
        for segment in self.segment_numbers(collection.id)? {
            let directory = self.directory_of(ItemId(segment.first()))?;
            let between = (ItemId(segment.first()), ItemId(segment.last()));
            self.leaves_between(collection, &directory, between, sealings)?;
        }
        Ok(())
    }

    /// The same of a few items, which have all leaves that there are.
    fn leaves_of_items(
        &self,
        collection: &Collection,
        items: &RoaringTreemap,
        sealings: &mut Sealings,
    ) -> Result<()> {
        let _moment = self.begin_moment()?;
        let mut items = items.iter().map(|item| item as i64).peekable();
        while let Some(first) = items.next() {
            let mut last = first;
            let is_near = |last: i64, item: i64| item - last <= NEAR && item >> SHIFT == first >> SHIFT;
            while let Some(item) = items.next_if(|item| is_near(last, *item)) {
                last = item;
            }
            let directory = self.directory_of(ItemId(first))?;
            self.leaves_between(collection, &directory, (ItemId(first), ItemId(last)), sealings)?;
        }
        Ok(())
    }

    /// The same of the items between two, which are of one directory.
    fn leaves_between(
        &self,
        collection: &Collection,
        directory: &[u8],
        (first, last): (ItemId, ItemId),
        sealings: &mut Sealings,
    ) -> Result<()> {
        let mut versions = self.connection.prepare_cached(
            "SELECT item, nth, run, size, mtime_ns, digests FROM version WHERE item BETWEEN ?1 AND ?2 ORDER BY item, nth",
        )?;
        let mut versions = versions.query(params![first.0, last.0])?;
        let mut items = self.connection.prepare_cached(
            "SELECT id, name, run, size, mtime_ns, digests FROM item WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
        )?;
        let mut items = items.query(params![first.0, last.0])?;
        let mut version = versions.next()?;
        let mut text = Vec::new();
        while let Some(item) = items.next()? {
            let (id, name): (i64, Vec<u8>) = (item.get(0)?, item.get(1)?);
            let mut path = None;
            let mut nth = 0;
            let mut leaf = |nth: u32, row: &rusqlite::Row<'_>| -> Result<()> {
                let Some(sealing) = sealings.get_mut(&RunId(row.get(2)?)) else { return Ok(()) };
                // What was listed only has no content yet.
                let Some(digests) = row.get::<_, Option<Vec<u8>>>(5)? else { return Ok(()) };
                let version = FileVersion {
                    collection: &collection.identity,
                    path: path.get_or_insert_with(|| joined(directory, &name)),
                    size: row.get::<_, Option<i64>>(3)?.map(|size| size as u64),
                    modified: row.get::<_, Option<i64>>(4)?.map(time_of),
                    digests: &digests_of(&collection.terms.algorithms, &digests)?,
                    recorded_s: sealing.started_s,
                };
                version.write(&sealing.salts.salt(id as u64, nth), &mut text);
                sealing.tree.push(&text);
                Ok(())
            };
            while let Some(row) = version {
                if row.get::<_, i64>(0)? != id {
                    break;
                }
                leaf(row.get(1)?, row)?;
                nth = row.get::<_, u32>(1)? + 1;
                version = versions.next()?;
            }
            leaf(nth, item)?;
        }
        Ok(())
    }
}

impl Writer {
    /// Seals a run that is over, and no other one: who makes a decision beside an audit does not wait for a look at all files.
    pub(crate) fn seal_run(&mut self, run: RunId) -> Result<()> {
        let sql = "SELECT id, started_s, secret FROM run WHERE id = ?1 AND merkle_root IS NULL";
        let sealings = self.sealings(sql, run.0)?;
        let sql = "SELECT collection FROM run WHERE id = ?1";
        let collection = self.connection.query_row(sql, [run.0], |row| row.get(0))?;
        self.seal(CollectionId(collection), sealings)
    }

    /// Seals all runs of a collection that are over, or that nobody goes on with, and were not sealed. Who asks for that holds its lock: a
    /// run that is under way may replace what they have recorded.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn seal_rest(&mut self, id: CollectionId) -> Result<()> {
        // The last audit may be held, or have been interrupted: it may be gone on with.
        let sealings = self.sealings(
            concat!(
                "SELECT id, started_s, secret FROM run WHERE collection = ?1 AND merkle_root IS NULL
             AND (ended_s IS NOT NULL OR id < (SELECT max(id) FROM run WHERE collection = ?1
                 AND ",
                is_audit!(),
                "))"
            ),
            id.0,
        )?;
        self.seal(id, sealings)
    }

    fn seal(&mut self, id: CollectionId, mut sealings: Sealings) -> Result<()> {
        if sealings.is_empty() {
            return Ok(());
        }
        let collection = self.collection_of(id)?;
        match &self.recorded.0 {
            Some((run, items)) if sealings.keys().eq([&RunId(*run)]) => {
                self.leaves_of_items(&collection, items, &mut sealings)?;
            }
            _ => self.leaves(&collection, &mut sealings)?,
        }
        let transaction = self.begin()?;
        for (run, mut sealing) in sealings {
            let leaves = sealing.tree.leaves() as i64;
            let base: i64 = transaction
                .prepare_cached(
                    "UPDATE counter SET next = next + ?1 WHERE name = 'leaf' RETURNING next - ?1",
                )?
                .query_row([leaves], |row| row.get(0))?;
            let mut statement = transaction.prepare_cached(
                "UPDATE run SET leaf_base = ?2, leaves = ?3, merkle_root = ?4 WHERE id = ?1 AND merkle_root IS NULL",
            )?;
            statement.execute(params![run.0, base, leaves, sealing.tree.root()])?;
        }
        transaction.commit()?;
        Ok(())
    }
}
