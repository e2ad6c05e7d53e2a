//! The fuzz targets, for a short time each: enough to find that one does not build or fails at once.
//!
//! Where `HASHLANE_FUZZ_BASE` names a commit, only targets whose crates changed since are run.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::Outcome;
use xtask::cargo::{has_nightly, nightly_cargo, workspace};
use xtask::setup::has_fuzzer;

/// Names the commit that changes are counted from.
const BASE: &str = "HASHLANE_FUZZ_BASE";

/// Runs the targets that have to be run, for `seconds` each. What cannot be run for want of a toolchain is reported and not
/// a failure.
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
    // In one go: the processors share what a target alone would wait for.
    let mut build = cargo_fuzz("build", all);
    if let [target] = targets.as_slice() {
        build.arg(target);
    }
    ensure!(
        build.status().context("cannot build the fuzz targets")?.success(),
        "the fuzz targets do not build"
    );
    let mut fine = true;
    for target in targets {
        println!("-- {target}, {seconds} s");
        fine &= fuzz(&target, all, seconds)?;
    }
    Ok(if fine { Outcome::Passed } else { Outcome::Failed })
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

fn targets() -> Result<Vec<String>> {
    let listed = nightly_cargo()
        .args(["fuzz", "list"])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot list the fuzz targets")?;
    ensure!(listed.status.success(), "cargo fuzz list ended with {}", listed.status);
    Ok(String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned).collect())
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
            || path.starts_with("fuzz/src/")
    };
    if changed.iter().any(is_of_all) {
        return Ok(targets);
    }
    let crates = dependencies()?;
    let shared =
        fs::read_to_string(workspace().join("fuzz/src/lib.rs")).context("cannot read fuzz/src/lib.rs")?;
    let mut kept = Vec::new();
    for target in targets {
        let source = format!("fuzz/fuzz_targets/{target}.rs");
        let text =
            fs::read_to_string(workspace().join(&source)).with_context(|| format!("cannot read {source}"))?;
        // What targets share reads formats for most of them.
        let text = if text.contains("hashlane_fuzz") { text + &shared } else { text };
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

/// Seeds that are kept in the repository lie in `fuzz/seeds/TARGET`; what fuzzing finds goes to the corpus.
fn fuzz(target: &str, fast: bool, seconds: u32) -> Result<bool> {
    let (corpus, seeds) = (format!("fuzz/corpus/{target}"), format!("fuzz/seeds/{target}"));
    let mut command = cargo_fuzz("run", fast);
    command.arg(target);
    if workspace().join(&seeds).is_dir() {
        fs::create_dir_all(workspace().join(&corpus)).with_context(|| format!("cannot make {corpus}"))?;
        command.args([corpus, seeds]);
    }
    command.args(["--", &format!("-max_total_time={seconds}")]);
    // Each function that is reached for the first time would be a line, some thousands a target.
    command.args(["-print_funcs=0", "-print_final_stats=0", "-verbosity=0"]);
    Ok(command.status().with_context(|| format!("cannot fuzz {target}"))?.success())
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
        assert_eq!(chosen(&["fuzz/fuzz_targets/ace.rs"]), ["ace"]);
        assert_eq!(chosen(&["fuzz/Cargo.lock"]), ["ace", "nsrl_sqlite"]);
        assert!(chosen(&["crates/cli/src/main.rs", "README.md", "crates/manifest/tests/x.rs"]).is_empty());
    }
}
