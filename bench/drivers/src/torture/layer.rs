//! A [disk](super::disk) as a FUSE file system: a thin shell that asks it, and takes copies of it while programs write.
//!
//! Every write reaches the disk at once: the kernel keeps pages for reading, and writes none of them later but those of files that are
//! mapped, as SQLite maps its index of the log. Locks are the kernel's own. Whoever changes the disk behind the kernel's back mounts it
//! anew.

use std::ffi::OsStr;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use fastrand::Rng;
use fuser::{
    BackgroundSession, BsdFileFlags, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags,
    Generation, INodeNo, LockOwner, MountOption, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData,
    ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow,
    WriteFlags,
};

use super::disk::{Disk, Facts, Times};

/// How long the kernel may keep what it was given: nobody else changes it while it is mounted.
const KEPT: Duration = Duration::from_secs(3_600);

const BLOCKS: u64 = 400_000;
const BLOCK_BYTES: u32 = 4_096;

/// A disk that is mounted.
#[derive(Debug)]
pub(super) struct Mounted {
    session: BackgroundSession,
    at: PathBuf,
    shared: Arc<Mutex<Shared>>,
}

/// What the file system and those who torture it share.
#[derive(Debug)]
struct Shared {
    disk: Disk,
    taker: Option<Taker>,
}

/// Takes copies of the disk at random moments, each as likely as any other: which ones is not known before the last one.
#[derive(Debug)]
struct Taker {
    rng: Rng,
    most: usize,
    passed: usize,
    taken: Vec<Disk>,
}

struct Layer(Arc<Mutex<Shared>>);

impl Mounted {
    /// Mounts a disk.
    ///
    /// # Errors
    /// This process may not mount file systems, or this machine has no FUSE.
    pub(super) fn new(disk: Disk, at: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(at)?;
        let shared = Arc::new(Mutex::new(Shared { disk, taker: None }));
        let mut options = Config::default();
        options.mount_options = vec![MountOption::FSName("torture".to_owned())];
        let session = fuser::spawn_mount(Layer(Arc::clone(&shared)), at, &options)?;
        Ok(Self { session, shared, at: at.into() })
    }

    /// The disk as it is now.
    pub(super) fn disk(&self) -> Disk {
        lock(&self.shared).disk.clone()
    }

    /// Does something to the disk that the kernel need not know of.
    pub(super) fn with<T>(&self, act: impl FnOnce(&mut Disk) -> T) -> T {
        act(&mut lock(&self.shared).disk)
    }

    /// Takes `most` copies of the disk, at random moments between changes, until [`Self::taken`] is called.
    pub(super) fn take(&self, most: usize, rng: Rng) {
        lock(&self.shared).taker = Some(Taker { rng, most, passed: 0, taken: Vec::new() });
    }

    /// The copies, and at how many moments one could have been taken.
    pub(super) fn taken(&self) -> (Vec<Disk>, usize) {
        let taker = lock(&self.shared).taker.take();
        taker.map_or((Vec::new(), 0), |taker| (taker.taken, taker.passed))
    }

    /// Unmounts it, and gives it back. Nothing may have a file of it open.
    pub(super) fn unmount(self) -> io::Result<Disk> {
        match self.session.umount_and_join() {
            // Who reads from a connection may see its end in this way, too. All that was written is there, if it is unmounted.
            Err(error)
                if error.raw_os_error() == Some(rustix::io::Errno::CONNABORTED.raw_os_error())
                    && !is_mounted(&self.at)? => {}
            ended => ended?,
        }
        Ok(self.shared.lock().unwrap_or_else(PoisonError::into_inner).disk.clone())
    }
}

/// Whether something is mounted at a directory: it lies on another device than the one above it.
fn is_mounted(at: &Path) -> io::Result<bool> {
    let device = |of: &Path| of.metadata().map(|facts| facts.dev());
    Ok(device(at)? != device(&at.join(".."))?)
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Before each change: the disk may be taken as it is.
    fn passes(&mut self) {
        let Some(taker) = &mut self.taker else { return };
        taker.passed += 1;
        if taker.taken.len() < taker.most {
            taker.taken.push(self.disk.clone());
            return;
        }
        let place = taker.rng.usize(..taker.passed);
        if let Some(taken) = taker.taken.get_mut(place) {
            *taken = self.disk.clone();
        }
    }
}

impl Layer {
    /// Asks the disk.
    fn ask<T>(&self, ask: impl FnOnce(&Disk) -> Result<T, rustix::io::Errno>) -> Result<T, Errno> {
        ask(&lock(&self.0).disk).map_err(errno)
    }

    /// Changes the disk.
    fn change<T>(&self, change: impl FnOnce(&mut Disk) -> Result<T, rustix::io::Errno>) -> Result<T, Errno> {
        let mut shared = lock(&self.0);
        shared.passes();
        change(&mut shared.disk).map_err(errno)
    }
}

fn errno(errno: rustix::io::Errno) -> Errno {
    Errno::from_i32(errno.raw_os_error())
}

