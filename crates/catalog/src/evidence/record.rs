//! What was compared, as it is recorded: all of a report or nothing.

use rusqlite::{OptionalExtension as _, params};

use super::{Compared, EvidenceCounts, EvidenceImport, ReportSource};
use crate::batch::Batch;
use crate::catalog::Catalog;
use crate::collections::{Collection, CollectionId};
use crate::error::{Error, Result};
use crate::findings::Seen;
use crate::items::ItemId;
use crate::keeping::Decision;
use crate::runs::{Ending, Request, Stint};
use crate::verdict::Verdict;

/// Rows that are recorded together.
const TOGETHER: i64 = 16_384;

/// What becomes of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImportedEvidence {
    /// It was recorded, or would be.
    New(EvidenceCounts),
    /// It was recorded before, at this time in seconds since 1970. Nothing has changed.
    Known(i64),
    /// No checksum in it can be compared. Nothing was recorded.
    Incomparable(EvidenceCounts),
}

/// What is told while a report is imported.
pub trait Heard {
    /// A row names this, which is no file of the collection.
    fn unknown(&mut self, path: &[u8]);

    /// The provider says that the content of a file is another one. In words: who, what and when.
    fn words(&mut self, algorithm: &str) -> String;

    /// Such a file: its path, those words, the digest in the report, and whether it is said for the first time.
    ///
    /// # Errors
    /// Whoever hears of it cannot go on.
    fn contradicted(&mut self, contradiction: Contradiction<'_>) -> Result<()>;
}

/// A file of which a provider says another content than is known.
#[derive(Clone, Copy, Debug)]
pub struct Contradiction<'a> {
    /// Its path below the root.
    pub path: &'a [u8],
    /// Who says so, of what, and when.
    pub words: &'a str,
    /// The algorithm.
    pub algorithm: &'a str,
    /// The digest that the provider has.
    pub said: &'a [u8],
    /// What is known of the file.
    pub known: &'a crate::items::Content,
    /// Whether it is a finding that nobody was told of yet.
    pub is_new: bool,
}

impl EvidenceImport {
    /// Compares the report with a collection and records it. `is_dry`: it is only compared.
    ///
    /// # Errors
    /// Another process audits the collection, or the catalogue cannot be read or does not take it. Then nothing of the report counts.
    pub fn import(
        mut self,
        catalog: &mut Catalog,
        collection: &Collection,
        source: &ReportSource,
        decision: &Decision,
        is_dry: bool,
        heard: &mut dyn Heard,
    ) -> Result<ImportedEvidence> {
        let _lock = catalog.lock(collection, decision.at_s)?;
        if let Some(at_s) = catalog.imported_evidence(collection.id, &self.fingerprint())? {
            return Ok(ImportedEvidence::Known(at_s));
        }
        let reader = catalog.reader()?;
        let counts = self.compare(&reader, collection, source.made_s, &mut |path| heard.unknown(path))?;
        if counts.of(Compared::Agrees) + counts.of(Compared::Differs) == 0 {
            return Ok(ImportedEvidence::Incomparable(counts));
        }
        if is_dry {
            let mut behind = i64::MIN;
            while let Some((item, algorithm, said)) = self.next_differing(behind)? {
                behind = item.0;
                let words = heard.words(&algorithm);
                let known = reader.item(collection, item)?.map(|item| item.content).unwrap_or_default();
                let path = reader.path_of(item)?;
                let (path, words, algorithm, said, known) =
                    (&path[..], &words[..], &algorithm[..], &said[..], &known);
                heard.contradicted(Contradiction { path, words, algorithm, said, known, is_new: true })?;
            }
            return Ok(ImportedEvidence::New(counts));
        }
        catalog.forget_partial(collection.id)?;
        let request = Request {
            what: "evidence".into(),
            actor: decision.actor.clone(),
            reason: decision.reason.clone(),
        };
        let stint = catalog.begin_stint(collection.id, &request, decision.at_s, i64::MAX)?;
        let evidence = self.begin(catalog, collection.id, stint, source, &counts, decision.at_s)?;
        self.copy(catalog, evidence)?;
        self.end(catalog, collection, stint, evidence, heard, decision.at_s)?;
        catalog.end_stint(stint, Some(Ending::of("imported")), decision.at_s)?;
        Ok(ImportedEvidence::New(counts))
    }

