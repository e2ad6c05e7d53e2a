//! Object stores as a source of the engine.

use std::ops::ControlFlow;
use std::sync::Arc;

use hashlane_engine::{LargeFiles, LargeWay, Lister, OpenedOf, PlaceOf, Skipped, Source, WalkOptions};
use hashlane_io::{EngineKind, Pooled, ReadEngine, ReaderPool};
use hashlane_record::{Cause, Failure, ItemPath, Operation};
use rustix::io::Errno;

use crate::client::{Client, Connection, Traffic};
use crate::error::Error;
use crate::listing::Listed;
use crate::location::Location;
use crate::object::{ONE_ANSWER_BYTES, ObjectPlace, ObjectStore};

/// Requests for objects at a time, at most. A store far away answers each after tens of milliseconds.
const MOST_REQUESTS: usize = 64;

/// Room for a handshake of TLS, which the small stacks of readers of files do not have.
const STACK_BYTES: usize = 1 << 20;

/// The bytes of a range of a large object. Each is a request, which costs money and a journey.
const RANGE_BYTES: usize = LargeFiles::BLOCK_BOUNDS.1;

/// Ranges of one large object at a time.
const RANGES: usize = LargeFiles::MOST_BYTES / RANGE_BYTES;

/// The objects of a store as a source.
#[derive(Clone, Debug)]
pub struct Objects {
    store: Arc<ObjectStore>,
    pool: Arc<ReaderPool>,
}

impl Objects {
    /// A source of a store. Nothing is asked of it yet.
    ///
    /// # Errors
    /// The endpoint is no URL.
    pub fn new(connection: &Connection) -> Result<Self, Error> {
        let store = Arc::new(ObjectStore::new(Client::new(connection)?));
        Ok(Self { store, pool: ReaderPool::with_stacks(MOST_REQUESTS, STACK_BYTES) })
    }

    /// Looks whether there is anything of that name: what is wrong with all that a run would ask for is best said before it begins.
    ///
    /// # Errors
    /// The name is not possible, the store refuses or cannot be reached, or there is nothing.
    pub fn probe(&self, path: &ItemPath) -> Result<(), Error> {
        let location = Location::parse(path.as_bytes())?;
        let bucket = self.store.bucket(&location.bucket);
        let exact = bucket.list(&location.key, None, Some(1))?.objects;
        let prefix = location.prefix();
        let is_there = |objects: &[Listed]| {
            objects.iter().any(|object| object.key == location.key || object.key.starts_with(&prefix))
        };
        // The name alone may be the beginning of others, such as `photos` of `photos-old/a`.
        if location.key.is_empty()
            || is_there(&exact)
            || is_there(&bucket.list(&prefix, None, Some(1))?.objects)
        {
            Ok(())
        } else {
            Err(Error::Nothing)
        }
    }

    /// The size of an object in bytes, as the store lists it; `None` if it lists none of that name.
    ///
    /// # Errors
    /// The name is not possible, or the store refuses or cannot be reached.
    pub fn size_bytes(&self, path: &[u8]) -> Result<Option<u64>, Error> {
        let location = Location::parse(path)?;
        let listed = self.store.bucket(&location.bucket).list(&location.key, None, Some(1))?.objects;
        let exact = listed.into_iter().find(|object| object.key == location.key);
        Ok(exact.map(|object| object.size_bytes))
    }

    /// What was asked of the store so far.
    pub fn traffic(&self) -> Arc<Traffic> {
        Arc::clone(&self.store.client().traffic)
    }

    /// Lists what is below a location, or is it. Counts what is not to be read.
    fn list_location(
        &self,
        location: &Location,
        options: &WalkOptions,
        skipped: &mut Skipped,
        lister: &mut impl Lister<ObjectStore>,
    ) -> Result<(u64, ControlFlow<()>), Error> {
        let bucket = self.store.bucket(&location.bucket);
        let prefix = location.prefix();
        let mut found = 0;
        let mut take =
            |listed: Listed, is_below: bool, lister: &mut dyn FnMut(ObjectPlace) -> ControlFlow<()>| {
                found += 1;
                let relative = if is_below { &listed.key[prefix.len()..] } else { &listed.key };
                let is_marker = listed.size_bytes == 0 && listed.key.ends_with('/');
                if is_marker || !options.filter.types().file {
                    skipped.special += 1;
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
        if !location.key.is_empty() && prefix != location.key {
            let exact = bucket.list(&location.key, None, Some(1))?.objects.into_iter().next();
            if let Some(exact) = exact.filter(|object| object.key == location.key)
                && take(exact, false, &mut |place| lister.found(place, 0)).is_break()
            {
                return Ok((found, ControlFlow::Break(())));
            }
        }
        let mut token = None;
        loop {
            lister.flush();
            let page = bucket.list(&prefix, token.as_deref(), None)?;
            for listed in page.objects {
                if !listed.key.starts_with(&prefix) {
                    return Err(Error::Answer(format!("{:?} is not below {prefix:?}", listed.key)));
                }
                if take(listed, true, &mut |place| lister.found(place, 0)).is_break() {
                    return Ok((found, ControlFlow::Break(())));
                }
            }
            match page.next {
                None => return Ok((found, ControlFlow::Continue(()))),
                // Else the listing would go round for ever.
                next if next == token => {
                    return Err(Error::Answer("a page has itself as the next one".to_owned()));
                }
                next => token = next,
            }
        }
    }
}

impl Source for Objects {
    type Store = ObjectStore;
    /// What names are relative to: the path of a prefix.
    type Base = Arc<[u8]>;

    fn place(&self, path: &ItemPath, base: Option<Arc<[u8]>>) -> Result<PlaceOf<Self>, Failure> {
        let impossible = |_| failure(Operation::Open, Cause::System(Errno::INVAL.raw_os_error()));
        let whole = match &base {
            Some(base) => Location::parse(&[base, path.as_bytes()].concat()),
            None => Location::parse(path.as_bytes()),
        };
        let Location { bucket, key } = whole.map_err(impossible)?;
        let printed = base.map(|_| Arc::from(path.as_bytes()));
        Ok(ObjectPlace { bucket: self.store.bucket(&bucket), key: key.into(), listed: None, printed })
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
                Cause::System(source.raw_os_error().unwrap_or(Errno::HOSTUNREACH.raw_os_error()))
            }
            Err(Error::Credentials(_)) => Cause::Remote(401),
            Err(Error::Answer(_)) => Cause::System(Errno::BADMSG.raw_os_error()),
            Err(_) => Cause::System(Errno::INVAL.raw_os_error()),
        };
        (skipped, lister.failed(root.clone(), failure(Operation::List, cause)))
    }

    fn start_engine(&self, _workers: usize) -> Box<dyn ReadEngine<ObjectStore>> {
        Box::new(Pooled::new(Arc::clone(&self.store), Arc::clone(&self.pool)))
    }

    fn large(&self, _object: &OpenedOf<Self>, _has_tree: bool) -> LargeWay {
        let pieces = LargeFiles { engine: EngineKind::Buffered, block_bytes: RANGE_BYTES, in_flight: RANGES };
        LargeWay { engine: None, windows: false, pieces }
    }

    fn pieces_above(&self) -> Option<u64> {
        Some(ONE_ANSWER_BYTES)
    }
}

/// Whether a path names all of a bucket.
fn is_bucket(path: &ItemPath) -> bool {
    Location::parse(path.as_bytes()).is_ok_and(|location| location.key.is_empty())
}

fn failure(operation: Operation, cause: Cause) -> Failure {
    Failure { operation, cause, offset_bytes: 0 }
}
