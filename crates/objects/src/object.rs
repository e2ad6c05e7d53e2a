//! An object: opened by its first answer, and read from that, or by ranges.
//!
//! An object of some size comes in one answer, which is read as fast as its bytes are digested: there is one request for it, and
//! several objects fill the lanes side by side. A larger one is read by ranges, several at once. All of them ask for the state
//! that was opened, by its entity tag. Where that is gone, the object has changed.

use std::collections::HashMap;
use std::io::Read as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hashlane_digest::{Algorithm, Digest};
use hashlane_io::{FileFacts, FileKind, Opened, Place, ReadCause, ReadError, ReadStep, Source, Store};
use http::header::{CONTENT_LENGTH, CONTENT_RANGE, ETAG, HeaderMap, HeaderValue, LAST_MODIFIED};
use http::{Response, StatusCode};
use jiff::fmt::rfc2822;
use rustix::io::Errno;
use ureq::{Body, BodyReader};

use crate::backoff::Backoff;
use crate::bucket::{Bucket, Wanted};
use crate::checksum::{self, Comparison};
use crate::client::{Client, transport};
use crate::listing::{Listed, parts};
use crate::refusal::{Refusal, Status};

/// Objects up to this size, in bytes, come in one answer.
pub(crate) const ONE_ANSWER_BYTES: u64 = 32 << 20;

/// The objects of a store.
#[derive(Debug)]
pub struct ObjectStore {
    client: Arc<Client>,
    buckets: Mutex<HashMap<String, Arc<Bucket>>>,
}

impl ObjectStore {
    pub(crate) fn new(client: Client) -> Self {
        Self { client: Arc::new(client), buckets: Mutex::default() }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// The bucket of a name, whether it exists or not.
    pub(crate) fn bucket(&self, name: &str) -> Arc<Bucket> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bucket) = buckets.get(name) {
            return Arc::clone(bucket);
        }
        let bucket = Arc::new(Bucket::new(Arc::clone(&self.client), name));
        buckets.insert(name.to_owned(), Arc::clone(&bucket));
        bucket
    }
}

/// Where an object is.
#[derive(Clone, Debug)]
pub struct ObjectPlace {
    pub(crate) bucket: Arc<Bucket>,
    pub(crate) key: Arc<str>,
    /// What a listing said of it. A boxed one keeps entries small.
    pub(crate) listed: Option<Arc<Listed>>,
    /// What it is printed as, if that is not its whole name.
    pub(crate) printed: Option<Arc<[u8]>>,
}

impl Place for ObjectPlace {
    fn printed(&self) -> Vec<u8> {
        match &self.printed {
            Some(printed) => printed.to_vec(),
            None => self.bucket.path_of(&self.key),
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
        match &place.listed {
            // What is read by ranges anyway needs no answer that says how long it is.
            Some(listed) if listed.size_bytes > ONE_ANSWER_BYTES => Ok(Object::listed(place, listed)),
            _ => Object::asked_for(place).map_err(|refusal| refusal.into_read_error(ReadStep::Open)),
        }
    }
}

/// An object that is being read.
#[derive(Debug)]
pub struct Object {
    bucket: Arc<Bucket>,
    key: Arc<str>,
    facts: FileFacts,
    state: State,
    /// What it comes in, and what is found out about it on the way.
    stream: Mutex<Stream>,
    /// Another state of it was seen.
    has_changed: AtomicBool,
}

/// What tells one content of an object from another one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    tag: Option<HeaderValue>,
    modified: (i64, u32),
    size_bytes: u64,
}

/// The one answer that brings an object.
#[derive(Debug, Default)]
struct Stream {
    /// As far as it was not read yet.
    coming: Option<Coming>,
    /// With the checksum that the store keeps, if it does.
    comparison: Option<Comparison>,
}

/// The rest of an answer.
struct Coming {
    body: BodyReader<'static>,
    offset: u64,
}

impl std::fmt::Debug for Coming {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Coming").field("offset", &self.offset).finish_non_exhaustive()
    }
}

impl Object {
    /// Opens an object by what a listing said of it.
    fn listed(place: &ObjectPlace, listed: &Listed) -> Self {
        let tag = Some(listed.tag.as_str()).filter(|tag| names_a_state(tag));
        let tag = tag.and_then(|tag| HeaderValue::from_str(tag).ok());
        let state = State { tag, modified: listed.modified, size_bytes: listed.size_bytes };
        Self::new(place, state, Stream::default())
    }

