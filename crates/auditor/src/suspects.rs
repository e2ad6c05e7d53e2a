//! Which files are read again: suspects that an earlier audit has left, before anything else is read; then those of this audit; then
//! those that an earlier one has read again in vain.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use hashlane_catalog::{Finding, ItemId, OF_MEDIUM, Phase, Result, Stint, StintId, Unchecked, Verdict};
use roaring::RoaringTreemap;

use crate::alike::looks_alike;
use crate::counts::Counts;
use crate::meter::Done;
use crate::recheck::{Again, recheck};
use crate::told::{AuditEvent, Audited, Stands};
use crate::under_way::Audit;

/// What was read again before the rest, and what comes after it.
#[derive(Debug, Default)]
pub(crate) struct Reread {
    /// Items that need no further look in this audit.
    items: RoaringTreemap,
    /// Suspects that an earlier audit could not read again, and huge ones: those that wait for longest first.
    waiting: Vec<ItemId>,
    counts: Counts,
    time: Duration,
}

impl Reread {
    /// Items that the plan leaves out.
    pub(crate) fn left_out(&self) -> RoaringTreemap {
        let mut items = self.items.clone();
        items.extend(self.waiting.iter().map(|item| item.0 as u64));
        items
    }
}

impl Audit<'_> {
    /// Reads those again that an earlier audit has found and left, as far as this one is about them. Those that could not be read again
    /// before come after the rest: there may be many of them, and each may take long to fail. So do huge ones, if they are read at all.
    pub(crate) fn read_left(&mut self, stint: Stint, again: Again<'_>) -> Result<Reread> {
        let mut left = Reread::default();
        if !self.options.only.is_empty() && !self.options.only.contains(&Verdict::Suspect) {
            return Ok(left);
        }
        let began = Instant::now();
        let mut items = Vec::new();
        for (item, _) in self.catalog.suspects(self.collection.id)? {
            let path = self.catalog.path_of(item)?;
            let Some(finding) = self.catalog.finding(self.collection, item)? else { continue };
            // What was written to since is judged anew, with the others.
            if !self.options.is_about(&path) || !self.is_as_found(&path, &finding)? {
                continue;
            }
            let size = finding.seen.content.size.unwrap_or(0);
            match finding.was_tried() || again.allowance.is_too_large(size) {
                true => left.waiting.push(item),
                false => items.push(item),
            }
        }
        for Stands { item, verdict, is_new } in self.read_again(stint, again, &items)? {
            // It was accepted since, and is read when its turn comes.
            if verdict == Verdict::NotChecked(Unchecked::Budget) {
                continue;
            }
            left.counts.add(verdict, 1);
            left.items.insert(item.0 as u64);
            // What has changed is reported when that is applied.
            if !matches!(verdict, Verdict::Ok | Verdict::Changed) {
                self.tell(Stands { item, verdict, is_new })?;
            }
        }
        left.time = began.elapsed();
        Ok(left)
    }

    /// Whether a file looks as it was found, or as it is known: in neither case would a listing have it read for what was found.
    fn is_as_found(&self, path: &[u8], finding: &Finding) -> Result<bool> {
        let Ok(Some(facts)) = self.ground.facts(path) else { return Ok(false) };
        let known = self.catalog.item(self.collection, finding.item)?;
        Ok(looks_alike(&facts, &finding.seen.content)
            || known.is_some_and(|known| looks_alike(&facts, &known.content)))
    }

    /// Reads again what differs under its old size and time, and what only the device can say to be good again.
    pub(crate) fn read_suspects(
        &mut self,
        stint: Stint,
        audited: &mut Audited,
        again: Again<'_>,
        left: Reread,
    ) -> Result<()> {
        let (id, began, allowance) = (self.collection.id, Instant::now(), again.allowance);
        allowance.note_run(audited.bytes);
        left.counts.iter().for_each(|(verdict, files)| audited.counts.add(verdict, files));
        // Where little time is left, the small ones are done first.
        let stints = self.stints(stint)?;
        let is_own =
            |(item, seen): &(ItemId, StintId)| stints.contains(seen) && !left.items.contains(item.0 as u64);
        let mut items = Vec::new();
        for (item, seen) in self.catalog.suspects(id)?.into_iter().filter(is_own) {
            // This stint reports it.
            audited.counts.add(Verdict::Suspect, u64::from(seen != stint.id));
            items.push(item);
        }
        let differ: RoaringTreemap = items.iter().map(|item| item.0 as u64).collect();
        for item in self.catalog.standing_items(id, &OF_MEDIUM)? - &differ - &left.items {
            let is_read_now = self.only_cached.contains(item);
            let item = ItemId(item as i64);
            let last = match is_read_now {
                true => Some(stint.id),
                false => self.catalog.last_good(id, item)?.map(|span| span.stint),
            };
            let Some(last) = last.filter(|last| stints.contains(last)) else { continue };
            if last != stint.id {
                // What an earlier stint has found by reading again stands.
                let finding = self.catalog.finding(self.collection, item)?;
                if finding.is_none_or(|finding| stints.contains(&finding.stint)) {
                    continue;
                }
                audited.counts.add(Verdict::Ok, 1);
            }
            items.push(item);
        }
        for Stands { item, verdict, is_new } in self.read_again(stint, again, &items)? {
            // Against the others something stood before, and this run has read them good.
            let counted = if differ.contains(item.0 as u64) { Verdict::Suspect } else { Verdict::Ok };
            audited.counts.remove(counted);
            self.tell_reread(audited, Stands { item, verdict, is_new })?;
        }
        if !left.waiting.is_empty() {
            // None of them waits for ever, however much else differs.
            allowance.grant_one_more();
            for reread in self.read_again(stint, again, &left.waiting)? {
                self.tell_reread(audited, reread)?;
            }
        }
        (audited.reread_files, audited.reread_bytes) = allowance.read();
        audited.rereading_time = left.time + began.elapsed();
        // Whoever goes on with a run that was stopped reports what becomes of them.
        if allowance.is_stopped() {
            return Ok(());
        }
        for suspect @ (item, _) in self.catalog.suspects(id)? {
            if is_own(&suspect) {
                let finding = self.catalog.finding(self.collection, item)?;
                let is_new = finding.is_some_and(|finding| finding.since_s >= self.now_s);
                self.tell(Stands { item, verdict: Verdict::Suspect, is_new })?;
            }
        }
        Ok(())
    }

    /// The stints whose suspects this one reads again. An audit that goes on comes to its own before it reads; one that takes what others
    /// have read judges none of those anew, since they were seen after that run began.
    fn stints(&self, stint: Stint) -> Result<BTreeSet<StintId>> {
        let mut stints = BTreeSet::from([stint.id]);
        if self.elsewhere.is_some() && stint.goes_on {
            let times = self.catalog.stint_times(self.collection.id)?;
            stints.extend(times.iter().filter(|(_, (run, _))| *run == stint.run).map(|(id, _)| *id));
        }
        Ok(stints)
    }

    /// Counts a file that was read again, and reports it. Suspects are reported with those that were not read again, and others
    /// that have changed when that is applied.
    fn tell_reread(&mut self, audited: &mut Audited, reread: Stands) -> Result<()> {
        audited.counts.add(reread.verdict, 1);
        match reread.verdict {
            Verdict::Ok | Verdict::NotChecked(Unchecked::Budget) | Verdict::Suspect | Verdict::Changed => {
                Ok(())
            }
            _ => self.tell(reread),
        }
    }

    fn read_again(&mut self, stint: Stint, again: Again<'_>, items: &[ItemId]) -> Result<Vec<Stands>> {
        if items.is_empty() || again.allowance.is_stopped() {
            return Ok(Vec::new());
        }
        (self.events)(AuditEvent::Rereading(items.len() as u64))?;
        self.meter.enter(self.catalog, Phase::ReadingAgain, Done::of(again.allowance))?;
        recheck(self, stint, again, items)
    }
}
