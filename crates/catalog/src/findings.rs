//! What stands against files, and what happened to them.

use std::collections::HashMap;

use hashlane_digest::Digest;
use roaring::RoaringTreemap;
use rusqlite::{Connection, OptionalExtension as _, Row as SqlRow, params};

use crate::batch::{Batch, Row};
use crate::catalog::Catalog;
use crate::collections::{Collection, CollectionId};
use crate::error::{Error, Result};
use crate::items::{Content, ItemId, blob_of, digests_of, path_of, time_of};
use crate::runs::{RunId, StintId};
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
    pub(crate) stint: StintId,
    /// What was there instead of what is known.
    pub seen: Seen,
    /// When it was found to be good again, in seconds since 1970.
    pub cleared_s: Option<i64>,
    /// Who knows of it, so that it alarms nobody.
    pub known: Option<Acknowledgement>,
}

impl Finding {
    /// Whether it is a suspect that was read again in vain: its detail says why.
    pub(crate) fn was_tried(&self) -> bool {
        self.verdict == Verdict::Suspect && !self.seen.detail.is_empty()
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
    /// What else is to be told: the likely cause, what the system said.
    pub detail: String,
    /// Which version of an object that is, by the name that its store has for it.
    pub version: Option<Box<str>>,
    /// How it came about, if more is known of that than the verdict says.
    pub cause: Option<Cause>,
}

/// How a finding came about, as far as the audit has tested it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// It had bytes, and has none.
    Emptied,
    /// Its time is earlier than that of what is known: an older version has come back.
    Older,
    /// It has the content of another file, which has this one's.
    Swapped,
    /// Another file has taken its place since it was read, and this is the first reading of that.
    Replaced,
    /// Something stands against it, and it has neither the content that is known nor the one that was found.
    Restored,
    /// It was written to when it had been read once and differed.
    Suspected,
    /// It may be appended to, and something else has happened to it.
    NotAppended,
    /// The same, and a compressed file that is new lies beside it.
    Compressed,
    /// It is new, and has the content that stands as damaged against another file.
    CopyOfDamage,
    /// It has a new name, and what it contains is not what it contained under the old one.
    Renamed,
}

impl Cause {
    /// All of them, by number from 1 on. Numbers are never used again.
    pub const ALL: [Self; 10] = [
        Self::Emptied,
        Self::Older,
        Self::Swapped,
        Self::Replaced,
        Self::Restored,
        Self::Suspected,
        Self::NotAppended,
        Self::Compressed,
        Self::CopyOfDamage,
        Self::Renamed,
    ];

    /// What programs call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Emptied => "emptied",
            Self::Older => "older",
            Self::Swapped => "swapped",
            Self::Replaced => "replaced",
            Self::Restored => "restored",
            Self::Suspected => "suspected",
            Self::NotAppended => "not-appended",
            Self::Compressed => "compressed",
            Self::CopyOfDamage => "copy-of-damage",
            Self::Renamed => "renamed",
        }
    }

    /// Whether a policy that accepts a change accepts this one. Of the others nobody knows what the change was.
    pub(crate) fn may_be_accepted(self) -> bool {
        matches!(self, Self::Emptied | Self::Older | Self::Swapped | Self::Restored)
    }

    fn number(self) -> i64 {
        Self::ALL.iter().position(|cause| *cause == self).map_or(0, |place| place as i64 + 1)
    }

    fn of_number(number: i64) -> Result<Self> {
        let place = usize::try_from(number - 1).ok();
        let found = place.and_then(|place| Self::ALL.get(place)).copied();
        found.ok_or_else(|| Error::Damaged { what: format!("{number} is not a cause of a finding") })
    }
}

impl Seen {
    /// Whether it has another size than the known one, if both are known.
    pub fn has_other_size(&self, known: &Content) -> bool {
        self.content.size.zip(known.size).is_some_and(|(seen, known)| seen != known)
    }

