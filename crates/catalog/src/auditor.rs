//! An audit of a collection: its tree is listed, its files are read and judged, and what was found is recorded.
//!
//! listing -> hold? -> read again what was left -> plan -> read -> judge -> record -> read suspects again -> what is missing -> end

mod allowance;
mod asked;
mod beside;
mod checkpoints;
mod clock;
mod copies;
mod counts;
mod ending;
mod ground;
mod hold;
mod limit;
mod listing;
mod plan;
mod reading;
mod recheck;
pub(crate) mod scratch;
mod suspects;
mod tag;
mod told;

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hashlane_engine::{Control, Filter, Skipped};
use hashlane_record::Origin;
use roaring::RoaringTreemap;
use serde::Serialize;

pub use asked::{AuditOptions, Scope};
pub use clock::Clock;
pub use counts::Counts;
pub use ground::{DirectoryState, Ground, How, Listed, LocalTree, MARKER, ToRead};
pub use hold::Held;
pub(crate) use hold::by_place;
pub use listing::Listing;
pub use plan::Budget;
pub use told::{AuditEvent, Audited, Events, Outcome};

use crate::catalog::Catalog;
use crate::collections::{Collection, SeenRoot};
use crate::error::{Error, Result};
use crate::findings::OF_CONTENT;
use crate::runs::{Ending, HeldRun, Stint, StintId};
use allowance::Allowance;
use checkpoints::{Checkpoints, Reuse};
use ending::Left;
use limit::Limit;
use plan::{Course, Due, Plan, Share, Stage};
use reading::Reader;

/// What stands for the period of a collection without a promise, in seconds.
const MONTH_S: i64 = 30 * 24 * 3600;

/// How often a collection without a promise, or with a long one, is expected to be audited, in seconds.
const LEAST_INTERVAL_S: i64 = 24 * 3600;

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
    /// Bytes of old files beyond what was due: the next audits read so much less.
    ahead_bytes: u64,
    /// How many files were gone that were not renamed: a run that was held goes on as long as not many more are.
    #[serde(skip_serializing_if = "Option::is_none")]
    gone_files: Option<u64>,
    verdicts: &'a Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<String>,
    /// What the root was: a run that was held goes on over the same one only.
    root: &'a str,
}

/// Audits a collection.
///
/// # Errors
/// Another process audits it ([`Error::Busy`]), the catalogue cannot be read or does not take what was found, `events` fails, or the system
/// does not let go on. What was recorded before stays, and the next audit with the same request goes on. If suspects could not be read again
/// for such a reason, all the rest was done before that is returned.
pub fn audit(
    catalog: &mut Catalog,
    collection: &Collection,
    ground: &dyn Ground,
    options: &AuditOptions,
    control: &Arc<Control>,
    events: Events<'_>,
) -> Result<Audited> {
    let now_s = options.clock.now_s();
    let _lock = catalog.lock(collection, now_s)?;
    let (scope, share, root, place) = (options.scope, Share::All, String::new(), String::new());
    Audit {
        catalog,
        collection,
        ground,
        options,
        control,
        events,
        now_s,
        scope,
        share,
        ahead_bytes: 0,
        gone_files: None,
        root,
        place,
        failed: None,
    }
    .run()
}

/// What the reading shares with its plan, the directories that could not be listed, and how many files look changed of which that was
/// not said.
type Means<'a> = (&'a Arc<Course>, &'a Arc<Checkpoints>, &'a Arc<Limit>, BTreeSet<Vec<u8>>, u64);

/// An audit that is under way.
struct Audit<'a> {
    catalog: &'a mut Catalog,
    collection: &'a Collection,
    ground: &'a dyn Ground,
    options: &'a AuditOptions,
    control: &'a Arc<Control>,
    events: Events<'a>,
    /// When it began, in seconds since 1970.
    now_s: i64,
    /// Which files it reads: as is asked for, or as was asked for when it was held.
    scope: Scope,
    /// What is to be read of the known files.
    share: Share,
    /// How far it has come beyond that.
    ahead_bytes: u64,
    /// How many files were gone that were not renamed, once the tree was listed.
    gone_files: Option<u64>,
    /// What the root is, in words; and with what is mounted in it.
    root: String,
    place: String,
    /// What kept files from being read again. It ends no audit, else nothing would be read in any.
    failed: Option<Error>,
}

