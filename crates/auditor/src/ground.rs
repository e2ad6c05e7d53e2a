//! What a collection lies on: where its files are listed and read.

use std::ffi::{CStr, CString};
use std::fs;
use std::io::{self, Read as _};
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use hashlane_catalog::paths::{bytes_of, joined, path_of};
use hashlane_catalog::{Collection, Content, Error, OwnFiles, Reader, Result, SeenRoot, keepable};
use hashlane_engine::{
    AlgorithmSet, Checkpoints, Control, EngineChoice, Excluded, Filter, FilterError, Found, Input, Options,
    Sink, Skipped, Summary, Taken, list,
};
use hashlane_io::{Device, Directory, FileFacts, Identity, OpenHow, start_thread};
use hashlane_record::{Division, ItemPath, Record, Timestamp, system_text};

/// Files that are handed over together while a tree is listed.
const TOGETHER: usize = 1024;

/// The name of the file by which a tree is known again, in its root.
pub const MARKER: &str = ".hashlane-marker";

/// Such batches that wait to be compared.
const WAITING: usize = 16;

/// How files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// As suits the device.
    Usual,
    /// Past the page cache where that can be, and as suits the device where not.
    PastCache,
    /// From the device, past every cache, or not at all.
    FromMedium,
}

/// Whether a directory is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectoryState {
    /// It is not, or cannot be listed.
    Gone,
    /// It is there, and nothing is in it.
    Empty,
    /// It is there, and something is in it.
    There,
}

/// A file that is to be read.
#[derive(Clone, Debug)]
pub struct ToRead {
    /// Its path below the root.
    pub path: ItemPath,
    /// Comes back with its record.
    pub tag: Box<[u8]>,
    /// So many bytes of its beginning get digests of their own.
    pub beginning: Option<NonZeroU64>,
}

impl ToRead {
    /// What the engine is told of it. `base`: what its path is relative to.
    pub fn input<B>(self, base: B, algorithms: AlgorithmSet) -> Input<B> {
        let Self { path, tag, beginning } = self;
        let (base, division) = (Some(base), beginning.map(Division::Beginning));
        Input::File { path, base, algorithms, division, tag }
    }
}

/// What the listing of a tree shows.
#[derive(Debug)]
pub enum Listed<'a> {
    /// A file.
    File {
        /// Its directory: a path below the root, without a slash at either end; empty: the root.
        directory: &'a [u8],
        /// Its name there.
        name: &'a [u8],
        /// What is told of it without reading it; nothing if that cannot be told either. It has no digests.
        content: Option<Content>,
        /// It cannot be read now, though it is there: it lies in an archive.
        is_offline: bool,
    },
    /// A directory that could not be listed, or not to its end.
    Unlisted {
        /// Its path below the root.
        path: &'a [u8],
        /// What the system said.
        reason: &'a str,
    },
}

/// Where the files of a collection are.
pub trait Ground {
    /// What its root is.
    ///
    /// # Errors
    /// What the system says: then the collection is offline.
    fn root(&self) -> io::Result<SeenRoot>;

    /// What the file says by which the tree is known again; nothing if there is none.
    fn marker(&self) -> Option<String> {
        None
    }

