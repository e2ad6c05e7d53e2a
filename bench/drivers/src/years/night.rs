//! A story as it goes on: a made-up disk, a catalogue, and a clock. Deeds are carried out by day, an audit by night, and then it is compared
//! what stands with what is true.
//!
//! Owns how audits are asked for, ended and gone on with.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use anyhow::{Context, Result};
use hashlane_auditor::{AuditOptions, Audited, Ground, Outcome, Scope, accept, accept_by_policy, audit};
use hashlane_catalog::{
    Choice, Clock, Collection, Decision, Error, Finding, Policy, Terms, Thoroughness, Writer,
};
use hashlane_digest::Algorithm;
use hashlane_engine::{Control, Options};
use hashlane_keeper::Overview;
use hashlane_record::Timestamp;

use super::ground::{Brought, Bytes, Disk, End, Key, Kind, Root, Tonight, made};
use super::people::{Deed, What, carry_out};
use super::report::Tally;
use super::story::{self, Night, Step, Story};
use super::truth::{Evening, Listed, Reach, Truth, Verdict, Wrong};
use super::watch::{Ended, Moment, Watch, check_hold};

const DAY_S: i64 = 24 * 3600;

/// When a story begins, in seconds since 1970.
const BEGIN_S: i64 = 1_700_006_400;

/// At which second of the night an audit begins, and of the day the first deed is done.
const NIGHT_S: i64 = 26 * 3600;
const MORNING_S: i64 = 9 * 3600;

const NAME: &str = "years";

/// How a step went: `Err` of a [`Wrong`] is what the story is about.
pub(super) type Told = Result<Result<(), Wrong>>;

/// A story as it goes on.
pub(super) struct World {
    pub(super) disk: Disk,
    pub(super) truth: Truth,
    pub(super) tally: Tally,
    catalog: Writer,
    directory: tempfile::TempDir,
    /// Days since the story began, and deeds since the last night.
    pub(super) day: i64,
    deeds: i64,
    /// By how much the clock of the machine is wrong.
    wrong_s: i64,
    every_days: i64,
    hold_files: u64,
    watch: Watch,
    /// When the run began that has judged last.
    judged_from_s: i64,
    /// When the last audit was that has judged something.
    last_s: Option<i64>,
    /// The root at the last one, and whether the one that is held was held for its place.
    seen_root: Option<(u64, u64)>,
    pub(super) is_held: bool,
    is_held_for_place: bool,
    /// The root of now, and since when audits have seen it.
    over: Option<((u64, u64), i64)>,
    /// What the last audit was asked for, if it was stopped, and when its run began.
    stopped: Option<(bool, i64)>,
    /// Whether the run that was held last was asked for all: who lets it go on asks for the same.
    is_all_held: bool,
    /// When the run began that may be gone on with.
    begun_s: Option<i64>,
    verified_day: i64,
    /// How the last audit ended, in words, how many bytes it has read, and how many files are late.
    pub(super) last_outcome: String,
    pub(super) read_bytes: u64,
    pub(super) late: u64,
}

