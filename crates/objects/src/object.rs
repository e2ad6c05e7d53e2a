//! An object: opened by its first answer, and read from that, or by ranges.
//!
//! An object of some size comes in one answer, which is read as fast as its bytes are digested: there is one request for it, and
//! several objects fill the lanes side by side. A larger one is read by ranges, several at once. All of them ask for the state
//! that was opened, by its entity tag. Where that is gone, the object has changed.
//!
//! Invariants:
//! 1. Nothing is locked while an answer is waited for.
//! 2. An answer that stays open between two reads is found again by the offset of its next byte. No byte of it is read twice.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlane_digest::Digest;
use hashlane_io::{
    FileFacts, FileKind, Opened, Place, ReadCause, ReadError, ReadStep, Source, StateNames, Store,
};
use hashlane_record::without_secrets;
use http::HeaderMap;
use rustix::io::Errno;

use crate::bucket::{Bucket, Wanted};
use crate::checksum;
use crate::client::{Client, Connection, Traffic};
use crate::coming::Coming;
use crate::comparison::{Comparison, Ranges};
use crate::error::Error;
use crate::listing::Listed;
use crate::location::Location;
use crate::patience::{Backoff, Heeded};
use crate::refusal::{Refusal, Status};
use crate::service::Service;
use crate::state::State;
use crate::version::{Name, States};

/// Objects up to this size, in bytes, come in one answer.
pub(crate) const ONE_ANSWER_BYTES: u64 = 32 << 20;

/// The bytes of a range of a larger one. Each is a request, which costs money and a journey.
pub(crate) const RANGE_BYTES: u64 = 4 << 20;

/// The objects of stores.
#[derive(Debug)]
pub struct ObjectStore {
    connection: Connection,
    pub(crate) heeded: Heeded,
    pub(crate) traffic: Arc<Traffic>,
    /// A client for each service that was named.
    clients: Mutex<HashMap<Service, Arc<Client>>>,
    buckets: Mutex<HashMap<(Service, String), Arc<Bucket>>>,
    /// The last time that something could not be reached, for a reason that may be over where it is looked for somewhere else.
    pub(crate) may_lie_elsewhere: AtomicBool,
    /// Roots that are URLs, by the names that they are printed and listed by.
    secret_roots: Mutex<HashMap<Vec<u8>, Vec<u8>>>,
}

impl ObjectStore {
    pub(crate) fn new(connection: &Connection) -> Self {
        let (clients, buckets, secret_roots) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self {
            connection: connection.clone(),
            heeded: Heeded::default(),
            traffic: Arc::default(),
            may_lie_elsewhere: AtomicBool::new(false),
            clients,
            buckets,
            secret_roots,
        }
    }

    /// Takes note of a root, so that its name without secrets finds it.
    ///
    /// # Errors
    /// Another root has that name.
    pub(crate) fn know_root(&self, root: &[u8]) -> Result<(), Error> {
        if Service::of(root) != Some(Service::Web) {
            return Ok(());
        }
        let shown = without_secrets(root).into_owned();
        match lock(&self.secret_roots).entry(shown) {
            Entry::Occupied(known) if known.get() != root => Err(Error::SameName),
            Entry::Occupied(_) => Ok(()),
            Entry::Vacant(free) => {
                free.insert(root.to_owned());
                Ok(())
            }
        }
    }

    /// A name as it is asked for: with the secrets of the root that is shown like that.
    pub(crate) fn asked<'a>(&self, name: &'a [u8]) -> Cow<'a, [u8]> {
        let root = lock(&self.secret_roots).get(name).cloned();
        root.map_or(Cow::Borrowed(name), Cow::Owned)
    }

    /// The client of a service. Nothing is asked of it yet.
    pub(crate) fn client(&self, service: Service) -> Result<Arc<Client>, Error> {
        let mut clients = lock(&self.clients);
        if let Some(client) = clients.get(&service) {
            return Ok(Arc::clone(client));
        }
        // What was signed for the server of one service is not to come to that of another.
        if self.connection.endpoint.is_some() && (service == Service::Web || !clients.is_empty()) {
            return Err(Error::OtherServer);
        }
        let client = Client::new(service, &self.connection, Arc::clone(&self.traffic), self.heeded.clone())?;
        let client = Arc::new(client);
        clients.insert(service, Arc::clone(&client));
        Ok(client)
    }

    /// The bucket of a location, whether it exists or not.
    pub(crate) fn bucket(&self, location: &Location) -> Result<Arc<Bucket>, Error> {
        let client = self.client(location.service)?;
        let mut buckets = lock(&self.buckets);
        let name = (location.service, location.bucket.clone());
        let bucket = buckets.entry(name).or_insert_with(|| Arc::new(Bucket::new(client, &location.bucket)));
        Ok(Arc::clone(bucket))
    }
}

