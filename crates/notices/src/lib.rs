#![doc = include_str!("../README.md")]
//! Owns what a message is, when it is made and how it leaves. Does not own what is new, which is `hashlane-keeper`'s, its words, which are
//! `hashlane-report`'s, nor where messages wait, which is the catalogue.
//!
//! events -> news -> message, put down -> delivered, or tried again -> noted
//!
//! Invariants:
//! 1. What is delivered was put down before, with one number, and is tried until that is noted, or for a week.
//! 2. No audit waits for a message: what is not delivered within the time that is given for it waits for the next process.
//! 3. No secret is in a message, in the catalogue, or in an error.

#![forbid(unsafe_code)]

mod channel;
mod heartbeat;
mod http;
mod mail;
mod notices;
mod textfile;
mod webhook;

pub use channel::Undelivered;
pub use heartbeat::{Night, RunId, night};
pub use notices::{Delivered, Notices, TEXTFILE, WEEK_S, retry_after_s};
pub use webhook::signature;
