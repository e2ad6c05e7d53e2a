//! What providers say of files that they keep: compared with what is known, recorded, and never taken for a reading.
//!
//! A report is taken into a temporary database first, and compared there in order of its names. So it is malformed before anything is
//! recorded, or not at all, and memory is bounded whatever its length. It is recorded in many short transactions; the last one makes it count.
//! What a killed import has left counts for nothing, and is removed by the next one.

mod compare;
mod kept;
mod record;

use std::collections::BTreeSet;
use std::path::Path;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::Timestamp;
use rusqlite::params;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::damage::CataloguePart;
use crate::error::{Error, Result};
use crate::ids::ItemId;
use crate::items::nanos_of;
use crate::paths::split;
use crate::scratch::Scratch;

pub use kept::{Evidence, Said};
pub(crate) use record::forsake;
pub use record::{Contradiction, Heard, ImportedEvidence};

/// What kind of evidence a report is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvidenceKind {
    /// The provider has computed it from the stored bytes.
    Computed,
    /// The provider repeats what it was given, or has computed at some time.
    Stated,
}

impl EvidenceKind {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Computed => "computed",
            Self::Stated => "stated",
        }
    }

    fn number(self) -> i64 {
        match self {
            Self::Computed => 1,
            Self::Stated => 2,
        }
    }

    fn of_number(number: i64) -> Result<Self> {
        match number {
            1 => Ok(Self::Computed),
            2 => Ok(Self::Stated),
            other => {
                Err(Error::damaged(CataloguePart::Evidence, format!("{other} is not a kind of evidence")))
            }
        }
    }
}

/// Where a report comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportSource {
    /// The names of its files, for people.
    pub files: Vec<String>,
    /// Who has made it, for people.
    pub provider: String,
    /// What kind of evidence it is.
    pub kind: EvidenceKind,
    /// When it was made, in seconds since 1970, if it says so.
    pub made_s: Option<i64>,
}

/// What a report says of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// Bytes.
    pub size: Option<u64>,
    /// When it was written.
    pub modified: Option<Timestamp>,
    /// Checksums of all of it.
    pub digests: Vec<Digest>,
    /// A checksum that cannot be compared, by its name there.
    pub other: Option<String>,
    /// The version that the report speaks of.
    pub version: Option<String>,
    /// Its entity tag.
    pub etag: Option<String>,
    /// What else is to be known of it.
    pub about: About,
}

/// What a claim is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum About {
    /// The file as it is.
    #[default]
    Whole,
    /// Its parts, and not the whole.
    Parts,
    /// A version that is no longer the current one.
    Earlier,
    /// Nothing: the provider has failed, for this reason.
    Failure(String),
    /// This file or another one: the name can be read in two ways, and nothing shows which one is meant.
    EitherName,
}

/// What comes of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Compared {
    /// It says what is known.
    Agrees,
    /// It says something else of a file of the same size and time.
    Differs,
    /// The provider could not tell.
    Failed,
    /// It has no checksum.
    NoChecksum,
    /// It has none of the algorithms by which the file is known.
    OtherAlgorithm,
    /// It has a checksum of the checksums of parts.
    Composite,
    /// It speaks of a file of another size.
    OtherSize,
    /// It speaks of a file that was written at another time.
    OtherTime,
    /// The file was written after the report was made.
    Later,
    /// It speaks of an earlier version.
    Earlier,
    /// It speaks of several versions. None of them is as known.
    Several,
    /// The file was never read, and no list has named its digests.
    NeverRead,
    /// It says something else, and that was settled since it was made.
    Settled,
    /// It speaks of another version than the one that was read.
    OtherVersion,
    /// Its name may be that of another file, and neither has the content.
    EitherName,
}

impl Compared {
    /// All of them, in the order in which they are reported.
    pub const ALL: [Self; 15] = [
        Self::Agrees,
        Self::Differs,
        Self::Failed,
        Self::NoChecksum,
        Self::OtherAlgorithm,
        Self::Composite,
        Self::OtherSize,
        Self::OtherTime,
        Self::Later,
        Self::Earlier,
        Self::Several,
        Self::NeverRead,
        Self::Settled,
        Self::OtherVersion,
        Self::EitherName,
    ];

