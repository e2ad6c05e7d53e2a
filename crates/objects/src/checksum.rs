//! Checksums that a store keeps for its objects, and whether what comes has them.
//!
//! A store that is asked for them sends them along with an object. They are computed over the bytes on their way to whoever reads
//! them. A checksum over the checksums of parts says nothing of the whole, and is left alone.

use data_encoding::BASE64;
use hashlane_digest::{Algorithm, Digest, Hasher};
use http::HeaderMap;
use http::header::HeaderName;

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

/// The checksum that the headers of an answer state for the whole of it, if they state one that is known here.
pub(crate) fn stated(headers: &HeaderMap) -> Option<Digest> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if text("x-amz-checksum-type").is_some_and(|kind| kind != "FULL_OBJECT") {
        return None;
    }
    KNOWN.iter().find_map(|(header, name)| {
        // One over parts ends with their number, which is no base64.
        let bytes = BASE64.decode(text(header)?.as_bytes()).ok()?;
        Digest::new(Algorithm::named(name)?, &bytes).ok()
    })
}

/// Computes the checksum of an object, and compares it with what was stated.
#[derive(Debug)]
pub(crate) struct Comparison {
    stated: Digest,
    hasher: Hasher,
    /// Bytes taken in so far, from the first one on.
    taken: u64,
}

impl Comparison {
    pub(crate) fn with(stated: Digest) -> Self {
        let hasher = stated.algorithm().hasher();
        Self { stated, hasher, taken: 0 }
    }

    /// Takes in bytes at an offset. Those that it has already change nothing.
    pub(crate) fn take(&mut self, offset: u64, bytes: &[u8]) {
        if offset == self.taken {
            self.hasher.update(bytes);
            self.taken += bytes.len() as u64;
        }
    }

    /// What was computed, of so many bytes, and whether that is what was stated. `None` if some are missing.
    pub(crate) fn outcome(&mut self, size_bytes: u64) -> Option<(Digest, bool)> {
        (self.taken == size_bytes).then(|| {
            let computed = self.hasher.finish();
            self.taken = 0;
            let agrees = computed == self.stated;
            (computed, agrees)
        })
    }
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
    fn checksums_of_the_whole_are_taken_and_others_are_not() {
        // Of "123456789": the check values that the catalogues of CRCs have.
        for (header, value) in [
            ("x-amz-checksum-crc32", "y/Q5Jg=="),
            ("x-amz-checksum-crc32c", "4waSgw=="),
            ("x-amz-checksum-crc64nvme", "rosUhgp5mIg="),
        ] {
            let stated = stated(&headers(&[(header, value)])).expect(header);
            let mut comparison = Comparison::with(stated);
            comparison.take(0, b"12345");
            comparison.take(0, b"12345");
            assert!(comparison.outcome(9).is_none(), "some are missing");
            comparison.take(5, b"6789");
            let agrees = comparison.outcome(9).map(|(_, agrees)| agrees);
            assert_eq!(agrees, Some(true), "{header}");
        }
        let of_parts = [("x-amz-checksum-crc32", "y/Q5Jg=="), ("x-amz-checksum-type", "COMPOSITE")];
        assert!(stated(&headers(&of_parts)).is_none());
        assert!(stated(&headers(&[("x-amz-checksum-sha256", "y/Q5Jg==-3")])).is_none());
        assert!(stated(&headers(&[("x-amz-checksum-crc32", "not base64")])).is_none());
        assert!(stated(&headers(&[("x-amz-checksum-new", "y/Q5Jg==")])).is_none());
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
            assert_eq!(stated(&headers), Some(digest), "{name}");
        }
    }
}
