//! What is asked of audits that are under way, and that they heed it, in words.

use hashlane_auditor::AskedToEnd;
use hashlane_catalog::{Holder, Pause, Steered};
use hashlane_record::Escaped;

use crate::text;
use crate::times::time;

/// Whose audit something was asked of.
fn whose(steered: &Steered) -> String {
    format!("{}'s audit (process {} on {})", Escaped(steered.actor.as_bytes()), steered.process, steered.host)
}

/// That an audit was asked to end. `has_ended`: and that it has.
pub fn stop_line(name: &str, steered: &Steered, has_ended: bool) -> String {
    let whose = whose(steered);
    match has_ended {
        true => format!(
            "{name}: {whose} has ended; what was read is recorded, and the next audit goes on from there"
        ),
        false => format!(
            "{name}: {whose} was asked to end, and first reads to its end what cannot be gone on with"
        ),
    }
}

/// That an audit was asked to read at another rate.
pub fn rate_line(name: &str, steered: &Steered, rate: Option<u64>) -> String {
    let whose = whose(steered);
    match rate {
        Some(rate) => format!("{name}: {whose} reads at most {}/s from now on", text::decimal(rate as f64)),
        None => format!("{name}: {whose} reads as fast as it can from now on"),
    }
}

/// That all audits are paused. `ends`: what ends it where it has no end.
pub fn pause_line(pause: &Pause, ends: &str) -> String {
    let until = match pause.until_s {
        Some(until_s) => format!("until {}", time(until_s)),
        None => format!("until {ends}"),
    };
    format!("all audits are paused {until}: those under way end, and none is begun")
}

/// That a pause is over, or that there was none.
pub fn pause_over_line(pause: Option<&Pause>) -> String {
    match pause {
        Some(pause) => {
            format!("the pause of {} since {} is over", Escaped(pause.actor.as_bytes()), time(pause.since_s))
        }
        None => "no audit was paused".to_owned(),
    }
}

/// Why an audit was not begun, or has ended: who has paused it, since when and until when.
pub fn paused(pause: &Pause) -> String {
    let Pause { since_s, until_s, actor, reason, .. } = pause;
    let mut line = format!("paused by {} since {}", Escaped(actor.as_bytes()), time(*since_s));
    if let Some(until_s) = until_s {
        line += &format!(", until {}", time(*until_s));
    }
    if !reason.is_empty() {
        line += &format!(" ({})", Escaped(reason.as_bytes()));
    }
    line
}

/// Why an audit ended that was asked to.
pub fn asked_to_end(asked: &AskedToEnd) -> String {
    match asked {
        AskedToEnd::Stop { by } => format!("stopped by {}", Escaped(by.as_bytes())),
        AskedToEnd::Pause(pause) => paused(pause),
        _ => "stopped".to_owned(),
    }
}

/// For whom an audit waits, as no more are to be under way.
pub fn waiting_line(name: &str, others: &[(String, Holder)]) -> String {
    let names: Vec<_> = others.iter().map(|(name, _)| &name[..]).collect();
    format!("{name}: waits for {}", names.join(", "))
}
