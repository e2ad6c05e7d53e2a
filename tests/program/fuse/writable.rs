//! A FUSE file system in memory that can be written to: as much of one as measuring needs.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{
    BackgroundSession, BsdFileFlags, Config, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags,
    Generation, INodeNo, LockOwner, MountOption, OpenFlags, ReplyAttr, ReplyCreate, ReplyData,
    ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow,
    WriteFlags,
};

/// How long the kernel may keep what it was given: nobody else changes it.
const KEPT: Duration = Duration::from_secs(3_600);

/// Room as it is reported. Measuring takes a tenth of it.
const BLOCKS: u64 = 400_000;
const BLOCK_BYTES: u32 = 4_096;

/// Files and directories by inode.
#[derive(Debug)]
pub(super) struct Writable(Mutex<Nodes>);

#[derive(Debug)]
struct Nodes {
    all: BTreeMap<u64, Node>,
    next: u64,
}

#[derive(Debug)]
struct Node {
    content: Content,
    /// Whether a directory has it.
    named: bool,
}

#[derive(Debug)]
enum Content {
    Directory(BTreeMap<OsString, u64>),
    File(Vec<u8>),
}

impl Writable {
    /// Mounts an empty one; it is there until what is returned is dropped.
    pub(super) fn mount(at: &Path) -> std::io::Result<BackgroundSession> {
        let root = Node { content: Content::Directory(BTreeMap::new()), named: true };
        let nodes = Nodes { all: BTreeMap::from([(INodeNo::ROOT.into(), root)]), next: 2 };
        let mut options = Config::default();
        options.mount_options = vec![MountOption::FSName("writable".to_owned())];
        fuser::spawn_mount(Self(Mutex::new(nodes)), at, &options)
    }

    fn nodes(&self) -> MutexGuard<'_, Nodes> {
        self.0.lock().expect("nobody panics with it")
    }
}

impl Nodes {
    fn directory(&mut self, inode: INodeNo) -> Result<&mut BTreeMap<OsString, u64>, Errno> {
        match self.all.get_mut(&inode.into()) {
            Some(Node { content: Content::Directory(names), .. }) => Ok(names),
            _ => Err(Errno::ENOTDIR),
        }
    }

    fn file(&mut self, inode: INodeNo) -> Result<&mut Vec<u8>, Errno> {
        match self.all.get_mut(&inode.into()) {
            Some(Node { content: Content::File(content), .. }) => Ok(content),
            _ => Err(Errno::EISDIR),
        }
    }

    fn add(&mut self, parent: INodeNo, name: &OsStr, content: Content) -> Result<FileAttr, Errno> {
        let inode = self.next;
        self.directory(parent)?.insert(name.to_owned(), inode);
        self.all.insert(inode, Node { content, named: true });
        self.next += 1;
        self.facts(INodeNo(inode))
    }

    /// Takes a name away. What it named goes when the kernel forgets it.
    fn remove(&mut self, parent: INodeNo, name: &OsStr) -> Result<(), Errno> {
        let inode = self.directory(parent)?.remove(name).ok_or(Errno::ENOENT)?;
        if let Some(node) = self.all.get_mut(&inode) {
            node.named = false;
        }
        Ok(())
    }

    fn facts(&self, inode: INodeNo) -> Result<FileAttr, Errno> {
        let node = self.all.get(&inode.into()).ok_or(Errno::ENOENT)?;
        let (kind, size) = match &node.content {
            Content::Directory(_) => (FileType::Directory, 0),
            Content::File(content) => (FileType::RegularFile, content.len() as u64),
        };
        Ok(FileAttr {
            ino: inode,
            size,
            blocks: size.div_ceil(512),
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind,
            perm: 0o755,
            nlink: u32::from(node.named),
            uid: 0,
            gid: 0,
            rdev: 0,
            flags: 0,
            blksize: BLOCK_BYTES,
        })
    }
}

fn entry(facts: Result<FileAttr, Errno>, reply: ReplyEntry) {
    match facts {
        Ok(facts) => reply.entry(&KEPT, &facts, Generation(0)),
        Err(errno) => reply.error(errno),
    }
}

fn attributes(facts: Result<FileAttr, Errno>, reply: ReplyAttr) {
    match facts {
        Ok(facts) => reply.attr(&KEPT, &facts),
        Err(errno) => reply.error(errno),
    }
}

fn empty(done: Result<(), Errno>, reply: ReplyEmpty) {
    match done {
        Ok(()) => reply.ok(),
        Err(errno) => reply.error(errno),
    }
}

impl Filesystem for Writable {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let mut nodes = self.nodes();
        let inode = nodes.directory(parent).and_then(|names| names.get(name).copied().ok_or(Errno::ENOENT));
        entry(inode.and_then(|inode| nodes.facts(INodeNo(inode))), reply);
    }

    fn forget(&self, _: &Request, inode: INodeNo, _: u64) {
        let mut nodes = self.nodes();
        if nodes.all.get(&inode.into()).is_some_and(|node| !node.named) {
            nodes.all.remove(&inode.into());
        }
    }

    fn getattr(&self, _: &Request, inode: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        attributes(self.nodes().facts(inode), reply);
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
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let mut nodes = self.nodes();
        let sized = match size {
            Some(size) => nodes.file(inode).map(|content| content.resize(size as usize, 0)),
            None => Ok(()),
        };
        attributes(sized.and_then(|()| nodes.facts(inode)), reply);
    }

    fn mkdir(&self, _: &Request, parent: INodeNo, name: &OsStr, _: u32, _: u32, reply: ReplyEntry) {
        entry(self.nodes().add(parent, name, Content::Directory(BTreeMap::new())), reply);
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        empty(self.nodes().remove(parent, name), reply);
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        empty(self.nodes().remove(parent, name), reply);
    }

    fn create(&self, _: &Request, parent: INodeNo, name: &OsStr, _: u32, _: u32, _: i32, reply: ReplyCreate) {
        match self.nodes().add(parent, name, Content::File(Vec::new())) {
            Ok(facts) => {
                reply.created(&KEPT, &facts, Generation(0), FileHandle(0), FopenFlags::FOPEN_KEEP_CACHE)
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
        match self.nodes().file(inode) {
            Ok(content) => {
                let from = content.len().min(offset as usize);
                reply.data(&content[from..content.len().min(from + size as usize)]);
            }
            Err(errno) => reply.error(errno),
        }
    }

    fn write(
        &self,
        _: &Request,
        inode: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        match self.nodes().file(inode) {
            Ok(content) => {
                let (from, to) = (offset as usize, offset as usize + data.len());
                content.resize(content.len().max(to), 0);
                content[from..to].copy_from_slice(data);
                reply.written(data.len() as u32);
            }
            Err(errno) => reply.error(errno),
        }
    }

    fn readdir(&self, _: &Request, inode: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let mut nodes = self.nodes();
        let names = nodes.directory(inode).cloned().unwrap_or_default();
        for (place, (name, inode)) in names.iter().enumerate().skip(offset as usize) {
            let is_file = nodes.file(INodeNo(*inode)).is_ok();
            let kind = if is_file { FileType::RegularFile } else { FileType::Directory };
            if reply.add(INodeNo(*inode), place as u64 + 1, kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        reply.statfs(BLOCKS, BLOCKS, BLOCKS, BLOCKS, BLOCKS, BLOCK_BYTES, 255, BLOCK_BYTES);
    }
}
