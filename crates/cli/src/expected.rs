//! What a manifest expects of a file, carried through the run as the tag of its entry.

use std::num::NonZeroU64;

use hashlane_digest::{Algorithm, Digest};
use hashlane_engine::AlgorithmSet;
use hashlane_manifest::Item;
use hashlane_record::{Division, Extent, Pieces, Timestamp};

/// What a manifest says of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    pub(crate) size_bytes: Option<u64>,
    pub(crate) modified: Option<Timestamp>,
    /// Of the whole file.
    pub(crate) digests: Vec<Digest>,
    /// Of its pieces, if there are several.
    pub(crate) pieces: Option<Pieces>,
}

impl Expected {
    pub(crate) fn of(item: &Item) -> Self {
        let mut digests = item.digests.clone();
        let mut pieces = item.pieces.as_deref().cloned();
        if let Some(only) = pieces.take_if(|pieces| pieces.count() <= 1) {
            // The only piece is the whole, unless it is the beginning of a longer file: then the size is known.
            let is_whole = item.size.is_none_or(|size| size == only.end());
            let of_whole = match only.count() {
                _ if !is_whole => Vec::new(),
                0 => only.columns().iter().map(|(algorithm, _)| algorithm.digest(b"")).collect(),
                _ => only.digests(0),
            };
            let has = |algorithm| item.digests.iter().any(|digest| digest.algorithm() == algorithm);
            digests.extend(of_whole.into_iter().filter(|digest| !has(digest.algorithm())));
        }
        Self { size_bytes: item.size, modified: item.modified, digests, pieces }
    }

    /// Whether there is nothing to compare a content with.
    pub(crate) fn is_empty(&self) -> bool {
        self.digests.is_empty() && self.pieces.is_none()
    }

    /// How the file is to be divided.
    pub(crate) fn division(&self) -> Option<Division> {
        self.pieces.as_ref().map(|pieces| Division::Every(pieces.piece_bytes()))
    }

    /// The algorithms to compute, those of the whole first; the set used last serves again if it is the same.
    pub(crate) fn algorithms(&self, last: &mut AlgorithmSet) -> AlgorithmSet {
        let of_whole = |algorithm| self.digests.iter().any(|digest| digest.algorithm() == algorithm);
        let columns = self.pieces.as_ref().map_or(&[][..], Pieces::columns);
        let of_pieces =
            || columns.iter().map(|(algorithm, _)| *algorithm).filter(|&algorithm| !of_whole(algorithm));
        let wanted = || self.digests.iter().map(Digest::algorithm).chain(of_pieces());
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
        bytes.extend((self.digests.len() as u64).to_le_bytes());
        for digest in &self.digests {
            push_algorithm(&mut bytes, digest.algorithm());
            bytes.extend(digest.as_bytes());
        }
        if let Some(pieces) = &self.pieces {
            bytes.extend(pieces.piece_bytes().get().to_le_bytes());
            bytes.extend(pieces.end().to_le_bytes());
            for (algorithm, column) in pieces.columns() {
                push_algorithm(&mut bytes, *algorithm);
                bytes.extend(column);
            }
        }
        bytes.into()
    }

    /// What [`Expected::encode`] wrote; `None` for anything else.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Rest(bytes);
        let [has_size, has_time] = bytes.array()?;
        let size = bytes.number()?;
        let seconds = i64::from_le_bytes(bytes.array()?);
        let nanos = u32::from_le_bytes(bytes.array()?);
        let mut digests = Vec::new();
        for _ in 0..bytes.number()? {
            let algorithm = bytes.algorithm()?;
            digests.push(Digest::new(algorithm, bytes.take(algorithm.length())?).ok()?);
        }
        let pieces = if bytes.0.is_empty() { None } else { Some(bytes.pieces()?) };
        Some(Self {
            size_bytes: (has_size == 1).then_some(size),
            modified: (has_time == 1).then_some(Timestamp { seconds, nanos }),
            digests,
            pieces,
        })
    }
}

fn push_algorithm(bytes: &mut Vec<u8>, algorithm: Algorithm) {
    let name = algorithm.name();
    bytes.push(u8::try_from(name.len()).expect("names of algorithms are short"));
    bytes.extend(name.bytes());
}

