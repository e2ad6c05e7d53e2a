//! Object stores in the place of the file system, for audits.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use hashlane_engine::{Control, Error as EngineError, Input, Options, Sink, Skipped, Summary, WalkOptions};
use hashlane_objects::{Below, Error, Objects, below, plain};
use hashlane_record::{ItemPath, Timestamp};
use hashlane_verify::{Elsewhere, Stored};

/// A store in which names are relative to a prefix.
#[derive(Debug)]
pub(crate) struct Store {
    objects: Objects,
    /// The prefix, with a slash at its end.
    base: Arc<[u8]>,
}

impl Store {
    pub(crate) fn below(objects: Objects, prefix: &[u8]) -> Self {
        let bare = prefix.strip_suffix(b"/").unwrap_or(prefix);
        Self { objects, base: [bare, b"/"].concat().into() }
    }
}

impl Elsewhere for Store {
    fn base(&self) -> &[u8] {
        &self.base
    }

    fn named<'a>(&self, listed: &'a [u8]) -> &'a [u8] {
        plain(listed)
    }

    fn run(
        &self,
        options: Options,
        inputs: Box<dyn Iterator<Item = Input> + Send>,
        sink: &mut dyn Sink,
        control: &Arc<Control>,
    ) -> Result<Summary, EngineError> {
        let base = Arc::clone(&self.base);
        let inputs = inputs.map(move |input| input.elsewhere(Some(Arc::clone(&base))));
        hashlane_engine::run_from(self.objects.clone(), options, inputs, sink, control)
    }

    fn stored(&self, name: &[u8]) -> io::Result<Option<Stored>> {
        let facts = self.objects.facts(&below(&self.base, plain(name))).map_err(failed)?;
        Ok(facts.map(|(size_bytes, modified)| Stored { size_bytes, modified: whole(modified) }))
    }

    fn list(
        &self,
        root: &ItemPath,
        options: &WalkOptions,
        visit: &mut dyn FnMut(&[u8], Stored) -> ControlFlow<()>,
    ) -> io::Result<Skipped> {
        let mut show = |found: Below<'_>| {
            visit(found.path, Stored { size_bytes: found.size_bytes, modified: whole(found.modified) })
        };
        self.objects.find(root.as_bytes(), options, &mut show).map_err(failed)
    }
}

fn failed(error: Error) -> io::Error {
    io::Error::other(error.to_string())
}

/// A time as the answers to requests for objects have it: without parts of a second.
pub(crate) fn whole(time: Timestamp) -> Timestamp {
    Timestamp { nanos: 0, ..time }
}
