//! A tree of files of this machine.

use std::ffi::{CStr, OsStr};
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use hashlane_io::{Device, Directory, Identity, start_thread};
use hashlane_record::{ItemPath, Record, Timestamp, system_text};

use crate::control::Control;
use crate::entry::{Excluded, Input};
use crate::error::Error;
use crate::options::Options;
use crate::sink::{Sink, Taken};
use crate::summary::{Skipped, Summary};
use crate::tree::{DirectoryState, Seen, SeenRoot, Shown, Tree};
use crate::walk::{Found, WalkOptions, list};

/// Files that are handed over together while a tree is listed.
const TOGETHER: usize = 1024;

/// Such batches that wait to be taken.
const WAITING: usize = 16;

/// A tree of files of this machine. Its files are named below its root.
#[derive(Debug)]
pub struct LocalTree {
    root: PathBuf,
    /// Whether a file keeps its number there, once that is known.
    keeps_inodes: OnceLock<bool>,
    /// How coarse its times are, once that is known.
    grain_s: OnceLock<i64>,
}

/// File systems on which a file keeps its number and its time of change as long as it is the same file. All others may hand out other numbers
/// each time that they are mounted, and the same numbers to other files: exFAT does by FUSE.
const KEEP_INODES: [&str; 10] =
    ["btrfs", "ext2", "ext3", "ext4", "f2fs", "nfs", "nfs4", "tmpfs", "xfs", "zfs"];

