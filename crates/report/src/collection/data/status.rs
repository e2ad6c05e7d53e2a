//! How collections are, and how far audits of them are.

use hashlane_catalog::{
    Forecast as Needs, Late, Overview, Phase, Readings as Kept, Running as Audit, Standing,
    Stood as KeptStood, Told,
};
use hashlane_keeper::{Outlook as Known, Rate};

use super::finding::Evidence;
use super::*;
use crate::collection::running::share_of_best;

schema_fns! {
    told => one_of(Told::all().map(Told::name));
    heartbeat => one_of(["success", "fail", "log", "start", "nothing"]);
    phases => or_null(one_of(Phase::ALL.map(Phase::name)));
}

/// What `hashlane status --format json` writes.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::collection) struct Status {
    /// How everything is.
    pub(in crate::collection) sentence: String,
    /// The collections, by name.
    pub(in crate::collection) collections: Vec<OfCollection>,
}

impl Line for Status {
    const SCHEMA: &'static str = "hashlane-collection-status";
}

/// How a collection is.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::collection) struct OfCollection {
    /// Its name.
    name: String,
    /// The group that it is listed in; empty: none.
    group: String,
    /// How it is.
    #[schemars(schema_with = "states")]
    state: &'static str,
    /// What else it is called.
    tags: Vec<String>,
    /// Whether new and changed files are accepted (living), new ones only (growing), or neither (frozen).
    #[schemars(schema_with = "policies")]
    policy: &'static str,
    /// Files.
    files: u64,
    /// Their bytes.
    bytes: u64,
    /// Files that were never read.
    never_read: u64,
    /// Within how many seconds every byte is to be read again; null without a promise.
    every_s: Option<i64>,
    /// Whether late_files is their number, and not an upper bound.
    late_is_exact: bool,
    /// Whether its promise is broken.
    is_late: bool,
    /// What the promise needs; null where no rate is known.
    forecast: Option<Forecast>,
    /// When those were read that were read longest ago.
    oldest_reading: Time,
    /// Files that were not read good within the promised time.
    late_files: u64,
    /// Findings that nobody knows of, by verdict.
    #[schemars(schema_with = "by_verdict")]
    findings: Counts,
    /// Findings that somebody knows of, by verdict.
    #[schemars(schema_with = "by_verdict")]
    acknowledged: Counts,
    /// Findings that are over.
    recovered: u64,
    /// Directories that could not be listed.
    unlisted: u64,
    /// The last report of each provider; nothing else counts what it says.
    evidence: Vec<Evidence>,
    /// When the last audit began.
    last_audit: Time,
    /// How it ended; or running, or interrupted.
    last_outcome: Option<String>,
    /// What the promise needs and gets in bytes; null where nothing is promised or known.
    #[schemars(extend("later" = true))]
    outlook: Option<Outlook>,
    /// Since when it could not be reached; null if it can.
    #[schemars(extend("later" = true))]
    offline_since: Time,
    /// The audit of it that is under way; null: none.
    #[schemars(extend("later" = true))]
    running: Option<Running>,
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
    /// Its files by where the bytes of their last good reading came from.
    #[schemars(extend("later" = true))]
    readings: Vec<Readings>,
    /// Whether somebody has to look at it.
    #[schemars(extend("later" = true))]
    needs_a_person: bool,
    /// What its last audit is to those who watch.
    #[schemars(extend("later" = true))]
    #[schemars(schema_with = "told")]
    told: &'static str,
    /// What is to be sent to a monitor that waits for its audits: one of these after each.
    #[schemars(extend("later" = true))]
    #[schemars(schema_with = "heartbeat")]
    heartbeat: &'static str,
    /// When the last audit ended that has judged it.
    #[schemars(extend("later" = true))]
    last_judged: Time,
    /// From when on it is silent, if no audit judges it before.
    #[schemars(extend("later" = true))]
    #[schemars(schema_with = "known_time")]
    silent_from: Time,
    /// Files that other ones have replaced since they were read.
    #[schemars(extend("later" = true))]
    replaced_files: u64,
    /// Files of which mode, owner, links or attributes have changed since they were read.
    #[schemars(extend("later" = true))]
    changed_metadata_files: u64,
    /// Files that a filter leaves out, and against which something stands.
    #[schemars(extend("later" = true))]
    ignored_findings: u64,
    /// Files whose acceptance waits for an audit that is under way.
    #[schemars(extend("later" = true))]
    pending_files: u64,
    /// Files that were not as they were found any more when they were to be accepted.
    #[schemars(extend("later" = true))]
    not_accepted_files: u64,
}

