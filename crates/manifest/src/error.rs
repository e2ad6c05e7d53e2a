//! What can go wrong with a manifest as a whole, or with one record that is to be written.

use std::io;

use hashlane_digest::Algorithm;
use hashlane_record::{Division, ItemPath};

use crate::format::Format;
use crate::problem::ProblemKind;
use crate::remedy::Remedy;

/// Why a manifest cannot be read or written, or one record cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller's algorithm is not the one that the manifest's own header names.
    #[error("the manifest states that its digests are {recorded}, but {given} was requested")]
    AlgorithmContradicted {
        /// What the caller asked for.
        given: Algorithm,
        /// What the manifest says.
        recorded: Algorithm,
    },

    /// The caller's algorithm has digests of another length than the manifest, whose name states one that fits.
    #[error(
        "the manifest is named after {named} and has digests of {digest_bytes} bytes, but {given} was requested, \
         whose digests have {}",
        given.length()
    )]
    AlgorithmUnlikeName {
        /// What the caller asked for.
        given: Algorithm,
        /// What the manifest's name says.
        named: Algorithm,
        /// Length of the first digest in bytes.
        digest_bytes: usize,
    },

    /// The caller's algorithm is not among the manifest's columns.
    #[error("the {format} manifest has no {algorithm} column; it has {}", listed(columns, "and"))]
    AlgorithmNotListed {
        /// The format of the manifest.
        format: Format,
        /// What the caller asked for.
        algorithm: Algorithm,
        /// What the manifest has.
        columns: Vec<Algorithm>,
    },

    /// Digests of this length can come from several algorithms, and nothing says which.
    #[error("a digest of {digest_bytes} bytes can be {}", listed(candidates, "or"))]
    AmbiguousAlgorithm {
        /// Length of the digest in bytes.
        digest_bytes: usize,
        /// The registered algorithms of that length.
        candidates: Vec<Algorithm>,
    },

    /// The lines are of a format with digests of another algorithm than the one that the manifest is named after.
    #[error("the manifest is named after {named}, but its lines are {format}, which stores {holds}")]
    FormatUnlikeName {
        /// The format that the lines have.
        format: Format,
        /// What that holds.
        holds: Algorithm,
        /// What the manifest's name says.
        named: Algorithm,
    },

    /// The digests are too short to be distinguished from sizes.
    #[error(
        "{a} {format} manifest stores digests of at least {least_bytes} bytes, but a {algorithm} digest has {}; use gnu or bsd",
        algorithm.length(), a = article(format))]
    DigestTooShort {
        /// The format to be written.
        format: Format,
        /// What was asked for.
        algorithm: Algorithm,
        /// The length of the shortest digest that it holds, in bytes.
        least_bytes: usize,
    },

    /// One column stands twice in the manifest's header line.
    #[error("the {format} manifest has the column `{column}` twice; remove one")]
    DuplicateColumn {
        /// The format of the manifest.
        format: Format,
        /// The column, escaped.
        column: String,
    },

    /// The manifest has no lines.
    #[error("the manifest has no lines")]
    Empty,

    /// The first lines are JSON, but not with our schema.
    #[error(
        "line {line} is JSON without `\"schema\":\"{schema}\"`; only hashlane manifests can be read as jsonl"
    )]
    ForeignJson {
        /// Number of the line, from 1.
        line: u64,
        /// The schema that was looked for.
        schema: &'static str,
    },

    /// A file of a kind that is known and not read here.
    #[error("{kind}; it is not read as a manifest")]
    OtherKind {
        /// What it is, and what reads it.
        kind: &'static str,
    },

    /// The roots in the manifest's header are longer than is allowed.
    #[error(
        "the roots in the manifest's header are longer than {limit} bytes; remove its `# hashlane root` lines"
    )]
    HeaderTooLong {
        /// The limit, in bytes.
        limit: usize,
    },

    /// The manifest could not be read.
    #[error("the manifest cannot be read: {source}")]
    Input {
        /// What the system said.
        #[from]
        source: io::Error,
    },

    /// The first line of a format that names its columns there is missing or broken.
    #[error("the {format} manifest does not start with its header; expected {expected}")]
    MissingHeader {
        /// The format of the manifest.
        format: Format,
        /// What should stand there.
        expected: &'static str,
    },

    /// A table without the columns of a manifest.
    #[error(
        "the {format} table needs a column `path` with names and one of digests named after an algorithm, such as \
         `sha256`; it has {}",
        columns.join(", "))]
    MissingColumns {
        /// The format of the manifest.
        format: Format,
        /// The first columns that it has, escaped.
        columns: Vec<String>,
    },

    /// A manifest was to be written with no algorithm.
    #[error("a manifest needs at least one algorithm")]
    NoAlgorithm,

    /// The format has no place for a header.
    #[error(
        "{a} {format} manifest cannot store a header, which other programs would read as an entry; \
         use jsonl, dfxml, bsd or gnu, or leave out the header", a = article(format))]
    HeaderNotHeld {
        /// The format to be written.
        format: Format,
    },

    /// The format has no place for what part of a listing it is.
    #[error("{a} {format} manifest cannot state which shard it is; use jsonl, parquet, bsd or gnu", a = article(format))]
    ShardNotHeld {
        /// The format to be written.
        format: Format,
    },

    /// The notation has no name for the algorithm.
    #[error("{format} has no name for {algorithm}; use bsd, jsonl or csv")]
    NoNameFor {
        /// The format to be written.
        format: Format,
        /// What was asked for.
        algorithm: Algorithm,
    },

    /// No algorithm that is listed makes digests of this length.
    #[error("no known algorithm{} has digests of {digest_bytes} bytes", but_blake2b(*digest_bytes))]
    NoAlgorithmOfLength {
        /// Length of the digest in bytes.
        digest_bytes: usize,
    },

    /// A record lacks a digest that the manifest must hold.
    #[error(
        "\"{}\": it has no {algorithm} digest, which every line of {a} {format} manifest needs",
        path.escaped(), a = article(format))]
    NoDigest {
        /// The format to be written.
        format: Format,
        /// The name of the record.
        path: ItemPath,
        /// What is missing.
        algorithm: Algorithm,
    },

    /// A record lacks the digests of pieces that every file of the manifest has.
    #[error(
        "\"{}\": it has more than {piece_bytes} bytes but no digests of its pieces, unlike the \
         others; read it again",
        path.escaped()
    )]
    NoPieces {
        /// The name of the record.
        path: ItemPath,
        /// The bytes of a piece.
        piece_bytes: u64,
    },

    /// A record lacks the digest of the beginning that the manifest must hold.
    #[error(
        "\"{}\": it has no {algorithm} digest of its first {beginning_bytes} bytes, which every line of a \
         {format} manifest needs",
        path.escaped()
    )]
    NoBeginning {
        /// The format to be written.
        format: Format,
        /// The name of the record.
        path: ItemPath,
        /// What is missing.
        algorithm: Algorithm,
        /// How long the beginning is.
        beginning_bytes: u64,
    },

    /// A record lacks the size that the manifest must hold.
    #[error(
        "\"{}\": its size is unknown, but every line of {a} {format} manifest needs one; use jsonl or csv",
        path.escaped(), a = article(format))]
    NoSize {
        /// The format to be written.
        format: Format,
        /// The name of the record.
        path: ItemPath,
    },

    /// The name cannot stand in this format.
    #[error("\"{}\": {a} {format} manifest cannot store a name {why}; {way_out}", path.escaped(), a = article(format))]
    NameNotHeld {
        /// The format to be written.
        format: Format,
        /// The name.
        path: ItemPath,
        /// What is in the way, as in "a name *with a newline*".
        why: &'static str,
        /// What to do.
        way_out: &'static str,
    },

    /// The file was not read completely, or changed meanwhile, and the format has no place to say so.
    #[error(
        "\"{}\": {outcome}; {a} {format} manifest can store only files that were read completely; \
         jsonl can store the others",
        path.escaped(), a = article(format))]
    NotRead {
        /// The format to be written.
        format: Format,
        /// The name of the record.
        path: ItemPath,
        /// How the reading ended.
        outcome: String,
    },

    /// hashdeep does not know the algorithm.
    #[error(
        "hashdeep supports md5, sha1, sha256, tiger and whirlpool, not {algorithm}; \
         use one of these, or jsonl or csv"
    )]
    NotInHashdeep {
        /// What was asked for.
        algorithm: Algorithm,
    },

    /// MHL has no element for the algorithm.
    #[error("MHL supports md5, sha1 and xxh64, not {algorithm}; use one of these, or jsonl or csv")]
    NotInMhl {
        /// What was asked for.
        algorithm: Algorithm,
    },

    /// The input is a database, which no reader of text can follow.
    #[error("an SQLite database, not a manifest")]
    Database,

    /// The file's name states an algorithm that is not known, and nothing else names one.
    #[error(
        "the manifest is named after {name}, which is not known here: its digests of {digest_bytes} bytes cannot be verified"
    )]
    NamedUnknown {
        /// The algorithm.
        name: &'static str,
        /// Length of the digests in bytes.
        digest_bytes: usize,
    },

    /// The text has NUL bytes.
    #[error("line {line} contains a NUL byte")]
    NulByte {
        /// Number of the line, from 1.
        line: u64,
    },

    /// Several algorithms for a format that holds one.
    #[error("{a} {format} manifest can store one algorithm, not {count}; use bsd, base64, hashdeep, jsonl or csv", a = article(format))]
    OneAlgorithmOnly {
        /// The format to be written.
        format: Format,
        /// How many were asked for.
        count: usize,
    },

    /// The format holds digests of one algorithm only, and of another one than was asked for.
    #[error("{a} {format} manifest stores {only} digests, not {algorithm}", a = article(format))]
    OnlyOneKind {
        /// The format to be written.
        format: Format,
        /// The algorithm of the format.
        only: Algorithm,
        /// What was asked for.
        algorithm: Algorithm,
    },

    /// The manifest could not be written.
    #[error("the manifest cannot be written: {source}")]
    Output {
        /// What the system said.
        source: io::Error,
    },

    /// The format has no place for digests of pieces, or of beginnings.
    #[error(
        "{a} {format} manifest cannot store digests of {}; use jsonl, dfxml{}",
        what_and_where(*division).0,
        what_and_where(*division).1, a = article(format))]
    PiecesNotHeld {
        /// The format to be written.
        format: Format,
        /// What was to be digested.
        division: Division,
    },

    /// The pieces of a record do not end where it does, or there are too many of them.
    #[error("\"{}\": {why}", path.escaped())]
    PiecesUnlikeFile {
        /// The name of the record.
        path: ItemPath,
        /// What is wrong.
        why: ProblemKind,
    },

    /// The format is read and never written.
    #[error("{format} can be read but not written")]
    ReadOnly {
        /// The format that was to be written.
        format: Format,
    },

    /// A column is neither known nor an algorithm.
    #[error(
        "the {format} manifest has the column `{column}`, which is neither known nor an algorithm; remove it"
    )]
    UnknownColumn {
        /// The format of the manifest.
        format: Format,
        /// The column, escaped.
        column: String,
    },

    /// A table that is damaged, encrypted or of a kind that is not read.
    #[error("the Parquet table cannot be read: {what}")]
    Table {
        /// What is wrong with it.
        what: String,
    },

    /// A table of a schema that is newer.
    #[error(
        "the table has version {version} of the schema, but version 1 is expected; a newer hashlane can read it"
    )]
    TableVersion {
        /// What the table says, escaped.
        version: String,
    },

    /// A number that the format's columns have no room for.
    #[error("\"{}\": {a} {format} manifest cannot store {what}, which is too large; use jsonl", path.escaped(), a = article(format))]
    ValueNotHeld {
        /// The format to be written.
        format: Format,
        /// The name of the record.
        path: ItemPath,
        /// What it is of.
        what: &'static str,
    },

    /// No line shows the format.
    #[error("line {line} matches no known format: \"{excerpt}\"")]
    UnknownFormat {
        /// Number of the first line that is neither blank nor a comment, from 1.
        line: u64,
        /// Its beginning, escaped.
        excerpt: String,
    },

    /// The format cannot end lines with NUL.
    #[error("{a} {format} manifest cannot end its lines with NUL", a = article(format))]
    ZeroNotHeld {
        /// The format.
        format: Format,
    },
}

