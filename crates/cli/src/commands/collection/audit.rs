//! `hashlane audit`.

use std::os::unix::ffi::OsStrExt as _;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use hashlane_catalog::{
    AuditEvent, AuditOptions, Audited, Catalog, Collection, Elsewhere, Error, Late, Outcome, Policy, Scope,
    Standing, Terms, Verdict, audit, audit_by,
};
use hashlane_engine::{Control, Halt, Stop, WalkOptions};
use hashlane_keeper::{Endings, Left, Place};
use serde_json::{Value, json};

use super::attested::insert_said;
use super::ground::place;
use super::line::{insert_schema, lines, object};
use super::places::inside;
use super::summary::{TIME_OVER, known_before, not_begun, sentence, summary};
use super::{
    MOST_LATE, actor, busy, by, days, evidence, failed, now_s, open, own, time, time_json, unreachable, words,
};
use crate::args::{AuditArgs, ListFormat, ReadFrom};
use crate::backups::weekly;
use crate::held_back::{held_back, way_out};
use crate::objects;
use crate::outlook::Outlook;
use crate::output::{Output, shown};
use crate::report::insert_name;
use crate::sentence::{no_promise, unwatched};
use crate::session::Session;
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;
use crate::terminal::signals::die_by;
use crate::text;

pub(super) fn run(args: &AuditArgs) -> anyhow::Result<Status> {
    if let Some(name) = args.name.as_ref().filter(|_| !args.evidence.is_empty()) {
        return evidence::run(args, name);
    }
    let mut catalog = open(&args.catalog)?;
    let until = until(args)?;
    let mut collections = match &args.name {
        Some(name) => vec![catalog.collection(name).map_err(failed)?],
        None => catalog.collections().map_err(failed)?,
    };
    if collections.is_empty() {
        return Err(Ended::usage("no collection is registered; `hashlane collection add` registers one"));
    }
    if args.discard_held {
        return discard(&mut catalog, &collections[0], &args.reason);
    }
    let by = match &args.by {
        Some(directory) => Some(by::taken(args, directory, (&catalog, &collections[0]))?),
        None => None,
    };
    // Promised work first, and what was read longest ago before the rest.
    let mut oldest = Vec::with_capacity(collections.len());
    for collection in &collections {
        oldest.push((collection.id, catalog.oldest_reading(collection.id).map_err(failed)?));
    }
    collections.sort_by_key(|collection| {
        let read_s = oldest.iter().find(|(id, _)| *id == collection.id).and_then(|(_, read_s)| *read_s);
        let period_s = collection.terms.period_s;
        (period_s.is_none(), period_s.map(|period_s| read_s.map(|read_s| read_s + period_s)))
    });
    let mut session = Session::begin(&args.reading, &args.backends, false)?;
    // How much there is to do is known when the only tree is listed.
    let (plan, planned) = channel();
    session.show(Box::new(move |totals| {
        if let Ok(bytes) = planned.recv() {
            totals.add(bytes);
            totals.complete();
        }
    }));
    let screen = session.screen().clone();
    let mut output = session.output(None)?;
    let trees = collections.iter().filter(|collection| !collection.terms.is_in_store());
    let roots: Vec<_> = trees.map(|collection| collection.terms.root.as_os_str()).collect();
    let options = session.options(
        collections[0].terms.algorithms.clone().into(),
        WalkOptions::default(),
        roots.into_iter(),
    );
    let mut all = All {
        args,
        by: by.as_ref(),
        plan: Some(plan).filter(|_| collections.len() == 1),
        screen: &screen,
        output: &mut output,
        left: Left::new(until, args.bytes, args.files),
        left_requests: args.max_requests,
        has_read: false,
        judged: 0,
        unjudged: 0,
        status: Status::OK,
    };
    let (done, ran) =
        session.run(Stop::Drained, |control| all.audit(&mut catalog, &collections, &options, control))?;
    let status = all.end();
    match done {
        Ok(()) => {}
        Err(error) => return ran.failed(error, output.leave(&screen)),
    }
    output.finish()?;
    if ran.signal().is_none() && !args.dry_run {
        weekly(&mut catalog, &screen);
    }
    if let Some(signal) = ran.signal() {
        screen.message("stopped; what was read is recorded, and the same command goes on from there");
        die_by(signal);
    }
    Ok(status)
}

