//! What comes of an object against the checksum that its store keeps.

use std::collections::BTreeMap;
use std::sync::Arc;

use crc_fast::CrcAlgorithm;
use hashlane_digest::{Algorithm, Digest, Hasher};
use hashlane_record::{Dispute, Outcome, Record};

/// The most that is kept of what comes before its turn, in bytes: as much as one object has on its way.
const MOST_AHEAD_BYTES: usize = 24 << 20;

/// Computes the checksum of an object from its first byte to its last, and compares it with what was stated.
#[derive(Debug)]
pub(crate) struct Comparison {
    stated: Digest,
    /// Of the content; of a part of it, where the checksum is over those of parts.
    hasher: Hasher,
    parts: Option<Parts>,
    /// Bytes taken in so far, from the first one on.
    taken: u64,
    /// What came before its turn, by offset.
    ahead: BTreeMap<u64, Vec<u8>>,
    ahead_bytes: usize,
}

/// The parts of an object, and the checksum over their checksums.
#[derive(Debug)]
struct Parts {
    /// Where each ends.
    ends: Arc<[u64]>,
    /// Parts that have ended.
    ended: usize,
    over: Hasher,
}

impl Parts {
    fn of(stated: Digest, ends: Arc<[u64]>) -> Self {
        Self { ends, ended: 0, over: stated.algorithm().hasher() }
    }

    /// Bytes up to the end of the part that goes on at an offset.
    fn left(&self, offset: u64) -> u64 {
        self.ends.get(self.ended).map_or(u64::MAX, |&end| end - offset)
    }
}

impl Comparison {
    /// With a checksum over the content, or over the checksums of parts that end there.
    pub(crate) fn with(stated: Digest, parts: Option<Arc<[u64]>>) -> Self {
        let (hasher, parts) = (stated.algorithm().hasher(), parts.map(|ends| Parts::of(stated, ends)));
        Self { stated, hasher, parts, taken: 0, ahead: BTreeMap::new(), ahead_bytes: 0 }
    }

    /// The same, for another reading.
    pub(crate) fn anew(&self) -> Self {
        Self::with(self.stated, self.parts.as_ref().map(|parts| Arc::clone(&parts.ends)))
    }

    /// Takes in bytes at an offset. Those that it has already change nothing; those before which some are missing wait for them.
    /// `false`: more would wait than there is room for, and nothing can be compared.
    #[must_use]
    pub(crate) fn take(&mut self, offset: u64, bytes: &[u8]) -> bool {
        if offset > self.taken {
            let known = self.ahead.insert(offset, bytes.to_vec());
            self.ahead_bytes += bytes.len();
            self.ahead_bytes -= known.map_or(0, |known| known.len());
            return self.ahead_bytes <= MOST_AHEAD_BYTES;
        }
        self.absorb(offset, bytes);
        while let Some(next) = self.ahead.first_entry().filter(|next| *next.key() <= self.taken) {
            let (offset, bytes) = next.remove_entry();
            self.ahead_bytes -= bytes.len();
            self.absorb(offset, &bytes);
        }
        true
    }

    /// Takes in what is new of bytes whose first one is not ahead.
    fn absorb(&mut self, offset: u64, bytes: &[u8]) {
        let known = usize::try_from(self.taken - offset).unwrap_or(usize::MAX);
        let mut bytes = bytes.get(known..).unwrap_or_default();
        while !bytes.is_empty() {
            let left = self.parts.as_ref().map_or(u64::MAX, |parts| parts.left(self.taken));
            let (now, rest) =
                bytes.split_at(usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len())));
            self.hasher.update(now);
            self.taken += now.len() as u64;
            bytes = rest;
            if let Some(parts) = self.parts.as_mut().filter(|_| now.len() as u64 == left) {
                parts.over.update(self.hasher.finish().as_bytes());
                parts.ended += 1;
            }
        }
    }

    /// Whether all of `size_bytes` were taken in.
    pub(crate) fn has_all(&self, size_bytes: u64) -> bool {
        self.taken == size_bytes
    }

    /// What was computed, and whether that is what was stated.
    pub(crate) fn outcome(mut self) -> (Digest, bool) {
        let over = self.parts.as_mut().map(|parts| &mut parts.over);
        let computed = over.unwrap_or(&mut self.hasher).finish();
        (computed, computed == self.stated)
    }
}

