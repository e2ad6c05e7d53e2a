#![doc = include_str!("../README.md")]

mod cache;
mod calibration;
mod device;
mod error;
mod gain;
mod kind;
mod suited;
mod tuning;

pub use cache::Cache;
pub use calibration::{Backends, KeptBackends, cpu_signature};
pub use device::DeviceProfile;
pub use error::Error;
pub use gain::Gain;
pub use kind::profile_of_kind;
pub use suited::{Measured, Suited};
pub use tuning::{Candidate, Effort, Note, Timed, Timer, Trial, TunedPart, Tuning, tune};

/// What measured figures are kept under: name and version, the same for the command and for the module of Python. A debug build has other
/// rates.
pub fn program() -> String {
    let program = concat!("hashlane ", env!("CARGO_PKG_VERSION"));
    if cfg!(debug_assertions) { format!("{program} (debug build)") } else { program.to_owned() }
}
