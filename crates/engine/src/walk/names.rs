//! The names of one directory, and what they stand for.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use hashlane_sort::Spill;
use rustix::fs::{AtFlags, FileType, statat};

/// Bytes of an inode in memory and in temporary files.
const INODE_BYTES: usize = size_of::<u64>();

/// The names of one directory: gathered, sorted, handed out one by one.
///
/// A key is the name, with a `/` behind a directory's, a linked one's too: that alone makes the order right. In memory a NUL
/// follows, which the system wants behind a name.
pub(super) struct Names {
    keys: Vec<u8>,
    /// Where each key lies in `keys`, and what it names.
    index: Vec<Key>,
    next: usize,
    budget: usize,
    /// What exceeds the budget goes to a temporary file, and is not refused.
    may_spill: bool,
    spill: Option<Spill>,
    /// Whether each key and its NUL are followed by the eight bytes of its inode.
    with_inodes: bool,
}

/// A name as it leaves.
pub(super) struct Named {
    pub(super) name: Arc<CStr>,
    pub(super) kind: Kind,
    /// Its number on the device; 0 if that is not kept.
    pub(super) inode: u64,
}

#[derive(Clone, Copy)]
struct Key {
    start: u32,
    length: u16,
    kind: Kind,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Directory,
    File,
    /// Behind a symbolic link that is followed, as the next.
    LinkedDirectory,
    LinkedFile,
    Fifo,
    Block,
    Char,
    Socket,
    Symlink,
    /// The system does not say.
    Unknown,
}

impl Names {
    pub(super) fn new(budget: usize, with_inodes: bool) -> Self {
        Self {
            keys: Vec::new(),
            index: Vec::new(),
            next: 0,
            budget,
            may_spill: true,
            spill: None,
            with_inodes,
        }
    }

    /// Names for which there is only this much memory: one more is an error.
    pub(super) fn in_memory(budget: usize) -> Self {
        Self { may_spill: false, ..Self::new(budget, false) }
    }

    /// The next directories, at most `count`, as far as they are near and in memory.
    pub(super) fn next_directories(&self, count: usize) -> impl Iterator<Item = CString> {
        /// Names that are looked at: a directory may have as many files as it likes.
        const NEAR: usize = 1024;
        let near = self.index.iter().skip(self.next).take(NEAR);
        let directories = near.filter(|key| key.kind.is_directory()).take(count);
        directories.filter_map(|key| CString::new(key.of(&self.keys).strip_suffix(b"/")?).ok())
    }

    /// Whether there was no name, as long as none is taken out.
    pub(super) fn is_empty(&self) -> bool {
        self.index.is_empty() && self.spill.is_none()
    }

    pub(super) fn add(
        &mut self,
        name: &[u8],
        kind: Kind,
        inode: u64,
        spill_directory: &Path,
    ) -> io::Result<()> {
        if self.memory() + name.len() + 2 + INODE_BYTES > self.budget {
            if !self.may_spill {
                return Err(io::ErrorKind::OutOfMemory.into());
            }
            self.spill(spill_directory)?;
        }
        let start = u32::try_from(self.keys.len()).map_err(io::Error::other)?;
        self.keys.extend_from_slice(name);
        if kind.is_directory() {
            self.keys.push(b'/');
        }
        let length = u16::try_from(self.keys.len() - start as usize).map_err(io::Error::other)?;
        self.keys.push(0);
        if self.with_inodes {
            self.keys.extend_from_slice(&inode.to_ne_bytes());
        }
        self.index.push(Key { start, length, kind });
        Ok(())
    }

    pub(super) fn sort(&mut self, spill_directory: &Path) -> io::Result<()> {
        if self.spill.is_some() {
            self.spill(spill_directory)?;
            self.keys = Vec::new();
            self.index = Vec::new();
        } else {
            self.sort_in_memory();
            self.keys.shrink_to_fit();
            self.index.shrink_to_fit();
        }
        Ok(())
    }

    fn sort_in_memory(&mut self) {
        let keys = &self.keys;
        self.index.sort_unstable_by(|a, b| a.of(keys).cmp(b.of(keys)));
    }

