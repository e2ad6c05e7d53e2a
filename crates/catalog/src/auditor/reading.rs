//! The second part of an audit: what was read is judged, and recorded in batches.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use hashlane_digest::Digest;
use hashlane_engine::{Sink, Taken};
use hashlane_record::{
    Cause as SystemCause, Facts, Failure, Instability, Obstacle, Operation, Origin, Outcome, Record,
    shown_name,
};
use roaring::RoaringTreemap;

use super::checkpoints::Checkpoints;
use super::clock::Clock;
use super::counts::Counts;
use super::elsewhere::ReadBy;
use super::ground::Ground;
use super::hold::Held;
use super::limit::Limit;
use super::logs::Logs;
use super::plan::Course;
use super::scratch::Gone;
use super::tag::{Known, Tag};
use super::told::{AuditEvent, Events, tell};
use crate::batch::Batch;
use crate::catalog::Catalog;
use crate::collections::{Collection, Policies, Policy};
use crate::error::{Error, Result};
use crate::findings::{Cause, OF_MEDIUM, Seen};
use crate::items::{Content, ItemId, State, keepable, split};
use crate::runs::{Stint, StintId};
use crate::spans::ReadingKind;
use crate::verdict::{Reading, Unchecked, Verdict, judge};

/// A batch is written when it has so many files, or when the oldest one waits for so long.
const BATCH_FILES: usize = 16_384;
const BATCH_TIME: Duration = Duration::from_secs(1);

/// Judges what the engine reads, and records it.
pub(crate) struct Reader<'a> {
    pub(crate) catalog: &'a mut Catalog,
    pub(crate) collection: &'a Collection,
    pub(crate) ground: &'a dyn Ground,
    /// Who has read, if that was not here.
    pub(crate) by: Option<&'a ReadBy>,
    pub(crate) stint: Stint,
    pub(crate) clock: Clock,
    /// By how much a record has to be later than the last change of its file, in seconds.
    pub(crate) grain_s: i64,
    /// Nothing was known before this run.
    pub(crate) is_first: bool,
    pub(crate) gone: &'a Gone,
    /// Whether something is gone, so that new files may be moved ones.
    pub(crate) has_gone: bool,
    /// Contents that stand as damaged, and against which items.
    pub(crate) damage: &'a HashMap<Vec<Digest>, ItemId>,
    /// Files that may be appended to, and have other names now.
    pub(crate) logs: &'a Logs,
    pub(crate) policies: &'a Policies,
    /// Items of which something else has changed than their content, and those of them that were read good.
    pub(crate) changed_metadata: &'a RoaringTreemap,
    pub(crate) settled_metadata: RoaringTreemap,
    /// Items against which something stands.
    pub(crate) standing: &'a RoaringTreemap,
    /// Those of them whose content differs or could not be read.
    pub(crate) said: &'a RoaringTreemap,
    /// How many files may be missing, changed or unreadable; none: as many as there are.
    pub(crate) allowed: Option<u64>,
    /// How many of those are missing.
    pub(crate) missing: u64,
    pub(crate) events: Events<'a>,
    pub(crate) counts: Counts,
    pub(crate) origin: Origin,
    /// Files that were read to their end, and bytes that were read of all.
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    pub(crate) held: Option<Held>,
    /// Why what the collection lies on cannot be reached any more, if that is so.
    pub(crate) away: Option<String>,
    /// Known items that the listing has another size or time for, or that were never read.
    pub(crate) changed: &'a RoaringTreemap,
    /// Files that have changed or could not be read, and of which that is not said already.
    pub(crate) alarming: Counts,
    /// Items that were added in this run: they lie where others were read good around them.
    pub(crate) added: RoaringTreemap,
    pub(crate) course: Arc<Course>,
    pub(crate) waiting: Vec<Judged>,
    pub(crate) written: Instant,
    pub(crate) checkpoints: Arc<Checkpoints>,
    /// Directories that could not be listed: that is said of them, and not of each of their files that cannot be read.
    pub(crate) unlisted: BTreeSet<Vec<u8>>,
    pub(crate) limit: Arc<Limit>,
}

/// A file that was judged and is not recorded yet.
pub(crate) struct Judged {
    /// Its number in the plan.
    number: u64,
    verdict: Verdict,
    /// Its path, of one that is not known.
    path: Vec<u8>,
    policy: Policy,
    known: Option<Known>,
    content: Content,
    /// How long its beginning is that was digested by itself, and the digests of that.
    beginning: Option<(u64, Vec<Digest>)>,
    /// Which version of an object was read.
    version: Option<Box<str>>,
    /// Nothing was read of it: it has no bytes.
    is_empty: bool,
    reading: ReadingKind,
    /// The stint that read the first byte.
    stint: StintId,
    detail: String,
    is_settled: bool,
}

