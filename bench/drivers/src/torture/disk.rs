//! A disk in memory that can lose its power, run full, fail and rot: the model behind the [layer](super::layer), without any mount.
//!
//! Of each file it keeps what is durable, what was written since, and what programs see. What a power cut leaves is POSIX read
//! strictly, which is harsher than any file system in use:
//! - What was synced stays. Each write and each new size that was not is there, or not, or is torn at sectors, whatever the others are.
//! - A name is durable once its *directory* was synced; a sync of the file is not enough, as it would be on ext4. Of what was done to
//!   a directory since then, a beginning is there, in the order in which it was done.
//! - Bytes beside those that were being written are never hurt, which SQLite assumes as well.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use fastrand::Rng;
use rustix::io::Errno;

/// What a device writes as a whole.
pub(super) const SECTOR: u64 = 512;

/// The directory that all others lie in.
pub(super) const ROOT: u64 = 1;

/// Files and directories by inode.
#[derive(Clone, Debug)]
pub(super) struct Disk {
    nodes: BTreeMap<u64, Node>,
    next: u64,
    /// How often something asked for room.
    asked: u64,
    /// From which of these on there is none.
    full_from: Option<u64>,
    /// How often there was none.
    refused: u64,
    /// Syncs do nothing: a device that lies, by which the test is tested.
    is_deaf: bool,
}

#[derive(Clone, Debug)]
struct Node {
    what: What,
    times: Times,
}

#[derive(Clone, Debug)]
enum What {
    Directory(Names),
    File(Content),
}

/// What a directory names.
#[derive(Clone, Debug, Default)]
struct Names {
    durable: BTreeMap<OsString, u64>,
    /// Each is done as a whole: a rename takes one name away and gives another.
    since: Vec<Vec<(OsString, Option<u64>)>>,
    now: BTreeMap<OsString, u64>,
    fails: bool,
}

#[derive(Clone, Debug, Default)]
struct Content {
    durable: Arc<Vec<u8>>,
    since: Vec<Change>,
    now: Arc<Vec<u8>>,
    /// Bytes that cannot be read.
    fails: Option<Range<u64>>,
}

#[derive(Clone, Debug)]
enum Change {
    Written { at: u64, bytes: Arc<[u8]> },
    Sized(u64),
}

/// When a file was written to and changed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub(super) modified: SystemTime,
    pub(super) changed: SystemTime,
}

/// What is known of a file or directory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub(super) inode: u64,
    pub(super) is_directory: bool,
    pub(super) bytes: u64,
    pub(super) times: Times,
}

/// What a power cut took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lost {
    /// Changes of files, and of directories, that nothing is left of.
    pub(super) dropped: u64,
    /// Writes that a part is left of.
    pub(super) torn: u64,
}

/// How much of what was not synced survives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mercy {
    /// The chance of each change to be there.
    pub(super) kept: f64,
    /// The chance of what is there to be torn.
    pub(super) torn: f64,
}

impl Mercy {
    /// Another one each time: nothing is kept, or nearly all, or anything between.
    pub(super) fn any(rng: &mut Rng) -> Self {
        let kept = [0.0, 0.1, 0.5, 0.9, 0.97, 1.0];
        let torn = [0.0, 0.2, 0.9];
        Self { kept: kept[rng.usize(..kept.len())], torn: torn[rng.usize(..torn.len())] }
    }
}

impl Times {
    fn at(time: SystemTime) -> Self {
        Self { modified: time, changed: time }
    }
}

impl Disk {
    /// An empty one.
    pub(super) fn new(now: SystemTime) -> Self {
        let root = Node { what: What::Directory(Names::default()), times: Times::at(now) };
        Self {
            nodes: BTreeMap::from([(ROOT, root)]),
            next: ROOT + 1,
            asked: 0,
            full_from: None,
            refused: 0,
            is_deaf: false,
        }
    }

    /// Puts durable files at paths, and the directories that they lie in.
    pub(super) fn put(&mut self, path: &str, bytes: Vec<u8>, time: SystemTime) -> Result<(), Errno> {
        let mut parent = ROOT;
        let mut names = path.split('/').peekable();
        while let Some(name) = names.next() {
            let name = OsStr::new(name);
            let is_last = names.peek().is_none();
            parent = match self.lookup(parent, name) {
                Ok(facts) => facts.inode,
                Err(_) if is_last => self.create(parent, name, time)?.inode,
                Err(_) => self.make_directory(parent, name, time)?.inode,
            };
        }
        let content = self.content(parent)?;
        content.now = Arc::new(bytes);
        self.sync_all();
        Ok(())
    }

