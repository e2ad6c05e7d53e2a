//! What hashlane says: as programs read it, and what it knows of what it does not mention.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use hashlane_catalog::{State, Thoroughness, Writer};
use serde_json::Value;

use super::Runner;
use super::kinds::{APPEND_ONLY, FILTERED, Kind};

/// What the collection is called.
const NAME: &str = "scenario";

/// The codes of an audit, one bit each.
const CODES: [(&str, i32); 4] = [("missing", 2), ("corrupt", 8), ("unreadable", 16), ("changed", 0)];

/// The bit of a change that is a finding.
const CHANGED: i32 = 4;

/// How an audit ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) outcome: String,
    pub(super) code: Option<i32>,
    /// Findings that were not there before.
    pub(super) new_findings: u64,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, exit code {}",
            self.outcome,
            self.code.map_or("none".to_owned(), |code| code.to_string())
        )?;
        if self.new_findings > 0 { write!(f, ", {} new findings", self.new_findings) } else { Ok(()) }
    }
}

pub(super) struct Hashlane {
    program: PathBuf,
    runner: Runner,
    /// Where what is known lies.
    known: PathBuf,
    root: PathBuf,
    /// What the last audit has said of the files that it mentioned.
    said: BTreeMap<String, String>,
    /// The same of all together.
    counts: BTreeMap<String, u64>,
    code: Option<i32>,
    began_s: i64,
}

impl Hashlane {
    pub(super) fn new(program: PathBuf, runner: Runner, known: PathBuf, root: &Path) -> Self {
        let (said, counts) = (BTreeMap::new(), BTreeMap::new());
        Self { program, runner, known, root: root.to_owned(), said, counts, code: None, began_s: 0 }
    }

    /// The exit code of the last audit.
    pub(super) fn code(&self) -> Option<i32> {
        self.code
    }

    fn catalogue(&self) -> PathBuf {
        self.known.join("catalog.sqlite")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.runner.command(&self.program);
        command.args(arguments).current_dir(&self.known).env("HASHLANE_CATALOG", self.catalogue());
        command.env("HASHLANE_CACHE", self.known.join("cache")).env("TMPDIR", &self.known);
        command
    }

    fn succeeds(&self, command: &mut Command) -> Result<()> {
        let output = command.output()?;
        ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }

    /// Registers the tree and reads it for the first time.
    pub(super) fn begin(&mut self) -> Result<()> {
        // What is done to the tree is not too much to be believed, and what chkbit knows lies in it.
        let arguments = ["collection", "add", "--living", "--hold-files", "1000", "--exclude", ".chkbit*"];
        let mut add = self.command(&arguments);
        self.succeeds(add.args(["--append-only", APPEND_ONLY, NAME]).arg(&self.root))?;
        self.audit()?;
        ensure!(self.code == Some(0), "the first audit ended with {:?}", self.code);
        Ok(())
    }

    /// Leaves files out from now on.
    pub(super) fn set_filter(&self) -> Result<()> {
        let arguments = ["collection", "set", NAME, "--exclude", ".chkbit*", "--exclude", FILTERED, "--yes"];
        self.succeeds(&mut self.command(&arguments))
    }

    /// Has audits held where more than a few files are missing.
    pub(super) fn be_careful(&self) -> Result<()> {
        let arguments = ["collection", "set", NAME, "--hold-files", "5", "--hold-percent", "1"];
        self.succeeds(&mut self.command(&arguments))
    }

    /// Drops what a held audit has held back.
    pub(super) fn discard(&self) -> Result<()> {
        self.succeeds(&mut self.command(&["audit", NAME, "--discard-held"]))
    }

    /// Audits all of it to its end.
    pub(super) fn audit(&mut self) -> Result<()> {
        let ended = self.ended()?;
        ensure!(ended.outcome == "complete", "the audit ended as {} with {:?}", ended.outcome, self.code);
        Ok(())
    }

    /// Audits all of it, and says how that ended.
    pub(super) fn ended(&mut self) -> Result<Ended> {
        self.began_s = jiff::Timestamp::now().as_second();
        let output = self.command(&["audit", "--verbose", "--format", "json", NAME]).output()?;
        self.code = output.status.code();
        self.said.clear();
        let text = String::from_utf8_lossy(&output.stdout);
        let mut ended = Ended { outcome: "without a word".to_owned(), code: self.code, new_findings: 0 };
        for line in text.lines() {
            let line: Value = serde_json::from_str(line).with_context(|| format!("no JSON: {line}"))?;
            let word = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
            ended.new_findings += u64::from(line["is_new"] == true);
            match line["type"].as_str() {
                // A finding comes after what was said of the file at first.
                Some("finding" | "file") => _ = self.said.insert(word("path"), word("verdict")),
                Some("audit") => {
                    ended.outcome = word("outcome");
                    let counts = line["verdicts"].as_object().context("no verdicts")?;
                    let counts =
                        counts.iter().filter_map(|(verdict, files)| Some((verdict.clone(), files.as_u64()?)));
                    self.counts = counts.collect();
                }
                _ => {}
            }
        }
        Ok(ended)
    }

    /// What the last audit says of a path.
    pub(super) fn verdict(&self, path: &[u8]) -> Result<String> {
        if let Some(said) = self.said.get(&*String::from_utf8_lossy(path)) {
            return Ok(said.clone());
        }
        let catalog = Writer::open(&self.catalogue())?;
        let collection = catalog.collection(NAME)?;
        let Some(item) = catalog.item_at(&collection, path)? else { return Ok("not known".to_owned()) };
        let last = catalog.last_reading(&collection, item.id)?;
        let events = catalog.events(item.id)?;
        Ok(match item.state {
            State::Ignored => "ignored".to_owned(),
            _ if events.last().is_some_and(|event| event.what == "moved-away") => "moved-away".to_owned(),
            // It was read in this audit, and nothing was to be said of it.
            State::Present if last.is_some_and(|(read_s, _)| read_s >= self.began_s) => "intact".to_owned(),
            state => format!("not told ({state:?})"),
        })
    }

    /// What else is not as it is to be: counts, the exit code, the catalogue itself.
    pub(super) fn problems(&self, kinds: &[&Kind]) -> Result<Vec<String>> {
        let mut problems = Vec::new();
        let expected: Vec<_> =
            kinds.iter().flat_map(|kind| kind.after).map(|(_, verdict)| *verdict).collect();
        let mut code = 0;
        for (verdict, bit) in CODES {
            let (counted, number) = (
                self.counts.get(verdict).copied().unwrap_or(0),
                expected.iter().filter(|word| **word == verdict).count(),
            );
            if counted != number as u64 {
                problems.push(format!("{counted} files are counted as {verdict}, and not {number}"));
            }
            code |= if number > 0 { bit } else { 0 };
        }
        // Edits are welcome where files live; what may only be appended to is held to that.
        let is_rewritten = |(path, verdict): &(&[u8], &str)| *verdict == "changed" && path.ends_with(b".log");
        if kinds.iter().flat_map(|kind| kind.after).any(is_rewritten) {
            code |= CHANGED;
        }
        if self.code != Some(code) {
            problems.push(format!("the exit code is {:?}, and not {code}", self.code));
        }
        let damage = Writer::open(&self.catalogue())?.verify(Thoroughness::Full)?;
        problems.extend(damage.into_iter().map(|problem| format!("the catalogue: {problem}")));
        Ok(problems)
    }
}
