//! Checksums that a store keeps for its objects, and whether what comes has them.
//!
//! A store that is asked for them sends them along with an object. They are computed over the bytes on their way to whoever reads
//! them. A checksum over the checksums of parts says nothing of the whole, and is left alone.

use std::collections::BTreeMap;

use crc_fast::CrcAlgorithm;
use data_encoding::BASE64;
use hashlane_digest::{Algorithm, Digest, Hasher};
use http::HeaderMap;
use http::header::HeaderName;

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

/// The checksum that the headers of an answer state for the whole of it, if they state one that is known here.
pub(crate) fn stated(headers: &HeaderMap) -> Option<Digest> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if text("x-amz-checksum-type").is_some_and(|kind| kind != "FULL_OBJECT") {
        return None;
    }
    let of_s3 = KNOWN.iter().find_map(|(header, name)| {
        // One over parts ends with their number, which is no base64.
        let bytes = BASE64.decode(text(header)?.as_bytes()).ok()?;
        Digest::new(Algorithm::named(name)?, &bytes).ok()
    });
    of_s3.or_else(|| google::stated(headers)).or_else(|| azure::stated(headers))
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

    /// Whether all of so many bytes were taken in.
    pub(crate) fn has_all(&self, size_bytes: u64) -> bool {
        self.taken == size_bytes
    }

    /// What was computed, and whether that is what was stated.
    pub(crate) fn outcome(mut self) -> (Digest, bool) {
        let computed = self.hasher.finish();
        (computed, computed == self.stated)
    }
}

/// Computes the checksum of an object that comes in ranges, in any order, where that is possible: a CRC.
#[derive(Debug)]
pub(crate) struct Parts {
    stated: Digest,
    crc: CrcAlgorithm,
    /// Length and CRC of what was taken in, by the offset where it begins. What lies side by side is one.
    runs: BTreeMap<u64, (u64, u64)>,
}

impl Parts {
    /// `None` where what was stated is no CRC.
    pub(crate) fn with(stated: Digest) -> Option<Self> {
        let crc = match stated.algorithm().name() {
            "crc64nvme" => CrcAlgorithm::Crc64Nvme,
            "crc32c" => CrcAlgorithm::Crc32Iscsi,
            "crc32" => CrcAlgorithm::Crc32IsoHdlc,
            _ => return None,
        };
        Some(Self { stated, crc, runs: BTreeMap::new() })
    }

    /// The CRC of some bytes. It takes a while, and needs nothing else of the parts.
    pub(crate) fn crc_of(algorithm: CrcAlgorithm, bytes: &[u8]) -> u64 {
        crc_fast::checksum(algorithm, bytes)
    }

    pub(crate) fn algorithm(&self) -> CrcAlgorithm {
        self.crc
    }

    /// Takes in a range. One that it has already changes nothing.
    pub(crate) fn take(&mut self, offset: u64, length: u64, crc: u64) {
        if length == 0 || self.runs.contains_key(&offset) {
            return;
        }
        let (mut start, mut run) = (offset, (length, crc));
        if let Some((&before, &(its_length, its_crc))) = self.runs.range(..offset).next_back() {
            if before + its_length > offset {
                return;
            }
            if before + its_length == offset {
                self.runs.remove(&before);
                run = (its_length + run.0, crc_fast::checksum_combine(self.crc, its_crc, run.1, run.0));
                start = before;
            }
        }
        if let Some((its_length, its_crc)) = self.runs.remove(&(start + run.0)) {
            run = (run.0 + its_length, crc_fast::checksum_combine(self.crc, run.1, its_crc, its_length));
        }
        self.runs.insert(start, run);
    }

    /// Whether the content has what was stated. `None` if some of it is missing.
    pub(crate) fn agrees(&self, size_bytes: u64) -> Option<bool> {
        match self.runs.first_key_value() {
            Some((0, &(length, crc))) if length == size_bytes => {
                let stated = self.stated.as_bytes();
                Some(crc.to_be_bytes()[8 - stated.len()..] == *stated)
            }
            _ => None,
        }
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
            assert!(!comparison.has_all(9), "some are missing");
            comparison.take(5, b"6789");
            assert!(comparison.has_all(9) && comparison.outcome().1, "{header}");
        }
        let of_parts = [("x-amz-checksum-crc32", "y/Q5Jg=="), ("x-amz-checksum-type", "COMPOSITE")];
        assert!(stated(&headers(&of_parts)).is_none());
        assert!(stated(&headers(&[("x-amz-checksum-sha256", "y/Q5Jg==-3")])).is_none());
        assert!(stated(&headers(&[("x-amz-checksum-crc32", "not base64")])).is_none());
        assert!(stated(&headers(&[("x-amz-checksum-new", "y/Q5Jg==")])).is_none());
    }

    #[test]
    fn ranges_in_any_order_are_put_together() {
        let bytes: Vec<u8> = (0..1000_u32).map(|place| (place % 251) as u8).collect();
        for name in ["crc64nvme", "crc32c", "crc32"] {
            let stated = Algorithm::named(name).expect(name).digest(&bytes);
            let mut parts = Parts::with(stated).expect("a CRC");
            let crc = parts.algorithm();
            for (offset, length) in [(300, 200), (0, 300), (700, 300), (0, 300), (500, 200), (300, 200)] {
                assert_eq!(parts.agrees(1000), None, "{name}: some are missing");
                let range = &bytes[offset..offset + length];
                parts.take(offset as u64, length as u64, Parts::crc_of(crc, range));
                if offset == 500 {
                    break;
                }
            }
            assert_eq!(parts.agrees(1000), Some(true), "{name}");
            let other = Algorithm::named(name).expect(name).digest(b"another");
            let mut parts = Parts::with(other).expect("a CRC");
            parts.take(0, 1000, Parts::crc_of(crc, &bytes));
            assert_eq!(parts.agrees(1000), Some(false), "{name}");
        }
        let digest = Algorithm::named("sha256").expect("sha256").digest(b"");
        assert!(Parts::with(digest).is_none());
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
