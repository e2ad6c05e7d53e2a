//! Files that are not those of this machine.

use std::sync::Arc;

use hashlane_engine::{Control, Error, Input, Options, Sink, Summary, Tree};
use hashlane_record::ItemPath;

/// A store that names are looked up in instead of the file system. Its names are keys: different bytes are different names, and
/// neither `//` nor `..` leads anywhere. All of them are listed.
pub type Elsewhere = dyn Tree + Send + Sync;

/// The whole name of a root that somebody or a list has named.
pub(crate) fn root(elsewhere: &Elsewhere, root: &ItemPath) -> ItemPath {
    match root.as_bytes() {
        _ if elsewhere.base().is_empty() => root.clone(),
        // The directory that a list was made in.
        b"." => ItemPath::from(elsewhere.base()),
        name => ItemPath::from(elsewhere.whole(name)),
    }
}

/// Reads what is elsewhere, or else files of this machine.
pub(crate) fn run(
    elsewhere: Option<&Elsewhere>,
    options: Options,
    inputs: impl Iterator<Item = Input> + Send + 'static,
    sink: &mut dyn Sink,
    control: &Arc<Control>,
) -> Result<Summary, Error> {
    match elsewhere {
        Some(elsewhere) => elsewhere.read(options, Box::new(inputs), sink, control),
        None => hashlane_engine::run(options, inputs, sink, control),
    }
}
