//! `HEX  name`: what sha256sum and its kin write.

use hashlane_digest::{Algorithm, Digest};

use super::digest_line;
use super::digest_text::push_plain;
use crate::error::Error;
use crate::escape::{needs_escape, push_escaped};
use crate::format::{Entry, Format, Renderer, Spec};
use crate::header::{Header, push_comments};
use crate::pieces::Piecewise;
use crate::write_options::WriteOptions;

pub(crate) const SPEC: Spec = Spec {
    name: "gnu",
    shape: "HEX  name",
    zero: true,
    detected_by: "a hexadecimal digest, two spaces (or a space and *), a name",
    prose: true,
    untold: true,
    pieces: Some(Piecewise::ByName),
    recognizes: |line| digest_line::recognize(line, false, true),
    renderer: Some(|algorithms, options| Untagged::renderer(Format(&SPEC), algorithms, options, push_plain)),
    ..Spec::read_by(digest_line::parser)
};

/// Writes lines without a tag.
pub(super) struct Untagged {
    format: Format,
    algorithm: Algorithm,
    zero: bool,
    push_digest: fn(&mut Vec<u8>, &Digest),
}

impl Untagged {
    pub(super) fn renderer(
        format: Format,
        algorithms: &[Algorithm],
        options: &WriteOptions,
        push_digest: fn(&mut Vec<u8>, &Digest),
    ) -> Result<Box<dyn Renderer>, Error> {
        let [algorithm] = *algorithms else {
            return Err(Error::OneAlgorithmOnly { format, count: algorithms.len() });
        };
        Ok(Box::new(Self { format, algorithm, zero: options.zero, push_digest }))
    }
}

impl Renderer for Untagged {
    fn preamble(&mut self, header: Option<&Header>, text: &mut Vec<u8>) -> Result<(), Error> {
        if let Some(header) = header {
            push_comments(text, header, Some(self.algorithm), line_end(self.zero));
        }
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<'_>, text: &mut Vec<u8>) -> Result<(), Error> {
        entry.must_be_read(self.format)?;
        let digest = entry.needed_digest(self.algorithm, self.format)?;
        let escaped = !self.zero && needs_escape(entry.path.as_bytes());
        if escaped {
            text.push(b'\\');
        }
        (self.push_digest)(text, digest);
        text.extend_from_slice(b"  ");
        push_name(text, entry, escaped);
        text.push(line_end(self.zero));
        Ok(())
    }
}

pub(super) fn push_name(text: &mut Vec<u8>, entry: &Entry<'_>, escaped: bool) {
    match escaped {
        true => push_escaped(text, entry.path.as_bytes()),
        false => text.extend_from_slice(entry.path.as_bytes()),
    }
}

pub(super) fn line_end(zero: bool) -> u8 {
    if zero { 0 } else { b'\n' }
}