    /// Its name in one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs",
            Self::Failed => "failed",
            Self::NoChecksum => "no-checksum",
            Self::OtherAlgorithm => "other-algorithm",
            Self::Composite => "composite",
            Self::OtherSize => "other-size",
            Self::OtherTime => "other-time",
            Self::Later => "later",
            Self::Earlier => "earlier",
            Self::Several => "several",
            Self::NeverRead => "never-read",
            Self::Settled => "settled",
            Self::OtherVersion => "other-version",
            Self::EitherName => "either-name",
        }
    }

    /// Its number in a catalogue. Numbers are never used again.
    fn number(self) -> i64 {
        match self {
            Self::Agrees => 1,
            Self::Differs => 2,
            Self::Failed => 3,
            Self::NoChecksum => 10,
            Self::OtherAlgorithm => 11,
            Self::Composite => 12,
            Self::OtherSize => 13,
            Self::OtherTime => 14,
            Self::Later => 15,
            Self::Earlier => 16,
            Self::Several => 17,
            Self::NeverRead => 18,
            Self::Settled => 19,
            Self::OtherVersion => 20,
            Self::EitherName => 21,
        }
    }

    fn of_number(number: i64) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|compared| compared.number() == number);
        known.ok_or_else(|| {
            Error::damaged(CataloguePart::Evidence, format!("{number} is not what comes of a claim"))
        })
    }

    /// Whether checksums were compared.
    pub fn is_comparison(self) -> bool {
        matches!(self, Self::Agrees | Self::Differs)
    }
}

/// What was counted of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct EvidenceCounts {
    /// Rows of the report.
    pub rows: u64,
    /// Those whose names no file of the collection has.
    pub unknown: u64,
    /// Files that the collection had then.
    pub files: u64,
    /// Those that the report does not name.
    pub unnamed: u64,
    /// Files by what came of them, by [`Compared::name`].
    pub compared: std::collections::BTreeMap<String, u64>,
}

impl EvidenceCounts {
    /// Files with this result.
    pub fn of(&self, compared: Compared) -> u64 {
        self.compared.get(compared.name()).copied().unwrap_or(0)
    }

    fn add(&mut self, compared: Compared) {
        *self.compared.entry(compared.name().to_owned()).or_default() += 1;
    }

    /// Files whose checksums were not compared, without those at which the provider failed.
    pub fn not_compared(&self) -> u64 {
        let is_so = |compared: &Compared| !compared.is_comparison() && *compared != Compared::Failed;
        Compared::ALL.into_iter().filter(is_so).map(|compared| self.of(compared)).sum()
    }
}

/// A name in a report, as a path below the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named<'a> {
    /// It can be read in one way only.
    Clear(&'a [u8]),
    /// There are pluses in it, each of which may stand for a space.
    Plus {
        /// The path with spaces, if that lies below the root.
        spaces: Option<&'a [u8]>,
        /// The path with pluses, if that lies below the root.
        pluses: Option<&'a [u8]>,
    },
}

/// What a plus in the names of a report is. One program has written all of them, so what it does to one shows what it does to the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Encoding {
    /// It writes some pluses in another way.
    encodes_plus: bool,
    /// It writes some spaces in another way.
    encodes_space: bool,
}

/// A report that is taken in, until all of it is there.
#[derive(Debug)]
pub struct EvidenceImport {
    claims: Scratch,
    rows: u64,
    /// Files of the report before the one that is taken in.
    files: usize,
    /// The sum of the checksums of all rows: the order of files and rows says nothing.
    fingerprint: u128,
    /// The names of its algorithms, a few of those that are not known here among them.
    algorithms: BTreeSet<String>,
    encoding: Encoding,
}

/// Names of algorithms that are kept of a report.
const MOST_ALGORITHMS: usize = 32;

