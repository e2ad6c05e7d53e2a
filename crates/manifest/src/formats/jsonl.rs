//! JSON lines: one object for each file, with schema and version in every one.
//!
//! ```text
//! {"schema":"hashlane-manifest","version":1,"path":"a","size_bytes":3,"mtime":"2026-01-31T23:59:59.000000000Z",
//!  "digests":{"sha256":"…"},"outcome":"read"}
//! ```
//!
//! The only format but dfxml that says why a file could not be read. Objects with `header` name the run and
//! its roots.
//!
//! The digests of pieces stand in the object of their file:
//! `"pieces":{"piece_bytes":4,"end_bytes":9,"digests":{"md5":["…",…]}}`. What does not fit into one line of
//! 64 KiB (4 TiB in pieces of 1 MiB are 280 MB in hexadecimal, and a line has a limit so that nobody has to
//! hold more) follows in objects of its own that have the name again and say where they go on:
//! `"path":"a","pieces":{"offset_bytes":4,"digests":{"md5":["…"]}}`. How many digests there have to be
//! follows from the first object, so what was cut off or lost is noticed.

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{Cause, Dispute, Failure, Instability, Obstacle, Operation, Outcome, Pieces};

use super::digest_text::{push_base64_bytes, push_plain};
use super::jsonl_parser::{self, named_in};
use super::push_number;
use crate::error::Error;
use crate::format::{Entry, Format, HandOver, Renderer, Spec};
use crate::header::Header;
use crate::pieces::Piecewise;
use crate::rfc3339;
use crate::write_options::{HANDED_OVER_BYTES, WriteOptions};

/// The value of `schema` in every object.
pub(crate) const SCHEMA: &str = "hashlane-manifest";

/// The value of `version` in every object.
pub(super) const VERSION: u64 = 1;

pub(crate) const SPEC: Spec = Spec {
    name: "jsonl",
    shape: "{\"schema\":\"hashlane-manifest\",\"version\":1,\"path\":…,\"digests\":{…}}",
    many_algorithms: true,
    detected_by: "an object with the schema of hashlane",
    sizes: true,
    times: true,
    pieces: Some(Piecewise::Native),
    recognizes,
    renderer: Some(renderer),
    ..Spec::read_by(jsonl_parser::parser)
};

/// How much of a line digests of pieces may have, in bytes. The longest name, escaped, and its base64 have
/// 961,196, so 64 KiB leave room for all else.
const PIECES_BYTES: usize = 64 << 10;

/// How outcomes are called.
pub(super) const READ: &str = "read";
pub(super) const UNSTABLE: &str = "unstable";
pub(super) const FAILED: &str = "failed";
pub(super) const CHANGES: [(Instability, &str); 3] =
    [(Instability::Shrank, "shrank"), (Instability::Grew, "grew"), (Instability::Modified, "modified")];
const OPERATIONS: [(Operation, &str); 6] = [
    (Operation::List, "list"),
    (Operation::Open, "open"),
    (Operation::Read, "read"),
    (Operation::Stat, "stat"),
    (Operation::FromMedium, "from-medium"),
    (Operation::Divide, "divide"),
];
const OBSTACLES: [(Obstacle, &str); 14] = [
    (Obstacle::Archived, "archived"),
    (Obstacle::BesideMetadata, "beside-metadata"),
    (Obstacle::Cached, "cached"),
    (Obstacle::CacheUnseen, "cache-unseen"),
    (Obstacle::CacheUnreported, "cache-unreported"),
    (Obstacle::DamagedOnWay, "damaged-on-way"),
    (Obstacle::Deleted, "deleted"),
    (Obstacle::InMemory, "in-memory"),
    (Obstacle::NotOnDevice, "not-on-device"),
    (Obstacle::RequestsUsedUp, "requests-used-up"),
    (Obstacle::Special, "special"),
    (Obstacle::StreamInUse, "stream-in-use"),
    (Obstacle::TooManyPieces, "too-many-pieces"),
    (Obstacle::Unsigned, "unsigned"),
];

/// How the three kinds of causes are called, the first two with a number.
pub(super) const ERRNO: &str = "errno";
pub(super) const STATUS: &str = "status";
pub(super) const OBSTACLE: &str = "obstacle";

