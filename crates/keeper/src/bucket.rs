//! The objects below a prefix of a store, as what the files of a collection are.

use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hashlane_auditor::{DirectoryState, Ground, How, Listed, MARKER, ToRead};
use hashlane_catalog::paths::split;
use hashlane_catalog::{Collection, Content, Error, SeenRoot, Shuffled};
use hashlane_engine::{Checkpoints, Control, EngineChoice, Filter, Options, Sink, Skipped, Summary};
use hashlane_objects::{Connection, Error as StoreError, Objects};

use crate::store::whole;
use crate::terms::connection_of;
use crate::words::Words;

/// The objects below a prefix. An object's path below it is the rest of its key.
pub(crate) struct Bucket {
    pub(crate) objects: Objects,
    /// The name of the prefix, with a slash at its end.
    base: Arc<[u8]>,
    options: Options,
    words: Words,
    pub(crate) control: Arc<Control>,
    pub(crate) scratch: PathBuf,
    /// It could not be reached for a reason that may be over where it is looked for somewhere else.
    pub(crate) may_lie_elsewhere: AtomicBool,
}

impl Bucket {
    pub(crate) fn new(
        collection: &Collection,
        mut options: Options,
        asked: &Connection,
        words: Words,
    ) -> Result<Self, crate::Error> {
        if matches!(options.engine, EngineChoice::FromMedium) {
            return Err(crate::Error::NoMedium);
        }
        let selection = &collection.terms.selection;
        options.engine = EngineChoice::Auto;
        options.algorithms = collection.terms.algorithms.clone().into();
        options.walk.filter = Filter::new(&selection.include, &selection.exclude, &[])?;
        let connection = connection_of(&collection.terms.store, asked);
        let objects = Objects::new(&connection).map_err(crate::Error::Unreached)?;
        let base = [collection.terms.root.as_os_str().as_bytes(), b"/"].concat().into();
        let (control, may_lie_elsewhere) = (Arc::default(), AtomicBool::new(false));
        Ok(Self { objects, base, options, words, control, scratch: std::env::temp_dir(), may_lie_elsewhere })
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
                error if refuses(error) => io::ErrorKind::PermissionDenied,
                StoreError::RequestsUsedUp => io::ErrorKind::QuotaExceeded,
                _ => io::ErrorKind::Other,
            };
            io::Error::new(kind, (self.words.told)(&self.base, &error))
        })?;
        let server = self.objects.server(&self.base);
        let server = server.map_err(|error| io::Error::other((self.words.told)(&self.base, &error)))?;
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
                visit(Listed::Unlisted { path: b"", reason: &(self.words.told)(&self.base, &error) })?;
                return Ok(Skipped::default());
            }
        };
        for (number, path) in not_held.iter().enumerate() {
            let is_last = number + 1 == not_held.len();
            let reason = (self.words.not_held)(if is_last { more } else { 0 });
            // The root itself would be all of it.
            let path = if path.is_empty() { b"/" } else { &path[..] };
            visit(Listed::Unlisted { path, reason: &reason })?;
        }
        shuffled.show(|path, content, is_offline| {
            let (directory, name) = split(path);
            visit(Listed::File { directory, name, content: Some(content), is_offline })
        })?;
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
            .map_err(|error| io::Error::other((self.words.told)(&self.base, &error)))?;
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
        self.objects.heed(control);
        hashlane_engine::run_from(self.objects.clone(), options, inputs, sink, control)
    }
}

/// What stores call a bucket that is not there.
const NO_BUCKET: [&str; 4] = ["", "ContainerNotFound", "NoSuchBucket", "ResourceNotFound"];

/// Whether a store that can be reached gives nothing to whoever asks. That does not end by itself, as it does where the network is down or the
/// store is overburdened: a person has to look at it.
fn refuses(error: &StoreError) -> bool {
    // Of a listing 404 never says that there is no such object: there is no such bucket, or nobody by that name.
    matches!(error, StoreError::Credentials(_) | StoreError::Refused { status: 401 | 403 | 404, .. })
}

/// Whether an error may be over where a collection is looked for somewhere else.
fn lies_elsewhere(error: &StoreError) -> bool {
    match error {
        StoreError::Unreachable { .. } => true,
        StoreError::Refused { status: 301 | 404, code, .. } => NO_BUCKET.contains(&code.as_str()),
        _ => false,
    }
}

/// So many keys that cannot be held are named.
const MOST_NAMED: usize = 100;

/// Whether the rest of a key can be a path in a collection, where directories have names, and files too.
pub fn is_held(path: &[u8]) -> bool {
    !path.is_empty() && !path.starts_with(b"/") && !path.starts_with(b"./") && !path.ends_with(b"/")
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
