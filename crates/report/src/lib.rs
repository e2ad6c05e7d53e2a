#![doc = include_str!("../README.md")]

pub mod charts;
pub mod collection;
mod comparison;
mod document;
mod export;
pub mod figures;
mod google_benchmark;
mod page;
pub mod shell;
mod spreadsheet;
mod studies;
pub mod tables;
mod terminal;
pub mod text;
pub mod times;
mod view;

pub use comparison::{
    comparison_csv, comparison_json, comparison_markdown, comparison_page, comparison_text,
};
pub use document::{Document, Listing, Part, Row, Word, Words};
pub use export::{csv, prometheus};
pub use google_benchmark::google_benchmark;
pub use page::page;
pub use spreadsheet::{is_formula, spreadsheet_row};
pub use tables::Table;
pub use terminal::{WIDTH, paragraph, table, text};
pub use view::{View, classic};
