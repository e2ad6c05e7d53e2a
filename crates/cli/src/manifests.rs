//! The manifests that a check is given: their names, and what they say when they are opened.

mod remedy;
mod source;

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStrExt as _;

use hashlane_digest::{Algorithm, Security};
use hashlane_manifest::{Error, Item, LineProblem, Merged, Pieced, ReadOptions, Reader};
use hashlane_record::ItemPath;

use crate::args::CheckArgs;
use crate::status::Ended;
use crate::text;

pub(crate) use remedy::told;
use source::Kept;
pub(crate) use source::{Again, Source};

/// What stands for standard input.
pub(crate) const STDIN: &str = "-";

/// The manifests to read; none named: standard input.
pub(crate) fn names(args: &CheckArgs) -> Vec<OsString> {
    if args.manifests.is_empty() { vec![STDIN.into()] } else { args.manifests.clone() }
}

/// A manifest's name for a message.
pub(crate) fn shown(name: &OsStr) -> String {
    if name == STDIN { "standard input".to_owned() } else { text::name(name.as_bytes()) }
}

/// What the options are called that say how a manifest is to be read: an error names them as the way out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OptionNames {
    pub(crate) format: &'static str,
    pub(crate) zero: &'static str,
}

impl OptionNames {
    /// As most commands name them.
    pub(crate) const USUAL: Self = Self { format: "--manifest-format", zero: "--zero" };
}

/// Why a manifest was not opened.
pub(crate) enum Refused {
    /// Its digests can come from these algorithms, and nothing says which: the question.
    Ambiguous(String, Vec<Algorithm>),
    /// All else.
    Other(anyhow::Error),
}

impl Refused {
    pub(crate) fn into_error(self) -> anyhow::Error {
        match self {
            Self::Ambiguous(asking, _) => Ended::usage(asking),
            Self::Other(error) => error,
        }
    }
}

/// A list that is to be checked and does not tell its algorithm.
pub(crate) struct Untold<'a> {
    name: &'a OsStr,
    list: Kept,
    options: ReadOptions<'static>,
    asking: String,
    candidates: Vec<Algorithm>,
}

/// The items of a manifest, adjacent lines about one file put together, and the pieces of one where names are of such.
pub(crate) enum Items {
    Files(Merged<Reader<'static>>),
    Pieces(Pieced<Reader<'static>>),
}

impl Items {
    /// Opens a manifest that is to be checked. If it does not tell its algorithm, `find_out` does.
    pub(crate) fn open(
        name: &OsStr,
        args: &CheckArgs,
        find_out: impl FnOnce(&Untold<'_>) -> anyhow::Result<Algorithm>,
    ) -> anyhow::Result<Self> {
        let options = ReadOptions {
            format: args.manifest_format,
            algorithm: args.algorithm,
            zero: args.zero,
            ..ReadOptions::default()
        };
        let list = Kept::new(Source::open(name)?);
        let reader = match read_from(list.clone(), name, &options, OptionNames::USUAL) {
            Err(Refused::Ambiguous(asking, candidates)) => {
                let untold = Untold { name, list, options, asking, candidates };
                let algorithm = find_out(&untold)?;
                untold.settled(algorithm)?
            }
            opened => {
                list.settle();
                opened.map_err(Refused::into_error)?
            }
        };
        let format = reader.format();
        if format.is_known_set() {
            return Err(Ended::usage(format!(
                "{}: a set of known contents ({format}), whose names are those of another machine; there is nothing to check",
                shown(name)
            )));
        }
        let items = reader.merged();
        Ok(if args.pieces { Self::Pieces(items.pieced()) } else { Self::Files(items) })
    }

    /// The roots that its headers name so far.
    pub(crate) fn header_roots(&self) -> &[ItemPath] {
        match self {
            Self::Files(items) => items.get_ref().header_roots(),
            Self::Pieces(items) => items.get_ref().header_roots(),
        }
    }
}

impl Iterator for Items {
    type Item = Result<Item, LineProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Files(items) => items.next(),
            Self::Pieces(items) => items.next(),
        }
    }
}

impl Untold<'_> {
    /// The algorithms that it may have.
    pub(crate) fn candidates(&self) -> &[Algorithm] {
        &self.candidates
    }

    /// What stands in for its algorithm where nothing proves one: the least likely, so that of the lines that tell theirs hardly
    /// any has it, and no checksum, which anything may fit.
    pub(crate) fn stand_in(&self) -> Algorithm {
        let proves = |algorithm: &&Algorithm| algorithm.security() != Security::Checksum;
        *self.candidates.iter().rfind(proves).unwrap_or(&self.candidates[0])
    }

    /// Its lines that do not tell, from the first on; the algorithm of their digests is a stand-in.
    pub(crate) fn items(&self) -> anyhow::Result<Reader<'static>> {
        self.opened(self.candidates.first().copied(), true)
    }

    /// All of it, for good.
    fn settled(&self, algorithm: Algorithm) -> anyhow::Result<Reader<'static>> {
        self.list.settle();
        self.opened(Some(algorithm), false)
    }

    fn opened(&self, fallback: Option<Algorithm>, untold_only: bool) -> anyhow::Result<Reader<'static>> {
        self.list
            .rewind()
            .map_err(|error| Ended::unreadable(format!("{}: {}", self.shown(), text::system(&error))))?;
        let options = ReadOptions { fallback, untold_only, ..self.options.clone() };
        read_from(self.list.clone(), self.name, &options, OptionNames::USUAL).map_err(Refused::into_error)
    }

    /// Whether there is more of it than was kept to be read again.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.list.is_full()
    }

    /// Its name for a message.
    pub(crate) fn shown(&self) -> String {
        shown(self.name)
    }

    /// The question which algorithm it has, and why it is asked.
    pub(crate) fn ask(&self, why: &str) -> anyhow::Error {
        Ended::usage(if why.is_empty() { self.asking.clone() } else { format!("{}; {why}", self.asking) })
    }
}

/// Opens a manifest and finds out what it is, its own name included.
pub(crate) fn read(
    source: Source,
    options: &ReadOptions<'_>,
    called: OptionNames,
) -> Result<Reader<'static>, Refused> {
    let name = source.name().to_owned();
    read_from(source, &name, options, called)
}

fn read_from(
    input: impl Read + Send + 'static,
    name: &OsStr,
    options: &ReadOptions<'_>,
    called: OptionNames,
) -> Result<Reader<'static>, Refused> {
    let file_name = (name != STDIN).then(|| name.as_bytes());
    let shown = shown(name);
    Reader::open(input, &ReadOptions { file_name, ..options.clone() }).map_err(|error| match error {
        Error::Input { source } => {
            Refused::Other(Ended::unreadable(format!("{shown}: {} (reading)", text::system(&source))))
        }
        Error::Empty => Refused::Other(Ended::unreadable(format!("{shown}: {error}"))),
        Error::AmbiguousAlgorithm { digest_bytes, mut candidates } => {
            // Of old digests md5 is the likely one: the message suggests the first.
            candidates.sort_by_key(|algorithm| algorithm.name() != "md5");
            let error = Error::AmbiguousAlgorithm { digest_bytes, candidates: candidates.clone() };
            Refused::Ambiguous(format!("{shown}: {}", called.told(&error)), candidates)
        }
        _ => Refused::Other(Ended::usage(format!("{shown}: {}", called.told(&error)))),
    })
}