impl Sink for Reader<'_> {
    fn record(&mut self, record: Record) -> Taken {
        Ok(self.take(record)?)
    }

    /// Where records are long in coming, what has come is written, and the budget ends.
    fn tick(&mut self) -> Taken {
        if self.written.elapsed() >= BATCH_TIME {
            self.write()?;
        }
        self.limit.look_at_time();
        Ok(())
    }
}

impl Reader<'_> {
    /// Takes what was read of a file.
    pub(crate) fn take(&mut self, record: Record) -> Result<()> {
        let judged = self.judged(record)?;
        self.course.has_progress.store(true, Ordering::Release);
        if let Some(judged) = judged {
            self.waiting.push(judged);
        }
        if self.waiting.len() >= BATCH_FILES || self.written.elapsed() >= BATCH_TIME {
            self.write()?;
        }
        Ok(())
    }

    /// Takes note that a file was not read, by the tag that it has. New ones are counted when the run ends.
    pub(crate) fn leave(&mut self, tag: &[u8]) -> Result<()> {
        if let Tag::Known(Known { listed: 0, .. }) = Tag::decode(tag, &self.collection.terms.algorithms)? {
            self.counts.add(Verdict::NotChecked(Unchecked::Budget), 1);
        }
        Ok(())
    }

    fn judged(&mut self, mut record: Record) -> Result<Option<Judged>> {
        if self.logs.takes(record.path.as_bytes()) {
            end_where_it_was_read(&mut record);
        }
        let tag = Tag::decode(&record.tag, &self.collection.terms.algorithms)?;
        self.origin += record.origin;
        let is_not_there = matches!(record.outcome, Outcome::Failed(failure) if is_not_there(failure));
        let is_gone = is_not_there && !self.ground.is_listed(record.path.as_bytes());
        // What has gone away as a whole says nothing of its files.
        let is_away =
            matches!(record.outcome, Outcome::Failed(failure) if is_of_network(failure)) && self.is_away();
        let (Tag::New(number) | Tag::Known(Known { listed: number, .. })) = tag;
        if number > 0 {
            let is_left = matches!(obstacle(&record), Some(Obstacle::Archived | Obstacle::RequestsUsedUp));
            if !is_left && !is_away {
                self.course.note_new(number, is_gone || record.outcome == Outcome::Read);
            }
        }
        let is_said = matches!(record.outcome, Outcome::Failed(failure) if is_forbidden(failure))
            && !self.unlisted.is_empty()
            && is_below(record.path.as_bytes(), &self.unlisted);
        // Nobody misses what was never read.
        let was_read = matches!(&tag, Tag::Known(known) if !known.content.digests.is_empty());
        let is_missing = is_gone && was_read && self.collection.terms.is_in_store();
        if is_gone && !is_missing || is_said {
            // It was there when the tree was listed: the next listing tells what became of it.
            self.counts.add(Verdict::NotChecked(Unchecked::Budget), 1);
            return Ok(None);
        }
        if is_away {
            self.limit.fall_short();
            return Ok(None);
        }
        match obstacle(&record) {
            // It is there, and somebody has to restore it first. Of one that was written to since, that is said.
            Some(Obstacle::Archived) if !self.is_changed(&tag) => {
                self.counts.add(Verdict::NotChecked(Unchecked::Offline), 1);
                return Ok(None);
            }
            // As much of the budget as the bytes and the time.
            Some(Obstacle::RequestsUsedUp) => {
                self.limit.fall_short();
                return Ok(None);
            }
            _ => {}
        }
        self.bytes += record.digested_bytes;
        self.files += u64::from(is_read(&record) || matches!(record.outcome, Outcome::Unstable(_)));
        let content = content_of(&record);
        let mut detail = match record.outcome {
            Outcome::Read => String::new(),
            Outcome::Unstable(instability) => instability.to_string(),
            Outcome::Disputed(dispute) => dispute.to_string(),
            Outcome::Failed(_) if is_missing => GONE_SINCE.to_owned(),
            Outcome::Failed(failure) if is_not_there => format!("{failure}, {LISTED_ALL_THE_SAME}"),
            Outcome::Failed(failure) => failure.to_string(),
        };
        if let Some(by) = self.by.filter(|_| !detail.is_empty()) {
            detail += &format!(" (told by {})", by.program);
        }
        let read = self.checkpoints.end(&record);
        let (verdict, known) = match tag {
            // A store that does not list it any more has looked for it twice.
            Tag::Known(known) if is_missing => (Verdict::Missing, Some(known)),
            Tag::New(_) => (self.verdict_on_new(&record), None),
            Tag::Known(known) => {
                let seen = Reading {
                    outcome: record.outcome,
                    size: content.size.unwrap_or(record.digested_bytes),
                    modified: content.modified,
                    digests: &record.digests,
                    begins_as_known: begins_as(&known.content, &record),
                    is_in_store: self.collection.terms.is_in_store(),
                };
                if is_disputed(&record) && record.digests == known.content.digests {
                    AS_KNOWN.clone_into(&mut detail);
                }
                (judge(&known.content, known.state, &seen), Some(known))
            }
        };
        Ok(Some(Judged {
            number: record.number,
            verdict,
            // It may have been read at any time since then, long before its turn to be recorded.
            is_settled: content.is_settled(read.began_s, self.clock.now_s(), self.grain_s),
            path: if known.is_some() { Vec::new() } else { record.path.as_bytes().to_vec() },
            policy: self.policies.at(record.path.as_bytes()),
            beginning: beginning_of(&record),
            known,
            // Of others nobody says that they would have read the device.
            is_empty: content.size == Some(0) && self.by.is_none(),
            reading: read.reading,
            stint: read.stint,
            content,
            version: record.state.and_then(|state| state.version),
            // A suspect with a detail is one that could not be read again.
            detail: if verdict == Verdict::Suspect { String::new() } else { detail },
        }))
    }

    /// Whether what the collection lies on cannot be reached any more.
    fn is_away(&mut self) -> bool {
        if self.away.is_none() {
            let failed = self.ground.root().err();
            // Who may not ask any more does not know.
            let failed = failed.filter(|error| error.kind() != std::io::ErrorKind::QuotaExceeded);
            self.away = failed.map(|error| error.to_string());
        }
        self.away.is_some()
    }

    /// Whether the listing has another size or time for a known file.
    fn is_changed(&self, tag: &Tag) -> bool {
        matches!(tag, Tag::Known(known) if known.listed == 0 && self.changed.contains(known.item.0 as u64))
    }

    fn verdict_on_new(&self, record: &Record) -> Verdict {
        match record.outcome {
            Outcome::Disputed(_) | Outcome::Failed(_) => Verdict::Unreadable,
            Outcome::Unstable(_) => Verdict::Unstable,
            Outcome::Read if self.is_first => Verdict::Registered,
            Outcome::Read => Verdict::New,
        }
    }

    /// Whether the run would be held if it had read all files that look changed, as far as those tell that it has read. `unsaid`: how many
    /// look changed of which no earlier run has said so.
    pub(crate) fn expected_hold(&self, unsaid: u64) -> Option<Held> {
        let allowed = self.allowed?;
        let of = |verdict| self.alarming.of(verdict);
        let changed = of(Verdict::Changed);
        let seen = changed + of(Verdict::Touched) + of(Verdict::Grown);
        let expected = (changed as u128 * u128::from(unsaid.max(seen))).checked_div(seen.into())? as u64;
        let (missing, unreadable) = (self.missing, of(Verdict::Unreadable) + of(Verdict::Unstable));
        (missing + expected + unreadable > allowed).then_some(Held::TooMany {
            missing,
            changed: expected,
            unreadable,
            allowed,
        })
    }

    /// Records what waits.
    pub(crate) fn write(&mut self) -> Result<()> {
        self.written = Instant::now();
        if self.waiting.is_empty() && !self.checkpoints.is_fresh() {
            return Ok(());
        }
        let now_s = self.clock.now_s();
        let mut waiting = std::mem::take(&mut self.waiting);
        // They come in the order in which workers are done with them: nobody should see that in what is told.
        waiting.sort_unstable_by_key(|judged| judged.number);
        let mut told: Vec<(ItemId, Verdict, Vec<u8>)> = Vec::new();
        let mut recording = Recording {
            batch: self.catalog.batch(self.collection.id, self.stint)?,
            collection: self.collection,
            ground: self.ground,
            gone: self.gone,
            has_gone: self.has_gone,
            damage: self.damage,
            logs: self.logs,
            rotated: self.course.rotated.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            is_first: self.is_first,
            is_elsewhere: self.by.is_some(),
            standing: self.standing,
            added: &mut self.added,
            found: Vec::new(),
            directory: None,
            good: Vec::new(),
            now_s,
        };
        for judged in waiting {
            let path = judged.path.clone();
            let (verdict, item) = recording.record(judged)?;
            let is_good = matches!(verdict, Verdict::Ok | Verdict::Touched | Verdict::Registered);
            if is_good && self.changed_metadata.contains(item.0 as u64) {
                self.settled_metadata.insert(item.0 as u64);
            }
            self.counts.add(verdict, 1);
            // One that stands as new since an earlier audit is not new to this one.
            let stands = recording.found.last() == Some(&(item, verdict, false));
            if verdict == Verdict::New && !stands {
                self.course.new_items.lock().unwrap_or_else(PoisonError::into_inner).insert(item.0 as u64);
            }
            if !self.said.contains(item.0 as u64) {
                self.alarming.add(verdict, 1);
            }
            // Whether a new one is a copy is known at the end.
            if matches!(verdict, Verdict::Moved | Verdict::Touched | Verdict::Grown) {
                let path = if path.is_empty() { recording.batch.path_of(item)? } else { path };
                told.push((item, verdict, path));
            }
        }
        self.checkpoints.write(&recording.batch)?;
        let rotated = std::mem::take(&mut recording.rotated);
        *self.course.rotated.lock().unwrap_or_else(PoisonError::into_inner) = rotated;
        let found = recording.commit()?;
        let findings: RoaringTreemap = found.iter().map(|(item, ..)| item.0 as u64).collect();
        for (item, verdict, path) in told {
            if !findings.contains(item.0 as u64) {
                (self.events)(AuditEvent::File { path: &path, verdict, cause: None, detail: "" })?;
            }
        }
        for (item, verdict, is_new) in found {
            // That it is a copy is known at the end, and each file is told once.
            if (verdict, is_new) == (Verdict::New, true) {
                continue;
            }
            tell(self.catalog, self.collection, self.events, (item, verdict, is_new))?;
        }
        let changed = self.alarming.of(Verdict::Changed);
        let unreadable = self.alarming.of(Verdict::Unreadable) + self.alarming.of(Verdict::Unstable);
        if let Some(allowed) = self.allowed.filter(|allowed| self.missing + changed + unreadable > *allowed) {
            let missing = self.missing;
            self.held = Some(Held::TooMany { missing, changed, unreadable, allowed });
            // What is read already is recorded; nothing more is begun.
            self.course.is_held.store(true, Ordering::Release);
        }
        Ok(())
    }
}

