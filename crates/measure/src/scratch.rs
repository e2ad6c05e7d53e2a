//! Files of a measurement: one large file without a name, and a tree of small ones.
//!
//! A good guest: at most a tenth of the free space and a quarter of the memory is taken. The large file is unlinked when it
//! is made and vanishes with the process, however that ends. The tree needs names, see [`hashlane_io::locked_directory`].

use std::fs::File;
use std::io::{self, Seek as _, SeekFrom};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hashlane_io::{
    CacheUnseen, Content, OpenFile, Sizes, TreePlan, evict, forget, locked_directory, nameless_file,
    resident_bytes, unwritten_bytes,
};
use tempfile::TempDir;

use crate::cell::CacheState;
use crate::machine::{Machine, Place};

/// How many bytes may be taken, and what limits them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Bytes for all files together.
    pub bytes: u64,
    /// Why it is not more.
    pub reason: &'static str,
}

/// Why files may not take more where it is memory that they would take too much of.
const OF_MEMORY: &str = "an eighth of the free memory";

impl Allowance {
    /// Whether it would be more with more memory.
    pub fn is_of_memory(&self) -> bool {
        self.reason == OF_MEMORY
    }

    /// A tenth of the free space or an eighth of the free memory, whichever is less. Another eighth is for memory itself to
    /// be measured.
    pub fn at(place: &Place, machine: &Machine) -> Self {
        let (space, memory) = (place.free_bytes / 10, machine.free_memory_bytes() / 8);
        if space <= memory {
            Self { bytes: space, reason: "a tenth of the free space" }
        } else {
            Self { bytes: memory, reason: OF_MEMORY }
        }
    }
}

/// What a device does, by a short look: enough to say how long something will take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceRates {
    /// Bytes a second that are written until they are on the device.
    pub write: f64,
    /// Bytes a second that are read back, from the device if the page cache can be made to forget them.
    pub read: f64,
}

impl DeviceRates {
    /// Writes a file in `directory`, reads it, and leaves nothing.
    ///
    /// # Errors
    /// What the system says: no space, no right to write.
    pub fn look(directory: &Path) -> io::Result<Self> {
        const BYTES: u64 = 32 << 20;
        let rate = |begun: Instant| BYTES as f64 / begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        let file = LargeFile::create(directory, BYTES, Duration::MAX, 1)?;
        let write = rate(begun);
        // Whether it has gone does not matter for an estimate.
        _ = file.evict()?;
        let begun = Instant::now();
        io::copy(&mut file.open()?, &mut io::sink())?;
        Ok(Self { write, read: rate(begun) })
    }
}

/// A large file, without a name unless it was given one.
#[derive(Debug)]
pub struct LargeFile {
    file: File,
    bytes: u64,
    /// Bytes of it that no medium holds: holes, and what was set aside and never written.
    unwritten_bytes: u64,
    name: Option<PathBuf>,
}

/// A directory for files that other programs are to read by their names. Removed, with all that is in it, when it is dropped.
#[derive(Debug)]
pub struct NamedFiles {
    directory: TempDir,
    _lock: File,
}

impl NamedFiles {
    /// Makes it in a directory.
    ///
    /// # Errors
    /// What the system says.
    pub fn create(directory: &Path) -> io::Result<Self> {
        // Programs may be started elsewhere: the names have to be whole.
        let (directory, lock) = locked_directory(&std::path::absolute(directory)?)?;
        Ok(Self { directory, _lock: lock })
    }

    /// What a file in it is called, whether it is there or not.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Makes a file in it, filled with what does not compress, written to the device.
    ///
    /// # Errors
    /// What the system says: no space, no right to write.
    pub fn add(&self, name: &str, bytes: u64, seed: u64) -> io::Result<LargeFile> {
        let file = self.add_written(name, |file| Content::seeded(seed).write(file, 0..bytes))?;
        file.file.sync_all()?;
        Ok(file)
    }

