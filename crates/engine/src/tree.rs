//! A tree of files, wherever it lies: below a directory of this machine, or below a prefix of a store.
//!
//! A [`Source`](crate::Source) is what a run reads from, compiled for each kind of store. A tree is what checks and audits ask, some thousand
//! times at most for each second of reading, so calls of it are dynamic; [`Tree::read`] hands all files to a run at once.

use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use hashlane_record::{Escaped, ItemPath, Timestamp};

use crate::control::Control;
use crate::entry::Input;
use crate::error::Error;
use crate::options::Options;
use crate::sink::Sink;
use crate::summary::{Skipped, Summary};
use crate::walk::WalkOptions;

/// A tree of files.
pub trait Tree: fmt::Debug {
    /// What its names are relative to: the name of a directory, or that of a prefix with the slash at its end. Empty where names are
    /// whole.
    fn base(&self) -> &[u8];

    /// What its root is.
    ///
    /// # Errors
    /// It cannot be reached; or, as [`io::ErrorKind::PermissionDenied`], it can, and gives nothing to whoever asks; or, as
    /// [`io::ErrorKind::QuotaExceeded`], no more may be asked of it.
    fn identity(&self) -> io::Result<SeenRoot>;

    /// Shows what a run would read of a root, with names relative to the base. `root` is a whole name.
    ///
    /// # Errors
    /// The root could not be listed to its end. What was not shown may be there.
    fn list(
        &self,
        root: &ItemPath,
        walk: &WalkOptions,
        visit: &mut dyn FnMut(Shown<'_>) -> ControlFlow<()>,
    ) -> io::Result<Skipped>;

    /// Whether it lists in byte order of the names, and each once.
    fn lists_in_order(&self) -> bool {
        true
    }

    /// What can be said of a file without reading it; nothing if there is none of that name.
    ///
    /// # Errors
    /// Whether there is one cannot be said.
    fn facts(&self, name: &[u8]) -> io::Result<Option<Seen>>;

    /// Whether a directory is there, and whether nothing is in it.
    fn directory(&self, name: &[u8]) -> DirectoryState;

    /// Whether a file that is said not to be there is listed all the same: a store may have lost the content of what it lists. In a tree
    /// of this machine, what cannot be opened for that reason is gone.
    fn is_listed(&self, _name: &[u8]) -> bool {
        false
    }

    /// Whether a name is that of one version of something, which is not among what is listed. Nothing is asked of other names.
    fn is_version(&self, _name: &[u8]) -> bool {
        false
    }

    /// By how many seconds a reading has to be later than the last change of a file: less, and one more change may not show in its
    /// times.
    fn grain_s(&self) -> i64 {
        2
    }

    /// Whether a large file can be put aside, and gone on with by another run.
    fn can_put_aside(&self) -> bool {
        true
    }

    /// Fingerprints what the inputs name, as [`crate::run()`] does. Paths are whole, and names of files relative to the base.
    ///
    /// # Errors
    /// As [`crate::run()`].
    fn read(
        &self,
        options: Options,
        inputs: Box<dyn Iterator<Item = Input> + Send>,
        sink: &mut dyn Sink,
        control: &Arc<Control>,
    ) -> Result<Summary, Error>;

    /// The whole name of what has a name that is relative to the base.
    fn whole(&self, name: &[u8]) -> Vec<u8> {
        [self.base(), name].concat()
    }

    /// A whole name relative to the base.
    fn below_base<'a>(&self, whole: &'a [u8]) -> &'a [u8] {
        whole.strip_prefix(self.base()).unwrap_or(whole)
    }
}

/// What the listing of a tree shows.
#[derive(Debug)]
pub enum Shown<'a> {
    /// A file.
    File {
        /// Its name, relative to the base.
        path: &'a [u8],
        /// What can be said of it without reading it, if anything can.
        seen: Option<Seen>,
        /// It cannot be read now, though it is there: it lies in an archive.
        is_offline: bool,
    },
    /// A directory that could not be listed, or not to its end.
    Unlisted {
        /// Its name, relative to the base.
        path: &'a [u8],
        /// What the system said.
        reason: &'a str,
    },
}

/// What is seen of a file without reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Its size in bytes.
    pub size_bytes: u64,
    /// When it was last written to. A store reports whole seconds.
    pub modified: Timestamp,
    /// When anything of it was last changed, where files keep that.
    pub changed: Option<Timestamp>,
    /// Its number in the file system, where files keep theirs.
    pub inode: Option<u64>,
    /// When it was made, in seconds since 1970, where that is kept and was asked for by its name: under whatever name, that does not change.
    pub made_s: Option<i64>,
}

/// Whether a directory is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectoryState {
    /// It is not, or cannot be listed.
    Gone,
    /// It is there, and nothing is in it.
    Empty,
    /// It is there, and something is in it.
    There,
}

/// What a root was when it was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenRoot {
    /// The file system that it lies in, or the store.
    pub file_system: String,
    /// Its number there.
    pub inode: u64,
    /// Where something was mounted in it: paths below the root, and the file systems. Of a file that was mounted over another one, that
    /// it is one.
    pub mounts: Vec<(Vec<u8>, String)>,
}

impl SeenRoot {
    /// In words that are the same for the same root with the same file systems in it.
    pub fn words(&self) -> String {
        let Self { file_system, inode, mounts } = self;
        let mounts: Vec<_> = mounts.iter().map(|(path, of)| format!(" {}={of}", Escaped(path))).collect();
        format!("{file_system} {inode}{}", mounts.concat())
    }
}
