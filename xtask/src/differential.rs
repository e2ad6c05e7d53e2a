//! `cargo xtask differential`: the same command lines through old programs and through `hashlane`, over a tree of odd names.
//!
//! Each line is run by a shell, twice: with the original in the search path, and with a link of its name to this program
//! before it. What is printed, what is said and the exit code have to be the same bytes, or the line names a row of
//! the table of deliberate differences in `docs/old-command-lines.md`; then they have to differ.

mod b3sum;
mod coreutils;
mod tree;
mod xxhsum;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use xtask::cargo::{Profile, cargo, find_command, workspace};

/// The table of deliberate differences.
const TABLE: &str = "docs/old-command-lines.md";

/// Options of `differential`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Options {
    /// Only lines that contain TEXT
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Show all lines, not only those that are wrong
    #[arg(short, long)]
    verbose: bool,
}

/// A command line that is run both ways.
#[derive(Clone, Copy, Debug)]
struct Case {
    /// What a shell runs, in the tree.
    line: &'static str,
    /// The row of the table that says why the two differ: where the original is of an older version, and of the
    /// newest.
    rows: [Option<&'static str>; 2],
    /// Whether the original has no order of its own.
    is_unordered: bool,
}

impl Case {
    /// Both do the same.
    const fn same(line: &'static str) -> Self {
        Self { line, rows: [None; 2], is_unordered: false }
    }

    /// They differ, as a row says.
    const fn differs(line: &'static str, row: &'static str) -> Self {
        Self { line, rows: [Some(row); 2], is_unordered: false }
    }

    /// The same as the newest version; an older one differs, as a row says.
    const fn newer(line: &'static str, row: &'static str) -> Self {
        Self { line, rows: [Some(row), None], is_unordered: false }
    }

    /// The newest version differs, as the second row says, and an older one perhaps too, as the first one does.
    const fn newest_differs(line: &'static str, older: Option<&'static str>, newest: &'static str) -> Self {
        Self { line, rows: [older, Some(newest)], is_unordered: false }
    }

    /// The program: the first word that is the name of one.
    fn program(&self) -> &'static str {
        let mut words = self.line.split(|letter: char| !letter.is_ascii_alphanumeric());
        words.find(|word| word.ends_with("sum")).unwrap_or_default()
    }
}

/// Programs of one origin.
struct Family {
    /// What they belong to.
    name: &'static str,
    /// A program that is there if they are.
    program: &'static str,
    /// What it says of the versions that the lines were recorded from; the newest is the last.
    versions: &'static [&'static str],
    cases: &'static [Case],
}

const FAMILIES: &[Family] = &[coreutils::FAMILY, b3sum::FAMILY, xxhsum::FAMILY];

/// What a run left.
#[derive(PartialEq, Eq)]
struct Ran {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    code: Option<i32>,
}

/// What the lines are run with.
struct Ground {
    /// Links of the old names to the program.
    links: tempfile::TempDir,
    digests: tree::Digests,
}

impl Ground {
    /// Runs the line in a tree of its own. `TMPDIR` and all else of the environment that could differ is the same.
    fn run(&self, line: &str, by_hashlane: bool) -> Result<Ran> {
        let directory = tempfile::tempdir()?;
        tree::make(directory.path(), &self.digests)?;
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = by_hashlane
            .then(|| self.links.path().to_path_buf())
            .into_iter()
            .chain(std::env::split_paths(&path))
            .collect();
        let mut command = Command::new("bash");
        command.args(["-c", line]).current_dir(directory.path());
        command.env("PATH", std::env::join_paths(folders)?);
        command.env("LC_ALL", "C.UTF-8").env_remove("POSIXLY_CORRECT").env_remove("RUST_BACKTRACE");
        let output = command.stdin(Stdio::null()).output().context("cannot run bash")?;
        // The directory has another name each time.
        let here = fs::canonicalize(directory.path())?.into_os_string().into_encoded_bytes();
        let neutral = |text: &[u8]| replaced(text, &here, b"/tree");
        let (stdout, stderr) = (neutral(&output.stdout), neutral(&output.stderr));
        Ok(Ran { stdout, stderr, code: output.status.code() })
    }
}

