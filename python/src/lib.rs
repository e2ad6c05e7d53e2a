//! The module `hashlane._hashlane`: what hashlane's libraries do, for Python.
//!
//! Owns how objects of Python become inputs and how results become objects; which files are read, how contents are judged and how a
//! table looks is decided in the libraries. What Python shows of it is in `python/hashlane`.
//!
//! Invariants:
//! 1. While files are read or bytes are digested, other threads of Python run.
//! 2. A call that takes long looks for signals several times a second, on the thread that made it, and ends by the exception of their
//!    handlers.
//! 3. An object may be used by several threads at once, with a lock of the interpreter or without one.

mod audit;
mod buffers;
mod check;
mod collection;
mod diff;
mod errors;
mod hash;
mod listing;
mod many;
mod pieces;
mod reading;
mod records;
mod running;
mod told;

use std::collections::BTreeMap;

use hashlane_audit::Verdict;
use hashlane_digest::Algorithm;
use pyo3::prelude::*;

/// The native part of `hashlane`.
#[pymodule(gil_used = false)]
mod _hashlane {
    #[pymodule_export]
    use super::{
        audit::{audit, plan_audit},
        check::check,
        collection::audit_collection,
        diff::diff,
        hash::Hash,
        listing::list_files,
        many::digest_many,
        pieces::{join_pieces, read_piece},
        records::{Batch, Batches, sum_files},
        told::Findings,
    };

    #[pymodule_export]
    use super::{algorithm_names, collection_verdict_names, difference_names, verdict_bits, verdict_names};

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python has it by this name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}

/// The names of all algorithms.
#[pyfunction]
fn algorithm_names() -> Vec<&'static str> {
    Algorithm::all().map(Algorithm::name).collect()
}

/// The names of all verdicts of checks and audits.
#[pyfunction]
fn verdict_names() -> Vec<&'static str> {
    Verdict::OF_LISTS.into_iter().map(Verdict::name).collect()
}

/// The names of all verdicts of audits of collections.
#[pyfunction]
fn collection_verdict_names() -> Vec<&'static str> {
    Verdict::OF_COLLECTIONS.into_iter().map(Verdict::name_in_collection).collect()
}

/// The bits that the verdicts of checks and audits add to an exit code, by their names.
#[pyfunction]
fn verdict_bits() -> BTreeMap<&'static str, u8> {
    Verdict::OF_LISTS.into_iter().map(|verdict| (verdict.name(), verdict.bits())).collect()
}

/// The names of all differences.
#[pyfunction]
fn difference_names() -> Vec<&'static str> {
    hashlane_audit::diff::Difference::ALL.into_iter().map(hashlane_audit::diff::Difference::name).collect()
}
