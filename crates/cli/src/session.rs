//! One run of a command that reads files, from its first message to its last: how it is shown, how it reads, how it is stopped, and
//! what is said at its end. What is read and what comes of it is the command's.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use hashlane_engine::{
    AlgorithmSet, Control, EngineChoice, Options, Profile, Skipped, Stop, Summary, WalkOptions,
};
use hashlane_io::{EngineKind, usual_cache_bytes};
use hashlane_objects::Traffic;
use hashlane_profile::{Backends, Suited};
use hashlane_report::stores::traffic_line;
use hashlane_report::work;

use crate::args::{BackendChoiceArgs, EngineName, ProgressMode, ReadingArgs};
use crate::calibration::backends;
use crate::output::Output;
use crate::status::{Ended, told};
use crate::terminal::progress::{Count, Progress};
use crate::terminal::screen::Screen;
use crate::terminal::signals::{Interrupted, die_by};
use crate::version::build;

/// A run that is being prepared, and then goes on.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    args: &'a ReadingArgs,
    backends: &'a BackendChoiceArgs,
    control: Arc<Control>,
    screen: Screen,
    /// Once it is shown.
    progress: Option<Progress>,
    /// Whose measured profile it reads by, in words, if it does.
    tuned: Option<String>,
    /// How it digests, once that is known. A comparison of two lists digests nothing.
    chosen: Option<Backends>,
    /// Once signals are watched for.
    interrupted: Option<Interrupted>,
}

/// A run that is over, when something is still to be said.
#[derive(Debug)]
pub(crate) struct Ran<'a> {
    session: Session<'a>,
    interrupted: Interrupted,
}

impl<'a> Session<'a> {
    /// Begins. `silent`: without messages.
    ///
    /// # Errors
    /// The engine that was asked for cannot do what else is.
    pub(crate) fn begin(
        args: &'a ReadingArgs,
        backends: &'a BackendChoiceArgs,
        silent: bool,
    ) -> anyhow::Result<Self> {
        refuse_engine(args)?;
        Ok(Self {
            args,
            backends,
            control: Arc::new(Control::new()),
            screen: Screen::plain().silenced(silent),
            progress: None,
            tuned: None,
            chosen: None,
            interrupted: None,
        })
    }

    /// Shows the progress from now on; `count` finds out how much there is to do.
    pub(crate) fn show(&mut self, count: Count) {
        self.progress = Some(Progress::start(self.args.progress, &self.control, count));
    }

    /// The same, where somebody types the input: a bar would be in the way.
    pub(crate) fn show_beside_typing(&mut self, count: Count) {
        let mode = match self.args.progress {
            ProgressMode::Auto => ProgressMode::Never,
            mode => mode,
        };
        self.progress = Some(Progress::start(mode, &self.control, count));
    }

    /// Where messages go: beside the bar, while there is one.
    pub(crate) fn screen(&self) -> &Screen {
        &self.screen
    }

    /// What stops the run.
    pub(crate) fn control(&self) -> &Arc<Control> {
        &self.control
    }

    /// Opens what --output names, else standard output.
    pub(crate) fn output(&self, path: Option<&Path>) -> anyhow::Result<Output> {
        Output::open(path, &self.screen)
    }

    /// How to read what lies at `places`: as was asked for, else as suits the device.
    pub(crate) fn options<'p>(
        &mut self,
        algorithms: AlgorithmSet,
        walk: WalkOptions,
        places: impl Iterator<Item = &'p OsStr>,
    ) -> Options {
        let mut options = Options::new(algorithms);
        options.workers = self.args.jobs.map(usize::from);
        options.engine = match self.args.engine {
            _ if self.args.device.from_medium => EngineChoice::FromMedium,
            EngineName::Auto => EngineChoice::Auto,
            EngineName::Only(kind) => EngineChoice::Only(kind),
        };
        options.profile = self.suit(places);
        options.cache_bytes = cache_bytes(self.args);
        options.backend = self.chosen.get_or_insert_with(|| backends(self.backends)).choice();
        options.max_bytes_per_second = self.args.device.max_rate;
        options.idle_io = self.args.device.nice_io;
        options.walk = walk;
        options
    }

    /// What suits the device that all of `places` lie on, where it becomes known after the options: what `tune` has kept, or what is known
    /// of its kind. The default where they lie on several, or where an engine was named.
    pub(crate) fn suit<'p>(&mut self, places: impl Iterator<Item = &'p OsStr>) -> Profile {
        let ReadingArgs { engine, no_profile, device, .. } = self.args;
        if *engine != EngineName::Auto || *no_profile {
            return Profile::default();
        }
        let Suited { profile, tuned } =
            Suited::to(self.backends.cache.directory().as_ref(), &build(), places);
        // Of a profile these take the number of readers and the order, and no engine.
        let is_limited = device.from_medium || device.max_rate.is_some();
        self.tuned = tuned.filter(|_| !is_limited).map(|tuned| work::tuned_line(&profile, &tuned));
        profile
    }

    /// Watches for signals from now on: the first stops the run as `stop` says, another one ends the process.
    ///
    /// # Errors
    /// The system refuses to watch.
    pub(crate) fn watch(&mut self, stop: Stop) -> anyhow::Result<()> {
        self.interrupted = Some(Interrupted::watch(&self.control, &self.screen, stop)?);
        Ok(())
    }

    /// Does the work, and takes the bar away. Signals stop it as `stop` says, unless they are watched for already.
    ///
    /// # Errors
    /// The system refuses to watch for signals.
    pub(crate) fn run<T>(
        mut self,
        stop: Stop,
        work: impl FnOnce(&Arc<Control>) -> T,
    ) -> anyhow::Result<(T, Ran<'a>)> {
        let interrupted = match self.interrupted.take() {
            Some(interrupted) => interrupted,
            None => Interrupted::watch(&self.control, &self.screen, stop)?,
        };
        let done = work(&self.control);
        drop(self.progress.take());
        Ok((done, Ran { session: self, interrupted }))
    }
}

