//! What holds of the source text of all crates, and no compiler checks: which modules lean on which, what messages name, what a
//! library shows of itself.
//!
//! Sources are read as tokens ([`lexer`]), so that comments and the text of tests do not count.

mod crates;
mod lexer;
mod libraries;
mod messages;
mod modules;
