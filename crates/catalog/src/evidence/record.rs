//! What was compared, as it is recorded: all of a report or nothing.

use rusqlite::{OptionalExtension as _, params};

use super::compare::Dated;
use super::kept::LATEST_FIRST;
use super::{Compared, EvidenceCounts, EvidenceImport, EvidenceKind, ReportSource};
use crate::batch::Batch;
use crate::collections::Collection;
use crate::error::{Error, Result};
use crate::findings::Seen;
use crate::ids::{CollectionId, ItemId};
use crate::keeping::Decision;
use crate::paths::{is_in_store, path_of};
use crate::reader::Reader;
use crate::runs::{Ending, Request, Stint};
use crate::verdict::{Numbered as _, Verdict};
use crate::writer::Writer;

/// Rows that are recorded together.
const TOGETHER: i64 = 16_384;

/// What becomes of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImportedEvidence {
    /// It was recorded, or would be.
    New(EvidenceCounts),
    /// It was recorded before, and says nothing new of what is known now.
    Known {
        /// When, in seconds since 1970.
        imported_s: i64,
        /// Files from which it differs, and where that was not settled.
        differs: u64,
        /// Files that the provider could not read.
        failed: u64,
    },
    /// No checksum in it can be compared. Nothing was recorded.
    Incomparable(EvidenceCounts),
}

/// An earlier import of the same report.
struct Before {
    id: i64,
    imported_s: i64,
    differs: u64,
    /// When it was imported for the first time.
    first_s: i64,
}

/// What is reported while a report is imported.
pub trait Heard {
    /// A row names this, which is not a file of the collection.
    fn unknown(&mut self, path: &[u8]);

    /// The provider says that the content of a file is another one. In words: who, what and when.
    fn words(&mut self, algorithm: &str) -> String;

    /// Such a file: its path, those words, the digest in the report, and whether it is said for the first time.
    ///
    /// # Errors
    /// Whoever hears of it cannot go on.
    fn contradicted(&mut self, contradiction: Contradiction<'_>) -> Result<()>;

    /// The provider could not read a file: its path, and why. Returns whether the next one is to be reported as well.
    ///
    /// # Errors
    /// Whoever hears of it cannot go on.
    fn failed(&mut self, path: &[u8], why: &str) -> Result<bool>;
}

/// A file that a provider says another content of than is known.
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
    /// Whether it is a finding that was not reported yet.
    pub is_new: bool,
}

