//! A bucket: its listing by pages, and its objects by ranges.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use hashlane_record::without_secrets;
use http::header::{HeaderMap, HeaderName, HeaderValue, IF_MATCH, RANGE};
use http::{Response, Uri};
use ureq::Body;

use crate::azure;
use crate::checksum::PartsPage;
use crate::client::{Asked, Client, body, is_region};
use crate::error::Error;
use crate::listing::{ARCHIVES, Listed, Next, Page};
use crate::location::Location;
use crate::parts::{MOST_PARTS, parts_of_tag};
use crate::patience::Backoff;
use crate::refusal::{Refusal, Status};
use crate::service::Service;
use crate::signing::Signatures;
use crate::state::State;
use crate::version::{Name, States};

/// A bucket of a store.
#[derive(Debug)]
pub(crate) struct Bucket {
    client: Arc<Client>,
    pub(crate) name: String,
    place: RwLock<Region>,
    /// It does not tell the parts of its objects, or not to whoever asks here. It is not asked for each of them.
    hides_parts: AtomicBool,
}

/// Where a bucket is.
#[derive(Clone, Debug)]
struct Region {
    name: String,
    url: String,
    signatures: Option<Signatures>,
}

/// What there is under a key.
#[derive(Debug)]
pub(crate) enum Found {
    Object(Listed),
    Nothing,
    /// Nothing, by a delete marker: there may be older versions.
    Deleted,
    /// The store does not say: by this status. Without the right to list, so it answers for what is not there.
    Refused(u16),
}

/// Which bytes of an object are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All, whatever their number.
    Whole,
    /// From an offset, this many.
    Range(u64, u64),
}

/// Whether a request is one of many that open objects, which are let through as the store bears them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Awaited,
    Own,
}

/// Whether the headers of an answer say that an object is in an archive, and not restored.
fn is_archived(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let is_restored = text("x-amz-restore").is_some_and(|restore| restore.contains("expiry-date"));
    let is_of_s3 = text("x-amz-storage-class").is_some_and(|class| ARCHIVES.contains(&class));
    is_of_s3 && !is_restored || azure::is_archived(headers)
}

