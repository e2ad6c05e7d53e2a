#![doc = include_str!("../README.md")]

pub mod backends;
mod ceilings;
mod cell;
mod clock;
mod compare;
pub mod conclusions;
mod drop_caches;
mod error;
mod import;
mod inputs;
mod latency;
pub mod machine;
mod noise;
mod probes;
mod program;
mod run;
mod sample;
mod sampler;
mod scratch;
pub mod statistics;
mod studies;
mod study;
#[cfg(test)]
mod testing;
mod text;
pub mod tune;
pub mod warning;

pub use cell::{CacheState, Cell, Size, Stage, Unit};
pub use clock::{DayClock, Elapsed, ReferenceClock, Stopwatch, stopwatch_overhead_ns};
pub use compare::{
    CompareError, Comparison, LoadError, Loaded, Relation, Row, Section, Seen, Standing, Subject, Summary,
    is_run,
};
pub use drop_caches::DropCaches;
pub use error::{ProgramError, StudyError};
pub use import::{Basis, Format, ImportError, Imported, Remark, import, sysperf_count};
pub use latency::Latency;
pub use machine::{Machine, Place};
pub use noise::{Look, Noise};
pub use probes::{
    BLOCK_ENGINE, BlockProbe, DigestProbe, ExpectedXor, Foreign, ForeignFunction, Form, LanesProbe, Memory,
    MemoryProbe, MessageProbe, PipelineProbe, RandomReadProbe, ReadProbe, SystemCall, SystemCallProbe,
    WriteProbe,
};
pub use program::ProgramFacts;
pub use run::{BackendUse, Overhead, Run, RunError, SCHEMA, SCHEMA_VERSION};
pub use sample::{CellResult, Sample, Waits, Work};
pub use sampler::{Ending, NotPossible, Observer, Plan, Probe, Stopper, sample};
pub use scratch::{Allowance, DeviceRates, LargeFile, NamedFiles, SmallFiles};
pub use statistics::Estimate;
pub use studies::check_up::CheckUp;
pub use studies::{check_up, input_output, machine_study, pipeline, speed, variant};
pub use study::{Brief, Underway, Values};
pub use warning::Warning;
