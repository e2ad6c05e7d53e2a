//! What stands against files, and what happened to them.

use std::collections::{BTreeMap, HashMap};

use hashlane_audit::TimeMatch;
use hashlane_digest::Digest;
use roaring::RoaringTreemap;
use rusqlite::{OptionalExtension as _, Row as SqlRow, ToSql, params, params_from_iter};

use crate::causes::Cause;
use crate::collections::Collection;
use crate::error::Result;
use crate::ids::{CollectionId, ItemId, RunId, StintId};
use crate::items::{Content, State, digests_of, nanos_of, path_of, time_of};
use crate::reader::Reader;
use crate::spans::ReadingKind;
use crate::verdict::{Numbered as _, Verdict};

/// What stands against a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The file.
    pub item: ItemId,
    /// What it is.
    pub verdict: Verdict,
    /// The run that said so first.
    pub run: RunId,
    /// When that was, in seconds since 1970.
    pub since_s: i64,
    /// When it was last seen to be so, in seconds since 1970.
    pub seen_s: i64,
    /// The stint that saw it last.
    pub stint: StintId,
    /// What was there instead of what is known.
    pub seen: Seen,
    /// When it was found to be good again, in seconds since 1970.
    pub cleared_s: Option<i64>,
    /// Who knows of it, so that it alarms nobody.
    pub known: Option<Acknowledgement>,
    /// What stood before, of a file that is missing or could not be read.
    pub before: Option<Before>,
}

/// What stood against a file before nothing could be read of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Before {
    /// What was found.
    pub verdict: Verdict,
    /// And why that is so.
    pub cause: Option<Cause>,
    /// Those of the content that was found.
    pub digests: Vec<Digest>,
}

impl Finding {
    /// Whether it is a suspect that was read again in vain: its detail says why.
    pub fn was_tried(&self) -> bool {
        self.verdict == Verdict::Suspect && !self.seen.detail.is_empty()
    }

    /// Whether its file is damaged by what has come here from another one.
    pub fn is_spread(&self) -> bool {
        // Something else may have been written over it since.
        let found = self.of_content().into_iter().chain(self.before.clone());
        found
            .filter(|found| found.verdict == Verdict::Corrupt)
            .any(|found| found.cause.is_some_and(Cause::is_spread))
    }

    /// What was found of the content of its file, whether it is there to be read or not.
    pub fn of_content(&self) -> Option<Before> {
        match UNREAD.contains(&self.verdict) {
            true => self.before.clone(),
            false => Some(Before {
                verdict: self.verdict,
                cause: self.seen.cause,
                digests: self.seen.content.digests.clone(),
            }),
        }
    }
}

/// What was there instead of what is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// What was read first; nothing of a file that is gone or could not be read.
    pub content: Content,
    /// The digests of later readings past the cache, one after the other.
    pub again: Vec<Digest>,
    /// Where the bytes of the last reading came from.
    pub reading: Option<ReadingKind>,
    /// What else there is to say: the likely cause, what the system said.
    pub detail: String,
    /// Which version of an object that is, by the name that its store has for it.
    pub version: Option<Box<str>>,
    /// How it came about, if more is known of that than the verdict says.
    pub cause: Option<Cause>,
}

impl Seen {
    /// Whether it has another size than the known one, if both are known.
    pub fn has_other_size(&self, known: &Content) -> bool {
        self.content.size.zip(known.size).is_some_and(|(seen, known)| seen != known)
    }

    /// What a damaged content is likely to come from, as far as its times tell; nothing where they do not.
    pub fn likely_cause(&self, verdict: Verdict, known: &Content) -> Option<&'static str> {
        let times = self.content.modified.zip(known.modified).filter(|(seen, known)| seen != known);
        let has_other_form =
            times.is_some_and(|(seen, known)| TimeMatch::between(known, seen).is_same(false));
        match verdict {
            // Its times say nothing of how it came about.
            Verdict::Corrupt if self.cause.is_some() || known.changed.is_none() => None,
            Verdict::Corrupt if self.content.changed == known.changed => {
                Some("its change time is as known: no program wrote it; medium or memory are likely")
            }
            Verdict::Corrupt if has_other_form => Some(
                "its modification time is the known one in another form: it was copied or restored, and damaged before or on the way",
            ),
            Verdict::Corrupt if times.is_some() => Some(
                "its modification time is not the known one, and that is no edit: it was touched as well",
            ),
            Verdict::Corrupt => Some(
                "its change time has moved: a program set the modification time back, or it was damaged and then renamed",
            ),
            Verdict::Collision => Some(
                "a known digest or size was recorded wrong, or somebody has made another content of the same digest",
            ),
            Verdict::Misread => Some("memory, a cable or a controller may have failed for a moment"),
            _ => None,
        }
    }
}