impl World {
    /// The first day of a story. `place`: where its catalogue lies, in a directory of its own.
    pub(super) fn begin(story: &Story, place: &Path) -> Result<Self> {
        let terms = &story.terms;
        let directory = tempfile::tempdir_in(place).context("cannot make a directory")?;
        let mut catalog = Writer::open_or_make(&directory.path().join("catalog"))?;
        let root = if terms.kind == Kind::Bucket { "s3://made-up/0" } else { "/made-up/0" };
        let mut asked = Terms::new(NAME, root);
        asked.period_s = Some(terms.every_days * DAY_S);
        asked.selection.append_only.clone_from(&terms.append_only);
        asked.hold_if.files = terms.hold_files;
        set_policy(&mut asked, &terms.policy);
        catalog.add_collection(&asked, BEGIN_S)?;
        let mut disk = Disk::new(terms.kind, time(0, 0, 0));
        for (number, (name, content)) in story.files.iter().enumerate() {
            let modified = time(-40, number as i64, 0);
            disk.make(name, made(*content), modified);
        }
        disk.nodes_mut().for_each(|node| node.cache = None);
        let rules = terms.policy.clone();
        let truth = Truth::new(terms.kind.keeps_numbers(), rules, terms.append_only.clone());
        Ok(Self {
            disk,
            truth,
            tally: Tally::default(),
            catalog,
            directory,
            day: 0,
            deeds: 0,
            wrong_s: 0,
            every_days: terms.every_days,
            hold_files: terms.hold_files,
            watch: Watch::new(),
            judged_from_s: BEGIN_S,
            last_s: None,
            seen_root: None,
            over: None,
            is_held: false,
            is_held_for_place: false,
            stopped: None,
            is_all_held: false,
            begun_s: None,
            verified_day: 0,
            last_outcome: String::new(),
            read_bytes: 0,
            late: 0,
        })
    }

    pub(super) fn step(&mut self, step: &Step) -> Told {
        match step {
            Step::Deed(deed) => self.deed(deed),
            Step::Night(night) => self.night(night),
        }
    }

    fn deed(&mut self, deed: &Deed) -> Told {
        self.deeds += 1;
        self.disk.now = time(self.day, self.deeds, self.wrong_s);
        *self.tally.deeds.entry(deed.what).or_default() += 1;
        let before = self.contents(deed);
        let truth = &self.truth;
        let copies = |name: &str| truth.known(name).map(|known| (known.bytes.clone(), known.modified));
        carry_out(&mut self.disk, deed, &copies);
        match deed.what {
            What::Relocate => self.relocate()?,
            What::Accept => return self.accept(deed),
            What::Acknowledge => self.acknowledge(deed)?,
            What::Policy => return self.set_rules(deed),
            What::Exclude => self.exclude(deed)?,
            What::Clock => {
                self.wrong_s = deed.number * DAY_S;
                self.watch.is_astray = true;
            }
            _ => {}
        }
        self.note_faults(deed, &before);
        Ok(Ok(()))
    }

    /// What the files of a deed contain, as programs see it.
    fn contents(&self, deed: &Deed) -> Vec<(String, Key, Bytes)> {
        if !deed.what.is_fault() {
            return Vec::new();
        }
        let content =
            |name: &String| Some((name.clone(), self.disk.key(name)?, self.disk.node(name)?.medium.clone()));
        deed.names.iter().filter_map(content).collect()
    }

    fn note_faults(&mut self, deed: &Deed, before: &[(String, Key, Bytes)]) {
        for (name, key, bytes) in before {
            let now = match deed.what {
                What::Remove => Some((*key, bytes.clone())),
                _ => self.disk.key(name).zip(self.disk.node(name).map(|node| node.medium.clone())),
            };
            // In a living collection, a bad copy under a new time is an edit.
            let is_edit = deed.number == 1
                && deed.what == What::RestoreBadly
                && self.truth.policy(name) == Policy::Living;
            if let Some((key, after)) = now.filter(|_| !is_edit) {
                let night = self.day.unsigned_abs();
                let found = &mut self.tally.found;
                self.truth.damaged(deed.what, (name.as_str(), key), (bytes, &after), night, found);
            }
        }
    }

    fn collection(&self) -> Result<Collection> {
        Ok(self.catalog.collection(NAME)?)
    }

    fn change(&mut self, change: impl FnOnce(&mut Terms)) -> Result<()> {
        let Collection { id, mut terms, .. } = self.collection()?;
        change(&mut terms);
        Ok(self.catalog.set_collection(id, &terms)?)
    }

