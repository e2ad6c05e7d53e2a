//! An audit of a collection: its tree is listed, its files are read and judged, and what was found is recorded.
//!
//! listing -> hold? -> read again what was left -> plan -> read -> judge -> record -> read suspects again -> what is missing -> end

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use hashlane_catalog::{
    Beginning, Collection, Content, Elsewhere, Ending, Error, HeldRun, Lasting, OF_CONTENT, Phase, Reader,
    ReadingKind, Result, Span, Stint, StintId, Unchecked, Verdict, Writer,
};
use hashlane_engine::{Control, SeenRoot, Stop};
use roaring::RoaringTreemap;

use crate::allowance::Allowance;
use crate::asked::{AuditOptions, Scope};
use crate::breaker::{Limits, Watch};
use crate::checkpoints::{Checkpoints, Here};
use crate::course::Course;
use crate::deciding::carry_out_pending;
use crate::ground::{Ground, How};
use crate::heeding::{AskedToEnd, Heeding};
use crate::held::{Alarm, Held};
use crate::judge::Judge;
use crate::limit::Limit;
use crate::listing::{self, Listing};
use crate::meter::{Done, Meter};
use crate::plan::{Plan, Stage};
use crate::reading::Pass;
use crate::recheck::Again;
use crate::recording::Recorder;
use crate::seen::of_engine;
use crate::share::Share;
use crate::tally::Tally;
use crate::told::{AuditEvent, Audited, Events, Outcome, tell_again};
use crate::under_way::{Audit, Left, Means};
use crate::{elsewhere, held_back, hold, pieces, spread, suspects};

/// Why a collection is offline whose root is there.
const UNMOUNTED: &str =
    "nothing is mounted there: the directory is empty, and not the one that was audited before";

/// Audits a collection.
///
/// # Errors
/// Another process audits it ([`Error::Busy`]), the catalogue cannot be read or does not take what was found, `events` fails, or the system
/// does not let go on. What was recorded before stays, and the next audit with the same request goes on. If suspects could not be read again
/// for such a reason, all the rest was done before that is returned.
pub fn audit(
    catalog: &mut Writer,
    collection: &Collection,
    ground: &Ground<'_>,
    options: &AuditOptions,
    control: &Arc<Control>,
    events: Events<'_>,
) -> Result<Audited> {
    audit_of(None, catalog, collection, ground, options, control, events)
}

/// Takes note that an audit came upon damage of the catalogue: until one has judged the collection again, nobody is to hear that all is well.
fn note_damage(
    catalog: &mut Writer,
    collection: &Collection,
    options: &AuditOptions,
    error: &Error,
) -> Result<()> {
    let (id, now_s) = (collection.id, options.clock.now_s());
    let stint = catalog.begin_stint(id, &options.request(), now_s, 0)?;
    catalog.set_unlisted(id, &BTreeMap::from([(Vec::new(), error.to_string())]), now_s)?;
    catalog.note_lasting(id.0, Lasting::Refused, Some(now_s), (stint.run.0, now_s))?;
    let refused = Ending { outcome: "refused", counts: "{}", standing: "{}", is_over: false };
    catalog.end_stint(stint, Some(refused), now_s)
}

/// Audits a collection by the readings of a run elsewhere. The tree is listed here, and what differs is read again here; all else is judged
/// as if it had been read here when that run began. What that run has not read, or not as it is now, is not judged.
///
/// # Errors
/// As [`audit`]. Nothing is recorded if the readings were taken before ([`Error::Taken`]), if the tree has none of their names
/// ([`Error::OtherTree`]), or if they are dated in the future ([`Error::NotYet`]).
pub fn audit_by(
    elsewhere: &Elsewhere,
    catalog: &mut Writer,
    collection: &Collection,
    ground: &Ground<'_>,
    options: &AuditOptions,
    control: &Arc<Control>,
    events: Events<'_>,
) -> Result<Audited> {
    audit_of(Some(elsewhere), catalog, collection, ground, options, control, events)
}

