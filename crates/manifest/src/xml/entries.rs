//! What parsers of XML formats have in common: entries that are elements, in bounded memory.
//!
//! What is not well-formed is a problem and the end of the document: what follows could be anything. One that ends early is too.

use data_encoding::BASE64;
use hashlane_record::ItemPath;

use super::{Attributes, Fault, Nesting, Place, Scanner, Token, local_name};
use crate::error::Error;
use crate::format::Parser;
use crate::header::Recorded;
use crate::item::Item;
use crate::lines::{Lines, MAX_LINE_BYTES};
use crate::problem::{LineProblem, ProblemKind};
use crate::text::parse_number;

/// An item, or what is wrong with it, if an element was its last one.
pub(crate) type Came = Option<Result<Item, LineProblem>>;

/// What the elements of one format mean.
pub(crate) trait Elements: Send {
    /// The tag of the root element.
    fn root(&mut self, name: &[u8], attributes: &Attributes<'_>) -> Result<(), Fault>;

    /// A tag that opens an element at a depth, the root being at 1. None comes of elements inside one whose text is gathered.
    fn start(
        &mut self,
        place: Place,
        depth: usize,
        name: &[u8],
        attributes: &Attributes<'_>,
    ) -> Result<(), Fault>;

    /// The text that is being gathered, if any is.
    fn text(&mut self) -> Option<&mut Text>;

    /// The element whose text was gathered is complete.
    fn gathered(&mut self, place: Place) -> Came;

    /// Another element is complete; `depth` are open.
    fn end(&mut self, depth: usize) -> Came;

    /// What the document said about itself so far.
    fn recorded(&self) -> &Recorded;

    /// See [`Parser::directory_of_names`].
    fn directory_of_names(&self, _list: &[u8]) -> Option<Vec<u8>> {
        None
    }
}

/// The text of an element.
#[derive(Debug, Default)]
pub(crate) struct Text {
    pub(crate) bytes: Vec<u8>,
    /// The bytes of a name that XML cannot hold.
    base64: Option<Vec<u8>>,
    /// How many elements are open inside it.
    depth: usize,
    is_too_long: bool,
    has_elements: bool,
}

impl Text {
    /// No text so far, of an element that hides these bytes.
    pub(crate) fn hiding(base64: Option<Vec<u8>>) -> Self {
        Self { base64, ..Self::default() }
    }

    fn push(&mut self, text: &[u8]) {
        self.is_too_long |= self.bytes.len() + text.len() > MAX_LINE_BYTES;
        if !self.is_too_long {
            self.bytes.extend_from_slice(text);
        }
    }

    /// Whether it is all that the element has. `expected`: in words, what it should have.
    pub(crate) fn must_be_whole(&self, expected: &'static str) -> Result<(), ProblemKind> {
        match (self.has_elements, self.is_too_long) {
            (true, _) => Err(ProblemKind::NotALine { expected }),
            (_, true) => Err(ProblemKind::LineTooLong { limit: MAX_LINE_BYTES }),
            _ => Ok(()),
        }
    }

    /// The bytes of a name that XML cannot hold, if it is one.
    pub(crate) fn hidden_name(&self) -> Result<Option<Vec<u8>>, ProblemKind> {
        let decoded = |base64| BASE64.decode(base64).map_err(|_| ProblemKind::MalformedPath);
        self.base64.as_deref().map(decoded).transpose()
    }
}

/// What the names of elements begin with: those of the format, and our own.
#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    format: Vec<u8>,
    own: Option<Vec<u8>>,
}

impl Prefixes {
    /// Those that the tag of the root element declares.
    pub(crate) fn of(root: &[u8], attributes: &Attributes<'_>, own_namespace: &[u8]) -> Result<Self, Fault> {
        let format = root[..root.len() - local_name(root).len()].to_vec();
        let mut prefixes = Self { format, own: None };
        for attribute in attributes.clone() {
            let (name, value) = attribute?;
            if let Some(prefix) = name.strip_prefix(b"xmlns:").filter(|_| value == own_namespace) {
                prefixes.own = Some([prefix, b":"].concat());
            }
        }
        Ok(prefixes)
    }

    /// A name without its prefix, if it is one of the format.
    pub(crate) fn of_format<'n>(&self, name: &'n [u8]) -> Option<&'n [u8]> {
        name.strip_prefix(&self.format[..]).filter(|local| *local == local_name(name))
    }

    /// A name without its prefix, if it is one of our own.
    pub(crate) fn of_own<'n>(&self, name: &'n [u8]) -> Option<&'n [u8]> {
        name.strip_prefix(&self.own.as_ref()?[..])
    }

    /// The value of an attribute of our own.
    pub(crate) fn own_value(
        &self,
        attributes: &Attributes<'_>,
        name: &[u8],
    ) -> Result<Option<Vec<u8>>, Fault> {
        match &self.own {
            Some(prefix) => attributes.value(&[prefix, name].concat()),
            None => Ok(None),
        }
    }
}

