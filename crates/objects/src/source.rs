//! Object stores as a source of the engine.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::ControlFlow;
use std::sync::Arc;

use hashlane_engine::{
    Control, LargeFiles, LargeWay, Lister, OpenedOf, PlaceOf, Skipped, Source, WalkOptions,
};
use hashlane_io::{EngineKind, Place as _, Pooled, ReadEngine, ReadStep, ReaderPool};
use hashlane_record::{Cause, Failure, ItemPath, Obstacle, Operation, Timestamp, without_secrets};
use rustix::io::Errno;

use crate::bucket::{Bucket, Found};
use crate::client::{Connection, MOST_OPENS, Traffic, check};
use crate::error::Error;
use crate::listing::{Listed, Next, Page};
use crate::location::{Location, NameError, below, with_slash};
use crate::object::{ONE_ANSWER_BYTES, Object, ObjectPlace, ObjectStore, RANGE_BYTES};
use crate::refusal::numbered;
use crate::service::Service;
use crate::version::{Name, States, split};

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
    /// Requests for these, if all goes well, at most. Those for the listing are not counted.
    pub requests: u64,
    /// Objects that are in an archive and would not be read.
    pub archived: u64,
}

/// An object below a prefix.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Below<'a> {
    /// Its whole name.
    pub path: &'a [u8],
    /// Its size in bytes.
    pub size_bytes: u64,
    /// When it was written, in whole seconds, as the answers to requests for objects have it.
    pub modified: Timestamp,
    /// It is in an archive, and has to be restored before it can be read.
    pub is_archived: bool,
    /// Requests that it takes to read it, if all goes well: at most this many, where a listing does not say what its checksum is over.
    pub requests: u64,
}

impl<'a> Below<'a> {
    fn new(path: &'a [u8], place: &ObjectPlace, listed: &Listed) -> Self {
        let size_bytes = listed.size_bytes;
        let for_content = match size_bytes > ONE_ANSWER_BYTES {
            true => 1 + size_bytes.div_ceil(RANGE_BYTES),
            false => 1,
        };
        let for_parts = match place.bucket.client().service {
            Service::S3 => listed.requests_for_parts(),
            _ => 0,
        };
        let requests = for_content + for_parts;
        Self { path, size_bytes, modified: whole(listed.time()), is_archived: listed.is_archived, requests }
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
        (self.visit)(Below::new(&place.printed(), &place, listed))
    }

    fn failed(&mut self, _: ItemPath, failure: Failure) -> ControlFlow<()> {
        if let Cause::Remote(status) = failure.cause {
            self.refused = Some(status);
        }
        ControlFlow::Continue(())
    }
}

/// The objects of a store, as a source and as a tree. Names are whole, unless they are to be relative to a prefix.
#[derive(Clone, Debug)]
pub struct Objects {
    pub(crate) store: Arc<ObjectStore>,
    readers: Arc<ReaderPool>,
    /// Apart from those that read: where a store limits how many answers are open, one has to be read for another to come.
    openers: Arc<ReaderPool>,
    pub(crate) states: States,
    /// What the names of [`Tree`](hashlane_engine::Tree) are relative to: the name of a prefix, with a slash at its end.
    pub(crate) base: Arc<[u8]>,
    pub(crate) told: Told,
}

/// What is wrong with a location, and what to do about it, in the words of the program and without the name.
pub type Told = fn(&[u8], &Error) -> String;

/// What a path names.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) location: Location,
    /// One of the states that the store keeps of the object.
    version: Option<Arc<str>>,
}

impl Named {
    /// As an object is asked for. There need be none of that name.
    fn name(&self) -> Name {
        Name { key: self.location.key.as_str().into(), version: self.version.clone() }
    }

    /// Whether no object can be meant.
    fn is_prefix(&self) -> bool {
        self.version.is_none() && self.location.is_prefix()
    }
}

/// The course of a listing through its pages. Where these go round, it ends.
#[derive(Debug, Default)]
struct Course {
    seen: HashSet<u64>,
    /// Key and version of what was listed last.
    last: (String, Option<Box<str>>),
}