/// That somebody knows of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// Who.
    pub by: String,
    /// Why it alarms nobody.
    pub reason: String,
    /// Since when, in seconds since 1970.
    pub at_s: i64,
    /// Until when, in seconds since 1970; without an end if that is not said.
    pub until_s: Option<i64>,
}

impl Acknowledgement {
    /// Clocks may differ by this much, in seconds. What was acknowledged later than that was acknowledged under a wrong clock, and nobody knows for
    /// how long it was meant.
    const SKEW_S: i64 = 86_400;

    /// That a row of `finding` has one that holds, as SQL. `now`: the parameter of the time, in seconds since 1970.
    pub(crate) fn holds_at(now: &str) -> String {
        format!(
            "((known_s <= {now} + {} AND coalesce(known_until_s, {now} + 1) > {now}) IS TRUE)",
            Self::SKEW_S
        )
    }

    /// Whether it holds at a time, in seconds since 1970.
    pub fn holds(&self, now_s: i64) -> bool {
        self.at_s <= now_s.saturating_add(Self::SKEW_S) && self.until_s.is_none_or(|until| now_s < until)
    }
}

/// Files with the contents that are known of them, by those that they have now.
pub type ByContent = HashMap<Vec<Digest>, (ItemId, Vec<Digest>)>;

/// Something that happened to a file or to a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// When, in seconds since 1970.
    pub at_s: i64,
    /// Who did it, or asked for the run that found it.
    pub actor: String,
    /// The run that found it.
    pub run: Option<RunId>,
    /// What happened, in one word: the name of a verdict, or `accepted`, `acknowledged`, `recovered`.
    pub what: String,
    /// Why somebody did it.
    pub reason: String,
    /// The path of the other file of a move or a copy.
    pub other: Option<Vec<u8>>,
    /// What else there is to say.
    pub detail: String,
}

/// How many findings of a verdict stand against a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The verdict.
    pub verdict: Verdict,
    /// Those of which nobody said that they know.
    pub open: u64,
    /// Those of which somebody did.
    pub acknowledged: u64,
}

/// Files in which something else was found in the place of damage, and their inodes then, by that content.
pub type WrittenOver = HashMap<Vec<Digest>, (ItemId, Option<u64>)>;

/// Findings that a content is not the known one: only the medium can say that it is good again.
pub const OF_MEDIUM: [Verdict; 6] = [
    Verdict::Suspect,
    Verdict::Corrupt,
    Verdict::Collision,
    Verdict::Misread,
    Verdict::UnstableMedium,
    Verdict::Changed,
];

/// Findings of files whose content could not be read.
pub const UNREAD: [Verdict; 3] = [Verdict::Missing, Verdict::Unreadable, Verdict::Unstable];

const FINDING: &str =
    "SELECT item, verdict, run, since_s, seen_s, size, mtime_ns, ctime_ns, inode, digests, again, reading,
     detail, cleared_s, known_by, known_reason, known_s, known_until_s, stint, version, cause, was, was_cause, was_digests FROM finding";

