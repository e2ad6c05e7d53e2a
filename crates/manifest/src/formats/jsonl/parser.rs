//! Reads [`crate::formats::jsonl`].

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU64;
use std::ops::Deref;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{ItemPath, ObjectState, Outcome};
use serde::Deserialize;
use serde::de::{MapAccess, Visitor};

use super::VERSION;
use super::pieces::{Columns, Gathered};
use crate::error::Error;
use crate::format::{Parser, Setup};
use crate::header::Recorded;
use crate::item::{Item, keep_wanted};
use crate::lines::Lines;
use crate::pieces::division;
use crate::problem::{LineProblem, ProblemKind, excerpt};
use crate::rfc3339;
use crate::shape::SCHEMA;
use crate::text::{decode_plain, path_of_both};
use crate::words::{CHANGES, FAILED, Failed, READ, UNSTABLE, named_in};

/// How much of a line is kept to be shown, while the lines behind it are read.
const BEGIN_BYTES: usize = 256;

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
    inode: Option<u64>,
    #[serde(borrow)]
    mtime: Option<Text<'a>>,
    #[serde(borrow)]
    etag: Option<Text<'a>>,
    #[serde(borrow)]
    version_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    digests: Members<'a, Text<'a>>,
    #[serde(borrow)]
    pieces: Option<PiecesObject<'a>>,
    #[serde(borrow)]
    outcome: Option<Text<'a>>,
    #[serde(borrow)]
    change: Option<Text<'a>>,
    #[serde(borrow)]
    operation: Option<Text<'a>>,
    errno: Option<i32>,
    status: Option<u16>,
    #[serde(borrow)]
    obstacle: Option<Text<'a>>,
    offset_bytes: Option<u64>,
    #[serde(borrow)]
    header: Option<HeaderObject<'a>>,
}

/// What of pieces is looked at.
#[derive(Deserialize)]
pub(super) struct PiecesObject<'a> {
    pub(super) piece_bytes: Option<u64>,
    pub(super) end_bytes: Option<u64>,
    /// Where they begin, if others are before them.
    pub(super) offset_bytes: Option<u64>,
    #[serde(borrow, default)]
    digests: Members<'a, Vec<Text<'a>>>,
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
    #[serde(borrow)]
    shard: Option<Text<'a>>,
    #[serde(borrow)]
    file_system: Option<Text<'a>>,
}

/// The members of an object, in their order, with their duplicates.
struct Members<'a, V>(Vec<(Text<'a>, V)>);

impl<V> Default for Members<'_, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'a, 'de: 'a, V: Deserialize<'de>> Deserialize<'de> for Members<'a, V> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Pairs<V> {
            type Value = Vec<(Text<'de>, V)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of digests")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(pairs)
            }
        }
        deserializer.deserialize_map(Pairs(PhantomData)).map(Members)
    }
}

struct Objects {
    wanted: Option<Algorithm>,
    recorded: Recorded,
    /// The names of algorithms that were met, since every line has the same.
    names: Vec<(String, Algorithm)>,
    /// What was read already, in its order: to find the end of the header, or of the pieces of a file.
    ready: VecDeque<Result<Item, LineProblem>>,
    /// The file whose pieces cannot be read, which was said once.
    wrong: Option<ItemPath>,
}

/// What a line is.
enum Parsed {
    Header,
    Item(Item, Option<Gathered>),
    /// More pieces of the item before it.
    More(ItemPath, u64, Columns),
}

pub(super) fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    let Setup { wanted, recorded, .. } = setup;
    let mut objects = Objects::new(wanted, recorded);
    // Reads the header, so that its roots are known before the first item is asked for.
    let first = objects.next(lines);
    if let Some(Err(LineProblem { kind: ProblemKind::HeaderTooLong { limit }, .. })) = first {
        return Err(Error::HeaderTooLong { limit });
    }
    // Before what was met behind it.
    first.into_iter().for_each(|first| objects.ready.push_front(first));
    Ok(Box::new(objects))
}

