//! Digital Forensics XML: a `<fileobject>` for each file, as hashdeep's `-d`, fiwalk and other forensic tools write it.
//!
//! ```text
//! <fileobject>
//!   <filename>photos/a</filename>
//!   <filesize>4</filesize>
//!   <mtime>2026-01-31T23:59:59.123456789Z</mtime>
//!   <hashdigest type="sha256">9f86…</hashdigest>
//! </fileobject>
//! ```
//!
//! XML cannot hold every name: control characters and bytes that are not UTF-8 have no place in it, not even escaped. Such a
//! name stands in `<filename>` with U+FFFD, so that other tools have something to show, and whole in base64 in an
//! attribute of our own namespace, `hashlane:b64`, which the schema of DFXML allows there and other tools pass over. Escapes
//! within `<filename>` would be taken for the name by all of them, and would need an escape for themselves. How a failed
//! reading ended stands in attributes of `<error>` in the same way.
//!
//! Digests in a `<byte_run>` are of pieces and are never taken for the file's. We write one `<byte_run>` for
//! each piece within
//! `<byte_runs>`, where the schema has them; hashdeep writes them without.

mod parser;
mod pieces;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::Outcome;

use crate::error::Error;
use crate::format::{Entry, Format, HandOver, Renderer, Spec};
use crate::header::Header;
use crate::pieces::Piecewise;
use crate::rfc3339;
use crate::text::{push_base64_bytes, push_number, push_plain};
use crate::words::{CHANGES, FAILED, Failed, UNSTABLE, name_in};
use crate::write_options::HANDED_OVER_BYTES;
use crate::xml::{push_text, root_element, shown_unlike};

/// Our own namespace, for what DFXML has no place for.
pub const NAMESPACE: &[u8] = b"urn:hashlane:dfxml:1";

/// The algorithms that the schema knows. Others are `other` there, and have their name in an attribute of ours.
const LISTED: [&str; 6] = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];

pub(crate) const SPEC: Spec = Spec {
    name: "dfxml",
    shape: "<fileobject><filename>…</filename><hashdigest type=\"…\">HEX</hashdigest></fileobject>",
    many_algorithms: true,
    detected_by: "its root element, <dfxml>",
    by_first_line: true,
    sizes: true,
    times: true,
    pieces: Some(Piecewise::Native),
    recognizes: is_document,
    renderer: Some(|algorithms, _| Ok(Box::new(Objects { algorithms: algorithms.to_vec() }))),
    ..Spec::read_by(parser::parser)
};

/// Whether a text is XML with our root element, as far as can be seen.
pub(crate) fn is_document(text: &[u8]) -> bool {
    root_element(text) == Some(b"dfxml")
}

struct Objects {
    algorithms: Vec<Algorithm>,
}

impl Renderer for Objects {
    fn preamble(&mut self, header: Option<&Header>, text: &mut Vec<u8>) -> Result<(), Error> {
        text.extend_from_slice(
            b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
              <dfxml xmlns=\"http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML\"\n  \
              xmlns:dc=\"http://purl.org/dc/elements/1.1/\"\n  xmlns:hashlane=\"",
        );
        text.extend_from_slice(NAMESPACE);
        text.extend_from_slice(
            b"\" version=\"2.0.0-beta.0\">\n  <metadata>\n    <dc:type>Hash List</dc:type>\n",
        );
        if let Some(header) = header {
            push_element(text, "    ", "hashlane:cwd", header.cwd.as_bytes());
            for root in &header.roots {
                push_element(text, "    ", "hashlane:root", root.as_bytes());
            }
            for file_system in &header.file_systems {
                let name = format!("{file_system:016x}");
                push_element(text, "    ", "hashlane:file_system", name.as_bytes());
            }
            if let Some(started) = header.started {
                text.extend_from_slice(b"    <hashlane:started>");
                rfc3339::push(text, started);
                text.extend_from_slice(b"</hashlane:started>\n");
            }
        }
        text.extend_from_slice(b"  </metadata>\n  <creator>\n");
        let program = header.map_or("hashlane", |header| &header.program);
        let (name, version) = program.split_once(' ').unwrap_or((program, env!("CARGO_PKG_VERSION")));
        push_element(text, "    ", "program", name.as_bytes());
        push_element(text, "    ", "version", version.as_bytes());
        if let Some(header) = header {
            text.extend_from_slice(b"    <execution_environment>\n");
            push_element(text, "      ", "command_line", header.shown_command());
            text.extend_from_slice(b"    </execution_environment>\n");
        }
        text.extend_from_slice(b"  </creator>\n  <source/>\n");
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<'_>, text: &mut Vec<u8>) -> Result<(), Error> {
        self.check(entry)?;
        push_facts(text, entry);
        self.push_whole(text, entry);
        Ok(())
    }