/// What a content is called that its store disputes, and whether two readings have brought it: among the obstacles, because readers know of
/// no other outcome.
const DISPUTED: [(bool, &str); 2] = [(true, "other-checksum"), (false, "doubtful-checksum")];

/// What is written of a reading that has failed, or brought what its store disputes.
pub(super) struct Failed {
    pub(super) operation: &'static str,
    /// Which kind of cause it is, and its number or its name.
    pub(super) cause: (&'static str, Result<i32, &'static str>),
    pub(super) offset_bytes: u64,
    pub(super) error: String,
}

impl Failed {
    /// What is written of an outcome, if it is such.
    pub(super) fn of(outcome: Outcome) -> Option<Self> {
        let (operation, cause, offset_bytes, error) = match outcome {
            Outcome::Read | Outcome::Unstable(_) => return None,
            Outcome::Disputed(dispute) => {
                let name = name_in(&DISPUTED, dispute.is_read_twice);
                (Operation::Read, (OBSTACLE, Err(name)), dispute.offset_bytes, dispute.to_string())
            }
            Outcome::Failed(failure) => {
                let cause = cause_parts(failure.cause);
                (failure.operation, cause, failure.offset_bytes, failure.to_string())
            }
        };
        Some(Self { operation: name_in(&OPERATIONS, operation), cause, offset_bytes, error })
    }

    /// The outcome that these members tell of. Of the three causes one is there.
    pub(super) fn outcome(
        operation: Option<&str>,
        (errno, status, obstacle): (Option<i32>, Option<u16>, Option<&str>),
        offset_bytes: u64,
    ) -> Option<Outcome> {
        let operation = named_in(&OPERATIONS, operation)?;
        let cause = errno.map(Cause::System).or_else(|| status.map(Cause::Remote));
        if let (None, Some(is_read_twice)) = (cause, named_in(&DISPUTED, obstacle)) {
            return Some(Outcome::Disputed(Dispute { is_read_twice, offset_bytes }));
        }
        let cause = cause.or_else(|| named_in(&OBSTACLES, obstacle).map(Cause::Obstacle))?;
        Some(Outcome::Failed(Failure { operation, cause, offset_bytes }))
    }
}

/// A cause as a member or an attribute: its name, and a number or a name.
fn cause_parts(cause: Cause) -> (&'static str, Result<i32, &'static str>) {
    match cause {
        Cause::System(errno) => (ERRNO, Ok(errno)),
        Cause::Remote(status) => (STATUS, Ok(i32::from(status))),
        Cause::Obstacle(obstacle) => (OBSTACLE, Err(name_in(&OBSTACLES, obstacle))),
        _ => unreachable!("every kind of cause has a name here"),
    }
}

