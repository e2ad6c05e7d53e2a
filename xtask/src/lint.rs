//! `cargo xtask lint`: formatting and lints, as `test` checks them.

use std::process::Command;

use anyhow::{Context, Result};

use xtask::cargo::{Profile, cargo, shown};
use xtask::setup::has_libcrypto;

/// Runs both checks, the second even if the first fails.
pub(crate) fn run() -> Result<bool> {
    let mut fine = true;
    for mut check in [fmt(), clippy(Profile::Dev)] {
        fine &= check.status().with_context(|| format!("cannot run {}", shown(&check)))?.success();
    }
    Ok(fine)
}

/// The check of the formatting.
pub(crate) fn fmt() -> Command {
    let mut command = cargo();
    command.args(["fmt", "--all", "--check"]);
    command
}

/// The lints, on everything there is, a warning being an error.
pub(crate) fn clippy(profile: Profile) -> Command {
    let mut command = cargo();
    command.args(["clippy", "--quiet", "--workspace", "--all-targets"]).args(profile.arguments());
    if has_libcrypto() {
        command.args(["--features", "hashlane-bench/libcrypto"]);
    }
    command.args(["--", "-D", "warnings"]);
    command
}
