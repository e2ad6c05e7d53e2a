//! A made-up disk: files with numbers, times, a page cache and a medium of their own, and how an audit sees them.
//!
//! Owns what a file system does: which numbers it hands out, which times it keeps, and where the bytes of a reading come from.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::sync::Arc;

use clap::ValueEnum;
use hashlane_digest::Algorithm;
use hashlane_engine::{
    Control, DirectoryState, EngineChoice, Input, Options, Seen, SeenRoot, Shown, Sink, Skipped, Summary,
    Tree, WalkOptions,
};
use hashlane_record::{
    Cause, Division, Facts, Failure, Instability, ItemPath, Medium, Obstacle, Operation, Origin, Outcome,
    Pieces, Record, Timestamp,
};

/// What a file contains.
pub(super) type Bytes = Arc<[u8]>;

/// An input/output error, as the system numbers it.
const EIO: i32 = 5;

/// What the files lie on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    /// A file keeps its number, and a new one gets that of a deleted one.
    Ext4,
    /// The same, and each night a snapshot makes a hard link of every file: all change times move.
    Snapshots,
    /// By FUSE: numbers and times of change say nothing, and nothing shows where bytes come from.
    Exfat,
    /// Objects of a store: nothing lies in a cache of this machine.
    Bucket,
}

impl Kind {
    pub(super) fn keeps_numbers(self) -> bool {
        matches!(self, Self::Ext4 | Self::Snapshots)
    }

    /// Whether nobody sees where bytes come from.
    pub(super) fn hides_cache(self) -> bool {
        self == Self::Exfat
    }
}

/// What is wrong with the readings of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    None,
    /// The next one brings other bytes, and no later one does.
    Glitch,
    /// None of them ends.
    Fails,
    /// Each brings other bytes.
    Wavers,
    /// It is written to during the next one.
    Busy,
    /// The same, and it only becomes longer.
    Grows,
}

/// A file, whatever names it has.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) number: u64,
    pub(super) modified: Timestamp,
    pub(super) changed: Timestamp,
    pub(super) medium: Bytes,
    /// What the page cache has of it.
    pub(super) cache: Option<Bytes>,
    pub(super) trouble: Trouble,
    /// A program has mapped it: the page cache does not let go of it.
    pub(super) is_in_use: bool,
}

impl Node {
    /// Whatever it was in the page cache is read from the medium again, unless a program uses it.
    pub(super) fn leave_cache(&mut self) {
        if !self.is_in_use {
            self.cache = None;
        }
    }

    /// What a program reads that does not ask for the medium.
    pub(super) fn bytes(&self) -> &Bytes {
        self.cache.as_ref().unwrap_or(&self.medium)
    }
}

/// Which node it is: never used again, whatever becomes of its number.
pub(super) type Key = u64;

/// Whether the root can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    There,
    /// It cannot be reached.
    Away,
    /// What was mounted there is away, and the mount point is empty.
    Bare,
}

/// A disk with all files.
#[derive(Debug)]
pub(super) struct Disk {
    pub(super) kind: Kind,
    pub(super) root: Root,
    /// What the file system and the root are called. Both are others on another disk.
    pub(super) file_system: u64,
    pub(super) root_number: u64,
    pub(super) now: Timestamp,
    nodes: BTreeMap<Key, Node>,
    names: BTreeMap<String, Key>,
    /// Those that hold files, or did.
    directories: BTreeSet<String>,
    next_key: Key,
    next_number: u64,
    /// Numbers of deleted files.
    free: Vec<u64>,
}