/// Where an object is.
#[derive(Clone, Debug)]
pub struct ObjectPlace {
    pub(crate) bucket: Arc<Bucket>,
    pub(crate) name: Name,
    /// What a listing said of it. A boxed one keeps entries small.
    pub(crate) listed: Option<Arc<Listed>>,
    /// What it is printed as, if that is not its whole name.
    pub(crate) printed: Option<Arc<[u8]>>,
}

impl ObjectPlace {
    /// Whether it leads out of the base that it was named below, as paths go. Keys lead nowhere, but some stores take them for paths.
    fn leads_out(&self) -> bool {
        let mut depth = 0_usize;
        self.listed.is_none()
            && self.printed.as_ref().is_some_and(|printed| {
                printed.split(|&byte| byte == b'/').any(|part| {
                    let climbs = part == b"..";
                    let is_out = climbs && depth == 0;
                    match climbs {
                        true => depth = depth.saturating_sub(1),
                        false => depth += usize::from(!matches!(part, b"" | b".")),
                    }
                    is_out
                })
            })
    }

    /// Whether the store lists its very key.
    fn is_listed(&self) -> bool {
        let page = self.bucket.list(States::Current, &self.name.key, None, None);
        page.is_ok_and(|page| page.objects.iter().any(|listed| *listed.key == *self.name.key))
    }

    /// Whether it was listed as one that has to be restored before it can be read.
    pub(crate) fn is_archived(&self) -> bool {
        self.listed.as_ref().is_some_and(|listed| listed.is_archived)
    }
}

impl Place for ObjectPlace {
    fn printed(&self) -> Vec<u8> {
        match &self.printed {
            Some(printed) => printed.to_vec(),
            None => self.bucket.path_of(&self.name),
        }
    }

    fn is_confined(&self) -> bool {
        true
    }
}

impl Store for ObjectStore {
    type Place = ObjectPlace;
    type Opened = Object;
    const SOURCE: Source = Source::Network;

    fn open(&self, place: &ObjectPlace) -> Result<Object, ReadError> {
        if place.is_archived() {
            // The store would say the same, for a request.
            return Err(ReadError { step: ReadStep::Open, cause: ReadCause::Archived });
        }
        // Else a store that takes keys for paths would bring something that does not lie below the base.
        if place.leads_out() && !place.is_listed() {
            let error = std::io::Error::from(Errno::XDEV);
            return Err(ReadError::system(ReadStep::Open, error));
        }
        let opened = match &place.listed {
            Some(listed) if listed.size_bytes > ONE_ANSWER_BYTES => Object::asked_about(place),
            _ => Object::asked_for(place),
        };
        opened.map_err(|refusal| refusal.into_read_error(ReadStep::Open))
    }
}

/// An object that is being read.
#[derive(Debug)]
pub struct Object {
    bucket: Arc<Bucket>,
    name: Name,
    facts: FileFacts,
    state: State,
    /// Answers that there is more to read of.
    open: Mutex<Vec<Coming>>,
    /// The content against the checksum that the store keeps, if it keeps one that can be computed on the way.
    checksum: Mutex<Kept>,
    /// Another state of it was seen.
    has_changed: AtomicBool,
}

/// What the store keeps a checksum for, and what came.
#[derive(Debug)]
enum Kept {
    /// There is none, or none that can be compared.
    Nothing,
    /// That of what comes is computed from the first byte to the last.
    InOrder(Comparison),
    /// That of what comes is computed range by range.
    Ranges(Ranges),
    /// All has come, and it is being compared.
    Pending,
    /// All has come, and this was found.
    Found(Checked),
}

