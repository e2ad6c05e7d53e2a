//! The third part of an audit: what differs under its old size and time is read again past the cache before it is reported.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashlane_catalog::scratch::{Displaced, Former};
use hashlane_catalog::{
    Cause, Content, ItemId, Policies, Policy, ReadingKind, Result, Seen, State, Stint, Unchecked, Verdict,
    Writer, is_as_known, of_damage,
};
use hashlane_engine::{Sink, Taken};
use hashlane_record::{Cause as SystemCause, Medium, Obstacle, Operation, Outcome, Record, shown_name};

use crate::alike::looks_alike;
use crate::allowance::Allowance;
use crate::ground::{How, ToRead};
use crate::meter::{Done, Meter};
use crate::seen::{AS_KNOWN, content_of, is_disputed, is_not_there, obstacle, of_engine, reading_of};
use crate::told::Stands;
use crate::under_way::Audit;

/// Files that are read again together.
const TOGETHER: usize = 8192;

/// A file that is read again.
struct Suspect {
    path: Vec<u8>,
    known: Content,
    /// What was read first, and differed.
    first: Seen,
    /// An earlier run has found that it is so, and this one has read it good, but not from the device.
    stands: Option<Verdict>,
    /// What was read since.
    later: Vec<Reread>,
    /// Reading it past the cache is not possible.
    is_unproven: bool,
    /// Why not, if that lies not in its device.
    obstacle: Option<Obstacle>,
    /// This run has read nothing of it itself.
    is_elsewhere: bool,
    /// Its change time has moved since the first reading, and neither its size nor its modification time.
    has_moved: bool,
    ended: Option<Decision>,
    detail: String,
}

/// One more reading.
struct Reread {
    content: Content,
    reading: ReadingKind,
    /// Which version of an object was read.
    version: Option<Box<str>>,
    /// Its store keeps a checksum of another content.
    is_disputed: bool,
}

impl Reread {
    /// Whether it shows that the medium has what is known.
    fn is_good(&self, known: &Content) -> bool {
        self.reading.is_of_medium() && self.is_as(known)
    }

    /// Whether it has found what is known, wherever that came from.
    fn is_as(&self, known: &Content) -> bool {
        !self.is_disputed && is_as_known(known, &self.content)
    }
}

/// What is said of a content that is as known again, and may only be so in a cache.
const PUT_BACK: &str = "it was put back, and its medium was not read since";

/// What is said of a content that is damaged by its known digests and by the checksum that its store keeps.
const DAMAGED_IN_STORE: &str =
    "it does not match the checksum that the store keeps for it either: it was damaged in the store";

/// What several readings of a file say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Is(Verdict),
    ReadAgain,
    /// Nothing can be said of it, and it stays what it is.
    Leave,
}

/// Decides on a file whose first reading differed from what is known of it. `later`: what the readings after the first one brought.
fn decide(known: &Content, first: &Content, later: &[&Content]) -> Decision {
    let is_same = |one: &Content, other: &Content| one.digests == other.digests;
    match later {
        // It was accepted since.
        _ if is_as_known(known, first) => Decision::Is(Verdict::NotChecked(Unchecked::Budget)),
        [] => Decision::ReadAgain,
        [second] if is_same(second, first) => Decision::Is(of_damage(known, first)),
        [_] => Decision::ReadAgain,
        [second, third, ..] if is_same(second, third) && is_same(second, known) => {
            Decision::Is(Verdict::Misread)
        }
        [second, third, ..] if is_same(second, third) => Decision::Is(of_damage(known, second)),
        _ => Decision::Is(Verdict::UnstableMedium),
    }
}

/// What reading again takes besides the audit.
#[derive(Clone, Copy)]
pub(crate) struct Again<'a> {
    pub(crate) allowance: &'a Arc<Allowance>,
    /// Known items that have lost their inodes: others may lie under their names.
    pub(crate) displaced: &'a Displaced,
}

