//! The catalogue from outside: what is recorded is there, whatever order it came in and whatever ended the process.

mod audit;
mod comparison;
mod files;
mod items;
mod maintenance;
mod promise;
mod reporting;
mod spans;
mod support;
