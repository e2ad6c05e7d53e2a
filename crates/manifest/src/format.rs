//! What a format is, and what it has to implement. Those that there are stand in [`crate::formats`].

use std::fmt;
use std::fs::File;
use std::num::NonZeroU64;

use hashlane_digest::{Algorithm, Digest, Family};
use hashlane_record::{Division, ItemPath, ObjectState, Outcome, Pieces, Timestamp};

use crate::error::Error;
use crate::header::{Header, Recorded};
use crate::item::Item;
use crate::lines::Lines;
use crate::pieces::Piecewise;
use crate::problem::LineProblem;
use crate::shape::{algorithms_of_length, usual_of_length};
use crate::text::algorithm_of_length;
use crate::write_options::WriteOptions;

/// A manifest format: a cheap, copyable handle on its line of the table.
#[derive(Clone, Copy)]
pub struct Format(pub(crate) &'static Spec);

/// Reads what stands before the first item and makes a parser for the rest.
pub(crate) type StartParser = fn(&mut Lines<'_>, Setup) -> Result<Box<dyn Parser>, Error>;

/// Makes a renderer.
pub(crate) type StartRenderer = fn(&[Algorithm], &WriteOptions) -> Result<Box<dyn Renderer>, Error>;

/// Takes what is ready of a long item, and leaves the text empty.
pub(crate) type HandOver<'a> = dyn FnMut(&mut Vec<u8>) -> Result<(), Error> + 'a;

/// The line of the table that describes one format.
pub(crate) struct Spec {
    /// Name, lower case.
    pub(crate) name: &'static str,
    /// What a line looks like.
    pub(crate) shape: &'static str,
    /// Whether one manifest can hold digests of several algorithms.
    pub(crate) many_algorithms: bool,
    /// Whether lines can be ended by NUL.
    pub(crate) zero: bool,
    /// How it is distinguished from the others, for people.
    pub(crate) detected_by: &'static str,
    /// Whether only the first line that is neither blank nor a comment can show it.
    pub(crate) by_first_line: bool,
    /// Whether other text may stand between its lines: headings, sentences, signatures. In the others each line is an entry, a comment, or
    /// wrong.
    pub(crate) prose: bool,
    /// Whether digests may stand there whose algorithm nothing names.
    pub(crate) untold: bool,
    /// Whether a line is unmistakably of this format.
    pub(crate) recognizes: fn(&[u8]) -> bool,
    /// Reads what stands before the first item and makes a parser for the rest.
    pub(crate) parser: StartParser,
    /// Whether it has a place for sizes, and for times.
    pub(crate) sizes: bool,
    pub(crate) times: bool,
    /// Where it lists the digests of pieces.
    pub(crate) pieces: Option<Piecewise>,
    /// Whether it lists contents that are known, under names that are of no files here.
    pub(crate) known_set: bool,
    /// Makes a renderer, where the format is written.
    pub(crate) renderer: Option<StartRenderer>,
}

impl Spec {
    /// A format that is read by this parser, and has nothing else that a format can have. No line is unmistakably its own.
    pub(crate) const fn read_by(parser: StartParser) -> Self {
        Self {
            name: "",
            shape: "",
            many_algorithms: false,
            zero: false,
            detected_by: "",
            by_first_line: false,
            prose: false,
            untold: false,
            recognizes: |_| false,
            parser,
            sizes: false,
            times: false,
            pieces: None,
            known_set: false,
            renderer: None,
        }
    }
}

/// What a parser is given.
pub(crate) struct Setup {
    /// The format it parses.
    pub(crate) format: Format,
    /// The caller's algorithm.
    pub(crate) wanted: Option<Algorithm>,
    /// The algorithm that the file's name states.
    pub(crate) of_file_name: Option<Algorithm>,
    /// What to take where nothing names the algorithm.
    pub(crate) untold: Untold,
    /// Whether lines that name their algorithm are passed over.
    pub(crate) untold_only: bool,
    /// What the comments before the first line said.
    pub(crate) recorded: Recorded,
    /// The file that a list of one digest without a name is about.
    pub(crate) only_file: Option<ItemPath>,
    /// The manifest, where it can be read anywhere.
    pub(crate) file: Option<File>,
    /// Its name, if it has one.
    pub(crate) file_name: Option<Vec<u8>>,
}

impl Setup {
    /// The algorithm that something other than the digests themselves names.
    pub(crate) fn named(&self) -> Option<Algorithm> {
        self.wanted.or(self.recorded.algorithm).or(self.of_file_name)
    }

    /// The algorithms of the columns of a table, among which the one that is wanted has to be.
    pub(crate) fn algorithms_listed(
        &self,
        columns: impl Iterator<Item = Algorithm>,
    ) -> Result<Vec<Algorithm>, Error> {
        let columns: Vec<_> = columns.collect();
        match self.wanted.filter(|wanted| !columns.contains(wanted)) {
            Some(algorithm) => Err(Error::AlgorithmNotListed { format: self.format, algorithm, columns }),
            None => Ok(columns),
        }
    }
}

/// The algorithm of digests where nothing in the text names it.
#[derive(Clone, Copy)]
pub(crate) struct Untold {
    /// The algorithm to take, if it fits.
    pub(crate) fallback: Option<Algorithm>,
    /// The algorithm that the file's name states and that is not known.
    pub(crate) of_file_name: Option<&'static str>,
    /// The design that the file's name states, where it leaves open which algorithm of it.
    pub(crate) family_of_file_name: Option<Family>,
    /// Whether nothing is taken for what it usually is.
    pub(crate) proves: bool,
}

impl Untold {
    /// The algorithm of digests of `digest_bytes` bytes.
    pub(crate) fn algorithm_of_length(&self, digest_bytes: usize) -> Result<Algorithm, Error> {
        if let Some(name) = self.of_file_name {
            return Err(Error::NamedUnknown { name, digest_bytes });
        }
        let mut candidates = algorithms_of_length(digest_bytes).into_iter();
        let of_family = |family| candidates.find(|algorithm| algorithm.family() == family);
        if let Some(algorithm) = self.family_of_file_name.and_then(of_family) {
            return Ok(algorithm);
        }
        let fitting = self.fallback.filter(|fallback| fallback.length() == digest_bytes);
        let usual = || usual_of_length(digest_bytes).filter(|_| !self.proves);
        algorithm_of_length(digest_bytes, fitting.or_else(usual))
    }
}

/// Reads the items of one format.
pub(crate) trait Parser: Send {
    /// The next item or problem.
    fn next(&mut self, lines: &mut Lines<'_>) -> Option<Result<Item, LineProblem>>;

    /// What the manifest said about itself so far.
    fn recorded(&self) -> Option<&Recorded> {
        None
    }

    /// The directory that names are relative to, of a list of this name, if the format says so.
    fn directory_of_names(&self, _list: &[u8]) -> Option<Vec<u8>> {
        None
    }

    /// The algorithms that the header or the first line promised.
    fn algorithms(&self) -> &[Algorithm] {
        &[]
    }
}

/// Writes the items of one format. What an `Err` left in `text` is discarded by the caller.
pub(crate) trait Renderer: Send {
    /// Appends what stands before the first item.
    fn preamble(&mut self, header: Option<&Header>, text: &mut Vec<u8>) -> Result<(), Error>;

    /// Appends one item.
    fn entry(&mut self, entry: &Entry<'_>, text: &mut Vec<u8>) -> Result<(), Error>;

    /// Appends one item with its pieces, for formats that have a place for all of them. Hands text over
    /// before it grows large, but not before it is certain that the item can be held.
    fn long_entry(
        &mut self,
        entry: &Entry<'_>,
        text: &mut Vec<u8>,
        _hand_over: &mut HandOver<'_>,
    ) -> Result<(), Error> {
        self.entry(entry, text)
    }

    /// Appends what stands behind the last item.
    fn epilogue(&mut self, _text: &mut Vec<u8>) -> Result<(), Error> {
        Ok(())
    }

    /// Appends what is needed to read what was written, where the last item will not come.
    fn broken_off(&mut self, _text: &mut Vec<u8>) -> Result<(), Error> {
        Ok(())
    }
}

/// What is to be written of one file.
pub(crate) struct Entry<'a> {
    pub(crate) path: &'a ItemPath,
    pub(crate) size: Option<u64>,
    pub(crate) modified: Option<Timestamp>,
    /// `None` where a manifest that is converted does not say.
    pub(crate) outcome: Option<Outcome>,
    pub(crate) digests: &'a [Digest],
    /// Only what the format has a place for.
    pub(crate) pieces: Option<&'a Pieces>,
    /// Of an object, where its store names states.
    pub(crate) state: Option<&'a ObjectState>,
    /// Only where it is to be written.
    pub(crate) inode: Option<NonZeroU64>,
}

impl Format {
    /// Name, lower case.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What a line looks like: `HEX  name`.
    pub fn shape(self) -> &'static str {
        self.0.shape
    }

    /// How a reader distinguishes it from the others, in a few words.
    pub fn detected_by(self) -> &'static str {
        self.0.detected_by
    }

    /// Whether it can be written; all can be read.
    pub fn can_be_written(self) -> bool {
        self.0.renderer.is_some()
    }

    /// Whether it lists contents that are known, under names that are of no files here: such as NSRL.
    pub fn is_known_set(self) -> bool {
        self.0.known_set
    }

    /// Whether it has a place for sizes.
    pub fn holds_sizes(self) -> bool {
        self.0.sizes
    }

    /// Whether it has a place for the times of the last change.
    pub fn holds_times(self) -> bool {
        self.0.times
    }

    /// Whether it has a place for files that could not be read, or that changed meanwhile.
    pub fn holds_failures(self) -> bool {
        matches!(self.0.name, "jsonl" | "dfxml" | "parquet")
    }

    /// Whether it has a place for the inodes of files, which lists that say when they were made have.
    pub fn holds_inodes(self) -> bool {
        matches!(self.0.name, "jsonl" | "dfxml" | "parquet")
    }

    /// Whether it has a place for what stores call the states of objects that were read.
    pub fn holds_states(self) -> bool {
        self.0.name == "jsonl"
    }

    /// Whether it has a place for a header, which other programs pass over. The first line of a table is all that it says of itself.
    pub fn holds_header(self) -> bool {
        self.can_be_written() && !matches!(self.0.name, "ace" | "csv")
    }

    /// Whether it has a place for what part of a listing it is.
    pub fn holds_shard(self) -> bool {
        self.holds_header() && !matches!(self.0.name, "dfxml" | "mhl")
    }

    /// Where it lists the digests of pieces, if anywhere.
    pub fn piecewise(self) -> Option<Piecewise> {
        self.0.pieces
    }

    /// Whether it has a place for pieces of this kind.
    pub fn holds_pieces(self, division: Division) -> bool {
        self.0.pieces.is_some_and(|piecewise| piecewise.holds(division))
    }

    /// Whether one manifest can hold digests of several algorithms.
    pub fn holds_many_algorithms(self) -> bool {
        self.0.many_algorithms
    }

    /// Whether it is not text, so that nobody can read it on a terminal.
    pub fn is_binary(self) -> bool {
        matches!(self.0.name, "parquet" | "encase")
    }

    /// Whether it has an end, so that one that was broken off is not taken for a whole one.
    pub fn has_end(self) -> bool {
        matches!(self.0.name, "dfxml" | "mhl" | "internet-archive" | "parquet" | "encase")
    }

    /// Whether other text may stand between its lines, as it does in lists that people write: headings, sentences, signatures.
    pub fn holds_prose(self) -> bool {
        self.0.prose
    }

    /// Whether its lines can be ended by NUL instead of a newline.
    pub fn can_end_with_nul(self) -> bool {
        self.0.zero
    }

    /// The only algorithm of a manifest, for formats that hold one.
    pub(crate) fn only_algorithm(self, algorithms: &[Algorithm]) -> Result<Algorithm, Error> {
        match *algorithms {
            [algorithm] => Ok(algorithm),
            _ => Err(Error::OneAlgorithmOnly { format: self, count: algorithms.len() }),
        }
    }

    /// The refusal of a name that a format without escapes cannot hold.
    pub(crate) fn name_not_held(self, path: &ItemPath, why: &'static str) -> Error {
        Error::NameNotHeld { format: self, path: path.clone(), why, way_out: "use jsonl or csv" }
    }
}

impl Entry<'_> {
    /// The digest of an algorithm, if there is one.
    pub(crate) fn digest(&self, algorithm: Algorithm) -> Option<&Digest> {
        self.digests.iter().find(|digest| digest.algorithm() == algorithm)
    }

    /// The digest of an algorithm, which each line of the format needs.
    pub(crate) fn needed_digest(&self, algorithm: Algorithm, format: Format) -> Result<&Digest, Error> {
        self.digest(algorithm).ok_or_else(|| Error::NoDigest { format, path: self.path.clone(), algorithm })
    }

    /// An error unless the file was read completely, for formats that cannot say so.
    pub(crate) fn must_be_read(&self, format: Format) -> Result<(), Error> {
        match self.outcome.as_ref().and_then(Outcome::problem) {
            None => Ok(()),
            Some(problem) => {
                Err(Error::NotRead { format, path: self.path.clone(), outcome: problem.to_string() })
            }
        }
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Format {}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0.name)
    }
}
