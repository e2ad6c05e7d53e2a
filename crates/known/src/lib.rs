//! Sets of known contents, up to hundreds of millions of digests: an index that is built once and looked up on disk.
//!
//! Owns the file format of the index, how it is built in bounded memory and how it is looked up, and the databases of NSRL (RDS v3,
//! SQLite). Knows neither manifests nor files that are judged: digests come in, answers go out.
//!
//! Invariants:
//! 1. Building takes the memory that it was given, whatever the number of digests; a lookup takes one page, and a name those
//!    that it lies in.
//! 2. Nothing that was read of an index is believed before its checksum holds: a damaged index is an error, never an answer.
//! 3. What is found in one algorithm and missing in another that all records have is a collision, never a match.
//!
//! ```
//! use hashlane_digest::Algorithm;
//! use hashlane_known::{Builder, Index, Judgement};
//!
//! let sha256 = Algorithm::named("sha256").unwrap();
//! let mut builder = Builder::new(tempfile::tempfile().unwrap(), &[sha256], true, 1 << 20)?;
//! let set = builder.set("list")?;
//! builder.add(set, b"name", &[sha256.digest(b"content")])?;
//! let index = Index::new(builder.finish()?)?;
//! let Judgement::Known(found) = index.judge(&[sha256.digest(b"content")])? else { panic!("it is there") };
//! assert_eq!(index.name(&found)?.as_deref(), Some(&b"name"[..]));
//! assert!(matches!(index.judge(&[sha256.digest(b"other")])?, Judgement::Unknown));
//! # Ok::<(), hashlane_known::Error>(())
//! ```

#![forbid(unsafe_code)]

mod builder;
mod error;
mod index;
mod layout;
mod nsrl;
mod pages;
mod sorter;

pub use builder::Builder;
pub use error::Error;
pub use index::{Found, Index, Judgement, Rows, Table};
pub use layout::SetDescription;
pub use nsrl::{Nsrl, NsrlRow};