impl Kept {
    /// What the answer about an object states. `by_ranges`: it does not come in its order.
    fn of(place: &ObjectPlace, headers: &HeaderMap, state: &State, by_ranges: bool) -> Self {
        let Some(stated) = checksum::stated(headers) else { return Self::Nothing };
        let size = state.size_bytes;
        let Some(count) = stated.parts else {
            let ranges = Ranges::with(stated.digest).filter(|_| by_ranges);
            return ranges.map_or_else(|| Self::InOrder(Comparison::with(stated.digest, None)), Self::Ranges);
        };
        let sizes = place.bucket.sizes_of_parts(&place.name, state.tag().as_ref());
        match sizes.and_then(|sizes| checksum::ends(&sizes, count, size)) {
            Some(ends) => Self::InOrder(Comparison::with(stated.digest, Some(ends))),
            None => Self::Nothing,
        }
    }
}

/// What a content is by the checksum that the store keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Checked {
    /// What it should be.
    Agrees,
    /// Something else, by two readings.
    Differs,
    /// Something else, but not the second time.
    Damaged,
    /// Something else, by the one reading that was possible.
    Doubtful,
}

impl Object {
    /// Opens an object that is to be read by ranges, by asking about it.
    fn asked_about(place: &ObjectPlace) -> Result<Self, Refusal> {
        let headers = place.bucket.head(&place.name)?;
        let state = State::of(&headers, None).ok_or_else(Refusal::malformed)?;
        let kept = Kept::of(place, &headers, &state, state.size_bytes > ONE_ANSWER_BYTES);
        Ok(Self::new(place, state, kept))
    }

    /// Opens an object that others read other ranges of.
    pub(crate) fn shared(place: &ObjectPlace) -> Result<Self, Refusal> {
        let headers = place.bucket.head(&place.name)?;
        let state = State::of(&headers, None).ok_or_else(Refusal::malformed)?;
        let kept = Kept::of(place, &headers, &state, true);
        Ok(Self::new(place, state, kept))
    }

    /// Whether several may share the reading of it: its store has a name for this state, and keeps no checksum that has to be computed from the
    /// first byte to the last.
    pub fn can_be_shared(&self) -> bool {
        self.state.tag().is_some() && !matches!(&*lock(&self.checksum), Kept::InOrder(_))
    }

    /// What was read of it, for the comparison with the checksum that its store keeps ([`crate::judge`]); empty if it keeps none.
    pub fn checksum_of_range(&self) -> Vec<u8> {
        match &*lock(&self.checksum) {
            Kept::Ranges(ranges) => ranges.told().into_bytes(),
            _ => Vec::new(),
        }
    }

    /// Opens an object by asking for it.
    fn asked_for(place: &ObjectPlace) -> Result<Self, Refusal> {
        let answer = place.bucket.get(&place.name, Wanted::Whole, None)?;
        let state = State::of(answer.headers(), None).ok_or_else(Refusal::malformed)?;
        let kept = Kept::of(place, answer.headers(), &state, state.size_bytes > ONE_ANSWER_BYTES);
        let object = Self::new(place, state, kept);
        if !object.is_streamed() {
            // The rest of such an answer is left alone, and so is its connection.
            return Ok(object);
        }
        let end = object.state.size_bytes;
        object.put_back(Coming::new(answer, 0, end));
        if end == 0 {
            object.conclude();
        }
        Ok(object)
    }

    fn new(place: &ObjectPlace, state: State, kept: Kept) -> Self {
        let never = (0, 0);
        let facts = FileFacts {
            kind: FileKind::Regular,
            size_bytes: state.size_bytes,
            allocated_bytes: state.size_bytes,
            modified: state.modified,
            changed: state.modified,
            accessed: never,
            device: 0,
            inode: 0,
            links: 1,
        };
        Self {
            bucket: Arc::clone(&place.bucket),
            name: place.name.clone(),
            facts,
            state,
            open: Mutex::default(),
            checksum: Mutex::new(kept),
            has_changed: AtomicBool::new(false),
        }
    }

