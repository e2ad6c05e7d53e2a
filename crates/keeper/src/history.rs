//! All that is known of one file of a collection.

use std::collections::HashMap;

use hashlane_catalog::{
    Collection, Event, Finding, Item, PastImport, ReadBy, Reader, ReadingKind, Result, Run, RunId, Said,
    Verdict, Version,
};

/// What is known of a file, and what happened to it.
#[derive(Debug)]
pub struct History {
    /// The collection.
    pub collection: Collection,
    /// Where the file lies, below its root.
    pub path: Vec<u8>,
    /// What is known of it.
    pub item: Item,
    /// The last finding of it, which may be over.
    pub finding: Option<Finding>,
    /// What a provider says instead, where that is the finding.
    pub contradiction: Option<Said>,
    /// When it was last read good, in seconds since 1970, and from where.
    pub last_reading: Option<(i64, ReadingKind)>,
    /// Who read it then, if that was not here.
    pub read_by: Option<ReadBy>,
    /// What it was before, the earliest first.
    pub versions: Vec<Version>,
    /// What happened to it, the earliest first.
    pub events: Vec<Event>,
    /// Imports of lists since it is known, the earliest first, and whether they have registered it.
    pub imports: Vec<(PastImport, bool)>,
    /// What providers say of it, the earliest first.
    pub said: Vec<Said>,
    runs: HashMap<RunId, Run>,
}

impl History {
    /// Of an item of a collection, which lies at this path.
    ///
    /// # Errors
    /// The catalogue cannot be read, or is damaged.
    pub fn of(catalog: &Reader, collection: Collection, path: Vec<u8>, item: Item) -> Result<Self> {
        let finding = catalog.finding(&collection, item.id)?;
        let is_contradicted =
            |finding: &Finding| finding.verdict == Verdict::Contradicted && finding.cleared_s.is_none();
        Ok(Self {
            contradiction: match finding.as_ref().is_some_and(is_contradicted) {
                true => catalog.contradiction(collection.id, item.id)?,
                false => None,
            },
            finding,
            last_reading: catalog.last_reading(&collection, item.id)?,
            read_by: catalog.last_read_by(&collection, item.id)?,
            versions: catalog.versions(&collection, item.id)?,
            events: catalog.events(item.id)?,
            imports: catalog.imports_since_known(&collection, &item)?,
            said: catalog.said_of(collection.id, item.id)?,
            runs: catalog.runs(collection.id)?,
            collection,
            path,
            item,
        })
    }

    /// When a run was asked for, in seconds since 1970, if it is known.
    pub fn began_s(&self, run: RunId) -> Option<i64> {
        self.runs.get(&run).map(|run| run.started_s)
    }

    /// What stands against the file.
    pub fn standing(&self) -> Option<&Finding> {
        self.finding.as_ref().filter(|finding| finding.cleared_s.is_none())
    }
}
