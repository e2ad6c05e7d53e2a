//! `hashlane audit`.

use std::os::unix::ffi::OsStrExt as _;
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;

use hashlane_auditor::{AuditEvent, AuditOptions, Audited, Held, Outcome};
use hashlane_catalog::{Collection, Elsewhere, Error, Late, Policy, ReadBy, Reader, Terms, Writer};
use hashlane_engine::{Halt, Stop, WalkOptions};
use hashlane_keeper::{
    Endings, Finished, MOST_LATE, Night, NightError, NightEvent, NightOptions, NotAudited, Outlook, Overview,
    Told, sort_by_due,
};
use hashlane_objects::{Connection, Objects, Service};
use hashlane_report::collection::{
    Asked, audit_event_json, audit_event_lines, audit_json, audit_sentence, held_back_lines, known_before,
    no_promise, not_begun_json, outlook_line, promise, unwatched, waiting_line,
};
use hashlane_report::stores::traffic_line;
use hashlane_report::text;

use super::places::inside;
use super::{actor, busy, by, evidence, failed, now_s, open, sink, time, unreachable};
use crate::args::{AuditArgs, ListFormat, ReadFrom};
use crate::backups::weekly;
use crate::hints::{no_place, store_told};
use crate::how::{how_to, tuned};
use crate::not_begun::not_begun;
use crate::output::{Output, shown};
use crate::session::Session;
use crate::status::{Ended, Status, halted, usage};
use crate::telling::Telling;
use crate::terminal::screen::Screen;
use crate::terminal::signals::die_by;

pub(crate) fn run(args: &AuditArgs) -> anyhow::Result<Status> {
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
    sort_by_due(&catalog, &mut collections).map_err(failed)?;
    let mut telling = if args.dry_run { None } else { Telling::begin(&mut catalog)? };
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
    let engine = session.options(
        collections[0].terms.algorithms.clone().into(),
        WalkOptions::default(),
        roots.into_iter(),
    );
    let mut connection = Connection::new();
    connection.patience = args.patience.patience();
    let options = NightOptions {
        audit: asked(args, until, (&catalog, &collections[0]))?,
        reads_all: args.name.is_some() && !args.due,
        requests: args.max_requests,
        connection,
        engine,
        told: store_told,
    };
    let mut teller = Teller {
        args,
        by: by.as_ref().map(Elsewhere::by),
        plan: Some(plan).filter(|_| collections.len() == 1),
        screen: &screen,
        output: &mut output,
        telling: telling.as_mut(),
    };
    let (ended, ran) = session.run(Stop::Drained, |control| {
        let all = (&mut catalog, &collections[..]);
        Night::run(&options, by.as_ref(), all, control, &mut |collection, event| {
            teller.tell(collection, event)
        })
    })?;
    let end = match ended {
        Ok(end) => end,
        Err(NightError::Catalog(error)) => {
            let error = failed(error);
            telling.iter().for_each(|telling| telling.straight(&error.to_string(), &screen));
            return ran.failed(error, output.leave(&screen));
        }
        Err(NightError::Place { name, source }) => {
            return ran.failed(no_place(&name, source), output.leave(&screen));
        }
    };
    output.finish()?;
    if ran.signal().is_none() && !args.dry_run {
        weekly(&mut catalog, &screen);
    }
    if let Some(signal) = ran.signal() {
        screen.message("stopped; what was read is recorded, and the same command goes on from there");
        die_by(signal);
    }
    if let Some(telling) = telling {
        telling.end(&mut catalog, &end, &screen);
    }
    Ok(Status::of_classes(end.classes()))
}

/// When no file is begun any more: the time is over, or that part of the day is.
fn until(args: &AuditArgs) -> anyhow::Result<Option<Instant>> {
    let after = args.time.map(|time| Instant::now() + time);
    let Some(window) = args.between else { return Ok(after) };
    let now = jiff::Zoned::now();
    let second = (now.hour() as u32 * 60 + now.minute() as u32) * 60 + now.second() as u32;
    let Some(left) = window.left(second) else {
        return Err(Ended::not_judged("outside the times of --between: nothing was audited"));
    };
    let end = Instant::now() + left;
    Ok(Some(after.map_or(end, |after| after.min(end))))
}

