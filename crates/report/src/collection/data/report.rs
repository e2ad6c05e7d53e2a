//! The report of collections, with each finding on a line of its own.

use hashlane_catalog::{
    Collection, Late, OldPlace, OldReading, PastImport, ReadFrom, RunFigures, UnlistedDirectory, Which,
};
use hashlane_keeper::{Ceiling as Best, Entry, Subject, Throughput as Compared, TunedRate};

use super::finding::{Evidence, Finding as Found, Intact, ReadBy, Reading};
use super::status::{Readings, Running, Stood, promise_kind, standing};
use super::*;
use crate::collection::finding::restored;
use crate::times::utc;

schema_fns! {
    ceilings => one_of(["tune", "fastest-audit"]);
    sources => one_of(["device", "cache", "mixed"]);
    standings => one_of([Which::Open, Which::Acknowledged, Which::Recovered].map(standing_name));
}

/// What `hashlane collection report --format json` writes.
#[derive(Serialize, JsonSchema)]
pub(super) struct Report {
    /// The time of the report.
    at: Time,
    /// How everything is.
    sentence: String,
    /// The collections.
    collections: Vec<WithFindings>,
}

line_of!(Report, "hashlane-collection-report");

/// A collection with all its findings.
#[derive(Serialize, JsonSchema)]
struct WithFindings {
    #[serde(flatten)]
    collection: OfReport,
    /// All findings.
    findings: Vec<Finding>,
}

written! {
    /// A collection in a report, without its findings.
    pub(in crate::collection) struct OfReport = subject: &Subject {
        /// Its name.
        name: String = subject.overview.collection.terms.name.clone(),
        /// The group that it is listed in; empty: none.
        group: String = subject.overview.collection.terms.group.clone(),
        #[serde(flatten)]
        root: Root = subject.overview.collection.terms.root.as_os_str().as_encoded_bytes().into(),
        /// How it is.
        #[schemars(schema_with = "states")]
        state: &'static str = subject.overview.condition().state(),
        /// Whether new and changed files are accepted (living), new ones only (growing), or neither (frozen).
        #[schemars(schema_with = "policies")]
        policy: &'static str = subject.overview.collection.terms.policy.name(),
        /// Within how many seconds every byte is to be read again; null without a promise.
        every_s: Option<i64> = subject.overview.collection.terms.period_s,
        /// Files.
        files: u64 = subject.overview.total.files,
        /// Their bytes.
        bytes: u64 = subject.overview.total.bytes,
        /// Files that were never read.
        never_read: u64 = subject.overview.never_read,
        /// Files that were not read good within the promised time.
        late_files: u64 = subject.overview.late.files(),
        /// Whether late_files is their number, and not an upper bound.
        late_is_exact: bool = matches!(subject.overview.late, Late::Exactly(_)),
        /// Since when it could not be reached; null if it can.
        offline_since: Time = subject.overview.collection.offline_s.into(),
        /// How many findings there are.
        counts: Counted = Counted {
            open: standing(&subject.overview, |standing| standing.open),
            new: by_verdict_of(subject.new.iter().copied()),
            acknowledged: standing(&subject.overview, |standing| standing.acknowledged),
            recovered: subject.overview.recovered,
            unlisted: subject.overview.unlisted,
        },
        /// Directories that could not be listed; at most 200.
        unlisted: Vec<Unlisted> = subject.unlisted.iter().map(Into::into).collect(),
        /// Readings that are longest ago, the oldest first; at most 8.
        oldest_readings: Vec<Oldest> = subject.oldest.iter().map(Into::into).collect(),
        /// Which readings keep its promise; of a store it says nothing.
        #[schemars(schema_with = "promise_kinds")]
        from: &'static str = promise_kind(&subject.overview),
        /// Its files by where the bytes of their last good reading came from.
        readings: Vec<Readings> = subject.overview.readings.iter().map(Into::into).collect(),
        /// Files that other ones have replaced since they were read.
        replaced_files: u64 = subject.overview.replaced,
        /// Whether somebody has to look at it.
        needs_a_person: bool = subject.overview.needs_a_person(),
        /// How fast the last audit read that took a second or longer.
        throughput: Option<Throughput> = subject.throughput.as_ref().map(Into::into),
        /// The last audits, the latest first; at most 12.
        audits: Vec<Run> = subject.runs.iter().map(Into::into).collect(),
        /// Reports of providers, the latest first; at most 12.
        evidence: Vec<Evidence> = subject.evidence.iter().map(Into::into).collect(),
        /// The audit of it that is under way; null: none.
        #[schemars(extend("later" = true))]
        running: Option<Running> = subject.overview.running.as_ref().map(Into::into),
        /// Imports of lists, the latest first; at most 12.
        #[schemars(extend("later" = true))]
        imports: Vec<Import> = subject.imports.iter().map(Into::into).collect(),
    }
}