    /// Whether it was last written to at another time than the known one, if both are known; another form of the same time counts, too.
    pub fn has_other_time(&self, known: &Content) -> bool {
        self.content.modified.zip(known.modified).is_some_and(|(seen, known)| seen != known)
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
    /// Whether it holds at a time, in seconds since 1970.
    pub fn holds(&self, now_s: i64) -> bool {
        self.until_s.is_none_or(|until| now_s < until)
    }
}

/// Files with the contents that are known of them, by those that they have now.
pub(crate) type ByContent = HashMap<Vec<Digest>, (ItemId, Vec<Digest>)>;

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
    /// What else is to be told.
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

impl Batch<'_> {
    /// Records what stands against a file. `true`: it is said for the first time, of this content.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn put_finding(&mut self, item: ItemId, verdict: Verdict, seen: &Seen, now_s: i64) -> Result<bool> {
        let row = Row::of(&seen.content);
        let (again, reading) = (blob_of(&seen.again), seen.reading.map(ReadingKind::number));
        let mut same = self.transaction.prepare_cached(
            "UPDATE finding SET seen_s = ?3, again = coalesce(?7, again), reading = coalesce(?8, reading), stint = ?9,
             ctime_ns = coalesce(?10, ctime_ns), inode = coalesce(?11, inode), version = coalesce(?12, version)
             WHERE item = ?1 AND verdict = ?2 AND cleared_s IS NULL AND size IS ?4 AND mtime_ns IS ?5 AND digests IS ?6",
        )?;
        let changed = same.execute(params![
            item.0,
            verdict.number(),
            now_s,
            row.size,
            row.mtime_ns,
            row.digests,
            again,
            reading,
            self.stint.id.0,
            row.ctime_ns,
            row.inode,
            seen.version
        ])?;
        if changed > 0 {
            return Ok(false);
        }
        // What is known of its medium weighs more than that it could not be read this time.
        let is_weaker = matches!(verdict, Verdict::Unreadable | Verdict::Unstable | Verdict::Touched);
        if is_weaker && self.is_of_medium(item)? {
            return Ok(false);
        }
        // Whatever was said of another content, or known of it, is of no use for this one.
        let mut put = self.transaction.prepare_cached(
            "INSERT OR REPLACE INTO finding
             (item, collection, verdict, run, since_s, seen_s, size, mtime_ns, ctime_ns, inode, digests, again, reading, detail, stint,
                 version, cause)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
        )?;
        put.execute(params![
            item.0,
            self.collection.0,
            verdict.number(),
            self.stint.run.0,
            now_s,
            row.size,
            row.mtime_ns,
            row.ctime_ns,
            row.inode,
            row.digests,
            again,
            reading,
            seen.detail,
            self.stint.id.0,
            seen.version,
            seen.cause.map(Cause::number)
        ])?;
        // A suspicion is on its way to become one thing or the other, and nothing that happened.
        if verdict != Verdict::Suspect {
            self.happened(item, verdict.name_in_collection(), None, &seen.detail, now_s)?;
        }
        Ok(true)
    }

    /// Records that a content differs and is to be read again. Returns what stands on instead, and whether that is to be said anew: this very
    /// content was found before, or the file was damaged and has yet another content.
    pub(crate) fn put_suspicion(
        &mut self,
        collection: &Collection,
        item: ItemId,
        seen: &Seen,
        now_s: i64,
    ) -> Result<Option<(Verdict, bool)>> {
        let row = Row::of(&seen.content);
        let mut same = self.transaction.prepare_cached(
            "UPDATE finding SET seen_s = ?3, ctime_ns = ?5, inode = ?6, stint = ?7, mtime_ns = ?8
             WHERE item = ?1 AND verdict = ?2 AND cleared_s IS NULL AND digests = ?4",
        )?;
        for verdict in [Verdict::Corrupt, Verdict::Collision, Verdict::Changed] {
            let stands = same.execute(params![
                item.0,
                verdict.number(),
                now_s,
                row.digests,
                row.ctime_ns,
                row.inode,
                self.stint.id.0,
                row.mtime_ns
            ])?;
            if stands > 0 {
                return Ok(Some((verdict, false)));
            }
        }
        drop(same);
        let stands = self.stands(collection, item)?.map(|finding| finding.verdict);
        if let Some(verdict @ (Verdict::Corrupt | Verdict::Collision)) = stands {
            self.stands_on(item, seen, now_s)?;
            return Ok(Some((verdict, true)));
        }
        self.put_finding(item, Verdict::Suspect, seen, now_s)?;
        Ok(None)
    }

    /// Takes note that a suspect was read again in vain, and why: of those, it is the last one to be tried by the next audit.
    pub(crate) fn tried_again(&self, item: ItemId, detail: &str) -> Result<()> {
        let mut statement = self.transaction.prepare_cached(
            "UPDATE finding SET stint = ?2, detail = ?4 WHERE item = ?1 AND verdict = ?3 AND cleared_s IS NULL",
        )?;
        statement.execute(params![item.0, self.stint.id.0, Verdict::Suspect.number(), detail])?;
        Ok(())
    }

    /// Whether what stands against a file is about how its medium was read.
    pub(crate) fn is_of_medium(&self, item: ItemId) -> Result<bool> {
        let mut statement = self
            .transaction
            .prepare_cached("SELECT verdict FROM finding WHERE item = ?1 AND cleared_s IS NULL")?;
        let verdict: Option<i64> = statement.query_row([item.0], |row| row.get(0)).optional()?;
        let verdict = verdict.map(Verdict::of_number).transpose()?;
        Ok(verdict.is_some_and(|verdict| OF_MEDIUM.contains(&verdict)))
    }

    /// What stands against an item.
    pub(crate) fn stands(&self, collection: &Collection, item: ItemId) -> Result<Option<Finding>> {
        Ok(find(&self.transaction, collection, item)?.filter(|finding| finding.cleared_s.is_none()))
    }

    /// Takes note that something stands on against an item, though its content is yet another one. Who knew of the former content does not know
    /// of this one.
    pub(crate) fn stands_on(&self, item: ItemId, seen: &Seen, now_s: i64) -> Result<()> {
        self.saw_again(item, seen, now_s)?;
        let digests = blob_of(&seen.content.digests);
        let mut statement = self.transaction.prepare_cached(
            "UPDATE finding SET digests = ?2, again = NULL, reading = ?3, detail = ?4, cause = ?5,
             known_by = NULL, known_reason = NULL, known_s = NULL, known_until_s = NULL
             WHERE item = ?1 AND cleared_s IS NULL",
        )?;
        statement.execute(params![
            item.0,
            digests,
            seen.reading.map(ReadingKind::number),
            seen.detail,
            seen.cause.map(Cause::number)
        ])?;
        Ok(())
    }

    /// Hands what stands against an item on to another one: the same file, by another name. `verdict`: what it is there, and `seen`: why.
    pub(crate) fn hand_on(&self, from: ItemId, to: ItemId, verdict: Verdict, seen: &Seen) -> Result<()> {
        let mut statement = self.transaction.prepare_cached(
            "UPDATE finding SET item = ?2, verdict = ?3, cause = ?4, detail = ?5 WHERE item = ?1",
        )?;
        let cause = seen.cause.map(Cause::number);
        // What it recovered from, when it had that name before, is nothing of this file.
        self.transaction.prepare_cached("DELETE FROM finding WHERE item = ?1")?.execute([to.0])?;
        statement.execute(params![from.0, to.0, verdict.number(), cause, seen.detail])?;
        Ok(())
    }

    /// Takes note that the content that something stands against is there again, under another time: who decides on it decides on the file
    /// as it is now.
    pub(crate) fn saw_again(&self, item: ItemId, seen: &Seen, now_s: i64) -> Result<()> {
        let row = Row::of(&seen.content);
        let mut statement = self.transaction.prepare_cached(
            "UPDATE finding SET seen_s = ?2, size = ?3, mtime_ns = ?4, ctime_ns = ?5, inode = ?6, stint = ?7,
             version = coalesce(?8, version)
             WHERE item = ?1 AND cleared_s IS NULL",
        )?;
        statement.execute(params![
            item.0,
            now_s,
            row.size,
            row.mtime_ns,
            row.ctime_ns,
            row.inode,
            self.stint.id.0,
            seen.version
        ])?;
        Ok(())
    }

    /// Keeps what was found of a file until it is known whether the run is held.
    pub(crate) fn withhold(
        &mut self,
        item: ItemId,
        verdict: Verdict,
        seen: &Seen,
        stint: StintId,
    ) -> Result<()> {
        let row = Row::of(&seen.content);
        let mut statement = self.transaction.prepare_cached(
            "INSERT OR REPLACE INTO withheld (item, run, verdict, size, mtime_ns, ctime_ns, inode, digests, reading, detail, stint, version)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?;
        statement.execute(params![
            item.0,
            self.stint.run.0,
            verdict.number(),
            row.size,
            row.mtime_ns,
            row.ctime_ns,
            row.inode,
            row.digests,
            seen.reading.map(ReadingKind::number),
            seen.detail,
            stint.0,
            seen.version
        ])?;
        Ok(())
    }

    /// Takes so many files out that were withheld in the run.
    pub(crate) fn take_withheld(
        &mut self,
        collection: &Collection,
        most: usize,
    ) -> Result<Vec<(ItemId, Verdict, Seen, StintId)>> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT item, verdict, size, mtime_ns, ctime_ns, inode, digests, reading, detail, stint, version FROM withheld
             WHERE run = ?1 ORDER BY item LIMIT ?2",
        )?;
        let mut rows = statement.query(params![self.stint.run.0, most as i64])?;
        let mut withheld = Vec::new();
        while let Some(row) = rows.next()? {
            let seen = Seen {
                content: content_of(row, 2, collection)?,
                again: Vec::new(),
                reading: row.get::<_, Option<i64>>(7)?.map(ReadingKind::of_number).transpose()?,
                detail: row.get(8)?,
                version: row.get(10)?,
                cause: None,
            };
            let verdict = Verdict::of_number(row.get(1)?)?;
            withheld.push((ItemId(row.get(0)?), verdict, seen, StintId(row.get(9)?)));
        }
        let mut delete = self.transaction.prepare_cached("DELETE FROM withheld WHERE item = ?1")?;
        for (item, ..) in &withheld {
            delete.execute([item.0])?;
        }
        Ok(withheld)
    }

    /// Where an item lies: its path below the root.
    pub(crate) fn path_of(&self, item: ItemId) -> Result<Vec<u8>> {
        path_of(&self.transaction, item)
    }

    /// Records that a file is good again. `true`: something stood against it.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn clear_finding(&mut self, item: ItemId, now_s: i64) -> Result<bool> {
        self.clear_by(item, None, now_s)
    }

    /// The same, by a reading of which it is known where its bytes came from.
    pub(crate) fn clear_by(
        &mut self,
        item: ItemId,
        reading: Option<ReadingKind>,
        now_s: i64,
    ) -> Result<bool> {
        let mut statement = self
            .transaction
            .prepare_cached("SELECT verdict FROM finding WHERE item = ?1 AND cleared_s IS NULL")?;
        let verdict: Option<i64> = statement.query_row([item.0], |row| row.get(0)).optional()?;
        drop(statement);
        let Some(verdict) = verdict.map(Verdict::of_number).transpose()? else { return Ok(false) };
        // What was read of a tree says nothing of the copy at the provider.
        let stands_of_copy = !self.is_in_store()? && self.is_contradicted(item)?;
        match verdict {
            Verdict::Contradicted if stands_of_copy => return Ok(false),
            Verdict::Contradicted | Verdict::Suspect => self.drop_finding(item)?,
            _ => {
                let mut clear =
                    self.transaction.prepare_cached("UPDATE finding SET cleared_s = ?2 WHERE item = ?1")?;
                clear.execute(params![item.0, now_s])?;
                self.happened(item, "recovered", None, "", now_s)?;
            }
        }
        if stands_of_copy {
            self.contradict_again(item, now_s)?;
        } else if self.settle_by(item, reading, now_s)? {
            // Between its word and this reading there is nothing left to decide.
        } else if verdict == Verdict::Contradicted {
            self.happened(item, "recovered", None, "the file is of a later version now", now_s)?;
        }
        Ok(true)
    }

    /// A file was read, and has the content that is known of it: what a provider says against it is not so, if it is about this copy.
    /// Whether one has said something.
    pub(crate) fn settle_by(
        &mut self,
        item: ItemId,
        reading: Option<ReadingKind>,
        now_s: i64,
    ) -> Result<bool> {
        let is_of_former_place = self.is_of_former_place(item)?;
        if !self.is_in_store()? || !self.settle(item)? {
            return Ok(false);
        }
        let reading = reading.unwrap_or(ReadingKind::Unknown).words();
        // Of the object there, this reading says nothing.
        let (what, detail) = match is_of_former_place {
            true => (
                "withdrawn",
                format!("read here {reading}, and intact: what the provider said is about its former place"),
            ),
            false => {
                ("settled", format!("read here {reading}, and intact: what the provider said is not so"))
            }
        };
        self.happened(item, what, None, &detail, now_s)?;
        Ok(true)
    }

    /// Records that nobody has accepted a file that is there, unless something like it stands already. Returns what stands.
    pub(crate) fn keep_unaccepted(&mut self, item: ItemId, seen: &Seen, now_s: i64) -> Result<Verdict> {
        let mut statement = self
            .transaction
            .prepare_cached("SELECT verdict FROM finding WHERE item = ?1 AND cleared_s IS NULL")?;
        let verdict: Option<i64> = statement.query_row([item.0], |row| row.get(0)).optional()?;
        drop(statement);
        match verdict.map(Verdict::of_number).transpose()? {
            Some(stands @ (Verdict::New | Verdict::Moved | Verdict::Copied)) => {
                self.put_finding(item, stands, seen, now_s)?;
                Ok(stands)
            }
            _ => self.put_finding(item, Verdict::New, seen, now_s).map(|_| Verdict::New),
        }
    }

    /// Makes another finding of one that stands. `false`: none of that verdict does.
    pub(crate) fn change_finding(&self, item: ItemId, from: Verdict, to: Verdict) -> Result<bool> {
        let mut statement = self.transaction.prepare_cached(
            "UPDATE finding SET verdict = ?3 WHERE item = ?1 AND verdict = ?2 AND cleared_s IS NULL",
        )?;
        Ok(statement.execute(params![item.0, from.number(), to.number()])? > 0)
    }

    /// Forgets what stands against a file: it is what it is meant to be now.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn drop_finding(&mut self, item: ItemId) -> Result<()> {
        let mut statement = self.transaction.prepare_cached("DELETE FROM finding WHERE item = ?1")?;
        statement.execute([item.0])?;
        Ok(())
    }

    /// Forgets findings of the collection that were good again before a time.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn forget_recovered(&mut self, before_s: i64) -> Result<()> {
        self.transaction.execute(
            "DELETE FROM finding WHERE collection = ?1 AND cleared_s < ?2",
            params![self.collection.0, before_s],
        )?;
        Ok(())
    }

    /// Records that something happened to a file.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn happened(
        &self,
        item: ItemId,
        what: &str,
        other: Option<ItemId>,
        detail: &str,
        now_s: i64,
    ) -> Result<()> {
        let mut statement = self.transaction.prepare_cached(
            "INSERT INTO event (collection, item, run, at_s, actor, what, other, detail)
             SELECT ?1, ?2, id, ?4, actor, ?5, ?6, ?7 FROM run WHERE id = ?3",
        )?;
        statement.execute(params![
            self.collection.0,
            item.0,
            self.stint.run.0,
            now_s,
            what,
            other.map(|other| other.0),
            detail
        ])?;
        Ok(())
    }
}

