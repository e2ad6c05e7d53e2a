//! MHL, the Media Hash List of the film world: a `<hash>` for each file. Version 1.1 is read and written, and generations of ASC MHL 2.0 are
//! read.
//!
//! ```text
//! <hash>
//!   <file>Clips/A001.mov</file>
//!   <size>4</size>
//!   <lastmodificationdate>2026-01-31T23:59:59Z</lastmodificationdate>
//!   <xxhash64be>de0327b0d25d92cc</xxhash64be>
//!   <hashdate>2026-02-01T08:00:00Z</hashdate>
//! </hash>
//! ```
//!
//! The elements of digests have names of their own: [`element_of`].
//!
//! ```text
//! <hash>
//!   <path size="4" lastmodificationdate="2026-01-31T23:59:59+00:00">Clips/A001.mov</path>
//!   <xxh64 action="original" hashdate="2026-02-01T08:00:00+00:00">de0327b0d25d92cc</xxh64>
//! </hash>
//! ```
//!
//! Of ASC MHL, directories are passed over: what they have is listed by itself.
//!
//! Names are relative to the directory that the list is in. XML cannot hold every name, and other programs would take an escape for
//! the name itself, so such names are refused.
//!
//! No `<hashdate>` is written: a list of the same files is the same list.
//!
//! Source: <https://mediahashlist.org/mhl-specification/> and ASC MHL 2.0, <https://github.com/ascmitc/mhl-specification>, and what its reference implementation, mhl-tool, writes and reads.

mod parser;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::Timestamp;

use super::dfxml::push_element;
use crate::error::Error;
use crate::format::{Entry, Format, Renderer, Spec};
use crate::header::Header;
use crate::problem::ProblemKind;
use crate::rfc3339::time_text;
use crate::text::{decode_plain, parse_number, push_number};
use crate::write_options::WriteOptions;
use crate::xml::{root_element, shown_unlike};

/// Our own namespace, for what MHL has no place for in its header.
pub(super) const NAMESPACE: &[u8] = b"urn:hashlane:mhl:1";

pub(crate) const SPEC: Spec = Spec {
    name: "mhl",
    shape: "<hash><file>…</file><size>…</size><md5>HEX</md5></hash>",
    many_algorithms: true,
    detected_by: "its root element, <hashlist>",
    by_first_line: true,
    sizes: true,
    times: true,
    recognizes: is_document,
    renderer: Some(renderer),
    ..Spec::read_by(parser::parser)
};

/// The elements of version 1.1, and the algorithms whose digests stand in them.
const ELEMENTS: [(&str, &str); 3] = [("md5", "md5"), ("sha1", "sha1"), ("xxhash64be", "xxh64")];

/// The other element of XXH64: the bytes of the digest in reverse order, as little-endian machines keep the number.
const REVERSED: (&[u8], &str) = (b"xxhash64", "xxh64");

/// Whether a text is XML with our root element, as far as can be seen.
pub(crate) fn is_document(text: &[u8]) -> bool {
    root_element(text) == Some(b"hashlist")
}

/// The element of XXH32, whose digest is a decimal number.
const DECIMAL: (&[u8], &str) = (b"xxhash", "xxh32");

/// The digest that an element of version 1.1 holds; `None` if its algorithm is not known here.
pub(super) fn digest_in(element: &[u8], text: &[u8]) -> Option<Result<Digest, ProblemKind>> {
    if element == REVERSED.0 {
        return Some(decode_plain(Algorithm::named(REVERSED.1)?, text).map(|digest| digest.reversed()));
    }
    if element == DECIMAL.0 {
        let algorithm = Algorithm::named(DECIMAL.1)?;
        let number = parse_number(text).and_then(|number| u32::try_from(number).ok());
        let digest = number.and_then(|number| Digest::new(algorithm, &number.to_be_bytes()).ok());
        return Some(digest.ok_or(ProblemKind::DigestDigits { algorithm }));
    }
    let named = |&(known, name): &(&str, &'static str)| (known.as_bytes() == element).then_some(name);
    let listed = ELEMENTS.iter().find_map(named).and_then(Algorithm::named);
    match listed {
        Some(algorithm) => Some(decode_plain(algorithm, text)),
        // Elements that no specification has say what they mean all the same.
        None => digest_named(element, text),
    }
}

/// The digest that an element of version 2.0 holds: all are named as the algorithms are here. `None` if it is of none.
pub(super) fn digest_named(element: &[u8], text: &[u8]) -> Option<Result<Digest, ProblemKind>> {
    let algorithm = Algorithm::all().find(|algorithm| algorithm.name().as_bytes() == element)?;
    Some(decode_plain(algorithm, text))
}

/// The element that digests of an algorithm are written in.
fn element_of(algorithm: Algorithm) -> Option<&'static str> {
    ELEMENTS.iter().find(|(_, name)| *name == algorithm.name()).map(|(element, _)| *element)
}

