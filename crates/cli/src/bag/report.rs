//! What is said of a bag: verdicts on its files, and what is wrong with itself.

use std::io::{self, Write as _};
use std::ops::ControlFlow;

use hashlane_audit::Verdict as Judged;
use hashlane_digest::Digest;
use serde_json::{Map, Value, json};

use crate::args::{BagValidateArgs, ReportFormat};
use crate::output::Output;
use crate::report::{digests_json, insert_name, push_name};
use crate::screen::Screen;
use crate::status::Status;
use crate::text;

/// The judgement on a file, or on what a tag file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Ok,
    /// There, and not read: of a quick check.
    Present,
    Mismatch,
    /// One digest is as listed, another is not.
    Collision,
    Missing,
    Extra,
    Unreadable,
    Unstable,
    /// Not as the specification demands.
    Invalid,
    /// As it may be, and worth a word.
    Warning,
}

const VERDICTS: [Verdict; 10] = [
    Verdict::Ok,
    Verdict::Present,
    Verdict::Mismatch,
    Verdict::Collision,
    Verdict::Missing,
    Verdict::Extra,
    Verdict::Unreadable,
    Verdict::Unstable,
    Verdict::Invalid,
    Verdict::Warning,
];

/// Their names, as programs get them.
pub(crate) fn verdict_names() -> impl Iterator<Item = &'static str> {
    VERDICTS.into_iter().map(Verdict::name)
}

/// What is to be said.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    pub(super) path: &'a [u8],
    pub(super) verdict: Verdict,
    pub(super) why: Option<&'a str>,
    pub(super) expected: &'a [Digest],
    pub(super) computed: &'a [Digest],
}

impl<'a> Line<'a> {
    pub(super) fn new(path: &'a [u8], verdict: Verdict, why: Option<&'a str>) -> Self {
        Self { path, verdict, why, expected: &[], computed: &[] }
    }
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
    counts: [u64; VERDICTS.len()],
    pub(super) status: Status,
    /// Nothing more is wanted: for the first error, or because the output takes no more.
    pub(super) stopped: bool,
    broken: Option<io::Error>,
}

impl Verdict {
    /// That of a content that was read.
    pub(super) fn of_content(verdict: Judged) -> Self {
        match verdict {
            Judged::Ok => Self::Ok,
            Judged::Collision => Self::Collision,
            _ => Self::Mismatch,
        }
    }

    fn status(self) -> Status {
        match self {
            Self::Ok | Self::Present | Self::Warning => Status::OK,
            Self::Mismatch | Self::Collision => Status::MISMATCH,
            Self::Missing => Status::MISSING,
            Self::Extra => Status::EXTRA,
            Self::Unreadable | Self::Unstable | Self::Invalid => Status::UNREADABLE,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Present => "present",
            Self::Mismatch => "mismatch",
            Self::Collision => "collision",
            Self::Missing => "missing",
            Self::Extra => "extra",
            Self::Unreadable => "unreadable",
            Self::Unstable => "unstable",
            Self::Invalid => "invalid",
            Self::Warning => "warning",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Present => "PRESENT, NOT VERIFIED",
            Self::Mismatch => "FAILED",
            Self::Collision => "COLLISION (one digest is as listed, another is not)",
            Self::Missing => "MISSING",
            Self::Extra => "EXTRA",
            Self::Unreadable => "UNREADABLE",
            Self::Unstable => "FAILED (changed while it was read)",
            Self::Invalid => "INVALID",
            Self::Warning => "WARNING",
        }
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
            counts: [0; VERDICTS.len()],
            status: Status::OK,
            stopped: false,
            broken: None,
        }
    }

    /// Says something and counts it. `Break` when nothing more is wanted.
    pub(super) fn line(&mut self, line: &Line<'_>) -> ControlFlow<()> {
        if self.stopped {
            return ControlFlow::Break(());
        }
        self.counts[line.verdict as usize] += 1;
        self.status |= line.verdict.status();
        let is_fine = matches!(line.verdict, Verdict::Ok | Verdict::Present);
        self.stopped |= self.fail_fast && line.verdict.status() != Status::OK;
        let written = match self.format {
            _ if self.silent || (self.quiet && is_fine) => Ok(()),
            // What is no error stands beside the results and not among them.
            ReportFormat::Text if line.verdict == Verdict::Warning => {
                let why = line.why.unwrap_or_default();
                self.screen.message(&format!("{}: warning: {why}", text::name(line.path)));
                Ok(())
            }
            ReportFormat::Text => self.output.write_all(&self.text(line)),
            ReportFormat::Json => self.output.write_all(&json_line(line)),
        };
        if let Err(error) = written {
            self.broken = Some(error);
            self.stopped = true;
        }
        if self.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// A line without digests.
    pub(super) fn say(&mut self, path: &[u8], verdict: Verdict, why: impl AsRef<str>) {
        // Whoever finds more looks at `stopped`.
        let _ = self.line(&Line::new(path, verdict, Some(why.as_ref())));
    }

    pub(super) fn count(&self, verdict: Verdict) -> u64 {
        self.counts[verdict as usize]
    }

    /// The counters in words: `12 OK, 1 missing`.
    pub(super) fn counted(&self) -> String {
        let counted = VERDICTS.iter().zip(self.counts).filter(|(_, count)| *count > 0);
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
        if let Some(error) = self.broken {
            return Err(self.output.place().failed(&error));
        }
        if let (ReportFormat::Json, false, Some(conclusion)) = (self.format, self.silent, conclusion) {
            let counts: Map<String, Value> = VERDICTS
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

    fn text(&self, line: &Line<'_>) -> Vec<u8> {
        let mut text = Vec::new();
        push_name(&mut text, line.path);
        text.extend(b": ");
        text.extend(line.verdict.word().bytes());
        if let Some(why) = line.why {
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

fn json_line(line: &Line<'_>) -> Vec<u8> {
    let mut object = Map::new();
    object.insert("schema".into(), "hashlane-bag".into());
    object.insert("version".into(), 1.into());
    insert_name(&mut object, "path", line.path);
    object.insert("verdict".into(), line.verdict.name().into());
    if !line.expected.is_empty() {
        object.insert("expected".into(), digests_json(line.expected).into());
        object.insert("computed".into(), digests_json(line.computed).into());
    }
    if let Some(why) = line.why {
        object.insert("problem".into(), why.into());
    }
    let mut text = Value::Object(object).to_string().into_bytes();
    text.push(b'\n');
    text
}
