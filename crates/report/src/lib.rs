#![doc = include_str!("../README.md")]

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
