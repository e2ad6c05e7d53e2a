//! What stands of a collection when a run of it ends. It is kept with the run, so that it can be seen later how the collection was then.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::collections::Collection;
use crate::error::{Error, Result};
use crate::findings::Standing;
use crate::reader::Reader;

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
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn text(&self) -> Result<String> {
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

impl Reader {
    /// What stands of a collection at a time, in seconds since 1970.
    ///
    /// # Errors
    /// The catalogue cannot be read.
    pub fn stood(&self, collection: &Collection, now_s: i64) -> Result<Stood> {
        /// Up to this number late files are looked at one by one, as whoever asks how the collection is has it.
        const MOST_COUNTED: u64 = 100_000;

        let id = collection.id;
        let (total, standing) = (self.present(id)?, self.standing(id, now_s)?);
        let late = self.late_within(collection, now_s, MOST_COUNTED)?;
        let by_verdict = |count: fn(&Standing) -> u64| {
            let counted = standing.iter().filter(|standing| count(standing) > 0);
            counted
                .map(|standing| (standing.verdict.name_in_collection().to_owned(), count(standing)))
                .collect()
        };
        Ok(Stood {
            files: total.files,
            bytes: total.bytes,
            never_read: self.never_read(id)?,
            late_files: late.files(),
            late_is_exact: late.is_exact(),
            unlisted: self.unlisted(id)?,
            open: by_verdict(|standing| standing.open),
            acknowledged: by_verdict(|standing| standing.acknowledged),
        })
    }
}
