//! What is new of collections.

use hashlane_catalog::Which;
use hashlane_keeper::{CollectionNews, News as Kept};

use super::*;

/// What is new of collections, as a webhook gets it.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::collection) struct News {
    /// The machine that tells it.
    host: String,
    /// When it was made.
    at: Time,
    /// The number of the first event that it is about. Where that is larger than the last, it is about none.
    first_event: i64,
    /// The number of the last event that it is about. Those of one target follow each other.
    last_event: i64,
    /// How all collections are, in one sentence.
    sentence: String,
    /// What is new, what needs a person first.
    collections: Vec<OfCollection>,
}

line_of!(News, "hashlane-news");

/// What is new of a collection.
#[derive(Debug, Serialize, JsonSchema)]
struct OfCollection {
    /// What it is called.
    name: String,
    /// What it is called by nobody, and keeps whatever it is called.
    #[schemars(schema_with = "identity")]
    identity: String,
    /// How it was when that was told last: a state, or `flapping`; null if nothing was told of it.
    was: Option<&'static str>,
    /// How it is.
    is: &'static str,
    /// New findings that still stand.
    new_findings: u64,
    /// Findings that stand, new or not, and that nobody knows of.
    open: u64,
    /// Files that are good again.
    recovered: u64,
    /// The new findings, at most 50 of all collections together.
    findings: Vec<Finding>,
}

impl News {
    pub(in crate::collection) fn of(news: &Kept, host: &str) -> Self {
        Self {
            host: host.to_owned(),
            at: news.now_s.into(),
            first_event: news.first,
            last_event: news.last,
            sentence: crate::collection::overview::in_one_sentence(&news.overviews),
            collections: news.collections.iter().map(OfCollection::of).collect(),
        }
    }
}

impl OfCollection {
    fn of(news: &CollectionNews) -> Self {
        let overview = &news.subject.overview;
        let entries = news.subject.open.iter().flat_map(|kind| &kind.entries);
        Self {
            name: overview.name().to_owned(),
            identity: crate::collection::thread_of(&overview.collection),
            was: news.was.map(hashlane_keeper::Announced::name),
            is: news.is.name(),
            new_findings: news.found,
            open: overview.open(),
            recovered: news.recovered,
            findings: entries.map(|entry| Finding::new(&overview.collection, Which::Open, entry)).collect(),
        }
    }
}
