//! Hash algorithms: which there are, and the states that turn bytes into digests.
//!
//! Owns the registry of algorithms, [`Digest`] values, the one-message [`Hasher`] and the many-message [`LaneSet`].
//! Does no I/O and knows nothing of files.

mod algorithm;
mod algorithms;
mod hasher;
mod lane_set;
mod registry;
mod value;

pub use algorithm::{Algorithm, Family, Security, Spec};
pub use hasher::{Hasher, State};
pub use lane_set::LaneSet;
pub use value::{Digest, InvalidDigest, MAX_DIGEST_LENGTH};