impl Course {
    /// Shows what a page brings, and says what the next one is asked for with.
    fn follow(
        &mut self,
        page: Page,
        prefix: &str,
        show: &mut dyn FnMut(Listed) -> ControlFlow<()>,
    ) -> Result<ControlFlow<(), Option<Next>>, Error> {
        let (before, has_objects) = (self.last.clone(), !page.objects.is_empty());
        for listed in page.objects {
            if !listed.key.starts_with(prefix) {
                return Err(Error::Answer(format!("{:?} is not below {prefix:?}", listed.key)));
            }
            self.last.0.clone_from(&listed.key);
            self.last.1.clone_from(&listed.version);
            // A page that begins with the end of the one before.
            if self.last == before {
                continue;
            }
            if show(listed).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        // Else the listing would go round for ever.
        if let Some(next) = &page.next
            && (has_objects && self.last == before || !self.seen.insert(hash_of(next)))
        {
            return Err(Error::Answer("its pages repeat themselves".to_owned()));
        }
        Ok(ControlFlow::Continue(page.next))
    }
}

impl Objects {
    /// A source of a store. Nothing is asked of it yet.
    ///
    /// # Errors
    /// The endpoint is not a URL.
    pub fn new(connection: &Connection) -> Result<Self, Error> {
        check(connection)?;
        let store = Arc::new(ObjectStore::new(connection));
        let pool = |threads| ReaderPool::with_stacks(threads, STACK_BYTES);
        let (states, base) = (States::Current, Arc::default());
        let told = |_: &[u8], error: &Error| error.to_string();
        Ok(Self { store, readers: pool(MOST_READS), openers: pool(MOST_OPENS), states, base, told })
    }

    /// The same with names that are relative to a prefix.
    #[must_use]
    pub fn below(&self, prefix: &[u8]) -> Self {
        Self { base: with_slash(prefix), ..self.clone() }
    }

    /// The same in the words of the program.
    #[must_use]
    pub fn telling(self, told: Told) -> Self {
        Self { told, ..self }
    }

    /// The same with all states that a store of S3 keeps: they are listed, and names that end with `?versionId=ID` are theirs.
    #[must_use]
    pub fn with_versions(self) -> Self {
        Self { states: States::All, ..self }
    }

    /// What a path names.
    pub(crate) fn named(&self, path: &[u8]) -> Result<Named, NameError> {
        // A URL may end like a version, and is sent as it is.
        if self.states == States::All && Service::of(path) == Some(Service::S3) {
            let (object, version) = split(path);
            // A bucket has none.
            if let Ok(location) = Location::parse(object)
                && !location.key.is_empty()
            {
                return Ok(Named { location, version: version.map(Arc::from) });
            }
        }
        Ok(Named { location: Location::parse(&self.store.asked(path))?, version: None })
    }

    /// Looks whether there is anything of that name: what is wrong with all that a run would ask for is best said before it begins.
    ///
    /// # Errors
    /// The name is not possible, the store refuses or cannot be reached, or there is nothing.
    pub fn probe(&self, path: &[u8]) -> Result<(), Error> {
        self.probe_states(self.states, path)
    }

