//! `cargo xtask scenario`: one tree in which everything happens at once, and what hashlane and others say of it.
//!
//! Owns the order of what is done: a tree is made and known, some of it is changed, it is audited, more is changed, and then everybody is
//! asked. What is to be said of each kind of change stands beside it.

mod hashlane;
mod kinds;
mod one_bit;
mod others;
mod tree;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use xtask::cargo::find_command;

use crate::images::{self, Image};
use crate::{damage, sizes};
use hashlane::{Ended, Hashlane};
use kinds::{KINDS, Kind, Needs};
use others::Other;
use tree::Tree;

/// A record counts as settled so long after the last change of its file: two whole seconds of the clock.
const SETTLED: Duration = Duration::from_millis(3_050);

/// Room in the file system of the tree.
const TREE_BYTES: u64 = 64 << 20;

/// Whom programs run as where this one is root: nobody, for whom a file can be unreadable.
const NOBODY: u32 = 65534;

/// The bit that an audit adds to those of what stands if it has judged nothing.
const NOT_JUDGED: i32 = 16;

/// Options of `scenario`.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Instead: one flipped bit among so many bytes, such as 10GB, by a write and below the file system
    #[arg(long, value_parser = sizes::size, value_name = "SIZE")]
    bytes: Option<u64>,
    /// The program [default: that of the shipped build]
    #[arg(long, value_name = "FILE")]
    hashlane: Option<PathBuf>,
    /// hashdeep [default: the one that is installed]
    #[arg(long, value_name = "FILE")]
    hashdeep: Option<PathBuf>,
    /// AIDE [default: the one that is installed]
    #[arg(long, value_name = "FILE")]
    aide: Option<PathBuf>,
    /// chkbit, version 6 [default: the one that is installed]
    #[arg(long, value_name = "FILE")]
    chkbit: Option<PathBuf>,
    /// Where the tree is made and removed again [default: the directory for temporary files]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Set by the process that has built everything
    #[arg(long, hide = true)]
    measuring: bool,
}

/// Builds, and then plays. True if hashlane says of everything what it is to say.
pub(crate) fn run(options: &Options) -> Result<bool> {
    if options.hashlane.is_none() && !options.measuring {
        return crate::shipped::build_and_measure(true, &[]);
    }
    let program = crate::shipped::named(options.hashlane.as_deref())?;
    let scratch = crate::shipped::scratch(options.dir.as_deref())?;
    match options.bytes {
        Some(bytes) => one_bit::find(&program, scratch.path(), bytes),
        None => Scenario::new(options, program, scratch.path())?.play(),
    }
}

/// By whom programs are run.
#[derive(Clone, Debug)]
struct Runner {
    /// `setpriv`, where this process is root and programs are not to be.
    setpriv: Option<PathBuf>,
}

impl Runner {
    fn new(program: &Path) -> Self {
        let is_root = rustix::process::geteuid().is_root();
        let runner = Self { setpriv: find_command("setpriv").filter(|_| is_root) };
        // Nobody may not come to a program that lies in somebody's home.
        let mut version = runner.command(program);
        match version.arg("--version").output() {
            Ok(output) if output.status.success() => runner,
            _ => Self { setpriv: None },
        }
    }

    fn command(&self, program: &Path) -> Command {
        let Some(setpriv) = &self.setpriv else { return Command::new(program) };
        let mut command = Command::new(setpriv);
        let [user, group] = ["--reuid", "--regid"].map(|what| format!("{what}={NOBODY}"));
        command.args([&user, &group, "--clear-groups", "--"]).arg(program);
        command
    }

    /// Whether a file can be made unreadable for those programs.
    fn can_be_refused(&self) -> bool {
        self.setpriv.is_some() || !rustix::process::geteuid().is_root()
    }

    /// Hands a file or a directory over to whom programs run as.
    fn hand_over(&self, path: &Path) -> Result<()> {
        if self.setpriv.is_some() {
            std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY))?;
        }
        Ok(())
    }
}

/// A tree, and those who look at it.
struct Scenario {
    tree: Tree,
    image: Option<Image>,
    hashlane: Hashlane,
    others: Vec<Other>,
    kinds: Vec<&'static Kind>,
}

impl Scenario {
    fn new(options: &Options, program: PathBuf, scratch: &Path) -> Result<Self> {
        let runner = Runner::new(&program);
        fs::set_permissions(scratch, fs::Permissions::from_mode(0o755))?;
        let image = match images::obstacle() {
            Some(obstacle) => Err(obstacle),
            None => Image::make(&scratch.join("image"), &scratch.join("mounted"), TREE_BYTES)
                .map_err(|error| format!("{error:#}")),
        };
        if let Err(obstacle) = &image {
            println!("SKIPPED: damage below the file system: {obstacle}");
        }
        let image = image.ok();
        let above = image.as_ref().map_or(scratch, Image::place);
        let tree = Tree::new(above.join("tree"), runner.clone())?;
        let known = scratch.join("known");
        fs::create_dir(&known)?;
        runner.hand_over(&known)?;
        let others = Other::all(options, &runner, &known, tree.root());
        let hashlane = Hashlane::new(program, runner, known, tree.root());
        let is_possible = |kind: &&Kind| match kind.needs {
            Needs::Nothing => true,
            Needs::Image => image.is_some(),
            Needs::Root => rustix::process::geteuid().is_root(),
            Needs::Refusal => tree.runner().can_be_refused(),
        };
        let (kinds, skipped): (Vec<_>, Vec<_>) = KINDS.iter().partition(is_possible);
        for kind in skipped.iter().filter(|kind| !matches!(kind.needs, Needs::Image)) {
            println!("SKIPPED: {}: not possible for this user", kind.what);
        }
        Ok(Self { tree, image, hashlane, others, kinds })
    }

