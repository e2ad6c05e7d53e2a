//! The second part of an audit: what was read is judged, and handed over to be recorded in batches.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use hashlane_catalog::{Clock, Collection, ItemId, Result, Stint, Unchecked, Verdict, Writer};
use hashlane_engine::{Sink, Taken};
use hashlane_record::Record;
use roaring::RoaringTreemap;

use crate::breaker::{Sign, Watch};
use crate::course::lock;
use crate::judge::{Judge, Judged};
use crate::meter::{Done, Meter};
use crate::recording::{Recorder, Recording};
use crate::tag::{Known, Tag};
use crate::tally::Tally;
use crate::told::{AuditEvent, Events, Stands, mark_told, tell};
use crate::under_way::Means;

/// A batch is written when it has this many files, or when the oldest one has waited for this long.
const BATCH_FILES: usize = 16_384;
const BATCH_TIME: Duration = Duration::from_secs(1);

/// Takes what the engine reads, has it judged, and records it.
pub(crate) struct Pass<'a> {
    pub(crate) catalog: &'a mut Writer,
    pub(crate) collection: &'a Collection,
    pub(crate) stint: Stint,
    pub(crate) clock: Clock,
    pub(crate) events: Events<'a>,
    pub(crate) means: Means,
    pub(crate) judge: Judge<'a>,
    pub(crate) recorder: Recorder<'a>,
    pub(crate) watch: Watch,
    pub(crate) tally: Tally,
    /// Files that were judged, and when those before them were written.
    pub(crate) waiting: Vec<Judged>,
    pub(crate) written: Instant,
    /// Keeps how far the reading is.
    pub(crate) meter: &'a Meter,
    /// Bytes that are likely to be read, where that is known beforehand.
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
        self.means.limit.look_at_time();
        Ok(())
    }
}

impl Pass<'_> {
    /// Takes what was read of a file.
    pub(crate) fn take(&mut self, record: Record) -> Result<()> {
        let judged = self.judge.judge(record, &mut self.tally)?;
        self.means.course.has_progress.store(true, Ordering::Release);
        self.waiting.extend(judged);
        if self.waiting.len() >= BATCH_FILES || self.written.elapsed() >= BATCH_TIME {
            self.write()?;
        }
        Ok(())
    }

    /// Takes note that a file was not read, by the tag that it has. New ones are counted when the run ends.
    pub(crate) fn leave(&mut self, tag: &[u8]) -> Result<()> {
        if let Tag::Known(Known { listed: 0, .. }) = Tag::decode(tag, &self.collection.terms.algorithms)? {
            self.tally.counts.add(Verdict::NotChecked(Unchecked::Budget), 1);
        }
        Ok(())
    }

    /// What was read, and what is to be read: that is known once all of it was handed out.
    fn done(&self) -> Done {
        let course = &self.means.course;
        let planned = course.bytes.load(Ordering::Acquire);
        let is_known = [&course.is_over, &course.is_used_up];
        let planned_bytes = match is_known.iter().any(|known| known.load(Ordering::Acquire)) {
            true => Some(planned),
            false => self.expected_bytes.map(|expected| expected.max(planned)),
        };
        // A file that is being read has no record yet.
        let bytes = self.tally.bytes.max(self.means.limit.control().progress().digested_bytes);
        Done { files: self.tally.files, bytes, planned_bytes }
    }

    /// Records what waits.
    pub(crate) fn write(&mut self) -> Result<()> {
        self.written = Instant::now();
        if self.waiting.is_empty() && !self.means.checkpoints.is_fresh() {
            return self.meter.keep_fresh(self.catalog, || self.done());
        }
        let done = self.done();
        let now_s = self.clock.now_s();
        let course = &self.means.course;
        let mut waiting = std::mem::take(&mut self.waiting);
        // They come in the order in which workers are done with them: nobody should see that in what is reported.
        waiting.sort_unstable_by_key(|judged| judged.number);
        let batch = self.catalog.batch(self.collection.id, self.stint)?;
        let mut recording = Recording::new(batch, &mut self.recorder, now_s);
        let mut good: Vec<(ItemId, Verdict)> = Vec::new();
        for judged in waiting {
            let sign = Sign::of(&judged, self.collection.terms.is_in_store());
            let (verdict, item) = recording.record(judged)?;
            self.tally.counts.add(verdict, 1);
            // One that stands as new since an earlier audit is not new to this one.
            let stands = recording.found.last() == Some(&Stands { item, verdict, is_new: false });
            if verdict == Verdict::New && !stands {
                lock(&course.new_items).insert(item.0 as u64);
            }
            self.watch.add(item, verdict, sign);
            if matches!(verdict, Verdict::Moved | Verdict::Touched | Verdict::Grown) {
                good.push((item, verdict));
            }
        }
        self.means.checkpoints.write(&recording.batch)?;
        self.meter.write(&recording.batch, done)?;
        let found = recording.commit()?;
        let findings: RoaringTreemap = found.iter().map(|stands| stands.item.0 as u64).collect();
        good.retain(|(item, _)| !findings.contains(item.0 as u64));
        for (item, verdict) in good {
            let path = self.catalog.path_of(item)?;
            (self.events)(AuditEvent::File { path: &path, verdict, cause: None, detail: "" })?;
            course.note_told(item);
        }
        for stands in found {
            // Whether it is a copy, and of what, is known at the end, and each file is reported once.
            match (stands.verdict, stands.is_new) {
                (Verdict::New, true) => {}
                (Verdict::New, false) => {
                    let mut standing = lock(&course.standing_new);
                    standing.insert(stands.item.0 as u64);
                }
                _ => {
                    tell(self.catalog, self.collection, self.events, stands)?;
                    course.note_told(stands.item);
                }
            }
        }
        mark_told(self.catalog, self.events, now_s)?;
        // What is not held back is read and reported all the same.
        self.watch.look();
        Ok(())
    }
}
