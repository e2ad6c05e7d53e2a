//! Findings, and what is known of their files.

use hashlane_catalog::{
    Compared, Content as Known, Evidence as Kept, EvidenceKind, IntactCopy, ReadBy as By, ReadingKind,
    Said as Claim, Seen as Found, Verdict,
};
use hashlane_digest::Digest;
use schemars::JsonSchema;
use serde::Serialize;

use super::*;

written! {
    /// What is known of a file, or was found of it.
    pub(super) struct Content = of: &Known {
        /// The size.
        size_bytes: Option<u64> = of.size,
        /// When it was last written to.
        modified: Time = of.modified.into(),
        /// When it was last changed in any way.
        changed: Time = of.changed.into(),
        /// Its number in the file system.
        inode: Option<u64> = of.inode,
        /// Its digests, by algorithm.
        digests: Digests = Digests::of(&of.digests),
    }
}

/// What was there instead of what is known.
#[derive(Debug, Serialize, JsonSchema)]
struct Seen {
    #[serde(flatten)]
    content: Content,
    /// Digests of later readings past the page cache, one after the other.
    #[schemars(schema_with = "hexes")]
    again: Vec<String>,
    /// Where the bytes of the last reading came from.
    #[schemars(schema_with = "maybe_readings")]
    reading: Option<&'static str>,
}

/// A finding: what it is, of which file, and what is to be told of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::collection) struct Finding {
    #[serde(flatten)]
    path: Path,
    /// The verdict on it.
    #[schemars(schema_with = "verdicts")]
    verdict: &'static str,
    /// What is known of it.
    known: Content,
    /// What was there instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Seen")]
    seen: Option<Seen>,
    /// What else is to be told: the likely cause, what the system said.
    #[serde(skip_serializing_if = "String::is_empty")]
    detail: String,
    /// How it came about, as far as the audit has tested it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "causes")]
    cause: Option<&'static str>,
    /// What a provider says instead, of a file that one contradicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Contradiction")]
    contradiction: Option<Contradiction>,
}

impl Finding {
    pub(in crate::collection) fn new(
        path: &[u8],
        verdict: Verdict,
        seen: &Found,
        known: &Known,
        said: Option<&Claim>,
    ) -> Self {
        let found = Seen {
            content: (&seen.content).into(),
            again: seen.again.iter().map(ToString::to_string).collect(),
            reading: seen.reading.map(ReadingKind::name),
        };
        Self {
            path: path.into(),
            verdict: verdict.name_in_collection(),
            known: known.into(),
            seen: (*seen != Found::default()).then_some(found),
            detail: seen.detail.clone(),
            cause: seen.cause.map(hashlane_catalog::Cause::name),
            contradiction: said.and_then(|said| {
                let Kept { provider, kind, made_s, imported_s, .. } = &said.evidence;
                let whose = Whose::new(provider, *kind, *made_s, Some(*imported_s));
                Contradiction::new(whose, said.digest.as_ref(), known)
            }),
        }
    }

    /// The same with what a report says instead.
    pub(super) fn contradicted_by(mut self, whose: Whose, said: Option<&Digest>, known: &Known) -> Self {
        self.contradiction = Contradiction::new(whose, said, known);
        self
    }
}

/// What is known of a file, and what a provider says instead.
#[derive(Debug, Serialize, JsonSchema)]
struct Contradiction {
    /// The algorithm of both digests.
    #[schemars(schema_with = "algorithm")]
    algorithm: &'static str,
    /// The digest that is known, in hexadecimal.
    #[schemars(schema_with = "maybe_hex")]
    known: Option<String>,
    /// The one that the provider has.
    #[schemars(schema_with = "hex")]
    said: String,
    #[serde(flatten)]
    whose: Whose,
}

impl Contradiction {
    fn new(whose: Whose, said: Option<&Digest>, known: &Known) -> Option<Self> {
        let said = said?;
        let of = known.digests.iter().find(|digest| digest.algorithm() == said.algorithm());
        Some(Self {
            algorithm: said.algorithm().name(),
            known: of.map(ToString::to_string),
            said: said.to_string(),
            whose,
        })
    }
}

/// When a file was read, and from where.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Reading {
    /// When.
    at: Time,
    /// Where the bytes came from.
    #[schemars(schema_with = "readings")]
    from: &'static str,
}

impl From<(i64, ReadingKind)> for Reading {
    fn from((at_s, kind): (i64, ReadingKind)) -> Self {
        Self { at: at_s.into(), from: kind.name() }
    }
}

