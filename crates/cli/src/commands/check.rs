//! `hashlane check`: do files still have the digests that a manifest lists?

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use hashlane_audit::Verdict;
use hashlane_engine::{Halt, Skipped, Stop, Summary, Taken};
use hashlane_io::{StandardInput, directory_of};
use hashlane_keeper::is_object;
use hashlane_manifest::piece_of_name;
use hashlane_report::files::{CheckLine, CheckTally, checked, is_compared};
use hashlane_report::text;
use hashlane_verify::amount::count_listed;
use hashlane_verify::check::{Check, Checked, Extras, Finding};
use hashlane_verify::{CheckOptions, Problem, Selection};

use super::listed::{lookup, recorded_bad_line, refuse_inputs, refuse_two_inputs, say_of_lists};
use crate::args::{CheckArgs, ReportFormat};
use crate::filters;
use crate::hints;
use crate::inputs::{counting, store_of};
use crate::manifests::{self, STDIN};
use crate::output::{Output, shown};
use crate::session::{Ran, Session};
use crate::status::{Ended, Status, is_fine};
use crate::terminal::progress::Count;
use crate::terminal::screen::Screen;

pub(super) fn run(args: &CheckArgs) -> anyhow::Result<Status> {
    let mut session = Session::begin(&args.reading, &args.backends, args.status)?;
    if !args.root.is_empty() && !args.complete {
        return Err(Ended::usage("--root: names where to look for files; use it with --complete or --audit"));
    }
    let selection = filters::of_check(args)?;
    let lists = manifests::names(args);
    match StandardInput.is_terminal() && lists.iter().any(|name| name == STDIN) {
        true => session.show_beside_typing(counter(args, &selection)),
        false => session.show(counter(args, &selection)),
    }
    let screen = session.screen().clone();

    let elsewhere = store_of(args)?;
    if args.ignore_case && elsewhere.is_some() {
        return Err(Ended::usage("--ignore-case: names of objects are compared so by --audit alone"));
    }
    let traffic = elsewhere.as_ref().map(|objects| objects.traffic());
    refuse_two_inputs(args)?;
    let lookup = lookup(args, selection, elsewhere, &mut session)?;
    let check = CheckOptions { lists, lookup, complete: args.complete, names_only: args.names_only };
    let check = match Check::open(check, manifests::notes(args, &screen)) {
        Ok(check) => check,
        // Before the output is made: where there is nothing to check there is nothing to report.
        Err(unopened) => return Ok(status_of(&unopened)),
    };

    refuse_inputs(args)?;
    let output = session.output(args.output.as_deref())?;
    let written = output.identities();
    let mut verdicts = Verdicts::new(args, output, screen.clone());
    let (run, ran) = session.run(Stop::Drained, |control| {
        check.run(&written, &mut |finding| verdicts.finding(finding), control)
    })?;

    let checked = match run {
        Ok(checked) => checked,
        Err(error) => return ran.failed(manifests::failed(&error), verdicts.output.leave(&screen)),
    };
    verdicts.tally.there = args.names_only.then_some(checked.there);
    let mut status = verdicts.status;
    status |= status_of(&checked.unopened);
    status |= judge(args, &checked, &verdicts, &ran);
    let done = verdicts.finish(ran.signal().is_some());
    ran.die_if_interrupted(&checked.summary);
    done?;
    if let Extras::Failed(error) = checked.extras {
        return Err(manifests::failed(&error));
    }
    ran.say_traffic(traffic.filter(|_| !args.quiet || status != Status::OK).as_ref());
    ran.learn(&checked.summary);
    Ok(status)
}

/// What lists that could not be opened mean for the exit code.
fn status_of(unopened: &[hashlane_verify::Error]) -> Status {
    let mut status = Status::OK;
    for error in unopened {
        status |= manifests::status_of(error);
    }
    status
}

/// The closing lines, and what they mean for the exit code.
fn judge(args: &CheckArgs, checked: &Checked, verdicts: &Verdicts<'_>, ran: &Ran<'_>) -> Status {
    let screen = ran.screen();
    let mut status = Status::OK;
    let skipped = match &checked.extras {
        Extras::ListsLack => {
            screen.message("unlisted files were not looked for, because not all manifests could be read");
            Skipped::default()
        }
        Extras::Sought(skipped) => *skipped,
        _ => Skipped::default(),
    };
    status |= say_of_lists(args, &checked.lists.iter().collect::<Vec<_>>(), screen);
    if let undigested @ 1.. = checked.undigested() {
        let items = text::counted(undigested, "listed file");
        screen.message(&format!("{items} without a digest that can be verified"));
        status |= Status::UNREADABLE;
    }
    if let recorded_bad @ 1.. = checked.recorded_bad() {
        screen.message(&recorded_bad_line(recorded_bad));
        status |= Status::UNREADABLE;
    }
    if let Some(missing @ 1..) = verdicts.missing_pieces {
        let names = text::counted(missing, "missing name");
        screen.message(&format!(
            "{names} in the form of pieces (`NAME offset 0-1023`); --pieces reads them as pieces"
        ));
    }
    let is_told = !args.ignore_missing || verdicts.tally.verified() == 0;
    screen.messages(checked.remedy.as_ref().filter(|_| is_told).map(hints::remedy));
    let summary = &checked.summary;
    let there = args.names_only.then_some(checked.there);
    if there.unwrap_or(verdicts.tally.verified()) == 0 && summary.stopped.is_none() {
        status |= nothing_verified(args, verdicts, summary, screen);
    }
    let counts = verdicts.tally.words();
    if !args.quiet || verdicts.status != Status::OK {
        ran.passed_over(&skipped, "list or output file");
        match args.names_only {
            true => screen.message(&format!("{counts}; no content was compared")),
            false => ran.close(Some(&counts), summary),
        }
    }
    status
}