/// Computes the checksum of an object that comes in ranges, in any order, where that is possible: a CRC.
#[derive(Debug)]
pub(crate) struct Ranges {
    stated: Digest,
    crc: CrcAlgorithm,
    /// Length and CRC of what was taken in, by the offset where it begins. What lies side by side is one.
    runs: BTreeMap<u64, (u64, u64)>,
}

impl Ranges {
    /// `None` where what was stated is not a CRC.
    pub(crate) fn with(stated: Digest) -> Option<Self> {
        let crc = match stated.algorithm().name() {
            "crc64nvme" => CrcAlgorithm::Crc64Nvme,
            "crc32c" => CrcAlgorithm::Crc32Iscsi,
            "crc32" => CrcAlgorithm::Crc32IsoHdlc,
            _ => return None,
        };
        Some(Self { stated, crc, runs: BTreeMap::new() })
    }

    /// The CRC of some bytes. It takes a while, and needs nothing else of the ranges.
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

    /// What was taken in, for a comparison elsewhere; empty if it does not lie side by side.
    pub(crate) fn told(&self) -> String {
        let mut runs = self.runs.iter();
        match (runs.next(), runs.next()) {
            (Some((offset, (length, crc))), None) => {
                format!("{} {} {offset} {length} {crc}", self.stated.algorithm().name(), self.stated)
            }
            _ => String::new(),
        }
    }

    /// The ranges of an object that were reported, if all of them are of one stated checksum.
    fn of_told<'a>(told: impl Iterator<Item = &'a [u8]>) -> Option<Self> {
        let mut all: Option<Self> = None;
        for told in told {
            let told = std::str::from_utf8(told).ok()?;
            let [name, stated, offset, length, crc] = told.split(' ').collect::<Vec<_>>().try_into().ok()?;
            let digest = data_encoding::HEXLOWER.decode(stated.as_bytes()).ok()?;
            let stated = Digest::new(Algorithm::named(name)?, &digest).ok()?;
            let mut ranges = match all {
                Some(ranges) if ranges.stated == stated => ranges,
                Some(_) => return None,
                None => Self::with(stated)?,
            };
            ranges.take(offset.parse().ok()?, length.parse().ok()?, crc.parse().ok()?);
            all = Some(ranges);
        }
        all
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

/// Compares an object that several have read with the checksum that its store keeps. `told`: what each of them says of its range
/// ([`crate::Object::checksum_of_range`]).
pub fn judge<'a>(record: &mut Record, told: impl Iterator<Item = &'a [u8]> + Clone) {
    let size_bytes = record.facts.map_or(0, |facts| facts.size_bytes);
    let is_kept = told.clone().any(|told| !told.is_empty());
    let agrees = || Ranges::of_told(told.clone())?.agrees(size_bytes);
    if record.outcome == Outcome::Read && is_kept && agrees() != Some(true) {
        record.outcome = Outcome::Disputed(Dispute { is_read_twice: false, offset_bytes: size_bytes });
    }
}

#[cfg(test)]
mod tests {
    use data_encoding::BASE64;
    use hashlane_record::{Facts, ItemPath, Origin};

    use super::*;

    fn some_bytes() -> Vec<u8> {
        (0..1000_u32).map(|place| (place % 251) as u8).collect()
    }

    fn digest(name: &str, bytes: &[u8]) -> Digest {
        Algorithm::named(name).expect(name).digest(bytes)
    }

    #[test]
    fn a_content_has_its_checksum_in_whatever_pieces_it_comes() {
        // Of "123456789": the check values that the catalogues of CRCs have.
        for (name, value) in [("crc32", "y/Q5Jg=="), ("crc32c", "4waSgw=="), ("crc64nvme", "rosUhgp5mIg=")] {
            let bytes = BASE64.decode(value.as_bytes()).expect("base64");
            let stated = Digest::new(Algorithm::named(name).expect(name), &bytes).expect("its length");
            let mut comparison = Comparison::with(stated, None);
            for (offset, bytes) in [(0, "12345"), (0, "12345"), (7, "89"), (7, "89")] {
                assert!(comparison.take(offset, bytes.as_bytes()));
                assert!(!comparison.has_all(9), "some are missing");
            }
            assert!(comparison.take(4, b"567"));
            assert!(comparison.has_all(9) && comparison.outcome().1, "{name}");
        }
    }