    pub(super) fn lookup(&self, parent: u64, name: &OsStr) -> Result<Facts, Errno> {
        self.facts(*self.names(parent)?.now.get(name).ok_or(Errno::NOENT)?)
    }

    pub(super) fn facts(&self, inode: u64) -> Result<Facts, Errno> {
        let node = self.nodes.get(&inode).ok_or(Errno::STALE)?;
        let (is_directory, bytes) = match &node.what {
            What::Directory(_) => (true, 0),
            What::File(content) => (false, content.now.len() as u64),
        };
        Ok(Facts { inode, is_directory, bytes, times: node.times })
    }

    pub(super) fn read(&self, inode: u64, at: u64, length: usize) -> Result<&[u8], Errno> {
        let Some(Node { what: What::File(content), .. }) = self.nodes.get(&inode) else {
            return Err(Errno::ISDIR);
        };
        let from = content.now.len().min(at as usize);
        let to = content.now.len().min(from + length);
        match &content.fails {
            Some(fails) if (from as u64) < fails.end && fails.start < to as u64 => Err(Errno::IO),
            _ => Ok(&content.now[from..to]),
        }
    }

    /// The names in a directory, with their inodes, in order.
    pub(super) fn list(&self, inode: u64) -> Result<impl Iterator<Item = (&OsStr, u64)>, Errno> {
        let names = self.names(inode)?;
        match names.fails {
            true => Err(Errno::IO),
            false => Ok(names.now.iter().map(|(name, inode)| (name.as_os_str(), *inode))),
        }
    }

    pub(super) fn create(&mut self, parent: u64, name: &OsStr, now: SystemTime) -> Result<Facts, Errno> {
        self.add(parent, name, What::File(Content::default()), now)
    }

    pub(super) fn make_directory(
        &mut self,
        parent: u64,
        name: &OsStr,
        now: SystemTime,
    ) -> Result<Facts, Errno> {
        self.add(parent, name, What::Directory(Names::default()), now)
    }

    fn add(&mut self, parent: u64, name: &OsStr, what: What, now: SystemTime) -> Result<Facts, Errno> {
        if self.names(parent)?.now.contains_key(name) {
            return Err(Errno::EXIST);
        }
        self.ask_for_room()?;
        let inode = self.next;
        self.next += 1;
        self.nodes.insert(inode, Node { what, times: Times::at(now) });
        self.names_mut(parent)?.set(vec![(name.to_owned(), Some(inode))]);
        self.facts(inode)
    }

    /// Takes a name away. What it named stays until nobody can have it open: until the next cut.
    pub(super) fn remove(&mut self, parent: u64, name: &OsStr) -> Result<(), Errno> {
        let inode = self.lookup(parent, name)?.inode;
        if self.names(inode).is_ok_and(|names| !names.now.is_empty()) {
            return Err(Errno::NOTEMPTY);
        }
        self.names_mut(parent)?.set(vec![(name.to_owned(), None)]);
        Ok(())
    }

    /// Gives what has one name another one in the same directory. Between directories it is refused, as between file systems.
    pub(super) fn rename(
        &mut self,
        (parent, from): (u64, &OsStr),
        (new_parent, to): (u64, &OsStr),
        replaces: bool,
    ) -> Result<(), Errno> {
        let inode = self.lookup(parent, from)?.inode;
        if parent != new_parent {
            return Err(Errno::XDEV);
        }
        if !replaces && self.lookup(parent, to).is_ok() {
            return Err(Errno::EXIST);
        }
        self.names_mut(parent)?.set(vec![(from.to_owned(), None), (to.to_owned(), Some(inode))]);
        Ok(())
    }

    /// Writes bytes. `is_new`: they may need room; what the kernel brings back of memory that is mapped has its room already.
    pub(super) fn write(
        &mut self,
        inode: u64,
        at: u64,
        bytes: &[u8],
        is_new: bool,
        now: SystemTime,
    ) -> Result<(), Errno> {
        self.content(inode)?;
        if is_new {
            self.ask_for_room()?;
        }
        self.change(inode, Change::Written { at, bytes: bytes.into() }, now)
    }