impl Error {
    /// The way out, where it is something to be asked for: what that is called is not known here.
    pub fn remedy(&self) -> Option<Remedy> {
        Some(match self {
            Self::AlgorithmContradicted { recorded, .. } => Remedy::AlgorithmOrNone(*recorded),
            Self::AlgorithmUnlikeName { named, .. } => Remedy::AlgorithmOrNone(*named),
            Self::AmbiguousAlgorithm { candidates, .. } => Remedy::TellAlgorithm(*candidates.first()?),
            Self::Database => Remedy::KnownSet,
            Self::FormatUnlikeName { format, .. } => Remedy::FormatOrName(*format),
            Self::NoAlgorithm => Remedy::AnyAlgorithm,
            Self::NoAlgorithmOfLength { digest_bytes } => {
                Algorithm::blake2b(*digest_bytes).map_or(Remedy::SeeAlgorithms, Remedy::IfAlgorithm)
            }
            Self::NamedUnknown { .. } => Remedy::SeeAlgorithms,
            Self::NoBeginning { format, .. } => Remedy::DigestBeginnings(*format),
            Self::NulByte { .. } => Remedy::NulEndsOrUtf8,
            Self::OnlyOneKind { only, .. } => Remedy::AlgorithmOrFormat(*only),
            Self::ReadOnly { .. } => Remedy::SeeFormats,
            Self::UnknownFormat { .. } => Remedy::TellFormat,
            Self::ZeroNotHeld { .. } => Remedy::FormatWithNulEnds,
            _ => return None,
        })
    }
}