    /// What `collection relocate` does.
    fn relocate(&mut self) -> Result<()> {
        if self.disk.root != Root::There {
            return Ok(());
        }
        let root = format!("/made-up/{}", self.disk.file_system);
        let (collection, decision) = (self.collection()?, self.decision());
        let mut terms = collection.terms.clone();
        terms.root = root.into();
        self.catalog.relocate_collection(&collection, &terms, &decision)?;
        (self.seen_root, self.stopped, self.is_held_for_place) = (None, None, false);
        // Whether that ends what was held is decided elsewhere.
        self.watch.is_held = self.watch.is_held.filter(|is_held| !is_held);
        let now_s = self.now_s();
        self.truth.replace_all(now_s, None);
        Ok(())
    }

    /// What `collection set --policy` does.
    fn set_rules(&mut self, deed: &Deed) -> Told {
        let rules: Vec<_> = deed.names.iter().map(|word| story::rule(word)).collect::<Result<_>>()?;
        let (collection, decision) = (self.collection()?, self.decision());
        let mut terms = collection.terms.clone();
        set_policy(&mut terms, &rules);
        accept_by_policy(&mut self.catalog, &collection, &terms, &decision)?;
        self.catalog.set_collection(collection.id, &terms)?;
        self.stopped = None;
        let standing = self.standing()?;
        Ok(self.truth.set_rules(rules, &standing))
    }

    fn exclude(&mut self, deed: &Deed) -> Result<()> {
        self.change(|terms| terms.selection.exclude.clone_from(&deed.names))?;
        self.truth.excluded.clone_from(&deed.names);
        Ok(())
    }

    fn decision(&self) -> Decision {
        Decision { actor: "keeper".into(), reason: "a story".into(), at_s: self.now_s() }
    }

    /// The findings against names; none: all.
    fn chosen(&self, names: &[String]) -> Result<Vec<Finding>> {
        let within = names.iter().map(|name| name.clone().into_bytes()).collect();
        let chosen = self.catalog.chosen(&self.collection()?, &Choice::new(within, Vec::new()))?;
        Ok(chosen.into_iter().map(|(_, finding)| finding).collect())
    }

    /// One `accept` ends a finding, if its file is as it was found.
    fn accept(&mut self, deed: &Deed) -> Told {
        let (collection, findings) = (self.collection()?, self.chosen(&deed.names)?);
        if findings.is_empty() {
            return Ok(Ok(()));
        }
        let decision = self.decision();
        let tonight = Rc::new(Tonight::new(&mut self.disk, (&Arc::default(), None)));
        let engine = Options::new(collection.terms.algorithms.clone().into());
        let ground = Ground::new(&self.catalog, &collection, tonight, engine)?;
        let others = accept(&mut self.catalog, &collection, &ground, &findings, &decision)?;
        drop(ground);
        let standing = self.standing()?;
        for finding in findings {
            let path = String::from_utf8_lossy(&self.catalog.path_of(finding.item)?).into_owned();
            let verdict = finding.verdict.name_in_collection();
            let can_be = !["unreadable", "unstable", "unstable-medium", "suspect"].contains(&verdict);
            match standing.contains_key(&path) {
                false => self.truth.accept(&path, self.seen(&path)),
                true if can_be && !others.contains(&finding.item) => {
                    let text = format!("{path} was {verdict}, was accepted, and is {}", standing[&path]);
                    return Ok(Err(Wrong::new(format!("accept: {verdict} does not end"), text)));
                }
                true => {}
            }
        }
        self.stopped = None;
        Ok(Ok(()))
    }

    fn acknowledge(&mut self, deed: &Deed) -> Result<()> {
        let (collection, findings) = (self.collection()?, self.chosen(&deed.names)?);
        let until_s = self.now_s() + deed.number * DAY_S;
        let decision = self.decision();
        self.catalog.acknowledge(&collection, &findings, Some(until_s), &decision)?;
        for finding in &findings {
            let path = self.catalog.path_of(finding.item)?;
            self.watch.acknowledge(String::from_utf8_lossy(&path).into_owned());
        }
        self.stopped = None;
        Ok(())
    }

