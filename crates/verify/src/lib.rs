#![doc = include_str!("../README.md")]
//! Compares files with what is expected of them: the rules of checks and audits, and the code that runs them.
//!
//! Owns which files a list names and under which names they are looked for, what a content is compared with, and how a file that
//! was read is judged. Reads through `hashlane-engine`, takes lists from `hashlane-manifest` and the rules on sets of files from
//! `hashlane-audit`. Results are typed events: verdicts and problems for the caller of a [`check::Check`] or an
//! [`audit::TreeAudit`], and a [`Note`] on each line or list that is skipped. Prints nothing, and contains neither texts for users
//! nor exit codes.
//!
//! Invariants:
//! 1. A content is always judged by one rule, [`judge`]. What cannot be compared is never a pass.
//! 2. With a base, no name leads out of it, and only regular files are read. In a store names lead nowhere: they
//!    are keys, and one that would lead out as a path has to be listed.
//! 3. Files that are not selected are excluded: neither verified nor missing.
//! 4. One bad file or line never ends a check or an audit.
//! 5. What a listing of a store did not come to is neither missing nor gone.

#![forbid(unsafe_code)]

pub mod add;
mod alias;
pub mod amount;
pub mod audit;
mod base;
pub mod check;
mod confined;
pub mod diff;
mod elsewhere;
mod error;
mod expected;
mod extras;
mod foreign;
mod inputs;
mod judge;
mod known_set;
mod listed;
pub mod lists;
mod meant;
mod names;
mod new_list;
mod normal;
pub mod normalization;
mod note;
mod options;
mod out_of_place;
mod pieces;
mod places;
mod prefixes;
mod problem;
mod proof;
mod remedy;
pub mod rows;
mod selection;
mod source;
mod stdin;
pub mod survey;
mod titled;
pub mod tree;
mod trust;
mod unverified;
pub mod update;
mod whereabouts;
mod within;

pub use alias::named_below;
pub use base::Base;
pub use confined::{Confined, Refused};
pub use elsewhere::Elsewhere;
pub use error::{Doubt, Error, NoReading, shown as shown_list};
pub use expected::{Differing, Expected};
pub use extras::Unsearched;
pub use foreign::{Foreign, UnknownWriting};
pub use inputs::{Inputs, NameList};
pub use judge::{Disputed, Judgement, judge};
pub use known_set::{KnownRows, KnownSet, LeftOut, PourError};
pub use new_list::{NewList, header_of_roots, header_of_this_run};
pub use normal::here;
pub use note::{ListSummary, Note, Notes};
pub use options::{AuditOptions, CheckOptions, LookupOptions};
pub use out_of_place::OutOfPlace;
pub use pieces::Unlike;
pub use places::{Places, taken_off};
pub use problem::Problem;
pub use remedy::Remedy;
pub use selection::{Roots, Selection, devices, lies_within};
pub use trust::{Basis, Belief, Trust};
pub use within::Within;
