//! Claims against what is known: one rule, and one walk through both.

use hashlane_digest::{Algorithm, Digest};
use rusqlite::{Row, params};

use super::{About, Claim, Compared, EvidenceCounts, EvidenceImport, Judged, unpacked};
use crate::catalog::Catalog;
use crate::collections::Collection;
use crate::comparison::Comparison;
use crate::error::Result;
use crate::items::{Content, Item, ItemId, Segment, State, nanos_of, split, time_of};

/// Compares a claim with what is known of its file. `made_s`: when the report was made, if it says so.
///
/// Whole seconds of times are compared: providers and lists tell no more of some.
fn compare(known: &Content, claim: &Claim, made_s: Option<i64>) -> (Compared, Option<Digest>) {
    let first = claim.digests.first().copied();
    match claim.about {
        About::Failure(_) => return (Compared::Failed, first),
        About::Earlier => return (Compared::Earlier, first),
        About::Parts => return (Compared::Composite, first),
        About::Whole if claim.digests.is_empty() && claim.other.is_none() => {
            return (Compared::NoChecksum, None);
        }
        About::Whole if known.digests.is_empty() => return (Compared::NeverRead, first),
        About::Whole => {}
    }
    let pairs = || {
        known.digests.iter().filter_map(|known| {
            let said = claim.digests.iter().find(|said| said.algorithm() == known.algorithm())?;
            Some((known, *said))
        })
    };
    let Some((_, common)) = pairs().next() else { return (Compared::OtherAlgorithm, first) };
    let differing = pairs().find(|(known, said)| *known != said).map(|(_, said)| said);
    let has_size = known.size.is_none() || claim.size.is_none() || known.size == claim.size;
    let seconds = (known.modified.map(|time| time.seconds), claim.modified.map(|time| time.seconds));
    let has_time = !matches!(seconds, (Some(known), Some(said)) if known != said);
    let is_later = matches!((seconds.0, made_s), (Some(known), Some(made)) if known > made);
    match differing {
        _ if !has_size => (Compared::OtherSize, Some(differing.unwrap_or(common))),
        None => (Compared::Agrees, Some(common)),
        Some(said) if !has_time => (Compared::OtherTime, Some(said)),
        Some(said) if is_later => (Compared::Later, Some(said)),
        Some(said) => (Compared::Differs, Some(said)),
    }
}

/// Whose a report is, and of when.
pub(super) struct Dated<'a> {
    pub(super) provider: &'a str,
    /// When it was made, if it says so.
    pub(super) made_s: Option<i64>,
    /// Since when it is there: it was made then, or imported for the first time.
    pub(super) since_s: Option<i64>,
}

impl Judged {
    fn new(item: &Item, claim: Claim, made_s: Option<i64>) -> Self {
        let (compared, digest) = compare(&item.content, &claim, made_s);
        Self { item: item.id, compared, digest, other: claim.other.clone(), claim }
    }

    /// The same, where a name can be read in two ways. It is that of the file that there is; of two, of the one that agrees.
    fn of_either(
        item: Option<&Item>,
        or_path: Option<Vec<u8>>,
        others: &mut Lookup<'_>,
        claim: Claim,
        made_s: Option<i64>,
    ) -> Result<Option<Self>> {
        let judged = item.map(|item| Self::new(item, claim.clone(), made_s));
        let is_clear = judged.as_ref().is_some_and(|judged| judged.compared != Compared::Differs);
        let Some(path) = or_path.filter(|_| !is_clear) else { return Ok(judged) };
        let other = others.item(&path)?.filter(is_there).map(|item| Self::new(&item, claim, made_s));
        Ok(match (&judged, &other) {
            (Some(_), Some(other)) if other.compared != Compared::Agrees => judged,
            (_, Some(_)) => other,
            (_, None) => judged,
        })
    }

    /// Whether two claims are about the same version. Where they name none, those by the same algorithm are taken for claims about
    /// several: nobody computes one twice.
    fn is_of_version_of(&self, other: &Self) -> bool {
        let version = |judged: &Self| judged.claim.version.clone().filter(|version| !version.is_empty());
        let algorithm = |judged: &Self| judged.digest.map(|digest| digest.algorithm());
        match version(self).zip(version(other)) {
            Some((one, another)) => one == another,
            None => algorithm(self) != algorithm(other),
        }
    }