/// Whether a line begins as an object does.
pub(crate) fn is_object(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{")
}

/// Looks for the key and our value. Neither can stand inside a string, where quotation marks have
/// backslashes.
fn recognizes(line: &[u8]) -> bool {
    const KEY: &[u8] = b"\"schema\"";
    if !is_object(line) {
        return false;
    }
    memchr::memmem::find_iter(line, KEY).any(|at| {
        let rest = line[at + KEY.len()..].trim_ascii_start().strip_prefix(b":").unwrap_or_default();
        let value = rest.trim_ascii_start().strip_prefix(b"\"").unwrap_or_default();
        value.strip_prefix(SCHEMA.as_bytes()).is_some_and(|rest| rest.starts_with(b"\""))
    })
}

/// Whether a line seems to be an object of ours about a file, whole or not. No string holds the quoted key.
pub(super) fn seems_entry(line: &[u8]) -> bool {
    recognizes(line) && memchr::memmem::find(line, b"\"header\":").is_none()
}

struct Objects {
    algorithms: Vec<Algorithm>,
}

fn renderer(algorithms: &[Algorithm], _: &WriteOptions) -> Result<Box<dyn Renderer>, Error> {
    Ok(Box::new(Objects { algorithms: algorithms.to_vec() }))
}

impl Renderer for Objects {
    fn preamble(&mut self, header: Option<&Header>, text: &mut Vec<u8>) -> Result<(), Error> {
        if let Some(header) = header {
            push_header(text, header);
        }
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<'_>, text: &mut Vec<u8>) -> Result<(), Error> {
        self.push_item(entry, None, text)
    }

    fn long_entry(
        &mut self,
        entry: &Entry<'_>,
        text: &mut Vec<u8>,
        hand_over: &mut HandOver<'_>,
    ) -> Result<(), Error> {
        let Some(pieces) = entry.pieces else { return self.entry(entry, text) };
        let columns = Columns::of(pieces, &self.algorithms);
        self.push_item(entry, Some(&columns), text)?;
        let mut next = columns.in_a_line;
        while let Some(extent) = pieces.extent(next) {
            push_start(text);
            text.push(b',');
            push_name(text, "path", entry.path.as_bytes());
            text.extend_from_slice(b",\"pieces\":{\"offset_bytes\":");
            push_number(text, extent.offset);
            columns.push(text, next);
            text.extend_from_slice(b"}}\n");
            if text.len() >= HANDED_OVER_BYTES {
                hand_over(text)?;
            }
            next += columns.in_a_line;
        }
        Ok(())
    }
}

impl Objects {
    fn push_item(
        &self,
        entry: &Entry<'_>,
        columns: Option<&Columns<'_>>,
        text: &mut Vec<u8>,
    ) -> Result<(), Error> {
        push_start(text);
        text.push(b',');
        push_name(text, "path", entry.path.as_bytes());
        if let Some(size) = entry.size {
            text.extend_from_slice(b",\"size_bytes\":");
            push_number(text, size);
        }
        if let Some(modified) = entry.modified {
            text.extend_from_slice(b",\"mtime\":\"");
            rfc3339::push(text, modified);
            text.push(b'"');
        }
        if let Some(inode) = entry.inode {
            text.extend_from_slice(b",\"inode\":");
            push_number(text, inode.get());
        }
        if let Some(state) = entry.state {
            state.etag.iter().for_each(|etag| push_member(text, "etag", etag));
            state.version.iter().for_each(|version| push_member(text, "version_id", version));
        }
        let before = text.len();
        for digest in self.algorithms.iter().filter_map(|&algorithm| entry.digest(algorithm)) {
            let start: &[u8] = if text.len() == before { b",\"digests\":{" } else { b"," };
            text.extend_from_slice(start);
            push_string(text, digest.algorithm().name());
            text.extend_from_slice(b":\"");
            push_plain(text, digest);
            text.push(b'"');
        }
        if text.len() > before {
            text.push(b'}');
        } else if matches!(entry.outcome, None | Some(Outcome::Read)) {
            entry.needed_digest(self.algorithms[0], Format(&SPEC))?;
        }
        if let Some(columns) = columns {
            text.extend_from_slice(b",\"pieces\":{\"piece_bytes\":");
            push_number(text, columns.pieces.piece_bytes().get());
            text.extend_from_slice(b",\"end_bytes\":");
            push_number(text, columns.pieces.end());
            columns.push(text, 0);
            text.push(b'}');
        }
        push_outcome(text, entry.outcome);
        text.extend_from_slice(b"}\n");
        Ok(())
    }
}

/// The digests of pieces that are written, and how many in a line.
struct Columns<'a> {
    pieces: &'a Pieces,
    columns: Vec<&'a (Algorithm, Vec<u8>)>,
    in_a_line: u64,
}

impl<'a> Columns<'a> {
    fn of(pieces: &'a Pieces, algorithms: &[Algorithm]) -> Self {
        let of = |algorithm: &Algorithm| pieces.columns().iter().find(|(known, _)| known == algorithm);
        let columns: Vec<_> = algorithms.iter().filter_map(of).collect();
        let bytes: usize = columns.iter().map(|(algorithm, _)| 2 * algorithm.length() + 3).sum();
        Self { pieces, columns, in_a_line: (PIECES_BYTES / bytes.max(1)).max(1) as u64 }
    }

    /// Appends the digests of a line, from the piece of this number on.
    fn push(&self, text: &mut Vec<u8>, first: u64) {
        let count = self.in_a_line.min(self.pieces.count() - first) as usize;
        text.extend_from_slice(b",\"digests\":{");
        for (number, (algorithm, column)) in self.columns.iter().enumerate() {
            if number > 0 {
                text.push(b',');
            }
            push_string(text, algorithm.name());
            text.extend_from_slice(b":[");
            let digests = column.chunks_exact(algorithm.length()).skip(first as usize).take(count);
            for (number, digest) in digests.enumerate() {
                text.extend_from_slice(if number > 0 { b",\"" } else { b"\"" });
                if let Ok(digest) = Digest::new(*algorithm, digest) {
                    push_plain(text, &digest);
                }
                text.push(b'"');
            }
            text.push(b']');
        }
        text.push(b'}');
    }
}

