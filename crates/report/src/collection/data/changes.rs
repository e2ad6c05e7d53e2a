//! What was changed, what happened, and what was sealed.

use hashlane_catalog::{Change as Kept, EventKind, Happened, Seal as KeptSeal, SealedRun, Way};

use super::*;

schema_fns! {
    ways => one_of(Way::ALL.map(Way::name));
    kinds => one_of(EventKind::ALL.map(EventKind::name));
    percent => json_schema!({ "type": "number" });
}

written! {
    /// A change, as `hashlane catalog changes --format json` writes it.
    pub(in crate::collection) struct Change = of: &Kept {
        /// The number of the change: later ones have higher numbers.
        #[schemars(range(min = 0))]
        number: i64 = of.number,
        /// When it was made.
        at: Time = of.at_s.into(),
        /// What the collection was called then; empty where it is about the catalogue.
        collection: String = of.collection.clone(),
        /// Who made it.
        actor: String = of.actor.clone(),
        /// The number of that user.
        uid: Option<u32> = of.uid,
        /// By what way.
        #[schemars(schema_with = "ways")]
        way: &'static str = of.way.name(),
        /// What was done: added, set, renamed, relocated, removed, restored, purged, accepted, acknowledged, backup, migrated and others.
        what: String = of.what.clone(),
        /// What differs, as it was.
        #[schemars(with = "Terms")]
        before: Map<String, Value> = for_programs(&of.was),
        /// What differs, as it is since.
        #[schemars(with = "Terms")]
        after: Map<String, Value> = for_programs(&of.becomes),
        /// Why; empty if that was not said.
        reason: String = of.reason.clone(),
    }
}

line_of!(Change, "hashlane-catalog-change");

/// Terms of a collection, and what else a change may be about: only what differs.
#[derive(JsonSchema)]
#[schemars(transform = none_required)]
#[expect(dead_code, reason = "they are written as they are kept")]
struct Terms {
    /// What it is called.
    name: String,
    /// Its group.
    group: String,
    /// Where its tree lies.
    root: String,
    /// By which its files are known.
    algorithms: Vec<String>,
    /// Seconds within which each byte is read again.
    period_s: u64,
    /// What new and changed files mean.
    policy: String,
    /// The same of parts of it: globs, each with its policy.
    policies: Vec<Vec<String>>,
    /// Only these belong to it.
    include: Vec<String>,
    /// These do not.
    exclude: Vec<String>,
    /// These may grow.
    append_only: Vec<String>,
    /// Whether other file systems are left out.
    one_file_system: bool,
    /// What else it is called.
    tags: Vec<String>,
    /// It is held beyond so many files.
    hold_files: u64,
    /// And beyond such a share.
    #[schemars(schema_with = "percent")]
    hold_percent: f64,
    /// By which its tree is known again.
    marker: String,
    /// Of its store: the URL.
    endpoint: String,
    /// Of its store: the region.
    region: String,
    /// Of its store: whether requests are not signed.
    anonymous: bool,
    /// Of its store: whether who asks pays.
    requester_pays: bool,
    /// Whether its place may be away.
    is_removable: bool,
    /// Whether its tree may be empty.
    may_be_empty: bool,
    /// Whether its promise is kept by readings of the device alone.
    reads_device: bool,
    /// Whether it alarms when nothing is heard of it.
    minds_silence: bool,
    /// Whether its promise is the default.
    is_usual_period: bool,
    /// Whether somebody has said from which share on it is held.
    says_hold_percent: bool,
    /// Files that it is about.
    files: u64,
    /// Their bytes.
    bytes: u64,
    /// Until when that is known.
    until: Time,
    /// Files that an import has registered.
    registered: u64,
    /// Files that were known with the same content.
    matched: u64,
    /// Files that were known with another content.
    differing: u64,
    /// Files that the tree does not have.
    not_found: u64,
    /// Known files that are in no list.
    not_listed: u64,
    /// The version of the catalogue.
    version: u64,
    /// The copy that was made of the catalogue, or that was restored.
    file: String,
    /// Why a copy was made: weekly.
    occasion: String,
    /// The copy that was made before the catalogue was brought to that version.
    backup: String,
    /// The copy of what the catalogue held before.
    aside: String,
}

fn none_required(schema: &mut Schema) {
    schema.insert("required".to_owned(), json!([]));
}

/// Terms as they are kept, but for times, which programs get as everywhere.
fn for_programs(terms: &Map<String, Value>) -> Map<String, Value> {
    let told = |(key, of): (&String, &Value)| match (&key[..], of.as_i64()) {
        ("since_s" | "until_s", Some(at_s)) => {
            (key.trim_end_matches("_s").to_owned(), value(&Time::from(at_s)))
        }
        _ => (key.clone(), of.clone()),
    };
    terms.iter().map(told).collect()
}

written! {
    /// An event, as `hashlane events --format json` writes it.
    pub(in crate::collection) struct Event = of: &Happened {
        /// The number of the event, which no other one ever has: later ones have higher numbers.
        #[schemars(range(min = 0))]
        number: i64 = of.number,
        /// When it happened.
        at: Time = of.at_s.into(),
        /// What kind of thing it is.
        #[schemars(schema_with = "kinds")]
        kind: &'static str = of.kind.name(),
        /// What the collection is called; empty where it is about the catalogue.
        collection: String = of.collection.clone(),
        /// Who did it, or asked for the run that found it.
        actor: String = of.actor.clone(),
        /// The number of the run.
        run: Option<i64> = of.run.map(|run| run.number()),
        /// What happened: a verdict, what was decided or changed, how a run ended, or whether something has begun or is over.
        what: String = of.what.clone(),
        /// The verdict on the file, where that is what it is about.
        verdict: Option<String> = of.verdict().map(str::to_owned),
        /// Why; empty if that was not said.
        reason: String = of.reason.clone(),
        /// What else is to be told.
        detail: String = of.detail.clone(),
        #[serde(flatten)]
        path: Option<Path> = of.path.as_deref().map(Into::into),
        #[serde(flatten)]
        other: Option<Other> = of.other.as_deref().map(Into::into),
    }
}

line_of!(Event, "hashlane-event");

/// The versions of files that a run recorded, in one number.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Seal {
    /// Versions of files that were recorded.
    leaves: u64,
    /// The root in hexadecimal, as docs/seals.md defines it.
    #[schemars(schema_with = "root_hash")]
    root: String,
}

impl From<KeptSeal> for Seal {
    fn from(of: KeptSeal) -> Self {
        Self { leaves: of.leaves, root: of.root_hex() }
    }
}

written! {
    /// A run with its seal, as `hashlane catalog seals --format json` writes it.
    pub(in crate::collection) struct Sealed = of: &SealedRun {
        /// The number of the run.
        #[schemars(range(min = 0))]
        run: i64 = of.run.number(),
        /// The name that its collection has now.
        collection: String = of.collection.clone(),
        /// The 16 bytes that a collection is known by, whatever its name becomes, in hexadecimal.
        #[schemars(schema_with = "identity")]
        identity: String = data_encoding::HEXLOWER.encode(&of.identity),
        /// When it was asked for.
        begun: Time = of.started_s.into(),
        /// What was asked for: due, all and what narrows it; or accept, acknowledge, import, evidence, policy, relocate.
        request: String = of.request.clone(),
        /// Who asked.
        actor: String = of.actor.clone(),
        #[serde(flatten)]
        seal: Seal = of.seal.into(),
    }
}

line_of!(Sealed, "hashlane-catalog-seal");
