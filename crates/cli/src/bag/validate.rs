//! `hashlane bag validate`: is a bag what it says it is?

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use hashlane_audit::Verdict as Judged;
use hashlane_digest::Digest;
use hashlane_engine::{AlgorithmSet, Control, Input, Sink, Stop, Summary};
use hashlane_io::Directory;
use hashlane_manifest::bag::Listed;
use hashlane_record::{ItemPath, Outcome, Record};
use hashlane_verify::{Expected, judge};
use serde_json::json;

use super::contents::{Contents, unopened};
use super::report::{Line, Report, Verdict};
use super::tree::Kind;
use crate::args::BagValidateArgs;
use crate::calibration::Backends;
use crate::device_profile::Reading;
use crate::inputs::{options, plain_walk, refuse_engine};
use crate::output::{Output, shown};
use crate::progress::{Count, Progress};
use crate::screen::Screen;
use crate::signals::{Interrupted, die_by};
use crate::status::Status;
use crate::sum::{stopped_line, summary_line};
use crate::text;

/// The files that are to be read, by their numbers in the tags of a run.
type Files = Vec<(Vec<u8>, Listed)>;

pub(crate) fn run(args: &BagValidateArgs) -> anyhow::Result<Status> {
    refuse_engine(&args.reading)?;
    let directory = super::open(&args.bag, "name the one that holds bagit.txt")?;
    let control = Arc::new(Control::new());
    let plain = Screen::plain().silenced(args.status);
    let output = Output::open(args.output.as_deref(), &plain)?;
    let mut report = Report::new(args, output, plain.clone());
    let mut contents = Contents::read(directory, &mut report);
    let listed = std::mem::take(&mut contents.listing.files);
    let files = complete(&contents, listed, args.quick, &mut report);
    judge_oxum(&contents, args.quick, &mut report);
    if args.quick {
        return conclude(args, &contents, report, None, &plain);
    }
    if report.stopped {
        return finish_stopped(report, &plain);
    }
    verify(args, &contents, files, report, &control)
}

/// Says what is missing, what is not listed, and what is not listed everywhere. Gives back what is there to
/// be read.
fn complete(
    contents: &Contents,
    listed: std::collections::BTreeMap<Vec<u8>, Listed>,
    quick: bool,
    report: &mut Report,
) -> Files {
    for (name, facts) in contents.disk.iter().filter(|(name, _)| name.starts_with(b"data/")) {
        let why = match facts.kind {
            _ if listed.contains_key(name) => continue,
            Kind::EmptyDirectory => continue,
            Kind::File => "in no manifest",
            Kind::LinkToFile | Kind::LinkToDirectory | Kind::LinkToNothing => {
                "a symbolic link that is in no manifest"
            }
            Kind::Special => "no regular file, and in no manifest",
        };
        report.say(name, Verdict::Extra, why);
    }
    for (name, item) in &contents.fetch {
        let listed_in = listed.get(name).map_or(0, |listed| listed.manifests);
        if contents.payload_bits() & !listed_in != 0 {
            let why = format!("line {}: {} is not in every payload manifest", item.line, text::name(name));
            report.say(b"fetch.txt", Verdict::Invalid, why);
        }
    }
    let mut files = Vec::new();
    for (name, listed) in listed {
        if report.stopped {
            break;
        }
        judge_listed(contents, &name, &listed, report);
        let Some(facts) = contents.disk.get(&name) else {
            report.say(&name, Verdict::Missing, why_missing(contents, &name));
            continue;
        };
        if !facts.is_file() {
            report.say(&name, Verdict::Unreadable, kind_text(facts.kind));
            continue;
        }
        let fetched_size = contents.fetch.get(&name).and_then(|item| item.size);
        if let Some(size) = fetched_size.filter(|size| *size != facts.size) {
            let why = format!("has {} bytes, and fetch.txt says {size}", facts.size);
            report.say(&name, Verdict::Mismatch, why);
        }
        if quick {
            let _ = report.line(&Line::new(&name, Verdict::Present, None));
        }
        files.push((name, listed));
    }
    for manifest in contents.manifests.iter().filter(|manifest| !manifest.of_tags) {
        let listed_in = files.iter().find(|(name, _)| *name == manifest.name);
        let missing = contents.tag_bits() & !listed_in.map_or(0, |(_, listed)| listed.manifests);
        if missing != 0 {
            let why =
                format!("is not in {}, where every payload manifest belongs", contents.names_of(missing));
            let verdict = if contents.version.is_strict() { Verdict::Invalid } else { Verdict::Warning };
            report.say(&manifest.name, verdict, why);
        }
    }
    files
}

