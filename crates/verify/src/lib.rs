#![doc = include_str!("../README.md")]
//! What is expected of files against what is read: the rules of checks and audits, and what drives them.
//!
//! Owns which files a list asks for and under which names they are looked for, what a content is compared with, and how what was
//! read is judged. Reads through `hashlane-engine`, takes lists from `hashlane-manifest` and the rules on sets of files from
//! `hashlane-audit`. What it finds comes out as typed events: verdicts and problems to whoever runs a [`check::Check`] or an
//! [`audit::TreeAudit`], and a [`Note`] on each line or list that is passed over. Prints nothing, and knows neither words for people
//! nor exit codes.
//!
//! Invariants:
//! 1. A content is judged by one rule, [`judge`], whoever asks. What cannot be compared is never a pass.
//! 2. With a base no name leads out of it, and nothing but a regular file is read.
//! 3. What is not wanted is excluded: neither verified nor missing.
//! 4. One bad file or line never ends a check or an audit.

#![forbid(unsafe_code)]

pub mod add;
pub mod audit;
mod base;
pub mod check;
mod confined;
mod error;
mod expected;
mod extras;
mod judge;
mod listed;
pub mod lists;
mod names;
mod normal;
pub mod normalization;
mod note;
mod options;
mod pieces;
mod places;
mod problem;
mod proof;
mod selection;
mod source;
mod stdin;
mod titled;
pub mod tree;
mod trust;
pub mod update;
mod whereabouts;

pub use base::Base;
pub use confined::{Confined, Refused};
pub use error::{Doubt, Error};
pub use expected::{Differing, Expected};
pub use extras::Unsearched;
pub use judge::{Judgement, judge};
pub use normal::here;
pub use note::{ListSummary, Note, Notes};
pub use options::{AuditOptions, CheckOptions};
pub use pieces::Unlike;
pub use places::Places;
pub use problem::Problem;
pub use selection::{Roots, Selection, devices, lies_within};
pub use trust::{Basis, Belief, Trust};
