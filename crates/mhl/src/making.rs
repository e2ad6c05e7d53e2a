//! A new generation: of a history and of each that is nested in it, the innermost first, because each list has the digests of those below it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::Timestamp;

use crate::error::Error;
use crate::generation::{ALGORITHMS, Link};
use crate::history::{History, KnownNames};
use crate::tree::{FoundNames, Patterns};
use crate::xml::escaped;
use crate::{CHAIN, FOLDER};

/// How a generation is made.
#[derive(Clone, Debug)]
pub struct Making {
    /// The algorithms of digests that each file gets. One that a file had before is added where it has none of these: what is new is
    /// worth as much as what it is held against.
    pub algorithms: Vec<Algorithm>,
    /// Whether directories get digests of what they have.
    pub directory_hashes: bool,
    /// Whether files that are missing are looked for among those that are new.
    pub detects_renaming: bool,
    /// Patterns of files to ignore, beside those of the history.
    pub patterns: Vec<String>,
    /// The program that makes it, and its version.
    pub tool: (String, String),
    /// The machine that makes it.
    pub host: String,
}

/// What was read of a file.
#[derive(Clone, Debug)]
pub struct Read {
    /// Size in bytes.
    pub size: u64,
    /// When it was changed last.
    pub modified: Timestamp,
    /// A digest for each of the algorithms asked for.
    pub digests: Vec<Digest>,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Made {
    /// The lists that were written, the outermost last.
    pub written: Vec<PathBuf>,
    /// Files that have another digest than is known.
    pub failed: Vec<String>,
    /// Files and directories that are known and not there.
    pub missing: Vec<String>,
    /// Files that were found under a new name: the old one and the new one.
    pub renamed: Vec<(String, String)>,
}

/// The digests of a directory: of what its files have, and of how they are named and lie.
#[derive(Clone)]
struct OfDirectory {
    content: Digest,
    structure: Digest,
}

struct Writing<'a> {
    making: &'a Making,
    directory: &'a Path,
    tree: &'a FoundNames,
    read: &'a BTreeMap<String, Read>,
    renamed: BTreeMap<String, String>,
    known: KnownNames,
    directories: BTreeMap<String, Vec<OfDirectory>>,
    now: jiff::Timestamp,
    made: Made,
}

impl Making {
    /// The algorithms that files have to be read by.
    ///
    /// # Errors
    /// ASC MHL has no name for one.
    pub fn needed(&self, history: &History) -> Result<Vec<Algorithm>, Error> {
        if let Some(&algorithm) =
            self.algorithms.iter().find(|algorithm| !ALGORITHMS.contains(&algorithm.name()))
        {
            return Err(Error::Algorithm { algorithm });
        }
        let mut needed = self.algorithms.clone();
        for known in history.listing().files.values() {
            Algorithm::unite(&mut needed, known.digests.iter().map(Digest::algorithm));
        }
        Ok(needed)
    }

    /// The patterns of files to ignore.
    pub fn all_patterns(&self, history: &History) -> Vec<String> {
        let mut patterns = history.patterns();
        for pattern in &self.patterns {
            if !patterns.contains(pattern) {
                patterns.push(pattern.clone());
            }
        }
        patterns
    }

    /// Writes a generation of a directory. `tree`: what it has without what [`Self::all_patterns`] ignore; `read`: all of its files, with the digests of [`Self::needed`] algorithms.
    ///
    /// # Errors
    /// The system refuses.
    pub fn write(
        &self,
        directory: &Path,
        history: &History,
        tree: &FoundNames,
        patterns: &Patterns,
        read: &BTreeMap<String, Read>,
    ) -> Result<Made, Error> {
        let mut writing = Writing {
            making: self,
            directory,
            tree,
            read,
            renamed: BTreeMap::new(),
            known: history.listing(),
            directories: BTreeMap::new(),
            now: jiff::Timestamp::now(),
            made: Made::default(),
        };
        writing.look_for_missing(patterns);
        writing.directories = writing.of_directories();
        writing.part(history)?;
        Ok(writing.made)
    }
}