impl OfCollection {
    pub(in crate::collection) fn new(overview: &Overview, outlook: Option<&Known>) -> Self {
        let (collection, terms) = (&overview.collection, &overview.collection.terms);
        Self {
            name: terms.name.clone(),
            group: terms.group.clone(),
            state: overview.condition().state(),
            tags: terms.tags.clone(),
            policy: terms.policy.name(),
            files: overview.total.files,
            bytes: overview.total.bytes,
            never_read: overview.never_read,
            every_s: terms.period_s,
            late_is_exact: matches!(overview.late, Late::Exactly(_)),
            is_late: overview.is_late(),
            forecast: outlook.and_then(Forecast::new),
            oldest_reading: overview.oldest_s.into(),
            late_files: overview.late.files(),
            findings: standing(overview, |standing| standing.open),
            acknowledged: standing(overview, |standing| standing.acknowledged),
            recovered: overview.recovered,
            unlisted: overview.unlisted,
            evidence: overview.evidence.iter().map(Into::into).collect(),
            last_audit: overview.last.as_ref().map(|last| last.started_s).into(),
            last_outcome: overview.last_outcome().map(str::to_owned),
            outlook: outlook.map(|outlook| (&outlook.forecast).into()),
            offline_since: collection.offline_s.into(),
            running: overview.running.as_ref().map(Into::into),
            is_default_every: terms.habits.is_usual_period,
            removable: terms.habits.is_removable,
            from: promise_kind(overview),
            readings: overview.readings.iter().map(Into::into).collect(),
            needs_a_person: overview.needs_a_person(),
            told: overview.told().name(),
            heartbeat: overview.told().heartbeat().name(),
            last_judged: overview.judging.last_s.into(),
            silent_from: overview.judging.silent_from_s.into(),
            replaced_files: overview.replaced,
            changed_metadata_files: overview.changed_metadata,
            ignored_findings: overview.ignored_findings,
            pending_files: overview.pending.waiting,
            not_accepted_files: overview.pending.refused,
        }
    }
}

/// Findings by verdict.
pub(super) fn standing(overview: &Overview, of: fn(&Standing) -> u64) -> Counts {
    by_verdict_of(overview.standing.iter().map(|standing| (standing.verdict, of(standing))))
}

/// Which readings keep the promise of a collection.
pub(super) fn promise_kind(overview: &Overview) -> &'static str {
    if overview.collection.terms.habits.reads_device { "device" } else { "any" }
}

/// Files whose last reading was of one kind.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Readings {
    /// Where the bytes came from; of those that were replaced, nothing was read since.
    #[schemars(schema_with = "kinds_of_readings")]
    reading: &'static str,
    /// How many files.
    files: u64,
    /// Their bytes.
    bytes: u64,
}

impl From<&Kept> for Readings {
    fn from(of: &Kept) -> Self {
        Self { reading: of.reading.name(), files: of.total.files, bytes: of.total.bytes }
    }
}

/// How far an audit is that is under way.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Running {
    /// What it is doing; null of an audit of an earlier version, which does not say.
    #[schemars(schema_with = "phases")]
    phase: Option<&'static str>,
    /// Files that were listed, read or read again in this phase; at the end, those that were read.
    files: u64,
    /// Their bytes, with those of files that are being read.
    bytes: u64,
    /// Bytes that are to be read; an estimate until all files are chosen, null where there is none.
    planned_bytes: Option<u64>,
    /// The rate of the last minute; null where nothing is read.
    bytes_per_second: Option<u64>,
    /// When it began.
    began: Time,
    /// When all this was written.
    at: Time,
    /// The number of its process.
    process: u32,
    /// The machine on which that runs.
    host: String,
}

impl From<&Audit> for Running {
    fn from(of: &Audit) -> Self {
        Self {
            phase: of.phase.map(Phase::name),
            files: of.files,
            bytes: of.bytes,
            planned_bytes: of.planned_bytes,
            bytes_per_second: of.bytes_per_second,
            began: of.began_s.into(),
            at: of.at_s.into(),
            process: of.process,
            host: of.host.clone(),
        }
    }
}

