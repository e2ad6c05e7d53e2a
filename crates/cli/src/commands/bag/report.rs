//! What is said of a bag: verdicts on its files, and what is wrong with itself.

use std::io::Write as _;

use hashlane_bag::{BagFinding, Findings, Verdict};
use hashlane_engine::{Halt, Taken};
use hashlane_report::files::{BagConclusion, BagTally, bag_json, bag_line, bag_reason};
use hashlane_report::text;

use crate::args::{BagValidateArgs, ReportFormat};
use crate::output::Output;
use crate::status::Status;
use crate::terminal::screen::Screen;

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
    pub(super) tally: BagTally,
    pub(super) status: Status,
    /// Nothing more is wanted, for the first error.
    pub(super) stopped: bool,
}

/// What a verdict means for the exit code.
fn status(verdict: Verdict) -> Status {
    verdict.judged().map_or(Status::OK, Status::of)
}

impl Findings for Report {
    fn take(&mut self, line: &BagFinding<'_>) -> Taken {
        if self.stopped {
            return Err(Halt::Enough);
        }
        self.tally.take(line.verdict);
        self.status |= status(line.verdict);
        let is_fine = matches!(line.verdict, Verdict::Ok | Verdict::Present);
        self.stopped |= self.fail_fast && status(line.verdict) != Status::OK;
        let reason = bag_reason(line, "`hashlane --version`");
        let reason = reason.as_deref();
        match self.format {
            _ if self.silent || (self.quiet && is_fine) => {}
            // What is not an error stands beside the results and not among them.
            ReportFormat::Text if line.verdict == Verdict::Warning => {
                let why = reason.unwrap_or_default();
                self.screen.message(&format!("{}: warning: {why}", text::name(line.path)));
            }
            ReportFormat::Text => self.output.take(&bag_line(line, reason, self.verbose))?,
            ReportFormat::Json => self.output.take(&bag_json(line, reason))?,
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
            tally: BagTally::default(),
            status: Status::OK,
            stopped: false,
        }
    }

    /// Adds a line without digests to what was found. That it was the first error, and no more are wanted, shows in the report.
    pub(super) fn add(&mut self, path: &[u8], verdict: Verdict, why: &str) -> anyhow::Result<()> {
        let taken = self.take(&BagFinding::new(path, verdict, Some(why)));
        Ok(taken.or_else(Halt::into_result)?)
    }

    /// Ends the output with what the whole amounts to. That of a run that was stopped stays under its partial
    /// name.
    pub(super) fn finish(mut self, screen: &Screen, conclusion: Option<BagConclusion>) -> anyhow::Result<()> {
        let Some(conclusion) = conclusion else { return self.output.leave(screen) };
        if self.format == ReportFormat::Json && !self.silent {
            let written = writeln!(self.output, "{}", self.tally.json(conclusion));
            written.map_err(|error| self.output.place().failed(&error))?;
        }
        self.output.finish()
    }
}
