//! Writes manifests.

use std::fmt;
use std::io::Write;
use std::num::NonZeroU64;

use hashlane_digest::Algorithm;
use hashlane_record::{Division, Outcome, Pieces, Record};

use crate::columns::size_bytes;
use crate::error::Error;
use crate::format::{Entry, Format, Renderer};
use crate::header::{Header, MAX_ROOTS_BYTES};
use crate::item::Item;
use crate::pieces::{Piecewise, division, name_of_piece, piece_of_name};
use crate::problem::ProblemKind;
use crate::write_options::{HANDED_OVER_BYTES, MAX_NAME_BYTES, WriteOptions, has_inodes};

/// Writes records as a manifest, one at a time.
///
/// Every record is one `write_all` to the sink, unless it has many pieces, so a sink without a buffer of its
/// own is wrapped in a [`std::io::BufWriter`]. A record that is refused leaves no trace in the sink, and the
/// writer goes on.
pub struct Writer<W> {
    renderer: Box<dyn Renderer>,
    format: Format,
    algorithms: Vec<Algorithm>,
    division: Option<Division>,
    /// Whether there are pieces by name, so that other names like theirs would be taken for pieces.
    has_named_pieces: bool,
    /// Whether the list says when its files were verified. Otherwise an inode proves nothing, and is left out.
    has_inodes: bool,
    sink: W,
    text: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Starts a manifest and writes what stands before its first line.
    ///
    /// # Errors A format that is only read; no algorithm; several for a format that holds one; `zero` for a
    /// format that cannot; pieces for a format without a place for them; algorithms that strict hashdeep does
    /// not know; a header for a format without a place for one, or with a
    /// NUL byte; the sink fails.
    pub fn new(
        format: Format,
        algorithms: &[Algorithm],
        options: &WriteOptions,
        mut sink: W,
    ) -> Result<Self, Error> {
        let start = format.0.renderer.ok_or(Error::ReadOnly { format })?;
        let mut distinct = Vec::with_capacity(algorithms.len());
        Algorithm::unite(&mut distinct, algorithms.iter().copied());
        if distinct.is_empty() {
            return Err(Error::NoAlgorithm);
        }
        if !format.holds_many_algorithms() {
            format.only_algorithm(&distinct)?;
        }
        if options.zero && !format.can_end_with_nul() {
            return Err(Error::ZeroNotHeld { format });
        }
        if let Some(division) = options.pieces.filter(|&division| !format.holds_pieces(division)) {
            return Err(Error::PiecesNotHeld { format, division });
        }
        if let Some(header) = &options.header {
            check_header(format, header)?;
        }
        let mut renderer = start(&distinct, options)?;
        let mut text = Vec::new();
        renderer.preamble(options.header.as_ref(), &mut text)?;
        sink.write_all(&text).map_err(|source| Error::Output { source })?;
        let (algorithms, division) = (distinct, options.pieces);
        let has_named_pieces = division.is_some();
        let has_inodes = has_inodes(options);
        Ok(Self { renderer, format, algorithms, division, has_named_pieces, has_inodes, sink, text })
    }

    /// Writes what one reading found out.
    ///
    /// # Errors
    /// The format cannot hold the record (nothing is written, and the next one may come), or the sink fails
    /// ([`Error::Output`]).
    pub fn record(&mut self, record: &Record) -> Result<(), Error> {
        self.record_or_numbered(record, None)
    }

    /// The same with the inode, of a file that keeps it.
    ///
    /// # Errors
    /// As [`Self::record`].
    pub fn numbered_record(&mut self, record: &Record) -> Result<(), Error> {
        let inode = record.facts.and_then(|facts| NonZeroU64::new(facts.inode));
        self.record_or_numbered(record, inode)
    }

    fn record_or_numbered(&mut self, record: &Record, inode: Option<NonZeroU64>) -> Result<(), Error> {
        self.entry(&Entry {
            path: &record.path,
            size: size_bytes(record),
            modified: record.facts.map(|facts| facts.modified),
            outcome: Some(record.outcome),
            digests: &record.digests,
            pieces: record.pieces.as_deref(),
            state: record.state.as_deref(),
            inode,
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
            state: item.state.as_deref(),
            inode: item.inode,
        })
    }

    /// Ends the manifest, with what its format has behind the last item, and gives the sink back.
    ///
    /// # Errors
    /// The sink fails.
    pub fn finish(mut self) -> Result<W, Error> {
        self.text.clear();
        self.renderer.epilogue(&mut self.text)?;
        self.ended()
    }

    /// Gives the sink back without ending the manifest, where the run was broken off: what has an end then lacks it, or says so
    /// there, and nobody takes it for complete.
    ///
    /// # Errors
    /// The sink fails.
    pub fn leave(mut self) -> Result<W, Error> {
        self.text.clear();
        self.renderer.broken_off(&mut self.text)?;
        self.ended()
    }

    fn ended(mut self) -> Result<W, Error> {
        hand_over(&mut self.sink, &mut self.text)?;
        self.sink.flush().map_err(|source| Error::Output { source })?;
        Ok(self.sink)
    }

    /// Whether it writes the inodes of numbered records.
    pub fn has_inodes(&self) -> bool {
        self.has_inodes && self.format.holds_inodes()
    }

    /// What is written to.
    pub fn sink(&self) -> &W {
        &self.sink
    }