impl EvidenceImport {
    /// Begins. `scratch`: where large temporary files may lie.
    ///
    /// # Errors
    /// No temporary file can be made there.
    pub fn new(scratch: &Path) -> Result<Self> {
        let claims = Scratch::new(
            scratch,
            "CREATE TABLE claim (directory BLOB NOT NULL, name BLOB NOT NULL, nth INTEGER NOT NULL, size INTEGER, mtime_ns INTEGER,
                 digests BLOB NOT NULL, other TEXT, version TEXT, etag TEXT, about INTEGER NOT NULL, detail TEXT NOT NULL,
                 file INTEGER NOT NULL, PRIMARY KEY (directory, name, nth)) WITHOUT ROWID;
             CREATE TABLE doubtful (directory BLOB NOT NULL, name BLOB NOT NULL, nth INTEGER NOT NULL, size INTEGER, mtime_ns INTEGER,
                 digests BLOB NOT NULL, other TEXT, version TEXT, etag TEXT, about INTEGER NOT NULL, detail TEXT NOT NULL,
                 file INTEGER NOT NULL, has_spaces INTEGER NOT NULL, pluses BLOB, PRIMARY KEY (directory, name, nth)) WITHOUT ROWID;
             CREATE TABLE compared (item INTEGER PRIMARY KEY, outcome INTEGER NOT NULL, algorithm TEXT, digest BLOB, size INTEGER,
                 mtime_ns INTEGER, version TEXT, etag TEXT, detail TEXT NOT NULL);
             BEGIN",
        )?;
        Ok(Self {
            claims,
            rows: 0,
            files: 0,
            fingerprint: 0,
            algorithms: BTreeSet::new(),
            encoding: Encoding::default(),
        })
    }

    /// What is taken from now on is of the next file of the report.
    pub fn next_file(&mut self) {
        self.files += 1;
    }

    /// Which earlier file of the report has another digest of the same version, if one has: its number, from 0. One report does not
    /// compute a digest twice.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub fn contradicting_file(&self, path: &[u8], claim: &Claim) -> Result<Option<usize>> {
        if self.files == 0 {
            return Ok(None);
        }
        let ((directory, name), version) = (split(path), claim.version.as_deref().map(short));
        let failed = |error| self.claims.failed(error);
        let mut statement = self
            .claims
            .connection()
            .prepare_cached(
                "SELECT file, digests, nth FROM claim
                 WHERE directory = ?1 AND name = ?2 AND file < ?3 AND version IS ?4 AND digests <> ?5
                 UNION ALL SELECT file, digests, nth FROM doubtful
                 WHERE directory = ?1 AND name = ?2 AND file < ?3 AND version IS ?4 AND digests <> ?5 ORDER BY nth",
            )
            .map_err(failed)?;
        let file = self.files as i64;
        let mut rows = statement
            .query(params![directory, name, file, version, packed(&claim.digests)])
            .map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let (file, digests): (i64, Vec<u8>) =
                (row.get("file").map_err(failed)?, row.get("digests").map_err(failed)?);
            let is_another = |other: &Digest| {
                claim.digests.iter().any(|digest| digest.algorithm() == other.algorithm() && digest != other)
            };
            if unpacked(&digests)?.iter().any(is_another) {
                return Ok(Some(file as usize));
            }
        }
        Ok(None)
    }

    /// Learns how the report writes spaces and pluses, from any of its names, whether or not it is of this collection: the name, with
    /// spaces where it is doubtful; and with pluses, if it is.
    pub fn learn(&mut self, name: &[u8], with_pluses: Option<&[u8]>) {
        self.encoding.encodes_plus |= name.contains(&b'+');
        self.encoding.encodes_space |= with_pluses.unwrap_or(name).contains(&b' ');
    }

    /// Takes a row: the name of a file, and what is said of it.
    ///
    /// # Errors
    /// The temporary file cannot be written.
    pub fn add(&mut self, named: Named<'_>, claim: &Claim) -> Result<()> {
        let (path, doubt) = match named {
            Named::Clear(path) => (path, None),
            Named::Plus { spaces: Some(spaces), pluses } => (spaces, Some((true, pluses))),
            Named::Plus { spaces: None, pluses: Some(pluses) } => (pluses, Some((false, Some(pluses)))),
            Named::Plus { spaces: None, pluses: None } => {
                self.pass();
                return Ok(());
            }
        };
        let (directory, name) = split(path);
        let digests = packed(&claim.digests);
        let (about, detail) = match &claim.about {
            About::Whole => (0, ""),
            About::Parts => (1, ""),
            About::Earlier => (2, ""),
            About::Failure(why) => (3, short(why)),
            About::EitherName => (4, ""),
        };
        let [other, version, etag] =
            [&claim.other, &claim.version, &claim.etag].map(|text| text.as_deref().map(short));
        let version = version.filter(|version| !version.is_empty());
        let (size, mtime_ns) = (claim.size.map(|size| size as i64), claim.modified.map(nanos_of));
        self.note(claim);
        self.rows += 1;
        self.fingerprint = self.fingerprint.wrapping_add(fingerprint(
            [
                Some(path),
                Some(&digests),
                other.map(str::as_bytes),
                version.map(str::as_bytes),
                etag.map(str::as_bytes),
                Some(detail.as_bytes()),
            ],
            [size, mtime_ns, Some(about)],
        ));
        let (nth, file) = (self.rows as i64, self.files as i64);
        self.claims.run(|claims| {
            let row = params![
                directory, name, nth, size, mtime_ns, digests, other, version, etag, about, detail, file
            ];
            let Some((has_spaces, pluses)) = doubt else {
                let mut statement = claims.prepare_cached(
                    "INSERT INTO claim (directory, name, nth, size, mtime_ns, digests, other, version, etag, about, detail, file)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
                )?;
                return statement.execute(row);
            };
            let mut statement = claims.prepare_cached(
                "INSERT INTO doubtful (directory, name, nth, size, mtime_ns, digests, other, version, etag, about, detail, file,
                     has_spaces, pluses)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
            )?;
            statement.execute(&[row, params![has_spaces, pluses]].concat()[..])
        })?;
        Ok(())
    }

    /// Takes note of a row whose name cannot be that of a file of the collection.
    pub fn pass(&mut self) {
        self.rows += 1;
        self.fingerprint = self.fingerprint.wrapping_add(1);
    }

    fn note(&mut self, claim: &Claim) {
        for name in claim.digests.iter().map(|digest| digest.algorithm().name()).chain(claim.other.as_deref())
        {
            let name = short(name);
            if self.algorithms.len() < MOST_ALGORITHMS && !self.algorithms.contains(name) {
                self.algorithms.insert(name.to_owned());
            }
        }
    }

    /// The names of the algorithms of the report.
    pub fn algorithms(&self) -> impl Iterator<Item = &str> {
        self.algorithms.iter().map(String::as_str)
    }

    /// By which the same report is known again: its rows, whose it is, of what kind, and of when.
    fn fingerprint(&self, source: &ReportSource) -> Vec<u8> {
        let rows = [&self.fingerprint.to_le_bytes()[..], &self.rows.to_le_bytes()].concat();
        let none: Option<&[u8]> = None;
        let of = [Some(&rows[..]), Some(source.provider.as_bytes()), none, none, none, none];
        fingerprint(of, [Some(source.kind.number()), source.made_s, None]).to_le_bytes().to_vec()
    }
}

