//! What is new of collections, for a mail or a request: what needs a person first, and what to do about it.

use hashlane_catalog::Collection;
use hashlane_keeper::{Announced, CollectionNews, Condition, News};
use hashlane_record::Escaped;
use serde_json::Value;

use super::lines::{alerts, kind_text};
use super::overview::in_one_sentence;
use super::page::{kind_parts, path, plain};
use super::{HowTo, data, words};
use crate::document::{Document, Part, Word};
use crate::json::Line as _;
use crate::terminal::paragraph;
use crate::text;
use crate::times::time;

/// What is new, as it is told: each of its forms says the same.
#[derive(Clone, Debug, PartialEq)]
pub struct NewsText {
    /// The sentence, in one line.
    pub subject: String,
    /// As text.
    pub text: String,
    /// As a page.
    pub html: String,
    /// For programs.
    pub json: Value,
}

/// Puts what is new into words. `program`: name and version of the program; `how`: what it calls what can be done.
pub fn news_text(news: &News, how: HowTo<'_>, program: &str, host: &str) -> NewsText {
    let sentence = in_one_sentence(&news.overviews);
    // What has changed comes first: the state of all may be the same as before.
    let changes: Vec<_> = news.collections.iter().filter(|of| of.has_changed).map(headline).collect();
    let heading = if changes.is_empty() { sentence.clone() } else { changes.join("; ") };
    let subject = one_line(&format!("hashlane: {heading}"));
    let mut text = format!("{}\n", paragraph(&heading, "", ""));
    if !changes.is_empty() {
        text += &format!("{}\n", paragraph(&format!("All in all: {sentence}."), "", ""));
    }
    let mut page = Document {
        title: "news of collections".to_owned(),
        heading,
        when: format!("{}, {host}, {program}", time(news.now_s)),
        program: program.to_owned(),
        summary: Vec::new(),
        parts: vec![Part::Text(plain(format!("All in all: {sentence}.")))],
    };
    for of in &news.collections {
        let (overview, name) = (&of.subject.overview, of.subject.overview.name());
        text += &format!("\n{}: {}\n", text::name(name.as_bytes()), condition(of));
        page.parts.push(Part::Heading(path(name.as_bytes())));
        page.parts.push(Part::Text(plain(condition(of))));
        for (alert, command) in alerts(&of.subject, how) {
            text += &paragraph(&alert, "  ", "  ");
            text.extend(command.iter().map(|command| format!("      {command}\n")));
            let mut words = plain(alert);
            words.extend(command.into_iter().flat_map(|command| [Word::plain(" "), Word::code(command)]));
            page.parts.push(Part::Alert(vec![words]));
        }
        for kind in &of.subject.open {
            text += &kind_text(&of.subject, kind, how);
            page.parts.extend(kind_parts(&of.subject, kind, how));
        }
        let report = how(&hashlane_keeper::Action::Report(name));
        if overview.open() > 0 {
            text += &format!("\n  all that stands against it: {report}\n");
            page.parts
                .push(Part::Text(vec![Word::plain("All that stands against it: "), Word::code(report)]));
        }
    }
    text += &format!("\n-- \n{}, {host}, {program}\n", time(news.now_s));
    NewsText { subject, text, html: page.html(), json: data::News::of(news, host).value() }
}

/// What has changed of a collection, in a few words: what a subject says.
fn headline(news: &CollectionNews) -> String {
    let name = text::name(news.subject.overview.name().as_bytes());
    let mut parts = Vec::new();
    let found = news.subject.open.iter();
    parts.extend(found.map(|kind| format!("{} {}", text::count(kind.new), words(kind.verdict))));
    let is_of_findings = news.is == Announced::Is(Condition::Attention) && !parts.is_empty();
    if news.was != Some(news.is) && !is_of_findings && news.is != Announced::Is(Condition::Ok) {
        parts.push(news.is.name().to_owned());
    }
    if news.recovered > 0 {
        parts.push(format!("{} good again", text::count(news.recovered)));
    }
    if news.was != Some(news.is) && news.is == Announced::Is(Condition::Ok) {
        parts.push("all is well again".to_owned());
    }
    format!("{name}: {}", parts.join(", "))
}

/// How a collection is, and how it was.
fn condition(news: &CollectionNews) -> String {
    let is = match news.is {
        Announced::Flapping => {
            "its state turns over and over: until that ends, it is told with other news alone".to_owned()
        }
        Announced::Is(_) => super::overview::state(&news.subject.overview).to_owned(),
    };
    match news.was {
        Some(was) if was != news.is => format!("{is} (it was: {})", was.name()),
        _ => is,
    }
}

/// A text as one line of a header: no control characters, nothing that turns the direction of text, and not too long.
fn one_line(text: &str) -> String {
    const MOST: usize = 200;
    let shown = Escaped(text.as_bytes()).to_string();
    match shown.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    }
}

/// A name by which a collection is the same for all messages about it, whatever it is called.
pub fn thread_of(collection: &Collection) -> String {
    collection.identity.iter().map(|byte| format!("{byte:02x}")).collect()
}
