//! XML as a stream of tokens, in bounded memory.
//!
//! Owns tags, text, references and positions. What elements mean and whether they nest is the caller's. It is not a general
//! parser, and on purpose: text may have bytes that XML forbids, since hashdeep writes names as they are, and those bytes
//! are the name. There is no DTD, so no entity but the five that XML itself has, and nothing can grow by expansion.
//!
//! Invariants:
//! 1. A tag is at most [`MAX_LINE_BYTES`] long; text comes in pieces; comments and instructions are never held.
//! 2. The first fault is the last token.

pub(crate) mod entries;

use std::io;
use std::mem;

use memchr::{memchr, memchr2, memmem, memrchr};

use crate::lines::{Lines, MAX_LINE_BYTES};

/// The longest XML declaration, and the longest reference, in bytes.
const MAX_DECLARATION_BYTES: usize = 1024;
const MAX_REFERENCE_BYTES: usize = 16;

/// The deepest nesting.
const MAX_DEPTH: usize = 64;

/// The longest name of an element, in bytes.
const MAX_TAG_NAME_BYTES: usize = 256;

/// What ends the reading of a document.
#[derive(Debug)]
pub(crate) enum Fault {
    Input(io::Error),
    What(&'static str),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Input(error)
    }
}

/// The next thing in a document.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// A tag that opens an element, and may close it at once. Its attributes are well-formed.
    Start { name: &'t [u8], attributes: Attributes<'t>, is_empty: bool },
    /// A tag that closes an element.
    End(&'t [u8]),
    /// A piece of text, its references replaced.
    Text(&'t [u8]),
    /// Nothing more.
    Finish,
}

/// Where a token begins.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    /// Number of the line, from 1.
    pub(crate) line: u64,
    /// In bytes from the start of the text.
    pub(crate) offset: u64,
    /// In bytes from 1.
    pub(crate) column: u64,
}

/// Cuts a document into tokens.
#[derive(Debug, Default)]
pub(crate) struct Scanner {
    token: Vec<u8>,
    place: Place,
    line_start: u64,
    in_cdata: bool,
    /// Something was there already, so an XML declaration would be in the middle.
    has_begun: bool,
}

enum Kind {
    Text,
    Open,
    Close,
}

impl Scanner {
    /// Where the token that came last, or the fault, begins.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// The next token, and where it begins.
    pub(crate) fn next(&mut self, lines: &mut Lines<'_>) -> Result<(Place, Token<'_>), Fault> {
        let kind = loop {
            let (line, offset) = (lines.next_number(), lines.offset());
            self.place = Place { line, offset, column: offset - self.line_start + 1 };
            let text = lines.peek(9)?;
            if text.is_empty() {
                return if self.in_cdata {
                    Err(Fault::What(TRUNCATED))
                } else {
                    Ok((self.place, Token::Finish))
                };
            }
            if self.in_cdata {
                if text.starts_with(b"]]>") {
                    self.in_cdata = false;
                    self.pass(lines, 3)?;
                    continue;
                }
                let length = memchr(b']', &text[1..]).map_or(text.len(), |at| at + 1);
                self.take(lines, length)?;
                break Kind::Text;
            }
            if text.starts_with(b"<!--") {
                self.pass(lines, 4)?;
                self.skip_past(lines, b"-->")?;
            } else if text.starts_with(b"<![CDATA[") {
                self.in_cdata = true;
                self.pass(lines, 9)?;
            } else if [&b"<!--"[..], b"<![CDATA["].iter().any(|start| start.starts_with(text))
                && text.len() > 1
            {
                return Err(Fault::What(TRUNCATED));
            } else if text.starts_with(b"<!") {
                return Err(Fault::What("a document type declaration, which is not supported; remove it"));
            } else if text.starts_with(b"<?xml") && text.get(5).is_some_and(u8::is_ascii_whitespace) {
                self.declaration(lines)?;
            } else if text.starts_with(b"<?") {
                self.pass(lines, 2)?;
                self.skip_past(lines, b"?>")?;
            } else if text[0] == b'<' {
                let is_close = text.get(1) == Some(&b'/');
                self.tag(lines)?;
                break if is_close { Kind::Close } else { Kind::Open };
            } else if text[0] == b'&' {
                self.reference(lines)?;
                break Kind::Text;
            } else {
                let length = memchr2(b'<', b'&', text).unwrap_or(text.len());
                self.take(lines, length)?;
                break Kind::Text;
            }
            self.has_begun = true;
        };
        self.has_begun |= !matches!(kind, Kind::Text) || !self.token.trim_ascii().is_empty();
        Ok((self.place, self.understood(&kind)?))
    }

