//! Where the configuration lies.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::{Config, Error};

/// That of the machine, for those who have none of their own.
const OF_MACHINE: &str = "/etc/hashlane/config.toml";

/// Which file it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// One that somebody has named: it has to be there.
    Named(PathBuf),
    /// One at a usual place.
    Usual(PathBuf),
    /// None: somebody wants none, or there is none at these places.
    Nothing(Vec<PathBuf>),
}

impl Found {
    /// What it says; without one, nothing.
    ///
    /// # Errors
    /// As [`Config::read`].
    pub fn read(&self) -> Result<Config, Error> {
        match self {
            Self::Named(path) | Self::Usual(path) => Config::read(path),
            Self::Nothing(_) => Ok(Config::default()),
        }
    }
}

/// Looks for it: `HASHLANE_CONFIG` names it, and is empty where none is wanted; else it is in `hashlane` in the user's directory for
/// configurations, or `/etc/hashlane/config.toml`. `variable`: reads the environment.
pub fn find(variable: impl Fn(&str) -> Option<OsString>) -> Found {
    match variable("HASHLANE_CONFIG") {
        Some(named) if named.is_empty() => return Found::Nothing(Vec::new()),
        Some(named) => return Found::Named(named.into()),
        None => {}
    }
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let of_user = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
    let of_user = of_user.map(|directory| directory.join("hashlane/config.toml"));
    let places: Vec<_> = of_user.into_iter().chain([OF_MACHINE.into()]).collect();
    match places.iter().find(|path| path.symlink_metadata().is_ok()) {
        Some(path) => Found::Usual(path.clone()),
        None => Found::Nothing(places),
    }
}

pub(crate) fn read(path: &Path) -> Result<String, Error> {
    let failed = |source| Error::Read { path: path.into(), source };
    let not = |what: &str| Error::File { path: path.into(), what: what.to_owned() };
    let file = File::open(path).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(not("is not a regular file"));
    }
    let mut text = Vec::new();
    file.take(Config::MOST_BYTES + 1).read_to_end(&mut text).map_err(failed)?;
    if text.len() as u64 > Config::MOST_BYTES {
        return Err(not("is larger than 1 MiB, and so not a configuration"));
    }
    String::from_utf8(text).map_err(|error| {
        let line = 1 + error.as_bytes()[..error.utf8_error().valid_up_to()]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        not(&format!("line {line} is not UTF-8"))
    })
}