/// What is done to the catalogue for the files of a batch.
struct Recording<'a> {
    batch: Batch<'a>,
    collection: &'a Collection,
    ground: &'a dyn Ground,
    gone: &'a Gone,
    has_gone: bool,
    damage: &'a HashMap<Vec<Digest>, ItemId>,
    logs: &'a Logs,
    /// Those of them that were found under these.
    rotated: RoaringTreemap,
    is_first: bool,
    /// What is recorded was not read here.
    is_elsewhere: bool,
    standing: &'a RoaringTreemap,
    added: &'a mut RoaringTreemap,
    /// Findings that were recorded, and whether they are said for the first time.
    found: Vec<(ItemId, Verdict, bool)>,
    /// The directory of the last new file.
    directory: Option<(Vec<u8>, crate::items::DirectoryId)>,
    good: Vec<Good>,
    now_s: i64,
}

/// What a new file was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whence {
    /// Nothing that is known.
    Nowhere,
    /// This item, which is gone.
    Moved(ItemId),
    /// This item, whose name another file has.
    Rotated(ItemId),
    /// This item, whose known content it does not have; and whether that is gone.
    Damaged(ItemId, bool),
}

/// Items that were read good.
#[derive(Clone, Copy)]
struct Good {
    /// From here on there is no other one.
    first: i64,
    last: i64,
    stint: StintId,
    /// Where the bytes came from, if there were any.
    reading: Option<ReadingKind>,
}

