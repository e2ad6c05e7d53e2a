//! The wheel of Python as developer commands build it, and virtual environments that it is installed in.
//!
//! What is needed comes from PyPI, at fixed versions, and stays there: another call goes on with what is there.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::cargo::{find_command, shown, workspace};

/// How it is built.
#[derive(Debug, clap::Args)]
pub struct Build {
    /// The interpreter that builds and tests it; it works with all from 3.11 on
    #[arg(long, value_name = "PYTHON", default_value = "python3")]
    pub python: PathBuf,
    /// How it is compiled
    #[arg(long, value_name = "NAME", default_value = "dist")]
    pub profile: String,
}

/// What builds it. zig links against the glibc of manylinux2014, whatever this system has.
const BUILDERS: [&str; 2] = ["maturin==1.16.0", "ziglang==0.17.1"];

/// The last release of each line of Spark, and those of its packages that it is used with.
pub const SPARK_RELEASES: [[&str; 3]; 4] = [
    ["pyspark[connect]==4.0.5", "pandas==2.3.3", "pyarrow==26.0.1"],
    ["pyspark[connect]==4.1.4", "pandas==2.3.3", "pyarrow==26.0.1"],
    ["pyspark[connect]==4.2.1", "pandas==2.3.3", "pyarrow==26.0.1"],
    ["pyspark[connect]==4.3.0", "pandas==2.3.3", "pyarrow==26.0.1"],
];

/// Builds it below a place.
///
/// # Errors
/// What builds it cannot be installed, or it does not build.
pub fn build(options: &Build, place: &Path) -> Result<PathBuf> {
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

/// A virtual environment of Python.
#[derive(Debug)]
pub struct Environment(PathBuf);

impl Environment {
    /// The one at a path, made by an interpreter if it is not there.
    ///
    /// # Errors
    /// There is no such interpreter, or it makes none.
    pub fn at(path: PathBuf, python: &Path) -> Result<Self> {
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

    /// The folder of its programs.
    pub fn bin(&self) -> PathBuf {
        self.0.join("bin")
    }

    /// One of its programs.
    pub fn program(&self, name: &str) -> PathBuf {
        self.bin().join(name)
    }

    /// The search path, with its programs first.
    fn before_path(&self) -> Result<OsString> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = [self.bin()].into_iter().chain(std::env::split_paths(&path));
        std::env::join_paths(folders).context("a folder of PATH has a colon in its name")
    }

    fn pip(&self) -> Command {
        let mut pip = Command::new(self.program("python"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip
    }

    /// Installs packages from PyPI, if they are not there.
    ///
    /// # Errors
    /// pip fails.
    pub fn install<const N: usize>(&self, packages: [&str; N]) -> Result<()> {
        call(self.pip().args(packages))
    }

    /// Installs a wheel. A version that is there already would be taken for it.
    ///
    /// # Errors
    /// pip fails.
    pub fn install_anew(&self, wheel: &Path) -> Result<()> {
        call(self.pip().args(["--force-reinstall", "--no-deps"]).arg(wheel))
    }
}

/// Runs a command that is to succeed.
///
/// # Errors
/// It cannot be run, or does not.
pub fn call(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {}", shown(command)))?;
    ensure!(status.success(), "{} failed", shown(command));
    Ok(())
}
