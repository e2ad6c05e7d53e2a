//! `cargo xtask wheel`: builds the wheel of Python for old and new systems, and tests it where there is no Rust.
//!
//! What it needs comes from PyPI into virtual environments below `target/wheel`, at fixed versions, and stays there: another call goes
//! on with what is there.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use xtask::cargo::{Profile, cargo, shown, target_directory, workspace};
use xtask::python::{Build, Environment, build, call};

/// Options of `wheel`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    build: Build,
    /// Only build it
    #[arg(long)]
    no_test: bool,
}

/// What it is tested with.
const TESTERS: [&str; 6] = [
    "mypy==2.4.1",
    "pandas==2.3.3",
    "pyarrow==26.0.1",
    "pyarrow-stubs==20.0.0.20260819",
    "pyspark==4.3.0",
    "pytest==9.2.0",
];

const GUIDE: &str = "docs/guide/python.md";

/// Builds the wheel and tests it.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let place = target_directory()?.join("wheel");
    let wheel = build(&options.build, &place)?;
    println!("{}", wheel.display());
    if options.no_test {
        return Ok(true);
    }
    test(options, &place, &wheel)
}

/// Builds the command, whose results are to be the same.
pub(crate) fn command() -> Result<PathBuf> {
    let mut command = cargo();
    command.args(["build", "--package", "hashlane", "--bin", "hashlane"]).args(Profile::Dev.arguments());
    call(&mut command)?;
    Ok(target_directory()?.join("debug/hashlane"))
}

/// Shows tests the server of S3, if it is installed.
pub(crate) fn name_server(tests: &mut Command) -> Result<()> {
    let server = target_directory()?.join("tools/versitygw/versitygw");
    if server.exists() {
        tests.env("HASHLANE_VERSITYGW", server);
    }
    Ok(())
}

/// Tests it as those get it who have no Rust: in an environment of its own, where no cargo is found.
fn test(options: &Options, place: &Path, wheel: &Path) -> Result<bool> {
    let command = command()?;
    let user = Environment::at(place.join("user"), &options.build.python)?;
    user.install(TESTERS)?;
    user.install_anew(wheel)?;
    let empty = tempfile::tempdir().context("cannot make a temporary folder")?;
    let (python, mypy, stubtest) = (user.program("python"), user.program("mypy"), user.program("stubtest"));
    let run = |program: &Path| {
        let mut command = Command::new(program);
        command.current_dir(empty.path()).env("PATH", user.bin());
        command
    };
    let source = workspace().join("python");
    let mut tests = run(&python);
    tests.args([
        "-m",
        "pytest",
        "--import-mode",
        "importlib",
        "--doctest-glob",
        "*.md",
        "-p",
        "no:cacheprovider",
    ]);
    tests.arg("-c").arg(source.join("pyproject.toml")).arg(source.join("tests")).arg(workspace().join(GUIDE));
    // Those take a Java: `cargo xtask spark`.
    tests.arg("--ignore").arg(source.join("tests/spark"));
    tests.env("HASHLANE_COMMAND", &command);
    name_server(&mut tests)?;
    let mut types = run(&mypy);
    types.arg("--config-file").arg(source.join("pyproject.toml")).args(["--package", "hashlane"]);
    let mut types_of_tests = run(&mypy);
    let folders = [source.join("tests"), source.join("tests/spark")];
    types_of_tests.env("MYPYPATH", std::env::join_paths(folders)?);
    types_of_tests.arg("--config-file").arg(source.join("pyproject.toml")).arg(source.join("tests"));
    let mut stubs = run(&stubtest);
    stubs.args(["--mypy-config-file"]).arg(source.join("pyproject.toml")).arg("hashlane");
    let mut fine = true;
    for mut command in [tests, types, types_of_tests, stubs] {
        println!("-- {}", shown(&command));
        let status = command.status().with_context(|| format!("cannot run {}", shown(&command)))?;
        fine &= status.success();
    }
    println!("wheel: {}", if fine { "passed" } else { "FAILED" });
    Ok(fine)
}
