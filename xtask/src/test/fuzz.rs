//! The fuzz targets, for a short time each: enough to find that one does not build or fails at once. They are built on the libraries of
//! the tests then. In the whole matrix they run for a minute, under a sanitizer, which wants a nightly toolchain and cargo-fuzz.
//!
//! Where `HASHLANE_FUZZ_BASE` names a commit, only targets whose crates changed since are run.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, ensure};

use super::{Outcome, cannot_run};
use xtask::cargo::{Profile, cargo, has_nightly, nightly_cargo, target_directory, workspace};
use xtask::setup::has_fuzzer;

/// Names the commit that changes are counted from.
const BASE: &str = "HASHLANE_FUZZ_BASE";

/// Where the targets are listed, and what they share.
const TABLE: &str = "fuzz/src/targets.rs";
const SHARED: &str = "fuzz/src/lib.rs";

/// Names the target that the one program of all is to try.
const TARGET: &str = "HASHLANE_FUZZ_TARGET";

/// The program of all targets: linked once. It is built if this feature of its package is asked for.
const PROGRAM: &str = "fuzz";
const FEATURE: &str = "libfuzzer";

/// What calls the compiler where there is no cargo-fuzz to do it.
const WRAPPER: &str = "fuzz/instrumented";

/// Runs the targets that have to be run, one on each processor. `all` of them run for a minute each; what cannot be run for want of a
/// toolchain is reported then and not a failure.
pub(super) fn run(all: bool, profile: Profile) -> Result<Outcome> {
    if let Some(reason) = obstacle().filter(|_| all) {
        println!("fuzz targets left out: {reason}");
        return Ok(Outcome::LeftOut(format!("left out: {reason}")));
    }
    let base = env::var(BASE).ok().filter(|base| !all && !base.is_empty());
    let targets = match &base {
        Some(base) => touched(targets()?, &changed(base)?)?,
        None => targets()?,
    };
    if let (true, Some(base)) = (targets.is_empty(), &base) {
        return Ok(Outcome::LeftOut(format!("left out: nothing that they read changed since {base}")));
    }
    let fuzzer = if all { Fuzzer::sanitized()? } else { Fuzzer::plain(profile)? };
    let seconds = if all { 60 } else { 1 };
    let next = AtomicUsize::new(0);
    let fine = AtomicBool::new(true);
    let processors = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let work = || {
            while let Some(target) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
                let is_fine = fuzzer.fuzz(target, seconds).unwrap_or_else(|error| {
                    eprintln!("error: {error:#}");
                    false
                });
                fine.fetch_and(is_fine, Ordering::Relaxed);
            }
        };
        for _ in 0..processors {
            scope.spawn(work);
        }
    });
    Ok(if fine.into_inner() { Outcome::Passed } else { Outcome::Failed })
}

fn obstacle() -> Option<&'static str> {
    if !has_nightly() {
        Some("no nightly toolchain")
    } else if !has_fuzzer() {
        Some("no cargo-fuzz (`cargo xtask setup --all` installs it)")
    } else {
        None
    }
}

/// The program of all targets.
enum Fuzzer {
    /// Built with the libraries of the tests, and where it lies.
    Plain(PathBuf),
    /// Built by cargo-fuzz: optimised, and under a sanitizer of addresses.
    Sanitized,
}

impl Fuzzer {
    fn plain(profile: Profile) -> Result<Self> {
        built(&mut plain(profile))?;
        Ok(Self::Plain(target_directory()?.join(profile.directory()).join(PROGRAM)))
    }

    fn sanitized() -> Result<Self> {
        built(&mut cargo_fuzz("build"))?;
        Ok(Self::Sanitized)
    }

    /// Seeds that are kept in the repository lie in `fuzz/seeds/TARGET`; what fuzzing finds goes to the corpus. What it prints is shown
    /// as a whole: several run side by side.
    fn fuzz(&self, target: &str, seconds: u32) -> Result<bool> {
        let [corpus, seeds, artifacts] =
            ["corpus", "seeds", "artifacts"].map(|kind| workspace().join("fuzz").join(kind).join(target));
        let mut command = match self {
            Self::Plain(program) => Command::new(program),
            Self::Sanitized => cargo_fuzz("run"),
        };
        for folder in [&corpus, &artifacts] {
            fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        command.env(TARGET, target).arg(&corpus).args(seeds.is_dir().then_some(&seeds));
        command.args(matches!(self, Self::Sanitized).then_some("--"));
        command.arg(format!("-max_total_time={seconds}"));
        command.arg(format!("-artifact_prefix={}/", artifacts.display()));
        // Each function that is reached for the first time would be a line, some thousands a target.
        command.args(["-print_funcs=0", "-print_final_stats=0", "-verbosity=0"]);
        let output =
            command.stdin(Stdio::null()).output().with_context(|| format!("cannot fuzz {target}"))?;
        let said = [output.stdout, output.stderr].concat();
        println!("-- {target}, {seconds} s\n{}", String::from_utf8_lossy(&said).trim_end());
        Ok(output.status.success())
    }
}

/// Builds it on what the tests have built. Cargo gives a dependency other features where fewer packages are named.
pub(super) fn plain(profile: Profile) -> Command {
    let mut command = cargo();
    command.args(["build", "--quiet", "--workspace", "--bin", PROGRAM]).args(profile.arguments());
    command.args(["--features", &format!("hashlane-fuzz/{FEATURE}")]);
    command.env("RUSTC_WORKSPACE_WRAPPER", workspace().join(WRAPPER));
    command
}

fn cargo_fuzz(subcommand: &str) -> Command {
    let mut command = nightly_cargo();
    command.args(["fuzz", subcommand, "--features", FEATURE, PROGRAM]).stdin(Stdio::null());
    command
}

fn built(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| cannot_run(command))?;
    ensure!(status.success(), "the fuzz targets do not build");
    Ok(())
}