    /// Makes a file in it, as `write` does. What is written may still be on its way to the device.
    ///
    /// # Errors
    /// What the system says: no space, no right to write.
    pub(crate) fn add_written(
        &self,
        name: &str,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<LargeFile> {
        let path = self.path(name);
        let mut file = File::options().read(true).write(true).create_new(true).open(&path)?;
        write(&mut file)?;
        let bytes = file.metadata()?.len();
        Ok(LargeFile { file, bytes, unwritten_bytes: 0, name: Some(path) })
    }
}

impl LargeFile {
    /// A file that is there. No more than its first `most_bytes` count.
    ///
    /// # Errors
    /// What the system says.
    pub fn existing(path: &Path, most_bytes: u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        // A device has no length but its end.
        let bytes = file.seek(SeekFrom::End(0))?.min(most_bytes);
        // What waits to be written for the first time has no place yet. What cannot be synced has nothing that waits.
        _ = file.sync_data();
        let unwritten_bytes = unwritten_bytes(file.as_fd(), bytes)?;
        Ok(Self { file, bytes, unwritten_bytes, name: Some(path.to_owned()) })
    }

    /// Makes it in a directory, filled with what does not compress, written to the device. At most `bytes` long, and only
    /// as long as can be written in about `time`: half of that, a quarter, ... on a slow device.
    ///
    /// # Errors
    /// What the system says: no space, no right to write.
    pub fn create(directory: &Path, bytes: u64, time: Duration, seed: u64) -> io::Result<Self> {
        let mut file = nameless_file(directory)?;
        let content = Content::seeded(seed);
        let start = Instant::now();
        // What a device does with the first megabytes says little of the rest, so it is doubled until it is long enough.
        let mut length = Self::first_step(bytes);
        content.write(&mut file, 0..length)?;
        file.sync_all()?;
        while length < bytes && start.elapsed() * 2 <= time {
            content.write(&mut file, length..length * 2)?;
            file.sync_all()?;
            length *= 2;
        }
        Ok(Self { file, bytes: length, unwritten_bytes: 0, name: None })
    }

    /// The largest length of at most `bytes` that [`Self::create`] reaches step by step.
    pub(crate) fn stepped(bytes: u64) -> u64 {
        /// No page is cut.
        const LEAST: u64 = 4 << 10;
        let step = if bytes > 16 << 20 { 1 << (bytes.ilog2() - 4) } else { LEAST.min(bytes.max(1)) };
        bytes / step * step
    }

    /// The largest length of at most 16 MiB that doubles to `bytes`.
    fn first_step(bytes: u64) -> u64 {
        let mut step = bytes;
        while step > 16 << 20 && step.is_multiple_of(2) {
            step /= 2;
        }
        step
    }

    /// Its length in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes of it that no medium holds: holes, and what was set aside for it and never written.
    pub fn unwritten_bytes(&self) -> u64 {
        self.unwritten_bytes
    }

    /// Its name, or a path by which this process can open it although it has none.
    pub fn path(&self) -> PathBuf {
        if let Some(name) = &self.name {
            return name.clone();
        }
        PathBuf::from(format!("/proc/self/fd/{}", self.file.as_raw_fd()))
    }

    /// Opens it anew, with an open file description of its own.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(&self) -> io::Result<File> {
        File::open(self.path())
    }

    /// The file itself.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Makes the page cache forget it. Returns the bytes that are in the cache afterwards, or why that cannot be seen.
    ///
    /// # Errors
    /// What the system says.
    pub fn evict(&self) -> io::Result<Result<u64, CacheUnseen>> {
        evict(self.file.as_fd())?;
        Ok(self.look())
    }

    /// What it is called when it was read a moment ago: warm, or unknown where that cannot be seen.
    pub fn when_read(&self) -> CacheState {
        if self.resident_bytes().is_some() { CacheState::Warm } else { CacheState::Unknown }
    }

    /// Bytes of it that are in the page cache, if that can be seen.
    pub fn resident_bytes(&self) -> Option<u64> {
        self.look().ok()
    }

    /// Bytes of it that are in the page cache, in whole pages.
    ///
    /// # Errors
    /// Why that cannot be seen.
    pub(crate) fn look(&self) -> Result<u64, CacheUnseen> {
        resident_bytes(self.file.as_fd(), self.bytes)
    }

    /// Whether its file system promises that reading past the page cache goes to a device.
    pub(crate) fn promises_direct(&self) -> bool {
        let opened = self.open().and_then(|file| OpenFile::new(file.into()));
        opened.is_ok_and(|file| file.promises_direct())
    }
}

/// A tree of small files. Removed when it is dropped.
#[derive(Debug)]
pub struct SmallFiles {
    directory: TempDir,
    plan: TreePlan,
    bytes: u64,
    _lock: File,
}

