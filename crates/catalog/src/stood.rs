//! What stands of a collection when a run of it ends. It is kept with the run, so that later it can be told how the collection was then.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// What stood of a collection at the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Stood {
    /// Its files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files that were never read.
    pub never_read: u64,
    /// Files that were not read good within the promised time.
    pub late_files: u64,
    /// Whether that is their number, and not an upper bound.
    pub late_is_exact: bool,
    /// Directories that could not be listed.
    pub unlisted: u64,
    /// Findings that nobody knew of, by the name of the verdict.
    pub open: BTreeMap<String, u64>,
    /// Findings that somebody knew of.
    pub acknowledged: BTreeMap<String, u64>,
}

impl Stood {
    /// What a catalogue keeps of it.
    pub(crate) fn text(&self) -> Result<String> {
        serde_json::to_string(self).map_err(Error::json)
    }

    /// What was kept; nothing of a run that has not ended, or that an earlier program has carried out.
    pub(crate) fn of_text(text: &str) -> Result<Option<Self>> {
        match text {
            "{}" => Ok(None),
            text => serde_json::from_str(text).map(Some).map_err(Error::json),
        }
    }
}
