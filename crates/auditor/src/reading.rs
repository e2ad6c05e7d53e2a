//! The second part of an audit: what was read is judged, and handed over to be recorded in batches.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use hashlane_catalog::scratch::{Displaced, Gone};
use hashlane_catalog::{
    Clock, Collection, Content, Error, ItemId, ReadBy, Reading, ReadingKind, Result, Stint, Unchecked,
    Verdict, Writer, WrittenOver, judge, keepable,
};
use hashlane_digest::Digest;
use hashlane_engine::{Sink, Taken};
use hashlane_record::{
    Cause, Facts, Failure, Instability, Medium, Obstacle, Operation, Origin, Outcome, Record,
};
use roaring::RoaringTreemap;

use crate::breaker::{Alarm, Limits, Sign};
use crate::checkpoints::Checkpoints;
use crate::counts::Counts;
use crate::course::Course;
use crate::ground::Ground;
use crate::hold::Held;
use crate::limit::Limit;
use crate::logs::Logs;
use crate::meter::{Done, Meter};
use crate::recording::{Judged, Recording};
use crate::spread::Damage;
use crate::tag::{Known, Tag};
use crate::told::{AuditEvent, Events, Stands, mark_told, tell};

/// A batch is written when it has so many files, or when the oldest one waits for so long.
const BATCH_FILES: usize = 16_384;
const BATCH_TIME: Duration = Duration::from_secs(1);

/// Judges what the engine reads, and records it.
pub(crate) struct Pass<'a> {
    pub(crate) catalog: &'a mut Writer,
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
    /// Known items whose names have other files now, or none.
    pub(crate) displaced: &'a Displaced,
    /// Whether something is gone, so that new files may be moved ones.
    pub(crate) has_gone: bool,
    /// Items that a filter left out until now.
    pub(crate) taken_again: &'a RoaringTreemap,
    /// Contents that stand as damaged, and against which items.
    pub(crate) damage: &'a Damage,
    /// What was found in the place of damage.
    pub(crate) written_over: &'a WrittenOver,
    /// Files that may be appended to, and have other names now.
    pub(crate) logs: &'a Logs,
    /// Those of them that were found under these.
    pub(crate) rotated: RoaringTreemap,
    /// Items that the page cache did not let go of when they were read last.
    pub(crate) in_use: RoaringTreemap,
    /// Items against which something stands, and that were read good, but from the page cache alone.
    pub(crate) only_cached: RoaringTreemap,
    /// Known items that were read and have another content.
    pub(crate) read_changed: RoaringTreemap,
    /// Items of which something else has changed than their content, and those of them that were read good.
    pub(crate) changed_metadata: &'a RoaringTreemap,
    pub(crate) settled_metadata: RoaringTreemap,
    /// Items against which something stands.
    pub(crate) standing: &'a RoaringTreemap,
    /// Those of them whose content differs or could not be read.
    pub(crate) said: &'a RoaringTreemap,
    /// How much is believed; none: all of it.
    pub(crate) limits: Option<Limits>,
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
    /// Files that are gone, have changed or could not be read, and of which that is not said already.
    pub(crate) alarm: Alarm,
    /// Items that were added in this run: they lie where others were read good around them.
    pub(crate) added: RoaringTreemap,
    pub(crate) course: Arc<Course>,
    pub(crate) waiting: Vec<Judged>,
    pub(crate) written: Instant,
    pub(crate) checkpoints: Arc<Checkpoints>,
    /// Directories that could not be listed: that is said of them, and not of each of their files that cannot be read.
    pub(crate) unlisted: BTreeSet<Vec<u8>>,
    pub(crate) limit: Arc<Limit>,
    /// Keeps how far the reading is.
    pub(crate) meter: &'a Meter,
    /// Bytes that are likely to be read, where that can be told before.
    pub(crate) expected_bytes: Option<u64>,
}

impl Sink for Pass<'_> {
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

