//! Differences as lines: for people, for programs, and for rsync.

use hashlane_audit::diff::{Counts, Difference, Pair};
use hashlane_engine::Taken;
use hashlane_report::{
    DifferenceWords, difference_json, difference_name, difference_rsync, difference_text, differences_json,
    text,
};
use hashlane_verify::normalization::{Unmatched, form};

use crate::args::{DiffArgs, DiffFormat};
use crate::output::Output;
use crate::status::Status;
use crate::terminal::screen::Screen;

/// What is said of a name that a tree lacks, and may have nevertheless.
const OTHERWISE: &str = " (not a file, or behind a symbolic link (see --follow) or an unreadable directory)";

/// Prints differences.
pub(crate) struct Report<'a> {
    pub(crate) args: &'a DiffArgs,
    /// Whether A and B are trees.
    pub(crate) are_trees: [bool; 2],
    pub(crate) output: Output,
    screen: Screen,
    /// What all differences so far mean for the exit code.
    pub(crate) status: Status,
    unmatched: Unmatched<Difference>,
}

impl<'a> Report<'a> {
    /// `status`: what the lists mean for the exit code.
    pub(crate) fn new(
        args: &'a DiffArgs,
        are_trees: [bool; 2],
        output: Output,
        screen: &Screen,
        status: Status,
    ) -> Self {
        Self { args, are_trees, output, screen: screen.clone(), status, unmatched: Unmatched::default() }
    }

    /// Prints a difference, which may be another than the pair itself knows.
    pub(crate) fn pair(&mut self, pair: &Pair<'_>, difference: Difference) -> Taken {
        if matches!(difference, Difference::Same | Difference::Excluded) {
            return Ok(());
        }
        self.status |= Status::of(difference.verdict());
        if self.args.status {
            return Ok(());
        }
        if matches!(difference, Difference::New | Difference::Missing) {
            self.unmatched(pair.path(), difference);
        }
        let end = if self.args.zero { 0 } else { b'\n' };
        let line = match self.args.format {
            DiffFormat::Text => {
                let words = DifferenceWords { end, details: self.args.verbose, otherwise: OTHERWISE };
                difference_text(pair, difference, words)
            }
            DiffFormat::Json => format!("{}\n", difference_json(pair, difference)).into_bytes(),
            DiffFormat::Rsync => difference_rsync(pair, difference, end),
            DiffFormat::Names => difference_name(pair, difference, end).unwrap_or_else(|| {
                self.screen.message(&format!(
                    "{}: cannot be written as a line; use --zero, and rsync -0",
                    text::name(pair.path())
                ));
                self.status |= Status::UNREADABLE;
                Vec::new()
            }),
        };
        self.output.take(&line)
    }

    /// Says of a name that one side has alone if the other has it in another Unicode normalization.
    fn unmatched(&mut self, name: &[u8], difference: Difference) {
        let Some(other) = self.unmatched.add(name, difference) else { return };
        let (this, that) = if difference == Difference::New { ("B", "A") } else { ("A", "B") };
        self.screen.message(&format!(
            "{}: {this} has that name in {}, and {that} has it in {}; to the file system these are two names",
            text::name(name),
            form(name),
            form(&other)
        ));
    }

    /// Ends the output; with the counts, if anything was compared.
    pub(crate) fn finish(mut self, counts: Option<(&Counts, bool)>, screen: &Screen) -> anyhow::Result<()> {
        let Some((counts, same)) = counts else { return self.output.withdraw(screen) };
        if self.args.format == DiffFormat::Json && !self.args.status {
            self.output.line(&differences_json(counts, same))?;
        }
        self.output.finish()
    }
}
