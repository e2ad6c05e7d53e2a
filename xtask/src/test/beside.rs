//! What later steps build, beside the tests: these wait for a third of their time.
//!
//! Only what is there already is tried by a step later on, so what goes wrong here is said by that step and by nobody else.

use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use super::{Finished, Outcome};
use xtask::cargo::find_command;

/// What runs a command only while a processor has nothing else to do. At the lowest priority alone, what wakes up would wait for it.
const IDLE: (&str, [&str; 2]) = ("chrt", ["--idle", "0"]);

/// Builds that go on, one after the other.
pub(super) struct Beside(JoinHandle<Duration>);

impl Beside {
    /// Starts them. What they print is dropped.
    pub(super) fn start(builds: Vec<Command>) -> Self {
        let began = Instant::now();
        let run = move || {
            for build in builds {
                let mut build = when_idle(&build);
                build.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                // Whether it went well is asked by the step that it is for.
                let _ = build.status();
            }
            began.elapsed()
        };
        Self(thread::spawn(run))
    }

    /// Waits for the end of the last.
    pub(super) fn end(self) -> Result<Finished> {
        let took = self.0.join().map_err(|_| anyhow!("who waits for the builds has panicked"))?;
        Ok(Finished { title: "builds beside", budget: None, outcome: Outcome::Passed, took })
    }
}

/// The same command for when there is nothing else to do, where the system has what it takes.
fn when_idle(command: &Command) -> Command {
    let (program, arguments) = IDLE;
    let mut idle = match find_command(program) {
        Some(path) => {
            let mut idle = Command::new(path);
            idle.args(arguments).arg(command.get_program());
            idle
        }
        None => Command::new(command.get_program()),
    };
    idle.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => idle.env(name, value),
            None => idle.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        idle.current_dir(folder);
    }
    idle
}
