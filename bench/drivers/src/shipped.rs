//! What is measured: the program as it is installed, built in the profile `dist`.
//!
//! Owns which build that is. A driver builds both programs and goes on in its own: the ceilings that it measures itself are those of
//! code that is optimised alike.

use std::env;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use xtask::cargo::{cargo, target_directory};

/// The packages of the driver and of the command.
const DRIVER: &str = "hashlane-bench";
const COMMAND: &str = "hashlane";

/// Builds the driver, and the command unless another one is measured; becomes the driver, with the arguments of this process and
/// `--measuring`. Returns only if that fails.
pub(crate) fn build_and_measure(with_command: bool, features: &[&str]) -> Result<bool> {
    let mut build = cargo();
    build.args(["build", "--profile", "dist", "--package", DRIVER]).args(features);
    build.args(with_command.then_some(["--package", COMMAND]).into_iter().flatten());
    ensure!(build.status().context("cannot run cargo build")?.success(), "the programs do not build");
    let program = path(DRIVER)?;
    let error = Command::new(&program).args(env::args_os().skip(1)).arg("--measuring").exec();
    Err(error).with_context(|| format!("cannot run {}", program.display()))
}

/// The command that was built.
pub(crate) fn command() -> Result<PathBuf> {
    path(COMMAND)
}

fn path(name: &str) -> Result<PathBuf> {
    Ok(target_directory()?.join("dist").join(name))
}