impl Ran<'_> {
    /// Where messages go.
    pub(crate) fn screen(&self) -> &Screen {
        &self.session.screen
    }

    /// The signal that has stopped the run, if one has.
    pub(crate) fn signal(&self) -> Option<i32> {
        self.interrupted.signal()
    }

    /// Ends a run that has failed, and whose output was left as `left` says: with its error, which says more than what became of the
    /// output. Where a signal came as well the process dies by that.
    pub(crate) fn failed<T>(
        &self,
        error: impl Into<anyhow::Error>,
        left: anyhow::Result<()>,
    ) -> anyhow::Result<T> {
        let error = error.into();
        self.session.screen.messages(left.err().map(|left| left.to_string()));
        match self.signal() {
            Some(signal) => {
                self.session.screen.message(&told(&error).0);
                die_by(signal)
            }
            None => Err(error),
        }
    }

    /// Ends the process where a signal has stopped the run, and says what was done.
    pub(crate) fn die_if_interrupted(&self, summary: &Summary) {
        if let Some(signal) = self.signal() {
            self.die(signal, summary);
        }
    }

    /// Ends the process as the signal would have, and says what was done.
    pub(crate) fn die(&self, signal: i32, summary: &Summary) -> ! {
        self.session.screen.message(&self.stopped_line(summary));
        die_by(signal)
    }

    /// What a stopped run has done.
    pub(crate) fn stopped_line(&self, summary: &Summary) -> String {
        work::stopped_line(summary, self.session.control.progress().walk_done)
    }

    /// Says what walks passed over. `own_files`: what those are that the run itself reads or writes.
    pub(crate) fn passed_over(&self, skipped: &Skipped, own_files: &str) {
        self.session.screen.messages(work::passed_over_line(skipped, own_files));
    }

    /// The last lines: how the device was read, and, behind `counts` if there are any, what was read how fast.
    pub(crate) fn close(&self, counts: Option<&str>, summary: &Summary) {
        let unsuited = (summary.unsuited > 0).then(|| work::unsuited_line(summary.unsuited));
        if let Some(line) = unsuited.as_ref().or(self.session.tuned.as_ref()) {
            self.session.screen.message(line);
        }
        let line = work::summary_line(summary);
        match counts {
            Some(counts) => self.session.screen.message(&format!("{counts}; {line}")),
            None => self.session.screen.message(&line),
        }
    }

    /// Says what a store was asked, if one was.
    pub(crate) fn say_traffic(&self, traffic: Option<&Arc<Traffic>>) {
        self.session.screen.messages(traffic.map(|traffic| traffic_line(traffic)));
    }

    /// Measures what there was much to do for, for the next run. To be called when all results are out.
    pub(crate) fn learn(&self, summary: &Summary) {
        if let Some(chosen) = &self.session.chosen {
            chosen.learn(&summary.digested_by);
        }
    }
}

/// Refuses engines that cannot do what else is asked of reading.
fn refuse_engine(args: &ReadingArgs) -> anyhow::Result<()> {
    match args.engine {
        EngineName::Only(kind) if args.device.from_medium && kind != EngineKind::Direct => {
            Err(Ended::usage(format!(
                "--from-medium: the engine {} reads through the page cache; leave out --engine",
                kind.name()
            )))
        }
        _ => Ok(()),
    }
}

/// Bytes that a run may leave in the page cache.
fn cache_bytes(args: &ReadingArgs) -> Option<u64> {
    if args.no_drop_behind {
        return None;
    }
    Some(if args.drop_behind { 0 } else { usual_cache_bytes() })
}