/// What each audit is asked for. Paths are those of the only collection.
fn asked(
    args: &AuditArgs,
    until: Option<Instant>,
    (catalog, collection): (&Reader, &Collection),
) -> anyhow::Result<AuditOptions> {
    let mut asked = AuditOptions::new(actor());
    for path in &args.paths {
        asked.within.push(inside(catalog, collection, path)?);
    }
    // The root is all there is.
    if asked.within.iter().any(Vec::is_empty) {
        asked.within.clear();
    }
    asked.only = args.only.iter().flat_map(|kind| kind.0.clone()).collect();
    (asked.budget.until, asked.budget.percent) = (until, args.percent);
    (asked.budget.bytes, asked.budget.files) = (args.bytes, args.files);
    asked.at_most = args.at_most;
    asked.reads_device = args.from.map(ReadFrom::is_device);
    asked.dry_run = args.dry_run;
    asked.ignores_hold = args.resume_held;
    asked.reason.clone_from(&args.reason);
    Ok(asked)
}

/// Drops what a held audit has held back.
fn discard(catalog: &mut Writer, collection: &Collection, reason: &str) -> anyhow::Result<Status> {
    let name = &collection.terms.name;
    let _lock = catalog.lock(collection, now_s()).map_err(failed)?;
    match catalog.discard_held(collection.id, reason, now_s()).map_err(failed)? {
        true => Screen::plain()
            .message(&format!("{name}: what the audit held back is dropped; nothing was judged")),
        false => return Err(usage!("{name}: no audit of it is held")),
    }
    Ok(Status::OK)
}

/// What to do where the tree is as it should be. `by`: what the command was given besides.
fn way_out(name: &str, held: &Held, by: &str) -> String {
    match held {
        Held::NoMarker => format!(
            "If it is the right tree: `hashlane collection set {name} --marker` writes it again, and `--no-marker` does without"
        ),
        Held::EmptyRoot { .. } => {
            format!("If it was emptied on purpose: `hashlane accept {name} --all-gone --reason WHY`")
        }
        _ => format!("If the tree is as it should be: hashlane audit {name}{by} --resume-held"),
    }
}

/// Says what happens.
struct Teller<'a> {
    args: &'a AuditArgs,
    /// Who has read, if that was not here.
    by: Option<&'a ReadBy>,
    /// Takes the number of bytes that will be read, as soon as it is known.
    plan: Option<Sender<u64>>,
    screen: &'a Screen,
    output: &'a mut Output,
    /// Who is told what it comes to.
    telling: Option<&'a mut Telling>,
}

