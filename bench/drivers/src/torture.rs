//! `cargo xtask torture`: audits that are killed at random moments, over trees with injected faults. Each fault is to be found exactly
//! once, nothing else is to be found, and the catalogue is to be whole after every kill.

mod faults;
mod tree;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use fastrand::Rng;
use hashlane_catalog::{Catalog, Thoroughness};

use faults::Fault;
use tree::Tree;

/// A record counts as settled so long after the last change of its file: two whole seconds of the clock.
const SETTLED: Duration = Duration::from_millis(3_050);

/// Audits that are killed over one tree, at most, before it is audited to its end.
const KILLS_A_TREE: u64 = 60;

/// Options of `torture`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Audits and other commands that are killed while they are alive
    #[arg(long, default_value_t = 1000, value_name = "N")]
    kills: u64,
    /// Stop after so many seconds, with however many kills there were
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<u64>,
    /// The program [default: that of the shipped build]
    #[arg(long, value_name = "FILE")]
    hashlane: Option<PathBuf>,
    /// What chance begins with [default: another each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Where trees are made and removed again [default: the directory for temporary files]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Set by the process that has built everything
    #[arg(long, hide = true)]
    measuring: bool,
}

/// What was done, for the last lines.
#[derive(Debug, Default)]
struct Done {
    trees: u64,
    kills: BTreeMap<&'static str, u64>,
    /// Commands that had ended before they were to be killed.
    too_late: u64,
    faults: BTreeMap<&'static str, u64>,
    verified: u64,
    refused: u64,
}

/// Builds, and then tortures. True if nothing went wrong.
pub(crate) fn run(options: &Options) -> Result<bool> {
    if options.hashlane.is_none() && !options.measuring {
        return crate::shipped::build_and_measure(true, &[]);
    }
    let hashlane = match &options.hashlane {
        Some(hashlane) => hashlane.canonicalize().with_context(|| hashlane.display().to_string())?,
        None => crate::shipped::command()?,
    };
    let seed = options.seed.unwrap_or_else(|| Rng::new().u64(..));
    println!("seed {seed}");
    let mut rng = Rng::with_seed(seed);
    let end = options.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut done = Done::default();
    while done.kills.values().sum::<u64>() < options.kills && end.is_none_or(|end| Instant::now() < end) {
        let scratch = match &options.dir {
            Some(directory) => tempfile::tempdir_in(directory),
            None => tempfile::tempdir(),
        };
        let scratch = scratch.context("cannot make a directory")?;
        let case = Case { hashlane: &hashlane, scratch: scratch.path() };
        if let Err(error) = case.torture(&mut rng, &mut done) {
            let kept = scratch.keep();
            println!(
                "FAILED with seed {seed}, tree {}: {error:#}\nkept in {}",
                done.trees + 1,
                kept.display()
            );
            return Ok(false);
        }
        done.trees += 1;
        println!("{} trees, {} kills", done.trees, done.kills.values().sum::<u64>());
    }
    println!("{}", done.summary());
    Ok(true)
}

impl Done {
    fn summary(&self) -> String {
        let list = |counts: &BTreeMap<&str, u64>| {
            counts.iter().map(|(what, number)| format!("{number} {what}")).collect::<Vec<_>>().join(", ")
        };
        format!(
            "{} trees; killed: {}; {} ended before they were killed; {} refused while another audited\nfaults, each found exactly once: {}\nno false verdict, no file lost; the catalogue was verified {} times",
            self.trees,
            list(&self.kills),
            self.too_late,
            self.refused,
            list(&self.faults),
            self.verified
        )
    }
}

/// One tree with its catalogue.
struct Case<'a> {
    hashlane: &'a Path,
    scratch: &'a Path,
}

