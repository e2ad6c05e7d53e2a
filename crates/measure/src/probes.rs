//! What can be timed: memory, digests, reading, writing, reading and digesting. Each probe runs the code that `sum` runs.

mod absent;
mod blocks;
mod digest;
mod dropping;
mod in_flight;
mod lanes;
mod memory;
mod message;
mod pipeline;
mod random;
mod read;
mod system_call;
mod write;

pub(crate) use absent::Absent;
pub use blocks::{BlockProbe, ENGINE as BLOCK_ENGINE, ExpectedXor};
pub use digest::DigestProbe;
pub(crate) use dropping::dropping;
pub(crate) use in_flight::{InFlight, Slot, Wanted};
pub use lanes::LanesProbe;
pub use memory::{Memory, MemoryProbe};
pub(crate) use message::ForeignProbe;
pub use message::{Foreign, ForeignFunction, Form, MessageProbe};
pub use pipeline::PipelineProbe;
pub use random::RandomReadProbe;
pub use read::ReadProbe;
use read::prepare_direct;
pub(crate) use read::{not_warm, prepare, still_warm};
pub use system_call::{SystemCall, SystemCallProbe};
pub use write::WriteProbe;

use std::ops::Range;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle};

use hashlane_io::start_thread_in;

use crate::clock::Stopwatch;
use crate::sampler::NotPossible;

/// Lets `threads` threads prepare, starts the watch when all are ready, lets them work at once, and returns what each made of
/// it. One thread is the calling one.
///
/// # Errors
/// The system refuses a thread.
fn on_threads<P, T: Send>(
    threads: usize,
    watch: &mut Stopwatch,
    prepare: impl Fn(usize) -> P + Sync,
    work: impl Fn(P) -> T + Sync,
) -> Result<Vec<T>, NotPossible> {
    if threads == 1 {
        let prepared = prepare(0);
        watch.restart();
        return Ok(vec![work(prepared)]);
    }
    let gate = Gate::default();
    thread::scope(|scope| {
        let (prepare, work, gate) = (&prepare, &work, &gate);
        let mut handles = Vec::with_capacity(threads);
        for number in 0..threads {
            let one = move || {
                let prepared = prepare(number);
                gate.arrive().then(|| work(prepared))
            };
            match start(scope, one) {
                Ok(handle) => handles.push(handle),
                Err(error) => {
                    gate.open(false);
                    return Err(error);
                }
            }
        }
        gate.wait_for(threads);
        watch.restart();
        gate.open(true);
        let results = handles.into_iter().map(|handle| handle.join().expect("a probe does not panic"));
        Ok(results.map(|result| result.expect("the gate was opened for work")).collect())
    })
}

/// Starts a thread of a probe.
///
/// # Errors
/// The system refuses it.
pub(crate) fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, NotPossible> {
    start_thread_in(scope, "probe", work).map_err(|error| not_possible("cannot start a thread", &error))
}

/// Where threads wait for each other, however many of them could be started.
#[derive(Debug, Default)]
struct Gate {
    /// Threads that have come, and whether they may work, once that is known.
    state: Mutex<(usize, Option<bool>)>,
    changed: Condvar,
}

impl Gate {
    /// Waits until it is opened; whether there is to be work.
    fn arrive(&self) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 += 1;
        self.changed.notify_all();
        let opened = self.changed.wait_while(state, |state| state.1.is_none());
        opened.unwrap_or_else(PoisonError::into_inner).1 == Some(true)
    }

    /// Waits until all threads have come.
    fn wait_for(&self, threads: usize) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_while(state, |state| state.0 < threads));
    }

    fn open(&self, works: bool) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1 = Some(works);
        self.changed.notify_all();
    }
}

/// The part of `whole` that is the share of one of `threads` threads, as equal as can be.
fn share(whole: u64, number: usize, threads: usize) -> Range<u64> {
    let bound = |number: usize| (u128::from(whole) * number as u128 / threads as u128) as u64;
    bound(number)..bound(number + 1)
}

/// Where io_uring cannot be measured; why follows.
pub(crate) const NO_RINGS: &str = "io_uring is not available here";

pub(crate) fn not_possible(what: &str, error: &dyn std::fmt::Display) -> NotPossible {
    NotPossible::Broken(format!("{what}: {error}"))
}