/// How many findings there are of a collection.
#[derive(Debug, Serialize, JsonSchema)]
struct Counted {
    /// Findings that nobody knows of, by verdict.
    #[schemars(schema_with = "by_verdict")]
    open: Counts,
    /// Those of them that the last audit said first.
    #[schemars(schema_with = "by_verdict")]
    new: Counts,
    /// Findings that somebody knows of, by verdict.
    #[schemars(schema_with = "by_verdict")]
    acknowledged: Counts,
    /// Findings that are over.
    recovered: u64,
    /// Directories that could not be listed.
    unlisted: u64,
}

written! {
    /// A directory that could not be listed.
    struct Unlisted = of: &UnlistedDirectory {
        #[serde(flatten)]
        path: Path = of.path[..].into(),
        /// Since when.
        since: Time = of.since_s.into(),
        /// What the system said.
        detail: String = of.detail.clone(),
    }
}

/// Files that were read together, longer ago than others.
#[derive(Debug, Serialize, JsonSchema)]
struct Oldest {
    /// When.
    at: Time,
    /// Where the bytes came from.
    #[schemars(schema_with = "readings")]
    from: &'static str,
    /// Files; those that were retired since then still count.
    files_at_most: u64,
    /// Whether this reading has more files than were counted.
    there_are_more: bool,
    /// Where some of them lie.
    places: Vec<Place>,
}

/// Where files lie that were read together.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Place {
    /// One file.
    File {
        #[serde(flatten)]
        file: OldFile,
        /// Files of this reading in it; those that were retired since then still count.
        files_at_most: u64,
    },
    /// Files of a directory.
    Directory {
        #[serde(flatten)]
        directory: OldDirectory,
        /// Files of this reading in it; those that were retired since then still count.
        files_at_most: u64,
    },
}

impl From<&OldReading> for Oldest {
    fn from(of: &OldReading) -> Self {
        let place = |place: &OldPlace| {
            let files_at_most = place.files();
            match place {
                OldPlace::File(path) => Place::File { file: path[..].into(), files_at_most },
                OldPlace::Directory(path, _) => {
                    Place::Directory { directory: path[..].into(), files_at_most }
                }
            }
        };
        Self {
            at: of.read_s.into(),
            from: of.reading.name(),
            files_at_most: of.files_at_most,
            there_are_more: of.is_cut,
            places: of.places.iter().map(place).collect(),
        }
    }
}

/// How fast an audit read.
#[derive(Debug, Serialize, JsonSchema)]
struct Throughput {
    /// When the audit began.
    audit: Time,
    /// Its rate.
    #[schemars(range(min = 0))]
    bytes_per_second: f64,
    /// Where at least 95 % of the bytes came from.
    #[schemars(schema_with = "sources")]
    from: &'static str,
    /// The best rate that is known of such readings; null if none is known.
    ceiling: Option<Ceiling>,
    /// The rate by that one.
    share_of_ceiling: Option<f64>,
}

/// The best rate that is known.
#[derive(Debug, Serialize, JsonSchema)]
struct Ceiling {
    /// The rate.
    #[schemars(range(min = 0))]
    bytes_per_second: f64,
    /// What reached it.
    #[schemars(schema_with = "ceilings")]
    by: &'static str,
    /// When.
    #[schemars(schema_with = "known_time")]
    at: Option<String>,
}

impl From<&Compared> for Throughput {
    fn from(of: &Compared) -> Self {
        let ceiling = match &of.ceiling {
            Best::Mixed | Best::Alone => None,
            Best::Tuned(TunedRate { bytes_per_second, at }) => {
                Some(Ceiling { bytes_per_second: *bytes_per_second, by: "tune", at: Some(at.clone()) })
            }
            Best::Fastest { bytes_per_second, at_s } => {
                Some(Ceiling { bytes_per_second: *bytes_per_second, by: "fastest-audit", at: utc(*at_s) })
            }
        };
        Self {
            audit: of.run.started_s.into(),
            bytes_per_second: of.bytes_per_second,
            from: match of.from {
                ReadFrom::Device => "device",
                ReadFrom::Cache => "cache",
                ReadFrom::Mixed => "mixed",
            },
            ceiling,
            share_of_ceiling: of.best().map(|best| of.bytes_per_second / best),
        }
    }
}

