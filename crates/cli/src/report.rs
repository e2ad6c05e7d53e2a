//! The verdicts of a check as lines: as coreutils prints them, or as JSON.

use std::io::Write as _;

use hashlane_engine::Taken;
use hashlane_report::files::{CheckLine, CheckTally};
use hashlane_report::text;

use crate::args::{CheckArgs, ReportFormat};
use crate::output::Output;
use crate::status::is_fine;
use crate::terminal::screen::Screen;

/// Prints and counts verdicts.
#[derive(Debug)]
pub(crate) struct Report {
    output: Output,
    screen: Screen,
    format: ReportFormat,
    silent: bool,
    quiet: bool,
    verbose: bool,
    /// What the lines come to.
    pub(crate) tally: CheckTally,
}

impl Report {
    pub(crate) fn new(args: &CheckArgs, output: Output, screen: Screen) -> Self {
        let CheckArgs { format, status: silent, quiet, verbose, .. } = *args;
        Self { output, screen, format, silent, quiet, verbose: verbose > 0, tally: CheckTally::default() }
    }

    /// Prints and counts a verdict.
    pub(crate) fn line(&mut self, line: &CheckLine<'_>) -> Taken {
        self.tally.take(line);
        if let Some(problem) = line.problem {
            self.screen.message(&format!("{}: {problem}", text::name(line.path.as_bytes())));
        }
        if self.silent || (self.quiet && is_fine(line.verdict)) {
            return Ok(());
        }
        let text = match self.format {
            ReportFormat::Text => line.text(self.verbose),
            ReportFormat::Json => line.json(),
        };
        self.output.take(&text)
    }

    /// Ends the output of a run that failed.
    pub(crate) fn leave(self, screen: &Screen) -> anyhow::Result<()> {
        self.output.leave(screen)
    }

    /// Ends the output. That of a run that was stopped stays under its partial name; an interrupted one sums up nothing.
    pub(crate) fn finish(mut self, screen: &Screen, interrupted: bool, stopped: bool) -> anyhow::Result<()> {
        if self.format == ReportFormat::Json && !self.silent && !interrupted {
            let written = writeln!(self.output, "{}", self.tally.json());
            written.map_err(|error| self.output.place().failed(&error))?;
        }
        if interrupted || stopped { self.output.leave(screen) } else { self.output.finish() }
    }
}
