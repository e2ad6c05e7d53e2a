//! Runs made to be looked at: terminal tables and charts, one self-contained HTML page.
//!
//! Tables and charts are data first ([`tables`], [`charts`]); the terminal and the page draw the same ones. Nothing is
//! measured or judged here.

pub mod charts;
mod comparison;
mod export;
pub mod figures;
mod google_benchmark;
mod page;
mod studies;
pub mod tables;
mod terminal;
mod view;

pub use comparison::{
    comparison_csv, comparison_json, comparison_markdown, comparison_page, comparison_text,
};
pub use export::{csv, prometheus};
pub use google_benchmark::google_benchmark;
pub use page::page;
pub use tables::Table;
pub use terminal::{WIDTH, table, text};
pub use view::{View, classic};
