#![doc = include_str!("../README.md")]
//!
//! What is kept, and how, is `hashlane-catalog`. Prints nothing.
//!
//! listing -> hold? -> read again what was left -> plan -> read -> judge -> record -> read suspects again -> what is missing -> end

#![forbid(unsafe_code)]

mod alike;
mod allowance;
mod applying;
mod asked;
mod audit;
mod breaker;
mod checkpoints;
mod counts;
mod course;
mod deciding;
mod elsewhere;
mod ending;
mod good;
mod ground;
mod heeding;
mod held;
mod held_back;
mod hold;
mod judge;
mod limit;
mod listing;
mod logs;
mod meter;
mod pieces;
mod plan;
mod reading;
mod recheck;
mod recording;
mod seen;
mod share;
mod spread;
mod suspects;
mod tag;
mod tally;
mod told;
mod under_way;

pub use asked::{AuditOptions, Budget, Scope};
pub use audit::{audit, audit_by};
pub use counts::Counts;
pub use deciding::{
    Decided, NotEmptied, accept, accept_all_gone, accept_beside, accept_by_policy, found_again, others,
};
pub use ground::{Ground, MARKER, is_held};
pub use heeding::AskedToEnd;
pub use held::{Alarm, Held};
pub use held_back::HeldBack;
pub use listing::Listing;
pub use told::{AuditEvent, Audited, Events, Outcome};
