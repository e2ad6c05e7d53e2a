//! Bags (BagIt, RFC 8493): how a directory becomes one, and whether one is what it says it is.
//!
//! Owns what a directory would be as a bag ([`Plan`]), how it becomes one without a moment at which something could be lost
//! ([`Staging`], [`Making`]), and what is wrong with a bag ([`Bag`]). The formats of tag files are those of
//! `hashlane_manifest::bag`; files are read by `hashlane-engine`. Prints nothing: what is found goes to [`Findings`].

#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod contents;
mod finding;
mod making;
mod plan;
mod staging;
mod tree;
mod validation;

pub use finding::{BagFinding, Findings, Hint, Verdict};
pub use making::{Error, Made, Making, Problems};
pub use plan::{Kept, Plan, standing};
pub use staging::{Failed, Recovered, STAGING, Staging};
pub use tree::{EntryFacts, EntryKind, below};
pub use validation::Bag;