/// Where an intact copy of a file is known.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Intact {
    /// The collection that it belongs to.
    collection: String,
    #[serde(flatten)]
    path: Path,
    /// When it was last read good.
    read_good: Time,
    /// Where the bytes came from.
    #[schemars(schema_with = "readings")]
    from: &'static str,
    /// The command that puts it in the place of the file; null if none is known.
    restore: Option<String>,
}

impl Intact {
    pub(super) fn new(copy: &IntactCopy, restore: Option<String>) -> Self {
        Self {
            collection: copy.collection.terms.name.clone(),
            path: copy.path[..].into(),
            read_good: copy.read_s.into(),
            from: copy.reading.name(),
            restore,
        }
    }
}

written! {
    /// A run elsewhere, whose readings an audit has taken.
    pub(super) struct ReadBy = by: &By {
        /// The program that read, with its version.
        program: String = by.program.clone(),
        /// The version of hashlane on its nodes.
        hashlane: String = by.hashlane.clone(),
        /// The name of its run.
        run_id: String = by.id.clone(),
        /// What it read, as its nodes saw it.
        source: String = by.source.clone(),
        /// Where its tables were when they were taken.
        directory: String = by.place.clone(),
        /// Tables of readings.
        tables: u64 = by.tables,
        /// Their rows.
        rows: u64 = by.rows,
        /// BLAKE3 of the _manifest.json, which has the digests of the tables.
        manifest_blake3: String = by.blake3.clone(),
        /// When the run began: its readings count from then.
        started: Time = by.started_s.into(),
        /// When it ended.
        ended: Time = by.ended_s.into(),
    }
}

/// Who has made a report, and when.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Whose {
    /// Who has made the report.
    provider: String,
    /// Whether the provider has computed it from the stored bytes, or only states it.
    #[schemars(schema_with = "kinds_of_evidence")]
    kind: &'static str,
    /// When it was made; null if it does not say so.
    made: Time,
    /// When it was imported; null if it would only be.
    imported: Time,
}

impl Whose {
    pub(super) fn new(
        provider: &str,
        kind: EvidenceKind,
        made_s: Option<i64>,
        imported_s: Option<i64>,
    ) -> Self {
        Self {
            provider: provider.to_owned(),
            kind: kind.name(),
            made: made_s.into(),
            imported: imported_s.into(),
        }
    }

    fn of(report: &Kept) -> Self {
        Self::new(&report.provider, report.kind, report.made_s, Some(report.imported_s))
    }
}

written! {
    /// A report of a provider, as it is kept.
    pub(super) struct Evidence = report: &Kept {
        #[serde(flatten)]
        whose: Whose = Whose::of(report),
        /// The reports that were named.
        reports: Vec<String> = report.files.clone(),
        /// Files with which it agrees, and which are still of that version.
        attested_files: u64 = report.agrees,
        /// Files from which it differs, of that version still, and not settled since.
        contradicted_files: u64 = report.differs,
        /// What was counted when it was imported.
        at_import: AtImport = AtImport {
            rows: report.counts.rows,
            unknown_rows: report.counts.unknown,
            files: report.counts.files,
            unnamed_files: report.counts.unnamed,
            compared: report.counts.compared.clone(),
        },
    }
}

/// What was counted when a report was imported.
#[derive(Debug, Serialize, JsonSchema)]
struct AtImport {
    /// Its rows.
    rows: u64,
    /// Rows whose names no file of the collection had.
    unknown_rows: u64,
    /// Files of the collection.
    files: u64,
    /// Those that it does not name.
    unnamed_files: u64,
    /// Files by what came of them.
    #[schemars(schema_with = "by_comparison")]
    compared: BTreeMap<String, u64>,
}

written! {
    /// What a report says of one file.
    pub(super) struct Said = said: &Claim {
        #[serde(flatten)]
        whose: Whose = Whose::of(&said.evidence),
        /// What came of comparing it with what was known then.
        #[schemars(schema_with = "comparisons")]
        outcome: &'static str = Compared::name(said.compared),
        /// The checksum that decided, or the first one.
        digests: Digests = Digests::of(&said.digest),
        /// The name of a checksum that is no digest here.
        other_checksum: Option<String> = said.other.clone(),
        /// The size, as the report says.
        size_bytes: Option<u64> = said.size,
        /// When it was written, as the report says.
        modified: Time = said.modified.map(|time| time.seconds).into(),
        /// The version that the report speaks of.
        version_id: Option<String> = said.version.clone(),
        /// Its entity tag.
        etag: Option<String> = said.etag.clone(),
        /// Why the provider failed, if it did.
        detail: String = said.detail.clone(),
        /// Whether it still counts: the file is of that version, and no reading has settled what differs.
        is_current: bool = said.is_current,
    }
}