    pub(super) fn resize(&mut self, inode: u64, bytes: u64, now: SystemTime) -> Result<(), Errno> {
        if bytes > self.facts(inode)?.bytes {
            self.ask_for_room()?;
        }
        self.change(inode, Change::Sized(bytes), now)
    }

    fn change(&mut self, inode: u64, change: Change, now: SystemTime) -> Result<(), Errno> {
        let content = self.content(inode)?;
        change.apply(Arc::make_mut(&mut content.now));
        content.since.push(change);
        self.set_times(inode, Times::at(now))
    }

    pub(super) fn set_times(&mut self, inode: u64, times: Times) -> Result<(), Errno> {
        self.nodes.get_mut(&inode).ok_or(Errno::STALE)?.times = times;
        Ok(())
    }

    /// Makes all of a file durable, or all names of a directory.
    pub(super) fn sync(&mut self, inode: u64) -> Result<(), Errno> {
        if self.is_deaf {
            return Ok(());
        }
        self.nodes.get_mut(&inode).ok_or(Errno::STALE)?.sync();
        Ok(())
    }

    fn sync_all(&mut self) {
        self.nodes.values_mut().for_each(Node::sync);
    }

    /// From now on syncs do nothing.
    pub(super) fn deafen(&mut self) {
        self.is_deaf = true;
    }

    /// From the so-manieth time on that somebody asks for room, counted from now and from 1, there is none.
    pub(super) fn fill_at(&mut self, number: u64) {
        self.full_from = Some(self.asked + number);
        self.refused = 0;
    }

    /// There is room again. How often there was none.
    pub(super) fn free(&mut self) -> u64 {
        self.full_from = None;
        self.refused
    }

    /// How often somebody asked for room so far.
    pub(super) fn asked(&self) -> u64 {
        self.asked
    }

    fn ask_for_room(&mut self) -> Result<(), Errno> {
        self.asked += 1;
        if self.full_from.is_some_and(|from| self.asked >= from) {
            self.refused += 1;
            return Err(Errno::NOSPC);
        }
        Ok(())
    }

    /// Lets bytes of a file fail, or the listing of a directory.
    pub(super) fn fail(&mut self, path: &str, bytes: Range<u64>) -> Result<(), Errno> {
        let inode = self.find(path)?;
        match &mut self.nodes.get_mut(&inode).ok_or(Errno::STALE)?.what {
            What::Directory(names) => names.fails = true,
            What::File(content) => content.fails = Some(bytes),
        }
        Ok(())
    }

    /// Nothing fails any more.
    pub(super) fn heal(&mut self) {
        for node in self.nodes.values_mut() {
            match &mut node.what {
                What::Directory(names) => names.fails = false,
                What::File(content) => content.fails = None,
            }
        }
    }

    /// Turns a bit of a file. Its times do not show it.
    pub(super) fn flip(&mut self, path: &str, at: usize, bit: u32) -> Result<(), Errno> {
        let inode = self.find(path)?;
        let content = self.content(inode)?;
        for image in [&mut content.now, &mut content.durable] {
            *Arc::make_mut(image).get_mut(at).ok_or(Errno::INVAL)? ^= 1 << bit;
        }
        Ok(())
    }

    /// The inode at a path.
    fn find(&self, path: &str) -> Result<u64, Errno> {
        let mut inode = ROOT;
        for name in path.split('/') {
            inode = self.lookup(inode, OsStr::new(name))?.inode;
        }
        Ok(inode)
    }

    /// Cuts the power: the disk as it is found afterwards, and what it has lost.
    pub(super) fn cut(&self, mercy: Mercy, rng: &mut Rng) -> (Self, Lost) {
        let mut lost = Lost::default();
        let mut after = Self { nodes: BTreeMap::new(), full_from: None, ..self.clone() };
        let mut open = vec![ROOT];
        while let Some(inode) = open.pop() {
            let Some(node) = self.nodes.get(&inode) else { continue };
            let what = match &node.what {
                What::Directory(names) => {
                    let found = names.cut(mercy, rng, &mut lost);
                    open.extend(found.values());
                    What::Directory(Names { durable: found.clone(), now: found, ..Names::default() })
                }
                What::File(content) => {
                    let found = Arc::new(content.cut(mercy, rng, &mut lost));
                    What::File(Content { durable: Arc::clone(&found), now: found, ..Content::default() })
                }
            };
            after.nodes.insert(inode, Node { what, times: node.times });
        }
        (after, lost)
    }

