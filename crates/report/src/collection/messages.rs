//! What was told, and what has become of it.

use hashlane_catalog::Message;
use hashlane_record::Escaped;
use serde_json::Value;

use super::data;
use crate::Table;
use crate::json::Line as _;
use crate::terminal::table;
use crate::times::time;

/// What has become of a message, in a word or two.
pub(super) fn state(message: &Message) -> &'static str {
    match (message.delivered_s, message.next_s) {
        (Some(_), _) => "delivered",
        (None, Some(_)) => "waits",
        (None, None) => "given up",
    }
}

/// A message for programs: a line.
pub fn message_json(message: &Message) -> Value {
    data::Message::from(message).value()
}

/// Messages as a table.
pub fn messages_text(messages: &[Message]) -> String {
    let mut shown = Table::new(
        "Messages",
        &["number", "made", "to", "kind", "events", "state", "tries", "next try", "problem"],
    );
    shown.words = vec![1, 2, 3, 5, 7, 8];
    for message in messages {
        let events = match message.first <= message.last {
            true => format!("{} to {}", message.first, message.last),
            false => "–".to_owned(),
        };
        let text = |text: &str| Escaped(text.as_bytes()).to_string();
        shown.rows.push(vec![
            message.id.0.to_string(),
            time(message.made_s),
            text(&message.target),
            text(&message.kind),
            events,
            state(message).to_owned(),
            message.tries.to_string(),
            message.next_s.map_or_else(|| "–".to_owned(), time),
            text(&message.problem),
        ]);
    }
    table(&shown)
}
