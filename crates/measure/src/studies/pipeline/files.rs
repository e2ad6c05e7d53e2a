//! The files that are read and digested: made for it, or those of a directory.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use hashlane_record::system_text;

use crate::cell::CacheState;
use crate::probes::{prepare, still_warm};
use crate::sampler::NotPossible;
use crate::scratch::{LargeFile, NamedFiles};

/// A file and its length when it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Planned {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
}

/// Files that are read one after the other.
#[derive(Debug)]
pub(super) struct FileSet {
    pub(super) files: Vec<Planned>,
    /// Bytes of all of them.
    pub(super) bytes: u64,
    /// Files of the directory that are not among them.
    pub(super) left_out: u64,
    _named: Option<NamedFiles>,
}

impl FileSet {
    /// Makes a number of files of one size, which are gone with it; none if somebody stops it before they are all there.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn create(
        directory: &Path,
        count: u64,
        bytes: u64,
        seed: u64,
        stops: &dyn Fn() -> bool,
    ) -> io::Result<Option<Self>> {
        let named = NamedFiles::create(directory)?;
        let mut files = Vec::new();
        for number in 0..count {
            if stops() {
                return Ok(None);
            }
            let name = format!("file-{number:05}");
            drop(named.add(&name, bytes, seed.wrapping_add(number))?);
            files.push(Planned { path: named.path(&name), bytes });
        }
        Ok(Some(Self { files, bytes: count * bytes, left_out: 0, _named: Some(named) }))
    }

    /// The files below a directory in order of their names, those that fit into `most_bytes` with the ones before. Links
    /// are not followed; empty files are left out, and so is what cannot be opened.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub(super) fn of(directory: &Path, most_bytes: u64) -> io::Result<Self> {
        let mut found = Vec::new();
        list(directory, &mut found)?;
        let mut set = Self { files: Vec::new(), bytes: 0, left_out: 0, _named: None };
        for planned in found {
            if planned.bytes > most_bytes - set.bytes || File::open(&planned.path).is_err() {
                set.left_out += 1;
                continue;
            }
            set.bytes += planned.bytes;
            set.files.push(planned);
        }
        Ok(set)
    }

    /// What it is called when it was read a moment ago.
    pub(super) fn when_read(&self) -> CacheState {
        let first = self.files.first().and_then(|first| LargeFile::existing(&first.path, first.bytes).ok());
        first.map_or(CacheState::Unknown, |first| first.when_read())
    }

    /// Brings all files into a state of the page cache, and proves it. Returns the bytes that are in the cache.
    pub(super) fn prepare(&self, cache: CacheState) -> Result<Option<u64>, NotPossible> {
        let mut resident = Some(0);
        for planned in &self.files {
            let of_one = prepare(&planned.open()?, cache)?;
            resident = resident.zip(of_one).map(|(all, one)| all + one);
        }
        // Where there is no room for all, the last ones have driven out the first ones.
        self.confirm(cache, false)?;
        Ok(resident)
    }

    /// Whether files that were read warm came from the page cache.
    pub(super) fn confirm(&self, cache: CacheState, from_cache: bool) -> Result<(), NotPossible> {
        if cache != CacheState::Warm || from_cache {
            return Ok(());
        }
        self.files.iter().try_for_each(|planned| still_warm(&planned.open()?, cache, from_cache))
    }
}

impl Planned {
    fn open(&self) -> Result<LargeFile, NotPossible> {
        LargeFile::existing(&self.path, self.bytes)
            .map_err(|error| NotPossible::Broken(format!("{}: {}", self.path.display(), system_text(&error))))
    }
}

/// The files below a directory, in order of their names. What is below and cannot be read is passed over.
fn list(directory: &Path, found: &mut Vec<Planned>) -> io::Result<()> {
    let mut entries = std::fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            // The one that was named is there; one below may be forbidden.
            _ = list(&entry.path(), found);
        } else if kind.is_file()
            && let Ok(facts) = entry.metadata()
            && facts.len() > 0
        {
            found.push(Planned { path: entry.path(), bytes: facts.len() });
        }
    }
    Ok(())
}

/// Reads a whole block, or up to the end of what was planned.
///
/// # Errors
/// What the system says, and a file that has become shorter.
pub(super) fn fill(file: &mut File, block: &mut [u8], left: u64) -> io::Result<usize> {
    let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(block.len());
    file.read_exact(&mut block[..wanted])?;
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_were_made_are_gone_with_the_set() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        assert!(FileSet::create(directory.path(), 3, 1_000, 1, &|| true).expect("there is room").is_none());
        assert_eq!(std::fs::read_dir(directory.path()).expect("list").count(), 0);
        let set = FileSet::create(directory.path(), 3, 1_000, 1, &|| false).expect("there is room");
        let set = set.expect("nobody stops it");
        assert_eq!((set.files.len(), set.bytes), (3, 3_000));
        let contents: Vec<_> =
            set.files.iter().map(|file| std::fs::read(&file.path).expect("it is there")).collect();
        assert!(contents.iter().all(|content| content.len() == 1_000) && contents[0] != contents[1]);
        drop(set);
        assert_eq!(std::fs::read_dir(directory.path()).expect("list").count(), 0);
    }

    #[test]
    fn a_directory_is_taken_in_order_as_far_as_there_is_room() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir(at("b")).expect("a directory");
        std::os::unix::fs::symlink("a", at("link")).expect("a link");
        for (name, bytes) in [("c", 50), ("b/x", 600), ("a", 300), ("empty", 0)] {
            std::fs::write(at(name), vec![1; bytes]).expect("there is room");
        }
        let set = FileSet::of(directory.path(), 400).expect("it can be read");
        let names: Vec<_> = set.files.iter().map(|file| file.path.clone()).collect();
        assert_eq!((names, set.bytes, set.left_out), (vec![at("a"), at("c")], 350, 1));
        assert!(FileSet::of(&at("nowhere"), 1).is_err());
    }
}