    /// Shows all files that belong to it, in byte order of their paths.
    ///
    /// # Errors
    /// Those of `visit`, which end the listing, and those of the system as a whole. What cannot be listed is shown.
    fn list(&self, visit: &mut dyn FnMut(Listed<'_>) -> Result<()>) -> Result<Skipped>;

    /// Whether a name below the root belongs to it, if it is there.
    fn takes(&self, path: &[u8]) -> bool;

    /// Whether a directory below the root is there, and whether nothing is in it.
    fn directory(&self, path: &[u8]) -> DirectoryState;

    /// What is told of a file without reading it; nothing if there is none. Where files do not keep their numbers, it has neither a number nor
    /// a time of change: then no rule uses them.
    ///
    /// # Errors
    /// Whether there is one cannot be told.
    fn facts(&self, path: &[u8]) -> io::Result<Option<Content>>;

    /// When a file was made, in seconds since 1970, where that is kept: under whatever name, that does not change.
    fn made_s(&self, _path: &[u8]) -> Option<i64> {
        None
    }

    /// What lies at a path that is no file: `a directory`, `a symbolic link`. Nothing if nothing does, or a file.
    fn other(&self, _path: &[u8]) -> Option<&'static str> {
        None
    }

    /// By how many seconds a record has to be later than the last change of its file: less, and one more change may not show in its
    /// times.
    fn grain_s(&self) -> i64 {
        2
    }

    /// Whether a file that is said not to be there is listed all the same: a store may have lost the content of what it lists. In a tree
    /// of files, what cannot be opened for that reason is gone.
    fn is_listed(&self, _path: &[u8]) -> bool {
        false
    }

    /// Whether a large file can be put aside, and gone on with by the next audit: only then may a budget break off one that was begun.
    fn can_put_aside(&self) -> bool {
        true
    }

    /// Reads files, and hands over their records as they come: none waits for a large file that was begun earlier. `checkpoints`: keeps how
    /// far large ones were read.
    ///
    /// # Errors
    /// As [`hashlane_engine::run`].
    fn read(
        &self,
        how: How,
        files: Box<dyn Iterator<Item = ToRead> + Send>,
        checkpoints: Option<Arc<dyn Checkpoints>>,
        sink: &mut dyn Sink,
        control: &Arc<Control>,
    ) -> std::result::Result<Summary, hashlane_engine::Error>;
}

/// Whether a file was made since the tree was last listed, where that is told: then it is no other one that was renamed.
pub(crate) fn was_made_since_listed(ground: &dyn Ground, collection: &Collection, path: &[u8]) -> bool {
    ground.made_s(path).zip(collection.listed_s).is_some_and(|(made_s, listed_s)| made_s > listed_s)
}

/// A tree of files of this machine.
#[derive(Debug)]
pub struct LocalTree {
    root: PathBuf,
    options: Options,
    /// The catalogue and what is kept with it, if they may lie in it.
    own: Option<Arc<OwnFiles>>,
    /// Whether a file keeps its number there, once that is known.
    keeps_inodes: OnceLock<bool>,
}

/// File systems on which a file keeps its number and its time of change as long as it is the same file. All others may hand out other numbers
/// each time that they are mounted, and the same numbers to other files: exFAT does by FUSE.
const KEEP_INODES: [&str; 10] =
    ["btrfs", "ext2", "ext3", "ext4", "f2fs", "nfs", "nfs4", "tmpfs", "xfs", "zfs"];

impl LocalTree {
    /// The tree of a collection; `options`: how it is read. Their algorithms and their filter are those of the collection.
    ///
    /// # Errors
    /// A glob of the collection is malformed.
    pub fn new(collection: &Collection, mut options: Options) -> std::result::Result<Self, FilterError> {
        let selection = &collection.terms.selection;
        options.algorithms = collection.terms.algorithms.clone().into();
        options.walk.filter = Filter::new(&selection.include, &selection.exclude, &[])?;
        options.walk.one_file_system = selection.one_file_system;
        options.walk.follow = false;
        let (root, keeps_inodes) = (collection.terms.root.clone(), OnceLock::new());
        Ok(Self { root, options, own: None, keeps_inodes })
    }

    /// Without the catalogue and its copies, if they lie in the tree: each audit changes them.
    #[must_use]
    pub fn without(mut self, catalog: &Reader) -> Self {
        self.own = OwnFiles::of(catalog, &self.root).map(Arc::new);
        self
    }

    fn place(&self, directory: &[u8]) -> PathBuf {
        self.root.join(path_of(directory))
    }

