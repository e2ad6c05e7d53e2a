//! Where the configuration lies.

use std::ffi::OsString;
use std::path::PathBuf;

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