impl EvidenceImport {
    /// Compares the report with a collection and records it. `is_dry`: it is only compared.
    ///
    /// # Errors
    /// Another process audits the collection, or the catalogue cannot be read or does not take it. Then nothing of the report counts.
    pub fn import(
        mut self,
        catalog: &mut Writer,
        collection: &Collection,
        source: &ReportSource,
        decision: &Decision,
        is_dry: bool,
        heard: &mut dyn Heard,
    ) -> Result<ImportedEvidence> {
        let _lock = catalog.lock(collection, decision.at_s)?;
        let before = catalog.imported_evidence(collection.id, &self.fingerprint(source))?;
        let reader = catalog.reader()?;
        let dated = Dated {
            provider: &source.provider,
            made_s: source.made_s,
            since_s: source.made_s.or(before.as_ref().map(|before| before.first_s)),
        };
        let counts = self.compare(&reader, collection, &dated, &mut |path| heard.unknown(path))?;
        if let Some(Before { id, imported_s, differs, .. }) = before
            && self.says_the_same(&reader, id)?
        {
            let failed = counts.of(Compared::Failed);
            return Ok(ImportedEvidence::Known { imported_s, differs, failed });
        }
        if !is_of_use(&counts) {
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
            self.tell_failed(&reader, heard)?;
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
        // It counts now, whether or not it can be reported.
        catalog.end_stint(stint, Some(Ending::of("imported")), decision.at_s)?;
        self.tell(catalog, collection, stint, heard)?;
        self.tell_failed(catalog, heard)?;
        catalog.note_all_told(stint.run, decision.at_s)?;
        Ok(ImportedEvidence::New(counts))
    }

    fn begin(
        &self,
        catalog: &mut Writer,
        collection: CollectionId,
        stint: Stint,
        source: &ReportSource,
        counts: &EvidenceCounts,
        now_s: i64,
    ) -> Result<i64> {
        let files = serde_json::to_string(&source.files).map_err(Error::json)?;
        let counted = serde_json::to_string(counts).map_err(Error::json)?;
        catalog.connection.execute(
            "INSERT INTO evidence (collection, run, files, provider, kind, made_s, imported_s, fingerprint, is_whole, counts, root)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, ?9, (SELECT root FROM collection WHERE id = ?1))",
            params![
                collection.0,
                stint.run.0,
                files,
                source.provider,
                source.kind.number(),
                source.made_s,
                now_s,
                self.fingerprint(source),
                counted
            ],
        )?;
        Ok(catalog.connection.last_insert_rowid())
    }

    /// Records what came of all files, some at a time.
    fn copy(&self, catalog: &mut Writer, evidence: i64) -> Result<()> {
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
        catalog: &mut Writer,
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
        let is_in_store = collection.terms.is_in_store();
        let mut behind = i64::MIN;
        while let Some((item, algorithm, _)) = self.next_differing(behind)? {
            behind = item.0;
            let is_another = batch.says_another(item, evidence, is_in_store)?;
            batch.contradict(item, heard.words(&algorithm), is_another, now_s)?;
        }
        if !is_in_store {
            batch.withdraw(evidence, now_s)?;
        }
        batch.commit()
    }

    /// Reports what it contradicts.
    fn tell(
        &self,
        catalog: &Reader,
        collection: &Collection,
        stint: Stint,
        heard: &mut dyn Heard,
    ) -> Result<()> {
        let mut behind = i64::MIN;
        while let Some((item, algorithm, said)) = self.next_differing(behind)? {
            behind = item.0;
            let path = catalog.path_of(item)?;
            let known = catalog.item(collection, item)?.map(|item| item.content).unwrap_or_default();
            let finding = catalog.finding(collection, item)?;
            let stands = finding.filter(|finding| finding.cleared_s.is_none());
            let is_new = stands.is_none_or(|finding| match finding.verdict {
                Verdict::Contradicted => finding.run == stint.run,
                // It says less, and keeps the contradiction from being a finding: that is said here, and nowhere else.
                verdict => says_less(verdict),
            });
            let words = heard.words(&algorithm);
            let (path, words, algorithm, said, known) =
                (&path[..], &words[..], &algorithm[..], &said[..], &known);
            heard.contradicted(Contradiction { path, words, algorithm, said, known, is_new })?;
        }
        Ok(())
    }

    /// Reports what the provider has failed at, as long as anybody listens.
    fn tell_failed(&self, catalog: &Reader, heard: &mut dyn Heard) -> Result<()> {
        let failed = |error| self.claims.failed(error);
        let mut statement = self
            .claims
            .connection()
            .prepare("SELECT item, detail FROM compared WHERE outcome = ?1 ORDER BY item")
            .map_err(failed)?;
        let mut rows = statement.query([Compared::Failed.number()]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let (item, why): (i64, String) = (row.get(0).map_err(failed)?, row.get(1).map_err(failed)?);
            if !heard.failed(&catalog.path_of(ItemId(item))?, &why)? {
                break;
            }
        }
        Ok(())
    }

    /// Whether an earlier import of the same report says the same of the same files, as it counts now.
    fn says_the_same(&self, catalog: &Reader, evidence: i64) -> Result<bool> {
        let failed = |error| self.claims.failed(error);
        let mut now = self
            .claims
            .connection()
            .prepare("SELECT item, outcome FROM compared ORDER BY item")
            .map_err(failed)?;
        let mut now = now.query([]).map_err(failed)?;
        let mut then = catalog.connection.prepare_cached(
            "SELECT item, outcome, is_current FROM statement WHERE evidence = ?1 ORDER BY item",
        )?;
        let mut then = then.query([evidence])?;
        loop {
            let (now, then) = match (now.next().map_err(failed)?, then.next()?) {
                (None, None) => return Ok(true),
                (Some(now), Some(then)) => (now, then),
                _ => return Ok(false),
            };
            let (item, outcome): (i64, i64) = (now.get(0).map_err(failed)?, now.get(1).map_err(failed)?);
            let (of, said, is_current): (i64, i64, bool) = (then.get(0)?, then.get(1)?, then.get(2)?);
            let (outcome, said) = (Compared::of_number(outcome)?, Compared::of_number(said)?);
            let is_same = match said {
                Compared::Differs if !is_current => outcome == Compared::Settled,
                Compared::Agrees => outcome == said && is_current,
                _ => outcome == said,
            };
            if item != of || !is_same {
                return Ok(false);
            }
        }
    }

    /// The next file behind a number that another content is said of.
    fn next_differing(&self, behind: i64) -> Result<Option<(ItemId, String, Vec<u8>)>> {
        self.claims.run(|claims| {
            let mut statement = claims.prepare_cached(
                "SELECT item, algorithm, digest FROM compared WHERE item > ?1 AND outcome = ?2 ORDER BY item LIMIT 1",
            )?;
            let found = statement.query_row(params![behind, Compared::Differs.number()], |row| {
                Ok((ItemId(row.get("item")?), row.get("algorithm")?, row.get("digest")?))
            });
            found.optional()
        })
    }
}

impl Batch<'_> {
    /// Whether a report says something else against a file than was said last: by its provider, or where that has said nothing and all
    /// speak of the same object, by any.
    fn says_another(&self, item: ItemId, evidence: i64, is_in_store: bool) -> Result<bool> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT said.algorithm IS new.algorithm AND said.digest IS new.digest
             FROM evidence AS now JOIN statement AS new ON new.evidence = now.id
             JOIN evidence AS old ON old.collection = now.collection AND old.id <> now.id
             JOIN statement AS said ON said.evidence = old.id AND said.item = new.item
             WHERE now.id = ?1 AND new.item = ?2 AND old.is_whole AND old.differs > 0 AND said.outcome = ?4 AND said.is_current
             AND (old.provider = now.provider OR ?3)
             ORDER BY old.provider = now.provider DESC, coalesce(old.made_s, old.imported_s) DESC, old.id DESC LIMIT 1",
        )?;
        let of = params![evidence, item.0, is_in_store, Compared::Differs.number()];
        let is_same: Option<bool> = statement.query_row(of, |row| row.get(0)).optional()?;
        Ok(!is_same.unwrap_or(false))
    }

    /// Records that a provider contradicts what is known of a file, unless something else stands against it: that says more.
    /// `is_another`: it is not what was said before, so that nobody has heard of it yet.
    fn contradict(&mut self, item: ItemId, words: String, is_another: bool, now_s: i64) -> Result<()> {
        let stands = {
            let mut statement = self
                .transaction
                .prepare_cached("SELECT verdict FROM finding WHERE item = ?1 AND cleared_s IS NULL")?;
            let verdict: Option<i64> = statement.query_row([item.0], |row| row.get(0)).optional()?;
            verdict.map(Verdict::of_number).transpose()?
        };
        if stands.is_none_or(|verdict| verdict == Verdict::Contradicted) {
            // Whoever knows of what was said before does not know of this.
            if is_another && stands.is_some() {
                self.drop_finding(item)?;
            }
            let seen = Seen { detail: words, ..Seen::default() };
            self.put_finding(item, Verdict::Contradicted, &seen, now_s)?;
        }
        Ok(())
    }

    /// What providers have said of a file was of an earlier version: it counts no more.
    pub(crate) fn outdate(&self, item: ItemId) -> Result<()> {
        self.put_read_version(item, None)?;
        self.end_statements(item, "TRUE").map(|_| ())
    }

    /// Records by which name a store keeps what is known of a file beside other versions of it; nothing: it has not said, or has no other
    /// versions.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn put_read_version(&self, item: ItemId, version: Option<&str>) -> Result<()> {
        let Some(version) = version else {
            let mut forget = self.transaction.prepare_cached("DELETE FROM read_version WHERE item = ?1")?;
            forget.execute([item.0])?;
            return Ok(());
        };
        let mut put = self.transaction.prepare_cached(
            "INSERT INTO read_version (item, version) VALUES (?1, ?2)
             ON CONFLICT (item) DO UPDATE SET version = excluded.version WHERE version <> excluded.version",
        )?;
        put.execute(params![item.0, version])?;
        Ok(())
    }

    /// Whether what is said against a file was said of another place, where the collection lay before.
    pub(crate) fn is_of_former_place(&self, item: ItemId) -> Result<bool> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM evidence JOIN statement ON evidence = id
             WHERE collection = ?1 AND is_whole AND item = ?2 AND outcome = ?3 AND is_current
             AND root <> (SELECT root FROM collection WHERE id = ?1))",
        )?;
        let of = params![self.collection.0, item.0, Compared::Differs.number()];
        Ok(statement.query_row(of, |row| row.get(0))?)
    }

    /// It was settled that those are wrong who said something else of a file: that counts no more. Whether anybody did.
    pub(crate) fn settle(&self, item: ItemId) -> Result<bool> {
        self.end_statements(item, "outcome = 2")
    }

    /// Takes statements about a file out of the counts. Whether there were any.
    fn end_statements(&self, item: ItemId, which: &str) -> Result<bool> {
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
        for (evidence, outcome) in &ended {
            count.execute(params![evidence, outcome, agrees, differs])?;
        }
        Ok(!ended.is_empty())
    }

    /// Whether the files of the collection lie in a store.
    pub(crate) fn is_in_store(&self) -> Result<bool> {
        let mut statement = self.transaction.prepare_cached("SELECT root FROM collection WHERE id = ?1")?;
        let root: Vec<u8> = statement.query_row([self.collection.0], |row| row.get(0))?;
        Ok(is_in_store(path_of(&root)))
    }

    /// Whether a provider says something else of a file, and nothing has settled that.
    pub(crate) fn is_contradicted(&self, item: ItemId) -> Result<bool> {
        Ok(self.last_contradiction(item)?.is_some())
    }

    /// Puts the finding again that a provider contradicts what is known of a file, where another one stood in its place.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn contradict_again(&mut self, item: ItemId, now_s: i64) -> Result<()> {
        match self.last_contradiction(item)? {
            Some(words) => self.contradict(item, words, false, now_s),
            None => Ok(()),
        }
    }

    /// The last thing said against a file that was not settled: `S3 computed another sha256`.
    fn last_contradiction(&self, item: ItemId) -> Result<Option<String>> {
        let mut statement = self.transaction.prepare_cached(&format!(
            "SELECT provider, kind, algorithm FROM evidence JOIN statement ON evidence = id
             WHERE collection = ?1 AND is_whole AND differs > 0 AND item = ?2 AND outcome = ?3 AND is_current
             ORDER BY {LATEST_FIRST} LIMIT 1"
        ))?;
        let differs = Compared::Differs.number();
        let mut rows = statement.query(params![self.collection.0, item.0, differs])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let (provider, algorithm): (String, String) = (row.get(0)?, row.get(2)?);
        let kind = EvidenceKind::of_number(row.get(1)?)?;
        Ok(Some(format!("{provider} {} another {algorithm}", kind.name())))
    }

    /// Ends what a provider has said against files of a tree, where a report of the same provider that is not older agrees.
    fn withdraw(&mut self, evidence: i64, now_s: i64) -> Result<()> {
        let withdrawn: Vec<(i64, i64)> = {
            let mut statement = self.transaction.prepare_cached(
                "SELECT said.item, said.evidence FROM evidence AS new
                 JOIN evidence AS old ON old.collection = new.collection AND old.provider = new.provider AND old.id < new.id
                 JOIN statement AS said ON said.evidence = old.id
                 JOIN statement AS agreed ON agreed.evidence = new.id AND agreed.item = said.item
                 WHERE new.id = ?1 AND old.is_whole AND old.differs > 0
                 AND coalesce(old.made_s, old.imported_s) <= coalesce(new.made_s, new.imported_s)
                 AND said.outcome = ?3 AND said.is_current AND agreed.outcome = ?2",
            )?;
            let [agrees, differs] = [Compared::Agrees, Compared::Differs].map(Compared::number);
            let rows = statement.query_map(params![evidence, agrees, differs], |row| {
                Ok((row.get("item")?, row.get("evidence")?))
            })?;
            rows.collect::<rusqlite::Result<_>>()?
        };
        for (item, old) in withdrawn {
            let item = ItemId(item);
            self.end_statements(item, &format!("outcome = 2 AND evidence = {old}"))?;
            if self.is_contradicted(item)? {
                continue;
            }
            let dropped = self.transaction.execute(
                "DELETE FROM finding WHERE item = ?1 AND verdict = ?2 AND cleared_s IS NULL",
                params![item.0, Verdict::Contradicted.number()],
            )?;
            if dropped > 0 {
                self.is_over(item, "withdrawn", "a later report of the provider agrees", now_s)?;
            }
        }
        Ok(())
    }
}

