//! Results on their way out: lines, in one piece each, with the line end that was asked for.

use std::io::{self, Write as _};

use crate::output::Output;

/// Writes lines.
#[derive(Debug)]
pub(super) struct Printer {
    output: Output,
    /// Whether the output is a file of its own (`-W`), and what an audit says of files still goes to standard
    /// output.
    beside: bool,
    end: u8,
    line: Vec<u8>,
}

impl Printer {
    pub(super) fn new(output: Output, beside: bool, end: u8) -> Self {
        Self { output, beside, end, line: Vec::new() }
    }

    /// Writes a line that is made of parts.
    pub(super) fn line(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        self.make(parts);
        self.output.write_all(&self.line)
    }

    /// Writes a line to standard output, wherever the others go.
    pub(super) fn line_to_stdout(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        if !self.beside {
            return self.line(parts);
        }
        self.make(parts);
        io::stdout().lock().write_all(&self.line)
    }

    /// Writes text as it is.
    pub(super) fn text(&mut self, text: &[u8]) -> io::Result<()> {
        self.output.write_all(text)
    }

    /// Where everything went.
    pub(super) fn into_output(self) -> Output {
        self.output
    }

    fn make(&mut self, parts: &[&[u8]]) {
        self.line.clear();
        parts.iter().for_each(|part| self.line.extend_from_slice(part));
        self.line.push(self.end);
    }
}
