#![doc = include_str!("../README.md")]

mod azure;
mod bucket;
mod checksum;
mod client;
mod coming;
mod comparison;
mod credentials;
mod error;
mod google;
mod listing;
mod location;
mod need;
mod object;
mod parts;
mod patience;
mod refusal;
mod service;
mod signing;
mod source;
mod standing;
mod state;
mod tree;
mod version;
mod web;
mod xml;

pub use client::{Connection, Traffic};
pub use comparison::judge;
pub use credentials::Credentials;
pub use error::Error;
pub use location::{Location, NameError, is_object};
pub use object::{Object, ObjectPlace, ObjectStore};
pub use patience::Patience;
pub use service::Service;
pub use source::{Below, Objects, Plan, Told};
pub use version::{may_be_version, names_version};
pub use web::{below, with_slash};
