//! Object stores as a source of the engine.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::{AddAssign, ControlFlow};
use std::sync::Arc;

use hashlane_engine::{LargeFiles, LargeWay, Lister, OpenedOf, PlaceOf, Skipped, Source, WalkOptions};
use hashlane_io::{EngineKind, Place as _, Pooled, ReadEngine, ReaderPool};
use hashlane_record::{Cause, Failure, ItemPath, Obstacle, Operation, Timestamp};
use rustix::io::Errno;

use crate::bucket::Found;
use crate::client::{Connection, MOST_OPENS, Traffic, check};
use crate::error::Error;
use crate::listing::Listed;
use crate::location::Location;
use crate::object::{ONE_ANSWER_BYTES, ObjectPlace, ObjectStore, RANGE_BYTES};
use crate::refusal::numbered;
use crate::web;

/// Answers that are read at a time, at most.
const MOST_READS: usize = 64;

/// Room for a handshake of TLS, which the small stacks of readers of files do not have.
const STACK_BYTES: usize = 1 << 20;

/// Objects that are open at a time. The answer of each may stay open while others are read.
const MOST_OPEN: usize = 256;

/// Ranges of one large object at a time.
const RANGES: usize = LargeFiles::MOST_BYTES / RANGE_BYTES as usize;

/// What a run would read, and ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Objects.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Requests for these, if all goes well. Those for the listing are not counted.
    pub requests: u64,
    /// Objects that are in an archive and would not be read.
    pub archived: u64,
}

impl AddAssign for Plan {
    fn add_assign(&mut self, other: Self) {
        self.objects += other.objects;
        // A store may say what it likes of sizes.
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.requests = self.requests.saturating_add(other.requests);
        self.archived += other.archived;
    }
}

/// An object below a prefix.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Below<'a> {
    /// Its key, without the prefix; or its whole name, where [`Objects::find`] shows it.
    pub path: &'a [u8],
    /// Its size in bytes.
    pub size_bytes: u64,
    /// When it was written.
    pub modified: Timestamp,
    /// It is in an archive, and has to be restored before it can be read.
    pub is_archived: bool,
}

/// Shows what is listed below a prefix of so many bytes.
struct Showing<'a> {
    prefix: usize,
    visit: &'a mut dyn FnMut(Below<'_>) -> ControlFlow<()>,
}

impl Lister<ObjectStore> for Showing<'_> {
    fn found(&mut self, place: ObjectPlace, _: u64) -> ControlFlow<()> {
        let Some(listed) = &place.listed else { return ControlFlow::Continue(()) };
        let path = &place.key.as_bytes()[self.prefix..];
        let (size_bytes, modified, is_archived) = (listed.size_bytes, listed.time(), listed.is_archived);
        (self.visit)(Below { path, size_bytes, modified, is_archived })
    }

    fn failed(&mut self, _: ItemPath, _: Failure) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Shows what is listed with whole names.
struct Finding<'a> {
    /// The status by which the store refuses the object that was named.
    refused: Option<u16>,
    visit: &'a mut dyn FnMut(Below<'_>) -> ControlFlow<()>,
}

impl Lister<ObjectStore> for Finding<'_> {
    fn found(&mut self, place: ObjectPlace, _: u64) -> ControlFlow<()> {
        let Some(listed) = &place.listed else { return ControlFlow::Continue(()) };
        let (size_bytes, modified, is_archived) = (listed.size_bytes, listed.time(), listed.is_archived);
        (self.visit)(Below { path: &place.printed(), size_bytes, modified, is_archived })
    }

    fn failed(&mut self, _: ItemPath, failure: Failure) -> ControlFlow<()> {
        if let Cause::Remote(status) = failure.cause {
            self.refused = Some(status);
        }
        ControlFlow::Continue(())
    }
}

/// The objects of a store as a source.
#[derive(Clone, Debug)]
pub struct Objects {
    store: Arc<ObjectStore>,
    readers: Arc<ReaderPool>,
    /// Apart from those that read: where a store limits how many answers are open, one has to be read for another to come.
    openers: Arc<ReaderPool>,
}

