//! `cargo xtask wheel`: builds the wheel of Python for old and new systems, and tests it where there is no Rust.
//!
//! What it needs comes from PyPI into virtual environments below `target/wheel`, at fixed versions, and stays there: another call goes
//! on with what is there.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use xtask::cargo::{Profile, cargo, find_command, shown, target_directory, workspace};

/// Options of `wheel`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    build: Build,
    /// Only build it
    #[arg(long)]
    no_test: bool,
}

/// How it is built.
#[derive(Debug, clap::Args)]
pub(crate) struct Build {
    /// The interpreter that builds and tests it; it works with all from 3.11 on
    #[arg(long, value_name = "PYTHON", default_value = "python3")]
    pub(crate) python: PathBuf,
    /// How it is compiled
    #[arg(long, value_name = "NAME", default_value = "dist")]
    profile: String,
}

/// What builds it. zig links against the glibc of manylinux2014, whatever this system has.
const BUILDERS: [&str; 2] = ["maturin==1.16.0", "ziglang==0.17.1"];

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

/// Builds it below a place.
pub(crate) fn build(options: &Build, place: &Path) -> Result<PathBuf> {
    let builders = Environment::at(place.join("build"), &options.python)?;
    builders.install(BUILDERS)?;
    let out = place.join("dist");
    // What is there may be of another version.
    if out.exists() {
        fs::remove_dir_all(&out).with_context(|| format!("cannot remove {}", out.display()))?;
    }
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut maturin = Command::new(builders.program("maturin"));
    maturin.current_dir(workspace().join("python"));
    maturin.args(["build", "--zig", "--compatibility", "manylinux2014", "--target", &target]);
    maturin.args(["--profile", &options.profile, "--interpreter"]).arg(builders.program("python"));
    maturin.arg("--out").arg(&out);
    maturin.env("PATH", builders.before_path()?);
    call(&mut maturin)?;
    let entries = fs::read_dir(&out).with_context(|| format!("cannot list {}", out.display()))?;
    let wheels = entries.filter_map(Result::ok).map(|entry| entry.path());
    let mut wheels = wheels.filter(|path| path.extension() == Some(OsStr::new("whl")));
    wheels.next().context("maturin has written no wheel")
}

/// Builds the command, whose results are to be the same.
pub(crate) fn command() -> Result<PathBuf> {
    let mut command = cargo();
    command.args(["build", "--package", "hashlane", "--bin", "hashlane"]).args(Profile::Dev.arguments());
    call(&mut command)?;
    Ok(target_directory()?.join("debug/hashlane"))
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

/// A virtual environment of Python.
pub(crate) struct Environment(PathBuf);

impl Environment {
    /// The one at a path, made by an interpreter if it is not there.
    pub(crate) fn at(path: PathBuf, python: &Path) -> Result<Self> {
        let environment = Self(path);
        if environment.program("pip").exists() {
            return Ok(environment);
        }
        let found = match python.components().count() {
            1 => python.to_str().and_then(find_command),
            _ => Some(python.to_owned()),
        };
        let Some(python) = found else {
            bail!("{}: no such command; name one with --python", python.display())
        };
        call(Command::new(python).args(["-m", "venv"]).arg(&environment.0))?;
        Ok(environment)
    }

    pub(crate) fn bin(&self) -> PathBuf {
        self.0.join("bin")
    }

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.bin().join(name)
    }

    /// The search path, with its programs first.
    fn before_path(&self) -> Result<std::ffi::OsString> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = [self.bin()].into_iter().chain(std::env::split_paths(&path));
        std::env::join_paths(folders).context("a folder of PATH has a colon in its name")
    }

    fn pip(&self) -> Command {
        let mut pip = Command::new(self.program("python"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip
    }

    pub(crate) fn install<const N: usize>(&self, packages: [&str; N]) -> Result<()> {
        call(self.pip().args(packages))
    }

    /// Installs a wheel. A version that is there already would be taken for it.
    pub(crate) fn install_anew(&self, wheel: &Path) -> Result<()> {
        call(self.pip().args(["--force-reinstall", "--no-deps"]).arg(wheel))
    }
}

fn call(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {}", shown(command)))?;
    ensure!(status.success(), "{} failed", shown(command));
    Ok(())
}
