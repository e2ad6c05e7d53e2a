//! Reads [`crate::formats::dfxml`].
//!
//! A `<fileobject>` that is wrong is one problem, and the next one is read.

use std::num::NonZeroU64;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{ItemPath, Outcome, Timestamp};

use super::pieces::{Parts, Run};
use super::{NAMESPACE, is_document};
use crate::error::Error;
use crate::format::{Parser, Setup};
use crate::header::Recorded;
use crate::item::{Item, add_digest, keep_wanted};
use crate::lines::Lines;
use crate::problem::{LineProblem, ProblemKind, excerpt};
use crate::rfc3339;
use crate::text::{checked_name, decode_plain, parse_number};
use crate::words::{CHANGES, ERRNO, FAILED, Failed, OBSTACLE, STATUS, UNSTABLE, named_in};
use crate::xml::entries::{Came, Elements, Prefixes, Text, problem};
use crate::xml::{Attributes, Fault, Place, entries, local_name, shown_unlike};

/// The element of a file.
const OBJECT: &str = "fileobject";

/// An element whose text is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Filename,
    Filesize,
    Inode,
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
    /// Ours: what names the file system of a root.
    FileSystem,
}

const FIELDS: [(&[u8], Field, &str); 7] = [
    (b"filename", Field::Filename, "filename"),
    (b"filesize", Field::Filesize, "filesize"),
    (b"inode", Field::Inode, "inode"),
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
    inode: Option<NonZeroU64>,
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
    text: Text,
    algorithm: Vec<u8>,
    outcome: Option<Outcome>,
}

/// What is known of the document so far.
struct Document {
    wanted: Option<Algorithm>,
    recorded: Recorded,
    prefixes: Prefixes,
    draft: Option<Draft>,
    gathering: Option<Gathering>,
}

pub(super) fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    if !is_document(lines.window()?) {
        return Err(Error::MissingHeader { format: setup.format, expected: "the root element <dfxml>" });
    }
    let document = Document {
        wanted: setup.wanted,
        recorded: setup.recorded,
        prefixes: Prefixes::default(),
        draft: None,
        gathering: None,
    };
    entries::parser(lines, document)
}

impl Document {
    fn gather(&self, field: Field, attributes: &Attributes<'_>) -> Result<Gathering, Fault> {
        let own = |name: &str| self.prefixes.own_value(attributes, name.as_bytes());
        let text = Text::hiding(own("b64")?);
        let mut gathering = Gathering { field, text, algorithm: Vec::new(), outcome: None };
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
}

impl Elements for Document {
    fn start(
        &mut self,
        place: Place,
        depth: usize,
        name: &[u8],
        attributes: &Attributes<'_>,
    ) -> Result<(), Fault> {
        let (of_format, own_name) = (self.prefixes.of_format(name), self.prefixes.of_own(name));
        let Some(draft) = &mut self.draft else {
            if of_format == Some(b"fileobject") {
                self.draft = Some(Draft { place, depth, ..Draft::default() });
            } else if own_name == Some(b"root") {
                self.gathering = Some(self.gather(Field::Root, attributes)?);
            } else if own_name == Some(b"started") {
                self.gathering = Some(self.gather(Field::Started, attributes)?);
            } else if own_name == Some(b"file_system") {
                self.gathering = Some(self.gather(Field::FileSystem, attributes)?);
            }
            return Ok(());
        };
        let Some(local) = of_format else { return Ok(()) };
        match local {
            b"fileobject" => draft.put_wrong(ProblemKind::TwoElements { element: "fileobject", of: OBJECT }),
            b"byte_run" if depth <= draft.depth + 2 && draft.run.is_none() => {
                draft.run = Some(Run::open(depth, attributes)?);
            }
            b"hashdigest" if depth > draft.depth + 1 => {
                draft.has_pieces = true;
                if draft.run.as_ref().is_some_and(|run| depth == run.depth + 1) {
                    self.gathering = Some(self.gather(Field::PieceDigest, attributes)?);
                }
            }
            name if depth == draft.depth + 1 => {
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

    fn root(&mut self, name: &[u8], attributes: &Attributes<'_>) -> Result<(), Fault> {
        let local = local_name(name);
        if local != b"dfxml" {
            return Err(Fault::What("the root element is not <dfxml>"));
        }
        self.prefixes = Prefixes::of(name, attributes, NAMESPACE)?;
        Ok(())
    }

    fn text(&mut self) -> Option<&mut Text> {
        self.gathering.as_mut().map(|gathering| &mut gathering.text)
    }

    fn recorded(&self) -> &Recorded {
        &self.recorded
    }

    fn gathered(&mut self, place: Place) -> Came {
        let gathering = self.gathering.take()?;
        let noted = match &mut self.draft {
            Some(draft) => {
                draft.put(gathering);
                return None;
            }
            None if gathering.field == Field::FileSystem => {
                self.recorded.add_file_system(&String::from_utf8_lossy(&gathering.text.bytes));
                return None;
            }
            None if gathering.field == Field::Started => {
                self.recorded.add_started(&String::from_utf8_lossy(&gathering.text.bytes))
            }
            None => gathering.name().and_then(|root| self.recorded.add_root(root)),
        };
        noted.err().map(|kind| Err(problem(place, kind, b"")))
    }

    fn end(&mut self, depth: usize) -> Came {
        if let Some(draft) = &mut self.draft
            && let Some(run) = draft.run.take_if(|run| depth < run.depth)
            && let Err(kind) = draft.parts.push(&run)
        {
            draft.put_wrong(kind);
        }
        self.draft.take_if(|draft| depth < draft.depth).and_then(|draft| draft.finish(self.wanted))
    }
}

impl Gathering {
    /// The algorithm of a digest, if it is known.
    fn algorithm(&self) -> Option<Algorithm> {
        std::str::from_utf8(&self.algorithm).ok().and_then(Algorithm::named)
    }

    /// The name behind what is shown and what is kept beside it.
    fn name(&self) -> Result<ItemPath, ProblemKind> {
        let Some(name) = self.text.hidden_name()? else {
            return checked_name(&self.text.bytes);
        };
        if shown_unlike(&name).is_none_or(|shown| shown.as_bytes() != self.text.bytes) {
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
        gathering.text.must_be_whole("only text in the elements of a <fileobject>")?;
        let text = gathering.text.bytes.trim_ascii();
        match gathering.field {
            Field::Filename => {
                self.path = Some(gathering.name()?);
                self.name = gathering.text.bytes;
            }
            Field::Filesize => self.size = Some(parse_number(text).ok_or(ProblemKind::NotASize)?),
            // Other programs have other numbers there, in other notations.
            Field::Inode => self.inode = parse_number(text).and_then(NonZeroU64::new),
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
                add_digest(&mut self.digests, decode_plain(algorithm, text)?)?;
            }
            Field::Root | Field::Started | Field::FileSystem => {}
        }
        Ok(())
    }

    fn finish(mut self, wanted: Option<Algorithm>) -> Option<Result<Item, LineProblem>> {
        let had_digests = !self.digests.is_empty();
        keep_wanted(&mut self.digests, wanted);
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
        let Self { place, size, inode, modified, digests, outcome, parts, .. } = self;
        Some(match (wrong, self.path) {
            (None, Some(path)) => {
                let pieces = parts.finish(wanted, size, outcome);
                let (line, state) = (place.line, None);
                Ok(Item { line, path, size, modified, digests, outcome, pieces, state, inode })
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
