//! Whole runs of the engine: what comes out, in which order, and what becomes of a run when something goes wrong.

mod checkpoints;
mod descriptors;
mod digests;
mod every_source;
mod faults;
mod filters;
mod from_medium;
mod guest;
mod holes;
mod limits;
mod links;
mod objects;
mod page_cache;
mod panics;
mod pieces;
mod profiles;
mod records;
mod stops;
mod stress;
mod support;
mod unstable;
mod walk;
mod worlds;