    /// Copies all files into a directory.
    pub(super) fn copy_to(&self, directory: &Path) -> io::Result<()> {
        self.copy_below(ROOT, directory)
    }

    fn copy_below(&self, inode: u64, directory: &Path) -> io::Result<()> {
        std::fs::create_dir_all(directory)?;
        for (name, inode) in &self.names(inode)?.now {
            let place = directory.join(name);
            match self.nodes.get(inode).map(|node| &node.what) {
                Some(What::Directory(_)) => self.copy_below(*inode, &place)?,
                Some(What::File(content)) => std::fs::write(place, &content.now[..])?,
                None => return Err(Errno::STALE.into()),
            }
        }
        Ok(())
    }

    fn names(&self, inode: u64) -> Result<&Names, Errno> {
        match self.nodes.get(&inode) {
            Some(Node { what: What::Directory(names), .. }) => Ok(names),
            _ => Err(Errno::NOTDIR),
        }
    }

    fn names_mut(&mut self, inode: u64) -> Result<&mut Names, Errno> {
        match self.nodes.get_mut(&inode) {
            Some(Node { what: What::Directory(names), .. }) => Ok(names),
            _ => Err(Errno::NOTDIR),
        }
    }

    fn content(&mut self, inode: u64) -> Result<&mut Content, Errno> {
        match self.nodes.get_mut(&inode) {
            Some(Node { what: What::File(content), .. }) => Ok(content),
            _ => Err(Errno::ISDIR),
        }
    }
}

impl Node {
    fn sync(&mut self) {
        match &mut self.what {
            What::Directory(names) => {
                names.durable.clone_from(&names.now);
                names.since.clear();
            }
            What::File(content) => {
                content.durable = Arc::clone(&content.now);
                content.since.clear();
            }
        }
    }
}

impl Names {
    fn set(&mut self, change: Vec<(OsString, Option<u64>)>) {
        apply(&change, &mut self.now);
        self.since.push(change);
    }

    fn cut(&self, mercy: Mercy, rng: &mut Rng, lost: &mut Lost) -> BTreeMap<OsString, u64> {
        let kept = self.since.iter().take_while(|_| rng.f64() < mercy.kept).count();
        lost.dropped += (self.since.len() - kept) as u64;
        let mut found = self.durable.clone();
        self.since[..kept].iter().for_each(|change| apply(change, &mut found));
        found
    }
}

fn apply(change: &[(OsString, Option<u64>)], names: &mut BTreeMap<OsString, u64>) {
    for (name, inode) in change {
        match inode {
            Some(inode) => names.insert(name.clone(), *inode),
            None => names.remove(name),
        };
    }
}

impl Content {
    fn cut(&self, mercy: Mercy, rng: &mut Rng, lost: &mut Lost) -> Vec<u8> {
        let mut found = self.durable.to_vec();
        for change in &self.since {
            if rng.f64() >= mercy.kept {
                lost.dropped += 1;
                continue;
            }
            match change {
                Change::Written { at, bytes } if rng.f64() < mercy.torn => {
                    let pieces = torn(*at, bytes, rng);
                    let left: usize = pieces.iter().map(|(_, piece)| piece.len()).sum();
                    match left {
                        0 => lost.dropped += 1,
                        _ => lost.torn += u64::from(left < bytes.len()),
                    }
                    pieces.into_iter().for_each(|(at, piece)| put(&mut found, at, piece));
                }
                change => change.apply(&mut found),
            }
        }
        found
    }
}

impl Change {
    fn apply(&self, image: &mut Vec<u8>) {
        match self {
            Self::Written { at, bytes } => put(image, *at, bytes),
            Self::Sized(bytes) => image.resize(*bytes as usize, 0),
        }
    }
}

fn put(image: &mut Vec<u8>, at: u64, bytes: &[u8]) {
    let (from, to) = (at as usize, at as usize + bytes.len());
    image.resize(image.len().max(to), 0);
    image[from..to].copy_from_slice(bytes);
}

