//! What distinguishes one content of an object from another one.

use std::sync::OnceLock;

use hashlane_io::StateNames;
use http::header::{CONTENT_LENGTH, CONTENT_RANGE, ETAG, HeaderMap, HeaderValue, LAST_MODIFIED};
use http::{Response, StatusCode};
use jiff::fmt::rfc2822;
use ureq::Body;

use crate::listing::parts;

/// What an answer says of an object.
#[derive(Debug)]
pub(crate) struct State {
    /// That of the first answer that has one. Some stores name none in a listing, or at first.
    tag: OnceLock<HeaderValue>,
    /// When it was written: seconds since 1970-01-01 UTC, and nanoseconds beyond; zeros if the answer does not tell.
    pub(crate) modified: (i64, u32),
    pub(crate) size_bytes: u64,
    /// What the store calls this state beside others that it keeps, if it keeps such.
    version: Option<HeaderValue>,
}

/// The headers in which stores name a version: Amazon's, Google's and Azure's.
const VERSIONS: [&str; 3] = ["x-amz-version-id", "x-goog-generation", "x-ms-version-id"];

impl State {
    /// What the headers of an answer say: of an object of a known size, or of the size of the answer. `None` if they do not
    /// say that.
    pub(crate) fn of(headers: &HeaderMap, size_bytes: Option<u64>) -> Option<Self> {
        let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let size_bytes = size_bytes.or_else(|| text(CONTENT_LENGTH)?.parse().ok())?;
        let modified = text(LAST_MODIFIED).and_then(|time| rfc2822::parse(time).ok());
        let modified = modified.map_or((0, 0), |time| parts(time.timestamp()));
        let tag = headers.get(ETAG).filter(|tag| tag.to_str().is_ok_and(names_a_state)).cloned();
        let version = VERSIONS.iter().find_map(|name| headers.get(*name)).cloned();
        Some(Self { tag: tag.map_or_else(OnceLock::new, OnceLock::from), modified, size_bytes, version })
    }

    /// What the answer to a request for a range says, and the offset of its first byte. A server that knows nothing of ranges
    /// brings all.
    pub(crate) fn of_range(answer: &Response<Body>) -> Option<(u64, Self)> {
        let headers = answer.headers();
        match answer.status() {
            StatusCode::PARTIAL_CONTENT => {
                let (from, size_bytes) = headers.get(CONTENT_RANGE).and_then(range)?;
                Some((from, Self::of(headers, Some(size_bytes))?))
            }
            StatusCode::OK => Some((0, Self::of(headers, None)?)),
            _ => None,
        }
    }

    /// Its entity tag, if it has one.
    pub(crate) fn tag(&self) -> Option<HeaderValue> {
        self.tag.get().cloned()
    }

    /// What the store calls it, without the quotation marks of an entity tag.
    pub(crate) fn names(&self) -> StateNames<'_> {
        let [etag, version] = [self.tag.get(), self.version.as_ref()].map(|value| value?.to_str().ok());
        StateNames { etag: etag.map(bare), version }
    }

    /// Whether another answer is about the same content. What one of them does not tell decides nothing; times of answers have
    /// whole seconds.
    pub(crate) fn is_that_of(&self, other: &Self) -> bool {
        let is_same = match self.tag.get().zip(other.tag.get()) {
            Some((one, another)) => one == another,
            None => {
                let times = [self.modified.0, other.modified.0];
                times[0] == times[1] || times.contains(&0)
            }
        };
        // Only once all else agrees is its tag that of this content.
        self.size_bytes == other.size_bytes
            && is_same
            && other.tag.get().is_none_or(|tag| self.tag.get_or_init(|| tag.clone()) == tag)
    }
}

/// Whether an entity tag names one content. Some stores have empty ones, and weak ones name several (RFC 9110, 8.8.1).
fn names_a_state(tag: &str) -> bool {
    !matches!(tag, "" | "\"\"") && !tag.starts_with("W/")
}

/// An entity tag without its quotation marks. Some stores send it like that.
fn bare(tag: &str) -> &str {
    tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')).unwrap_or(tag)
}