impl Disk {
    pub(super) fn new(kind: Kind, now: Timestamp) -> Self {
        Self {
            kind,
            root: Root::There,
            file_system: 1,
            root_number: 2,
            now,
            nodes: BTreeMap::new(),
            names: BTreeMap::new(),
            directories: BTreeSet::new(),
            next_key: 1,
            next_number: 100,
            free: Vec::new(),
        }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = (&String, Key)> {
        self.names.iter().map(|(name, key)| (name, *key))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    pub(super) fn key(&self, name: &str) -> Option<Key> {
        self.names.get(name).copied()
    }

    pub(super) fn node(&self, name: &str) -> Option<&Node> {
        self.nodes.get(self.names.get(name)?)
    }

    pub(super) fn node_of(&self, key: Key) -> Option<&Node> {
        self.nodes.get(&key)
    }

    pub(super) fn node_mut(&mut self, name: &str) -> Option<&mut Node> {
        self.nodes.get_mut(self.names.get(name)?)
    }

    pub(super) fn nodes_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        self.nodes.values_mut()
    }

    /// A time as this file system keeps it.
    pub(super) fn kept(&self, time: Timestamp) -> Timestamp {
        match self.kind {
            Kind::Exfat => Timestamp { nanos: time.nanos / 10_000_000 * 10_000_000, ..time },
            Kind::Bucket => Timestamp { nanos: 0, ..time },
            Kind::Ext4 | Kind::Snapshots => time,
        }
    }

    /// Whether a file can have a name: none lies where a directory would be, or the other way round.
    pub(super) fn is_free(&self, name: &str) -> bool {
        if name.is_empty() {
            return false;
        }
        let is_directory = self.has_directory(name) || self.has_files_below(name);
        let above = name.match_indices('/').map(|(end, _)| &name[..end]);
        !is_directory && above.into_iter().all(|directory| !self.has(directory))
    }

    /// Makes a file, in the place of one that may be there. It has been written just now, so the cache has it.
    pub(super) fn make(&mut self, name: &str, bytes: Bytes, modified: Timestamp) {
        if !self.is_free(name) {
            return;
        }
        let number = self.new_number();
        let (modified, changed) = (self.kept(modified), self.kept(self.now));
        let cache = Some(Arc::clone(&bytes));
        let (trouble, is_in_use) = (Trouble::None, false);
        let node = Node { number, modified, changed, medium: bytes, cache, trouble, is_in_use };
        let key = self.next_key;
        self.next_key += 1;
        self.nodes.insert(key, node);
        self.put(name, key);
    }

    /// Writes into a file that is there.
    pub(super) fn write(&mut self, name: &str, bytes: Bytes) {
        let now = self.kept(self.now);
        if let Some(node) = self.node_mut(name) {
            (node.medium, node.cache) = (Arc::clone(&bytes), Some(bytes));
            (node.modified, node.changed) = (now, now);
        }
    }

    /// Gives a file one more name.
    pub(super) fn link(&mut self, from: &str, to: &str) {
        if let Some(key) = self.key(from)
            && !self.has(to)
            && self.is_free(to)
        {
            self.names.insert(to.to_owned(), key);
            self.touch_change(to);
        }
    }

    pub(super) fn rename(&mut self, from: &str, to: &str) {
        if from != to
            && !to.starts_with(&format!("{from}/"))
            && self.is_free(to)
            && let Some(key) = self.names.remove(from)
        {
            self.put(to, key);
            self.touch_change(to);
        }
    }

    pub(super) fn swap(&mut self, one: &str, other: &str) {
        if let (Some(first), Some(second)) = (self.key(one), self.key(other)) {
            self.names.insert(one.to_owned(), second);
            self.names.insert(other.to_owned(), first);
            self.touch_change(one);
            self.touch_change(other);
        }
    }

    pub(super) fn remove(&mut self, name: &str) {
        if let Some(key) = self.names.remove(name) {
            self.forget(key);
        }
    }

    /// Each file becomes another one with the same content, size and modification time, as from a tape or on another disk.
    pub(super) fn renew(&mut self) {
        let names: Vec<_> = self.names.keys().cloned().collect();
        for name in names {
            let Some(node) = self.node(&name) else { continue };
            let (bytes, modified) = (Arc::clone(node.bytes()), node.modified);
            self.make(&name, bytes, modified);
            if let Some(node) = self.node_mut(&name) {
                node.cache = None;
            }
        }
    }

    /// Moves the change time of a file, and nothing else.
    pub(super) fn touch_change(&mut self, name: &str) {
        let now = self.kept(self.now);
        if let Some(node) = self.node_mut(name) {
            node.changed = now;
        }
    }

    /// Whether a directory is there, with files or without.
    pub(super) fn has_directory(&self, name: &str) -> bool {
        self.kind != Kind::Bucket && self.directories.contains(name)
    }

    pub(super) fn has_files_below(&self, directory: &str) -> bool {
        let below = format!("{directory}/");
        self.names.range(below.clone()..).next().is_some_and(|(name, _)| name.starts_with(&below))
    }

    /// Takes a directory away, with those in it, that has no files any more.
    pub(super) fn remove_directory(&mut self, directory: &str) {
        let below = format!("{directory}/");
        if !self.has_files_below(directory) {
            self.directories.retain(|name| name != directory && !name.starts_with(&below));
        }
    }

    fn put(&mut self, name: &str, key: Key) {
        self.directories.extend(name.match_indices('/').map(|(end, _)| name[..end].to_owned()));
        if let Some(before) = self.names.insert(name.to_owned(), key) {
            self.forget(before);
        }
    }

    fn forget(&mut self, key: Key) {
        if !self.names.values().any(|other| *other == key)
            && let Some(node) = self.nodes.remove(&key)
        {
            self.free.push(node.number);
        }
    }

    fn new_number(&mut self) -> u64 {
        self.free.pop().unwrap_or_else(|| {
            self.next_number += 1;
            self.next_number
        })
    }

    /// What is known of a file without reading it.
    fn facts(&self, node: &Node) -> Seen {
        let keeps = self.kind.keeps_numbers();
        Seen {
            size_bytes: node.bytes().len() as u64,
            modified: node.modified,
            changed: keeps.then_some(node.changed),
            inode: keeps.then_some(node.number),
            made_s: None,
        }
    }
}

/// Where the bytes of a reading came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Cache,
    Device,
    /// Nothing shows it, now and ever.
    Unseen,
    Store,
}

