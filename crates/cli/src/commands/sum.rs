//! `hashlane sum`: digests of files and trees, as a manifest.

mod sink;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashlane_digest::Algorithm;
use hashlane_engine::{AlgorithmSet, Control, SLOTS_PER_WORKER, Skipped, Stop, Summary};
use hashlane_manifest::{Format, Header, Piecewise};
use hashlane_record::{Division, Timestamp};

use crate::args::{SumArgs, WriteFormat};
use crate::calibration::Backends;
use crate::commands::known::Matching;
use crate::commands::update;
use crate::device_profile::Reading;
use crate::inputs::{Inputs, options, refuse_engine, walk_options};
use crate::manifests::STDIN;
use crate::output::{Output, refuse_input_as, refuse_misleading_name, refuse_twice};
use crate::partial::Existing;
use crate::status::{Ended, Status};
use crate::terminal::progress::Progress;
use crate::terminal::screen::Screen;
use crate::terminal::signals::{Interrupted, die_by};
use crate::text;
use crate::version::PROGRAM;

use sink::LineSink;

pub(crate) fn run(args: &SumArgs) -> anyhow::Result<Status> {
    refuse_engine(&args.reading)?;
    if let Some(manifest) = &args.update.update {
        return update::run(args, manifest);
    }
    let inputs = Inputs::new(&args.paths, &args.names);
    refuse_stdin_twice(args, &inputs)?;
    let matching = Matching::open(&args.matching, &args.algorithm, &Screen::plain())?;
    let looked_up_by = matching.as_ref().map_or(&[][..], Matching::algorithms);
    let shown = match args.algorithm.is_empty() {
        true => algorithms(looked_up_by),
        false => algorithms(&args.algorithm),
    };
    let algorithms = algorithms(&[&shown, looked_up_by].concat());
    let format = format(&args.format, &shown);
    let division = division(args, format);
    let walk = walk_options(&args.walk)?;
    let control = Arc::new(Control::new());
    let mode = Progress::beside_typing(args.reading.progress, inputs.come_from_terminal());
    let progress = Progress::start(mode, &control, inputs.counter(&walk));
    let screen = progress.screen().clone();
    let refused = Arc::new(AtomicU64::new(0));

    let recursive = !args.walk.no_recursive;
    let input = inputs.open(recursive, (&algorithms, division), &screen, &refused)?;
    let unseen = args.matching.unseen.as_deref();
    let names = args.files0_out.as_deref().filter(|names| names.as_os_str() != STDIN);
    let outputs = [("--output", args.output.as_deref()), ("--unseen", unseen), ("--files0-out", names)];
    for (option, output) in outputs {
        let lists = args.names.files_from.iter().chain(&args.names.files0_from).chain(&args.matching.known);
        refuse_input_as(option, output, args.paths.iter().chain(lists).map(|path| path.as_os_str()))?;
    }
    refuse_twice(&outputs)?;
    if let Some(path) = &args.output {
        refuse_misleading_name("--output", path, format, &shown)?;
    }
    let output = Output::open(args.output.as_deref(), &screen)?;
    let names = open_names(args, &screen)?;
    let reading = Reading::suiting(&args.reading, &args.backends.cache, inputs.places());
    let backends = Backends::of(&args.backends);
    let (profile, backend) = (reading.profile, backends.choice());
    let mut options = options(Arc::clone(&algorithms), &args.reading, profile, backend, walk);
    options.division = division;
    options.excluded = output.identities();
    options.excluded.extend(names.iter().flat_map(Output::identities));
    options.links_once = !args.walk.no_links_once;
    // Nobody knows when a stream ends: there is nothing to wait for where it is all there is.
    let stop = if inputs.are_stdin() { Stop::Aborted } else { Stop::Drained };
    let interrupted = Interrupted::watch(&control, &screen, stop)?;
    let mut sink = LineSink::new(format, &shown, args, &inputs, matching, (output, names), screen.clone())?;

    let run = hashlane_engine::run(options, input, &mut sink, &control);

    drop(progress);
    let screen = Screen::plain();
    let stopped = run.as_ref().map_or(Some(Stop::Aborted), |summary| summary.stopped);
    sink.refused(refused.load(Ordering::Relaxed));
    let (status, matching, done) = sink.finish(&screen, stopped);
    let summary = run?;
    if let Some(signal) = interrupted.signal() {
        screen.message(&stopped_line(&summary, &control));
        die_by(signal);
    }
    done?;
    if let (Some(matching), Some(unseen)) = (&matching, unseen) {
        matching.write_unseen(unseen, &screen)?;
    }
    if !args.quiet {
        if let Some(matching) = &matching {
            screen.message(&matching.line());
        }
        report(&screen, &summary, &reading);
    }
    backends.learn(&summary.digested_by);
    Ok(status)
}