/// Reads a document.
struct Document<E> {
    scanner: Scanner,
    nesting: Nesting,
    elements: E,
    is_over: bool,
    /// An item that was read to find the end of the header.
    first: Came,
}

/// Makes a parser. The header is read, so that its roots are known before the first item is asked for.
pub(crate) fn parser(
    lines: &mut Lines<'_>,
    elements: impl Elements + 'static,
) -> Result<Box<dyn Parser>, Error> {
    let (scanner, nesting) = (Scanner::default(), Nesting::default());
    let mut document = Document { scanner, nesting, elements, is_over: false, first: None };
    document.first = document.next(lines);
    if let Some(Err(LineProblem { kind: ProblemKind::HeaderTooLong { limit }, .. })) = document.first {
        return Err(Error::HeaderTooLong { limit });
    }
    Ok(Box::new(document))
}

impl<E: Elements> Parser for Document<E> {
    fn next(&mut self, lines: &mut Lines<'_>) -> Came {
        if let Some(first) = self.first.take() {
            return Some(first);
        }
        while !self.is_over {
            let Self { scanner, nesting, elements, is_over, .. } = self;
            let step = scanner.next(lines).and_then(|(place, token)| {
                *is_over = token == Token::Finish;
                take_in(nesting, elements, place, &token)
            });
            match step {
                Ok(None) => {}
                Ok(came) => return came,
                Err(fault) => {
                    self.is_over = true;
                    return Some(Err(fatal(self.scanner.place(), fault)));
                }
            }
        }
        None
    }

    fn recorded(&self) -> Option<&Recorded> {
        Some(self.elements.recorded())
    }

    fn directory_of_names(&self, list: &[u8]) -> Option<Vec<u8>> {
        self.elements.directory_of_names(list)
    }
}

fn take_in(
    nesting: &mut Nesting,
    elements: &mut impl Elements,
    place: Place,
    token: &Token<'_>,
) -> Result<Came, Fault> {
    match token {
        Token::Start { name, attributes, is_empty } => {
            if nesting.open(name)? {
                elements.root(name, attributes)?;
            } else if let Some(text) = elements.text() {
                text.depth += 1;
                text.has_elements = true;
            } else {
                elements.start(place, nesting.depth(), name, attributes)?;
            }
            if *is_empty { end(nesting, elements, place, name) } else { Ok(None) }
        }
        Token::End(name) => end(nesting, elements, place, name),
        Token::Text(text) => {
            nesting.text(text)?;
            if let Some(gathered) = elements.text() {
                gathered.push(text);
            }
            Ok(None)
        }
        Token::Finish => nesting.finish().map(|()| None),
    }
}

fn end(
    nesting: &mut Nesting,
    elements: &mut impl Elements,
    place: Place,
    name: &[u8],
) -> Result<Came, Fault> {
    nesting.close(name)?;
    Ok(match elements.text() {
        Some(Text { depth: depth @ 1.., .. }) => {
            *depth -= 1;
            None
        }
        Some(_) => elements.gathered(place),
        None => elements.end(nesting.depth()),
    })
}

fn fatal(place: Place, fault: Fault) -> LineProblem {
    let kind = match fault {
        Fault::Input(error) => ProblemKind::Input(error),
        Fault::What(what) => ProblemKind::Xml { column: place.column, what },
    };
    problem(place, kind, b"")
}

/// Whatever is wrong in such a document may have cost files.
pub(crate) fn problem(place: Place, kind: ProblemKind, text: &[u8]) -> LineProblem {
    LineProblem::new(place.line, place.offset, kind, text).entry_if(true)
}

/// What is wrong with an entry, or that it has no name.
pub(crate) fn wrong_entry(place: Place, wrong: Option<ProblemKind>, path: Option<ItemPath>) -> LineProblem {
    let name = path.as_ref().map_or(&b""[..], |path| path.as_bytes());
    problem(place, wrong.unwrap_or(ProblemKind::EmptyName), name).of_file(path)
}

/// Keeps what may stand once in an element.
pub(crate) fn put_once<T>(
    kept: &mut Option<T>,
    element: &'static str,
    of: &'static str,
    value: T,
) -> Result<(), ProblemKind> {
    match kept.replace(value) {
        None => Ok(()),
        Some(_) => Err(ProblemKind::TwoElements { element, of }),
    }
}

/// A size in bytes.
pub(crate) fn size_of(text: &[u8]) -> Result<u64, ProblemKind> {
    parse_number(text.trim_ascii()).ok_or(ProblemKind::NotASize)
}
