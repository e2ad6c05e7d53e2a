//! `cargo xtask defects`: puts defects of former versions back, one at a time, into a copy of the project, and looks whether `years` finds
//! each of them by chance.
//!
//! Owns the copy and the table. What each defect is stands at the top of its patch.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use xtask::cargo::{Profile, cargo, target_directory, workspace};

/// Options of `defects`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only the defects whose name contains one of these
    names: Vec<String>,
    /// How long each is looked for, in seconds
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    seconds: u64,
    /// What chance begins with
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
}

/// For how long nothing may be found where there is no defect, in seconds.
const WITHOUT_S: u64 = 60;

/// A defect.
struct Defect {
    name: String,
    patch: PathBuf,
}

/// Looks for each defect. True if all were found, and nothing is where there is none.
pub(crate) fn run(options: &Options) -> Result<bool> {
    let asked = |name: &str| options.names.is_empty() || options.names.iter().any(|of| name.contains(of));
    let defects: Vec<_> = defects()?.into_iter().filter(|defect| asked(&defect.name)).collect();
    ensure!(!defects.is_empty(), "no defect has a name that contains one of {}", options.names.join(", "));
    let copy = Copy::make()?;
    let mut is_fine = true;
    // What is found without a defect would be found with each.
    if let Some((seconds, what)) = options.look(&copy.build()?, options.seconds.min(WITHOUT_S))? {
        println!("{:<44} found in {seconds:>4.0} s: {what}", "no defect");
        return Ok(false);
    }
    for Defect { name, patch } in &defects {
        match copy.with(patch, |program| options.look(program, options.seconds)) {
            Ok(Some((seconds, what))) => println!("{name:<44} found in {seconds:>4.0} s: {what}"),
            Ok(None) => {
                println!("{name:<44} NOT FOUND in {} s", options.seconds);
                is_fine = false;
            }
            Err(error) => {
                println!("{name:<44} NOT TRIED: {error:#}");
                is_fine = false;
            }
        }
    }
    Ok(is_fine)
}

/// All defects, by name.
fn defects() -> Result<Vec<Defect>> {
    let directory = workspace().join("xtask/defects");
    let shown = || directory.display().to_string();
    let mut defects = Vec::new();
    for entry in fs::read_dir(&directory).with_context(shown)? {
        let patch = entry.with_context(shown)?.path();
        if patch.extension() == Some(OsStr::new("patch")) {
            let name = patch.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            defects.push(Defect { name, patch });
        }
    }
    defects.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(defects)
}

impl Options {
    /// Lets chance look for what is wrong, on all cores. The seconds that it took, and what it is; nothing: it found nothing.
    fn look(&self, program: &Path, seconds: u64) -> Result<Option<(f64, String)>> {
        let began = Instant::now();
        let cores = thread::available_parallelism().map_or(1, NonZero::get) as u64;
        let looks = (0..cores).map(|core| Look::begin(program, self.seed + core * APART, seconds));
        let mut looks = looks.collect::<Result<Vec<_>>>()?;
        while !looks.is_empty() {
            thread::sleep(PAUSE);
            let mut place = 0;
            while let Some(look) = looks.get_mut(place) {
                match look.years.try_wait().context("cannot wait for the years")? {
                    None => place += 1,
                    Some(status) => {
                        let look = looks.swap_remove(place);
                        if !status.success() {
                            return Ok(Some((began.elapsed().as_secs_f64(), look.found()?)));
                        }
                    }
                }
            }
        }
        Ok(None)
    }
}

/// This many years lie between those of two cores: no time suffices for them.
const APART: u64 = 1_000_000;

/// How often it is asked whether one has found something.
const PAUSE: Duration = Duration::from_millis(100);

/// Years that are looked through, and what they say. They end with it.
struct Look {
    years: Child,
    said: Option<JoinHandle<io::Result<String>>>,
}

impl Look {
    fn begin(program: &Path, seed: u64, seconds: u64) -> Result<Self> {
        let mut years = Command::new(program);
        years.args(["years", "--first", "--by-chance-alone", "--shrink", "0", "--years", "1000000"]);
        years.args(["--seed", &seed.to_string(), "--seconds", &seconds.to_string()]);
        years.stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut years = years.spawn().context("cannot run the years")?;
        let stdout = years.stdout.take().context("the years have no output")?;
        let said = thread::spawn(move || io::read_to_string(stdout));
        Ok(Self { years, said: Some(said) })
    }

