//! A round of `cargo xtask torture` and a minute of `cargo xtask years`, in the build of the tests. The first waits more than it computes, so
//! they run beside another step, and what they print is shown when both have ended.

use std::process::{Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};

use super::patience::Patience;
use super::tally::Tally;
use super::{Outcome, cannot_run};
use xtask::cargo::{Profile, cargo};

/// The tests of the drivers that are the round: that of torture, and a minute of years.
pub(super) const ROUND: [&str; 2] =
    ["torture::tests::a_round_goes_well", "years::tests::a_minute_of_years_goes_well"];

/// Where the round finds the program.
const PROGRAM: &str = "HASHLANE_TORTURED";

/// A round that goes on.
pub(super) struct Round(JoinHandle<std::io::Result<(Output, Duration)>>);

impl Round {
    /// Starts it.
    pub(super) fn start(profile: Profile) -> Result<Self> {
        let program = profile.program()?;
        let mut command = cargo();
        command.args(["test", "--quiet", "--workspace", "--bin", "hashlane-bench"]);
        command.args(profile.arguments()).args(["--", "--exact", "--nocapture"]).args(ROUND);
        let child = command
            .env(PROGRAM, program)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| cannot_run(&command))?;
        let began = Instant::now();
        let wait = move || {
            let _patience = Patience::with(&child);
            Ok((child.wait_with_output()?, began.elapsed()))
        };
        Ok(Self(std::thread::spawn(wait)))
    }

    /// Waits for its end, and shows what it has said. How it ended, and how long it took.
    pub(super) fn end(self, tally: &mut Tally) -> Result<(Outcome, Duration)> {
        let ended = self.0.join().map_err(|_| anyhow!("who waits for the torture has panicked"))?;
        let (output, took) = ended.context("cannot wait for the torture")?;
        let printed = String::from_utf8_lossy(&output.stdout);
        for line in printed.lines() {
            if tally.take_in(line) {
                println!("{line}");
            }
        }
        // A name that no test has would be a success too.
        let is_fine = output.status.success() && printed.contains("2 passed");
        Ok((if is_fine { Outcome::Passed } else { Outcome::Failed }, took))
    }
}
