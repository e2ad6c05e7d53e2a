//! A run: the threads that it starts, and what becomes of it.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded};
use hashlane_io::{IoPriority, start_thread};

use crate::collector::{Collector, TICK};
use crate::control::Control;
use crate::entry::Input;
use crate::error::Error;
use crate::intake::Intake;
use crate::local_files::LocalFiles;
use crate::options::Options;
use crate::order::Order;
use crate::shared::{Room, Shared};
use crate::sink::{Halt, Sink};
use crate::source::Source;
use crate::summary::{Skipped, Summary};
use crate::verdict::Finished;
use crate::worker::Worker;

/// Batches of records on their way to the sink.
const RECORD_BATCHES: usize = 64;

/// Held by each thread of a run: when one panics the others end, instead of waiting for what it had in hand. Holds a
/// sender, so that the collector cannot take the panic for an end.
struct Alarm<S: Source> {
    shared: Arc<Shared<S>>,
    works: bool,
    _records: Sender<Vec<Finished>>,
}

impl<S: Source> Drop for Alarm<S> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.shared.panicked.store(true, Ordering::Release);
            self.shared.abort();
        }
        if self.works {
            self.shared.working.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

/// Ends the threads of a run that its caller leaves early: by an error, or because the sink panicked.
struct Tether<'a, S: Source> {
    shared: &'a Shared<S>,
    left_early: bool,
}

impl<S: Source> Drop for Tether<'_, S> {
    fn drop(&mut self) {
        if self.left_early {
            self.shared.abort();
        }
    }
}

/// Fingerprints all inputs, and passes the records to `sink` in the order of the inputs and, within a tree, in byte order of the path.
///
/// # Errors
/// The system refuses a thread, the temporary file of a long run cannot be read back, or the sink fails. Problems with a single file are in
/// its record.
pub fn run(
    mut options: Options,
    inputs: impl Iterator<Item = Input> + Send + 'static,
    sink: &mut dyn Sink,
    control: &Arc<Control>,
) -> Result<Summary, Error> {
    let room = Room::of(&mut options);
    let files = LocalFiles::new(&options, room.readers, room.directories);
    run_within(room, files, options, Box::new(inputs), sink, control)
}

/// The same for the things of any source. Options about read engines and devices apply to files only: the source decides.
///
/// # Errors
/// As [`run()`].
pub fn run_from<S: Source>(
    source: S,
    mut options: Options,
    inputs: impl Iterator<Item = Input<S::Base>> + Send + 'static,
    sink: &mut dyn Sink,
    control: &Arc<Control>,
) -> Result<Summary, Error> {
    let room = Room::of(&mut options);
    run_within(room, source, options, Box::new(inputs), sink, control)
}

/// Inputs on their way to the thread that takes them.
type Inputs<S> = Box<dyn Iterator<Item = Input<<S as Source>::Base>> + Send>;

fn run_within<S: Source>(
    room: Room,
    source: S,
    options: Options,
    inputs: Inputs<S>,
    sink: &mut dyn Sink,
    control: &Arc<Control>,
) -> Result<Summary, Error> {
    let start = Instant::now();
    let order = Order::new(options.walk.memory.records_bytes, options.walk.spill_directory.clone());
    let shared = Arc::new(Shared::new(source, options, &room, Arc::clone(control)));
    let (finish, finished) = bounded(RECORD_BATCHES);
    let mut tether = Tether { shared: &shared, left_early: true };
    // All threads of the run are started from here on, by this one or by one that was, and begin with its priority.
    let _idle =
        shared.options.idle_io.then(|| IoPriority::IDLE.hold()).transpose().map_err(Error::Priority)?;
    let _filling = match &shared.throttle {
        Some(throttle) => Some(throttle.start().map_err(Error::Thread)?),
        None => None,
    };
    let skipped = start_intake(&shared, inputs, &finish)?;
    let workers = start_workers(&shared, finish)?;
    let summary = Summary { workers, ..Summary::default() };
    let mut collector = Collector { shared: &shared, order, sink, summary, halt: None, left: 0 };
    let collected = collector.run(&finished);
    let Collector { summary, left, halt, .. } = collector;
    // Why the sink failed counts more than what follows from that.
    halt.map_or(Ok(()), Halt::into_result)?;
    collected?;
    tether.left_early = false;
    conclude(&shared, summary, left, &skipped, start)
}

/// What a run has done, once its records have left; an error if they do not add up.
fn conclude<S: Source>(
    shared: &Shared<S>,
    mut summary: Summary,
    left: u64,
    skipped: &Receiver<Skipped>,
    start: Instant,
) -> Result<Summary, Error> {
    summary.stopped = shared.control.stopped();
    summary.repeated_bytes = shared.links.repeated_bytes();
    summary.unsuited = shared.unsuited.load(Ordering::Relaxed);
    summary.unseen = shared.unseen.get().copied();
    summary.lanes = *shared.occupancy.lock().unwrap_or_else(PoisonError::into_inner);
    // The intake of a stopped run may wait for ever.
    let patience = if summary.stopped.is_some() { TICK } else { Duration::MAX };
    if let Ok(walked) = skipped.recv_timeout(patience) {
        summary.skipped += walked;
    }
    let found = shared.control.progress().files_found;
    summary.dropped = found.saturating_sub(left);
    summary.elapsed = start.elapsed();
    let panicked = shared.panicked.load(Ordering::Acquire);
    if panicked || summary.stopped.is_none() && summary.dropped > 0 {
        return Err(Error::Lost(summary.dropped, found));
    }
    if summary.stopped.is_none() && shared.has_other_listing.load(Ordering::Acquire) {
        return Err(Error::OtherListing);
    }
    Ok(summary)
}

/// Starts the workers; returns how many there are.
fn start_workers<S: Source>(shared: &Arc<Shared<S>>, finish: Sender<Vec<Finished>>) -> Result<usize, Error> {
    for id in 0..shared.workers {
        let (its, finish) = (Arc::clone(shared), finish.clone());
        let worker = move || {
            let alarm = Alarm { shared: Arc::clone(&its), works: true, _records: finish.clone() };
            let memory = Worker::new(id, its, finish).run();
            // The run may end from here on.
            drop(alarm);
            drop(memory);
        };
        match start_thread(&format!("worker {id}"), worker) {
            Ok(_) => {}
            // Where nobody said how many there are to be, as many as the system gives.
            Err(_) if id > 0 && shared.options.workers.is_none() => {
                shared.working.fetch_sub(shared.workers - id, Ordering::AcqRel);
                return Ok(id);
            }
            Err(error) => return Err(Error::Thread(error)),
        }
    }
    Ok(shared.workers)
}

fn start_intake<S: Source>(
    shared: &Arc<Shared<S>>,
    inputs: Inputs<S>,
    finish: &Sender<Vec<Finished>>,
) -> Result<Receiver<Skipped>, Error> {
    let (done, skipped) = bounded(1);
    let intake = Intake::new(Arc::clone(shared), finish.clone());
    // The intake may wait for ever, for a list that comes through a pipe; nobody waits for it.
    let alarm = Alarm { shared: Arc::clone(shared), works: false, _records: finish.clone() };
    let walk = move || {
        let _alarm = alarm;
        let skipped = intake.run(inputs);
        let _ = done.send(skipped);
    };
    start_thread("intake", walk).map_err(Error::Thread)?;
    Ok(skipped)
}