    /// The format that is written.
    pub fn format(&self) -> Format {
        self.format
    }

    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), Error> {
        self.text.clear();
        check_name(self.format, entry.path)?;
        let inode = entry.inode.filter(|_| self.has_inodes);
        let entry = &Entry { pieces: self.held_pieces(entry)?, inode, ..*entry };
        match (self.format.piecewise(), entry.pieces) {
            (Some(Piecewise::ByName), _) => self.entry_by_names(entry)?,
            (Some(Piecewise::Native), Some(_)) => {
                let Self { renderer, sink, text, .. } = self;
                renderer.long_entry(entry, text, &mut |text| hand_over(sink, text))?;
            }
            _ => self.renderer.entry(entry, &mut self.text)?,
        }
        hand_over(&mut self.sink, &mut self.text)
    }

    /// The pieces of an entry that are to be written: those of algorithms that are, where the format has a
    /// place for them.
    fn held_pieces<'a>(&self, entry: &Entry<'a>) -> Result<Option<&'a Pieces>, Error> {
        let is_asked_for = |(algorithm, _): &(Algorithm, _)| self.algorithms.contains(algorithm);
        let pieces =
            entry.pieces.filter(|pieces| pieces.count() > 0 && pieces.columns().iter().any(is_asked_for));
        let Some(pieces) = pieces else {
            let was_read = matches!(entry.outcome, None | Some(Outcome::Read));
            return match (self.division.map(|division| division.piece_bytes().get()), entry.size) {
                (Some(piece_bytes), Some(size)) if size > piece_bytes && was_read => {
                    Err(Error::NoPieces { path: entry.path.clone(), piece_bytes })
                }
                _ => Ok(None),
            };
        };
        let wrong = |why| Error::PiecesUnlikeFile { path: entry.path.clone(), why };
        let division = division(pieces, entry.size, entry.outcome).map_err(wrong)?;
        if pieces.count() > Division::MOST_PIECES {
            return Err(wrong(ProblemKind::TooManyPieces { limit: Division::MOST_PIECES }));
        }
        Ok(Some(pieces).filter(|_| self.format.holds_pieces(division)))
    }

    /// Writes a line for each piece as if it were a file, and the whole behind them. Nothing is handed over
    /// before all lines are known to be held.
    fn entry_by_names(&mut self, entry: &Entry<'_>) -> Result<(), Error> {
        let only_piece = match (self.division, entry.pieces, entry.size.and_then(NonZeroU64::new)) {
            (Some(_), None, Some(size)) => only_piece(entry, size),
            _ => None,
        };
        let pieces = entry.pieces.or(only_piece.as_ref());
        let mut whole = Vec::new();
        let has_whole = self.algorithms.iter().any(|&algorithm| entry.digest(algorithm).is_some());
        if has_whole || pieces.is_none() {
            self.renderer.entry(entry, &mut whole)?;
        }
        let Some(pieces) = pieces else {
            if self.has_named_pieces && piece_of_name(entry.path.as_bytes()).is_some() {
                let (format, path, why) =
                    (self.format, entry.path.clone(), "that looks like a piece of another file");
                return Err(Error::NameNotHeld { format, path, why, way_out: "use jsonl or dfxml" });
            }
            self.text.append(&mut whole);
            return Ok(());
        };
        // Of the names the last is the longest; sizes and digests are alike for all but the last.
        for number in [pieces.count().saturating_sub(2), pieces.count() - 1] {
            self.push_piece(entry, pieces, number)?;
            self.text.clear();
        }
        self.has_named_pieces = true;
        let mut text = Vec::new();
        for number in 0..pieces.count() {
            self.text.clear();
            self.push_piece(entry, pieces, number)?;
            text.append(&mut self.text);
            if text.len() >= HANDED_OVER_BYTES {
                hand_over(&mut self.sink, &mut text)?;
            }
        }
        text.append(&mut whole);
        self.text = text;
        Ok(())
    }

    /// Appends the line of a piece. Renderers measure lines from the start of the text, so it has to be
    /// empty.
    fn push_piece(&mut self, entry: &Entry<'_>, pieces: &Pieces, number: u64) -> Result<(), Error> {
        let Some(extent) = pieces.extent(number) else { return Ok(()) };
        let (path, digests) = (name_of_piece(entry.path.as_bytes(), extent), pieces.digests(number));
        check_name(self.format, &path)?;
        let piece =
            Entry { path: &path, size: Some(extent.length), digests: &digests, pieces: None, ..*entry };
        self.renderer.entry(&piece, &mut self.text)
    }
}

/// The piece of a file that is no longer than one.
fn only_piece(entry: &Entry<'_>, size: NonZeroU64) -> Option<Pieces> {
    let columns = entry.digests.iter().map(|digest| (digest.algorithm(), digest.as_bytes().to_vec()));
    Pieces::new(size, size.get(), columns.collect()).filter(|pieces| !pieces.columns().is_empty())
}

fn hand_over(sink: &mut impl Write, text: &mut Vec<u8>) -> Result<(), Error> {
    sink.write_all(text).map_err(|source| Error::Output { source })?;
    text.clear();
    Ok(())
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
    if header.shard.is_some() && !format.holds_shard() {
        return Err(Error::ShardNotHeld { format });
    }
    if !format.holds_header() {
        return Err(Error::HeaderNotHeld { format });
    }
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
