//! One file as bytes: size, modification time, digests, name.

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::Timestamp;
use hashlane_record::bytes::{Rest, put_bytes, put_number, put_time};

use crate::algorithms::{Algorithms, NONE_PLACED, Placed, Shape};
use crate::state::State;

/// What is to be stored of one file.
#[derive(Clone, Copy)]
pub(crate) struct Draft<'a> {
    pub(crate) size: Option<u64>,
    pub(crate) modified: Option<Timestamp>,
    pub(crate) digests: Placed<'a>,
    pub(crate) name: &'a [u8],
}

/// What is stored of one file.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'a> {
    algorithms: &'a Algorithms,
    pub(crate) state: State,
    pub(crate) shape: Shape,
    pub(crate) size: Option<u64>,
    pub(crate) modified: Option<Timestamp>,
    /// The digests one after the other, in the order of their numbers.
    pub(crate) digest_bytes: &'a [u8],
    pub(crate) name: &'a [u8],
}

impl<'a> Draft<'a> {
    /// A file of which only the name is known.
    pub(crate) fn of_name(name: &'a [u8]) -> Self {
        Self { size: None, modified: None, digests: NONE_PLACED, name }
    }

    /// Adds what is lacking.
    pub(crate) fn add(&mut self, more: &Draft<'a>) {
        self.size = self.size.or(more.size);
        self.modified = self.modified.or(more.modified);
        for (own, other) in self.digests.iter_mut().zip(more.digests) {
            *own = own.or(other);
        }
    }

    pub(crate) fn shape(&self) -> Shape {
        Shape::new(&self.digests, self.size.is_some(), self.modified.is_some())
    }

    /// The most bytes that it takes.
    pub(crate) fn most_bytes(&self) -> usize {
        let digests: usize = self.digests.iter().flatten().map(|digest| digest.len()).sum();
        10 + 12 + digests + 10 + self.name.len()
    }

    pub(crate) fn encode(&self, bytes: &mut Vec<u8>) {
        if let Some(size) = self.size {
            put_number(bytes, size);
        }
        if let Some(modified) = self.modified {
            put_time(bytes, modified);
        }
        bytes.extend(self.digests.iter().flatten().copied().flatten());
        put_bytes(bytes, self.name);
    }
}

impl<'a> Entry<'a> {
    /// The entry at the beginning of `bytes`, and how many of them it takes.
    pub(crate) fn decode(
        algorithms: &'a Algorithms,
        (state, shape): (State, Shape),
        bytes: &'a [u8],
    ) -> (Self, usize) {
        #[cfg(test)]
        crate::testing::count_decoded();
        let mut rest = bytes;
        let size = shape.has_size().then(|| take_number(&mut rest));
        let modified = shape.has_modified().then(|| taken(&mut rest, |rest| rest.time()));
        let digest_bytes = take(&mut rest, algorithms.digest_bytes(shape));
        let name = taken(&mut rest, |rest| rest.bytes());
        let entry = Self { algorithms, state, shape, size, modified, digest_bytes, name };
        (entry, bytes.len() - rest.len())
    }

    pub(crate) fn digest(&self, place: usize) -> Option<&'a [u8]> {
        let start = || self.algorithms.digest_bytes(self.shape.below(place));
        let length = || self.algorithms.as_slice()[place].length();
        self.shape.has(place).then(|| &self.digest_bytes[start()..][..length()])
    }

    /// Digests with the numbers of their algorithms.
    pub(crate) fn numbered(self) -> impl Iterator<Item = (usize, &'a [u8])> {
        let mut rest = self.digest_bytes;
        self.shape
            .places()
            .map(move |place| (place, take(&mut rest, self.algorithms.as_slice()[place].length())))
    }

    /// What it says, to be stored again.
    pub(crate) fn draft(&self) -> Draft<'a> {
        let mut digests = NONE_PLACED;
        for (place, digest) in self.numbered() {
            digests[place] = Some(digest);
        }
        Draft { size: self.size, modified: self.modified, digests, name: self.name }
    }

    pub(crate) fn algorithm(&self, place: usize) -> Algorithm {
        self.algorithms.as_slice()[place]
    }

    pub(crate) fn digests(&self) -> Vec<Digest> {
        let digests = self.numbered().map(|(place, bytes)| Digest::new(self.algorithm(place), bytes));
        digests.map(|digest| digest.expect("it was stored with the length of its algorithm")).collect()
    }
}

pub(crate) fn take_number(bytes: &mut &[u8]) -> u64 {
    taken(bytes, |rest| rest.number())
}

pub(crate) fn take<'a>(bytes: &mut &'a [u8], count: usize) -> &'a [u8] {
    taken(bytes, |rest| rest.take(count))
}

pub(crate) fn take_array<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    taken(bytes, |rest| rest.array())
}

fn taken<'a, T>(bytes: &mut &'a [u8], take: impl FnOnce(&mut Rest<'a>) -> Option<T>) -> T {
    let mut rest = Rest(bytes);
    let value = take(&mut rest).expect("what was stored is complete");
    *bytes = rest.0;
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_entry_is_what_was_stored(
            size: Option<u64>, time: Option<(i64, u32)>, content: Vec<u8>, name: Vec<u8>,
            names in proptest::sample::subsequence(
                Algorithm::all().map(Algorithm::name).collect::<Vec<_>>(), 0..4),
        ) {
            let digests: Vec<_> = names.iter().filter_map(|name| Algorithm::named(name))
                .map(|algorithm| algorithm.digest(&content)).collect();
            let mut algorithms = Algorithms::default();
            algorithms.admit(&Algorithm::all().map(|algorithm| algorithm.digest(b"")).collect::<Vec<_>>()).unwrap();
            let modified = time.map(|(seconds, nanos)| Timestamp { seconds, nanos });
            let draft = Draft { size, modified, digests: algorithms.placed(&digests), name: &name };
            let mut bytes = Vec::new();
            draft.encode(&mut bytes);
            prop_assert!(bytes.len() <= draft.most_bytes());
            let length = bytes.len();
            bytes.extend(b"the next one");
            let (entry, taken) = Entry::decode(&algorithms, (State::Unseen, draft.shape()), &bytes);
            prop_assert_eq!(taken, length);
            prop_assert_eq!((entry.size, entry.modified, entry.name), (size, modified, &name[..]));
            prop_assert_eq!(entry.digests(), digests.clone());
            for digest in &digests {
                let place = algorithms.place(digest.algorithm()).unwrap();
                prop_assert_eq!(entry.digest(place), Some(digest.as_bytes()));
            }
            let mut again = Vec::new();
            entry.draft().encode(&mut again);
            prop_assert_eq!(&again[..], &bytes[..length]);
        }
    }
}
