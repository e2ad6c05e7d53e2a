//! `hashlane config`.

use std::path::Path;

use hashlane_config::{Config, Found, MailWay, SecretPlace};

use super::bench::print;
use crate::args::{ConfigArgs, ConfigCommand};
use crate::configuration::{found, shown};
use crate::output::shown as shown_path;
use crate::status::{Ended, Status};
use crate::terminal::screen::Screen;

pub(super) fn run(args: &ConfigArgs) -> anyhow::Result<Status> {
    let (file, is_check) = match &args.command {
        ConfigCommand::Check(check) => (&check.file, true),
        ConfigCommand::Show(show) => (&show.file, false),
    };
    let found = file.clone().map_or_else(found, Found::Named);
    let place = match &found {
        Found::Named(path) | Found::Usual(path) => path.clone(),
        Found::Nothing(places) => {
            let places: Vec<_> = places.iter().map(|place| shown_path(place)).collect();
            Screen::plain().message(&match places.is_empty() {
                true => "there is no configuration: HASHLANE_CONFIG is empty".to_owned(),
                false => format!("there is no configuration; it would lie in {}", places.join(" or ")),
            });
            return Ok(Status::OK);
        }
    };
    let config = found.read().map_err(|error| Ended::usage(shown(&error)))?;
    if !is_check {
        print(&text(&place, &config))?;
        return Ok(Status::OK);
    }
    let mut is_right = true;
    for (key, secret) in secrets(&config) {
        if let Err(error) = secret.secret(|name| std::env::var_os(name)) {
            Screen::plain().message(&format!("{}: {key}: {error}", shown_path(&place)));
            is_right = false;
        }
    }
    if !is_right {
        return Ok(Status::USAGE);
    }
    Screen::plain().message(&format!("{}: nothing is wrong with it", shown_path(&place)));
    Ok(Status::OK)
}

/// Where secrets are, and which keys say so.
fn secrets(config: &Config) -> Vec<(String, SecretPlace)> {
    let mut secrets = Vec::new();
    if let Some(MailWay::Smtp { password: Some(place), .. }) = config.mail.as_ref().map(|mail| &mail.way) {
        secrets.push(("mail: its password".to_owned(), place.clone()));
    }
    secrets.extend(
        config
            .webhooks
            .iter()
            .map(|(name, webhook)| (format!("webhook.{name}: its secret"), webhook.secret.clone())),
    );
    secrets
}

/// What it says, without secrets.
fn text(place: &Path, config: &Config) -> String {
    let mut text = format!("# {}\n", shown_path(place));
    let mut line = |key: &str, value: String| text += &format!("{key}: {value}\n");
    for (key, path) in [("catalog", &config.catalog), ("backups", &config.backups), ("cache", &config.cache)]
    {
        path.iter().for_each(|path| line(key, shown_path(path)));
    }
    if let Some(mail) = &config.mail {
        line("mail.to", mail.to.join(", "));
        match &mail.way {
            MailWay::Smtp { relay, password } => {
                line("mail.smtp", relay.to_string());
                password.iter().for_each(|place| line("mail.password", secret(place)));
            }
            MailWay::Sendmail(program) => line("mail.sendmail", shown_path(program)),
            MailWay::Directory(directory) => line("mail.directory", shown_path(directory)),
        }
        if !mail.days.is_empty() {
            let days: Vec<_> = mail.days.iter().map(|day| format!("{day:?}").to_lowercase()).collect();
            line("mail.days", days.join(", "));
        }
    }
    for (name, webhook) in &config.webhooks {
        line(&format!("webhook.{name}.url"), webhook.url.to_string());
        line(&format!("webhook.{name}.secret"), secret(&webhook.secret));
    }
    config.heartbeat.iter().for_each(|heartbeat| line("heartbeat.url", heartbeat.url.to_string()));
    config.textfile.iter().for_each(|textfile| line("textfile.path", shown_path(&textfile.path)));
    text
}

fn secret(place: &SecretPlace) -> String {
    match place {
        SecretPlace::File(path) => format!("in {}", shown_path(path)),
        SecretPlace::Variable(name) => format!("in the variable {name}"),
    }
}
