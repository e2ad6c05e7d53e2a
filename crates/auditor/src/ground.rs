//! What a collection lies on: a tree of files, some of which belong to the collection.

use std::ffi::CString;
use std::fs;
use std::io::{self, Read as _};
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use hashlane_catalog::paths::{bytes_of, joined, path_of};
use hashlane_catalog::{Collection, Content, Error, OwnFiles, Reader, Result, Shuffled, keepable};
use hashlane_engine::{
    Checkpoints, Control, DirectoryState, EngineChoice, Filter, FilterError, Input, LocalTree, Options, Seen,
    SeenRoot, Shown, Sink, Skipped, Summary, Tree,
};
use hashlane_io::{Directory, OpenHow};
use hashlane_record::{Division, ItemPath, counted};

/// The name of the file by which a tree is known again, in its root.
pub const MARKER: &str = ".hashlane-marker";

/// At most this many keys that cannot be held are named.
const MOST_NAMED: usize = 100;

/// How files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// As suits the device.
    Usual,
    /// Past the page cache where that can be, and as suits the device where not.
    PastCache,
    /// From the device, past every cache, or not at all.
    FromMedium,
}

/// A file that is to be read.
#[derive(Clone, Debug)]
pub(crate) struct ToRead {
    /// Its path below the root.
    pub(crate) path: ItemPath,
    /// Comes back with its record.
    pub(crate) tag: Box<[u8]>,
    /// This many bytes of its beginning get digests of their own.
    pub(crate) beginning: Option<NonZeroU64>,
}

/// Where the files of a collection are, and how they are read.
#[derive(Debug)]
pub struct Ground<'a> {
    tree: Rc<dyn Tree + 'a>,
    /// That of a tree of this machine.
    root: Option<PathBuf>,
    options: Options,
    /// The catalogue and what is kept with it, if they may lie in it: each audit changes them.
    own: Option<OwnFiles>,
}

impl<'a> Ground<'a> {
    /// The files of a collection in a tree; `options`: how they are read. Their algorithms and their filter are those of the collection.
    ///
    /// # Errors
    /// A glob of the collection is malformed.
    pub fn new(
        catalog: &Reader,
        collection: &Collection,
        tree: Rc<dyn Tree + 'a>,
        mut options: Options,
    ) -> std::result::Result<Self, FilterError> {
        let (selection, root) = (&collection.terms.selection, &collection.terms.root);
        options.algorithms = collection.terms.algorithms.clone().into();
        options.walk.filter = Filter::new(&selection.include, &selection.exclude, &[])?;
        options.walk.one_file_system = selection.one_file_system;
        options.walk.follow = false;
        (options.listed, options.in_order) = (true, false);
        options.rate_may_change = true;
        options.disputed = collection.terms.is_in_store();
        let own = OwnFiles::of(catalog, root);
        let root = Some(root.clone()).filter(|_| !collection.terms.is_in_store());
        Ok(Self { tree, root, options, own })
    }