impl Reader {
    /// What stands against a file, or did until lately.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn finding(&self, collection: &Collection, item: ItemId) -> Result<Option<Finding>> {
        let mut statement = self.connection.prepare_cached(&format!("{FINDING} WHERE item = ?1"))?;
        let mut rows = statement.query([item.0])?;
        rows.next()?.map(|row| finding_of(row, collection)).transpose()
    }

    /// Shows what stands against the files of a collection, or did until lately, by verdict.
    ///
    /// # Errors
    /// The catalogue cannot be read, is damaged, or `show` fails.
    pub fn findings(
        &self,
        collection: &Collection,
        show: &mut dyn FnMut(Finding) -> Result<()>,
    ) -> Result<()> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("{FINDING} WHERE collection = ?1 ORDER BY verdict, item"))?;
        let mut rows = statement.query([collection.id.0])?;
        while let Some(row) = rows.next()? {
            show(finding_of(row, collection)?)?;
        }
        Ok(())
    }

    /// How many findings of each verdict stand against a collection at a time, in the order of [`Verdict::OF_COLLECTIONS`].
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn standing(&self, collection: CollectionId, now_s: i64) -> Result<Vec<Standing>> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT verdict, count(*), count(CASE WHEN {} THEN 1 END)
             FROM finding WHERE collection = ?1 AND cleared_s IS NULL GROUP BY verdict",
            Acknowledgement::holds_at("?2")
        ))?;
        let mut rows = statement.query(params![collection.0, now_s])?;
        let mut standing = Vec::new();
        while let Some(row) = rows.next()? {
            let (all, acknowledged): (i64, i64) = (row.get(1)?, row.get(2)?);
            let verdict = Verdict::of_number(row.get(0)?)?;
            standing.push(Standing {
                verdict,
                open: (all - acknowledged) as u64,
                acknowledged: acknowledged as u64,
            });
        }
        let place = |verdict: Verdict| Verdict::OF_COLLECTIONS.iter().position(|other| *other == verdict);
        standing.sort_by_key(|standing| place(standing.verdict));
        Ok(standing)
    }

    /// The items of a collection against which something stands, of these verdicts; none: of any.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn standing_items(&self, collection: CollectionId, verdicts: &[Verdict]) -> Result<RoaringTreemap> {
        let mut statement = self.connection.prepare_cached(
            "SELECT item, verdict FROM finding WHERE collection = ?1 AND cleared_s IS NULL ORDER BY verdict, item",
        )?;
        let mut rows = statement.query([collection.0])?;
        let mut items = RoaringTreemap::new();
        while let Some(row) = rows.next()? {
            let verdict = Verdict::of_number(row.get("verdict")?)?;
            if verdicts.is_empty() || verdicts.contains(&verdict) {
                items.insert(row.get::<_, i64>("item")? as u64);
            }
        }
        Ok(items)
    }

    /// Files of a run that were found to have changed and are withheld, with the contents that are known of them, by those that they have now; none where there are more than so
    /// many.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn changed_contents(&self, collection: &Collection, run: RunId, most: usize) -> Result<ByContent> {
        let mut statement = self.connection.prepare_cached(
            "SELECT withheld.item, withheld.digests, item.digests FROM withheld JOIN item ON item.id = withheld.item
             WHERE withheld.run = ?1 AND verdict = ?2 AND withheld.size > 0 AND withheld.digests IS NOT NULL AND item.digests IS NOT NULL
             LIMIT ?3",
        )?;
        let algorithms = &collection.terms.algorithms;
        let mut rows = statement.query(params![run.0, Verdict::Changed.number(), most as i64 + 1])?;
        let (mut contents, mut number) = (HashMap::new(), 0);
        while let Some(row) = rows.next()? {
            let (seen, known): (Vec<u8>, Vec<u8>) = (row.get(1)?, row.get(2)?);
            let known = digests_of(algorithms, &known)?;
            contents.insert(digests_of(algorithms, &seen)?, (ItemId(row.get(0)?), known));
            number += 1;
        }
        Ok(if number > most { HashMap::new() } else { contents })
    }

    /// What was found of damaged files of a collection that something else was written over.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn written_over(&self, collection: &Collection) -> Result<WrittenOver> {
        let mut statement = self.connection.prepare_cached(
            "SELECT digests, item, inode FROM finding WHERE collection = ?1 AND cause = ?2 AND verdict <> ?3
             AND cleared_s IS NULL AND digests IS NOT NULL",
        )?;
        let (restored, changed) = (Cause::Restored.number(), Verdict::Changed.number());
        let mut rows = statement.query(params![collection.id.0, restored, changed])?;
        let mut found = WrittenOver::new();
        while let Some(row) = rows.next()? {
            let digests = digests_of(&collection.terms.algorithms, &row.get::<_, Vec<u8>>("digests")?)?;
            let inode = row.get::<_, Option<i64>>("inode")?.map(|inode| inode as u64);
            found.insert(digests, (ItemId(row.get("item")?), inode));
        }
        Ok(found)
    }

    /// The items of a collection that differ and were not read again, and the stints that have seen them last: those that wait for
    /// longest first, and of those the smallest.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn suspects(&self, collection: CollectionId) -> Result<Vec<(ItemId, StintId)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT item, stint FROM finding WHERE collection = ?1 AND verdict = ?2 AND cleared_s IS NULL
             ORDER BY stint, size, item",
        )?;
        let suspects = statement.query_map(params![collection.0, Verdict::Suspect.number()], |row| {
            Ok((ItemId(row.get("item")?), StintId(row.get("stint")?)))
        })?;
        Ok(suspects.collect::<rusqlite::Result<_>>()?)
    }

    /// When files were last looked at against which something stands that says so, in seconds since 1970, by the numbers of the items: that a file
    /// was missing, or what a provider says, does not read it.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn last_seen(&self, collection: CollectionId) -> Result<BTreeMap<i64, i64>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT finding.item, stint.started_s FROM finding JOIN stint ON stint.id = finding.stint
             WHERE collection = ?1 AND cleared_s IS NULL AND verdict NOT IN (?2, ?3)",
        )?;
        let unread = [Verdict::Missing, Verdict::Contradicted].map(|verdict| verdict.number());
        let seen = statement.query_map(params![collection.0, unread[0], unread[1]], |row| {
            Ok((row.get("item")?, row.get("started_s")?))
        })?;
        Ok(seen.collect::<rusqlite::Result<_>>()?)
    }

    /// The items of a collection against which something stands that nobody knows of at a time.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn unknown_findings(&self, collection: CollectionId, now_s: i64) -> Result<RoaringTreemap> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT item FROM finding WHERE collection = ?1 AND cleared_s IS NULL AND NOT {} ORDER BY item",
            Acknowledgement::holds_at("?2")
        ))?;
        let items = statement.query_map(params![collection.0, now_s], |row| row.get::<_, i64>(0))?;
        let mut found = RoaringTreemap::new();
        for item in items {
            found.insert(item? as u64);
        }
        Ok(found)
    }

    /// The bytes of those items, as far as they are known and there.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn bytes_of_findings(&self, collection: CollectionId, now_s: i64) -> Result<u64> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT coalesce(sum(item.size), 0) FROM finding JOIN item ON item.id = finding.item
             WHERE collection = ?1 AND cleared_s IS NULL AND verdict NOT IN (?3, ?4) AND NOT {}",
            Acknowledgement::holds_at("?2")
        ))?;
        let [missing, contradicted] =
            [Verdict::Missing, Verdict::Contradicted].map(|verdict| verdict.number());
        let asked = params![collection.0, now_s, missing, contradicted];
        Ok(statement.query_row(asked, |row| row.get::<_, i64>(0))?.max(0) as u64)
    }

    /// How many findings of a collection were found to be good again.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn recovered(&self, collection: CollectionId) -> Result<u64> {
        let count: i64 = self.connection.query_row(
            "SELECT count(*) FROM finding WHERE collection = ?1 AND cleared_s IS NOT NULL",
            [collection.0],
            |row| row.get(0),
        )?;
        Ok(count as u64)
    }

    /// What happened to a file, in the order in which it did.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn events(&self, item: ItemId) -> Result<Vec<Event>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT at_s, actor, run, what, reason, other, detail FROM event WHERE item = ?1 ORDER BY id",
        )?;
        let mut rows = statement.query([item.0])?;
        let mut events = Vec::new();
        while let Some(row) = rows.next()? {
            let other: Option<i64> = row.get("other")?;
            events.push(Event {
                at_s: row.get("at_s")?,
                actor: row.get("actor")?,
                run: row.get::<_, Option<i64>>("run")?.map(RunId),
                what: row.get("what")?,
                reason: row.get("reason")?,
                other: other.map(|other| path_of(&self.connection, ItemId(other))).transpose()?,
                detail: row.get("detail")?,
            });
        }
        Ok(events)
    }
}

