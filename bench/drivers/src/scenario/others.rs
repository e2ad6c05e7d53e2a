//! What other programs say of the same tree: each is begun before the changes, and asked after them, as its manual has it.
//!
//! Owns how each is found, run and read. Programs that are not here are left out, and that is said.

use std::cell::Cell;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail, ensure};
use xtask::cargo::find_command;

use super::{Options, Runner};
use crate::peers::machine::version;

/// Within how many seconds each has to answer.
const MOST_SECONDS: &str = "120";

/// How the exit code of `timeout` says that time was over.
const TIMED_OUT: i32 = 124;

/// Another program that looks at a tree.
pub(super) struct Other {
    tool: Tool,
    program: PathBuf,
    runner: Runner,
    /// Where what it knows lies.
    known: PathBuf,
    root: PathBuf,
    /// What it printed: its answers, and its errors.
    answers: Vec<u8>,
    errors: Vec<u8>,
    /// How often it said nothing where something was to be said.
    missed: Cell<u64>,
    /// How many files were damaged without a trace in their times, and of how many it says that they are damaged.
    damaged: Cell<(u64, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    Hashdeep,
    Aide,
    Chkbit,
}

impl Tool {
    const ALL: [Self; 3] = [Self::Hashdeep, Self::Aide, Self::Chkbit];

    fn name(self) -> &'static str {
        match self {
            Self::Hashdeep => "hashdeep -a",
            Self::Aide => "AIDE",
            Self::Chkbit => "chkbit",
        }
    }

    /// The command that it is found by, how it says its version, and where it comes from.
    fn found_by(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Hashdeep => ("hashdeep", "-V", "package hashdeep"),
            Self::Aide => ("aide", "--version", "package aide"),
            Self::Chkbit => ("chkbit", "version", "go install github.com/laktak/chkbit/v6/cmd/chkbit@latest"),
        }
    }
}

impl Other {
    /// All that are here.
    pub(super) fn all(options: &Options, runner: &Runner, known: &Path, root: &Path) -> Vec<Self> {
        let mut others = Vec::new();
        for tool in Tool::ALL {
            let named = match tool {
                Tool::Hashdeep => &options.hashdeep,
                Tool::Aide => &options.aide,
                Tool::Chkbit => &options.chkbit,
            };
            let (command, asked, source) = tool.found_by();
            let named = named.as_ref().and_then(|named| named.canonicalize().ok());
            let Some(program) = named.or_else(|| find_command(command)) else {
                println!("SKIPPED: {}: it is not here ({source})", tool.name());
                continue;
            };
            println!("{}: {}", tool.name(), version(&program, asked).unwrap_or_default());
            others.push(Self {
                tool,
                program,
                runner: runner.clone(),
                known: known.to_owned(),
                root: root.to_owned(),
                answers: Vec::new(),
                errors: Vec::new(),
                missed: Cell::new(0),
                damaged: Cell::new((0, 0)),
            });
        }
        others
    }

