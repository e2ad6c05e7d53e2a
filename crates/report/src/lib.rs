#![doc = include_str!("../README.md")]

#[macro_use]
mod json;

pub mod charts;
pub mod collection;
mod comparison;
mod differences;
mod document;
pub mod figures;
pub mod files;
mod holdings;
mod page;
pub mod run;
mod schemas;
mod shards;
pub mod shell;
mod spreadsheet;
pub mod stores;
pub mod tables;
mod terminal;
pub mod text;
pub mod times;
mod updates;
mod view;
pub mod work;
pub mod written;

pub use comparison::{
    comparison_csv, comparison_json, comparison_markdown, comparison_page, comparison_text,
};
pub use differences::{
    DifferenceWords, difference_json, difference_name, difference_rsync, difference_text, differences_json,
    differences_line,
};
pub use document::{Document, Listing, Part, Row, Word, Words};
pub use holdings::{
    abilities_text, built_lines, chain_text, formats_json, formats_text, index_json, index_text,
    rows_left_out,
};
pub use json::schema_document;
pub use run::{
    backends_json, backends_text, classic, csv, google_benchmark, page, prometheus, text, tuning_text,
};
pub use schemas::schemas;
pub use shards::{shard_line, shard_problem};
pub use spreadsheet::{is_formula, spreadsheet_row};
pub use tables::Table;
pub use terminal::{WIDTH, paragraph, table};
pub use updates::{UpdateTally, UpdateWords, basis};
pub use view::View;
