//! The tests of what digests files, once for each backend that this CPU has. Those of the kernels name each backend
//! themselves.

use anyhow::Result;
use hashlane_digest::Backend;

use super::tally::Tally;
use super::{Options, Outcome};
use crate::cargo::cargo;

/// The suites that take HASHLANE_BACKEND to heart: package and test.
const SUITES: [(&str, &str); 3] =
    [("hashlane-digest", "digest"), ("hashlane-engine", "engine"), ("hashlane", "program")];

/// Thousands of runs of the engine, which say nothing of a backend and take most of the time.
const LEFT_OUT: &[&str] = &["faults::", "stress::"];

/// Runs the suites with one backend after the other.
pub(super) fn run(options: &Options, tally: &mut Tally) -> Result<Outcome> {
    let mut fine = true;
    for backend in Backend::ALL.into_iter().filter(|backend| backend.is_available()) {
        println!("-- {backend}");
        let mut tests = cargo();
        tests.arg("test");
        let mut tests = options.prepared(tests);
        tests.env("HASHLANE_BACKEND", backend.name());
        for (package, test) in SUITES {
            tests.args(["-p", package, "--test", test]);
        }
        fine &= options.run_tests(&mut tests, LEFT_OUT, tally)?;
    }
    Ok(if fine { Outcome::Passed } else { Outcome::Failed })
}