    /// Writes what is gathered to the temporary file as one sorted run.
    fn spill(&mut self, directory: &Path) -> io::Result<()> {
        self.sort_in_memory();
        let payload = |key: &Key| {
            let mut payload = [key.kind as u8; 1 + INODE_BYTES];
            payload[1..].copy_from_slice(&self.inode(*key).to_ne_bytes());
            payload
        };
        let payloads: Vec<_> = self.index.iter().map(payload).collect();
        let spill = match &mut self.spill {
            Some(spill) => spill,
            None => self.spill.insert(Spill::new(directory)?),
        };
        let length = if self.with_inodes { 1 + INODE_BYTES } else { 1 };
        let pairs =
            self.index.iter().zip(&payloads).map(|(key, payload)| (key.of(&self.keys), &payload[..length]));
        spill.add(pairs)?;
        self.keys.clear();
        self.index.clear();
        Ok(())
    }

    pub(super) fn next(&mut self) -> io::Result<Option<Named>> {
        if let Some(spill) = &mut self.spill {
            let Some((key, payload)) = spill.first() else { return Ok(None) };
            let kind = Kind::decode(payload.first().copied());
            let inode = payload.get(1..).map_or(0, decode_inode);
            let name = if kind.is_directory() { &key[..key.len() - 1] } else { key };
            let name = CString::new(name).map_err(io::Error::other)?.into();
            spill.drop_first()?;
            return Ok(Some(Named { name, kind, inode }));
        }
        let Some(&key) = self.index.get(self.next) else { return Ok(None) };
        self.next += 1;
        Ok(Some(Named { name: self.name(key)?, kind: key.kind, inode: self.inode(key) }))
    }

    /// The name of a key. Made for each file: it takes one allocation.
    fn name(&self, key: Key) -> io::Result<Arc<CStr>> {
        let bytes = key.of(&self.keys);
        if let Some(name) = bytes.strip_suffix(b"/") {
            return Ok(CString::new(name).map_err(io::Error::other)?.into());
        }
        let end = key.start as usize + bytes.len();
        let name = CStr::from_bytes_with_nul(&self.keys[key.start as usize..=end]);
        Ok(name.map_err(io::Error::other)?.into())
    }

    /// The inode that a key is followed by; 0 if it is not.
    fn inode(&self, key: Key) -> u64 {
        let end = key.start as usize + usize::from(key.length) + 1;
        if self.with_inodes { decode_inode(&self.keys[end..]) } else { 0 }
    }

    pub(super) fn memory(&self) -> usize {
        self.keys.len() + self.index.len() * size_of::<Key>()
    }
}

/// The inode at the beginning of some bytes; 0 if there are too few.
fn decode_inode(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes))
}

impl Key {
    fn of(self, keys: &[u8]) -> &[u8] {
        &keys[self.start as usize..][..usize::from(self.length)]
    }
}

impl Kind {
    const ALL: [Self; 10] = [
        Self::Directory,
        Self::File,
        Self::LinkedDirectory,
        Self::LinkedFile,
        Self::Fifo,
        Self::Block,
        Self::Char,
        Self::Socket,
        Self::Symlink,
        Self::Unknown,
    ];

    /// From the type that the listing gives, or from the file itself where that is not enough.
    pub(super) fn of(directory: &OwnedFd, name: &CStr, listed: FileType, follow: bool) -> Self {
        let look_up = |flags| match statat(directory, name, flags) {
            Ok(stat) => FileType::from_raw_mode(stat.st_mode),
            Err(_) => FileType::Unknown,
        };
        let file_type = match listed {
            FileType::Unknown => look_up(AtFlags::SYMLINK_NOFOLLOW),
            known => known,
        };
        let linked = follow && file_type == FileType::Symlink;
        match if linked { look_up(AtFlags::empty()) } else { file_type } {
            FileType::Directory if linked => Self::LinkedDirectory,
            FileType::Directory => Self::Directory,
            FileType::RegularFile if linked => Self::LinkedFile,
            FileType::RegularFile => Self::File,
            FileType::Symlink => Self::Symlink,
            FileType::Unknown => Self::Unknown,
            FileType::Fifo => Self::Fifo,
            FileType::BlockDevice => Self::Block,
            FileType::CharacterDevice => Self::Char,
            _ => Self::Socket,
        }
    }

    fn is_directory(self) -> bool {
        matches!(self, Self::Directory | Self::LinkedDirectory)
    }

    fn decode(code: Option<u8>) -> Self {
        code.and_then(|code| Self::ALL.get(usize::from(code)).copied()).unwrap_or(Self::Unknown)
    }
}
