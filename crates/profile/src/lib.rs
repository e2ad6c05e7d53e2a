#![doc = include_str!("../README.md")]

mod cache;
mod calibration;
mod device;
mod error;
mod gain;
mod suited;
mod tuning;

pub use cache::Cache;
pub use calibration::{Backends, KeptBackends};
pub use device::DeviceProfile;
pub use error::Error;
pub use gain::Gain;
pub use suited::{Suited, profile_of_kind};
pub use tuning::{Candidate, Effort, Note, Part, Timed, Timer, Trial, Tuning, tune};
