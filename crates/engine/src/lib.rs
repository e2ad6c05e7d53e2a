#![doc = include_str!("../README.md")]
//!
//! Threads of a [`run`]: one source that walks and numbers entries, one worker for each core that reads and digests,
//! readers that wait for devices, and the caller's own thread, which puts the records in order and feeds the sink.
//! Memory is bounded whatever the number and size of the files: every queue between them has a limit, and records that
//! wait for an earlier one go to a temporary file when they become too many.

mod batch;
mod big_file;
mod big_files;
mod bounds;
mod control;
mod course;
mod disk_order;
mod drop_behind;
mod entry;
mod filter;
mod links;
mod memory_shares;
mod order;
mod profile;
mod queue;
mod record_codec;
mod record_room;
mod ring_memory;
mod run;
mod source;
mod spill;
mod streams;
mod throttle;
mod verdict;
mod walk;
mod worker;

pub use bounds::Bounds;
pub use control::{Control, Progress, Stop};
pub use entry::{AlgorithmSet, Excluded, Input};
pub use filter::{FileTypes, Filter, FilterError, GlobPurpose};
pub use profile::{LargeFiles, Profile, ReadOrder, SmallFiles};
pub use run::{EngineChoice, EngineFactory, Error, Options, SLOTS_PER_WORKER, Sink, Skipped, Summary, run};
pub use throttle::LOWEST_RATE;
pub use walk::{Found, Memory, WalkOptions, list};
