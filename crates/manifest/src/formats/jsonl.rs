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

pub(super) mod parser;
mod pieces;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{Outcome, Pieces};

use crate::columns::Ended;
use crate::error::Error;
use crate::format::{Entry, Format, HandOver, Renderer, Spec};
use crate::header::Header;
use crate::pieces::Piecewise;
use crate::rfc3339;
use crate::shape::{SCHEMA, is_our_object};
use crate::text::{push_base64_bytes, push_number, push_plain};
use crate::words::Failed;
use crate::write_options::{HANDED_OVER_BYTES, WriteOptions};

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
    recognizes: is_our_object,
    renderer: Some(renderer),
    ..Spec::read_by(parser::parser)
};

/// How much of a line digests of pieces may have, in bytes. The longest name, escaped, and its base64 have
/// 961,196, so 64 KiB leave room for all else.
const PIECES_BYTES: usize = 64 << 10;

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
    let ended = Ended::new(outcome);
    push_member(text, "outcome", ended.outcome());
    if let Some(change) = ended.change() {
        push_member(text, "change", change);
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