impl Good {
    /// Makes one of two, if they touch and say the same.
    fn join(&mut self, next: &Self) -> bool {
        let is_same = self.reading.is_none() || next.reading.is_none() || self.reading == next.reading;
        let joins = self.stint == next.stint && self.last + 1 >= next.first && is_same;
        if joins {
            self.last = next.last;
            self.reading = self.reading.or(next.reading);
        }
        joins
    }

    fn put(self, batch: &Batch<'_>) -> Result<()> {
        // There was nothing to read in any of them, wherever it would have come from.
        let reading = self.reading.unwrap_or(ReadingKind::Device);
        batch.read_good_in(self.stint, ItemId(self.first), ItemId(self.last), reading)
    }
}

impl Recording<'_> {
    /// Records a file, and returns the verdict on it, for which it may take a look at others.
    fn record(&mut self, judged: Judged) -> Result<(Verdict, ItemId)> {
        // As long as its content is the known one, or becomes that.
        let is_known = matches!(
            judged.verdict,
            Verdict::New | Verdict::Registered | Verdict::Ok | Verdict::Touched | Verdict::Grown
        );
        // Of others no version is told. What is as known has the one that was read here.
        let is_untold = self.is_elsewhere && judged.verdict == Verdict::Ok;
        let is_kept = is_known && !is_untold && self.collection.terms.is_in_store();
        let version = judged.version.clone();
        let (verdict, item) = match judged.known.clone() {
            None => self.new_file(judged)?,
            Some(known) => {
                let item = known.item;
                (self.known_file(known, judged)?, item)
            }
        };
        if is_kept {
            self.batch.put_read_version(item, version.as_deref())?;
        }
        Ok((verdict, item))
    }

    fn new_file(&mut self, judged: Judged) -> Result<(Verdict, ItemId)> {
        let (parent, name) = split(&judged.path);
        let directory = match &self.directory {
            Some((path, directory)) if path == parent => *directory,
            _ => {
                let directory = self.batch.directory(parent)?;
                self.directory = Some((parent.to_vec(), directory));
                directory
            }
        };
        if !matches!(judged.verdict, Verdict::New | Verdict::Registered) {
            let content = Content { digests: Vec::new(), ..judged.content.clone() };
            let item = self.batch.add(directory, name, &content, State::Unread)?;
            self.added.insert(item.0 as u64);
            self.batch.withhold(item, judged.verdict, &judged.seen(), judged.stint)?;
            return Ok((judged.verdict, item));
        }
        let whence = self.whence(&judged, name)?;
        if let Whence::Damaged(of, is_moved) = whence {
            let known = self.as_known_elsewhere(of, &judged)?;
            let item = self.batch.add(directory, name, &known, State::Present)?;
            self.added.insert(item.0 as u64);
            return Ok((self.damaged(item, (of, is_moved), &judged)?, item));
        }
        let verdict = if whence == Whence::Nowhere { judged.verdict } else { Verdict::Moved };
        let is_finding = judged.policy == Policy::Frozen && !self.is_first;
        let state = match judged.is_settled {
            _ if is_finding => State::Unaccepted,
            true => State::Present,
            false => State::Unsettled,
        };
        let item = self.batch.add(directory, name, &judged.content, state)?;
        self.added.insert(item.0 as u64);
        self.good(item, item, &judged);
        self.end_move(whence, item, is_finding)?;
        if is_finding {
            self.find(item, verdict, &judged)?;
        }
        Ok((verdict, item))
    }

    /// What a new file was before, as far as its content or its inode tells. `name`: its own, in its directory.
    fn whence(&self, judged: &Judged, name: &[u8]) -> Result<Whence> {
        let content = &judged.content;
        let Some(size) = content.size else { return Ok(Whence::Nowhere) };
        let log = self.logs.origin(content, judged.beginning.as_ref(), &self.rotated);
        let moved = match size {
            _ if !self.has_gone || log.is_some_and(|log| log.has_inode_of(content)) => None,
            // They are all alike.
            0 => {
                let is_old = !self.was_made_since(judged)?;
                self.gone.take_empty(content.inode.filter(|_| is_old), name)?
            }
            _ => self.gone.take(content)?,
        };
        if let Some(origin) = moved {
            return Ok(Whence::Moved(origin));
        }
        if let Some(log) = log {
            return Ok(match self.gone.take_out(log.item)? {
                true => Whence::Moved(log.item),
                false => Whence::Rotated(log.item),
            });
        }
        let damaged = self.damage.get(&content.digests).filter(|_| size > 0);
        if let Some(&of) = damaged
            && !self.batch.is_known_content(self.collection, content)?
        {
            return Ok(Whence::Damaged(of, self.gone.take_out(of)?));
        }
        // What it contained under its former name is not what it contains now.
        let renamed =
            if self.has_gone && content.inode.is_some() { self.gone.of_inode(content)? } else { None };
        match renamed {
            Some(of) if size > 0 && !self.was_made_since(judged)? => {
                Ok(Whence::Damaged(of, self.gone.take_out(of)?))
            }
            _ => Ok(Whence::Nowhere),
        }
    }

    /// Whether a file was made since the tree was last listed. Then it is no other one that was renamed, and has the inode of a file that was
    /// deleted. In trees whose files all have one time, size and time say little.
    fn was_made_since(&self, judged: &Judged) -> Result<bool> {
        let path = match &judged.known {
            Some(known) => self.batch.path_of(known.item)?,
            None => judged.path.clone(),
        };
        Ok(self
            .ground
            .made_s(&path)
            .zip(self.collection.listed_s)
            .is_some_and(|(made, listed)| made > listed))
    }

    /// What is known of a file that lies here now, damaged: its content and its times, as they were elsewhere.
    fn as_known_elsewhere(&self, of: ItemId, judged: &Judged) -> Result<Content> {
        let known = self.batch.item(self.collection, of)?.content;
        Ok(Content { changed: judged.content.changed, inode: judged.content.inode, ..known })
    }

    /// Records a file under a new name whose content is damaged: what was found so of another one, or not what that one contained when it was
    /// renamed.
    fn damaged(&mut self, item: ItemId, (of, is_moved): (ItemId, bool), judged: &Judged) -> Result<Verdict> {
        let stands = self.batch.stands(self.collection, of)?;
        // Of what is read differently each time no reading is the content.
        let is_found = stands.is_some_and(|stands| {
            matches!(stands.verdict, Verdict::Corrupt | Verdict::Missing | Verdict::Suspect)
                && stands.seen.content.digests == judged.content.digests
        });
        let path = shown_name(&self.batch.path_of(of)?);
        let (cause, detail) = match is_found {
            true if is_moved => (Cause::Renamed, format!("it was {path} before, and was damaged there")),
            true => (Cause::CopyOfDamage, format!("a copy of what was found at {path}")),
            // That is told when it was read again.
            false => (Cause::Renamed, String::new()),
        };
        let seen = Seen { cause: Some(cause), detail, ..judged.seen() };
        let verdict = if is_found { Verdict::Corrupt } else { Verdict::Suspect };
        if is_moved && is_found {
            self.batch.hand_on(of, item, verdict, &seen)?;
            self.batch.saw_again(item, &seen, self.now_s)?;
            self.batch.hand_on_good(of, item)?;
            self.found.push((item, verdict, true));
        } else {
            let is_new = self.batch.put_finding(item, verdict, &seen, self.now_s)?;
            if is_found {
                self.found.push((item, verdict, is_new));
            }
        }
        if is_moved {
            self.end_move(Whence::Moved(of), item, false)?;
        }
        Ok(verdict)
    }

    /// What was moved to an item is no longer expected where it was.
    fn end_move(&mut self, whence: Whence, item: ItemId, is_finding: bool) -> Result<()> {
        let origin = match whence {
            Whence::Moved(origin) => origin,
            // Its name has another file, which is as good as new: nothing else is known of that from here on, whatever ends the run.
            Whence::Rotated(log) => {
                self.rotated.insert(log.0 as u64);
                log
            }
            Whence::Nowhere | Whence::Damaged(..) => return Ok(()),
        };
        self.batch.set_state(origin, State::Retired)?;
        self.batch.forget_good(origin, origin)?;
        self.batch.drop_finding(origin)?;
        self.batch.happened(origin, Verdict::MovedAway.name(), Some(item), "", self.now_s)?;
        match is_finding {
            // That is told with the finding.
            true => Ok(()),
            false => self.batch.happened(item, Verdict::Moved.name(), Some(origin), "", self.now_s),
        }
    }

    fn known_file(&mut self, known: Known, judged: Judged) -> Result<Verdict> {
        let Known { item, from, mut state, content: was, .. } = known;
        let is_frozen = judged.policy == Policy::Frozen;
        // A filter has left it out for a time, and that nobody has accepted it stands on.
        if state == State::Ignored && self.is_unaccepted(item)? {
            state = State::Unaccepted;
        }
        let settled = if judged.is_settled { State::Present } else { State::Unsettled };
        match judged.verdict {
            // It was listed and not read yet, or it is back.
            Verdict::New => {
                let path = self.batch.path_of(item)?;
                let whence = self.whence(&judged, split(&path).1)?;
                if let Whence::Damaged(of, is_moved) = whence {
                    let known = self.as_known_elsewhere(of, &judged)?;
                    self.batch.replace(item, &known, State::Present)?;
                    return self.damaged(item, (of, is_moved), &judged);
                }
                let is_finding = is_frozen && !self.is_first;
                let state = if is_finding { State::Unaccepted } else { settled };
                self.batch.replace(item, &judged.content, state)?;
                self.good(item, item, &judged);
                self.end_move(whence, item, is_finding)?;
                let verdict = match whence {
                    Whence::Nowhere if self.is_first => Verdict::Registered,
                    Whence::Nowhere => Verdict::New,
                    _ => Verdict::Moved,
                };
                match is_finding {
                    true => self.find(item, verdict, &judged)?,
                    false => _ = self.clear(item, judged.reading)?,
                }
                return Ok(verdict);
            }
            Verdict::Ok | Verdict::Registered => {
                // Its time may be the known one as another file system keeps it.
                let signs = |of: &Content| (of.modified, of.changed, of.inode);
                let is_as_known = signs(&was) == signs(&judged.content);
                // What was found while nothing new was accepted is accepted where everything is.
                let state = if is_frozen || state != State::Unaccepted { state } else { State::Unread };
                let next = if state == State::Unaccepted { State::Unaccepted } else { settled };
                if !is_as_known || state != next {
                    self.batch.replace(item, &judged.content, next)?;
                }
                self.good(from, item, &judged);
                match judged.reading {
                    // That it is as it was found says nothing of whether anybody wants it.
                    _ if state == State::Unaccepted => {
                        self.batch.settle_by(item, Some(judged.reading), self.now_s)?;
                        let stands = self.batch.keep_unaccepted(item, &judged.seen(), self.now_s)?;
                        self.found.push((item, stands, false));
                        return Ok(stands);
                    }
                    // What was read wrong from the medium is good again when the medium says so, and that is for a reading here to
                    // tell: what came over the network may have come from the memory of another machine.
                    reading if judged.is_of_medium() && !self.is_elsewhere => {
                        self.clear(item, reading)?;
                    }
                    reading => self.clear_unless_of_medium(item, reading)?,
                }
            }
            Verdict::Touched if is_frozen && state == State::Unaccepted => {
                self.batch.replace(item, &judged.content, State::Unaccepted)?;
                self.good(from, item, &judged);
                let stands = self.batch.keep_unaccepted(item, &judged.seen(), self.now_s)?;
                self.batch.saw_again(item, &judged.seen(), self.now_s)?;
                self.found.push((item, stands, false));
                return Ok(stands);
            }
            // Who restores a file restores it at a time of its own.
            Verdict::Touched if is_frozen && !self.is_restored(item)? => {
                self.find(item, Verdict::Touched, &judged)?;
                self.batch.settle_by(item, Some(judged.reading), self.now_s)?;
                self.good(from, item, &judged);
            }
            Verdict::Touched | Verdict::Grown => {
                self.batch.replace(item, &judged.content, settled)?;
                self.good(from, item, &judged);
                match judged.reading {
                    reading if judged.is_of_medium() && !self.is_elsewhere => {
                        _ = self.clear(item, reading)?
                    }
                    reading => self.clear_unless_of_medium(item, reading)?,
                }
            }
            Verdict::Suspect => {
                let seen = judged.seen();
                let stands = self.batch.put_suspicion(self.collection, item, &seen, self.now_s)?;
                if let Some((stands, is_new)) = stands {
                    self.found.push((item, stands, is_new));
                    return Ok(stands);
                }
            }
            verdict => {
                self.batch.withhold(item, verdict, &judged.seen(), judged.stint)?;
            }
        }
        Ok(judged.verdict)
    }

    /// Whether it stands against an item that nobody has accepted it.
    fn is_unaccepted(&self, item: ItemId) -> Result<bool> {
        let stands = match self.standing.contains(item.0 as u64) {
            true => self.batch.stands(self.collection, item)?,
            false => None,
        };
        let of_new = [Verdict::New, Verdict::Moved, Verdict::Copied];
        Ok(stands.is_some_and(|stands| of_new.contains(&stands.verdict)))
    }

    /// Whether something stands against the content of an item, or says that it is gone: it has come back.
    fn is_restored(&self, item: ItemId) -> Result<bool> {
        let stands = match self.standing.contains(item.0 as u64) {
            true => self.batch.stands(self.collection, item)?,
            false => None,
        };
        Ok(stands.is_some_and(|stands| {
            OF_MEDIUM.contains(&stands.verdict)
                || matches!(stands.verdict, Verdict::Missing | Verdict::Unreadable | Verdict::Unstable)
        }))
    }

    fn good(&mut self, from: ItemId, item: ItemId, judged: &Judged) {
        // Who has no bytes goes with its neighbours: of its reading nothing is to be told.
        let reading = (!judged.is_empty).then_some(judged.reading);
        let mut first = from.0;
        // No other item was there when the plan was made. Those that were added since were read by themselves, or not at all.
        if first < item.0 {
            let before = self.added.rank(item.0 as u64 - 1);
            let last = before.checked_sub(1).and_then(|last| self.added.select(last));
            first = last.map_or(first, |last| first.max(last as i64 + 1));
        }
        self.good.push(Good { first, last: item.0, stint: judged.stint, reading });
    }

    /// Records a finding.
    fn find(&mut self, item: ItemId, verdict: Verdict, judged: &Judged) -> Result<()> {
        let is_new = self.batch.put_finding(item, verdict, &judged.seen(), self.now_s)?;
        self.found.push((item, verdict, is_new));
        Ok(())
    }

    fn clear(&mut self, item: ItemId, reading: ReadingKind) -> Result<bool> {
        match self.standing.contains(item.0 as u64) {
            true => self.batch.clear_by(item, Some(reading), self.now_s),
            false => Ok(false),
        }
    }

    /// A content that was read wrong from the medium takes the medium to say that it is good.
    fn clear_unless_of_medium(&mut self, item: ItemId, reading: ReadingKind) -> Result<()> {
        if self.standing.contains(item.0 as u64) && !self.batch.is_of_medium(item)? {
            self.batch.clear_by(item, Some(reading), self.now_s)?;
        }
        Ok(())
    }

    /// Records what was read good, in as few spans as will do, and makes all of it.
    fn commit(mut self) -> Result<Vec<(ItemId, Verdict, bool)>> {
        self.good.sort_unstable_by_key(|good| good.first);
        let mut present: Option<Good> = None;
        for good in std::mem::take(&mut self.good) {
            if present.as_mut().is_some_and(|present| present.join(&good)) {
                continue;
            }
            if let Some(before) = present.replace(good) {
                before.put(&self.batch)?;
            }
        }
        if let Some(last) = present {
            last.put(&self.batch)?;
        }
        self.batch.commit()?;
        Ok(self.found)
    }
}

