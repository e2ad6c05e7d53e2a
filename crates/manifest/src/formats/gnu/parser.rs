//! Lines with one digest, tagged or not, in hexadecimal or base64: the parser behind gnu, bsd and both base64
//! formats.
//!
//! Each line says itself which of the four it is, so one file may mix them, as coreutils allows.

use std::borrow::Cow;

use hashlane_digest::{Algorithm, Digest, MAX_DIGEST_LENGTH};
use hashlane_record::ItemPath;

use crate::error::Error;
use crate::escape::unescape;
use crate::format::{Parser, Setup, Untold};
use crate::frames::Frame;
use crate::header::Recorded;
use crate::item::Item;
use crate::lines::{Line, LineEnds, Lines};
use crate::problem::{LineProblem, ProblemKind};
use crate::shape::{
    Cut, LITTLE_ENDIAN, algorithm_of_tag, cut, is_comment, lone_digest, measure, measured, measured_digest,
    only_blake2b, plain_bytes,
};
use crate::text::{checked_name, decode};

/// How many lines about one name are looked at for one with the caller's algorithm.
const MAX_LINES_OF_NAME: usize = 64;

const EXPECTED: &str = "DIGEST, two spaces, NAME or ALGORITHM (NAME) = DIGEST";

/// The parser.
struct DigestLines {
    /// The caller's algorithm, which every line has to have.
    wanted: Option<Algorithm>,
    /// The algorithm of lines without a tag, once it is known.
    untagged: Option<Algorithm>,
    /// What such lines further down have, where their length does not tell.
    untold: Untold,
    /// Whether lines are passed over that name their algorithm, or follow a comment that does.
    untold_only: bool,
    /// Whether a comment between lines has named the algorithm of those that follow, be it the one that is fallen back on.
    told: bool,
    recorded: Recorded,
    /// What the only digest is about, where it has no name.
    only_file: Option<ItemPath>,
    /// What stands around the lines of a signed list.
    frame: Frame,
    /// The last tag, since lines in a row mostly have the same.
    last_tag: Option<(Vec<u8>, Algorithm)>,
    /// The name of the last good line as it stands there, if the caller's algorithm may leave others out.
    last_name: Vec<u8>,
}

/// Makes a parser. If the first good line has no tag, its algorithm is settled here.
pub(crate) fn parser(lines: &mut Lines<'_>, setup: Setup) -> Result<Box<dyn Parser>, Error> {
    let mut untagged = setup.named();
    let end_byte = if lines.ends() == LineEnds::Nul { 0 } else { b'\n' };
    let is_lone = setup.only_file.is_some();
    let cut_line = |line| match is_lone {
        false => measured(line).map(|(cut, bytes, _)| (cut.tag, cut.digest, bytes)),
        true => {
            let (tag, digest) = lone_digest(line)?;
            Some((tag, digest, measured_digest(tag, digest)?.0))
        }
    };
    let window = lines.window()?;
    if let Some((None, digest, digest_bytes)) = window.split(|&byte| byte == end_byte).find_map(cut_line) {
        if let (Some(given), Some(named)) = (setup.wanted, setup.of_file_name)
            && digest_bytes != given.length()
            && digest_bytes == named.length()
        {
            return Err(Error::AlgorithmUnlikeName { given, named, digest_bytes });
        }
        // Lists of b2sum have one name, whatever the length of their digests. Where others have that length, it is to be proven.
        let is_named_only = setup.wanted.or(setup.recorded.algorithm).is_none();
        if is_named_only && untagged == Some(Algorithm::BLAKE2B) && digest_bytes != MAX_DIGEST_LENGTH {
            let mut lines = window.split(|&byte| byte == end_byte).filter_map(cut_line);
            // A digest that was cut off makes no list of another kind.
            if lines.all(|(tag, _, bytes)| tag.is_some() || bytes == digest_bytes) {
                untagged = match setup.untold.proves {
                    true => only_blake2b(digest_bytes),
                    false => Algorithm::blake2b(digest_bytes),
                };
            }
        }
        if untagged.is_none() {
            untagged = Some(match Algorithm::told_by(digest) {
                Some(told) => told,
                None => setup.untold.algorithm_of_length(digest_bytes)?,
            });
        }
    }
    let Setup { wanted, untold, untold_only, recorded, only_file, .. } = setup;
    Ok(Box::new(DigestLines {
        wanted,
        untagged,
        untold,
        untold_only,
        told: false,
        recorded,
        only_file,
        frame: Frame::default(),
        last_tag: None,
        last_name: Vec::new(),
    }))
}

impl Parser for DigestLines {
    fn next(&mut self, lines: &mut Lines<'_>) -> Option<Result<Item, LineProblem>> {
        let zero = lines.ends() == LineEnds::Nul;
        loop {
            let line = match lines.next()? {
                Ok(line) => line,
                Err(problem) => return Some(Err(problem)),
            };
            let is_framed = self.frame.takes(line.text);
            let result = if line.text.is_empty() {
                continue;
            } else if is_framed {
                Err(ProblemKind::NotALine { expected: EXPECTED })
            } else if zero && !line.ended {
                Err(ProblemKind::Unterminated)
            } else if is_comment(line.text) {
                let Err(kind) = self.note(line.text) else { continue };
                Err(kind)
            } else if self.untold_only && self.is_told(line.text) {
                continue;
            } else {
                self.item(&line, zero)
            };
            let kind = match result {
                Ok(item) => return Some(Ok(item)),
                Err(kind) => kind,
            };
            let name = match kind {
                ProblemKind::AlgorithmNotAsked { .. } => cut(line.text).map(|cut| cut.name.to_vec()),
                _ => None,
            };
            let path = cut(line.text).and_then(|cut| path_of(&cut).ok());
            let problem = line.problem(kind).entry_if(self.begins_with_digest(line.text)).of_file(path);
            let is_left_out = name.is_some_and(|name| self.is_read(&name, lines));
            return Some(Err(problem.noise_if(is_left_out || is_framed)));
        }
    }