    /// The bytes of all files.
    pub(super) fn bytes(&self) -> u64 {
        self.disk
            .names()
            .filter_map(|(_, key)| self.disk.node_of(key))
            .map(|node| node.medium.len() as u64)
            .sum()
    }

    /// What the clock of the machine says.
    fn now_s(&self) -> i64 {
        self.disk.now.seconds
    }

    /// What lies on the disk and belongs to the collection.
    fn listed(&self) -> BTreeMap<String, Listed> {
        let names = self.disk.names().filter(|(name, _)| self.truth.takes(name));
        let is_there = self.disk.root == Root::There;
        names.filter_map(|(name, _)| Some((name.clone(), self.seen(name).filter(|_| is_there)?))).collect()
    }

    /// What a look at a file shows.
    fn seen(&self, name: &str) -> Option<Listed> {
        let node = self.disk.node(name)?;
        let (length, modified, changed) = (node.bytes().len() as u64, node.modified, node.changed);
        let number = self.disk.kind.keeps_numbers().then_some(node.number);
        Some(Listed { length, modified, changed, number })
    }

    /// What the catalogue says to stand.
    pub(super) fn standing(&self) -> Result<BTreeMap<String, Verdict>> {
        let mut standing = BTreeMap::new();
        self.catalog.findings(&self.collection()?, &mut |finding| {
            if finding.cleared_s.is_none() {
                let path = self.catalog.path_of(finding.item)?;
                let path = String::from_utf8_lossy(&path).into_owned();
                standing.insert(path, finding.verdict.name_in_collection());
            }
            Ok(())
        })?;
        Ok(standing)
    }

    /// What is true of a name, and what the catalogue knows of it.
    pub(super) fn about(&self, name: &str) -> Result<String> {
        let short = |digests: &[hashlane_digest::Digest]| {
            digests.first().map_or_else(|| "–".to_owned(), |digest| digest.to_string()[..6].to_owned())
        };
        let collection = self.collection()?;
        let item = self.catalog.item_at(&collection, name.as_bytes())?;
        let finding = match &item {
            Some(item) => self.catalog.finding(&collection, item.id)?,
            None => None,
        };
        let found = finding.map(|finding| {
            let Finding { verdict, seen, .. } = finding;
            format!("{verdict:?} {} {:?} {:?}", short(&seen.content.digests), seen.cause, seen.detail)
        });
        let shown_time = |time: Timestamp| format!("{}.{:09}", time.seconds - BEGIN_S, time.nanos);
        let item = item.map(|item| {
            let (number, time) = (item.content.inode, item.content.modified.map(shown_time));
            format!("{:?} {} number {number:?} at {time:?}", item.state, short(&item.content.digests))
        });
        let disk = self.disk.node(name).map(|node| {
            let (medium, number, time) =
                (shown_content(&node.medium), node.number, shown_time(node.modified));
            format!("{medium} number {number} at {time}")
        });
        Ok(format!("disk {disk:?}; catalogue {item:?}; found {found:?}; {}", self.truth.about(name)))
    }