/// What objects that name a run and its roots say, where nothing else stands.
pub(crate) fn header(lines: &mut Lines<'_>) -> Result<Recorded, Error> {
    let mut objects = Objects::new(None, Recorded::default());
    match objects.next(lines) {
        None => Ok(objects.recorded),
        Some(Err(LineProblem { kind: ProblemKind::HeaderTooLong { limit }, .. })) => {
            Err(Error::HeaderTooLong { limit })
        }
        // As a comment of ours that is broken, it binds nobody.
        Some(_) => Ok(Recorded::default()),
    }
}

impl Parser for Objects {
    fn next(&mut self, lines: &mut Lines<'_>) -> Option<Result<Item, LineProblem>> {
        if let Some(ready) = self.ready.pop_front() {
            return Some(ready);
        }
        loop {
            let line = match lines.next()? {
                Ok(line) => line,
                Err(problem) => return Some(Err(problem)),
            };
            if line.text.trim_ascii().is_empty() {
                continue;
            }
            match self.parse(line.number, line.text) {
                Ok(Parsed::Header) => continue,
                Ok(Parsed::More(path, ..)) if self.wrong.as_ref() == Some(&path) => continue,
                Ok(Parsed::More(_, offset_bytes, _)) => {
                    return Some(Err(line.problem(ProblemKind::StrayPieces { offset_bytes })));
                }
                Ok(Parsed::Item(item, None)) => return Some(Ok(item)),
                Ok(Parsed::Item(item, Some(gathered))) => {
                    let begin = line.text[..line.text.len().min(BEGIN_BYTES)].to_vec();
                    let offset = line.offset;
                    return Some(self.gather(item, gathered, lines).map_err(|(line, kind)| {
                        LineProblem::new(line, offset, kind, &begin).entry_if(true)
                    }));
                }
                Err(kind) => {
                    return Some(Err(line.problem(kind).of_file(path_in(line.text))));
                }
            }
        }
    }

    fn recorded(&self) -> Option<&Recorded> {
        Some(&self.recorded)
    }
}

impl Objects {
    fn new(wanted: Option<Algorithm>, recorded: Recorded) -> Self {
        Self { wanted, recorded, names: Vec::new(), ready: VecDeque::new(), wrong: None }
    }

    /// Takes in the lines behind an item that have the rest of its pieces.
    fn gather(
        &mut self,
        item: Item,
        mut gathered: Gathered,
        lines: &mut Lines<'_>,
    ) -> Result<Item, (u64, ProblemKind)> {
        while gathered.found < gathered.expected() {
            let line = match lines.next() {
                Some(Ok(line)) => line,
                Some(Err(problem)) => {
                    self.ready.push_back(Err(problem));
                    break;
                }
                None => break,
            };
            let number = line.number;
            match self.parse(number, line.text) {
                Ok(Parsed::More(path, offset_bytes, columns)) if path == item.path => {
                    gathered.add(offset_bytes, columns).map_err(|kind| (number, kind))?;
                }
                _ => {
                    lines.put_back();
                    break;
                }
            }
        }
        let at_item = |kind| (item.line, kind);
        let pieces = gathered.finish(self.wanted).map_err(at_item)?;
        if let Some(pieces) = &pieces {
            division(pieces, item.size, item.outcome).map_err(at_item)?;
        }
        self.wrong = None;
        Ok(Item { pieces, ..item })
    }

