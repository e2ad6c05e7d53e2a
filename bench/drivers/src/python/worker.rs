//! The process of Python that is timed: it is asked by lines of JSON, and answers by lines of JSON.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::json;

/// What it runs.
const PROGRAM: &str = include_str!("worker.py");

/// A process of Python.
pub(super) struct Worker {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// What it says.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    seconds: Option<f64>,
    pub(super) proof: Option<String>,
}

impl Answer {
    pub(super) fn seconds(&self) -> Result<f64> {
        self.seconds.context("the worker has not told the time")
    }

    pub(super) fn proof(self) -> Result<String> {
        self.proof.context("the worker has no proof")
    }
}

impl Worker {
    /// Starts it in a directory, where Spark keeps what it writes.
    pub(super) fn start(python: &Path, directory: &Path) -> Result<Self> {
        let mut command = Command::new(python);
        command.args(["-c", PROGRAM]).current_dir(directory);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().with_context(|| format!("cannot run {}", python.display()))?;
        let questions = process.stdin.take().context("no input")?;
        let answers = BufReader::new(process.stdout.take().context("no output")?);
        Ok(Self { process, questions, answers })
    }

    /// Has something done, to a tree if one is named.
    pub(super) fn ask(&mut self, what: &str, tree: Option<&Path>) -> Result<Answer> {
        let mut question = json!({ "do": what });
        if let Some(tree) = tree {
            question["path"] = tree.to_str().context("the path of a tree is not text")?.into();
        }
        writeln!(self.questions, "{question}")?;
        let mut answer = String::new();
        if self.answers.read_line(&mut answer)? == 0 {
            bail!("{what}: the worker has ended with {}", self.process.wait()?);
        }
        serde_json::from_str(&answer).with_context(|| format!("{what}: the worker said {answer:?}"))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Spark ends with it, however it ends.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
