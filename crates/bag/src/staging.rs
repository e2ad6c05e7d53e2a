//! How a directory becomes a bag without a moment at which something could be lost.
//!
//! Everything new is made in a directory of its own inside, [`STAGING`]. What was there is moved by renaming
//! only:
//!
//! 1. each entry of DIR into `STAGING/data`,
//! 2. `STAGING/data` to `DIR/data`,
//! 3. the tag files from `STAGING/tags` to DIR, `bagit.txt` last.
//!
//! Before the first step the names of the tag files are written down. So whoever finds a STAGING knows how
//! far it came: no list, and nothing was moved; the list and no `bagit.txt` left to move, and the bag is
//! complete; else all steps are undone, in reverse. An undoing that is interrupted is taken up again in the
//! same way.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use hashlane_io::rename_new;
use hashlane_record::{shown_name, system_text};
use rustix::fs::{Access, FlockOperation, access, flock};
use rustix::io::Errno;

/// Where a bag is prepared, in the directory itself: so that moving is renaming.
pub const STAGING: &str = ".hashlane-bag.partial";

/// Says that DIR is not the payload's parent already: its entries are to be moved.
const MOVES: &str = "moves";

/// The names of the tag files, each ended by NUL; there once moving begins.
const NAMES: &str = "names";

/// The file that makes a directory a bag.
const DECLARATION: &str = "bagit.txt";

/// A bag in preparation.
#[derive(Debug)]
pub struct Staging {
    root: PathBuf,
    place: PathBuf,
}

/// What was found of an earlier run, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovered {
    /// There was none.
    Nothing,
    /// It had moved nothing; what it had prepared is gone.
    Cleared,
    /// What it had moved is where it was: this many entries.
    Restored(u64),
    /// It had all but ended: the bag is complete.
    Complete,
}

/// An error and the path that it is about.
#[derive(Debug, thiserror::Error)]
#[error("{}: {}", shown_name(.path.as_os_str().as_bytes()), system_text(.error))]
pub struct Failed {
    /// The path.
    pub path: PathBuf,
    /// What the system says.
    #[source]
    pub error: io::Error,
}

pub(crate) type Result<T> = std::result::Result<T, Failed>;

/// Puts the path beside an error.
pub(crate) fn at<T>(path: &Path, result: io::Result<T>) -> Result<T> {
    result.map_err(|error| Failed { path: path.to_owned(), error })
}

impl Staging {
    /// That of a directory, whether or not it is there.
    pub fn of(root: &Path) -> Self {
        Self { root: root.to_owned(), place: root.join(STAGING) }
    }

    /// Locks the directory against other runs, as long as the file is open; nothing if another one is at it. A file system without locks
    /// cannot tell.
    ///
    /// # Errors
    /// The directory cannot be opened.
    pub fn lock(&self) -> Result<Option<File>> {
        let directory = at(&self.root, File::open(&self.root))?;
        let locked = flock(&directory, FlockOperation::NonBlockingLockExclusive);
        Ok((locked != Err(Errno::WOULDBLOCK)).then_some(directory))
    }

    /// Whether an earlier run has left one, or something else has its name.
    ///
    /// # Errors
    /// What the system says.
    pub fn is_there(&self) -> Result<bool> {
        match fs::symlink_metadata(&self.place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            found => at(&self.place, found.map(|_| true)),
        }
    }

    /// Makes it, empty. Where entries are to be moved, that they can be is looked at first: who may not write into a directory
    /// may not give it another one above it, and that would come out only when all is read.
    ///
    /// # Errors
    /// Something in the way, or an entry that cannot be moved.
    pub fn make(&self, moves: bool) -> Result<()> {
        for name in entries(&self.root)?.iter().filter(|_| moves) {
            let path = self.root.join(name);
            if fs::symlink_metadata(&path).is_ok_and(|facts| facts.is_dir()) {
                at(&path, access(&path, Access::WRITE_OK).map_err(io::Error::from))?;
            }
        }
        at(&self.place, fs::create_dir(&self.place))?;
        let tags = self.place.join("tags");
        at(&tags, fs::create_dir(&tags))?;
        if moves {
            let data = self.place.join("data");
            at(&data, fs::create_dir(&data))?;
            let marker = self.place.join(MOVES);
            at(&marker, File::create(&marker).and_then(|file| file.sync_all()))?;
        }
        Ok(())
    }

    /// Where a tag file is written.
    pub fn tag(&self, name: &str) -> PathBuf {
        self.place.join("tags").join(name)
    }

    /// Where all tag files are written.
    pub fn tags(&self) -> PathBuf {
        self.place.join("tags")
    }