/// How the digests of a division are called, and where else they have a place.
fn what_and_where(division: Division) -> (&'static str, &'static str) {
    match division {
        Division::Every(_) => ("pieces", ", hashdeep, bsd or gnu"),
        Division::Beginning(_) => ("the beginnings of files", " or triage"),
    }
}

/// The article before the name of a format.
pub(crate) fn article(format: &Format) -> &'static str {
    match format.name() {
        "ace" | "encase" | "sfv" => "an",
        // Read letter by letter.
        name if name.starts_with("md5") || name.starts_with("mhl") => "an",
        _ => "a",
    }
}

/// Names in a row: `md5`, `md5 or sha1`, `md5, sha1 or sha256`.
pub(crate) fn listed(algorithms: &[Algorithm], conjunction: &str) -> String {
    match algorithms {
        [] => "none".to_owned(),
        [one] => one.name().to_owned(),
        [most @ .., last] => {
            let most: Vec<_> = most.iter().map(|algorithm| algorithm.name()).collect();
            format!("{} {conjunction} {last}", most.join(", "))
        }
    }
}

/// BLAKE2b has digests of each length, which are taken for such only if that is said.
pub(crate) fn but_blake2b(digest_bytes: usize) -> &'static str {
    Algorithm::blake2b(digest_bytes).map_or("", |_| " but BLAKE2b")
}
