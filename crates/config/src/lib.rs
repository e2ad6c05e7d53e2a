#![doc = include_str!("../README.md")]
//! Owns the keys of the file, what their values may be, and how secrets are found. Does not own what is done with them.
//!
//! Invariants:
//! 1. A key that is not known is an error, and so is a value of another type: what is misspelt is not passed over.
//! 2. No secret is in a value that is shown: [`Secret`] and [`Hidden`] print what stands for them.

#![forbid(unsafe_code)]

mod address;
mod config;
mod error;
mod place;
mod reading;
mod secret;
mod weekday;
mod written;

pub use address::{Encryption, Relay};
pub use config::{Config, Heartbeat, Log, LogFormat, Mail, MailWay, Textfile, Webhook};
pub use error::{Error, Problem};
pub use place::{Found, find};
pub use secret::{Hidden, Secret, SecretError, SecretPlace};
pub use weekday::Weekday;
