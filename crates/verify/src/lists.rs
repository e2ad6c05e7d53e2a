//! Open lists of files to verify: their formats and algorithms, and their entries.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};

use hashlane_digest::{Algorithm, Security};
use hashlane_manifest::{
    Error as ManifestError, Format, Item, LineProblem, Merged, Pieced, ReadOptions, Reader,
};
use hashlane_record::ItemPath;

use crate::error::Error;
use crate::source::Kept;

pub use crate::source::{Again, Source};
pub use crate::stdin::{STDIN, Stdin};

/// How lists are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListOptions {
    /// Their format; detected if `None`.
    pub format: Option<Format>,
    /// The algorithm of lists that do not name it. If lines have digests of several, only this one is used.
    pub algorithm: Option<Algorithm>,
    /// Whether lines end with NUL and nothing is escaped.
    pub zero: bool,
    /// Whether names like `NAME offset 0-1023` are pieces of files.
    pub pieces: bool,
}

/// Whether a list can be read twice.
pub fn is_regular(list: &OsStr) -> bool {
    list != STDIN && std::fs::metadata(list).is_ok_and(|facts| facts.is_file())
}

/// Whether two names are of one pipe: each reader would get a part of what comes through it.
pub fn are_one_pipe(a: &OsStr, b: &OsStr) -> bool {
    let of = |name: &OsStr| std::fs::metadata(if name == STDIN { OsStr::new("/dev/stdin") } else { name });
    match (of(a), of(b)) {
        (Ok(a), Ok(b)) => a.file_type().is_fifo() && (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

/// The entries of a list. Adjacent lines about one file are merged, and so are pieces if names denote them.
#[derive(Debug)]
pub struct Items(Kind);

#[derive(Debug)]
enum Kind {
    Files(Box<Merged<Reader<'static>>>),
    Pieces(Box<Pieced<Reader<'static>>>),
}

/// The first name of a list, as far as it is known before the list is read.
#[derive(Debug)]
pub struct First {
    /// The name.
    pub name: ItemPath,
    /// Whether a header before it names roots.
    pub has_roots: bool,
}

impl First {
    /// That of the first of some lists that can be read twice.
    pub fn of(lists: &[OsString], options: &ListOptions) -> Option<Self> {
        Self::of_list(lists.iter().find(|list| is_regular(list))?, options)
    }

    /// That of a list, if it can be read twice.
    pub(crate) fn of_list(list: &OsStr, options: &ListOptions) -> Option<Self> {
        let mut items =
            is_regular(list).then(|| Items::by_whatever_algorithm(list, options).ok()).flatten()?;
        // What has no entry here has them too far away to be looked for before anything is shown.
        const MOST: usize = 100;
        let name = items.by_ref().take(MOST).find_map(Result::ok)?.path;
        Some(Self { name, has_roots: !items.header_roots().is_empty() })
    }
}

/// A list that does not tell its algorithm.
pub(crate) struct Untold<'a> {
    name: &'a OsStr,
    list: Kept,
    options: ReadOptions<'static>,
    digest_bytes: usize,
    candidates: Vec<Algorithm>,
}

impl Items {
    /// Opens a list whose digests do not matter: if it does not name its algorithm, another one stands in.
    ///
    /// # Errors
    /// It cannot be read, or is not a list of files.
    pub fn by_whatever_algorithm(name: &OsStr, options: &ListOptions) -> Result<Self, Error> {
        Self::open(name, options, |untold| Ok(untold.stand_in()))
    }

    /// Opens a list. If it does not tell its algorithm, `find_out` does.
    pub(crate) fn open(
        name: &OsStr,
        options: &ListOptions,
        find_out: impl FnOnce(&Untold<'_>) -> Result<Algorithm, Error>,
    ) -> Result<Self, Error> {
        let ListOptions { format, algorithm, zero, pieces } = *options;
        let options = ReadOptions { format, algorithm, zero, proves: true, ..ReadOptions::default() };
        let list = Kept::new(Source::open(name)?, format);
        let file = list.file().map_err(|source| Error::Open { list: name.to_owned(), source })?;
        let reader = match reader(list.clone(), name, &ReadOptions { file: file.as_ref(), ..options.clone() })
        {
            Err(Error::Manifest {
                source: ManifestError::AmbiguousAlgorithm { digest_bytes, candidates },
                ..
            }) => {
                let untold = Untold { name, list, options, digest_bytes, candidates };
                let algorithm = find_out(&untold)?;
                untold.settled(algorithm)?
            }
            opened => {
                list.settle();
                opened?
            }
        };
        let format = reader.format();
        if format.is_known_set() {
            return Err(Error::KnownSet { list: name.to_owned(), format });
        }
        let items = reader.merged();
        Ok(Self(if pieces { Kind::Pieces(Box::new(items.pieced())) } else { Kind::Files(Box::new(items)) }))
    }

    /// The roots named in its headers so far.
    pub fn header_roots(&self) -> &[ItemPath] {
        self.reader().header_roots()
    }

    /// How many entries stand behind the marks of comments so far.
    pub fn commented_out(&self) -> u64 {
        self.reader().commented_out()
    }

    /// Whether the list has one digest and no name: its item is about the file that the list is named after, relative to what the name of the
    /// list is relative to.
    pub(crate) fn is_about_its_name(&self) -> bool {
        self.reader().is_about_its_name()
    }

    /// The directory that names of a list of this name are relative to, if its format says so.
    pub(crate) fn directory_of_names(&self, list: &[u8]) -> Option<Vec<u8>> {
        self.reader().directory_of_names(list)
    }

    fn reader(&self) -> &Reader<'static> {
        match &self.0 {
            Kind::Files(items) => items.get_ref(),
            Kind::Pieces(items) => items.get_ref(),
        }
    }
}

impl Iterator for Items {
    type Item = Result<Item, LineProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Kind::Files(items) => items.next(),
            Kind::Pieces(items) => items.next(),
        }
    }
}

impl Untold<'_> {
    /// The algorithms that it may have.
    pub(crate) fn candidates(&self) -> &[Algorithm] {
        &self.candidates
    }

    /// Length of its digests in bytes.
    pub(crate) fn digest_bytes(&self) -> usize {
        self.digest_bytes
    }

    /// What stands in for its algorithm where nothing proves one: the least likely, so that of the lines that tell theirs hardly
    /// any has it, and no checksum, which anything may fit.
    pub(crate) fn stand_in(&self) -> Algorithm {
        let proves = |algorithm: &&Algorithm| algorithm.security() != Security::Checksum;
        *self.candidates.iter().rfind(proves).unwrap_or(&self.candidates[0])
    }

    /// Its lines that do not tell, from the first on; the algorithm of their digests is a stand-in.
    pub(crate) fn items(&self) -> Result<Reader<'static>, Error> {
        self.opened(self.candidates.first().copied(), true)
    }

    /// All of it, for good.
    fn settled(&self, algorithm: Algorithm) -> Result<Reader<'static>, Error> {
        self.list.settle();
        self.opened(Some(algorithm), false)
    }

    fn opened(&self, fallback: Option<Algorithm>, untold_only: bool) -> Result<Reader<'static>, Error> {
        self.list.rewind().map_err(|source| Error::Open { list: self.name.to_owned(), source })?;
        reader(self.list.clone(), self.name, &ReadOptions { fallback, untold_only, ..self.options.clone() })
    }

    /// Whether there is more of it than was kept to be read again.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.list.is_full()
    }

    pub(crate) fn name(&self) -> &OsStr {
        self.name
    }
}