    /// Makes the directory a bag. The tag files are complete and on the disk.
    ///
    /// # Errors
    /// A step failed; [`Staging::recover`] undoes those before it.
    pub fn commit(&self, names: &[String]) -> Result<()> {
        let list = self.place.join(NAMES);
        let written = File::create(&list).and_then(|mut file| {
            for name in names {
                file.write_all(name.as_bytes())?;
                file.write_all(b"\0")?;
            }
            file.sync_all()
        });
        at(&list, written)?;
        self.sync(&self.tags());
        self.sync(&self.place);
        if self.place.join(MOVES).exists() {
            self.move_payload()?;
        }
        let before = names.iter().filter(|name| *name != DECLARATION);
        for name in before {
            self.put(&self.tag(name), &self.root.join(name))?;
        }
        // All else has to be there if a power cut comes right after this one.
        self.sync(&self.root);
        self.put(&self.tag(DECLARATION), &self.root.join(DECLARATION))?;
        self.sync(&self.root);
        self.clear()
    }

    fn move_payload(&self) -> Result<()> {
        let data = self.place.join("data");
        for name in entries(&self.root)? {
            if name.as_os_str() != STAGING {
                self.put(&self.root.join(&name), &data.join(&name))?;
            }
        }
        self.sync(&data);
        let mode = at(&self.root, fs::metadata(&self.root))?.permissions().mode() & 0o7777;
        at(&data, fs::set_permissions(&data, fs::Permissions::from_mode(mode)))?;
        self.put(&data, &self.root.join("data"))?;
        self.sync(&self.root);
        Ok(())
    }

