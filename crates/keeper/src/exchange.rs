//! What is known of a collection, taken from lists and given as lists.

use std::ffi::OsStr;
use std::mem;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use hashlane_catalog::{Collection, Content, Decision, Import, Imported, Reader, State, Writer};
use hashlane_digest::Algorithm;
use hashlane_manifest::{Format, Item, LineProblem, ReadOptions};
use hashlane_record::ItemPath;
use hashlane_verify::lists::{self, ListOptions, Source};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

use crate::listed::BelowRoot;

/// Why a list cannot be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A directory is not a bag.
    #[error("is a directory, but not a bag: it has no bagit.txt")]
    NoBag,
    /// A bag is another tree than that of the collection.
    #[error("is not the tree of the collection")]
    OtherTree,
    /// A bag has no manifest with an algorithm of the collection.
    #[error("has no manifest for an algorithm of the collection")]
    NoManifest,
    /// A list is a set of known contents.
    #[error("is a set of known contents ({0}), whose names are from another machine")]
    KnownSet(Format),
    /// The first name of a list is a whole one of another place.
    #[error("its names do not lie below the root of the collection")]
    Elsewhere(Vec<u8>),
    /// A list cannot be read.
    #[error(transparent)]
    List(#[from] hashlane_verify::Error),
    /// The catalogue does not take it.
    #[error(transparent)]
    Catalog(#[from] hashlane_catalog::Error),
}

/// What is to be said of a list that is taken.
#[derive(Debug)]
#[non_exhaustive]
pub enum ImportNote<'a> {
    /// Its digests are taken for those of an algorithm that it does not name.
    Assumed(Algorithm),
    /// A line is malformed, and left out.
    Problem(&'a LineProblem),
    /// A name leads elsewhere, and is left out.
    Outside(&'a [u8]),
    /// A file is listed without an algorithm of the collection, and left out.
    Unlike(&'a [u8]),
    /// A file is listed twice, as different contents, and left out.
    Twice(&'a [u8]),
    /// This many entries stand behind the marks of comments.
    CommentedOut(u64),
}

/// The manifests of a bag.
#[derive(Debug)]
pub struct BagLists {
    /// Those with an algorithm of the collection.
    pub manifests: Vec<PathBuf>,
    /// What their names begin with.
    pub payload: &'static [u8],
}

impl BagLists {
    /// Of a bag that is the tree of a collection, or whose payload is.
    ///
    /// # Errors
    /// It is another tree or no bag, or has no such manifest.
    pub fn of(bag: &Path, collection: &Collection) -> Result<Self, ImportError> {
        if !bag.join("bagit.txt").is_file() {
            return Err(ImportError::NoBag);
        }
        let lies_at = |path: &Path| path.canonicalize().is_ok_and(|path| path == collection.terms.root);
        let (kinds, payload): (&[&str], &[u8]) = match (lies_at(bag), lies_at(&bag.join("data"))) {
            (true, _) => (&["manifest", "tagmanifest"], b""),
            (_, true) => (&["manifest"], b"data/"),
            _ => return Err(ImportError::OtherTree),
        };
        let of = |algorithm: &Algorithm| algorithm.name().replace('-', "");
        let names = collection.terms.algorithms.iter().map(of);
        let names = names.flat_map(|name| kinds.iter().map(move |kind| format!("{kind}-{name}.txt")));
        let manifests: Vec<_> = names.map(|name| bag.join(name)).filter(|path| path.is_file()).collect();
        if manifests.is_empty() { Err(ImportError::NoManifest) } else { Ok(Self { manifests, payload }) }
    }
}

/// Lists on their way into the catalogue.
#[derive(Debug)]
pub struct ListImport<'a> {
    collection: &'a Collection,
    reading: ListOptions,
    names: BelowRoot,
    import: Import,
    /// Lines that were taken.
    pub taken: u64,
    /// Lines that were left out.
    pub left_out: u64,
}

impl<'a> ListImport<'a> {
    /// Of lists that are read in this way, whose names begin with a prefix, if one is given.
    ///
    /// # Errors
    /// No temporary file can be made.
    pub fn new(
        collection: &'a Collection,
        prefix: Option<&OsStr>,
        reading: ListOptions,
    ) -> hashlane_catalog::Result<Self> {
        let names = BelowRoot::new(&collection.terms.root, prefix);
        let import = Import::new(&hashlane_io::temporary_directory())?;
        Ok(Self { collection, reading, names, import, taken: 0, left_out: 0 })
    }

    /// Takes a list. `payload`: what its names begin with, and are not kept with.
    ///
    /// # Errors
    /// It cannot be read, or is of another place.
    pub fn read(
        &mut self,
        list: Source,
        payload: &[u8],
        note: &mut dyn FnMut(ImportNote<'_>),
    ) -> Result<(), ImportError> {
        let algorithms = &self.collection.terms.algorithms;
        let options = ReadOptions {
            format: self.reading.format,
            fallback: if let [only] = algorithms[..] { Some(only) } else { None },
            zero: self.reading.zero,
            ..ReadOptions::default()
        };
        let name = list.name().to_owned();
        let reader = lists::read(list, &options)?;
        if let Some(algorithm) = reader.assumed() {
            note(ImportNote::Assumed(algorithm));
        }
        if reader.format().is_known_set() {
            return Err(ImportError::KnownSet(reader.format()));
        }
        self.names.begin(&name, &self.reading);
        let mut items = reader.merged();
        let mut is_first = true;
        for item in items.by_ref() {
            match item {
                Ok(item) => {
                    let listed = item.path.as_bytes();
                    if mem::take(&mut is_first) && self.names.is_elsewhere(listed) {
                        return Err(ImportError::Elsewhere(listed.to_vec()));
                    }
                    let left_out = self.item(&item, payload)?;
                    self.count(left_out, note);
                }
                Err(problem) if problem.is_entry() => self.count(Some(ImportNote::Problem(&problem)), note),
                Err(_) => {}
            }
        }
        note(ImportNote::CommentedOut(items.get_ref().commented_out()));
        Ok(())
    }

    fn count(&mut self, left_out: Option<ImportNote<'_>>, note: &mut dyn FnMut(ImportNote<'_>)) {
        match left_out {
            Some(why) => {
                self.left_out += 1;
                note(why);
            }
            None => self.taken += 1,
        }
    }

    /// Takes a line, or says why not.
    fn item<'b>(
        &mut self,
        item: &'b Item,
        payload: &[u8],
    ) -> hashlane_catalog::Result<Option<ImportNote<'b>>> {
        let name = item.path.as_bytes();
        let path = name.strip_prefix(payload).and_then(|listed| self.names.path(listed));
        let Some(path) = path else { return Ok(Some(ImportNote::Outside(name))) };
        let algorithms = &self.collection.terms.algorithms;
        let of = |algorithm: &Algorithm| item.digests.iter().find(|digest| digest.algorithm() == *algorithm);
        let digests: Vec<_> = algorithms.iter().filter_map(of).copied().collect();
        if digests.len() < algorithms.len() {
            return Ok(Some(ImportNote::Unlike(name)));
        }
        let content = Content { size: item.size, modified: item.modified, digests, ..Content::default() };
        let is_taken = self.import.add(&path, &content)?;
        Ok((!is_taken).then_some(ImportNote::Twice(name)))
    }

    /// Whether all names of the last list begin with the name of the root, which has nothing of that name.
    pub fn is_one_too_deep(&self) -> bool {
        self.names.is_one_too_deep()
    }

    /// Registers what was taken. `contradicts`: takes the paths of files that are known as another content, which is kept.
    ///
    /// # Errors
    /// The collection is in use, or the catalogue cannot be written to.
    pub fn register(
        self,
        catalog: &mut Writer,
        decision: &Decision,
        contradicts: &mut dyn FnMut(&[u8]),
    ) -> hashlane_catalog::Result<Imported> {
        self.import.register(catalog, self.collection, decision, contradicts)
    }
}

/// Hands over what is known of all files that are there, in the order of their paths, and returns of how many.
///
/// # Errors
/// The catalogue cannot be read, or `put` fails.
pub fn export(
    catalog: &Reader,
    collection: &Collection,
    put: &mut dyn FnMut(&Item) -> hashlane_catalog::Result<()>,
) -> hashlane_catalog::Result<u64> {
    let mut files = 0;
    // A segment of names at a time is read to its end before it is written: however long a reader waits, no moment of the catalogue is
    // kept open, which would let its log grow. Each line is true by itself, so lines of different moments do no harm.
    catalog.each_item(collection, &mut |directory, item| {
        if item.state == State::Retired || item.content.digests.is_empty() {
            return Ok(());
        }
        files += 1;
        put(&Item {
            line: files,
            path: ItemPath::from(joined(directory, &item.name)),
            size: item.content.size,
            modified: item.content.modified,
            digests: item.content.digests,
            ..Item::default()
        })
    })?;
    Ok(files)
}

fn joined(directory: &[u8], name: &[u8]) -> Vec<u8> {
    if directory.is_empty() { name.to_vec() } else { [directory, b"/", name].concat() }
}

/// What is written by its number in a list of S3. Slashes stay, so that people can read it.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// Bytes of a list that are written at once.
const BLOCK_BYTES: usize = 64 << 10;

/// Writes the objects of a collection as S3 Batch Operations takes them (`S3BatchOperations_CSV_20180820`), and returns how many there are;
/// nothing of a collection that does not lie in S3.
///
/// # Errors
/// The catalogue cannot be read, or `write` fails.
pub fn export_for_s3_batch(
    catalog: &Reader,
    collection: &Collection,
    write: &mut dyn FnMut(&[u8]) -> hashlane_catalog::Result<()>,
) -> hashlane_catalog::Result<Option<u64>> {
    let root = collection.terms.root.as_os_str().as_bytes();
    let Some(place) = root.strip_prefix(b"s3://").filter(|_| collection.terms.is_in_store()) else {
        return Ok(None);
    };
    let (bucket, prefix) = match place.iter().position(|byte| *byte == b'/') {
        Some(slash) => (&place[..slash], [&place[slash + 1..], b"/"].concat()),
        None => (place, Vec::new()),
    };
    let bucket = String::from_utf8_lossy(bucket);
    let (mut files, mut block) = (0, Vec::with_capacity(BLOCK_BYTES));
    catalog.each_item(collection, &mut |directory, item| {
        if matches!(item.state, State::Retired | State::Ignored) {
            return Ok(());
        }
        files += 1;
        let key = [&prefix[..], &joined(directory, &item.name)].concat();
        block.extend_from_slice(format!("{bucket},{}\n", percent_encode(&key, ENCODED)).as_bytes());
        if block.len() < BLOCK_BYTES { Ok(()) } else { write(&mem::take(&mut block)) }
    })?;
    write(&block)?;
    Ok(Some(files))
}