/// What a reading brought.
#[derive(Clone, Debug)]
pub(super) enum Brought {
    Bytes(Bytes, Source),
    /// It was written to meanwhile.
    Unstable,
    /// It has become longer meanwhile: what it was when it was opened.
    Grown(Bytes, Source),
    Failed,
}

impl Brought {
    /// In bytes.
    pub(super) fn length(&self) -> u64 {
        match self {
            Self::Bytes(bytes, _) | Self::Grown(bytes, _) => bytes.len() as u64,
            Self::Unstable | Self::Failed => 0,
        }
    }
}

/// When an audit is ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It is asked to stop after this many readings.
    Stop(u64),
    /// It dies after this many.
    Death(u64),
}

/// The disk as one audit sees it, with what that has read.
pub(super) struct Tonight<'a> {
    disk: RefCell<&'a mut Disk>,
    /// What stops the audit as a whole, and not this reading alone.
    audit: Arc<Control>,
    end: Option<End>,
    readings: Cell<u64>,
    log: RefCell<Vec<(String, Brought)>>,
    wavering: Cell<u8>,
}

impl<'a> Tonight<'a> {
    pub(super) fn new(disk: &'a mut Disk, (audit, end): (&Arc<Control>, Option<End>)) -> Self {
        let (disk, audit) = (RefCell::new(disk), Arc::clone(audit));
        let (readings, wavering, log) = (Cell::new(0), Cell::new(0), RefCell::default());
        Self { disk, audit, end, readings, log, wavering }
    }

    /// All that was read, in turn.
    pub(super) fn log(&self) -> Vec<(String, Brought)> {
        self.log.take()
    }

    fn brings(&self, path: &str, how: &EngineChoice) -> Result<Brought, Obstacle> {
        let mut disk = self.disk.borrow_mut();
        let kind = disk.kind;
        let Some(node) = disk.node_mut(path) else { return Ok(Brought::Failed) };
        if matches!(how, EngineChoice::FromMedium) {
            if kind.hides_cache() {
                return Err(Obstacle::CacheUnseen);
            }
            if node.is_in_use {
                return Err(Obstacle::Cached);
            }
            node.cache = None;
        }
        if matches!(how, EngineChoice::PastCache) && !kind.hides_cache() {
            node.leave_cache();
        }
        let source = match node.cache {
            _ if kind == Kind::Exfat => Source::Unseen,
            _ if kind == Kind::Bucket => Source::Store,
            Some(_) => Source::Cache,
            None => Source::Device,
        };
        let bytes = Arc::clone(node.bytes());
        Ok(match node.trouble {
            Trouble::Fails => Brought::Failed,
            Trouble::Busy => {
                node.trouble = Trouble::None;
                Brought::Unstable
            }
            Trouble::Grows => Brought::Grown(bytes, source),
            Trouble::Glitch => {
                node.trouble = Trouble::None;
                Brought::Bytes(misread(&bytes, 0), source)
            }
            Trouble::Wavers => {
                self.wavering.set(self.wavering.get().wrapping_add(1));
                Brought::Bytes(misread(&bytes, u64::from(self.wavering.get())), source)
            }
            Trouble::None => Brought::Bytes(bytes, source),
        })
    }