    /// Makes one of two claims about the same file. Of several versions, the one that is known is among them, or none is. Of one
    /// version, it is enough that one claim differs.
    fn join(&mut self, next: Self) {
        use Compared::{Agrees, Differs, Earlier, Failed, Several};
        let rank = |judged: &Self| match judged.compared {
            Agrees => 0,
            Differs => 1,
            Failed => 3,
            Earlier => 4,
            _ => 2,
        };
        let is_same = self.is_of_version_of(&next);
        match (self.compared, next.compared) {
            (Agrees, Differs) if is_same => *self = next,
            (Differs, Agrees) if is_same => {}
            (Differs, Differs) if !is_same && self.digest != next.digest => self.compared = Several,
            (Several, Differs) => {}
            _ if rank(&next) < rank(self) => *self = next,
            _ => {}
        }
    }
}

impl EvidenceImport {
    /// Compares all of it with what is known of a collection, and counts what comes of it. Nothing is recorded yet.
    pub(super) fn compare(
        &mut self,
        catalog: &Catalog,
        collection: &Collection,
        dated: &Dated<'_>,
        unknown: &mut dyn FnMut(&[u8]),
    ) -> Result<EvidenceCounts> {
        let mut counts = EvidenceCounts { rows: self.rows, ..EvidenceCounts::default() };
        counts.files = catalog.present(collection.id)?.files;
        let mut comparison = Comparison::new(catalog, collection);
        let mut others = Lookup::new(catalog, collection);
        let mut unheard = |_: &[u8], _: Item| Ok(());
        let failed = |error| self.claims.failed(error);
        let mut statement = self
            .claims
            .connection()
            .prepare(
                "SELECT directory, name, size, mtime_ns, digests, other, version, etag, about, detail, or_path FROM claim
                 ORDER BY CAST(directory || x'2f' AS BLOB), name, nth",
            )
            .map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        // The last name and the file that has it; the last file, and what came of it so far.
        let mut last: Option<(Vec<u8>, Vec<u8>, Option<Item>)> = None;
        let mut judged: Option<Judged> = None;
        let mut named = 0;
        let passed = self.rows;
        let mut taken = 0;
        // What was settled since is settled.
        let settled = |judged: Judged| -> Result<Judged> {
            let is_settled = match (judged.compared, dated.since_s) {
                (Compared::Differs, Some(since_s)) => {
                    catalog.is_settled_of(collection, judged.item, dated.provider, since_s)?
                }
                _ => false,
            };
            let compared = if is_settled { Compared::Settled } else { judged.compared };
            Ok(Judged { compared, ..judged })
        };
        while let Some(row) = rows.next().map_err(failed)? {
            taken += 1;
            let (directory, name): (Vec<u8>, Vec<u8>) =
                (row.get(0).map_err(failed)?, row.get(1).map_err(failed)?);
            let is_same = last.as_ref().is_some_and(|(of, other, _)| *of == directory && *other == name);
            if !is_same {
                let item = comparison.file(&directory, &name, &mut unheard)?.filter(is_there);
                last = Some((directory, name, item));
            }
            let Some((directory, name, item)) = &last else { continue };
            let claim = claim_of(row).map_err(failed)??;
            let or_path: Option<Vec<u8>> = row.get(10).map_err(failed)?;
            let either = Judged::of_either(item.as_ref(), or_path, &mut others, claim, dated.made_s)?;
            let Some(next) = either else {
                counts.unknown += 1;
                unknown(&crate::items::joined(directory, name));
                continue;
            };
            match &mut judged {
                Some(before) if before.item == next.item => before.join(next),
                _ => named += self.keep(judged.replace(next).map(settled).transpose()?, &mut counts)?,
            }
        }
        named += self.keep(judged.take().map(settled).transpose()?, &mut counts)?;
        counts.unknown += passed - taken;
        counts.unnamed = counts.files.saturating_sub(named);
        Ok(counts)
    }

    /// Keeps what came of a file. Returns how many files more are named.
    fn keep(&self, judged: Option<Judged>, counts: &mut EvidenceCounts) -> Result<u64> {
        let Some(judged) = judged else { return Ok(0) };
        if self.put(&judged, "IGNORE")? {
            counts.add(judged.compared);
            return Ok(1);
        }
        // It came before, under another spelling of its name.
        if let Some(mut before) = self.kept(judged.item)? {
            counts.remove(before.compared);
            before.join(judged);
            counts.add(before.compared);
            self.put(&before, "REPLACE")?;
        }
        Ok(0)
    }

    /// What was kept of a file.
    fn kept(&self, item: ItemId) -> Result<Option<Judged>> {
        let failed = |error| self.claims.failed(error);
        let mut statement = self
            .claims
            .connection()
            .prepare_cached(
                "SELECT outcome, algorithm, digest, size, mtime_ns, version, etag, detail FROM compared WHERE item = ?1",
            )
            .map_err(failed)?;
        let mut rows = statement.query([item.0]).map_err(failed)?;
        rows.next().map_err(failed)?.map(|row| judged_of(row, item)).transpose()
    }

