//! What a check or an audit is to do.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hashlane_record::ItemPath;

use crate::base::Base;
use crate::lists::ListOptions;
use crate::selection::Selection;

/// Memory for what an audit knows, unless another amount is given.
const MEMORY_BYTES: usize = 64 << 20;

/// What a check is to do.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// The lists, by their names; `-` is standard input.
    pub lists: Vec<OsString>,
    /// How they are read.
    pub reading: ListOptions,
    /// What listed names are relative to and must not lead out of; `None`: the current directory, and they may lead anywhere.
    pub base: Option<Base>,
    /// Which files are wanted.
    pub selection: Selection,
    /// Where files are looked for that are not listed, relative to the base; none: below the roots that the lists name.
    pub roots: Vec<ItemPath>,
    /// Whether files that are not listed are looked for.
    pub complete: bool,
    /// Whether a listed name that is missing stands for a file of that name in another Unicode normalization.
    pub normalize: bool,
    /// How files are read. What is computed of each, the lists say.
    pub engine: hashlane_engine::Options,
}

/// What an audit is to do.
#[derive(Clone, Debug)]
pub struct AuditOptions {
    /// How lists are read.
    pub reading: ListOptions,
    /// What names are relative to and must not lead out of; `None`: the current directory, and they may lead anywhere.
    pub base: Option<Base>,
    /// Which files are wanted.
    pub selection: Selection,
    /// Where to look, relative to the base; none: below the roots that the lists name.
    pub roots: Vec<ItemPath>,
    /// What is taken off listed names, the first that a name begins with.
    pub prefixes: Vec<OsString>,
    /// Whether a listed name stands for a file of that name in another Unicode normalization, where it can be no other's.
    pub normalize: bool,
    /// Whether names that differ in case only are the same.
    pub fold_case: bool,
    /// Whether the contents of files that are as listed are told with their verdicts.
    pub tells_passes: bool,
    /// Memory for what is listed, in bytes. What takes more goes to temporary files, and then all verdicts come at the end.
    pub memory_bytes: usize,
    /// Where temporary files are made; they have no names there.
    pub temporary_directory: PathBuf,
    /// How files are read. What is computed of each, the lists say.
    pub engine: hashlane_engine::Options,
}

impl AuditOptions {
    /// An audit of all that is listed or there, from the current directory on.
    pub fn new(engine: hashlane_engine::Options) -> Self {
        Self {
            reading: ListOptions::default(),
            base: None,
            selection: Selection::new(engine.walk.clone(), crate::normal::here()),
            roots: Vec::new(),
            prefixes: Vec::new(),
            normalize: false,
            fold_case: false,
            tells_passes: false,
            memory_bytes: MEMORY_BYTES,
            temporary_directory: engine.walk.spill_directory.clone(),
            engine,
        }
    }
}

impl CheckOptions {
    /// A check of these lists, of all that they list.
    pub fn new(
        lists: impl IntoIterator<Item = impl Into<OsString>>,
        engine: hashlane_engine::Options,
    ) -> Self {
        Self {
            lists: lists.into_iter().map(Into::into).collect(),
            reading: ListOptions::default(),
            base: None,
            selection: Selection::new(engine.walk.clone(), crate::normal::here()),
            roots: Vec::new(),
            complete: false,
            normalize: false,
            engine,
        }
    }

    /// What listed names are relative to; empty: the current directory.
    pub(crate) fn start(&self) -> &Path {
        self.base.as_ref().map_or(Path::new(""), Base::path)
    }
}