/// Reads suspects again until it is known what they are, and files whose finding only a reading from the device can clear. Returns
/// those that were found to be something. Those that could not be read again are [`Verdict::Suspect`] as before. Those that the budget
/// does not suffice for stay what they are, and so do those that somebody has written to since.
pub(crate) fn recheck(
    audit: &mut Audit<'_>,
    stint: Stint,
    again: Again<'_>,
    items: &[ItemId],
) -> Result<Vec<Stands>> {
    let allowance = again.allowance;
    let (mut found, mut rest) = (Vec::new(), items);
    while !rest.is_empty() && !allowance.is_stopped() {
        // The first one by itself: it is read to its end, whatever the budget says.
        let is_alone = !allowance.has_progress();
        if !is_alone && allowance.is_over() {
            allowance.leave();
            break;
        }
        let (together, behind) = rest.split_at(if is_alone { 1 } else { rest.len().min(TOGETHER) });
        rest = behind;
        let mut suspects = suspects(audit, together)?;
        let ended = read_all_again(audit, allowance, together, &mut suspects);
        if suspects.values().any(|suspect| suspect.decision() == Decision::ReadAgain) {
            allowance.leave();
        } else if !suspects.is_empty() {
            allowance.note_progress();
        }
        // What was decided before an error is as good as if there had been none.
        found.extend(record(audit, stint, again, suspects)?);
        if let Err(error) = ended {
            audit.failed.get_or_insert(error);
            allowance.leave();
            break;
        }
    }
    Ok(found)
}

/// Reads those again that are not decided, in rounds; a file that cannot be read past the cache takes one round more.
fn read_all_again(
    audit: &Audit<'_>,
    allowance: &Arc<Allowance>,
    order: &[ItemId],
    suspects: &mut BTreeMap<ItemId, Suspect>,
) -> Result<()> {
    for _ in 0..4 {
        for how in [How::FromMedium, How::Usual] {
            read_again(audit, allowance, order, suspects, how)?;
        }
    }
    Ok(())
}

/// What is known of items that are to be read again.
fn suspects(audit: &Audit<'_>, items: &[ItemId]) -> Result<BTreeMap<ItemId, Suspect>> {
    let Audit { catalog, collection, .. } = audit;
    let mut suspects = BTreeMap::new();
    for &item in items {
        let (Some(known), Some(finding)) =
            (catalog.item(collection, item)?, catalog.finding(collection, item)?)
        else {
            continue;
        };
        let suspect = Suspect {
            path: catalog.path_of(item)?,
            known: known.content,
            first: finding.seen,
            stands: (finding.verdict != Verdict::Suspect).then_some(finding.verdict),
            later: Vec::new(),
            is_unproven: false,
            obstacle: None,
            is_elsewhere: audit.elsewhere.is_some(),
            has_moved: false,
            ended: None,
            detail: String::new(),
        };
        suspects.insert(item, suspect);
    }
    Ok(suspects)
}

/// Reads all once more that are not decided, in one of the ways.
fn read_again(
    audit: &Audit<'_>,
    allowance: &Arc<Allowance>,
    order: &[ItemId],
    suspects: &mut BTreeMap<ItemId, Suspect>,
    how: How,
) -> Result<()> {
    let is_meant = |suspect: &Suspect| {
        suspect.is_unproven == (how == How::Usual)
            && suspect.decision() == Decision::ReadAgain
            && !allowance.is_too_large(suspect.size())
    };
    let files: Vec<_> = order
        .iter()
        .filter_map(|item| suspects.get_key_value(item))
        .filter(|(_, suspect)| is_meant(suspect))
        .map(|(item, suspect)| {
            let (path, tag) = (suspect.path.clone().into(), item.0.to_le_bytes().into());
            (ToRead { path, tag, beginning: None }, suspect.size(), suspect.is_begun())
        })
        .collect();
    if files.is_empty() || allowance.is_stopped() {
        return Ok(());
    }
    let affording = Arc::clone(allowance);
    let files = files.into_iter().filter_map(move |(file, size, is_begun)| {
        // A smaller one may still fit.
        affording.affords(size, is_begun).then_some(file)
    });
    let mut reader = Rereading { suspects, allowance, catalog: audit.catalog, meter: &audit.meter };
    audit.ground.read(how, files, None, &mut reader, allowance.control()).map_err(of_engine)?;
    Ok(())
}

impl Suspect {
    /// What was read last, which is what is known. `before`: how it was read where no medium can be read again.
    fn as_known(&self, before: Option<ReadingKind>) -> Seen {
        let Some(last) = self.later.last() else {
            return Seen { content: self.known.clone(), reading: before, ..Seen::default() };
        };
        Seen {
            content: last.content.clone(),
            reading: Some(last.reading),
            version: last.version.clone(),
            ..Seen::default()
        }
    }

    /// Bytes that one more reading takes.
    fn size(&self) -> u64 {
        self.first.content.size.or(self.known.size).unwrap_or(0)
    }

    /// Whether it was read again, as far as that was possible.
    fn is_begun(&self) -> bool {
        !self.later.is_empty() || self.is_unproven
    }

    /// Whether what keeps it from being read past the cache lies in where it is stored, and not in this moment or in its device.
    fn is_never_proven(&self) -> bool {
        use Obstacle::{BesideMetadata, CacheUnreported, CacheUnseen, InMemory, NotOnDevice};
        matches!(self.obstacle, Some(BesideMetadata | CacheUnreported | CacheUnseen | InMemory | NotOnDevice))
    }