pub(crate) fn finding_of(row: &SqlRow<'_>, collection: &Collection) -> Result<Finding> {
    let again: Option<Vec<u8>> = row.get(10)?;
    let content = content_of(row, 5, collection)?;
    let known = match (row.get::<_, Option<String>>(14)?, row.get::<_, Option<i64>>(16)?) {
        (Some(by), Some(at_s)) => Some(Acknowledgement {
            by,
            reason: row.get::<_, Option<String>>(15)?.unwrap_or_default(),
            at_s,
            until_s: row.get(17)?,
        }),
        _ => None,
    };
    Ok(Finding {
        item: ItemId(row.get(0)?),
        verdict: Verdict::of_number(row.get(1)?)?,
        run: RunId(row.get(2)?),
        since_s: row.get(3)?,
        seen_s: row.get(4)?,
        seen: Seen {
            content,
            again: again_of(collection, &again.unwrap_or_default())?,
            reading: row.get::<_, Option<i64>>(11)?.map(ReadingKind::of_number).transpose()?,
            detail: row.get(12)?,
            version: row.get(19)?,
            cause: row.get::<_, Option<i64>>(20)?.map(Cause::of_number).transpose()?,
        },
        cleared_s: row.get(13)?,
        known,
        stint: StintId(row.get(18)?),
        before: before_of(row, 21, collection)?,
    })
}

