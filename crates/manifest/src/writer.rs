//! Writes manifests.

use std::fmt;
use std::io::Write;

use hashlane_digest::Algorithm;
use hashlane_record::{Outcome, Record};

use crate::error::Error;
use crate::format::{Entry, Format, Renderer};
use crate::header::{Header, MAX_ROOTS_BYTES};
use crate::item::Item;

/// The longest name, in bytes. In whatever way a format writes it, its line stays below
/// [`crate::MAX_LINE_BYTES`].
const MAX_NAME_BYTES: usize = 128 << 10;

/// How a manifest is to be written.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// End lines with NUL and escape nothing (gnu, bsd, base64).
    pub zero: bool,
    /// Say at the top which run wrote it. csv has no place for that.
    pub header: Option<Header>,
    /// Write only what hashdeep 4.4 reads back unharmed: its own algorithms, lines that it does not split.
    pub strict_hashdeep: bool,
}

/// Writes records as a manifest, one at a time.
///
/// Every record is one `write_all` to the sink, so a sink without a buffer of its own is wrapped in a
/// [`std::io::BufWriter`]. A record that is refused leaves no trace in the sink, and the writer goes on.
pub struct Writer<W> {
    renderer: Box<dyn Renderer>,
    format: Format,
    sink: W,
    text: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Starts a manifest and writes what stands before its first line.
    ///
    /// # Errors
    /// A format that is only read; no algorithm; several for a format that holds one; `zero` for a format that cannot; algorithms that
    /// strict hashdeep does not know; a header with a NUL byte; the sink fails.
    pub fn new(
        format: Format,
        algorithms: &[Algorithm],
        options: &WriteOptions,
        mut sink: W,
    ) -> Result<Self, Error> {
        let start = format.0.renderer.ok_or(Error::ReadOnly { format })?;
        let mut distinct = Vec::with_capacity(algorithms.len());
        for &algorithm in algorithms {
            if !distinct.contains(&algorithm) {
                distinct.push(algorithm);
            }
        }
        match distinct.len() {
            0 => return Err(Error::NoAlgorithm),
            1 => {}
            count if !format.holds_many_algorithms() => {
                return Err(Error::OneAlgorithmOnly { format, count });
            }
            _ => {}
        }
        if options.zero && !format.can_end_with_nul() {
            return Err(Error::ZeroNotHeld { format });
        }
        if let Some(header) = &options.header {
            check_header(format, header)?;
        }
        let mut renderer = start(&distinct, options)?;
        let mut text = Vec::new();
        renderer.preamble(options.header.as_ref(), &mut text)?;
        sink.write_all(&text).map_err(|source| Error::Output { source })?;
        Ok(Self { renderer, format, sink, text })
    }

    /// Writes what one reading found out.
    ///
    /// # Errors
    /// The format cannot hold the record (nothing is written, and the next one may come), or the sink fails
    /// ([`Error::Output`]).
    pub fn record(&mut self, record: &Record) -> Result<(), Error> {
        // A pipe or a device has no size of its own: what was digested counts.
        let size = match (record.outcome, record.facts) {
            (Outcome::Read, None) => Some(record.digested_bytes),
            (Outcome::Read, Some(facts)) if facts.size_bytes == 0 => Some(record.digested_bytes),
            (_, facts) => facts.map(|facts| facts.size_bytes),
        };
        self.entry(&Entry {
            path: &record.path,
            size,
            modified: record.facts.map(|facts| facts.modified),
            outcome: Some(record.outcome),
            digests: &record.digests,
            pieces: record.pieces.as_deref(),
        })
    }

    /// Writes what a manifest said, as a conversion does.
    ///
    /// # Errors
    /// As [`Self::record`].
    pub fn item(&mut self, item: &Item) -> Result<(), Error> {
        self.entry(&Entry {
            path: &item.path,
            size: item.size,
            modified: item.modified,
            outcome: item.outcome,
            digests: &item.digests,
            pieces: item.pieces.as_deref(),
        })
    }

    /// Ends the manifest, with what its format has behind the last item, and gives the sink back.
    ///
    /// # Errors
    /// The sink fails.
    pub fn finish(mut self) -> Result<W, Error> {
        self.text.clear();
        self.renderer.epilogue(&mut self.text);
        self.sink.write_all(&self.text).map_err(|source| Error::Output { source })?;
        self.leave()
    }

    /// Gives the sink back without ending the manifest, where the run was broken off: what has an end then lacks it, and
    /// nobody takes it for complete.
    ///
    /// # Errors
    /// The sink fails.
    pub fn leave(mut self) -> Result<W, Error> {
        self.sink.flush().map_err(|source| Error::Output { source })?;
        Ok(self.sink)
    }

    /// The format that is written.
    pub fn format(&self) -> Format {
        self.format
    }

    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), Error> {
        self.text.clear();
        check_name(self.format, entry.path)?;
        self.renderer.entry(entry, &mut self.text)?;
        self.sink.write_all(&self.text).map_err(|source| Error::Output { source })
    }
}

impl<W> fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("format", &self.format).finish_non_exhaustive()
    }
}

fn check_name(format: Format, path: &hashlane_record::ItemPath) -> Result<(), Error> {
    let refused = |why, way_out| Err(Error::NameNotHeld { format, path: path.clone(), why, way_out });
    if path.as_bytes().is_empty() {
        return refused("of no bytes", "give the file a name");
    }
    if path.as_bytes().len() > MAX_NAME_BYTES {
        return refused("of more than 131072 bytes", "no file system has such a name");
    }
    if memchr::memchr(0, path.as_bytes()).is_some() {
        return refused("with a NUL byte", "no file system has such a name");
    }
    Ok(())
}

fn check_header(format: Format, header: &Header) -> Result<(), Error> {
    if header.roots_bytes() > MAX_ROOTS_BYTES {
        return Err(Error::HeaderTooLong { limit: MAX_ROOTS_BYTES });
    }
    for root in &header.roots {
        check_name(format, root)?;
    }
    let rest = [header.program.as_bytes(), &header.command, header.cwd.as_bytes()];
    match rest.into_iter().find(|text| memchr::memchr(0, text).is_some()) {
        None => Ok(()),
        Some(text) => check_name(format, &text.into()),
    }
}
