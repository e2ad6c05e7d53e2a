//! Object stores as trees: what checks and audits ask of them.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use hashlane_engine::{
    Control, DirectoryState, Error as RunError, Input, Options, Seen, SeenRoot, Shown, Sink, Skipped,
    Summary, Tree, WalkOptions,
};
use hashlane_record::{ItemPath, Timestamp};

use crate::bucket::Found;
use crate::error::Error;
use crate::location::Location;
use crate::location::below;
use crate::source::{Below, Objects};
use crate::version::{States, may_be_version};

impl Tree for Objects {
    fn base(&self) -> &[u8] {
        &self.base
    }

    fn identity(&self) -> io::Result<SeenRoot> {
        let probed = match self.probe(&self.base) {
            // The bucket has answered: it is there, and nothing below the prefix is.
            Err(Error::Nothing | Error::Deleted) => Ok(()),
            probed => probed,
        };
        let client = || self.store.client(Location::parse(&self.base)?.service);
        let client = probed.and_then(|()| client()).map_err(|error| {
            self.store.may_lie_elsewhere.store(lies_elsewhere(&error), Ordering::Relaxed);
            let kind = match &error {
                error if refuses(error) => io::ErrorKind::PermissionDenied,
                Error::RequestsUsedUp => io::ErrorKind::QuotaExceeded,
                _ => io::ErrorKind::Other,
            };
            io::Error::new(kind, (self.told)(&self.base, &error))
        })?;
        // The URL of the endpoint, or that of the service for all regions. It has no credentials.
        let (server, below) = (client.server(), String::from_utf8_lossy(&self.base));
        let file_system = format!("{server} {}", below.trim_end_matches('/'));
        Ok(SeenRoot { file_system, inode: 0, mounts: Vec::new() })
    }

    fn list(
        &self,
        root: &ItemPath,
        walk: &WalkOptions,
        visit: &mut dyn FnMut(Shown<'_>) -> ControlFlow<()>,
    ) -> io::Result<Skipped> {
        let mut show = |found: Below<'_>| {
            let seen = Some(seen(found.size_bytes, found.modified));
            visit(Shown::File { path: self.below_base(found.path), seen, is_offline: found.is_archived })
        };
        self.find(root.as_bytes(), walk, &mut show).map_err(|error| {
            let kind = match error {
                Error::RequestsUsedUp => io::ErrorKind::QuotaExceeded,
                Error::Nothing => io::ErrorKind::NotFound,
                _ => io::ErrorKind::Other,
            };
            io::Error::new(kind, (self.told)(root.as_bytes(), &error))
        })
    }

    fn lists_in_order(&self) -> bool {
        false
    }

    fn facts(&self, name: &[u8]) -> io::Result<Option<Seen>> {
        let path = below(&self.base, name);
        let found = self.named(&path).map_err(Error::from).and_then(|named| self.exact(&named));
        let refused = match found {
            Ok(Found::Object(object)) => return Ok(Some(seen(object.size_bytes, object.time()))),
            Ok(Found::Nothing | Found::Deleted) => return Ok(None),
            Ok(Found::Refused(status)) => {
                Error::Refused { status, code: String::new(), message: String::new() }
            }
            Err(error) => error,
        };
        Err(io::Error::other((self.told)(&path, &refused)))
    }

    fn directory(&self, name: &[u8]) -> DirectoryState {
        let slash = if name.is_empty() { "" } else { "/" };
        let prefix = Location::parse(&[&self.base, name, slash.as_bytes()].concat());
        match prefix.map_err(Error::from).and_then(|prefix| self.is_anything_below(self.states, &prefix)) {
            // A bucket and its prefix are always there.
            Ok(false) if name.is_empty() => DirectoryState::Empty,
            Ok(false) => DirectoryState::Gone,
            // What cannot be asked for is not known to be gone.
            Ok(true) | Err(_) => DirectoryState::There,
        }
    }

    /// Whoever is not allowed to list has not listed it either.
    fn is_listed(&self, name: &[u8]) -> bool {
        self.lists(&self.whole(name)).unwrap_or(false)
    }

    fn is_version(&self, name: &[u8]) -> bool {
        // A key may end so, too; and where versions are asked for, it is there.
        may_be_version(&below(&self.base, name)) && matches!(self.facts(name), Ok(None))
    }

    /// Times are those of the store's clock, which need not go as this one does.
    fn grain_s(&self) -> i64 {
        60
    }

    fn can_put_aside(&self) -> bool {
        false
    }

    fn read(
        &self,
        options: Options,
        inputs: Box<dyn Iterator<Item = Input> + Send>,
        sink: &mut dyn Sink,
        control: &Arc<Control>,
    ) -> Result<Summary, RunError> {
        let base = Some(Arc::clone(&self.base)).filter(|base| !base.is_empty());
        let inputs = inputs.map(move |input| input.elsewhere(base.clone()));
        self.heed(control);
        hashlane_engine::run_from(self.clone(), options, inputs, sink, control)
    }
}

impl Objects {
    /// Whether the store lists an object of that very name.
    fn lists(&self, path: &[u8]) -> Result<bool, Error> {
        /// Pages that are looked through for a key that may stand for another one. Behind them it counts as listed.
        const MOST: usize = 100;
        let location = Location::parse(path)?;
        let (bucket, key) = (self.store.bucket(&location)?, &location.key);
        // What a listing cannot hold, some stores list as another character, and do not know it by that when they are asked.
        let prefix = key.split(is_stand_in).next().unwrap_or_default();
        let mut next = None;
        for _ in 0..MOST {
            let page = bucket.list(States::Current, prefix, next.as_ref(), None)?;
            if page.objects.iter().any(|listed| listed.key == *key) {
                return Ok(true);
            }
            next = page.next;
            // Most stores list the shortest of the keys that begin alike first; in one that does not it may be among the others.
            if next.is_none() || prefix == key {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether what could not be reached may lie somewhere else by now. Other credentials are no other place.
    pub fn may_lie_elsewhere(&self) -> bool {
        self.store.may_lie_elsewhere.load(Ordering::Relaxed)
    }
}

/// What a store says of an object without its content: it has no other times, and no numbers. In whole seconds, as the answers to requests
/// for objects have it.
fn seen(size_bytes: u64, modified: Timestamp) -> Seen {
    Seen { size_bytes, modified: Timestamp { nanos: 0, ..modified }, ..Seen::default() }
}

/// What stores call a bucket that is not there.
const NO_BUCKET: [&str; 4] = ["", "ContainerNotFound", "NoSuchBucket", "ResourceNotFound"];

/// Whether a store that can be reached gives nothing to whoever asks. That does not end by itself, as it does where the network is down or the
/// store is overburdened: a person has to look at it.
fn refuses(error: &Error) -> bool {
    // Of a listing 404 never says that there is no such object: there is no such bucket, or nobody by that name.
    matches!(error, Error::Credentials(_) | Error::Refused { status: 401 | 403 | 404, .. })
}

/// Whether an error may be over where a collection is looked for somewhere else.
fn lies_elsewhere(error: &Error) -> bool {
    match error {
        Error::Unreachable { .. } => true,
        Error::Refused { status: 301 | 404, code, .. } => NO_BUCKET.contains(&code.as_str()),
        _ => false,
    }
}

/// Whether a character of a listing may stand for one that XML cannot hold.
fn is_stand_in(letter: char) -> bool {
    letter.is_control() || letter == char::REPLACEMENT_CHARACTER
}
