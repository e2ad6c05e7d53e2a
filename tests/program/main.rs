//! The whole program, run as its users run it: arguments and files in, lines, messages and exit codes out.
//!
//! Every test makes a directory of its own with [`work::Dir`] and runs commands in it with [`work::Cmd`]; what tests of
//! collections have in common is in [`keeper`]. What needs a tool or a right that is missing prints a line that begins
//! with `SKIPPED:`, which is a failure where `HASHLANE_SKIPS_FAIL=1` says so. No test waits for a time; all wait for a
//! condition.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_macros, reason = "what a test prints goes to the harness")]

mod access_times;
mod all_is_well;
mod audit;
mod backends;
mod backups;
mod bad_input;
mod bag;
mod bench;
mod check;
mod check_complete;
mod check_doubt;
mod check_manifests;
mod check_names;
mod closed_descriptors;
mod collection_report;
mod collections;
mod compare;
mod compatibility;
mod convert;
mod deep;
mod deep_document;
mod deep_lists;
mod dfxml;
mod diff;
mod diff_trees;
mod events;
mod failing_output;
mod few_threads;
mod files0_out;
mod filters;
mod formats;
mod from_medium;
mod fuse;
mod guest;
mod guide;
mod headers;
mod help;
mod imports;
mod interop;
mod io;
mod keeper;
mod keeper_refusals;
mod keeper_words;
mod known;
mod limits;
mod lists_by_pipe;
mod little_memory;
mod machine;
mod matrix;
mod mhl;
mod mhl_histories;
mod normalization;
mod objects;
mod options;
mod outcomes;
mod output;
mod overwriting;
mod page;
mod personality;
mod pieces;
mod pipeline;
mod proof;
mod recorded;
mod running;
mod schemas;
mod seals;
mod shards;
mod signals;
mod spark_runs;
mod states;
mod steering;
mod studies;
mod sum;
mod sum_inputs;
mod sums;
mod system_calls;
mod tables;
mod terminal;
mod tree;
mod tune;
mod unseen_cache;
mod unstable;
mod update;
mod verdicts;
mod work;
