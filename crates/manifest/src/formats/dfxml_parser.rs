//! Reads [`super::dfxml`].
//!
//! A `<fileobject>` that is wrong is one problem, and the next one is read. A document that is not well-formed is a problem
//! and its end: what follows could be anything. One that ends early is too.

use data_encoding::BASE64;
use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{ItemPath, Outcome, Timestamp};

use super::dfxml::NAMESPACE;
use super::dfxml_pieces::{Parts, Run};
use super::digest_text::decode_plain;
use super::jsonl::{CHANGES, ERRNO, FAILED, Failed, OBSTACLE, STATUS, UNSTABLE};
use super::jsonl_parser::named_in;
use super::{checked_name, parse_number};
use crate::error::Error;
use crate::format::{Parser, Setup};
use crate::header::Recorded;
use crate::item::Item;
use crate::lines::{Lines, MAX_LINE_BYTES};
use crate::problem::{LineProblem, ProblemKind, excerpt};
use crate::rfc3339;
use crate::xml::{Attributes, Fault, Nesting, Place, Scanner, Token, local_name, shown_unlike};

/// The element of a file.
const OBJECT: &str = "fileobject";

/// An element whose text is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Filename,
    Filesize,
    Mtime,
    NameType,
    Error,
    Hashdigest,
    /// One in a `<byte_run>`.
    PieceDigest,
    /// Ours: a root of the run.
    Root,
    /// Ours: when the run began.
    Started,
}

const FIELDS: [(&[u8], Field, &str); 6] = [
    (b"filename", Field::Filename, "filename"),
    (b"filesize", Field::Filesize, "filesize"),
    (b"mtime", Field::Mtime, "mtime"),
    (b"name_type", Field::NameType, "name_type"),
    (b"error", Field::Error, "error"),
    (b"hashdigest", Field::Hashdigest, "hashdigest"),
];

/// What is known of the present file.
#[derive(Debug, Default)]
struct Draft {
    place: Place,
    /// The depth at which its children are.
    depth: usize,
    /// What was seen of the fields that may stand once.
    seen: Vec<Field>,
    /// The name as it is shown.
    name: Vec<u8>,
    path: Option<ItemPath>,
    size: Option<u64>,
    modified: Option<Timestamp>,
    digests: Vec<Digest>,
    outcome: Option<Outcome>,
    /// It is a directory or another thing without content.
    is_other: bool,
    has_pieces: bool,
    /// The `<byte_run>` that is open, and those that were.
    run: Option<Run>,
    parts: Parts,
    /// Why another program did not read it.
    foreign_error: Option<String>,
    /// What is wrong with it first.
    wrong: Option<ProblemKind>,
}

/// What is being gathered for a field.
#[derive(Debug)]
struct Gathering {
    field: Field,
    /// How many elements are open inside it.
    depth: usize,
    text: Vec<u8>,
    is_too_long: bool,
    has_elements: bool,
    /// The bytes of a name that XML cannot hold.
    base64: Option<Vec<u8>>,
    algorithm: Vec<u8>,
    outcome: Option<Outcome>,
}

struct Objects {
    scanner: Scanner,
    document: Document,
    is_over: bool,
    /// An item that was read to find the end of the header.
    first: Option<Result<Item, LineProblem>>,
}

/// What is known of the document so far.
struct Document {
    wanted: Option<Algorithm>,
    recorded: Recorded,
    nesting: Nesting,
    /// What the names of DFXML, and our own, begin with.
    prefix: Vec<u8>,
    own_prefix: Option<Vec<u8>>,
    draft: Option<Draft>,
    gathering: Option<Gathering>,
}

pub(super) fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    if !super::dfxml::is_document(lines.window()?) {
        return Err(Error::MissingHeader { format: setup.format, expected: "the root element <dfxml>" });
    }
    let document = Document {
        wanted: setup.wanted,
        recorded: setup.recorded,
        nesting: Nesting::default(),
        prefix: Vec::new(),
        own_prefix: None,
        draft: None,
        gathering: None,
    };
    let mut objects = Objects { scanner: Scanner::default(), document, is_over: false, first: None };
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
        while !self.is_over {
            let step = self.scanner.next(lines).and_then(|(place, token)| {
                self.is_over = token == Token::Finish;
                self.document.take_in(place, &token)
            });
            match step {
                Ok(None) => {}
                Ok(Some(result)) => return Some(result),
                Err(fault) => {
                    self.is_over = true;
                    return Some(Err(fatal(self.scanner.place(), fault)));
                }
            }
        }
        None
    }

    fn recorded(&self) -> Option<&Recorded> {
        Some(&self.document.recorded)
    }
}

