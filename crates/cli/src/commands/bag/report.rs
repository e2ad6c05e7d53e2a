//! What is said of a bag: verdicts on its files, and what is wrong with itself.

use std::borrow::Cow;
use std::io::Write as _;

use hashlane_bag::{Finding, Findings, Hint, Verdict};
use hashlane_engine::{Halt, Taken};
use hashlane_report::text;
use serde_json::{Map, Value, json};

use crate::args::{BagValidateArgs, ReportFormat};
use crate::output::Output;
use crate::report::{digests_json, insert_name, push_name};
use crate::status::Status;
use crate::terminal::screen::Screen;

/// Their names, as programs get them.
pub(crate) fn verdict_names() -> impl Iterator<Item = &'static str> {
    Verdict::ALL.into_iter().map(Verdict::name)
}

/// Prints and counts.
#[derive(Debug)]
pub(super) struct Report {
    output: Output,
    screen: Screen,
    format: ReportFormat,
    silent: bool,
    quiet: bool,
    verbose: bool,
    fail_fast: bool,
    counts: [u64; Verdict::ALL.len()],
    pub(super) status: Status,
    /// Nothing more is wanted, for the first error.
    pub(super) stopped: bool,
}

/// What a verdict means for the exit code.
fn status(verdict: Verdict) -> Status {
    verdict.judged().map_or(Status::OK, Status::of)
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "OK",
        Verdict::Present => "PRESENT, NOT VERIFIED",
        Verdict::Mismatch => "FAILED",
        Verdict::Collision => "COLLISION (one digest is as listed, another is not)",
        Verdict::Missing => "MISSING",
        Verdict::Extra => "EXTRA",
        Verdict::Unreadable => "UNREADABLE",
        Verdict::Unstable => "FAILED (changed while it was read)",
        Verdict::Invalid => "INVALID",
        Verdict::Warning => "WARNING",
    }
}

/// Why, with what may be added.
fn reason<'a>(line: &Finding<'a>) -> Option<Cow<'a, str>> {
    let why = line.why?;
    Some(match line.hint {
        Some(Hint::KnownAlgorithms) => {
            format!("{why}; `hashlane --version` lists the known algorithms").into()
        }
        _ => why.into(),
    })
}

impl Findings for Report {
    fn take(&mut self, line: &Finding<'_>) -> Taken {
        if self.stopped {
            return Err(Halt::Enough);
        }
        self.counts[line.verdict as usize] += 1;
        self.status |= status(line.verdict);
        let is_fine = matches!(line.verdict, Verdict::Ok | Verdict::Present);
        self.stopped |= self.fail_fast && status(line.verdict) != Status::OK;
        match self.format {
            _ if self.silent || (self.quiet && is_fine) => {}
            // What is no error stands beside the results and not among them.
            ReportFormat::Text if line.verdict == Verdict::Warning => {
                let why = reason(line).unwrap_or_default();
                self.screen.message(&format!("{}: warning: {why}", text::name(line.path)));
            }
            ReportFormat::Text => self.output.take(&self.text(line))?,
            ReportFormat::Json => self.output.take(&json_line(line))?,
        }
        if self.stopped { Err(Halt::Enough) } else { Ok(()) }
    }
}

impl Report {
    pub(super) fn new(args: &BagValidateArgs, output: Output, screen: Screen) -> Self {
        Self {
            output,
            screen,
            format: args.format,
            silent: args.status,
            quiet: args.quiet,
            verbose: args.verbose,
            fail_fast: args.fail_fast,
            counts: [0; Verdict::ALL.len()],
            status: Status::OK,
            stopped: false,
        }
    }

    /// Adds a line without digests to what was found. That it was the first error, and no more are wanted, shows in the report.
    pub(super) fn add(&mut self, path: &[u8], verdict: Verdict, why: &str) -> anyhow::Result<()> {
        let taken = self.take(&Finding::new(path, verdict, Some(why)));
        Ok(taken.or_else(Halt::into_result)?)
    }

    pub(super) fn count(&self, verdict: Verdict) -> u64 {
        self.counts[verdict as usize]
    }

    /// The counters in words: `12 OK, 1 missing`.
    pub(super) fn counted(&self) -> String {
        let counted = Verdict::ALL.iter().zip(self.counts).filter(|(_, count)| *count > 0);
        let words = counted.map(|(verdict, count)| match verdict {
            Verdict::Ok => format!("{} OK", text::count(count)),
            Verdict::Present => format!("{} present", text::count(count)),
            Verdict::Warning => text::counted(count, "warning"),
            verdict => format!("{} {}", text::count(count), verdict.name()),
        });
        words.collect::<Vec<_>>().join(", ")
    }

    /// Ends the output with what the whole amounts to. That of a run that was stopped stays under its partial
    /// name.
    pub(super) fn finish(mut self, screen: &Screen, conclusion: Option<&Value>) -> anyhow::Result<()> {
        if let (ReportFormat::Json, false, Some(conclusion)) = (self.format, self.silent, conclusion) {
            let counts: Map<String, Value> = Verdict::ALL
                .iter()
                .zip(self.counts)
                .map(|(verdict, count)| (verdict.name().into(), count.into()))
                .collect();
            let line = json!({
                "schema": "hashlane-bag", "version": 1, "summary": counts, "conclusion": conclusion,
            });
            writeln!(self.output, "{line}").map_err(|error| self.output.place().failed(&error))?;
        }
        if conclusion.is_some() { self.output.finish() } else { self.output.leave(screen) }
    }

    fn text(&self, line: &Finding<'_>) -> Vec<u8> {
        let mut text = Vec::new();
        push_name(&mut text, line.path);
        text.extend(b": ");
        let why = reason(line);
        // How it changed says that it did.
        let word = match &why {
            Some(_) if line.verdict == Verdict::Unstable => "FAILED",
            _ => word(line.verdict),
        };
        text.extend(word.bytes());
        if let Some(why) = why {
            text.extend(format!(" ({why})").bytes());
        }
        text.push(b'\n');
        if self.verbose && matches!(line.verdict, Verdict::Mismatch | Verdict::Collision) {
            for (expected, computed) in line.expected.iter().zip(line.computed) {
                if expected != computed {
                    let algorithm = expected.algorithm();
                    text.extend(format!("    {algorithm} listed   {expected}\n").bytes());
                    text.extend(format!("    {algorithm} computed {computed}\n").bytes());
                }
            }
        }
        text
    }
}

fn json_line(line: &Finding<'_>) -> Vec<u8> {
    let mut object = Map::new();
    object.insert("schema".into(), "hashlane-bag".into());
    object.insert("version".into(), 1.into());
    insert_name(&mut object, "path", line.path);
    object.insert("verdict".into(), line.verdict.name().into());
    if !line.expected.is_empty() {
        object.insert("expected".into(), digests_json(line.expected).into());
        object.insert("computed".into(), digests_json(line.computed).into());
    }
    if let Some(why) = reason(line) {
        object.insert("problem".into(), why.into_owned().into());
    }
    let mut text = Value::Object(object).to_string().into_bytes();
    text.push(b'\n');
    text
}
