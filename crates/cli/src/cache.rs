//! Where the cache directory lies, and what is said where something cannot be kept there.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use hashlane_profile::{Cache, Error};
use hashlane_report::text;

use crate::configuration;
use crate::output::shown;
use crate::status::unwritten;
use crate::terminal::screen::Screen;

/// Where the cache lies.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CacheArgs {
    /// Directory for measurements of this machine [default: $XDG_CACHE_HOME/hashlane]
    #[arg(long, value_name = "DIR", env = "HASHLANE_CACHE", hide_env_values = true, value_hint = ValueHint::DirPath, hide_short_help = true)]
    pub(crate) cache: Option<PathBuf>,
}

impl CacheArgs {
    /// The one that was named, or the usual one; none without a home.
    pub(crate) fn directory(&self) -> Option<Cache> {
        let named = self.cache.clone().or_else(configuration::cache);
        named.as_deref().map(Cache::at).or_else(Cache::usual)
    }

    /// The place for what is about to be found out, made and tried before time is spent; none, with a word, without a home.
    ///
    /// # Errors
    /// Nothing can be written there. `what` is not to be kept: `the profile`.
    pub(crate) fn place(&self, what: &str) -> anyhow::Result<Option<Cache>> {
        let Some(cache) = self.directory() else {
            Screen::plain().message(&format!(
                "{what} will not be saved: HOME is not set; name a directory with --cache"
            ));
            return Ok(None);
        };
        cache.prepare().map_err(|error| cannot_keep(&cache, what, error))?;
        Ok(Some(cache))
    }
}

/// What is said where something could not be written, and how the command ends then.
pub(crate) fn cannot_keep(cache: &Cache, what: &str, error: Error) -> anyhow::Error {
    let place = shown(cache.directory());
    let error = match error {
        Error::Directory { source, .. } => text::system(&source),
        Error::File { source } => text::system(&source.into()),
        Error::NotRegular { path } => format!("{} is not a regular file; remove it", shown(&path)),
        other => other.to_string(),
    };
    unwritten!(
        "{place}: {error}: {what} cannot be saved; name another directory with --cache, or use --no-save"
    )
}