impl Writing<'_> {
    /// What is known and not there, and what else has its content.
    fn look_for_missing(&mut self, patterns: &Patterns) {
        let found: BTreeSet<&String> = self.tree.files.iter().collect();
        let mut new: HashMap<Digest, Vec<&String>> = HashMap::new();
        let is_new = |name: &&&String| self.making.detects_renaming && !self.known.files.contains_key(**name);
        for name in found.iter().rev().filter(is_new) {
            for digest in self.read.get(*name).into_iter().flat_map(|read| &read.digests) {
                new.entry(*digest).or_default().push(name);
            }
        }
        for (name, known) in &self.known.files {
            if found.contains(name) || patterns.ignore(name, false) {
                continue;
            }
            let mut candidates = known.digests.first().and_then(|digest| new.get_mut(digest));
            match candidates.as_mut().and_then(|names| names.pop()) {
                Some(other) => {
                    self.made.renamed.push((name.clone(), other.clone()));
                    self.renamed.insert(other.clone(), name.clone());
                }
                None => self.made.missing.push(name.clone()),
            }
        }
        let gone = self.known.directories.iter().filter(|name| !self.tree.directories.contains_key(*name));
        self.made.missing.extend(gone.filter(|name| !patterns.ignore(name, true)).cloned());
    }

    /// Writes a list of one history, after those that are nested in it. Gives its path, and its digest.
    fn part(&mut self, part: &History) -> Result<(PathBuf, Digest), Error> {
        let mut references = Vec::new();
        let children = part.children();
        for child in children {
            // A nested history in a place that is ignored stays as it is.
            if self.tree.directories.contains_key(child.prefix().trim_end_matches('/')) {
                let (path, digest) = self.part(child)?;
                let path = path.strip_prefix(self.directory.join(&part.prefix)).unwrap_or(&path).to_owned();
                references.push((path.to_string_lossy().into_owned(), digest));
            }
        }
        let nested: Vec<&str> = children.iter().map(History::prefix).collect();
        let text = self.text(part, &nested, &references);
        self.save(part, &text)
    }

    fn text(&mut self, part: &History, nested: &[&str], references: &[(String, Digest)]) -> String {
        let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                        <hashlist version=\"2.0\" xmlns=\"urn:ASC:MHL:v2.0\">\n"
            .to_owned();
        let (tool, version) = &self.making.tool;
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "  <creatorinfo>\n    <creationdate>{}</creationdate>\n    <hostname>{}</hostname>\n    \
             <tool version=\"{}\">{}</tool>\n  </creatorinfo>\n  <processinfo>\n    <process>in-place</process>\n",
            shown(self.now.as_second()),
            escaped(&self.making.host),
            escaped(version),
            escaped(tool)
        );
        if self.making.directory_hashes {
            text.push_str("    <roothash>\n");
            self.push_of_directory(&mut text, part.prefix.trim_end_matches('/'));
            text.push_str("    </roothash>\n");
        }
        text.push_str("    <ignore>\n");
        for pattern in self.making.all_patterns(part) {
            let _ = writeln!(text, "      <pattern>{}</pattern>", escaped(&pattern));
        }
        text.push_str("    </ignore>\n  </processinfo>\n  <hashes>\n");
        let is_own = |name: &&String| {
            name.starts_with(&part.prefix) && !nested.iter().any(|nested| name.starts_with(nested))
        };
        let tree = self.tree;
        for name in tree.files.iter().filter(is_own) {
            self.push_file(&mut text, part, name);
        }
        for (name, modified) in tree.directories.iter().filter(|(name, _)| !name.is_empty() && is_own(name)) {
            let _ = writeln!(
                text,
                "    <directoryhash>\n      <path lastmodificationdate=\"{}\">{}</path>",
                shown(modified.seconds),
                escaped(&name[part.prefix.len()..])
            );
            self.push_of_directory(&mut text, name);
            text.push_str("    </directoryhash>\n");
        }
        text.push_str("  </hashes>\n");
        if !references.is_empty() {
            text.push_str("  <references>\n");
            for (path, digest) in references {
                let _ = writeln!(
                    text,
                    "    <hashlistreference>\n      <path>{}</path>\n      <c4>{digest}</c4>\n    </hashlistreference>",
                    escaped(path)
                );
            }
            text.push_str("  </references>\n");
        }
        text.push_str("</hashlist>\n");
        text
    }

    fn push_file(&mut self, text: &mut String, part: &History, name: &str) {
        let Some(read) = self.read.get(name) else { return };
        let previous = self.renamed.get(name).filter(|previous| previous.starts_with(&part.prefix));
        let known = self.known.files.get(self.renamed.get(name).map_or(name, String::as_str));
        let known = known.map_or(&[][..], |known| &known.digests);
        let of = |algorithm: Algorithm| read.digests.iter().find(|digest| digest.algorithm() == algorithm);
        let asked = |digest: &&Digest| self.making.algorithms.contains(&digest.algorithm());
        let mut held: Vec<&Digest> = known.iter().filter(asked).collect();
        if held.is_empty() {
            held.extend(known.first());
        }
        let mut actions: BTreeMap<&str, (Digest, &str)> = BTreeMap::new();
        let mut has_failed = false;
        for digest in held {
            let Some(found) = of(digest.algorithm()) else { continue };
            has_failed |= found != digest;
            let action = if found == digest { "verified" } else { "failed" };
            actions.insert(digest.algorithm().name(), (*found, action));
        }
        // What did not pass is not a ground to call anything verified.
        let is_first = known.is_empty();
        for algorithm in self.making.algorithms.iter().copied().filter(|_| !has_failed) {
            if let Some(found) = of(algorithm) {
                let action = if is_first { "original" } else { "verified" };
                actions.entry(algorithm.name()).or_insert((*found, action));
            }
        }
        if has_failed {
            self.made.failed.push(name.to_owned());
        }
        let _ = writeln!(
            text,
            "    <hash>\n      <path size=\"{}\" lastmodificationdate=\"{}\">{}</path>",
            read.size,
            shown(read.modified.seconds),
            escaped(&name[part.prefix.len()..])
        );
        for (algorithm, (digest, action)) in actions {
            let date = shown(self.now.as_second());
            let _ = writeln!(
                text,
                "      <{algorithm} action=\"{action}\" hashdate=\"{date}\">{digest}</{algorithm}>"
            );
        }
        if let Some(previous) = previous {
            let _ = writeln!(
                text,
                "      <previousPath>{}</previousPath>",
                escaped(&previous[part.prefix.len()..])
            );
        }
        text.push_str("    </hash>\n");
    }

    fn push_of_directory(&self, text: &mut String, name: &str) {
        let digests = self.directories.get(name).map_or(&[][..], |digests| digests);
        let date = shown(self.now.as_second());
        for (element, which) in [("content", true), ("structure", false)] {
            let _ = writeln!(text, "      <{element}>");
            for of in digests {
                let digest = if which { of.content } else { of.structure };
                let name = digest.algorithm().name();
                let _ = writeln!(text, "        <{name} hashdate=\"{date}\">{digest}</{name}>");
            }
            let _ = writeln!(text, "      </{element}>");
        }
    }

    /// The digests of all directories, for each algorithm asked for, if there are to be any.
    fn of_directories(&self) -> BTreeMap<String, Vec<OfDirectory>> {
        let mut all: BTreeMap<String, Vec<OfDirectory>> = BTreeMap::new();
        // The schema of ASC MHL has them in the order of their names.
        let mut algorithms = self.making.algorithms.clone();
        algorithms.sort_by_key(|algorithm| algorithm.name());
        for &algorithm in algorithms.iter().filter(|_| self.making.directory_hashes) {
            let mut within: BTreeMap<&str, (Vec<Digest>, Vec<Digest>)> = BTreeMap::new();
            let add = |within: &mut BTreeMap<_, (Vec<_>, Vec<_>)>, path, of: &OfDirectory| {
                let (above, name) = split(path);
                let (contents, structures) = within.entry(above).or_default();
                contents.push(of.content);
                structures.push(algorithm.digest(&[name.as_bytes(), of.structure.as_bytes()].concat()));
            };
            for path in &self.tree.files {
                let digests = self.read.get(path).map_or(&[][..], |read| &read.digests);
                if let Some(&digest) = digests.iter().find(|digest| digest.algorithm() == algorithm) {
                    add(&mut within, path, &OfDirectory { content: digest, structure: digest });
                }
            }
            // What lies in a directory comes behind it.
            for path in self.tree.directories.keys().rev() {
                let (contents, structures) = within.remove(&path[..]).unwrap_or_default();
                let of = OfDirectory {
                    content: of_all(contents, algorithm),
                    structure: of_all(structures, algorithm),
                };
                if !path.is_empty() {
                    add(&mut within, path, &of);
                }
                all.entry(path.clone()).or_default().push(of);
            }
        }
        all
    }

    /// Writes a list, and then the chain file with it.
    fn save(&mut self, part: &History, text: &str) -> Result<(PathBuf, Digest), Error> {
        let directory = self.directory.join(&part.prefix);
        let folder = directory.join(FOLDER);
        fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        let mut links = part.links.clone();
        let number = links.iter().map(|link| link.number).max().unwrap_or(0) + 1;
        let whole = fs::canonicalize(&directory).map_err(Error::io(&directory))?;
        let name = whole.file_name().unwrap_or_default().to_string_lossy();
        let file_name = format!("{number:04}_{name}_{}.mhl", self.now.strftime("%Y-%m-%d_%H%M%SZ"));
        let path = folder.join(&file_name);
        replace(&path, text)?;
        let digest = Algorithm::C4.digest(text.as_bytes());
        links.push(Link { number, file_name, digest: Some(digest) });
        let mut chain = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                         <ascmhldirectory xmlns=\"urn:ASC:MHL:DIRECTORY:v2.0\">\n"
            .to_owned();
        for Link { number, file_name, digest } in &links {
            let digest = digest.map(|digest| digest.to_string()).unwrap_or_default();
            let _ = writeln!(
                chain,
                "  <hashlist sequencenr=\"{number}\">\n    <path>{}</path>\n    <c4>{digest}</c4>\n  </hashlist>",
                escaped(file_name)
            );
        }
        chain.push_str("</ascmhldirectory>\n");
        replace(&folder.join(CHAIN), &chain)?;
        self.made.written.push(path.clone());
        Ok((path, digest))
    }
}

/// The directory that a name is in, and the name there.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// The digest of digests in the order of their texts.
fn of_all(mut digests: Vec<Digest>, algorithm: Algorithm) -> Digest {
    digests.sort_by_cached_key(Digest::to_string);
    let bytes: Vec<&[u8]> = digests.iter().map(Digest::as_bytes).collect();
    algorithm.digest(&bytes.concat())
}

/// A time as ASC MHL has it.
fn shown(seconds: i64) -> String {
    let time = jiff::Timestamp::from_second(seconds).unwrap_or_default();
    time.strftime("%Y-%m-%dT%H:%M:%S+00:00").to_string()
}

/// Writes a file whole or not at all.
fn replace(path: &Path, text: &str) -> Result<(), Error> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let written = File::create(&partial).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&partial, path)
    });
    written.map_err(|error| {
        // What is left of it is of no use.
        let _ = fs::remove_file(&partial);
        Error::io(path)(error)
    })
}
