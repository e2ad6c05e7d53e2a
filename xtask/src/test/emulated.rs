//! The tests of what has code for AArch64, on an emulated CPU.

use anyhow::Result;

use super::tally::Tally;
use super::{Options, Outcome, succeeded};
use xtask::aarch64::{Compiler, EMULATOR, LINKER};
use xtask::cargo::find_command;

/// What has code for AArch64, and what rests on it.
const PACKAGES: &[&str] = &["hashlane-lanes", "hashlane-digest", "hashlane-engine"];

/// A CPU with all that the emulator can do, and one without the SHA-512 instructions. The emulator has none without those
/// of SHA-1 and SHA-256; the backends that are left there are tested by name.
const CPUS: [(&str, &[&str]); 2] = [("max", PACKAGES), ("cortex-a72", &["hashlane-lanes"])];

/// Thousands of runs of the engine, which say nothing of a CPU: with them its tests took 657 s instead of 202 s, and the
/// emulator 5 GB of memory. And what needs `openat2(2)`, which the emulator does not have (qemu 7.2).
const LEFT_OUT: &[&str] = &[
    "faults::",
    "stress::",
    "walk::what_is_no_file_below_a_base_is_an_obstacle_and_no_refusal_of_the_system",
];

/// Lints and runs the tests. What cannot be done for want of a tool is a skip.
pub(super) fn run(options: &Options, tally: &mut Tally) -> Result<Outcome> {
    if cfg!(target_arch = "aarch64") {
        return Ok(Outcome::LeftOut("left out: this is AArch64, the other steps have run them".to_owned()));
    }
    let compiler = match tools() {
        Ok(compiler) => compiler,
        Err(missing) => {
            let line =
                format!("SKIPPED: tests for AArch64, no {missing} (`cargo xtask setup --all` installs it)");
            println!("{line}");
            tally.take_in(&line);
            return Ok(Outcome::LeftOut("skipped".to_owned()));
        }
    };
    let mut fine = true;
    // The lints of one compiler cannot read the standard library of another.
    if compiler == Compiler::Toolchain {
        let mut clippy = compiler.cargo("clippy");
        clippy.args(["--quiet", "--all-targets"]).args(PACKAGES.iter().flat_map(|package| ["-p", package]));
        fine &= succeeded(clippy.args(["--", "-D", "warnings"]))?;
    }
    for (cpu, packages) in CPUS {
        println!("-- {cpu}: {}", packages.join(", "));
        let mut tests = options.prepared(compiler.cargo("test"));
        tests.args(packages.iter().flat_map(|package| ["-p", package]));
        tests.env("QEMU_CPU", cpu).env("HASHLANE_TEST_EMULATOR", EMULATOR);
        fine &= options.run_tests(&mut tests, LEFT_OUT, tally)?;
    }
    Ok(if fine { Outcome::Passed } else { Outcome::Failed })
}

/// The compiler, or what is missing.
fn tools() -> std::result::Result<Compiler, &'static str> {
    for tool in [LINKER, EMULATOR] {
        find_command(tool).ok_or(tool)?;
    }
    Compiler::find().ok_or("compiler")
}