    /// Whether the numbers and times of change of its files say anything. Where something else is mounted in it, that has to keep them, too.
    fn keeps_inodes(&self) -> bool {
        let keeps =
            |path: &Path| Device::at(path).map(|device| KEEP_INODES.contains(&&device.file_system[..]));
        match self.keeps_inodes.get() {
            Some(known) => *known,
            None => match keeps(&self.root) {
                Ok(root_keeps) => *self.keeps_inodes.get_or_init(|| {
                    root_keeps && mounted_below(&self.root).all(|(point, _)| keeps(&point).unwrap_or(false))
                }),
                // It is away, and says nothing of any file.
                Err(_) => false,
            },
        }
    }
}

impl Ground for LocalTree {
    fn root(&self) -> io::Result<SeenRoot> {
        let Identity { file_system, inode, .. } = Identity::of(&self.root)?;
        let mounts = mounts_below(&self.root);
        Ok(SeenRoot { file_system, inode, mounts })
    }

    fn marker(&self) -> Option<String> {
        /// More than any marker has.
        const MOST_BYTES: u64 = 4096;

        let (root, name) = (Directory::by_path(bytes_of(&self.root)), CString::new(MARKER).ok()?);
        let file = root.open(&name, OpenHow::Named).ok()?;
        let mut text = String::new();
        fs::File::from(file).take(MOST_BYTES).read_to_string(&mut text).ok()?;
        Some(text.trim_end().to_owned())
    }

    fn list(&self, visit: &mut dyn FnMut(Listed<'_>) -> Result<()>) -> Result<Skipped> {
        let (hand, taken) = sync_channel::<Together>(WAITING);
        let root = ItemPath::from(bytes_of(&self.root));
        let (walk, own) = (self.options.walk.clone(), self.own.clone());
        let keeps_inodes = self.keeps_inodes();
        let walker = start_thread("lister", move || {
            let (present, last) = (Together::default(), None);
            let mut walker = Walker { root: root.clone(), own, keeps_inodes, hand, present, last };
            let skipped = list(&root, &walk, &mut |found| walker.found(found));
            // Who does not listen any more needs none of it.
            let _ = walker.send();
            skipped
        });
        let walker = walker.map_err(|source| Error::Listing { source })?;
        let mut result = Ok(());
        for together in &taken {
            result = together.show(visit);
            if result.is_err() {
                break;
            }
        }
        drop(taken);
        let skipped = match walker.join() {
            Ok(skipped) => skipped.map_err(|source| Error::Listing { source })?,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        result.map(|()| skipped)
    }

    fn takes(&self, path: &[u8]) -> bool {
        path != MARKER.as_bytes()
            && !self.own.as_ref().is_some_and(|own| own.has(path))
            && self.options.walk.filter.takes_below(path)
    }

    fn directory(&self, path: &[u8]) -> DirectoryState {
        match Directory::by_path(bytes_of(&self.place(path))).is_empty() {
            Ok(true) => DirectoryState::Empty,
            Ok(false) => DirectoryState::There,
            Err(_) => DirectoryState::Gone,
        }
    }

    /// What cannot be looked at is not there for an audit either.
    fn facts(&self, path: &[u8]) -> io::Result<Option<Content>> {
        let Some(facts) = fs::symlink_metadata(self.place(path)).ok().filter(fs::Metadata::is_file) else {
            return Ok(None);
        };
        let time = |seconds, nanos: i64| keepable(Timestamp { seconds, nanos: nanos as u32 });
        let keeps_inodes = self.keeps_inodes();
        Ok(Some(Content {
            size: Some(facts.size()),
            modified: Some(time(facts.mtime(), facts.mtime_nsec())),
            changed: keeps_inodes.then(|| time(facts.ctime(), facts.ctime_nsec())),
            inode: keeps_inodes.then(|| facts.ino()),
            digests: Vec::new(),
        }))
    }

    fn made_s(&self, path: &[u8]) -> Option<i64> {
        let made = fs::symlink_metadata(self.place(path)).ok()?.created().ok()?;
        Some(made.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64))
    }

    fn other(&self, path: &[u8]) -> Option<&'static str> {
        let kind = fs::symlink_metadata(self.place(path)).ok()?.file_type();
        match kind {
            _ if kind.is_file() => None,
            _ if kind.is_dir() => Some("a directory"),
            _ if kind.is_symlink() => Some("a symbolic link"),
            _ if kind.is_fifo() => Some("a FIFO"),
            _ if kind.is_socket() => Some("a socket"),
            _ => Some("a device"),
        }
    }