    fn understood(&self, kind: &Kind) -> Result<Token<'_>, Fault> {
        match kind {
            Kind::Text => Ok(Token::Text(&self.token)),
            Kind::Close => {
                let name = self.token[2..self.token.len() - 1].trim_ascii_end();
                checked(name).map(Token::End)
            }
            Kind::Open => {
                let inside = &self.token[1..self.token.len() - 1];
                let is_empty = inside.ends_with(b"/");
                let inside = inside.strip_suffix(b"/").unwrap_or(inside);
                let end = inside.iter().position(u8::is_ascii_whitespace).unwrap_or(inside.len());
                let name = checked(&inside[..end])?;
                let attributes = Attributes(&inside[end..]);
                attributes.clone().try_for_each(|attribute| attribute.map(|_| ()))?;
                Ok(Token::Start { name, attributes, is_empty })
            }
        }
    }

    /// Passes bytes that were peeked at.
    fn pass(&mut self, lines: &mut Lines<'_>, count: usize) -> Result<(), Fault> {
        let offset = lines.offset();
        if let Some(at) = memrchr(b'\n', &lines.peek(count)?[..count]) {
            self.line_start = offset + at as u64 + 1;
        }
        lines.pass(count);
        Ok(())
    }

    /// Makes bytes that were peeked at the token.
    fn take(&mut self, lines: &mut Lines<'_>, count: usize) -> Result<(), Fault> {
        self.token.clear();
        self.token.extend_from_slice(&lines.peek(count)?[..count]);
        self.pass(lines, count)
    }

    fn skip_past(&mut self, lines: &mut Lines<'_>, end: &[u8]) -> Result<(), Fault> {
        loop {
            let text = lines.peek(end.len())?;
            if text.len() < end.len() {
                return Err(Fault::What(TRUNCATED));
            }
            let found = memmem::find(text, end);
            // The end may be cut in two.
            let passed = found.map_or(text.len() + 1 - end.len(), |at| at + end.len());
            self.pass(lines, passed)?;
            if found.is_some() {
                return Ok(());
            }
        }
    }

    /// Makes the text up to and with an end that `find` finds the token.
    fn take_to(
        &mut self,
        lines: &mut Lines<'_>,
        limit: usize,
        find: impl Fn(&[u8]) -> Option<usize>,
    ) -> Result<(), Fault> {
        let mut wanted = limit.min(256);
        loop {
            let text = lines.peek(wanted)?;
            let has = text.len();
            let text = &text[..has.min(limit)];
            if let Some(length) = find(text) {
                return self.take(lines, length);
            }
            if has >= limit {
                return Err(Fault::What("longer than any tag, declaration or reference may be"));
            }
            if has < wanted {
                return Err(Fault::What(TRUNCATED));
            }
            wanted = limit.min(2 * has);
        }
    }

    fn tag(&mut self, lines: &mut Lines<'_>) -> Result<(), Fault> {
        self.take_to(lines, MAX_LINE_BYTES, |text| {
            let mut quote = None;
            let end = text.iter().position(|&byte| {
                match (quote, byte) {
                    (None, b'>') => return true,
                    (None, b'"' | b'\'') => quote = Some(byte),
                    (Some(open), _) if open == byte => quote = None,
                    _ => {}
                }
                false
            });
            end.map(|at| at + 1)
        })
    }

    /// Makes the character that a reference stands for the token.
    fn reference(&mut self, lines: &mut Lines<'_>) -> Result<(), Fault> {
        let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
        let end = |text: &[u8]| text.iter().skip(1).position(|byte| !is_inner(byte)).map(|at| at + 2);
        self.take_to(lines, MAX_REFERENCE_BYTES, end).map_err(|fault| match fault {
            Fault::What(what) if what != TRUNCATED => Fault::What(UNKNOWN_REFERENCE),
            fault => fault,
        })?;
        let reference = self.token[1..].strip_suffix(b";");
        let letter = reference.and_then(referred).ok_or(Fault::What(UNKNOWN_REFERENCE))?;
        self.token.clear();
        self.token.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    fn declaration(&mut self, lines: &mut Lines<'_>) -> Result<(), Fault> {
        if self.has_begun {
            return Err(Fault::What("a second document begins here; read each one separately"));
        }
        let end = |text: &[u8]| memmem::find(text, b"?>").map(|at| at + 2);
        self.take_to(lines, MAX_DECLARATION_BYTES, end)?;
        let attributes = Attributes(&self.token[5..self.token.len() - 2]);
        match attributes.value(b"encoding")? {
            // UTF-16 has become UTF-8 on its way here.
            Some(name) if !is_unicode(&name) => {
                Err(Fault::What("the document is not in UTF-8; convert it (iconv -f ENCODING -t UTF-8)"))
            }
            _ => Ok(()),
        }
    }
}