    fn night(&mut self, night: &Night) -> Told {
        self.day += night.days;
        self.deeds = 0;
        // At the end of the day that has begun.
        let now_s = BEGIN_S + (self.day - 1) * DAY_S + NIGHT_S + self.wrong_s;
        if self.disk.kind == Kind::Snapshots {
            let changed = Timestamp { seconds: now_s - 3600, nanos: 654_321_987 };
            self.disk.nodes_mut().for_each(|node| node.changed = changed);
        }
        self.disk.now = Timestamp { seconds: now_s, nanos: 0 };
        if let Err(wrong) = self.check_state()? {
            return Ok(Err(wrong));
        }
        let (collection, mut listed) = (self.collection()?, self.listed());
        let root = (self.disk.file_system, self.disk.root_number);
        let (before, is_other) = (self.disk.root, self.seen_root.is_some_and(|seen| seen != root));
        let (audited, log) = self.audit(night, &collection, now_s)?;
        self.tally.audits += 1;
        // What was written to by another name while that was read looks as it did when it was read.
        for (name, brought) in &log {
            if let (Brought::Bytes(bytes, _), Some(now)) = (brought, self.seen(name))
                && bytes.len() as u64 == now.length
            {
                listed.insert(name.clone(), now);
            }
        }
        self.last_outcome = match &audited {
            Ok(audited) => format!("{:?}, {} read", audited.outcome, log.len()),
            Err(error) => error.to_string(),
        };
        self.read_bytes = log.iter().map(|(_, brought)| brought.length()).sum();
        self.late = self.catalog.late(&self.collection()?, now_s)?;
        let reach = match self.reach(night, &audited, &log) {
            Ok(reach) => reach,
            Err(wrong) => return Ok(Err(wrong)),
        };
        let (ended, standing) = (self.ended(&audited, reach), self.standing()?);
        let evening = Evening {
            now_s,
            reach,
            is_held: ended == Ended::Held,
            is_first: collection.listed_s.is_none(),
            listed: &listed,
            log: &log,
            standing: &standing,
            period_s: self.every_days * DAY_S,
            gap_s: self.last_s.map_or(0, |last_s| now_s - last_s),
            late: self.late,
        };
        debug_assert_eq!(before, self.disk.root, "an audit changes nothing");
        let goes_on = night.resume || audited.as_ref().is_ok_and(|audited| audited.goes_on);
        if !goes_on && !evening.is_first {
            let alarm = self.truth.alarm(&evening, self.hold_files, &self.disk);
            let why = audited.as_ref().ok().and_then(|audited| match &audited.outcome {
                Outcome::Held(held) => Some(held.to_string()),
                _ => None,
            });
            let held = check_hold(ended, why.as_deref(), (before, is_other), (&alarm, self.hold_files));
            if let Err(wrong) = held {
                return Ok(Err(wrong));
            }
            let is_whole =
                night.all && night.bytes.is_none() && night.files.is_none() && night.stop.is_none();
            let is_for_files =
                why.as_deref().is_some_and(|why| !why.contains("root") && !why.contains("mounted"));
            if ended == Ended::Held
                && is_whole
                && is_for_files
                && !is_other
                && let Some(path) = self.truth.passed_over(&evening)
            {
                let text = format!("{path} is as it is known, and was not read beside what is held back");
                return Ok(Err(Wrong::new("hold: nothing is read", text)));
            }
        }
        if let Err(wrong) = self.truth.judge(&evening) {
            return Ok(Err(wrong));
        }
        self.watch.note(ended, now_s);
        if let Err(wrong) = self.check_state()? {
            return Ok(Err(wrong));
        }
        if matches!(reach, Reach::Complete | Reach::Budget) {
            self.last_s = Some(now_s);
            // What an audit has read that has died may have to be read again.
            let is_over = self.tally.kills == 0 && self.truth.has_read_all(&listed);
            if evening.is_first && is_over && self.collection()?.listed_s.is_none() {
                let text = "all was read, and what comes now is not new";
                return Ok(Err(Wrong::new("the first audit is not over", text)));
            }
            let night = self.day.unsigned_abs();
            // A night more than promised, and as many as have none.
            let within = (self.every_days + evening.gap_s / DAY_S + 1).unsigned_abs();
            let is_late = self.late > 0 || self.wrong_s != 0;
            if let Err(wrong) =
                self.truth.count(&self.disk, (night, now_s, within, is_late), &mut self.tally.found)
            {
                return Ok(Err(wrong));
            }
        }
        self.verify()
    }