/// When no file is begun any more: the time is over, or that part of the day is.
fn until(args: &AuditArgs) -> anyhow::Result<Option<Instant>> {
    let after = args.time.map(|time| Instant::now() + time);
    let Some(window) = args.between else { return Ok(after) };
    let now = jiff::Zoned::now();
    let minute = now.hour() as u32 * 60 + now.minute() as u32;
    let Some(left) = window.left(minute) else {
        return Err(Ended::not_judged("outside the times of --between: nothing was audited"));
    };
    // The minute has begun a while ago.
    let left =
        Duration::from_secs(u64::from(left) * 60).saturating_sub(Duration::from_secs(now.second() as u64));
    let end = Instant::now() + left;
    Ok(Some(after.map_or(end, |after| after.min(end))))
}

/// Drops what a held audit has held back.
fn discard(catalog: &mut Catalog, collection: &Collection, reason: &str) -> anyhow::Result<Status> {
    let name = &collection.terms.name;
    let _lock = catalog.lock(collection, now_s()).map_err(failed)?;
    match catalog.discard_held(collection.id, reason, now_s()).map_err(failed)? {
        true => Screen::plain()
            .message(&format!("{name}: what the audit held back is dropped; nothing was judged")),
        false => return Err(Ended::usage(format!("{name}: no audit of it is held"))),
    }
    Ok(Status::OK)
}

/// All that is audited by one command.
struct All<'a> {
    args: &'a AuditArgs,
    /// Who has read, if that was not here.
    by: Option<&'a Elsewhere>,
    /// Takes the number of bytes that will be read, as soon as it is known.
    plan: Option<Sender<u64>>,
    screen: &'a Screen,
    output: &'a mut Output,
    left: Left,
    /// Requests of object stores that may still be made, if they are counted.
    left_requests: Option<u64>,
    /// Whether any collection has come to something.
    has_read: bool,
    /// Collections that were judged, and those that were not.
    judged: u64,
    unjudged: u64,
    status: Status,
}

