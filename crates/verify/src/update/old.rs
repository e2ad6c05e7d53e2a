//! A list before it is updated.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::hash::{BuildHasher as _, RandomState};
use std::num::NonZeroU64;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::OnceLock;

use hashlane_audit::{Added, Audit, Content, Known, KnownFile, Options};
use hashlane_digest::Algorithm;
use hashlane_engine::AlgorithmSet;
use hashlane_manifest::{Format, Item, LineProblem, ProblemKind, Reader, piece_of_name};
use hashlane_record::{ItemPath, ObjectState, Outcome, Timestamp, system_text};

use super::walker::lies_in;
use crate::normal::{here, normal};

/// A list before it is updated.
#[derive(Debug)]
pub struct OldList {
    pub(super) files: Audit,
    pub(super) count: u32,
    /// How the reading of files without digests ended, by number.
    unread: HashMap<u32, Outcome>,
    /// Which states of objects were read, by number. Files have none.
    states: HashMap<u32, Box<ObjectState>>,
    of_manifest: Vec<Algorithm>,
    roots: Vec<ItemPath>,
    started: Option<Timestamp>,
    format: Format,
    noise: u64,
    commented_out: u64,
    /// What names the file systems of its roots.
    file_systems: Vec<NonZeroU64>,
    /// Listed inodes, by number; empty where they would prove nothing.
    inodes: Vec<Option<NonZeroU64>>,
    /// The numbers of files with inodes, in the order of these.
    by_inode: OnceLock<Vec<u32>>,
}

/// Why a list cannot be updated. It should be left unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OldListError {
    /// It lists one part of a listing, and says so.
    #[error("is one shard of several")]
    Shard,
    /// It lists pieces of files, whose digests would be lost.
    #[error("line {line}: lists pieces of files, whose digests cannot be updated")]
    Pieces {
        /// The line.
        line: u64,
    },
    /// It cannot be read to its end.
    #[error("line {line}: {}", system_text(source))]
    Read {
        /// The line that could not be read.
        line: u64,
        /// The error from the system.
        source: std::io::Error,
    },
    /// A line that lists a file cannot be parsed.
    #[error("{0}")]
    Line(LineProblem),
    /// An entry contradicts another one, or cannot be stored.
    #[error("line {line}: {} {source}", path.escaped())]
    Entry {
        /// The line.
        line: u64,
        /// The name of the file.
        path: ItemPath,
        /// Why.
        source: hashlane_audit::Error,
    },
}

impl OldList {
    /// Takes in a list.
    ///
    /// # Errors
    /// Some of its entries could not be kept.
    pub fn read(reader: Reader<'static>) -> Result<Self, OldListError> {
        let holds_inodes = reader.format().holds_inodes();
        let mut items = reader.merged();
        let mut known = Known::new(Options::default());
        let mut noise = 0;
        let (mut outcomes, mut states) = (Vec::new(), Vec::new());
        let mut inodes = Inodes::default();
        for item in items.by_ref() {
            let item = match item {
                Ok(item) => item,
                Err(LineProblem { kind: ProblemKind::Input(source), line, .. }) => {
                    return Err(OldListError::Read { line, source });
                }
                Err(problem) if problem.is_entry() => return Err(OldListError::Line(problem)),
                Err(_) => {
                    noise += 1;
                    continue;
                }
            };
            if lists_pieces(&item) {
                return Err(OldListError::Pieces { line: item.line });
            }
            if add(&mut known, &item)? == Added::First && holds_inodes {
                inodes.note(&item);
            }
            if let Some(state) = item.state {
                states.push((item.path.clone(), state));
            }
            if let Some(outcome) = item.outcome.filter(|outcome| *outcome != Outcome::Read) {
                outcomes.push((item.path, outcome));
            }
        }
        let reader = items.get_ref();
        if !reader.header_shards().is_empty() {
            return Err(OldListError::Shard);
        }
        let (of_manifest, format) = (reader.algorithms().to_vec(), reader.format());
        let (roots, started) = (reader.header_roots().to_vec(), reader.header_started());
        let count = known.len() as u32;
        let files = Audit::new(known);
        let number = |path: &ItemPath| files.number(path.as_bytes());
        let unread =
            outcomes.into_iter().filter_map(|(path, outcome)| Some((number(&path)?, outcome))).collect();
        let states = states.into_iter().filter_map(|(path, state)| Some((number(&path)?, state))).collect();
        let commented_out = reader.commented_out();
        let file_systems = reader.header_file_systems().to_vec();
        let inodes =
            if started.is_some() && holds_inodes { inodes.by_number(&files, count) } else { Vec::new() };
        Ok(Self {
            files,
            count,
            unread,
            states,
            of_manifest,
            roots,
            started,
            format,
            noise,
            commented_out,
            file_systems,
            inodes,
            by_inode: OnceLock::new(),
        })
    }

