//! A history, with the others that are nested in it, and what it says of a directory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hashlane_digest::Digest;

use crate::error::Error;
use crate::generation::{Generation, Link, parse_chain};
use crate::tree::{DEFAULT_PATTERNS, Patterns};
use crate::xml::escaped;
use crate::{CHAIN, FOLDER};

/// A history, with the others that are nested in it.
#[derive(Debug)]
pub struct History {
    pub(crate) directory: PathBuf,
    pub(crate) prefix: String,
    pub(crate) links: Vec<Link>,
    generations: Vec<Generation>,
    findings: Vec<ListFinding>,
    children: Vec<History>,
}

/// A list that is not as the chain has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListFinding {
    /// Its name, relative to the directory of the outermost history.
    pub path: String,
    /// What is wrong with it.
    pub wrong: Wrong,
}

/// What is wrong with a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wrong {
    /// It has another C4 ID than the chain, or a list above it, says.
    Changed,
    /// It cannot be understood.
    Malformed(String),
    /// It is not there.
    Missing,
    /// The chain does not have it.
    Unlisted,
}

/// What is known of the files and directories below a directory, by their names.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct KnownNames {
    /// The files.
    pub files: BTreeMap<String, Known>,
    /// The directories.
    pub directories: BTreeSet<String>,
}

/// What is known of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Size in bytes.
    pub size: Option<u64>,
    /// The first digest of each algorithm.
    pub digests: Vec<Digest>,
}

impl History {
    /// Reads the history of a directory.
    ///
    /// # Errors
    /// There is none, it or a nested one has no chain file that can be read, or the system refuses.
    pub fn open(directory: &Path) -> Result<Self, Error> {
        match directory.join(FOLDER).is_dir() {
            true => Self::open_or_begin(directory),
            false => Err(Error::NoHistory { path: directory.to_owned() }),
        }
    }

