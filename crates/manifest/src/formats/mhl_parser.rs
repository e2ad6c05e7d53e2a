//! Reads [`super::mhl`].
//!
//! A `<hash>` that is wrong is one problem, and the next one is read. A document that is not well-formed is a problem and its end, as with
//! DFXML. An element that is not known may hold anything: it counts for nothing beside a digest that can be verified, and is what is wrong
//! with an entry that has none.

use data_encoding::BASE64;
use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{ItemPath, Timestamp};

use super::dfxml_parser::{fatal, problem};
use super::mhl::{self, NAMESPACE, digest_in};
use super::{checked_name, parse_number};
use crate::error::Error;
use crate::format::{Parser, Setup};
use crate::header::Recorded;
use crate::item::Item;
use crate::lines::{Lines, MAX_LINE_BYTES};
use crate::problem::{LineProblem, ProblemKind};
use crate::rfc3339;
use crate::xml::{Attributes, Fault, Nesting, Place, Scanner, Token, local_name};

/// The element of a file.
const ENTRY: &str = "hash";

/// Elements of an entry that hold no digest, and none of what is kept of it.
const PASSED_OVER: [&[u8]; 2] = [b"creationdate", b"hashdate"];

/// What is known of the present file.
#[derive(Debug, Default)]
struct Draft {
    place: Place,
    /// The depth at which its children are.
    depth: usize,
    path: Option<ItemPath>,
    size: Option<u64>,
    modified: Option<Timestamp>,
    digests: Vec<Digest>,
    /// The first element of which nobody knows what it holds.
    unknown: Option<Vec<u8>>,
    /// What is wrong with it first.
    wrong: Option<ProblemKind>,
}

/// An element whose text is being gathered.
#[derive(Debug)]
struct Gathering {
    /// Its name, without a prefix; of our own, with a colon before it.
    element: Vec<u8>,
    text: Vec<u8>,
    /// How many elements are open inside it.
    depth: usize,
    is_too_long: bool,
    has_elements: bool,
    /// The bytes of a name that XML cannot hold.
    base64: Option<Vec<u8>>,
}

struct Hashes {
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
    /// What names of files begin with.
    folder: Vec<u8>,
    /// What the names of MHL, and our own, begin with.
    prefix: Vec<u8>,
    own_prefix: Option<Vec<u8>>,
    draft: Option<Draft>,
    gathering: Option<Gathering>,
}

pub(super) fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    if !mhl::is_document(lines.window()?) {
        return Err(Error::MissingHeader { format: setup.format, expected: "the root element <hashlist>" });
    }
    let document = Document {
        wanted: setup.wanted,
        recorded: setup.recorded,
        nesting: Nesting::default(),
        folder: setup.folder,
        prefix: Vec::new(),
        own_prefix: None,
        draft: None,
        gathering: None,
    };
    let mut hashes = Hashes { scanner: Scanner::default(), document, is_over: false, first: None };
    // Reads the header, so that its roots are known before the first item is asked for.
    hashes.first = hashes.next(lines);
    if let Some(Err(LineProblem { kind: ProblemKind::HeaderTooLong { limit }, .. })) = hashes.first {
        return Err(Error::HeaderTooLong { limit });
    }
    // A list is about the directory that it is in.
    let Document { folder, recorded, .. } = &mut hashes.document;
    if !folder.is_empty() && recorded.roots.is_empty() {
        let root = folder.strip_suffix(b"/").filter(|bare| !bare.is_empty()).unwrap_or(folder);
        // Nothing else is counted so far.
        let _ = recorded.add_root(ItemPath::new(root));
    }
    Ok(Box::new(hashes))
}

