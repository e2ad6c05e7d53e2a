//! What holds of the source text of all crates, and no compiler checks: which modules lean on which, what messages name, what a
//! library shows of itself, which crates SQLite, object stores and measurements are reached through, and how long the folders of the
//! command are.
//!
//! Sources are read as tokens ([`lexer`]), so that comments and the text of tests do not count.

mod circles;
mod crates;
mod databases;
mod lexer;
mod libraries;
mod lines;
mod messages;
mod modules;
mod stores;
mod views;
