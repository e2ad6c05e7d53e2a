//! Reads manifests.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::num::NonZeroU64;

use hashlane_digest::Algorithm;
use hashlane_record::{ItemPath, Timestamp};

use crate::detect::{self, Found};
use crate::encoding::decoded;
use crate::error::Error;
use crate::file_name::{algorithm_of_file_name, family_of_file_name, unknown_of_file_name};
use crate::format::{Format, Parser, Setup, Untold};
use crate::formats::{parquet, sfv};
use crate::header::Recorded;
use crate::item::Item;
use crate::lines::{LineEnds, Lines};
use crate::merged::Merged;
use crate::problem::LineProblem;
use crate::shape::{is_undoubted, usual_of_length};
use crate::shard::Shard;

/// How a manifest is to be read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions<'a> {
    /// The format; detected if `None`.
    pub format: Option<Format>,
    /// The algorithm. Wins over the file's name; what the text itself says must agree. Of a line with digests
    /// of several algorithms only this one is taken.
    pub algorithm: Option<Algorithm>,
    /// The algorithm of digests without a tag where neither the text nor the file's name says it, if it is one of those that
    /// they can come from.
    pub fallback: Option<Algorithm>,
    /// Whether digests of 20, 28 and 48 bytes whose algorithm nothing names are an error, as those of other lengths are, so that a caller
    /// with files can prove it. Otherwise they are taken for sha1, sha224 and sha384.
    pub proves: bool,
    /// Only lines that say nothing of their algorithm are read, as long as none was named between them.
    pub untold_only: bool,
    /// The name of the manifest, which may state the algorithm.
    pub file_name: Option<&'a [u8]>,
    /// Lines end with NUL and nothing is escaped.
    pub zero: bool,
    /// The file that the input comes from, where it is one that can be read anywhere. A format that is read from its end (parquet)
    /// is read from it; else it is copied to a temporary file first.
    pub file: Option<&'a File>,
    /// What ends lines; detected between newline and CR newline if `None`. `zero` goes first.
    pub line_ends: Option<LineEnds>,
}

/// Reads a manifest item by item, in bounded memory.
pub struct Reader<'a> {
    lines: Lines<'a>,
    parser: Box<dyn Parser>,
    format: Format,
    ends: LineEnds,
    /// Problems of lines before the first that was understood.
    skipped: std::vec::IntoIter<LineProblem>,
    is_about_its_name: bool,
    assumed: Option<Algorithm>,
}

impl<'a> Reader<'a> {
    /// Finds out what the text is, and reads what stands before its first item.
    ///
    /// # Errors
    /// The input fails; the text is empty; format or algorithm cannot be found or contradict each other; the
    /// header of the format is broken.
    pub fn open(input: impl Read + Send + 'a, options: &ReadOptions<'_>) -> Result<Self, Error> {
        let zero = options.zero || options.line_ends == Some(LineEnds::Nul);
        let ends = if zero { LineEnds::Nul } else { options.line_ends.unwrap_or(LineEnds::Lf) };
        let mut lines = Lines::new(decoded(input)?, ends);
        if !zero && options.line_ends.is_none() {
            lines.detect_crlf()?;
        }
        let ends = lines.ends();
        lines.skip_marks(ends != LineEnds::Nul);
        let Found { format, mut recorded, skipped, only_file } =
            detect::detect(&mut lines, options.format, options.file_name)?;
        recorded.has_prose = format.holds_prose();
        if zero && !format.can_end_with_nul() {
            return Err(Error::ZeroNotHeld { format });
        }
        if let (Some(given), Some(recorded)) = (options.algorithm, recorded.algorithm)
            && given != recorded
        {
            return Err(Error::AlgorithmContradicted { given, recorded });
        }
        let of_file_name = options.file_name.and_then(algorithm_of_file_name);
        let ReadOptions { algorithm: wanted, fallback, proves, untold_only, .. } = *options;
        let file =
            options.file.filter(|_| format == Format(&parquet::SPEC)).map(File::try_clone).transpose()?;
        let untold = Untold {
            fallback,
            of_file_name: options.file_name.and_then(unknown_of_file_name),
            family_of_file_name: options.file_name.and_then(family_of_file_name),
            proves,
        };
        let is_about_its_name = only_file.is_some();
        let file_name = options.file_name.map(<[u8]>::to_vec);
        let setup =
            Setup { format, wanted, of_file_name, untold, untold_only, recorded, only_file, file, file_name };
        let is_told = wanted.or(of_file_name).or(fallback).or(setup.recorded.algorithm).is_some();
        let parser = (format.0.parser)(&mut lines, setup)?;
        let assumed = match *parser.algorithms() {
            [only] if !is_told && !proves && format.0.untold => {
                usual_of_length(only.length()).filter(|usual| !is_undoubted(*usual))
            }
            _ => None,
        };
        // Lines that look like few others are not to pass for digests that somebody trusts in.
        if let (true, Some(named), &[holds]) =
            (format == Format(&sfv::SPEC), of_file_name, parser.algorithms())
            && named != holds
            && options.format.is_none()
            && wanted.is_none()
        {
            return Err(Error::FormatUnlikeName { format, holds, named });
        }
        Ok(Self { lines, parser, format, ends, skipped: skipped.into_iter(), is_about_its_name, assumed })
    }