    fn record(&self, number: u64, file: Input, how: &EngineChoice) -> Record {
        let Input::File { path: name, division, tag, .. } = file else { unreachable!("files are named") };
        let path = String::from_utf8_lossy(name.as_bytes()).into_owned();
        let brought = self.brings(&path, how);
        let failed = |operation, cause| Outcome::Failed(Failure { operation, cause, offset_bytes: 0 });
        let disk = self.disk.borrow();
        let node = disk.node(&path);
        let mut record = Record {
            number,
            path: name,
            outcome: Outcome::Read,
            facts: node.map(|node| facts_of(&disk, node)),
            digests: Vec::new(),
            pieces: None,
            digested_bytes: 0,
            origin: Origin::default(),
            medium: Default::default(),
            state: None,
            tag,
        };
        match &brought {
            Err(obstacle) => record.outcome = failed(Operation::FromMedium, Cause::Obstacle(*obstacle)),
            Ok(Brought::Failed) => record.outcome = failed(Operation::Read, Cause::System(EIO)),
            Ok(Brought::Unstable) => record.outcome = Outcome::Unstable(Instability::Modified),
            Ok(Brought::Grown(bytes, source) | Brought::Bytes(bytes, source)) => {
                if matches!(brought, Ok(Brought::Grown(..))) {
                    record.outcome = Outcome::Unstable(Instability::Grew);
                }
                record.digests = vec![Algorithm::SHA256.digest(bytes)];
                record.digested_bytes = bytes.len() as u64;
                record.origin = origin(bytes.len() as u64, *source);
                record.medium = match (how, disk.kind) {
                    (EngineChoice::PastCache, Kind::Exfat) => Medium::NotShown(Obstacle::CacheUnseen),
                    (EngineChoice::PastCache, _) if *source == Source::Cache => {
                        Medium::NotShown(Obstacle::Cached)
                    }
                    (EngineChoice::PastCache, kind) if kind != Kind::Bucket => Medium::Shown,
                    _ => Medium::Unasked,
                };
                record.pieces = match division {
                    Some(Division::Beginning(beginning)) => beginning_of(bytes, beginning),
                    _ => None,
                };
            }
        }
        drop(disk);
        if let Ok(Brought::Grown(bytes, _)) = &brought {
            self.grow(&path, bytes);
        }
        if let Ok(brought) = brought {
            self.log.borrow_mut().push((path, brought));
        }
        record
    }

    /// Somebody has appended a line to a file while it was read.
    fn grow(&self, path: &str, bytes: &Bytes) {
        let mut disk = self.disk.borrow_mut();
        disk.write(path, [&bytes[..], b"one more line\n"].concat().into());
        if let Some(node) = disk.node_mut(path) {
            node.trouble = Trouble::None;
        }
    }
}

impl fmt::Debug for Tonight<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tonight")
    }
}

