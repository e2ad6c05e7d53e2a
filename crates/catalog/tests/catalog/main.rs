//! The catalogue from outside: what is recorded is there, whatever order it came in and whatever ended the process.

mod changes;
mod comparison;
mod earlier;
mod files;
mod items;
mod killed;
mod maintenance;
mod pages;
mod readers;
mod reporting;
mod seals;
mod spans;
mod support;