    /// Opens an object by asking for it.
    fn asked_for(place: &ObjectPlace) -> Result<Self, Refusal> {
        let answer = place.bucket.get(&place.key, Wanted::Whole, None)?;
        let state = State::of(answer.headers(), None).ok_or_else(malformed)?;
        // The rest of an answer that is longer is left alone, and so is its connection.
        let is_streamed = state.size_bytes <= ONE_ANSWER_BYTES;
        let comparison = checksum::stated(answer.headers()).filter(|_| is_streamed).map(Comparison::with);
        let coming = is_streamed.then(|| Coming::new(answer, 0));
        Ok(Self::new(place, state, Stream { coming, comparison }))
    }

    fn new(place: &ObjectPlace, state: State, stream: Stream) -> Self {
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
            key: Arc::clone(&place.key),
            facts,
            state,
            stream: Mutex::new(stream),
            has_changed: AtomicBool::new(false),
        }
    }

    /// Whether it comes in one answer.
    fn is_streamed(&self) -> bool {
        self.state.size_bytes <= ONE_ANSWER_BYTES
    }

    /// Asks for bytes of the state that was opened. `None` if that is gone.
    fn ask(&self, wanted: Wanted) -> Result<Option<Coming>, Refusal> {
        let (Wanted::From(offset) | Wanted::Range(offset, _)) = wanted else { unreachable!("a range") };
        let gone = || {
            self.has_changed.store(true, Ordering::Release);
            Ok(None)
        };
        let answer = match self.bucket.get(&self.key, wanted, self.state.tag.as_ref()) {
            Ok(answer) => answer,
            Err(Refusal::Status(Status { status: 412 | 416, .. })) => return gone(),
            Err(refusal) => return Err(refusal),
        };
        let range = match answer.status() {
            StatusCode::PARTIAL_CONTENT => answer.headers().get(CONTENT_RANGE).and_then(range),
            _ => None,
        };
        match range {
            Some((from, size)) if from == offset => {
                let state = State::of(answer.headers(), Some(size));
                if state.is_none_or(|state| self.state.differs(&state)) {
                    gone()
                } else {
                    Ok(Some(Coming::new(answer, offset)))
                }
            }
            // A server that knows nothing of ranges brings all.
            _ if offset == 0 && answer.status() == StatusCode::OK => Ok(Some(Coming::new(answer, 0))),
            _ => Err(malformed()),
        }
    }

    /// Reads on in the one answer that brings it, and asks for the rest where that was broken off.
    fn stream(&self, offset: u64, room: &mut [u8]) -> Result<usize, Refusal> {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let Stream { coming, comparison } = &mut *stream;
        let mut backoff = Backoff::new();
        loop {
            if coming.as_ref().is_none_or(|coming| coming.offset != offset) {
                *coming = self.ask(Wanted::From(offset))?;
            }
            let Some(rest) = coming.as_mut() else { return Ok(0) };
            match rest.read(room) {
                Ok(count) if count > 0 => {
                    self.bucket.client().traffic.count_bytes(count);
                    if let Some(comparison) = comparison {
                        comparison.take(offset, &room[..count]);
                    }
                    if rest.offset >= self.state.size_bytes {
                        coming.take().into_iter().for_each(Coming::finish);
                    }
                    return Ok(count);
                }
                broken_off => {
                    *coming = None;
                    self.again(broken_off, &mut backoff)?;
                }
            }
        }
    }

    /// Reads a range by an answer of its own.
    fn range(&self, offset: u64, room: &mut [u8]) -> Result<usize, Refusal> {
        let left = self.state.size_bytes - offset;
        let wanted = usize::try_from(left).map_or(room.len(), |left| left.min(room.len()));
        let mut done = 0;
        let mut backoff = Backoff::new();
        while done < wanted {
            let from = offset + done as u64;
            let Some(mut rest) = self.ask(Wanted::Range(from, (wanted - done) as u64))? else {
                return Ok(done);
            };
            while done < wanted {
                match rest.read(&mut room[done..wanted]) {
                    Ok(count) if count > 0 => {
                        self.bucket.client().traffic.count_bytes(count);
                        backoff.reset();
                        done += count;
                    }
                    broken_off => {
                        self.again(broken_off, &mut backoff)?;
                        break;
                    }
                }
            }
            if done == wanted {
                rest.finish();
            }
        }
        Ok(done)
    }

    /// What is wrong with the content, by the checksum that the store keeps: it is read once more, to tell damage on the way from
    /// damage in the store.
    fn contradiction(&self) -> Option<ReadCause> {
        let computed = {
            let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
            let (computed, agrees) = stream.comparison.take()?.outcome(self.state.size_bytes)?;
            if agrees {
                self.bucket.client().traffic.count_agreeing();
                return None;
            }
            computed
        };
        let again = self.checksum_again(computed.algorithm()).ok().flatten();
        Some(if again == Some(computed) { ReadCause::OtherChecksum } else { ReadCause::DamagedOnWay })
    }

    /// The checksum of the content, by another reading of the same state.
    fn checksum_again(&self, algorithm: Algorithm) -> Result<Option<Digest>, Refusal> {
        let mut hasher = algorithm.hasher();
        let mut room = vec![0; 64 << 10];
        let mut offset = 0;
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        stream.coming = None;
        drop(stream);
        while offset < self.state.size_bytes {
            let count = self.stream(offset, &mut room)?;
            if count == 0 {
                return Ok(None);
            }
            hasher.update(&room[..count]);
            offset += count as u64;
        }
        Ok(Some(hasher.finish()))
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
        match self.contradiction() {
            Some(cause) if !self.has_changed.load(Ordering::Acquire) => {
                Err(ReadError { step: ReadStep::Read, cause })
            }
            _ => Ok(self.facts),
        }
    }

    fn is_unchanged(&self, _: &FileFacts) -> bool {
        !self.has_changed.load(Ordering::Acquire)
    }

    fn read_at(&self, offset: u64, room: &mut [u8]) -> Result<usize, ReadError> {
        if offset >= self.state.size_bytes || room.is_empty() || self.has_changed.load(Ordering::Acquire) {
            return Ok(0);
        }
        let read = if self.is_streamed() { self.stream(offset, room) } else { self.range(offset, room) };
        read.map_err(|refusal| refusal.into_read_error(ReadStep::Read))
    }
}