    /// The format, as given or detected.
    pub fn format(&self) -> Format {
        self.format
    }

    /// What ends lines, as given or detected.
    pub fn line_ends(&self) -> LineEnds {
        self.ends
    }

    /// The algorithms that the manifest names for all its lines, or that were found for lines without a tag.
    /// Tagged lines and jsonl name theirs one by one.
    pub fn algorithms(&self) -> &[Algorithm] {
        self.parser.algorithms()
    }

    /// The roots that the manifest names in its header. Those that stand before the first item are known at
    /// once; a concatenation of manifests names more further down.
    pub fn header_roots(&self) -> &[ItemPath] {
        self.parser.recorded().map_or(&[], |recorded| &recorded.roots)
    }

    /// When the run began that wrote the manifest, if its header says so; of several, as a concatenation of manifests has them,
    /// the earliest that was met so far.
    pub fn header_started(&self) -> Option<Timestamp> {
        self.parser.recorded().and_then(|recorded| recorded.started)
    }

    /// What names the file systems of its roots, if its header says so.
    pub fn header_file_systems(&self) -> &[NonZeroU64] {
        self.parser.recorded().map_or(&[], |recorded| &recorded.file_systems)
    }

    /// Which part of a listing the manifest says it is; several, and at most two, where it is more than one manifest. Those that stand
    /// before the first item are known at once.
    pub fn header_shards(&self) -> &[Shard] {
        self.parser.recorded().map_or(&[], |recorded| &recorded.shards)
    }

    /// Whether the manifest says of itself which run has made it, as far as it was read.
    pub fn has_header(&self) -> bool {
        let said = |recorded: &Recorded| {
            recorded.started.is_some() || !recorded.roots.is_empty() || !recorded.shards.is_empty()
        };
        self.parser.recorded().is_some_and(said)
    }

    /// The columns of a table that mean nothing here, and are not read. Of very many only the first.
    pub fn columns_passed_over(&self) -> &[String] {
        self.parser.recorded().map_or(&[], |recorded| &recorded.columns_passed_over)
    }

    /// How many entries stand behind the marks of comments so far. They are not read.
    pub fn commented_out(&self) -> u64 {
        self.parser.recorded().map_or(0, |recorded| recorded.commented_out)
    }

    /// Whether the list has one digest and no name, and is about the file that it is named after: the name of its item is that of the list
    /// without the extension, relative to what the name of the list is relative to.
    pub fn is_about_its_name(&self) -> bool {
        self.is_about_its_name
    }

    /// The directory that names are relative to where the format says so, as MHL does: that of a list of this name, or the one above it. With a
    /// slash behind it; empty if it is the one that the name of the list is relative to.
    pub fn directory_of_names(&self, list: &[u8]) -> Option<Vec<u8>> {
        self.parser.directory_of_names(list)
    }

    /// What digests are taken for that several algorithms make, one of them usual: nothing names it, and somebody may doubt it. See
    /// [`ReadOptions::proves`].
    pub fn assumed(&self) -> Option<Algorithm> {
        self.assumed
    }

    /// Adjacent items of equal name as one.
    pub fn merged(self) -> Merged<Self> {
        Merged::new(self)
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Item, LineProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.skipped.next().map(Err).or_else(|| self.parser.next(&mut self.lines));
        match self.format.holds_prose() {
            true => next,
            false => next.map(|item| item.map_err(LineProblem::of_strict_list)),
        }
    }
}

impl fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("format", &self.format)
            .field("lines", &self.lines)
            .finish_non_exhaustive()
    }
}
