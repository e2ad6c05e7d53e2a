//! The keys of the file, and what their values may be.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use serde::Deserialize;
use toml::Spanned;
use url::Url;

use crate::address::{Encryption, Relay};
use crate::config::{Config, Heartbeat, Log, LogFormat, Mail, MailWay, Textfile, Webhook};
use crate::error::{Error, Problem};
use crate::secret::{Hidden, SecretPlace};
use crate::weekday::Weekday;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    catalog: Option<Spanned<PathBuf>>,
    backups: Option<Spanned<PathBuf>>,
    cache: Option<Spanned<PathBuf>>,
    mail: Option<Spanned<WrittenMail>>,
    #[serde(default)]
    webhook: BTreeMap<Spanned<String>, Spanned<WrittenWebhook>>,
    heartbeat: Option<WrittenHeartbeat>,
    textfile: Option<WrittenTextfile>,
    log: Option<WrittenLog>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenMail {
    to: Spanned<OneOrMore>,
    from: Option<Spanned<String>>,
    smtp: Option<Spanned<String>>,
    password_file: Option<Spanned<PathBuf>>,
    password_variable: Option<Spanned<String>>,
    sendmail: Option<Spanned<PathBuf>>,
    directory: Option<Spanned<PathBuf>>,
    #[serde(default)]
    days: Vec<Weekday>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected an address, or a list of addresses")]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenWebhook {
    url: Spanned<String>,
    secret_file: Option<Spanned<PathBuf>>,
    secret_variable: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenHeartbeat {
    url: Spanned<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTextfile {
    path: Spanned<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLog {
    #[serde(default)]
    format: WrittenLogFormat,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WrittenLogFormat {
    #[default]
    Text,
    Json,
}

/// What a text says.
pub(crate) fn config(text: &str) -> Result<Config, Error> {
    let mut found = Found { text, problems: Vec::new() };
    let written: Written = match toml::from_str(text) {
        Ok(written) => written,
        Err(error) => {
            found.add(error.span().unwrap_or(0..0), "", error.message().replace('\n', ", "));
            return Err(found.error());
        }
    };
    let config = Config {
        catalog: found.path("catalog", written.catalog),
        backups: match written.backups {
            Some(backups) if backups.get_ref().as_os_str() == "none" => Some(backups.into_inner()),
            backups => found.path("backups", backups),
        },
        cache: found.path("cache", written.cache),
        mail: written.mail.and_then(|mail| found.mail(mail)),
        webhooks: written
            .webhook
            .into_iter()
            .filter_map(|(name, webhook)| found.webhook(name, webhook))
            .collect(),
        heartbeat: written
            .heartbeat
            .and_then(|WrittenHeartbeat { url }| Some(Heartbeat { url: found.url("heartbeat.url", url)? })),
        textfile: written.textfile.and_then(|WrittenTextfile { path }| {
            let path = found.path("textfile.path", Some(path))?;
            Some(Textfile { path })
        }),
        log: written.log.map(|log| Log {
            format: match log.format {
                WrittenLogFormat::Text => LogFormat::Text,
                WrittenLogFormat::Json => LogFormat::Json,
            },
        }),
    };
    if found.problems.is_empty() { Ok(config) } else { Err(found.error()) }
}

/// What is wrong, as far as it was looked for.
struct Found<'a> {
    text: &'a str,
    problems: Vec<Problem>,
}

impl Found<'_> {
    fn add(&mut self, span: Range<usize>, key: &str, what: impl Into<String>) {
        // What is missing at the end is missing there, and not in front of the file.
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.rsplit('\n').next().unwrap_or_default().chars().count();
        self.problems.push(Problem { line, column, key: key.to_owned(), what: what.into() });
    }

    fn error(mut self) -> Error {
        self.problems.sort_by_key(|problem| (problem.line, problem.column));
        Error::Text { path: None, problems: self.problems }
    }

    /// A path that means the same wherever the program is started.
    fn path(&mut self, key: &str, path: Option<Spanned<PathBuf>>) -> Option<PathBuf> {
        let path = path?;
        if !path.get_ref().is_absolute() {
            self.add(path.span(), key, "not an absolute path: it would mean another file in each directory");
            return None;
        }
        Some(path.into_inner())
    }

    fn url(&mut self, key: &str, url: Spanned<String>) -> Option<Hidden> {
        let what = match Url::parse(url.get_ref()) {
            Ok(parsed) if matches!(parsed.scheme(), "http" | "https") && parsed.has_host() => {
                return Some(Hidden::new(parsed));
            }
            Ok(parsed) => {
                format!("{}:// is not asked by HTTP; write it like https://host/path", parsed.scheme())
            }
            Err(error) => format!("not a URL: {error}; write it like https://host/path"),
        };
        self.add(url.span(), key, what);
        None
    }

    fn secret(
        &mut self,
        (keys, span): ([&str; 2], Range<usize>),
        file: Option<Spanned<PathBuf>>,
        variable: Option<Spanned<String>>,
    ) -> Option<SecretPlace> {
        match (file, variable) {
            (Some(_), Some(variable)) => {
                self.add(
                    variable.span(),
                    keys[1],
                    format!("{} is named as well: one of both, please", keys[0]),
                );
                None
            }
            (Some(file), None) => self.path(keys[0], Some(file)).map(SecretPlace::File),
            (None, Some(variable)) => {
                let name = variable.get_ref();
                if name.is_empty() || name.contains(['=', '\0']) {
                    self.add(span, keys[1], "not the name of a variable");
                    return None;
                }
                Some(SecretPlace::Variable(variable.into_inner()))
            }
            (None, None) => None,
        }
    }

    fn webhook(
        &mut self,
        name: Spanned<String>,
        written: Spanned<WrittenWebhook>,
    ) -> Option<(String, Webhook)> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if name.get_ref().is_empty() || !name.get_ref().bytes().all(plain) {
            self.add(name.span(), "webhook", "its name may have letters, digits, - and _");
            return None;
        }
        let (key, span) = (format!("webhook.{}", name.get_ref()), written.span());
        let WrittenWebhook { url, secret_file, secret_variable } = written.into_inner();
        let url = self.url(&format!("{key}.url"), url);
        if secret_file.is_none() && secret_variable.is_none() {
            self.add(span, &key, "who gets it has to know that it comes from here: name a `secret_file`");
            return None;
        }
        let keys = [&*format!("{key}.secret_file"), &format!("{key}.secret_variable")];
        let secret = self.secret((keys, span), secret_file, secret_variable);
        Some((name.into_inner(), Webhook { url: url?, secret: secret? }))
    }

    fn mail(&mut self, written: Spanned<WrittenMail>) -> Option<Mail> {
        let span = written.span();
        let WrittenMail { to, from, smtp, password_file, password_variable, sendmail, directory, days } =
            written.into_inner();
        let to_span = to.span();
        let to = match to.into_inner() {
            OneOrMore::One(one) => vec![one],
            OneOrMore::More(more) => more,
        };
        if to.is_empty() {
            self.add(to_span.clone(), "mail.to", "nobody is named");
        }
        for address in &to {
            if !is_address(address) {
                let shown = address.escape_debug();
                self.add(
                    to_span.clone(),
                    "mail.to",
                    format!("{shown} is not an address; write it like archive@example.org"),
                );
            }
        }
        if let Some(from) = from.as_ref().filter(|from| !is_address(from.get_ref())) {
            self.add(from.span(), "mail.from", "not an address; write it like hashlane@example.org");
        }
        let keys = ["mail.password_file", "mail.password_variable"];
        let password_span = password_file
            .as_ref()
            .map(Spanned::span)
            .or_else(|| password_variable.as_ref().map(Spanned::span));
        let password = self.secret((keys, span.clone()), password_file, password_variable);
        let way = match (smtp, sendmail, directory) {
            (Some(smtp), None, None) => {
                let relay = match Relay::of(smtp.get_ref()) {
                    Ok(relay) => relay,
                    Err(what) => {
                        self.add(smtp.span(), "mail.smtp", what);
                        return None;
                    }
                };
                match (&relay.user, &password) {
                    (Some(_), None) if password_span.is_none() => {
                        self.add(
                            smtp.span(),
                            "mail.smtp",
                            "a user without a password: name its file with `password_file`",
                        );
                    }
                    (None, Some(_)) => {
                        self.add(
                            smtp.span(),
                            "mail.smtp",
                            "a password without a user: write it like smtps://user@host",
                        );
                    }
                    (Some(_), Some(_)) if relay.encryption == Encryption::None && !relay.is_here() => {
                        self.add(
                            smtp.span(),
                            "mail.smtp",
                            "a password would be sent for all to read; use smtps:// or smtp://",
                        );
                    }
                    _ => {}
                }
                MailWay::Smtp { relay, password }
            }
            (None, Some(sendmail), None) => MailWay::Sendmail(self.path("mail.sendmail", Some(sendmail))?),
            (None, None, Some(directory)) => {
                MailWay::Directory(self.path("mail.directory", Some(directory))?)
            }
            (None, None, None) => {
                self.add(span, "mail", "by what way? Name one of `smtp`, `sendmail` and `directory`");
                return None;
            }
            _ => {
                self.add(span, "mail", "by which way? Name only one of `smtp`, `sendmail` and `directory`");
                return None;
            }
        };
        if !matches!(way, MailWay::Smtp { .. })
            && let Some(span) = password_span
        {
            self.add(span, "mail", "a password is for `smtp` alone");
        }
        Some(Mail { to, from: from.map(Spanned::into_inner), way, days })
    }
}

/// Whether a text is an address to which mail can be sent, and nothing that would say more to a server.
fn is_address(text: &str) -> bool {
    let Some((user, host)) = text.rsplit_once('@') else { return false };
    let is_plain = |text: &str| {
        !text.is_empty() && !text.contains(|c: char| c.is_control() || " <>,;:\"()[]\\".contains(c))
    };
    is_plain(user) && is_plain(host) && text.len() <= 254
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is wrong with a text, and where.
    fn wrong(text: &str) -> Vec<String> {
        Config::parse(text).expect_err("it is wrong").problems().iter().map(Problem::to_string).collect()
    }

    #[test]
    fn what_is_written_is_what_is_meant() {
        let config = Config::parse(
            "catalog = '/var/lib/hashlane/catalog.sqlite'\nbackups = 'none'\n\
             [mail]\nto = ['a@example.org', 'b@example.org']\nsmtp = 'smtps://a%40b@mail.example:4650'\npassword_file = '/etc/p'\n\
             days = ['mon', 'friday']\n\
             [webhook.chat]\nurl = 'https://chat.example/hook/1'\nsecret_variable = 'CHAT'\n\
             [heartbeat]\nurl = 'https://hc.example/1'\n[textfile]\npath = '/run/h.prom'\n[log]\nformat = 'json'\n",
        );
        let config = config.expect("nothing is wrong");
        let mail = config.mail.as_ref().expect("it is there");
        assert_eq!(mail.days, [Weekday::Monday, Weekday::Friday]);
        let MailWay::Smtp { relay, password } = &mail.way else { panic!("{:?}", mail.way) };
        assert_eq!((&relay.host[..], relay.port, relay.user.as_deref()), ("mail.example", 4650, Some("a@b")));
        assert_eq!(*password, Some(SecretPlace::File("/etc/p".into())));
        assert_eq!(config.webhooks["chat"].secret, SecretPlace::Variable("CHAT".into()));
        assert_eq!(config.targets(), ["mail", "webhook.chat", "heartbeat", "textfile"]);
    }

    #[test]
    fn each_error_has_its_line_and_column_and_a_way_out() {
        let mail = "[mail]\nto = 'a@b'\n";
        let rows = [
            (
                "catalogue = '/c'\n",
                &["line 1, column 1: unknown field `catalogue`, expected one of `catalog`,"][..],
            ),
            ("catalog = 'c'\n", &["line 1, column 11: catalog: not an absolute path"]),
            ("\n\ncatalog = 7\n", &["line 3, column 11: invalid type: integer `7`, expected"]),
            ("[mail\n", &["line 1, column 6: "]),
            (
                "[mail]\nto = 7\ndirectory = '/m'\n",
                &["line 2, column 6: expected an address, or a list of addresses"],
            ),
            ("[mail]\nto = 'a@b\\r\\nBcc: c@d'\ndirectory = '/m'\n", &["line 2, column 6: "]),
            (
                "[mail]\nto = \"a@b\\r\\nBcc: c@d\"\ndirectory = '/m'\n",
                &["line 2, column 6: mail.to: a@b\\r\\nBcc: c@d is not an address"],
            ),
            (mail, &["line 1, column 1: mail: by what way? Name one of `smtp`,"]),
            (
                &format!("{mail}smtp = 'smtps://h'\ndirectory = '/m'\n"),
                &["line 1, column 1: mail: by which way?"],
            ),
            (
                &format!("{mail}smtp = 'smtps://u:p@h'\n"),
                &[
                    "line 3, column 8: mail.smtp: a password does not belong here; name its file with `password_file`",
                ],
            ),
            (
                &format!("{mail}smtp = 'https://h'\n"),
                &["line 3, column 8: mail.smtp: https:// is not a way to a mail server"],
            ),
            (
                &format!("{mail}smtp = 'smtp+unencrypted://u@h'\npassword_file = '/p'\n"),
                &["line 3, column 8: mail.smtp: a password would be sent for all to read"],
            ),
            (
                &format!("{mail}smtp = 'smtps://u@h'\n"),
                &["line 3, column 8: mail.smtp: a user without a password"],
            ),
            (
                &format!("{mail}directory = '/m'\ndays = ['someday']\n"),
                &["line 4, column 9: unknown variant `someday`, expected one of"],
            ),
            ("[webhook.a]\nurl = 'https://h/x'\n", &["line 1, column 1: webhook.a: who gets it has to know"]),
            (
                "[webhook.'a b']\nurl = 'https://h/x'\nsecret_file = '/s'\n",
                &["line 1, column 10: webhook: its name may have letters"],
            ),
            (
                "[webhook.a]\nurl = 'ftp://h'\nsecret_file = 's'\n",
                &[
                    "line 2, column 7: webhook.a.url: ftp:// is not asked by HTTP",
                    "line 3, column 15: webhook.a.secret_file: not an absolute path",
                ],
            ),
            (
                "[webhook.a]\nurl = 'https://h'\nsecret = 'whsec_x'\n",
                &["line 3, column 1: unknown field `secret`, expected one of `url`"],
            ),
            (
                "[heartbeat]\nurl = 'not'\n",
                &["line 2, column 7: heartbeat.url: not a URL: relative URL without a base"],
            ),
            ("[textfile]\n", &["line 1, column 1: missing field `path`"]),
            (
                "[log]\nformat = 'xml'\n",
                &["line 2, column 10: unknown variant `xml`, expected `text` or `json`"],
            ),
            ("a = 1\na = 2\n", &["line 2, column 1: duplicate key"]),
        ];
        for (text, expected) in rows {
            let found = wrong(text);
            let fits = found.len() == expected.len()
                && found.iter().zip(expected).all(|(found, begin)| found.starts_with(begin));
            assert!(fits, "{text}\n{found:#?}\nexpected: {expected:#?}");
        }
    }

    #[test]
    fn an_address_says_nothing_else_to_a_server() {
        for good in ["a@b", "first.last+x@example.org", "ä@example.org"] {
            assert!(is_address(good), "{good}");
        }
        for bad in ["", "a", "@b", "a@", "a b@c", "a@b\n", "<a@b>", "a@b,c@d", "a@b\u{0}"] {
            assert!(!is_address(bad), "{bad:?}");
        }
    }
}