/// What stood before, by columns that begin at one of a row.
fn before_of(row: &SqlRow<'_>, first: usize, collection: &Collection) -> Result<Option<Before>> {
    let (was, digests): (Option<i64>, Option<Vec<u8>>) = (row.get(first)?, row.get(first + 2)?);
    let Some((was, digests)) = was.zip(digests) else { return Ok(None) };
    Ok(Some(Before {
        verdict: Verdict::of_number(was)?,
        cause: row.get::<_, Option<i64>>(first + 1)?.map(Cause::of_number).transpose()?,
        digests: digests_of(&collection.terms.algorithms, &digests)?,
    }))
}

/// A content whose columns begin at one of a row.
pub(crate) fn content_of(row: &SqlRow<'_>, first: usize, collection: &Collection) -> Result<Content> {
    let digests: Option<Vec<u8>> = row.get(first + 4)?;
    Ok(Content {
        size: row.get::<_, Option<i64>>(first)?.map(|size| size as u64),
        modified: row.get::<_, Option<i64>>(first + 1)?.map(time_of),
        changed: row.get::<_, Option<i64>>(first + 2)?.map(time_of),
        inode: row.get::<_, Option<i64>>(first + 3)?.map(|inode| inode as u64),
        digests: digests_of(&collection.terms.algorithms, &digests.unwrap_or_default())?,
    })
}

/// The digests of several readings, one after the other.
fn again_of(collection: &Collection, blob: &[u8]) -> Result<Vec<Digest>> {
    let algorithms = &collection.terms.algorithms;
    let length: usize = algorithms.iter().map(|algorithm| algorithm.length()).sum();
    let mut digests = Vec::new();
    for reading in blob.chunks(length.max(1)) {
        digests.extend(digests_of(algorithms, reading)?);
    }
    Ok(digests)
}

/// How the history of a file says that somebody has accepted it.
pub const ACCEPTED: &str = "accepted";

/// How the history of a file says that it has the name again under which it was accepted.
pub const BACK: &str = "back";

/// How the history of a file says that it is gone, and nobody misses it.
pub const GONE: &str = "gone";

/// How the history of a file says that a filter leaves it out.
pub const LEFT_OUT: &str = "ignored";

/// Findings that a content differs or could not be read: what was said so says nothing new.
pub const OF_CONTENT: [Verdict; 8] = [
    Verdict::Changed,
    Verdict::Collision,
    Verdict::Unreadable,
    Verdict::Unstable,
    Verdict::Suspect,
    Verdict::Corrupt,
    Verdict::Misread,
    Verdict::UnstableMedium,
];