impl SmallFiles {
    /// Makes `files` files, half of them smaller than 5 KiB, as the files of people are.
    ///
    /// # Errors
    /// What the system says.
    pub fn create(directory: &Path, files: u64, seed: u64) -> io::Result<Self> {
        Self::planned(directory, Self::plan(files, seed))
    }

    /// Makes `files` files of one size.
    ///
    /// # Errors
    /// What the system says.
    pub fn of_one_size(directory: &Path, files: u64, bytes: u64, seed: u64) -> io::Result<Self> {
        Self::planned(directory, TreePlan { seed, files, sizes: Sizes::Fixed(bytes), per_directory: 1_000 })
    }

    fn planned(directory: &Path, plan: TreePlan) -> io::Result<Self> {
        let (directory, lock) = locked_directory(directory)?;
        let bytes = plan.create(&directory.path().join("tree"))?;
        // Now, and not while something else is being timed.
        rustix::fs::syncfs(&lock)?;
        Ok(Self { directory, plan, bytes, _lock: lock })
    }

    /// The root of the tree.
    pub fn root(&self) -> PathBuf {
        self.directory.path().join("tree")
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The size that all of them have; none if they differ.
    pub fn one_size(&self) -> Option<u64> {
        match self.plan.sizes {
            Sizes::Fixed(bytes) => Some(bytes),
            Sizes::LogNormal { .. } => None,
        }
    }

    /// Makes the page cache forget the contents of all files. Returns the bytes that are in the cache afterwards, or why that
    /// cannot be seen. Names and inodes stay where they are.
    ///
    /// # Errors
    /// What the system says.
    pub fn evict(&self) -> io::Result<Result<u64, CacheUnseen>> {
        let mut left = Ok(0);
        for planned in self.plan.files().filter(|planned| planned.size_bytes > 0) {
            let file = OpenFile::new(File::open(self.root().join(&planned.path))?.into())?;
            // They were written to the device when they were made, and nobody has changed them.
            forget(&file, 0, None);
            left = left.and_then(|left| Ok(left + resident_bytes(file.as_fd(), planned.size_bytes)?));
        }
        Ok(left)
    }

    fn plan(files: u64, seed: u64) -> TreePlan {
        let sizes =
            Sizes::LogNormal { median_bytes: 5 << 10, sigma_thousandths: 1_500, largest_bytes: 1 << 20 };
        TreePlan { seed, files, sizes, per_directory: 1_000 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_large_file_has_no_name_and_can_be_opened() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let large = LargeFile::create(directory.path(), 100_000, Duration::ZERO, 1).expect("there is room");
        assert_eq!(std::fs::read_dir(directory.path()).expect("list").count(), 0);
        assert_eq!(std::fs::read(large.path()).expect("it can be read").len(), 100_000);
        assert_eq!(large.open().expect("it is there").metadata().expect("facts").len(), 100_000);
    }

    #[test]
    fn a_large_file_is_as_long_as_the_device_is_fast() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let length = |time| {
            let large = LargeFile::create(directory.path(), 96 << 20, time, 1).expect("there is room");
            assert_eq!(large.open().expect("it is there").metadata().expect("facts").len(), large.bytes());
            large.bytes()
        };
        assert_eq!(length(Duration::ZERO), 12 << 20);
        assert_eq!(length(Duration::MAX), 96 << 20);
    }

    #[test]
    fn a_tree_is_gone_when_it_is_dropped() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let small = SmallFiles::create(directory.path(), 50, 1).expect("there is room");
        assert!(small.bytes() > 0 && small.root().is_dir());
        drop(small);
        assert_eq!(std::fs::read_dir(directory.path()).expect("list").count(), 0);
    }

    #[test]
    fn a_guest_takes_little() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut place = Place::describe(directory.path()).expect("it is there");
        let mut machine = Machine::describe();
        place.free_bytes = 1_000;
        machine.memory_available_bytes = Some(1 << 40);
        assert_eq!(Allowance::at(&place, &machine).bytes, 100);
        assert!(!Allowance::at(&place, &machine).is_of_memory());
        place.free_bytes = 1 << 50;
        machine.limits.memory_bytes = Some(4_000);
        assert_eq!(Allowance::at(&place, &machine).bytes, 500);
        assert!(Allowance::at(&place, &machine).is_of_memory());
    }
}
