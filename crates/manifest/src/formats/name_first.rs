//! `name HEX`: the name before the digest, with blanks, a tab or a comma between them. Read only.
//!
//! Nothing is quoted or escaped. A sentence may end with a digest, so a list is read like this only if all of its lines look so.

use hashlane_digest::Algorithm;

use super::EachLine;
use crate::error::Error;
use crate::format::{Parser, Setup, Spec};
use crate::item::Item;
use crate::lines::{Line, Lines};
use crate::problem::ProblemKind;
use crate::shape::{is_blank, is_comment, is_long_digest};
use crate::text::{checked_name, decode_plain};

pub(crate) const SPEC: Spec = Spec {
    name: "name-first",
    shape: "name HEX",
    detected_by: "only lines that end with a blank, a tab or a comma and a digest of 32 or more hexadecimal digits",
    untold: true,
    // A line alone may be a sentence that ends with a digest.
    recognizes: |_| false,
    ..Spec::read_by(parser)
};

/// The name and the digest of a line.
fn cut(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.trim_ascii_end();
    let at = line.iter().rposition(|byte| matches!(byte, b' ' | b'\t' | b','))?;
    let (name, digest) = (line[..at].trim_ascii_end(), &line[at + 1..]);
    (is_long_digest(digest) && !name.is_empty()).then_some((name, digest))
}

/// Whether these are nothing but lines of this format and comments, one of the former at least.
pub(crate) fn is_whole<'a>(lines: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut lines = lines.filter(|line| !is_blank(line) && !is_comment(line)).peekable();
    lines.peek().is_some() && lines.all(|line| cut(line).is_some())
}

fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    let algorithm = match setup.named() {
        Some(algorithm) => algorithm,
        None => {
            let first = lines.window()?.split(|&byte| byte == b'\n').find_map(cut);
            setup.untold.algorithm_of_length(first.map_or(0, |(_, digest)| digest.len() / 2))?
        }
    };
    let read = move |line: &Line<'_>| item(line, algorithm);
    let (recorded, algorithm) = (setup.recorded, Some(algorithm));
    Ok(Box::new(EachLine { recorded, algorithm, passes_blanks: true, read, name: |_: &[u8]| None }))
}

fn item(line: &Line<'_>, algorithm: Algorithm) -> Result<Item, ProblemKind> {
    let expected = "a name, a blank, a tab or a comma, DIGEST";
    let (name, digest) = cut(line.text).ok_or(ProblemKind::NotALine { expected })?;
    Ok(Item::of_digest(line.number, checked_name(name)?, decode_plain(algorithm, digest)?))
}
