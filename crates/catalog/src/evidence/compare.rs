//! Claims against what is known: one rule, and one walk through both.

use hashlane_audit::TimeMatch;
use hashlane_digest::Digest;
use rusqlite::{Row, params};

use super::{About, Claim, Compared, Encoding, EvidenceCounts, EvidenceImport, Judged, Nearness, unpacked};
use crate::collections::Collection;
use crate::comparison::Comparison;
use crate::error::Result;
use crate::items::{Content, Item, Segment, State, nanos_of, time_of};
use crate::paths::split;
use crate::reader::Reader;

/// Compares a claim with what is known of its file. `made_s`: when the report was made, if it says so, in seconds since 1970.
fn compare(
    (known, is_in_store): (&Content, bool),
    claim: &Claim,
    nearness: Nearness,
    made_s: Option<i64>,
) -> (Compared, Option<Digest>) {
    let first = claim.digests.first().copied();
    match claim.about {
        About::Failure(_) => return (Compared::Failed, first),
        About::EitherName => return (Compared::EitherName, first),
        About::Earlier if nearness != Nearness::Named => return (Compared::Earlier, first),
        About::Parts => return (Compared::Composite, first),
        About::Whole if claim.digests.is_empty() && claim.other.is_none() => {
            return (Compared::NoChecksum, None);
        }
        About::Whole if known.digests.is_empty() => return (Compared::NeverRead, first),
        About::Whole if nearness == Nearness::Another => return (Compared::OtherVersion, first),
        About::Whole | About::Earlier => {}
    }
    let pairs = || {
        known.digests.iter().filter_map(|known| {
            let said = claim.digests.iter().find(|said| said.algorithm() == known.algorithm())?;
            Some((known, *said))
        })
    };
    let Some((_, common)) = pairs().next() else { return (Compared::OtherAlgorithm, first) };
    let differing = pairs().find(|(known, said)| *known != said).map(|(_, said)| said);
    // What a version is never changes, so neither its size nor its time can excuse it.
    let is_fixed = nearness == Nearness::Named && claim.version.as_deref() != Some(REPLACED);
    let has_size = known.size.is_none() || claim.size.is_none() || known.size == claim.size;
    let has_time = match (known.modified, claim.modified) {
        (Some(known), Some(said)) => TimeMatch::between(known, said).is_same(is_in_store),
        _ => true,
    };
    let is_later = matches!((known.modified, made_s), (Some(known), Some(made)) if known.seconds > made);
    match differing {
        Some(said) if is_fixed => (Compared::Differs, Some(said)),
        _ if !has_size => (Compared::OtherSize, Some(differing.unwrap_or(common))),
        None => (Compared::Agrees, Some(common)),
        Some(said) if !has_time => (Compared::OtherTime, Some(said)),
        Some(said) if is_later => (Compared::Later, Some(said)),
        Some(said) => (Compared::Differs, Some(said)),
    }
}

/// The version that is written over, where a store has versions of other objects.
const REPLACED: &str = "null";

/// Whose a report is, and of when.
pub(super) struct Dated<'a> {
    pub(super) provider: &'a str,
    /// When it was made, if it says so.
    pub(super) made_s: Option<i64>,
    /// Since when it is there: it was made then, or imported for the first time.
    pub(super) since_s: Option<i64>,
}

/// Which versions of a file are known by the names that its store has for them.
#[derive(Debug, Default)]
struct Versions {
    /// The one that was read, and has the known content.
    read: Option<String>,
    /// The one that the same provider has said something else of, and nothing has settled that.
    contradicted: Option<String>,
}

impl Judged {
    fn new(
        (item, is_in_store): (&Item, bool),
        versions: &Versions,
        claim: Claim,
        made_s: Option<i64>,
    ) -> Self {
        let named = versions.read.as_ref().or(versions.contradicted.as_ref());
        let nearness = match (&claim.about, &claim.version, named) {
            (_, Some(said), Some(named)) if said == named => Nearness::Named,
            (About::Earlier, ..) => Nearness::Another,
            (_, None, _) => Nearness::Current,
            (_, Some(_), _) if versions.read.is_none() => Nearness::Unknown,
            (_, Some(_), _) => Nearness::Another,
        };
        let (compared, digest) = compare((&item.content, is_in_store), &claim, nearness, made_s);
        Self { item: item.id, compared, nearness, digest, other: claim.other.clone(), claim }
    }

