//! Files that are not those of this machine.

use std::fmt;
use std::sync::Arc;

use hashlane_engine::{Control, Error, Input, Options, Sink, Summary};
use hashlane_record::ItemPath;

/// A store that listed names are looked up in instead of the file system: for a check of objects.
pub trait Elsewhere: fmt::Debug + Send + Sync {
    /// Fingerprints what the inputs name there, as [`hashlane_engine::run()`] does with files.
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

    /// The size in bytes of what has this name there; `None` if nothing can be read under it.
    fn size_bytes(&self, path: &ItemPath) -> Option<u64>;
}
