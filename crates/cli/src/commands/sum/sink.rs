//! Where the records of a sum go: lines of a manifest, or of what each file matches.

use std::io::{self, Write as _};

use hashlane_digest::Algorithm;
use hashlane_engine::{Sink, Stop, Taken};
use hashlane_keeper::is_object;
use hashlane_manifest::{Error, Format, Header, WriteOptions};
use hashlane_record::{Cause, Obstacle, Operation, Outcome, Record};
use hashlane_report::files::LeftOut;
use hashlane_report::text;
use hashlane_verify::Inputs;

use crate::args::SumArgs;
use crate::commands::known::{Matching, Verdict};
use crate::hints::{OLDER_VERSIONS, impossible_name};
use crate::manifests;
use crate::new_list::{self, NewList, options, start_in};
use crate::output::{Output, shown};
use crate::status::{Status, halt};
use crate::terminal::screen::Screen;

/// Writes records as lines.
pub(super) struct LineSink<'a> {
    args: &'a SumArgs,
    lines: Lines,
    /// Where the names of what is listed go besides.
    names: Option<Output>,
    screen: Screen,
    /// What to say of a directory where a file is expected.
    directory_hint: &'static str,
    status: Status,
    /// What contents are looked up in.
    matching: Option<Matching>,
    /// How many digests go into a line: those behind are for looking up.
    shown_digests: usize,
    /// Some file was read and is listed.
    has_read: bool,
    left_out: LeftOut,
}

/// What lines are written.
enum Lines {
    Manifest(Box<NewList>),
    Matches(Output),
    /// Names alone.
    Names(Output),
}

impl Lines {
    /// Ends them, as complete ones or as the part that they are.
    fn end(self, is_complete: bool) -> anyhow::Result<Output> {
        match self {
            Self::Manifest(list) => new_list::end(*list, is_complete),
            Self::Matches(output) | Self::Names(output) => Ok(output),
        }
    }
}

impl<'a> LineSink<'a> {
    pub(super) fn new(
        format: Format,
        shown: &[Algorithm],
        args: &'a SumArgs,
        (inputs, header): (&Inputs, Option<Header>),
        matching: Option<Matching>,
        (output, names): (Output, Option<Output>),
        screen: &Screen,
    ) -> anyhow::Result<Self> {
        let lines = match args.matching.show_matched_by {
            _ if args.files0_out.is_some() && names.is_none() => Lines::Names(output),
            true => Lines::Matches(output),
            false => {
                let pieces = super::division(args, format);
                let options = WriteOptions { pieces, ..options(&args.format, header) };
                Lines::Manifest(Box::new(start_in(output, format, shown, &options, manifests::told)?))
            }
        };
        let directory_hint = match inputs {
            Inputs::List(_) => "a list names files; name the directory as a PATH",
            Inputs::Paths(_) => "leave out --no-recursive",
        };
        Ok(Self {
            args,
            lines,
            names,
            screen: screen.clone(),
            directory_hint,
            status: matching.as_ref().map_or(Status::OK, |matching| matching.status),
            matching,
            shown_digests: shown.len(),
            has_read: false,
            left_out: LeftOut::default(),
        })
    }

    /// Adds names that were asked for and could not be looked for.
    pub(super) fn refused(&mut self, names: u64) {
        self.left_out.files += names;
        if names > 0 {
            self.status |= Status::UNREADABLE;
        }
    }

    /// Takes note of what has no digest in the output.
    fn leave_out(&mut self, record: &Record) {
        match record.outcome {
            Outcome::Failed(failure) if failure.operation == Operation::List => {
                self.left_out.directories += 1
            }
            _ => self.left_out.files += 1,
        }
    }

    /// Ends the outputs of a run that failed.
    pub(super) fn leave(self, screen: &Screen) -> anyhow::Result<()> {
        self.lines.end(false).into_iter().chain(self.names).try_for_each(|output| output.leave(screen))
    }

    /// Completes the output, or says what has become of it. Gives back what contents were looked up in.
    pub(super) fn finish(
        self,
        screen: &Screen,
        stopped: Option<Stop>,
    ) -> (Status, Option<Matching>, anyhow::Result<()>) {
        let Self { args, lines, names, status, matching, .. } = self;
        let is_withdrawn = stopped.is_none() && status != Status::OK && !self.has_read;
        let end = |output: Output| match stopped {
            Some(_) => output.leave(screen),
            None if is_withdrawn => output.withdraw(screen),
            None => output.finish(),
        };
        let done = lines.end(stopped.is_none()).and_then(end).and_then(|()| names.map_or(Ok(()), end));
        let incomplete =
            args.output.as_deref().filter(|_| stopped.is_none() && !is_withdrawn && done.is_ok());
        screen.messages(incomplete.and_then(|output| self.left_out.line(&shown(output))));
        (status, matching, done)
    }

