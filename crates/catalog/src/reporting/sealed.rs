//! Runs with their seals.

use rusqlite::params;

use crate::collections::BEING_PURGED;
use crate::damage::CataloguePart;
use crate::error::{Error, Result};
use crate::ids::{CollectionId, RunId};
use crate::reader::Reader;
use crate::sealing::Seal;

/// A run that is sealed, and its seal.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SealedRun {
    /// The run.
    pub run: RunId,
    /// The name that its collection has now.
    pub collection: String,
    /// What that is called by for ever: its 16 random bytes. A name may have been given to another one since.
    pub identity: Vec<u8>,
    /// Whether it was removed.
    pub is_removed: bool,
    /// When it was asked for, in seconds since 1970.
    pub started_s: i64,
    /// What was asked for: `due`, `all`, and what narrows it; or `accept`, `acknowledge`, `import`.
    pub request: String,
    /// Who asked for it.
    pub actor: String,
    /// What it has recorded, in one number.
    pub seal: Seal,
}

impl Reader {
    /// The runs that are sealed, of one collection or of all, also of those that were removed: at most `most`, the latest first.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn sealed_runs(
        &self,
        collection: Option<CollectionId>,
        most: Option<usize>,
    ) -> Result<Vec<SealedRun>> {
        let of_collection = if collection.is_some() { "run.collection = ?1" } else { "?1 IS NULL" };
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT run.id, collection.name, run.started_s, run.request, run.actor,
             collection.identity, collection.removed_s IS NOT NULL
             FROM run CROSS JOIN collection ON collection.id = run.collection
             WHERE {of_collection} AND merkle_root IS NOT NULL AND removed_s IS NOT ?2 ORDER BY run.id DESC LIMIT ?3"
        ))?;
        let most = most.map_or(-1, |most| i64::try_from(most).unwrap_or(i64::MAX));
        let mut rows = statement.query(params![collection.map(|id| id.0), BEING_PURGED, most])?;
        let mut runs = Vec::new();
        while let Some(row) = rows.next()? {
            let run = RunId(row.get(0)?);
            let seal = self.seal_of(run)?;
            let seal = seal.ok_or_else(|| {
                Error::damaged(CataloguePart::Seal, format!("run {} has lost its seal", run.number()))
            })?;
            runs.push(SealedRun {
                run,
                collection: row.get(1)?,
                started_s: row.get(2)?,
                request: row.get(3)?,
                actor: row.get(4)?,
                identity: row.get(5)?,
                is_removed: row.get(6)?,
                seal,
            });
        }
        Ok(runs)
    }
}
