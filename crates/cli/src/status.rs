//! Exit codes: one table for all commands.

use std::fmt;
use std::ops::BitOrAssign;
use std::process::ExitCode;

use hashlane_audit::{Verdict, bits};
use hashlane_engine::Halt;
use hashlane_keeper::Class;

/// What a command found, as bits that add up; usage, internal and output errors stand alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Status(u8);

impl Status {
    /// All verified and complete.
    pub(crate) const OK: Self = Self(0);
    /// Something is there that the manifest does not list.
    pub(crate) const EXTRA: Self = Self(bits::EXTRA);
    /// Something that is listed is not there.
    pub(crate) const MISSING: Self = Self(bits::MISSING);
    /// A digest does not match.
    pub(crate) const MISMATCH: Self = Self(bits::MISMATCH);
    /// A digest does not match, and nobody has written the file.
    pub(crate) const CORRUPT: Self = Self(bits::CORRUPT);
    /// Unreadable, unstable, or doubtful.
    pub(crate) const UNREADABLE: Self = Self(bits::UNREADABLE);
    /// A promise is not kept.
    pub(crate) const LATE: Self = Self(32);
    /// The command line asks for what cannot be.
    pub(crate) const USAGE: Self = Self(64);
    /// A defect of hashlane.
    pub(crate) const INTERNAL: Self = Self(70);
    /// The output could not be written.
    pub(crate) const OUTPUT: Self = Self(74);
    /// Held, or not started: nothing was judged.
    pub(crate) const NOT_JUDGED: Self = Self(75);

    /// What a verdict means where files are compared with a list.
    pub(crate) fn of(verdict: Verdict) -> Self {
        Self(verdict.bits())
    }

    /// What collections are, or audits of them have come to.
    pub(crate) fn of_classes(classes: Vec<Class>) -> Self {
        let mut status = Self::OK;
        for class in classes {
            status |= match class {
                Class::Finding(verdict) => Self(verdict.bits_in_collection()),
                Class::Unclear => Self::UNREADABLE,
                Class::Late => Self::LATE,
                Class::NotJudged => Self::NOT_JUDGED,
            };
        }
        status
    }
}

/// Whether nothing is wrong, as far as was looked.
pub(crate) fn is_fine(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Ok | Verdict::Excluded)
}

impl BitOrAssign for Status {
    /// Adds what was found. A code that stands alone wins.
    fn bitor_assign(&mut self, other: Self) {
        self.0 = match (self.0, other.0) {
            (64.., _) => self.0,
            (_, 64..) => other.0,
            (one, other) => one | other,
        };
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.0)
    }
}

/// An error that ends the command with a status of its own.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    status: Status,
    text: String,
    is_broken_pipe: bool,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Ended {}

impl Ended {
    fn new(status: Status, text: impl fmt::Display) -> Self {
        Self { status, text: text.to_string(), is_broken_pipe: false }
    }

    /// Nobody reads the output any more. It ends the process as a broken pipe ends others, once all else is put away.
    pub(crate) fn broken_pipe(text: impl fmt::Display) -> anyhow::Error {
        Self { is_broken_pipe: true, ..Self::new(Status::OUTPUT, text) }.into()
    }

    /// The command line asks for what cannot be.
    pub(crate) fn usage(text: impl fmt::Display) -> anyhow::Error {
        Self::new(Status::USAGE, text).into()
    }

    /// Something could not be read.
    pub(crate) fn unreadable(text: impl fmt::Display) -> anyhow::Error {
        Self::new(Status::UNREADABLE, text).into()
    }

    /// Nothing was judged.
    pub(crate) fn not_judged(text: impl fmt::Display) -> anyhow::Error {
        Self::new(Status::NOT_JUDGED, text).into()
    }

    /// The output could not be written.
    pub(crate) fn output(text: impl fmt::Display) -> anyhow::Error {
        Self::new(Status::OUTPUT, text).into()
    }

    /// The one among the causes of an error, if there is one.
    pub(crate) fn of<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a Self> {
        std::iter::successors(Some(error), |error| error.source()).find_map(|cause| {
            // What an error of the system was made of is not its cause, but itself.
            let inner = || cause.downcast_ref::<std::io::Error>()?.get_ref()?.downcast_ref();
            cause.downcast_ref().or_else(inner)
        })
    }

    /// The status that the command ends with.
    pub(crate) fn status(&self) -> Status {
        self.status
    }

    /// Whether nobody reads the output any more.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        self.is_broken_pipe
    }
}

/// The end of a command whose line asks for what cannot be, with a text as `format!` makes it.
macro_rules! usage {
    ($($text:tt)+) => { $crate::status::Ended::usage(format_args!($($text)+)) };
}

/// The same where something could not be read.
macro_rules! unreadable {
    ($($text:tt)+) => { $crate::status::Ended::unreadable(format_args!($($text)+)) };
}

/// The same where the output could not be written.
macro_rules! unwritten {
    ($($text:tt)+) => { $crate::status::Ended::output(format_args!($($text)+)) };
}

pub(crate) use {unreadable, unwritten, usage};

/// The words of an error, and the status that the command ends with. An error of a command says all of itself; of others the causes
/// follow.
pub(crate) fn told(error: &anyhow::Error) -> (String, Status) {
    if let Some(ended) = Ended::of(error.as_ref()) {
        return (ended.to_string(), ended.status());
    }
    let way_out = error.chain().find_map(|cause| cause.downcast_ref()).map_or("", way_out);
    (format!("{error:#}{way_out}"), Status::INTERNAL)
}

/// Ends a run of the engine by an error of the command: it comes back as that of the run.
pub(crate) fn halt(error: impl Into<anyhow::Error>) -> Halt {
    // So that it is found again among the causes.
    Halt::Failed(error.into().reallocate_into_boxed_dyn_error_without_backtrace())
}

/// What to do where a run could not be started as it was asked for.
pub(crate) fn way_out(error: &hashlane_engine::Error) -> &'static str {
    use hashlane_engine::Error;
    match error {
        Error::Thread(_) => "; lower --jobs",
        Error::OtherListing => "; nothing may be added or removed meanwhile: run it again",
        Error::Priority(_) => "; leave out --nice-io",
        _ => "",
    }
}

/// An error of the command that comes back from a library, with its exit code.
pub(crate) fn own(source: Box<dyn std::error::Error + Send + Sync>) -> anyhow::Error {
    match Ended::of(source.as_ref()) {
        Some(own) => own.clone().into(),
        None => anyhow::Error::from_boxed(source),
    }
}

/// Why an output takes no more.
pub(crate) fn halted(halt: Halt) -> anyhow::Error {
    match halt {
        Halt::Enough => Ended::output("the output takes no more"),
        Halt::Failed(source) => own(source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_a_command_comes_back_out_of_a_run() {
        let error = halt(Ended::output("the disk is full")).into_result().expect_err("it failed");
        let error = anyhow::Error::from(hashlane_verify::Error::from(error));
        let ended = Ended::of(error.as_ref()).expect("it is among the causes");
        assert_eq!((ended.to_string().as_str(), ended.status()), ("the disk is full", Status::OUTPUT));
    }

    #[test]
    fn findings_add_up_and_codes_that_stand_alone_win() {
        let mut status = Status::OK;
        status |= Status::MISSING;
        status |= Status::UNREADABLE;
        assert_eq!(status.0, 18);
        status |= Status::OUTPUT;
        assert_eq!(status.0, 74);
        status |= Status::MISMATCH;
        assert_eq!(status.0, 74);
    }
}
