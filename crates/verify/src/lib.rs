//! What is expected of files against what is read: the rules of checks and audits, and what drives them.
//!
//! Owns which files a list asks for and under which names they are looked for, what a content is compared with, and how what was
//! read is judged. Reads through `hashlane-engine`, takes lists from `hashlane-manifest` and the rules on sets of files from
//! `hashlane-audit`. Prints nothing, and knows neither words for people nor exit codes.
//!
//! Invariants:
//! 1. What cannot be compared is never a pass.
//! 2. With a base no name leads out of it, and nothing but a regular file is read.
//! 3. What is not wanted is excluded: neither verified nor missing.

#![forbid(unsafe_code)]

mod confined;
mod expected;
mod extras;
mod names;
mod normal;
pub mod normalization;
mod pieces;
mod places;
mod selection;

pub use confined::{Confined, HeaderRoots, Refused};
pub use expected::{Differing, Expected};
pub use extras::{Extra, Unsearched, search};
pub use names::Names;
pub use normal::{here, normal};
pub use pieces::{Kind as PieceKind, Unlike, of_record as piece_digests};
pub use places::Places;
pub use selection::{Roots, Selection, devices, lies_within};