/// Offset and size of the whole in `bytes 5-9/10`.
fn range(value: &HeaderValue) -> Option<(u64, u64)> {
    let (bounds, size) = value.to_str().ok()?.strip_prefix("bytes ")?.split_once('/')?;
    let (from, _) = bounds.split_once('-')?;
    Some((from.parse().ok()?, size.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use http::header::HeaderName;

    use super::*;

    fn state(pairs: &[(HeaderName, &str)], size_bytes: u64) -> State {
        let value = |text: &str| HeaderValue::from_str(text).expect("text");
        let headers = pairs.iter().map(|(name, text)| (name.clone(), value(text))).collect();
        State::of(&headers, Some(size_bytes)).expect("a size")
    }

    #[test]
    fn tags_decide_where_both_have_one_and_times_elsewhere() {
        let at = "Sun, 01 Nov 2026 10:00:00 GMT";
        let later = "Sun, 01 Nov 2026 10:00:01 GMT";
        let one = || state(&[(ETAG, "\"a\""), (LAST_MODIFIED, at)], 5);
        assert!(one().is_that_of(&state(&[(ETAG, "\"a\""), (LAST_MODIFIED, later)], 5)));
        assert!(!one().is_that_of(&state(&[(ETAG, "\"b\""), (LAST_MODIFIED, at)], 5)));
        assert!(!one().is_that_of(&state(&[(ETAG, "\"a\"")], 6)));
        assert!(one().is_that_of(&state(&[], 5)));
        for weak in ["", "\"\"", "W/\"a\""] {
            let untagged = state(&[(ETAG, weak), (LAST_MODIFIED, at)], 5);
            assert!(untagged.tag().is_none());
            assert!(!untagged.is_that_of(&state(&[(LAST_MODIFIED, later)], 5)), "{weak}");
        }
    }

    #[test]
    fn the_first_tag_is_that_of_all_further_answers() {
        let at = "Sun, 01 Nov 2026 10:00:00 GMT";
        let later = "Sun, 01 Nov 2026 10:00:01 GMT";
        let untagged = state(&[(LAST_MODIFIED, at)], 5);
        assert!(!untagged.is_that_of(&state(&[(ETAG, "\"b\""), (LAST_MODIFIED, later)], 5)));
        assert!(untagged.is_that_of(&state(&[(ETAG, "\"a\""), (LAST_MODIFIED, at)], 5)));
        assert!(!untagged.is_that_of(&state(&[(ETAG, "\"b\""), (LAST_MODIFIED, at)], 5)));
        assert_eq!(untagged.tag().expect("the first"), "\"a\"");
    }

    #[test]
    fn a_state_has_the_names_that_its_store_gives_it() {
        let named = |pairs: &[(&'static str, &'static str)]| {
            let pair = |&(name, value)| (HeaderName::from_static(name), value);
            let read = state(&pairs.iter().map(pair).collect::<Vec<_>>(), 5);
            let StateNames { etag, version } = read.names();
            (etag.map(str::to_owned), version.map(str::to_owned))
        };
        let names = |etag: &str, version: &str| (Some(etag.to_owned()), Some(version.to_owned()));
        assert_eq!(named(&[("etag", "\"a-2\""), ("x-amz-version-id", "null")]), names("a-2", "null"));
        assert_eq!(
            named(&[("etag", "0x8D"), ("x-ms-version-id", "2026-11-01T10:00:00Z")]).0,
            Some("0x8D".to_owned())
        );
        assert_eq!(named(&[("x-goog-generation", "17")]), (None, Some("17".to_owned())));
        assert_eq!(named(&[("etag", "W/\"a\"")]), (None, None), "a weak one names several contents");
    }

    #[test]
    fn a_range_tells_its_beginning_and_the_size_of_the_whole() {
        let of = |text: &str| range(&HeaderValue::from_str(text).expect("text"));
        assert_eq!(of("bytes 5-9/10"), Some((5, 10)));
        assert_eq!(of("bytes 5-9/*"), None);
        assert_eq!(of("5-9/10"), None);
    }
}
