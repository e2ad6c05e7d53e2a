//! What an audit or a person records of findings: how they begin, stand on, are handed on and end.

use hashlane_digest::Digest;
use rusqlite::{OptionalExtension as _, params};

use crate::batch::Batch;
use crate::causes::Cause;
use crate::collections::Collection;
use crate::error::Result;
use crate::events::{self, EventKind, Happening};
use crate::findings::{Finding, LEFT_OUT, OF_MEDIUM, Seen, UNREAD};
use crate::ids::{ItemId, RunId, StintId};
use crate::items::{Content, State, blob_of};
use crate::row::Row;
use crate::spans::ReadingKind;
use crate::verdict::{Numbered as _, Verdict};

/// The verdict, the cause and the digests of a finding.
type Columns = (Option<i64>, Option<i64>, Option<Vec<u8>>);

impl Batch<'_> {
    /// Records that what was found of an item is what is known of it from now on. `state`: what it is then; `stint`: which one has read it.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn take_content(
        &mut self,
        item: ItemId,
        seen: &Seen,
        (state, stint): (State, StintId),
    ) -> Result<()> {
        self.replace(item, &seen.content, state)?;
        self.put_read_version(item, seen.version.as_deref())?;
        // What has come in its place since that stint was not read by it.
        match self.replaced_in(item)?.is_some_and(|replaced| replaced > stint) {
            true => Ok(()),
            false => {
                let reading = match seen.reading {
                    // Nobody knows for how long.
                    Some(ReadingKind::InUse) => ReadingKind::Cache,
                    reading => reading.unwrap_or(ReadingKind::Unknown),
                };
                self.read_good_in(stint, item, item, reading)
            }
        }
    }

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
            self.looked_at(item)?;
            return Ok(false);
        }
        let (was, was_cause, was_digests) = match UNREAD.contains(&verdict) {
            true => self.found_before(item)?,
            false => (None, None, None),
        };
        // Whatever was said of another content, or known of it, is of no use for this one.
        let mut put = self.transaction.prepare_cached(
            "INSERT OR REPLACE INTO finding
             (item, collection, verdict, run, since_s, seen_s, size, mtime_ns, ctime_ns, inode, digests, again, reading, detail, stint,
                 version, cause, was, was_cause, was_digests)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
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
            seen.cause.map(Cause::number),
            was,
            was_cause,
            was_digests
        ])?;
        // A suspicion is on its way to become one thing or the other, and nothing that happened.
        if verdict != Verdict::Suspect {
            let told = (verdict.name_in_collection(), None, &seen.detail[..]);
            self.note(EventKind::Finding, item, told, now_s)?;
        }
        Ok(true)
    }

    /// Takes note that this stint has looked at a file against which something stands.
    fn looked_at(&self, item: ItemId) -> Result<()> {
        self.looked_at_in(item, self.stint.id)
    }

    /// The same of an earlier stint.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn looked_at_in(&self, item: ItemId, stint: StintId) -> Result<()> {
        let mut statement = self
            .transaction
            .prepare_cached("UPDATE finding SET stint = ?2 WHERE item = ?1 AND cleared_s IS NULL")?;
        statement.execute(params![item.0, stint.0])?;
        Ok(())
    }

    /// What was found of the content of an item, as columns of a finding: its verdict, its cause and its digests. When the file can be read
    /// again, it is known again.
    fn found_before(&self, item: ItemId) -> Result<Columns> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT verdict, cause, digests, was, was_cause, was_digests FROM finding WHERE item = ?1 AND cleared_s IS NULL",
        )?;
        let found = statement.query_row([item.0], |row| {
            let columns = |first| {
                Ok::<Columns, rusqlite::Error>((row.get(first)?, row.get(first + 1)?, row.get(first + 2)?))
            };
            Ok((columns(0)?, columns(3)?))
        });
        let Some((found, before)) = found.optional()? else { return Ok((None, None, None)) };
        let verdict = found.0.map(Verdict::of_number).transpose()?;
        Ok(match verdict {
            Some(verdict) if UNREAD.contains(&verdict) => before,
            Some(verdict) if OF_MEDIUM.contains(&verdict) && found.2.is_some() => found,
            _ => (None, None, None),
        })
    }

    /// Records that a content differs and is to be read again. Returns what stands on instead, and whether that is to be said anew: this very
    /// content was found before, or the file was damaged and has yet another content.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn put_suspicion(
        &mut self,
        collection: &Collection,
        item: ItemId,
        seen: &Seen,
        now_s: i64,
    ) -> Result<Option<(Verdict, bool)>> {
        let row = Row::of(&seen.content);
        // What was found under another time, and may have been an edit, is none under the time of what is known.
        let mut same = self.transaction.prepare_cached(
            "UPDATE finding SET seen_s = ?3, ctime_ns = ?5, inode = ?6, stint = ?7, mtime_ns = ?8,
                 detail = iif(cause IS ?9, '', detail), cause = nullif(cause, ?9)
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
                row.mtime_ns,
                Cause::Restored.number()
            ])?;
            if stands > 0 {
                return Ok(Some((verdict, false)));
            }
        }
        drop(same);
        let stands = self.stands(collection, item)?;
        if let Some(finding) = &stands
            && let verdict @ (Verdict::Corrupt | Verdict::Collision) = finding.verdict
        {
            self.stands_on(item, seen, now_s)?;
            return Ok(Some((verdict, true)));
        }
        // What was found before it was missing or could not be read is found again.
        if let Some(finding) = stands.filter(|finding| UNREAD.contains(&finding.verdict))
            && let Some(before) = finding.before
            && matches!(before.verdict, Verdict::Corrupt | Verdict::Collision)
            && before.digests == seen.content.digests
        {
            let cause = before.cause.filter(|cause| *cause != Cause::Restored);
            let seen = Seen { cause, ..seen.clone() };
            self.put_finding(item, before.verdict, &seen, now_s)?;
            return Ok(Some((before.verdict, true)));
        }
        self.put_finding(item, Verdict::Suspect, seen, now_s)?;
        Ok(None)
    }

    /// Takes note that a suspect was read again in vain, and why: of those, it is the last one to be tried by the next audit.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn tried_again(&self, item: ItemId, detail: &str) -> Result<()> {
        let mut statement = self.transaction.prepare_cached(
            "UPDATE finding SET stint = ?2, detail = ?4 WHERE item = ?1 AND verdict = ?3 AND cleared_s IS NULL",
        )?;
        statement.execute(params![item.0, self.stint.id.0, Verdict::Suspect.number(), detail])?;
        Ok(())
    }

    /// Whether what stands against a file is about how its medium was read.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn is_of_medium(&self, item: ItemId) -> Result<bool> {
        Ok(self.standing_verdict(item)?.is_some_and(|verdict| OF_MEDIUM.contains(&verdict)))
    }

    /// What stands against an item.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn stands(&self, collection: &Collection, item: ItemId) -> Result<Option<Finding>> {
        Ok(self.finding(collection, item)?.filter(|finding| finding.cleared_s.is_none()))
    }

    /// As what an item was read good in this stint, if it was: in a first audit what was not known is registered.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn read_as(&self, item: ItemId, is_first: bool) -> Result<Option<Verdict>> {
        if self.last_good(item)?.is_none_or(|span| span.stint != self.stint.id) {
            return Ok(None);
        }
        let mut statement = self.transaction.prepare_cached("SELECT run = ?2 FROM item WHERE id = ?1")?;
        let is_new: bool = statement.query_row(params![item.0, self.stint.run.0], |row| row.get(0))?;
        Ok(Some(if is_first && is_new { Verdict::Registered } else { Verdict::Ok }))
    }

    /// Takes note of what was found of a file that cannot be read now: when it can, it is known again.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn found_meanwhile(
        &self,
        item: ItemId,
        (was, cause): (Verdict, Cause),
        digests: &[Digest],
    ) -> Result<()> {
        let mut statement = self.transaction.prepare_cached(
            "UPDATE finding SET was = ?2, was_cause = ?3, was_digests = ?4 WHERE item = ?1 AND cleared_s IS NULL",
        )?;
        statement.execute(params![item.0, was.number(), cause.number(), blob_of(digests)])?;
        Ok(())
    }

    /// Takes note that damage has come here from another item. Its history shows from which, and what was known of that one is whole here, too.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn came_here(&self, item: ItemId, from: ItemId, now_s: i64) -> Result<()> {
        match self.came_from(item)? == Some(from) {
            true => Ok(()),
            false => self.happened(item, Verdict::Copied.name(), Some(from), "", now_s),
        }
    }

    /// The item from which the file that lies here came last, if it was moved or copied.
    fn came_from(&self, item: ItemId) -> Result<Option<ItemId>> {
        Ok(self.came_before(item, i64::MAX)?.map(|(from, ..)| from))
    }

    /// The same before an event: from which item, in which run, and by which event.
    fn came_before(&self, item: ItemId, event: i64) -> Result<Option<(ItemId, RunId, i64)>> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT other, run, id FROM event WHERE item = ?1 AND id < ?2 AND what IN (?3, ?4)
             AND other IS NOT NULL AND run IS NOT NULL ORDER BY id DESC LIMIT 1",
        )?;
        let (copied, moved) = (Verdict::Copied.name(), Verdict::Moved.name());
        let came = statement.query_row(params![item.0, event, copied, moved], |row| {
            Ok((ItemId(row.get("other")?), RunId(row.get("run")?), row.get("id")?))
        });
        Ok(came.optional()?)
    }

    /// Whether one of the items from which the damaged file of a finding came had a content when it did, as far as that is known: also where it
    /// has come back to a name that it had before.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn had_content_before(&self, finding: &Finding, content: &Content) -> Result<bool> {
        let (mut item, mut run, mut event) = (finding.item, Some(finding.run), i64::MAX);
        while let Some((from, came_in, by)) = self.came_before(item, event)? {
            if self.had_content(from, content, run.take().unwrap_or(came_in))? {
                return Ok(true);
            }
            (item, event) = (from, by);
        }
        Ok(false)
    }

    /// The item under whose name the file lies that was accepted under the name of this one: nobody has accepted it there, nor under any name
    /// that it had in between.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn unaccepted_elsewhere(&self, collection: &Collection, item: ItemId) -> Result<Option<ItemId>> {
        /// More names than a file gets before somebody accepts one of them.
        const MOST_MOVES: usize = 100;

        if !self.was_accepted(item)? {
            return Ok(None);
        }
        let mut present = item;
        for _ in 0..MOST_MOVES {
            let next = self.moved_to(present)?;
            let Some(next) = next.filter(|next| *next != item) else { break };
            if self.was_accepted(next)? {
                break;
            }
            if self.item(collection, next)?.state == State::Unaccepted {
                return Ok(Some(next));
            }
            present = next;
        }
        Ok(None)
    }

    /// In which run it was found that a filter leaves an item out, the last time.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn left_out_in(&self, item: ItemId) -> Result<Option<RunId>> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT run FROM event WHERE item = ?1 AND what = ?2 AND run IS NOT NULL ORDER BY id DESC LIMIT 1",
        )?;
        Ok(statement.query_row(params![item.0, LEFT_OUT], |row| row.get(0).map(RunId)).optional()?)
    }

    /// Takes note that the content of a moved file is again under the name under which it was accepted: what is left of the move is a copy, which
    /// nobody misses.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn left_as_copy(&self, item: ItemId, now_s: i64) -> Result<()> {
        self.change_finding(item, Verdict::Moved, Verdict::Copied)?;
        // Nobody has accepted it: another item there would say that somebody has.
        self.happened(item, Verdict::New.name(), None, "", now_s)
    }

    /// The item that the file became which lay here, by its last move.
    fn moved_to(&self, item: ItemId) -> Result<Option<ItemId>> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT other FROM event WHERE item = ?1 AND what = ?2 ORDER BY id DESC LIMIT 1",
        )?;
        let moved = Verdict::MovedAway.name();
        let other = statement.query_row(params![item.0, moved], |row| row.get::<_, Option<i64>>(0));
        Ok(other.optional()?.flatten().map(ItemId))
    }

    /// Takes note that something stands on against an item, though its content is yet another one. Who knew of the former content does not know
    /// of this one. What was found first is kept: there may be copies of it.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn stands_on(&self, item: ItemId, seen: &Seen, now_s: i64) -> Result<()> {
        self.saw_again(item, seen, now_s)?;
        let digests = blob_of(&seen.content.digests);
        let mut statement = self.transaction.prepare_cached(
            "UPDATE finding SET digests = ?2, again = NULL, reading = ?3, detail = ?4, cause = ?5,
             was = coalesce(was, verdict), was_cause = CASE WHEN was IS NULL THEN cause ELSE was_cause END,
             was_digests = coalesce(was_digests, digests),
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
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn hand_on(&self, from: ItemId, to: ItemId, verdict: Verdict, seen: &Seen) -> Result<()> {
        let mut statement = self.transaction.prepare_cached(
            "UPDATE finding SET item = ?2, verdict = ?3, cause = ?4, detail = ?5, digests = ?6,
             was = NULL, was_cause = NULL, was_digests = NULL WHERE item = ?1",
        )?;
        let cause = seen.cause.map(Cause::number);
        // What it recovered from, when it had that name before, is nothing of this file.
        self.transaction.prepare_cached("DELETE FROM finding WHERE item = ?1")?.execute([to.0])?;
        let digests = blob_of(&seen.content.digests);
        statement.execute(params![from.0, to.0, verdict.number(), cause, seen.detail, digests])?;
        Ok(())
    }

    /// Takes note that the content that something stands against is there again, under another time: who decides on it decides on the file
    /// as it is now.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn saw_again(&self, item: ItemId, seen: &Seen, now_s: i64) -> Result<()> {
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

    /// Records that a file is good again. `true`: something stood against it.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn clear_finding(&mut self, item: ItemId, now_s: i64) -> Result<bool> {
        self.clear_by(item, None, now_s)
    }

    /// The same, by a reading, and it is known where its bytes came from.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn clear_by(&mut self, item: ItemId, reading: Option<ReadingKind>, now_s: i64) -> Result<bool> {
        let Some(verdict) = self.standing_verdict(item)? else { return Ok(false) };
        // What was read of a tree says nothing of the copy at the provider.
        let stands_of_copy = !self.is_in_store()? && self.is_contradicted(item)?;
        match verdict {
            Verdict::Contradicted if stands_of_copy => return Ok(false),
            Verdict::Contradicted | Verdict::Suspect => self.drop_finding(item)?,
            _ => {
                let mut clear =
                    self.transaction.prepare_cached("UPDATE finding SET cleared_s = ?2 WHERE item = ?1")?;
                clear.execute(params![item.0, now_s])?;
                self.is_over(item, "recovered", "", now_s)?;
            }
        }
        if stands_of_copy {
            self.contradict_again(item, now_s)?;
        } else if self.settle_by(item, reading, now_s)? {
            // Between its word and this reading there is nothing left to decide.
        } else if verdict == Verdict::Contradicted {
            self.is_over(item, "recovered", "the file is of a later version now", now_s)?;
        }
        Ok(true)
    }

    /// A file was read, and has the content that is known of it: what a provider says against it is not so, if it is about this copy.
    /// Whether one has said something.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn settle_by(&mut self, item: ItemId, reading: Option<ReadingKind>, now_s: i64) -> Result<bool> {
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
        self.is_over(item, what, &detail, now_s)?;
        Ok(true)
    }

    /// Takes note that an item was not found and may be a new file that nobody has read. Since when that is so, in seconds since 1970.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn missed(&self, item: ItemId, now_s: i64) -> Result<i64> {
        let mut statement = self.transaction.prepare_cached(
            "INSERT INTO missed (item, since_s, run) VALUES (?1, ?2, ?3)
             ON CONFLICT (item) DO UPDATE SET run = excluded.run, since_s = min(since_s, excluded.since_s) RETURNING since_s",
        )?;
        Ok(statement.query_row(params![item.0, now_s, self.stint.run.0], |row| row.get(0))?)
    }

    /// Records that nobody has accepted a file that is there, unless something like it stands already. Returns what stands.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn keep_unaccepted(&mut self, item: ItemId, seen: &Seen, now_s: i64) -> Result<Verdict> {
        let mut statement = self
            .transaction
            .prepare_cached("SELECT verdict, told_s FROM finding WHERE item = ?1 AND cleared_s IS NULL")?;
        let stood: Option<(i64, Option<i64>)> =
            statement.query_row([item.0], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        drop(statement);
        let told_s = stood.map_or(Some(now_s), |(_, told_s)| told_s);
        let verdict = stood.map(|(verdict, _)| Verdict::of_number(verdict)).transpose()?;
        let stands = match verdict {
            Some(stands @ (Verdict::New | Verdict::Moved | Verdict::Copied)) => stands,
            _ => self.came_as(item)?,
        };
        self.put_finding(item, stands, seen, now_s)?;
        // It was said when it was found first, whatever has stood against it meanwhile.
        let mut told = self.transaction.prepare_cached("UPDATE finding SET told_s = ?2 WHERE item = ?1")?;
        told.execute(params![item.0, told_s])?;
        Ok(stands)
    }

    /// What stood against an item that nobody has accepted, when it was found first.
    fn came_as(&self, item: ItemId) -> Result<Verdict> {
        Ok(match () {
            () if self.was_moved(item)? => Verdict::Moved,
            () if self.was_copied(item)? => Verdict::Copied,
            () => Verdict::New,
        })
    }

    /// The same, if nobody has accepted it.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn unaccepted_as(&self, collection: &Collection, item: ItemId) -> Result<Option<Verdict>> {
        match self.item(collection, item)?.state {
            State::Unaccepted => self.came_as(item).map(Some),
            _ => Ok(None),
        }
    }

    /// Makes another finding of one that stands. `false`: none of that verdict does.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn change_finding(&self, item: ItemId, from: Verdict, to: Verdict) -> Result<bool> {
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

    /// Records something that the history of a file shows.
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
        self.note(EventKind::History, item, (what, other, detail), now_s)
    }

    /// The same of a file that was moved or copied where that is welcome.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn came_from_elsewhere(&self, item: ItemId, how: Verdict, from: ItemId, now_s: i64) -> Result<()> {
        self.note(EventKind::Edit, item, (how.name(), Some(from), ""), now_s)
    }

    /// Records that a new file which nobody has accepted is a copy of another one.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn found_to_be_copied(&self, item: ItemId, of: ItemId, now_s: i64) -> Result<()> {
        self.note(EventKind::Finding, item, (Verdict::Copied.name(), Some(of), ""), now_s)
    }

    /// Records that something stands against a file no more.
    pub(crate) fn is_over(&self, item: ItemId, what: &str, detail: &str, now_s: i64) -> Result<()> {
        self.note(EventKind::Recovered, item, (what, None, detail), now_s)
    }

    /// Records an event of a file: what it is, which other file it is about, and what else there is to say.
    fn note(
        &self,
        kind: EventKind,
        item: ItemId,
        (what, other, detail): (&str, Option<ItemId>, &str),
        now_s: i64,
    ) -> Result<()> {
        let run = self.stint.run;
        let mut statement = self.transaction.prepare_cached("SELECT actor FROM run WHERE id = ?1")?;
        let actor: String = statement.query_row([run.0], |row| row.get(0))?;
        let happening = Happening {
            kind,
            collection: Some(self.collection.0),
            item: Some(item.0),
            run: Some(run.0),
            at_s: self.happens_at(now_s),
            actor: &actor,
            what,
            other: other.map(|other| other.0),
            detail,
            ..Happening::default()
        };
        events::record(&self.transaction, &happening).map(drop)
    }
}