    fn recorded(&self) -> Option<&Recorded> {
        Some(&self.recorded)
    }

    fn algorithms(&self) -> &[Algorithm] {
        self.untagged.as_slice()
    }
}

impl DigestLines {
    /// Takes in a comment between lines, as concatenated manifests have them.
    fn note(&mut self, comment: &[u8]) -> Result<(), ProblemKind> {
        self.recorded.algorithm = None;
        self.recorded.note(comment)?;
        match (self.recorded.algorithm, self.wanted) {
            (Some(found), Some(wanted)) if found != wanted => {
                Err(ProblemKind::AlgorithmContradicted { found, wanted })
            }
            (Some(found), _) => {
                self.untagged = Some(found);
                self.told = true;
                Ok(())
            }
            (None, _) => Ok(()),
        }
    }

    /// Whether a line begins with as many digits as those before it have.
    fn begins_with_digest(&self, line: &[u8]) -> bool {
        let word = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let bytes = plain_bytes(word);
        self.untagged.is_some_and(|algorithm| bytes == Some(algorithm.length()))
    }

    /// Whether a line, or a comment before it, names the algorithm.
    fn is_told(&self, line: &[u8]) -> bool {
        self.told || self.untagged != self.untold.fallback || cut(line).is_some_and(|cut| cut.tag.is_some())
    }

    /// Whether a name that has a line with another algorithm than the caller's has one with his beside it. Then
    /// the file is verified as he asked for.
    fn is_read(&self, name: &[u8], lines: &mut Lines<'_>) -> bool {
        let end_byte = if lines.ends() == LineEnds::Nul { 0 } else { b'\n' };
        let Ok(window) = lines.window() else { return false };
        let following = window.split(|&byte| byte == end_byte).take(MAX_LINES_OF_NAME).map_while(cut);
        let mut tags = following.take_while(|cut| cut.name == name).map_while(|cut| cut.tag);
        self.last_name == name
            || tags.any(|tag| self.wanted.is_some() && algorithm_of_tag(tag) == self.wanted)
    }

    fn item(&mut self, line: &Line<'_>, zero: bool) -> Result<Item, ProblemKind> {
        if let Some(path) = self.only_file.clone() {
            let (tag, digest) = lone_digest(line.text).ok_or(ProblemKind::NotALine { expected: EXPECTED })?;
            let digest = self.digest(&Cut { escaped: false, tag, digest, name: b"" })?;
            return Ok(Item::of_digest(line.number, path, digest));
        }
        let cut = cut(line.text).filter(|cut| !(zero && cut.escaped));
        let cut = cut.ok_or(ProblemKind::NotALine { expected: EXPECTED })?;
        let digest = self.digest(&cut)?;
        let path = path_of(&cut)?;
        if self.wanted.is_some() {
            self.last_name.clear();
            self.last_name.extend_from_slice(cut.name);
        }
        Ok(Item::of_digest(line.number, path, digest))
    }

    fn digest(&mut self, cut: &Cut<'_>) -> Result<Digest, ProblemKind> {
        let algorithm = match cut.tag {
            Some(tag) => self.tagged(tag)?,
            None => match self.untagged {
                Some(algorithm) => algorithm,
                None => *self.untagged.insert(self.untold(cut.digest)?),
            },
        };
        let digest = decode(algorithm, cut.digest)?;
        let is_reversed = cut.tag.is_some_and(|tag| tag.ends_with(LITTLE_ENDIAN.as_bytes()));
        Ok(if is_reversed { digest.reversed() } else { digest })
    }

    /// The algorithm of a digest without a tag, where nothing named it before.
    fn untold(&self, digest: &[u8]) -> Result<Algorithm, ProblemKind> {
        if let Some(told) = Algorithm::told_by(digest) {
            return Ok(told);
        }
        let (digest_bytes, _) = measure(digest).ok_or(ProblemKind::NotALine { expected: EXPECTED })?;
        self.untold.algorithm_of_length(digest_bytes).map_err(|error| match error {
            Error::AmbiguousAlgorithm { digest_bytes, candidates } => {
                ProblemKind::AmbiguousAlgorithm { digest_bytes, candidates }
            }
            _ => ProblemKind::NoAlgorithmOfLength { digest_bytes },
        })
    }

    fn tagged(&mut self, tag: &[u8]) -> Result<Algorithm, ProblemKind> {
        let found = match &self.last_tag {
            Some((last, algorithm)) if last == tag => *algorithm,
            _ => {
                let found = algorithm_of_tag(tag).ok_or_else(|| ProblemKind::unknown_algorithm(tag))?;
                self.last_tag = Some((tag.to_vec(), found));
                found
            }
        };
        match self.wanted {
            Some(wanted) if wanted != found => Err(ProblemKind::AlgorithmNotAsked { wanted }),
            _ => Ok(found),
        }
    }
}

fn path_of(cut: &Cut<'_>) -> Result<ItemPath, ProblemKind> {
    let name = match cut.escaped {
        true => unescape(cut.name).ok_or(ProblemKind::BadEscape)?,
        false => Cow::Borrowed(cut.name),
    };
    checked_name(&name)
}
