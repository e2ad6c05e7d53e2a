//! Whole runs of the engine: what comes out, in which order, and what becomes of a run when something goes wrong.

mod descriptors;
mod digests;
mod faults;
mod filters;
mod from_medium;
mod guest;
mod holes;
mod limits;
mod links;
mod page_cache;
mod panics;
mod pieces;
mod profiles;
mod stops;
mod stress;
mod support;
mod unstable;
mod walk;