    fn begin(
        &self,
        catalog: &mut Catalog,
        collection: CollectionId,
        stint: Stint,
        source: &ReportSource,
        counts: &EvidenceCounts,
        now_s: i64,
    ) -> Result<i64> {
        let files = serde_json::to_string(&source.files).map_err(Error::json)?;
        let counted = serde_json::to_string(counts).map_err(Error::json)?;
        catalog.connection.execute(
            "INSERT INTO evidence (collection, run, files, provider, kind, made_s, imported_s, fingerprint, is_whole, counts)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, ?9)",
            params![
                collection.0,
                stint.run.0,
                files,
                source.provider,
                source.kind.number(),
                source.made_s,
                now_s,
                self.fingerprint(),
                counted
            ],
        )?;
        Ok(catalog.connection.last_insert_rowid())
    }

    /// Records what came of all files, some at a time.
    fn copy(&self, catalog: &mut Catalog, evidence: i64) -> Result<()> {
        let failed = |error| self.claims.failed(error);
        let mut statement = self
            .claims
            .connection()
            .prepare(
                "SELECT item, outcome, algorithm, digest, size, mtime_ns, version, etag, detail FROM compared ORDER BY item",
            )
            .map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        let mut is_over = false;
        while !is_over {
            let transaction = catalog.begin()?;
            {
                let mut insert = transaction.prepare_cached(
                    "INSERT INTO statement (evidence, item, outcome, algorithm, digest, size, mtime_ns, version, etag, detail)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                )?;
                for _ in 0..TOGETHER {
                    let Some(row) = rows.next().map_err(failed)? else {
                        is_over = true;
                        break;
                    };
                    let value = |column| row.get::<_, rusqlite::types::Value>(column).map_err(failed);
                    insert.execute(params![
                        evidence,
                        value(0)?,
                        value(1)?,
                        value(2)?,
                        value(3)?,
                        value(4)?,
                        value(5)?,
                        value(6)?,
                        value(7)?,
                        value(8)?
                    ])?;
                }
            }
            transaction.commit()?;
        }
        Ok(())
    }

    /// Makes it count, together with the findings that come of it.
    fn end(
        &self,
        catalog: &mut Catalog,
        collection: &Collection,
        stint: Stint,
        evidence: i64,
        heard: &mut dyn Heard,
        now_s: i64,
    ) -> Result<()> {
        let mut batch = catalog.batch(collection.id, stint)?;
        let [agrees, differs] = [Compared::Agrees, Compared::Differs].map(Compared::number);
        batch.transaction.execute(
            "UPDATE evidence SET is_whole = 1,
             agrees = (SELECT count(*) FROM statement WHERE evidence = ?1 AND outcome = ?2),
             differs = (SELECT count(*) FROM statement WHERE evidence = ?1 AND outcome = ?3) WHERE id = ?1",
            params![evidence, agrees, differs],
        )?;
        let mut behind = i64::MIN;
        while let Some((item, algorithm, _)) = self.next_differing(behind)? {
            behind = item.0;
            batch.contradict(item, heard.words(&algorithm), now_s)?;
        }
        batch.commit()?;
        let mut behind = i64::MIN;
        while let Some((item, algorithm, said)) = self.next_differing(behind)? {
            behind = item.0;
            let path = catalog.path_of(item)?;
            let known = catalog.item(collection, item)?.map(|item| item.content).unwrap_or_default();
            let finding = catalog.finding(collection, item)?;
            let stands = finding
                .filter(|finding| finding.verdict == Verdict::Contradicted && finding.cleared_s.is_none());
            let is_new = stands.is_some_and(|finding| finding.run == stint.run);
            let words = heard.words(&algorithm);
            let (path, words, algorithm, said, known) =
                (&path[..], &words[..], &algorithm[..], &said[..], &known);
            heard.contradicted(Contradiction { path, words, algorithm, said, known, is_new })?;
        }
        Ok(())
    }

    /// The next file behind a number of which another content is said.
    fn next_differing(&self, behind: i64) -> Result<Option<(ItemId, String, Vec<u8>)>> {
        self.claims.run(|claims| {
            let mut statement = claims.prepare_cached(
                "SELECT item, algorithm, digest FROM compared WHERE item > ?1 AND outcome = ?2 ORDER BY item LIMIT 1",
            )?;
            let found = statement.query_row(params![behind, Compared::Differs.number()], |row| {
                Ok((ItemId(row.get(0)?), row.get(1)?, row.get(2)?))
            });
            found.optional()
        })
    }
}

impl Batch<'_> {
    /// Records that a provider contradicts what is known of a file, unless something else stands against it: that says more.
    fn contradict(&mut self, item: ItemId, words: String, now_s: i64) -> Result<()> {
        let stands = {
            let mut statement = self
                .transaction
                .prepare_cached("SELECT verdict FROM finding WHERE item = ?1 AND cleared_s IS NULL")?;
            let verdict: Option<i64> = statement.query_row([item.0], |row| row.get(0)).optional()?;
            verdict.map(Verdict::of_number).transpose()?
        };
        if stands.is_none_or(|verdict| verdict == Verdict::Contradicted) {
            let seen = Seen { detail: words, ..Seen::default() };
            self.put_finding(item, Verdict::Contradicted, &seen, now_s)?;
        }
        Ok(())
    }

