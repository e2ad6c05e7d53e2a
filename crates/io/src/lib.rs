//! Where bytes come from: read engines, directories and open files, page-cache and device facts, generated files.
//!
//! Owns every system call on files. Knows nothing of digests, records or the order of files: it opens what it is told
//! to open and brings the bytes it is asked for, and says where they came from.
//!
//! The read engines share one shape, [`ReadEngine`]: requests go in by [`ReadEngine::submit`], completions come out of
//! [`ReadEngine::reap`]. What is in the page cache completes at once; what has to wait for a device does so on another
//! thread or in the kernel.

// System calls and mapped memory: every block says which promise it keeps.
#![allow(unsafe_code)]

mod allocator;
mod block;
mod buffered;
mod caused;
mod delivery;
mod descriptors;
mod device;
mod direct;
mod directory;
mod engine;
mod event;
mod extent;
mod failing;
mod file_system;
mod from_medium;
mod generate;
mod kind;
mod limits;
mod live_windows;
mod mapped;
mod memory;
mod null;
mod open_file;
mod page_cache;
mod pool;
mod priority;
mod processor_cache;
mod rename;
mod spill;
mod standard;
mod step;
mod uring;
mod window;

pub use allocator::Allocator;
pub use block::{BLOCK_ALIGNMENT, Block};
pub use buffered::Buffered;
pub use descriptors::{DescriptorBudget, Permit};
pub use device::{Device, Medium};
pub use direct::Direct;
pub use directory::{Directory, OpenHow};
pub use engine::{
    Completion, FirstRead, ReadEngine, ReadError, ReadStep, Request, Source, Sources, Target, Waker,
};
pub use extent::first_extent;
pub use failing::{Call, Failing, Fault, FaultPlan, Release};
pub use from_medium::FromMedium;
pub use generate::{Content, PlannedFile, Sizes, TreePlan};
pub use kind::EngineKind;
pub use limits::{has_small_stack, keep_to_limits, memory_budget, start_thread, start_thread_in};
pub use mapped::{LONGEST_WINDOW_BYTES, Mapped};
pub use null::Null;
pub use open_file::{FileFacts, FileKind, OpenFile, stdin};
pub use page_cache::{Residency, evict, forget, residency};
pub use pool::ReaderPool;
pub use priority::{HeldPriority, IoPriority};
pub use processor_cache::{ProcessorCache, cache_share_bytes, count_of};
pub use rename::rename_new;
pub use spill::temporary_directory;
pub use standard::{StandardInput, StandardOutput, keep_closed};
pub use uring::Uring;
