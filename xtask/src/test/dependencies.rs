//! What the project stands on: licences, duplicates, bans and sources, and what is known to be unsafe where that can be had.

use std::process::{Command, Stdio};

use anyhow::Result;

use super::tally::Tally;
use super::{Outcome, succeeded};
use xtask::cargo::workspace;
use xtask::dependencies::{RULES, check, tool};

/// Runs cargo-deny.
pub(super) fn run(tally: &mut Tally) -> Result<Outcome> {
    let Some(tool) = tool() else {
        let reason = "no cargo-deny (`cargo xtask setup` installs it)";
        println!("SKIPPED: {reason}");
        tally.take_in(&format!("SKIPPED: {reason}"));
        return Ok(Outcome::LeftOut(format!("left out: {reason}")));
    };
    let rules = workspace().join(RULES);
    let mut fine = succeeded(&mut check(&tool, &rules, &["licenses", "bans", "sources"]))?;
    // The list of what is unsafe is not the project's, and lies on a server that not every machine reaches.
    let mut fetch = Command::new(&tool);
    fetch.current_dir(workspace()).args(["fetch", "db"]).stdin(Stdio::null());
    if fetch.output().is_ok_and(|fetched| fetched.status.success()) {
        fine &= succeeded(&mut check(&tool, &rules, &["advisories"]))?;
    } else {
        let reason = "LEFT OUT: advisories: the database of RustSec cannot be fetched";
        println!("{reason}");
        tally.take_in(reason);
    }
    Ok(if fine { Outcome::Passed } else { Outcome::Failed })
}
