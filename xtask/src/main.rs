//! Developer commands of hashlane: `cargo xtask COMMAND`.
//!
//! Owns what a developer or a CI machine runs around the program: set-up, tests, generated files and measurements
//! against other programs. Nothing here is shipped.

mod aarch64;
mod agree;
mod bare;
mod cargo;
mod differential;
mod docs;
mod lint;
mod peers;
mod records;
mod scale;
mod setup;
mod test;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Developer commands of hashlane
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Compare the check-up with openssl speed and fio, and with itself
    Agree(agree::Options),
    /// Walk, open, read and close, and nothing else: what `peers` compares with
    #[command(hide = true)]
    Bare(bare::Options),
    /// Compare the command lines of old programs with the programs themselves
    Differential(differential::Options),
    /// Write man pages and completions from the command's own definition
    Docs(docs::Options),
    /// Check formatting and lints
    Lint,
    /// Time hashlane against other programs and judge the bars
    Peers(peers::Options),
    /// Measure manifests and sets of millions of rows, and judge the bars
    Scale(scale::Options),
    /// Install what the tests and the measurements need (Debian and its relatives)
    Setup(setup::Options),
    /// Run all checks and tests; installs nothing
    Test(test::Options),
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// True if all went well; what did not has been said.
fn run(command: Command) -> Result<bool> {
    match command {
        Command::Agree(options) => agree::run(&options),
        Command::Bare(options) => bare::run(&options),
        Command::Differential(options) => differential::run(&options),
        Command::Docs(options) => docs::run(&options),
        Command::Lint => lint::run(),
        Command::Peers(options) => peers::run(&options),
        Command::Scale(options) => scale::run(&options),
        Command::Setup(options) => setup::run(&options),
        Command::Test(options) => test::run(&options),
    }
}