impl Parser for Hashes {
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
            return self.root(name, attributes);
        }
        if let Some(gathering) = &mut self.gathering {
            gathering.depth += 1;
            gathering.has_elements = true;
            return Ok(());
        }
        let own_name = self.own_prefix.as_ref().and_then(|prefix| name.strip_prefix(&prefix[..]));
        let element = local_name(name);
        match &mut self.draft {
            _ if own_name.is_some_and(|own| matches!(own, b"root")) => {
                self.gather([b":", element].concat(), attributes)?;
            }
            _ if name.strip_prefix(&self.prefix[..]) != Some(element) => {}
            None if element == ENTRY.as_bytes() => {
                self.draft = Some(Draft { place, depth: self.nesting.depth(), ..Draft::default() });
            }
            None if element == b"startdate" => self.gather(element.to_vec(), attributes)?,
            None => {}
            Some(draft) if element == ENTRY.as_bytes() => {
                draft.put_wrong(ProblemKind::TwoElements { element: ENTRY, of: ENTRY });
            }
            Some(draft) if self.nesting.depth() == draft.depth + 1 => {
                self.gather(element.to_vec(), attributes)?;
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// Takes in the tag of the root element.
    fn root(&mut self, name: &[u8], attributes: &Attributes<'_>) -> Result<(), Fault> {
        let local = local_name(name);
        if local != b"hashlist" {
            return Err(Fault::What("the root element is not <hashlist>"));
        }
        match attributes.value(b"version")? {
            Some(version) if version.trim_ascii().starts_with(b"1.") => {}
            _ => return Err(Fault::What("a version of MHL that is not known")),
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

    fn gather(&mut self, element: Vec<u8>, attributes: &Attributes<'_>) -> Result<(), Fault> {
        let base64 = match &self.own_prefix {
            Some(prefix) => attributes.value(&[prefix, &b"b64"[..]].concat())?,
            None => None,
        };
        let (text, depth, is_too_long, has_elements) = (Vec::new(), 0, false, false);
        self.gathering = Some(Gathering { element, text, depth, is_too_long, has_elements, base64 });
        Ok(())
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
            let noted = match (&mut self.draft, &gathering.element[..]) {
                (Some(draft), _) => {
                    draft.put(&gathering);
                    Ok(())
                }
                (None, b":root") => {
                    let root = gathering.name().map(|root| placed(&self.folder, &root));
                    root.and_then(|root| self.recorded.add_root(root))
                }
                // That of another program may have any form, and says nothing that anybody asked for.
                (None, _) => {
                    let _ = self.recorded.add_started(&String::from_utf8_lossy(gathering.text.trim_ascii()));
                    Ok(())
                }
            };
            return Ok(noted.err().map(|kind| Err(problem(place, kind, b""))));
        }
        let draft = self.draft.take_if(|draft| self.nesting.depth() < draft.depth);
        Ok(draft.map(|mut draft| {
            draft.path = draft.path.map(|path| placed(&self.folder, &path));
            draft.finish(self.wanted)
        }))
    }
}

impl Gathering {
    fn push(&mut self, text: &[u8]) {
        self.is_too_long |= self.text.len() + text.len() > MAX_LINE_BYTES;
        if !self.is_too_long {
            self.text.extend_from_slice(text);
        }
    }

    fn name(&self) -> Result<ItemPath, ProblemKind> {
        match &self.base64 {
            Some(base64) => checked_name(&BASE64.decode(base64).map_err(|_| ProblemKind::MalformedPath)?),
            None => checked_name(&self.text),
        }
    }
}

impl Draft {
    /// Takes in an element that is complete.
    fn put(&mut self, gathering: &Gathering) {
        if let Err(kind) = self.try_put(gathering) {
            self.put_wrong(kind);
        }
    }

    fn put_wrong(&mut self, kind: ProblemKind) {
        self.wrong.get_or_insert(kind);
    }

    fn try_put(&mut self, gathering: &Gathering) -> Result<(), ProblemKind> {
        let element = &gathering.element[..];
        if PASSED_OVER.contains(&element) {
            return Ok(());
        }
        let is_known = matches!(element, b"file" | b"size" | b"lastmodificationdate");
        let digest = if is_known { None } else { digest_in(element, gathering.text.trim_ascii()) };
        if !is_known && digest.is_none() {
            self.unknown.get_or_insert_with(|| element.to_vec());
            return Ok(());
        }
        if gathering.has_elements {
            return Err(ProblemKind::NotALine { expected: "only text in the elements of a <hash>" });
        }
        if gathering.is_too_long {
            return Err(ProblemKind::LineTooLong { limit: MAX_LINE_BYTES });
        }
        let text = gathering.text.trim_ascii();
        match element {
            b"file" => put_once(&mut self.path, "file", checked_name(&gathering.text)?)?,
            b"size" => put_once(&mut self.size, "size", parse_number(text).ok_or(ProblemKind::NotASize)?)?,
            b"lastmodificationdate" => {
                let time = rfc3339::parse_zoned(text).ok_or(ProblemKind::MalformedTime)?;
                put_once(&mut self.modified, "lastmodificationdate", time)?;
            }
            _ => digest.map_or(Ok(()), |digest| self.put_digest(digest?))?,
        }
        Ok(())
    }

    /// Takes in a digest. XXH64 may stand there in both orders of its bytes.
    fn put_digest(&mut self, digest: Digest) -> Result<(), ProblemKind> {
        let algorithm = digest.algorithm();
        match self.digests.iter().find(|other| other.algorithm() == algorithm) {
            None => self.digests.push(digest),
            Some(other) if *other == digest => {}
            Some(_) => return Err(ProblemKind::DuplicateDigest { algorithm }),
        }
        Ok(())
    }

    fn finish(mut self, wanted: Option<Algorithm>) -> Result<Item, LineProblem> {
        if let Some(wanted) = wanted {
            self.digests.retain(|digest| digest.algorithm() == wanted);
        }
        let Self { place, path, size, modified, digests, unknown, wrong, .. } = self;
        let wrong = match (wrong, unknown) {
            (Some(wrong), _) => Some(wrong),
            (None, Some(element)) if digests.is_empty() => Some(ProblemKind::unknown_algorithm(&element)),
            (None, _) if digests.is_empty() => Some(ProblemKind::NoDigest),
            (None, _) => None,
        };
        match (wrong, path) {
            (None, Some(path)) => {
                let (line, outcome, pieces, state) = (place.line, None, None, None);
                Ok(Item { line, path, size, modified, digests, outcome, pieces, state })
            }
            (wrong, path) => {
                let name = path.as_ref().map_or(&b""[..], |path| path.as_bytes());
                let problem = problem(place, wrong.unwrap_or(ProblemKind::EmptyName), name);
                Err(problem.of_file(path))
            }
        }
    }
}

/// A name in the directory of the list.
fn placed(folder: &[u8], name: &ItemPath) -> ItemPath {
    match (folder, name.as_bytes()) {
        ([], _) | (_, [b'/', ..]) => name.clone(),
        (folder, name) => ItemPath::from([folder, name].concat()),
    }
}

/// Keeps what may stand once.
fn put_once<T>(kept: &mut Option<T>, element: &'static str, value: T) -> Result<(), ProblemKind> {
    match kept.replace(value) {
        None => Ok(()),
        Some(_) => Err(ProblemKind::TwoElements { element, of: ENTRY }),
    }
}