impl Coming {
    fn new(answer: Response<Body>, offset: u64) -> Self {
        Self { body: answer.into_body().into_with_config().limit(u64::MAX).reader(), offset }
    }

    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        let read = self.body.read(room).map_err(|error| match error.downcast::<ureq::Error>() {
            Ok(error) => transport(error),
            Err(error) => error,
        });
        read.inspect(|count| self.offset += *count as u64)
    }

    /// Takes note of its end: only then the connection is free for another request.
    fn finish(mut self) {
        let _ = self.body.read(&mut [0]);
    }
}

impl State {
    /// What the headers of an answer say: of an object of so many bytes, or of as many as the answer has.
    fn of(headers: &HeaderMap, size_bytes: Option<u64>) -> Option<Self> {
        let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let size_bytes = size_bytes.or_else(|| text(CONTENT_LENGTH)?.parse().ok())?;
        let modified = text(LAST_MODIFIED).and_then(|time| rfc2822::parse(time).ok());
        let modified = modified.map_or((0, 0), |time| parts(time.timestamp()));
        let tag = headers.get(ETAG).filter(|tag| tag.to_str().is_ok_and(names_a_state)).cloned();
        Some(Self { tag, modified, size_bytes })
    }

    /// Whether another answer is about another content. What one of them does not tell decides nothing; times of answers have whole
    /// seconds.
    fn differs(&self, other: &Self) -> bool {
        let tags = self.tag.as_ref().zip(other.tag.as_ref());
        let times = [self.modified.0, other.modified.0];
        self.size_bytes != other.size_bytes
            || tags.is_some_and(|(one, another)| one != another)
            || tags.is_none() && times[0] != times[1] && !times.contains(&0)
    }
}

/// Whether an entity tag names one content. Some stores have empty ones, and weak ones name several (RFC 9110, 8.8.1).
fn names_a_state(tag: &str) -> bool {
    !matches!(tag, "" | "\"\"") && !tag.starts_with("W/")
}

/// Offset and size of the whole in `bytes 5-9/10`.
fn range(value: &HeaderValue) -> Option<(u64, u64)> {
    let (bounds, size) = value.to_str().ok()?.strip_prefix("bytes ")?.split_once('/')?;
    let (from, _) = bounds.split_once('-')?;
    Some((from.parse().ok()?, size.parse().ok()?))
}

/// An answer that is none of S3's.
fn malformed() -> Refusal {
    Refusal::Transport(Errno::BADMSG.into())
}