/// Detects the format and algorithm of an open list, taking its name into account.
///
/// # Errors
/// It cannot be read, or is not a list.
pub fn read(source: Source, options: &ReadOptions<'_>) -> Result<Reader<'static>, Error> {
    let name = source.name().to_owned();
    let file = source.file().map_err(|source| Error::Open { list: name.clone(), source })?;
    reader(source, &name, &ReadOptions { file: file.as_ref(), ..options.clone() })
}

fn reader(
    input: impl Read + Send + 'static,
    name: &OsStr,
    options: &ReadOptions<'_>,
) -> Result<Reader<'static>, Error> {
    let file_name = (name != STDIN).then(|| name.as_bytes());
    let list = || name.to_owned();
    Reader::open(input, &ReadOptions { file_name, ..options.clone() }).map_err(|error| match error {
        ManifestError::Input { source } => Error::Read { list: list(), line: None, source },
        ManifestError::AmbiguousAlgorithm { digest_bytes, mut candidates } => {
            // Of old digests md5 is the likely one: who asks suggests the first.
            candidates.sort_by_key(|algorithm| algorithm.name() != "md5");
            let source = ManifestError::AmbiguousAlgorithm { digest_bytes, candidates };
            Error::Manifest { list: list(), source }
        }
        source => Error::Manifest { list: list(), source },
    })
}
