//! `hashlane convert --add`: digests of more algorithms, for files whose listed digests hold.
//!
//! A digest is written only if the reading that made it also made the digests that are listed. So the new manifest says of
//! a file what the old one said, or nothing.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlane_digest::Algorithm;
use hashlane_engine::{AlgorithmSet, Control, Input, Sink, Stop};
use hashlane_io::Directory;
use hashlane_manifest::{Item, LineProblem, Merged, Reader};
use hashlane_record::{ItemPath, Outcome, Record};

use super::{New, Said, next};
use crate::args::ConvertArgs;
use crate::calibration::Backends;
use crate::check::{open_base, verdict};
use crate::confined::Confined;
use crate::device_profile::Reading;
use crate::expected::Expected;
use crate::inputs::{options, plain_walk, refuse_engine};
use crate::progress::{Count, Progress};
use crate::report::Verdict;
use crate::screen::Screen;
use crate::signals::{Interrupted, die_by};
use crate::status::Status;
use crate::sum::{stopped_line, summary_line};
use crate::text;

type Items = Merged<Reader<'static>>;

/// Reads the files of a manifest and writes those entries that hold, with more digests.
pub(super) fn run(
    args: &ConvertArgs,
    ahead: VecDeque<Item>,
    items: Items,
    new: New,
    said: Said,
    excluded: Vec<(u64, u64)>,
) -> anyhow::Result<Status> {
    refuse_engine(&args.reading)?;
    let from = items.get_ref().format();
    let to = new.writer.format();
    let base = args.base.as_deref().map(open_base).transpose()?;
    let control = Arc::new(Control::new());
    let counter: Count = Box::new(|_| {});
    let progress = Progress::start(args.reading.progress, &control, counter);
    let said = Arc::new(Mutex::new(Said { screen: progress.screen().clone(), ..said }));
    let place = args.base.as_deref().map_or(std::ffi::OsStr::new("."), std::path::Path::as_os_str);
    let reading = Reading::suiting(&args.reading, &args.backends.cache, std::iter::once(place));
    let backends = Backends::of(&args.backends);
    let mut options = options(Arc::new([]), &args.reading, reading.profile, backends.choice(), plain_walk());
    options.excluded = excluded;
    let interrupted = Interrupted::watch(&control, &lock(&said).screen.clone(), Stop::Drained)?;
    let inputs =
        Listed { ahead, items, base, said: Arc::clone(&said), add: args.add.clone(), last: Arc::new([]) };
    let confined = args.base.as_deref().map(Confined::new);
    let mut sink = AddSink { new, said: Arc::clone(&said), status: Status::OK, confined, broken: None };
    let run = hashlane_engine::run(options, inputs, &mut sink, &control);

    drop(progress);
    let screen = Screen::plain();
    let AddSink { new, mut status, broken, .. } = sink;
    // The thread that listed has ended with the run.
    let said = std::mem::replace(&mut *lock(&said), Said::new(screen.clone(), String::new()));
    let said = Said { screen: screen.clone(), ..said };
    if let Some(error) = broken {
        return Err(error);
    }
    let complete = run.as_ref().is_ok_and(|summary| summary.stopped.is_none()) && said.bad + said.failed == 0;
    let done = new.finish(&said, complete);
    let summary = run?;
    if let Some(signal) = interrupted.signal() {
        screen.message(&stopped_line(&summary, &control));
        die_by(signal);
    }
    done?;
    if !args.quiet {
        screen.message(&summary_line(&summary));
    }
    status |= said.close(args, from.name(), to);
    backends.learn(&summary.digested_by);
    Ok(status)
}

/// The entries of the manifest as inputs of a run. Runs on the thread of the source.
struct Listed {
    /// What was read already.
    ahead: VecDeque<Item>,
    items: Items,
    base: Option<Arc<Directory>>,
    said: Arc<Mutex<Said>>,
    add: Vec<Algorithm>,
    /// What was wanted last: mostly it is wanted again.
    last: AlgorithmSet,
}

impl Iterator for Listed {
    type Item = Input;

