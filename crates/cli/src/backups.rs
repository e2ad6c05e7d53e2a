//! Copies that the catalogue gets by itself: where they go, which there are, and what is said of them.

use std::path::Path;
use std::sync::OnceLock;

use hashlane_catalog::{Backup, Backups, Error, Occasion, Opening, Way, Writer};
use hashlane_report::text;
use hashlane_report::times::time;
use jiff::Timestamp;

use crate::args::KeptCatalogArgs;
use crate::configuration::configuration;
use crate::output::shown;
use crate::status::{Ended, usage};
use crate::terminal::screen::Screen;

/// The way out where copies cannot go where they are to go.
pub(crate) const ELSEWHERE: &str = ", or name another directory for copies with --backups";

/// Where the copies of this command go.
static BACKUPS: OnceLock<Backups> = OnceLock::new();

/// How the catalogue is opened to be written to: by the user of this process.
pub(crate) fn opening(args: &KeptCatalogArgs) -> Opening {
    let backups =
        BACKUPS.get_or_init(|| args.backups.clone().or_else(of_configuration).unwrap_or_default()).clone();
    Opening { acting: hashlane_keeper::acting(Way::Command), backups }
}

/// Where the configuration has them.
fn of_configuration() -> Option<Backups> {
    let named = configuration().ok()?.backups.as_ref()?;
    Some(Backups::named(named.as_os_str()))
}

/// Where they are for a command that makes none.
fn backups() -> Backups {
    BACKUPS.get().cloned().unwrap_or_else(hashlane_keeper::backups)
}

/// How a catalogue that is damaged comes back.
pub(crate) fn way_back(catalog: &Path) -> String {
    format!("`hashlane catalog restore` restores a backup{}", latest(catalog))
}

/// The same of what is not a catalogue, and may be what is left of one: if a copy of it was made.
pub(crate) fn way_back_of_lost(catalog: &Path) -> String {
    let latest = latest(catalog);
    if latest.is_empty() { latest } else { format!("; `hashlane catalog restore` restores a backup{latest}") }
}

fn latest(catalog: &Path) -> String {
    backups().latest(catalog).map_or_else(String::new, |latest| {
        let (path, time) = (shown(&latest.path), time(latest.made_s));
        format!("; the latest copy that was made by itself is {path}, of {time}")
    })
}

/// Copies the catalogue at the end of an audit, if that is due. What it found is found, whatever becomes of the copy.
pub(crate) fn weekly(catalog: &mut Writer, screen: &Screen) {
    if let Err(error) = catalog.back_up_weekly(Timestamp::now().as_second()) {
        if let Error::AfterCopy { .. } = error {
            return screen.message(&error.to_string());
        }
        let way_out = match &error {
            Error::NoRoomForCopy { .. } | Error::NoBackups { .. } => ELSEWHERE.to_owned(),
            error if error.is_damage() => format!("; {}", way_back(catalog.path())),
            _ => String::new(),
        };
        screen.message(&format!("the weekly copy of the catalogue was not made: {error}{way_out}"));
    }
}

/// Lists the copies of a catalogue for who has not said which one is meant.
pub(crate) fn list(catalog: &Path, screen: &Screen) -> anyhow::Error {
    let backups = backups();
    let found = backups.copies(catalog).and_then(|all| Ok((all.len(), backups.usable(catalog)?)));
    let (all, copies) = match found {
        Ok(found) => found,
        Err(error) => return Ended::output(error),
    };
    let Some(directory) = backups.directory(catalog).filter(|_| !copies.is_empty()) else {
        return usage!("{}: no copy of it was made by itself; name a backup", shown(catalog));
    };
    for Backup { path, occasion, made_s, .. } in &copies {
        let why = match occasion {
            Occasion::Weekly => "weekly".to_owned(),
            Occasion::Migration(version) => format!("the last one of version {version}"),
        };
        screen.message(&format!("{}: {}, {why}", shown(path), time(*made_s)));
    }
    if copies.len() < all {
        let others = text::counted((all - copies.len()) as u64, "other file");
        screen.message(&format!("{others} with such names: unreadable, empty, or of another catalogue"));
    }
    usage!("name one of the copies in {}, or another backup", shown(&directory))
}