    /// FAT counts in steps of two seconds.
    fn grain_s(&self) -> i64 {
        let is_fat = |device: Device| matches!(&device.file_system[..], "vfat" | "msdos" | "exfat");
        if Device::at(&self.root).is_ok_and(is_fat) { 4 } else { 2 }
    }

    fn read(
        &self,
        how: How,
        files: Box<dyn Iterator<Item = ToRead> + Send>,
        checkpoints: Option<Arc<dyn Checkpoints>>,
        sink: &mut dyn Sink,
        control: &Arc<Control>,
    ) -> std::result::Result<Summary, hashlane_engine::Error> {
        let mut options = self.options.clone();
        (options.checkpoints, options.listed, options.in_order) = (checkpoints, true, false);
        match how {
            How::FromMedium => options.engine = EngineChoice::FromMedium,
            // Who names an engine gets it.
            How::PastCache if matches!(options.engine, EngineChoice::Auto) => {
                options.engine = EngineChoice::PastCache;
            }
            How::PastCache | How::Usual => {}
        }
        let algorithms = Arc::clone(&options.algorithms);
        let path: Box<[u8]> = bytes_of(&self.root).into();
        let base = match fs::File::open(&self.root) {
            Ok(root) => Arc::new(Directory::with_descriptor(path, root.into(), None)),
            // Each file will say so.
            Err(_) => Arc::new(Directory::by_path(path)),
        };
        let inputs = files.map(move |file| file.input(Arc::clone(&base), Arc::clone(&algorithms)));
        match self.keeps_inodes() {
            true => hashlane_engine::run(options, inputs, sink, control),
            false => hashlane_engine::run(options, inputs, &mut WithoutInodes(sink), control),
        }
    }
}

/// Hands records on without what says nothing: the numbers of files.
struct WithoutInodes<'a>(&'a mut dyn Sink);

impl Sink for WithoutInodes<'_> {
    fn record(&mut self, mut record: Record) -> Taken {
        if let Some(facts) = &mut record.facts {
            facts.inode = 0;
        }
        self.0.record(record)
    }

    fn excluded(&mut self, excluded: Excluded) -> Taken {
        self.0.excluded(excluded)
    }

    fn tick(&mut self) -> Taken {
        self.0.tick()
    }
}

/// What is told of a file that is mounted over another one. What it lies on changes with each start of a container, and says nothing.
const MOUNTED_FILE: &str = "file";

/// Where other file systems, directories or files are mounted below a root.
fn mounts_below(root: &Path) -> Vec<(Vec<u8>, String)> {
    let mut mounts = Vec::new();
    for (point, below) in mounted_below(root) {
        let what = match fs::symlink_metadata(&point) {
            Ok(facts) if facts.is_file() => MOUNTED_FILE.to_owned(),
            Ok(_) => match Identity::of(&point) {
                Ok(identity) => identity.file_system,
                Err(_) => continue,
            },
            Err(_) => continue,
        };
        mounts.push((below, what));
    }
    mounts.sort();
    // The last one that was mounted at a place is the one that is seen.
    mounts.dedup_by(|next, kept| next.0 == kept.0);
    mounts
}

/// Where something is mounted below a root: the place, and its path below the root.
fn mounted_below(root: &Path) -> impl Iterator<Item = (PathBuf, Vec<u8>)> {
    hashlane_io::mount_points().into_iter().filter_map(move |point| {
        let below = bytes_of(point.strip_prefix(root).ok()?).to_vec();
        (!below.is_empty()).then_some((point, below))
    })
}