    fn next(&mut self) -> Option<Input> {
        loop {
            let item = match self.ahead.pop_front() {
                Some(item) => item,
                None => self.next_item()?,
            };
            if item.digests.is_empty() || item.outcome.is_some_and(|outcome| outcome != Outcome::Read) {
                let name = text::name(item.path.as_bytes());
                lock(&self.said)
                    .bad(&format!("line {}: {name}: no digest is listed that could be verified", item.line));
                continue;
            }
            let expected = Expected::of(&item);
            let tag = [&item.line.to_le_bytes()[..], &expected.encode()].concat().into();
            let (base, division) = (self.base.clone(), expected.division());
            let algorithms = expected.algorithms(&self.add, &mut self.last);
            return Some(Input::File { path: item.path, base, algorithms, division, tag });
        }
    }
}

impl Listed {
    /// The lock is held no longer than a line of the manifest takes.
    fn next_item(&mut self) -> Option<Item> {
        loop {
            let line: Result<Item, LineProblem> = self.items.next()?;
            match line {
                Ok(item) => return Some(item),
                problem => drop(next(&mut std::iter::once(problem), &mut lock(&self.said))),
            }
        }
    }
}

/// Writes the entries that hold.
struct AddSink {
    new: New,
    said: Arc<Mutex<Said>>,
    status: Status,
    /// With --base.
    confined: Option<Confined>,
    /// The error that ended the output.
    broken: Option<anyhow::Error>,
}

impl AddSink {
    /// Why an entry is left out.
    fn problem(&self, record: &Record, verdict: Verdict, expected: &Expected) -> String {
        match record.outcome {
            Outcome::Failed(failure) => {
                let confined = self.confined.as_ref();
                let problem = confined.and_then(|confined| confined.problem(failure));
                problem.map_or_else(|| failure.to_string(), Cow::into_owned)
            }
            Outcome::Unstable(what) => what.to_string(),
            Outcome::Read => {
                let differs = |(listed, read): (&_, &_)| listed != read;
                let differing = expected.digests.iter().zip(&record.digests).find(|&pair| differs(pair));
                let what = match (differing, expected.size_bytes) {
                    (Some((listed, read)), _) => {
                        format!("{} is {read}, and not {listed} as listed", listed.algorithm())
                    }
                    (None, Some(size)) if size != record.digested_bytes => {
                        format!("has {} bytes, and not {size} as listed", record.digested_bytes)
                    }
                    _ if expected.pieces.is_some() => "has other pieces than are listed".to_owned(),
                    _ => "is not as listed".to_owned(),
                };
                let corrupt = if verdict == Verdict::Corrupt { ", though size and time are" } else { "" };
                format!("{what}{corrupt}")
            }
        }
    }
}

impl Sink for AddSink {
    fn record(&mut self, record: Record) -> ControlFlow<()> {
        let line = record.tag.first_chunk().map(|line| u64::from_le_bytes(*line));
        let (Some(line), Some(expected)) = (line, record.tag.get(8..).and_then(Expected::decode)) else {
            unreachable!("every entry carries its line and what is expected of it");
        };
        let verdict = verdict(&record, &expected);
        if verdict != Verdict::Ok {
            self.status |= verdict.status();
            let name = text::name(record.path.as_bytes());
            let problem = self.problem(&record, verdict, &expected);
            lock(&self.said).failed(&format!("line {line}: {name}: {problem}"));
            return ControlFlow::Continue(());
        }
        let to = self.new.writer.format();
        let size = to.holds_sizes().then_some(record.digested_bytes);
        let modified = record.facts.map(|facts| facts.modified).filter(|_| to.holds_times());
        let path = ItemPath::from(record.path.as_bytes());
        let (digests, pieces, outcome) = (record.digests, record.pieces, Some(record.outcome));
        let item = Item { line, path, size, modified, digests, outcome, pieces };
        match self.new.write(&item, &mut lock(&self.said)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.broken = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}

fn lock(said: &Mutex<Said>) -> MutexGuard<'_, Said> {
    said.lock().unwrap_or_else(PoisonError::into_inner)
}
