#![doc = include_str!("../README.md")]
//! Owns the keys of the file, what their values may be, and how secrets are found. Does not own what is done with them.
//!
//! Invariants:
//! 1. A key that is not known is an error, and so is a value of another type: what is misspelt is not passed over.
//! 2. No secret is in a value that is shown: [`Secret`] and [`Hidden`] print what stands for them.

#![forbid(unsafe_code)]

mod address;
mod error;
mod place;
mod secret;
mod written;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use address::{Encryption, Relay};
pub use error::{Error, Problem};
pub use place::{Found, find};
pub use secret::{Hidden, Secret, SecretError, SecretPlace};
pub use written::Weekday;

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
    /// More than any configuration has.
    pub const MOST_BYTES: u64 = 1 << 20;

    /// What a file says.
    ///
    /// # Errors
    /// It cannot be read, is larger than [`Config::MOST_BYTES`], or says what it may not.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = place::read(path)?;
        Self::parse(&text).map_err(|error| error.of(path))
    }

    /// What a text says.
    ///
    /// # Errors
    /// It is not TOML, has a key that is not known or a value that may not be there: all that is wrong with values is named.
    pub fn parse(text: &str) -> Result<Self, Error> {
        written::config(text)
    }

    /// The names of those who are told, in their order: `mail`, `webhook.NAME`, `heartbeat`, `textfile`.
    pub fn targets(&self) -> Vec<String> {
        let mut names: Vec<_> = self.mail.iter().map(|_| "mail".to_owned()).collect();
        names.extend(self.webhooks.keys().map(|name| format!("webhook.{name}")));
        names.extend(self.heartbeat.iter().map(|_| "heartbeat".to_owned()));
        names.extend(self.textfile.iter().map(|_| "textfile".to_owned()));
        names
    }
}