/// What is left of a write that was torn: its first sectors, or any of them.
fn torn<'a>(at: u64, bytes: &'a [u8], rng: &mut Rng) -> Vec<(u64, &'a [u8])> {
    let mut sectors = Vec::new();
    let (mut place, mut rest) = (at, bytes);
    while !rest.is_empty() {
        let length = rest.len().min((SECTOR - place % SECTOR) as usize);
        let (sector, behind) = rest.split_at(length);
        sectors.push((place, sector));
        (place, rest) = (place + length as u64, behind);
    }
    match rng.bool() {
        true => sectors.truncate(rng.usize(..=sectors.len())),
        false => sectors.retain(|_| rng.bool()),
    }
    sectors
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    const NOTHING: Mercy = Mercy { kept: 0.0, torn: 0.0 };
    const ALL: Mercy = Mercy { kept: 1.0, torn: 0.0 };

    fn name(text: &str) -> &OsStr {
        OsStr::new(text)
    }

    /// A disk with a durable file `a` of `length` bytes, which are all 1.
    fn disk(length: usize) -> (Disk, u64) {
        let mut disk = Disk::new(UNIX_EPOCH);
        disk.put("a", vec![1; length], UNIX_EPOCH).expect("put");
        let inode = disk.find("a").expect("there");
        (disk, inode)
    }

    fn found(disk: &Disk, path: &str) -> Vec<u8> {
        disk.read(disk.find(path).expect("there"), 0, usize::MAX >> 1).expect("readable").to_vec()
    }

    #[test]
    fn what_was_synced_survives_whatever_came_later() {
        let mut rng = Rng::with_seed(1);
        for _ in 0..200 {
            let (mut disk, inode) = disk(4096);
            disk.write(inode, 100, &[2; 3000], true, UNIX_EPOCH).expect("written");
            disk.sync(inode).expect("synced");
            let synced = found(&disk, "a");
            disk.write(inode, 2000, &[3; 4000], true, UNIX_EPOCH).expect("written");
            let (after, _) = disk.cut(Mercy::any(&mut rng), &mut rng);
            let left = found(&after, "a");
            assert_eq!(left[..2000], synced[..2000]);
            for (place, byte) in left.iter().enumerate().skip(2000) {
                let before = synced.get(place).copied().unwrap_or(0);
                assert!(*byte == before || *byte == 3, "{byte} at {place}");
            }
        }
    }

    #[test]
    fn what_was_not_synced_is_dropped_or_kept_each_by_itself() {
        let (mut disk, inode) = disk(0);
        for number in 0..64 {
            disk.write(inode, number * SECTOR, &[2; SECTOR as usize], true, UNIX_EPOCH).expect("written");
        }
        let mut rng = Rng::with_seed(2);
        let (after, lost) = disk.cut(NOTHING, &mut rng);
        assert_eq!((found(&after, "a").len(), lost), (0, Lost { dropped: 64, torn: 0 }));
        let (after, lost) = disk.cut(ALL, &mut rng);
        assert_eq!((found(&after, "a"), lost), (vec![2; 64 * SECTOR as usize], Lost::default()));
        let (after, lost) = disk.cut(Mercy { kept: 0.5, torn: 0.0 }, &mut rng);
        let left = found(&after, "a");
        let kept = left.chunks(SECTOR as usize).filter(|sector| sector[0] == 2).count() as u64;
        assert_eq!(kept + lost.dropped, 64);
        assert!((8..56).contains(&kept), "{kept}");
        // And the first disk is as it was.
        assert_eq!(found(&disk, "a").len(), 64 * SECTOR as usize);
    }

    #[test]
    fn a_torn_write_is_torn_at_sectors_of_the_file() {
        let mut rng = Rng::with_seed(3);
        let mut torn = 0;
        for _ in 0..100 {
            let (mut disk, inode) = disk(4096);
            disk.write(inode, 200, &[2; 2000], true, UNIX_EPOCH).expect("written");
            let (after, lost) = disk.cut(Mercy { kept: 1.0, torn: 1.0 }, &mut rng);
            torn += lost.torn;
            let left = found(&after, "a");
            assert_eq!(left.len(), 4096);
            for sector in left[200..2200].chunk_by(|a, b| a == b) {
                let from = sector.as_ptr() as usize - left.as_ptr() as usize;
                let to = from + sector.len();
                assert!(from == 200 || from.is_multiple_of(SECTOR as usize), "{from}");
                assert!(to == 2200 || to.is_multiple_of(SECTOR as usize), "{to}");
            }
        }
        assert!(torn > 50, "{torn}");
    }

    #[test]
    fn a_name_is_durable_when_its_directory_is_synced_and_before_that_in_order() {
        let (mut disk, _) = disk(1);
        let b = disk.create(ROOT, name("b"), UNIX_EPOCH).expect("made").inode;
        disk.write(b, 0, b"b", true, UNIX_EPOCH).expect("written");
        disk.sync(b).expect("synced");
        let mut rng = Rng::with_seed(4);
        let (after, _) = disk.cut(NOTHING, &mut rng);
        assert!(after.find("b").is_err(), "a sync of the file says nothing of its name");
        disk.sync(ROOT).expect("synced");
        let (after, _) = disk.cut(NOTHING, &mut rng);
        assert_eq!(found(&after, "b"), b"b");
        disk.remove(ROOT, name("a")).expect("removed");
        disk.rename((ROOT, name("b")), (ROOT, name("c")), false).expect("renamed");
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..100 {
            let (after, _) = disk.cut(Mercy { kept: 0.5, torn: 0.0 }, &mut rng);
            let names: Vec<_> = after
                .list(ROOT)
                .expect("listed")
                .map(|(name, _)| name.to_string_lossy().into_owned())
                .collect();
            seen.insert(names.concat());
        }
        // The rename never without the removal, and never a half of it.
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["ab", "b", "c"]);
    }

    #[test]
    fn a_device_that_lies_about_syncs_loses_what_was_synced() {
        let (mut disk, inode) = disk(1);
        disk.deafen();
        disk.write(inode, 0, b"2", true, UNIX_EPOCH).expect("written");
        disk.sync(inode).expect("it says so");
        let (after, lost) = disk.cut(NOTHING, &mut Rng::with_seed(5));
        assert_eq!((found(&after, "a"), lost.dropped), (vec![1], 1));
    }

    #[test]
    fn a_full_disk_takes_what_needs_no_room() {
        let (mut disk, inode) = disk(1000);
        disk.fill_at(2);
        disk.write(inode, 0, b"first", true, UNIX_EPOCH).expect("there was room");
        assert_eq!(disk.write(inode, 0, b"second", true, UNIX_EPOCH), Err(Errno::NOSPC));
        assert_eq!(disk.create(ROOT, name("b"), UNIX_EPOCH).err(), Some(Errno::NOSPC));
        assert_eq!(disk.resize(inode, 2000, UNIX_EPOCH), Err(Errno::NOSPC));
        disk.resize(inode, 10, UNIX_EPOCH).expect("smaller needs none");
        disk.write(inode, 0, b"mapped", false, UNIX_EPOCH).expect("it had its room");
        disk.remove(ROOT, name("a")).expect("that gives room");
        assert_eq!(disk.free(), 3);
        disk.write(inode, 0, b"third", true, UNIX_EPOCH).expect("there is room again");
    }

    #[test]
    fn bytes_fail_and_rot_as_asked_and_no_time_tells() {
        let (mut disk, inode) = disk(1000);
        let times = disk.facts(inode).expect("there").times;
        disk.fail("a", 500..501).expect("there");
        assert_eq!(disk.read(inode, 0, 500).map(<[u8]>::len), Ok(500));
        assert_eq!(disk.read(inode, 400, 200), Err(Errno::IO));
        assert_eq!(disk.read(inode, 501, 10).map(<[u8]>::len), Ok(10));
        disk.heal();
        disk.flip("a", 10, 3).expect("there");
        assert_eq!(disk.read(inode, 9, 3), Ok(&[1, 9, 1][..]));
        let (after, _) = disk.cut(NOTHING, &mut Rng::with_seed(6));
        assert_eq!(found(&after, "a")[10], 9, "it is in the medium");
        assert_eq!(disk.facts(inode).expect("there").times.changed, times.changed);
        disk.fail("nowhere", 0..1).expect_err("there is no such file");
    }
}