    /// Writes down what came of a file. `or`: what becomes of what is there. Whether anything was written.
    fn put(&self, judged: &Judged, or: &str) -> Result<bool> {
        let Judged { item, compared, digest, other, claim } = judged;
        let algorithm = digest.map(|digest| digest.algorithm().name()).or(other.as_deref());
        let detail = match &claim.about {
            About::Failure(why) => why,
            _ => "",
        };
        let written = self.claims.run(|claims| {
            let mut statement = claims.prepare_cached(&format!(
                "INSERT OR {or} INTO compared (item, outcome, algorithm, digest, size, mtime_ns, version, etag, detail)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
            ))?;
            statement.execute(params![
                item.0,
                compared.number(),
                algorithm,
                digest.map(|digest| digest.as_bytes().to_vec()),
                claim.size.map(|size| size as i64),
                claim.modified.map(nanos_of),
                claim.version,
                claim.etag,
                detail
            ])
        })?;
        Ok(written > 0)
    }
}

/// Finds files by their other names. Those come in nearly the same order as the first ones, so what was loaded last is kept: a segment
/// for each name would be a thousand files for each row.
struct Lookup<'c> {
    catalog: &'c Catalog,
    collection: &'c Collection,
    /// The last directory, and what is in it.
    directory: Option<(Vec<u8>, Vec<Segment>)>,
    /// Which of its segments was loaded, and its files.
    loaded: Option<(usize, Vec<Item>)>,
}

impl<'c> Lookup<'c> {
    fn new(catalog: &'c Catalog, collection: &'c Collection) -> Self {
        Self { catalog, collection, directory: None, loaded: None }
    }

    fn item(&mut self, path: &[u8]) -> Result<Option<Item>> {
        let (directory, name) = split(path);
        let known = self.directory.take().filter(|(last, _)| last == directory);
        let segments = match known {
            Some((_, segments)) => segments,
            None => {
                self.loaded = None;
                let number = self.catalog.directory(self.collection.id, directory)?;
                number.map(|number| self.catalog.segments(number)).transpose()?.unwrap_or_default()
            }
        };
        let behind = segments.partition_point(|segment| segment.first_name() <= name);
        let found = match behind.checked_sub(1) {
            Some(at) => {
                let loaded = self.loaded.take().filter(|(last, _)| *last == at);
                let items = match loaded {
                    Some((_, items)) => items,
                    None => self.catalog.items(self.collection, &segments[at])?,
                };
                let found = items.binary_search_by(|item| item.name.as_slice().cmp(name)).ok();
                let found = found.map(|at| items[at].clone());
                self.loaded = Some((at, items));
                found
            }
            None => None,
        };
        self.directory = Some((directory.to_vec(), segments));
        Ok(found)
    }
}

/// Whether a file belongs to the collection now.
fn is_there(item: &Item) -> bool {
    !matches!(item.state, State::Retired | State::Ignored)
}

/// What was kept of a file, as far as it takes to make one of it and of what comes later.
fn judged_of(row: &Row<'_>, item: ItemId) -> Result<Judged> {
    let compared = Compared::of_number(row.get(0)?)?;
    let (name, bytes): (Option<String>, Option<Vec<u8>>) = (row.get(1)?, row.get(2)?);
    let algorithm = name.as_deref().and_then(Algorithm::named);
    let digest = algorithm.zip(bytes).and_then(|(algorithm, bytes)| Digest::new(algorithm, &bytes).ok());
    let detail: String = row.get(7)?;
    let claim = Claim {
        size: row.get::<_, Option<i64>>(3)?.map(|size| size as u64),
        modified: row.get::<_, Option<i64>>(4)?.map(time_of),
        version: row.get(5)?,
        etag: row.get(6)?,
        about: if compared == Compared::Failed { About::Failure(detail) } else { About::Whole },
        ..Claim::default()
    };
    Ok(Judged { item, compared, other: name.filter(|_| digest.is_none()), digest, claim })
}

fn claim_of(row: &Row<'_>) -> rusqlite::Result<Result<Claim>> {
    let digests: Vec<u8> = row.get(4)?;
    let about = match row.get(8)? {
        1 => About::Parts,
        2 => About::Earlier,
        3 => About::Failure(row.get(9)?),
        _ => About::Whole,
    };
    let digests = match unpacked(&digests) {
        Ok(digests) => digests,
        Err(error) => return Ok(Err(error)),
    };
    Ok(Ok(Claim {
        size: row.get::<_, Option<i64>>(2)?.map(|size| size as u64),
        modified: row.get::<_, Option<i64>>(3)?.map(time_of),
        digests,
        other: row.get(5)?,
        version: row.get(6)?,
        etag: row.get(7)?,
        about,
    }))
}

