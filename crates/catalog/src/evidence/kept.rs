//! Evidence as it is kept, for those who ask.

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::Timestamp;
use rusqlite::{Row, params};

use super::{Compared, EvidenceCounts, EvidenceKind};
use crate::damage::CataloguePart;
use crate::error::{Error, Result};
use crate::ids::{CollectionId, ItemId};
use crate::items::time_of;
use crate::reader::Reader;

/// A report that was imported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Evidence {
    id: i64,
    /// The names of its files, for people.
    pub files: Vec<String>,
    /// Who has made it.
    pub provider: String,
    /// What kind of evidence it is.
    pub kind: EvidenceKind,
    /// When it was made, in seconds since 1970, if it says so.
    pub made_s: Option<i64>,
    /// When it was imported, in seconds since 1970.
    pub imported_s: i64,
    /// What was counted then.
    pub counts: EvidenceCounts,
    /// Files with which it agrees, and which are still of that version.
    pub agrees: u64,
    /// Files from which it differs, which are still of that version, where nothing has settled that since.
    pub differs: u64,
}

/// What a report says of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Said {
    /// The report.
    pub evidence: Evidence,
    /// What came of it.
    pub compared: Compared,
    /// The checksum that decided, or the first one.
    pub digest: Option<Digest>,
    /// The name of a checksum that is not a digest here.
    pub other: Option<String>,
    /// Bytes, as the report says.
    pub size: Option<u64>,
    /// When it was written, as the report says.
    pub modified: Option<Timestamp>,
    /// The version that the report speaks of.
    pub version: Option<String>,
    /// Its entity tag.
    pub etag: Option<String>,
    /// Why the provider failed, if it did.
    pub detail: String,
    /// Whether it still counts: the file is of the version that was compared, and nothing has settled what it contradicts.
    pub is_current: bool,
}

const EVIDENCE: &str =
    "SELECT id, files, provider, kind, made_s, imported_s, counts, agrees, differs FROM evidence
    WHERE collection = ?1 AND is_whole";

/// Reports in the order in which they were made, the latest first.
pub(super) const LATEST_FIRST: &str = "coalesce(made_s, imported_s) DESC, id DESC";

impl Reader {
    /// The reports of a collection, at most `most`, those first that were imported last.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn evidence(&self, collection: CollectionId, most: usize) -> Result<Vec<Evidence>> {
        let mut statement =
            self.connection.prepare_cached(&format!("{EVIDENCE} ORDER BY id DESC LIMIT ?2"))?;
        let mut rows = statement.query(params![collection.0, i64::try_from(most).unwrap_or(i64::MAX)])?;
        let mut evidence = Vec::new();
        while let Some(row) = rows.next()? {
            evidence.push(evidence_of(row)?);
        }
        Ok(evidence)
    }

    /// Files that a provider says another content of, and nothing has settled that, in order.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn contradicted_items(&self, collection: CollectionId) -> Result<Vec<ItemId>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT DISTINCT item FROM evidence JOIN statement ON evidence = id
             WHERE collection = ?1 AND is_whole AND differs > 0 AND outcome = 2 AND is_current ORDER BY item",
        )?;
        let items = statement.query_map([collection.0], |row| row.get(0).map(ItemId))?;
        Ok(items.collect::<rusqlite::Result<_>>()?)
    }

    /// The report of each provider and kind that was made last, those first that were made last. One without a date was made, at the
    /// latest, when it was imported.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn last_evidence(&self, collection: CollectionId) -> Result<Vec<Evidence>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "{EVIDENCE} AND id IN (SELECT first_value(id) OVER (PARTITION BY provider, kind ORDER BY {LATEST_FIRST})
                 FROM evidence WHERE collection = ?1 AND is_whole) ORDER BY {LATEST_FIRST}"
        ))?;
        let mut rows = statement.query([collection.0])?;
        let mut evidence = Vec::new();
        while let Some(row) = rows.next()? {
            evidence.push(evidence_of(row)?);
        }
        Ok(evidence)
    }

    /// The last thing that is said against a file, where nothing has settled it.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn contradiction(&self, collection: CollectionId, item: ItemId) -> Result<Option<Said>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT id, files, provider, kind, made_s, imported_s, counts, agrees, differs,
             outcome, algorithm, digest, size, mtime_ns, version, etag, detail, is_current FROM evidence JOIN statement ON evidence = id
             WHERE collection = ?1 AND is_whole AND differs > 0 AND item = ?2 AND outcome = ?3 AND is_current
             ORDER BY {LATEST_FIRST} LIMIT 1"
        ))?;
        let mut rows = statement.query(params![collection.0, item.0, Compared::Differs.number()])?;
        rows.next()?.map(|row| said_of(row, 9, evidence_of(row)?)).transpose()
    }

    /// What reports say of a file, those first that were imported first.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn said_of(&self, collection: CollectionId, item: ItemId) -> Result<Vec<Said>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT outcome, algorithm, digest, size, mtime_ns, version, etag, detail, is_current FROM statement
             WHERE evidence = ?1 AND item = ?2",
        )?;
        let mut said = Vec::new();
        let mut reports = self.evidence(collection, usize::MAX)?;
        reports.reverse();
        for evidence in reports {
            let mut rows = statement.query(params![evidence.id, item.0])?;
            if let Some(row) = rows.next()? {
                said.push(said_of(row, 0, evidence)?);
            }
        }
        Ok(said)
    }
}

fn evidence_of(row: &Row<'_>) -> Result<Evidence> {
    let (files, counts): (String, String) = (row.get(1)?, row.get(6)?);
    Ok(Evidence {
        id: row.get(0)?,
        files: serde_json::from_str(&files).map_err(Error::json)?,
        provider: row.get(2)?,
        kind: EvidenceKind::of_number(row.get(3)?)?,
        made_s: row.get(4)?,
        imported_s: row.get(5)?,
        counts: serde_json::from_str(&counts).map_err(Error::json)?,
        agrees: row.get::<_, i64>(7)?.max(0) as u64,
        differs: row.get::<_, i64>(8)?.max(0) as u64,
    })
}

/// A statement whose columns begin at one of a row.
fn said_of(row: &Row<'_>, first: usize, evidence: Evidence) -> Result<Said> {
    let (name, bytes): (Option<String>, Option<Vec<u8>>) = (row.get(first + 1)?, row.get(first + 2)?);
    let digest = match (&name, bytes) {
        (Some(name), Some(bytes)) => {
            let digest = Algorithm::named(name).and_then(|algorithm| Digest::new(algorithm, &bytes).ok());
            Some(digest.ok_or_else(|| {
                Error::damaged(CataloguePart::Evidence, format!("a statement has no digest of {name}"))
            })?)
        }
        _ => None,
    };
    Ok(Said {
        evidence,
        compared: Compared::of_number(row.get(first)?)?,
        other: name.filter(|_| digest.is_none()),
        digest,
        size: row.get::<_, Option<i64>>(first + 3)?.map(|size| size as u64),
        modified: row.get::<_, Option<i64>>(first + 4)?.map(time_of),
        version: row.get(first + 5)?,
        etag: row.get(first + 6)?,
        detail: row.get(first + 7)?,
        is_current: row.get(first + 8)?,
    })
}