/// A file of the payload belongs in all payload manifests.
fn judge_listed(contents: &Contents, name: &[u8], listed: &Listed, report: &mut Report) {
    let missing = contents.payload_bits() & !listed.manifests;
    if name.starts_with(b"data/") && missing != 0 {
        let why = format!("is not in {}, where others are", contents.names_of(missing));
        let verdict = if contents.version.is_strict() { Verdict::Invalid } else { Verdict::Warning };
        report.say(name, verdict, why);
    }
}

fn why_missing(contents: &Contents, name: &[u8]) -> String {
    if let Some(item) = contents.fetch.get(name) {
        return format!("to be fetched from {}", text::name(&item.url));
    }
    let slashed: Vec<_> = name.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }).collect();
    if slashed != name && contents.disk.get(&slashed).is_some() {
        return "there with slashes in place of backslashes; a bag separates directories by slashes"
            .to_owned();
    }
    "listed and not there".to_owned()
}

fn kind_text(kind: Kind) -> &'static str {
    match kind {
        Kind::LinkToNothing => "a symbolic link that leads nowhere",
        Kind::LinkToDirectory => "a symbolic link to a directory",
        Kind::EmptyDirectory => "a directory; manifests list files",
        Kind::File | Kind::LinkToFile | Kind::Special => "no regular file",
    }
}

fn judge_oxum(contents: &Contents, quick: bool, report: &mut Report) {
    let name = b"data";
    match contents.oxum {
        Some(oxum) if oxum != contents.found => {
            let why = format!(
                "Payload-Oxum is {oxum}, and there are {} in {}",
                text::counted(contents.found.bytes, "byte"),
                text::counted(contents.found.files, "file")
            );
            report.say(name, Verdict::Mismatch, why);
        }
        None if quick => {
            let why = "there is no Payload-Oxum that --quick could compare with; leave out --quick";
            report.say(name, Verdict::Invalid, why);
        }
        _ => {}
    }
}

/// Reads the files and compares.
fn verify(
    args: &BagValidateArgs,
    contents: &Contents,
    files: Files,
    report: Report,
    control: &Arc<Control>,
) -> anyhow::Result<Status> {
    let sizes = files.iter().filter_map(|(name, _)| contents.disk.get(name)).map(|facts| facts.size);
    let total: u64 = sizes.fold(0, u64::saturating_add);
    let counter: Count = Box::new(move |totals| {
        totals.add(total);
        totals.complete();
    });
    let progress = Progress::start(args.reading.progress, control, counter);
    let screen = progress.screen().clone().silenced(args.status);
    let reading =
        Reading::suiting(&args.reading, &args.backends.cache, std::iter::once(args.bag.as_os_str()));
    let backends = Backends::of(&args.backends);
    let options = options(Arc::new([]), &args.reading, reading.profile, backends.choice(), plain_walk());
    let interrupted = Interrupted::watch(control, &screen, Stop::Drained)?;
    let files = Arc::new(files);
    let inputs = Inputs {
        files: Arc::clone(&files),
        next: 0,
        base: Arc::clone(&contents.directory),
        algorithms: Arc::new([]),
    };
    let mut sink = Verdicts { files, report };
    let run = hashlane_engine::run(options, inputs, &mut sink, control);
    drop(progress);
    let screen = Screen::plain().silenced(args.status);
    let report = sink.report;
    let summary = match run {
        Ok(summary) => summary,
        Err(error) => {
            report.finish(&screen, None)?;
            return Err(error.into());
        }
    };
    if let Some(signal) = interrupted.signal() {
        let done = report.finish(&screen, None);
        screen.message(&stopped_line(&summary, control));
        screen.message("the bag was not validated");
        drop(done);
        die_by(signal);
    }
    if report.stopped {
        return finish_stopped(report, &screen);
    }
    let status = conclude(args, contents, report, Some(&summary), &screen)?;
    if let Some(line) = reading.line(&summary).filter(|_| !args.quiet) {
        screen.message(&line);
    }
    backends.learn(&summary.digested_by);
    Ok(status)
}