#[cfg(test)]
mod tests {
    use hashlane_record::Timestamp;

    use super::*;

    fn digest(algorithm: &str, bytes: &[u8]) -> Digest {
        Algorithm::named(algorithm).expect("registered").digest(bytes)
    }

    fn at(seconds: i64, nanos: u32) -> Option<Timestamp> {
        Some(Timestamp { seconds, nanos })
    }

    #[test]
    fn the_table_of_claims() {
        let known = Content {
            size: Some(3),
            modified: at(100, 5),
            digests: vec![digest("sha256", b"abc"), digest("md5", b"abc")],
            ..Content::default()
        };
        let claim = |digests: Vec<Digest>| Claim { digests, ..Claim::default() };
        let [good, bad] = [b"abc", b"abd"].map(|bytes| vec![digest("md5", bytes)]);
        let half = vec![digest("sha256", b"abc"), digest("md5", b"abd")];
        let crc = vec![digest("crc32c", b"abc")];
        let table = [
            (claim(good.clone()), None, Compared::Agrees),
            (claim(bad.clone()), None, Compared::Differs),
            // One of two that differs is enough.
            (claim(half), None, Compared::Differs),
            (claim(crc), None, Compared::OtherAlgorithm),
            (claim(Vec::new()), None, Compared::NoChecksum),
            (Claim { size: Some(4), ..claim(good.clone()) }, None, Compared::OtherSize),
            (Claim { size: Some(4), ..claim(bad.clone()) }, None, Compared::OtherSize),
            // The same bytes at another time are the same bytes.
            (Claim { modified: at(99, 0), ..claim(good.clone()) }, None, Compared::Agrees),
            (Claim { modified: at(99, 0), ..claim(bad.clone()) }, None, Compared::OtherTime),
            (Claim { modified: at(100, 0), ..claim(bad.clone()) }, None, Compared::Differs),
            (claim(bad.clone()), Some(99), Compared::Later),
            (claim(bad.clone()), Some(100), Compared::Differs),
            (claim(good.clone()), Some(99), Compared::Agrees),
            (Claim { about: About::Parts, ..claim(Vec::new()) }, None, Compared::Composite),
            (Claim { about: About::Earlier, ..claim(bad.clone()) }, None, Compared::Earlier),
            (Claim { about: About::Failure("x".into()), ..claim(Vec::new()) }, None, Compared::Failed),
        ];
        for (number, (claim, made_s, expected)) in table.iter().enumerate() {
            assert_eq!(compare(&known, claim, *made_s).0, *expected, "line {number}");
        }
        let unread = Content { digests: Vec::new(), ..known };
        assert_eq!(compare(&unread, &claim(good), None).0, Compared::NeverRead);
    }

    #[test]
    fn of_one_version_it_is_enough_that_one_claim_differs() {
        use Compared::{Agrees, Differs, Several};
        let judged = |(compared, algorithm, bytes, version): (Compared, &str, &str, &str)| Judged {
            item: ItemId(1),
            compared,
            digest: Some(digest(algorithm, bytes.as_bytes())),
            other: None,
            claim: Claim { version: Some(version.to_owned()), ..Claim::default() },
        };
        for (one, another, expected) in [
            // Two algorithms of one content.
            ((Agrees, "md5", "a", ""), (Differs, "sha256", "x", ""), Differs),
            ((Differs, "md5", "x", ""), (Differs, "sha256", "x", ""), Differs),
            // Twice the same algorithm: two versions.
            ((Agrees, "md5", "a", ""), (Differs, "md5", "x", ""), Agrees),
            ((Differs, "md5", "x", ""), (Differs, "md5", "y", ""), Several),
            // Where versions are named, they decide.
            ((Agrees, "md5", "a", "1"), (Differs, "sha256", "x", "2"), Agrees),
            ((Differs, "md5", "x", "1"), (Differs, "sha256", "x", "2"), Several),
            ((Agrees, "md5", "a", "1"), (Differs, "md5", "x", "1"), Differs),
            ((Differs, "md5", "x", "1"), (Differs, "md5", "y", "1"), Differs),
        ] {
            for (first, second) in [(one, another), (another, one)] {
                let mut joined = judged(first);
                joined.join(judged(second));
                assert_eq!(joined.compared, expected, "{first:?}, {second:?}");
            }
        }
    }

    #[test]
    fn every_outcome_has_a_number_of_its_own() {
        for compared in Compared::ALL {
            assert_eq!(Compared::of_number(compared.number()).ok(), Some(compared));
        }
        assert!(Compared::of_number(0).is_err());
    }
}
