//! `ALGORITHM (name) = HEX`: what the BSDs' tools, `sha256sum --tag` and OpenSSL write.

use hashlane_digest::{Algorithm, Digest};

use super::gnu::{self, line_end, push_name};
use crate::error::Error;
use crate::escape::needs_escape;
use crate::format::{Entry, Format, Renderer, Spec};
use crate::header::{Header, push_comments};
use crate::pieces::Piecewise;
use crate::text::push_plain;
use crate::write_options::WriteOptions;

pub(crate) const SPEC: Spec = Spec {
    name: "bsd",
    shape: "ALGORITHM (name) = HEX",
    many_algorithms: true,
    zero: true,
    detected_by: "the tag before the name",
    prose: true,
    untold: true,
    pieces: Some(Piecewise::ByName),
    recognizes: |line| gnu::recognize(line, true, true),
    renderer: Some(|algorithms, options| Tagged::renderer(Format(&SPEC), algorithms, options, push_plain)),
    ..Spec::read_by(gnu::parser::parser)
};

/// Writes tagged lines, one for each digest.
pub(super) struct Tagged {
    format: Format,
    algorithms: Vec<Algorithm>,
    zero: bool,
    push_digest: fn(&mut Vec<u8>, &Digest),
}

impl Tagged {
    pub(super) fn renderer(
        format: Format,
        algorithms: &[Algorithm],
        options: &WriteOptions,
        push_digest: fn(&mut Vec<u8>, &Digest),
    ) -> Result<Box<dyn Renderer>, Error> {
        Ok(Box::new(Self { format, algorithms: algorithms.to_vec(), zero: options.zero, push_digest }))
    }
}

impl Renderer for Tagged {
    fn preamble(&mut self, header: Option<&Header>, text: &mut Vec<u8>) -> Result<(), Error> {
        push_comments(text, header, None, line_end(self.zero));
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<'_>, text: &mut Vec<u8>) -> Result<(), Error> {
        entry.must_be_read(self.format)?;
        let escaped = !self.zero && needs_escape(entry.path.as_bytes());
        for digest in self.algorithms.iter().filter_map(|&algorithm| entry.digest(algorithm)) {
            if escaped {
                text.push(b'\\');
            }
            text.extend_from_slice(digest.algorithm().bsd_tag().as_bytes());
            text.extend_from_slice(b" (");
            push_name(text, entry, escaped);
            text.extend_from_slice(b") = ");
            (self.push_digest)(text, digest);
            text.push(line_end(self.zero));
        }
        if text.is_empty() {
            entry.needed_digest(self.algorithms[0], self.format)?;
        }
        Ok(())
    }
}