/// How far an audit is, as `hashlane status --follow` writes it.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::collection) struct Progress {
    /// The collection.
    collection: String,
    #[serde(flatten)]
    running: Running,
    /// The share of planned_bytes that was read; null where those are not known.
    #[schemars(schema_with = "maybe_share")]
    share: Option<f64>,
    /// Seconds of reading that are left at this rate; null if unknown.
    remaining_s: Option<f64>,
    /// The best rate that is known of the collection; null: none is.
    best_bytes_per_second: Option<u64>,
    /// By what that was measured: the fastest audit, or hashlane tune.
    #[schemars(schema_with = "maybe_measured_by")]
    best_measured_by: Option<&'static str>,
    /// The share of the best rate that this one is.
    #[schemars(range(min = 0))]
    share_of_best: Option<f64>,
}

impl Line for Progress {
    const SCHEMA: &'static str = "hashlane-collection-progress";
}

impl Progress {
    pub(in crate::collection) fn new(name: &str, of: &Audit, best: Option<Rate>) -> Self {
        Self {
            collection: name.to_owned(),
            running: of.into(),
            share: of.share().map(rounded),
            remaining_s: of.remaining_s().map(f64::round),
            best_bytes_per_second: best.map(|best| best.bytes_per_second.round() as u64),
            best_measured_by: best.map(by),
            share_of_best: best.and_then(|best| share_of_best(of, best)).map(rounded),
        }
    }
}

/// By what a rate was measured.
fn by(rate: Rate) -> &'static str {
    if rate.is_tuned { "tune" } else { "audits" }
}

/// Four digits are enough of a share.
fn rounded(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}

/// What stood of a collection when a run ended, as `status` told it then.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Stood {
    /// Files.
    files: u64,
    /// Their bytes.
    bytes: u64,
    /// Files that were never read.
    never_read: u64,
    /// Files that were not read good within the promised time.
    late_files: u64,
    /// Whether late_files is their number, and not an upper bound.
    late_is_exact: bool,
    /// Directories that could not be listed.
    unlisted: u64,
    /// Findings that nobody knew of, by verdict.
    #[schemars(schema_with = "by_verdict")]
    open: BTreeMap<String, u64>,
    /// Findings that somebody knew of, by verdict.
    #[schemars(schema_with = "by_verdict")]
    acknowledged: BTreeMap<String, u64>,
}

impl From<&KeptStood> for Stood {
    fn from(of: &KeptStood) -> Self {
        Self {
            files: of.files,
            bytes: of.bytes,
            never_read: of.never_read,
            late_files: of.late_files,
            late_is_exact: of.late_is_exact,
            unlisted: of.unlisted,
            open: of.open.clone(),
            acknowledged: of.acknowledged.clone(),
        }
    }
}

/// What a promise needs a day and what it gets, in bytes: that is known without a rate.
#[derive(Debug, Serialize, JsonSchema)]
struct Outlook {
    /// Bytes that have to be read each day.
    #[schemars(with = "u64")]
    need_bytes_per_day: f64,
    /// Bytes that audits read a day; null if no budget ends them.
    #[schemars(with = "Option<u64>")]
    given_bytes_per_day: Option<f64>,
    /// The share of the files that will be late.
    #[schemars(schema_with = "share")]
    late_share: f64,
    /// The shortest period that could be promised, in seconds; null if all will be in time.
    enough_s: Option<i64>,
}

impl From<&Needs> for Outlook {
    fn from(of: &Needs) -> Self {
        Self {
            need_bytes_per_day: of.need_bytes.round(),
            given_bytes_per_day: of.given_bytes.map(f64::round),
            late_share: rounded(of.late),
            enough_s: of.enough_s,
        }
    }
}

/// What a promise needs, and what it gets.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::collection) struct Forecast {
    /// How fast files are read.
    #[schemars(with = "u64")]
    bytes_per_second: f64,
    /// By what that was measured.
    #[schemars(schema_with = "measured_by")]
    measured_by: &'static str,
    /// Seconds of reading that each day needs.
    #[schemars(range(min = 0))]
    need_s_per_day: f64,
    /// Seconds that a day gives; null if nothing limits them.
    given_s_per_day: Option<f64>,
    /// The share of the bytes that will be late.
    #[schemars(schema_with = "share")]
    late_share: f64,
}

impl Forecast {
    /// Nothing where no rate is known.
    pub(in crate::collection) fn new(outlook: &Known) -> Option<Self> {
        let (of, rate) = (&outlook.forecast, outlook.rate?);
        // Milliseconds are enough.
        let of_day = |bytes: f64| (bytes / rate.bytes_per_second * 1000.0).round() / 1000.0;
        Some(Self {
            bytes_per_second: rate.bytes_per_second.round(),
            measured_by: by(rate),
            need_s_per_day: of_day(of.need_bytes),
            given_s_per_day: of.given_bytes.map(of_day),
            late_share: rounded(of.late),
        })
    }
}