impl Case<'_> {
    fn catalogue(&self) -> PathBuf {
        self.scratch.join("catalog.sqlite")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.hashlane);
        command.args(arguments).current_dir(self.scratch).env("HASHLANE_CATALOG", self.catalogue());
        command.env("HASHLANE_CACHE", self.scratch.join("cache")).env("TMPDIR", self.scratch);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Runs a command to its end, which is to be one of these exit codes.
    fn ends(&self, arguments: &[&str], codes: &[i32]) -> Result<i32> {
        let output = self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).output()?;
        let code = output.status.code();
        let said = || {
            let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
            format!("{arguments:?} ended with {}\n{out}{err}", output.status)
        };
        match code {
            Some(code) if codes.contains(&code) => Ok(code),
            _ => bail!("{}", said()),
        }
    }

    fn torture(&self, rng: &mut Rng, done: &mut Done) -> Result<()> {
        let tree = Tree::make(&self.scratch.join("tree"), rng)?;
        thread::sleep(SETTLED);
        self.ends(&["collection", "add", "t", "tree", "--hold-files", "100000"], &[0])?;
        self.kill_some(rng, done, KILLS_A_TREE / 3)?;
        self.ends(&["audit", "t"], &[0])?;
        self.is_known(&tree.names())?;
        let faults = faults::inject(&tree, rng)?;
        thread::sleep(SETTLED);
        self.kill_some(rng, done, KILLS_A_TREE - KILLS_A_TREE / 3)?;
        let codes: Vec<i32> = (0..32).collect();
        self.ends(&["audit", "t"], &codes)?;
        // Once more: what was said stands, and is not said again.
        self.ends(&["audit", "t"], &codes)?;
        self.judge(&tree, &faults)?;
        for fault in &faults {
            *done.faults.entry(fault.kind.name()).or_default() += 1;
        }
        self.verify(done)
    }

    /// Starts commands and kills them at random moments. Each is to leave a catalogue that is whole.
    fn kill_some(&self, rng: &mut Rng, done: &mut Done, kills: u64) -> Result<()> {
        let mut killed = 0;
        let mut tries = 0;
        while killed < kills && tries < 4 * kills {
            tries += 1;
            let copy = self.scratch.join(format!("copy-{tries}.sqlite"));
            let copy = copy.to_str().context("a name")?.to_owned();
            let (what, arguments): (_, Vec<&str>) = match rng.u32(..10) {
                0 => ("backups", vec!["catalog", "backup", &copy]),
                1 => ("compactions", vec!["catalog", "compact"]),
                2 => ("audits of what is due", vec!["audit", "--files", "300"]),
                _ => ("audits", vec!["audit", "t"]),
            };
            let mut child = self.command(&arguments).spawn()?;
            let second = rng.u32(..8) == 0 && what == "audits";
            if second {
                // Two at once: one of them is told so, or comes after the other has ended.
                let status = self.command(&["audit", "t", "--files", "50"]).status()?;
                done.refused += u64::from(status.code() == Some(75));
            }
            thread::sleep(Duration::from_micros(rng.u64(..60_000)));
            match kill(&mut child)? {
                true => {
                    killed += 1;
                    *done.kills.entry(what).or_default() += 1;
                }
                false => done.too_late += 1,
            }
            self.verify(done)?;
            let _ = std::fs::remove_file(&copy);
        }
        Ok(())
    }

    fn verify(&self, done: &mut Done) -> Result<()> {
        let catalog = Catalog::open(&self.catalogue())?;
        let problems = catalog.verify(Thoroughness::Full)?;
        ensure!(problems.is_empty(), "the catalogue is damaged: {problems:?}");
        done.verified += 1;
        Ok(())
    }

    /// Asserts that all files are known, and no others.
    fn is_known(&self, names: &[String]) -> Result<()> {
        let catalog = Catalog::open(&self.catalogue())?;
        let collection = catalog.collection("t")?;
        let mut known = Vec::new();
        catalog.each_item(&collection, &mut |directory, item| {
            let mut path = String::from_utf8_lossy(directory).into_owned();
            if !path.is_empty() {
                path.push('/');
            }
            path += &String::from_utf8_lossy(&item.name);
            ensure_read(&item, &path, &mut known);
            Ok(())
        })?;
        known.sort();
        let mut names = names.to_vec();
        names.sort();
        ensure!(known == names, "{} files are known of {}", known.len(), names.len());
        Ok(())
    }

    /// Asserts that each fault was found, once, and nothing else.
    fn judge(&self, tree: &Tree, faults: &[Fault]) -> Result<()> {
        let catalog = Catalog::open(&self.catalogue())?;
        let collection = catalog.collection("t")?;
        let by_path: BTreeMap<_, _> = faults.iter().flat_map(Fault::expected).collect();
        let mut names = tree.names();
        names.extend(by_path.keys().map(|path| (*path).to_owned()));
        names.sort();
        names.dedup();
        for name in &names {
            let item = catalog.item_at(&collection, name.as_bytes())?;
            let item = item.with_context(|| format!("{name} is not known"))?;
            let said: Vec<_> = catalog.events(item.id)?.into_iter().map(|event| event.what).collect();
            let standing =
                catalog.finding(&collection, item.id)?.filter(|finding| finding.cleared_s.is_none());
            let standing = standing.map(|finding| finding.verdict.name());
            let expected = by_path.get(name.as_str());
            let (events, verdict, versions) = match expected {
                Some(expected) => (expected.events, expected.standing, expected.versions),
                None => (&[][..], None, 0),
            };
            ensure!(said == events, "{name}: said {said:?} and not {events:?}");
            ensure!(standing == verdict, "{name}: {standing:?} stands and not {verdict:?}");
            let found = catalog.versions(&collection, item.id)?.len();
            ensure!(found == versions, "{name}: {found} earlier versions and not {versions}");
        }
        Ok(())
    }
}

fn ensure_read(item: &hashlane_catalog::Item, path: &str, known: &mut Vec<String>) {
    if !item.content.digests.is_empty() {
        known.push(path.to_owned());
    }
}

/// Kills a process; `false` if it had ended by itself.
fn kill(child: &mut Child) -> Result<bool> {
    if child.try_wait()?.is_some() {
        return Ok(false);
    }
    child.kill()?;
    // It may have ended in between, by itself.
    Ok(child.wait()?.code().is_none())
}