    fn play(mut self) -> Result<bool> {
        for file in self.kinds.iter().flat_map(|kind| kind.before) {
            self.tree.make(file)?;
        }
        self.tree.hand_over()?;
        thread::sleep(SETTLED);
        self.hashlane.begin()?;
        self.others.retain_mut(|other| match other.begin() {
            Ok(()) => true,
            Err(error) => {
                println!("SKIPPED: {}: {error:#}", other.name());
                false
            }
        });
        self.each(|kind| kind.midway)?;
        thread::sleep(SETTLED);
        self.hashlane.audit()?;
        self.each(|kind| kind.change)?;
        if let Some(image) = &mut self.image {
            let path = self.tree.path(kinds::BELOW.as_bytes());
            let inode = std::os::unix::fs::MetadataExt::ino(&fs::metadata(&path)?);
            image.flip(inode, 9000, 5)?;
        }
        self.hashlane.set_filter()?;
        thread::sleep(SETTLED);
        self.hashlane.audit()?;
        for other in &mut self.others {
            other.check()?;
        }
        let (is_right, stands) = self.judge()?;
        Ok(self.lose(stands)? && is_right)
    }

    /// Takes away the tree as a whole, in several ways: nothing is to be said to be missing. `stands`: the exit code of what was found.
    fn lose(&mut self, stands: Option<i32>) -> Result<bool> {
        self.hashlane.be_careful()?;
        println!("\n| what has become of the tree | expected | hashlane |\n|---|---|---|");
        let root = self.tree.root().to_owned();
        let mut is_right = true;
        // What was found before stands for all that.
        let not_judged = stands.map(|stands| stands | NOT_JUDGED);
        let mut tell = |what: &str, ended: Ended, outcome: &str, code| {
            let expected = Ended { outcome: outcome.to_owned(), code, new_findings: 0 };
            let mark = if ended == expected { "" } else { " **WRONG**" };
            is_right &= ended == expected;
            println!("| {what} | {expected} | {ended}{mark} |");
        };
        let gone = damage::root_gone(&root)?;
        tell("an empty directory in its place", self.hashlane.ended()?, "offline", not_judged);
        fs::remove_dir(&root)?;
        fs::rename(gone, &root)?;
        let gone = damage::half_gone(&root)?;
        tell("every second thing in it is gone", self.hashlane.ended()?, "held", not_judged);
        for entry in fs::read_dir(&gone)? {
            let entry = entry?;
            fs::rename(entry.path(), root.join(entry.file_name()))?;
        }
        fs::remove_dir(&gone)?;
        self.hashlane.discard()?;
        if let Some(image) = &mut self.image {
            image.unmount()?;
            let ended = self.hashlane.ended()?;
            image.mount()?;
            tell("not mounted", ended, "offline", not_judged);
        }
        tell("back again", self.hashlane.ended()?, "complete", stands);
        Ok(is_right)
    }

    fn each(&self, change: impl Fn(&Kind) -> kinds::Change) -> Result<()> {
        for kind in &self.kinds {
            change(kind)(&self.tree).with_context(|| format!("cannot do what is `{}`", kind.what))?;
        }
        Ok(())
    }

    /// Prints what everybody says of everything. True if hashlane is right; and its exit code.
    fn judge(&self) -> Result<(bool, Option<i32>)> {
        let mut header = vec!["kind of change", "path", "expected", "hashlane"];
        header.extend(self.others.iter().map(Other::name));
        println!("| {} |\n|{}", header.join(" | "), "---|".repeat(header.len()));
        let (mut wrong, mut rows) = (0, 0);
        for kind in &self.kinds {
            for (path, expected) in kind.after {
                let said = self.hashlane.verdict(path)?;
                let mark = if said == *expected { "" } else { " **WRONG**" };
                wrong += u64::from(said != *expected);
                rows += 1;
                let shown = hashlane_record::shown_name(path).to_string();
                let mut row =
                    vec![kind.what.to_owned(), shown, (*expected).to_owned(), format!("{said}{mark}")];
                row.extend(self.others.iter().map(|other| other.said(path, expected)));
                println!("| {} |", row.join(" | "));
            }
        }
        println!("\n{} kinds of change, {rows} paths", self.kinds.len());
        let problems = self.hashlane.problems(&self.kinds)?;
        problems.iter().for_each(|problem| println!("WRONG: {problem}"));
        println!("hashlane: {wrong} wrong verdicts, {} other problems", problems.len());
        for other in &self.others {
            println!("{}", other.summary());
        }
        Ok((wrong == 0 && problems.is_empty(), self.hashlane.code()))
    }
}