impl Objects {
    /// A source of a store. Nothing is asked of it yet.
    ///
    /// # Errors
    /// The endpoint is no URL.
    pub fn new(connection: &Connection) -> Result<Self, Error> {
        check(connection)?;
        let store = Arc::new(ObjectStore::new(connection));
        let pool = |threads| ReaderPool::with_stacks(threads, STACK_BYTES);
        Ok(Self { store, readers: pool(MOST_READS), openers: pool(MOST_OPENS) })
    }

    /// Looks whether there is anything of that name: what is wrong with all that a run would ask for is best said before it begins.
    ///
    /// # Errors
    /// The name is not possible, the store refuses or cannot be reached, or there is nothing.
    pub fn probe(&self, path: &[u8]) -> Result<(), Error> {
        let location = Location::parse(path)?;
        if !location.service.lists() && location.is_prefix() {
            return Err(Error::NoListing);
        }
        let mut exact = self.exact(&location)?;
        let is_there = matches!(exact, Found::Object(_))
            || location.service.lists() && self.is_anything_below(&location)?;
        // An empty bucket is like an empty directory.
        if is_there || location.key.is_empty() {
            return Ok(());
        }
        // Which region the bucket is in may be known by now.
        if matches!(exact, Found::Refused(_)) {
            exact = self.exact(&location)?;
        }
        match exact {
            Found::Object(_) => Ok(()),
            Found::Nothing => Err(Error::Nothing),
            Found::Deleted => Err(Error::Deleted),
            Found::Refused(status) => {
                Err(Error::Refused { status, code: String::new(), message: String::new() })
            }
        }
    }

    /// Whether the store lists an object below a location.
    fn is_anything_below(&self, location: &Location) -> Result<bool, Error> {
        /// Pages may be empty, and are not for ever.
        const MOST: usize = 1000;
        let (bucket, prefix) = (self.store.bucket(location)?, location.prefix());
        let mut token = None;
        for _ in 0..MOST {
            let page = bucket.list(&prefix, token.as_deref(), Some(1))?;
            match page.next {
                _ if !page.objects.is_empty() => return Ok(true),
                None => return Ok(false),
                next => token = next,
            }
        }
        Err(Error::Answer("its pages are empty".to_owned()))
    }

    /// Looks whether objects of a bucket can be asked for, whether there is one of that name or not.
    ///
    /// # Errors
    /// As [`Objects::probe`].
    pub fn probe_bucket(&self, path: &[u8]) -> Result<(), Error> {
        match self.probe(path) {
            Err(Error::Nothing | Error::Deleted) => Ok(()),
            // One may be allowed to read objects without being allowed to list them; or to list them, and not to read this one.
            Err(error) if error.is_denied() => Ok(()),
            // What answers a question about one object says no more than its status.
            Err(Error::Refused { status: 403, code, .. }) if code.is_empty() => Ok(()),
            other => other,
        }
    }

