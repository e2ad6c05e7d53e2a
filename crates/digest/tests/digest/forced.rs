//! What the tests compute with: the backend that HASHLANE_BACKEND names, so that all of them can be run for each one
//! (`cargo xtask test --only backends`).

use hashlane_digest::{Algorithm, Backend, BackendChoice, Digest, Hasher, LaneSet};

/// The choice of this run.
pub(crate) fn choice() -> BackendChoice {
    let Some(name) = std::env::var_os("HASHLANE_BACKEND") else { return BackendChoice::Auto };
    let backend = name.to_str().and_then(Backend::named).filter(|backend| backend.is_available());
    BackendChoice::Only(
        backend.unwrap_or_else(|| panic!("HASHLANE_BACKEND={name:?}: not a backend of this CPU")),
    )
}

pub(crate) fn hasher(algorithm: Algorithm) -> Hasher {
    algorithm.hasher_by(&choice())
}

pub(crate) fn lane_set(algorithm: Algorithm, slots: usize) -> LaneSet {
    LaneSet::by(algorithm, slots, &choice())
}

pub(crate) fn digest(algorithm: Algorithm, message: &[u8]) -> Digest {
    let mut hasher = hasher(algorithm);
    hasher.update(message);
    hasher.finish()
}