/// How many lines came out how.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    identical: usize,
    different: usize,
    wrong: usize,
}

/// True if nothing is wrong. Families whose programs are not here are left out, and it is said.
pub(crate) fn run(options: &Options, profile: Profile) -> Result<bool> {
    let program = profile.program()?;
    let ground = Ground { links: links(&program)?, digests: tree::Digests::by(&program)? };
    let rows = rows()?;
    let mut used = BTreeSet::new();
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    for family in FAMILIES {
        used.extend(family.cases.iter().flat_map(|case| case.rows).flatten());
        let is_newest = match family.is_newest() {
            Ok(is_newest) => is_newest,
            Err(reason) => {
                println!("LEFT OUT: {}: {reason}", family.name);
                continue;
            }
        };
        for case in family.cases {
            if options.only.as_ref().is_some_and(|text| !case.line.contains(text.as_str())) {
                continue;
            }
            let count = counts.entry(case.program()).or_default();
            case.judge(case.rows[usize::from(is_newest)], &ground, &rows, options.verbose, count)?;
        }
    }
    judge_deep(options, profile, &mut counts)?;
    let mut all = Counts::default();
    println!("{:<16} {:>9} {:>23} {:>5}", "program", "identical", "deliberately different", "WRONG");
    for (program, count) in &counts {
        println!("{program:<16} {:>9} {:>23} {:>5}", count.identical, count.different, count.wrong);
        all.identical += count.identical;
        all.different += count.different;
        all.wrong += count.wrong;
    }
    println!("{:<16} {:>9} {:>23} {:>5}", "all", all.identical, all.different, all.wrong);
    let unused: Vec<_> = rows.iter().filter(|row| !used.contains(row.as_str())).collect();
    if options.only.is_none() && !unused.is_empty() {
        println!("rows of {TABLE} that no line shows: {unused:?}");
    }
    Ok(all.wrong == 0 && (options.only.is_some() || unused.is_empty()))
}

impl Family {
    /// Whether it is here in its newest version, or why it cannot be compared here.
    fn is_newest(&self) -> Result<bool, String> {
        if find_command(self.program).is_none() {
            return Err(format!("{} is not installed", self.program));
        }
        let output =
            Command::new(self.program).arg("--version").output().map_err(|error| error.to_string())?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        let Some(place) = self.versions.iter().rposition(|version| said.contains(version)) else {
            let (versions, first) = (self.versions.join(" and "), said.lines().next().unwrap_or_default());
            return Err(format!("the lines are those of {versions}, and here is {first}"));
        };
        Ok(place + 1 == self.versions.len())
    }
}

impl Case {
    /// Runs the line both ways. `row` says why they differ, where they are to.
    fn judge(
        &self,
        row: Option<&str>,
        ground: &Ground,
        rows: &BTreeSet<String>,
        verbose: bool,
        count: &mut Counts,
    ) -> Result<()> {
        let mut theirs = ground.run(self.line, false)?;
        let mut ours = ground.run(self.line, true)?;
        if self.is_unordered {
            theirs.sort();
            ours.sort();
        }
        let is_same = theirs == ours;
        let verdict = match row {
            None if is_same => {
                count.identical += 1;
                "identical".to_owned()
            }
            Some(row) if !is_same && rows.contains(row) => {
                count.different += 1;
                format!("deliberately different ({row})")
            }
            Some(row) => {
                count.wrong += 1;
                let why = if is_same { "identical" } else { "not in the table" };
                format!("WRONG: {row} is {why}")
            }
            None => {
                count.wrong += 1;
                "WRONG".to_owned()
            }
        };
        let is_wrong = verdict.starts_with("WRONG");
        if is_wrong || verbose {
            println!("{verdict}: {}", self.line);
        }
        if is_wrong {
            theirs.show("original");
            ours.show("hashlane");
        }
        Ok(())
    }
}