/// Appends the objects that name the run and its roots.
pub(super) fn push_header(text: &mut Vec<u8>, header: &Header) {
    push_start(text);
    text.extend_from_slice(b",\"header\":{\"program\":");
    push_string(text, &header.program);
    text.extend_from_slice(b",\"command\":");
    push_string(text, &String::from_utf8_lossy(header.shown_command()));
    text.push(b',');
    push_name(text, "cwd", header.cwd.as_bytes());
    if let Some(started) = header.started {
        text.extend_from_slice(b",\"started\":\"");
        rfc3339::push(text, started);
        text.push(b'"');
    }
    if let Some(shard) = &header.shard {
        text.extend_from_slice(b",\"shard\":");
        push_string(text, &shard.to_string());
    }
    text.extend_from_slice(b"}}\n");
    for file_system in &header.file_systems {
        push_start(text);
        text.extend_from_slice(
            format!(",\"header\":{{\"file_system\":\"{file_system:016x}\"}}}}\n").as_bytes(),
        );
    }
    for root in &header.roots {
        push_start(text);
        text.extend_from_slice(b",\"header\":{");
        push_name(text, "root", root.as_bytes());
        text.extend_from_slice(b"}}\n");
    }
}

fn push_start(text: &mut Vec<u8>) {
    text.extend_from_slice(b"{\"schema\":\"");
    text.extend_from_slice(SCHEMA.as_bytes());
    text.extend_from_slice(b"\",\"version\":");
    push_number(text, VERSION);
}

fn push_outcome(text: &mut Vec<u8>, outcome: Option<Outcome>) {
    let Some(outcome) = outcome else { return };
    let name = match outcome {
        Outcome::Read => READ,
        Outcome::Unstable(_) => UNSTABLE,
        Outcome::Disputed(_) | Outcome::Failed(_) => FAILED,
    };
    push_member(text, "outcome", name);
    if let Outcome::Unstable(change) = outcome {
        push_member(text, "change", name_in(&CHANGES, change));
    }
    let Some(Failed { operation, cause, offset_bytes, error }) = Failed::of(outcome) else { return };
    push_member(text, "operation", operation);
    match cause {
        (kind, Ok(number)) => text.extend_from_slice(format!(",\"{kind}\":{number}").as_bytes()),
        (kind, Err(name)) => push_member(text, kind, name),
    }
    text.extend_from_slice(b",\"offset_bytes\":");
    push_number(text, offset_bytes);
    push_member(text, "error", &error);
}

pub(super) fn name_in<T: PartialEq>(names: &[(T, &'static str)], value: T) -> &'static str {
    names.iter().find(|(known, _)| *known == value).map_or("", |(_, name)| name)
}

fn push_member(text: &mut Vec<u8>, key: &str, value: &str) {
    text.push(b',');
    push_string(text, key);
    text.push(b':');
    push_string(text, value);
}

/// Appends a name as text and, where that cannot hold it, as base64 under the same key with `_b64`.
fn push_name(text: &mut Vec<u8>, key: &str, name: &[u8]) {
    push_string(text, key);
    text.push(b':');
    push_string(text, &String::from_utf8_lossy(name));
    if std::str::from_utf8(name).is_err() {
        text.push(b',');
        push_string(text, &format!("{key}_b64"));
        text.extend_from_slice(b":\"");
        push_base64_bytes(text, name);
        text.push(b'"');
    }
}

fn push_string(text: &mut Vec<u8>, value: &str) {
    // Neither a string nor a vector can refuse.
    let _ = serde_json::to_writer(text, value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_obstacle_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<_> =
            Obstacle::ALL.iter().map(|&obstacle| name_in(&OBSTACLES, obstacle)).collect();
        assert_eq!(names.len(), Obstacle::ALL.len());
        assert!(!names.contains("") && DISPUTED.iter().all(|(_, disputed)| !names.contains(disputed)));
    }
}