impl Judged {
    /// Whether its bytes are those that are stored; there may be none.
    fn is_of_medium(&self) -> bool {
        self.is_empty || self.reading.is_of_medium()
    }

    fn seen(&self) -> Seen {
        Seen {
            content: self.content.clone(),
            again: Vec::new(),
            reading: (!self.content.digests.is_empty()).then_some(self.reading),
            detail: self.detail.clone(),
            version: self.version.clone(),
            cause: None,
        }
    }
}

/// What was found of a file.
pub(crate) fn content_of(record: &Record) -> Content {
    let is_read = is_read(record);
    let facts = record.facts;
    // An object of a store has no number, and one time.
    let of_file = facts.filter(|facts| facts.inode != 0);
    Content {
        size: match is_read {
            // Of a file that was gone on with only the rest was read; what is made up when it is read has no size.
            true => Some(record.digested_bytes.max(facts.map_or(0, |facts| facts.size_bytes))),
            false => facts.map(|facts| facts.size_bytes),
        },
        modified: facts.map(|facts| keepable(facts.modified)),
        changed: of_file.map(|facts| keepable(facts.changed)),
        inode: of_file.map(|facts| facts.inode),
        digests: if is_read { record.digests.clone() } else { Vec::new() },
    }
}

/// Whether all of a content came, in one state.
fn is_read(record: &Record) -> bool {
    matches!(record.outcome, Outcome::Read | Outcome::Disputed(_))
}

