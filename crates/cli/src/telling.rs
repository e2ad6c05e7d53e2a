//! What is told when audits begin and end, and how.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use hashlane_catalog::{Clock, Writer};
use hashlane_config::Config;
use hashlane_keeper::{NightEnd, Told};
use hashlane_notices::{Delivered, Night, Notices, RunId, night};
use jiff::tz::TimeZone;

use crate::configuration::configuration;
use crate::how::how_to;
use crate::output::shown;
use crate::terminal::screen::Screen;
use crate::version;

/// How long it may take to deliver: what is left waits for the next command.
const PATIENCE: Duration = Duration::from_secs(30);

/// Tells by a configuration.
pub(crate) fn with<T>(config: &Config, tell: impl FnOnce(&Notices<'_>) -> T) -> T {
    let host = shown(rustix::system::uname().nodename().to_string_lossy().as_ref().as_ref());
    let variable = |name: &str| -> Option<OsString> { std::env::var_os(name) };
    let program = version::PROGRAM;
    tell(&Notices {
        config,
        how: &how_to,
        program,
        host: &host,
        clock: Clock::of_system(),
        zone: TimeZone::system(),
        variable: &variable,
    })
}

/// Tells what is new.
pub(crate) fn tell(config: &Config, catalog: &mut Writer) -> hashlane_catalog::Result<Delivered> {
    with(config, |notices| notices.tell(catalog, Instant::now() + PATIENCE))
}

/// What is told of the audits of a command.
pub(crate) struct Telling {
    config: &'static Config,
    run: RunId,
    told: Vec<Told>,
    lines: Vec<String>,
}

impl Telling {
    /// Tells that audits begin; nothing if nobody is told. Nothing waits for that.
    pub(crate) fn begin(catalog: &mut Writer) -> anyhow::Result<Option<Self>> {
        let config = configuration()?;
        if config.targets().is_empty() {
            return Ok(None);
        }
        // What keeps them from being named keeps the end from being put down: then it is told straight.
        let _ = with(config, |notices| notices.name_targets(catalog));
        let run = RunId::new();
        if config.heartbeat.is_some() {
            // Who hears of it late, or not, has an audit to wait for all the same.
            let _ = hashlane_io::start_thread("telling", move || {
                let _ = with(config, |notices| notices.begin(run));
            });
        }
        Ok(Some(Self { config, run, told: Vec::new(), lines: Vec::new() }))
    }

    /// Takes what an audit means, or that there was none, and what is said of it.
    pub(crate) fn take(&mut self, told: Told, line: String) {
        self.told.push(told);
        self.lines.push(line);
    }

    /// Tells what all of them came to. What cannot be told now waits for the next command.
    pub(crate) fn end(self, catalog: &mut Writer, end: &NightEnd, screen: &Screen) {
        let heartbeat = night(Night { end, told: &self.told });
        let put = |notices: &Notices<'_>| -> hashlane_catalog::Result<Delivered> {
            notices.end(catalog, heartbeat, self.run, &self.lines.join("\n"))?;
            notices.tell(catalog, Instant::now() + PATIENCE)
        };
        match with(self.config, put) {
            Ok(delivered) => {
                for (target, why) in &delivered.problems {
                    screen.message(&format!("{target}: not told: {why}; the next command tries again"));
                }
            }
            Err(error) => self.straight(&error.to_string(), screen),
        }
    }

    /// Tells at once that the catalogue does not take what there is to tell.
    pub(crate) fn straight(&self, why: &str, screen: &Screen) {
        let subject = format!("hashlane: the catalogue cannot be used: {why}");
        let text = format!(
            "{subject}\n\nNothing is known to be well until it can be: `hashlane catalog verify` tells what is wrong with it."
        );
        for (target, error) in
            with(self.config, |notices| notices.tell_straight(&subject, &text, Some(self.run)))
        {
            screen.message(&format!("{target}: not told: {error}"));
        }
    }
}
