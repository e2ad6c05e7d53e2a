//! One list of a history: what was found of each file, and the chain of all lists.

use hashlane_digest::{Algorithm, Digest};

use crate::xml::elements;

/// The names of the algorithms that ASC MHL has: the same as here.
pub const ALGORITHMS: [&str; 6] = ["md5", "sha1", "xxh128", "xxh3", "xxh64", "c4"];

/// One list of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Generation {
    /// Its number, from 1.
    pub number: u64,
    /// The name of its file.
    pub file_name: String,
    /// When it was made, as it says.
    pub created: String,
    /// The machine that made it.
    pub host: String,
    /// The program that made it, with its version.
    pub tool: String,
    /// What was done: `in-place`, `transfer`, `flatten`.
    pub process: String,
    /// The patterns of files that it passed over.
    pub ignored: Vec<String>,
    /// Its files and directories.
    pub entries: Vec<Entry>,
    /// The lists of nested histories that belong to it: their paths, and their digests.
    pub references: Vec<(String, Option<Digest>)>,
}

/// What a generation says of a file or a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The name, relative to the directory of the history.
    pub path: String,
    /// The name that it had before.
    pub previous: Option<String>,
    /// Whether it is a directory. Its digests are those of what it has, and are not kept here.
    pub is_directory: bool,
    /// Size in bytes.
    pub size: Option<u64>,
    /// The digests of a file.
    pub digests: Vec<Stated>,
}

/// A digest that a generation states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// The digest; `None` if the algorithm is not known here, or it is none of its.
    pub digest: Option<Digest>,
    /// Whether the file had another one than was expected.
    pub has_failed: bool,
}

impl Generation {
    /// Reads a list.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut generation = Self::default();
        let mut entry = Entry::default();
        let mut reference = (String::new(), None);
        elements(text, |open| {
            let [above @ .., element] = open else { return Ok(()) };
            let name = &element.name[..];
            let text = element.text.trim();
            match (above.last().map_or("", |above| &above.name[..]), name) {
                ("", "hashlist")
                    if element.attribute("version").is_some_and(|version| version.starts_with("2.")) => {}
                ("", _) => return Err("is no list of ASC MHL 2.0".to_owned()),
                ("creatorinfo", "creationdate") => text.clone_into(&mut generation.created),
                ("creatorinfo", "hostname") => text.clone_into(&mut generation.host),
                ("creatorinfo", "tool") => {
                    let version = element.attribute("version").unwrap_or_default();
                    generation.tool = format!("{text} {version}").trim().to_owned();
                }
                ("processinfo", "process") => text.clone_into(&mut generation.process),
                ("ignore", "pattern") => generation.ignored.push(text.to_owned()),
                ("hash" | "directoryhash", "path") => {
                    entry.path.clone_from(&element.text);
                    let size = element.attribute("size").map(str::parse).transpose();
                    entry.size = size.map_err(|_| format!("{}: its size is no number", element.text))?;
                }
                ("hash" | "directoryhash", "previousPath") => entry.previous = Some(element.text.clone()),
                ("hashes", "hash" | "directoryhash") => {
                    entry.is_directory = name == "directoryhash";
                    if entry.path.is_empty() {
                        return Err("an entry without a name".to_owned());
                    }
                    generation.entries.push(std::mem::take(&mut entry));
                }
                ("hash", "metadata") => {}
                ("hash", _) => {
                    let algorithm = Algorithm::all().find(|algorithm| algorithm.name() == name);
                    let digest = algorithm.and_then(|algorithm| Digest::parse(algorithm, text.as_bytes()));
                    let has_failed = element.attribute("action") == Some("failed");
                    entry.digests.push(Stated { digest, has_failed });
                }
                ("hashlistreference", "path") => reference.0.clone_from(&element.text),
                ("hashlistreference", "c4") => reference.1 = c4(text),
                ("references", "hashlistreference") => {
                    generation.references.push(std::mem::take(&mut reference));
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(generation)
    }
}

/// A list that the chain vouches for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) number: u64,
    pub(crate) file_name: String,
    pub(crate) digest: Option<Digest>,
}

/// Reads a chain file.
pub(crate) fn parse_chain(text: &str) -> Result<Vec<Link>, String> {
    let mut links = Vec::new();
    let mut link = Link::default();
    elements(text, |open| {
        let [above @ .., element] = open else { return Ok(()) };
        match (above.last().map_or("", |above| &above.name[..]), &element.name[..]) {
            ("", "ascmhldirectory") => {}
            ("", _) => return Err("is no chain file of ASC MHL".to_owned()),
            ("hashlist", "path") => link.file_name.clone_from(&element.text),
            ("hashlist", "c4") => link.digest = c4(element.text.trim()),
            ("ascmhldirectory", "hashlist") => {
                let number = element.attribute("sequencenr").and_then(|number| number.parse().ok());
                link.number = number.ok_or("a list without a number")?;
                if link.file_name.is_empty() || link.file_name.contains('/') || link.digest.is_none() {
                    return Err(format!("list {} has no name of a file beside it, or no C4 ID", link.number));
                }
                links.push(std::mem::take(&mut link));
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(links)
}

fn c4(text: &str) -> Option<Digest> {
    Algorithm::told_by(text.as_bytes()).and_then(|algorithm| Digest::parse(algorithm, text.as_bytes()))
}
