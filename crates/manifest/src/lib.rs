#![doc = include_str!("../README.md")]
//!
//! # Invariants
//! 1. Memory is bounded by [`MAX_LINE_BYTES`], whatever the input, and by
//!    [`hashlane_record::Division::MOST_PIECES`] digests of pieces for each algorithm; of a table by a page of each column to
//!    read it, and by a group of rows to write it.
//! 2. A malformed line is one [`LineProblem`]; the lines after it are read.
//! 3. What a [`Writer`] writes, a [`Reader`] reads back equal. What a format cannot hold is refused by the
//!    writer.
//! 4. An algorithm or a format is never guessed: it is stated by the text, the caller or the file's name, it
//!    is the only possible one, or it is asked for.
//! 5. An [`Error`] says what is wrong and what the limit is; the way out, where it lies in what is asked for, is
//!    [`Error::remedy`].

mod ahead;
pub mod bag;
pub mod columns;
mod detect;
mod encoding;
mod error;
mod escape;
pub mod evidence;
mod file_name;
mod format;
mod formats;
mod frames;
mod header;
mod hex;
mod item;
mod kinds;
mod lines;
mod losses;
mod merged;
mod misleading;
pub mod names;
mod pieced;
mod pieces;
mod possible;
mod problem;
mod reader;
mod remedy;
mod rfc3339;
mod shape;
mod shard;
pub mod shards;
pub mod spark;
mod text;
mod words;
mod write_options;
mod writer;
mod xml;

pub use ahead::Ahead;
pub use error::Error;
pub use escape::unescape;
pub use file_name::{algorithm_of_file_name, directory_of_list};
pub use format::Format;
pub use formats::dfxml::{NAMESPACE as DFXML_NAMESPACE, push_element as push_xml_element};
pub use formats::parquet::{TABLE_MARK_BYTES, is_table};
pub use header::{Header, times_of_headers};
pub use item::Item;
pub use lines::{LineEnds, MAX_LINE_BYTES};
pub use losses::Losses;
pub use merged::Merged;
pub use misleading::{Misleading, misleading};
pub use pieced::Pieced;
pub use pieces::{Piecewise, piece_of_name};
pub use possible::PossibleName;
pub use problem::{LineProblem, ProblemKind};
pub use reader::{ReadOptions, Reader};
pub use remedy::Remedy;
pub use shape::is_undoubted;
pub use shard::{Listing, NotAShard, Shard, part};
pub use write_options::WriteOptions;
pub use writer::Writer;
pub use xml::push_text as push_xml_text;