    /// Makes one of two claims about one version: it is enough that one of them differs. Of two that differ, which one is reported goes by their
    /// digests, and not by which row comes first.
    fn and(self, next: Self) -> Self {
        let rank = |judged: &Self| match judged.compared {
            Compared::Differs => 0,
            Compared::Agrees => 1,
            Compared::Failed => 3,
            Compared::Earlier => 4,
            _ => 2,
        };
        let order = |judged: &Self| {
            (rank(judged), judged.compared, judged.digest.map(|digest| digest.as_bytes().to_vec()))
        };
        if order(&next) < order(&self) { next } else { self }
    }

    /// Makes one of what is said of two versions, when nobody knows which one is the file: it is enough that one of them agrees. One
    /// that differs counts if all others say the very same.
    fn or(self, next: Self) -> Self {
        use Compared::{Agrees, Differs, Failed, Several};
        match (self.compared, next.compared) {
            (Agrees, _) => self,
            (_, Agrees) => next,
            (Failed, _) => self,
            (_, Failed) => next,
            (Differs, Differs) if self.digest == next.digest => self,
            (Differs | Several, _) => Self { compared: Several, ..self },
            (_, Differs | Several) => Self { compared: Several, ..next },
            _ if next.compared < self.compared => next,
            _ => self,
        }
    }
}

/// What is said of a file, as far as it has come. It comes a version at a time.
struct Gathered {
    /// Of the version that came last.
    version: Judged,
    /// Of the versions before it, the nearest first.
    before: [Option<Judged>; 4],
}

impl Gathered {
    fn new(version: Judged) -> Self {
        Self { version, before: [const { None }; 4] }
    }

    fn take(self, next: Judged) -> Self {
        match self.version.claim.version == next.claim.version {
            true => Self { version: self.version.and(next), ..self },
            false => Self { version: next, before: self.by_nearness() },
        }
    }

    fn by_nearness(self) -> [Option<Judged>; 4] {
        let Self { version, mut before } = self;
        let alike = &mut before[version.nearness as usize];
        *alike = Some(match alike.take() {
            Some(judged) => judged.or(version),
            None => version,
        });
        before
    }

    /// The nearest decides. Where it says nothing of the content, another one may still contradict it, and does not vouch for it.
    fn end(self) -> Option<Judged> {
        let mut all = self.by_nearness().into_iter().flatten();
        let nearest = all.next()?;
        if nearest.compared.is_comparison() {
            return Some(nearest);
        }
        let compared = all.find(|judged| judged.compared.is_comparison());
        Some(compared.filter(|judged| judged.compared == Compared::Differs).unwrap_or(nearest))
    }
}

/// How well rows fit a file that they may be of: the best comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// One of them names the version that was read.
    Version,
    /// One of them has its content.
    Content,
    /// None of them shows it.
    Unknown,
}

impl EvidenceImport {
    /// Compares all of it with what is known of a collection, and counts what comes of it. Nothing is recorded yet.
    pub(super) fn compare(
        &mut self,
        catalog: &Reader,
        collection: &Collection,
        dated: &Dated<'_>,
        unknown: &mut dyn FnMut(&[u8]),
    ) -> Result<EvidenceCounts> {
        self.settle_names(catalog, collection, dated)?;
        let mut counts = EvidenceCounts { rows: self.rows, ..EvidenceCounts::default() };
        counts.files = catalog.present(collection.id)?.files;
        let mut comparison = Comparison::new(catalog, collection);
        let mut unheard = |_: &[u8], _: Item| Ok(());
        let failed = |error| self.claims.failed(error);
        let mut statement = self
            .claims
            .connection()
            .prepare(
                "SELECT directory, name, size, mtime_ns, digests, other, version, etag, about, detail FROM claim
                 ORDER BY CAST(directory || x'2f' AS BLOB), name, version, nth",
            )
            .map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        // The last name, the file that has it, and what is said of that so far.
        let mut last: Option<(Vec<u8>, Vec<u8>, Option<Item>)> = None;
        let mut gathered: Option<Gathered> = None;
        let mut taken = 0;
        while let Some(row) = rows.next().map_err(failed)? {
            taken += 1;
            let (directory, name): (Vec<u8>, Vec<u8>) =
                (row.get(0).map_err(failed)?, row.get(1).map_err(failed)?);
            let is_same = last.as_ref().is_some_and(|(of, other, _)| *of == directory && *other == name);
            if !is_same {
                self.keep(catalog, collection, dated, gathered.take(), &mut counts)?;
                let item = comparison.file(&directory, &name, &mut unheard)?.filter(is_there);
                last = Some((directory, name, item));
            }
            let Some((directory, name, item)) = &last else { continue };
            let Some(item) = item else {
                counts.unknown += 1;
                unknown(&crate::paths::joined(directory, name));
                continue;
            };
            let next = judged(catalog, collection, dated, item, claim_of(row).map_err(failed)??)?;
            gathered = Some(match gathered.take() {
                Some(gathered) => gathered.take(next),
                None => Gathered::new(next),
            });
        }
        self.keep(catalog, collection, dated, gathered, &mut counts)?;
        counts.unknown += self.rows - taken;
        let named: u64 = counts.compared.values().sum();
        counts.unnamed = counts.files.saturating_sub(named);
        Ok(counts)
    }

