//! Object stores in the place of the file system: names of lists as objects.

use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use hashlane_engine::{Control, Input, Options, Sink, Skipped, Summary, WalkOptions};
use hashlane_objects::{Below, Error, Objects, Plan, Traffic, below};
use hashlane_record::{ItemPath, Timestamp};
use hashlane_verify::{Elsewhere, Stored};

use crate::prefix::{may_be_version, with_slash};
use crate::words::Told;

/// A store in which listed names are looked up, and below whose prefixes objects are found.
#[derive(Clone)]
pub struct Store {
    objects: Objects,
    /// What names are relative to: the name of a prefix, with a slash at its end. Empty if names are whole.
    base: Arc<[u8]>,
    told: Told,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("objects", &self.objects)
            .field("base", &self.base)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// Its names are whole. Nothing is asked of it yet.
    pub fn new(objects: Objects, told: Told) -> Self {
        Self { objects, base: Arc::default(), told }
    }

    /// The same store with names that are relative to a prefix.
    #[must_use]
    pub fn below(&self, prefix: &[u8]) -> Self {
        Self { base: with_slash(prefix), ..self.clone() }
    }

    /// The same store with all versions of its objects.
    #[must_use]
    pub fn with_versions(self) -> Self {
        Self { objects: self.objects.with_versions(), ..self }
    }

    /// Looks whether there is something of a whole name.
    ///
    /// # Errors
    /// There is nothing, or the store refuses or cannot be reached.
    pub fn probe(&self, path: &[u8]) -> Result<(), Error> {
        self.objects.probe(path)
    }

    /// Looks whether objects can be asked for in the bucket that a whole name is in.
    ///
    /// # Errors
    /// There is no such bucket, or the store refuses or cannot be reached.
    pub fn probe_bucket(&self, path: &[u8]) -> Result<(), Error> {
        self.objects.probe_bucket(path)
    }

    /// Whether a store that answers has no object of a whole name.
    pub fn lacks(&self, path: &[u8]) -> bool {
        matches!(self.objects.facts(path), Ok(None))
    }

    /// What it would take to read what is below paths.
    ///
    /// # Errors
    /// The store refuses to list one of them, which comes with why.
    pub fn plan<'a>(
        &self,
        paths: impl Iterator<Item = &'a [u8]>,
        walk: &WalkOptions,
    ) -> Result<Plan, (&'a [u8], Error)> {
        let mut all = Plan::default();
        for path in paths {
            all += self.objects.plan(&ItemPath::from(path), walk).map_err(|error| (path, error))?;
        }
        Ok(all)
    }

    /// Takes note of a root that may be a URL with secrets: from now on its name without them stands for it.
    ///
    /// # Errors
    /// Another root has that name.
    pub fn know_root(&self, root: &[u8]) -> Result<(), Error> {
        self.objects.know_root(root)
    }

    /// Asks at most so many times.
    pub fn ask_at_most(&self, requests: u64) {
        self.objects.ask_at_most(requests);
    }

    /// What was asked of the store so far.
    pub fn traffic(&self) -> Arc<Traffic> {
        self.objects.traffic()
    }

    fn failed(&self, path: &[u8], error: &Error) -> io::Error {
        io::Error::other((self.told)(path, error))
    }
}

impl Elsewhere for Store {
    fn base(&self) -> &[u8] {
        &self.base
    }

    fn run(
        &self,
        options: Options,
        inputs: Box<dyn Iterator<Item = Input> + Send>,
        sink: &mut dyn Sink,
        control: &Arc<Control>,
    ) -> Result<Summary, hashlane_engine::Error> {
        let base = Some(Arc::clone(&self.base)).filter(|base| !base.is_empty());
        let inputs = inputs.map(move |input| input.elsewhere(base.clone()));
        self.objects.heed(control);
        hashlane_engine::run_from(self.objects.clone(), options, inputs, sink, control)
    }

    fn stored(&self, name: &[u8]) -> io::Result<Option<Stored>> {
        let path = below(&self.base, name);
        let facts = self.objects.facts(&path).map_err(|error| self.failed(&path, &error))?;
        Ok(facts.map(|(size_bytes, modified)| Stored { size_bytes, modified: whole(modified) }))
    }

    fn is_version(&self, name: &[u8]) -> bool {
        let path = below(&self.base, name);
        // A key may end so, too; and where versions are asked for, it is there.
        may_be_version(&path) && self.lacks(&path)
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
        let found = self.objects.find(root.as_bytes(), options, &mut show);
        found.map_err(|error| self.failed(root.as_bytes(), &error))
    }
}

/// A time as the answers to requests for objects have it: without parts of a second.
pub fn whole(time: Timestamp) -> Timestamp {
    Timestamp { nanos: 0, ..time }
}