    /// How an audit ended, for who watches.
    fn ended(&self, audited: &Result<Audited, Error>, reach: Reach) -> Ended {
        match (audited, reach) {
            (Err(Error::NotHeld { .. }), _) => Ended::NotBegun,
            (Ok(audited), _) if matches!(audited.outcome, Outcome::Held(_)) => Ended::Held,
            (Ok(audited), _) if matches!(audited.outcome, Outcome::Offline(_)) => Ended::Offline,
            (Ok(audited), _) if audited.outcome == Outcome::Empty => Ended::Empty,
            (Ok(_), Reach::Complete | Reach::Budget) => {
                Ended::Judged { began_s: self.judged_from_s, is_limited: reach == Reach::Budget }
            }
            _ => Ended::Broken,
        }
    }

    /// Compares how the collection is said to be with how it is.
    fn check_state(&mut self) -> Told {
        let (collection, now_s, standing) = (self.collection()?, self.now_s(), self.standing()?);
        let overview = Overview::of(&self.catalog, collection, now_s, u64::MAX)?;
        let moment = Moment {
            now_s,
            created_s: BEGIN_S,
            period_s: self.every_days * DAY_S,
            standing: &standing,
            takes: &|name| self.truth.takes(name),
            late: self.catalog.late(&overview.collection, now_s)?,
            is_listed: overview.collection.listed_s.is_some(),
        };
        Ok(self.watch.check(overview.condition().name(), &moment))
    }

    /// Audits once. What came of it, and what was read.
    #[expect(clippy::type_complexity, reason = "it is taken apart at once")]
    fn audit(
        &mut self,
        night: &Night,
        collection: &Collection,
        now_s: i64,
    ) -> Result<(Result<Audited, Error>, Vec<(String, Brought)>)> {
        let mut options = AuditOptions::new("cron");
        options.scope = if night.all { Scope::All } else { Scope::Due };
        (options.budget.bytes, options.budget.files) = (night.bytes, night.files);
        options.ignores_hold = night.resume;
        options.scratch = self.directory.path().to_owned();
        options.clock = Clock::new(move || now_s);
        let root = (self.disk.file_system, self.disk.root_number);
        if self.disk.root == Root::There && self.over.is_none_or(|(over, _)| over != root) {
            self.over = Some((root, now_s));
        }
        let is_other = self.seen_root != Some(root);
        if night.resume && self.is_held && self.is_held_for_place && is_other {
            // What is there now was never read, but by a run that has gone on over it before.
            self.truth.replace_all(now_s, self.over.map(|(_, since_s)| since_s));
        }
        let end = match (night.stop, night.death) {
            (Some(after), _) => Some(End::Stop(after)),
            (None, Some(after)) => Some(End::Death(after)),
            (None, None) => None,
        };
        let control = Arc::new(Control::new());
        let tonight = Rc::new(Tonight::new(&mut self.disk, (&control, end)));
        let engine = Options::new(collection.terms.algorithms.clone().into());
        let ground = Ground::new(&self.catalog, collection, Rc::<Tonight<'_>>::clone(&tonight), engine)?;
        let (mut events, last) = (0, night.event);
        let mut told = |_: hashlane_auditor::AuditEvent<'_>| {
            events += 1;
            match last {
                Some(last) if events > last => Err(Error::Stopped),
                _ => Ok(()),
            }
        };
        let audited = audit(&mut self.catalog, collection, &ground, &options, &control, &mut told);
        Ok((audited, tonight.log()))
    }

