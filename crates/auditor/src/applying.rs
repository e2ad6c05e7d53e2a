//! What was withheld is applied when it is known that the run is not held: edits are accepted where they are, and all else is a finding.

use std::collections::{BTreeMap, HashMap};

use hashlane_catalog::scratch::ToJudge;
use hashlane_catalog::{
    Batch, Before, ByContent, Cause, Collection, Content, Finding, Item, ItemId, Policy, ReadingKind, Result,
    RunId, Seen, State, Stint, UNREAD, Verdict, Withheld,
};
use hashlane_record::shown_name;

use crate::alike::{is_edit, is_older, is_same_file};
use crate::course::lock;
use crate::listing::Found;
use crate::spread::{Damage, MOST_ALIKE, Origin};
use crate::told::{AuditEvent, Audited, Stands};
use crate::under_way::Audit;

/// Rows that are written together.
const TOGETHER: usize = 8192;

/// Files that are looked at for whether they have changed places. Of more than these a whole tree was written to.
const MOST_SWAPPED: usize = 100_000;

/// What a file is that was withheld.
enum Applied {
    /// What was said of it before: this very content was found then, under whatever time.
    AsFound(Verdict),
    /// What was said of it before, though its content is yet another one.
    StandsOn(Verdict, Seen),
    /// Nobody has accepted it, and it is something else now.
    StillUnaccepted,
    /// A finding.
    Found(Verdict, Seen),
    /// A copy of what was found to be damage in another file.
    CopyOf(ItemId, Seen),
    /// It is what is known from now on.
    Accepted(Verdict, Seen),
}

/// What is asked for each of them.
struct Ways<'a> {
    found: &'a Found,
    /// Files that have changed.
    by_content: ByContent,
    /// What stands as damaged, also what was found so after a copy of it was read.
    damage: Damage,
    /// This run, and when it began, in seconds since 1970.
    run: (RunId, i64),
    is_in_store: bool,
    /// What [`Audit::replaced`] says.
    replaced: BTreeMap<ItemId, (ItemId, i64)>,
}

