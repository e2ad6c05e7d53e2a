//! What a directory would be as a bag, and what stands against that.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use hashlane_io::{Directory, OpenHow};
use hashlane_manifest::bag::{OnDisk, Version, composed, encode, manifest_algorithm};
use hashlane_record::shown_name;

use super::contents::unopened;
use super::staging::{Failed, STAGING};
use super::tree::{self, EntryFacts, EntryKind, Found, c_name};

/// Files that stand beside the payload and are made by us.
const OURS: [&[u8]; 4] = [b"bagit.txt", b"bag-info.txt", b"package-info.txt", b"fetch.txt"];

/// A directory that is to become a bag.
#[derive(Debug, Default)]
pub struct Plan {
    /// The files of the payload, by their names in the directory as it is now, in byte order of the names in
    /// the bag.
    pub payload: Vec<(Vec<u8>, EntryFacts)>,
    /// Tag files that are there already.
    pub tags: Vec<Vec<u8>>,
    /// Directories without entries, which no manifest can list.
    pub empty_directories: Vec<Vec<u8>>,
    /// Directories that could not be looked into, and why; of what is there nothing is known.
    pub unsearched: Vec<(Vec<u8>, io::Error)>,
    /// What no bag can hold: the name and why.
    pub refused: Vec<(Vec<u8>, String)>,
    /// What a bag can hold and other systems cannot.
    pub warnings: Vec<(Vec<u8>, String)>,
    /// Whether the payload lies in `data` already.
    pub keeps: bool,
}

impl Plan {
    /// Looks at a directory, whose path is where it lies. With `keeps` its `data` is the payload already.
    pub fn of(directory: &Directory, keeps: bool, version: Version) -> Self {
        let mut plan = Self { keeps, ..Self::default() };
        let root = hashlane_record::ItemPath::from(directory.path());
        let mut names = OnDisk::new();
        tree::walk(
            root.as_path(),
            |name| name != STAGING.as_bytes(),
            |found| match found {
                Found::Name(name, facts) => names.insert(name, facts),
                Found::Unsearched(name, error) => plan.unsearched.push((name, error)),
            },
        );
        for (name, facts) in names.iter() {
            plan.take(directory, name, *facts, version);
        }
        for twins in names.twins() {
            for name in twins {
                let form = if composed(&name) == name { "composed" } else { "decomposed" };
                let why = format!(
                    "the name is {form}, and another name is the same under Unicode normalization; rename one"
                );
                plan.refused.push((name, why));
            }
        }
        plan.warn_of_case();
        plan
    }

    /// Whether the directory still holds what it held.
    pub(crate) fn is_as(&self, other: &Self) -> bool {
        self.payload == other.payload
            && self.tags == other.tags
            && self.empty_directories == other.empty_directories
    }

    /// The name of a file of the payload in the bag.
    pub(crate) fn name_in_bag(&self, name: &[u8]) -> Vec<u8> {
        if self.keeps { name.to_vec() } else { [b"data/", name].concat() }
    }

    /// The bytes of the payload.
    pub fn bytes(&self) -> u64 {
        self.payload.iter().map(|(_, facts)| facts.size).fold(0, u64::saturating_add)
    }

    fn take(&mut self, directory: &Directory, name: &[u8], facts: EntryFacts, version: Version) {
        let is_payload = !self.keeps || name.starts_with(b"data/");
        if self.keeps && name == b"data" && facts.kind == EntryKind::EmptyDirectory {
            return;
        }
        if let Some(why) = why_not(directory, name, facts.kind) {
            self.refused.push((name.to_vec(), why));
            return;
        }
        if facts.kind == EntryKind::EmptyDirectory {
            if is_payload {
                self.empty_directories.push(name.to_vec());
            }
            return;
        }
        let in_bag = self.name_in_bag(name);
        if encode(&in_bag, version).is_none() {
            let why = match std::str::from_utf8(name) {
                Err(_) => "the name is not UTF-8, as names in a bag must be; rename it",
                Ok(_) => "%0A or %0D in the name would be read as a line end; rename it, or use version 1.0",
            };
            self.refused.push((name.to_vec(), why.to_owned()));
            return;
        }
        if is_payload {
            if name.ends_with(b" ") || name.ends_with(b"\t") {
                let why = "the name ends with a space, which other programs remove";
                self.warnings.push((name.to_vec(), why.to_owned()));
            }
            self.payload.push((name.to_vec(), facts));
        } else if OURS.contains(&name) || manifest_algorithm(name).is_some() {
            self.refused.push((
                name.to_vec(),
                "a tag file of that name will be created; move this one away".to_owned(),
            ));
        } else if name.starts_with(b"~") {
            let why = "a path in a bag must not begin with `~`; rename it";
            self.refused.push((name.to_vec(), why.to_owned()));
        } else {
            self.tags.push(name.to_vec());
        }
    }

    /// Names that are one where case does not count.
    fn warn_of_case(&mut self) {
        let mut folded: HashMap<String, &[u8]> = HashMap::new();
        let mut twins = Vec::new();
        for (name, _) in &self.payload {
            let Ok(text) = String::from_utf8(composed(name)) else { continue };
            if let Some(first) = folded.insert(text.to_lowercase(), name) {
                let why = format!("the name is the same as {}, ignoring case", shown_name(first));
                twins.push((name.clone(), why));
            }
        }
        self.warnings.extend(twins);
    }
}

/// Files `.keep` that were put into empty directories, so that manifests list something there.
#[derive(Debug, Default)]
pub struct Kept(Vec<PathBuf>);

impl Kept {
    /// Puts one into each empty directory of a plan for the directory `root`.
    ///
    /// # Errors
    /// One cannot be made; none is left then.
    pub fn put(root: &Path, plan: &Plan) -> Result<Self, Failed> {
        let mut kept = Self::default();
        for name in &plan.empty_directories {
            let path = tree::below(root, name).join(".keep");
            match File::create_new(&path) {
                Ok(_) => kept.0.push(path),
                Err(error) => {
                    kept.remove();
                    return Err(Failed { path, error });
                }
            }
        }
        Ok(kept)
    }

    /// Removes them: there is no bag.
    pub fn remove(self) {
        for path in self.0 {
            // An empty file that stays does no harm.
            let _ = fs::remove_file(path);
        }
    }
}

/// Why something cannot be in a bag.
fn why_not(directory: &Directory, name: &[u8], kind: EntryKind) -> Option<String> {
    let inside =
        |name: &[u8]| -> io::Result<()> { directory.open(&c_name(name)?, OpenHow::Confined).map(|_| ()) };
    let why = match kind {
        EntryKind::File | EntryKind::EmptyDirectory => return None,
        EntryKind::LinkToFile => match inside(name) {
            Ok(()) => return None,
            Err(error) => {
                format!("a symbolic link that {}; replace it with its target", unopened(&error))
            }
        },
        EntryKind::LinkToDirectory => {
            "a symbolic link to a directory, which manifests cannot list; replace it with the directory"
                .to_owned()
        }
        EntryKind::LinkToNothing => "a symbolic link that leads nowhere; remove it".to_owned(),
        EntryKind::Special => "not a regular file; move it away".to_owned(),
    };
    Some(why)
}

/// The names that are in the way of a bag being made of a directory: whether it is one already, and whether
/// it has a `data`.
pub fn standing(root: &Path) -> (bool, bool) {
    let is_there = |name: &str| root.join(name).symlink_metadata().is_ok();
    (is_there("bagit.txt"), is_there("data"))
}
