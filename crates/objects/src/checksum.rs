//! Checksums that a store keeps for its objects.
//!
//! A store that is asked for them sends them along with an object. They are computed over the bytes on their way to whoever reads
//! them. One over the checksums of parts is computed like that, too: how long the parts are is asked for.

use std::sync::Arc;

use data_encoding::BASE64;
use hashlane_digest::{Algorithm, Digest};
use http::HeaderMap;
use http::header::HeaderName;

use crate::error::Error;
use crate::parts::MOST_PARTS;
use crate::xml::elements;
use crate::{azure, google};

/// What asks a store to send them.
pub(crate) const MODE: HeaderName = HeaderName::from_static("x-amz-checksum-mode");

/// The headers in which they come, those first that take the least time to compute, and our names for them.
const KNOWN: [(&str, &str); 10] = [
    ("x-amz-checksum-crc64nvme", "crc64nvme"),
    ("x-amz-checksum-crc32c", "crc32c"),
    ("x-amz-checksum-crc32", "crc32"),
    ("x-amz-checksum-xxhash128", "xxh128"),
    ("x-amz-checksum-xxhash3", "xxh3"),
    ("x-amz-checksum-xxhash64", "xxh64"),
    ("x-amz-checksum-sha256", "sha256"),
    ("x-amz-checksum-sha1", "sha1"),
    ("x-amz-checksum-sha512", "sha512"),
    ("x-amz-checksum-md5", "md5"),
];

/// A checksum as a store states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stated {
    pub(crate) digest: Digest,
    /// The number of parts whose checksums it is over; `None`: it is over the content.
    pub(crate) parts: Option<usize>,
}

impl Stated {
    fn read(algorithm: Algorithm, value: &str) -> Option<Self> {
        let (digest, parts) = match value.rsplit_once('-') {
            Some((digest, parts)) => (digest, Some(parts.parse().ok()?)),
            None => (value, None),
        };
        let bytes = BASE64.decode(digest.as_bytes()).ok()?;
        Some(Self { digest: Digest::new(algorithm, &bytes).ok()?, parts })
    }
}

/// The checksum that the headers of an answer state, if they state one that is known here.
pub(crate) fn stated(headers: &HeaderMap) -> Option<Stated> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let is_over_parts = text("x-amz-checksum-type").map(|kind| kind != "FULL_OBJECT");
    let of_s3 = KNOWN.iter().find_map(|(header, name)| {
        let stated = Stated::read(Algorithm::named(name)?, text(header)?)?;
        // What is over parts and does not say over how many could not be computed.
        (is_over_parts.unwrap_or(stated.parts.is_some()) == stated.parts.is_some()).then_some(stated)
    });
    let of_others = || google::stated(headers).or_else(|| azure::stated(headers));
    of_s3.or_else(|| of_others().map(|digest| Stated { digest, parts: None }))
}

/// A page of what `GetObjectAttributes` says of the parts of an object.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PartsPage {
    /// Their sizes in bytes.
    pub(crate) sizes: Vec<u64>,
    /// The entity tag of the object that has them, if that is stated.
    pub(crate) tag: Option<String>,
    /// The number of the part behind which the next page begins; `None` for the last one.
    pub(crate) next: Option<u32>,
}

impl PartsPage {
    /// The page that an answer holds.
    ///
    /// # Errors
    /// It is none, or breaks off.
    pub(crate) fn read(answer: &[u8]) -> Result<Self, Error> {
        let malformed = |reason: &str| Error::Answer(reason.to_owned());
        let text = std::str::from_utf8(answer).map_err(|_| malformed("it is not UTF-8"))?;
        let mut page = Self::default();
        let (mut is_one, mut is_cut, mut is_broken) = (false, false, false);
        elements(text, |name, text| match name {
            "Size" => match text.parse() {
                Ok(size) if page.sizes.len() < MOST_PARTS => page.sizes.push(size),
                _ => is_broken = true,
            },
            "ETag" => page.tag = Some(text.trim_matches('"').to_owned()),
            "NextPartNumberMarker" => page.next = text.parse().ok(),
            "IsTruncated" => is_cut = text == "true",
            "GetObjectAttributesResponse" => is_one = true,
            _ => {}
        })
        .map_err(|error| malformed(&error.to_string()))?;
        if !is_one || is_broken || is_cut && page.next.is_none() {
            return Err(malformed("it does not tell the parts of an object"));
        }
        page.next = page.next.filter(|_| is_cut);
        Ok(page)
    }
}