/// Ends a run that stopped at its first error.
fn finish_stopped(report: Report, screen: &Screen) -> anyhow::Result<Status> {
    let status = report.status;
    report.finish(screen, None)?;
    screen.message("not valid; stopped at the first error");
    Ok(status)
}

/// Says what the whole amounts to.
fn conclude(
    args: &BagValidateArgs,
    contents: &Contents,
    mut report: Report,
    summary: Option<&Summary>,
    screen: &Screen,
) -> anyhow::Result<Status> {
    if report.stopped {
        return finish_stopped(report, screen);
    }
    let verified = report.count(Verdict::Ok);
    if summary.is_some() && verified == 0 && report.status == Status::OK {
        report.say(b".", Verdict::Invalid, "no file was verified: no manifest lists one");
    }
    let (status, counted) = (report.status, report.counted());
    let fine = status == Status::OK;
    let conclusion = json!({
        "check": if args.quick { "quick" } else { "full" },
        "bagit_version": contents.version.to_string(),
        // A quick check knows that a bag is not valid, and never that it is.
        "valid": if args.quick && fine { None } else { Some(fine) },
        "passed": fine,
        "payload_files": contents.found.files,
        "payload_bytes": contents.found.bytes,
        "digests_verified": summary.is_some(),
    });
    report.finish(screen, Some(&conclusion))?;
    if args.quiet && fine && !args.quick {
        return Ok(status);
    }
    let payload = format!(
        "{} of payload with {}",
        text::counted(contents.found.files, "file"),
        text::decimal(contents.found.bytes as f64)
    );
    let verdict = match (args.quick, fine) {
        (true, true) => "complete, NOT validated: no digest was computed".to_owned(),
        (true, false) => "not complete; no digest was computed".to_owned(),
        (false, true) => format!("valid, version {}", contents.version),
        (false, false) => "NOT valid".to_owned(),
    };
    screen.message(&format!("{}: {verdict}: {counted}; {payload}", shown(Path::new(&args.bag))));
    if let Some(summary) = summary {
        screen.message(&summary_line(summary));
    }
    Ok(status)
}

/// The files as inputs of a run.
struct Inputs {
    files: Arc<Files>,
    next: usize,
    base: Arc<Directory>,
    /// The set used last serves again if it is the same.
    algorithms: AlgorithmSet,
}

impl Iterator for Inputs {
    type Item = Input;

    fn next(&mut self) -> Option<Input> {
        let (name, listed) = self.files.get(self.next)?;
        let wanted = || listed.digests.iter().map(Digest::algorithm);
        if !wanted().eq(self.algorithms.iter().copied()) {
            self.algorithms = wanted().collect();
        }
        let tag = (self.next as u64).to_le_bytes().into();
        self.next += 1;
        Some(Input::File {
            path: ItemPath::from(name.as_slice()),
            base: Some(Arc::clone(&self.base)),
            algorithms: Arc::clone(&self.algorithms),
            division: None,
            tag,
        })
    }
}

/// Compares records with what is listed.
struct Verdicts {
    files: Arc<Files>,
    report: Report,
}

impl Sink for Verdicts {
    fn record(&mut self, record: Record) -> ControlFlow<()> {
        let number = record.tag.as_ref().try_into().map(u64::from_le_bytes);
        let listed = number.ok().and_then(|number| self.files.get(usize::try_from(number).ok()?));
        let Some((name, listed)) = listed else {
            unreachable!("every entry of a bag carries its number");
        };
        let expected = Expected { digests: listed.digests.clone(), ..Expected::default() };
        let judged = judge(&expected, &record).verdict;
        let (verdict, why) = match record.outcome {
            Outcome::Read => (Verdict::of_content(judged), None),
            Outcome::Unstable(what) => (Verdict::Unstable, Some(what.to_string())),
            Outcome::Failed(failure) => {
                let is_missing = judged == Judged::Missing;
                let verdict = if is_missing { Verdict::Missing } else { Verdict::Unreadable };
                (verdict, Some(unopened(&failure.io_error())))
            }
        };
        self.report.line(&Line {
            path: name,
            verdict,
            why: why.as_deref(),
            expected: &listed.digests,
            computed: &record.digests,
        })
    }
}
