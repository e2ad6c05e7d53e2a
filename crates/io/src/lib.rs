#![doc = include_str!("../README.md")]
// System calls and mapped memory: every block says which promise it keeps.
#![allow(unsafe_code)]

mod access_time;
mod account;
mod allocator;
mod atomic;
mod block;
mod caused;
mod delivery;
mod descriptors;
mod device;
mod direct_reads;
mod directory;
mod engine;
mod engines;
mod event;
mod extent;
mod file_system;
mod from_medium;
mod generate;
mod identity;
mod kind;
mod limits;
mod live_windows;
mod memory;
mod obstacle;
mod open_file;
mod outlet;
mod page_cache;
mod past_cache;
mod pool;
mod priority;
mod processor_cache;
mod read_error;
mod read_state;
mod source;
mod spill;
mod standard;
mod step;
mod store;
mod temporary;
mod window;

pub use account::{Lease, Leased};
pub use allocator::Allocator;
pub use atomic::{
    AtomicFile, Existing, FileVersion, ReplaceError, directory_of, partial_name, put_new, rename_new, replace,
};
pub use block::Block;
pub use descriptors::{DescriptorBudget, Permit};
pub use device::{Device, Medium, mount_points};
pub use directory::{Directory, OpenHow};
pub use engine::{Completion, FirstRead, ReadEngine, Request, Target, Waker};
pub use engines::buffered::Buffered;
pub use engines::direct::Direct;
pub use engines::failing::{Call, Failing, Fault, FaultPlan, Release};
pub use engines::mapped::{LONGEST_WINDOW_BYTES, Mapped};
pub use engines::null::Null;
pub use engines::pooled::Pooled;
pub use engines::uring::Uring;
pub use extent::{first_extent, unwritten_bytes};
pub use file_system::FileSystems;
pub use from_medium::{FromMedium, PastCache};
pub use generate::{Content, PlannedFile, Sizes, SplitMix, TreePlan};
pub use identity::Identity;
pub use kind::EngineKind;
pub use limits::{
    address_space_limit, has_small_stack, keep_to_limits, memory_budget, start_thread, start_thread_in,
    usual_cache_bytes,
};
pub use memory::BLOCK_ALIGNMENT;
pub use obstacle::MediumObstacle;
pub use open_file::{FileFacts, FileKind, OpenFile, stdin};
pub use outlet::{AtTerminal, Destination, Outlet, first_clash, is_special};
#[doc(hidden)]
pub use page_cache::evict_wholly;
pub use page_cache::{CacheUnseen, Residency, evict, forget, residency, resident_bytes};
pub use pool::ReaderPool;
pub use priority::{HeldPriority, IoPriority};
pub use processor_cache::{ProcessorCache, cache_share_bytes, count_of};
pub use read_error::{ReadCause, ReadError, ReadStep};
pub use source::{Source, Sources};
pub use spill::temporary_directory;
pub use standard::{StandardInput, StandardOutput, keep_closed};
pub use store::{FilePlace, FileSystem, Opened, Place, StateNames, Store};
pub use temporary::{locked_directory, nameless_file, remove_leftovers, try_directory};