/// Findings that a content is not the known one: only the medium can say that it is good again.
pub(crate) const OF_MEDIUM: [Verdict; 6] = [
    Verdict::Suspect,
    Verdict::Corrupt,
    Verdict::Collision,
    Verdict::Misread,
    Verdict::UnstableMedium,
    Verdict::Changed,
];

const FINDING: &str =
    "SELECT item, verdict, run, since_s, seen_s, size, mtime_ns, ctime_ns, inode, digests, again, reading,
     detail, cleared_s, known_by, known_reason, known_s, known_until_s, stint, version, cause FROM finding";

impl Catalog {
    /// What stands against a file, or did until lately.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn finding(&self, collection: &Collection, item: ItemId) -> Result<Option<Finding>> {
        find(&self.connection, collection, item)
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
        let mut statement = self.connection.prepare_cached(
            "SELECT verdict, count(*), count(CASE WHEN known_s IS NOT NULL AND coalesce(known_until_s, ?2 + 1) > ?2 THEN 1 END)
             FROM finding WHERE collection = ?1 AND cleared_s IS NULL GROUP BY verdict",
        )?;
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
    pub(crate) fn standing_items(
        &self,
        collection: CollectionId,
        verdicts: &[Verdict],
    ) -> Result<RoaringTreemap> {
        let mut statement = self.connection.prepare_cached(
            "SELECT item, verdict FROM finding WHERE collection = ?1 AND cleared_s IS NULL ORDER BY verdict, item",
        )?;
        let mut rows = statement.query([collection.0])?;
        let mut items = RoaringTreemap::new();
        while let Some(row) = rows.next()? {
            let verdict = Verdict::of_number(row.get(1)?)?;
            if verdicts.is_empty() || verdicts.contains(&verdict) {
                items.insert(row.get::<_, i64>(0)? as u64);
            }
        }
        Ok(items)
    }

