#![doc = include_str!("../README.md")]

mod backoff;
mod bucket;
mod checksum;
mod client;
mod coming;
mod comparison;
mod error;
mod listing;
mod location;
mod need;
mod object;
mod refusal;
mod signing;
mod source;
mod state;
mod xml;

pub use client::{Connection, Traffic};
pub use error::Error;
pub use location::{Location, NameError, SCHEME, is_object};
pub use object::{Object, ObjectPlace, ObjectStore};
pub use source::{Below, Objects, Plan, plain};