/// What is still to be decoded.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn number(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn algorithm(&mut self) -> Option<Algorithm> {
        let [length] = self.array()?;
        Algorithm::named(std::str::from_utf8(self.take(usize::from(length))?).ok()?)
    }

    fn pieces(&mut self) -> Option<Pieces> {
        let (piece_bytes, end) = (NonZeroU64::new(self.number()?)?, self.number()?);
        let count = usize::try_from(end.div_ceil(piece_bytes.get())).ok()?;
        let mut columns = Vec::new();
        while !self.0.is_empty() {
            let algorithm = self.algorithm()?;
            columns.push((algorithm, self.take(count.checked_mul(algorithm.length())?)?.to_vec()));
        }
        Pieces::new(piece_bytes, end, columns)
    }
}

/// The bytes of a file whose digests are not those listed, by pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Differing {
    /// How many pieces are listed.
    pub(crate) listed: u64,
    /// How many of them differ.
    pub(crate) pieces: u64,
    /// Where they lie: neighbours are one.
    pub(crate) extents: Vec<Extent>,
}

impl Differing {
    /// Compares the pieces of a file of so many bytes that was read with those listed. `whole` are the digests of what is not
    /// longer than a piece.
    pub(crate) fn between(listed: &Pieces, read: Option<&Pieces>, whole: &[Digest], size: u64) -> Self {
        let mut differing = Self { listed: listed.count(), ..Self::default() };
        for (number, (extent, digests)) in (0..).zip(listed.iter()) {
            let computed = match read {
                Some(read) if read.extent(number) == Some(extent) => read.digests(number),
                None if number == 0 && size == extent.length => whole.to_vec(),
                _ => Vec::new(),
            };
            if !digests.iter().all(|digest| computed.contains(digest)) {
                differing.add(extent);
            }
        }
        differing
    }

    fn add(&mut self, extent: Extent) {
        self.pieces += 1;
        match self.extents.last_mut() {
            Some(last) if last.offset + last.length == extent.offset => last.length += extent.length,
            _ => self.extents.push(extent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn divided(content: &[u8], piece_bytes: NonZeroU64, algorithms: &[Algorithm]) -> Pieces {
        let column = |algorithm: &Algorithm| {
            let chunks = content.chunks(piece_bytes.get() as usize);
            (*algorithm, chunks.flat_map(|chunk| algorithm.digest(chunk).as_bytes().to_vec()).collect())
        };
        let columns = algorithms.iter().map(column).collect();
        Pieces::new(piece_bytes, content.len() as u64, columns).expect("one digest for each piece")
    }

    #[test]
    fn neighbours_that_differ_are_one_stretch_and_what_is_gone_differs() {
        let (md5, two) = (Algorithm::named("md5").unwrap(), NonZeroU64::new(2).unwrap());
        let listed = divided(b"aabbccdde", two, &[md5]);
        let differing = |read: &[u8]| {
            let pieces = (read.len() > 2).then(|| divided(read, two, &[md5]));
            let whole = [md5.digest(read)];
            let differing = Differing::between(&listed, pieces.as_ref(), &whole, read.len() as u64);
            assert_eq!(differing.listed, 5);
            differing.extents.iter().map(|extent| (extent.offset, extent.length)).collect::<Vec<_>>()
        };
        assert_eq!(differing(b"aabbccdde"), []);
        assert_eq!(differing(b"aaBBCCdde"), [(2, 4)]);
        assert_eq!(differing(b"aabbccd"), [(6, 3)]);
        assert_eq!(differing(b"aabbccddee"), [(8, 1)]);
        assert_eq!(differing(b"aa"), [(2, 7)]);
        assert_eq!(differing(b""), [(0, 9)]);
    }

    proptest! {
        #[test]
        fn what_is_expected_survives_the_run(
            size_bytes: Option<u64>, time: Option<(i64, u32)>, content: Vec<u8>, piece in 0_u64..20,
            names in proptest::sample::subsequence(
                Algorithm::all().map(Algorithm::name).collect::<Vec<_>>(), 0..4),
        ) {
            let algorithms: Vec<_> = names.iter().filter_map(|name| Algorithm::named(name)).collect();
            let digests = algorithms.iter().map(|algorithm| algorithm.digest(&content)).collect();
            let modified = time.map(|(seconds, nanos)| Timestamp { seconds, nanos });
            let pieces = NonZeroU64::new(piece).map(|piece| divided(&content, piece, &algorithms));
            let expected = Expected { size_bytes, modified, digests, pieces };
            prop_assert_eq!(Expected::decode(&expected.encode()), Some(expected));
        }
    }
}