impl Audit<'_> {
    fn run(mut self) -> Result<Audited> {
        let mut audited = Audited {
            outcome: Outcome::Complete,
            listing: Listing::default(),
            counts: Counts::default(),
            skipped: Skipped::default(),
            files: 0,
            bytes: 0,
            origin: Origin::default(),
            reread_files: 0,
            reread_bytes: 0,
            planned_files: 0,
            planned_bytes: 0,
            is_first: self.collection.listed_s.is_none(),
            goes_on: false,
            listing_time: Duration::ZERO,
            reading_time: Duration::ZERO,
            seal: None,
            rereading_time: Duration::ZERO,
        };
        let root = match self.ground.root() {
            Ok(root) => root,
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                let stint = self.begin_unless_dry()?;
                return self.refused(stint, audited, hashlane_record::system_text(&error));
            }
            Err(error) => {
                let stint = self.begin_unless_dry()?;
                return self.end_offline(stint, audited, hashlane_record::system_text(&error));
            }
        };
        self.root = format!("{} {}", root.file_system, root.inode);
        self.place = root.words();
        let held_before = match self.options.ignores_hold {
            true => Some(self.catalog.held(self.collection)?),
            false => None,
        };
        let stint = self.begin_unless_dry()?;
        audited.goes_on = stint.is_some_and(|stint| stint.goes_on);
        if stint.is_some() && self.collection.offline_s.is_some() {
            self.catalog.set_offline(self.collection.id, None)?;
        }
        let mut held = hold::by_place(self.catalog, self.collection, self.ground, &root)?;
        // Somebody has looked at the root that was there then with all that was mounted in it, and at no other.
        if held_before.as_ref().is_some_and(|was| was.root == root.words()) {
            held = None;
        }
        if let Some(held) = held {
            return self.hold(stint, audited, held);
        }
        let began = Instant::now();
        let found = self.list()?;
        audited.listing_time = began.elapsed();
        (audited.listing, audited.skipped) = (found.listing, found.skipped);
        (self.events)(AuditEvent::Listed(&found.listing))?;
        for (path, reason) in &found.unlisted {
            // A root that cannot be listed shows nothing of what is in it.
            if path.is_empty() {
                let reason = reason.clone();
                return self.refused(stint, audited, reason);
            }
            (self.events)(AuditEvent::Unlisted { path, reason })?;
        }
        let held = match held_before {
            // Who let it go on has seen what that listing found.
            Some(HeldRun { gone: Some(before), .. }) => hold::since(self.collection, before, &found),
            _ => hold::by_listing(self.catalog, self.collection, self.ground, &found)?,
        };
        self.gone_files = Some(found.listing.gone.saturating_sub(found.listing.renamed));
        if let Some(held) = held {
            return self.hold(stint, audited, held);
        }
        let at_once = found.listing.new + found.listing.changed;
        let is_all = self.scope == Scope::All
            && self.options.within.is_empty()
            && self.options.only.is_empty()
            && !audited.goes_on;
        let bytes = is_all.then(|| found.listing.bytes.min(self.options.budget.bytes.unwrap_or(u64::MAX)));
        (self.events)(AuditEvent::Planned { at_once, bytes })?;
        self.carry_out(stint, audited, found, &root)
    }

    /// Reads what is to be read, and says what came of it. Without a stint it is only counted.
    fn carry_out(
        mut self,
        stint: Option<Stint>,
        mut audited: Audited,
        found: listing::Found,
        root: &SeenRoot,
    ) -> Result<Audited> {
        let listing::Found {
            to_judge,
            gone,
            displaced,
            mut skip,
            newly_ignored,
            unmissed,
            changed,
            unlisted,
            unsaid,
            largest_bytes,
            ..
        } = found;
        if !self.options.only.is_empty() {
            // Only what stands is read, whatever it looks like now.
            skip -= changed;
        }
        let to_judge = Arc::new(Mutex::new(to_judge));
        let course = Arc::new(Course::default());
        let id = self.collection.id;
        let of_stint = (stint.map_or(StintId(0), |stint| stint.id), self.now_s);
        let algorithms = &self.collection.terms.algorithms;
        let limit = Arc::new(Limit::new(&self.options.budget, algorithms, self.control, &course));
        let reuse = (&self.root[..], self.reuse(stint));
        let checkpoints = Arc::new(Checkpoints::load(self.catalog, id, of_stint, reuse, &limit)?);
        self.share = self.share((audited.listing.bytes, largest_bytes))?;
        let allowance = Arc::new(Allowance::new(&self.options.budget, self.control));
        let again = (&allowance, &displaced);
        let left = match stint {
            Some(stint) => self.read_left(stint, again)?,
            None => suspects::Reread::default(),
        };
        let left_out = left.left_out();
        skip |= &left_out;
        let plan = self.plan(stint, &to_judge, (skip, left_out), (&course, &checkpoints))?;
        let Some(stint) = stint else {
            plan.for_each(drop);
            return self.counted(audited, &course);
        };
        let began = Instant::now();
        let hidden = unlisted.iter().map(|(path, _)| path.clone()).collect();
        self.read(stint, &mut audited, &gone, plan, (&course, &checkpoints, &limit, hidden, unsaid))?;
        if let Some(error) = course.failure() {
            return Err(error);
        }
        audited.planned_files = course.files.load(Ordering::Acquire);
        audited.planned_bytes = course.bytes.load(Ordering::Acquire);
        let aged =
            (course.aged_bytes.load(Ordering::Acquire), course.largest_aged_bytes.load(Ordering::Acquire));
        audited.reading_time = began.elapsed();
        self.read_suspects(stint, &mut audited, again, left)?;
        if let Outcome::Held(held) = audited.outcome.clone() {
            // They were read good, and the run that goes on does not come to them again.
            self.tell_new(stint, &mut audited, &course)?;
            return self.hold(Some(stint), audited, held);
        }
        if self.control.stopped().is_some() {
            audited.outcome = Outcome::Stopped;
            self.tell_new(stint, &mut audited, &course)?;
        } else if course.is_used_up.load(Ordering::Acquire) {
            audited.outcome = Outcome::Budget;
        }
        // What was withheld is found again where the run goes on: by then it may have become too much.
        if audited.outcome != Outcome::Stopped {
            self.apply_withheld(stint, &mut audited)?;
            self.tell_new(stint, &mut audited, &course)?;
            let left = Left {
                to_judge: &to_judge,
                gone: &gone,
                newly_ignored: &newly_ignored,
                unmissed: &unmissed,
                unlisted: &unlisted,
                course: &course,
            };
            self.end_listing(stint, &mut audited, &left)?;
            self.catalog.set_seen_root(self.collection.id, Some(root))?;
        }
        // All was read, and it is not known yet what some of it is.
        if audited.outcome == Outcome::Complete && allowance.is_used_up() {
            audited.outcome = Outcome::Budget;
        }
        self.ahead_bytes = match (self.share, &audited.outcome) {
            (Share::Due(due), Outcome::Complete) => due.ahead_after(aged.0, aged.1),
            // What a budget has ended goes on as soon as it can.
            _ => 0,
        };
        self.end(stint, &mut audited)?;
        match self.failed.take() {
            Some(error) => Err(error),
            None => Ok(audited),
        }
    }

    fn begin_unless_dry(&mut self) -> Result<Option<Stint>> {
        if self.options.dry_run { Ok(None) } else { self.begin().map(Some) }
    }

    fn begin(&mut self) -> Result<Stint> {
        let mut request = self.options.request();
        if self.options.ignores_hold {
            request.what = self.catalog.held(self.collection)?.request;
            self.scope = if request.what.starts_with("due") { Scope::Due } else { Scope::All };
        }
        let stint = self.catalog.begin_stint(self.collection.id, &request, self.now_s, self.since_s())?;
        self.catalog.forget_withheld(self.collection.id)?;
        Ok(stint)
    }

    /// Since when the same request is the same run: within a period, or without a promise within a month.
    fn since_s(&self) -> i64 {
        self.now_s.saturating_sub(self.collection.terms.period_s.unwrap_or(MONTH_S))
    }

    /// Which files that were put aside are gone on with: who asks for all bytes, and sets no budget, gets all of them read.
    fn reuse(&self, stint: Option<Stint>) -> Reuse {
        match stint {
            Some(stint) if self.scope == Scope::All && self.options.budget.is_unlimited() => {
                Reuse::OfRun(stint.run)
            }
            _ => Reuse::Since(self.since_s()),
        }
    }

    fn list(&mut self) -> Result<listing::Found> {
        let (events, control) = (&mut self.events, self.control);
        let mut progress = |files| {
            events(AuditEvent::Listing(files))?;
            match control.stopped() {
                Some(_) => Err(Error::Stopped),
                None => Ok(()),
            }
        };
        listing::list(self.catalog, self.collection, self.ground, &self.options.scratch, &mut progress)
    }

    fn plan(
        &self,
        stint: Option<Stint>,
        to_judge: &Arc<Mutex<scratch::ToJudge>>,
        (skip, left_out): (RoaringTreemap, RoaringTreemap),
        (course, checkpoints): (&Arc<Course>, &Arc<Checkpoints>),
    ) -> Result<Plan> {
        let id = self.collection.id;
        let share = self.share;
        // Who reads all goes on where the run was interrupted; what is due is due whoever has read it last.
        let run = match stint {
            Some(stint) => Some(stint.run),
            None => {
                let request = self.options.request();
                self.catalog.interrupted(id, &request.what, self.since_s())?
            }
        };
        let run = run.filter(|_| share == Share::All);
        let (segments, pieces) = plan::pieces(self.catalog, id, run, self.now_s)?;
        let (standing, stage) = match &self.options.only[..] {
            [] => (self.catalog.unknown_findings(id, self.now_s)?, Stage::New(0)),
            only => (self.catalog.standing_items(id, only)?, Stage::Standing),
        };
        let append_only = &self.collection.terms.selection.append_only;
        let appendable = match append_only.is_empty() {
            true => None,
            false => Some(Filter::new(append_only, &[], &[]).map_err(Error::Filter)?),
        };
        Ok(Plan {
            catalog: self.catalog.reader()?,
            collection: self.collection.clone(),
            to_judge: Arc::clone(to_judge),
            standing,
            skip,
            left_out,
            within: self.options.within.clone(),
            appendable,
            pieces,
            share,
            unsettled: self.catalog.unsettled(id)?.into(),
            budget: self.options.budget,
            course: Arc::clone(course),
            stage,
            listed: VecDeque::new(),
            segments,
            checkpoints: Arc::clone(checkpoints),
        })
    }

    /// What is to be read of the known files: each audit takes the share of the bytes that the time since the last one has of the period,
    /// and all that would be late before the next one.
    /// Of all files that are there, their bytes, and those of the largest: no audit is further ahead than by that, and what else it has read is
    /// gone.
    fn share(&self, (all_bytes, largest_bytes): (u64, u64)) -> Result<Share> {
        let id = self.collection.id;
        let period_s = match (self.scope, self.collection.terms.period_s) {
            (Scope::All, _) => return Ok(Share::All),
            // Without a promise nothing is ever due.
            (Scope::Due, None) => {
                let (before_s, period_s) = (i64::MIN, i64::MAX);
                return Ok(Share::Due(Due { share_bytes: 0, ahead_bytes: 0, before_s, period_s }));
            }
            (Scope::Due, Some(period_s)) => period_s.max(1),
        };
        let (last_s, ahead_bytes) =
            self.catalog.last_run(id, self.now_s)?.unwrap_or((self.collection.created_s, 0));
        let interval_s = self.now_s.saturating_sub(last_s).clamp(0, period_s);
        // Less than a byte is nothing: what is missed so is read before it would be late.
        let share_bytes = (u128::from(all_bytes) * interval_s as u128 / period_s as u128) as u64;
        // The next audit may come a little later than this one did.
        let ahead_s = interval_s.max(LEAST_INTERVAL_S).saturating_mul(2).min(period_s);
        let before_s = self.now_s.saturating_add(ahead_s);
        let ahead_bytes = ahead_bytes.min(largest_bytes);
        Ok(Share::Due(Due { share_bytes, ahead_bytes, before_s, period_s }))
    }

    fn read(
        &mut self,
        stint: Stint,
        audited: &mut Audited,
        gone: &scratch::Gone,
        plan: Plan,
        (course, checkpoints, limit, unlisted, unsaid): Means<'_>,
    ) -> Result<()> {
        let listing = audited.listing;
        let standing = self.catalog.standing_items(self.collection.id, &[])?;
        let said = self.catalog.standing_items(self.collection.id, &OF_CONTENT)?;
        let hold_if = self.collection.terms.hold_if;
        let control = Arc::clone(limit.control());
        let mut reader = Reader {
            catalog: self.catalog,
            collection: self.collection,
            stint,
            clock: self.options.clock.clone(),
            grain_s: self.ground.grain_s(),
            is_first: audited.is_first,
            gone,
            has_gone: !gone.is_empty()?,
            standing: &standing,
            said: &said,
            allowed: (!self.options.ignores_hold && !audited.is_first)
                .then(|| hold_if.allowed(listing.files)),
            missing: (listing.gone - listing.said).saturating_sub(listing.renamed),
            events: &mut *self.events,
            counts: Counts::default(),
            origin: Origin::default(),
            files: 0,
            bytes: 0,
            held: None,
            alarming: Counts::default(),
            added: RoaringTreemap::new(),
            course: Arc::clone(course),
            waiting: Vec::new(),
            written: Instant::now(),
            checkpoints: Arc::clone(checkpoints),
            unlisted,
            limit: Arc::clone(limit),
        };
        let kept: Arc<dyn hashlane_engine::Checkpoints> = Arc::<Checkpoints>::clone(checkpoints);
        let ran = self.ground.read(How::Usual, Box::new(plan), Some(kept), &mut reader, &control);
        // What was read before an error is as good as if there had been none.
        let written = reader.write();
        // What was not read looks as what was.
        let is_part = course.is_used_up.load(Ordering::Acquire)
            || !self.options.within.is_empty()
            || !self.options.only.is_empty();
        if is_part && reader.held.is_none() {
            reader.held = reader.expected_hold(unsaid);
        }
        if let Some(held) = reader.held.take() {
            audited.outcome = Outcome::Held(held);
        }
        (audited.counts, audited.origin) = (reader.counts, reader.origin);
        // A file that was put aside has no record.
        (audited.files, audited.bytes) =
            (reader.files, reader.bytes.max(limit.control().progress().digested_bytes));
        let summary = ran.map_err(reading::of_engine)?;
        written?;
        // The time was over when all was read already.
        if course.is_over.load(Ordering::Acquire) && summary.dropped == 0 {
            course.is_used_up.store(false, Ordering::Release);
        }
        Ok(())
    }

    /// Ends the run, or leaves it to be gone on with.
    fn end(&mut self, stint: Stint, audited: &mut Audited) -> Result<()> {
        let period_s = self.collection.terms.period_s.unwrap_or(MONTH_S);
        let mut batch = self.catalog.batch(self.collection.id, stint)?;
        batch.forget_recovered(self.now_s.saturating_sub(period_s))?;
        checkpoints::forget_before(&batch, self.now_s.saturating_sub(period_s))?;
        batch.commit()?;
        let now_s = self.options.clock.now_s();
        if audited.outcome == Outcome::Stopped {
            return self.catalog.end_stint(stint, None, now_s);
        }
        // It can be gone on with: what was read good stays read.
        let is_over =
            !matches!(audited.outcome, Outcome::Held(_) | Outcome::Offline(_) | Outcome::Refused(_));
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
            gone_files: self.gone_files,
            verdicts: &audited.counts,
            held,
            root: &self.place,
        };
        let counts = serde_json::to_string(&kept).map_err(Error::json)?;
        let ending = Ending { outcome: audited.outcome.name(), counts: &counts, is_over };
        self.catalog.end_stint(stint, Some(ending), now_s)?;
        self.catalog.seal_rest(self.collection.id)?;
        audited.seal = self.catalog.seal_of(stint.run)?;
        Ok(())
    }

    fn hold(&mut self, stint: Option<Stint>, mut audited: Audited, held: Held) -> Result<Audited> {
        audited.outcome = Outcome::Held(held);
        if let Some(stint) = stint {
            self.end(stint, &mut audited)?;
        }
        Ok(audited)
    }

    /// The root is there, and cannot be read: nothing is said of what is in it, but that is not as it should be.
    fn refused(mut self, stint: Option<Stint>, mut audited: Audited, reason: String) -> Result<Audited> {
        (self.events)(AuditEvent::Unlisted { path: b"", reason: &reason })?;
        audited.outcome = Outcome::Refused(reason.clone());
        audited.listing.unlisted = 1;
        if let Some(stint) = stint {
            self.catalog.set_unlisted(self.collection.id, &[(Vec::new(), reason)], self.now_s)?;
            self.end(stint, &mut audited)?;
        }
        Ok(audited)
    }

    /// The root cannot be reached: nothing is said of what is in it.
    fn end_offline(&mut self, stint: Option<Stint>, mut audited: Audited, reason: String) -> Result<Audited> {
        audited.outcome = Outcome::Offline(reason);
        if let Some(stint) = stint {
            let since_s = self.collection.offline_s.unwrap_or(self.now_s);
            self.catalog.set_offline(self.collection.id, Some(since_s))?;
            self.end(stint, &mut audited)?;
        }
        Ok(audited)
    }

    fn counted(&self, mut audited: Audited, course: &Course) -> Result<Audited> {
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