    /// Its format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The roots named in its header.
    pub fn roots(&self) -> &[ItemPath] {
        &self.roots
    }

    /// When everything in it was verified, if its header states that.
    pub fn started(&self) -> Option<Timestamp> {
        self.started
    }

    /// A root of this machine in the way in which the list names it or what lies below it: another spelling would list its files once more. One
    /// that the list does not name stays as it is.
    pub fn spelled(&self, root: &ItemPath) -> ItemPath {
        let lists = |root: &ItemPath| {
            self.roots.contains(root) || self.first_below(std::slice::from_ref(root), |_| true).is_some()
        };
        let here = here();
        let absolute = normal(&here, root.as_bytes());
        if !absolute.starts_with(b"/") || lists(root) {
            return root.clone();
        }
        let of_header = self.roots.iter().find_map(|named| {
            let above = normal(&here, named.as_bytes());
            let rest = absolute.strip_prefix(&above[..]).filter(|_| above.starts_with(b"/"))?;
            let joined = || {
                ItemPath::from(
                    [named.as_bytes().strip_suffix(b"/").unwrap_or(named.as_bytes()), rest].concat(),
                )
            };
            (rest.is_empty() || rest.starts_with(b"/")).then(joined)
        });
        let path = |name| Path::new(OsStr::from_bytes(name));
        let below =
            path(&absolute[..]).strip_prefix(path(&here[..])).map(|below| below.as_os_str().as_bytes());
        let from_here = below.into_iter().flat_map(|below| match below {
            b"" => vec![ItemPath::from(".")],
            below => vec![ItemPath::from(below), ItemPath::from([b"./", below].concat())],
        });
        let mut spellings = from_here.chain([ItemPath::from(&absolute[..])]);
        of_header.or_else(|| spellings.find(lists)).unwrap_or_else(|| root.clone())
    }

    /// The first listed name that is one of `roots` or lies below one, and that `is_meant` takes.
    pub fn first_below(&self, roots: &[ItemPath], is_meant: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
        let mut names = (0..self.count).map(|number| self.files.file(number).0);
        let lies_there = |name: &[u8]| roots.iter().any(|root| lies_in(name, root.as_bytes()));
        names.find(|name| is_meant(name) && lies_there(name))
    }

    /// The number of lines that list no file. They are dropped.
    pub fn noise(&self) -> u64 {
        self.noise
    }

    /// The number of entries behind the mark of a comment. They are dropped.
    pub fn commented_out(&self) -> u64 {
        self.commented_out
    }

    /// Whether it has the inode of each file that was read.
    pub fn has_inodes(&self) -> bool {
        let was_read = |number: &u32| !self.unread.contains_key(number);
        let mut read = (0..self.count).filter(was_read).peekable();
        read.peek().is_some() && read.all(|number| self.inode(number).is_some())
    }