impl Ran {
    fn sort(&mut self) {
        (self.stdout, self.stderr) = (sorted(&self.stdout), sorted(&self.stderr));
    }

    fn show(&self, whose: &str) {
        println!("    {whose}: exit code {:?}", self.code);
        for (what, text) in [("printed", &self.stdout), ("said", &self.stderr)] {
            for line in text.split_inclusive(|&byte| byte == b'\n') {
                println!("        {what}: {}", line.escape_ascii());
            }
        }
    }
}

/// The lines of hashdeep and its kin are in a list of their own, with the tree and the lists that they need, and a test runs
/// them: what it prints is counted.
fn judge_deep(options: &Options, profile: Profile, counts: &mut BTreeMap<&str, Counts>) -> Result<()> {
    if find_command("hashdeep").is_none() {
        println!("LEFT OUT: hashdeep is not installed");
        return Ok(());
    }
    let output = cargo()
        .args(["test", "--quiet", "--workspace", "--test", "program"])
        .args(profile.arguments())
        .args(["--", "--exact", "--nocapture", DEEP_TEST])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((verdict, command)) = line.split_once(": ") else { continue };
        if options.only.as_ref().is_some_and(|text| !command.contains(text.as_str())) {
            continue;
        }
        let mut found = Counts::default();
        match verdict.split(' ').next() {
            Some("identical") => found.identical = 1,
            Some("deliberately") => found.different = 1,
            Some("WRONG") => found.wrong = 1,
            _ => continue,
        }
        if options.verbose || found.wrong > 0 {
            println!("{line}");
        }
        let program = DEEP.iter().find(|program| command.split(' ').any(|word| word == **program));
        let count = counts.entry(program.unwrap_or(&"hashdeep")).or_default();
        count.identical += found.identical;
        count.different += found.different;
        count.wrong += found.wrong;
    }
    ensure!(
        options.only.is_some() || counts.keys().any(|program| DEEP.contains(program)),
        "the test of hashdeep's command lines did not run"
    );
    Ok(())
}

/// The test that runs the lines of hashdeep and its kin.
pub(crate) const DEEP_TEST: &str = "deep::every_command_line_does_what_the_original_does";

/// Programs whose lines are in `tests/differential/deep.list`.
const DEEP: [&str; 6] = ["hashdeep", "md5deep", "sha1deep", "sha256deep", "tigerdeep", "whirlpooldeep"];

/// A folder with links to the program.
fn links(hashlane: &Path) -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    let linked = Command::new(hashlane).args(["install-links", "--quiet"]).arg(folder.path()).status();
    ensure!(linked.context("cannot run hashlane")?.success(), "hashlane does not make its links");
    Ok(folder)
}

/// The names of the rows in the table: what stands between backticks in the first column.
fn rows() -> Result<BTreeSet<String>> {
    let text = fs::read_to_string(workspace().join(TABLE)).with_context(|| format!("cannot read {TABLE}"))?;
    let named = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    Ok(named.map(|(name, _)| name.to_owned()).collect())
}

fn replaced(text: &[u8], what: &[u8], by: &[u8]) -> Vec<u8> {
    let mut neutral = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.windows(what.len()).position(|window| window == what) {
        neutral.extend_from_slice(&rest[..at]);
        neutral.extend_from_slice(by);
        rest = &rest[at + what.len()..];
    }
    neutral.extend_from_slice(rest);
    neutral
}

fn sorted(text: &[u8]) -> Vec<u8> {
    let mut lines: Vec<_> = text.split_inclusive(|&byte| byte == b'\n').collect();
    lines.sort_unstable();
    lines.concat()
}
