//! How collections are, and how far audits of them are.

use hashlane_catalog::{
    Forecast as Needs, Late, Phase, Readings as Kept, Running as Audit, Standing, Stood as KeptStood,
};
use hashlane_keeper::{Outlook as Known, Overview, Rate, Told, Watched};

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

line_of!(Status, "hashlane-collection-status");

written! {
    /// How a collection is.
    pub(in crate::collection) struct OfCollection = of: &Watched {
        /// Its name.
        name: String = of.overview.collection.terms.name.clone(),
        /// The group that it is listed in; empty: none.
        group: String = of.overview.collection.terms.group.clone(),
        /// How it is.
        #[schemars(schema_with = "states")]
        state: &'static str = of.overview.condition().state(),
        /// What else it is called.
        tags: Vec<String> = of.overview.collection.terms.tags.clone(),
        /// Whether new and changed files are accepted (living), new ones only (growing), or neither (frozen).
        #[schemars(schema_with = "policies")]
        policy: &'static str = of.overview.collection.terms.policy.name(),
        /// Files.
        files: u64 = of.overview.total.files,
        /// Their bytes.
        bytes: u64 = of.overview.total.bytes,
        /// Files that were never read.
        never_read: u64 = of.overview.never_read,
        /// Within how many seconds every byte is to be read again; null without a promise.
        every_s: Option<i64> = of.overview.collection.terms.period_s,
        /// Whether late_files is their number, and not an upper bound.
        late_is_exact: bool = matches!(of.overview.late, Late::Exactly(_)),
        /// Whether its promise is broken.
        is_late: bool = of.overview.is_late(),
        /// What the promise needs; null where no rate is known.
        forecast: Option<Forecast> = of.outlook.as_ref().and_then(Forecast::new),
        /// When those were read that were read longest ago.
        oldest_reading: Time = of.overview.oldest_s.into(),
        /// Files that were not read good within the promised time.
        late_files: u64 = of.overview.late.files(),
        /// Findings that nobody knows of, by verdict.
        #[schemars(schema_with = "by_verdict")]
        findings: Counts = standing(&of.overview, |standing| standing.open),
        /// Findings that somebody knows of, by verdict.
        #[schemars(schema_with = "by_verdict")]
        acknowledged: Counts = standing(&of.overview, |standing| standing.acknowledged),
        /// Findings that are over.
        recovered: u64 = of.overview.recovered,
        /// Directories that could not be listed.
        unlisted: u64 = of.overview.unlisted,
        /// The last report of each provider; nothing else counts what it says.
        evidence: Vec<Evidence> = of.overview.evidence.iter().map(Into::into).collect(),
        /// When the last audit began.
        last_audit: Time = of.overview.last.as_ref().map(|last| last.started_s).into(),
        /// How it ended; or running, or interrupted.
        last_outcome: Option<String> = of.overview.last_outcome().map(str::to_owned),
        /// What the promise needs and gets in bytes; null where nothing is promised or known.
        #[schemars(extend("later" = true))]
        outlook: Option<Outlook> = of.outlook.as_ref().map(|outlook| (&outlook.forecast).into()),
        /// Since when it could not be reached; null if it can.
        #[schemars(extend("later" = true))]
        offline_since: Time = of.overview.collection.offline_s.into(),
        /// The audit of it that is under way; null: none.
        #[schemars(extend("later" = true))]
        running: Option<Running> = of.overview.running.as_ref().map(Into::into),
        /// Whether nobody has said the period.
        #[schemars(extend("later" = true))]
        is_default_every: bool = of.overview.collection.terms.habits.is_usual_period,
        /// Whether it may be away.
        #[schemars(extend("later" = true))]
        removable: bool = of.overview.collection.terms.habits.is_removable,
        /// Which readings keep its promise; of a store it says nothing.
        #[schemars(extend("later" = true))]
        #[schemars(schema_with = "promise_kinds")]
        from: &'static str = promise_kind(&of.overview),
        /// Its files by where the bytes of their last good reading came from.
        #[schemars(extend("later" = true))]
        readings: Vec<Readings> = of.overview.readings.iter().map(Into::into).collect(),
        /// Whether somebody has to look at it.
        #[schemars(extend("later" = true))]
        needs_a_person: bool = of.overview.needs_a_person(),
        /// What its last audit is to those who watch.
        #[schemars(extend("later" = true))]
        #[schemars(schema_with = "told")]
        told: &'static str = of.overview.told().name(),
        /// What is to be sent to a monitor that waits for its audits: one of these after each.
        #[schemars(extend("later" = true))]
        #[schemars(schema_with = "heartbeat")]
        heartbeat: &'static str = of.overview.told().heartbeat().name(),
        /// When the last audit ended that has judged it.
        #[schemars(extend("later" = true))]
        last_judged: Time = of.overview.judging.last_s.into(),
        /// From when on it is silent, if no audit judges it before.
        #[schemars(extend("later" = true))]
        #[schemars(schema_with = "known_time")]
        silent_from: Time = of.overview.judging.silent_from_s.into(),
        /// Files that other ones have replaced since they were read.
        #[schemars(extend("later" = true))]
        replaced_files: u64 = of.overview.replaced,
        /// Files of which mode, owner, links or attributes have changed since they were read.
        #[schemars(extend("later" = true))]
        changed_metadata_files: u64 = of.overview.changed_metadata,
        /// Files that a filter leaves out, and against which something stands.
        #[schemars(extend("later" = true))]
        ignored_findings: u64 = of.overview.ignored_findings,
        /// Files whose acceptance waits for an audit that is under way.
        #[schemars(extend("later" = true))]
        pending_files: u64 = of.overview.pending.waiting,
        /// Files that were not as they were found any more when they were to be accepted.
        #[schemars(extend("later" = true))]
        not_accepted_files: u64 = of.overview.pending.refused,
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

written! {
    /// Files whose last reading was of one kind.
    pub(super) struct Readings = of: &Kept {
        /// Where the bytes came from; of those that were replaced, nothing was read since.
        #[schemars(schema_with = "kinds_of_readings")]
        reading: &'static str = of.reading.name(),
        /// How many files.
        files: u64 = of.total.files,
        /// Their bytes.
        bytes: u64 = of.total.bytes,
    }
}

written! {
    /// How far an audit is that is under way.
    pub(super) struct Running = of: &Audit {
        /// What it is doing; null of an audit of an earlier version, which does not say.
        #[schemars(schema_with = "phases")]
        phase: Option<&'static str> = of.phase.map(Phase::name),
        /// Files that were listed, read or read again in this phase; at the end, those that were read.
        files: u64 = of.files,
        /// Their bytes, with those of files that are being read.
        bytes: u64 = of.bytes,
        /// Bytes that are to be read; an estimate until all files are chosen, null where there is none.
        planned_bytes: Option<u64> = of.planned_bytes,
        /// The rate of the last minute; null where nothing is read.
        bytes_per_second: Option<u64> = of.bytes_per_second,
        /// When it began.
        began: Time = of.began_s.into(),
        /// When all this was written.
        at: Time = of.at_s.into(),
        /// The number of its process.
        process: u32 = of.process,
        /// The machine on which that runs.
        host: String = of.host.clone(),
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

line_of!(Progress, "hashlane-collection-progress");

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

written! {
    /// What stood of a collection when a run ended, as `status` told it then.
    pub(super) struct Stood = of: &KeptStood {
        /// Files.
        files: u64 = of.files,
        /// Their bytes.
        bytes: u64 = of.bytes,
        /// Files that were never read.
        never_read: u64 = of.never_read,
        /// Files that were not read good within the promised time.
        late_files: u64 = of.late_files,
        /// Whether late_files is their number, and not an upper bound.
        late_is_exact: bool = of.late_is_exact,
        /// Directories that could not be listed.
        unlisted: u64 = of.unlisted,
        /// Findings that nobody knew of, by verdict.
        #[schemars(schema_with = "by_verdict")]
        open: BTreeMap<String, u64> = of.open.clone(),
        /// Findings that somebody knew of, by verdict.
        #[schemars(schema_with = "by_verdict")]
        acknowledged: BTreeMap<String, u64> = of.acknowledged.clone(),
    }
}

written! {
    /// What a promise needs a day and what it gets, in bytes: that is known without a rate.
    struct Outlook = of: &Needs {
        /// Bytes that have to be read each day.
        #[schemars(with = "u64")]
        need_bytes_per_day: f64 = of.need_bytes.round(),
        /// Bytes that audits read a day; null if no budget ends them.
        #[schemars(with = "Option<u64>")]
        given_bytes_per_day: Option<f64> = of.given_bytes.map(f64::round),
        /// The share of the files that will be late.
        #[schemars(schema_with = "share")]
        late_share: f64 = rounded(of.late),
        /// The shortest period that could be promised, in seconds; null if all will be in time.
        enough_s: Option<i64> = of.enough_s,
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
