//! Options of checks and audits.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlane_record::ItemPath;

use crate::base::Base;
use crate::elsewhere::Elsewhere;
use crate::foreign::Foreign;
use crate::lists::ListOptions;
use crate::normal::without_detours;
use crate::places::Places;
use crate::selection::Selection;

/// Memory for what an audit knows, unless another amount is given.
const MEMORY_BYTES: usize = 64 << 20;

/// How lists are read, and where what they name is looked up: of checks and of audits.
#[derive(Clone, Debug)]
pub struct LookupOptions {
    /// How lists are read.
    pub reading: ListOptions,
    /// What listed names are relative to and must not lead out of; `None`: the current directory, and names may lead anywhere.
    pub base: Option<Base>,
    /// Which files are wanted.
    pub selection: Selection,
    /// The roots to search, relative to the base; empty: the roots that the lists name. A check searches them for unlisted files.
    pub roots: Vec<ItemPath>,
    /// How listed names are written.
    pub names: Foreign,
    /// Prefixes to remove from listed names; the first that matches is removed.
    pub prefixes: Vec<OsString>,
    /// Whether listed names are relative to the directory of their list. Not with a base or a store.
    pub beside: bool,
    /// Whether names that differ only in case are the same. To a check: a missing listed name matches the only file whose name differs from it
    /// in case; not for names of a store.
    pub fold_case: bool,
    /// Whether a missing listed name matches a file of that name in another Unicode normalization, if it is unambiguous.
    pub normalize: bool,
    /// What names are looked up in instead of the file system. `base` is `None` then, and nothing is normalized.
    pub elsewhere: Option<Arc<Elsewhere>>,
    /// How files are read. The lists determine which algorithms are computed.
    pub engine: hashlane_engine::Options,
}

/// Options of a check.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// The names of the lists; `-` is standard input.
    pub lists: Vec<OsString>,
    /// How these are read, and where what they name is looked up.
    pub lookup: LookupOptions,
    /// Whether to look for unlisted files.
    pub complete: bool,
    /// Whether only names are compared: nothing is read.
    pub names_only: bool,
}

/// Options of an audit.
#[derive(Clone, Debug)]
pub struct AuditOptions {
    /// How lists are read, and where what they name is looked up.
    pub lookup: LookupOptions,
    /// Whether verdicts on matching files include their contents.
    pub tells_passes: bool,
    /// Memory for the listed entries, in bytes. Beyond it, temporary files are used and all verdicts come at the end.
    pub memory_bytes: usize,
    /// The directory for temporary files, which are unnamed.
    pub temporary_directory: PathBuf,
}

impl AuditOptions {
    /// An audit of everything listed or found, from the current directory on.
    pub fn new(engine: hashlane_engine::Options) -> Self {
        let temporary_directory = engine.walk.spill_directory.clone();
        let lookup = LookupOptions::new(engine);
        Self { lookup, tells_passes: false, memory_bytes: MEMORY_BYTES, temporary_directory }
    }
}

impl CheckOptions {
    /// A check of everything in these lists.
    pub fn new(
        lists: impl IntoIterator<Item = impl Into<OsString>>,
        engine: hashlane_engine::Options,
    ) -> Self {
        let lists = lists.into_iter().map(Into::into).collect();
        Self { lists, lookup: LookupOptions::new(engine), complete: false, names_only: false }
    }
}

impl LookupOptions {
    /// All names, as they are listed, from the current directory on.
    pub fn new(engine: hashlane_engine::Options) -> Self {
        Self {
            reading: ListOptions::default(),
            base: None,
            selection: Selection::new(engine.walk.clone(), crate::normal::here()),
            roots: Vec::new(),
            names: Foreign::default(),
            prefixes: Vec::new(),
            beside: false,
            fold_case: false,
            normalize: false,
            elsewhere: None,
            engine,
        }
    }

    /// Whether names are relative to a directory or a prefix that was named.
    pub(crate) fn has_base(&self) -> bool {
        self.base.is_some() || self.elsewhere.as_ref().is_some_and(|elsewhere| !elsewhere.base().is_empty())
    }

    /// Whether names are to be relative to the directory of their list; `None` if they are relative to a base, or are those of a store.
    pub(crate) fn beside(&self) -> Option<bool> {
        (self.base.is_none() && self.elsewhere.is_none()).then_some(self.beside)
    }

    /// What listed names are relative to; empty: the current directory.
    pub(crate) fn start(&self) -> &Path {
        self.base.as_ref().map_or(Path::new(""), Base::path)
    }

    /// Where listed names are, before any list has said anything.
    pub(crate) fn places(&self, base: Option<&Path>) -> Places {
        let places = match &self.elsewhere {
            Some(elsewhere) => Places::in_store(Arc::clone(elsewhere), &self.prefixes),
            None => Places::new(base, &self.prefixes),
        };
        places.written(self.names.clone()).of_what_is_there()
    }

    /// A listed name in the form in which what is found is compared with it.
    pub(crate) fn direct<'a>(&self, name: &'a [u8]) -> Cow<'a, [u8]> {
        match &self.elsewhere {
            Some(_) => Cow::Borrowed(name),
            None => without_detours(self.start(), name),
        }
    }
}
