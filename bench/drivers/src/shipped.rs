//! What is measured: the program as it is installed, built in the profile `dist`.
//!
//! Owns which build that is. A driver builds both programs and goes on in its own: the ceilings that it measures itself are those of
//! code that is optimised alike.

use std::env;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;
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

/// The command that is named, else the one that was built.
pub(crate) fn named(command: Option<&Path>) -> Result<PathBuf> {
    match command {
        Some(named) => named.canonicalize().with_context(|| named.display().to_string()),
        None => self::command(),
    }
}

/// A directory that is gone when it is dropped, in one that is named or in that for temporary files.
pub(crate) fn scratch(directory: Option<&Path>) -> Result<TempDir> {
    let made = match directory {
        Some(directory) => tempfile::tempdir_in(directory),
        None => tempfile::tempdir(),
    };
    made.context("cannot make a directory")
}

fn path(name: &str) -> Result<PathBuf> {
    Ok(target_directory()?.join("dist").join(name))
}