    /// The algorithms of the updated list: those listed already, for whatever file, and those requested; sha256 if there are none.
    pub fn algorithms(&self, asked: &[Algorithm]) -> AlgorithmSet {
        let mut algorithms = Vec::new();
        let listed = self.of_manifest.iter().chain(self.files.algorithms());
        Algorithm::unite(&mut algorithms, listed.chain(asked).copied());
        if algorithms.is_empty() {
            algorithms.push(Algorithm::SHA256);
        }
        algorithms.into()
    }

    /// The listed inode of a file, where it proves anything.
    pub(super) fn inode(&self, number: u32) -> Option<NonZeroU64> {
        self.inodes.get(number as usize).copied().flatten()
    }

    /// The listed files with an inode.
    pub(super) fn of_inode(&self, inode: NonZeroU64) -> &[u32] {
        // Nobody needs it as long as no file is new.
        let by_inode = self.by_inode.get_or_init(|| {
            let mut numbers: Vec<u32> =
                (0..self.count).filter(|number| self.inode(*number).is_some()).collect();
            numbers.sort_unstable_by_key(|number| (self.inode(*number), *number));
            numbers
        });
        let start = by_inode.partition_point(|number| self.inode(*number) < Some(inode));
        let end = by_inode.partition_point(|number| self.inode(*number) <= Some(inode));
        &by_inode[start..end]
    }

    /// Whether its header names a file system.
    pub(super) fn names(&self, file_system: NonZeroU64) -> bool {
        self.file_systems.contains(&file_system)
    }

    /// Whether its files have a place for inodes, and those prove something.
    pub(super) fn has_room_for_inodes(&self) -> bool {
        !self.inodes.is_empty()
    }

    /// The entry of a listed file.
    pub(super) fn item(&self, number: u32) -> Item {
        let (name, Content { size, modified, digests }) = self.files.file(number);
        let outcome = self.unread.get(&number).copied().filter(|_| digests.is_empty());
        let (path, outcome) = (ItemPath::from(name), outcome.or(Some(Outcome::Read)));
        let state = self.states.get(&number).cloned();
        let inode = self.inode(number);
        Item { line: 0, path, size, modified, digests, outcome, pieces: None, state, inode }
    }
}

/// The inodes of a list, before its files have their numbers.
#[derive(Default)]
struct Inodes {
    keys: RandomState,
    /// Hashes of names, as names themselves would take the memory of the list once more.
    noted: Vec<(u64, Option<NonZeroU64>)>,
}

impl Inodes {
    /// Takes in the inode of a file that was not listed before.
    fn note(&mut self, item: &Item) {
        self.noted.push((self.keys.hash_one(item.path.as_bytes()), item.inode));
    }

    fn by_number(mut self, files: &Audit, count: u32) -> Vec<Option<NonZeroU64>> {
        self.noted.sort_unstable();
        let of = |number| {
            let key = self.keys.hash_one(files.file(number).0);
            let start = self.noted.partition_point(|(other, _)| *other < key);
            let mut found = self.noted[start..].iter().take_while(|(other, _)| *other == key);
            // Of two names with one hash neither has an inode.
            found.next().filter(|_| found.next().is_none()).and_then(|(_, inode)| *inode)
        };
        (0..count).map(of).collect()
    }
}

/// Whether it has digests of pieces, or seems to be a piece: its name is like that of one and no file's.
fn lists_pieces(item: &Item) -> bool {
    let is_no_file = || std::fs::symlink_metadata(item.path.as_path()).is_err();
    item.pieces.is_some() || piece_of_name(item.path.as_bytes()).is_some() && is_no_file()
}

fn add(known: &mut Known, item: &Item) -> Result<Added, OldListError> {
    let was_read = item.outcome.is_none_or(|outcome| outcome == Outcome::Read);
    let digests = if was_read { &item.digests[..] } else { &[] };
    let path = item.path.as_bytes();
    let added = known.add(KnownFile { path, size: item.size, modified: item.modified, digests });
    let refused = |source| OldListError::Entry { line: item.line, path: item.path.clone(), source };
    added.map_err(refused)
}
