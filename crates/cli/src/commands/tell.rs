//! `hashlane tell`.

use hashlane_catalog::Clock;
use hashlane_config::Config;
use hashlane_notices::{Delivered, TEXTFILE};
use hashlane_report::collection::{message_json, messages_text};

use super::bench::print;
use super::collection::{failed, open};
use crate::args::{ListFormat, TellArgs, TellCommand, TellListArgs, TellTestArgs};
use crate::configuration::configuration;
use crate::status::{Ended, Status};
use crate::telling::{tell, with};
use crate::terminal::screen::Screen;

pub(super) fn run(args: &TellArgs) -> anyhow::Result<Status> {
    match &args.command {
        TellCommand::Run(args) => {
            let mut catalog = open(&args.catalog)?;
            delivered(&tell(targets()?, &mut catalog).map_err(failed)?)
        }
        TellCommand::Retry(args) => {
            let config = targets()?;
            let mut catalog = open(&args.catalog)?;
            catalog.retry_messages(Clock::of_system().now_s()).map_err(failed)?;
            delivered(&tell(config, &mut catalog).map_err(failed)?)
        }
        TellCommand::List(args) => list(args),
        TellCommand::Test(args) => test(args),
    }
}

/// The configuration, if it names anybody.
fn targets() -> anyhow::Result<&'static Config> {
    let config = configuration()?;
    if config.targets().is_empty() {
        return Err(Ended::usage(
            "nobody is told: the configuration names no [mail], [webhook.NAME], [heartbeat] or [textfile]; `hashlane config check` shows where it lies",
        ));
    }
    Ok(config)
}

fn delivered(delivered: &Delivered) -> anyhow::Result<Status> {
    let screen = Screen::plain();
    for (target, why) in &delivered.problems {
        screen.message(&format!("{target}: not told: {why}"));
    }
    if delivered.waiting > 0 {
        let messages = hashlane_report::text::counted(delivered.waiting, "message");
        screen.message(&format!("{messages} not delivered yet; `hashlane tell list` lists them"));
    }
    Ok(if delivered.problems.is_empty() { Status::OK } else { Status::UNREADABLE })
}

fn list(args: &TellListArgs) -> anyhow::Result<Status> {
    let catalog = open(&args.catalog)?;
    let messages =
        catalog.last_messages(usize::try_from(args.limit).unwrap_or(usize::MAX)).map_err(failed)?;
    match args.format {
        ListFormat::Json => {
            let lines: String =
                messages.iter().map(|message| format!("{}\n", message_json(message))).collect();
            print(&lines)?;
        }
        ListFormat::Text if messages.is_empty() => Screen::plain().message("nobody was told anything yet"),
        ListFormat::Text => print(&messages_text(&messages))?,
    }
    Ok(Status::OK)
}

fn test(args: &TellTestArgs) -> anyhow::Result<Status> {
    let config = targets()?;
    let names = config.targets();
    if !names.contains(&args.target) {
        return Err(Ended::usage(format!(
            "{}: no such target; the configuration names {}",
            args.target.escape_debug(),
            names.join(", ")
        )));
    }
    let target = &args.target;
    let told = match &target[..] {
        TEXTFILE => {
            let catalog = open(&args.catalog)?;
            with(config, |notices| notices.write_textfile(&catalog)).map_err(failed)?
        }
        target => with(config, |notices| notices.test(target)),
    };
    let (line, status) = match told {
        Ok(()) => (format!("{target}: told"), Status::OK),
        Err(error) => (format!("{target}: not told: {error}"), Status::UNREADABLE),
    };
    Screen::plain().message(&line);
    Ok(status)
}
