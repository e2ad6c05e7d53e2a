//! The catalogue from outside: what is recorded is there, whatever order it came in and whatever ended the process.

mod audit;
mod budgets;
mod changes;
mod comparison;
mod decisions;
mod earlier;
mod elsewhere;
mod endings;
mod feed;
mod files;
mod holds;
mod items;
mod keeper;
mod maintenance;
mod medium;
mod pending;
mod places;
mod promise;
mod reporting;
mod rereading;
mod running;
mod seals;
mod spans;
mod stories;
mod support;
mod watched;