    /// Those of a collection in a tree of this machine.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn local(
        catalog: &Reader,
        collection: &Collection,
        options: Options,
    ) -> std::result::Result<Self, FilterError> {
        Self::new(catalog, collection, Rc::new(LocalTree::new(&collection.terms.root)), options)
    }

    /// What its root is.
    ///
    /// # Errors
    /// As [`Tree::identity`]: then the collection is offline.
    pub fn root(&self) -> io::Result<SeenRoot> {
        self.tree.identity()
    }

    /// What the file says by which the tree is known again; nothing if there is none.
    pub(crate) fn marker(&self) -> Option<String> {
        /// More than any marker has.
        const MOST_BYTES: u64 = 4096;

        let (root, name) = (Directory::by_path(bytes_of(self.root.as_ref()?)), CString::new(MARKER).ok()?);
        let file = root.open(&name, OpenHow::Named).ok()?;
        let mut text = String::new();
        fs::File::from(file).take(MOST_BYTES).read_to_string(&mut text).ok()?;
        Some(text.trim_end().to_owned())
    }

    /// Shows all files that belong to it, in byte order of their paths. `scratch`: where a large temporary file may lie.
    ///
    /// # Errors
    /// Those of `visit`, which end the listing, and those of the system as a whole. What cannot be listed is shown.
    pub(crate) fn list(
        &self,
        scratch: &Path,
        control: &Control,
        visit: &mut dyn FnMut(Shown<'_>) -> Result<()>,
    ) -> Result<Skipped> {
        if !self.tree.lists_in_order() {
            return self.list_sorted(scratch, control, visit);
        }
        self.each(visit)?.map_err(|source| Error::Listing { source })
    }

    /// The same of a tree that need not list in byte order, and may say the same twice.
    fn list_sorted(
        &self,
        scratch: &Path,
        control: &Control,
        visit: &mut dyn FnMut(Shown<'_>) -> Result<()>,
    ) -> Result<Skipped> {
        let mut shuffled = Shuffled::new(scratch)?;
        let (mut not_held, mut more) = (Vec::new(), 0_u64);
        let listed = self.each(&mut |shown| match shown {
            _ if control.stopped().is_some() => Err(Error::Stopped),
            Shown::File { path, .. } if !is_held(path) => {
                match not_held.len() < MOST_NAMED {
                    true => not_held.push(path.to_vec()),
                    false => more += 1,
                }
                Ok(())
            }
            Shown::File { path, seen, is_offline } => {
                let Seen { size_bytes, modified, .. } = seen.unwrap_or_default();
                shuffled.add(path, size_bytes, modified, is_offline)
            }
            unlisted => visit(unlisted),
        })?;
        let skipped = match listed {
            Ok(skipped) => skipped,
            // Nothing lies there.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Skipped::default(),
            Err(error) if error.kind() == io::ErrorKind::QuotaExceeded => return Err(Error::BudgetTooSmall),
            Err(error) => {
                visit(Shown::Unlisted { path: b"", reason: &error.to_string() })?;
                return Ok(Skipped::default());
            }
        };
        for (number, path) in not_held.iter().enumerate() {
            let is_last = number + 1 == not_held.len();
            let reason = words_of_not_held(if is_last { more } else { 0 });
            // The root itself would be all of it.
            let path = if path.is_empty() { b"/" } else { &path[..] };
            visit(Shown::Unlisted { path, reason: &reason })?;
        }
        shuffled.show(|path, size_bytes, modified, is_offline| {
            let seen = Some(Seen { size_bytes, modified, ..Seen::default() });
            visit(Shown::File { path, seen, is_offline })
        })?;
        Ok(skipped)
    }

    /// Shows what the tree lists, but for what belongs to this program.
    fn each(
        &self,
        visit: &mut dyn FnMut(Shown<'_>) -> Result<()>,
    ) -> Result<std::result::Result<Skipped, io::Error>> {
        let (mut result, root) = (Ok(()), ItemPath::from(self.tree.base()));
        let listed = self.tree.list(&root, &self.options.walk, &mut |shown| {
            match &shown {
                Shown::File { path, .. } if self.is_own(path) => {}
                _ => result = visit(shown),
            }
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result.map(|()| listed)
    }

    /// Whether a file is one of this program: what marks a tree isn't part of it.
    fn is_own(&self, path: &[u8]) -> bool {
        path == MARKER.as_bytes() || self.own.as_ref().is_some_and(|own| own.has(path))
    }

    /// Whether a name below the root belongs to it, if it is there.
    pub fn takes(&self, path: &[u8]) -> bool {
        !self.is_own(path) && self.options.walk.filter.takes_below(path)
    }

    /// Whether a directory below the root is there, and whether nothing is in it.
    pub fn directory(&self, path: &[u8]) -> DirectoryState {
        self.tree.directory(path)
    }

    /// What is seen of a file without reading it; nothing if there is none. Where files do not keep their numbers, it has neither a
    /// number nor a time of change: then no rule uses them.
    ///
    /// # Errors
    /// Whether there is one cannot be determined.
    pub fn facts(&self, path: &[u8]) -> io::Result<Option<Content>> {
        Ok(self.tree.facts(path)?.map(content_of))
    }

    /// Whether a file was made since the tree was last listed, where that is known: then it is not another one that was renamed. A
    /// store is not asked.
    pub(crate) fn was_made_since_listed(&self, collection: &Collection, path: &[u8]) -> bool {
        let made_s = || self.tree.facts(path).ok()??.made_s;
        let made_s = self.root.as_ref().and_then(|_| made_s());
        made_s.zip(collection.listed_s).is_some_and(|(made_s, listed_s)| made_s > listed_s)
    }

    /// What lies at a path, if it is not a file: `a directory`, `a symbolic link`. Nothing if nothing does, or a file.
    pub fn other(&self, path: &[u8]) -> Option<&'static str> {
        let kind = fs::symlink_metadata(self.root.as_ref()?.join(path_of(path))).ok()?.file_type();
        match kind {
            _ if kind.is_file() => None,
            _ if kind.is_dir() => Some("a directory"),
            _ if kind.is_symlink() => Some("a symbolic link"),
            _ if kind.is_fifo() => Some("a FIFO"),
            _ if kind.is_socket() => Some("a socket"),
            _ => Some("a device"),
        }
    }

    /// See [`Tree::grain_s`].
    pub(crate) fn grain_s(&self) -> i64 {
        self.tree.grain_s()
    }

    /// See [`Tree::is_listed`].
    pub(crate) fn is_listed(&self, path: &[u8]) -> bool {
        self.tree.is_listed(path)
    }

    /// Whether a large file can be put aside, and gone on with by the next audit: only then may a budget break off one that was begun.
    pub(crate) fn can_put_aside(&self) -> bool {
        self.tree.can_put_aside()
    }

    /// Reads files, and hands over their records as they come: none waits for a large file that was begun earlier. `checkpoints`: keeps how
    /// far large ones were read.
    ///
    /// # Errors
    /// As [`hashlane_engine::run`].
    pub(crate) fn read(
        &self,
        how: How,
        files: impl Iterator<Item = ToRead> + Send + 'static,
        checkpoints: Option<Arc<dyn Checkpoints>>,
        sink: &mut dyn Sink,
        control: &Arc<Control>,
    ) -> std::result::Result<Summary, hashlane_engine::Error> {
        let mut options = self.options.clone();
        options.checkpoints = checkpoints.filter(|_| self.can_put_aside());
        match how {
            // Whatever way it is read, it comes from the store: nothing here keeps it.
            _ if options.disputed => options.engine = EngineChoice::Auto,
            How::FromMedium => options.engine = EngineChoice::FromMedium,
            // Who names an engine gets it.
            How::PastCache if matches!(options.engine, EngineChoice::Auto) => {
                options.engine = EngineChoice::PastCache;
            }
            How::PastCache | How::Usual => {}
        }
        let algorithms = Arc::clone(&options.algorithms);
        let inputs = files.map(move |ToRead { path, tag, beginning }| Input::File {
            path,
            base: None,
            algorithms: Arc::clone(&algorithms),
            division: beginning.map(Division::Beginning),
            tag,
        });
        self.tree.read(options, Box::new(inputs), sink, control)
    }
}

/// What is seen of a file without reading it.
pub(crate) fn content_of(seen: Seen) -> Content {
    Content {
        size: Some(seen.size_bytes),
        modified: Some(keepable(seen.modified)),
        changed: seen.changed.map(keepable),
        inode: seen.inode,
        digests: Vec::new(),
    }
}

/// A path below the root, as one name.
pub(crate) fn named(directory: &[u8], name: &[u8]) -> ItemPath {
    ItemPath::from(joined(directory, name))
}

/// Whether the rest of a key can be a path in a collection, where directories have names, and files too.
pub fn is_held(path: &[u8]) -> bool {
    !path.is_empty() && !path.starts_with(b"/") && !path.starts_with(b"./") && !path.ends_with(b"/")
}

/// Why an object is left out of a collection. `more`: how many others like it are not named.
fn words_of_not_held(more: u64) -> String {
    let more = match more {
        0 => String::new(),
        more => format!("; {} like it are not named", counted(more, "object")),
    };
    format!(
        "a collection cannot hold an object whose key, below the root, begins or ends with a slash or begins with `./`{more}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_would_be_others_as_paths_are_not_held() {
        for path in ["a", "a/b", "a//b", "..", "a/./b", ".a", "a b"] {
            assert!(is_held(path.as_bytes()), "{path}");
        }
        for path in ["", "/", "/a", "a/", "./a", ".//a"] {
            assert!(!is_held(path.as_bytes()), "{path}");
        }
    }
}
