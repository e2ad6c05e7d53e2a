#![doc = include_str!("../README.md")]
//!
//! Threads of a [`run()`]: one intake that walks and numbers entries, one worker for each core that reads and digests,
//! readers that wait for devices, and the caller's own thread, which puts the records in order and feeds the sink.
//! Memory is bounded whatever the number and size of the files: every queue between them has a limit, and records that
//! wait for an earlier one go to a temporary file when they become too many.

mod batch;
mod big_file;
mod big_files;
mod bounds;
mod checkpoints;
mod collector;
mod control;
mod course;
mod descriptors;
mod disk_order;
mod drop_behind;
mod entry;
mod error;
mod filter;
mod intake;
mod links;
mod lister;
mod local_files;
mod local_tree;
mod memory_shares;
mod options;
mod order;
mod part;
mod profile;
mod queue;
mod record_codec;
mod record_room;
mod records;
mod ring_memory;
mod run;
mod shared;
mod sink;
mod slice;
mod source;
mod streams;
mod summary;
mod throttle;
mod tree;
mod verdict;
mod walk;
mod worker;

pub use bounds::Bounds;
pub use checkpoints::{CHECKPOINT_BYTES, Checkpoints};
pub use control::{Control, Progress, Stop};
pub use entry::{AlgorithmSet, Excluded, Input};
pub use error::Error;
pub use filter::{FileTypes, Filter, FilterError, GlobPurpose};
pub use lister::Lister;
pub use local_tree::LocalTree;
pub use options::{EngineChoice, EngineFactory, Options};
pub use part::{PartRecord, failure, open_file};
pub use profile::{LargeFiles, LargeWay, Profile, ReadOrder, SmallFiles};
pub use records::{Records, records, records_from};
pub use run::{run, run_from};
pub use shared::SLOTS_PER_WORKER;
pub use sink::{Halt, Sink, Taken};
pub use slice::{Amount, Slice, Survey};
pub use source::{EngineOf, OpenedOf, PlaceOf, Source};
pub use summary::{Skipped, Summary};
pub use throttle::LOWEST_RATE;
pub use tree::{DirectoryState, Seen, SeenRoot, Shown, Tree};
pub use walk::{Found, Memory, WalkOptions, list, list_by, seen_by};