impl Pass<'_> {
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
        if self.has_grown_since(&tag, &record) {
            // The next listing asks for its beginning.
            self.counts.add(Verdict::NotChecked(Unchecked::Budget), 1);
            return Ok(None);
        }
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
                    begins_as_known: begins_as(&known.content, &record)
                        // Everything begins with nothing.
                        || known.content.size == Some(0) && self.logs.takes(record.path.as_bytes()),
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
            policy: self.logs.policy(record.path.as_bytes()),
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

    /// Whether a file that may be appended to is longer than it was known, and looked unchanged when the tree was listed: of its beginning
    /// nothing was asked for. The next listing finds it changed.
    fn has_grown_since(&self, tag: &Tag, record: &Record) -> bool {
        let Tag::Known(Known { listed: 0, content, .. }) = tag else { return false };
        is_read(record)
            && record.pieces.is_none()
            && !self.is_changed(tag)
            && content.size.is_some_and(|known| (1..record.digested_bytes).contains(&known))
            && self.logs.takes(record.path.as_bytes())
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
        self.limits?.exceeded(self.alarm.expected(unsaid))
    }

    /// What was read, and what is to be read: that is known once all of it was handed out.
    fn done(&self) -> Done {
        let planned = self.course.bytes.load(Ordering::Acquire);
        let is_known = [&self.course.is_over, &self.course.is_used_up];
        let planned_bytes = match is_known.iter().any(|known| known.load(Ordering::Acquire)) {
            true => Some(planned),
            false => self.expected_bytes.map(|expected| expected.max(planned)),
        };
        // A file that is being read has no record yet.
        let bytes = self.bytes.max(self.limit.control().progress().digested_bytes);
        Done { files: self.files, bytes, planned_bytes }
    }

    /// Records what waits.
    pub(crate) fn write(&mut self) -> Result<()> {
        self.written = Instant::now();
        if self.waiting.is_empty() && !self.checkpoints.is_fresh() {
            return self.meter.keep_fresh(self.catalog, || self.done());
        }
        let done = self.done();
        let now_s = self.clock.now_s();
        let mut waiting = std::mem::take(&mut self.waiting);
        // They come in the order in which workers are done with them: nobody should see that in what is told.
        waiting.sort_unstable_by_key(|judged| judged.number);
        let mut recording = Recording {
            batch: self.catalog.batch(self.collection.id, self.stint)?,
            collection: self.collection,
            ground: self.ground,
            gone: self.gone,
            displaced: self.displaced,
            has_gone: self.has_gone,
            taken_again: self.taken_again,
            damage: self.damage,
            written_over: self.written_over,
            logs: self.logs,
            rotated: &mut self.rotated,
            in_use: &mut self.in_use,
            only_cached: &mut self.only_cached,
            changed: &mut self.read_changed,
            is_first: self.is_first,
            is_elsewhere: self.by.is_some(),
            standing: self.standing,
            added: &mut self.added,
            found: Vec::new(),
            directory: None,
            good: Vec::new(),
            now_s,
        };
        let mut good: Vec<(ItemId, Verdict)> = Vec::new();
        for judged in waiting {
            let sign = Sign::of(&judged, self.collection.terms.is_in_store());
            let (verdict, item) = recording.record(judged)?;
            let is_good = matches!(verdict, Verdict::Ok | Verdict::Touched | Verdict::Registered);
            if is_good && self.changed_metadata.contains(item.0 as u64) {
                self.settled_metadata.insert(item.0 as u64);
            }
            self.counts.add(verdict, 1);
            // One that stands as new since an earlier audit is not new to this one.
            let stands = recording.found.last() == Some(&Stands { item, verdict, is_new: false });
            if verdict == Verdict::New && !stands {
                self.course.new_items.lock().unwrap_or_else(PoisonError::into_inner).insert(item.0 as u64);
            }
            if !self.said.contains(item.0 as u64) {
                self.alarm.add(verdict, sign);
            }
            if matches!(verdict, Verdict::Moved | Verdict::Touched | Verdict::Grown) {
                good.push((item, verdict));
            }
        }
        self.checkpoints.write(&recording.batch)?;
        self.meter.write(&recording.batch, done)?;
        let found = recording.commit()?;
        let findings: RoaringTreemap = found.iter().map(|stands| stands.item.0 as u64).collect();
        good.retain(|(item, _)| !findings.contains(item.0 as u64));
        for (item, verdict) in good {
            let path = self.catalog.path_of(item)?;
            (self.events)(AuditEvent::File { path: &path, verdict, cause: None, detail: "" })?;
            self.course.note_told(item);
        }
        for Stands { item, verdict, is_new } in found {
            // That it is a copy, and of what, is known at the end, and each file is told once.
            match (verdict, is_new) {
                (Verdict::New, true) => {}
                (Verdict::New, false) => {
                    let mut standing =
                        self.course.standing_new.lock().unwrap_or_else(PoisonError::into_inner);
                    standing.insert(item.0 as u64);
                }
                _ => {
                    tell(self.catalog, self.collection, self.events, Stands { item, verdict, is_new })?;
                    self.course.note_told(item);
                }
            }
        }
        mark_told(self.catalog, self.events, now_s)?;
        // What is not held back is read and told all the same.
        if let Some(held) = self.limits.and_then(|limits| limits.exceeded(self.alarm)) {
            self.held = Some(held);
        }
        Ok(())
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
pub(crate) fn is_disputed(record: &Record) -> bool {
    matches!(record.outcome, Outcome::Disputed(_))
}

/// What is said of a content that has its known digests, and another checksum than its store keeps.
pub(crate) const AS_KNOWN: &str = "its content is as known, but the store keeps another checksum for it: that checksum is damaged; upload the object again";

/// What is said of an object that was listed when the audit began, and is neither there nor listed when its turn comes.
const GONE_SINCE: &str = "it was listed when the audit began, and has gone since";

/// What is said of an object that is not there by the name by which its store lists it.
const LISTED_ALL_THE_SAME: &str = "though it lists this name: the content is lost, or the key has characters that a listing cannot hold; if so, copy \
     the object to another key";

/// Where the bytes of a reading came from.
pub(crate) fn reading_of(origin: Origin, medium: Medium) -> ReadingKind {
    match medium {
        Medium::Shown => return ReadingKind::Device,
        Medium::NotShown(Obstacle::BesideMetadata) => return ReadingKind::BesideMetadata,
        Medium::NotShown(Obstacle::CacheUnseen) => return ReadingKind::CacheUnseen,
        Medium::NotShown(Obstacle::CacheUnreported) => return ReadingKind::CacheUnreported,
        Medium::NotShown(Obstacle::InMemory) => return ReadingKind::InMemory,
        Medium::NotShown(Obstacle::Cached) => return ReadingKind::InUse,
        Medium::SeenCached => return ReadingKind::Cache,
        Medium::NotShown(_) | Medium::Unasked => {}
    }
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
    failure.cause == Cause::Obstacle(Obstacle::Special)
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
pub(crate) fn obstacle(record: &Record) -> Option<Obstacle> {
    match record.outcome {
        Outcome::Failed(Failure { cause: Cause::Obstacle(obstacle), .. }) => Some(obstacle),
        _ => None,
    }
}

/// Whether a server was not reached, or broke off.
fn is_of_network(failure: Failure) -> bool {
    use rustix::io::Errno;
    const OF_NETWORK: [Errno; 5] =
        [Errno::TIMEDOUT, Errno::CONNRESET, Errno::CONNREFUSED, Errno::HOSTUNREACH, Errno::PROTO];
    matches!(failure.cause, Cause::System(number) if OF_NETWORK.iter().any(|errno| errno.raw_os_error() == number))
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
