//! What an audit writes while it is under way: a line for each finding, and one for its end.

use std::time::Duration;

use hashlane_auditor::{AuditEvent, Audited, HeldBack as Held, Listing, Outcome};
use hashlane_catalog::{
    Collection, Content as Known, Contradiction, EvidenceCounts, ImportedEvidence, ReadBy as By,
    ReportSource, RunId, Seen, Verdict,
};
use hashlane_digest::Digest;
use hashlane_engine::Skipped;
use hashlane_keeper::Outlook;

use super::changes::Seal;
use super::finding::{Finding as Found, ReadBy, Whose};
use super::status::Forecast;
use super::*;

/// What all lines are of.
const SCHEMA: &str = "hashlane-collection-audit";

/// This many directories are written with what is held back; of more, only how many there are.
const MOST_HELD_BACK: usize = 1_000;

schema_fns! {
    outcomes =>
        one_of(["complete", "budget", "stopped", "held", "offline", "refused", "empty", "not-begun"]);
    fates => one_of(["recorded", "known", "would-be-recorded"]);
}

/// The schemas of the lines.
pub(super) fn lines() -> Vec<Value> {
    let kinds = [Finding::TYPE, Unlisted::TYPE, File::TYPE, Audit::TYPE, Evidence::TYPE, Failed::TYPE];
    let mut later = schema_of::<Empty>();
    insert_head(&mut later, SCHEMA, Some(json!({ "type": "string", "not": { "enum": kinds } })));
    later["properties"]["type"]["description"] = "Another kind of line, of a later program: skip it".into();
    vec![
        Finding::schema(),
        File::schema(),
        Unlisted::schema(),
        Failed::schema(),
        Audit::schema(),
        Evidence::schema(),
        later,
    ]
}

/// A line of another kind.
#[derive(JsonSchema)]
struct Empty {}

/// Something stands against a file.
#[derive(Debug, Serialize, JsonSchema)]
struct Finding {
    /// The collection.
    collection: String,
    #[serde(flatten)]
    finding: Found,
    /// Whether it is said for the first time, of this content.
    is_new: bool,
    /// That an earlier audit has found it, and did not come to tell it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    again: bool,
}

line_of!(Finding, SCHEMA, "finding");

/// A directory or a file could not be listed.
#[derive(Debug, Serialize, JsonSchema)]
struct Unlisted {
    /// The collection.
    collection: String,
    #[serde(flatten)]
    path: Path,
    /// What the system said.
    detail: String,
}

line_of!(Unlisted, SCHEMA, "unlisted");

/// A file is not as known, and no finding.
#[derive(Debug, Serialize, JsonSchema)]
struct File {
    /// The collection.
    collection: String,
    #[serde(flatten)]
    path: Path,
    /// The verdict on it.
    #[schemars(schema_with = "verdicts")]
    verdict: &'static str,
    /// What is particular about an edit that was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "causes")]
    cause: Option<&'static str>,
    /// The same in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    detail: Option<String>,
}

line_of!(File, SCHEMA, "file");

/// What happens in an audit of a collection, for programs; nothing of what is not a line.
pub fn audit_event_json(collection: &str, event: &AuditEvent<'_>) -> Option<Value> {
    let collection = collection.to_owned();
    Some(match *event {
        AuditEvent::Finding { path, verdict, is_new, again_s, seen, known, said } => {
            let finding = Found::new(path, verdict, seen, known, said);
            Finding { collection, finding, is_new, again: again_s.is_some() }.value()
        }
        AuditEvent::Unlisted { path, reason } => {
            Unlisted { collection, path: path.into(), detail: reason.to_owned() }.value()
        }
        AuditEvent::File { path, verdict, cause, detail } => File {
            collection,
            path: path.into(),
            verdict: verdict.name_in_collection(),
            cause: cause.map(Cause::name),
            detail: cause.map(|_| detail.to_owned()),
        }
        .value(),
        _ => return None,
    })
}

