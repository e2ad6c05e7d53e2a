//! The cache directory: what was found out about this machine once, and can be found out again.
//!
//! Owns where it lies and how its files are read and written. Whatever is wrong with one of them, it is as if it were not
//! there: nothing rests on it.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::PathBuf;

use clap::{Args, ValueHint};
use hashlane_measure::{remove_leftovers, replace, try_directory};

use crate::output::shown;
use crate::screen::Screen;
use crate::status::Ended;
use crate::text;

/// The longest file that is read, in bytes: ours are far shorter.
const LONGEST: u64 = 1 << 20;

/// Where the cache lies.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CacheArgs {
    /// Directory for what was found out about this machine [default: $XDG_CACHE_HOME/hashlane]
    #[arg(long, value_name = "DIR", env = "HASHLANE_CACHE", hide_env_values = true, value_hint = ValueHint::DirPath)]
    pub(crate) cache: Option<PathBuf>,
}

/// The cache directory. It need not be there: it is made when something is written.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    directory: PathBuf,
}

impl Cache {
    /// The one that was named, or where the XDG base directory specification puts it; none without either.
    pub(crate) fn of(args: &CacheArgs) -> Option<Self> {
        let directory = args.cache.clone().or_else(|| {
            let absolute =
                |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
            let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
            Some(cache.join("hashlane"))
        })?;
        Some(Self { directory })
    }

    /// The place for what is about to be found out, made and tried before time is spent; none, with a word, without a home.
    ///
    /// # Errors
    /// Nothing can be written there. `what` is not to be kept: `the profile`.
    pub(crate) fn place(args: &CacheArgs, what: &str) -> anyhow::Result<Option<Self>> {
        let Some(cache) = Self::of(args) else {
            Screen::plain()
                .message(&format!("{what} will not be kept: there is no HOME; name a place with --cache"));
            return Ok(None);
        };
        cache.prepare().map_err(|error| cache.cannot_keep(what, &error))?;
        Ok(Some(cache))
    }

    /// What is said where something could not be written, and how the command ends then.
    pub(crate) fn cannot_keep(&self, what: &str, error: &io::Error) -> anyhow::Error {
        let (place, error) = (shown(&self.directory), text::system(error));
        Ended::output(format!(
            "{place}: {error}: {what} cannot be kept; name another place with --cache, or --no-save"
        ))
    }

    /// The path of a file in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// The text of a file; none where it is not there, cannot be read, is no text, or too long to be one of ours.
    pub(crate) fn read(&self, name: &str) -> Option<String> {
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
    /// What the system says.
    pub(crate) fn prepare(&self) -> io::Result<()> {
        // The specification asks for a directory that is its owner's alone.
        DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
        try_directory(&self.directory)
    }

    /// Puts a file in its place, whole and on the device: whoever reads it meanwhile gets the old one or the new one.
    ///
    /// # Errors
    /// What the system says.
    pub(crate) fn write(&self, name: &str, text: &str) -> io::Result<()> {
        self.prepare()?;
        let path = self.path(name);
        if fs::metadata(&path).is_ok_and(|facts| !facts.is_file()) {
            return Err(io::Error::other("is not a regular file; remove it"));
        }
        // What cannot be listed cannot be tidied, and can be written to all the same.
        let _ = remove_leftovers(&self.directory);
        replace(&path, text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn cache(directory: &Path) -> Cache {
        let args = CacheArgs { cache: Some(directory.join("a/b")) };
        Cache::of(&args).expect("a directory was named")
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
