//! What is put down for whom, and how it leaves.

use std::ffi::OsString;
use std::time::Instant;

use hashlane_catalog::{Clock, Collection, Message, NewMessage, Reader, Writer};
use hashlane_config::{Config, MailWay, SecretPlace, Weekday};
use hashlane_keeper::{Heartbeat, News, Overview, Reporter, TunedRate};
use hashlane_report::collection::{HowTo, NewsText, news_text, thread_of};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::channel::Undelivered;
use crate::heartbeat::RunId;
use crate::mail::{Letter, Stamp};
use crate::{heartbeat, mail, textfile, webhook};

/// For so long it is tried to deliver a message, in seconds.
pub const WEEK_S: i64 = 7 * 24 * 3600;

/// Messages that were delivered or given up are kept for so long, in seconds.
const KEPT_S: i64 = 90 * 24 * 3600;

/// The longest time between two tries, in seconds.
const LONGEST_S: i64 = 6 * 3600;

/// How long it is until a message is tried again that was tried as often, in seconds.
pub fn retry_after_s(tries: u32) -> i64 {
    60_i64.checked_shl(tries).filter(|_| tries < 32).map_or(LONGEST_S, |after_s| after_s.min(LONGEST_S))
}

/// Tells people what happens.
pub struct Notices<'a> {
    /// Who is told.
    pub config: &'a Config,
    /// What the program calls what can be done.
    pub how: HowTo<'a>,
    /// Name and version of the program.
    pub program: &'a str,
    /// The machine.
    pub host: &'a str,
    /// What time it is.
    pub clock: Clock,
    /// Where days begin.
    pub zone: TimeZone,
    /// Reads the environment.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
}

/// What has become of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// How many were delivered.
    pub delivered: u64,
    /// How many wait.
    pub waiting: u64,
    /// For whom something could not be delivered, and why.
    pub problems: Vec<(String, String)>,
}

/// What a heartbeat says, as it is put down.
#[derive(Serialize, Deserialize)]
struct Ping {
    heartbeat: String,
    run: String,
    text: String,
}

/// The target of metrics.
pub const TEXTFILE: &str = "textfile";
const HEARTBEAT: &str = "heartbeat";
const MAIL: &str = "mail";

