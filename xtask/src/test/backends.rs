//! The tests of what digests files, once for each backend that this CPU has. Those of the kernels name each backend
//! themselves.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::tally::Tally;
use super::{Options, Outcome};
use xtask::cargo::{Profile, cargo};

/// The suites that take HASHLANE_BACKEND to heart: package and test.
const SUITES: [(&str, &str); 3] =
    [("hashlane-digest", "digest"), ("hashlane-engine", "engine"), ("hashlane", "program")];

/// Thousands of runs of the engine, which say nothing of a backend and take most of the time.
const LEFT_OUT: &[&str] = &["faults::", "stress::"];

/// Runs the suites with one backend after the other.
pub(super) fn run(options: &Options, tally: &mut Tally) -> Result<Outcome> {
    let mut fine = true;
    for backend in available()? {
        println!("-- {backend}");
        let mut tests = cargo();
        tests.arg("test");
        let mut tests = options.prepared(tests);
        tests.env("HASHLANE_BACKEND", &backend);
        for (package, test) in SUITES {
            tests.args(["-p", package, "--test", test]);
        }
        fine &= options.run_tests(&mut tests, LEFT_OUT, tally)?;
    }
    Ok(if fine { Outcome::Passed } else { Outcome::Failed })
}

/// The backends that this CPU has: those that the program names and does not refuse.
fn available() -> Result<Vec<String>> {
    let program = Profile::default().program()?;
    let help = Command::new(&program).args(["backends", "--help"]).output().context("cannot run hashlane")?;
    let help = String::from_utf8(help.stdout)?;
    let (_, about) = help.split_once("--backend <BACKEND>").context("the help has no --backend")?;
    let (_, values) = about.split_once("[possible values: ").context("--backend has no list of values")?;
    let (values, _) = values.split_once(']').context("the list of backends does not end")?;
    let mut available = Vec::new();
    for backend in values.split(',').map(str::trim) {
        let tried = Command::new(&program).args(["sum", "--backend", backend, "/dev/null"]).output()?;
        if tried.status.success() {
            available.push(backend.to_owned());
        }
    }
    ensure!(!available.is_empty(), "no backend serves on this CPU");
    Ok(available)
}
