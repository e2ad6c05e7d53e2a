//! Who works with a catalogue, and by what way.

use std::time::{SystemTime, UNIX_EPOCH};

/// By what way something is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Way {
    /// Nobody has said.
    #[default]
    Unknown,
    /// A command that a person gave, or a script.
    Command,
    /// A timer.
    Timer,
    /// The module of Python.
    Python,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Unknown, Self::Command, Self::Timer, Self::Python];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Command => "command",
            Self::Timer => "timer",
            Self::Python => "python",
        }
    }

    /// What a catalogue writes for it.
    pub(crate) fn number(self) -> i64 {
        Self::ALL.iter().position(|way| *way == self).map_or(0, |place| place as i64)
    }

    pub(crate) fn of_number(number: i64) -> Self {
        let place = usize::try_from(number).ok();
        place.and_then(|place| Self::ALL.get(place)).copied().unwrap_or_default()
    }
}

/// Who works with a catalogue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acting {
    /// Their name.
    pub actor: String,
    /// The number of the user of the system.
    pub uid: Option<u32>,
    /// By what way.
    pub way: Way,
    /// Why, if that was said.
    pub reason: String,
    /// When, in seconds since 1970; nothing: when it is done.
    pub at_s: Option<i64>,
}

impl Acting {
    /// The same way of somebody who has said who they are, why and when.
    pub(crate) fn on(&self, actor: &str, reason: &str, at_s: i64) -> Self {
        Self { actor: actor.to_owned(), reason: reason.to_owned(), at_s: Some(at_s), ..self.clone() }
    }

    pub(crate) fn at_s(&self) -> i64 {
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
        self.at_s.unwrap_or_else(now)
    }
}
