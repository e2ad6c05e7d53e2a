//! `cargo xtask spark`: the tests of `hashlane.spark`, with each release of Spark that it is for.
//!
//! Spark and what it needs come from PyPI into virtual environments below `target/wheel`, some 800 MB each.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use xtask::cargo::{find_command, shown, target_directory, workspace};
use xtask::python::{Build, Environment, SPARK_RELEASES, build};

use crate::wheel;

/// Options of `spark`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    build: Build,
    /// Try all releases, and not only the newest
    #[arg(long)]
    all: bool,
    /// Only tests whose names match
    #[arg(long, value_name = "EXPRESSION")]
    only: Option<String>,
}

/// Builds the wheel, and runs the tests with one release after the other.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let java = find_command("java").context("Spark needs Java 17 or later, and there is no command java")?;
    let place = target_directory()?.join("wheel");
    let wheel = build(&options.build, &place)?;
    let command = wheel::command()?;
    let first = if options.all { 0 } else { SPARK_RELEASES.len() - 1 };
    let mut fine = true;
    for packages in &SPARK_RELEASES[first..] {
        let [release, ..] = packages;
        let name = release.replace("pyspark[connect]==", "spark-");
        let user = Environment::at(place.join(&name), &options.build.python)?;
        user.install(*packages)?;
        user.install(["pytest==9.2.0"])?;
        user.install_anew(&wheel)?;
        let empty = tempfile::tempdir().context("cannot make a temporary folder")?;
        let source = workspace().join("python");
        let mut tests = std::process::Command::new(user.program("python"));
        tests.args(["-m", "pytest", "--import-mode", "importlib", "-p", "no:cacheprovider", "-c"]);
        tests.arg(source.join("pyproject.toml")).arg(source.join("tests/spark"));
        tests.args(options.only.iter().flat_map(|expression| ["-k", expression]));
        // Its scripts call programs of the system. There is no cargo among them.
        let mut folders = vec![user.bin(), PathBuf::from("/usr/bin"), PathBuf::from("/bin")];
        folders.extend(java.parent().map(PathBuf::from));
        ensure!(
            !folders.iter().any(|folder| folder.join("cargo").exists()),
            "cargo lies beside java, and the tests are to find none"
        );
        tests.current_dir(empty.path()).env("PATH", std::env::join_paths(folders)?);
        tests.env("HASHLANE_COMMAND", &command);
        wheel::name_server(&mut tests)?;
        println!("-- {name}: {}", shown(&tests));
        let status = tests.status().with_context(|| format!("cannot run {}", shown(&tests)))?;
        println!("{name}: {}", if status.success() { "passed" } else { "FAILED" });
        fine &= status.success();
    }
    Ok(fine)
}