    /// What it has found, and ended with.
    fn found(mut self) -> Result<String> {
        let said = self.said.take().and_then(|said| said.join().ok());
        let text = said.context("the years say nothing")?.context("cannot read what the years say")?;
        let mut found = text.lines().filter_map(|line| line.split_once(": in "));
        match found.next() {
            Some((what, _)) => Ok(what.to_owned()),
            None => bail!("the years have failed, and do not say how:\n{text}"),
        }
    }
}

impl Drop for Look {
    fn drop(&mut self) {
        // One that has ended cannot be killed, which is as well.
        let _ = self.years.kill();
        let _ = self.years.wait();
    }
}

/// A copy of the project. It stays, so that the next one builds faster.
struct Copy {
    root: PathBuf,
    target: PathBuf,
}

impl Copy {
    fn make() -> Result<Self> {
        let place = target_directory()?.join("defects");
        let (root, target) = (place.join("tree"), place.join("target"));
        let copy = Self { root, target };
        copy.fill()?;
        Ok(copy)
    }

    /// Copies all files of the project that are no copy of the same yet, and removes what there is besides.
    fn fill(&self) -> Result<()> {
        let listed = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(workspace())
            .output()
            .context("cannot run git")?;
        ensure!(listed.status.success(), "git does not list the files of the project");
        let listed = String::from_utf8(listed.stdout).context("a name that is not UTF-8")?;
        let mut lasting = BTreeSet::new();
        for name in listed.split_terminator('\0') {
            let (from, to) = (workspace().join(name), self.root.join(name));
            let bytes = match fs::read(&from) {
                Ok(bytes) => bytes,
                // A file may be listed and deleted.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error).with_context(|| format!("cannot read {}", from.display())),
            };
            lasting.insert(to.clone());
            if fs::read(&to).is_ok_and(|there| there == bytes) {
                continue;
            }
            fs::create_dir_all(to.parent().unwrap_or(&self.root))?;
            fs::copy(&from, &to).with_context(|| format!("cannot copy {}", from.display()))?;
        }
        remove_others(&self.root, &lasting)
    }

    /// Does something with the program as it is with a patch, which is taken back.
    fn with<T>(&self, patch: &Path, work: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
        self.change(patch, &[])?;
        let done = self.build().and_then(|program| work(&program));
        self.change(patch, &["--reverse"])?;
        done
    }

    /// Applies a patch, or takes it back.
    fn change(&self, patch: &Path, options: &[&str]) -> Result<()> {
        let applied = applied(&self.root, patch, options)?;
        ensure!(applied, "{} does not apply: make it anew", patch.display());
        Ok(())
    }

    fn build(&self) -> Result<PathBuf> {
        let mut command = cargo();
        command.args(["build", "--quiet", "--package", "hashlane-bench"]).args(Profile::Ci.arguments());
        // The more years are looked through, the more is found.
        command.env("CARGO_PROFILE_CI_OPT_LEVEL", "2");
        command.current_dir(&self.root).env("CARGO_TARGET_DIR", &self.target);
        ensure!(command.status().context("cannot run cargo")?.success(), "the copy does not build");
        Ok(self.target.join(Profile::Ci.directory()).join("hashlane-bench"))
    }
}

/// Whether git applies a patch to a directory, which may lie in a repository and is none.
fn applied(root: &Path, patch: &Path, options: &[&str]) -> Result<bool> {
    let above = root.parent().unwrap_or(root);
    let status = Command::new("git")
        .arg("apply")
        .args(options)
        .arg(patch)
        .current_dir(root)
        .env("GIT_CEILING_DIRECTORIES", above)
        .status()
        .context("cannot run git")?;
    Ok(status.success())
}

fn remove_others(directory: &Path, lasting: &BTreeSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(directory).with_context(|| directory.display().to_string())? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            remove_others(&entry.path(), lasting)?;
        } else if !lasting.contains(&entry.path()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_defect_can_still_be_put_back() {
        let defects = defects().expect("they are there");
        assert!(defects.len() >= 10, "{} defects", defects.len());
        for Defect { name, patch } in defects {
            let applies = applied(&workspace(), &patch, &["--check"]).expect("git runs");
            assert!(applies, "{name} does not apply any more: make it anew");
            let text = fs::read_to_string(&patch).expect("readable");
            assert!(!text.starts_with("---"), "{name} does not say what it is");
        }
    }
}
