#![doc = include_str!("../README.md")]
//!
//! # Invariants
//! 1. The same leaves in the same order have the same root, on every machine and in every later version.
//! 2. A tree takes memory for the logarithm of its leaves.

#![forbid(unsafe_code)]

mod leaf;
mod tree;

pub use leaf::{FileVersion, Salts};
pub use tree::{HASH_BYTES, Hash, Tree};