/// Some of what a walk finds, on its way to the thread that compares it.
#[derive(Debug, Default)]
struct Together {
    bytes: Vec<u8>,
    things: Vec<Thing>,
}

/// Lengths of names, which stand one after the other.
#[derive(Debug)]
enum Thing {
    /// What follows is in another directory.
    Directory(usize),
    File(usize, Option<Content>),
    Unlisted(usize, String),
}

impl Together {
    fn show(&self, visit: &mut dyn FnMut(Listed<'_>) -> Result<()>) -> Result<()> {
        let (mut rest, mut directory) = (&self.bytes[..], &b""[..]);
        for thing in &self.things {
            let (Thing::Directory(length) | Thing::File(length, _) | Thing::Unlisted(length, _)) = thing;
            let (name, behind) = rest.split_at(*length);
            rest = behind;
            match thing {
                Thing::Directory(_) => directory = name,
                Thing::File(_, content) => {
                    visit(Listed::File { directory, name, content: content.clone(), is_offline: false })?;
                }
                Thing::Unlisted(_, reason) => visit(Listed::Unlisted { path: name, reason })?,
            }
        }
        Ok(())
    }
}

/// Asks for the facts of what a walk finds, and hands both over.
struct Walker {
    root: ItemPath,
    own: Option<Arc<OwnFiles>>,
    keeps_inodes: bool,
    hand: SyncSender<Together>,
    present: Together,
    /// The directory of the last file.
    last: Option<Arc<Directory>>,
}

impl Walker {
    fn found(&mut self, found: Found<'_>) -> ControlFlow<()> {
        match found {
            Found::File { directory, name } => self.file(directory, name),
            Found::Failed { path, error } => {
                let path = below(&self.root, &path).to_vec();
                self.present.bytes.extend_from_slice(&path);
                self.present.things.push(Thing::Unlisted(path.len(), system_text(&error)));
            }
        }
        if self.present.things.len() < TOGETHER { ControlFlow::Continue(()) } else { self.send() }
    }

    fn file(&mut self, directory: &Arc<Directory>, name: &CStr) {
        if name.to_bytes() == MARKER.as_bytes() && below(&self.root, &directory.path()).is_empty() {
            return;
        }
        if let Some(own) = &self.own
            && own.has(&joined(below(&self.root, &directory.path()), name.to_bytes()))
        {
            return;
        }
        let content = match directory.facts(name) {
            Ok(facts) => Some(content_of(&facts, self.keeps_inodes)),
            // It was there when the directory was read, and is no more.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(_) => None,
        };
        if self.present.things.is_empty()
            || !self.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, directory))
        {
            let path = directory.path();
            let path = below(&self.root, &path);
            self.present.bytes.extend_from_slice(path);
            self.present.things.push(Thing::Directory(path.len()));
            self.last = Some(Arc::clone(directory));
        }
        self.present.bytes.extend_from_slice(name.to_bytes());
        self.present.things.push(Thing::File(name.count_bytes(), content));
    }

    fn send(&mut self) -> ControlFlow<()> {
        match self.hand.send(std::mem::take(&mut self.present)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

/// A path below a root, without a slash at either end.
fn below<'a>(root: &ItemPath, path: &'a [u8]) -> &'a [u8] {
    let mut below = path.strip_prefix(root.as_bytes()).unwrap_or(path);
    while let Some(rest) = below.strip_prefix(b"/") {
        below = rest;
    }
    below
}

/// What is told of a file without reading it.
fn content_of(facts: &FileFacts, keeps_inodes: bool) -> Content {
    let time = |(seconds, nanos)| keepable(Timestamp { seconds, nanos });
    Content {
        size: Some(facts.size_bytes),
        modified: Some(time(facts.modified)),
        changed: keeps_inodes.then(|| time(facts.changed)),
        inode: keeps_inodes.then_some(facts.inode),
        digests: Vec::new(),
    }
}

/// A path below the root, as one name.
pub(crate) fn named(directory: &[u8], name: &[u8]) -> ItemPath {
    ItemPath::from(joined(directory, name))
}