impl Tree for Tonight<'_> {
    fn base(&self) -> &[u8] {
        b""
    }

    fn identity(&self) -> io::Result<SeenRoot> {
        let disk = self.disk.borrow();
        let seen = |file_system: u64, inode| SeenRoot {
            file_system: format!("file system {file_system}"),
            inode,
            mounts: Vec::new(),
        };
        match disk.root {
            Root::There => Ok(seen(disk.file_system, disk.root_number)),
            Root::Away => Err(io::ErrorKind::NotFound.into()),
            Root::Bare => Ok(seen(0, 1)),
        }
    }

    fn list(
        &self,
        _: &ItemPath,
        walk: &WalkOptions,
        visit: &mut dyn FnMut(Shown<'_>) -> ControlFlow<()>,
    ) -> io::Result<Skipped> {
        let files: Vec<_> = {
            let disk = self.disk.borrow();
            let names = disk.names().filter(|_| disk.root == Root::There);
            let taken = names.filter(|(name, _)| walk.filter.takes_below(name.as_bytes()));
            taken.filter_map(|(name, key)| Some((name.clone(), disk.facts(disk.node_of(key)?)))).collect()
        };
        for (path, seen) in files {
            let shown = Shown::File { path: path.as_bytes(), seen: Some(seen), is_offline: false };
            if visit(shown).is_break() {
                break;
            }
        }
        Ok(Skipped::default())
    }

    fn directory(&self, path: &[u8]) -> DirectoryState {
        let disk = self.disk.borrow();
        let path = String::from_utf8_lossy(path);
        match disk.root {
            Root::Bare if path.is_empty() => DirectoryState::Empty,
            Root::There if path.is_empty() && disk.names.is_empty() => DirectoryState::Empty,
            Root::There if path.is_empty() || disk.has_files_below(&path) => DirectoryState::There,
            Root::There if disk.has_directory(&path) => DirectoryState::Empty,
            _ => DirectoryState::Gone,
        }
    }

    fn facts(&self, path: &[u8]) -> io::Result<Option<Seen>> {
        let disk = self.disk.borrow();
        if disk.root != Root::There {
            return Ok(None);
        }
        Ok(disk.node(&String::from_utf8_lossy(path)).map(|node| disk.facts(node)))
    }

    fn read(
        &self,
        options: Options,
        files: Box<dyn Iterator<Item = Input> + Send>,
        sink: &mut dyn Sink,
        control: &Arc<Control>,
    ) -> Result<Summary, hashlane_engine::Error> {
        let mut summary = Summary::default();
        for (number, file) in files.enumerate() {
            let readings = self.readings.get();
            match self.end {
                Some(End::Stop(after)) if readings >= after => self.audit.abort(),
                Some(End::Death(after)) if readings >= after => {
                    return Err(hashlane_engine::Error::Thread(io::Error::other("killed")));
                }
                _ => {}
            }
            if control.stopped().is_some() {
                summary.dropped += 1;
                break;
            }
            self.readings.set(readings + 1);
            let record = self.record(number as u64, file, &options.engine);
            match record.outcome {
                Outcome::Read => summary.files += 1,
                Outcome::Unstable(_) => summary.unstable += 1,
                _ => summary.failed += 1,
            }
            summary.digested_bytes += record.digested_bytes;
            if let Err(halt) = sink.record(record) {
                halt.into_result()?;
                break;
            }
        }
        summary.stopped = control.stopped();
        Ok(summary)
    }
}

fn facts_of(disk: &Disk, node: &Node) -> Facts {
    Facts {
        size_bytes: node.bytes().len() as u64,
        modified: node.modified,
        changed: node.changed,
        accessed: node.modified,
        device: disk.file_system,
        // None is given where numbers say nothing.
        inode: if disk.kind.keeps_numbers() { node.number } else { 0 },
        links: 1,
    }
}

fn origin(bytes: u64, source: Source) -> Origin {
    match source {
        Source::Cache => Origin { cache_bytes: bytes, ..Origin::default() },
        Source::Device => Origin { device_bytes: bytes, ..Origin::default() },
        Source::Store => Origin { network_bytes: bytes, ..Origin::default() },
        Source::Unseen => Origin { unknown_bytes: bytes, ..Origin::default() },
    }
}

fn beginning_of(bytes: &[u8], beginning: NonZeroU64) -> Option<Box<Pieces>> {
    let end = (bytes.len() as u64).min(beginning.get());
    let digest = Algorithm::SHA256.digest(&bytes[..end as usize]);
    Pieces::new(beginning, end, vec![(Algorithm::SHA256, digest.as_bytes().to_vec())]).map(Box::new)
}

/// A content with one bit turned; an empty one has none.
pub(super) fn flipped(bytes: &[u8], place: u64) -> Bytes {
    let mut flipped = bytes.to_vec();
    let bits = flipped.len() as u64 * 8;
    if bits > 0 {
        let bit = place % bits;
        flipped[(bit / 8) as usize] ^= 1 << (bit % 8);
    }
    flipped.into()
}

/// A content as it is not: no single bit that has rotted makes it good again.
fn misread(bytes: &[u8], place: u64) -> Bytes {
    let inverted: Vec<u8> = bytes.iter().map(|byte| !byte).collect();
    flipped(&inverted, place)
}

/// A content that differs for each number.
pub(super) fn made(number: u64) -> Bytes {
    let length = 24 + number % 101;
    let mut rng = fastrand::Rng::with_seed(number);
    std::iter::repeat_with(|| rng.u8(..)).take(length as usize).collect()
}