    /// The same; a directory that has none gets one without generations, in which others may be nested.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_or_begin(directory: &Path) -> Result<Self, Error> {
        Self::read(directory, String::new())
    }

    fn read(directory: &Path, prefix: String) -> Result<Self, Error> {
        let folder = directory.join(FOLDER);
        let chain = folder.join(CHAIN);
        let has_lists = folder.is_dir();
        let links = match fs::read_to_string(&chain) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => match has_lists {
                true => return Err(Error::NoChain { path: folder }),
                false => Vec::new(),
            },
            text => parse_chain(&text.map_err(Error::io(&chain))?)
                .map_err(|what| Error::Malformed { path: chain, what })?,
        };
        let mut history = Self {
            directory: directory.to_owned(),
            prefix,
            links,
            generations: Vec::new(),
            findings: Vec::new(),
            children: Vec::new(),
        };
        if has_lists {
            history.read_lists(&folder)?;
            history.look_for_others(&folder)?;
        }
        let prefix = history.prefix.clone();
        history.look_for_children(directory, &prefix)?;
        history.check_references()?;
        Ok(history)
    }

    fn read_lists(&mut self, folder: &Path) -> Result<(), Error> {
        for link in &self.links {
            let wrong = match whole(&folder.join(&link.file_name), link.digest)? {
                Err(wrong) => wrong,
                Ok(bytes) => match Generation::parse(&String::from_utf8_lossy(&bytes)) {
                    Ok(generation) => {
                        let (number, file_name) = (link.number, link.file_name.clone());
                        self.generations.push(Generation { number, file_name, ..generation });
                        continue;
                    }
                    Err(what) => Wrong::Malformed(what),
                },
            };
            let path = format!("{}{FOLDER}/{}", self.prefix, link.file_name);
            self.findings.push(ListFinding { path, wrong });
        }
        self.generations.sort_by_key(|generation| generation.number);
        Ok(())
    }

    /// Lists that the chain does not have. Those of macOS that begin with `._` are no lists.
    fn look_for_others(&mut self, folder: &Path) -> Result<(), Error> {
        let mut others = Vec::new();
        for entry in fs::read_dir(folder).map_err(Error::io(folder))? {
            let name = entry.map_err(Error::io(folder))?.file_name().to_string_lossy().into_owned();
            let is_list = name.ends_with(".mhl") && !name.starts_with("._");
            if is_list && self.links.iter().all(|link| link.file_name != name) {
                others.push(ListFinding {
                    path: format!("{}{FOLDER}/{name}", self.prefix),
                    wrong: Wrong::Unlisted,
                });
            }
        }
        others.sort_by(|one, other| one.path.cmp(&other.path));
        self.findings.append(&mut others);
        Ok(())
    }

    /// Nested histories, each with those that are nested in it.
    fn look_for_children(&mut self, directory: &Path, prefix: &str) -> Result<(), Error> {
        let mut entries: Vec<_> = fs::read_dir(directory)
            .map_err(Error::io(directory))?
            .collect::<Result<_, _>>()
            .map_err(Error::io(directory))?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| is_directory && *name != FOLDER) else { continue };
            let (path, prefix) = (entry.path(), format!("{prefix}{name}/"));
            match path.join(FOLDER).is_dir() {
                true => self.children.push(Self::read(&path, prefix)?),
                false => self.look_for_children(&path, &prefix)?,
            }
        }
        Ok(())
    }

    /// Whether the lists of nested histories are those that ours were made with.
    fn check_references(&mut self) -> Result<(), Error> {
        let references = self.generations.iter().flat_map(|generation| &generation.references);
        for (path, digest) in references.cloned().collect::<BTreeMap<_, _>>() {
            if let Err(wrong) = whole(&self.directory.join(&path), digest)? {
                self.findings.push(ListFinding { path: format!("{}{path}", self.prefix), wrong });
            }
        }
        Ok(())
    }

    /// Its generations that can be trusted, the earliest first.
    pub fn generations(&self) -> &[Generation] {
        &self.generations
    }

    /// The histories that are nested in it.
    pub fn children(&self) -> &[Self] {
        &self.children
    }

    /// Its directory, relative to that of the outermost history, with a slash behind it; of that one, nothing.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// What is wrong with its lists and those of nested histories, each once.
    pub fn findings(&self) -> Vec<ListFinding> {
        let mut all = self.findings.clone();
        for child in &self.children {
            all.extend(child.findings().into_iter().filter(|finding| !self.findings.contains(finding)));
        }
        all
    }

    /// The patterns of files to ignore, as the latest generation has them, and those that every history has.
    pub fn patterns(&self) -> Vec<String> {
        let mut patterns = DEFAULT_PATTERNS.map(str::to_owned).to_vec();
        let latest = self.generations.last().map(|generation| &generation.ignored[..]).unwrap_or_default();
        let others = latest.iter().filter(|pattern| !DEFAULT_PATTERNS.contains(&&pattern[..]));
        patterns.extend(others.cloned());
        patterns
    }

    /// What is known of the files of this history alone, by their names relative to its directory.
    pub(crate) fn own(&self) -> KnownNames {
        let mut listing = KnownNames::default();
        for entry in self.generations.iter().flat_map(|generation| &generation.entries) {
            if entry.is_directory {
                if let Some(previous) = &entry.previous {
                    listing.directories.remove(previous);
                }
                listing.directories.insert(entry.path.clone());
                continue;
            }
            let before = entry.previous.as_ref().and_then(|previous| listing.files.remove(previous));
            let known = listing.files.entry(entry.path.clone()).or_insert_with(|| before.unwrap_or_default());
            known.size = known.size.or(entry.size);
            for digest in
                entry.digests.iter().filter(|stated| !stated.has_failed).filter_map(|stated| stated.digest)
            {
                if known.digests.iter().all(|other| other.algorithm() != digest.algorithm()) {
                    known.digests.push(digest);
                }
            }
        }
        listing.directories.remove(".");
        listing
    }

    /// What is known of all files, those of nested histories too, by their names relative to the directory of the outermost one.
    pub fn listing(&self) -> KnownNames {
        let KnownNames { files, directories } = self.own();
        let placed = |path: String| format!("{}{path}", self.prefix);
        let mut listing = KnownNames {
            files: files.into_iter().map(|(path, known)| (placed(path), known)).collect(),
            directories: directories.into_iter().map(placed).collect(),
        };
        for child in &self.children {
            let KnownNames { mut files, mut directories } = child.listing();
            listing.files.append(&mut files);
            listing.directories.append(&mut directories);
        }
        listing
    }
}

impl KnownNames {
    /// The directories that are not there, without those that patterns ignore.
    pub fn missing_directories<'a>(&'a self, directory: &Path, patterns: &Patterns) -> Vec<&'a str> {
        let is_missing = |name: &&String| !directory.join(name).is_dir() && !patterns.ignore(name, true);
        self.directories.iter().filter(is_missing).map(String::as_str).collect()
    }

    /// Writes the files as a list of MHL 1.1. Its elements are named as algorithms are here; a file without any digest has none there.
    ///
    /// # Errors
    /// `out` fails.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<hashlist version=\"1.1\">")?;
        for (path, known) in &self.files {
            write!(out, "  <hash><file>{}</file>", escaped(path))?;
            if let Some(size) = known.size {
                write!(out, "<size>{size}</size>")?;
            }
            for digest in &known.digests {
                // The element of XXH64 has two orders of bytes in that version; this name has one.
                let name = digest.algorithm().name();
                write!(out, "<{name}>{digest}</{name}>")?;
            }
            writeln!(out, "</hash>")?;
        }
        writeln!(out, "</hashlist>")
    }
}

/// A list as it was written, or what is wrong with it.
fn whole(path: &Path, digest: Option<Digest>) -> Result<Result<Vec<u8>, Wrong>, Error> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Err(Wrong::Missing)),
        bytes => bytes.map_err(Error::io(path))?,
    };
    let is_same = digest.is_some_and(|digest| digest.algorithm().digest(&bytes) == digest);
    Ok(if is_same { Ok(bytes) } else { Err(Wrong::Changed) })
}
