//! The audits of several collections, one after the other, by one budget.

use std::sync::Arc;
use std::time::Duration;
use std::{mem, thread};

use hashlane_auditor::{AuditEvent, AuditOptions, Audited, Outcome, Scope, audit, audit_by};
use hashlane_catalog::{
    Collection, Elsewhere, Error as CatalogError, Forecast, Holder, Late, Pause, Reader, Standing, Verdict,
    Writer,
};
use hashlane_engine::{Control, Options};
use hashlane_objects::{Connection, Told};

use crate::endings::Endings;
use crate::error::Error;
use crate::left::Left;
use crate::outcomes::Class;
use crate::overview::Overview;
use crate::place::Place;

/// Late files that are counted one by one, of a collection.
pub const MOST_LATE: u64 = 100_000;

/// How long it takes at most until it is seen that fewer audits are under way.
const TURN: Duration = Duration::from_millis(500);

/// What a night is asked for.
#[derive(Clone, Debug)]
pub struct NightOptions {
    /// What each audit is asked for. All of them share its budget, but for the percentage. The scope is chosen for each collection.
    pub audit: AuditOptions,
    /// All files are read, due or not.
    pub reads_all: bool,
    /// Requests of stores that may be made, all together.
    pub requests: Option<u64>,
    /// How stores are reached, and how long they are waited for, where that is not as it is kept with a collection.
    pub connection: Connection,
    /// How files are read.
    pub engine: Options,
    /// What the program says of a store.
    pub told: Told,
}

/// What happens to a collection in a night.
#[derive(Debug)]
#[non_exhaustive]
pub enum NightEvent<'a> {
    /// It waits for these audits, as no more are to be under way at a time.
    Waiting(&'a [(String, Holder)]),
    /// Its audit says something.
    Audit(&'a AuditEvent<'a>),
    /// It was not audited.
    NotAudited(NotAudited<'a>),
    /// Its audit has ended.
    Audited(Finished<'a>),
    /// Files were not read within the promised time.
    Late(Late),
    /// Nothing of it was ever read, and its promise is over.
    NeverRead,
}

/// Why a collection was not audited.
#[derive(Debug)]
#[non_exhaustive]
pub enum NotAudited<'a> {
    /// The time of the night was over.
    TimeOver,
    /// Its listing takes more requests than may be made.
    TooFewRequests {
        /// Those that were left.
        left: u64,
        /// Files of it that are known.
        known_files: u64,
    },
    /// The run that was to be taken is recorded already.
    Recorded {
        /// By which run.
        run: i64,
        /// When, in seconds since 1970.
        at_s: i64,
    },
    /// All audits are paused.
    Paused(&'a Pause),
    /// Another process has it, or it was purged meanwhile.
    Away(&'a CatalogError),
}

/// An audit that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Finished<'a> {
    /// Where it is recorded.
    pub catalog: &'a Reader,
    /// Where the files are.
    pub place: &'a Place,
    /// What it came to.
    pub audited: &'a Audited,
    /// What stands against the collection now.
    pub standing: &'a [Standing],
    /// New changes whose cause nobody knows.
    pub changed: &'a Endings,
    /// What its promise needs and gets now; nothing where nothing is promised, or nothing is there to be read.
    pub forecast: Option<Forecast>,
}

/// Takes what happens. An error ends the night.
pub type NightEvents<'a> = &'a mut dyn FnMut(&Collection, NightEvent<'_>) -> hashlane_catalog::Result<()>;

/// What ends a night early.
#[derive(Debug, thiserror::Error)]
pub enum NightError {
    /// The catalogue, or whoever takes the events.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The files of a collection cannot be looked for.
    #[error("{name}: {source}")]
    Place {
        /// The collection.
        name: String,
        /// Why.
        source: Error,
    },
}

/// What a night came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NightEnd {
    /// Verdicts of findings that stand, each once.
    pub findings: Vec<Verdict>,
    /// A tree without files, directories that could not be listed, or a medium that says now this and now that.
    pub is_unclear: bool,
    /// Files were not read within the promised time.
    pub is_late: bool,
    /// As things go, files will not be.
    pub will_be_late: bool,
    /// Collections that were judged.
    pub judged: u64,
    /// Collections that were not.
    pub unjudged: u64,
}

impl NightEnd {
    /// What collections are that nobody audits now, as an audit of all of them would end.
    pub fn of<'o>(overviews: impl IntoIterator<Item = &'o Overview>) -> Self {
        let mut end = Self::default();
        for overview in overviews {
            end.take(&overview.standing);
            end.is_unclear |= overview.is_in_doubt();
            end.is_late |= overview.is_late() || overview.is_lost_sight_of() || overview.is_missed();
            end.will_be_late |= overview.cannot_be_kept();
            *(if overview.is_unjudged() { &mut end.unjudged } else { &mut end.judged }) += 1;
        }
        end
    }

    fn take(&mut self, standing: &[Standing]) {
        for standing in standing.iter().filter(|standing| standing.open > 0) {
            if !self.findings.contains(&standing.verdict) {
                self.findings.push(standing.verdict);
            }
        }
    }

    /// What it means: nothing if all is well.
    pub fn classes(&self) -> Vec<Class> {
        let findings = self.findings.iter().filter(|verdict| verdict.bits_in_collection() != 0);
        let mut classes: Vec<_> = findings.map(|verdict| Class::Finding(*verdict)).collect();
        classes.extend((self.is_late || self.will_be_late).then_some(Class::Late));
        // What there is to say about files is said all the same.
        let is_alone = self.judged == 0 && !self.is_unclear && classes.is_empty();
        match self.unjudged > 0 {
            true if is_alone => classes.push(Class::NotJudged),
            is_unjudged => classes.extend((is_unjudged || self.is_unclear).then_some(Class::Unclear)),
        }
        classes
    }
}

/// Sorts collections as they are audited: promised work first, and what was read longest ago before the rest.
///
/// # Errors
/// The catalogue cannot be read.
pub fn sort_by_due(catalog: &Reader, collections: &mut Vec<Collection>) -> hashlane_catalog::Result<()> {
    let mut sorted = Vec::with_capacity(collections.len());
    for collection in collections.drain(..) {
        let read_s = catalog.oldest_reading(collection.id)?;
        let due_s = collection.terms.period_s.map(|period_s| read_s.map(|read_s| read_s + period_s));
        sorted.push(((due_s.is_none(), due_s), collection));
    }
    sorted.sort_by_key(|(due, _)| *due);
    collections.extend(sorted.into_iter().map(|(_, collection)| collection));
    Ok(())
}

/// The audits of several collections.
#[derive(Debug)]
pub struct Night<'a> {
    options: &'a NightOptions,
    /// Who has read, if that was not here.
    by: Option<&'a Elsewhere>,
    left: Left,
    left_requests: Option<u64>,
    /// Whether any collection has come to something.
    has_read: bool,
    /// There is no collection behind the one that is audited.
    is_last: bool,
    end: NightEnd,
}