    fn probe_states(&self, states: States, path: &[u8]) -> Result<(), Error> {
        let named = self.named(path)?;
        let location = &named.location;
        if !location.service.lists() && location.is_prefix() {
            return Err(Error::NoListing);
        }
        if states == States::All && named.version.is_none() {
            let is_there = !location.is_prefix() && self.has_version(location)?
                || self.is_anything_below(states, location)?;
            return if is_there || location.key.is_empty() { Ok(()) } else { Err(Error::Nothing) };
        }
        let mut exact = self.exact(&named)?;
        let is_there = matches!(exact, Found::Object(_))
            || named.version.is_none()
                && location.service.lists()
                && self.is_anything_below(States::Current, location)?;
        // An empty bucket is like an empty directory.
        if is_there || location.key.is_empty() {
            return Ok(());
        }
        // Which region the bucket is in may be known by now.
        if matches!(exact, Found::Refused(_)) {
            exact = self.exact(&named)?;
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

    /// Whether the store keeps a state of the object that a location names.
    fn has_version(&self, location: &Location) -> Result<bool, Error> {
        let first = self.first_listed(States::All, location, &location.key)?;
        Ok(first.is_some_and(|listed| listed.key == location.key))
    }

    /// Whether the store lists an object below a location.
    pub(crate) fn is_anything_below(&self, states: States, location: &Location) -> Result<bool, Error> {
        Ok(self.first_listed(states, location, &location.prefix())?.is_some())
    }

    /// The first of what a bucket has whose key begins like this.
    fn first_listed(
        &self,
        states: States,
        location: &Location,
        prefix: &str,
    ) -> Result<Option<Listed>, Error> {
        /// Pages may be empty, and are not for ever.
        const MOST: usize = 1000;
        let bucket = self.store.bucket(location)?;
        let mut next = None;
        for _ in 0..MOST {
            let page = bucket.list(states, prefix, next.as_ref(), Some(1))?;
            let first = page.objects.into_iter().next();
            match page.next {
                _ if first.is_some() => return Ok(first),
                None => return Ok(None),
                behind => next = behind,
            }
        }
        Err(Error::Answer("its pages are empty".to_owned()))
    }

    /// Looks whether objects of a bucket can be asked for, whether there is one of that name or not.
    ///
    /// # Errors
    /// As [`Objects::probe`].
    pub fn probe_bucket(&self, path: &[u8]) -> Result<(), Error> {
        // Who reads versions that are named need not be allowed to list them.
        match self.probe_states(States::Current, path) {
            Err(Error::Nothing | Error::Deleted) => Ok(()),
            // One may be allowed to read objects without being allowed to list them; or to list them, and not to read this one.
            Err(error) if error.is_denied() => Ok(()),
            // So is a name of a version that no version has: that is wrong with one object.
            Err(Error::Refused { status: 400, code, .. })
                if code.is_empty() && self.named(path).is_ok_and(|named| named.version.is_some()) =>
            {
                Ok(())
            }
            // What answers a question about one object says no more than its status.
            Err(Error::Refused { status: 403, code, .. }) if code.is_empty() => Ok(()),
            other => other,
        }
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
        // The name alone stands for the root that is known by it.
        let _ = self.store.know_root(path);
        let named = self.named(path)?;
        let (mut skipped, mut finding) = (Skipped::default(), Finding { refused: None, visit });
        let (found, flow) = self.list_named(&named, options, &mut skipped, &mut finding)?;
        match finding.refused {
            Some(status) => Err(Error::Refused { status, code: String::new(), message: String::new() }),
            // An empty bucket is like an empty directory.
            None if found == 0 && flow.is_continue() && !named.location.key.is_empty() => Err(Error::Nothing),
            None => Ok(skipped),
        }
    }

    /// Opens an object that others read other ranges of: asks about it, and brings nothing yet.
    ///
    /// # Errors
    /// The name is not possible, or the store refuses or cannot be reached.
    pub fn open_shared(&self, path: &ItemPath) -> Result<Object, Failure> {
        let place = self.place(path, None)?;
        let opened = Object::shared(&place);
        opened.map_err(|refusal| hashlane_engine::failure(&refusal.into_read_error(ReadStep::Open)))
    }

    /// The one object that is named, if one is and the store has it.
    pub(crate) fn exact(&self, named: &Named) -> Result<Found, Error> {
        if named.is_prefix() {
            return Ok(Found::Nothing);
        }
        let bucket = self.store.bucket(&named.location)?;
        bucket.find(&named.name()).map_err(|refusal| refusal.into_error(&bucket.url()))
    }

    /// What a run would read of locations, and what it would ask for. Lists them, and reads nothing.
    ///
    /// # Errors
    /// The name of one is not possible, or the store refuses or cannot be reached; with that name.
    pub fn plan<'a>(
        &self,
        paths: impl Iterator<Item = &'a [u8]>,
        options: &WalkOptions,
    ) -> Result<Plan, (&'a [u8], Error)> {
        let mut plan = Plan::default();
        for path in paths {
            let mut add = |found: Below<'_>| {
                if found.is_archived {
                    plan.archived += 1;
                    return ControlFlow::Continue(());
                }
                plan.objects += 1;
                // A store may say what it likes of sizes.
                plan.bytes = plan.bytes.saturating_add(found.size_bytes);
                plan.requests = plan.requests.saturating_add(found.requests);
                ControlFlow::Continue(())
            };
            match self.find(path, options, &mut add) {
                Ok(_) | Err(Error::Nothing) => {}
                Err(error) => return Err((path, error)),
            }
        }
        Ok(plan)
    }