    /// Shows the objects below a prefix that `options` select, in the order of the store. What stands for a folder is skipped.
    ///
    /// # Errors
    /// The name is not possible, or the store refuses or cannot be reached.
    pub fn below(
        &self,
        prefix: &[u8],
        options: &WalkOptions,
        visit: &mut dyn FnMut(Below<'_>) -> ControlFlow<()>,
    ) -> Result<Skipped, Error> {
        let location = Location::parse(prefix)?;
        // Of an object of that very name, nothing lies below it.
        let location = Location { key: location.prefix(), ..location };
        let (mut skipped, mut showing) = (Skipped::default(), Showing { prefix: location.key.len(), visit });
        let _: (u64, ControlFlow<()>) = self.list_location(&location, options, &mut skipped, &mut showing)?;
        Ok(skipped)
    }

    /// Shows what a run would read of a location, in the order of the store: the object of that name, and those below it.
    ///
    /// # Errors
    /// The name is not possible, there is nothing, or the store refuses or cannot be reached. Some may have been shown by then.
    pub fn find(
        &self,
        path: &[u8],
        options: &WalkOptions,
        visit: &mut dyn FnMut(Below<'_>) -> ControlFlow<()>,
    ) -> Result<Skipped, Error> {
        let location = Location::parse(path)?;
        let (mut skipped, mut finding) = (Skipped::default(), Finding { refused: None, visit });
        let (found, flow) = self.list_location(&location, options, &mut skipped, &mut finding)?;
        match finding.refused {
            Some(status) => Err(Error::Refused { status, code: String::new(), message: String::new() }),
            // An empty bucket is like an empty directory.
            None if found == 0 && flow.is_continue() && !location.key.is_empty() => Err(Error::Nothing),
            None => Ok(skipped),
        }
    }

    /// What the store tells of an object without its content; `None` if it says that there is none of that name.
    ///
    /// # Errors
    /// The name is not possible, or the store refuses or cannot be reached.
    pub fn facts(&self, path: &[u8]) -> Result<Option<(u64, Timestamp)>, Error> {
        match self.exact(&Location::parse(path)?)? {
            Found::Object(object) => Ok(Some((object.size_bytes, object.time()))),
            Found::Nothing | Found::Deleted => Ok(None),
            Found::Refused(status) => {
                Err(Error::Refused { status, code: String::new(), message: String::new() })
            }
        }
    }

    /// Whether the store lists an object of that very name.
    ///
    /// # Errors
    /// The name is not possible, or the store refuses or cannot be reached.
    pub fn lists(&self, path: &[u8]) -> Result<bool, Error> {
        let location = Location::parse(path)?;
        // Most stores list the shortest of the keys that begin alike first; in one that does not it may be among the others.
        let page = self.store.bucket(&location)?.list(&location.key, None, None)?;
        Ok(page.objects.iter().any(|listed| listed.key == location.key))
    }

    /// Whether there is any object below a prefix.
    ///
    /// # Errors
    /// The name is not possible, or the store refuses or cannot be reached.
    pub fn has_below(&self, prefix: &[u8]) -> Result<bool, Error> {
        self.is_anything_below(&Location::parse(prefix)?)
    }

    /// Which server is asked: the URL of the endpoint, or that of the service for all regions. It has no credentials.
    ///
    /// # Errors
    /// The name is not possible, or the store cannot be reached as is asked for.
    pub fn server(&self, path: &[u8]) -> Result<String, Error> {
        Ok(self.store.client(Location::parse(path)?.service)?.server().to_owned())
    }

    /// The one object that a location names, if it names one and the store has it.
    fn exact(&self, location: &Location) -> Result<Found, Error> {
        if location.is_prefix() {
            return Ok(Found::Nothing);
        }
        let bucket = self.store.bucket(location)?;
        bucket.find(&location.key).map_err(|refusal| refusal.into_error(&bucket.url()))
    }

    /// What a run would read of a location, and what it would ask for. Lists it, and reads nothing.
    ///
    /// # Errors
    /// The name is not possible, or the store refuses or cannot be reached.
    pub fn plan(&self, path: &ItemPath, options: &WalkOptions) -> Result<Plan, Error> {
        let mut plan = Plan::default();
        let mut add = |found: Below<'_>| {
            let (bytes, is_large) = (found.size_bytes, found.size_bytes > ONE_ANSWER_BYTES);
            let requests = if is_large { 1 + bytes.div_ceil(RANGE_BYTES) } else { 1 };
            plan += match found.is_archived {
                true => Plan { archived: 1, ..Plan::default() },
                false => Plan { objects: 1, bytes, requests, archived: 0 },
            };
            ControlFlow::Continue(())
        };
        match self.find(path.as_bytes(), options, &mut add) {
            Ok(_) | Err(Error::Nothing) => Ok(plan),
            Err(error) => Err(error),
        }
    }

    /// Makes at most so many requests from now on, repetitions included. What is left then fails as
    /// [`Obstacle::RequestsUsedUp`].
    pub fn ask_at_most(&self, requests: u64) {
        self.store.traffic.limit(requests);
    }

    /// What was asked of the store so far.
    pub fn traffic(&self) -> Arc<Traffic> {
        Arc::clone(&self.store.traffic)
    }

    /// Lists what is below a location, or is it. Counts what is not to be read.
    fn list_location(
        &self,
        location: &Location,
        options: &WalkOptions,
        skipped: &mut Skipped,
        lister: &mut impl Lister<ObjectStore>,
    ) -> Result<(u64, ControlFlow<()>), Error> {
        let bucket = self.store.bucket(location)?;
        let prefix = location.prefix();
        let mut found = 0;
        let mut take =
            |listed: Listed, is_below: bool, lister: &mut dyn FnMut(ObjectPlace) -> ControlFlow<()>| {
                found += 1;
                let relative = if is_below { &listed.key[prefix.len()..] } else { &listed.key };
                let is_marker = listed.size_bytes == 0 && listed.key.ends_with('/');
                if is_marker || !options.filter.types().file {
                    skipped.special += 1;
                } else if !options.filter.bounds().hold(Some(listed.size_bytes), Some(listed.time())) {
                    // Known beforehand, so none of them costs a request.
                    skipped.excluded += 1;
                } else if is_below
                    && !options.filter.is_empty()
                    && !options.filter.takes_below(relative.as_bytes())
                {
                    skipped.excluded += 1;
                } else {
                    let key = listed.key.as_str().into();
                    let listed = Some(Arc::new(listed));
                    return lister(ObjectPlace { bucket: Arc::clone(&bucket), key, listed, printed: None });
                }
                ControlFlow::Continue(())
            };
        let exact = self.exact(location)?;
        let is_object = matches!(exact, Found::Object(_));
        let is_refused = matches!(exact, Found::Refused(_));
        if let Found::Object(exact) = exact
            && take(exact, false, &mut |place| lister.found(place, 0)).is_break()
        {
            return Ok((1, ControlFlow::Break(())));
        }
        if !location.service.lists() && !location.is_prefix() {
            return Ok((found, ControlFlow::Continue(())));
        }
        let mut token = None;
        let (mut seen, mut last, mut refused) = (HashSet::new(), String::new(), 0);
        loop {
            lister.flush();
            let page = match bucket.list(&prefix, token.as_deref(), None) {
                // Whoever may read an object need not be allowed to list what lies below it.
                Err(Error::Refused { status: 403, .. }) if is_object && token.is_none() => {
                    return Ok((found + refused, ControlFlow::Continue(())));
                }
                listed => listed?,
            };
            // Whoever may list is refused what is there. Which region the bucket is in may be known by now.
            if is_refused && token.is_none() {
                match self.exact(location)? {
                    Found::Nothing | Found::Deleted => {}
                    Found::Object(exact) => {
                        if take(exact, false, &mut |place| lister.found(place, 0)).is_break() {
                            return Ok((1, ControlFlow::Break(())));
                        }
                    }
                    Found::Refused(status) => {
                        let path = ItemPath::from(bucket.path_of(&location.key));
                        let cause = Cause::Remote(status);
                        if lister.failed(path, failure(Operation::Open, cause)).is_break() {
                            return Ok((1, ControlFlow::Break(())));
                        }
                        refused += 1;
                    }
                }
            }
            let (before, has_objects) = (last.clone(), !page.objects.is_empty());
            for listed in page.objects {
                if !listed.key.starts_with(&prefix) {
                    return Err(Error::Answer(format!("{:?} is not below {prefix:?}", listed.key)));
                }
                last.clone_from(&listed.key);
                // A page that begins with the end of the one before.
                if listed.key == before {
                    continue;
                }
                if take(listed, true, &mut |place| lister.found(place, 0)).is_break() {
                    return Ok((found, ControlFlow::Break(())));
                }
            }
            let Some(next) = page.next else { return Ok((found + refused, ControlFlow::Continue(()))) };
            // Else the listing would go round for ever.
            if has_objects && last == before || !seen.insert(hash_of(&next)) {
                return Err(Error::Answer("its pages repeat themselves".to_owned()));
            }
            token = Some(next);
        }
    }
}

impl Source for Objects {
    type Store = ObjectStore;
    /// What names are relative to: the path of a prefix.
    type Base = Arc<[u8]>;