    /// Decides which names the rows have whose names can be read in two ways: one for all rows of the same.
    fn settle_names(&self, catalog: &Reader, collection: &Collection, dated: &Dated<'_>) -> Result<()> {
        let (mut of_spaces, mut of_pluses) =
            (Lookup::new(catalog, collection), Lookup::new(catalog, collection));
        let failed = |error| self.claims.failed(error);
        let mut statement = self
            .claims
            .connection()
            .prepare(
                "SELECT DISTINCT directory, name, has_spaces, pluses FROM doubtful ORDER BY directory, name",
            )
            .map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let (directory, name): (Vec<u8>, Vec<u8>) =
                (row.get(0).map_err(failed)?, row.get(1).map_err(failed)?);
            let has_spaces: bool = row.get(2).map_err(failed)?;
            let pluses: Option<Vec<u8>> = row.get(3).map_err(failed)?;
            let of_rows = (&directory[..], &name[..], pluses.as_deref());
            let spaces = has_spaces.then(|| crate::paths::joined(&directory, &name));
            let mut is_told = true;
            let path = match (self.encoding, &spaces, &pluses) {
                (Encoding { encodes_plus: true, encodes_space: false }, spaces, _) => spaces,
                (Encoding { encodes_plus: false, encodes_space: true }, _, pluses) => pluses,
                (_, Some(with_spaces), Some(with_pluses)) => {
                    let of_spaces = of_spaces.item(with_spaces)?.filter(is_there);
                    let of_pluses = of_pluses.item(with_pluses)?.filter(is_there);
                    let has_pluses = match (of_spaces, of_pluses) {
                        (_, None) => false,
                        (None, Some(_)) => true,
                        (Some(one), Some(other)) => {
                            let fits = (
                                self.fit(catalog, collection, dated, of_rows, &one)?,
                                self.fit(catalog, collection, dated, of_rows, &other)?,
                            );
                            is_told = fits != (Fit::Unknown, Fit::Unknown);
                            fits.1 < fits.0
                        }
                    };
                    if has_pluses { &pluses } else { &spaces }
                }
                (_, spaces, pluses) => {
                    if spaces.is_some() {
                        spaces
                    } else {
                        pluses
                    }
                }
            };
            // Those without a path are not of this collection, and are counted so.
            let Some(path) = path else { continue };
            let (to_directory, to_name) = split(path);
            self.claims.run(|claims| {
                let mut statement = claims.prepare_cached(
                    "INSERT INTO claim (directory, name, nth, size, mtime_ns, digests, other, version, etag, about, detail, file)
                     SELECT ?4, ?5, nth, size, mtime_ns, digests, other, version, etag,
                         CASE WHEN ?6 OR about <> 0 THEN about ELSE 4 END, detail, file FROM doubtful
                     WHERE directory = ?1 AND name = ?2 AND pluses IS ?3",
                )?;
                statement.execute(params![directory, name, pluses, to_directory, to_name, is_told])
            })?;
        }
        Ok(())
    }

    /// How well the rows of a doubtful name fit a file.
    fn fit(
        &self,
        catalog: &Reader,
        collection: &Collection,
        dated: &Dated<'_>,
        (directory, name, pluses): (&[u8], &[u8], Option<&[u8]>),
        item: &Item,
    ) -> Result<Fit> {
        let failed = |error| self.claims.failed(error);
        let mut statement = self
            .claims
            .connection()
            .prepare_cached(
                "SELECT directory, name, size, mtime_ns, digests, other, version, etag, about, detail FROM doubtful
                 WHERE directory = ?1 AND name = ?2 AND pluses IS ?3",
            )
            .map_err(failed)?;
        let mut rows = statement.query(params![directory, name, pluses]).map_err(failed)?;
        let mut fit = Fit::Unknown;
        while let Some(row) = rows.next().map_err(failed)? {
            let judged = judged(catalog, collection, dated, item, claim_of(row).map_err(failed)??)?;
            fit = fit.min(match (judged.nearness, judged.compared) {
                (Nearness::Named, _) => Fit::Version,
                (_, Compared::Agrees) => Fit::Content,
                _ => Fit::Unknown,
            });
        }
        Ok(fit)
    }

    /// Keeps and counts what came of a file. What was settled since is settled.
    fn keep(
        &self,
        catalog: &Reader,
        collection: &Collection,
        dated: &Dated<'_>,
        gathered: Option<Gathered>,
        counts: &mut EvidenceCounts,
    ) -> Result<()> {
        let Some(mut judged) = gathered.and_then(Gathered::end) else { return Ok(()) };
        if let (Compared::Differs, Some(since_s)) = (judged.compared, dated.since_s)
            && catalog.is_settled_of(collection, judged.item, dated.provider, since_s)?
        {
            judged.compared = Compared::Settled;
        }
        counts.add(judged.compared);
        self.put(&judged)
    }

    /// Writes down what came of a file.
    fn put(&self, judged: &Judged) -> Result<()> {
        let Judged { item, compared, digest, other, claim, .. } = judged;
        let algorithm = digest.map(|digest| digest.algorithm().name()).or(other.as_deref());
        let detail = match &claim.about {
            About::Failure(why) => why,
            _ => "",
        };
        self.claims.run(|claims| {
            let mut statement = claims.prepare_cached(
                "INSERT INTO compared (item, outcome, algorithm, digest, size, mtime_ns, version, etag, detail)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?;
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
        Ok(())
    }
}

/// A claim about a file, compared with what is known of it.
fn judged(
    catalog: &Reader,
    collection: &Collection,
    dated: &Dated<'_>,
    item: &Item,
    claim: Claim,
) -> Result<Judged> {
    let mut versions = Versions::default();
    if claim.version.is_some() {
        versions.read = catalog.read_version(item.id)?;
        if versions.read.is_none() {
            versions.contradicted = catalog.contradicted_version(collection.id, item.id, dated.provider)?;
        }
    }
    Ok(Judged::new((item, collection.terms.is_in_store()), &versions, claim, dated.made_s))
}

/// Finds files by names that come nearly in order, so what was loaded last is kept: a segment
/// for each name would be a thousand files for each row.
struct Lookup<'c> {
    catalog: &'c Reader,
    collection: &'c Collection,
    /// The last directory, and what is in it.
    directory: Option<(Vec<u8>, Vec<Segment>)>,
    /// Which of its segments was loaded, and its files.
    loaded: Option<(usize, Vec<Item>)>,
}

impl<'c> Lookup<'c> {
    fn new(catalog: &'c Reader, collection: &'c Collection) -> Self {
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

fn claim_of(row: &Row<'_>) -> rusqlite::Result<Result<Claim>> {
    let digests: Vec<u8> = row.get(4)?;
    let about = match row.get(8)? {
        1 => About::Parts,
        2 => About::Earlier,
        3 => About::Failure(row.get(9)?),
        4 => About::EitherName,
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
    use hashlane_digest::Algorithm;
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
            let compared = compare((&known, false), claim, Nearness::Current, *made_s).0;
            assert_eq!(compared, *expected, "line {number}");
        }
        let unread = Content { digests: Vec::new(), ..known };
        assert_eq!(compare((&unread, false), &claim(good), Nearness::Current, None).0, Compared::NeverRead);
    }

    #[test]
    fn the_time_of_a_claim_is_the_known_one_in_each_form_that_a_file_may_have_it_in() {
        use Compared::{Differs, OtherTime};
        let known = Content {
            size: Some(3),
            modified: at(100, 123_456_789),
            digests: vec![digest("md5", b"abc")],
            ..Content::default()
        };
        // The time that is said, and what comes of another content then: in a tree, and in a store.
        let table = [
            (at(100, 123_456_789), Differs, Differs),
            (at(100, 123_456_000), Differs, Differs),
            (at(100, 0), Differs, Differs),
            // Another fraction is another time.
            (at(100, 700_000_000), OtherTime, OtherTime),
            (at(100, 123_456_788), OtherTime, OtherTime),
            (at(101, 0), OtherTime, OtherTime),
            // FAT rounds up, and keeps the clock on the wall; a store does neither.
            (at(102, 0), Differs, OtherTime),
            (at(100 + 3_600, 0), Differs, OtherTime),
            (at(100 - 7_200, 123_456_789), Differs, OtherTime),
            (at(99, 0), OtherTime, OtherTime),
            (None, Differs, Differs),
        ];
        for (modified, in_tree, in_store) in table {
            let claim = Claim { modified, digests: vec![digest("md5", b"abd")], ..Claim::default() };
            let by = |is_in_store| compare((&known, is_in_store), &claim, Nearness::Current, None).0;
            assert_eq!((by(false), by(true)), (in_tree, in_store), "{modified:?}");
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
