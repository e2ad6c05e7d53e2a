//! What is known of a file, and what happened to it.

use hashlane_catalog::{State, Verdict};
use hashlane_keeper::History;
use serde_json::Value;

use super::data;
use super::line::finding_lines;
use super::sentence::from;
use super::{attested, by, imports};
use crate::json::Line as _;
use crate::text;
use crate::times::exact_time;

/// A history for programs.
pub fn history_json(history: &History) -> Value {
    data::History::from(history).value()
}

/// A history as text.
pub fn history_text(history: &History) -> String {
    let History { collection, path, item, .. } = history;
    let name = &collection.terms.name;
    let mut shown = format!("{name}: {}\n", text::name(path));
    let mut tell = |line: String| shown += &format!("  {line}\n");
    // That is how it was when its tree was last listed.
    let offline = collection
        .offline_s
        .map_or_else(String::new, |since_s| format!("; {name} is offline since {}", exact_time(since_s)));
    tell(format!("state           {}{offline}", state(history)));
    if let Some(size) = item.content.size {
        tell(format!("size            {}", text::counted(size, "byte")));
    }
    if let Some(modified) = item.content.modified {
        tell(format!("modified        {}", exact_time(modified.seconds)));
    }
    for digest in &item.content.digests {
        tell(format!("{:<15} {digest}", digest.algorithm().name()));
    }
    match history.last_reading {
        Some((at_s, reading)) => {
            tell(format!("last read good  {}, {}", exact_time(at_s), from(reading)));
            if let Some(by) = &history.read_by {
                tell(format!("read by         {}", by::evidence(by)));
            }
        }
        // What is gone is not read, and when it was is in its events.
        None if item.state == State::Retired => {}
        None => tell("last read good  not yet, as the file that is here now".to_owned()),
    }
    let when = |run| history.began_s(run).map_or_else(String::new, exact_time);
    for version in &history.versions {
        let digests: Vec<_> = version.digests.iter().map(ToString::to_string).collect();
        tell(format!(
            "version         {} to {}: {}",
            when(version.run),
            when(version.until),
            digests.join(" ")
        ));
    }
    if !item.content.digests.is_empty() {
        tell(format!("version         since {}", when(item.run)));
    }
    let mut imports = history.imports.iter().peekable();
    for event in &history.events {
        while let Some((import, has)) = imports.next_if(|(import, _)| import.at_s <= event.at_s) {
            tell(imports::line(import, *has));
        }
        let mut line = format!(
            "{:<15} {} by {}",
            event.what.replace('-', " "),
            exact_time(event.at_s),
            text::name(event.actor.as_bytes())
        );
        if let Some(other) = &event.other {
            line += &format!(", {}", text::name(other));
        }
        for more in [&event.reason, &event.detail] {
            if !more.is_empty() {
                line += &format!(": {}", text::name(more.as_bytes()));
            }
        }
        tell(line);
    }
    imports.for_each(|(import, has)| tell(imports::line(import, *has)));
    for said in &history.said {
        tell(format!("evidence        {}", attested::said_line(said)));
    }
    if let Some(finding) = &history.finding {
        match finding.cleared_s {
            Some(cleared_s) => tell(format!("recovered       {}", exact_time(cleared_s))),
            None => shown += &finding_lines(name, path, finding.verdict, &finding.seen, &item.content),
        }
    }
    shown
}

/// What a known file is, in words: what stands against it says more than what was recorded.
pub(super) fn state(history: &History) -> &'static str {
    history.standing().and_then(|finding| state_by(finding.verdict)).unwrap_or(match history.item.state {
        State::Registered => "registered, not yet verified",
        State::Retired => "retired",
        State::Unsettled => "present; it was changed just before it was recorded",
        State::Unaccepted => "present, not accepted",
        State::Unread => "listed, not yet read",
        State::Ignored => "left out by a filter",
        _ => "present",
    })
}

/// What a file is against which something stands, in words; nothing where what was recorded says as much.
fn state_by(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Missing => Some("missing"),
        Verdict::MovedAway => Some("gone; its content is there under a new name"),
        Verdict::Corrupt => Some("present, but corrupt"),
        Verdict::Collision => Some("present, but a digest is as known, and another one or the size is not"),
        Verdict::Changed => Some("present, but changed"),
        Verdict::Touched => Some("present, with another modification time"),
        Verdict::Unreadable => Some("present, but it could not be read"),
        Verdict::Unstable => Some("present, but it changed while it was read"),
        Verdict::UnstableMedium => Some("present, but it is read differently each time"),
        Verdict::Suspect => Some("present, but one reading differed, and no other one says yet what it is"),
        Verdict::Contradicted => Some("present; a provider says that its content is another one"),
        Verdict::Misread => Some("present; one reading differed, later ones did not"),
        _ => None,
    }
}
