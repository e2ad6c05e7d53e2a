//! `cargo xtask services`: the tests of objects against every server that can be had, which is installed first.
//!
//! The tests of the program run against all of them but s3proxy, which takes a Java that the set-up does not ask for.

use anyhow::{Context, Result};

use xtask::cargo::{cargo, shown};
use xtask::setup;

/// Options of `services`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only these servers
    #[arg(value_name = "SERVER", value_parser = NAMES)]
    only: Vec<String>,
}

/// Servers that speak S3, in two languages and by different people, and one for each of Google and Azure.
const NAMES: [&str; 4] = ["versitygw", "s3proxy", "fake-gcs-server", "azurite"];

/// The tests that a server is for, as arguments of the program that has them all.
fn tests_for(name: &str) -> &'static [&'static str] {
    match name {
        "fake-gcs-server" | "azurite" => &["objects::clouds::"],
        _ => &["objects::", "--skip", "objects::clouds::"],
    }
}

/// Installs the servers and runs the tests against each.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let mut fine = true;
    for name in NAMES {
        if !options.only.is_empty() && !options.only.iter().any(|only| only == name) {
            continue;
        }
        setup::install_service(name)?;
        println!("-- {name}");
        let mut tests = cargo();
        tests.args(["test", "--quiet", "--package", "hashlane", "--test", "program", "--"]);
        tests.args(tests_for(name));
        tests.env("HASHLANE_SERVICE", name).env("HASHLANE_SKIPS_FAIL", "1");
        let status = tests.status().with_context(|| format!("cannot run {}", shown(&tests)))?;
        println!("{name}: {}", if status.success() { "passed" } else { "FAILED" });
        fine &= status.success();
    }
    Ok(fine)
}