    /// Whether it comes in one answer.
    pub(crate) fn is_streamed(&self) -> bool {
        self.state.size_bytes <= ONE_ANSWER_BYTES
    }

    fn has_changed(&self) -> bool {
        self.has_changed.load(Ordering::Acquire)
    }

    /// Fills the room from an offset on, as far as the object goes.
    fn read(&self, offset: u64, room: &mut [u8]) -> Result<usize, Refusal> {
        let left = self.state.size_bytes - offset;
        let wanted = usize::try_from(left).map_or(room.len(), |left| left.min(room.len()));
        let mut done = 0;
        let mut backoff = self.bucket.backoff();
        while done < wanted {
            let from = offset + done as u64;
            let Some(mut coming) = self.coming_from(from)? else { return Ok(done) };
            while done < wanted && !coming.is_over() {
                match coming.read(&mut room[done..wanted]) {
                    Ok(count) if count > 0 => {
                        backoff.reset();
                        done += count;
                    }
                    broken_off => {
                        self.again(broken_off, &mut backoff)?;
                        break;
                    }
                }
            }
            self.put_back(coming);
        }
        self.take_checksum(offset, &room[..done]);
        Ok(done)
    }

    /// An answer whose next byte is that at `offset`: one that is open, else a new one. `None` if the state that was opened is gone.
    fn coming_from(&self, offset: u64) -> Result<Option<Coming>, Refusal> {
        let mut open = lock(&self.open);
        let found = open.iter().position(|coming| coming.offset() == offset);
        let found = found.map(|place| open.swap_remove(place));
        drop(open);
        match found {
            Some(coming) => Ok(Some(coming)),
            None => self.ask(offset, self.end_of_answer(offset)),
        }
    }

    /// Where an answer ends that begins at an offset.
    fn end_of_answer(&self, offset: u64) -> u64 {
        let size = self.state.size_bytes;
        if self.is_streamed() { size } else { size.min((offset / RANGE_BYTES + 1) * RANGE_BYTES) }
    }

    /// Keeps an answer for the next read, if there is more of it, else lets its connection go.
    fn put_back(&self, coming: Coming) {
        if coming.is_over() {
            coming.finish();
        } else if !coming.is_broken() {
            lock(&self.open).push(coming);
        }
    }

    /// Asks for bytes of the state that was opened. `None` if that is gone.
    fn ask(&self, offset: u64, end: u64) -> Result<Option<Coming>, Refusal> {
        let gone = || {
            self.has_changed.store(true, Ordering::Release);
            Ok(None)
        };
        let tag = self.state.tag();
        let answer = match self.bucket.get(&self.name, Wanted::Range(offset, end - offset), tag.as_ref()) {
            Ok(answer) => answer,
            Err(Refusal::Status(Status { status: 412 | 416, .. })) => return gone(),
            Err(refusal) => return Err(refusal),
        };
        match State::of_range(&answer) {
            Some((from, state)) if from == offset => match self.state.is_that_of(&state) {
                true => Ok(Some(Coming::new(answer, offset, end))),
                false => gone(),
            },
            _ => Err(Refusal::malformed()),
        }
    }

    /// Takes what came into the checksum, and concludes when all has come.
    fn take_checksum(&self, offset: u64, bytes: &[u8]) {
        let crc = match &*lock(&self.checksum) {
            Kept::Ranges(ranges) => Some(ranges.algorithm()),
            _ => None,
        };
        // Not while others wait: ranges come side by side.
        let crc = crc.map(|algorithm| Ranges::crc_of(algorithm, bytes));
        let mut kept = lock(&self.checksum);
        let is_whole = match (&mut *kept, crc) {
            (Kept::InOrder(comparison), _) => match comparison.take(offset, bytes) {
                true => comparison.has_all(self.state.size_bytes),
                false => {
                    *kept = Kept::Nothing;
                    false
                }
            },
            (Kept::Ranges(ranges), Some(crc)) => {
                ranges.take(offset, bytes.len() as u64, crc);
                ranges.agrees(self.state.size_bytes).is_some()
            }
            _ => false,
        };
        drop(kept);
        if is_whole {
            self.conclude();
        }
    }