impl<'a> Night<'a> {
    /// Audits collections in this order, and returns what that came to. `by`: takes what others have read.
    ///
    /// # Errors
    /// The catalogue cannot be written to, `events` fails, or the files of a collection cannot be looked for. What was recorded stays.
    pub fn run(
        options: &'a NightOptions,
        by: Option<&'a Elsewhere>,
        (catalog, collections): (&mut Writer, &[Collection]),
        control: &Arc<Control>,
        events: NightEvents<'_>,
    ) -> Result<NightEnd, NightError> {
        let budget = options.audit.budget;
        let mut night = Self {
            options,
            by,
            left: Left::new(budget.until, budget.bytes, budget.files),
            left_requests: options.requests,
            has_read: false,
            is_last: false,
            end: NightEnd::default(),
        };
        for (at, collection) in collections.iter().enumerate() {
            if control.stopped().is_some() {
                break;
            }
            night.is_last = at + 1 == collections.len();
            // The first one that has something to read comes to something, even where listing the trees before it has taken all of the
            // time: else none ever would.
            if night.has_read && night.left.is_over() {
                night.end.unjudged += 1;
                night.not_audited(catalog, collection, NotAudited::TimeOver, events)?;
            } else {
                night.in_turn(catalog, collection, control, events)?;
            }
        }
        Ok(night.end)
    }

    /// Says that a collection was not audited. What stands against it stands for all that.
    fn not_audited(
        &mut self,
        catalog: &Reader,
        collection: &Collection,
        why: NotAudited<'_>,
        events: NightEvents<'_>,
    ) -> hashlane_catalog::Result<()> {
        events(collection, NightEvent::NotAudited(why))?;
        let standing = catalog.standing(collection.id, self.now_s())?;
        self.count(catalog, collection, &standing, events)
    }

    /// Audits a collection as soon as few enough others are under way.
    fn in_turn(
        &mut self,
        catalog: &mut Writer,
        collection: &Collection,
        control: &Arc<Control>,
        events: NightEvents<'_>,
    ) -> Result<(), NightError> {
        let mut is_told = false;
        loop {
            match self.one(catalog, collection, control, events) {
                Err(NightError::Catalog(CatalogError::Others { others })) => {
                    if !mem::replace(&mut is_told, true) {
                        events(collection, NightEvent::Waiting(&others))?;
                    }
                }
                ended => return ended,
            }
            thread::sleep(TURN);
            if control.stopped().is_some() {
                return Ok(());
            }
            if self.left.is_over() {
                self.end.unjudged += 1;
                return Ok(self.not_audited(catalog, collection, NotAudited::TimeOver, events)?);
            }
        }
    }

