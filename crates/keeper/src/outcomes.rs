//! What an outcome is to those who watch: how the audit ends, what is sent to a monitor, and when a message is sent.
//!
//! Invariant: of each audit that is begun exactly one of *success*, *fail* and *log* is sent, or only its start. What is none of these would be taken
//! for well by one monitor and for a failure by another.

use hashlane_catalog::Verdict;

use crate::condition::Condition;
use crate::overview::Overview;

/// What an audit came to, or that there was none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Told {
    /// How the collection is now.
    Is(Condition),
    /// An audit of it is under way.
    Running,
    /// Its last audit has ended without a result: it was killed, its machine stopped, or what it held back was discarded.
    Interrupted,
    /// An audit of it was asked for and not begun: it is in use, it is not the time, or the budget is used up.
    Skipped,
}

/// What is sent to a monitor that waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Heartbeat {
    /// All that was due was done, and nothing is wrong.
    Success,
    /// Something is wrong.
    Fail,
    /// Neither: it is written down.
    Log,
    /// Only that it was begun: who waits for its end notices that there is none.
    Start,
    /// Nothing, since there is no audit: who waits for one notices.
    Nothing,
}

/// What one audit, or several, mean to who has asked for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Something of this verdict stands against a file.
    Finding(Verdict),
    /// Something could not be looked at, or was not judged beside others that were.
    Unclear,
    /// A promise is not kept, or will not be.
    Late,
    /// Nothing was judged at all.
    NotJudged,
}

impl Heartbeat {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Fail => "fail",
            Self::Log => "log",
            Self::Start => "start",
            Self::Nothing => "nothing",
        }
    }
}

impl Told {
    /// All of them, the gravest condition first.
    pub fn all() -> impl Iterator<Item = Self> {
        Condition::ALL.into_iter().map(Self::Is).chain([Self::Running, Self::Interrupted, Self::Skipped])
    }

    /// In a word or two.
    pub fn name(self) -> &'static str {
        match self {
            Self::Is(condition) => condition.name(),
            Self::Running => "running",
            Self::Interrupted => "interrupted",
            Self::Skipped => "skipped",
        }
    }

    /// The exit code of the audit, in words.
    pub fn code(self) -> &'static str {
        match self {
            Self::Is(Condition::Held | Condition::Offline) => {
                "75 alone; 16 beside other collections or the bits of findings"
            }
            Self::Is(Condition::Refused | Condition::Empty) => "16",
            Self::Is(Condition::Attention) => "the bits of its findings",
            Self::Is(Condition::Silent) => "none; a check of the status: 32 under a promise",
            Self::Is(Condition::Late) => "32",
            Self::Is(Condition::NeverAudited) => "none; a check of the status: 32 when its promise is over",
            Self::Is(Condition::Away | Condition::FirstNotOver | Condition::Ok) => "0",
            Self::Running => "none yet",
            Self::Interrupted => "that of the signal, or 70",
            Self::Skipped => "75 alone; 16 beside other collections",
        }
    }

    /// What is sent to a monitor.
    pub fn heartbeat(self) -> Heartbeat {
        match self {
            Self::Is(
                Condition::Held
                | Condition::Refused
                | Condition::Offline
                | Condition::Attention
                | Condition::Late
                | Condition::Empty,
            ) => Heartbeat::Fail,
            Self::Is(Condition::Silent | Condition::NeverAudited) => Heartbeat::Nothing,
            Self::Is(Condition::Away) | Self::Skipped => Heartbeat::Log,
            Self::Is(Condition::FirstNotOver | Condition::Ok) => Heartbeat::Success,
            Self::Running | Self::Interrupted => Heartbeat::Start,
        }
    }

    /// When a message is sent.
    pub fn message(self) -> &'static str {
        match self {
            Self::Is(Condition::Held | Condition::Refused | Condition::Silent | Condition::Empty) => "once",
            Self::Is(Condition::Offline) => "from the second audit in a row, or after a day",
            Self::Is(Condition::Attention) => "when something new is found, or is over",
            Self::Is(Condition::Late) => "once when it begins, once when it ends",
            Self::Is(Condition::NeverAudited | Condition::Away | Condition::FirstNotOver | Condition::Ok)
            | Self::Running => "never",
            Self::Interrupted => "by the next audit",
            Self::Skipped => "when the promise is in danger",
        }
    }
}

impl Overview {
    /// The same of an audit that is over, where its process still has the collection.
    pub fn told_when_over(&self) -> Told {
        Told::Is(self.condition())
    }

    /// What its last audit is to those who watch.
    pub fn told(&self) -> Told {
        match &self.last {
            _ if self.running.is_some() => Told::Running,
            _ if self.interrupted().is_some() => Told::Interrupted,
            Some(last) if last.outcome.as_deref() == Some("discarded") => Told::Interrupted,
            _ => Told::Is(self.condition()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_told_in_one_way_and_what_is_wrong_is_no_success() {
        let all: Vec<_> = Told::all().collect();
        assert_eq!(all.len(), Condition::ALL.len() + 3);
        for told in all {
            let is_well = matches!(told, Told::Is(Condition::Ok | Condition::FirstNotOver));
            assert_eq!(told.heartbeat() == Heartbeat::Success, is_well, "{}", told.name());
            assert_eq!(
                told.heartbeat() == Heartbeat::Success,
                told.code() == "0" && told.message() == "never" && told.heartbeat() != Heartbeat::Log
            );
            let has_none = told.code().starts_with("none");
            let is_begun = !matches!(told.heartbeat(), Heartbeat::Nothing | Heartbeat::Start);
            assert!(!has_none || !is_begun, "{}", told.name());
        }
    }
}