    fn decision(&self) -> Decision {
        if let Some(decision) = self.ended {
            return decision;
        }
        // One good reading from the device is enough to say that it is good again, and nothing else is.
        if let Some(stands) = self.stands {
            return match &self.later[..] {
                // This run has read it good, and nowhere here can more be proven.
                [] if self.is_never_proven() && !self.is_elsewhere => Decision::Is(Verdict::Ok),
                [] if self.is_unproven && !self.is_never_proven() => Decision::Is(stands),
                // No table says so in place of a reading here, though that may not come from the device either.
                [] => Decision::ReadAgain,
                [reread, ..] if reread.is_good(&self.known) => Decision::Is(Verdict::Ok),
                [reread, ..] if self.is_never_proven() && reread.is_as(&self.known) => {
                    Decision::Is(Verdict::Ok)
                }
                _ => Decision::Is(stands),
            };
        }
        let later: Vec<&Content> = self.later.iter().map(|reread| &reread.content).collect();
        decide(&self.known, &self.first.content, &later)
    }

    /// The file that lies here now, if it was known under another name, which has another file now or none: somebody has renamed it.
    fn origin(
        &self,
        item: ItemId,
        Audit { catalog, collection, .. }: &Audit<'_>,
        displaced: &Displaced,
    ) -> Result<Option<Vec<u8>>> {
        let seen = &self.first.content;
        if self.first.cause == Some(Cause::Renamed) {
            let moves = catalog.events(item)?.into_iter().rev();
            return Ok(moves
                .filter(|event| event.what == Verdict::Moved.name())
                .find_map(|event| event.other));
        }
        let Some(inode) = seen.inode.filter(|inode| self.known.inode != Some(*inode)) else {
            return Ok(None);
        };
        for Former { item: other, .. } in displaced.of_inode(inode)? {
            let known = catalog.item(collection, other)?;
            if other != item && known.is_some_and(|known| is_as_known(&known.content, seen)) {
                return Ok(Some(catalog.path_of(other)?));
            }
        }
        Ok(None)
    }