impl LocalTree {
    /// The tree below a directory.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), keeps_inodes: OnceLock::new(), grain_s: OnceLock::new() }
    }

    fn place(&self, name: &[u8]) -> PathBuf {
        self.root.join(OsStr::from_bytes(name))
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

impl Tree for LocalTree {
    fn base(&self) -> &[u8] {
        bytes_of(&self.root)
    }

    fn identity(&self) -> io::Result<SeenRoot> {
        let Identity { file_system, inode, .. } = Identity::of(&self.root)?;
        let mounts = mounts_below(&self.root);
        Ok(SeenRoot { file_system, inode, mounts })
    }

    fn list(
        &self,
        root: &ItemPath,
        walk: &WalkOptions,
        visit: &mut dyn FnMut(Shown<'_>) -> ControlFlow<()>,
    ) -> io::Result<Skipped> {
        let (hand, taken) = sync_channel::<Together>(WAITING);
        let (root, walk, keeps_inodes) = (root.clone(), walk.clone(), self.keeps_inodes());
        let base = ItemPath::from(self.base());
        let walker = start_thread("lister", move || {
            let (present, last) = (Together::default(), None);
            let mut walker = Walker { base, keeps_inodes, hand, present, last };
            let skipped = list(&root, &walk, &mut |found| walker.found(found));
            // Who does not listen any more needs none of it.
            let _ = walker.send();
            skipped
        })?;
        for together in &taken {
            if together.show(visit).is_break() {
                break;
            }
        }
        drop(taken);
        walker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// What cannot be looked at is not there for an audit either.
    fn facts(&self, name: &[u8]) -> io::Result<Option<Seen>> {
        let Some(facts) = fs::symlink_metadata(self.place(name)).ok().filter(fs::Metadata::is_file) else {
            return Ok(None);
        };
        let time = |seconds, nanos: i64| Timestamp { seconds, nanos: nanos as u32 };
        let since_1970 = |made: SystemTime| {
            made.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64)
        };
        let keeps_inodes = self.keeps_inodes();
        Ok(Some(Seen {
            size_bytes: facts.size(),
            modified: time(facts.mtime(), facts.mtime_nsec()),
            changed: keeps_inodes.then(|| time(facts.ctime(), facts.ctime_nsec())),
            inode: keeps_inodes.then(|| facts.ino()),
            made_s: facts.created().ok().map(since_1970),
        }))
    }

    fn directory(&self, name: &[u8]) -> DirectoryState {
        match Directory::by_path(bytes_of(&self.place(name))).is_empty() {
            Ok(true) => DirectoryState::Empty,
            Ok(false) => DirectoryState::There,
            Err(_) => DirectoryState::Gone,
        }
    }

    /// FAT counts in steps of two seconds.
    fn grain_s(&self) -> i64 {
        let is_fat = |device: Device| matches!(&device.file_system[..], "vfat" | "msdos" | "exfat");
        // Each file that is read asks for it, and the system is asked once.
        if let Some(known) = self.grain_s.get() {
            return *known;
        }
        // A tree that is away says nothing yet.
        let Ok(device) = Device::at(&self.root) else { return 2 };
        *self.grain_s.get_or_init(|| if is_fat(device) { 4 } else { 2 })
    }

    fn read(
        &self,
        options: Options,
        inputs: Box<dyn Iterator<Item = Input> + Send>,
        sink: &mut dyn Sink,
        control: &Arc<Control>,
    ) -> Result<Summary, Error> {
        let path: Box<[u8]> = self.base().into();
        let base = match fs::File::open(&self.root) {
            Ok(root) => Arc::new(Directory::with_descriptor(path, root.into(), None)),
            // Each file will say so.
            Err(_) => Arc::new(Directory::by_path(path)),
        };
        let inputs = inputs.map(move |input| input.elsewhere(Some(Arc::clone(&base))));
        match self.keeps_inodes() {
            true => crate::run(options, inputs, sink, control),
            false => crate::run(options, inputs, &mut WithoutInodes(sink), control),
        }
    }
}

fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
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

/// What is reported of a file mounted over another one. What it lies on changes with each start of a container, and says nothing.
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

/// Some of what a walk finds, on its way to the thread that takes it.
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
    File(usize, Option<Seen>),
    Unlisted(usize, String),
}

impl Together {
    fn show(&self, visit: &mut dyn FnMut(Shown<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        let (mut rest, mut path, mut in_directory) = (&self.bytes[..], Vec::new(), 0);
        for thing in &self.things {
            let (Thing::Directory(length) | Thing::File(length, _) | Thing::Unlisted(length, _)) = thing;
            let (name, behind) = rest.split_at(*length);
            rest = behind;
            match thing {
                Thing::Directory(_) => {
                    path.clear();
                    path.extend_from_slice(name);
                    path.extend((!name.is_empty()).then_some(b'/'));
                    in_directory = path.len();
                }
                Thing::File(_, seen) => {
                    path.truncate(in_directory);
                    path.extend_from_slice(name);
                    visit(Shown::File { path: &path, seen: *seen, is_offline: false })?;
                }
                Thing::Unlisted(_, reason) => visit(Shown::Unlisted { path: name, reason })?,
            }
        }
        ControlFlow::Continue(())
    }
}

/// Asks for the facts of what a walk finds, and hands both over.
struct Walker {
    base: ItemPath,
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
                let path = below(&self.base, &path);
                self.present.bytes.extend_from_slice(path);
                self.present.things.push(Thing::Unlisted(path.len(), system_text(&error)));
            }
        }
        if self.present.things.len() < TOGETHER { ControlFlow::Continue(()) } else { self.send() }
    }

    fn file(&mut self, directory: &Arc<Directory>, name: &CStr) {
        let seen = match directory.facts(name) {
            Ok(facts) => Some(facts),
            // It was there when the directory was read, and is no more.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(_) => None,
        };
        let time = |(seconds, nanos)| Timestamp { seconds, nanos };
        let seen = seen.map(|facts| Seen {
            size_bytes: facts.size_bytes,
            modified: time(facts.modified),
            changed: self.keeps_inodes.then(|| time(facts.changed)),
            inode: self.keeps_inodes.then_some(facts.inode),
            made_s: None,
        });
        if self.present.things.is_empty()
            || !self.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, directory))
        {
            let path = directory.path();
            let path = below(&self.base, &path);
            self.present.bytes.extend_from_slice(path);
            self.present.things.push(Thing::Directory(path.len()));
            self.last = Some(Arc::clone(directory));
        }
        self.present.bytes.extend_from_slice(name.to_bytes());
        self.present.things.push(Thing::File(name.count_bytes(), seen));
    }

    fn send(&mut self) -> ControlFlow<()> {
        match self.hand.send(std::mem::take(&mut self.present)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

/// A path below a base, without a slash at either end.
fn below<'a>(base: &ItemPath, path: &'a [u8]) -> &'a [u8] {
    let mut below = path.strip_prefix(base.as_bytes()).unwrap_or(path);
    while let Some(rest) = below.strip_prefix(b"/") {
        below = rest;
    }
    below
}