    /// Contents that stand as damaged against items of a collection, by their digests. Empty ones are all alike.
    pub(crate) fn damage(&self, collection: &Collection) -> Result<HashMap<Vec<Digest>, ItemId>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT item, digests FROM finding WHERE collection = ?1 AND cleared_s IS NULL AND verdict IN (?2, ?3, ?4)
             AND size > 0 AND digests IS NOT NULL",
        )?;
        let [corrupt, missing, suspect] =
            [Verdict::Corrupt, Verdict::Missing, Verdict::Suspect].map(|verdict| verdict.number());
        let mut rows = statement.query(params![collection.id.0, corrupt, missing, suspect])?;
        let mut damage = HashMap::new();
        while let Some(row) = rows.next()? {
            let digests: Vec<u8> = row.get(1)?;
            damage.insert(digests_of(&collection.terms.algorithms, &digests)?, ItemId(row.get(0)?));
        }
        Ok(damage)
    }

    /// Files of a run that were found to have changed and are withheld, with the contents that are known of them, by those that they have now; none where there are more than so
    /// many.
    pub(crate) fn changed_contents(
        &self,
        collection: &Collection,
        run: RunId,
        most: usize,
    ) -> Result<ByContent> {
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

    /// The items of a collection that differ and were not read again, and the stints that have seen them last: those that wait for
    /// longest first, and of those the smallest.
    pub(crate) fn suspects(&self, collection: CollectionId) -> Result<Vec<(ItemId, StintId)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT item, stint FROM finding WHERE collection = ?1 AND verdict = ?2 AND cleared_s IS NULL
             ORDER BY stint, size, item",
        )?;
        let suspects = statement.query_map(params![collection.0, Verdict::Suspect.number()], |row| {
            Ok((ItemId(row.get(0)?), StintId(row.get(1)?)))
        })?;
        Ok(suspects.collect::<rusqlite::Result<_>>()?)
    }

    /// The items of a collection against which something stands that nobody knows of at a time.
    pub(crate) fn unknown_findings(&self, collection: CollectionId, now_s: i64) -> Result<RoaringTreemap> {
        let mut statement = self.connection.prepare_cached(
            "SELECT item FROM finding WHERE collection = ?1 AND cleared_s IS NULL
             AND (known_s IS NULL OR coalesce(known_until_s, ?2 + 1) <= ?2) ORDER BY item",
        )?;
        let items = statement.query_map(params![collection.0, now_s], |row| row.get::<_, i64>(0))?;
        let mut found = RoaringTreemap::new();
        for item in items {
            found.insert(item? as u64);
        }
        Ok(found)
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
            let other: Option<i64> = row.get(5)?;
            events.push(Event {
                at_s: row.get(0)?,
                actor: row.get(1)?,
                run: row.get::<_, Option<i64>>(2)?.map(RunId),
                what: row.get(3)?,
                reason: row.get(4)?,
                other: other.map(|other| path_of(&self.connection, ItemId(other))).transpose()?,
                detail: row.get(6)?,
            });
        }
        Ok(events)
    }
}

