//! The last part of an audit: what was withheld is applied, new files are compared with known ones, and what is missing is said.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering;

use hashlane_catalog::scratch::{GoneItem, ToJudge};
use hashlane_catalog::{
    Batch, ByContent, Cause, Elsewhere, Ending, Error, GONE, ItemId, LEFT_OUT, Lasting, Phase, Policy,
    ReadBy, Result, Seen, State, Stint, Unchecked, Verdict,
};
use hashlane_record::shown_name;
use roaring::RoaringTreemap;
use serde::Serialize;

use crate::applying::words_on_compressed;
use crate::counts::Counts;
use crate::course::{Course, lock};
use crate::held::Held;
use crate::held_back;
use crate::meter::Done;
use crate::share::Share;
use crate::told::{AuditEvent, Audited, Outcome, Stands, mark_told};
use crate::under_way::{Audit, Left, MONTH_S};

/// Rows that are written together.
const TOGETHER: usize = 8192;

/// What is kept of a run in its row.
#[derive(Serialize)]
struct Kept<'a> {
    listed_files: u64,
    listed_bytes: u64,
    read_files: u64,
    read_bytes: u64,
    device_bytes: u64,
    cache_bytes: u64,
    reread_files: u64,
    reread_bytes: u64,
    listing_ms: u64,
    reading_ms: u64,
    rereading_ms: u64,
    /// Bytes of old files beyond what was due: the next audits read that much less.
    ahead_bytes: u64,
    /// Files where something other than the content has changed since they were read, and that this run has not read.
    changed_metadata: u64,
    /// How many files were gone that were not renamed: a run that was held goes on as long as not many more are.
    #[serde(skip_serializing_if = "Option::is_none")]
    gone_files: Option<u64>,
    verdicts: &'a Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<String>,
    /// What the root was: a run that was held goes on over the same one only.
    root: &'a str,
    /// Who has read, if that was not here.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'a ReadBy>,
}

