//! Where the files of a collection are: in a tree of this machine, or below a prefix of an object store.

use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use hashlane_catalog::{
    Catalog, Collection, Content, DirectoryState, Error, Ground, How, Listed, LocalTree, MARKER, SeenRoot,
    Shuffled, StoreTerms, ToRead,
};
use hashlane_engine::{Checkpoints, Control, EngineChoice, Filter, Input, Options, Sink, Skipped, Summary};
use hashlane_objects::{Connection, Error as StoreError, Objects, Traffic, is_object, plain};
use hashlane_record::{Division, Timestamp};

use crate::args::StoreArgs;
use crate::objects;
use crate::status::Ended;

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
        match is_in_store(collection) {
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

    /// What was asked of a store so far.
    pub(super) fn traffic(&self) -> Option<Arc<Traffic>> {
        match self {
            Self::Tree(_) => None,
            Self::Bucket(bucket) => Some(bucket.objects.traffic()),
        }
    }
}

/// Whether a collection lies in an object store.
pub(super) fn is_in_store(collection: &Collection) -> bool {
    is_object(collection.terms.root.as_os_str().as_bytes())
}

/// How a store is reached, as it is kept.
pub(super) fn terms_of(args: &StoreArgs) -> StoreTerms {
    let Connection { endpoint, region, anonymous, requester_pays, .. } = args.connection();
    let mut terms = StoreTerms::default();
    (terms.endpoint, terms.region) = (endpoint, region);
    (terms.anonymous, terms.requester_pays) = (anonymous, requester_pays);
    terms
}

/// How it was kept, as it is reached.
fn connection_of(terms: &StoreTerms) -> Connection {
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
        Ok(Self { objects, base, options, control: Arc::default(), scratch: std::env::temp_dir() })
    }

    fn name(&self, path: &[u8]) -> Vec<u8> {
        [&self.base, path].concat()
    }
}

impl Ground for Bucket {
    fn root(&self) -> io::Result<SeenRoot> {
        self.objects.probe(&self.base).map_err(|error| {
            let kind = match &error {
                StoreError::Refused { code, .. } if code == "AccessDenied" => io::ErrorKind::PermissionDenied,
                _ => io::ErrorKind::Other,
            };
            io::Error::new(kind, objects::told(&error))
        })?;
        let below = String::from_utf8_lossy(&self.base);
        let file_system = format!("{} {}", self.objects.server(), below.trim_end_matches('/'));
        Ok(SeenRoot { file_system, inode: 0, mounts: Vec::new() })
    }

    /// A store need not list in byte order, and may say the same twice.
    fn list(
        &self,
        visit: &mut dyn FnMut(Listed<'_>) -> hashlane_catalog::Result<()>,
    ) -> hashlane_catalog::Result<Skipped> {
        let mut shuffled = Shuffled::new(&self.scratch)?;
        let (mut failed, mut not_held) = (None, Vec::new());
        let listed = self.objects.below(&self.base, &self.options.walk, &mut |found| {
            let taken = match self.control.stopped() {
                Some(_) => Err(Error::Stopped),
                None if !is_held(found.path) => {
                    not_held.push(found.path.to_vec());
                    Ok(())
                }
                // The answers to requests for an object tell whole seconds.
                None => shuffled.add(found.path, found.size_bytes, whole(found.modified)),
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
            Err(error) => {
                visit(Listed::Unlisted { path: b"", reason: &objects::told(&error) })?;
                return Ok(Skipped::default());
            }
        };
        for path in &not_held {
            let reason =
                "an object with a slash at an end of its name, or with `./` in front, cannot be held";
            visit(Listed::Unlisted { path, reason })?;
        }
        shuffled.show(visit)?;
        Ok(skipped)
    }

    fn takes(&self, path: &[u8]) -> bool {
        path != MARKER.as_bytes() && self.options.walk.filter.takes_below(path)
    }

    fn directory(&self, path: &[u8]) -> DirectoryState {
        match self.objects.has_below(&[&self.name(path)[..], b"/"].concat()) {
            Ok(false) => DirectoryState::Gone,
            // What cannot be asked for is not known to be gone.
            Ok(true) | Err(_) => DirectoryState::There,
        }
    }

    fn facts(&self, path: &[u8]) -> Option<Content> {
        let (size_bytes, modified) = self.objects.facts(&self.name(path)).ok().flatten()?;
        let modified = Some(whole(modified));
        // As a record of it has them: a store has no other times, and no numbers of files.
        Some(Content {
            size: Some(size_bytes),
            modified,
            changed: modified,
            inode: Some(0),
            ..Content::default()
        })
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
        (options.listed, options.in_order) = (true, false);
        let (algorithms, base) = (Arc::clone(&options.algorithms), Arc::clone(&self.base));
        let inputs = files.map(move |file| Input::File {
            path: file.path,
            base: Some(Arc::clone(&base)),
            algorithms: Arc::clone(&algorithms),
            division: file.beginning.map(Division::Beginning),
            tag: file.tag,
        });
        hashlane_engine::run_from(self.objects.clone(), options, inputs, sink, control)
    }
}

/// Whether the rest of a key can be a path in a collection, where directories have names, and files too.
fn is_held(path: &[u8]) -> bool {
    !path.is_empty() && !path.starts_with(b"/") && !path.ends_with(b"/") && plain(path) == path
}

fn whole(time: Timestamp) -> Timestamp {
    Timestamp { nanos: 0, ..time }
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
