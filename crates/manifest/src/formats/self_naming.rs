//! `DIGEST  name` with digests that name their own algorithm: multihash, `ni:` URIs, subresource integrity.
//!
//! Names are escaped as coreutils does. Several algorithms are several lines; adjacent lines about one name are one item again.

use std::borrow::Cow;

use hashlane_digest::{Algorithm, Digest, Notation};

use super::EachLine;
use super::gnu::{line_end, push_name};
use crate::error::Error;
use crate::escape::{needs_escape, unescape};
use crate::format::{Entry, Format, Parser, Renderer, Setup, Spec};
use crate::header::{Header, push_comments};
use crate::item::Item;
use crate::lines::{Line, LineEnds, Lines};
use crate::problem::ProblemKind;
use crate::shape::{cut_all, names_itself};
use crate::text::checked_name;
use crate::write_options::WriteOptions;

pub(crate) const MULTIHASH: Spec = Spec {
    name: "multihash",
    shape: "MULTIHASH  name",
    many_algorithms: true,
    zero: true,
    detected_by: "a multihash in hexadecimal, two spaces, a name",
    recognizes: |line| names_itself(line) == Some(Notation::Multihash),
    renderer: Some(|algorithms, options| start(Format(&MULTIHASH), Notation::Multihash, algorithms, options)),
    ..Spec::read_by(parser)
};

pub(crate) const NI: Spec = Spec {
    name: "ni",
    shape: "ni:///ALGORITHM;BASE64URL  name",
    many_algorithms: true,
    zero: true,
    detected_by: "an ni: URI (RFC 6920), two spaces, a name",
    recognizes: |line| names_itself(line) == Some(Notation::NamedInformation),
    renderer: Some(|algorithms, options| start(Format(&NI), Notation::NamedInformation, algorithms, options)),
    ..Spec::read_by(parser)
};

pub(crate) const SRI: Spec = Spec {
    name: "sri",
    shape: "ALGORITHM-BASE64  name",
    many_algorithms: true,
    zero: true,
    detected_by: "an integrity value (sha256-, sha384- or sha512-), two spaces, a name",
    recognizes: |line| names_itself(line) == Some(Notation::SubresourceIntegrity),
    renderer: Some(|algorithms, options| {
        start(Format(&SRI), Notation::SubresourceIntegrity, algorithms, options)
    }),
    ..Spec::read_by(parser)
};

fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    let (zero, wanted) = (lines.ends() == LineEnds::Nul, setup.wanted);
    let read = move |line: &Line<'_>| item(line, zero, wanted);
    let recorded = setup.recorded;
    Ok(Box::new(EachLine { recorded, algorithm: None, passes_blanks: false, read, name: |_: &[u8]| None }))
}

fn item(line: &Line<'_>, zero: bool, wanted: Option<Algorithm>) -> Result<Item, ProblemKind> {
    let expected = "a digest that names its algorithm, two spaces, NAME";
    let cut = cut_all(line.text).filter(|(.., cut)| !(zero && cut.escaped));
    let (_, mut digests, cut) = cut.ok_or(ProblemKind::NotALine { expected })?;
    if let Some(algorithm) = twice(&digests) {
        return Err(ProblemKind::DuplicateDigest { algorithm });
    }
    if let Some(wanted) = wanted {
        digests.retain(|digest| digest.algorithm() == wanted);
        if digests.is_empty() {
            return Err(ProblemKind::AlgorithmNotAsked { wanted });
        }
    }
    let name = match cut.escaped {
        true => unescape(cut.name).ok_or(ProblemKind::BadEscape)?,
        false => Cow::Borrowed(cut.name),
    };
    let item = Item::of_digest(line.number, checked_name(&name)?, digests[0]);
    Ok(Item { digests, ..item })
}

/// An algorithm that there are two digests of.
fn twice(digests: &[Digest]) -> Option<Algorithm> {
    let mut algorithms = digests.iter().map(Digest::algorithm).enumerate();
    let is_twice = |(at, algorithm): &(usize, Algorithm)| {
        digests[..*at].iter().any(|before| before.algorithm() == *algorithm)
    };
    algorithms.find(is_twice).map(|(_, algorithm)| algorithm)
}

struct Lister {
    format: Format,
    notation: Notation,
    algorithms: Vec<Algorithm>,
    zero: bool,
}

fn start(
    format: Format,
    notation: Notation,
    algorithms: &[Algorithm],
    options: &WriteOptions,
) -> Result<Box<dyn Renderer>, Error> {
    match algorithms.iter().find(|algorithm| !notation.has(**algorithm)) {
        Some(&algorithm) => Err(Error::NoNameFor { format, algorithm }),
        None => {
            Ok(Box::new(Lister { format, notation, algorithms: algorithms.to_vec(), zero: options.zero }))
        }
    }
}

impl Renderer for Lister {
    fn preamble(&mut self, header: Option<&Header>, text: &mut Vec<u8>) -> Result<(), Error> {
        push_comments(text, header, None, line_end(self.zero));
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<'_>, text: &mut Vec<u8>) -> Result<(), Error> {
        entry.must_be_read(self.format)?;
        let escaped = !self.zero && needs_escape(entry.path.as_bytes());
        for &algorithm in &self.algorithms {
            if escaped {
                text.push(b'\\');
            }
            self.notation.write(entry.needed_digest(algorithm, self.format)?, text);
            text.extend_from_slice(b"  ");
            push_name(text, entry, escaped);
            text.push(line_end(self.zero));
        }
        Ok(())
    }
}