    /// Whether it has come here from another name, and is what is known of that one after all.
    fn is_whole_elsewhere(
        &self,
        item: ItemId,
        Audit { catalog, collection, .. }: &Audit<'_>,
        displaced: &Displaced,
    ) -> Result<bool> {
        // What is known here has to be another file, or no listing would see that.
        let seen = &self.first.content;
        let is_other = self.known.inode.zip(seen.inode).is_some_and(|(known, seen)| known != seen);
        let is_seen = is_other || !looks_alike(&self.known, seen);
        let Some(inode) = seen.inode.filter(|_| is_seen && self.first.cause == Some(Cause::Renamed)) else {
            return Ok(false);
        };
        for Former { item: other, .. } in displaced.of_inode(inode)? {
            let known = catalog.item(collection, other)?;
            if other != item && known.is_some_and(|known| is_as_known(&known.content, self.agreed())) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn take(&mut self, record: &Record) {
        match record.outcome {
            Outcome::Read | Outcome::Disputed(_) => self.take_content(record),
            // The listing shows it, this one or the next.
            Outcome::Failed(failure) if is_not_there(failure) => self.ended = Some(Decision::Leave),
            Outcome::Failed(_) if obstacle(record) == Some(Obstacle::Archived) => {
                self.ended = Some(Decision::Leave)
            }
            // It waits for the next audit.
            Outcome::Failed(_) if obstacle(record) == Some(Obstacle::RequestsUsedUp) => {}
            // Not the file, but the way to read it.
            Outcome::Failed(failure) if failure.operation == Operation::FromMedium => {
                self.is_unproven = true;
                self.obstacle = match failure.cause {
                    SystemCause::Obstacle(obstacle) => Some(obstacle),
                    _ => None,
                };
                self.detail = failure.to_string();
            }
            // That it differs weighs more than that it cannot be read now: it stays a suspect.
            Outcome::Failed(failure) => {
                self.ended = Some(Decision::Is(Verdict::Suspect));
                self.detail = failure.to_string();
            }
            Outcome::Unstable(instability) => {
                self.ended = Some(Decision::Is(Verdict::Suspect));
                self.detail = instability.to_string();
            }
        }
    }

    /// Takes a content that came to its end.
    fn take_content(&mut self, record: &Record) {
        let content = content_of(record);
        // What has no bytes has them from nowhere.
        let reading = match content.size {
            Some(0) => ReadingKind::Device,
            _ => reading_of(record.origin, self.obstacle.map_or(record.medium, Medium::NotShown)),
        };
        let version = record.state.as_ref().and_then(|state| state.version.clone());
        let reread = Reread { content, reading, version, is_disputed: is_disputed(record) };
        if self.stands.is_none() && !looks_alike(&reread.content, &self.first.content) {
            return self.judge_anew(reread);
        }
        // Whoever changes its mode, its owner or its name moves the change time, and no byte of it.
        let (first, now) = (&mut self.first.content, &reread.content);
        self.has_moved |= first.changed != now.changed;
        (first.changed, first.inode) = (now.changed, now.inode);
        self.later.push(reread);
    }

    /// The content that two readings agree on, if the first one is not one of them; else that of the first one.
    fn agreed(&self) -> &Content {
        match &self.later[..] {
            [second, third, ..]
                if self.stands.is_none() && second.content.digests == third.content.digests =>
            {
                &third.content
            }
            _ => &self.first.content,
        }
    }

    /// The same as a reading of its own.
    fn as_agreed(&self) -> Seen {
        Seen { content: self.agreed().clone(), reading: self.last_reading(), ..Seen::default() }
    }

    /// Where the bytes came from that were read last.
    fn last_reading(&self) -> Option<ReadingKind> {
        self.later.last().map_or(self.first.reading, |last| Some(last.reading))
    }

    /// What is recorded of it.
    fn seen(&self, verdict: Verdict, origin: Option<&Vec<u8>>) -> Seen {
        let last = self.later.last();
        let again = self.later.iter().flat_map(|reread| reread.content.digests.iter().copied());
        let detail = match origin {
            Some(origin) => {
                format!("what is here now was {} before: the file was renamed", shown_name(origin))
            }
            None if verdict == Verdict::Misread && self.has_moved => {
                "its change time has moved since it was read first: somebody may have put it back".into()
            }
            None if matches!(verdict, Verdict::Corrupt | Verdict::Collision)
                && last.is_some_and(|last| last.is_disputed) =>
            {
                DAMAGED_IN_STORE.into()
            }
            None => self.detail.clone(),
        };
        Seen {
            content: match verdict {
                Verdict::Corrupt | Verdict::Collision => self.agreed().clone(),
                _ => self.first.content.clone(),
            },
            again: again.collect(),
            reading: self.last_reading(),
            detail,
            version: self.first.version.clone(),
            cause: self.first.cause,
        }
    }

    /// Takes a reading of a file that somebody has written to since it was found to differ.
    fn judge_anew(&mut self, reread: Reread) {
        if !looks_alike(&reread.content, &self.known) {
            // Each listing sees it until it is read. Its finding stays till then: damage under another time is damage still.
            self.ended = Some(Decision::Leave);
        } else if reread.content.digests == self.known.digests {
            // Somebody has put it back. No listing sees that.
            let is_proven = !reread.is_disputed && (reread.reading.is_of_medium() || self.is_never_proven());
            self.ended = Some(Decision::Is(if is_proven { Verdict::Ok } else { Verdict::Suspect }));
            if self.detail.is_empty() {
                let what = if reread.is_disputed { AS_KNOWN } else { PUT_BACK };
                self.detail = what.into();
            }
            self.later.push(reread);
        } else {
            // What was read before says nothing of this content.
            (self.first.content, self.first.reading) = (reread.content, Some(reread.reading));
            self.first.version = reread.version;
            self.later.clear();
        }
    }
}

/// Takes what is read again.
struct Rereading<'a> {
    suspects: &'a mut BTreeMap<ItemId, Suspect>,
    allowance: &'a Allowance,
    catalog: &'a Writer,
    meter: &'a Meter,
}

impl Sink for Rereading<'_> {
    fn record(&mut self, record: Record) -> Taken {
        let item = record.tag[..].try_into().map(i64::from_le_bytes).map(ItemId);
        let Some(suspect) = item.ok().and_then(|item| self.suspects.get_mut(&item)) else { return Ok(()) };
        let is_first = suspect.later.is_empty();
        suspect.take(&record);
        match record.outcome {
            Outcome::Failed(_) if record.digested_bytes == 0 => self.allowance.take_back(suspect.size()),
            _ => self.allowance.note_read(record.digested_bytes, is_first),
        }
        Ok(())
    }

    fn tick(&mut self) -> Taken {
        self.allowance.look_at_time();
        Ok(self.meter.keep_fresh(self.catalog, || Done::of(self.allowance))?)
    }
}