/// Whether the store of what was read keeps a checksum of another content.
pub(super) fn is_disputed(record: &Record) -> bool {
    matches!(record.outcome, Outcome::Disputed(_))
}

/// What is said of a content that has its known digests, and another checksum than its store keeps.
pub(super) const AS_KNOWN: &str = "its content is as known, but the store keeps another checksum for it: that checksum is damaged; upload the object again";

/// What is said of an object that was listed when the audit began, and is neither there nor listed when its turn comes.
const GONE_SINCE: &str = "it was listed when the audit began, and has gone since";

/// What is said of an object that is not there by the name by which its store lists it.
const LISTED_ALL_THE_SAME: &str = "though it lists this name: the content is lost, or the key has characters that a listing cannot hold; if so, copy \
     the object to another key";

/// Where the bytes of a reading came from.
pub(crate) fn reading_of(origin: Origin) -> ReadingKind {
    match origin {
        Origin { cache_bytes: 0, network_bytes: 0, unknown_bytes: 0, device_bytes } if device_bytes > 0 => {
            ReadingKind::Device
        }
        Origin { cache_bytes: 0, network_bytes, unknown_bytes: 0, device_bytes: 0 } if network_bytes > 0 => {
            ReadingKind::Network
        }
        Origin { cache_bytes, network_bytes: 0, unknown_bytes: 0, .. } if cache_bytes > 0 => {
            ReadingKind::Cache
        }
        _ => ReadingKind::Unknown,
    }
}