impl Audit<'_> {
    /// Says what came of what was listed and read, and ends the run.
    pub(crate) fn conclude(mut self, stint: Stint, mut audited: Audited, left: &Left<'_>) -> Result<Audited> {
        let Left { course, allowance, root, .. } = *left;
        let Audited { files, bytes, planned_bytes, .. } = audited;
        let done = Done { files, bytes, planned_bytes: Some(planned_bytes) };
        self.meter.enter(self.catalog, Phase::Ending, done)?;
        if stint.goes_on && !audited.is_first {
            self.recall_new(stint, &mut audited, course)?;
        }
        if let Outcome::Held(held) = audited.outcome.clone() {
            // Damage is reported whatever is held back, and so are copies of it.
            self.find_copies_of_damage(stint, &mut audited, left)?;
            // They were read good, and the run that goes on does not come to them again.
            self.tell_new(stint, &mut audited, left)?;
            self.catalog.set_unlisted(self.collection.id, &left.found.unlisted, self.now_s)?;
            let run = Some(stint.run);
            audited.held_back = held_back::by_directory(self.catalog, self.collection, left.found, run)?;
            return self.hold(Some(stint), audited, held);
        }
        if self.control.stopped().is_some() {
            audited.outcome = Outcome::Stopped;
            self.tell_new(stint, &mut audited, left)?;
        } else if course.is_used_up.load(Ordering::Acquire) {
            audited.outcome = Outcome::Budget;
        }
        // What was withheld is found again where the run goes on: by then it may have become too much.
        if audited.outcome != Outcome::Stopped {
            let damage = self.find_copies_of_damage(stint, &mut audited, left)?;
            let moved_over = self.apply_withheld(stint, &mut audited, left.found, damage)?;
            self.tell_new(stint, &mut audited, left)?;
            self.end_listing(stint, &mut audited, left, &moved_over)?;
            self.catalog.set_seen_root(self.collection.id, Some(root))?;
        }
        // All was read, and it is not known yet what some of it is.
        if audited.outcome == Outcome::Complete && allowance.is_used_up() {
            audited.outcome = Outcome::Budget;
        }
        // Of what stands against a file more is said.
        let told = self.catalog.standing_items(self.collection.id, &[])? | &self.settled_metadata;
        audited.changed_metadata = (&left.found.changed_metadata - told).len();
        if self.collection.terms.is_in_store() {
            audited.unsettled_objects = course.unsettled_files.load(Ordering::Acquire);
        }
        let aged_bytes = course.aged_bytes.load(Ordering::Acquire);
        let largest_aged_bytes = course.largest_aged_bytes.load(Ordering::Acquire);
        self.ahead_bytes = match (self.share, &audited.outcome) {
            (Share::Due(due), Outcome::Complete) => due.ahead_after(aged_bytes, largest_aged_bytes),
            // What a budget has ended goes on as soon as it can.
            _ => 0,
        };
        self.end(stint, &mut audited)?;
        match self.failed.take() {
            Some(error) => Err(error),
            None => Ok(audited),
        }
    }

    /// New files that this run recorded before it was killed, and did not report: they are reported now.
    fn recall_new(&self, stint: Stint, audited: &mut Audited, course: &Course) -> Result<()> {
        let mut new = lock(&course.new_items);
        let untold = self.catalog.untold_new(self.collection.id, stint)?;
        // What nobody has accepted was read once more.
        let mut standing = lock(&course.standing_new);
        let not_counted = &untold - &*standing;
        audited.counts.add(Verdict::New, not_counted.difference_len(&new));
        *standing -= &untold;
        *new |= untold;
        Ok(())
    }

    /// Reports files that may be better known than when they were read: new ones, and which of them are copies of others. Those
    /// that were new to a frozen collection are findings, and reported as such.
    fn tell_new(
        &mut self,
        stint: Stint,
        audited: &mut Audited,
        Left { found, course, .. }: &Left<'_>,
    ) -> Result<()> {
        let standing = std::mem::take(&mut *lock(&course.standing_new));
        for item in standing.iter().map(|item| ItemId(item as i64)) {
            self.tell(Stands { item, verdict: Verdict::New, is_new: false })?;
        }
        let new = lock(&course.new_items);
        let copies = self.catalog.copies(self.collection.id, &new, &found.unmissed)?;
        for together in copies.chunks(TOGETHER) {
            let mut told = Vec::new();
            let batch = self.catalog.batch(self.collection.id, stint)?;
            for (copy, origin) in together {
                match batch.change_finding(*copy, Verdict::New, Verdict::Copied)? {
                    true => {
                        batch.found_to_be_copied(*copy, *origin, self.now_s)?;
                        told.push(Stands { item: *copy, verdict: Verdict::Copied, is_new: true });
                    }
                    false => batch.came_from_elsewhere(*copy, Verdict::Copied, *origin, self.now_s)?,
                }
                audited.counts.remove(Verdict::New);
                audited.counts.add(Verdict::Copied, 1);
            }
            batch.commit()?;
            for told in told {
                self.tell(told)?;
            }
        }
        let copied: RoaringTreemap = copies.iter().map(|(copy, _)| copy.0 as u64).collect();
        let mut welcome = RoaringTreemap::new();
        for item in &*new {
            let verdict = if copied.contains(item) { Verdict::Copied } else { Verdict::New };
            let path = self.catalog.path_of(ItemId(item as i64))?;
            match (found.logs.policy(&path), verdict) {
                (Policy::Frozen, Verdict::New) => {
                    let told = Stands { item: ItemId(item as i64), verdict, is_new: true };
                    self.tell(told)?;
                }
                (Policy::Frozen, _) => {}
                _ => {
                    (self.events)(AuditEvent::File { path: &path, verdict, cause: None, detail: "" })?;
                    if verdict == Verdict::New {
                        welcome.insert(item);
                    }
                }
            }
        }
        drop(new);
        let now_s = self.now_s;
        self.each_in_batches(stint, &welcome, |batch, item| {
            batch.edited(item, Verdict::New, now_s);
            Ok(())
        })
    }

    /// Says what is missing, and takes note of what was listed and not read.
    /// `by_content`: files that have changed, by the contents that they have now.
    fn end_listing(
        &mut self,
        stint: Stint,
        audited: &mut Audited,
        left: &Left<'_>,
        by_content: &ByContent,
    ) -> Result<()> {
        let found = left.found;
        let to_judge = lock(&found.to_judge);
        let is_whole = self.options.within.is_empty() && self.options.only.is_empty();
        // They are items already, whatever part of the collection it was about.
        let read_new = lock(&left.course.read_new);
        let failed_new = lock(&left.course.failed_new);
        let recorded = &*read_new | &*failed_new;
        // Where all new files were read, no other one can be what is gone.
        let is_all_read = is_whole && audited.outcome == Outcome::Complete;
        let mut unread_sizes: HashMap<Option<u64>, bool> = HashMap::new();
        // What was not found since then is missing, whatever else is unread.
        let missing_s = self.since_s();
        let mut behind = ItemId(0);
        loop {
            let mut batch = self.catalog.batch(self.collection.id, stint)?;
            let mut told = Vec::new();
            let mut is_over = true;
            for number in 0..=TOGETHER {
                let Some(GoneItem { item, content, .. }) = found.gone.next(behind)? else { break };
                if number == TOGETHER {
                    is_over = false;
                    break;
                }
                behind = item;
                let may_be_new = match unread_sizes.get(&content.size) {
                    _ if is_all_read => content.inode.is_some() && to_judge.has_new(&content, &read_new)?,
                    Some(may_be_new) => *may_be_new,
                    None => {
                        let may_be_new = to_judge.has_unread(content.size, &read_new)?;
                        unread_sizes.insert(content.size, may_be_new);
                        may_be_new
                    }
                };
                // New files that nobody has read are there each night: for so long a file is not looked for.
                let since_s = if may_be_new { batch.missed(item, self.now_s)? } else { i64::MIN };
                if since_s > missing_s {
                    audited.counts.add(Verdict::NotFoundYet, 1);
                    continue;
                }
                audited.counts.add(Verdict::Missing, 1);
                let path = batch.path_of(item)?;
                let compressed = match found.logs.takes(&path) {
                    true => to_judge.compressed_beside(&path)?,
                    false => None,
                };
                let moved_over = match by_content.is_empty() {
                    true => None,
                    false => by_content.get(&batch.item(self.collection, item)?.content.digests),
                };
                let moved_over = moved_over.map(|(other, _)| batch.path_of(*other));
                let (cause, detail) = match (self.ground.other(&path), compressed, moved_over.transpose()?) {
                    (Some(other), ..) => (None, format!("{other} is there now")),
                    (None, Some(other), _) => (Some(Cause::Compressed), words_on_compressed(&other)),
                    (None, None, Some(other)) => (
                        None,
                        format!("its content is at {} now, in the place of another file", shown_name(&other)),
                    ),
                    (None, None, None) => (None, String::new()),
                };
                let seen = Seen { detail, cause, ..Seen::default() };
                told.push((item, batch.put_finding(item, Verdict::Missing, &seen, self.now_s)?));
            }
            batch.commit()?;
            for (item, is_new) in told {
                self.tell(Stands { item, verdict: Verdict::Missing, is_new })?;
            }
            if is_over {
                break;
            }
        }
        self.catalog.forget_missed(self.collection.id, stint.run)?;
        self.clear_missing(stint, &found.returned)?;
        audited.counts.add(Verdict::Ignored, audited.listing.ignored);
        self.set_aside(stint, &found.newly_ignored, &found.replaced, State::Ignored, LEFT_OUT)?;
        // Nobody misses what nobody has accepted, or read.
        self.set_aside(stint, &found.unmissed, &RoaringTreemap::new(), State::Retired, GONE)?;
        self.add_unread(stint, audited, &to_judge, &recorded)?;
        self.catalog.set_unlisted(self.collection.id, &found.unlisted, self.now_s)?;
        // The first audit is over when all was read once, however many nights that takes: until then files are registered, not new.
        let is_over = !audited.is_first
            || is_whole
                && (audited.outcome != Outcome::Budget || !self.catalog.has_unread(self.collection.id)?);
        match is_over {
            true => self.catalog.set_listed(self.collection.id, self.now_s),
            false => Ok(()),
        }
    }

    /// Records something of each of many items.
    fn each_in_batches(
        &mut self,
        stint: Stint,
        items: &RoaringTreemap,
        record: impl Fn(&mut Batch<'_>, ItemId) -> Result<()>,
    ) -> Result<()> {
        let mut items = items.iter().map(|item| ItemId(item as i64)).peekable();
        while items.peek().is_some() {
            let mut batch = self.catalog.batch(self.collection.id, stint)?;
            items.by_ref().take(TOGETHER).try_for_each(|item| record(&mut batch, item))?;
            batch.commit()?;
        }
        Ok(())
    }

    /// Takes note that items are there again. What they hold is not known yet.
    fn clear_missing(&mut self, stint: Stint, items: &RoaringTreemap) -> Result<()> {
        let now_s = self.now_s;
        self.each_in_batches(stint, items, |batch, item| batch.clear_finding(item, now_s).map(drop))
    }

    /// Takes note that items are no longer what the collection is about: nothing is promised of them. What stands against those that a filter
    /// leaves out stands on. `replaced`: of these it stays known that they were replaced and not read since. `what`: how their history calls it.
    fn set_aside(
        &mut self,
        stint: Stint,
        items: &RoaringTreemap,
        replaced: &RoaringTreemap,
        state: State,
        what: &str,
    ) -> Result<()> {
        let now_s = self.now_s;
        self.each_in_batches(stint, items, |batch, item| {
            match state {
                State::Ignored => batch.leave_out(item)?,
                _ => {
                    batch.set_state(item, state)?;
                    batch.drop_finding(item)?;
                }
            }
            if !replaced.contains(item.0 as u64) {
                batch.forget_good(item, item)?;
            }
            batch.happened(item, what, None, "", now_s)
        })
    }

    /// Takes note of new files that the budget did not suffice for: they are known to be there since now.
    fn add_unread(
        &mut self,
        stint: Stint,
        audited: &mut Audited,
        to_judge: &ToJudge,
        recorded: &RoaringTreemap,
    ) -> Result<()> {
        if audited.outcome != Outcome::Budget {
            return Ok(());
        }
        let mut behind = 0;
        loop {
            let together = to_judge.next(behind, true, TOGETHER)?;
            let Some(last) = together.back() else { return Ok(()) };
            behind = last.number;
            let mut batch = self.catalog.batch(self.collection.id, stint)?;
            for listed in together {
                if recorded.contains(listed.number as u64) {
                    continue;
                }
                if listed.item.is_none() {
                    let directory = batch.directory(&listed.directory)?;
                    batch.add(directory, &listed.name, &listed.content, State::Unread)?;
                }
                audited.counts.add(Verdict::NotChecked(Unchecked::Budget), 1);
            }
            batch.commit()?;
        }
    }

    /// Ends the run, or leaves it to be gone on with.
    fn end(&mut self, stint: Stint, audited: &mut Audited) -> Result<()> {
        let period_s = self.collection.terms.period_s.unwrap_or(MONTH_S);
        let mut batch = self.catalog.batch(self.collection.id, stint)?;
        batch.forget_recovered(self.now_s.saturating_sub(period_s))?;
        batch.forget_put_aside_before(self.now_s.saturating_sub(period_s))?;
        batch.forget_edits()?;
        batch.commit()?;
        mark_told(self.catalog, self.events, self.now_s)?;
        let now_s = self.options.clock.now_s();
        if audited.outcome == Outcome::Stopped {
            return self.catalog.end_stint(stint, None, now_s);
        }
        // It can be gone on with: what was read good stays read.
        let is_over = matches!(audited.outcome, Outcome::Complete | Outcome::Budget);
        let held = match &audited.outcome {
            Outcome::Held(held) => Some(held.to_string()),
            _ => None,
        };
        let kept = Kept {
            listed_files: audited.listing.files,
            listed_bytes: audited.listing.bytes,
            read_files: audited.files,
            read_bytes: audited.bytes,
            device_bytes: audited.origin.device_bytes,
            cache_bytes: audited.origin.cache_bytes,
            reread_files: audited.reread_files,
            reread_bytes: audited.reread_bytes,
            listing_ms: audited.listing_time.as_millis() as u64,
            reading_ms: audited.reading_time.as_millis() as u64,
            rereading_ms: audited.rereading_time.as_millis() as u64,
            ahead_bytes: self.ahead_bytes,
            changed_metadata: audited.changed_metadata,
            gone_files: self.gone_files,
            verdicts: &audited.counts,
            held,
            root: &self.place,
            by: self.elsewhere.map(Elsewhere::by),
        };
        let counts = serde_json::to_string(&kept).map_err(Error::json)?;
        let stood = self.catalog.stood(self.collection, now_s)?;
        let standing = stood.text()?;
        let outcome = audited.outcome.name();
        let ending = Ending { outcome, counts: &counts, standing: &standing, is_over };
        self.catalog.end_stint(stint, Some(ending), now_s)?;
        self.note_how_it_is(stint, audited, stood.late_files > 0)?;
        self.catalog.seal_rest(self.collection.id)?;
        audited.seal = self.catalog.seal_of(stint.run)?;
        Ok(())
    }

    /// Takes note of what lasts of the collection after this run, and what does not any more.
    fn note_how_it_is(&mut self, stint: Stint, audited: &Audited, has_late: bool) -> Result<()> {
        let is_refused = matches!(audited.outcome, Outcome::Refused(_));
        self.note_lasting(stint, Lasting::Refused, is_refused.then_some(self.now_s))?;
        // One that was about a part of it, or was held, has not judged it.
        if !self.catalog.judging(self.collection, self.options.clock.now_s())?.is_silent(self.now_s) {
            self.note_lasting(stint, Lasting::Silent, None)?;
        }
        let is_late = has_late || self.catalog.was_never_read_in_time(self.collection, self.now_s)?;
        self.note_lasting(stint, Lasting::Late, is_late.then_some(self.now_s))
    }

    /// Ends it before anything was judged.
    pub(crate) fn end_as(
        &mut self,
        stint: Option<Stint>,
        mut audited: Audited,
        outcome: Outcome,
    ) -> Result<Audited> {
        audited.outcome = outcome;
        if let Some(stint) = stint {
            self.end(stint, &mut audited)?;
        }
        Ok(audited)
    }

    pub(crate) fn hold(&mut self, stint: Option<Stint>, audited: Audited, held: Held) -> Result<Audited> {
        self.end_as(stint, audited, Outcome::Held(held))
    }

    /// The root is there, and cannot be read: nothing is said of what is in it, but that is not as it should be.
    pub(crate) fn refused(
        mut self,
        stint: Option<Stint>,
        mut audited: Audited,
        reason: String,
    ) -> Result<Audited> {
        (self.events)(AuditEvent::Unlisted { path: b"", reason: &reason })?;
        audited.listing.unlisted = 1;
        if let Some(stint) = stint {
            let unlisted = BTreeMap::from([(Vec::new(), reason.clone())]);
            self.catalog.set_unlisted(self.collection.id, &unlisted, self.now_s)?;
            self.note_lasting(stint, Lasting::Offline, None)?;
        }
        self.end_as(stint, audited, Outcome::Refused(reason))
    }

    /// The root cannot be reached: nothing is said of what is in it.
    pub(crate) fn end_offline(
        &mut self,
        stint: Option<Stint>,
        audited: Audited,
        reason: String,
    ) -> Result<Audited> {
        if let Some(stint) = stint {
            self.note_lasting(stint, Lasting::Offline, Some(self.now_s))?;
        }
        self.end_as(stint, audited, Outcome::Offline(reason))
    }

    pub(crate) fn counted(&self, mut audited: Audited, course: &Course) -> Result<Audited> {
        if let Some(error) = course.failure() {
            return Err(error);
        }
        audited.planned_files = course.files.load(Ordering::Acquire);
        audited.planned_bytes = course.bytes.load(Ordering::Acquire);
        if course.is_used_up.load(Ordering::Acquire) {
            audited.outcome = Outcome::Budget;
        }
        Ok(audited)
    }
}