    /// How far an audit has come, and what that says of the next one.
    fn reach(
        &mut self,
        night: &Night,
        audited: &Result<Audited, Error>,
        log: &[(String, Brought)],
    ) -> Result<Reach, Wrong> {
        let root = (self.disk.file_system, self.disk.root_number);
        let audited = match audited {
            Ok(audited) => audited,
            Err(Error::NotHeld { .. }) if night.resume => return Ok(Reach::Nothing),
            Err(_) if night.death.is_some() || night.event.is_some() => {
                self.tally.kills += 1;
                self.stopped = None;
                self.begun_s.get_or_insert(self.disk.now.seconds);
                return Ok(Reach::Broken);
            }
            Err(error) => return Err(Wrong::new("an audit fails", format!("the audit fails: {error}"))),
        };
        let was_stopped = self.stopped.take();
        if let Some((all, at_s)) = was_stopped
            && all == night.all
            && !night.resume
            && self.disk.now.seconds - at_s < self.every_days * DAY_S
            && self.disk.now.seconds >= at_s
            && self.disk.root != Root::Away
            && !audited.goes_on
        {
            return Err(Wrong::new("not gone on with", "an audit was stopped, and the next one begins anew"));
        }
        let begun_s = self.begun_s.filter(|_| audited.goes_on).unwrap_or(self.disk.now.seconds);
        self.judged_from_s = begun_s;
        if audited.run.is_some() {
            // One that is held may be gone on with too, and is as old as it was.
            let is_over = matches!(audited.outcome, Outcome::Complete | Outcome::Budget);
            self.begun_s = (!is_over).then_some(begun_s);
        }
        let is_all = if night.resume { self.is_all_held } else { night.all };
        let was_held = std::mem::take(&mut self.is_held);
        Ok(match &audited.outcome {
            Outcome::Complete | Outcome::Budget => {
                self.seen_root = Some(root);
                if audited.outcome == Outcome::Complete { Reach::Complete } else { Reach::Budget }
            }
            Outcome::Stopped => {
                self.tally.kills += 1;
                self.stopped = Some((is_all, begun_s));
                Reach::Broken
            }
            Outcome::Held(_) => {
                self.tally.holds += 1;
                // Who lets it go on asks for what was asked for first.
                (self.is_held, self.is_all_held) = (true, if was_held { self.is_all_held } else { is_all });
                let is_other =
                    self.disk.root != Root::There || self.seen_root.is_some_and(|seen| seen != root);
                self.is_held_for_place = is_other || was_held && night.resume && self.is_held_for_place;
                if log.is_empty() { Reach::Nothing } else { Reach::Broken }
            }
            _ => {
                self.is_held = was_held;
                Reach::Nothing
            }
        })
    }

    /// Each month it is looked whether the catalogue is whole.
    fn verify(&mut self) -> Told {
        if self.day - self.verified_day < 30 {
            return Ok(Ok(()));
        }
        self.verified_day = self.day;
        self.tally.verified += 1;
        let problems = self.catalog.verify(Thoroughness::Full)?;
        Ok(match problems.is_empty() {
            true => Ok(()),
            false => Err(Wrong::new(
                "the catalogue is damaged",
                problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
            )),
        })
    }
}

/// What a content is called where stories are looked at: the beginning of its digest.
pub(super) fn shown_content(bytes: &[u8]) -> String {
    Algorithm::SHA256.digest(bytes).to_string()[..6].to_owned()
}

/// A moment of a day. Its fraction of a second is like that of no other one.
fn time(day: i64, deed: i64, wrong_s: i64) -> Timestamp {
    let seconds = BEGIN_S + day * DAY_S + MORNING_S + deed * 97 + wrong_s;
    let mut rng = fastrand::Rng::with_seed(seconds.unsigned_abs());
    // No step of a coarser clock.
    Timestamp { seconds, nanos: rng.u32(1..9_999_999) * 100 + rng.u32(1..100) }
}

fn set_policy(terms: &mut Terms, rules: &[story::Rule]) {
    terms.policy = rules.iter().find(|rule| rule.0.is_none()).map_or(Policy::Growing, |rule| rule.1);
    terms.policies = rules.iter().filter_map(|(glob, policy)| Some((glob.clone()?, *policy))).collect();
}

/// Carries out a story to its end. What is wrong, and at which step.
pub(super) fn replay(story: &Story, place: &Path) -> Result<Option<(usize, Wrong)>> {
    let mut world = World::begin(story, place)?;
    for (number, step) in story.steps.iter().enumerate() {
        if let Err(wrong) = world.step(step)? {
            return Ok(Some((number, wrong)));
        }
    }
    Ok(None)
}