    /// Finds out how far an earlier run came, and undoes it or brings it to its end.
    ///
    /// # Errors
    /// Something stands where an entry was.
    pub fn recover(&self) -> Result<Recovered> {
        match fs::symlink_metadata(&self.place) {
            Ok(facts) if facts.is_dir() => {}
            Ok(_) => return at(&self.place, Err(io::Error::from_raw_os_error(Errno::NOTDIR.raw_os_error()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Recovered::Nothing),
            Err(error) => return at(&self.place, Err(error)),
        }
        let list = self.place.join(NAMES);
        let names = match fs::read(&list) {
            Ok(names) => names,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Nothing of DIR is here, but for what an undoing left; that is moved back below.
                let restored = self.move_back()?;
                self.clear()?;
                return Ok(match restored {
                    0 => Recovered::Cleared,
                    restored => Recovered::Restored(restored),
                });
            }
            Err(error) => return at(&list, Err(error)),
        };
        // A list that is cut off was written by a run that had moved nothing yet; the names that it has are
        // right.
        let names: Vec<&OsStr> = names.split_inclusive(|&byte| byte == 0).filter_map(name_of).collect();
        let is_moved = |name: &OsStr| self.root.join(name).exists() && !self.tags().join(name).exists();
        if names.iter().any(|name| *name == DECLARATION) && is_moved(OsStr::new(DECLARATION)) {
            self.clear()?;
            return Ok(Recovered::Complete);
        }
        for name in names {
            if is_moved(name) {
                self.put(&self.root.join(name), &self.tags().join(name))?;
            }
        }
        let (data, moved) = (self.place.join("data"), self.root.join("data"));
        if self.place.join(MOVES).exists() && !data.exists() && moved.exists() {
            self.put(&moved, &data)?;
        }
        // From here on what lies in STAGING/data is to be moved back, and nothing else.
        at(&list, fs::remove_file(&list))?;
        self.sync(&self.place);
        let restored = self.move_back()?;
        self.clear()?;
        Ok(Recovered::Restored(restored))
    }

    fn move_back(&self) -> Result<u64> {
        let data = self.place.join("data");
        if !data.exists() {
            return Ok(0);
        }
        let mut restored = 0;
        for name in entries(&data)? {
            self.put(&data.join(&name), &self.root.join(&name))?;
            restored += 1;
        }
        self.sync(&self.root);
        Ok(restored)
    }

    /// Renames, and replaces nothing.
    fn put(&self, from: &Path, to: &Path) -> Result<()> {
        // Where a file system cannot promise it: nobody else is at this directory, as far as can be known.
        let renamed = rename_new(from, to);
        let is_taken = matches!(&renamed, Err(error) if error.kind() == io::ErrorKind::AlreadyExists);
        at(if is_taken { to } else { from }, renamed)
    }

    /// Removes what was prepared. `data` is never removed with something in it.
    fn clear(&self) -> Result<()> {
        let data = self.place.join("data");
        if data.exists() {
            at(&data, fs::remove_dir(&data))?;
        }
        let tags = self.tags();
        if tags.exists() {
            at(&tags, fs::remove_dir_all(&tags))?;
        }
        for name in [NAMES, MOVES] {
            let path = self.place.join(name);
            if path.exists() {
                at(&path, fs::remove_file(&path))?;
            }
        }
        at(&self.place, fs::remove_dir(&self.place))
    }

    /// New names survive a power cut once the directory is written; some file systems cannot, and say so.
    fn sync(&self, directory: &Path) {
        let _ = File::open(directory).and_then(|directory| directory.sync_all());
    }
}

/// The entries of a directory, sorted.
fn entries(directory: &Path) -> Result<Vec<std::ffi::OsString>> {
    let read = || {
        let names = fs::read_dir(directory)?.map(|entry| Ok(entry?.file_name()));
        let mut names = names.collect::<io::Result<Vec<_>>>()?;
        names.sort_by_cached_key(|name| name.clone().into_vec());
        Ok(names)
    };
    at(directory, read())
}

/// The name before a NUL.
fn name_of(ended: &[u8]) -> Option<&OsStr> {
    ended.strip_suffix(b"\0").map(OsStr::from_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory with two entries, and a staging that is ready to be committed.
    fn prepared() -> (tempfile::TempDir, Staging, Vec<String>) {
        let root = tempfile::tempdir().expect("a directory");
        fs::write(root.path().join("a"), "a").expect("write");
        fs::create_dir(root.path().join("data")).expect("mkdir");
        fs::write(root.path().join("data/b"), "b").expect("write");
        let staging = Staging::of(root.path());
        staging.make(true).expect("make");
        let names = ["bagit.txt".to_owned(), "bag-info.txt".to_owned()];
        for name in &names {
            fs::write(staging.tag(name), name).expect("write");
        }
        (root, staging, names.to_vec())
    }

    fn tree(root: &Path) -> Vec<String> {
        let mut names = Vec::new();
        super::super::tree::walk(
            root,
            |_| true,
            |found| {
                if let super::super::tree::Found::Name(name, _) = found {
                    names.push(String::from_utf8(name).expect("UTF-8"));
                }
            },
        );
        names.sort();
        names
    }

    #[test]
    fn a_move_that_fails_is_undone() {
        let (root, staging, names) = prepared();
        staging.commit(&names).expect("commit");
        let done = ["bag-info.txt", "bagit.txt", "data/a", "data/data/b"];
        assert_eq!(tree(root.path()), done);
        assert_eq!(staging.recover().expect("recover"), Recovered::Nothing);
        for obstacle in [".hashlane-bag.partial/data/a", ".hashlane-bag.partial/data/data"] {
            let (root, staging, names) = prepared();
            fs::create_dir(root.path().join(obstacle)).expect("mkdir");
            fs::write(root.path().join(obstacle).join("x"), "x").expect("write");
            assert!(staging.commit(&names).is_err());
            fs::remove_dir_all(root.path().join(obstacle)).expect("remove");
            assert!(matches!(staging.recover().expect("recover"), Recovered::Restored(_)));
            assert_eq!(tree(root.path()), ["a", "data/b"], "{obstacle}");
        }
    }

    impl Staging {
        /// As [`Staging::commit`], cut off after some of its steps.
        fn commit_until(&self, names: &[String], steps: usize) -> Result<()> {
            let list = names.iter().map(|name| format!("{name}\0")).collect::<String>();
            at(&self.place, fs::write(self.place.join(NAMES), list))?;
            if steps > 0 {
                self.put(&self.root.join("a"), &self.place.join("data/a"))?;
            }
            if steps > 1 {
                self.put(&self.root.join("data"), &self.place.join("data/data"))?;
                self.put(&self.place.join("data"), &self.root.join("data"))?;
            }
            if steps > 2 {
                self.put(&self.tag("bag-info.txt"), &self.root.join("bag-info.txt"))?;
            }
            if steps > 3 {
                self.put(&self.tag(DECLARATION), &self.root.join(DECLARATION))?;
            }
            Ok(())
        }
    }

    #[test]
    fn each_step_is_recognized_by_what_it_left() {
        for steps in 0..=4 {
            let (root, staging, names) = prepared();
            staging.commit_until(&names, steps).expect("some steps");
            let recovered = staging.recover().expect("recover");
            let expected = [0, 1, 2, 2].get(steps).map_or(Recovered::Complete, |&n| Recovered::Restored(n));
            assert_eq!(recovered, expected, "{steps}");
            let whole = if steps == 4 { 4 } else { 2 };
            assert_eq!(tree(root.path()).len(), whole, "{steps}: {:?}", tree(root.path()));
        }
    }

    #[test]
    fn what_stands_in_the_way_of_an_undoing_is_not_replaced() {
        let (root, staging, names) = prepared();
        staging.commit_until(&names, 2).expect("moved");
        fs::write(root.path().join("a"), "new").expect("write");
        let failed = staging.recover().expect_err("it is in the way");
        assert_eq!(failed.error.raw_os_error(), Some(Errno::EXIST.raw_os_error()));
        assert_eq!(fs::read(root.path().join("a")).expect("read"), b"new");
        fs::remove_file(root.path().join("a")).expect("remove");
        assert!(matches!(staging.recover().expect("again"), Recovered::Restored(_)));
        assert_eq!(fs::read(root.path().join("a")).expect("read"), b"a");
    }
}
