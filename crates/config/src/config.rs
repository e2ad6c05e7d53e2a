//! What a configuration says, as values.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::address::Relay;
use crate::secret::{Hidden, SecretPlace};
use crate::weekday::Weekday;

/// What a configuration says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// The catalogue.
    pub catalog: Option<PathBuf>,
    /// The directory of its copies; `none`: none are made.
    pub backups: Option<PathBuf>,
    /// The directory for measurements of this machine.
    pub cache: Option<PathBuf>,
    /// Who gets mail.
    pub mail: Option<Mail>,
    /// Who gets requests, by their names.
    pub webhooks: BTreeMap<String, Webhook>,
    /// Who is told that audits begin and end.
    pub heartbeat: Option<Heartbeat>,
    /// Where metrics go.
    pub textfile: Option<Textfile>,
    /// How lines of the log look.
    pub log: Option<Log>,
}

/// Who gets mail, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mail {
    /// The addresses that it goes to: at least one.
    pub to: Vec<String>,
    /// The address that it comes from; nothing: that of the program on this machine.
    pub from: Option<String>,
    /// By what way it leaves.
    pub way: MailWay,
    /// Days on which a mail is sent although nothing has changed.
    pub days: Vec<Weekday>,
}

/// By what way mail leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailWay {
    /// Through a server.
    Smtp {
        /// Which one.
        relay: Relay,
        /// The password of the user of it.
        password: Option<SecretPlace>,
    },
    /// Through a program that takes it as sendmail does.
    Sendmail(PathBuf),
    /// Into a directory, a file for each.
    Directory(PathBuf),
}

/// Who gets a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Webhook {
    /// Where it goes.
    pub url: Hidden,
    /// What it is signed with.
    pub secret: SecretPlace,
}

/// Who is told that audits begin and end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Heartbeat {
    /// Where it goes, without what is said.
    pub url: Hidden,
}

/// Where metrics go.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Textfile {
    /// The file.
    pub path: PathBuf,
}

/// How lines of the log look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Log {
    /// In which form.
    pub format: LogFormat,
}

/// The form of a line of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

impl Config {
    /// The names of those who are told, in their order: `mail`, `webhook.NAME`, `heartbeat`, `textfile`.
    pub fn targets(&self) -> Vec<String> {
        let mut names: Vec<_> = self.mail.iter().map(|_| "mail".to_owned()).collect();
        names.extend(self.webhooks.keys().map(|name| format!("webhook.{name}")));
        names.extend(self.heartbeat.iter().map(|_| "heartbeat".to_owned()));
        names.extend(self.textfile.iter().map(|_| "textfile".to_owned()));
        names
    }
}