impl Teller<'_> {
    fn tell(&mut self, collection: &Collection, event: NightEvent<'_>) -> hashlane_catalog::Result<()> {
        let name = &collection.terms.name;
        match event {
            NightEvent::Audit(event) => return self.event(collection, event),
            NightEvent::Audited(finished) => return self.audited(collection, &finished).map_err(sink),
            NightEvent::NotAudited(why) => {
                if let Some(telling) = &mut self.telling {
                    telling.take(Told::Skipped, format!("{name}: not begun"));
                }
                return self.not_audited(collection, &why).map_err(sink);
            }
            NightEvent::Late(late) => {
                let files = match late {
                    Late::AtMost(files) => format!("up to {}", text::counted(files, "file")),
                    late => text::counted(late.files(), "file"),
                };
                self.screen.message(&format!("{name}: late: {files} not read within the promised time"));
            }
            NightEvent::Waiting(others) => self.screen.message(&waiting_line(name, others)),
            NightEvent::NeverRead => {
                self.screen.message(&format!("{name}: late: nothing of it was ever read"));
            }
            _ => {}
        }
        Ok(())
    }

    /// Says that a collection was not audited, and why.
    fn not_audited(&mut self, collection: &Collection, why: &NotAudited<'_>) -> anyhow::Result<()> {
        let name = &collection.terms.name;
        let is_json = self.args.format == ListFormat::Json;
        if let NotAudited::Away(error) = why {
            let is_busy = matches!(error, Error::Busy { .. });
            self.screen.message(&if is_busy { busy(error) } else { error.to_string() });
            return Ok(());
        }
        let Some((why, line)) = not_begun(collection, why, self.args.max_requests) else { return Ok(()) };
        match is_json {
            true => {
                self.output.take(format!("{}\n", not_begun_json(collection, &why)).as_bytes()).map_err(halted)
            }
            false => {
                self.screen.message(&format!("{name}: {line}"));
                Ok(())
            }
        }
    }

    /// Says what came of the audit of a collection.
    fn audited(&mut self, collection: &Collection, finished: &Finished<'_>) -> anyhow::Result<()> {
        let Finished { catalog, place, audited, changed, forecast, .. } = *finished;
        let name = &collection.terms.name;
        let given = self.args.time.filter(|_| self.args.dry_run);
        let rate = || Some(tuned(&self.args.backends.cache, collection)?.bytes_per_second);
        let outlook = Outlook::of(catalog, collection, forecast, rate, given, now_s()).map_err(failed)?;
        self.say(collection, finished, outlook.as_ref().filter(|_| self.args.dry_run))?;
        self.say_promise(catalog, collection, audited, outlook.as_ref())?;
        if let Some(why) = &audited.undecided {
            self.screen.message(&format!("{name}: what was accepted meanwhile still waits: {why}"));
        }
        self.tell_policy(collection, changed);
        if let Some(telling) = &mut self.telling {
            let now = catalog.collection(name).map_err(failed)?;
            let overview = Overview::of(catalog, now, now_s(), MOST_LATE).map_err(failed)?;
            let told = match audited.asked_to_end {
                Some(_) => Told::Skipped,
                None => overview.told_when_over(),
            };
            let sentence = audit_sentence(audited, Asked { dry_run: false, is_for_all: false }, self.by);
            telling.take(told, format!("{name}: {}: {sentence}", told.name()));
        }
        if let Some(traffic) = place.store.as_ref().map(Objects::traffic).filter(|_| !self.args.quiet) {
            self.screen.message(&format!("{name}: {}", traffic_line(&traffic)));
        }
        Ok(())
    }

    /// Prints an event, if it is to be seen.
    fn event(&mut self, collection: &Collection, event: &AuditEvent<'_>) -> hashlane_catalog::Result<()> {
        let (name, args) = (&collection.terms.name, self.args);
        let is_json = args.format == ListFormat::Json;
        let line = match event {
            AuditEvent::Planned { bytes: Some(bytes), .. } => {
                // Who shows no progress does not ask.
                self.plan.iter().for_each(|plan| _ = plan.send(*bytes));
                return Ok(());
            }
            AuditEvent::Told => return self.output.pour().map_err(stopped),
            AuditEvent::File { cause: None, .. } if !args.verbose => return Ok(()),
            event if is_json => match audit_event_json(name, event) {
                Some(line) => format!("{line}\n"),
                None => return Ok(()),
            },
            event => match audit_event_lines(name, event, args.verbose) {
                Some(lines) => lines,
                None => return Ok(()),
            },
        };
        self.output.take(line.as_bytes()).map_err(stopped)
    }

    fn asked(&self) -> Asked {
        Asked { dry_run: self.args.dry_run, is_for_all: self.args.name.is_some() && !self.args.due }
    }

    fn say(
        &mut self,
        collection: &Collection,
        &Finished { place, audited, standing, .. }: &Finished<'_>,
        outlook: Option<&Outlook>,
    ) -> anyhow::Result<()> {
        if self.args.format == ListFormat::Json {
            let line = format!("{}\n", audit_json(collection, audited, self.by, outlook));
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
                    for line in held_back_lines(name, &audited.held_back) {
                        self.output.take(line.as_bytes()).map_err(halted)?;
                    }
                } else if !audited.held_back.is_empty() {
                    self.screen.message(&format!("{name}: `hashlane audit {name} -v` shows in which directories"));
                }
                if !self.args.quiet && audited.files > 0 {
                    let line = audit_sentence(audited, self.asked(), self.by);
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
                        let prefix = Service::prefix_like(collection.terms.root.as_os_str().as_bytes());
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
                        let prefix = Service::prefix_like(collection.terms.root.as_os_str().as_bytes());
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
                let mut line = audit_sentence(audited, self.asked(), self.by);
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
                    self.screen.message(&format!("{name}: {}", outlook_line(outlook, &how_to)));
                }
            }
        }
        Ok(())
    }

    /// Says what is promised and whether it can be kept, where the first audit of a collection shows it, or that nothing is.
    fn say_promise(
        &self,
        catalog: &Reader,
        collection: &Collection,
        audited: &Audited,
        outlook: Option<&Outlook>,
    ) -> anyhow::Result<()> {
        let (terms, is_over) =
            (&collection.terms, matches!(audited.outcome, Outcome::Complete | Outcome::Budget));
        if self.args.quiet || self.args.dry_run || self.args.format == ListFormat::Json || !is_over {
            return Ok(());
        }
        let note = match terms.period_s {
            Some(_) => promise(terms, audited, outlook, &how_to),
            None => {
                let total = catalog.present(collection.id).map_err(failed)?;
                let oldest_s = catalog.oldest_reading(collection.id).map_err(failed)?;
                no_promise(collection, total, oldest_s, now_s(), &how_to)
            }
        };
        note.iter().for_each(|note| self.screen.message(&format!("{}: {note}", terms.name)));
        Ok(())
    }

    /// What would end changes that a growing collection reports, if they were meant.
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
}

fn stopped(halt: Halt) -> Error {
    match halt {
        Halt::Failed(source) => Error::Sink(source),
        Halt::Enough => Error::Stopped,
    }
}