    /// Compares, once all has come. What differs and is not large is read once more, to tell damage on the way from damage in
    /// the store.
    fn conclude(&self) {
        let size = self.state.size_bytes;
        let kept = std::mem::replace(&mut *lock(&self.checksum), Kept::Pending);
        let found = match kept {
            Kept::InOrder(comparison) => {
                let again = comparison.anew();
                let (computed, agrees) = comparison.outcome();
                match agrees {
                    true => Checked::Agrees,
                    false if self.is_streamed() => self.look_again(computed, again),
                    false => Checked::Doubtful,
                }
            }
            Kept::Ranges(ranges) if ranges.agrees(size) == Some(true) => Checked::Agrees,
            Kept::Ranges(_) => Checked::Doubtful,
            other => {
                *lock(&self.checksum) = other;
                return;
            }
        };
        if found == Checked::Agrees {
            self.bucket.client().traffic.count_agreeing();
        }
        *lock(&self.checksum) = Kept::Found(found);
    }

    fn look_again(&self, computed: Digest, again: Comparison) -> Checked {
        match self.checksum_again(again) {
            Ok(Some(again)) if again == computed => Checked::Differs,
            Ok(Some(_)) => Checked::Damaged,
            Ok(None) | Err(_) => Checked::Doubtful,
        }
    }

    /// The checksum of the content by another reading of the same state. `None` if that is gone.
    fn checksum_again(&self, mut comparison: Comparison) -> Result<Option<Digest>, Refusal> {
        let mut room = vec![0; 64 << 10];
        let mut backoff = self.bucket.backoff();
        let mut offset = 0;
        while offset < self.state.size_bytes {
            let Some(mut coming) = self.ask(offset, self.state.size_bytes)? else { return Ok(None) };
            while !coming.is_over() {
                let at = coming.offset();
                match coming.read(&mut room) {
                    Ok(count) if count > 0 => {
                        backoff.reset();
                        let is_next = comparison.take(at, &room[..count]);
                        debug_assert!(is_next, "it comes in its order");
                    }
                    broken_off => {
                        self.again(broken_off, &mut backoff)?;
                        break;
                    }
                }
            }
            offset = coming.offset();
            if coming.is_over() {
                coming.finish();
            }
        }
        Ok(Some(comparison.outcome().0))
    }

    /// Waits before the rest of an answer is asked for that was broken off.
    fn again(&self, broken_off: std::io::Result<usize>, backoff: &mut Backoff) -> Result<(), Refusal> {
        let refusal = Refusal::Transport(match broken_off {
            Ok(_) => std::io::ErrorKind::UnexpectedEof.into(),
            Err(error) => error,
        });
        if self.bucket.goes_on(&refusal, backoff) { Ok(()) } else { Err(refusal) }
    }
}

impl Opened for Object {
    fn facts(&self) -> &FileFacts {
        &self.facts
    }

    /// Those of before: what is read is tied to them. An error where the content is not the one that the store keeps a checksum of.
    fn facts_now(&self) -> Result<FileFacts, ReadError> {
        let cause = match &*lock(&self.checksum) {
            Kept::Found(Checked::Differs) => ReadCause::OtherChecksum,
            Kept::Found(Checked::Damaged) => ReadCause::DamagedOnWay,
            Kept::Pending | Kept::Found(Checked::Doubtful) if !self.has_changed() => {
                ReadCause::DoubtfulChecksum
            }
            _ => return Ok(self.facts),
        };
        Err(ReadError { step: ReadStep::Read, cause })
    }

    fn is_unchanged(&self, _: &FileFacts) -> bool {
        !self.has_changed()
    }

    fn state_names(&self) -> StateNames<'_> {
        self.state.names()
    }

    fn read_at(&self, offset: u64, room: &mut [u8]) -> Result<usize, ReadError> {
        if offset >= self.state.size_bytes || room.is_empty() || self.has_changed() {
            return Ok(0);
        }
        self.read(offset, room).map_err(|refusal| refusal.into_read_error(ReadStep::Read))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