    /// What providers have said of a file was of an earlier version: it counts no more.
    pub(crate) fn outdate(&self, item: ItemId) -> Result<()> {
        self.end_statements(item, "TRUE")
    }

    /// A reading has shown that those are wrong who said something else of a file: that counts no more.
    pub(crate) fn settle(&self, item: ItemId) -> Result<()> {
        self.end_statements(item, "outcome = 2")
    }

    /// Takes statements about a file out of the counts.
    fn end_statements(&self, item: ItemId, which: &str) -> Result<()> {
        let mut end = self.transaction.prepare_cached(&format!(
            "UPDATE statement SET is_current = 0 WHERE item = ?1 AND is_current AND {which}
             AND evidence IN (SELECT id FROM evidence WHERE collection = ?2) RETURNING evidence, outcome"
        ))?;
        let mut ended: Vec<(i64, i64)> = Vec::new();
        let mut rows = end.query(params![item.0, self.collection.0])?;
        while let Some(row) = rows.next()? {
            ended.push((row.get(0)?, row.get(1)?));
        }
        let mut count = self.transaction.prepare_cached(
            "UPDATE evidence SET agrees = agrees - (?2 = ?3), differs = differs - (?2 = ?4) WHERE id = ?1 AND is_whole",
        )?;
        let [agrees, differs] = [Compared::Agrees, Compared::Differs].map(Compared::number);
        for (evidence, outcome) in ended {
            count.execute(params![evidence, outcome, agrees, differs])?;
        }
        Ok(())
    }
}

impl Catalog {
    /// When the same report was imported, if it was.
    fn imported_evidence(&self, collection: CollectionId, fingerprint: &[u8]) -> Result<Option<i64>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT imported_s FROM evidence WHERE collection = ?1 AND fingerprint = ?2 AND is_whole LIMIT 1",
        )?;
        Ok(statement.query_row(params![collection.0, fingerprint], |row| row.get(0)).optional()?)
    }

    /// Removes what imports have left that were killed.
    fn forget_partial(&mut self, collection: CollectionId) -> Result<()> {
        loop {
            let transaction = self.begin()?;
            let deleted = transaction.execute(
                "DELETE FROM statement WHERE (evidence, item) IN (SELECT evidence, item FROM statement
                 WHERE evidence IN (SELECT id FROM evidence WHERE collection = ?1 AND NOT is_whole) LIMIT ?2)",
                params![collection.0, TOGETHER],
            )?;
            if deleted == 0 {
                transaction
                    .execute("DELETE FROM evidence WHERE collection = ?1 AND NOT is_whole", [collection.0])?;
            }
            transaction.commit()?;
            if deleted == 0 {
                return Ok(());
            }
        }
    }
}
