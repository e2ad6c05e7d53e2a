//! A collection, and what was said of it when it was registered.

use hashlane_catalog::Collection as Kept;

use super::*;

/// A collection, as `hashlane collection show --format json` and `list --format json` write it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Collection {
    /// Its name.
    name: String,
    /// The 16 bytes that a collection is known by, whatever its name becomes, in hexadecimal.
    #[schemars(schema_with = "identity")]
    identity: String,
    /// The group that it is listed in; empty: none.
    group: String,
    #[serde(flatten)]
    root: Root,
    /// By which its files are known.
    #[schemars(schema_with = "algorithms")]
    algorithms: Vec<&'static str>,
    /// Within how many seconds every byte is to be read again; null without a promise.
    every_s: Option<i64>,
    /// Whether new and changed files are accepted (living), new ones only (growing), or neither (frozen).
    #[schemars(schema_with = "policies")]
    policy: &'static str,
    /// Only files that match one of these; empty: all.
    include: Vec<String>,
    /// Not files that match one of these.
    exclude: Vec<String>,
    /// Files that match one of these may grow.
    append_only: Vec<String>,
    /// Whether it ends where another file system is mounted.
    one_file_system: bool,
    /// What else it is called.
    tags: Vec<String>,
    /// An audit is held if more files than these and hold_percent are lost or changed.
    hold_files: u64,
    /// In a hundred.
    #[schemars(range(min = 0))]
    hold_percent: f64,
    /// Whether it is of lost and changed files; else it is of lost ones, and of changed ones a tenth, of edited ones half.
    hold_percent_is_of_all: bool,
    /// When it was registered.
    registered: Time,
    /// When its tree was last listed to its end.
    last_listed: Time,
    /// Since when it could not be reached; null if it can.
    offline_since: Time,
    /// What the file says by which its tree is known again.
    marker: Option<String>,
    /// Whether nobody has said the period.
    #[schemars(extend("later" = true))]
    is_default_every: bool,
    /// Whether it may be away.
    #[schemars(extend("later" = true))]
    removable: bool,
    /// Which readings keep its promise; of a store it says nothing.
    #[schemars(extend("later" = true))]
    #[schemars(schema_with = "promise_kinds")]
    from: &'static str,
    /// Whether its first audit may find no files.
    #[schemars(extend("later" = true))]
    allow_empty: bool,
    /// Policies of files that a glob takes; the last one counts.
    #[schemars(extend("later" = true))]
    policies: Vec<PolicyOf>,
    #[serde(flatten)]
    store: Option<Store>,
    /// When it was removed, of one that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Time")]
    removed: Option<Time>,
}

line_of!(Collection, "hashlane-collection");

/// How the store of a collection is asked.
#[derive(Debug, Serialize, JsonSchema)]
struct Store {
    /// The server of the objects; null: what the environment says, else AWS.
    endpoint: Option<String>,
    /// The region of their bucket; null: what the environment says.
    region: Option<String>,
    /// Whether requests are not signed.
    anonymous: bool,
    /// Whether whoever asks pays.
    requester_pays: bool,
}

/// The policy of some files.
#[derive(Debug, Serialize, JsonSchema)]
struct PolicyOf {
    /// The glob.
    glob: String,
    /// Whether new and changed files are accepted (living), new ones only (growing), or neither (frozen).
    #[schemars(schema_with = "policies")]
    policy: &'static str,
}

/// A collection for programs. `removed_s`: when it was removed, in seconds since 1970, of one that was.
pub fn collection_json(collection: &Kept, removed_s: Option<i64>) -> Value {
    let (terms, habits) = (&collection.terms, &collection.terms.habits);
    let policy = |(glob, policy): &(String, Policy)| PolicyOf { glob: glob.clone(), policy: policy.name() };
    Collection {
        name: terms.name.clone(),
        identity: data_encoding::HEXLOWER.encode(&collection.identity),
        group: terms.group.clone(),
        root: terms.root.as_os_str().as_encoded_bytes().into(),
        algorithms: terms.algorithms.iter().map(|algorithm| algorithm.name()).collect(),
        every_s: terms.period_s,
        policy: terms.policy.name(),
        include: terms.selection.include.clone(),
        exclude: terms.selection.exclude.clone(),
        append_only: terms.selection.append_only.clone(),
        one_file_system: terms.selection.one_file_system,
        tags: terms.tags.clone(),
        hold_files: terms.hold_if.files,
        hold_percent: terms.hold_if.percent,
        hold_percent_is_of_all: habits.says_hold_percent,
        registered: collection.created_s.into(),
        last_listed: collection.listed_s.into(),
        offline_since: collection.offline_s.into(),
        marker: collection.marker.clone(),
        is_default_every: habits.is_usual_period,
        removable: habits.is_removable,
        from: if habits.reads_device { "device" } else { "any" },
        allow_empty: habits.may_be_empty,
        policies: terms.policies.iter().map(policy).collect(),
        store: terms.is_in_store().then(|| Store {
            endpoint: terms.store.endpoint.clone(),
            region: terms.store.region.clone(),
            anonymous: terms.store.anonymous,
            requester_pays: terms.store.requester_pays,
        }),
        removed: removed_s.map(Into::into),
    }
    .value()
}