/// How an audit of a collection ended.
#[derive(Debug, Serialize, JsonSchema)]
struct Audit {
    /// The collection.
    collection: String,
    /// How it ended.
    #[schemars(schema_with = "outcomes")]
    outcome: &'static str,
    /// What it holds back, if it is held: by directory, at most 1000.
    held_back: Vec<HeldBack>,
    /// In how many directories that is.
    held_back_directories: usize,
    /// Why it was held or not begun, or could not reach the collection.
    detail: Option<String>,
    /// Whether it was the first of its collection.
    is_first: bool,
    /// Whether it went on with one that was interrupted.
    goes_on: bool,
    /// What the listing found.
    listed: Listed,
    /// What was to be read.
    planned: Planned,
    /// What was read.
    read: Read,
    /// What was read again, and is not counted in read.
    reread: Reread,
    /// Files by verdict.
    #[schemars(schema_with = "by_verdict")]
    verdicts: Counts,
    /// How long the listing took.
    listing_ms: u64,
    /// How long the reading took.
    reading_ms: u64,
    /// How long it took to read files again.
    rereading_ms: u64,
    /// Who has read, of an audit that took what a run elsewhere has read.
    by: Option<ReadBy>,
    /// Its number, by which hashlane catalog names it; null of a dry run, and of one that was not begun.
    run: Option<i64>,
    /// The Merkle root over the versions of files that the run recorded; null until the run is over.
    seal: Option<Seal>,
    /// What lies in it and is not watched.
    #[schemars(extend("later" = true))]
    not_watched: NotWatched,
    /// What the promise needs: only of a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Forecast")]
    forecast: Option<Forecast>,
}

line_of!(Audit, SCHEMA, "audit");

written! {
    /// What is held back of the files of a directory, without those of directories in it.
    struct HeldBack = of: &Held {
        #[serde(flatten)]
        path: Path = of.path[..].into(),
        /// Files that were not found.
        missing: u64 = of.missing,
        /// Files that had bytes and have none, as far as they were read.
        emptied: u64 = of.emptied,
        /// Files that have changed and are older than they were.
        older: u64 = of.older,
        /// Files that have changed otherwise.
        changed: u64 = of.changed,
        /// Files that could not be read.
        unreadable: u64 = of.unreadable,
    }
}

written! {
    /// What a listing found.
    struct Listed = of: &Listing {
        /// Files.
        files: u64 = of.files,
        /// Their bytes.
        bytes: u64 = of.bytes,
        /// Files that were not known.
        new: u64 = of.new,
        /// Files whose size or time has changed.
        changed: u64 = of.changed,
        /// Files that are gone.
        gone: u64 = of.gone,
        /// Files whose inode has another name now.
        renamed: u64 = of.renamed,
        /// Files that a filter leaves out.
        ignored: u64 = of.ignored,
        /// Files that are there and cannot be read now, because they lie in an archive.
        offline: u64 = of.offline,
        /// Directories that could not be listed.
        unlisted: u64 = of.unlisted,
    }
}

/// What was to be read.
#[derive(Debug, Serialize, JsonSchema)]
struct Planned {
    /// Files.
    files: u64,
    /// Their bytes.
    bytes: u64,
}

/// What was read.
#[derive(Debug, Serialize, JsonSchema)]
struct Read {
    /// Files.
    files: u64,
    /// Their bytes.
    bytes: u64,
    /// Where they came from.
    #[schemars(schema_with = "origin")]
    origin: Origin,
}

/// What was read again.
#[derive(Debug, Serialize, JsonSchema)]
struct Reread {
    /// Files.
    files: u64,
    /// Bytes that were read of them, each time that they were.
    bytes: u64,
}

/// What lies in a collection and is not watched.
#[derive(Debug, Serialize, JsonSchema)]
struct NotWatched {
    /// Symbolic links.
    symbolic_links: u64,
    /// FIFOs, sockets and devices.
    special_files: u64,
    /// Directories in which there is nothing.
    empty_directories: u64,
}

/// How an audit of a collection ended, for programs. `by`: who has read, if that was not here. `outlook`: what the promise needs, of a dry
/// run.
pub fn audit_json(
    collection: &Collection,
    audited: &Audited,
    by: Option<&By>,
    outlook: Option<&Outlook>,
) -> Value {
    let detail = match &audited.outcome {
        Outcome::Held(held) => Some(held.to_string()),
        Outcome::Offline(reason) | Outcome::Refused(reason) => Some(reason.clone()),
        _ => audited.away.clone(),
    };
    let forecast = outlook.and_then(Forecast::new);
    Audit::new(collection, audited, (audited.outcome.name(), detail), by, forecast).value()
}

/// Of an audit that was not begun, and why, for programs.
pub fn not_begun_json(collection: &Collection, why: &str) -> Value {
    let nothing = Audited::nothing(collection.listed_s.is_none());
    Audit::new(collection, &nothing, ("not-begun", Some(why.to_owned())), None, None).value()
}