/// Whether a failure says that there is no file: nothing, or something else than the file that was listed.
pub(crate) fn is_not_there(failure: Failure) -> bool {
    use std::io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    let error = failure.io_error();
    let is_link = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    failure.cause == SystemCause::Obstacle(Obstacle::Special)
        || is_link
        || matches!(error.kind(), NotFound | NotADirectory | IsADirectory)
}

/// Whether a failure says that this user may not open a file.
fn is_forbidden(failure: Failure) -> bool {
    failure.operation == Operation::Open && failure.io_error().kind() == std::io::ErrorKind::PermissionDenied
}

/// Whether a path lies below one of these directories.
fn is_below(path: &[u8], directories: &BTreeSet<Vec<u8>>) -> bool {
    let above = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| &path[..end]);
    std::iter::once(&b""[..]).chain(above).any(|directory| directories.contains(directory))
}

/// How long the beginning is that was digested by itself, and its digests.
fn beginning_of(record: &Record) -> Option<(u64, Vec<Digest>)> {
    let pieces = record.pieces.as_ref().filter(|pieces| pieces.count() == 1)?;
    Some((pieces.end(), pieces.digests(0).to_vec()))
}

/// What is appended to a file while it is read is left to the next audit: what was read is its beginning, and is as good as a file.
fn end_where_it_was_read(record: &mut Record) {
    let is_whole = |facts: Facts| record.digested_bytes >= facts.size_bytes;
    if record.outcome == Outcome::Unstable(Instability::Grew)
        && !record.digests.is_empty()
        && record.facts.is_some_and(is_whole)
    {
        record.outcome = Outcome::Read;
    }
}