impl Notices<'_> {
    /// Puts down what is new for each who is told, and delivers what waits until a time. Nothing is done if another process does. What could
    /// not be delivered waits.
    ///
    /// # Errors
    /// The catalogue cannot be read, or does not take it.
    pub fn tell(&self, catalog: &mut Writer, until: Instant) -> hashlane_catalog::Result<Delivered> {
        let Some(_turn) = catalog.lock_telling()? else { return Ok(Delivered::default()) };
        self.put_down(catalog)?;
        self.deliver(catalog, until)
    }

    /// Names those of the configuration whom the catalogue does not know: they hear how things are, and what happens from now on. An audit
    /// names them before it begins, so that they hear of what it finds.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn name_targets(&self, catalog: &mut Writer) -> hashlane_catalog::Result<()> {
        for name in self.config.targets() {
            if catalog.target(&name)?.is_none() {
                let last = catalog.last_event()?;
                catalog.name_target(&name, last)?;
            }
        }
        Ok(())
    }

    /// Puts down what is new.
    fn put_down(&self, catalog: &mut Writer) -> hashlane_catalog::Result<()> {
        let now_s = self.clock.now_s();
        let tuned = |_: &Collection| -> Option<TunedRate> { None };
        self.name_targets(catalog)?;
        for name in self.config.targets() {
            if name == TEXTFILE || name == HEARTBEAT {
                continue;
            }
            let Some(target) = catalog.target(&name)? else { continue };
            let told = catalog.told(&name)?;
            let is_day = name == MAIL && self.is_day(catalog, now_s)?;
            let news = {
                let reporter =
                    Reporter { catalog: &*catalog, all: catalog.collections()?, tuned: &tuned, now_s };
                News::of(&reporter, target.event, &told, is_day)?
            };
            let kind = match (news.has_changes(), is_day) {
                (true, _) => "changed",
                (false, true) => "standing",
                (false, false) => {
                    catalog.pass_over(&name, news.last)?;
                    continue;
                }
            };
            let text = news_text(&news, self.how, self.program, self.host);
            let content = if name == MAIL { letter(&news, text) } else { text.json.to_string() };
            let message = NewMessage {
                target: &name,
                kind,
                first: news.first,
                last: news.last,
                made_s: now_s,
                content: &content,
            };
            catalog.put_message(&message, &news.told())?;
        }
        catalog.forget_messages_before(now_s - KEPT_S)
    }

    /// Whether a mail is due today although nothing may have changed: it is one of the days, and none was made today.
    fn is_day(&self, catalog: &Reader, now_s: i64) -> hashlane_catalog::Result<bool> {
        let Some(mail) = &self.config.mail else { return Ok(false) };
        let Ok(now) = jiff::Timestamp::from_second(now_s) else { return Ok(false) };
        let now = now.to_zoned(self.zone.clone());
        if !mail.days.iter().any(|day| weekday(*day) == now.weekday()) {
            return Ok(false);
        }
        let midnight = now.start_of_day().map_or(now_s, |midnight| midnight.timestamp().as_second());
        Ok(catalog.last_message_s(MAIL)?.is_none_or(|last_s| last_s < midnight))
    }

    /// Delivers what waits, until a time: of each target the first one first, and no later one before that.
    fn deliver(&self, catalog: &mut Writer, until: Instant) -> hashlane_catalog::Result<Delivered> {
        let mut delivered = Delivered::default();
        for name in self.config.targets() {
            if name == TEXTFILE {
                match self.write_textfile(catalog)? {
                    Ok(()) => delivered.delivered += 1,
                    Err(Undelivered(why)) => delivered.problems.push((name, why)),
                }
                continue;
            }
            for message in catalog.waiting_messages(&name)? {
                let now_s = self.clock.now_s();
                let is_due = message.next_s.is_some_and(|next_s| next_s <= now_s);
                // The clock may have jumped back: nothing waits for longer than it would have.
                let waits_too_long = message.next_s.is_some_and(|next_s| next_s > now_s + LONGEST_S);
                if !is_due && !waits_too_long || Instant::now() >= until {
                    delivered.waiting += 1;
                    continue;
                }
                match self.send(&message) {
                    Ok(()) => {
                        catalog.note_delivered(message.id, self.clock.now_s())?;
                        delivered.delivered += 1;
                    }
                    Err(Undelivered(why)) => {
                        let now_s = self.clock.now_s();
                        let is_over = now_s - message.made_s >= WEEK_S;
                        let next_s = (!is_over).then(|| now_s + retry_after_s(message.tries));
                        catalog.note_undelivered(message.id, &why, next_s)?;
                        delivered.waiting += u64::from(!is_over);
                        delivered.problems.push((name.clone(), why));
                        // Who does not take this one does not take the next.
                        break;
                    }
                }
            }
        }
        Ok(delivered)
    }

    /// Writes the metrics, if the configuration has a place for them.
    ///
    /// # Errors
    /// The catalogue cannot be read. The inner one: the file cannot be written.
    pub fn write_textfile(&self, catalog: &Reader) -> hashlane_catalog::Result<Result<(), Undelivered>> {
        let Some(textfile) = &self.config.textfile else { return Ok(Ok(())) };
        let now_s = self.clock.now_s();
        let mut overviews = Vec::new();
        for collection in catalog.collections()? {
            overviews.push(Overview::of(catalog, collection, now_s, hashlane_keeper::MOST_LATE)?);
        }
        Ok(textfile::write(&textfile.path, &overviews, now_s))
    }

    fn send(&self, message: &Message) -> Result<(), Undelivered> {
        let id = format!("{}-{}", message.made_s, message.id.0);
        self.send_to(&message.target, &id, message.made_s, &message.content)
    }

    /// Sends a content as it is put down.
    fn send_to(&self, target: &str, id: &str, made_s: i64, content: &str) -> Result<(), Undelivered> {
        if let Some(mail) = self.config.mail.as_ref().filter(|_| target == MAIL) {
            let letter: Letter = serde_json::from_str(content).map_err(Undelivered::of)?;
            let password = match &mail.way {
                MailWay::Smtp { password: Some(place), .. } => Some(self.secret(place)?),
                _ => None,
            };
            let stamp = Stamp { id: id.to_owned(), host: self.host, made_s };
            return mail::send(mail, password.as_ref(), &stamp, &letter, &self.certificates()?);
        }
        if let Some(heartbeat) = self.config.heartbeat.as_ref().filter(|_| target == HEARTBEAT) {
            let ping: Ping = serde_json::from_str(content).map_err(Undelivered::of)?;
            let all = [Heartbeat::Start, Heartbeat::Success, Heartbeat::Fail, Heartbeat::Log];
            let of = all.into_iter().find(|of| of.name() == ping.heartbeat).unwrap_or(Heartbeat::Nothing);
            return heartbeat::send(heartbeat, of, &ping.run, &ping.text);
        }
        let name = target.strip_prefix("webhook.").unwrap_or_default();
        let Some(webhook) = self.config.webhooks.get(name) else {
            return Err(Undelivered(format!("the configuration does not name {target} any more")));
        };
        let secret = self.secret(&webhook.secret)?;
        webhook::send(webhook, &secret, &format!("msg_{id}"), self.clock.now_s(), content.as_bytes())
    }

    fn secret(&self, place: &SecretPlace) -> Result<hashlane_config::Secret, Undelivered> {
        place.secret(self.variable).map_err(Undelivered::of)
    }

    /// Certificates of those who are trusted besides, as `SSL_CERT_FILE` names them.
    fn certificates(&self) -> Result<Vec<u8>, Undelivered> {
        match (self.variable)("SSL_CERT_FILE").filter(|path| !path.is_empty()) {
            Some(path) => std::fs::read(&path).map_err(|error| {
                Undelivered(format!("SSL_CERT_FILE: {}", hashlane_record::system_text(&error)))
            }),
            None => Ok(Vec::new()),
        }
    }

    /// Tells that a command begins to audit, at once; nothing waits for it that is not told now.
    ///
    /// # Errors
    /// It could not be told.
    pub fn begin(&self, run: RunId) -> Result<(), Undelivered> {
        match &self.config.heartbeat {
            Some(to) => heartbeat::send(to, Heartbeat::Start, &run.to_string(), ""),
            None => Ok(()),
        }
    }

    /// Puts down what the audits of a command have come to, for who was told that it began. `text`: what there is to say.
    ///
    /// # Errors
    /// The catalogue does not take it.
    pub fn end(
        &self,
        catalog: &mut Writer,
        heartbeat: Heartbeat,
        run: RunId,
        text: &str,
    ) -> hashlane_catalog::Result<()> {
        let is_end = matches!(heartbeat, Heartbeat::Success | Heartbeat::Fail | Heartbeat::Log);
        if self.config.heartbeat.is_none() || !is_end {
            return Ok(());
        }
        self.name_targets(catalog)?;
        let content =
            json!({ "heartbeat": heartbeat.name(), "run": run.to_string(), "text": text }).to_string();
        let made_s = self.clock.now_s();
        let (kind, target) = (heartbeat.name(), HEARTBEAT);
        catalog
            .put_message(&NewMessage { target, kind, first: 1, last: 0, made_s, content: &content }, &[])?;
        Ok(())
    }

    /// Tells all what the catalogue cannot take, at once: nobody would hear of it otherwise. Returns for whom that failed, and why.
    pub fn tell_straight(&self, subject: &str, text: &str, run: Option<RunId>) -> Vec<(String, Undelivered)> {
        let now_s = self.clock.now_s();
        let mut failed = Vec::new();
        for target in self.config.targets() {
            let content = match &target[..] {
                TEXTFILE => continue,
                MAIL => of_text(subject, text, self.program),
                HEARTBEAT => {
                    let run = run.unwrap_or_default().to_string();
                    json!({ "heartbeat": Heartbeat::Fail.name(), "run": run, "text": text }).to_string()
                }
                _ => json!({ "schema": "hashlane-alarm/1", "host": self.host, "at_s": now_s, "subject": subject, "text": text })
                    .to_string(),
            };
            // Host and time: no number can be had.
            let id = format!("{now_s}-{}", std::process::id());
            if let Err(error) = self.send_to(&target, &id, now_s, &content) {
                failed.push((target, error));
            }
        }
        failed
    }

    /// Tells one by mail, webhook or heartbeat that it is told, to see whether that works.
    ///
    /// # Errors
    /// There is no such target, or it could not be told.
    pub fn test(&self, target: &str) -> Result<(), Undelivered> {
        let now_s = self.clock.now_s();
        let text =
            format!("This is a test of {target} by {} on {}. Nothing is wrong.", self.program, self.host);
        let content = match target {
            MAIL => of_text(&format!("hashlane: a test from {}", self.host), &text, self.program),
            HEARTBEAT => {
                let run = RunId::new().to_string();
                json!({ "heartbeat": Heartbeat::Log.name(), "run": run, "text": text }).to_string()
            }
            _ => json!({ "schema": "hashlane-test/1", "host": self.host, "at_s": now_s, "text": text })
                .to_string(),
        };
        self.send_to(target, &format!("{now_s}-test-{}", std::process::id()), now_s, &content)
    }
}