    fn one(
        &mut self,
        catalog: &mut Writer,
        collection: &Collection,
        control: &Arc<Control>,
        events: NightEvents<'_>,
    ) -> Result<(), NightError> {
        let asked = self.asked(collection);
        let NightOptions { engine, connection, told, .. } = self.options;
        let place = Place::of(catalog, collection, engine.clone(), connection, *told)
            .map_err(|source| NightError::Place { name: collection.terms.name.clone(), source })?;
        if let Some(store) = &place.store {
            store.heed(control);
            self.left_requests.iter().for_each(|left| store.ask_at_most(*left));
        }
        let mut changed = Endings::default();
        let is_last = self.is_last;
        let mut told = |event: AuditEvent<'_>| {
            if is_last && matches!(event, AuditEvent::Listed(_)) {
                control.found_all();
            }
            if let AuditEvent::Finding { path, verdict: Verdict::Changed, is_new: true, seen, .. } = &event
                && seen.cause.is_none()
            {
                changed.add(path);
            }
            events(collection, NightEvent::Audit(&event))
        };
        let ground = &place.ground;
        let audited = match self.by {
            Some(by) => audit_by(by, catalog, collection, ground, &asked, control, &mut told),
            None => audit(catalog, collection, ground, &asked, control, &mut told),
        };
        let left_requests = self.left_requests;
        if let (Some(left), Some(store)) = (&mut self.left_requests, &place.store) {
            *left = left.saturating_sub(store.traffic().requests());
        }
        let audited = match audited {
            Ok(audited) => audited,
            Err(CatalogError::Taken { run, at_s, .. }) => {
                self.end.judged += 1;
                let why = NotAudited::Recorded { run, at_s };
                return Ok(self.not_audited(catalog, collection, why, events)?);
            }
            // Others can be audited meanwhile.
            Err(error @ (CatalogError::Busy { .. } | CatalogError::NoCollection { .. })) => {
                self.end.unjudged += 1;
                return Ok(events(collection, NightEvent::NotAudited(NotAudited::Away(&error)))?);
            }
            Err(CatalogError::Paused { pause }) => {
                self.end.unjudged += 1;
                return Ok(events(collection, NightEvent::NotAudited(NotAudited::Paused(&pause)))?);
            }
            Err(CatalogError::BudgetTooSmall) => {
                self.end.unjudged += 1;
                let known_files = catalog.present(collection.id)?.files;
                let why = NotAudited::TooFewRequests { left: left_requests.unwrap_or_default(), known_files };
                return Ok(self.not_audited(catalog, collection, why, events)?);
            }
            Err(CatalogError::Stopped) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        self.take(&audited);
        let standing = catalog.standing(collection.id, self.now_s())?;
        let forecast = catalog.forecast(collection, self.now_s())?;
        let finished = Finished {
            catalog,
            place: &place,
            audited: &audited,
            standing: &standing,
            changed: &changed,
            forecast,
        };
        events(collection, NightEvent::Audited(finished))?;
        if self.options.audit.dry_run {
            self.end.judged += 1;
            return Ok(());
        }
        self.end.will_be_late |= forecast.is_some_and(|forecast| forecast.breaks_promise(collection));
        self.judge(collection, &audited);
        Ok(self.count(catalog, collection, &standing, events)?)
    }

    /// Takes off the budget what an audit has used up; in a dry run, what it would.
    fn take(&mut self, audited: &Audited) {
        // Files that could not be read take nothing from those of other collections.
        match self.options.audit.dry_run {
            true => self.left.take_read(audited.planned_files, audited.planned_bytes),
            false => self.left.take_read(audited.files, audited.bytes),
        }
        self.left.take_reread(audited.reread_files, audited.reread_bytes);
        self.has_read |= audited.bytes > 0 || audited.files > 0 || audited.reread_files > 0;
    }

    /// Adds what an audit came to.
    fn judge(&mut self, collection: &Collection, audited: &Audited) {
        let is_judged = match &audited.outcome {
            Outcome::Held(_) => false,
            Outcome::Stopped => audited.asked_to_end.is_none(),
            // It may be away; but for a run that was to be taken that is not a success.
            Outcome::Offline(_) => self.by.is_none() && collection.terms.habits.is_removable,
            _ => true,
        };
        *(if is_judged { &mut self.end.judged } else { &mut self.end.unjudged }) += 1;
        self.end.is_unclear |= audited.outcome == Outcome::Empty
            || audited.listing.unlisted > 0
            || audited.counts.of(Verdict::UnstableMedium) > 0;
    }