/// Whether the beginning of a file that may grow is what was known of it.
fn begins_as(known: &Content, record: &Record) -> bool {
    let Some(pieces) = &record.pieces else { return false };
    known.size == Some(pieces.end()) && pieces.count() == 1 && pieces.digests(0) == known.digests
}

/// Why hashlane has not read a file, if that was for a reason of its own.
pub(super) fn obstacle(record: &Record) -> Option<Obstacle> {
    match record.outcome {
        Outcome::Failed(Failure { cause: SystemCause::Obstacle(obstacle), .. }) => Some(obstacle),
        _ => None,
    }
}

/// Whether a server was not reached, or broke off.
fn is_of_network(failure: Failure) -> bool {
    use rustix::io::Errno;
    const OF_NETWORK: [Errno; 5] =
        [Errno::TIMEDOUT, Errno::CONNRESET, Errno::CONNREFUSED, Errno::HOSTUNREACH, Errno::PROTO];
    matches!(failure.cause, SystemCause::System(number) if OF_NETWORK.iter().any(|errno| errno.raw_os_error() == number))
}

/// An error of the catalogue on its way through the engine and back.
pub(crate) fn of_engine(error: hashlane_engine::Error) -> Error {
    match error {
        hashlane_engine::Error::Sink(source) => match source.downcast::<Error>() {
            Ok(error) => *error,
            Err(source) => Error::Sink(source),
        },
        error => Error::Engine(error),
    }
}