/// A mail about what is new.
fn letter(news: &News, text: NewsText) -> String {
    let NewsText { subject, text, html, .. } = text;
    let threads = news.collections.iter().map(|news| thread_of(&news.subject.overview.collection)).collect();
    to_json(&Letter { subject, text, html, threads })
}

/// A mail of plain text.
fn of_text(subject: &str, text: &str, program: &str) -> String {
    let page = hashlane_report::Document {
        title: "message".to_owned(),
        heading: subject.to_owned(),
        when: program.to_owned(),
        program: program.to_owned(),
        summary: Vec::new(),
        parts: text
            .lines()
            .map(|line| hashlane_report::Part::Text(vec![hashlane_report::Word::plain(line)]))
            .collect(),
    };
    let (subject, text) = (subject.to_owned(), format!("{text}\n"));
    to_json(&Letter { subject, text, html: page.html(), threads: Vec::new() })
}

fn to_json(letter: &Letter) -> String {
    serde_json::to_string(letter).unwrap_or_default()
}

fn weekday(day: Weekday) -> jiff::civil::Weekday {
    match day {
        Weekday::Monday => jiff::civil::Weekday::Monday,
        Weekday::Tuesday => jiff::civil::Weekday::Tuesday,
        Weekday::Wednesday => jiff::civil::Weekday::Wednesday,
        Weekday::Thursday => jiff::civil::Weekday::Thursday,
        Weekday::Friday => jiff::civil::Weekday::Friday,
        Weekday::Saturday => jiff::civil::Weekday::Saturday,
        Weekday::Sunday => jiff::civil::Weekday::Sunday,
    }
}