/// Where names go besides the lines, if anywhere.
fn open_names(args: &SumArgs, screen: &Screen) -> anyhow::Result<Option<Output>> {
    match args.files0_out.as_deref() {
        Some(path) if path.as_os_str() == STDIN && args.output.is_some() => {
            Output::open(None, screen).map(Some)
        }
        Some(path) if path.as_os_str() == STDIN && args.matching.show_matched_by => Err(Ended::usage(
            "--files0-out -: standard output is for the lines of --show-matched-by; give those an --output, or name a FILE",
        )),
        Some(path) if path.as_os_str() != STDIN => {
            Output::open_as("--files0-out", Some(path), Existing::Replaced, screen).map(Some)
        }
        _ => Ok(None),
    }
}

/// Refuses what would have to read standard input twice.
fn refuse_stdin_twice(args: &SumArgs, inputs: &Inputs) -> anyhow::Result<()> {
    let paths = args.paths.iter().filter(|path| *path == STDIN).count();
    if paths > 1 {
        return Err(Ended::usage("`-` is named twice; standard input can be read once only"));
    }
    let is_list = matches!(inputs, Inputs::List { file, .. } if file == STDIN);
    let known = args.matching.known.iter().filter(|known| *known == STDIN).count();
    if known > 1 || known == 1 && (paths > 0 || is_list || inputs.are_stdin()) {
        return Err(Ended::usage(
            "--known -: standard input is to be read for something else too; name files or a PATH",
        ));
    }
    Ok(())
}

/// What parts of files get digests of their own: what was asked for, or what the format needs.
fn division(args: &SumArgs, format: Format) -> Option<Division> {
    match (args.pieces, format.piecewise()) {
        (Some(bytes), _) => Some(Division::Every(bytes)),
        (None, Some(Piecewise::Beginning(bytes))) => Some(Division::Beginning(bytes)),
        (None, _) => None,
    }
}

/// The algorithms asked for, each once.
fn algorithms(given: &[Algorithm]) -> AlgorithmSet {
    let mut algorithms = Vec::new();
    for &algorithm in given {
        if !algorithms.contains(&algorithm) {
            algorithms.push(algorithm);
        }
    }
    if algorithms.is_empty() {
        algorithms.extend(Algorithm::named("sha256"));
    }
    algorithms.into()
}

/// The format asked for, or the plainest that holds so many algorithms.
pub(crate) fn format(args: &WriteFormat, algorithms: &[Algorithm]) -> Format {
    let name = match args {
        WriteFormat { base64: true, .. } => "base64",
        WriteFormat { tag: true, .. } => "bsd",
        _ if algorithms.len() > 1 => "bsd",
        _ => "gnu",
    };
    args.manifest_format.or_else(|| Format::named(name)).expect("the format is registered")
}

fn header(inputs: &Inputs) -> Header {
    Header { roots: inputs.roots(), ..header_of_this_run() }
}