impl Audit<'_> {
    /// Makes findings and new versions of what a held run would have withheld. `damage`: what stands as damaged. Returns the files that have
    /// changed, by the contents that they have now.
    pub(crate) fn apply_withheld(
        &mut self,
        stint: Stint,
        audited: &mut Audited,
        found: &Found,
        damage: Damage,
    ) -> Result<ByContent> {
        let ways = Ways {
            found,
            by_content: self.catalog.changed_contents(self.collection, stint.run, MOST_SWAPPED)?,
            damage,
            run: (stint.run, self.now_s),
            is_in_store: self.collection.terms.is_in_store(),
            replaced: if found.replaced.is_empty() { BTreeMap::new() } else { self.replaced()? },
        };
        let (read_s, until_s) = (self.read_s(), self.options.clock.now_s());
        loop {
            let mut batch = self.catalog.batch(self.collection.id, stint)?;
            let withheld = batch.take_withheld(self.collection, TOGETHER)?;
            let (mut told, mut accepted) = (Vec::new(), Vec::new());
            for Withheld { item, verdict, seen, stint: of_stint } in &withheld {
                let is_settled = seen.content.is_settled(read_s, until_s, self.ground.grain_s());
                let state = if is_settled { State::Present } else { State::Unsettled };
                let applied = ways.of(&batch, self.collection, (*item, *verdict, seen))?;
                let now_is = match applied {
                    Applied::AsFound(stands) => {
                        match stands {
                            // It is read again as what it is now.
                            Verdict::Suspect => drop(batch.put_finding(*item, stands, seen, self.now_s)?),
                            _ => batch.saw_again(*item, seen, self.now_s)?,
                        }
                        told.push(Stands { item: *item, verdict: stands, is_new: false });
                        stands
                    }
                    Applied::StandsOn(stands, seen) => {
                        batch.stands_on(*item, &seen, self.now_s)?;
                        told.push(Stands { item: *item, verdict: stands, is_new: true });
                        stands
                    }
                    Applied::StillUnaccepted => {
                        batch.take_content(*item, seen, (State::Unaccepted, *of_stint))?;
                        let is_new = batch.put_finding(*item, Verdict::New, seen, self.now_s)?;
                        told.push(Stands { item: *item, verdict: Verdict::New, is_new });
                        Verdict::New
                    }
                    Applied::Found(verdict, seen) => {
                        let is_new = batch.put_finding(*item, verdict, &seen, self.now_s)?;
                        told.push(Stands { item: *item, verdict, is_new });
                        verdict
                    }
                    Applied::CopyOf(of, seen) => {
                        batch.came_here(*item, of, self.now_s)?;
                        let is_new = batch.put_finding(*item, Verdict::Corrupt, &seen, self.now_s)?;
                        told.push(Stands { item: *item, verdict: Verdict::Corrupt, is_new });
                        Verdict::Corrupt
                    }
                    Applied::Accepted(verdict, seen) => {
                        batch.take_content(*item, &seen, (state, *of_stint))?;
                        batch.drop_finding(*item)?;
                        batch.edited(*item, verdict, self.now_s);
                        if seen.cause.is_some() {
                            let what = Verdict::Changed.name();
                            batch.happened(*item, what, None, &seen.detail, self.now_s)?;
                        }
                        accepted.push((*item, verdict, seen));
                        verdict
                    }
                };
                if now_is != *verdict {
                    audited.counts.remove(*verdict);
                    audited.counts.add(now_is, 1);
                }
            }
            batch.commit()?;
            for (item, verdict, seen) in accepted {
                let path = self.catalog.path_of(item)?;
                let Seen { cause, detail, .. } = &seen;
                (self.events)(AuditEvent::File { path: &path, verdict, cause: *cause, detail })?;
            }
            for told in told {
                self.tell(told)?;
            }
            if withheld.len() < TOGETHER {
                return Ok(ways.by_content);
            }
        }
    }

    /// Files that were replaced and not read since: the first of those that lie side by side, the last, and when the last audit began before
    /// that.
    fn replaced(&self) -> Result<BTreeMap<ItemId, (ItemId, i64)>> {
        let id = self.collection.id;
        let stints = self.catalog.stint_times(id)?;
        let (mut replaced, mut before) = (BTreeMap::new(), HashMap::new());
        for span in self.catalog.spans(id)?.into_iter().filter(|span| span.reading == ReadingKind::Replaced) {
            let before_s = match before.get(&span.stint) {
                Some(before_s) => *before_s,
                None => {
                    let noted_s = stints.get(&span.stint).map_or(self.now_s, |(_, started_s)| *started_s);
                    let run = self.catalog.last_run(id, noted_s.saturating_sub(1))?;
                    let before_s = run.map_or(i64::MIN, |(started_s, _)| started_s);
                    before.insert(span.stint, before_s);
                    before_s
                }
            };
            replaced.insert(span.first, (span.last, before_s));
        }
        Ok(replaced)
    }
}