impl All<'_> {
    fn audit(
        &mut self,
        catalog: &mut Catalog,
        collections: &[Collection],
        options: &hashlane_engine::Options,
        control: &Arc<Control>,
    ) -> anyhow::Result<()> {
        for collection in collections {
            if control.stopped().is_some() {
                return Ok(());
            }
            // The first one that has something to read comes to something, even where listing the trees before it has taken all of the
            // time: else none ever would.
            match self.has_read && self.left.is_over() {
                true => self.not_begun(catalog, collection)?,
                false => self.one(catalog, collection, options, control)?,
            }
        }
        Ok(())
    }

    /// Says that a collection was not begun. What stands against it stands for all that.
    fn not_begun(&mut self, catalog: &Catalog, collection: &Collection) -> anyhow::Result<()> {
        if self.args.format == ListFormat::Json {
            let line = format!("{}\n", not_begun(collection, TIME_OVER));
            self.output.take(line.as_bytes()).map_err(halted)?;
        } else {
            let name = &collection.terms.name;
            self.screen.message(&format!(
                "{name}: not begun, {TIME_OVER}; `hashlane audit {name} --due` reads what is due"
            ));
        }
        self.unjudged += 1;
        let standing = catalog.standing(collection.id, now_s()).map_err(failed)?;
        self.count(catalog, collection, &standing)
    }

    /// Says that a run is recorded already. What stands against its collection stands for all that.
    fn taken_before(
        &mut self,
        catalog: &Catalog,
        collection: &Collection,
        run: i64,
        at_s: i64,
    ) -> anyhow::Result<()> {
        match self.args.format {
            ListFormat::Json => {
                let at = time_json(at_s);
                let why = by::before(run, at.as_str().unwrap_or_default());
                let line = format!("{}\n", not_begun(collection, &why));
                self.output.take(line.as_bytes()).map_err(halted)?;
            }
            _ => {
                let why = by::before(run, &time(at_s));
                self.screen.message(&format!("{}: {why}", collection.terms.name));
            }
        }
        self.judged += 1;
        let standing = catalog.standing(collection.id, now_s()).map_err(failed)?;
        self.count(catalog, collection, &standing)
    }

    /// Says that a collection was not begun, because its listing takes more requests than may be made.
    fn too_few_requests(
        &mut self,
        catalog: &Catalog,
        collection: &Collection,
        place: &Place,
    ) -> anyhow::Result<()> {
        let name = &collection.terms.name;
        let files = catalog.present(collection.id).map_err(failed)?.files;
        let would = match files {
            0 => format!("`hashlane audit {name} --dry-run` says how many it takes"),
            files => {
                let requests = objects::listing_requests(collection.terms.root.as_os_str().as_bytes(), files);
                format!(
                    "for the {} that are known it takes about {}; allow more than that",
                    text::counted(files, "file"),
                    text::counted(requests, "request")
                )
            }
        };
        let left = self.left_requests.unwrap_or(0);
        let why = match self.args.max_requests {
            Some(all) if left < all => {
                format!("the {} that were left of --max-requests do not cover its listing", text::count(left))
            }
            _ => format!("--max-requests {left} does not cover its listing"),
        };
        if let (Some(left), Some(traffic)) = (&mut self.left_requests, place.traffic()) {
            *left = left.saturating_sub(traffic.requests());
        }
        match self.args.format {
            ListFormat::Json => {
                let line = format!("{}\n", not_begun(collection, &why));
                self.output.take(line.as_bytes()).map_err(halted)?;
            }
            _ => self.screen.message(&format!("{name}: not begun: {why}; {would}")),
        }
        self.unjudged += 1;
        let standing = catalog.standing(collection.id, now_s()).map_err(failed)?;
        self.count(catalog, collection, &standing)
    }

    fn one(
        &mut self,
        catalog: &mut Catalog,
        collection: &Collection,
        options: &hashlane_engine::Options,
        control: &Arc<Control>,
    ) -> anyhow::Result<()> {
        let asked = self.options(catalog, collection)?;
        let place = place(catalog, collection, options.clone())?.listed_with(control, asked.scratch.clone());
        place.be_patient(self.args.patience.patience());
        if let Some(left) = self.left_requests {
            place.ask_at_most(left);
        }
        let (args, output, plan) = (self.args, &mut *self.output, &self.plan);
        let mut changed = Endings::default();
        let mut events = |event: AuditEvent<'_>| {
            if let AuditEvent::Finding { path, verdict: Verdict::Changed, is_new: true, seen, .. } = &event
                && seen.cause.is_none()
            {
                changed.add(path);
            }
            if let (AuditEvent::Planned { bytes: Some(bytes), .. }, Some(plan)) = (&event, plan) {
                // Who shows no progress does not ask.
                let _ = plan.send(*bytes);
            }
            tell(args, output, collection, &event)
        };
        let ground = place.ground();
        let audited = match self.by {
            Some(by) => audit_by(by, catalog, collection, ground, &asked, control, &mut events),
            None => audit(catalog, collection, ground, &asked, control, &mut events),
        };
        let audited = match audited {
            Ok(audited) => audited,
            Err(Error::Taken { run, at_s, .. }) => return self.taken_before(catalog, collection, run, at_s),
            // Another collection can be audited meanwhile.
            Err(error @ Error::Busy { .. }) => {
                self.screen.message(&busy(&error));
                self.unjudged += 1;
                return Ok(());
            }
            // It was purged while others were audited.
            Err(error @ Error::NoCollection { .. }) => {
                self.screen.message(&error.to_string());
                self.unjudged += 1;
                return Ok(());
            }
            Err(Error::BudgetTooSmall) => return self.too_few_requests(catalog, collection, &place),
            Err(Error::Stopped) => return Ok(()),
            Err(error) => return Err(failed(error)),
        };
        if let (Some(left), Some(traffic)) = (&mut self.left_requests, place.traffic()) {
            *left = left.saturating_sub(traffic.requests());
        }
        // Files that could not be read take nothing from those of other collections.
        match args.dry_run {
            true => self.left.take_read(audited.planned_files, audited.planned_bytes),
            false => self.left.take_read(audited.files, audited.bytes),
        }
        self.left.take_reread(audited.reread_files, audited.reread_bytes);
        self.has_read |= audited.bytes > 0 || audited.files > 0 || audited.reread_files > 0;
        let now_s = now_s();
        let standing = catalog.standing(collection.id, now_s).map_err(failed)?;
        let given = args.time.filter(|_| args.dry_run);
        let outlook = Outlook::of(catalog, collection, &args.backends.cache, given, now_s).map_err(failed)?;
        self.say((collection, &place), &audited, &standing, outlook.as_ref().filter(|_| args.dry_run))?;
        self.say_promise(catalog, collection, &audited, outlook.as_ref())?;
        if let Some(why) = &audited.undecided {
            self.screen.message(&format!(
                "{}: what was accepted meanwhile still waits: {why}",
                collection.terms.name
            ));
        }
        self.tell_policy(collection, &changed);
        if let Some(traffic) = place.traffic().filter(|_| !args.quiet) {
            let name = &collection.terms.name;
            self.screen.message(&format!("{name}: {}", objects::traffic_line(&traffic)));
        }
        if args.dry_run {
            self.judged += 1;
            return Ok(());
        }
        match &audited.outcome {
            Outcome::Held(_) => self.unjudged += 1,
            // It may be away; but of a run that was to be taken that is no success.
            Outcome::Offline(_) if self.by.is_some() || !collection.terms.habits.is_removable => {
                self.unjudged += 1;
            }
            _ => self.judged += 1,
        }
        let is_empty = audited.outcome == Outcome::Empty;
        if is_empty || audited.listing.unlisted > 0 || audited.counts.of(Verdict::UnstableMedium) > 0 {
            self.status |= Status::UNREADABLE;
        }
        if outlook.as_ref().is_some_and(|outlook| outlook.forecast.breaks_promise(collection)) {
            self.status |= Status::LATE;
        }
        self.count(catalog, collection, &standing)
    }

    /// Adds what stands against a collection to the exit code, and says whether it is late.
    fn count(
        &mut self,
        catalog: &Catalog,
        collection: &Collection,
        standing: &[Standing],
    ) -> anyhow::Result<()> {
        let (name, now_s) = (&collection.terms.name, now_s());
        for standing in standing.iter().filter(|standing| standing.open > 0) {
            self.status |= Status::of_finding(standing.verdict);
        }
        let late = catalog.late_within(collection, now_s, MOST_LATE).map_err(failed)?;
        if late.files() > 0 {
            let files = match late {
                Late::AtMost(files) => format!("up to {}", text::counted(files, "file")),
                late => text::counted(late.files(), "file"),
            };
            self.screen.message(&format!("{name}: late: {files} not read within the promised time"));
            self.status |= Status::LATE;
        } else if catalog.was_never_read_in_time(collection, now_s).map_err(failed)? {
            self.screen.message(&format!("{name}: late: nothing of it was ever read"));
            self.status |= Status::LATE;
        }
        Ok(())
    }

    fn options(&self, catalog: &Catalog, collection: &Collection) -> anyhow::Result<AuditOptions> {
        let args = self.args;
        let mut options = AuditOptions::new(actor());
        // Without a promise nothing is due; what promised work leaves of a budget is for the rest.
        let is_rest = collection.terms.period_s.is_none() && self.has_budget();
        options.scope = match args.name.is_some() && !args.due {
            true => Scope::All,
            false if is_rest => Scope::All,
            false => Scope::Due,
        };
        for path in &args.paths {
            options.within.push(inside(catalog, collection, path)?);
        }
        // The root is all there is.
        if options.within.iter().any(Vec::is_empty) {
            options.within.clear();
        }
        options.only = args.only.iter().flat_map(|kind| kind.verdicts()).collect();
        options.budget = self.left.budget();
        options.budget.percent = args.percent;
        options.reads_device = args.from.map(ReadFrom::is_device);
        options.dry_run = args.dry_run;
        options.ignores_hold = args.resume_held;
        options.reason.clone_from(&args.reason);
        Ok(options)
    }

    fn has_budget(&self) -> bool {
        self.left.is_limited() || self.args.percent.is_some() || self.args.max_requests.is_some()
    }

    /// Says what came of the audit of a collection.
    fn say(
        &mut self,
        (collection, place): (&Collection, &Place),
        audited: &Audited,
        standing: &[Standing],
        outlook: Option<&Outlook>,
    ) -> anyhow::Result<()> {
        if self.args.format == ListFormat::Json {
            let mut summary = summary(collection, audited, self.by.map(Elsewhere::by));
            if let Some(forecast) = outlook.and_then(Outlook::json) {
                summary["forecast"] = forecast;
            }
            let line = format!("{summary}\n");
            return self.output.take(line.as_bytes()).map_err(halted);
        }
        let name = &collection.terms.name;
        match &audited.outcome {
            Outcome::Held(held) => {
                self.screen.message(&format!("{name}: HELD: {held}"));
                let by = self.args.by.as_ref().map_or_else(String::new, |by| format!(" --by {}", shown(by)));
                let way = way_out(name, held, &by);
                self.screen.message(&format!("{name}: nothing is said to be missing or changed. {way}"));
                if self.args.verbose || self.args.dry_run {
                    for line in held_back(name, &audited.held_back) {
                        self.output.take(line.as_bytes()).map_err(halted)?;
                    }
                } else if !audited.held_back.is_empty() {
                    self.screen.message(&format!("{name}: `hashlane audit {name} -v` shows in which directories"));
                }
                if !self.args.quiet && audited.files > 0 {
                    let line = sentence(audited, self.args, self.by.map(Elsewhere::by));
                    self.screen.message(&format!("{name}: {line}"));
                }
            }
            Outcome::Offline(reason) => {
                let since =
                    collection.offline_s.map_or_else(String::new, |since| format!(" since {}", time(since)));
                let why = unreachable(collection, reason);
                let way_out = match collection.terms.is_in_store() {
                    _ if !place.may_lie_elsewhere() => String::new(),
                    true => {
                        let prefix = objects::prefix_like(collection.terms.root.as_os_str().as_bytes());
                        format!("; or say where it lies now: `hashlane collection relocate {name} {prefix}`")
                    }
                    false => format!(
                        "; mount it, or say where it lies now: `hashlane collection relocate {name} DIR`"
                    ),
                };
                self.screen.message(&format!("{name}: offline{since}: {why}{way_out}"));
            }
            Outcome::Refused(reason) => {
                let way_out = match place.may_lie_elsewhere() && collection.terms.is_in_store() {
                    true => {
                        let prefix = objects::prefix_like(collection.terms.root.as_os_str().as_bytes());
                        format!("; if it lies elsewhere now: `hashlane collection relocate {name} {prefix}`")
                    }
                    false => String::new(),
                };
                let why = unreachable(collection, reason);
                self.screen.message(&format!("{name}: refused: {why}{way_out}; nothing was judged"));
            }
            Outcome::Empty => self.screen.message(&format!(
                "{name}: EMPTY: there are no files in {}, and nothing was registered. If that is meant: `hashlane collection set {name} --allow-empty`",
                shown(&collection.terms.root)
            )),
            _ if self.args.quiet => {}
            _ => {
                let mut line = sentence(audited, self.args, self.by.map(Elsewhere::by));
                match outlook {
                    Some(outlook) => {
                        if let Some(time) = outlook.time(audited.planned_bytes) {
                            line += &format!(", about {}", text::span(time));
                        }
                    }
                    None => line += &known_before(audited, standing),
                }
                self.screen.message(&format!("{name}: {line}"));
                if let Some(others) = unwatched(audited) {
                    self.screen.message(&format!("{name}: not watched: {others}; modes, owners, attributes"));
                }
                if let Some(outlook) = outlook {
                    self.screen.message(&format!("{name}: {}", outlook.line()));
                }
            }
        }
        Ok(())
    }

    /// Says what is promised and whether it can be kept, where the first audit of a collection tells, and that nothing is.
    fn say_promise(
        &self,
        catalog: &Catalog,
        collection: &Collection,
        audited: &Audited,
        outlook: Option<&Outlook>,
    ) -> anyhow::Result<()> {
        let (terms, is_over) =
            (&collection.terms, matches!(audited.outcome, Outcome::Complete | Outcome::Budget));
        if self.args.quiet || self.args.dry_run || self.args.format == ListFormat::Json || !is_over {
            return Ok(());
        }
        let name = &terms.name;
        match terms.period_s {
            Some(period_s) if audited.is_first => {
                let is_usual = if terms.habits.is_usual_period { ", the default" } else { "" };
                let line = outlook.map_or_else(String::new, |outlook| format!(": {}", outlook.line()));
                let every = days(period_s);
                self.screen.message(&format!(
                    "{name}: every byte is to be read again within {every}{is_usual}{line}"
                ));
            }
            Some(_) => {
                if let Some(outlook) = outlook.filter(|outlook| outlook.is_bad()) {
                    self.screen.message(&format!("{name}: {}", outlook.line()));
                }
            }
            None => {
                let total = catalog.present(collection.id).map_err(failed)?;
                let oldest_s = catalog.oldest_reading(collection.id).map_err(failed)?;
                if let Some(note) = no_promise(collection, total, oldest_s, now_s()) {
                    self.screen.message(&format!("{name}: {note}"));
                }
            }
        }
        Ok(())
    }

    /// What would end changes that a growing collection tells of, if they were meant.
    fn tell_policy(&self, collection: &Collection, changed: &Endings) {
        let Terms { name, policy, .. } = &collection.terms;
        let is_told = *policy == Policy::Growing && !self.args.quiet && self.args.format != ListFormat::Json;
        if changed.files() == 0 || !is_told {
            return;
        }
        let all = text::count(changed.files());
        let (what, policy) = match changed.glob() {
            Some((glob, files)) => {
                let files = text::count(files);
                (format!("{files} of {all} that have changed are {glob}"), format!("'living:{glob}'"))
            }
            None => (format!("{} changed", text::counted(changed.files(), "file")), "living".to_owned()),
        };
        self.screen.message(&format!(
            "{name}: {what}; if such files are edited: `hashlane collection set {name} --policy {policy}`"
        ));
    }

    fn end(&self) -> Status {
        let mut status = self.status;
        if self.unjudged > 0 {
            // What is told of files is told all the same.
            let is_alone = self.judged == 0 && status == Status::OK;
            status |= if is_alone { Status::NOT_JUDGED } else { Status::UNREADABLE };
        }
        status
    }
}

