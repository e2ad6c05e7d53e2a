//! Where the files of a collection are: in a tree of this machine, or below a prefix of an object store.

use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hashlane_catalog::{
    Catalog, Collection, Content, DirectoryState, Error, Ground, How, Listed, LocalTree, MARKER, SeenRoot,
    Shuffled, StoreTerms, ToRead,
};
use hashlane_engine::{Checkpoints, Control, EngineChoice, Filter, Options, Sink, Skipped, Summary};
use hashlane_objects::{Connection, Error as StoreError, Objects, Service, Traffic, plain};

use crate::args::StoreArgs;
use crate::objects::{self, whole};
use crate::status::Ended;
use crate::text;

/// Where the files of a collection are.
pub(super) enum Place {
    Tree(LocalTree),
    Bucket(Bucket),
}

impl Place {
    /// The place of a collection, and how what lies there is read. Nothing is asked of a store yet.
    ///
    /// # Errors
    /// Its globs are malformed, or its store is not reached as is asked for.
    pub(super) fn of(catalog: &Catalog, collection: &Collection, options: Options) -> anyhow::Result<Self> {
        match collection.terms.is_in_store() {
            true => Bucket::new(collection, options).map(Self::Bucket),
            false => {
                let tree = LocalTree::new(collection, options).map_err(Ended::usage)?;
                Ok(Self::Tree(tree.without(catalog)))
            }
        }
    }

    /// The same, where files are looked at and not read.
    pub(super) fn to_look_at(catalog: &Catalog, collection: &Collection) -> anyhow::Result<Self> {
        Self::of(catalog, collection, Options::new(collection.terms.algorithms.clone().into()))
    }

    /// What is told when it is listed: by what it is stopped, and where large temporary files may lie.
    #[must_use]
    pub(super) fn listed_with(mut self, control: &Arc<Control>, scratch: PathBuf) -> Self {
        if let Self::Bucket(bucket) = &mut self {
            (bucket.control, bucket.scratch) = (Arc::clone(control), scratch);
        }
        self
    }

    pub(super) fn ground(&self) -> &dyn Ground {
        match self {
            Self::Tree(tree) => tree,
            Self::Bucket(bucket) => bucket,
        }
    }

    /// Asks a store at most so often.
    pub(super) fn ask_at_most(&self, requests: u64) {
        if let Self::Bucket(bucket) = self {
            bucket.objects.ask_at_most(requests);
        }
    }

    /// Whether a collection that could not be reached may lie somewhere else by now. Other credentials are no other place.
    pub(super) fn may_lie_elsewhere(&self) -> bool {
        match self {
            Self::Tree(_) => true,
            Self::Bucket(bucket) => bucket.may_lie_elsewhere.load(Ordering::Relaxed),
        }
    }

    /// What was asked of a store so far.
    pub(super) fn traffic(&self) -> Option<Arc<Traffic>> {
        match self {
            Self::Tree(_) => None,
            Self::Bucket(bucket) => Some(bucket.objects.traffic()),
        }
    }
}

/// How a store is reached, as it is kept. An endpoint of the environment is kept as well: an audit by a timer has another one.
pub(super) fn terms_of(root: &Path, args: &StoreArgs) -> StoreTerms {
    let service = Service::of(root.as_os_str().as_bytes());
    let connection = service.map_or_else(|| args.connection(), |service| args.connection().meant(service));
    let mut terms = StoreTerms::default();
    (terms.endpoint, terms.region) = (connection.endpoint, connection.region);
    (terms.anonymous, terms.requester_pays) = (connection.anonymous, connection.requester_pays);
    terms
}

/// How it was kept, as it is reached.
pub(super) fn connection_of(terms: &StoreTerms) -> Connection {
    let mut connection = Connection::new();
    connection.endpoint.clone_from(&terms.endpoint);
    connection.region.clone_from(&terms.region);
    (connection.anonymous, connection.requester_pays) = (terms.anonymous, terms.requester_pays);
    connection
}