/// A number for what a row says.
fn fingerprint(parts: [Option<&[u8]>; 6], numbers: [Option<i64>; 3]) -> u128 {
    let mut hasher = Xxh3::new();
    for part in parts {
        // What is not said is not the same as an empty text.
        hasher.update(&part.map_or(u64::MAX, |part| part.len() as u64).to_le_bytes());
        hasher.update(part.unwrap_or_default());
    }
    for number in numbers {
        hasher.update(&[number.is_some().into()]);
        hasher.update(&number.unwrap_or(0).to_le_bytes());
    }
    hasher.digest128()
}

/// As much of a text of a provider as is kept: what it says of itself may be of any length.
fn short(text: &str) -> &str {
    const MOST_LETTERS: usize = 1_024;

    text.char_indices().nth(MOST_LETTERS).map_or(text, |(end, _)| &text[..end])
}

/// Digests, each behind the name of its algorithm.
fn packed(digests: &[Digest]) -> Vec<u8> {
    let mut packed = Vec::new();
    for digest in digests {
        let name = digest.algorithm().name();
        packed.push(name.len() as u8);
        packed.extend_from_slice(name.as_bytes());
        packed.extend_from_slice(digest.as_bytes());
    }
    packed
}

/// Takes them apart.
fn unpacked(mut packed: &[u8]) -> Result<Vec<Digest>> {
    let mut digests = Vec::new();
    while let Some((&length, rest)) = packed.split_first() {
        let next = rest.split_at_checked(length.into()).and_then(|(name, rest)| {
            let algorithm = Algorithm::named(std::str::from_utf8(name).ok()?)?;
            let (bytes, rest) = rest.split_at_checked(algorithm.length())?;
            Some((Digest::new(algorithm, bytes).ok()?, rest))
        });
        let (digest, rest) =
            next.ok_or_else(|| Error::damaged(CataloguePart::Evidence, "a claim is malformed"))?;
        digests.push(digest);
        packed = rest;
    }
    Ok(digests)
}

/// A file with what came of the claims about it.
#[derive(Clone, Debug)]
struct Judged {
    item: ItemId,
    compared: Compared,
    nearness: Nearness,
    /// The checksum that decided, or the first one.
    digest: Option<Digest>,
    /// The name of another one.
    other: Option<String>,
    claim: Claim,
}

/// How near a claim is to the content that is known. The nearest ones decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    /// It names the version that was read, or, where that is not known, the one that stands contradicted.
    Named,
    /// It names none, so it speaks of what the name stands for.
    Current,
    /// It names one, and which one was read is not known.
    Unknown,
    /// It names another one.
    Another,
}

#[cfg(test)]
mod tests;