/// What stands against an item, or did until lately.
pub(crate) fn find(
    connection: &Connection,
    collection: &Collection,
    item: ItemId,
) -> Result<Option<Finding>> {
    let mut statement = connection.prepare_cached(&format!("{FINDING} WHERE item = ?1"))?;
    let mut rows = statement.query([item.0])?;
    rows.next()?.map(|row| finding_of(row, collection)).transpose()
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
    })
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

/// Findings that a content differs or could not be read: what was said so says nothing new.
pub(crate) const OF_CONTENT: [Verdict; 8] = [
    Verdict::Changed,
    Verdict::Collision,
    Verdict::Unreadable,
    Verdict::Unstable,
    Verdict::Suspect,
    Verdict::Corrupt,
    Verdict::Misread,
    Verdict::UnstableMedium,
];

/// Whether it was said of an item that its content differs, and still is said.
pub(crate) fn is_said(connection: &Connection, item: ItemId) -> Result<bool> {
    let mut statement =
        connection.prepare_cached("SELECT verdict FROM finding WHERE item = ?1 AND cleared_s IS NULL")?;
    let verdict: Option<i64> = statement.query_row([item.0], |row| row.get(0)).optional()?;
    let verdict = verdict.map(Verdict::of_number).transpose()?;
    Ok(verdict.is_some_and(|verdict| OF_CONTENT.contains(&verdict)))
}

/// Whether it was said of an item that it is missing, and still is said.
pub(crate) fn is_missing(connection: &Connection, item: ItemId) -> Result<bool> {
    let mut statement = connection
        .prepare_cached("SELECT 1 FROM finding WHERE item = ?1 AND cleared_s IS NULL AND verdict = ?2")?;
    let missing = Verdict::Missing.number();
    Ok(statement.query_row(params![item.0, missing], |_| Ok(())).optional()?.is_some())
}
