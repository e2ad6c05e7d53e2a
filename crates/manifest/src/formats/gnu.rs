//! `HEX  name`: what sha256sum and its kin write.

pub(super) mod parser;

use hashlane_digest::{Algorithm, Digest};

use super::{ace, md5deep};
use crate::error::Error;
use crate::escape::{needs_escape, push_escaped};
use crate::format::{Entry, Format, Renderer, Spec};
use crate::header::{Header, push_comments};
use crate::pieces::Piecewise;
use crate::shape::{Cut, measured, names_itself};
use crate::text::push_plain;
use crate::write_options::WriteOptions;

pub(crate) const SPEC: Spec = Spec {
    name: "gnu",
    shape: "HEX  name",
    zero: true,
    detected_by: "a hexadecimal digest, two spaces (or a space and *), a name",
    prose: true,
    untold: true,
    pieces: Some(Piecewise::ByName),
    recognizes: |line| recognize(line, false, true),
    renderer: Some(|algorithms, options| Untagged::renderer(Format(&SPEC), algorithms, options, push_plain)),
    ..Spec::read_by(parser::parser)
};

/// Recognizes a line by whether it is tagged and whether it is hexadecimal.
pub(super) fn recognize(line: &[u8], tagged: bool, hexadecimal: bool) -> bool {
    let is_like = |(cut, _, is_hex): (Cut<'_>, _, _)| cut.tag.is_some() == tagged && is_hex == hexadecimal;
    // A size of eight digits before a digest looks like a checksum, a multihash like a long digest.
    measured(line).is_some_and(is_like)
        && !md5deep::has_size(line)
        && !ace::is_line(line)
        && names_itself(line).is_none()
}

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
        let algorithm = format.only_algorithm(algorithms)?;
        Ok(Box::new(Self { format, algorithm, zero: options.zero, push_digest }))
    }
}

impl Renderer for Untagged {
    fn preamble(&mut self, header: Option<&Header>, text: &mut Vec<u8>) -> Result<(), Error> {
        push_comments(text, header, Some(self.algorithm), line_end(self.zero));
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