/// The elements that are open, and whether they are one document.
#[derive(Debug, Default)]
pub(crate) struct Nesting {
    open: Vec<Vec<u8>>,
    has_root: bool,
}

impl Nesting {
    /// How many elements are open.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Takes in a tag that opens an element; whether that is the root.
    pub(crate) fn open(&mut self, name: &[u8]) -> Result<bool, Fault> {
        let is_root = self.open.is_empty();
        if is_root && mem::replace(&mut self.has_root, true) {
            return Err(Fault::What("a second document begins here; read each one separately"));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(Fault::What("elements are nested deeper than 64"));
        }
        if name.len() > MAX_TAG_NAME_BYTES {
            return Err(Fault::What("the name of an element is longer than 256 bytes"));
        }
        self.open.push(name.to_vec());
        Ok(is_root)
    }

    /// Takes in a tag that closes an element.
    pub(crate) fn close(&mut self, name: &[u8]) -> Result<(), Fault> {
        match self.open.pop() {
            Some(open) if open == name => Ok(()),
            _ => Err(Fault::What("a tag that closes an element other than the open one")),
        }
    }

    /// Takes in text.
    pub(crate) fn text(&self, text: &[u8]) -> Result<(), Fault> {
        match self.open.is_empty() && !text.trim_ascii().is_empty() {
            true => Err(Fault::What("text outside the root element")),
            false => Ok(()),
        }
    }

    /// Takes in the end.
    pub(crate) fn finish(&self) -> Result<(), Fault> {
        match self.open.is_empty() && self.has_root {
            true => Ok(()),
            false => Err(Fault::What(TRUNCATED)),
        }
    }
}

/// The local name of the root element of a document, as far as can be seen: what is not XML has none.
pub(crate) fn root_element(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text.trim_ascii_start();
    loop {
        let end: &[u8] = match rest {
            [b'<', b'?', ..] => b"?>",
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            _ => break,
        };
        let at = memmem::find(rest, end)?;
        rest = rest[at + end.len()..].trim_ascii_start();
    }
    // A document type that names it is recognized, and refused by the parser.
    let rest = rest.strip_prefix(b"<!DOCTYPE").map(<[u8]>::trim_ascii_start).or(rest.strip_prefix(b"<"))?;
    let ends = |&byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/' | b'[');
    let end = rest.iter().position(ends)?;
    Some(local_name(&rest[..end]))
}

/// A name without the prefix of its namespace.
pub(crate) fn local_name(name: &[u8]) -> &[u8] {
    memchr(b':', name).map_or(name, |at| &name[at + 1..])
}

/// What is said where the document ends too early.
pub(crate) const TRUNCATED: &str = "the document ends early: it is truncated";
const UNKNOWN_REFERENCE: &str =
    "an ampersand that does not begin a character reference or &amp; &lt; &gt; &quot; &apos;";
const BAD_TAG: &str = "a malformed tag";

fn is_unicode(encoding: &[u8]) -> bool {
    [&b"utf-8"[..], b"utf8", b"us-ascii", b"ascii", b"utf-16", b"utf-16le", b"utf-16be"]
        .iter()
        .any(|known| encoding.eq_ignore_ascii_case(known))
}

/// A name that is made as XML's are.
fn checked(name: &[u8]) -> Result<&[u8], Fault> {
    let is_start = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':' | 0x80..);
    let is_inner = |byte: &u8| is_start(byte) || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    if name.first().is_some_and(is_start) && name.iter().all(is_inner) {
        Ok(name)
    } else {
        Err(Fault::What(BAD_TAG))
    }
}