/// Says that no file was verified, and what may be the reason.
fn nothing_verified(args: &CheckArgs, verdicts: &Verdicts<'_>, summary: &Summary, screen: &Screen) -> Status {
    screen.message(if args.names_only { "no listed file is there" } else { "no file was verified" });
    if let (Some(prefix), Some(base), 1..) = (&verdicts.doubled, &args.base, summary.failed) {
        screen.message(&format!(
            "all listed names begin with {}; name the directory above it with --base {}",
            text::name(prefix),
            shown(directory_of(base))
        ));
    }
    // What is there beside the listed files says nothing of those.
    if verdicts.of_listed == Status::OK { Status::UNREADABLE } else { Status::OK }
}

/// Counts the bytes of all listed files, for the progress display.
fn counter(args: &CheckArgs, selection: &Selection) -> Count {
    let (args, selection) = (args.clone(), selection.clone());
    counting(move |add| {
        let base = args.base.as_deref().unwrap_or(Path::new(""));
        count_listed(&manifests::names(&args), &manifests::reading(&args), base, &selection, add)
    })
}

/// Puts verdicts into lines, as coreutils prints them or as JSON, and notices what they have in common.
struct Verdicts<'a> {
    args: &'a CheckArgs,
    output: Output,
    screen: Screen,
    /// What the lines come to.
    tally: CheckTally,
    status: Status,
    /// The same, of listed files alone.
    of_listed: Status,
    /// What names are relative to; empty: the current directory.
    base: &'a Path,
    /// The last component of --base, as long as every listed name begins with it and is missing.
    doubled: Option<Vec<u8>>,
    /// Files that are missing and have names as those of pieces, where those are not asked for.
    missing_pieces: Option<u64>,
    /// It has asked the run to end, for the first failure.
    stopped: bool,
}

impl<'a> Verdicts<'a> {
    fn new(args: &'a CheckArgs, output: Output, screen: Screen) -> Self {
        let last = args.base.as_deref().and_then(Path::file_name);
        Self {
            args,
            output,
            screen,
            tally: CheckTally::default(),
            status: Status::OK,
            of_listed: Status::OK,
            base: args.base.as_deref().unwrap_or(Path::new("")),
            doubled: last.map(|name| [name.as_bytes(), b"/"].concat()),
            missing_pieces: (!args.pieces).then_some(0),
            stopped: false,
        }
    }

    fn finding(&mut self, finding: &Finding<'_>) -> Taken {
        let is_missing = finding.verdict == Verdict::Missing;
        if finding.expected.is_some() {
            self.notice(finding.path.as_bytes(), is_missing);
        }
        if is_missing && self.args.ignore_missing {
            return Ok(());
        }
        let verdict = checked(finding.verdict);
        if let Some(expected) = finding.expected.filter(|_| is_compared(verdict)) {
            self.tally.compared_by(expected.compared_by());
        }
        let name = finding.path.as_bytes();
        let hint = match is_missing {
            true if is_object(name) || is_object(self.base.as_os_str().as_bytes()) => {
                (!self.args.versions).then(|| hints::version(name)).flatten()
            }
            true => hints::other_spelling(self.base, name),
            false => match finding.problem {
                Some(Problem::Failed(failure)) => hints::impossible_name(name, &failure),
                _ => None,
            },
        };
        let problem = finding.problem.map(|problem| hints::problem(&problem, self.base));
        let problem = match (problem, hint) {
            (Some(problem), Some(hint)) => Some(format!("{problem}; {hint}").into()),
            (problem, _) => problem,
        };
        self.show(&CheckLine {
            path: finding.path,
            verdict,
            expected: finding.expected.map_or(&[], |expected| &expected.digests),
            computed: finding.computed(),
            sizes: finding.sizes(),
            differing: finding.differing,
            problem: problem.as_deref(),
            origin: finding.record.map(|record| record.origin),
        })
    }

    /// Takes note of a name that was looked for.
    fn notice(&mut self, name: &[u8], is_missing: bool) {
        let name = name.strip_prefix(b"./").unwrap_or(name);
        self.doubled.take_if(|prefix| !is_missing || !name.starts_with(prefix));
        if let Some(missing) = self.missing_pieces.as_mut().filter(|_| is_missing) {
            *missing += u64::from(piece_of_name(name).is_some());
        }
    }

    fn show(&mut self, line: &CheckLine<'_>) -> Taken {
        self.status |= Status::of(line.verdict);
        if line.verdict != Verdict::New {
            self.of_listed |= Status::of(line.verdict);
        }
        self.tally.take(line);
        let name = || text::name(line.path.as_bytes());
        self.screen.messages(line.problem.map(|problem| format!("{}: {problem}", name())));
        if !(self.args.status || self.args.quiet && is_fine(line.verdict)) {
            let text = match self.args.format {
                ReportFormat::Text => line.text(self.args.verbose > 0),
                ReportFormat::Json => line.json(),
            };
            self.output.take(&text)?;
        }
        self.stopped |= self.args.fail_fast && !is_fine(line.verdict);
        if self.stopped { Err(Halt::Enough) } else { Ok(()) }
    }

    /// Ends the output. That of a run that was stopped stays under its partial name; an interrupted one sums up nothing.
    fn finish(mut self, interrupted: bool) -> anyhow::Result<()> {
        if self.args.format == ReportFormat::Json && !self.args.status && !interrupted {
            self.output.line(&self.tally.json())?;
        }
        if interrupted || self.stopped { self.output.leave(&self.screen) } else { self.output.finish() }
    }
}