/// Audits a collection, and carries out what was decided while an audit was under way: of one that has died before this one begins, and of
/// this one when it is over.
fn audit_of(
    elsewhere: Option<&Elsewhere>,
    catalog: &mut Writer,
    collection: &Collection,
    ground: &Ground<'_>,
    options: &AuditOptions,
    control: &Arc<Control>,
    events: Events<'_>,
) -> Result<Audited> {
    let now_s = options.clock.now_s();
    if let Some(pause) = catalog.pause(now_s)? {
        return Err(Error::Paused { pause });
    }
    let _lock = catalog.lock_beside(collection, now_s, options.at_most)?;
    if let Some(elsewhere) = elsewhere {
        check(elsewhere, catalog, collection, ground, now_s)?;
    }
    let carry_out = |catalog: &mut Writer| match options.dry_run {
        true => Ok(BTreeSet::new()),
        false => carry_out_pending(catalog, collection, ground, options.clock.now_s()),
    };
    // A decision that cannot be carried out goes on waiting. It keeps no collection from being audited.
    let before = carry_out(catalog);
    // What is asked of this audit from outside is not asked of others that the caller has begun.
    let control = &Arc::new(Control::below(control, Stop::PATIENCE));
    let heeding = &mut Heeding::nothing();
    // What is found is an event of the moment in which it is recorded, however long ago the audit began.
    catalog.set_clock(Some(options.clock.clone()));
    let audit = Audit {
        catalog: &mut *catalog,
        collection,
        ground,
        options,
        control,
        events,
        elsewhere,
        now_s,
        scope: if elsewhere.is_some() { Scope::All } else { options.scope },
        budget: options.budget,
        share: Share::All,
        ahead_bytes: 0,
        gone_files: None,
        held: None,
        root: String::new(),
        place: String::new(),
        is_other_root: false,
        settled_metadata: RoaringTreemap::new(),
        only_cached: RoaringTreemap::new(),
        failed: None,
        meter: Meter::new(&options.clock),
        heeding: &mut *heeding,
    };
    let audited = audit.run();
    catalog.set_clock(None);
    let audited = match (audited, heeding.asked()) {
        // While the tree was listed: nothing was judged.
        (Err(Error::Stopped), Some((stint, _))) => {
            catalog.end_stint(stint, None, options.clock.now_s())?;
            let is_first = collection.listed_s.is_none();
            Ok(Audited { outcome: Outcome::Stopped, run: Some(stint.run), ..Audited::nothing(is_first) })
        }
        (audited, _) => audited,
    };
    if let Err(error) = &audited
        && error.is_damage()
        && !options.dry_run
    {
        // If that cannot be written either, the damage is reported all the same: it is the first error that says what is damaged.
        let _ = note_damage(catalog, collection, options, error);
    }
    let mut audited = audited?;
    if audited.outcome == Outcome::Stopped
        && let Some((stint, why)) = heeding.asked()
    {
        if let AskedToEnd::Pause(pause) = &why {
            catalog.note_stopped(stint.id, &pause.actor, options.clock.now_s())?;
        }
        audited.asked_to_end = Some(why);
    }
    let after = carry_out(catalog);
    if let (Ok(accepted), Some(run)) = (&after, audited.run)
        && !accepted.is_empty()
    {
        let stood = catalog.stood(collection, options.clock.now_s())?;
        catalog.set_standing(run, &stood.text()?)?;
    }
    audited.undecided = before.and(after).err().map(|error| error.to_string());
    Ok(audited)
}

/// Whether an audit may take the readings of a run elsewhere.
fn check(
    elsewhere: &Elsewhere,
    catalog: &Reader,
    collection: &Collection,
    ground: &Ground<'_>,
    now_s: i64,
) -> Result<()> {
    let (by, name) = (elsewhere.by(), || collection.terms.name.clone());
    if by.started_s > now_s {
        return Err(Error::NotYet { started_s: by.started_s });
    }
    if let Some((run, at_s)) = catalog.taken(collection, by)? {
        return Err(Error::Taken { name: name(), run, at_s });
    }
    // Of a tree that cannot be reached nothing is known.
    match ground.root().is_ok() && !elsewhere::is_of(elsewhere, ground)? {
        true => Err(Error::OtherTree { name: name() }),
        false => Ok(()),
    }
}