/// The objects below a prefix. An object's path below it is the rest of its key.
pub(super) struct Bucket {
    objects: Objects,
    /// The name of the prefix, with a slash at its end.
    base: Arc<[u8]>,
    options: Options,
    control: Arc<Control>,
    scratch: PathBuf,
    /// It could not be reached for a reason that may be over where it is looked for somewhere else.
    may_lie_elsewhere: AtomicBool,
}

impl Bucket {
    fn new(collection: &Collection, mut options: Options) -> anyhow::Result<Self> {
        if matches!(options.engine, EngineChoice::FromMedium) {
            return Err(Ended::usage(format!(
                "{}: --from-medium is for files: nothing shows which medium an object lies on",
                collection.terms.name
            )));
        }
        let selection = &collection.terms.selection;
        options.engine = EngineChoice::Auto;
        options.algorithms = collection.terms.algorithms.clone().into();
        options.walk.filter =
            Filter::new(&selection.include, &selection.exclude, &[]).map_err(Ended::usage)?;
        let objects = objects::reach(&connection_of(&collection.terms.store))?;
        let base = [collection.terms.root.as_os_str().as_bytes(), b"/"].concat().into();
        let (control, may_lie_elsewhere) = (Arc::default(), AtomicBool::new(false));
        Ok(Self { objects, base, options, control, scratch: std::env::temp_dir(), may_lie_elsewhere })
    }

    fn name(&self, path: &[u8]) -> Vec<u8> {
        [&self.base, path].concat()
    }
}

impl Ground for Bucket {
    fn root(&self) -> io::Result<SeenRoot> {
        let probed = match self.objects.probe(&self.base) {
            // The bucket has answered: it is there, and nothing below the prefix is.
            Err(StoreError::Nothing | StoreError::Deleted) => Ok(()),
            probed => probed,
        };
        probed.map_err(|error| {
            self.may_lie_elsewhere.store(lies_elsewhere(&error), Ordering::Relaxed);
            let kind = match &error {
                error if error.is_denied() => io::ErrorKind::PermissionDenied,
                StoreError::RequestsUsedUp => io::ErrorKind::QuotaExceeded,
                _ => io::ErrorKind::Other,
            };
            io::Error::new(kind, objects::told(&self.base, &error))
        })?;
        let server = self.objects.server(&self.base);
        let server = server.map_err(|error| io::Error::other(objects::told(&self.base, &error)))?;
        let below = String::from_utf8_lossy(&self.base);
        let file_system = format!("{server} {}", below.trim_end_matches('/'));
        Ok(SeenRoot { file_system, inode: 0, mounts: Vec::new() })
    }