/// Whether a report is worth being recorded: something in it can be compared, or the provider has failed at all that it names.
fn is_of_use(counts: &EvidenceCounts) -> bool {
    let compared = [Compared::Agrees, Compared::Differs, Compared::Settled];
    let failed = counts.of(Compared::Failed);
    compared.into_iter().any(|compared| counts.of(compared) > 0) || failed > 0 && counts.not_compared() == 0
}

/// Whether a finding says nothing of the content of a file.
fn says_less(verdict: Verdict) -> bool {
    use Verdict::{Copied, Moved, MovedAway, New, Touched};
    matches!(verdict, New | Moved | MovedAway | Copied | Touched)
}

/// Takes out of the counts what providers have attested of a collection: it lies elsewhere now. What they contradict stands until it is
/// read there.
pub(crate) fn forsake(connection: &rusqlite::Connection, collection: CollectionId) -> Result<()> {
    let agrees = Compared::Agrees.number();
    connection.execute(
        "UPDATE statement SET is_current = 0 WHERE outcome = ?2 AND is_current
         AND evidence IN (SELECT id FROM evidence WHERE collection = ?1)",
        params![collection.0, agrees],
    )?;
    connection.execute("UPDATE evidence SET agrees = 0 WHERE collection = ?1", [collection.0])?;
    connection.execute(
        "DELETE FROM read_version WHERE item >> 16 IN
         (SELECT segment.id FROM segment JOIN directory ON directory.id = segment.directory WHERE collection = ?1)",
        [collection.0],
    )?;
    Ok(())
}

