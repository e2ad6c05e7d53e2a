//! What can be timed: memory, digests, reading, writing, reading and digesting. Each probe runs the code that `sum` runs.

mod digest;
mod memory;
mod pipeline;
mod read;
mod write;

pub use digest::DigestProbe;
pub use memory::{Memory, MemoryProbe};
pub use pipeline::PipelineProbe;
pub use read::ReadProbe;
pub use write::WriteProbe;

use std::thread;

use crate::sampler::NotPossible;

/// Runs `work` on so many threads at once and returns what each made of it. One thread is the calling one.
fn on_threads<T: Send>(threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if threads == 1 {
        return vec![work(0)];
    }
    thread::scope(|scope| {
        let work = &work;
        let handles: Vec<_> = (0..threads).map(|number| scope.spawn(move || work(number))).collect();
        handles.into_iter().map(|handle| handle.join().expect("a probe does not panic")).collect()
    })
}

fn not_possible(what: &str, error: &dyn std::fmt::Display) -> NotPossible {
    NotPossible(format!("{what}: {error}"))
}
