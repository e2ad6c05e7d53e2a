//! That audits begin and end, for a monitor that waits for it: pings as healthchecks takes them.
//!
//! One address is for all audits of a command: were each collection told by itself, one that is well would hide another that is not. So of
//! each command that is begun there is its start, and then exactly one of *success*, *fail* and *log*, or none.

use std::fmt;

use hashlane_config::Heartbeat as To;
use hashlane_keeper::{Class, Heartbeat, NightEnd, Told};

use crate::channel::Undelivered;
use crate::http::post;

/// As much text is taken.
const MOST_BYTES: usize = 100_000;

/// What ties the end of a command to its start: a UUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunId([u8; 16]);

impl RunId {
    /// One that no other command has.
    pub fn new() -> Self {
        let mut bytes = [0; 16];
        // Where the system gives no random bytes, the end is tied to nothing, and still told.
        let _ = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
        // Version 4, as RFC 9562 has it.
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        Self(bytes)
    }
}

impl Default for RunId {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, byte) in self.0.iter().enumerate() {
            f.write_str(if [4, 6, 8, 10].contains(&at) { "-" } else { "" })?;
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

/// What a command has come to.
#[derive(Clone, Copy, Debug)]
pub struct Night<'a> {
    /// Its audits together.
    pub end: &'a NightEnd,
    /// What each of them means.
    pub told: &'a [Told],
}

/// What a monitor is told of the audits of a command: what is worst of them.
pub fn night(night: Night<'_>) -> Heartbeat {
    let told = |heartbeat| night.told.iter().any(|told| told.heartbeat() == heartbeat);
    let is_wrong = night
        .end
        .classes()
        .iter()
        .any(|class| matches!(class, Class::Finding(_) | Class::Late | Class::Unclear));
    if told(Heartbeat::Fail) || is_wrong && !only_skipped(night) {
        Heartbeat::Fail
    } else if told(Heartbeat::Log) {
        Heartbeat::Log
    } else if told(Heartbeat::Start) {
        Heartbeat::Start
    } else if told(Heartbeat::Success) {
        Heartbeat::Success
    } else {
        Heartbeat::Nothing
    }
}

/// Whether nothing is wrong but that some were not begun.
fn only_skipped(night: Night<'_>) -> bool {
    let classes = night.end.classes();
    classes.iter().all(|class| matches!(class, Class::Unclear | Class::NotJudged))
        && night.told.contains(&Told::Skipped)
}

/// Pings. What is told in none of these ways is not sent.
pub(crate) fn send(to: &To, heartbeat: Heartbeat, run: &str, text: &str) -> Result<(), Undelivered> {
    let path = match heartbeat {
        Heartbeat::Start => "start",
        Heartbeat::Success => "",
        Heartbeat::Fail => "fail",
        Heartbeat::Log => "log",
        Heartbeat::Nothing => return Ok(()),
    };
    let end =
        text.char_indices().map(|(at, _)| at).take_while(|at| *at <= MOST_BYTES - 4).last().unwrap_or(0);
    let body = if text.len() > MOST_BYTES { &text[..end] } else { text };
    let headers = [("content-type", "text/plain; charset=utf-8".to_owned())];
    post(&to.url, path, &[("rid", run)], &headers, body.as_bytes())
}
