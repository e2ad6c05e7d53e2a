//! The last part of an audit: what was withheld is applied, new files are compared with known ones, and what is missing is said.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use roaring::RoaringTreemap;

use super::plan::Course;
use super::told::{AuditEvent, Audited, Outcome, tell};
use super::{Audit, copies, scratch};
use crate::collections::Policy;
use crate::error::Result;
use crate::findings::Seen;
use crate::items::{ItemId, State};
use crate::runs::Stint;
use crate::spans::ReadingKind;
use crate::verdict::Verdict;

/// Rows that are written together.
const TOGETHER: usize = 8192;

/// What a listing leaves for the end of its audit.
pub(super) struct Left<'a> {
    pub(super) to_judge: &'a Mutex<scratch::ToJudge>,
    pub(super) gone: &'a scratch::Gone,
    pub(super) newly_ignored: &'a RoaringTreemap,
    pub(super) unmissed: &'a RoaringTreemap,
    pub(super) unlisted: &'a [(Vec<u8>, String)],
    pub(super) course: &'a Course,
}

impl Audit<'_> {
    /// Makes findings and new versions of what a held run would have withheld.
    pub(super) fn apply_withheld(&mut self, stint: Stint, audited: &mut Audited) -> Result<()> {
        let until_s = self.options.clock.now_s();
        loop {
            let mut batch = self.catalog.batch(self.collection.id, stint)?;
            let withheld = batch.take_withheld(self.collection, TOGETHER)?;
            let (mut told, mut accepted) = (Vec::new(), Vec::new());
            for (item, verdict, seen, of_stint) in &withheld {
                let known = batch.item(self.collection, *item)?;
                let is_edit = *verdict == Verdict::Changed
                    // Nobody has ever seen it as its known digests say.
                    && known.state != State::Registered
                    && known.content.modified.is_some_and(|was| seen.content.modified != Some(was));
                // Who gives a damaged file another time has not made it whole.
                if is_edit && let Some(stands) = batch.stands_of_content(self.collection, *item, seen)? {
                    if stands == Verdict::Suspect {
                        // It is read again as what it is now.
                        batch.put_finding(*item, stands, seen, self.now_s)?;
                    }
                    audited.counts.remove(Verdict::Changed);
                    audited.counts.add(stands, 1);
                    told.push((*item, stands, false));
                    continue;
                }
                let is_accepted = is_edit && self.collection.terms.policy == Policy::Living;
                if is_accepted {
                    let is_settled = seen.content.is_settled(self.now_s, until_s, self.ground.grain_s());
                    let state = if is_settled { State::Present } else { State::Unsettled };
                    batch.replace(*item, &seen.content, state)?;
                    let reading = seen.reading.unwrap_or(ReadingKind::Unknown);
                    batch.read_good_in(*of_stint, *item, *item, reading)?;
                    batch.drop_finding(*item)?;
                    accepted.push(*item);
                } else {
                    told.push((*item, *verdict, batch.put_finding(*item, *verdict, seen, self.now_s)?));
                }
            }
            batch.commit()?;
            for item in accepted {
                let path = self.catalog.path_of(item)?;
                (self.events)(AuditEvent::File { path: &path, verdict: Verdict::Changed })?;
            }
            for told in told {
                tell(self.catalog, self.collection, self.events, told)?;
            }
            if withheld.len() < TOGETHER {
                return Ok(());
            }
        }
    }

    /// Tells of new files, and which of them are copies of others. Those that were new to a frozen collection are findings, and told as such.
    pub(super) fn tell_new(&mut self, stint: Stint, audited: &mut Audited, course: &Course) -> Result<()> {
        let new = course.new_items.lock().unwrap_or_else(PoisonError::into_inner);
        let copies = copies::copies(self.catalog, self.collection.id, &new)?;
        for together in copies.chunks(TOGETHER) {
            let mut told = Vec::new();
            let batch = self.catalog.batch(self.collection.id, stint)?;
            for (copy, origin) in together {
                batch.happened(*copy, Verdict::Copied.name(), Some(*origin), "", self.now_s)?;
                if batch.change_finding(*copy, Verdict::New, Verdict::Copied)? {
                    told.push((*copy, Verdict::Copied, true));
                }
                audited.counts.remove(Verdict::New);
                audited.counts.add(Verdict::Copied, 1);
            }
            batch.commit()?;
            for told in told {
                tell(self.catalog, self.collection, self.events, told)?;
            }
        }
        if self.collection.terms.policy == Policy::Frozen {
            return Ok(());
        }
        let copied: RoaringTreemap = copies.iter().map(|(copy, _)| copy.0 as u64).collect();
        for item in &*new {
            let verdict = if copied.contains(item) { Verdict::Copied } else { Verdict::New };
            let path = self.catalog.path_of(ItemId(item as i64))?;
            (self.events)(AuditEvent::File { path: &path, verdict })?;
        }
        Ok(())
    }

    /// Says what is missing, and takes note of what was listed and not read.
    pub(super) fn end_listing(&mut self, stint: Stint, audited: &mut Audited, left: &Left<'_>) -> Result<()> {
        let to_judge = left.to_judge.lock().unwrap_or_else(PoisonError::into_inner);
        let is_whole = self.options.within.is_empty() && self.options.only.is_empty();
        // They are items already, whatever part of the collection it was about.
        let read_new = left.course.read_new.lock().unwrap_or_else(PoisonError::into_inner);
        let failed_new = left.course.failed_new.lock().unwrap_or_else(PoisonError::into_inner);
        let recorded = &*read_new | &*failed_new;
        // Where all new files were read, no other one can be what is gone.
        let is_all_read = is_whole && audited.outcome == Outcome::Complete;
        let mut unread_sizes: HashMap<Option<u64>, bool> = HashMap::new();
        let mut behind = ItemId(0);
        loop {
            let mut batch = self.catalog.batch(self.collection.id, stint)?;
            let mut told = Vec::new();
            let mut is_over = true;
            for number in 0..=TOGETHER {
                let Some((item, content, _)) = left.gone.next(behind)? else { break };
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
                if may_be_new {
                    audited.counts.add(Verdict::NotFoundYet, 1);
                    continue;
                }
                audited.counts.add(Verdict::Missing, 1);
                let other = self.ground.other(&batch.path_of(item)?);
                let detail = other.map_or_else(String::new, |other| format!("{other} is there now"));
                let seen = Seen { detail, ..Seen::default() };
                told.push((item, batch.put_finding(item, Verdict::Missing, &seen, self.now_s)?));
            }
            batch.commit()?;
            for (item, is_new) in told {
                tell(self.catalog, self.collection, self.events, (item, Verdict::Missing, is_new))?;
            }
            if is_over {
                break;
            }
        }
        audited.counts.add(Verdict::Ignored, audited.listing.ignored);
        self.ignore(stint, left.newly_ignored)?;
        self.forget(stint, left.unmissed)?;
        self.add_unread(stint, audited, &to_judge, &recorded)?;
        self.catalog.set_unlisted(self.collection.id, left.unlisted, self.now_s)?;
        // The first audit is over when all was read once, however many nights that takes: until then files are registered, not new.
        match audited.is_first && (audited.outcome == Outcome::Budget || !is_whole) {
            true => Ok(()),
            false => self.catalog.set_listed(self.collection.id, self.now_s),
        }
    }

    /// Forgets items that are gone and that nobody has ever accepted, or read: nobody misses them.
    pub(super) fn forget(&mut self, stint: Stint, items: &RoaringTreemap) -> Result<()> {
        let mut items = items.iter().peekable();
        while items.peek().is_some() {
            let mut batch = self.catalog.batch(self.collection.id, stint)?;
            for item in items.by_ref().take(TOGETHER) {
                let item = ItemId(item as i64);
                batch.set_state(item, State::Retired)?;
                batch.drop_finding(item)?;
                batch.forget_good(item, item)?;
            }
            batch.commit()?;
        }
        Ok(())
    }

    /// Takes note of items that no longer belong to the collection: nothing stands against them, and nothing is promised of them.
    fn ignore(&mut self, stint: Stint, items: &RoaringTreemap) -> Result<()> {
        let mut items = items.iter().peekable();
        while items.peek().is_some() {
            let mut batch = self.catalog.batch(self.collection.id, stint)?;
            for item in items.by_ref().take(TOGETHER) {
                let item = ItemId(item as i64);
                batch.set_state(item, State::Ignored)?;
                batch.drop_finding(item)?;
                batch.forget_good(item, item)?;
            }
            batch.commit()?;
        }
        Ok(())
    }

    /// Takes note of new files that the budget did not suffice for: they are known to be there since now.
    fn add_unread(
        &mut self,
        stint: Stint,
        audited: &mut Audited,
        to_judge: &scratch::ToJudge,
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
                audited.counts.add(Verdict::NotChecked, 1);
            }
            batch.commit()?;
        }
    }
}