    fn place(&self, path: &ItemPath, base: Option<Arc<[u8]>>) -> Result<PlaceOf<Self>, Failure> {
        let impossible = || failure(Operation::Open, Cause::System(Errno::INVAL.raw_os_error()));
        let whole = match &base {
            Some(base) => Location::parse(&web::below(base, plain(path.as_bytes()))),
            None => Location::parse(path.as_bytes()),
        };
        let location = whole.map_err(|_| impossible())?;
        if location.key.is_empty() {
            // What a store answers there is a listing.
            return Err(failure(Operation::Open, Cause::System(Errno::ISDIR.raw_os_error())));
        }
        let printed = base.map(|_| Arc::from(path.as_bytes()));
        let bucket = self.store.bucket(&location).map_err(|_| impossible())?;
        Ok(ObjectPlace { bucket, key: location.key.into(), listed: None, printed })
    }

    fn list(
        &self,
        root: &ItemPath,
        options: &WalkOptions,
        lister: &mut impl Lister<ObjectStore>,
    ) -> (Skipped, ControlFlow<()>) {
        let mut skipped = Skipped::default();
        let listed = match Location::parse(root.as_bytes()) {
            Ok(location) => self.list_location(&location, options, &mut skipped, lister),
            Err(error) => Err(error.into()),
        };
        let cause = match listed {
            // An empty bucket is like an empty directory.
            Ok((0, ControlFlow::Continue(()))) if !is_bucket(root) => Cause::Remote(404),
            Ok((_, flow)) => return (skipped, flow),
            Err(Error::Refused { status, .. }) => Cause::Remote(status),
            Err(Error::Unreachable { source, .. }) => {
                Cause::System(numbered(source).raw_os_error().unwrap_or(Errno::IO.raw_os_error()))
            }
            Err(Error::Credentials(_)) => Cause::Obstacle(Obstacle::Unsigned),
            Err(Error::RequestsUsedUp) => Cause::Obstacle(Obstacle::RequestsUsedUp),
            Err(Error::Answer(_)) => Cause::System(Errno::BADMSG.raw_os_error()),
            Err(_) => Cause::System(Errno::INVAL.raw_os_error()),
        };
        (skipped, lister.failed(root.clone(), failure(Operation::List, cause)))
    }