impl Reader {
    /// What stands against an item.
    pub(crate) fn standing_verdict(&self, item: ItemId) -> Result<Option<Verdict>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT verdict FROM finding WHERE item = ?1 AND cleared_s IS NULL")?;
        let verdict: Option<i64> = statement.query_row([item.0], |row| row.get(0)).optional()?;
        verdict.map(Verdict::of_number).transpose()
    }

    /// What happened to a file last of these things, and whether that names another file.
    fn last_of<const N: usize>(&self, item: ItemId, things: [&str; N]) -> Result<Option<(String, bool)>> {
        let places = ["?"; N].join(", ");
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT what, other IS NOT NULL FROM event WHERE what IN ({places}) AND item = ? ORDER BY id DESC LIMIT 1"
        ))?;
        let of = things.iter().map(|thing| thing as &dyn ToSql).chain([&item.0 as &dyn ToSql]);
        let last = statement.query_row(params_from_iter(of), |row| Ok((row.get(0)?, row.get(1)?)));
        Ok(last.optional()?)
    }

    /// Whether a file came under its name by a move that nobody has accepted, as its history shows: a move that is a finding has no other item there.
    pub(crate) fn was_moved(&self, item: ItemId) -> Result<bool> {
        let [moved, away, new] = [Verdict::Moved, Verdict::MovedAway, Verdict::New].map(Verdict::name);
        let last = self.last_of(item, [moved, away, new, GONE])?;
        Ok(last.is_some_and(|(what, has_other)| what == moved && !has_other))
    }

    /// Whether the file that came last under a name was found to be a copy of another one.
    pub(crate) fn was_copied(&self, item: ItemId) -> Result<bool> {
        let [moved, copied, away, new] =
            [Verdict::Moved, Verdict::Copied, Verdict::MovedAway, Verdict::New].map(Verdict::name);
        let last = self.last_of(item, [moved, copied, away, new, GONE])?;
        Ok(last.is_some_and(|(what, _)| what == copied))
    }

    /// Whether the file that came last under a name was there from the first, or was accepted, be it by a policy.
    pub(crate) fn was_accepted(&self, item: ItemId) -> Result<bool> {
        let [moved, new] = [Verdict::Moved, Verdict::New].map(Verdict::name);
        let last = self.last_of(item, [ACCEPTED, BACK, moved, new])?;
        Ok(last.is_none_or(|(what, has_other)| has_other || [ACCEPTED, BACK].contains(&what.as_str())))
    }

    /// Whether a file looks as it did when what stands against its content was last seen, but for the time of the last change, which backups move. That
    /// it was missing or could not be read says nothing of how it looked.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn looks_as_found(&self, item: ItemId, seen: &Content) -> Result<bool> {
        let (size, inode) = (seen.size.map(|size| size as i64), seen.inode.map(|inode| inode as i64));
        let mut statement = self.connection.prepare_cached(
            "SELECT verdict FROM finding WHERE item = ?1 AND cleared_s IS NULL
         AND size IS ?2 AND mtime_ns IS ?3 AND inode IS ?4",
        )?;
        let looks = params![item.0, size, seen.modified.map(nanos_of), inode];
        let verdict: Option<i64> = statement.query_row(looks, |row| row.get(0)).optional()?;
        let verdict = verdict.map(Verdict::of_number).transpose()?;
        Ok(verdict.is_some_and(|verdict| {
            verdict == Verdict::Touched || verdict != Verdict::Suspect && OF_MEDIUM.contains(&verdict)
        }))
    }

    /// Whether somebody would miss a file that nobody has accepted: its content was accepted under another name, or it was found to differ, or was when
    /// it was lost.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn would_be_missed(&self, item: ItemId) -> Result<bool> {
        let verdict = self.standing_verdict(item)?;
        let is_told = |verdict| verdict == Verdict::Missing || OF_MEDIUM.contains(&verdict);
        Ok(verdict.is_some_and(is_told) || self.was_moved(item)?)
    }

    /// Whether it was said of an item that its content differs, and still is said.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn is_said_to_differ(&self, item: ItemId) -> Result<bool> {
        let verdict = self.standing_verdict(item)?;
        Ok(verdict.is_some_and(|verdict| OF_CONTENT.contains(&verdict)))
    }

    /// Items of a collection that nobody expects any more and against which something stands.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn findings_of_retired(&self, collection: CollectionId) -> Result<RoaringTreemap> {
        let mut statement = self.connection.prepare_cached(
            "SELECT finding.item FROM finding JOIN item ON item.id = finding.item
         WHERE finding.collection = ?1 AND cleared_s IS NULL AND state = ?2",
        )?;
        let retired = statement
            .query_map(params![collection.0, State::Retired.number()], |row| row.get::<_, i64>(0))?;
        retired.map(|item| Ok(item? as u64)).collect()
    }

    /// Whether it was said of an item that it is missing, and still is said.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn is_said_to_be_missing(&self, item: ItemId) -> Result<bool> {
        Ok(self.standing_verdict(item)? == Some(Verdict::Missing))
    }
}
