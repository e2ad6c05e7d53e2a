//! Documents as elements that end, each with the elements that it is in.

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// The deepest nesting.
const MAX_DEPTH: usize = 64;

/// An element, open or just closed.
#[derive(Debug, Default)]
pub(crate) struct Element {
    /// Its name, without a prefix.
    pub(crate) name: String,
    pub(crate) text: String,
    attributes: Vec<(String, String)>,
}

impl Element {
    fn new(tag: &BytesStart<'_>) -> Result<Self, String> {
        let name = tag.local_name().as_ref().to_owned();
        let mut attributes = Vec::new();
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|error| error.to_string())?;
            let value =
                attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| error.to_string())?;
            attributes.push((attribute.key.as_ref().to_owned(), value.into_owned()));
        }
        Ok(Self { name, text: String::new(), attributes })
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| &value[..])
    }
}

/// Shows each element at its end: those that it is in, from the root on, and itself, which is the last.
///
/// # Errors
/// It is not XML, breaks off, or `take` refuses.
pub(crate) fn elements(
    text: &str,
    mut take: impl FnMut(&[Element]) -> Result<(), String>,
) -> Result<(), String> {
    let mut reader = Reader::from_str(text.strip_prefix('\u{feff}').unwrap_or(text));
    let mut open: Vec<Element> = Vec::new();
    let mut has_root = false;
    loop {
        match reader.read_event().map_err(|error| error.to_string())? {
            Event::Start(tag) if open.len() < MAX_DEPTH => {
                has_root = true;
                open.push(Element::new(&tag)?);
            }
            Event::Start(_) => return Err("elements are nested deeper than 64".to_owned()),
            Event::Empty(tag) => {
                has_root = true;
                open.push(Element::new(&tag)?);
                take(&open)?;
                open.pop();
            }
            Event::End(_) => {
                take(&open)?;
                open.pop();
            }
            Event::DocType(_) => return Err("a document type declaration, which is not supported".to_owned()),
            Event::Eof if open.is_empty() && has_root => return Ok(()),
            Event::Eof => return Err("the document ends early: it is truncated".to_owned()),
            event => {
                let Some(element) = open.last_mut() else { continue };
                match event {
                    Event::Text(more) => element.text.push_str(&more.xml10_content()),
                    Event::CData(more) => element.text.push_str(&more.xml10_content()),
                    Event::GeneralRef(reference) => {
                        match reference.resolve_char_ref().map_err(|error| error.to_string())? {
                            Some(letter) => element.text.push(letter),
                            None => {
                                let known = resolve_predefined_entity(&reference.xml10_content());
                                element.text.push_str(known.ok_or("an unknown reference")?);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}

/// A text as it may stand in an element or an attribute. White space other than blanks is written as references, so that no editor changes it.
pub(crate) fn escaped(text: &str) -> String {
    let escaped = quick_xml::escape::escape(text);
    escaped.replace('\t', "&#9;").replace('\n', "&#10;").replace('\r', "&#13;")
}

/// Whether XML has a place for a text.
pub(crate) fn holds(text: &str) -> bool {
    let is_held = |letter| !matches!(letter, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}');
    text.chars().all(is_held)
}
