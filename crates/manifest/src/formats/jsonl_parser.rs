//! Reads [`super::jsonl`].

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{Failure, Outcome};
use serde::Deserialize;
use serde::de::{MapAccess, Visitor};

use super::digest_text::decode_hex;
use super::jsonl::{CHANGES, FAILED, OPERATIONS, READ, SCHEMA, UNSTABLE, VERSION, is_object};
use super::path_of_both;
use crate::error::Error;
use crate::format::{Parser, Setup};
use crate::header::Recorded;
use crate::item::Item;
use crate::lines::Lines;
use crate::problem::{LineProblem, ProblemKind, excerpt};
use crate::rfc3339;

/// A string, borrowed from the line where it has no escapes. Within an option or a pair `Cow` alone is never borrowed.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// What of an object is looked at. A key that stands twice is an error, one that is not known is not.
#[derive(Deserialize)]
struct Object<'a> {
    #[serde(borrow)]
    schema: Text<'a>,
    version: u64,
    #[serde(borrow)]
    path: Option<Text<'a>>,
    #[serde(borrow)]
    path_b64: Option<Text<'a>>,
    size_bytes: Option<u64>,
    #[serde(borrow)]
    mtime: Option<Text<'a>>,
    #[serde(borrow, default)]
    digests: Pairs<'a>,
    #[serde(borrow)]
    outcome: Option<Text<'a>>,
    #[serde(borrow)]
    change: Option<Text<'a>>,
    #[serde(borrow)]
    operation: Option<Text<'a>>,
    errno: Option<i32>,
    offset_bytes: Option<u64>,
    #[serde(borrow)]
    header: Option<HeaderObject<'a>>,
}

/// What of a header is looked at.
#[derive(Deserialize)]
struct HeaderObject<'a> {
    #[serde(borrow)]
    root: Option<Text<'a>>,
    #[serde(borrow)]
    root_b64: Option<Text<'a>>,
    #[serde(borrow)]
    started: Option<Text<'a>>,
}

/// The members of an object, in their order, with their duplicates.
#[derive(Default)]
struct Pairs<'a>(Vec<(Text<'a>, Text<'a>)>);

impl<'a, 'de: 'a> Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Pairs<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of digests")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

struct Objects {
    wanted: Option<Algorithm>,
    recorded: Recorded,
    /// The names of algorithms that were met, since every line has the same.
    names: Vec<(String, Algorithm)>,
    /// An item that was read to find the end of the header.
    first: Option<Result<Item, LineProblem>>,
}

pub(super) fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    let mut objects =
        Objects { wanted: setup.wanted, recorded: setup.recorded, names: Vec::new(), first: None };
    // Reads the header, so that its roots are known before the first item is asked for.
    objects.first = objects.next(lines);
    if let Some(Err(LineProblem { kind: ProblemKind::HeaderTooLong { limit }, .. })) = objects.first {
        return Err(Error::HeaderTooLong { limit });
    }
    Ok(Box::new(objects))
}

impl Parser for Objects {
    fn next(&mut self, lines: &mut Lines<'_>) -> Option<Result<Item, LineProblem>> {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        loop {
            let line = match lines.next()? {
                Ok(line) => line,
                Err(problem) => return Some(Err(problem)),
            };
            if line.text.trim_ascii().is_empty() {
                continue;
            }
            match self.item(line.number, line.text) {
                Ok(None) => continue,
                Ok(Some(item)) => return Some(Ok(item)),
                Err(kind) => {
                    let is_broken = matches!(kind, ProblemKind::Json(_)) && is_object(line.text);
                    return Some(Err(line.problem(kind).entry_if(is_broken)));
                }
            }
        }
    }

    fn recorded(&self) -> Option<&Recorded> {
        Some(&self.recorded)
    }
}

impl Objects {
    /// The item of a line, or `None` if it is a header.
    fn item(&mut self, line: u64, text: &[u8]) -> Result<Option<Item>, ProblemKind> {
        let object: Object<'_> = serde_json::from_slice(text).map_err(ProblemKind::Json)?;
        if *object.schema != *SCHEMA || object.version != VERSION {
            let schema = excerpt(object.schema.as_bytes());
            return Err(ProblemKind::UnknownSchema { schema, version: object.version });
        }
        let bytes = |text: &Option<Text<'_>>| text.as_ref().map(|text| text.as_bytes().to_vec());
        if let Some(header) = &object.header {
            let (root, base64) = (bytes(&header.root), bytes(&header.root_b64));
            if root.is_some() || base64.is_some() {
                self.recorded.add_root(path_of_both(root.as_deref(), base64.as_deref())?)?;
            }
            if let Some(started) = &header.started {
                self.recorded.add_started(started)?;
            }
            return Ok(None);
        }
        let path = path_of_both(bytes(&object.path).as_deref(), bytes(&object.path_b64).as_deref())?;
        let modified =
            object.mtime.as_ref().map(|time| rfc3339::parse(time).ok_or(ProblemKind::MalformedTime));
        let outcome = outcome(&object)?;
        let digests = self.digests(&object.digests)?;
        if digests.is_empty() && matches!(outcome, None | Some(Outcome::Read)) {
            return Err(ProblemKind::NoDigest);
        }
        let (size, modified) = (object.size_bytes, modified.transpose()?);
        Ok(Some(Item { line, path, size, modified, digests, outcome, pieces: None }))
    }

    fn digests(&mut self, pairs: &Pairs<'_>) -> Result<Vec<Digest>, ProblemKind> {
        let mut digests: Vec<Digest> = Vec::with_capacity(pairs.0.len().min(8));
        for (name, text) in &pairs.0 {
            let algorithm = self.named(name)?;
            let digest = decode_hex(algorithm, text.as_bytes())?;
            if digests.iter().any(|other| other.algorithm() == algorithm) {
                return Err(ProblemKind::DuplicateDigest { algorithm });
            }
            digests.push(digest);
        }
        if let Some(wanted) = self.wanted {
            digests.retain(|digest| digest.algorithm() == wanted);
        }
        Ok(digests)
    }

    fn named(&mut self, name: &str) -> Result<Algorithm, ProblemKind> {
        if let Some((_, algorithm)) = self.names.iter().find(|(known, _)| known == name) {
            return Ok(*algorithm);
        }
        let algorithm = Algorithm::named(name);
        let algorithm = algorithm.ok_or_else(|| ProblemKind::unknown_algorithm(name.as_bytes()))?;
        // Spellings differ in case and punctuation without end: only some are kept.
        if self.names.len() < 64 {
            self.names.push((name.to_owned(), algorithm));
        }
        Ok(algorithm)
    }
}

fn outcome(object: &Object<'_>) -> Result<Option<Outcome>, ProblemKind> {
    let Some(name) = object.outcome.as_deref() else {
        return Ok(None);
    };
    let outcome = match name {
        READ => Some(Outcome::Read),
        UNSTABLE => named_in(&CHANGES, object.change.as_deref()).map(Outcome::Unstable),
        FAILED => {
            named_in(&OPERATIONS, object.operation.as_deref()).zip(object.errno).map(|(operation, errno)| {
                Outcome::Failed(Failure { operation, errno, offset_bytes: object.offset_bytes.unwrap_or(0) })
            })
        }
        _ => None,
    };
    outcome.map(Some).ok_or(ProblemKind::UnknownOutcome)
}

pub(super) fn named_in<T: Copy>(names: &[(T, &str)], name: Option<&str>) -> Option<T> {
    names.iter().find(|(_, known)| Some(*known) == name).map(|(value, _)| *value)
}