impl Audit {
    fn new(
        collection: &Collection,
        audited: &Audited,
        (outcome, detail): (&'static str, Option<String>),
        by: Option<&By>,
        forecast: Option<Forecast>,
    ) -> Self {
        let ms = |time: Duration| time.as_millis() as u64;
        let Skipped { symlinks, special, empty_directories, .. } = audited.skipped;
        let counts = audited.counts.iter();
        Self {
            collection: collection.terms.name.clone(),
            outcome,
            held_back: audited.held_back.iter().take(MOST_HELD_BACK).map(Into::into).collect(),
            held_back_directories: audited.held_back.len(),
            detail,
            is_first: audited.is_first,
            goes_on: audited.goes_on,
            listed: (&audited.listing).into(),
            planned: Planned { files: audited.planned_files, bytes: audited.planned_bytes },
            read: Read { files: audited.files, bytes: audited.bytes, origin: (&audited.origin).into() },
            reread: Reread { files: audited.reread_files, bytes: audited.reread_bytes },
            verdicts: counts.map(|(verdict, files)| (verdict.name_in_collection().into(), files)).collect(),
            listing_ms: ms(audited.listing_time),
            reading_ms: ms(audited.reading_time),
            rereading_ms: ms(audited.rereading_time),
            by: by.map(Into::into),
            run: audited.run.map(RunId::number),
            seal: audited.seal.map(Into::into),
            not_watched: NotWatched { symbolic_links: symlinks, special_files: special, empty_directories },
            forecast,
        }
    }
}

/// What became of a report of a provider.
#[derive(Debug, Serialize, JsonSchema)]
struct Evidence {
    /// The collection.
    collection: String,
    /// What became of the report; known: it was recorded before, and says nothing new.
    #[schemars(schema_with = "fates")]
    outcome: &'static str,
    /// The reports that were named.
    reports: Vec<String>,
    /// Rows of them; 0 of one that is known.
    rows: u64,
    /// Rows whose names no file of the collection has.
    unknown_rows: u64,
    /// Files of the collection.
    files: u64,
    /// Those that the report does not name.
    unnamed_files: u64,
    /// Files by what came of them; empty of a report that is known.
    #[schemars(schema_with = "by_comparison")]
    compared: BTreeMap<String, u64>,
    /// Files of which it says another content; of a report that is known those of which that still stands.
    contradicted_files: u64,
    #[serde(flatten)]
    whose: Whose,
}

line_of!(Evidence, SCHEMA, "evidence");

/// A file that a provider could not read.
#[derive(Debug, Serialize, JsonSchema)]
struct Failed {
    /// The collection.
    collection: String,
    #[serde(flatten)]
    path: Path,
    /// Why the provider could not read it.
    detail: String,
    #[serde(flatten)]
    whose: Whose,
}

line_of!(Failed, SCHEMA, "failed");

/// A report of a provider that is imported into a collection, or would be.
#[derive(Clone, Copy, Debug)]
pub struct ImportedReport<'a> {
    /// The name of the collection.
    pub collection: &'a str,
    /// The report.
    pub source: &'a ReportSource,
    /// When it was imported, in seconds since 1970; nothing of one that only would be.
    pub imported_s: Option<i64>,
}

impl ImportedReport<'_> {
    fn whose(&self) -> Whose {
        let ReportSource { provider, kind, made_s, .. } = self.source;
        Whose::new(provider, *kind, *made_s, self.imported_s)
    }

    /// What it says against a file, for programs.
    pub fn contradiction_json(&self, contradiction: &Contradiction<'_>, said: Option<&Digest>) -> Value {
        let Contradiction { path, words, known, is_new, .. } = *contradiction;
        let seen = Seen { detail: words.to_owned(), ..Seen::default() };
        let finding = Found::new(path, Verdict::Contradicted, &seen, known, None);
        let finding = finding.contradicted_by(self.whose(), said, known as &Known);
        Finding { collection: self.collection.to_owned(), finding, is_new, again: false }.value()
    }

    /// That its provider could not read a file, for programs.
    pub fn failed_json(&self, path: &[u8], why: &str) -> Value {
        let (collection, detail) = (self.collection.to_owned(), why.to_owned());
        Failed { collection, path: path.into(), detail, whose: self.whose() }.value()
    }

    /// What became of it, for programs.
    pub fn json(&self, imported: &ImportedEvidence) -> Value {
        let none = EvidenceCounts::default();
        let mut whose = self.whose();
        let (outcome, counts) = match imported {
            ImportedEvidence::Known { imported_s, .. } => {
                whose = Self { imported_s: Some(*imported_s), ..*self }.whose();
                ("known", &none)
            }
            ImportedEvidence::New(counts) if self.imported_s.is_none() => ("would-be-recorded", counts),
            ImportedEvidence::New(counts) => ("recorded", counts),
            _ => ("incomparable", &none),
        };
        Evidence {
            collection: self.collection.to_owned(),
            outcome,
            reports: self.source.files.clone(),
            rows: counts.rows,
            unknown_rows: counts.unknown,
            files: counts.files,
            unnamed_files: counts.unnamed,
            compared: counts.compared.clone(),
            contradicted_files: match imported {
                ImportedEvidence::Known { differs, .. } => *differs,
                _ => counts.of(Compared::Differs),
            },
            whose,
        }
        .value()
    }
}