    fn parse(&mut self, line: u64, text: &[u8]) -> Result<Parsed, ProblemKind> {
        // Looked at once, instead of string by string. What is not UTF-8 is left to the parser, which says where.
        let object: Object<'_> = match std::str::from_utf8(text) {
            Ok(text) => serde_json::from_str(text),
            Err(_) => serde_json::from_slice(text),
        }
        .map_err(ProblemKind::Json)?;
        if *object.schema != *SCHEMA || object.version != VERSION {
            let schema = excerpt(object.schema.as_bytes());
            return Err(ProblemKind::UnknownSchema { schema, version: object.version });
        }
        if let Some(header) = &object.header {
            let (root, base64) = (bytes(&header.root), bytes(&header.root_b64));
            if root.is_some() || base64.is_some() {
                self.recorded.add_root(path_of_both(root, base64)?)?;
            }
            if let Some(started) = &header.started {
                self.recorded.add_started(started)?;
            }
            if let Some(file_system) = &header.file_system {
                self.recorded.add_file_system(file_system);
            }
            if let Some(shard) = &header.shard {
                self.recorded.add_shard(shard);
            }
            return Ok(Parsed::Header);
        }
        let path = path_of_both(bytes(&object.path), bytes(&object.path_b64))?;
        let pieces = object.pieces.as_ref();
        if let Some((pieces, offset_bytes)) = pieces.and_then(|pieces| Some((pieces, pieces.offset_bytes?))) {
            return Ok(Parsed::More(path, offset_bytes, self.columns(pieces)?));
        }
        self.wrong = pieces.map(|_| path.clone());
        let modified =
            object.mtime.as_ref().map(|time| rfc3339::parse(time).ok_or(ProblemKind::MalformedTime));
        let outcome = outcome(&object)?;
        let digests = self.digests(&object.digests)?;
        if digests.is_empty() && matches!(outcome, None | Some(Outcome::Read)) {
            return Err(ProblemKind::NoDigest);
        }
        let (size, modified) = (object.size_bytes, modified.transpose()?);
        let state = ObjectState::new(object.etag.as_deref(), object.version_id.as_deref()).map(Box::new);
        let gathered = match pieces {
            Some(pieces) => Some(Gathered::start(pieces, self.columns(pieces)?)?),
            None => None,
        };
        let inode = object.inode.and_then(NonZeroU64::new);
        let item = Item { line, path, size, modified, digests, outcome, pieces: None, state, inode };
        Ok(Parsed::Item(item, gathered))
    }

    fn columns(&mut self, pieces: &PiecesObject<'_>) -> Result<Columns, ProblemKind> {
        let mut columns = Columns::default();
        for (name, texts) in &pieces.digests.0 {
            columns.add(self.named(name)?, texts.iter().map(|text| text.as_bytes()))?;
        }
        Ok(columns)
    }

    fn digests(&mut self, pairs: &Members<'_, Text<'_>>) -> Result<Vec<Digest>, ProblemKind> {
        let mut digests: Vec<Digest> = Vec::with_capacity(pairs.0.len().min(8));
        for (name, text) in &pairs.0 {
            let algorithm = self.named(name)?;
            let digest = decode_plain(algorithm, text.as_bytes())?;
            if digests.iter().any(|other| other.algorithm() == algorithm) {
                return Err(ProblemKind::DuplicateDigest { algorithm });
            }
            digests.push(digest);
        }
        keep_wanted(&mut digests, self.wanted);
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

/// The name in an object that is well-formed.
fn path_in(text: &[u8]) -> Option<ItemPath> {
    let object: Object<'_> = serde_json::from_slice(text).ok()?;
    path_of_both(bytes(&object.path), bytes(&object.path_b64)).ok().filter(|_| object.header.is_none())
}

fn bytes<'a>(text: &'a Option<Text<'_>>) -> Option<&'a [u8]> {
    text.as_deref().map(str::as_bytes)
}

fn outcome(object: &Object<'_>) -> Result<Option<Outcome>, ProblemKind> {
    let Some(name) = object.outcome.as_deref() else {
        return Ok(None);
    };
    let outcome = match name {
        READ => Some(Outcome::Read),
        UNSTABLE => named_in(&CHANGES, object.change.as_deref()).map(Outcome::Unstable),
        FAILED => {
            let cause = (object.errno, object.status, object.obstacle.as_deref());
            Failed::outcome(object.operation.as_deref(), cause, object.offset_bytes.unwrap_or(0))
        }
        _ => None,
    };
    outcome.map(Some).ok_or(ProblemKind::UnknownOutcome)
}