fn attributes(facts: &Facts) -> FileAttr {
    let (kind, links) = match facts.is_directory {
        true => (FileType::Directory, 2),
        false => (FileType::RegularFile, 1),
    };
    FileAttr {
        ino: INodeNo(facts.inode),
        size: facts.bytes,
        blocks: facts.bytes.div_ceil(512),
        atime: facts.times.modified,
        mtime: facts.times.modified,
        ctime: facts.times.changed,
        crtime: facts.times.changed,
        kind,
        perm: 0o755,
        nlink: links,
        uid: rustix::process::getuid().as_raw(),
        gid: rustix::process::getgid().as_raw(),
        rdev: 0,
        flags: 0,
        blksize: BLOCK_BYTES,
    }
}

fn entry(facts: Result<Facts, Errno>, reply: ReplyEntry) {
    match facts {
        Ok(facts) => reply.entry(&KEPT, &attributes(&facts), Generation(0)),
        Err(errno) => reply.error(errno),
    }
}

fn empty(done: Result<(), Errno>, reply: ReplyEmpty) {
    match done {
        Ok(()) => reply.ok(),
        Err(errno) => reply.error(errno),
    }
}

fn time(time: TimeOrNow) -> SystemTime {
    match time {
        TimeOrNow::SpecificTime(time) => time,
        TimeOrNow::Now => SystemTime::now(),
    }
}

impl Filesystem for Layer {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        entry(self.ask(|disk| disk.lookup(parent.into(), name)), reply);
    }

    fn getattr(&self, _: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.ask(|disk| disk.facts(inode.into())) {
            Ok(facts) => reply.attr(&KEPT, &attributes(&facts)),
            Err(errno) => reply.error(errno),
        }
    }

    fn setattr(
        &self,
        _: &Request,
        inode: INodeNo,
        _: Option<u32>,
        _: Option<u32>,
        _: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        modified: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let (inode, now) = (u64::from(inode), SystemTime::now());
        let changed = self.change(|disk| {
            if let Some(size) = size {
                disk.resize(inode, size, now)?;
            }
            if let Some(modified) = modified {
                disk.set_times(inode, Times { modified: time(modified), changed: now })?;
            }
            disk.facts(inode)
        });
        match changed {
            Ok(facts) => reply.attr(&KEPT, &attributes(&facts)),
            Err(errno) => reply.error(errno),
        }
    }

    fn mkdir(&self, _: &Request, parent: INodeNo, name: &OsStr, _: u32, _: u32, reply: ReplyEntry) {
        entry(self.change(|disk| disk.make_directory(parent.into(), name, SystemTime::now())), reply);
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        empty(self.change(|disk| disk.remove(parent.into(), name)), reply);
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        empty(self.change(|disk| disk.remove(parent.into(), name)), reply);
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        new_parent: INodeNo,
        new_name: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let replaces = !flags.contains(RenameFlags::RENAME_NOREPLACE);
        let (from, to) = ((parent.into(), name), (new_parent.into(), new_name));
        empty(self.change(|disk| disk.rename(from, to, replaces)), reply);
    }

    fn create(&self, _: &Request, parent: INodeNo, name: &OsStr, _: u32, _: u32, _: i32, reply: ReplyCreate) {
        match self.change(|disk| disk.create(parent.into(), name, SystemTime::now())) {
            Ok(facts) => {
                let keep = FopenFlags::FOPEN_KEEP_CACHE;
                reply.created(&KEPT, &attributes(&facts), Generation(0), FileHandle(0), keep);
            }
            Err(errno) => reply.error(errno),
        }
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        reply.opened(FileHandle(0), FopenFlags::FOPEN_KEEP_CACHE);
    }

    fn read(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match lock(&self.0).disk.read(inode.into(), offset, size as usize) {
            Ok(bytes) => reply.data(bytes),
            Err(error) => reply.error(errno(error)),
        }
    }

    fn write(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        flags: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        // What was written to mapped memory has its room already.
        let is_new = !flags.contains(WriteFlags::FUSE_WRITE_CACHE);
        let now = SystemTime::now();
        match self.change(|disk| disk.write(inode.into(), offset, data, is_new, now)) {
            Ok(()) => reply.written(data.len() as u32),
            Err(errno) => reply.error(errno),
        }
    }

    fn fsync(&self, _: &Request, inode: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        empty(self.change(|disk| disk.sync(inode.into())), reply);
    }

    fn fsyncdir(&self, _: &Request, inode: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        empty(self.change(|disk| disk.sync(inode.into())), reply);
    }

    fn readdir(&self, _: &Request, inode: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let shared = lock(&self.0);
        let names = match shared.disk.list(inode.into()) {
            Ok(names) => names,
            Err(error) => {
                reply.error(errno(error));
                return;
            }
        };
        for (place, (name, inode)) in names.enumerate().skip(offset as usize) {
            let is_directory = shared.disk.facts(inode).is_ok_and(|facts| facts.is_directory);
            let kind = if is_directory { FileType::Directory } else { FileType::RegularFile };
            if reply.add(INodeNo(inode), place as u64 + 1, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        reply.statfs(BLOCKS, BLOCKS, BLOCKS, BLOCKS, BLOCKS, BLOCK_BYTES, 255, BLOCK_BYTES);
    }
}