/// Where the parts of an object of `size_bytes` end, if there are as many as a checksum says, and they make up the object.
pub(crate) fn ends(sizes: &[u64], stated: usize, size_bytes: u64) -> Option<Arc<[u64]>> {
    let mut end = 0_u64;
    let ends: Option<Vec<u64>> = sizes
        .iter()
        .map(|&size| {
            end = end.checked_add(size)?;
            (size > 0).then_some(end)
        })
        .collect();
    let ends = ends?;
    (ends.len() == stated && end == size_bytes).then(|| ends.into())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_str(value).expect("text")))
            .collect()
    }

    #[test]
    fn checksums_of_the_whole_and_over_parts_are_told_apart() {
        let kind = "x-amz-checksum-type";
        let crc = |more: &[(&'static str, &str)]| {
            stated(&headers(&[&[("x-amz-checksum-crc32", "y/Q5Jg==")], more].concat()))
        };
        assert_eq!(crc(&[]).expect("one").parts, None);
        assert_eq!(crc(&[(kind, "FULL_OBJECT")]).expect("one").parts, None);
        assert_eq!(crc(&[(kind, "COMPOSITE")]), None, "over how many parts?");
        let over_parts = [("x-amz-checksum-crc32c", "4waSgw==-3")];
        assert_eq!(stated(&headers(&over_parts)).expect("one").parts, Some(3));
        assert_eq!(stated(&headers(&[over_parts[0], (kind, "FULL_OBJECT")])), None);
        for other in [
            ("x-amz-checksum-sha256", "y/Q5Jg==-3"),
            ("x-amz-checksum-crc32", "y/Q5Jg==-"),
            ("x-amz-checksum-crc32", "not base64"),
            ("x-amz-checksum-new", "y/Q5Jg=="),
        ] {
            assert_eq!(stated(&headers(&[other])), None, "{other:?}");
        }
    }

    #[test]
    fn all_ten_are_known() {
        for (header, name) in KNOWN {
            let algorithm = Algorithm::named(name).expect(name);
            let digest = algorithm.digest(b"abc");
            let value = BASE64.encode(digest.as_bytes());
            let header = HeaderName::from_static(header);
            let headers: HeaderMap =
                [(header, HeaderValue::from_str(&value).expect("base64"))].into_iter().collect();
            assert_eq!(stated(&headers), Some(Stated { digest, parts: None }), "{name}");
        }
    }

    #[test]
    fn parts_end_where_the_next_ones_begin() {
        assert_eq!(ends(&[5, 5, 3], 3, 13).as_deref(), Some(&[5, 10, 13][..]));
        assert_eq!(ends(&[5, 5, 3], 2, 13), None, "another number");
        assert_eq!(ends(&[5, 5, 3], 3, 14), None, "another size");
        assert_eq!(ends(&[13, 0], 2, 13), None, "a part of nothing");
        assert_eq!(ends(&[u64::MAX, 2], 2, 1), None, "too large for any object");
    }

    fn page(inner: &str) -> Result<PartsPage, Error> {
        let answer = format!("<GetObjectAttributesResponse>{inner}</GetObjectAttributesResponse>");
        PartsPage::read(answer.as_bytes())
    }

    #[test]
    fn a_page_of_parts_has_their_sizes() {
        let part = |size: u64| format!("<Part><PartNumber>1</PartNumber><Size>{size}</Size></Part>");
        let cut = "<IsTruncated>true</IsTruncated><NextPartNumberMarker>2</NextPartNumberMarker>";
        let parts = format!("<ETag>ab-3</ETag><ObjectParts>{cut}{}{}</ObjectParts>", part(5), part(3));
        let read = page(&parts).expect("a page");
        assert_eq!(read, PartsPage { sizes: vec![5, 3], tag: Some("ab-3".to_owned()), next: Some(2) });
        assert_eq!(page("<IsTruncated>false</IsTruncated>").expect("a page"), PartsPage::default());
        assert!(page("<IsTruncated>true</IsTruncated>").is_err(), "no way to the rest");
        assert!(page("<Size>-5</Size>").is_err());
        assert!(page(&part(1).repeat(MOST_PARTS + 1)).is_err());
        assert!(PartsPage::read(b"<Error></Error>").is_err());
    }

    proptest::proptest! {
        #[test]
        fn no_answer_is_too_strange(answer in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
            let _ = PartsPage::read(&answer);
            let _ = page(&String::from_utf8_lossy(&answer));
        }
    }
}