fn halted(halt: Halt) -> anyhow::Error {
    match halt {
        Halt::Enough => Ended::output("the output takes no more"),
        Halt::Failed(source) => own(source),
    }
}

/// Prints an event, if it is to be seen.
fn tell(
    args: &AuditArgs,
    output: &mut Output,
    collection: &Collection,
    event: &AuditEvent<'_>,
) -> hashlane_catalog::Result<()> {
    let (name, is_json) = (&collection.terms.name, args.format == ListFormat::Json);
    let line = match event {
        AuditEvent::Told => return output.pour().map_err(stopped),
        AuditEvent::Finding { path, verdict, is_new, again_s, seen, known, said } if is_json => {
            let mut finding = object(path, *verdict, seen, known);
            insert_said(&mut finding, *said, known);
            insert_schema(&mut finding, "hashlane-collection-audit");
            finding.insert("type".into(), json!("finding"));
            finding.insert("collection".into(), json!(name));
            finding.insert("is_new".into(), json!(is_new));
            finding.extend(again_s.map(|_| ("again".into(), json!(true))));
            format!("{}\n", Value::Object(finding))
        }
        // What was said once and still stands is in the status.
        AuditEvent::Finding { is_new: false, .. } if !args.verbose => return Ok(()),
        AuditEvent::Finding { path, verdict, again_s, seen, known, .. } => {
            let again = again_s.map_or_else(String::new, |at_s| {
                format!("    it was found before, {}, and was not told then\n", time(at_s))
            });
            lines(name, path, *verdict, seen, known) + &again
        }
        AuditEvent::Unlisted { path, reason } if is_json => {
            let mut object = serde_json::Map::new();
            insert_schema(&mut object, "hashlane-collection-audit");
            object.insert("type".into(), json!("unlisted"));
            object.insert("collection".into(), json!(name));
            insert_name(&mut object, "path", path);
            object.insert("detail".into(), json!(reason));
            format!("{}\n", Value::Object(object))
        }
        // The end says why nothing was judged.
        AuditEvent::Unlisted { path: b"", .. } => return Ok(()),
        AuditEvent::Unlisted { path, reason } => {
            let place = text::name(path);
            format!("{name}: {place}: UNREADABLE\n    {reason}; nothing is said of what lies below it\n")
        }
        AuditEvent::File { path, verdict, cause, detail } if (args.verbose || cause.is_some()) && is_json => {
            let mut object = serde_json::Map::new();
            insert_schema(&mut object, "hashlane-collection-audit");
            object.insert("type".into(), json!("file"));
            object.insert("collection".into(), json!(name));
            insert_name(&mut object, "path", path);
            object.insert("verdict".into(), json!(verdict.name_in_collection()));
            if let Some(cause) = cause {
                object.insert("cause".into(), json!(cause.name()));
                object.insert("detail".into(), json!(detail));
            }
            format!("{}\n", Value::Object(object))
        }
        // What is accepted, and may not have been meant.
        AuditEvent::File { path, verdict, cause: Some(_), detail } => {
            format!(
                "{name}: {}: {}, accepted: {}\n",
                text::name(path),
                words(*verdict),
                text::name(detail.as_bytes())
            )
        }
        AuditEvent::File { path, verdict, .. } if args.verbose => {
            format!("{name}: {}: {}\n", text::name(path), words(*verdict))
        }
        _ => return Ok(()),
    };
    output.take(line.as_bytes()).map_err(stopped)
}

fn stopped(halt: Halt) -> Error {
    match halt {
        Halt::Failed(source) => Error::Sink(source),
        Halt::Enough => Error::Stopped,
    }
}