    /// Adds what stands against a collection, and whether it is late.
    fn count(
        &mut self,
        catalog: &Reader,
        collection: &Collection,
        standing: &[Standing],
        events: NightEvents<'_>,
    ) -> hashlane_catalog::Result<()> {
        self.end.take(standing);
        let now_s = self.now_s();
        let late = catalog.late_within(collection, now_s, MOST_LATE)?;
        let event = if late.files() > 0 {
            NightEvent::Late(late)
        } else if catalog.was_never_read_in_time(collection, now_s)? {
            NightEvent::NeverRead
        } else {
            return Ok(());
        };
        self.end.is_late = true;
        events(collection, event)
    }

    /// What the audit of a collection is asked for.
    fn asked(&self, collection: &Collection) -> AuditOptions {
        let mut asked = self.options.audit.clone();
        let has_budget =
            self.left.is_limited() || asked.budget.percent.is_some() || self.options.requests.is_some();
        // Without a promise nothing is due; what promised work leaves of a budget is for the rest.
        let is_rest = collection.terms.period_s.is_none() && has_budget;
        asked.scope = if self.options.reads_all || is_rest { Scope::All } else { Scope::Due };
        let percent = asked.budget.percent;
        asked.budget = self.left.budget();
        asked.budget.percent = percent;
        asked
    }

    fn now_s(&self) -> i64 {
        self.options.audit.clock.now_s()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use hashlane_catalog::{Clock, Terms};

    use super::*;

    #[test]
    fn a_night_goes_in_due_order_shares_one_budget_and_its_end_is_a_value() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut catalog = Writer::open_or_make(&directory.path().join("catalog")).expect("made");
        let now_s = Clock::of_system().now_s();
        for (name, period_s) in [("rest", None), ("promised", Some(90 * 24 * 3600))] {
            let root = directory.path().join(name);
            fs::create_dir(&root).expect("mkdir");
            (0..20).for_each(|file| fs::write(root.join(format!("{file}")), "abc").expect("written"));
            let mut terms = Terms::new(name, root);
            terms.period_s = period_s;
            catalog.add_collection(&terms, now_s).expect("a new name");
        }
        let mut collections = catalog.collections().expect("two");
        sort_by_due(&catalog, &mut collections).expect("sorted");
        let engine = Options::new(collections[0].terms.algorithms.clone().into());
        let audit = AuditOptions::new("a test");
        let connection = Connection::new();
        let told: Told = |_, error| error.to_string();
        let mut options = NightOptions { audit, reads_all: false, requests: None, connection, engine, told };
        let mut night = |options: &NightOptions| {
            let mut read = Vec::new();
            let all = (&mut catalog, &collections[..]);
            let end = Night::run(options, None, all, &Arc::new(Control::new()), &mut |collection, event| {
                if let NightEvent::Audited(finished) = event {
                    read.push((collection.terms.name.clone(), finished.audited.files));
                }
                Ok(())
            });
            (end.expect("a night"), read)
        };
        options.audit.budget.files = Some(30);
        let (end, read) = night(&options);
        assert_eq!(read, [("promised".to_owned(), 20), ("rest".to_owned(), 10)]);
        assert_eq!((end.judged, end.unjudged, end.is_late, &end.findings[..]), (2, 0, false, &[][..]));
        options.audit.budget.files = None;
        fs::remove_file(directory.path().join("promised/7")).expect("there");
        let (end, _) = night(&options);
        assert_eq!(end.findings, [Verdict::Missing]);
        assert!(end.classes().contains(&Class::Finding(Verdict::Missing)));
    }

    #[test]
    fn what_is_not_judged_stands_alone_or_is_unclear_beside_others() {
        let end = |judged, unjudged| NightEnd { judged, unjudged, ..NightEnd::default() };
        assert_eq!(end(2, 0).classes(), []);
        assert_eq!(end(0, 2).classes(), [Class::NotJudged]);
        assert_eq!(end(1, 1).classes(), [Class::Unclear]);
        let late = NightEnd { is_late: true, ..end(0, 1) };
        assert_eq!(late.classes(), [Class::Late, Class::Unclear]);
        let lost = NightEnd { findings: vec![Verdict::Missing], ..end(0, 1) };
        assert_eq!(lost.classes(), [Class::Finding(Verdict::Missing), Class::Unclear]);
        assert_eq!(NightEnd { is_unclear: true, ..end(1, 0) }.classes(), [Class::Unclear]);
    }
}
