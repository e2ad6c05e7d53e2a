//! Results on their way out: lines, in one piece each, with the line end that was asked for, or the document of
//! `-d`.

use std::io;

use super::document::Document;
use super::hashed::Hashed;
use super::voice::Voice;
use crate::Destination;

/// Writes lines, or a document.
#[derive(Debug)]
pub(super) struct Printer {
    output: Box<dyn Destination>,
    voice: Voice,
    /// Whether the output is a file of its own (`-W`), and what an audit says of files still goes to standard
    /// output.
    beside: bool,
    line: Vec<u8>,
    document: Option<Document>,
}

impl Printer {
    pub(super) fn new(output: Box<dyn Destination>, voice: Voice, beside: bool) -> Self {
        Self { output, voice, beside, line: Vec::new(), document: None }
    }

    /// Begins the document, which ends with [`Printer::finish`].
    pub(super) fn begin(&mut self, document: Document, command: &[Vec<u8>]) -> io::Result<()> {
        self.output.write_all(&document.head(command))?;
        self.document = Some(document);
        Ok(())
    }

    /// Whether results are a document.
    pub(super) fn is_document(&self) -> bool {
        self.document.is_some()
    }

    /// Writes a line that is made of parts.
    pub(super) fn line(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        if self.is_document() {
            return self.output.write_all(&Document::line(parts));
        }
        self.make(parts);
        self.output.write_all(&self.line)
    }

    /// Writes a line to standard output, wherever the others go.
    pub(super) fn line_to_stdout(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        if !self.beside {
            return self.line(parts);
        }
        self.make(parts);
        self.voice.host.print(&self.line)
    }

    /// Writes text as it is.
    pub(super) fn text(&mut self, text: &[u8]) -> io::Result<()> {
        self.output.write_all(text)
    }

    /// In a document: begins a file.
    pub(super) fn begin_file(&mut self, hashed: &Hashed<'_>) {
        if let Some(document) = &mut self.document {
            document.begin(hashed);
        }
    }

    /// In a document: adds the digests of the present file, or of a piece of it.
    pub(super) fn digests(&mut self, hashed: &Hashed<'_>, matched: bool) -> io::Result<()> {
        match self.document.as_mut().and_then(|document| document.digests(hashed, matched)) {
            Some(part) => self.output.write_all(&part),
            None => Ok(()),
        }
    }

    /// In a document: adds why the present file could not be read.
    pub(super) fn error(&mut self, text: &str) {
        if let Some(document) = &mut self.document {
            document.error(text);
        }
    }

    /// In a document: ends a file.
    pub(super) fn end_file(&mut self, size: Option<u64>) -> io::Result<()> {
        match &mut self.document {
            Some(document) => self.output.write_all(&document.end(size)),
            None => Ok(()),
        }
    }

    /// Ends the document, if it is one; gives where everything went.
    pub(super) fn finish(mut self) -> io::Result<Box<dyn Destination>> {
        if let Some(document) = &self.document {
            self.output.write_all(&document.tail())?;
        }
        Ok(self.output)
    }

    fn make(&mut self, parts: &[&[u8]]) {
        self.line.clear();
        parts.iter().for_each(|part| self.line.extend_from_slice(part));
        self.line.push(self.voice.end());
    }
}