pub(super) fn fatal(place: Place, fault: Fault) -> LineProblem {
    let kind = match fault {
        Fault::Input(error) => ProblemKind::Input(error),
        Fault::What(what) => ProblemKind::Xml { column: place.column, what },
    };
    problem(place, kind, b"")
}

/// Whatever is wrong in such a document may have cost files.
pub(super) fn problem(place: Place, kind: ProblemKind, text: &[u8]) -> LineProblem {
    LineProblem::new(place.line, place.offset, kind, text).entry_if(true)
}

type Step = Result<Option<Result<Item, LineProblem>>, Fault>;

impl Document {
    fn take_in(&mut self, place: Place, token: &Token<'_>) -> Step {
        match token {
            Token::Start { name, attributes, is_empty } => {
                self.start(place, name, attributes)?;
                if *is_empty { self.end(place, name) } else { Ok(None) }
            }
            Token::End(name) => self.end(place, name),
            Token::Text(text) => {
                self.nesting.text(text)?;
                if let Some(gathering) = &mut self.gathering {
                    gathering.push(text);
                }
                Ok(None)
            }
            Token::Finish => self.nesting.finish().map(|()| None),
        }
    }

    fn start(&mut self, place: Place, name: &[u8], attributes: &Attributes<'_>) -> Result<(), Fault> {
        if self.nesting.open(name)? {
            self.root(name, attributes)?;
        }
        if let Some(gathering) = &mut self.gathering {
            gathering.depth += 1;
            gathering.has_elements = true;
            return Ok(());
        }
        let is_dfxml = name.strip_prefix(&self.prefix[..]) == Some(local_name(name));
        let own_name = self.own_prefix.as_ref().and_then(|prefix| name.strip_prefix(&prefix[..]));
        let Some(draft) = &mut self.draft else {
            if is_dfxml && local_name(name) == b"fileobject" {
                self.draft = Some(Draft { place, depth: self.nesting.depth(), ..Draft::default() });
            } else if own_name == Some(b"root") {
                self.gathering = Some(self.gather(Field::Root, attributes)?);
            } else if own_name == Some(b"started") {
                self.gathering = Some(self.gather(Field::Started, attributes)?);
            }
            return Ok(());
        };
        if !is_dfxml {
            return Ok(());
        }
        match local_name(name) {
            b"fileobject" => draft.put_wrong(ProblemKind::TwoElements { element: "fileobject", of: OBJECT }),
            b"byte_run" if self.nesting.depth() <= draft.depth + 2 && draft.run.is_none() => {
                draft.run = Some(Run::open(self.nesting.depth(), attributes)?);
            }
            b"hashdigest" if self.nesting.depth() > draft.depth + 1 => {
                draft.has_pieces = true;
                if draft.run.as_ref().is_some_and(|run| self.nesting.depth() == run.depth + 1) {
                    self.gathering = Some(self.gather(Field::PieceDigest, attributes)?);
                }
            }
            name if self.nesting.depth() == draft.depth + 1 => {
                if let Some((_, field, element)) = FIELDS.iter().find(|(known, ..)| *known == name) {
                    if *field != Field::Hashdigest {
                        match draft.seen.contains(field) {
                            true => draft.put_wrong(ProblemKind::TwoElements { element, of: OBJECT }),
                            false => draft.seen.push(*field),
                        }
                    }
                    self.gathering = Some(self.gather(*field, attributes)?);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes in the tag of the root element.
    fn root(&mut self, name: &[u8], attributes: &Attributes<'_>) -> Result<(), Fault> {
        let local = local_name(name);
        if local != b"dfxml" {
            return Err(Fault::What("the root element is not <dfxml>"));
        }
        self.prefix = name[..name.len() - local.len()].to_vec();
        for attribute in attributes.clone() {
            let (name, value) = attribute?;
            if let Some(prefix) = name.strip_prefix(b"xmlns:").filter(|_| value == NAMESPACE) {
                self.own_prefix = Some([prefix, b":"].concat());
            }
        }
        Ok(())
    }

    fn gather(&self, field: Field, attributes: &Attributes<'_>) -> Result<Gathering, Fault> {
        let own = |name: &str| match &self.own_prefix {
            Some(prefix) => attributes.value(&[prefix, name.as_bytes()].concat()),
            None => Ok(None),
        };
        let mut gathering = Gathering {
            field,
            depth: 0,
            text: Vec::new(),
            is_too_long: false,
            has_elements: false,
            base64: own("b64")?,
            algorithm: Vec::new(),
            outcome: None,
        };
        match field {
            Field::Hashdigest | Field::PieceDigest => {
                let named = own("algorithm")?;
                gathering.algorithm = match named {
                    Some(name) => name,
                    None => attributes.value(b"type")?.unwrap_or_default(),
                };
            }
            Field::Error => {
                if let Some(name) = own("outcome")? {
                    let outcome = outcome(&name, own)?;
                    gathering.outcome = Some(outcome.ok_or(Fault::What("unknown outcome"))?);
                }
            }
            _ => {}
        }
        Ok(gathering)
    }

    fn end(&mut self, place: Place, name: &[u8]) -> Step {
        self.nesting.close(name)?;
        if let Some(gathering) = &mut self.gathering
            && gathering.depth > 0
        {
            gathering.depth -= 1;
            return Ok(None);
        }
        if let Some(gathering) = self.gathering.take() {
            return Ok(match &mut self.draft {
                Some(draft) => {
                    draft.put(gathering);
                    None
                }
                None if gathering.field == Field::Started => {
                    let noted = self.recorded.add_started(&String::from_utf8_lossy(&gathering.text));
                    noted.err().map(|kind| Err(problem(place, kind, b"")))
                }
                None => {
                    let name = gathering.name();
                    let root = name.and_then(|root| self.recorded.add_root(root));
                    root.err().map(|kind| Err(problem(place, kind, b"")))
                }
            });
        }
        if let Some(draft) = &mut self.draft
            && let Some(run) = draft.run.take_if(|run| self.nesting.depth() < run.depth)
            && let Err(kind) = draft.parts.push(&run)
        {
            draft.put_wrong(kind);
        }
        match self.draft.take_if(|draft| self.nesting.depth() < draft.depth) {
            Some(draft) => Ok(draft.finish(self.wanted)),
            None => Ok(None),
        }
    }
}

impl Gathering {
    fn push(&mut self, text: &[u8]) {
        self.is_too_long |= self.text.len() + text.len() > MAX_LINE_BYTES;
        if !self.is_too_long {
            self.text.extend_from_slice(text);
        }
    }

    /// The algorithm of a digest, if it is known.
    fn algorithm(&self) -> Option<Algorithm> {
        std::str::from_utf8(&self.algorithm).ok().and_then(Algorithm::named)
    }

    /// The name behind what is shown and what is kept beside it.
    fn name(&self) -> Result<ItemPath, ProblemKind> {
        let Some(base64) = &self.base64 else {
            return checked_name(&self.text);
        };
        let name = BASE64.decode(base64).map_err(|_| ProblemKind::MalformedPath)?;
        if shown_unlike(&name).is_none_or(|shown| shown.as_bytes() != self.text) {
            return Err(ProblemKind::PathsDisagree);
        }
        checked_name(&name)
    }
}

impl Draft {
    /// Takes in a field that is complete.
    fn put(&mut self, gathering: Gathering) {
        if let Err(kind) = self.try_put(gathering) {
            self.put_wrong(kind);
        }
    }

    fn put_wrong(&mut self, kind: ProblemKind) {
        self.wrong.get_or_insert(kind);
    }

    fn try_put(&mut self, gathering: Gathering) -> Result<(), ProblemKind> {
        if gathering.has_elements {
            return Err(ProblemKind::NotALine { expected: "only text in the elements of a <fileobject>" });
        }
        if gathering.is_too_long {
            return Err(ProblemKind::LineTooLong { limit: MAX_LINE_BYTES });
        }
        let text = gathering.text.trim_ascii();
        match gathering.field {
            Field::Filename => {
                self.path = Some(gathering.name()?);
                self.name = gathering.text;
            }
            Field::Filesize => self.size = Some(parse_number(text).ok_or(ProblemKind::NotASize)?),
            Field::Mtime => {
                self.modified = Some(rfc3339::parse_zoned(text).ok_or(ProblemKind::MalformedTime)?)
            }
            Field::NameType => self.is_other = !matches!(text, b"r" | b"-" | b""),
            Field::Error => {
                self.outcome = gathering.outcome;
                if self.outcome.is_none() {
                    self.foreign_error = Some(excerpt(text));
                }
            }
            Field::PieceDigest => {
                // Pieces with digests of other kinds as well are pieces.
                if let (Some(algorithm), Some(run)) = (gathering.algorithm(), &mut self.run) {
                    run.push(decode_plain(algorithm, text)?)?;
                }
            }
            Field::Hashdigest => {
                let algorithm = gathering.algorithm();
                let algorithm =
                    algorithm.ok_or_else(|| ProblemKind::unknown_algorithm(&gathering.algorithm))?;
                let digest = decode_plain(algorithm, text)?;
                if self.digests.iter().any(|other| other.algorithm() == algorithm) {
                    return Err(ProblemKind::DuplicateDigest { algorithm });
                }
                self.digests.push(digest);
            }
            Field::Root | Field::Started => {}
        }
        Ok(())
    }

    fn finish(mut self, wanted: Option<Algorithm>) -> Option<Result<Item, LineProblem>> {
        let had_digests = !self.digests.is_empty();
        if let Some(wanted) = wanted {
            self.digests.retain(|digest| digest.algorithm() == wanted);
        }
        let wrong = match (self.wrong, self.foreign_error) {
            (Some(wrong), _) => Some(wrong),
            (None, Some(said)) => Some(ProblemKind::NotReadThen { said }),
            (None, None) if self.path.is_none() => Some(ProblemKind::EmptyName),
            (None, None) if !self.digests.is_empty() || self.outcome.is_some() => None,
            // A directory, a symbolic link and the like have no content to digest.
            (None, None) if self.is_other && !self.has_pieces && !had_digests => return None,
            (None, None) if self.has_pieces && !had_digests => Some(ProblemKind::PiecesOnly),
            (None, None) => Some(ProblemKind::NoDigest),
        };
        let Self { place, size, modified, digests, outcome, parts, .. } = self;
        Some(match (wrong, self.path) {
            (None, Some(path)) => {
                let pieces = parts.finish(wanted, size, outcome);
                Ok(Item { line: place.line, path, size, modified, digests, outcome, pieces, state: None })
            }
            (wrong, _) => Err(problem(place, wrong.unwrap_or(ProblemKind::EmptyName), &self.name)),
        })
    }
}

fn outcome(
    name: &[u8],
    own: impl Fn(&str) -> Result<Option<Vec<u8>>, Fault>,
) -> Result<Option<Outcome>, Fault> {
    let text = |name| own(name).map(|value| value.and_then(|value| String::from_utf8(value).ok()));
    if name == UNSTABLE.as_bytes() {
        let change = text("change")?;
        return Ok(named_in(&CHANGES, change.as_deref()).map(Outcome::Unstable));
    }
    if name != FAILED.as_bytes() {
        return Ok(None);
    }
    let operation = text("operation")?;
    let errno = text(ERRNO)?.and_then(|errno| errno.parse().ok());
    let status = text(STATUS)?.and_then(|status| status.parse().ok());
    let obstacle = text(OBSTACLE)?;
    let offset = text("offset_bytes")?.and_then(|offset| parse_number(offset.as_bytes()));
    let cause = (errno, status, obstacle.as_deref());
    Ok(offset.and_then(|offset| Failed::outcome(operation.as_deref(), cause, offset)))
}
