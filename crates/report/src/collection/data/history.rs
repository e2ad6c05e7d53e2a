//! What is known of a file, and what happened to it.

use hashlane_catalog::PastImport;
use hashlane_keeper::History as Known;

use super::finding::{Content, Finding, ReadBy, Reading, Said};
use super::report::Import;
use super::*;
use crate::collection::history::state;

/// What `hashlane history --format json` writes of each file.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::collection) struct History {
    #[serde(flatten)]
    path: Path,
    /// The collection.
    collection: String,
    /// What it is, in words for people; finding has the verdict for programs.
    state: &'static str,
    /// What is known of it.
    known: Content,
    /// When that was recorded.
    since: Time,
    /// When it was last read good, and from where.
    last_read_good: Option<Reading>,
    /// Who read it then; null: an audit here.
    read_by: Option<ReadBy>,
    /// What it was before, the earliest first.
    versions: Vec<Version>,
    /// What happened to it, the earliest first.
    events: Vec<Event>,
    /// What providers say of it, none of which was read here; the earliest first.
    evidence: Vec<Said>,
    /// What stands against it.
    finding: Option<Finding>,
    /// Since when its collection could not be reached; null if it can: all this was so before.
    #[schemars(extend("later" = true))]
    offline_since: Time,
    /// Imports of lists since it is known, the earliest first.
    #[schemars(extend("later" = true))]
    imports: Vec<ImportOfThis>,
}

line_of!(History, "hashlane-collection-history");

/// What a file was.
#[derive(Debug, Serialize, JsonSchema)]
struct Version {
    /// When it was recorded.
    since: Time,
    /// When it was replaced.
    until: Time,
    /// Its size.
    size_bytes: Option<u64>,
    /// Its digests, by algorithm.
    digests: Digests,
}

/// What happened to a file.
#[derive(Debug, Serialize, JsonSchema)]
struct Event {
    /// What happened, in one word.
    what: String,
    /// Who did it, or asked for the audit that found it.
    actor: String,
    /// Why.
    reason: String,
    /// What else is to be told.
    detail: String,
    /// When.
    at: Time,
    #[serde(flatten)]
    other: Option<Other>,
}

/// An import of lists, and what it says of the file.
#[derive(Debug, Serialize, JsonSchema)]
struct ImportOfThis {
    #[serde(flatten)]
    import: Import,
    /// Whether it has registered this file.
    registered_this: bool,
}

impl From<&Known> for History {
    fn from(of: &Known) -> Self {
        let version = |version: &hashlane_catalog::Version| Version {
            since: of.began_s(version.run).into(),
            until: of.began_s(version.until).into(),
            size_bytes: version.size,
            digests: Digests::of(&version.digests),
        };
        let event = |event: &hashlane_catalog::Event| Event {
            what: event.what.clone(),
            actor: event.actor.clone(),
            reason: event.reason.clone(),
            detail: event.detail.clone(),
            at: event.at_s.into(),
            other: event.other.as_deref().map(Into::into),
        };
        let import = |(import, registered_this): &(PastImport, bool)| ImportOfThis {
            import: import.into(),
            registered_this: *registered_this,
        };
        let finding = of.standing().map(|finding| {
            Finding::new(
                &of.path,
                finding.verdict,
                &finding.seen,
                &of.item.content,
                of.contradiction.as_ref(),
            )
        });
        Self {
            path: of.path[..].into(),
            collection: of.collection.terms.name.clone(),
            state: state(of),
            known: (&of.item.content).into(),
            since: of.began_s(of.item.run).into(),
            last_read_good: of.last_reading.map(Into::into),
            read_by: of.read_by.as_ref().map(Into::into),
            versions: of.versions.iter().map(version).collect(),
            events: of.events.iter().map(event).collect(),
            evidence: of.said.iter().map(Into::into).collect(),
            finding,
            offline_since: of.collection.offline_s.into(),
            imports: of.imports.iter().map(import).collect(),
        }
    }
}
