//! The manifests that a check is given: their names, and what they say when they are opened.

mod source;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use hashlane_manifest::{Error, Item, LineProblem, Merged, Pieced, ReadOptions, Reader};
use hashlane_record::ItemPath;

use crate::args::CheckArgs;
use crate::status::Ended;
use crate::text;

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
    /// As the library names them.
    pub(crate) const USUAL: Self = Self { format: "--manifest-format", zero: "--zero" };

    /// Names them as they are called here.
    fn put_into(self, text: &str) -> String {
        text.replace(Self::USUAL.format, self.format).replace(Self::USUAL.zero, self.zero)
    }
}

/// Why a manifest was not opened.
pub(crate) enum Refused {
    /// Its digests can come from several algorithms, and nothing says which.
    Ambiguous(anyhow::Error),
    /// All else.
    Other(anyhow::Error),
}

impl Refused {
    pub(crate) fn into_error(self) -> anyhow::Error {
        match self {
            Self::Ambiguous(error) | Self::Other(error) => error,
        }
    }
}

/// The items of a manifest, adjacent lines about one file put together, and the pieces of one where names are of such.
pub(crate) enum Items {
    Files(Merged<Reader<'static>>),
    Pieces(Pieced<Reader<'static>>),
}

impl Items {
    /// Opens a manifest that is to be checked.
    pub(crate) fn open(name: &OsStr, args: &CheckArgs) -> anyhow::Result<Self> {
        let items = open(name, args)?.merged();
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

/// Opens a manifest that is to be checked, and finds out what it is.
fn open(name: &OsStr, args: &CheckArgs) -> anyhow::Result<Reader<'static>> {
    let options = ReadOptions {
        format: args.manifest_format,
        algorithm: args.algorithm,
        zero: args.zero,
        ..ReadOptions::default()
    };
    let reader = open_as(name, &options, OptionNames::USUAL).map_err(Refused::into_error)?;
    let format = reader.format();
    if format.is_known_set() {
        return Err(Ended::usage(format!(
            "{}: a set of known contents ({format}), whose names are those of another machine; there is nothing to check",
            shown(name)
        )));
    }
    Ok(reader)
}

/// Opens a manifest and finds out what it is, its own name included.
pub(crate) fn open_as(
    name: &OsStr,
    options: &ReadOptions<'_>,
    called: OptionNames,
) -> Result<Reader<'static>, Refused> {
    read(Source::open(name).map_err(Refused::Other)?, options, called)
}

/// Finds out what a list is that is open.
pub(crate) fn read(
    source: Source,
    options: &ReadOptions<'_>,
    called: OptionNames,
) -> Result<Reader<'static>, Refused> {
    let name = source.name().to_owned();
    let file_name = (name != STDIN).then(|| name.as_bytes());
    let shown = shown(&name);
    Reader::open(source, &ReadOptions { file_name, ..options.clone() }).map_err(|error| match error {
        Error::Input { source } => {
            Refused::Other(Ended::unreadable(format!("{shown}: {} (reading)", text::system(&source))))
        }
        Error::Empty => Refused::Other(Ended::unreadable(format!("{shown}: {error}"))),
        Error::AmbiguousAlgorithm { digest_bytes, mut candidates } => {
            // Of old digests md5 is the likely one: the message suggests the first.
            candidates.sort_by_key(|algorithm| algorithm.name() != "md5");
            let error = Error::AmbiguousAlgorithm { digest_bytes, candidates };
            Refused::Ambiguous(Ended::usage(format!("{shown}: {error}")))
        }
        _ => Refused::Other(Ended::usage(format!("{shown}: {}", called.put_into(&error.to_string())))),
    })
}