impl Ways<'_> {
    /// What a file is that was withheld.
    fn of(
        &self,
        batch: &Batch<'_>,
        collection: &Collection,
        (item, verdict, seen): (ItemId, Verdict, &Seen),
    ) -> Result<Applied> {
        let stands = batch.stands(collection, item)?;
        let is_missing = stands.as_ref().is_some_and(was_missing);
        let is_replaced = self.found.replaced.contains(item.0 as u64);
        if verdict != Verdict::Changed {
            // That it was missing is reported again with whatever is read of it at last.
            let is_unread = matches!(verdict, Verdict::Unreadable | Verdict::Unstable);
            let cause = if is_missing && is_unread { Some(Cause::CameBack) } else { seen.cause };
            return Ok(Applied::Found(verdict, Seen { cause, ..seen.clone() }));
        }
        let known = batch.item(collection, item)?;
        // What had its name was found under another one meanwhile.
        if known.state == State::Retired {
            return Ok(Applied::Accepted(Verdict::New, seen.clone()));
        }
        if let Some(of) = self.copy_of_damage((item, seen)) {
            let detail = format!("a copy of what was found at {}", shown_name(&batch.path_of(of)?));
            return Ok(Applied::CopyOf(
                of,
                Seen { cause: Some(Cause::CopyOfDamage), detail, ..seen.clone() },
            ));
        }
        // Damage that came here from another file, or has gone on to another name, is over where a file lies that is known to be whole.
        // What was found ends no finding, whatever became of the file from which it came.
        let was_found = |finding: &Finding| {
            finding.of_content().is_some_and(|before| before.digests == seen.content.digests)
        };
        let is_other = !self.damage.contains_key(&seen.content.digests);
        let is_whole = match &stands {
            Some(finding) if is_other && !was_found(finding) => {
                self.is_whole(batch, collection, (finding, &seen.content))?
            }
            _ => false,
        };
        let stands = stands.filter(|_| !is_whole);
        if let Some(finding) = &stands
            && let Some(applied) = standing(finding, &known, (seen, is_missing, is_replaced))
        {
            return Ok(applied);
        }
        let logs = &self.found.logs;
        // Where all files are alike, none needs to be looked up.
        let path = match logs.policy_of_all() {
            Some(_) if logs.is_empty() => Vec::new(),
            _ => batch.path_of(item)?,
        };
        let policy = logs.policy(&path);
        // It could not be read meanwhile.
        let could_be_read = stands.is_some_and(|finding| !UNREAD.contains(&finding.verdict));
        if known.state == State::Unaccepted && policy == Policy::Frozen && !could_be_read {
            return Ok(Applied::StillUnaccepted);
        }
        if is_replaced {
            let span = self.replaced.range(..=item).next_back().filter(|(_, (last, _))| item <= *last);
            let before_s = span.map_or(i64::MIN, |(_, (_, before_s))| *before_s);
            let is_later = seen.content.modified.is_some_and(|time| time.seconds > before_s);
            let words = if is_later { EDITED_OR_COPIED } else { BADLY_COPIED };
            let seen = Seen { cause: Some(Cause::Replaced), detail: words.into(), ..seen.clone() };
            return Ok(Applied::Found(verdict, seen));
        }
        if logs.takes(&path) {
            let to_judge = lock(&self.found.to_judge);
            return of_log(verdict, seen, &to_judge, &path);
        }
        let was_written = is_edit(&known, seen, self.is_in_store);
        let was_put_back = is_missing && is_older(&known.content, &seen.content, self.is_in_store);
        let (shape, detail) = self.shape(batch, item, &known.content, seen)?;
        let (cause, words) = match () {
            () if !was_written => (Some(Cause::NotWritten), NOT_WRITTEN),
            () if was_put_back => (Some(Cause::PutBack), CAME_BACK),
            () if is_missing => (Some(Cause::CameBack), CAME_BACK),
            () => (shape, ""),
        };
        let detail = if detail.is_empty() { words.into() } else { detail };
        let seen = Seen { cause, detail, ..seen.clone() };
        Ok(match policy {
            Policy::Living if was_written && !was_put_back => Applied::Accepted(verdict, seen),
            _ => Applied::Found(verdict, seen),
        })
    }

    /// The file in which the content of this one was found to be damage: then it is not an edit, whatever its time is.
    fn copy_of_damage(&self, (item, seen): (ItemId, &Seen)) -> Option<ItemId> {
        let origins = self.damage.get(&seen.content.digests)?;
        let is_origin = |origin: &&Origin| origin.has_spread_to(&seen.content, self.run, self.is_in_store);
        let is_itself = origins.iter().any(|origin| origin.item == item);
        origins.iter().find(is_origin).filter(|_| !is_itself).map(|origin| origin.item)
    }

    /// Whether a file of another content lies now where a damaged one did, and is known to be whole: the damaged one came here from another
    /// name, and this is what was known of either; or it has gone on to another name, and this one has come from yet another.
    fn is_whole(
        &self,
        batch: &Batch<'_>,
        collection: &Collection,
        (finding, content): (&Finding, &Content),
    ) -> Result<bool> {
        let Some(before) = finding.of_content().filter(|before| before.verdict == Verdict::Corrupt) else {
            return Ok(false);
        };
        if finding.is_spread() {
            // Where it was taken for an edit, or a log was rotated, what this name had before is an earlier version by now.
            let is_own = batch.had_before(finding.item, content, &before.digests)?
                || batch.had_content(finding.item, content, finding.run)?;
            if is_own || batch.had_content_before(finding, content)? {
                return Ok(true);
            }
        }
        let has_gone = self.has_gone(batch, collection, (finding, &before))?;
        Ok(has_gone && batch.was_known_until(collection, content, Some(finding.stint))?)
    }

    /// Whether a damaged file lies under another name now, where that is said of it. Names of one file were found together.
    fn has_gone(
        &self,
        batch: &Batch<'_>,
        collection: &Collection,
        (finding, before): (&Finding, &Before),
    ) -> Result<bool> {
        let damaged = self.damage.get(&before.digests).map_or(&[][..], Vec::as_slice);
        let inode = finding.seen.content.inode;
        // With this many files damaged alike, nobody knows which is which.
        if inode.is_none() || damaged.len() > MOST_ALIKE {
            return Ok(false);
        }
        for other in damaged.iter().filter(|other| other.item != finding.item) {
            let there = batch.stands(collection, other.item)?;
            let is_it = |there: Finding| {
                there.seen.content.inode == inode && there.run > finding.run && there.stint > finding.stint
            };
            if there.is_some_and(is_it) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What is particular about a change, and the words for it.
    fn shape(
        &self,
        batch: &Batch<'_>,
        item: ItemId,
        known: &Content,
        seen: &Seen,
    ) -> Result<(Option<Cause>, String)> {
        let content = &seen.content;
        if content.size == Some(0) {
            return Ok((Some(Cause::Emptied), EMPTIED.into()));
        }
        // The other one has this one's content by now.
        if let Some((other, other_known)) = self.by_content.get(&known.digests)
            && *other != item
            && *other_known == content.digests
        {
            let path = shown_name(&batch.path_of(*other)?);
            return Ok((Some(Cause::Swapped), format!("it has changed places with {path}")));
        }
        Ok(match is_older(known, content, self.is_in_store) {
            true => (Some(Cause::Older), OLDER.into()),
            false => (None, String::new()),
        })
    }
}

/// Whether a file was missing when something was last known of it, and nothing was read of it since.
fn was_missing(finding: &Finding) -> bool {
    finding.verdict == Verdict::Missing
        || UNREAD.contains(&finding.verdict) && finding.seen.cause == Some(Cause::CameBack)
}

/// What becomes of what stands against a file that has another content than the known one; nothing: it says nothing of that. And whether it
/// was missing, or was replaced and not read since.
fn standing(
    finding: &Finding,
    known: &Item,
    (seen, is_missing, is_replaced): (&Seen, bool, bool),
) -> Option<Applied> {
    use Verdict::{Changed, Collision, Corrupt, Misread, New, Suspect, UnstableMedium};
    if finding.verdict == New && known.state == State::Unaccepted {
        return Some(Applied::StillUnaccepted);
    }
    let before = finding.of_content()?;
    let is_as_found = before.digests == seen.content.digests;
    let is_unread = UNREAD.contains(&finding.verdict);
    let because = |cause, detail: &str| Seen { cause, detail: detail.into(), ..seen.clone() };
    let lasting = before.cause.filter(|cause| cause.lasts());
    match before.verdict {
        // Who gives a damaged file another time has not made it whole.
        Corrupt | Collision | Suspect | UnstableMedium | Misread | Changed if is_as_found && !is_unread => {
            Some(Applied::AsFound(before.verdict))
        }
        // It was damaged before it was lost, and this is the second reading that says so.
        Suspect if is_as_found => Some(Applied::Found(Corrupt, seen.clone())),
        Corrupt | Collision | UnstableMedium | Misread if is_as_found => {
            Some(Applied::Found(before.verdict, because(before.cause, "")))
        }
        // An edit is one still.
        Changed if is_as_found => {
            lasting.map(|cause| Applied::Found(Changed, because(Some(cause), FOUND_BEFORE)))
        }
        // Another file has come in its place.
        _ if is_missing => None,
        // No time says that anybody wrote to it: what wavers was not restored.
        UnstableMedium if !is_unread && is_same_file(&finding.seen.content, &seen.content) => {
            Some(Applied::StandsOn(before.verdict, because(before.cause, WAVERS)))
        }
        Corrupt | Collision | UnstableMedium | Misread if !is_unread => {
            Some(Applied::StandsOn(before.verdict, because(Some(Cause::Restored), RESTORED)))
        }
        Suspect if !is_unread => Some(Applied::Found(Changed, because(Some(Cause::Suspected), SUSPECTED))),
        // Of what was replaced nobody has seen the first version.
        Changed if is_replaced => {
            Some(Applied::StandsOn(Changed, because(Some(Cause::Replaced), EDITED_OR_COPIED)))
        }
        Changed if is_unread => lasting.map(|cause| Applied::Found(Changed, because(Some(cause), RESTORED))),
        // No time says that anybody wrote to it again.
        Changed if seen.content.modified == finding.seen.content.modified => {
            Some(Applied::StandsOn(Changed, because(lasting.or(Some(Cause::NotWritten)), RESTORED)))
        }
        Changed => Some(Applied::StandsOn(Changed, because(lasting.or(Some(Cause::Restored)), RESTORED))),
        _ => None,
    }
}

/// What a file is that may be appended to, and was not. If it was rotated, another file has its name, which is as good as new.
fn of_log(verdict: Verdict, seen: &Seen, to_judge: &ToJudge, path: &[u8]) -> Result<Applied> {
    let (cause, detail) = match to_judge.compressed_beside(path)? {
        Some(other) => (Cause::Compressed, words_on_compressed(&other)),
        None if seen.content.size == Some(0) => (Cause::NotAppended, EMPTIED_LOG.into()),
        None => (Cause::NotAppended, NOT_APPENDED.into()),
    };
    Ok(Applied::Found(verdict, Seen { cause: Some(cause), detail, ..seen.clone() }))
}

/// What is said of a file beside which a compressed one is new.
pub(crate) fn words_on_compressed(other: &[u8]) -> String {
    format!("{} is new beside it: it may have been rotated and compressed at once", shown_name(other))
}

const EMPTIED: &str = "it was emptied";
const EMPTIED_LOG: &str = "it may only be appended to, and was emptied";
const NOT_APPENDED: &str = "it may only be appended to, and does not begin as it was known";
const OLDER: &str = "its time is earlier than that of the known content: an older version has come back, or another file has its name";
const RESTORED: &str = "its content is neither the known one nor the one that was found: it was restored from a bad copy, or edited";
const WAVERS: &str = "its content is yet another one, and its time does not say that anybody wrote to it";
const CAME_BACK: &str = "it was missing, and is there again with another content";
const FOUND_BEFORE: &str = "its content is the one that was found before it was missing or could not be read";
const NOT_WRITTEN: &str = "its time does not say that anybody wrote to it";
const SUSPECTED: &str =
    "it differed under its old time, and was written to before it was read again: it was edited, or damaged";
const EDITED_OR_COPIED: &str =
    "another file has taken its place since it was last read: it was edited, or badly copied";
const BADLY_COPIED: &str = "another file has taken its place since it was last read, and is not newer than that: it was badly copied";