/// Files that were replaced, and not read since.
fn replaced(spans: &[Span]) -> RoaringTreemap {
    let mut items = RoaringTreemap::new();
    for span in spans.iter().filter(|span| span.reading == ReadingKind::Replaced) {
        items.insert_range(span.first.0 as u64..=span.last.0 as u64);
    }
    items
}

impl Audit<'_> {
    fn run(mut self) -> Result<Audited> {
        self.catalog.check_rows(self.collection.id)?;
        let mut audited = Audited::nothing(self.collection.listed_s.is_none());
        match self.ground.root() {
            Ok(root) if hold::is_unmounted(self.collection, self.ground, &root) => {
                let stint = self.begin_unless_dry(&mut audited)?;
                self.end_offline(stint, audited, UNMOUNTED.to_owned())
            }
            Ok(root) => self.look(audited, &root),
            Err(error) => {
                // That says nothing of the root.
                if error.kind() == std::io::ErrorKind::QuotaExceeded {
                    return Err(Error::BudgetTooSmall);
                }
                let stint = self.begin_unless_dry(&mut audited)?;
                let reason = hashlane_record::system_text(&error);
                match error.kind() == std::io::ErrorKind::PermissionDenied {
                    true => self.refused(stint, audited, reason),
                    false => self.end_offline(stint, audited, reason),
                }
            }
        }
    }

    /// Looks at the root and lists the tree below it. Unless that holds the run, it is carried out.
    fn look(mut self, mut audited: Audited, root: &SeenRoot) -> Result<Audited> {
        self.root = format!("{} {}", root.file_system, root.inode);
        self.place = root.words();
        let held_before = match self.options.ignores_hold {
            true => Some(self.held()?),
            false => None,
        };
        let stint = self.begin_unless_dry(&mut audited)?;
        // Who lets it go on gets what was asked for.
        if let Some(before) = held_before.as_ref().filter(|_| self.elsewhere.is_none()) {
            self.scope = if before.request.starts_with("due") { Scope::Due } else { Scope::All };
        }
        if let Some(stint) = stint {
            self.note_lasting(stint, Lasting::Offline, None)?;
        }
        let held = hold::by_place(self.catalog, self.collection, self.ground, root)?;
        // Somebody has looked at the root that was there then with all that was mounted in it, and at no other.
        let was_seen = held_before.as_ref().is_some_and(|was| was.root == self.place);
        self.is_other_root = was_seen && matches!(held, Some(Held::OtherRoot { .. }));
        // Nobody sees by looking at a tree that it is the right one, if what it is known by is gone.
        match held.filter(|held| !was_seen || *held == Held::NoMarker) {
            // What lies beside that is read and reported.
            Some(held @ Held::NotMounted { .. }) => self.held = Some(held),
            Some(held) => return self.hold(stint, audited, held),
            None => {}
        }
        let began = Instant::now();
        let found = self.list()?;
        audited.listing_time = began.elapsed();
        self.budget = self.budget.with_share_of(found.listing.bytes);
        (audited.listing, audited.skipped) = (found.listing, found.skipped);
        self.control.add_found(found.listing.files);
        (self.events)(AuditEvent::Listed(&found.listing))?;
        for (path, reason) in &found.unlisted {
            // A root that cannot be listed shows nothing of what is in it.
            if path.is_empty() {
                let reason = reason.clone();
                return self.refused(stint, audited, reason);
            }
            (self.events)(AuditEvent::Unlisted { path, reason })?;
        }
        let listing = &found.listing;
        let may_be_empty = self.collection.terms.habits.may_be_empty;
        if audited.is_first && !may_be_empty && listing.files + listing.gone + listing.unlisted == 0 {
            // Somebody may have named the wrong directory, or has not mounted it: nothing is registered.
            return self.end_as(stint, audited, Outcome::Empty);
        }
        let held = match held_before {
            _ if hold::is_emptied(&found) => Some(Held::EmptyRoot { known: listing.gone }),
            // Who let it go on has seen what that listing found.
            Some(HeldRun { gone: Some(before), .. }) => hold::since(self.collection, before, &found),
            _ => hold::by_listing(self.catalog, self.collection, self.ground, &found)?,
        };
        self.gone_files = Some(found.listing.gone.saturating_sub(found.listing.renamed));
        match held {
            // There is nothing to read.
            Some(held @ Held::EmptyRoot { .. }) => return self.hold(stint, audited, held),
            // What it does not hold back is read and told.
            held => self.held = self.held.take().or(held),
        }
        let at_once = found.listing.new + found.listing.changed;
        let is_all = self.scope == Scope::All
            && self.options.within.is_empty()
            && self.options.only.is_empty()
            && self.elsewhere.is_none()
            && !audited.goes_on;
        let bytes = is_all.then(|| found.listing.bytes.min(self.budget.bytes.unwrap_or(u64::MAX)));
        (self.events)(AuditEvent::Planned { at_once, bytes })?;
        self.carry_out(stint, audited, found, root)
    }

    /// Reads what is to be read, and says what came of it. Without a stint it is only counted.
    fn carry_out(
        mut self,
        stint: Option<Stint>,
        mut audited: Audited,
        mut found: listing::Found,
        root: &SeenRoot,
    ) -> Result<Audited> {
        if let Some(stint) = stint.filter(|_| !found.taken_again.is_empty()) {
            let mut batch = self.catalog.batch(self.collection.id, stint)?;
            batch.take_again(&found.taken_again)?;
            batch.commit()?;
        }
        self.note_replaced(stint, &mut found)?;
        let mut skip = std::mem::take(&mut found.skip);
        if !self.options.only.is_empty() {
            // Only what stands is read, whatever it looks like now.
            skip -= &found.changed;
        }
        let course = Arc::new(Course::default());
        let algorithms = &self.collection.terms.algorithms;
        let limit = Arc::new(Limit::new(&self.budget, self.ground, algorithms, self.control, &course));
        let here = Here {
            stint: stint.map_or(StintId(0), |stint| stint.id),
            began_s: self.read_s(),
            root: self.root.clone(),
        };
        let (id, reuse) = (self.collection.id, self.reuse(stint));
        let checkpoints = Arc::new(Checkpoints::load(self.catalog, id, here, reuse, &limit)?);
        let means = Means { course, checkpoints, limit };
        let course = &*means.course;
        self.share = Share::of(self.catalog, self.collection, self.scope, self.now_s, &found)?;
        let allowance = Arc::new(Allowance::new(&self.budget, self.control));
        let again = Again { allowance: &allowance, displaced: &found.displaced };
        let left = match stint {
            Some(stint) if self.elsewhere.is_none() => self.read_left(stint, again)?,
            _ => suspects::Reread::default(),
        };
        let mut left_out = left.left_out();
        if let Some(elsewhere) = self.elsewhere {
            left_out |= self.catalog.known_since(self.collection, elsewhere.by().started_s)?;
        }
        skip |= &left_out;
        let plan = Plan { skip, left_out, ..self.plan(stint, &found, &means)? };
        let Some(stint) = stint else {
            plan.for_each(drop);
            let mut audited = self.counted(audited, course)?;
            if let Some(held) = self.held.take() {
                audited.outcome = Outcome::Held(held);
                audited.held_back = held_back::by_directory(self.catalog, self.collection, &found, None)?;
            }
            return Ok(audited);
        };
        let began = Instant::now();
        let planned_bytes = self.expected_bytes(stint, &audited, &found)?;
        self.meter.enter(self.catalog, Phase::Reading, Done { planned_bytes, ..Done::default() })?;
        self.read(stint, &mut audited, &found, plan, &means, planned_bytes)?;
        if let Some(error) = course.failure() {
            return Err(error);
        }
        audited.planned_files = course.files.load(Ordering::Acquire);
        audited.planned_bytes = course.bytes.load(Ordering::Acquire);
        match self.elsewhere {
            None => audited.reading_time = began.elapsed(),
            // All others were handed out, but only if the plan came to its end.
            Some(_) if course.is_over.load(Ordering::Acquire) && !audited.goes_on => {
                let listing = &audited.listing;
                audited.known_later = listing.files.saturating_sub(audited.planned_files + listing.offline);
            }
            Some(_) => {}
        }
        self.read_suspects(stint, &mut audited, again, left)?;
        self.conclude(stint, audited, &Left { found: &found, course, allowance: &allowance, root })
    }

    /// Takes note of files that are others than those that were read: they count as unread from now on. Those that were known to be
    /// others before keep their time.
    fn note_replaced(&mut self, stint: Option<Stint>, found: &mut listing::Found) -> Result<()> {
        let id = self.collection.id;
        let known = replaced(&self.catalog.spans(id)?);
        let new = &found.replaced - &known;
        found.replaced |= known;
        match stint {
            Some(stint) if self.is_other_root => {
                let over_this = self.catalog.stints_over(stint.run, &self.place)?;
                let batch = self.catalog.batch(id, stint)?;
                batch.replace_all(&over_this)?;
                batch.note_replaced(&new)?;
                batch.commit()?;
                found.replaced |= replaced(&self.catalog.spans(id)?);
            }
            Some(stint) if !new.is_empty() => {
                let batch = self.catalog.batch(id, stint)?;
                batch.note_replaced(&new)?;
                batch.commit()?;
            }
            _ => {}
        }
        Ok(())
    }

    fn begin_unless_dry(&mut self, audited: &mut Audited) -> Result<Option<Stint>> {
        if self.options.dry_run {
            return Ok(None);
        }
        let stint = self.begin()?;
        (audited.run, audited.goes_on) = (Some(stint.run), stint.goes_on);
        Ok(Some(stint))
    }

    fn begin(&mut self) -> Result<Stint> {
        let request = self.request()?;
        let id = self.collection.id;
        let judging = self.catalog.judging(self.collection, self.now_s)?;
        let beginning = Beginning {
            root: Some(&self.place[..]).filter(|place| !place.is_empty()),
            phase: Some(Phase::Listing),
            now_s: self.now_s,
            read_s: self.read_s(),
            since_s: self.since_s(),
        };
        let stint = self.catalog.begin_stint_of(id, &request, beginning)?;
        self.meter.begin(stint);
        self.heeding.begin(self.catalog.path(), stint, self.control, &self.options.clock);
        if judging.is_silent(self.now_s) {
            self.note_lasting(stint, Lasting::Silent, Some(judging.silent_from_s))?;
        }
        if self.options.ignores_hold {
            self.catalog.note_resumed(self.collection, &request, self.now_s)?;
        }
        // What a failed audit before this one has handed on does not count as reported.
        self.catalog.forget_handed_on();
        tell_again(self.catalog, self.collection, self.events, stint)?;
        self.catalog.forget_withheld(self.collection.id)?;
        Ok(stint)
    }

    fn list(&mut self) -> Result<listing::Found> {
        /// The listing is reported once per this many files.
        const TOLD_FILES: u64 = 16 * listing::PROGRESS_FILES;

        let (events, control, meter, catalog) = (&mut self.events, self.control, &self.meter, &*self.catalog);
        let mut progress = |listing: &Listing| {
            let Listing { files, bytes, .. } = *listing;
            meter.keep_fresh(catalog, || Done { files, bytes, planned_bytes: None })?;
            if !files.is_multiple_of(TOLD_FILES) {
                return Ok(());
            }
            events(AuditEvent::Listing(files))?;
            match control.stopped() {
                Some(_) => Err(Error::Stopped),
                None => Ok(()),
            }
        };
        let mut each = |directory: &[u8], name: &[u8], content: Option<&Content>| match self.elsewhere {
            Some(elsewhere) => elsewhere.listed(directory, name, content),
            None => Ok(()),
        };
        let told = (&mut progress as listing::Progress<'_>, &mut each as listing::Each<'_>);
        listing::list(catalog, self.collection, self.ground, &self.options.scratch, control, told)
    }

    /// Bytes that are likely to be read, where that is known beforehand: all of those that earlier stints have not read, or what is
    /// new or looks changed, together with the share of the night.
    fn expected_bytes(&self, stint: Stint, audited: &Audited, found: &listing::Found) -> Result<Option<u64>> {
        let is_part = !self.options.within.is_empty() || !self.options.only.is_empty();
        if is_part || self.elsewhere.is_some() {
            return Ok(None);
        }
        let bytes = match self.share {
            Share::All => audited.listing.bytes.saturating_sub(self.catalog.read_before(stint)?),
            Share::Due(due) => found.at_once_bytes.saturating_add(due.bytes()),
        };
        Ok(Some(bytes.min(self.budget.bytes.unwrap_or(u64::MAX))))
    }

    fn plan(&self, stint: Option<Stint>, found: &listing::Found, means: &Means) -> Result<Plan> {
        let id = self.collection.id;
        let share = self.share;
        // Who reads all goes on where the run was interrupted; what is due is due whoever has read it last.
        let run = match stint {
            Some(stint) => Some(stint.run),
            None => self.catalog.interrupted(id, &self.request()?.what, self.since_s())?,
        };
        let run = run.filter(|_| share == Share::All);
        let seen = self.catalog.last_seen(id)?;
        let (segments, pieces) =
            pieces::pieces(self.catalog, self.collection, run, self.now_s, (&found.changed_metadata, &seen))?;
        let (standing, stage) = match &self.options.only[..] {
            [] => (self.catalog.unknown_findings(id, self.now_s)?, Stage::Contradicted),
            only => (self.catalog.standing_items(id, only)?, Stage::Standing),
        };
        let began_s = match self.collection.listed_s {
            Some(_) => Some(self.catalog.stint_times(id)?.into_values().collect()),
            None => None,
        };
        // A reading settles what is said of a store. What is said of another copy of a tree, it does not.
        let contradicted = match self.collection.terms.is_in_store() {
            true => self.catalog.contradicted_items(id)?,
            false => Vec::new(),
        };
        Ok(Plan {
            catalog: self.catalog.reader()?,
            collection: self.collection.clone(),
            to_judge: Arc::clone(&found.to_judge),
            contradicted: contradicted.into(),
            standing,
            skip: RoaringTreemap::new(),
            left_out: RoaringTreemap::new(),
            changed: if self.options.only.is_empty() { RoaringTreemap::new() } else { found.changed.clone() },
            within: self.options.within.clone(),
            failing: self.catalog.standing_items(id, &[Verdict::Unreadable, Verdict::Unstable])?,
            deferred: VecDeque::new(),
            turns: None,
            seen,
            logs: Arc::clone(&found.logs),
            pieces,
            share,
            began_s,
            unsettled: self.catalog.unsettled(id)?.into(),
            budget: self.budget,
            course: Arc::clone(&means.course),
            stage,
            listed: VecDeque::new(),
            next: VecDeque::new(),
            handed_out: RoaringTreemap::new(),
            segments,
            checkpoints: Arc::clone(&means.checkpoints),
        })
    }

    fn read(
        &mut self,
        stint: Stint,
        audited: &mut Audited,
        found: &listing::Found,
        plan: Plan,
        means: &Means,
        expected_bytes: Option<u64>,
    ) -> Result<()> {
        let (id, listing, course) = (self.collection.id, audited.listing, &*means.course);
        let judge = Judge {
            collection: self.collection,
            ground: self.ground,
            by: self.elsewhere.map(Elsewhere::by),
            clock: self.options.clock.clone(),
            is_first: audited.is_first,
            found,
            means: means.clone(),
            away: None,
        };
        let recorder = Recorder {
            collection: self.collection,
            ground: self.ground,
            gone: &found.gone,
            displaced: &found.displaced,
            has_gone: !found.gone.is_empty()?,
            taken_again: &found.taken_again,
            damage: spread::damage(self.catalog, self.collection)?,
            written_over: self.catalog.written_over(self.collection)?,
            logs: &found.logs,
            rotated: RoaringTreemap::new(),
            in_use: self.catalog.in_use(id)?,
            only_cached: RoaringTreemap::new(),
            changed: RoaringTreemap::new(),
            changed_metadata: &found.changed_metadata,
            settled_metadata: RoaringTreemap::new(),
            is_first: audited.is_first,
            is_elsewhere: self.elsewhere.is_some(),
            standing: self.catalog.standing_items(id, &[])?,
            added: RoaringTreemap::new(),
        };
        let watch = Watch {
            limits: (!self.options.ignores_hold && !audited.is_first && self.held.is_none())
                .then(|| Limits::of(self.collection, listing.files, 0)),
            alarm: Alarm::of_missing((listing.gone - listing.said).saturating_sub(listing.renamed_since)),
            said: self.catalog.standing_items(id, &OF_CONTENT)?,
            held: None,
        };
        let control = Arc::clone(means.limit.control());
        let mut reader = Pass {
            catalog: self.catalog,
            collection: self.collection,
            stint,
            clock: self.options.clock.clone(),
            events: &mut *self.events,
            means: means.clone(),
            judge,
            recorder,
            watch,
            tally: Tally::default(),
            waiting: Vec::new(),
            written: Instant::now(),
            meter: &self.meter,
            expected_bytes,
        };
        let how = match self.options.reads_device.unwrap_or(self.collection.terms.habits.reads_device) {
            true => How::PastCache,
            false => How::Usual,
        };
        let kept: Arc<dyn hashlane_engine::Checkpoints> = Arc::<Checkpoints>::clone(&means.checkpoints);
        let ran = match self.elsewhere {
            Some(elsewhere) => elsewhere::read(elsewhere, plan, &mut reader, course, &control),
            None => self.ground.read(how, plan, Some(kept), &mut reader, &control).map_err(of_engine),
        };
        // What was read before an error is as good as if there had been none.
        let written = reader.write();
        // What was not read looks as what was.
        let is_part = course.is_used_up.load(Ordering::Acquire)
            || !self.options.within.is_empty()
            || !self.options.only.is_empty();
        if is_part {
            reader.watch.look_ahead(found.unsaid);
        }
        let Pass { judge, recorder, watch, tally, .. } = reader;
        if let Some(held) = self.held.take().or(watch.held) {
            audited.outcome = Outcome::Held(held);
        }
        (audited.counts, audited.origin) = (tally.counts, tally.origin);
        (self.settled_metadata, self.only_cached) = (recorder.settled_metadata, recorder.only_cached);
        if self.options.within.is_empty() {
            audited.counts.add(Verdict::NotChecked(Unchecked::Offline), listing.offline);
        }
        // A file that was put aside has no record.
        (audited.files, audited.bytes) = (tally.files, tally.bytes.max(control.progress().digested_bytes));
        let summary = ran?;
        written?;
        if let Some(reason) = judge.away {
            audited.listing.unlisted += 1;
            (self.events)(AuditEvent::Unlisted { path: b"", reason: &reason })?;
            audited.away = Some(reason);
        }
        // The time was over when all was read already.
        let is_short = course.is_short.load(Ordering::Acquire);
        if course.is_over.load(Ordering::Acquire) && summary.dropped == 0 && !is_short {
            course.is_used_up.store(false, Ordering::Release);
        }
        Ok(())
    }
}
