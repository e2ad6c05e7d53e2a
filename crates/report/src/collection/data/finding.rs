//! Findings, and what is known of their files.

use hashlane_catalog::{
    Compared, Content as Known, Evidence as Kept, EvidenceKind, IntactCopy, ReadBy as By, ReadingKind,
    Said as Claim, Seen as Found, Verdict,
};
use hashlane_digest::Digest;
use schemars::JsonSchema;
use serde::Serialize;

use super::*;

/// What is known of a file, or was found of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Content {
    /// The size.
    size_bytes: Option<u64>,
    /// When it was last written to.
    modified: Time,
    /// When it was last changed in any way.
    changed: Time,
    /// Its number in the file system.
    inode: Option<u64>,
    /// Its digests, by algorithm.
    digests: Digests,
}

impl From<&Known> for Content {
    fn from(of: &Known) -> Self {
        let Known { size, inode, modified, changed, digests, .. } = of;
        Self {
            size_bytes: *size,
            modified: (*modified).into(),
            changed: (*changed).into(),
            inode: *inode,
            digests: Digests::of(digests),
        }
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

/// A run elsewhere, whose readings an audit has taken.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ReadBy {
    /// The program that read, with its version.
    program: String,
    /// The version of hashlane on its nodes.
    hashlane: String,
    /// The name of its run.
    run_id: String,
    /// What it read, as its nodes saw it.
    source: String,
    /// Where its tables were when they were taken.
    directory: String,
    /// Tables of readings.
    tables: u64,
    /// Their rows.
    rows: u64,
    /// BLAKE3 of the _manifest.json, which has the digests of the tables.
    manifest_blake3: String,
    /// When the run began: its readings count from then.
    started: Time,
    /// When it ended.
    ended: Time,
}

impl From<&By> for ReadBy {
    fn from(by: &By) -> Self {
        Self {
            program: by.program.clone(),
            hashlane: by.hashlane.clone(),
            run_id: by.id.clone(),
            source: by.source.clone(),
            directory: by.place.clone(),
            tables: by.tables,
            rows: by.rows,
            manifest_blake3: by.blake3.clone(),
            started: by.started_s.into(),
            ended: by.ended_s.into(),
        }
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

/// A report of a provider, as it is kept.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Evidence {
    #[serde(flatten)]
    whose: Whose,
    /// The reports that were named.
    reports: Vec<String>,
    /// Files with which it agrees, and which are still of that version.
    attested_files: u64,
    /// Files from which it differs, of that version still, and not settled since.
    contradicted_files: u64,
    /// What was counted when it was imported.
    at_import: AtImport,
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

impl From<&Kept> for Evidence {
    fn from(report: &Kept) -> Self {
        let counts = &report.counts;
        Self {
            whose: Whose::of(report),
            reports: report.files.clone(),
            attested_files: report.agrees,
            contradicted_files: report.differs,
            at_import: AtImport {
                rows: counts.rows,
                unknown_rows: counts.unknown,
                files: counts.files,
                unnamed_files: counts.unnamed,
                compared: counts.compared.clone(),
            },
        }
    }
}

/// What a report says of one file.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Said {
    #[serde(flatten)]
    whose: Whose,
    /// What came of comparing it with what was known then.
    #[schemars(schema_with = "comparisons")]
    outcome: &'static str,
    /// The checksum that decided, or the first one.
    digests: Digests,
    /// The name of a checksum that is no digest here.
    other_checksum: Option<String>,
    /// The size, as the report says.
    size_bytes: Option<u64>,
    /// When it was written, as the report says.
    modified: Time,
    /// The version that the report speaks of.
    version_id: Option<String>,
    /// Its entity tag.
    etag: Option<String>,
    /// Why the provider failed, if it did.
    detail: String,
    /// Whether it still counts: the file is of that version, and no reading has settled what differs.
    is_current: bool,
}

impl From<&Claim> for Said {
    fn from(said: &Claim) -> Self {
        Self {
            whose: Whose::of(&said.evidence),
            outcome: Compared::name(said.compared),
            digests: Digests::of(&said.digest),
            other_checksum: said.other.clone(),
            size_bytes: said.size,
            modified: said.modified.map(|time| time.seconds).into(),
            version_id: said.version.clone(),
            etag: said.etag.clone(),
            detail: said.detail.clone(),
            is_current: said.is_current,
        }
    }
}