    /// Says what went wrong with a file.
    fn report(&mut self, record: &Record) {
        // Only where there is something to say: a name is not written out for each of a million files that were read.
        let Some(problem) = record.outcome.problem() else { return };
        self.status |= Status::UNREADABLE;
        let impossible;
        let hint = match record.outcome {
            Outcome::Failed(failure) => {
                impossible = impossible_name(record.path.as_bytes(), &failure);
                match failure.io_error().kind() {
                    _ if failure.cause == Cause::Obstacle(Obstacle::Deleted) && !self.args.versions => {
                        OLDER_VERSIONS
                    }
                    io::ErrorKind::IsADirectory if failure.operation == Operation::Open => {
                        self.directory_hint
                    }
                    io::ErrorKind::ResourceBusy if failure.operation == Operation::Open => {
                        "a pipe or terminal is read only once, under the first of its names"
                    }
                    io::ErrorKind::NotFound
                        if matches!(failure.cause, Cause::System(_)) && is_object(record.path.as_bytes()) =>
                    {
                        "it is the name of an object: list objects apart from files, and in a file, which is looked at beforehand"
                    }
                    _ => impossible.as_deref().unwrap_or_default(),
                }
            }
            Outcome::Unstable(_) => "run again when it no longer changes",
            Outcome::Disputed(_) | Outcome::Read => "",
        };
        let separator = if hint.is_empty() { "" } else { "; " };
        let name = text::name(record.path.as_bytes());
        self.screen.message(&format!("{name}: {problem}{separator}{hint}"));
    }

    /// What the sets say of a file, and whether it is to be listed.
    fn look_up(&mut self, record: &Record) -> anyhow::Result<(Option<Verdict>, bool)> {
        let Some(matching) = &mut self.matching else { return Ok((None, true)) };
        let asked = &self.args.matching;
        if record.outcome != Outcome::Read {
            // Nobody knows what it holds.
            return Ok((None, !asked.only_known && !asked.no_match && !asked.show_matched_by));
        }
        let verdict = matching.judge(record)?;
        if let Verdict::Collision(what) = &verdict {
            self.status |= Status::MISMATCH;
            self.screen.message(&format!("{}: collision: {what}", text::name(record.path.as_bytes())));
        }
        let is_known = matches!(verdict, Verdict::Known(_));
        let is_wanted = if is_known { !asked.no_match } else { !asked.only_known };
        Ok((Some(verdict), is_wanted))
    }

    /// Writes the line of a file. What is given back is why it has no place there.
    fn write(&mut self, record: &Record, verdict: Option<&Verdict>) -> anyhow::Result<Option<Error>> {
        let written = match &mut self.lines {
            Lines::Manifest(list) => return Ok(list.record(record)?),
            Lines::Names(output) => write_name(output, record),
            Lines::Matches(output) => {
                let path = text::name(record.path.as_bytes());
                let line = match verdict {
                    Some(Verdict::Known(what)) => format!("{path}: matches {what}\n"),
                    Some(Verdict::Collision(_)) => format!("{path}: collision\n"),
                    Some(Verdict::Unknown) | None => format!("{path}: not known\n"),
                };
                output.write_all(line.as_bytes())
            }
        };
        Ok(written.map(|()| None)?)
    }

    /// Writes the name of a file that was read besides its line.
    fn name(&mut self, record: &Record) -> Taken {
        match self.names.as_mut().filter(|_| record.outcome == Outcome::Read) {
            Some(names) => write_name(names, record).map_err(halt),
            None => Ok(()),
        }
    }
}

/// Writes a name as others read it behind `-0`.
fn write_name(output: &mut Output, record: &Record) -> io::Result<()> {
    output.write_all(&[record.path.as_bytes(), b"\0"].concat())
}

impl Sink for LineSink<'_> {
    fn record(&mut self, mut record: Record) -> Taken {
        self.report(&record);
        let (verdict, is_wanted) = self.look_up(&record).map_err(halt)?;
        self.has_read |= record.outcome == Outcome::Read && !is_wanted;
        // Some formats have a place for what went wrong; in the others a line promises that it did not.
        let holds_failures = match &self.lines {
            Lines::Manifest(list) => list.format().holds_failures(),
            _ => false,
        };
        self.left_out.are_named = holds_failures;
        if record.outcome != Outcome::Read {
            self.leave_out(&record);
        }
        if !is_wanted || record.outcome != Outcome::Read && !holds_failures {
            return Ok(());
        }
        record.digests.truncate(self.shown_digests);
        if let Some(pieces) = &mut record.pieces {
            pieces.truncate(self.shown_digests);
        }
        match self.write(&record, verdict.as_ref()).map_err(halt)? {
            None => {
                self.has_read |= record.outcome == Outcome::Read;
                self.name(&record)
            }
            Some(error) => {
                self.status |= Status::UNREADABLE;
                if record.outcome == Outcome::Read {
                    self.leave_out(&record);
                }
                self.screen.message(&manifests::told(&error));
                Ok(())
            }
        }
    }
}