    fn start_engine(&self, _workers: usize) -> Box<dyn ReadEngine<ObjectStore>> {
        let pools = (Arc::clone(&self.readers), Arc::clone(&self.openers));
        Box::new(Pooled::with_openers(Arc::clone(&self.store), pools.0, pools.1))
    }

    fn large(&self, object: &OpenedOf<Self>, _has_tree: bool) -> LargeWay {
        // What comes in one answer comes in its order.
        let in_flight = if object.is_streamed() { 1 } else { RANGES };
        let pieces =
            LargeFiles { engine: EngineKind::Buffered, block_bytes: RANGE_BYTES as usize, in_flight };
        LargeWay { engine: None, windows: false, pieces }
    }

    fn most_open(&self) -> usize {
        MOST_OPEN
    }

    fn pieces_above(&self) -> Option<u64> {
        Some(ONE_ANSWER_BYTES)
    }
}

/// A name of a list without what a walk from the current directory puts before it.
pub fn plain(mut name: &[u8]) -> &[u8] {
    while let Some(rest) = name.strip_prefix(b"./") {
        name = &rest[rest.iter().take_while(|&&byte| byte == b'/').count()..];
    }
    name
}

fn hash_of(token: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    token.hash(&mut hasher);
    hasher.finish()
}

/// Whether a path names all of a bucket.
fn is_bucket(path: &ItemPath) -> bool {
    Location::parse(path.as_bytes()).is_ok_and(|location| location.key.is_empty())
}

fn failure(operation: Operation, cause: Cause) -> Failure {
    Failure { operation, cause, offset_bytes: 0 }
}
