//! The configuration of this command: read once, when something asks what it says.

use std::path::PathBuf;
use std::sync::OnceLock;

use hashlane_config::{Config, Error, Found, find};

use crate::status::Ended;

/// Where it lies.
pub(crate) fn found() -> Found {
    find(|name| std::env::var_os(name))
}

/// What it says; nothing where there is none.
///
/// # Errors
/// It cannot be read, or says what it may not.
pub(crate) fn configuration() -> anyhow::Result<&'static Config> {
    static CONFIG: OnceLock<Result<Config, String>> = OnceLock::new();
    let read = || found().read().map_err(|error| shown(&error));
    CONFIG.get_or_init(read).as_ref().map_err(|error| Ended::usage(error.clone()))
}

/// What is wrong with it, and the way to one that is right.
pub(crate) fn shown(error: &Error) -> String {
    match error {
        Error::Text { .. } => error.to_string(),
        error => format!("{error}; HASHLANE_CONFIG names another configuration, or none if it is empty"),
    }
}

/// The directory of the cache that it names.
pub(crate) fn cache() -> Option<PathBuf> {
    configuration().ok()?.cache.clone()
}
