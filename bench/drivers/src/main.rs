//! Measurements of hashlane, run as `cargo xtask agree`, `kernels`, `model`, `objects`, `peers`, `python`, `scale`, `scenario`, `torture`
//! and `years`, and what they need: `make-tree` and `inject`.
//!
//! Owns what is measured beside what, and the bars. They stand apart from the other developer commands because they
//! are built with the libraries: who only tests does not wait for that.

mod agree;
mod bare;
mod damage;
mod figures;
mod images;
mod inject;
mod kernels;
mod model;
mod objects;
mod one_processor;
mod peers;
mod python;
mod records;
mod scale;
mod scenario;
mod shipped;
mod sizes;
mod torture;
mod trees;
mod years;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Measurements of hashlane
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
    /// List a bucket, ask for its objects, and nothing else: what `objects` compares with
    #[command(hide = true)]
    BareObjects(objects::BareOptions),
    /// Open a catalogue and keep it open until the input ends: what `torture` has another process do
    #[command(hide = true)]
    Hold(torture::hold::Options),
    /// Damage files in one way that an audit is to find
    Inject(inject::Options),
    /// Time the kernels against those of other libraries and judge the bars
    Kernels(kernels::Options),
    /// Make a synthetic collection of real bytes
    MakeTree(trees::Options),
    /// Compute how long a large store takes, what it costs, and what breaks first
    Model(model::Options),
    /// Time `sum` of objects against other programs and judge the bars
    Objects(objects::Options),
    /// Time hashlane against other programs and judge the bars
    Peers(peers::Options),
    /// Time the wheel of Python and Spark against hashlib and the command and judge the bars
    Python(python::Options),
    /// Measure manifests, sets and catalogues of millions of rows, and judge the bars
    Scale(scale::Options),
    /// Change a tree in all ways at once, and compare what hashlane and others say of it
    Scenario(scenario::Options),
    /// Kill audits, cut the power, fill disks, turn bits and move clocks, and see that nothing is lost and nothing false is said
    Torture(torture::Options),
    /// Keep made-up collections for years, and compare what stands with what is true
    Years(years::Options),
}

fn main() -> ExitCode {
    xtask::ended(run(Arguments::parse().command))
}

/// True if all bars are met; which are not has been reported.
fn run(command: Command) -> Result<bool> {
    match command {
        Command::Agree(options) => agree::run(&options),
        Command::Bare(options) => bare::run(&options),
        Command::BareObjects(options) => objects::bare(&options),
        Command::Hold(options) => torture::hold::run(&options),
        Command::Inject(options) => inject::run(&options),
        Command::Kernels(options) => kernels::run(&options),
        Command::MakeTree(options) => trees::run(&options),
        Command::Model(options) => model::run(&options),
        Command::Objects(options) => objects::run(&options),
        Command::Peers(options) => peers::run(&options),
        Command::Python(options) => python::run(&options),
        Command::Scale(options) => scale::run(&options),
        Command::Scenario(options) => scenario::run(&options),
        Command::Torture(options) => torture::run(&options),
        Command::Years(options) => years::run(&options),
    }
}