impl Bucket {
    pub(crate) fn new(client: Arc<Client>, name: &str) -> Self {
        let region = Region {
            name: client.region.clone(),
            url: client.url_of(name, &client.region),
            signatures: client.signatures.clone(),
        };
        let name = name.to_owned();
        Self { client, name, place: RwLock::new(region), hides_parts: AtomicBool::new(false) }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// A page of the keys that begin with `prefix`, or of their states, at most `most`: the first, or the one that `next` stands for.
    pub(crate) fn list(
        &self,
        states: States,
        prefix: &str,
        next: Option<&Next>,
        most: Option<u32>,
    ) -> Result<Page, Error> {
        if !self.client.service.lists() {
            return Err(Error::NoListing);
        }
        if states == States::All && self.client.service != Service::S3 {
            return Err(Error::NoVersions);
        }
        let listing = self.client.service.listing(states, prefix, next, most);
        let mut headers = HeaderMap::new();
        self.client.service.ask_for_restored(self.client.server(), &mut headers);
        let mut backoff = self.backoff();
        loop {
            let answer = self.ask(Asked::List, &listing, &headers);
            match answer.and_then(body) {
                Ok(body) => return self.client.service.page(states, &body),
                Err(refusal) if self.goes_on(&refusal, &mut backoff) => {}
                Err(refusal) => return Err(refusal.into_error(&self.url())),
            }
        }
    }

    /// What the store says of an object, its checksum included, without bringing it.
    pub(crate) fn head(&self, name: &Name) -> Result<HeaderMap, Refusal> {
        let mut headers = HeaderMap::new();
        self.client.service.ask_for_checksum(&mut headers);
        let answer = self.ask_about(Turn::Awaited, name, &headers)?;
        Ok(answer.into_parts().0.headers)
    }

    /// The answer to a question about an object. Some servers of HTTP only answer requests for it: what they bring is left alone.
    fn ask_about(&self, turn: Turn, name: &Name, headers: &HeaderMap) -> Result<Response<Body>, Refusal> {
        match self.ask_for(turn, Asked::Head, name, "", headers) {
            Err(Refusal::Status(Status { status: 405 | 501, .. })) if self.client.service == Service::Web => {
                self.ask_for(turn, Asked::Get, name, "", headers)
            }
            answered => answered,
        }
    }

    /// What a listing would say of one object.
    pub(crate) fn find(&self, name: &Name) -> Result<Found, Refusal> {
        match self.ask_about(Turn::Own, name, &HeaderMap::new()) {
            // Below it there may be some.
            Ok(answer) if azure::is_directory(answer.headers()) => Ok(Found::Nothing),
            Ok(answer) => Ok(State::of(answer.headers(), None).map_or(Found::Refused(200), |state| {
                let (size_bytes, modified) = (state.size_bytes, state.modified);
                Found::Object(Listed {
                    key: name.key.to_string(),
                    size_bytes,
                    modified,
                    is_archived: is_archived(answer.headers()),
                    version: name.version.as_deref().map(Box::from),
                    is_marker: false,
                    parts: state.tag().and_then(|tag| parts_of_tag(tag.to_str().ok()?)),
                    is_composite: None,
                })
            })),
            Err(Refusal::Status(Status { status: 404 | 405, is_deleted: true, .. })) => Ok(Found::Deleted),
            Err(Refusal::Status(Status { status: 404, .. })) => Ok(Found::Nothing),
            // The answer has no body that would say more.
            Err(Refusal::Status(Status { status: status @ (400 | 403), .. })) => Ok(Found::Refused(status)),
            Err(refusal) => Err(refusal),
        }
    }

    /// The answer to a request for an object. With a tag, only that state of it.
    pub(crate) fn get(
        &self,
        name: &Name,
        wanted: Wanted,
        tag: Option<&HeaderValue>,
    ) -> Result<Response<Body>, Refusal> {
        let mut headers = HeaderMap::new();
        let range = match wanted {
            Wanted::Whole => {
                self.client.service.ask_for_checksum(&mut headers);
                None
            }
            // Readers do not wait for those who open others: a store may limit how many answers are open.
            Wanted::Range(offset, length) => Some(format!("bytes={offset}-{}", offset + length - 1)),
        };
        if let Some(range) = range {
            headers.insert(RANGE, HeaderValue::from_str(&range).expect("digits"));
        }
        if let Some(tag) = tag {
            headers.insert(IF_MATCH, tag.clone());
        }
        let turn = if wanted == Wanted::Whole { Turn::Awaited } else { Turn::Own };
        self.ask_for(turn, Asked::Get, name, "", &headers)
    }

    /// The sizes of the parts that an object came in, if the store says them of the state that has this tag.
    pub(crate) fn sizes_of_parts(&self, name: &Name, tag: Option<&HeaderValue>) -> Option<Vec<u64>> {
        if self.hides_parts.load(Ordering::Relaxed) {
            return None;
        }
        let tag = tag.and_then(|tag| tag.to_str().ok()).map(|tag| tag.trim_matches('"'));
        let (mut sizes, mut behind) = (Vec::new(), 0);
        loop {
            let page = match self.page_of_parts(name, behind) {
                Ok(page) => PartsPage::read(&page).ok()?,
                Err(Refusal::Status(Status { status: 400 | 403 | 405 | 501, .. })) => {
                    self.hides_parts.store(true, Ordering::Relaxed);
                    return None;
                }
                Err(_) => return None,
            };
            if page.tag.as_deref().zip(tag).is_some_and(|(one, another)| one != another) {
                return None;
            }
            let is_empty = page.sizes.is_empty();
            sizes.extend(page.sizes);
            match page.next {
                _ if sizes.len() > MOST_PARTS => return None,
                None => return Some(sizes),
                // There would be no end of them.
                Some(_) if is_empty => return None,
                // Else the pages would go round.
                Some(next) if next <= behind => return None,
                Some(next) => behind = next,
            }
        }
    }

    fn page_of_parts(&self, name: &Name, behind: u32) -> Result<Vec<u8>, Refusal> {
        let mut headers = HeaderMap::new();
        let mut add = |name, value| headers.insert(HeaderName::from_static(name), value);
        add("x-amz-object-attributes", HeaderValue::from_static("ETag,ObjectParts"));
        if behind > 0 {
            add("x-amz-part-number-marker", behind.into());
        }
        body(self.ask_for(Turn::Awaited, Asked::Get, name, "attributes", &headers)?)
    }

    fn ask_for(
        &self,
        turn: Turn,
        asked: Asked,
        name: &Name,
        part: &str,
        headers: &HeaderMap,
    ) -> Result<Response<Body>, Refusal> {
        let path = self.client.service.path(&name.key) + &name.query(part);
        let mut backoff = self.backoff();
        loop {
            let ask = || self.ask(asked, &path, headers);
            // Its turn ends before it pauses: else a few objects that cannot be had would keep all others from being asked for.
            let answered = match turn {
                Turn::Awaited => self.client.gate.pass(ask),
                Turn::Own => ask(),
            };
            match answered {
                Err(refusal) if self.goes_on(&refusal, &mut backoff) => {}
                Ok(answer) if part.is_empty() && !name.is_answered(answer.headers()) => {
                    return Err(Refusal::malformed());
                }
                answered => return answered,
            }
        }
    }

    /// The repetitions of a request that begins.
    pub(crate) fn backoff(&self) -> Backoff {
        Backoff::new(self.client.patience)
    }

    /// Whether a request is made again, after a pause.
    pub(crate) fn goes_on(&self, refusal: &Refusal, backoff: &mut Backoff) -> bool {
        let url = self.url().parse();
        // What is not a URL was asked of nobody.
        url.is_ok_and(|url| self.client.waits(&url, refusal, backoff))
    }

    /// Looks for the bucket where the store says that it is, if it says so and this request was sent elsewhere.
    fn moves(&self, refusal: &Refusal, asked: &Region) -> bool {
        let Refusal::Status(Status { status: 301 | 307 | 400, region: Some(region), .. }) = refusal else {
            return false;
        };
        if *region == asked.name || !is_region(region) {
            return false;
        }
        let mut place = self.place.write().unwrap_or_else(PoisonError::into_inner);
        // Another request may have moved it meanwhile.
        if place.name == asked.name {
            *place = Region {
                name: region.clone(),
                url: self.client.url_of(&self.name, region),
                signatures: place.signatures.as_ref().map(|known| known.in_region(region)),
            };
        }
        self.client.traffic.count_again();
        true
    }

    /// Asks once, and a second and third time where the store says that the bucket is elsewhere.
    fn ask(
        &self,
        asked: Asked,
        path_and_query: &str,
        headers: &HeaderMap,
    ) -> Result<Response<Body>, Refusal> {
        const MOVES: usize = 2;
        let mut moved = 0;
        loop {
            let region = self.place.read().unwrap_or_else(PoisonError::into_inner).clone();
            let answer = self.ask_in(&region, asked, path_and_query, headers);
            match &answer {
                Err(refusal) if moved < MOVES && self.moves(refusal, &region) => moved += 1,
                _ => return answer,
            }
        }
    }

    fn ask_in(
        &self,
        Region { url, signatures, .. }: &Region,
        asked: Asked,
        path_and_query: &str,
        headers: &HeaderMap,
    ) -> Result<Response<Body>, Refusal> {
        // Only what is too long for a URI is none: all else was written out.
        let uri: Uri = format!("{url}{path_and_query}").parse().map_err(|_| Refusal::malformed())?;
        let mut headers = headers.clone();
        self.client.service.prepare(&mut headers);
        if self.client.requester_pays {
            self.client.service.agree_to_pay(&mut headers);
        }
        self.client.ask(asked, uri, &headers, signatures.as_ref())
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        self.place.read().unwrap_or_else(PoisonError::into_inner).url.clone()
    }

    /// The path of an object in it, as it is printed and kept: without the secrets of a URL.
    pub(crate) fn path_of(&self, name: &Name) -> Vec<u8> {
        let (bucket, key) = (self.name.clone(), name.key.to_string());
        let location = Location { service: self.client.service, bucket, key };
        without_secrets(format!("{location}{}", name.suffix()).as_bytes()).into_owned()
    }
}