impl Reader {
    /// The last import of the same report, if there was one.
    fn imported_evidence(&self, collection: CollectionId, fingerprint: &[u8]) -> Result<Option<Before>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, imported_s, differs, min(imported_s) OVER () FROM evidence
             WHERE collection = ?1 AND fingerprint = ?2 AND is_whole ORDER BY id DESC LIMIT 1",
        )?;
        let before = statement.query_row(params![collection.0, fingerprint], |row| {
            let differs: i64 = row.get(2)?;
            Ok(Before {
                id: row.get(0)?,
                imported_s: row.get(1)?,
                differs: differs.max(0) as u64,
                first_s: row.get(3)?,
            })
        });
        Ok(before.optional()?)
    }

    /// By which name a store keeps what is known of a file, if it has said.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn read_version(&self, item: ItemId) -> Result<Option<String>> {
        let mut statement =
            self.connection.prepare_cached("SELECT version FROM read_version WHERE item = ?1")?;
        Ok(statement.query_row([item.0], |row| row.get(0)).optional()?)
    }

    /// The version that a provider said last is contradicted, as far as that still stands.
    pub(super) fn contradicted_version(
        &self,
        collection: CollectionId,
        item: ItemId,
        provider: &str,
    ) -> Result<Option<String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT version FROM evidence JOIN statement ON evidence = id
             WHERE collection = ?1 AND provider = ?3 AND is_whole AND item = ?2 AND outcome = ?4 AND is_current
             ORDER BY coalesce(made_s, imported_s) DESC, id DESC LIMIT 1",
        )?;
        let of = params![collection.0, item.0, provider, Compared::Differs.number()];
        Ok(statement.query_row(of, |row| row.get(0)).optional()?.flatten())
    }

    /// Whether it was settled already what a report says against a file: by a reading of it, or by a decision, since the report was made;
    /// of a tree also by a report of the same provider that is not older.
    pub(super) fn is_settled_of(
        &self,
        collection: &Collection,
        item: ItemId,
        provider: &str,
        since_s: i64,
    ) -> Result<bool> {
        let mut statement = self.connection.prepare_cached(
            "WITH said AS (SELECT outcome, is_current, coalesce(made_s, imported_s) AS at_s
                 FROM evidence JOIN statement ON evidence = id
                 WHERE collection = ?1 AND provider = ?3 AND is_whole AND item = ?2)
             SELECT EXISTS (SELECT 1 FROM event WHERE item = ?2 AND what = 'settled' AND at_s >= ?4)
                 AND (?5 OR EXISTS (SELECT 1 FROM said WHERE outcome = ?7 AND NOT is_current))
                 OR NOT ?5 AND EXISTS (SELECT 1 FROM said WHERE outcome = ?6 AND is_current AND at_s > ?4)",
        )?;
        let [agrees, differs] = [Compared::Agrees, Compared::Differs].map(Compared::number);
        let is_in_store = collection.terms.is_in_store();
        let of = params![collection.id.0, item.0, provider, since_s, is_in_store, agrees, differs];
        Ok(statement.query_row(of, |row| row.get(0))?)
    }
}

impl Writer {
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