    fn long_entry(
        &mut self,
        entry: &Entry<'_>,
        text: &mut Vec<u8>,
        hand_over: &mut HandOver<'_>,
    ) -> Result<(), Error> {
        self.check(entry)?;
        push_facts(text, entry);
        if let Some(pieces) = entry.pieces {
            text.extend_from_slice(b"    <byte_runs>\n");
            for (extent, digests) in pieces.iter() {
                text.extend_from_slice(b"      <byte_run file_offset=\"");
                push_number(text, extent.offset);
                text.extend_from_slice(b"\" len=\"");
                push_number(text, extent.length);
                text.extend_from_slice(b"\">\n");
                let of = |&algorithm| digests.iter().find(|digest| digest.algorithm() == algorithm);
                self.algorithms
                    .iter()
                    .filter_map(of)
                    .for_each(|digest| push_digest(text, "        ", digest));
                text.extend_from_slice(b"      </byte_run>\n");
                if text.len() >= HANDED_OVER_BYTES {
                    hand_over(text)?;
                }
            }
            text.extend_from_slice(b"    </byte_runs>\n");
        }
        self.push_whole(text, entry);
        Ok(())
    }

    fn epilogue(&mut self, text: &mut Vec<u8>) -> Result<(), Error> {
        text.extend_from_slice(b"</dfxml>\n");
        Ok(())
    }
}

impl Objects {
    /// What was read has a digest.
    fn check(&self, entry: &Entry<'_>) -> Result<(), Error> {
        let was_read = matches!(entry.outcome, None | Some(Outcome::Read));
        if was_read && self.algorithms.iter().all(|&algorithm| entry.digest(algorithm).is_none()) {
            entry.needed_digest(self.algorithms[0], Format(&SPEC))?;
        }
        Ok(())
    }

    fn push_whole(&self, text: &mut Vec<u8>, entry: &Entry<'_>) {
        let digests = self.algorithms.iter().filter_map(|&algorithm| entry.digest(algorithm));
        digests.for_each(|digest| push_digest(text, "    ", digest));
        text.extend_from_slice(b"  </fileobject>\n");
    }
}

fn push_facts(text: &mut Vec<u8>, entry: &Entry<'_>) {
    text.extend_from_slice(b"  <fileobject>\n");
    push_element(text, "    ", "filename", entry.path.as_bytes());
    push_outcome(text, entry.outcome);
    if let Some(size) = entry.size {
        text.extend_from_slice(b"    <filesize>");
        push_number(text, size);
        text.extend_from_slice(b"</filesize>\n");
    }
    if let Some(inode) = entry.inode {
        text.extend_from_slice(b"    <inode>");
        push_number(text, inode.get());
        text.extend_from_slice(b"</inode>\n");
    }
    if let Some(modified) = entry.modified {
        text.extend_from_slice(b"    <mtime>");
        rfc3339::push(text, modified);
        text.extend_from_slice(b"</mtime>\n");
    }
}

fn push_digest(text: &mut Vec<u8>, indent: &str, digest: &Digest) {
    let name = digest.algorithm().name();
    text.extend_from_slice(indent.as_bytes());
    text.extend_from_slice(b"<hashdigest type=\"");
    if !LISTED.contains(&name) {
        text.extend_from_slice(b"other\" hashlane:algorithm=\"");
    }
    push_text(text, name.as_bytes());
    text.extend_from_slice(b"\">");
    push_plain(text, digest);
    text.extend_from_slice(b"</hashdigest>\n");
}

/// Appends an element with a text, and with the bytes of it where XML cannot hold them: the prefix `hashlane` has to stand
/// for [`NAMESPACE`].
pub fn push_element(text: &mut Vec<u8>, indent: &str, name: &str, value: &[u8]) {
    text.extend_from_slice(indent.as_bytes());
    text.push(b'<');
    text.extend_from_slice(name.as_bytes());
    if shown_unlike(value).is_some() {
        text.extend_from_slice(b" hashlane:b64=\"");
        push_base64_bytes(text, value);
        text.push(b'"');
    }
    text.push(b'>');
    push_text(text, value);
    text.extend_from_slice(b"</");
    text.extend_from_slice(name.as_bytes());
    text.extend_from_slice(b">\n");
}

fn push_outcome(text: &mut Vec<u8>, outcome: Option<Outcome>) {
    let Some(outcome) = outcome else { return };
    let (attributes, said) = match (outcome, Failed::of(outcome)) {
        (Outcome::Unstable(change), _) => {
            let name = name_in(&CHANGES, change);
            (format!("outcome=\"{UNSTABLE}\" hashlane:change=\"{name}\""), change.to_string())
        }
        (_, None) => return,
        (_, Some(Failed { operation, cause: (kind, value), offset_bytes, error })) => {
            let value = value.map_or_else(str::to_owned, |number| number.to_string());
            let attributes = format!(
                "outcome=\"{FAILED}\" hashlane:operation=\"{operation}\" hashlane:{kind}=\"{value}\" \
                 hashlane:offset_bytes=\"{offset_bytes}\""
            );
            (attributes, error)
        }
    };
    text.extend_from_slice(b"    <error hashlane:");
    text.extend_from_slice(attributes.as_bytes());
    text.push(b'>');
    push_text(text, said.as_bytes());
    text.extend_from_slice(b"</error>\n");
}
