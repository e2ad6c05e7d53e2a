//! Hash algorithms: which there are, and the states that turn bytes into digests.
//!
//! Owns the registry of algorithms, [`Digest`] values, the one-message [`Hasher`], the many-message [`LaneSet`] and the
//! [`tree`] for one message in many parts, [`SavedState`]s of messages that are put aside, and the choice between several ways to compute the same. Does no I/O and knows nothing of files.
//!
//! ```
//! use hashlane_digest::Algorithm;
//!
//! let sha256 = Algorithm::named("SHA-256").unwrap();
//! let mut hasher = sha256.hasher();
//! hasher.update(b"a");
//! hasher.update(b"bc");
//! let digest = hasher.finish();
//! assert_eq!(digest, sha256.digest(b"abc"));
//! assert!(digest.to_string().starts_with("ba7816bf8f01cfea"));
//! ```

#![forbid(unsafe_code)]

mod algorithm;
mod algorithms;
mod calibration;
mod hasher;
mod lane_set;
mod notation;
mod registry;
mod saved;
pub mod tree;
mod value;

pub use algorithm::{Algorithm, Family, Security, Spec};
pub use calibration::{BackendChoice, Calibration, Calibrations, KernelRate, calibrate};
pub use hasher::{Hasher, State};
pub use hashlane_lanes::{Backend, Midstate, Occupancy, Part, cpu_features, cpu_model, reference_cycles};
pub use lane_set::LaneSet;
pub use notation::Notation;
pub use saved::{InvalidState, SavedState, Saving};
pub use value::{Digest, InvalidDigest, MAX_DIGEST_LENGTH};

/// The examples of the guides are compiled and run.
#[cfg(doctest)]
mod guides {
    #[doc = include_str!("../../../docs/adding-an-algorithm.md")]
    mod adding_an_algorithm {}
}
