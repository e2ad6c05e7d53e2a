//! One module for each algorithm or family: its state, and nothing else.

pub(crate) mod sha2;
