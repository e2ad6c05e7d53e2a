//! Files that are not those of this machine.

use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use hashlane_engine::{Control, Error, Input, Options, Sink, Skipped, Summary, WalkOptions};
use hashlane_record::{ItemPath, Timestamp};

/// A store that names are looked up in instead of the file system. Its names are keys: different bytes are different names, and
/// neither `//` nor `..` leads anywhere.
pub trait Elsewhere: fmt::Debug + Send + Sync {
    /// What names are relative to: the name of a prefix, with the slash at its end. Empty where names are whole.
    fn base(&self) -> &[u8];

    /// Fingerprints what the inputs name there, as [`hashlane_engine::run()`] does with files. Paths are whole, and names of files
    /// relative to the base.
    ///
    /// # Errors
    /// As [`hashlane_engine::run()`].
    fn run(
        &self,
        options: Options,
        inputs: Box<dyn Iterator<Item = Input> + Send>,
        sink: &mut dyn Sink,
        control: &Arc<Control>,
    ) -> Result<Summary, Error>;

    /// What the store says of a name that is relative to the base; `None` if nothing has it.
    ///
    /// # Errors
    /// It does not say.
    fn stored(&self, name: &[u8]) -> io::Result<Option<Stored>>;

    /// Whether a name that is relative to the base is that of one version of something, which is not among what is listed. Nothing is asked of
    /// other names.
    fn is_version(&self, name: &[u8]) -> bool;

    /// Shows what a run would read of a root, with its whole name, in the order of the store. `root` is whole, too.
    ///
    /// # Errors
    /// The root could not be listed to its end. What was not shown may be there.
    fn list(
        &self,
        root: &ItemPath,
        options: &WalkOptions,
        visit: &mut dyn FnMut(&[u8], Stored) -> ControlFlow<()>,
    ) -> io::Result<Skipped>;
}

/// What a store says of something without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its size in bytes.
    pub size_bytes: u64,
    /// When it was written, in whole seconds, as records have it.
    pub modified: Timestamp,
}

impl dyn Elsewhere + '_ {
    /// The whole name of what has a name that is relative to the base.
    pub(crate) fn whole(&self, name: &[u8]) -> Vec<u8> {
        [self.base(), name].concat()
    }

    /// A whole name relative to the base.
    pub(crate) fn below<'a>(&self, whole: &'a [u8]) -> &'a [u8] {
        whole.strip_prefix(self.base()).unwrap_or(whole)
    }

    /// The whole name of a root that somebody or a list has named.
    pub(crate) fn root(&self, root: &ItemPath) -> ItemPath {
        match root.as_bytes() {
            _ if self.base().is_empty() => root.clone(),
            // The directory that a list was made in.
            b"." => ItemPath::from(self.base()),
            name => ItemPath::from(self.whole(name)),
        }
    }
}

/// Reads what is elsewhere, or else files of this machine.
pub(crate) fn run(
    elsewhere: Option<&dyn Elsewhere>,
    options: Options,
    inputs: impl Iterator<Item = Input> + Send + 'static,
    sink: &mut dyn Sink,
    control: &Arc<Control>,
) -> Result<Summary, Error> {
    match elsewhere {
        Some(elsewhere) => elsewhere.run(options, Box::new(inputs), sink, control),
        None => hashlane_engine::run(options, inputs, sink, control),
    }
}