    #[test]
    fn a_checksum_over_parts_is_over_theirs() {
        let bytes = some_bytes();
        for name in ["crc32c", "sha256", "md5"] {
            let parts = [&bytes[..400], &bytes[400..800], &bytes[800..]];
            let over: Vec<u8> =
                parts.iter().flat_map(|part| digest(name, part).as_bytes().to_vec()).collect();
            let stated = digest(name, &over);
            let mut comparison = Comparison::with(stated, Some([400, 800, 1000].into()));
            // Pieces that end where parts do not, and come as they like.
            for offset in [300, 0, 600, 900] {
                assert!(!comparison.has_all(1000), "{name}");
                assert!(comparison.take(offset as u64, &bytes[offset..bytes.len().min(offset + 300)]));
            }
            let again = comparison.anew();
            assert!(comparison.has_all(1000) && comparison.outcome().1, "{name}");
            let mut again = again;
            let mut damaged = bytes.clone();
            damaged[500] ^= 1;
            assert!(again.take(0, &damaged) && again.has_all(1000) && !again.outcome().1, "{name}");
        }
    }

    #[test]
    fn what_waits_has_a_limit() {
        let mut comparison = Comparison::with(digest("md5", b""), None);
        let piece = vec![0; MOST_AHEAD_BYTES / 2];
        assert!(comparison.take(1, &piece) && comparison.take(1, &piece), "the same waits once");
        assert!(comparison.take(1 + piece.len() as u64, &piece));
        assert!(!comparison.take(MOST_AHEAD_BYTES as u64 + 1, &piece));
    }

    #[test]
    fn ranges_that_several_have_read_are_compared_together() {
        let bytes = some_bytes();
        let told = |stated: Digest, range: std::ops::Range<usize>| {
            let mut ranges = Ranges::with(stated).expect("a CRC");
            let crc = Ranges::crc_of(ranges.algorithm(), &bytes[range.clone()]);
            ranges.take(range.start as u64, range.len() as u64, crc);
            ranges.told().into_bytes()
        };
        let judged = |told: &[Vec<u8>]| {
            let time = hashlane_record::Timestamp::default();
            let facts = Facts {
                size_bytes: 1000,
                modified: time,
                changed: time,
                accessed: time,
                device: 0,
                inode: 0,
                links: 1,
            };
            let mut record = Record {
                number: 0,
                path: ItemPath::from(b"s3://b/k".to_vec()),
                outcome: Outcome::Read,
                facts: Some(facts),
                digests: vec![digest("blake3", &bytes)],
                pieces: None,
                digested_bytes: 1000,
                origin: Origin::default(),
                medium: Default::default(),
                state: None,
                tag: Box::default(),
            };
            judge(&mut record, told.iter().map(Vec::as_slice));
            assert_eq!(record.digests.len(), 1, "the content is known all the same");
            record.outcome == Outcome::Read
        };
        for name in ["crc64nvme", "crc32c", "crc32"] {
            let (right, wrong) = (digest(name, &bytes), digest(name, b"another"));
            assert!(judged(&[told(right, 300..700), told(right, 0..300), told(right, 700..1000)]), "{name}");
            assert!(!judged(&[told(right, 0..300), told(right, 700..1000)]), "{name}: some are missing");
            assert!(!judged(&[told(wrong, 0..300), told(wrong, 300..1000)]), "{name}");
            assert!(!judged(&[told(right, 0..300), told(wrong, 300..1000)]), "{name}");
            assert!(!judged(&[told(right, 0..300), Vec::new()]), "{name}: one knows of none");
        }
        assert!(judged(&[Vec::new(), Vec::new()]), "there is nothing to compare with");
        assert!(!judged(&[b"crc32 0 0 0".to_vec()]));
    }

    #[test]
    fn ranges_in_any_order_are_put_together() {
        let bytes = some_bytes();
        for name in ["crc64nvme", "crc32c", "crc32"] {
            let mut ranges = Ranges::with(digest(name, &bytes)).expect("a CRC");
            let crc = ranges.algorithm();
            for (offset, length) in [(300, 200), (0, 300), (700, 300), (0, 300), (500, 200)] {
                assert_eq!(ranges.agrees(1000), None, "{name}: some are missing");
                let range = &bytes[offset..offset + length];
                ranges.take(offset as u64, length as u64, Ranges::crc_of(crc, range));
            }
            assert_eq!(ranges.agrees(1000), Some(true), "{name}");
            let mut ranges = Ranges::with(digest(name, b"another")).expect("a CRC");
            ranges.take(0, 1000, Ranges::crc_of(crc, &bytes));
            assert_eq!(ranges.agrees(1000), Some(false), "{name}");
        }
        assert!(Ranges::with(digest("sha256", b"")).is_none());
    }
}