    /// Takes note of a root that may be a URL with secrets: from now on its name without them stands for it.
    ///
    /// # Errors
    /// Another root has that name.
    pub fn know_root(&self, root: &[u8]) -> Result<(), Error> {
        self.store.know_root(root)
    }

    /// Makes at most `most` requests from now on, repetitions included. What is left then fails as
    /// [`Obstacle::RequestsUsedUp`].
    pub fn ask_at_most(&self, requests: u64) {
        self.store.traffic.limit(requests);
    }

    /// Ends the waiting for the store when a run is to stop.
    pub fn heed(&self, control: &Arc<Control>) {
        self.store.heeded.set(control);
    }

    /// What was asked of the store so far.
    pub fn traffic(&self) -> Arc<Traffic> {
        Arc::clone(&self.store.traffic)
    }

    /// Lists what is named, or lies below that. Counts what is not to be read.
    fn list_named(
        &self,
        named: &Named,
        options: &WalkOptions,
        skipped: &mut Skipped,
        lister: &mut impl Lister<ObjectStore>,
    ) -> Result<(u64, ControlFlow<()>), Error> {
        let location = &named.location;
        let bucket = self.store.bucket(location)?;
        let prefix = location.prefix();
        let is_of_all = self.states == States::All && named.version.is_none();
        let mut found = 0;
        let mut take =
            |listed: Listed, is_below: bool, lister: &mut dyn FnMut(ObjectPlace) -> ControlFlow<()>| {
                found += 1;
                let relative = if is_below { &listed.key[prefix.len()..] } else { &listed.key };
                let is_folder = listed.size_bytes == 0 && listed.key.ends_with('/');
                if listed.is_marker {
                    self.store.traffic.count_marker();
                } else if is_folder || !options.filter.types().file {
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
                    let version = listed.version.as_deref().map(Arc::from);
                    let name = Name { key: listed.key.as_str().into(), version };
                    let listed = Some(Arc::new(listed));
                    return lister(ObjectPlace { bucket: Arc::clone(&bucket), name, listed, printed: None });
                }
                ControlFlow::Continue(())
            };
        let exact = if is_of_all { Found::Nothing } else { self.exact(named)? };
        let is_object = matches!(exact, Found::Object(_));
        let is_refused = matches!(exact, Found::Refused(_));
        if let Found::Object(exact) = exact
            && take(exact, false, &mut |place| lister.found(place, 0)).is_break()
        {
            return Ok((1, ControlFlow::Break(())));
        }
        // Nothing lies below a version.
        if named.version.is_some() || !location.service.lists() && !location.is_prefix() {
            return Ok((found, ControlFlow::Continue(())));
        }
        if is_of_all && !location.is_prefix() {
            let mut show = |listed| take(listed, false, &mut |place| lister.found(place, 0));
            if list_versions(&bucket, &location.key, &mut show)?.is_break() {
                return Ok((found, ControlFlow::Break(())));
            }
        }
        let (mut course, mut next, mut refused) = (Course::default(), None, 0);
        loop {
            lister.flush();
            let page = match bucket.list(self.states, &prefix, next.as_ref(), None) {
                // Whoever may read an object need not be allowed to list what lies below it.
                Err(Error::Refused { status: 403, .. }) if is_object && next.is_none() => {
                    return Ok((found + refused, ControlFlow::Continue(())));
                }
                listed => listed?,
            };
            // Whoever may list is refused what is there. Which region the bucket is in may be known by now.
            if is_refused && next.is_none() {
                match self.exact(named)? {
                    Found::Nothing | Found::Deleted => {}
                    Found::Object(exact) => {
                        if take(exact, false, &mut |place| lister.found(place, 0)).is_break() {
                            return Ok((1, ControlFlow::Break(())));
                        }
                    }
                    Found::Refused(status) => {
                        let path = ItemPath::from(bucket.path_of(&named.name()));
                        let cause = Cause::Remote(status);
                        if lister.failed(path, failure(Operation::Open, cause)).is_break() {
                            return Ok((1, ControlFlow::Break(())));
                        }
                        refused += 1;
                    }
                }
            }
            let mut show = |listed| take(listed, true, &mut |place| lister.found(place, 0));
            match course.follow(page, &prefix, &mut show)? {
                ControlFlow::Break(()) => return Ok((found, ControlFlow::Break(()))),
                ControlFlow::Continue(None) => return Ok((found + refused, ControlFlow::Continue(()))),
                ControlFlow::Continue(behind) => next = behind,
            }
        }
    }
}

/// Shows the states of one key.
fn list_versions(
    bucket: &Bucket,
    key: &str,
    show: &mut dyn FnMut(Listed) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Error> {
    let (mut course, mut next) = (Course::default(), None);
    // Keys come in their order: where another one begins, there is no more of this one.
    let mut is_over = false;
    loop {
        let page = bucket.list(States::All, key, next.as_ref(), None)?;
        let mut show = |listed: Listed| {
            is_over |= listed.key != key;
            if is_over { ControlFlow::Continue(()) } else { show(listed) }
        };
        match course.follow(page, key, &mut show)? {
            ControlFlow::Break(()) => return Ok(ControlFlow::Break(())),
            ControlFlow::Continue(behind) if is_over || behind.is_none() => {
                return Ok(ControlFlow::Continue(()));
            }
            ControlFlow::Continue(behind) => next = behind,
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
            Some(base) => self.named(&below(base, path.as_bytes())),
            None => self.named(path.as_bytes()),
        };
        let named = whole.map_err(|_| match &base {
            // A server of HTTP would follow it.
            Some(base) if Service::of(base) == Some(Service::Web) && leads_up(path) => {
                failure(Operation::Open, Cause::System(Errno::XDEV.raw_os_error()))
            }
            _ => impossible(),
        })?;
        let location = &named.location;
        if location.key.is_empty() {
            // What a store answers there is a listing.
            return Err(failure(Operation::Open, Cause::System(Errno::ISDIR.raw_os_error())));
        }
        let printed = base.map(|_| Arc::from(path.as_bytes()));
        let bucket = self.store.bucket(location).map_err(|_| impossible())?;
        Ok(ObjectPlace { bucket, name: named.name(), listed: None, printed })
    }

    fn shown(&self, path: ItemPath) -> ItemPath {
        ItemPath::from(&*without_secrets(path.as_bytes()))
    }

    fn list(
        &self,
        root: &ItemPath,
        options: &WalkOptions,
        lister: &mut impl Lister<ObjectStore>,
    ) -> (Skipped, ControlFlow<()>) {
        let mut skipped = Skipped::default();
        let listed = match self.named(root.as_bytes()) {
            Ok(named) => self.list_named(&named, options, &mut skipped, lister),
            Err(error) => Err(error.into()),
        };
        let cause = match listed {
            // An empty bucket is like an empty directory.
            Ok((0, ControlFlow::Continue(()))) if !is_bucket(root) => Cause::Remote(404),
            Ok((_, flow)) => return (skipped, flow),
            Err(Error::Refused { status, .. }) => Cause::Remote(status),
            Err(Error::Unreachable { source, .. }) => {
                Cause::System(numbered(&source).raw_os_error().unwrap_or(Errno::IO.raw_os_error()))
            }
            Err(Error::Credentials(_)) => Cause::Obstacle(Obstacle::Unsigned),
            Err(Error::RequestsUsedUp) => Cause::Obstacle(Obstacle::RequestsUsedUp),
            Err(Error::Answer(_)) => Cause::System(Errno::BADMSG.raw_os_error()),
            Err(_) => Cause::System(Errno::INVAL.raw_os_error()),
        };
        (skipped, lister.failed(self.shown(root.clone()), failure(Operation::List, cause)))
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

/// Whether a name of a file leads up.
fn leads_up(path: &ItemPath) -> bool {
    path.as_bytes().split(|&byte| byte == b'/').any(|part| part == b"..")
}

fn hash_of(next: &Next) -> u64 {
    let mut hasher = DefaultHasher::new();
    next.hash(&mut hasher);
    hasher.finish()
}

/// A time without parts of a second.
fn whole(time: Timestamp) -> Timestamp {
    Timestamp { nanos: 0, ..time }
}

/// Whether a path names all of a bucket.
fn is_bucket(path: &ItemPath) -> bool {
    Location::parse(path.as_bytes()).is_ok_and(|location| location.key.is_empty())
}

fn failure(operation: Operation, cause: Cause) -> Failure {
    Failure { operation, cause, offset_bytes: 0 }
}