/// The names of all targets. The table of them is code that nothing here builds with; each has one line there that calls
/// `target("NAME", ...)`.
fn targets() -> Result<Vec<String>> {
    let table =
        fs::read_to_string(workspace().join(TABLE)).with_context(|| format!("cannot read {TABLE}"))?;
    let names: Vec<String> = table
        .split("target(\"")
        .skip(1)
        .filter_map(|behind| behind.split_once('"'))
        .map(|(name, _)| name.to_owned())
        .collect();
    ensure!(!names.is_empty(), "{TABLE} names no targets");
    Ok(names)
}

/// Files that differ from a commit's, relative to the workspace.
fn changed(base: &str) -> Result<Vec<String>> {
    let output = Command::new("git")
        .args(["diff", "--name-only", base, "--"])
        .current_dir(workspace())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run git")?;
    ensure!(output.status.success(), "git knows no commit {base}, which {BASE} names");
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// The targets among `targets` that read crates in which files changed.
fn touched(targets: Vec<String>, changed: &[String]) -> Result<Vec<String>> {
    // What all targets are built with.
    let is_of_all = |path: &String| {
        ["fuzz/Cargo.toml", WRAPPER, "Cargo.toml", "Cargo.lock"].contains(&path.as_str())
            || path.starts_with("fuzz/src/") && !path.starts_with("fuzz/src/targets/")
    };
    if changed.iter().any(is_of_all) {
        return Ok(targets);
    }
    let crates = dependencies()?;
    let read = |path: &str| fs::read_to_string(workspace().join(path));
    let shared = read(SHARED).with_context(|| format!("cannot read {SHARED}"))?;
    let mut kept = Vec::new();
    for target in targets {
        let source = format!("fuzz/src/targets/{target}.rs");
        // What has no file of its own is a call of what targets share, which reads formats.
        let text = match read(&source) {
            Ok(text) if text.contains("crate::") => text + &shared,
            Ok(text) => text,
            Err(_) => shared.clone(),
        };
        let mut reads: BTreeSet<&str> = BTreeSet::new();
        let mut open: Vec<&str> =
            crates.keys().map(String::as_str).filter(|name| text.contains(&name.replace('-', "_"))).collect();
        while let Some(name) = open.pop() {
            if reads.insert(name) {
                open.extend(crates.get(name).into_iter().flatten().map(String::as_str));
            }
        }
        let folders: Vec<String> =
            reads.iter().map(|name| format!("crates/{}/", name.trim_start_matches("hashlane-"))).collect();
        let seeds = format!("fuzz/seeds/{target}/");
        let is_touched = |path: &String| {
            *path == source
                || path.starts_with(&seeds)
                || folders.iter().any(|folder| {
                    path.starts_with(folder.as_str()) && !path[folder.len()..].starts_with("tests/")
                })
        };
        if changed.iter().any(is_touched) {
            kept.push(target);
        }
    }
    Ok(kept)
}

/// The project's library crates, and those that each depends on.
fn dependencies() -> Result<BTreeMap<String, Vec<String>>> {
    let metadata = xtask::cargo::metadata()?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let ours = |name: &str| name.starts_with("hashlane-");
    Ok(packages
        .iter()
        .filter_map(|package| {
            let name = package["name"].as_str().filter(|name| ours(name))?;
            let needs = package["dependencies"].as_array().into_iter().flatten();
            let needs =
                needs.filter(|needed| needed["kind"].is_null()).filter_map(|needed| needed["name"].as_str());
            Some((name.to_owned(), needs.filter(|name| ours(name)).map(str::to_owned).collect()))
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(changed: &[&str]) -> Vec<String> {
        let targets = ["ace", "nsrl_sqlite"].map(str::to_owned).to_vec();
        touched(targets, &changed.iter().map(|&path| path.to_owned()).collect::<Vec<_>>()).expect("metadata")
    }

    #[test]
    fn a_target_is_run_if_what_it_reads_changed() {
        assert_eq!(chosen(&["crates/manifest/src/lib.rs"]), ["ace"]);
        assert_eq!(chosen(&["crates/known/src/lib.rs"]), ["nsrl_sqlite"]);
        // Both stand on it.
        assert_eq!(chosen(&["crates/digest/src/lib.rs"]), ["ace", "nsrl_sqlite"]);
        assert_eq!(chosen(&["fuzz/src/targets/nsrl_sqlite.rs"]), ["nsrl_sqlite"]);
        assert_eq!(chosen(&["Cargo.lock"]), ["ace", "nsrl_sqlite"]);
        assert!(chosen(&["crates/cli/src/main.rs", "README.md", "crates/manifest/tests/x.rs"]).is_empty());
    }
}
