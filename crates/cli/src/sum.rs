//! `hashlane sum`: digests of files and trees, as a manifest.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashlane_digest::Algorithm;
use hashlane_engine::{AlgorithmSet, Control, SLOTS_PER_WORKER, Sink, Skipped, Stop, Summary};
use hashlane_manifest::{Error, Format, Header, WriteOptions, Writer};
use hashlane_record::{Operation, Outcome, Record, Timestamp};

use crate::args::{SumArgs, WriteFormat};
use crate::calibration::Backends;
use crate::device_profile::Reading;
use crate::inputs::{Inputs, options, refuse_engine, walk_options};
use crate::output::{Output, Place, refuse_input};
use crate::progress::Progress;
use crate::screen::Screen;
use crate::signals::{Interrupted, die_by};
use crate::status::{Ended, Status};
use crate::text;
use crate::update;
use crate::version::PROGRAM;

pub(crate) fn run(args: &SumArgs) -> anyhow::Result<Status> {
    refuse_engine(&args.reading)?;
    if let Some(manifest) = &args.update.update {
        return update::run(args, manifest);
    }
    let algorithms = algorithms(&args.algorithm);
    let format = format(&args.format, &algorithms);
    let inputs = Inputs::new(&args.paths, &args.names);
    let walk = walk_options(&args.walk)?;
    let control = Arc::new(Control::new());
    let mode = Progress::beside_typing(args.reading.progress, inputs.come_from_terminal());
    let progress = Progress::start(mode, &control, inputs.counter(&walk));
    let screen = progress.screen().clone();
    let refused = Arc::new(AtomicU64::new(0));

    let recursive = !args.walk.no_recursive;
    let input = inputs.open(recursive, &algorithms, &screen, &refused)?;
    if args.paths.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Ended::usage("`-` is named twice; standard input can be read once only"));
    }
    let lists = args.names.files_from.iter().chain(&args.names.files0_from);
    refuse_input(args.output.as_deref(), args.paths.iter().chain(lists).map(|path| path.as_os_str()))?;
    let output = Output::open(args.output.as_deref(), &screen)?;
    let reading = Reading::suiting(&args.reading, &args.backends.cache, inputs.places());
    let backends = Backends::of(&args.backends);
    let (profile, backend) = (reading.profile, backends.choice());
    let mut options = options(Arc::clone(&algorithms), &args.reading, profile, backend, walk);
    options.excluded = output.identities();
    options.links_once = !args.walk.no_links_once;
    // Nobody knows when a stream ends: there is nothing to wait for where it is all there is.
    let stop = if inputs.are_stdin() { Stop::Aborted } else { Stop::Drained };
    let interrupted = Interrupted::watch(&control, &screen, stop)?;
    let mut sink = ManifestSink::new(format, &algorithms, args, &inputs, output, screen.clone())?;

    let run = hashlane_engine::run(options, input, &mut sink, &control);

    drop(progress);
    let screen = Screen::plain();
    let stopped = run.as_ref().map_or(Some(Stop::Aborted), |summary| summary.stopped);
    if refused.load(Ordering::Relaxed) > 0 {
        sink.status |= Status::UNREADABLE;
    }
    let (status, done) = sink.finish(&screen, stopped);
    let summary = run?;
    if let Some(signal) = interrupted.signal() {
        screen.message(&stopped_line(&summary, &control));
        die_by(signal);
    }
    done?;
    if !args.quiet {
        report(&screen, &summary, &reading);
    }
    backends.learn(&summary.digested_by);
    Ok(status)
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

/// Writes records as lines of a manifest.
struct ManifestSink {
    writer: Option<Writer<Output>>,
    place: Place,
    screen: Screen,
    /// What to say of a directory where a file is expected.
    directory_hint: &'static str,
    status: Status,
    /// Some file was read and is listed.
    has_read: bool,
    /// The error that ended the output.
    broken: Option<io::Error>,
}

