//! Reading a configuration.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::config::Config;
use crate::error::Error;
use crate::place::Found;
use crate::written;

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

impl Config {
    /// More than any configuration has.
    pub const MOST_BYTES: u64 = 1 << 20;

    /// What a file says.
    ///
    /// # Errors
    /// It cannot be read, is larger than [`Config::MOST_BYTES`], or says what it may not.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = read(path)?;
        Self::parse(&text).map_err(|error| error.of(path))
    }

    /// What a text says.
    ///
    /// # Errors
    /// It is not TOML, has a key that is not known or a value that may not be there: all that is wrong with values is named.
    pub fn parse(text: &str) -> Result<Self, Error> {
        written::config(text)
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
