//! The fuzz targets, for a short time each: enough to find that one does not build or fails at once.
//!
//! Where `HASHLANE_FUZZ_BASE` names a commit, only targets whose crates changed since are run.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, ensure};

use super::Outcome;
use xtask::cargo::{has_nightly, nightly_cargo, workspace};
use xtask::setup::has_fuzzer;

/// Names the commit that changes are counted from.
const BASE: &str = "HASHLANE_FUZZ_BASE";

/// Where the targets are listed, and what they share.
const TABLE: &str = "fuzz/src/targets.rs";
const SHARED: &str = "fuzz/src/lib.rs";

/// Names the target that the one program of all is to try.
const TARGET: &str = "HASHLANE_FUZZ_TARGET";

/// The program of all targets: linked once.
const PROGRAM: &str = "all";

/// Runs the targets that have to be run, for `seconds` each, one on each processor. What cannot be run for want of a toolchain is reported
/// and not a failure.
pub(super) fn run(all: bool, seconds: u32) -> Result<Outcome> {
    if let Some(reason) = obstacle() {
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
    build(all)?;
    let next = AtomicUsize::new(0);
    let fine = AtomicBool::new(true);
    let processors = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let work = || {
            while let Some(target) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
                let is_fine = fuzz(target, all, seconds).unwrap_or_else(|error| {
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

/// Builds the program of all targets.
pub(super) fn build(all: bool) -> Result<()> {
    let status = cargo_fuzz("build", all).status().context("cannot build the fuzz targets")?;
    ensure!(status.success(), "the fuzz targets do not build");
    Ok(())
}

fn obstacle() -> Option<&'static str> {
    if !workspace().join("fuzz/Cargo.toml").exists() {
        Some("there are none")
    } else if !has_nightly() {
        Some("no nightly toolchain")
    } else if !has_fuzzer() {
        Some("no cargo-fuzz (`cargo xtask setup` installs it)")
    } else {
        None
    }
}

/// `fast` code is worth its build where it runs for minutes. For a second it is not: that is what `dev` of fuzz/Cargo.toml is for.
fn cargo_fuzz(subcommand: &str, fast: bool) -> Command {
    let mut command = nightly_cargo();
    command.args(["fuzz", subcommand]).args((!fast).then_some("--dev")).stdin(Stdio::null());
    command
}

/// The names of all targets. The table of them is code of another workspace, which nothing here builds with; each has one line there that
/// calls `target("NAME", ...)`.
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
        ["fuzz/Cargo.toml", "fuzz/Cargo.lock", "rust-toolchain.toml"].contains(&path.as_str())
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

/// Seeds that are kept in the repository lie in `fuzz/seeds/TARGET`; what fuzzing finds goes to the corpus. What it prints is shown as a
/// whole: several run side by side.
fn fuzz(target: &str, fast: bool, seconds: u32) -> Result<bool> {
    let (corpus, seeds) = (format!("fuzz/corpus/{target}"), format!("fuzz/seeds/{target}"));
    let artifacts = format!("fuzz/artifacts/{target}/");
    let mut command = cargo_fuzz("run", fast);
    command.env(TARGET, target).arg(PROGRAM);
    fs::create_dir_all(workspace().join(&artifacts)).with_context(|| format!("cannot make {artifacts}"))?;
    fs::create_dir_all(workspace().join(&corpus)).with_context(|| format!("cannot make {corpus}"))?;
    command.arg(corpus);
    if workspace().join(&seeds).is_dir() {
        command.arg(seeds);
    }
    command.args(["--", &format!("-max_total_time={seconds}"), &format!("-artifact_prefix={artifacts}")]);
    // Each function that is reached for the first time would be a line, some thousands a target.
    command.args(["-print_funcs=0", "-print_final_stats=0", "-verbosity=0"]);
    let output = command.output().with_context(|| format!("cannot fuzz {target}"))?;
    let said = [output.stdout, output.stderr].concat();
    println!("-- {target}, {seconds} s\n{}", String::from_utf8_lossy(&said).trim_end());
    Ok(output.status.success())
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
        assert_eq!(chosen(&["fuzz/Cargo.lock"]), ["ace", "nsrl_sqlite"]);
        assert!(chosen(&["crates/cli/src/main.rs", "README.md", "crates/manifest/tests/x.rs"]).is_empty());
    }
}