fn renderer(algorithms: &[Algorithm], _: &WriteOptions) -> Result<Box<dyn Renderer>, Error> {
    let named = |&algorithm: &Algorithm| {
        let element = element_of(algorithm).ok_or(Error::NotInMhl { algorithm })?;
        Ok((element, algorithm))
    };
    Ok(Box::new(Hashes { algorithms: algorithms.iter().map(named).collect::<Result<_, Error>>()? }))
}

/// A time without decimals if there are none: no other program writes any, and some may not expect them.
fn shown_time(time: Timestamp) -> Vec<u8> {
    let text = time_text(time);
    match text.strip_suffix(b".000000000Z") {
        Some(whole) => [whole, b"Z"].concat(),
        None => text,
    }
}

struct Hashes {
    algorithms: Vec<(&'static str, Algorithm)>,
}

impl Renderer for Hashes {
    fn preamble(&mut self, header: Option<&Header>, text: &mut Vec<u8>) -> Result<(), Error> {
        text.extend_from_slice(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<hashlist version=\"1.1\"");
        if header.is_some() {
            text.extend_from_slice(b" xmlns:hashlane=\"");
            text.extend_from_slice(NAMESPACE);
            text.push(b'"');
        }
        text.extend_from_slice(b">\n  <creatorinfo>\n");
        let ours = concat!("hashlane ", env!("CARGO_PKG_VERSION"));
        push_element(text, "    ", "tool", header.map_or(ours, |header| &header.program).as_bytes());
        if let Some(header) = header {
            if let Some(started) = header.started {
                push_element(text, "    ", "startdate", &shown_time(started));
            }
            push_element(text, "    ", "hashlane:command", header.shown_command());
            push_element(text, "    ", "hashlane:cwd", header.cwd.as_bytes());
            for root in &header.roots {
                push_element(text, "    ", "hashlane:root", root.as_bytes());
            }
        }
        text.extend_from_slice(b"  </creatorinfo>\n");
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<'_>, text: &mut Vec<u8>) -> Result<(), Error> {
        let format = Format(&SPEC);
        entry.must_be_read(format)?;
        if shown_unlike(entry.path.as_bytes()).is_some() {
            return Err(format.name_not_held(entry.path, "that XML cannot hold"));
        }
        if self.algorithms.iter().all(|&(_, algorithm)| entry.digest(algorithm).is_none()) {
            entry.needed_digest(self.algorithms[0].1, format)?;
        }
        let size = entry.size.ok_or_else(|| Error::NoSize { format, path: entry.path.clone() })?;
        text.extend_from_slice(b"  <hash>\n");
        push_element(text, "    ", "file", entry.path.as_bytes());
        text.extend_from_slice(b"    <size>");
        push_number(text, size);
        text.extend_from_slice(b"</size>\n");
        if let Some(modified) = entry.modified {
            push_element(text, "    ", "lastmodificationdate", &shown_time(modified));
        }
        for &(element, algorithm) in &self.algorithms {
            if let Some(digest) = entry.digest(algorithm) {
                push_element(text, "    ", element, digest.to_string().as_bytes());
            }
        }
        text.extend_from_slice(b"  </hash>\n");
        Ok(())
    }

    fn epilogue(&mut self, text: &mut Vec<u8>) -> Result<(), Error> {
        text.extend_from_slice(b"</hashlist>\n");
        Ok(())
    }
}