    pub(super) fn name(&self) -> &'static str {
        self.tool.name()
    }

    pub(super) fn summary(&self) -> String {
        let (name, missed, (damaged, told)) = (self.name(), self.missed.get(), self.damaged.get());
        format!(
            "{name}: {missed} missed of what has to be told; {told} of {damaged} damaged files are said to be damaged"
        )
    }

    /// Ends it where it does not by itself.
    fn command(&self) -> Result<Command> {
        let as_whom = self.runner.command(&self.program);
        let mut command = Command::new("timeout");
        command.arg(MOST_SECONDS).arg(as_whom.get_program()).args(as_whom.get_args());
        command.current_dir(self.root.parent().context("the tree lies somewhere")?);
        Ok(command)
    }

    fn list(&self) -> PathBuf {
        self.known.join("hashdeep.txt")
    }

    fn settings(&self) -> PathBuf {
        self.known.join("aide.conf")
    }

    /// Has it learn what is there.
    pub(super) fn begin(&mut self) -> Result<()> {
        let root = self.root.clone();
        match self.tool {
            Tool::Hashdeep => {
                let output = self.command()?.args(["-r", "-l", "-c", "sha256", "tree"]).output()?;
                succeeded(&output)?;
                fs::write(self.list(), output.stdout)?;
            }
            Tool::Aide => {
                let database = self.known.join("aide.db");
                let (database, root) = (database.display(), root.display());
                let settings = format!(
                    "database_in=file:{database}\ndatabase_out=file:{database}\ngzip_dbout=no\nreport_url=stdout\n\
                     All=p+u+g+s+m+c+i+n+ftype+sha256\n!{root}/\\.chkbit\n{root} All\n"
                );
                fs::write(self.settings(), settings)?;
                succeeded(&self.command()?.arg("--config").arg(self.settings()).arg("--init").output()?)?;
            }
            Tool::Chkbit => {
                let begun = self.command()?.args(["init", "atom"]).arg(&root).output()?;
                if !begun.status.success() {
                    bail!("it is not version 6, or cannot begin");
                }
                succeeded(&self.command()?.args(["update", "--plain"]).arg(&root).output()?)?;
            }
        }
        Ok(())
    }

    /// Asks what has become of it. That it finds something is in its exit code, too.
    pub(super) fn check(&mut self) -> Result<()> {
        let mut command = self.command()?;
        match self.tool {
            // Without `-o f` it waits for ever for who writes to a FIFO.
            Tool::Hashdeep => {
                command.args(["-r", "-l", "-o", "f", "-a", "-vvv", "-k"]).arg(self.list()).arg("tree")
            }
            Tool::Aide => command.arg("--config").arg(self.settings()).arg("--check"),
            Tool::Chkbit => command.args(["check", "--plain", "--log-deleted"]).arg(&self.root),
        };
        let output = command.output()?;
        if output.status.code() == Some(TIMED_OUT) {
            println!("{}: stopped after {MOST_SECONDS} s", self.name());
        }
        self.answers = [b"\n", &output.stdout[..]].concat();
        self.errors = output.stderr;
        Ok(())
    }

    /// What it says of a path that is to get this verdict.
    pub(super) fn said(&self, path: &[u8], expected: &str) -> String {
        let is_alarming = matches!(expected, "corrupt" | "missing" | "changed" | "unreadable");
        let said = match self.tool {
            Tool::Hashdeep => self.of_hashdeep(path),
            Tool::Aide => self.of_aide(path),
            Tool::Chkbit => self.of_chkbit(path),
        };
        if expected == "corrupt" {
            let (damaged, told) = self.damaged.get();
            self.damaged.set((damaged + 1, told + u64::from(said.as_deref() == Some("damaged"))));
        }
        match said {
            Some(said) => said,
            None if contains(&self.errors, path) => "an error".to_owned(),
            None if is_alarming => {
                self.missed.set(self.missed.get() + 1);
                "missed".to_owned()
            }
            None => "–".to_owned(),
        }
    }

    fn of_hashdeep(&self, path: &[u8]) -> Option<String> {
        let says = |what: &str| contains(&self.answers, &[b"\ntree/", path, b": ", what.as_bytes()].concat());
        let (other, unused, moved) = (says("No match"), says("Known file not used"), says("Moved from"));
        let said = match (other, unused, moved) {
            (true, true, _) => "changed",
            (true, false, _) => "new",
            (_, _, true) => "moved",
            (false, true, _) => "missing",
            _ => return None,
        };
        Some(said.to_owned())
    }

    fn of_aide(&self, path: &[u8]) -> Option<String> {
        // It writes control characters in octal digits.
        let escaped = |byte: &u8| match byte {
            0..0x20 | 0x7f => format!("\\{byte:03o}").into_bytes(),
            byte => vec![*byte],
        };
        let path: Vec<u8> = path.iter().flat_map(escaped).collect();
        let end = [b": ", self.root.as_os_str().as_bytes(), b"/", &path].concat();
        let line = self.answers.split(|byte| *byte == b'\n').find(|line| line.ends_with(&end))?;
        let flags = String::from_utf8_lossy(&line[..line.len() - end.len()]).trim_end().to_owned();
        let said = match () {
            () if flags.contains("+++") => "added",
            () if flags.contains("---") => "removed",
            () if !flags.starts_with('f') => "changed: type",
            () if flags.contains('H') => "changed: content",
            // A property that was there, and is no more.
            () if flags.ends_with('-') => "changed: no content",
            () => "changed: attributes",
        };
        Some(format!("{said} `{flags}`"))
    }

    fn of_chkbit(&self, path: &[u8]) -> Option<String> {
        let words = [
            ("DMG", "damaged"),
            ("upd", "updated"),
            ("old", "older"),
            ("new", "new"),
            ("del", "deleted"),
            ("EXC", "an error"),
        ];
        let says = |word: &str| {
            let line = [word.as_bytes(), b" ", path].concat();
            // Behind the name it cleans the line of a terminal, whether there is one or not.
            contains(&self.answers, &[&line[..], b"\x1b"].concat())
                || contains(&self.answers, &[&line[..], b"\n"].concat())
        };
        words.into_iter().find(|(word, _)| says(word)).map(|(_, said)| said.to_owned())
    }
}

fn succeeded(output: &Output) -> Result<()> {
    ensure!(
        output.status.success(),
        "it ended with {}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

fn contains(text: &[u8], what: &[u8]) -> bool {
    text.windows(what.len()).any(|window| window == what)
}