impl ManifestSink {
    fn new(
        format: Format,
        algorithms: &AlgorithmSet,
        args: &SumArgs,
        inputs: &Inputs,
        output: Output,
        screen: Screen,
    ) -> anyhow::Result<Self> {
        let wants_header = args.format.header || (format.name() == "hashdeep" && !args.format.no_header);
        let options = WriteOptions {
            zero: args.format.zero,
            header: wants_header.then(|| header(inputs)),
            strict_hashdeep: args.format.strict_hashdeep,
        };
        let place = output.place();
        let writer = Writer::new(format, algorithms, &options, output).map_err(|error| match error {
            Error::Output { source } => place.failed(&source),
            error => {
                // Nothing was written but a file that holds nothing.
                if let Place::Partial(partial) = &place {
                    let _ = std::fs::remove_file(partial);
                }
                Ended::usage(error)
            }
        })?;
        let directory_hint = match inputs {
            Inputs::List { .. } => "a list names files; name the directory as a PATH",
            Inputs::Paths(_) => "leave out --no-recursive",
        };
        let writer = Some(writer);
        Ok(Self { writer, place, screen, directory_hint, status: Status::OK, has_read: false, broken: None })
    }

    /// Completes the output, or says what has become of it.
    fn finish(mut self, screen: &Screen, stopped: Option<Stop>) -> (Status, anyhow::Result<()>) {
        let Some(writer) = self.writer.take() else { return (self.status, Ok(())) };
        let ended = if stopped.is_some() { writer.leave() } else { writer.finish() };
        let finished = match (self.broken, ended) {
            (Some(error), _) | (None, Err(Error::Output { source: error })) => Err(self.place.failed(&error)),
            (None, Err(error)) => Err(Ended::output(error)),
            (None, Ok(output)) => Ok(output),
        };
        let output = match finished {
            Ok(output) => output,
            Err(error) => return (self.status, Err(error)),
        };
        let done = match stopped {
            Some(_) => output.leave(screen),
            None if self.status != Status::OK && !self.has_read => output.withdraw(screen),
            None => output.finish(),
        };
        (self.status, done)
    }
}

impl Sink for ManifestSink {
    fn record(&mut self, record: Record) -> ControlFlow<()> {
        let Some(writer) = &mut self.writer else { return ControlFlow::Break(()) };
        // Only where there is something to say: a name is not written out for each of a million files that were read.
        let name = || text::name(record.path.as_bytes());
        match record.outcome {
            Outcome::Read => {}
            Outcome::Failed(failure) => {
                self.status |= Status::UNREADABLE;
                let hint = match failure.io_error().kind() {
                    io::ErrorKind::IsADirectory if failure.operation == Operation::Open => {
                        self.directory_hint
                    }
                    io::ErrorKind::ResourceBusy if failure.operation == Operation::Open => {
                        "a pipe or terminal is read once, under the name that came first"
                    }
                    _ => "",
                };
                let separator = if hint.is_empty() { "" } else { "; " };
                self.screen.message(&format!("{}: {failure}{separator}{hint}", name()));
            }
            Outcome::Unstable(what) => {
                self.status |= Status::UNREADABLE;
                self.screen.message(&format!("{}: {what}; run again when it is at rest", name()));
            }
        }
        // Some formats have a place for what went wrong; in the others a line promises that it did not.
        if record.outcome != Outcome::Read && !writer.format().holds_failures() {
            return ControlFlow::Continue(());
        }
        match writer.record(&record) {
            Ok(()) => {
                self.has_read |= record.outcome == Outcome::Read;
                ControlFlow::Continue(())
            }
            Err(Error::Output { source }) => {
                self.broken = Some(source);
                ControlFlow::Break(())
            }
            Err(error) => {
                self.status |= Status::UNREADABLE;
                self.screen.message(&error.to_string());
                ControlFlow::Continue(())
            }
        }
    }
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
    if let Some(line) = passed_over(&summary.skipped) {
        screen.message(&line);
    }
    let bad = [(summary.failed, "could not be read"), (summary.unstable, "changed while being read")];
    let bad = bad.into_iter().filter(|(number, _)| *number > 0);
    let bad: Vec<String> = bad.map(|(number, what)| format!("{} {what}", text::count(number))).collect();
    if !bad.is_empty() {
        screen.message(&bad.join(", "));
    }
    if let Some(line) = reading.line() {
        screen.message(line);
    }
    screen.message(&summary_line(summary));
}

/// What walks did not look into, if there was anything.
pub(crate) fn passed_over(skipped: &Skipped) -> Option<String> {
    let passed_over = [
        (skipped.symlinks, "symbolic link"),
        (skipped.special, "special file"),
        (skipped.excluded, "excluded name"),
        (skipped.other_filesystem, "other file system"),
        (skipped.output, "output file"),
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