/// What a header says of this run, but for the roots.
pub(crate) fn header_of_this_run() -> Header {
    use std::os::unix::ffi::OsStrExt as _;
    let arguments: Vec<_> = std::env::args_os().map(|argument| argument.as_bytes().to_vec()).collect();
    Header {
        program: PROGRAM.to_owned(),
        command: arguments.join(&b' '),
        cwd: std::env::current_dir().map_or_else(|_| "?".into(), |path| path.as_os_str().as_bytes().into()),
        roots: Vec::new(),
        started: Some(now()),
        superuser: rustix::process::geteuid().is_root(),
    }
}

/// The present by the clock that file systems stamp with, which runs some milliseconds behind the fine one.
fn now() -> Timestamp {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    Timestamp { seconds: now.tv_sec, nanos: now.tv_nsec as u32 }
}

/// What a stopped run has done.
pub(crate) fn stopped_line(summary: &Summary, control: &Control) -> String {
    let files = text::counted(summary.files, "file");
    let known = format!("{} found and not finished", text::count(summary.dropped));
    let rest = if control.progress().walk_done { "" } else { ", others not looked for" };
    format!("stopped after {}: {files} finished, {known}{rest}", text::span(summary.elapsed))
}

/// The closing lines: what was passed over, and what was done how fast.
pub(crate) fn report(screen: &Screen, summary: &Summary, reading: &Reading) {
    if let Some(line) = passed_over(&summary.skipped, "output file") {
        screen.message(&line);
    }
    let bad = [(summary.failed, "could not be read"), (summary.unstable, "changed while being read")];
    let bad = bad.into_iter().filter(|(number, _)| *number > 0);
    let bad: Vec<String> = bad.map(|(number, what)| format!("{} {what}", text::count(number))).collect();
    if !bad.is_empty() {
        screen.message(&bad.join(", "));
    }
    if let Some(line) = reading.line(summary) {
        screen.message(&line);
    }
    screen.message(&summary_line(summary));
}

/// What walks did not look into, if there was anything. `own_files`: what those are that the run itself reads or writes.
pub(crate) fn passed_over(skipped: &Skipped, own_files: &str) -> Option<String> {
    let passed_over = [
        (skipped.symlinks, "symbolic link"),
        (skipped.special, "special file"),
        (skipped.excluded, "excluded name"),
        (skipped.other_filesystem, "other file system"),
        (skipped.output, own_files),
    ];
    let passed_over: Vec<String> = passed_over
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, noun)| text::counted(number, noun))
        .collect();
    (!passed_over.is_empty()).then(|| format!("passed over: {}", passed_over.join(", ")))
}

/// Files, bytes, time, rate, where the bytes came from, and how full the lanes were where there were files enough.
pub(crate) fn summary_line(summary: &Summary) -> String {
    let bytes = summary.digested_bytes;
    let mut line = format!(
        "{}, {} ({}) in {}",
        text::counted(summary.files, "file"),
        text::decimal(bytes as f64),
        text::binary(bytes as f64),
        text::span(summary.elapsed)
    );
    if let Some(rate) = text::rate(bytes, summary.elapsed).filter(|_| bytes > 0) {
        line += &format!(": {rate}");
    }
    let origin = summary.origin;
    let parts = [
        (origin.device_bytes, "from the device"),
        (origin.cache_bytes, "from cache"),
        (origin.unknown_bytes, "unknown"),
    ];
    let parts = parts.into_iter().filter(|(bytes, _)| *bytes > 0);
    let shares = parts.map(|(bytes, from)| format!("{} {from}", text::percent(bytes, origin.read_bytes())));
    let shares = shares.collect::<Vec<_>>().join(", ");
    if !shares.is_empty() {
        line += &format!("; {shares}");
    }
    // A few files leave lanes empty, and everybody expects that.
    let lanes = summary.lanes;
    if lanes.room_bytes > 0 && summary.files >= SLOTS_PER_WORKER as u64 {
        line += &format!("; lanes {} full", text::percent(lanes.bytes, lanes.room_bytes));
    }
    line
}