written! {
    /// An audit.
    struct Run = run: &RunFigures {
        /// When it was asked for.
        begun: Time = run.started_s.into(),
        /// When it ended; null if it can be gone on with.
        ended: Time = run.ended_s.into(),
        /// What was asked for.
        request: String = run.request.clone(),
        /// Who asked.
        actor: String = run.actor.clone(),
        /// How it ended; null if it is under way, or was interrupted.
        outcome: Option<String> = run.outcome.clone(),
        /// Why it was held.
        held: Option<String> = run.counted.held.clone(),
        /// Files listed.
        listed_files: u64 = run.counted.listed_files,
        /// Their bytes.
        listed_bytes: u64 = run.counted.listed_bytes,
        /// Files read.
        read_files: u64 = run.counted.read_files,
        /// Their bytes.
        read_bytes: u64 = run.counted.read_bytes,
        /// Bytes from the device.
        device_bytes: u64 = run.counted.device_bytes,
        /// Bytes from the page cache.
        cache_bytes: u64 = run.counted.cache_bytes,
        /// How long the listing took.
        listing_ms: u64 = run.counted.listing_ms,
        /// How long the reading took.
        reading_ms: u64 = run.counted.reading_ms,
        /// The rate of the reading; null if it took less than a second.
        bytes_per_second: Option<f64> = run.counted.bytes_per_second(),
        /// Who has read; null: the audit itself.
        by: Option<ReadBy> = run.counted.by.as_ref().map(Into::into),
        /// Files by verdict.
        #[schemars(schema_with = "by_verdict")]
        verdicts: BTreeMap<String, u64> = run.counted.verdicts.clone(),
        /// What stood when it ended; null where that was not kept.
        #[schemars(extend("later" = true))]
        standing: Option<Stood> = run.standing.as_ref().map(Into::into),
    }
}

written! {
    /// An import of lists, as it is kept.
    pub(super) struct Import = of: &PastImport {
        /// The number of its run.
        #[schemars(range(min = 0))]
        run: i64 = of.run.number(),
        /// When it was made.
        at: Time = of.at_s.into(),
        /// Who made it.
        actor: String = of.actor.clone(),
        /// Why; empty if that was not said.
        reason: String = of.reason.clone(),
        /// Files that it has registered; the numbers are null where none were kept.
        registered: Option<u64> = of.counted.as_ref().map(|counted| counted.registered),
        /// Files that were known with the same content.
        matched: Option<u64> = of.counted.as_ref().map(|counted| counted.known),
        /// Files that were known with another content.
        differing: Option<u64> = of.counted.as_ref().map(|counted| counted.contradicting),
        /// Files that the tree did not have.
        not_found: Option<u64> = of.counted.as_ref().map(|counted| counted.not_found),
        /// Known files that were in no list.
        not_listed: Option<u64> = of.counted.as_ref().map(|counted| counted.not_listed),
    }
}

/// A finding in a report.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::collection) struct Finding {
    #[serde(flatten)]
    finding: Found,
    /// Whether it stands, and whether somebody knows of it.
    #[schemars(schema_with = "standings")]
    standing: &'static str,
    /// Whether it is open, and the last audit said it first.
    is_new: bool,
    /// When it was first said.
    since: Time,
    /// When it was last seen to be so.
    last_seen: Time,
    /// When it was over.
    recovered: Time,
    /// When it was last read good, and from where.
    last_read_good: Option<Reading>,
    /// Who said to know of it; that may be over.
    acknowledged: Option<Acknowledged>,
    /// Where an intact copy is known; null if none is, absent if none was looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Intact>")]
    intact_copy: Option<Option<Intact>>,
}

/// Who knows of a finding.
#[derive(Debug, Serialize, JsonSchema)]
struct Acknowledged {
    /// Who knows of it.
    by: String,
    /// Why it alarms nobody.
    reason: String,
    /// Since when.
    at: Time,
    /// Until when; null: without an end.
    until: Time,
}

impl Finding {
    pub(in crate::collection) fn new(collection: &Collection, which: Which, entry: &Entry) -> Self {
        let Entry { reported, is_new, copy, is_sought } = entry;
        let finding = &reported.finding;
        let intact = || copy.as_ref().map(|copy| Intact::new(copy, restored(collection, reported, copy)));
        Self {
            finding: Found::new(
                &reported.path,
                finding.verdict,
                &finding.seen,
                &reported.known,
                reported.said.as_ref(),
            ),
            standing: standing_name(which),
            is_new: *is_new,
            since: finding.since_s.into(),
            last_seen: finding.seen_s.into(),
            recovered: finding.cleared_s.into(),
            last_read_good: reported.last_good.map(Into::into),
            acknowledged: finding.known.as_ref().map(|known| Acknowledged {
                by: known.by.clone(),
                reason: known.reason.clone(),
                at: known.at_s.into(),
                until: known.until_s.into(),
            }),
            intact_copy: is_sought.then(intact),
        }
    }
}

fn standing_name(which: Which) -> &'static str {
    match which {
        Which::Open => "open",
        Which::Acknowledged => "acknowledged",
        Which::Recovered => "recovered",
    }
}
