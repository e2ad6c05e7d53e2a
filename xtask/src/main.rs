//! Developer commands of hashlane: `cargo xtask COMMAND`.
//!
//! Owns what a developer or a CI machine runs around the program: set-up, tests, generated files and measurements
//! against other programs. Nothing here is shipped.

mod defects;
mod differential;
mod docs;
mod lint;
mod services;
mod spark;
mod test;
mod wheel;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use xtask::cargo::{Profile, cargo};
use xtask::setup;

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
    #[command(disable_help_flag = true)]
    Agree(Forwarded),
    /// Walk, open, read and close, and nothing else: what `peers` compares with
    #[command(hide = true)]
    Bare(Forwarded),
    /// Put defects of former versions back into a copy, one at a time, and see that `years` finds each
    Defects(defects::Options),
    /// Compare the command lines of old programs with the programs themselves
    Differential(differential::Options),
    /// Write man pages and completions from the command's own definition
    Docs(docs::Options),
    /// Flip each bit of a list in each format, edit lists by chance, and print what a check makes of them
    Flips,
    /// Damage files in one way that an audit is to find
    #[command(disable_help_flag = true)]
    Inject(Forwarded),
    /// Time the kernels against those of other libraries and judge the bars
    #[command(disable_help_flag = true)]
    Kernels(Forwarded),
    /// Check formatting and lints
    Lint,
    /// Make a synthetic collection of real bytes
    #[command(disable_help_flag = true)]
    MakeTree(Forwarded),
    /// Compute how long a large store takes, what it costs, and what breaks first
    #[command(disable_help_flag = true)]
    Model(Forwarded),
    /// Time `sum` of objects against other programs and judge the bars
    #[command(disable_help_flag = true)]
    Objects(Forwarded),
    /// Make each outcome of an audit for real, and print the table of them
    Outcomes,
    /// Time hashlane against other programs and judge the bars
    #[command(disable_help_flag = true)]
    Peers(Forwarded),
    /// Time the wheel of Python and Spark against hashlib and the command and judge the bars
    #[command(disable_help_flag = true)]
    Python(Forwarded),
    /// Measure manifests, sets and catalogues of millions of rows, and judge the bars
    #[command(disable_help_flag = true)]
    Scale(Forwarded),
    /// Change a tree in all ways at once, and compare what hashlane and others say of it
    #[command(disable_help_flag = true)]
    Scenario(Forwarded),
    /// Run the tests of objects against every server that speaks S3 and can be had, and install these first
    Services(services::Options),
    /// Install what the tests and the measurements need (Debian and its relatives)
    Setup(setup::Options),
    /// Run the tests of Spark with its releases, which are installed first
    Spark(spark::Options),
    /// Kill audits, cut the power, fill disks, turn bits and move clocks, and see that nothing is lost and nothing false is said
    #[command(disable_help_flag = true)]
    Torture(Forwarded),
    /// Run all checks and tests; installs nothing
    Test(test::Options),
    /// Build the wheel of Python, and test it where there is no Rust
    Wheel(wheel::Options),
    /// Keep made-up collections for years, and compare what stands with what is true
    #[command(disable_help_flag = true)]
    Years(Forwarded),
}

fn main() -> ExitCode {
    xtask::ended(run(Arguments::parse().command))
}

/// True if all went well; what did not has been reported.
fn run(command: Command) -> Result<bool> {
    match command {
        Command::Agree(arguments) => arguments.forward("agree"),
        Command::Bare(arguments) => arguments.forward("bare"),
        Command::Defects(options) => defects::run(&options),
        Command::Differential(options) => differential::run(&options, Profile::Dev),
        Command::Docs(options) => docs::run(&options),
        Command::Flips => flips(),
        Command::Inject(arguments) => arguments.forward("inject"),
        Command::Kernels(arguments) => arguments.forward("kernels"),
        Command::Lint => lint::run(),
        Command::MakeTree(arguments) => arguments.forward("make-tree"),
        Command::Model(arguments) => arguments.forward("model"),
        Command::Objects(arguments) => arguments.forward("objects"),
        Command::Outcomes => outcomes(),
        Command::Peers(arguments) => arguments.forward("peers"),
        Command::Python(arguments) => arguments.forward("python"),
        Command::Scale(arguments) => arguments.forward("scale"),
        Command::Scenario(arguments) => arguments.forward("scenario"),
        Command::Services(options) => services::run(&options),
        Command::Setup(options) => setup::run(&options),
        Command::Torture(arguments) => arguments.forward("torture"),
        Command::Spark(options) => spark::run(&options),
        Command::Test(options) => test::run(&options),
        Command::Wheel(options) => wheel::run(&options),
        Command::Years(arguments) => arguments.forward("years"),
    }
}

/// Runs the tests that flip and edit lists, all of their cases, and lets them print their tables.
fn flips() -> Result<bool> {
    let mut test = xtask::cargo::cargo();
    test.args([
        "test",
        "--quiet",
        "--profile",
        "ci",
        "--package",
        "hashlane-verify",
        "--test",
        "flips",
        "--",
    ]);
    test.args(["--nocapture", "--test-threads=1"]).env("HASHLANE_TEST_ALL", "1");
    Ok(test.status()?.success())
}

/// Runs the one test that makes each outcome, and lets it print its table.
fn outcomes() -> Result<bool> {
    let mut test = xtask::cargo::cargo();
    test.args(["test", "--quiet", "--profile", "ci", "--package", "hashlane", "--test", "program", "--"]);
    test.args(["--nocapture", "--exact", "states::each_state_is_made_shown_and_told_as_the_table_says"]);
    Ok(test.status()?.success())
}

/// What the drivers of measurements take, which are a program of their own.
#[derive(Debug, clap::Args)]
struct Forwarded {
    /// See --help of the command
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,
}

impl Forwarded {
    fn forward(&self, command: &str) -> Result<bool> {
        let mut driver = cargo();
        driver.args(["run", "--quiet", "--package", "hashlane-bench", "--", command]).args(&self.arguments);
        // As typed: paths among the arguments are relative to where the caller is.
        driver.current_dir(std::env::current_dir()?);
        Ok(driver.status().context("cannot run cargo")?.success())
    }
}
