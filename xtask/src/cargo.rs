//! How xtask calls cargo, rustup and other programs, and where the workspace lies.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

/// The root of the workspace, where all commands run.
pub fn workspace() -> PathBuf {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let manifest = PathBuf::from(manifest);
    // The packages of the developer commands lie at different depths.
    let root = manifest.ancestors().find(|above| above.join("xtask/Cargo.toml").exists());
    root.unwrap_or(&manifest).to_path_buf()
}

/// A call of the cargo that runs this program, in the workspace.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(workspace());
    without_package(&mut command);
    command
}

/// Takes away what the cargo that runs this process has passed to it about its own package. There are build scripts that run again when it
/// changes, and then all that stands on them is built again after each build by hand.
fn without_package(command: &mut Command) {
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for name in names.filter(|name| ["CARGO_MANIFEST_", "CARGO_PKG_"].iter().any(|of| name.starts_with(of))) {
        command.env_remove(name);
    }
}

/// How the program and its tests are built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// What `cargo build` and `cargo test` use: rebuilds fast.
    #[default]
    Dev,
    /// What all checks together use: builds fast from nothing.
    Ci,
}

impl Profile {
    /// The arguments that choose it.
    pub fn arguments(self) -> [&'static str; 2] {
        ["--profile", self.name()]
    }

    fn name(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Ci => "ci",
        }
    }

    /// The folder of what is built, below that of all profiles.
    pub fn directory(self) -> &'static str {
        match self {
            Self::Dev => "debug",
            Self::Ci => "ci",
        }
    }

    /// The program as the tests of the whole workspace build it. Cargo gives a dependency other features where fewer packages are
    /// named, and then everything is built a second time: whoever needs the program beside the tests asks for it here.
    pub fn program(self) -> Result<PathBuf> {
        let mut command = cargo();
        command
            .args(["test", "--quiet", "--workspace", "--test", "program", "--no-run"])
            .args(self.arguments());
        let built = command.status().with_context(|| format!("cannot run {}", shown(&command)))?;
        ensure!(built.success(), "the command does not build");
        Ok(target_directory()?.join(self.directory()).join("hashlane"))
    }
}

/// A call of nightly cargo. Goes through rustup, because the cargo of one toolchain does not know the others.
pub fn nightly_cargo() -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo"]).current_dir(workspace());
    // Set for this process by the shim of the toolchain that runs it.
    command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO").env_remove("RUSTC").env_remove("RUSTDOC");
    without_package(&mut command);
    command
}

/// Where cargo puts what it builds.
pub fn target_directory() -> Result<PathBuf> {
    match metadata()?["target_directory"].as_str() {
        Some(directory) => Ok(PathBuf::from(directory)),
        None => bail!("cargo metadata names no target_directory"),
    }
}

/// What cargo says of the packages of this workspace, without those that they stand on.
pub fn metadata() -> Result<serde_json::Value> {
    let output = cargo()
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo metadata")?;
    serde_json::from_slice(&output.stdout).context("cargo metadata is not JSON")
}

/// The names of the targets that are tests of their own, each once, whichever packages have them.
pub fn test_targets() -> Result<Vec<String>> {
    let metadata = metadata()?;
    let targets = metadata["packages"].as_array().into_iter().flatten();
    let targets = targets.filter_map(|package| package["targets"].as_array()).flatten();
    let is_test = |target: &&serde_json::Value| target["kind"][0] == "test";
    let names = targets.filter(is_test).filter_map(|target| target["name"].as_str());
    let mut names: Vec<_> = names.map(str::to_owned).collect();
    names.sort();
    names.dedup();
    ensure!(!names.is_empty(), "cargo metadata names no tests");
    Ok(names)
}

/// Where a command is found: the search path, then the folders of administrators' commands, then cargo's own.
pub fn find_command(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]).chain(cargo_bin());
    folders.map(|folder| folder.join(name)).find(|candidate| is_executable(candidate))
}

/// The folder into which `cargo install` installs.
pub fn cargo_bin() -> Option<PathBuf> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    home.or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")))
        .map(|home| home.join("bin"))
}

/// True if the command can be run and says success. It sees no input and its output is dropped.
pub fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// True if nightly cargo can be run through rustup.
pub fn has_nightly() -> bool {
    // `rustup run` would download a toolchain that is missing, so the list is asked first.
    let list = Command::new("rustup").args(["toolchain", "list"]).stdin(Stdio::null()).output();
    let listed = list.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("nightly"));
    listed && succeeds(nightly_cargo().arg("--version"))
}

/// The command line as a person would type it.
pub fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}
