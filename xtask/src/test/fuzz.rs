//! The fuzz targets, a few seconds each: enough to find that one does not build or fails at once.

use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::Outcome;
use crate::cargo::{has_nightly, nightly_cargo, workspace};
use crate::setup::has_fuzzer;

/// Runs every target for `seconds`. What cannot be run for want of a toolchain is said and no failure.
pub(super) fn run(seconds: u32) -> Result<Outcome> {
    if let Some(reason) = obstacle() {
        println!("fuzz targets left out: {reason}");
        return Ok(Outcome::LeftOut(format!("left out: {reason}")));
    }
    let mut fine = true;
    for target in targets()? {
        println!("-- {target}, {seconds} s");
        fine &= fuzz(&target, seconds)?;
    }
    Ok(if fine { Outcome::Passed } else { Outcome::Failed })
}

fn obstacle() -> Option<&'static str> {
    if !workspace().join("fuzz/Cargo.toml").exists() {
        Some("there are none")
    } else if !has_nightly() {
        Some("no nightly toolchain")
    } else if !has_fuzzer() {
        Some("no cargo-fuzz (`cargo xtask setup` installs it)")
    } else {
        None
    }
}

fn cargo_fuzz(subcommand: &str) -> Command {
    let mut command = nightly_cargo();
    command.args(["fuzz", subcommand]).stdin(Stdio::null());
    command
}

fn targets() -> Result<Vec<String>> {
    let listed =
        cargo_fuzz("list").stderr(Stdio::inherit()).output().context("cannot list the fuzz targets")?;
    anyhow::ensure!(listed.status.success(), "cargo fuzz list ended with {}", listed.status);
    Ok(String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned).collect())
}

/// Seeds that are kept in the repository lie in `fuzz/seeds/TARGET`; what fuzzing finds goes to the corpus.
fn fuzz(target: &str, seconds: u32) -> Result<bool> {
    let (corpus, seeds) = (format!("fuzz/corpus/{target}"), format!("fuzz/seeds/{target}"));
    let mut command = cargo_fuzz("run");
    command.arg(target);
    if workspace().join(&seeds).is_dir() {
        std::fs::create_dir_all(workspace().join(&corpus))
            .with_context(|| format!("cannot make {corpus}"))?;
        command.args([corpus, seeds]);
    }
    command.args(["--", &format!("-max_total_time={seconds}")]);
    // Each function that is reached for the first time would be a line, some thousands a target.
    command.args(["-print_funcs=0", "-print_final_stats=0", "-verbosity=0"]);
    Ok(command.status().with_context(|| format!("cannot fuzz {target}"))?.success())
}
