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
pub(crate) use read::{not_warm, prepare, still_warm};
pub use system_call::{SystemCall, SystemCallProbe};
pub use write::WriteProbe;

use std::ops::Range;
use std::sync::Barrier;
use std::thread;

use crate::clock::Stopwatch;
use crate::sampler::NotPossible;

/// Lets so many threads prepare, starts the watch when all are ready, lets them work at once, and returns what each made of
/// it. One thread is the calling one.
fn on_threads<P, T: Send>(
    threads: usize,
    watch: &mut Stopwatch,
    prepare: impl Fn(usize) -> P + Sync,
    work: impl Fn(P) -> T + Sync,
) -> Vec<T> {
    if threads == 1 {
        let prepared = prepare(0);
        watch.restart();
        return vec![work(prepared)];
    }
    let (ready, go) = (Barrier::new(threads + 1), Barrier::new(threads + 1));
    thread::scope(|scope| {
        let (prepare, work, ready, go) = (&prepare, &work, &ready, &go);
        let one = |number| {
            move || {
                let prepared = prepare(number);
                ready.wait();
                go.wait();
                work(prepared)
            }
        };
        let handles: Vec<_> = (0..threads).map(|number| scope.spawn(one(number))).collect();
        ready.wait();
        watch.restart();
        go.wait();
        handles.into_iter().map(|handle| handle.join().expect("a probe does not panic")).collect()
    })
}

/// The part of `whole` that is the share of one of `threads` threads, as equal as can be.
fn share(whole: u64, number: usize, threads: usize) -> Range<u64> {
    let bound = |number: usize| (u128::from(whole) * number as u128 / threads as u128) as u64;
    bound(number)..bound(number + 1)
}

/// Where io_uring cannot be measured; why follows.
pub(crate) const NO_RINGS: &str = "io_uring is not to be had here";

pub(crate) fn not_possible(what: &str, error: &dyn std::fmt::Display) -> NotPossible {
    NotPossible::Broken(format!("{what}: {error}"))
}
