#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod algorithm;
mod algorithms;
mod c4;
mod calibration;
mod computing;
mod hasher;
mod lane_set;
mod named;
mod notation;
mod registry;
mod saved;
mod state;
mod sum;
pub mod tree;
mod value;

pub use algorithm::{Algorithm, Family, Security, Spec};
pub use calibration::{BackendChoice, Calibration, Calibrations, KernelRate, calibrate};
pub use hasher::Hasher;
pub use hashlane_lanes::{Backend, Midstate, Occupancy, Part, cpu_features, cpu_model, reference_cycles};
pub use lane_set::LaneSet;
pub use notation::Notation;
pub use saved::{InvalidState, SavedState};
pub use state::{Saving, State};
pub use sum::sum_of_words;
pub use value::{Digest, InvalidDigest, MAX_DIGEST_LENGTH};

/// The examples of the guides are compiled and run.
#[cfg(doctest)]
mod guides {
    #[doc = include_str!("../../../docs/adding-an-algorithm.md")]
    mod adding_an_algorithm {}
}
