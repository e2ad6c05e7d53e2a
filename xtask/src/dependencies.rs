//! How cargo-deny is called: it judges what the project stands on, by the rules of deny.toml.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo::{find_command, target_directory, workspace};

/// Its version, whoever builds it.
pub const VERSION: &str = "0.20.2";

/// Where it is installed, below the folder of what is built.
pub const AT: &str = "tools/deny/bin/cargo-deny";

/// The rules, in the root of the workspace.
pub const RULES: &str = "deny.toml";

/// cargo-deny as it was installed for the tests, else one that is there anyway.
pub fn tool() -> Option<PathBuf> {
    let installed = target_directory().ok().map(|target| target.join(AT));
    installed.filter(|tool| tool.is_file()).or_else(|| find_command("cargo-deny"))
}

/// A call that checks `what` (`licenses`, `bans`, ...) by the rules of a file. Rules that nothing needs any more are failures.
pub fn check(tool: &Path, rules: &Path, what: &[&str]) -> Command {
    let mut command = Command::new(tool);
    command.current_dir(workspace()).arg("--locked").arg("--config").arg(rules);
    command.args(["check", "--hide-inclusion-graph"]);
    for rule in ["license-not-encountered", "unmatched-skip", "unnecessary-skip"] {
        command.args(["--deny", rule]);
    }
    command.args(what);
    command
}
