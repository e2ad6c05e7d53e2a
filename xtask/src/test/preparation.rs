//! The installation of what the tests need, beside the steps that need nothing of it.

use std::env;
use std::process::{Command, Output, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};

use super::tally::Tally;
use super::{Finished, Outcome, ended};
use xtask::setup::install_components;

/// An installation that goes on.
pub(super) struct Preparation(JoinHandle<std::io::Result<(Output, Duration)>>);

impl Preparation {
    /// Starts it. What the first steps need is there then.
    pub(super) fn start() -> Result<Self> {
        install_components();
        println!("== set-up, beside the first steps");
        let mut command = Command::new(env::current_exe().context("this program has no path")?);
        command.arg("setup").stdin(Stdio::null());
        let began = Instant::now();
        Ok(Self(thread::spawn(move || Ok((command.output()?, began.elapsed())))))
    }

    /// Waits for its end, and shows what it has said.
    pub(super) fn end(self, tally: &mut Tally) -> Finished {
        println!("== set-up");
        let (outcome, took) = ended(tally, |_| {
            let ended = self.0.join().map_err(|_| anyhow!("who waits for the set-up has panicked"))?;
            let (output, took) = ended.context("cannot run the set-up")?;
            let said = [output.stdout, output.stderr].concat();
            println!("{}", String::from_utf8_lossy(&said).trim_end());
            ensure!(output.status.success(), "the set-up ended with {}", output.status);
            Ok((Outcome::Passed, took))
        });
        Finished { title: "set-up", budget: None, outcome, took }
    }
}