/// Records what was decided.
fn record(
    audit: &mut Audit<'_>,
    stint: Stint,
    Again { allowance, displaced }: Again<'_>,
    suspects: BTreeMap<ItemId, Suspect>,
) -> Result<Vec<Stands>> {
    let (collection, now_s) = (audit.collection, audit.now_s);
    let mut found = Vec::new();
    let (mut origins, mut renamed) = (BTreeMap::<ItemId, Vec<u8>>::new(), BTreeSet::new());
    for (item, suspect) in &suspects {
        if suspect.decision() != Decision::Is(Verdict::Corrupt) {
            continue;
        }
        if suspect.is_whole_elsewhere(*item, audit, displaced)? {
            renamed.insert(*item);
        } else if let Some(origin) = suspect.origin(*item, audit, displaced)? {
            origins.insert(*item, origin);
        }
    }
    let policies = Policies::of(&collection.terms)?;
    let mut batch = audit.catalog.batch(collection.id, stint)?;
    for (item, suspect) in suspects {
        let Decision::Is(verdict) = suspect.decision() else { continue };
        if renamed.contains(&item) {
            // It is whole, and another file than the one that is known here. Whether anybody wants it, that does not say.
            match batch.item(collection, item)?.state {
                State::Unaccepted if policies.at(&batch.path_of(item)?) == Policy::Frozen => {
                    let seen = Seen { content: suspect.known.clone(), ..Seen::default() };
                    batch.keep_unaccepted(item, &seen, now_s)?;
                }
                _ => {
                    batch.drop_finding(item)?;
                    batch.withhold(item, Verdict::Changed, &suspect.as_agreed(), stint.id)?;
                    found.push(Stands { item, verdict: Verdict::Changed, is_new: false });
                }
            }
            continue;
        }
        if verdict == Verdict::Ok {
            match batch.item(collection, item)?.state {
                // That it is good says nothing of whether anybody wants it.
                State::Unaccepted if policies.at(&batch.path_of(item)?) == Policy::Frozen => {
                    let before = batch.last_good(item)?.map(|span| span.reading);
                    batch.keep_unaccepted(item, &suspect.as_known(before), now_s)?;
                }
                // What was found while nothing new was accepted is accepted where everything is. The next audit reads it.
                State::Unaccepted => {
                    batch.set_state(item, State::Unsettled)?;
                    batch.clear_finding(item, now_s)?;
                }
                _ => _ = batch.clear_finding(item, now_s)?,
            }
            if let Some(last) = suspect.later.last() {
                batch.read_good_by(collection, item, last.reading)?;
                if collection.terms.is_in_store() {
                    batch.put_read_version(item, last.version.as_deref())?;
                }
            }
        }
        if suspect.stands.is_some() {
            continue;
        }
        let is_new = match verdict {
            Verdict::NotChecked(Unchecked::Budget) => {
                batch.drop_finding(item)?;
                batch.contradict_again(item, now_s)?;
                false
            }
            Verdict::Suspect => {
                batch.tried_again(item, &suspect.detail)?;
                false
            }
            Verdict::Ok => false,
            _ => {
                let seen = suspect.seen(verdict, origins.get(&item));
                if verdict == Verdict::Misread {
                    batch.read_good_by(collection, item, seen.reading.unwrap_or(ReadingKind::Unknown))?;
                }
                batch.put_finding(item, verdict, &seen, now_s)?
            }
        };
        found.push(Stands { item, verdict, is_new });
    }
    audit.meter.write(&batch, Done::of(allowance))?;
    batch.commit()?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use hashlane_digest::Algorithm;

    use super::*;

    #[test]
    fn the_table_of_readings() {
        let digest =
            |bytes: &[u8]| Content { digests: vec![Algorithm::SHA256.digest(bytes)], ..Content::default() };
        let [good, bad, worse, other] = ["good", "bad", "worse", "other"].map(|text| digest(text.as_bytes()));
        let decide = |later: &[&Content]| super::decide(&good, &bad, later);
        use Decision::{Is, ReadAgain};
        assert_eq!(decide(&[]), ReadAgain);
        assert_eq!(decide(&[&bad]), Is(Verdict::Corrupt));
        assert_eq!(decide(&[&good]), ReadAgain);
        assert_eq!(decide(&[&worse]), ReadAgain);
        assert_eq!(decide(&[&good, &good]), Is(Verdict::Misread));
        assert_eq!(decide(&[&worse, &worse]), Is(Verdict::Corrupt));
        for [second, third] in
            [[&good, &bad], [&good, &worse], [&worse, &good], [&worse, &bad], [&worse, &other]]
        {
            assert_eq!(decide(&[second, third]), Is(Verdict::UnstableMedium), "{second:?} {third:?}");
        }
    }
}