/// The character that a reference stands for, which is between `&` and `;`.
fn referred(reference: &[u8]) -> Option<char> {
    let number = |digits: &[u8], radix| {
        let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
        u32::from_str_radix(digits, radix).ok()
    };
    match reference {
        b"amp" => Some('&'),
        b"lt" => Some('<'),
        b"gt" => Some('>'),
        b"quot" => Some('"'),
        b"apos" => Some('\''),
        [b'#', b'x', digits @ ..] => char::from_u32(number(digits, 16)?),
        [b'#', digits @ ..] => char::from_u32(number(digits, 10)?),
        _ => None,
    }
    .filter(|&letter| letter != '\0')
}

/// The attributes of a tag: names, and values as they stand there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attributes<'t>(&'t [u8]);

impl<'t> Iterator for Attributes<'t> {
    type Item = Result<(&'t [u8], &'t [u8]), Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.0.trim_ascii_start();
        if text.is_empty() {
            return None;
        }
        let found = (text.len() < self.0.len()).then(|| cut_attribute(text)).flatten();
        let Some((name, value, rest)) = found else {
            self.0 = b"";
            return Some(Err(Fault::What(BAD_TAG)));
        };
        self.0 = rest;
        Some(checked(name).map(|name| (name, value)))
    }
}

/// Name, value and rest of a text that begins with an attribute.
fn cut_attribute(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let equals = memchr(b'=', text)?;
    let (quote, rest) = text[equals + 1..].trim_ascii_start().split_first()?;
    let end = memchr(*quote, rest).filter(|_| matches!(quote, b'"' | b'\''))?;
    let value = &rest[..end];
    memchr(b'<', value).is_none().then_some((text[..equals].trim_ascii_end(), value, &rest[end + 1..]))
}

impl Attributes<'_> {
    /// The value of an attribute, its references replaced.
    pub(crate) fn value(&self, wanted: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
        let mut found = None;
        for attribute in self.clone() {
            let (name, value) = attribute?;
            if name == wanted && found.replace(value).is_some() {
                return Err(Fault::What("a duplicate attribute in a tag"));
            }
        }
        found.map(unescaped).transpose()
    }
}

fn unescaped(value: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut text = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = memchr(b'&', rest) {
        text.extend_from_slice(&rest[..at]);
        let end = memchr(b';', &rest[at..]).ok_or(Fault::What(UNKNOWN_REFERENCE))?;
        let letter = referred(&rest[at + 1..at + end]).ok_or(Fault::What(UNKNOWN_REFERENCE))?;
        text.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
        rest = &rest[at + end + 1..];
    }
    text.extend_from_slice(rest);
    Ok(text)
}

/// Appends text that means itself. What XML cannot hold, control characters and bytes that are not UTF-8, is shown as
/// U+FFFD. White space other than blanks is written as references, so that no editor changes it.
pub fn push_text(text: &mut Vec<u8>, value: &[u8]) {
    for letter in String::from_utf8_lossy(value).chars() {
        match letter {
            '&' => text.extend_from_slice(b"&amp;"),
            '<' => text.extend_from_slice(b"&lt;"),
            '>' => text.extend_from_slice(b"&gt;"),
            '"' => text.extend_from_slice(b"&quot;"),
            '\'' => text.extend_from_slice(b"&apos;"),
            '\t' => text.extend_from_slice(b"&#9;"),
            '\n' => text.extend_from_slice(b"&#10;"),
            '\r' => text.extend_from_slice(b"&#13;"),
            letter => text.extend_from_slice(shown_letter(letter).encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// What [`push_text`] shows of a text, or `None` if that is the text itself.
pub(crate) fn shown_unlike(value: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(value);
    let is_same = text.as_bytes() == value && text.chars().all(|letter| shown_letter(letter) == letter);
    (!is_same).then(|| text.chars().map(shown_letter).collect())
}

fn shown_letter(letter: char) -> char {
    match letter {
        '\t' | '\n' | '\r' => letter,
        '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => char::REPLACEMENT_CHARACTER,
        letter => letter,
    }
}
