//! What a manifest expects of a file, carried through the run as the tag of its entry.

use hashlane_digest::{Algorithm, Digest};
use hashlane_engine::AlgorithmSet;
use hashlane_manifest::Item;
use hashlane_record::Timestamp;

/// What a manifest says of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) size_bytes: Option<u64>,
    pub(crate) modified: Option<Timestamp>,
    pub(crate) digests: Vec<Digest>,
}

impl Expected {
    pub(crate) fn of(item: &Item) -> Self {
        Self { size_bytes: item.size, modified: item.modified, digests: item.digests.clone() }
    }

    /// The algorithms to compute; the set used last serves again if it is the same.
    pub(crate) fn algorithms(&self, last: &mut AlgorithmSet) -> AlgorithmSet {
        let wanted = || self.digests.iter().map(Digest::algorithm);
        if !wanted().eq(last.iter().copied()) {
            *last = wanted().collect();
        }
        AlgorithmSet::clone(last)
    }

    pub(crate) fn encode(&self) -> Box<[u8]> {
        let mut bytes = vec![u8::from(self.size_bytes.is_some()), u8::from(self.modified.is_some())];
        bytes.extend(self.size_bytes.unwrap_or(0).to_le_bytes());
        let modified = self.modified.unwrap_or_default();
        bytes.extend(modified.seconds.to_le_bytes());
        bytes.extend(modified.nanos.to_le_bytes());
        for digest in &self.digests {
            let name = digest.algorithm().name();
            bytes.push(u8::try_from(name.len()).expect("names of algorithms are short"));
            bytes.extend(name.bytes());
            bytes.extend(digest.as_bytes());
        }
        bytes.into()
    }

    /// What [`Expected::encode`] wrote; `None` for anything else.
    pub(crate) fn decode(mut bytes: &[u8]) -> Option<Self> {
        let mut take = |count: usize| {
            let (taken, rest) = bytes.split_at_checked(count)?;
            bytes = rest;
            Some(taken)
        };
        let has = take(2)?;
        let size = u64::from_le_bytes(take(8)?.try_into().ok()?);
        let seconds = i64::from_le_bytes(take(8)?.try_into().ok()?);
        let nanos = u32::from_le_bytes(take(4)?.try_into().ok()?);
        let mut digests = Vec::new();
        while let Some(length) = take(1) {
            let name = std::str::from_utf8(take(usize::from(length[0]))?).ok()?;
            let algorithm = Algorithm::named(name)?;
            digests.push(Digest::new(algorithm, take(algorithm.length())?).ok()?);
        }
        Some(Self {
            size_bytes: (has[0] == 1).then_some(size),
            modified: (has[1] == 1).then_some(Timestamp { seconds, nanos }),
            digests,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_expected_survives_the_run(
            size_bytes: Option<u64>, time: Option<(i64, u32)>, content: Vec<u8>, names in proptest::sample::subsequence(
                Algorithm::all().map(Algorithm::name).collect::<Vec<_>>(), 0..4),
        ) {
            let digests = names.iter().filter_map(|name| Algorithm::named(name)).map(|algorithm| algorithm.digest(&content));
            let modified = time.map(|(seconds, nanos)| Timestamp { seconds, nanos });
            let expected = Expected { size_bytes, modified, digests: digests.collect() };
            prop_assert_eq!(Expected::decode(&expected.encode()), Some(expected));
        }
    }
}