    /// A store need not list in byte order, and may say the same twice.
    fn list(
        &self,
        visit: &mut dyn FnMut(Listed<'_>) -> hashlane_catalog::Result<()>,
    ) -> hashlane_catalog::Result<Skipped> {
        let mut shuffled = Shuffled::new(&self.scratch)?;
        let (mut failed, mut not_held, mut more) = (None, Vec::new(), 0_u64);
        let listed = self.objects.below(&self.base, &self.options.walk, &mut |found| {
            let taken = match self.control.stopped() {
                Some(_) => Err(Error::Stopped),
                // As in a tree, what marks it is no part of it.
                None if found.path == MARKER.as_bytes() => Ok(()),
                None if !is_held(found.path) => {
                    match not_held.len() < MOST_NAMED {
                        true => not_held.push(found.path.to_vec()),
                        false => more += 1,
                    }
                    Ok(())
                }
                // The answers to requests for an object tell whole seconds.
                None => shuffled.add(found.path, found.size_bytes, whole(found.modified), found.is_archived),
            };
            match taken {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let skipped = match listed {
            Ok(skipped) => skipped,
            Err(StoreError::RequestsUsedUp) => return Err(Error::BudgetTooSmall),
            Err(error) => {
                visit(Listed::Unlisted { path: b"", reason: &objects::told(&self.base, &error) })?;
                return Ok(Skipped::default());
            }
        };
        for (number, path) in not_held.iter().enumerate() {
            let mut reason = NOT_HELD.to_owned();
            if number + 1 == not_held.len() && more > 0 {
                reason += &format!("; {} like it are not named", text::counted(more, "object"));
            }
            // The root itself would be all of it.
            let path = if path.is_empty() { b"/" } else { &path[..] };
            visit(Listed::Unlisted { path, reason: &reason })?;
        }
        shuffled.show(visit)?;
        Ok(skipped)
    }

    fn takes(&self, path: &[u8]) -> bool {
        path != MARKER.as_bytes() && self.options.walk.filter.takes_below(path)
    }

    fn directory(&self, path: &[u8]) -> DirectoryState {
        let prefix = if path.is_empty() { self.base.to_vec() } else { self.name(&[path, b"/"].concat()) };
        match self.objects.has_below(&prefix) {
            // A bucket and its prefix are always there.
            Ok(false) if path.is_empty() => DirectoryState::Empty,
            Ok(false) => DirectoryState::Gone,
            // What cannot be asked for is not known to be gone.
            Ok(true) | Err(_) => DirectoryState::There,
        }
    }

    fn facts(&self, path: &[u8]) -> io::Result<Option<Content>> {
        let facts = self
            .objects
            .facts(&self.name(path))
            .map_err(|error| io::Error::other(objects::told(&self.base, &error)))?;
        // A store has no other times, and no numbers of files.
        Ok(facts.map(|(size_bytes, modified)| Content {
            size: Some(size_bytes),
            modified: Some(whole(modified)),
            ..Content::default()
        }))
    }

    /// Whoever is not allowed to list has not listed it either.
    fn is_listed(&self, path: &[u8]) -> bool {
        self.objects.lists(&self.name(path)).unwrap_or(false)
    }

    /// Times are those of the store's clock, which need not go as this one does.
    fn grain_s(&self) -> i64 {
        60
    }

    fn can_put_aside(&self) -> bool {
        false
    }

    /// Whatever way it is read, it comes from the store: nothing here keeps it.
    fn read(
        &self,
        _: How,
        files: Box<dyn Iterator<Item = ToRead> + Send>,
        _: Option<Arc<dyn Checkpoints>>,
        sink: &mut dyn Sink,
        control: &Arc<Control>,
    ) -> Result<Summary, hashlane_engine::Error> {
        let mut options = self.options.clone();
        (options.listed, options.in_order, options.disputed) = (true, false, true);
        let (algorithms, base) = (Arc::clone(&options.algorithms), Arc::clone(&self.base));
        let inputs = files.map(move |file| file.input(Arc::clone(&base), Arc::clone(&algorithms)));
        hashlane_engine::run_from(self.objects.clone(), options, inputs, sink, control)
    }
}

/// Whether an error may be over where a collection is looked for somewhere else.
fn lies_elsewhere(error: &StoreError) -> bool {
    /// What stores call a bucket that is not there.
    const NO_BUCKET: [&str; 4] = ["", "ContainerNotFound", "NoSuchBucket", "ResourceNotFound"];
    match error {
        StoreError::Unreachable { .. } => true,
        StoreError::Refused { status: 301 | 404, code, .. } => NO_BUCKET.contains(&code.as_str()),
        _ => false,
    }
}

/// So many keys that cannot be held are named.
const MOST_NAMED: usize = 100;

const NOT_HELD: &str = "a collection cannot hold an object whose key, below the root, begins or ends with a slash or begins with `./`";

/// Whether the rest of a key can be a path in a collection, where directories have names, and files too.
pub(super) fn is_held(path: &[u8]) -> bool {
    !path.is_empty() && !path.starts_with(b"/") && !path.ends_with(b"/") && plain(path) == path
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
