//! The digest list of ACE: `SHA-256:collection`, then `HEX<TAB>/name`.
//!
//! Names are those of a collection and begin with a slash that is not the root of a file system: a reader takes it off, a
//! writer puts it on.

use hashlane_digest::Algorithm;
use memchr::memchr;

use crate::error::Error;
use crate::format::{Entry, Format, Parser, Renderer, Setup, Spec};
use crate::header::Header;
use crate::item::Item;
use crate::lines::{Line, Lines};
use crate::problem::{LineProblem, ProblemKind};
use crate::shape::plain_bytes;
use crate::text::{checked_name, decode_plain, push_plain};

const EXPECTED_HEADER: &str = "ALGORITHM:COLLECTION";

pub(crate) const SPEC: Spec = Spec {
    name: "ace",
    shape: "HEX<TAB>/name",
    detected_by: "a digest, a tab and a name, below a line with the algorithm and a collection",
    recognizes: is_line,
    renderer: Some(|algorithms, _| {
        Ok(Box::new(Lister { algorithm: Format(&SPEC).only_algorithm(algorithms)? }))
    }),
    ..Spec::read_by(parser)
};

/// Whether a line is an entry: names begin with a slash. A digest, a tab and another name are an entry of gnu.
pub(super) fn is_line(line: &[u8]) -> bool {
    cut(line).is_some_and(|(digest, name)| {
        name.starts_with(b"/") && digest.len() >= 8 && plain_bytes(digest).is_some()
    })
}

fn cut(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let tab = memchr(b'\t', line)?;
    Some((&line[..tab], &line[tab + 1..]))
}

/// The algorithm of a first line.
fn header(line: &[u8]) -> Option<Algorithm> {
    let colon = memchr(b':', line)?;
    // An entry that lost the end of the line above it.
    if memchr(b'\t', line).is_some() {
        return None;
    }
    Algorithm::named(std::str::from_utf8(&line[..colon]).ok().filter(|name| !name.is_empty())?)
}

struct Ace {
    algorithm: [Algorithm; 1],
}

fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    let format = setup.format;
    let listed = match lines.next() {
        Some(Ok(line)) => header(line.text),
        _ => None,
    };
    let listed = listed.ok_or(Error::MissingHeader { format, expected: EXPECTED_HEADER })?;
    if let Some(wanted) = setup.wanted.filter(|wanted| *wanted != listed) {
        return Err(Error::AlgorithmContradicted { given: wanted, recorded: listed });
    }
    Ok(Box::new(Ace { algorithm: [listed] }))
}

impl Parser for Ace {
    fn next(&mut self, lines: &mut Lines<'_>) -> Option<Result<Item, LineProblem>> {
        loop {
            let line = match lines.next()? {
                Ok(line) if line.text.is_empty() => continue,
                Ok(line) => line,
                Err(problem) => return Some(Err(problem)),
            };
            return Some(self.item(&line).map_err(|kind| line.problem(kind)));
        }
    }

    fn algorithms(&self) -> &[Algorithm] {
        &self.algorithm
    }
}

impl Ace {
    fn item(&self, line: &Line<'_>) -> Result<Item, ProblemKind> {
        let (digest, name) =
            cut(line.text).ok_or(ProblemKind::NotALine { expected: "DIGEST, a tab, NAME" })?;
        let digest = decode_plain(self.algorithm[0], digest)?;
        let path = checked_name(name.strip_prefix(b"/").unwrap_or(name))?;
        Ok(Item::of_digest(line.number, path, digest))
    }
}

struct Lister {
    algorithm: Algorithm,
}

impl Renderer for Lister {
    /// The collection has no other name than that of the program: a reader could not tell it from a root.
    fn preamble(&mut self, _: Option<&Header>, text: &mut Vec<u8>) -> Result<(), Error> {
        text.extend_from_slice(java_name(self.algorithm).as_bytes());
        text.extend_from_slice(b":hashlane\n");
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<'_>, text: &mut Vec<u8>) -> Result<(), Error> {
        let format = Format(&SPEC);
        entry.must_be_read(format)?;
        let name = entry.path.as_bytes();
        if memchr(b'\n', name).is_some() {
            return Err(format.name_not_held(entry.path, "with a newline"));
        }
        if name.ends_with(b"\r") {
            return Err(format.name_not_held(entry.path, "that ends with a carriage return"));
        }
        push_plain(text, entry.needed_digest(self.algorithm, format)?);
        text.extend_from_slice(b"\t/");
        text.extend_from_slice(name);
        text.push(b'\n');
        Ok(())
    }
}

/// What Java, in which ACE is written, calls an algorithm.
fn java_name(algorithm: Algorithm) -> &'static str {
    match algorithm.name() {
        "sha1" => "SHA-1",
        "sha224" => "SHA-224",
        "sha256" => "SHA-256",
        "sha384" => "SHA-384",
        "sha512" => "SHA-512",
        "sha512-256" => "SHA-512/256",
        _ => algorithm.bsd_tag(),
    }
}
