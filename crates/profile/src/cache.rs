//! The cache directory: what was found out about this machine once, and can be found out again.
//!
//! Owns where it lies and how its files are read and written. Whatever is wrong with one of them, it is as if it were not
//! there: nothing rests on it.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use hashlane_io::{remove_leftovers, replace, try_directory};

use crate::error::Error;

/// The longest file that is read, in bytes: ours are far shorter.
const LONGEST: u64 = 1 << 20;

/// The cache directory. It need not be there: it is made when something is written.
#[derive(Clone, Debug)]
pub struct Cache {
    directory: PathBuf,
}

impl Cache {
    /// The one at a path.
    pub fn at(directory: &Path) -> Self {
        Self { directory: directory.into() }
    }

    /// The one where the XDG base directory specification puts it; none where neither it nor a home is named.
    pub fn usual() -> Option<Self> {
        let absolute =
            |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
        Some(Self { directory: cache.join("hashlane") })
    }

    /// Where it lies.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// The text of a file; none where it is not there, cannot be read, is not a text, or too long to be one of ours.
    pub fn read(&self, name: &str) -> Option<String> {
        // Without waiting, for a FIFO.
        let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let file = OpenOptions::new().read(true).custom_flags(flags).open(self.path(name)).ok()?;
        let facts = file.metadata().ok()?;
        let mut text = String::new();
        let wanted = facts.is_file() && facts.len() <= LONGEST;
        (wanted && file.take(LONGEST).read_to_string(&mut text).is_ok()).then_some(text)
    }

    /// Whether files can be written: to be asked before time is spent on what they are to hold.
    ///
    /// # Errors
    /// The directory cannot be made, or not be written to.
    pub fn prepare(&self) -> Result<(), Error> {
        // The specification asks for a directory that is its owner's alone.
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.directory);
        made.and_then(|()| try_directory(&self.directory))
            .map_err(|source| Error::Directory { path: self.directory.clone(), source })
    }

    /// Puts a file in its place, whole and on the device: whoever reads it meanwhile gets the old one or the new one.
    ///
    /// # Errors
    /// The directory or the file cannot be written.
    pub fn write(&self, name: &str, text: &str) -> Result<(), Error> {
        self.prepare()?;
        let path = self.path(name);
        if fs::metadata(&path).is_ok_and(|facts| !facts.is_file()) {
            return Err(Error::NotRegular { path });
        }
        // What cannot be listed cannot be tidied, and can be written to all the same.
        let _ = remove_leftovers(&self.directory);
        replace(&path, text.as_bytes()).map_err(|source| Error::File { source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(directory: &Path) -> Cache {
        Cache::at(&directory.join("a/b"))
    }

    #[test]
    fn what_was_written_is_read_back_and_replaced() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let cache = cache(directory.path());
        assert_eq!(cache.read("file"), None);
        cache.write("file", "one").expect("there is room");
        assert_eq!(cache.read("file").as_deref(), Some("one"));
        cache.write("file", "another").expect("there is room");
        assert_eq!(cache.read("file").as_deref(), Some("another"));
        assert_eq!(fs::read_dir(&cache.directory).expect("list").count(), 1);
    }

    #[test]
    fn what_is_no_text_of_ours_is_as_if_it_were_not_there() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let cache = cache(directory.path());
        cache.prepare().expect("there is room");
        fs::write(cache.path("bytes"), b"\xff\xfe").expect("write");
        assert_eq!(cache.read("bytes"), None);
        fs::write(cache.path("long"), vec![b'x'; LONGEST as usize + 1]).expect("write");
        assert_eq!(cache.read("long"), None);
        fs::create_dir(cache.path("directory")).expect("mkdir");
        assert_eq!(cache.read("directory"), None);
        assert!(cache.write("directory", "x").is_err());
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        mknodat(CWD, cache.path("fifo"), FileType::Fifo, Mode::from_raw_mode(0o644), 0).expect("mknod");
        assert_eq!(cache.read("fifo"), None);
        assert!(cache.write("fifo", "x").is_err());
    }

    #[test]
    fn a_place_where_nothing_can_be_written_is_an_error_at_once() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        fs::write(directory.path().join("a"), "a file where a directory is to be").expect("write");
        let cache = cache(directory.path());
        assert!(cache.prepare().is_err() && cache.write("file", "x").is_err());
        assert_eq!(cache.read("file"), None);
    }

    #[test]
    fn writers_at_the_same_time_leave_the_file_of_one_of_them() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let cache = cache(directory.path());
        let texts: Vec<String> =
            (0..4).map(|writer: u8| char::from(b'a' + writer).to_string().repeat(50_000)).collect();
        cache.write("file", &texts[0]).expect("there is room");
        std::thread::scope(|scope| {
            for text in &texts {
                scope.spawn(|| {
                    for _ in 0..50 {
                        cache.write("file", text).expect("there is room");
                        assert!(texts.contains(&cache.read("file").expect("it is always there")));
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(&cache.directory).expect("list").count(), 1);
    }
}
