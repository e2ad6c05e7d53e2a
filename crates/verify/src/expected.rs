//! What a manifest expects of a file, carried through the run as the tag of its entry.

use hashlane_audit::Content;
use hashlane_digest::{Algorithm, Digest};
use hashlane_engine::AlgorithmSet;
use hashlane_manifest::Item;
use hashlane_record::bytes::{Rest, put_digest, put_number, put_pieces, put_time};
use hashlane_record::{Division, Extent, Pieces, Record, Timestamp};

/// What a manifest states about one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// The size of the file in bytes.
    pub size_bytes: Option<u64>,
    /// When its content was last changed.
    pub modified: Option<Timestamp>,
    /// The digests of the whole file.
    pub digests: Vec<Digest>,
    /// The digests of its pieces, if it has several.
    pub pieces: Option<Pieces>,
}

impl Expected {
    /// What an entry of a manifest expects.
    pub fn of(item: &Item) -> Self {
        let mut digests = item.digests.clone();
        let mut pieces = item.pieces.as_deref().cloned();
        let contradicts = |digest: &Digest| {
            item.digests.iter().any(|other| other.algorithm() == digest.algorithm() && other != digest)
        };
        // The only piece is the whole, unless it is the beginning of a longer file: then the size is known.
        if let Some(only) = pieces.as_ref().filter(|only| only.count() <= 1)
            && item.size.is_none_or(|size| size == only.end())
        {
            let of_piece = match only.count() {
                0 => only.columns().iter().map(|(algorithm, _)| algorithm.digest(b"")).collect(),
                _ => only.digests(0),
            };
            // What is listed of one content in two ways is held against both, and fails.
            if !of_piece.iter().any(contradicts) {
                digests.extend(of_piece.into_iter().filter(|digest| !item.digests.contains(digest)));
                pieces = None;
            }
        }
        Self { size_bytes: item.size, modified: item.modified, digests, pieces }
    }

    /// What a known content expects.
    pub fn of_content(content: Content) -> Self {
        let Content { size, modified, digests } = content;
        Self { size_bytes: size, modified, digests, pieces: None }
    }

    /// Whether its pieces are the beginning of the file and no more.
    fn has_beginning(&self, pieces: &Pieces) -> bool {
        self.size_bytes.is_some_and(|size| size > pieces.end())
    }

    /// Whether pieces are listed of its beginning only.
    pub(crate) fn lists_beginning(&self) -> bool {
        self.pieces.as_ref().is_some_and(|pieces| self.has_beginning(pieces))
    }

    /// Whether there is nothing to compare with.
    pub fn is_empty(&self) -> bool {
        self.digests.is_empty() && self.pieces.is_none()
    }

    /// How the file is to be divided.
    pub fn division(&self) -> Option<Division> {
        self.pieces.as_ref().map(|pieces| match self.has_beginning(pieces) {
            true => Division::Beginning(pieces.piece_bytes()),
            false => Division::Every(pieces.piece_bytes()),
        })
    }

    /// The algorithms to compute: those of the whole file first, then those of its pieces, then `more`. Returns the last set again if it is
    /// equal.
    pub fn algorithms(&self, more: &[Algorithm], last: &mut AlgorithmSet) -> AlgorithmSet {
        let of_whole = |algorithm| self.digests.iter().any(|digest| digest.algorithm() == algorithm);
        let columns = self.pieces.as_ref().map_or(&[][..], Pieces::columns);
        let of_pieces = |algorithm| columns.iter().any(|&(other, _)| other == algorithm);
        let in_pieces = || columns.iter().map(|(algorithm, _)| *algorithm);
        let more = || more.iter().copied().filter(|&algorithm| !of_pieces(algorithm));
        let behind = || in_pieces().chain(more()).filter(|&algorithm| !of_whole(algorithm));
        let wanted = || self.digests.iter().map(Digest::algorithm).chain(behind());
        if !wanted().eq(last.iter().copied()) {
            *last = wanted().collect();
        }
        AlgorithmSet::clone(last)
    }

    /// The algorithms that a content is compared by.
    pub fn compared_by(&self) -> impl Iterator<Item = Algorithm> {
        let of_pieces = self.pieces.as_ref().map_or(&[][..], Pieces::columns).iter();
        self.digests.iter().map(Digest::algorithm).chain(of_pieces.map(|(algorithm, _)| *algorithm))
    }

    /// Its contents as bytes, for the tag of an input.
    pub fn encode(&self) -> Box<[u8]> {
        let mut bytes = vec![u8::from(self.size_bytes.is_some()), u8::from(self.modified.is_some())];
        put_number(&mut bytes, self.size_bytes.unwrap_or(0));
        put_time(&mut bytes, self.modified.unwrap_or_default());
        put_number(&mut bytes, self.digests.len() as u64);
        for digest in &self.digests {
            put_digest(&mut bytes, digest);
        }
        if let Some(pieces) = &self.pieces {
            put_pieces(&mut bytes, pieces);
        }
        bytes.into()
    }

    /// Decodes what [`Expected::encode`] wrote; `None` for anything else.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Rest(bytes);
        let [has_size, has_time] = bytes.array()?;
        let (size, time) = (bytes.number()?, bytes.time()?);
        let digests = (0..bytes.number()?).map(|_| bytes.digest()).collect::<Option<_>>()?;
        let pieces = if bytes.0.is_empty() { None } else { Some(bytes.pieces()?) };
        Some(Self {
            size_bytes: (has_size == 1).then_some(size),
            modified: (has_time == 1).then_some(time),
            digests,
            pieces,
        })
    }
}

/// The parts of a file whose digests differ from the listed ones, by pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differing {
    /// The number of listed pieces.
    pub listed: u64,
    /// The number of pieces that differ.
    pub pieces: u64,
    /// Where they are; adjacent pieces are merged.
    pub extents: Vec<Extent>,
    /// The file goes on where the last piece ends.
    is_longer: bool,
}

impl Differing {
    /// Compares the pieces of a file with the expected ones; `None` if no pieces are expected.
    pub fn of(expected: &Expected, record: &Record) -> Option<Self> {
        let listed = expected.pieces.as_ref()?;
        let size = record.digested_bytes;
        let mut differing = Self { listed: listed.count(), ..Self::default() };
        for (number, (extent, digests)) in (0..).zip(listed.iter()) {
            let computed = match &record.pieces {
                Some(read) if read.extent(number) == Some(extent) => read.digests(number),
                // What is no longer than a piece is its only one.
                None if number == 0 && size == extent.length => record.digests.clone(),
                _ => Vec::new(),
            };
            if !digests.iter().all(|digest| computed.contains(digest)) {
                differing.add(extent);
            }
        }
        if size > listed.end() && !expected.has_beginning(listed) {
            differing.is_longer = true;
        }
        Some(differing)
    }

    /// Whether nothing differs and nothing follows the last piece.
    pub fn is_none(&self) -> bool {
        self.pieces == 0 && !self.is_longer
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
    use std::num::NonZeroU64;

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

    fn record(content: &[u8], piece_bytes: NonZeroU64, algorithm: Algorithm) -> Record {
        let is_longer = content.len() as u64 > piece_bytes.get();
        Record {
            number: 0,
            path: "f".into(),
            outcome: hashlane_record::Outcome::Read,
            facts: None,
            digests: vec![algorithm.digest(content)],
            pieces: is_longer.then(|| divided(content, piece_bytes, &[algorithm]).into()),
            digested_bytes: content.len() as u64,
            origin: Default::default(),
            medium: Default::default(),
            state: None,
            tag: Box::default(),
        }
    }

    #[test]
    fn an_only_piece_is_the_whole_and_what_contradicts_it_stands_beside_it() {
        let (md5, sha1) = (Algorithm::MD5, Algorithm::SHA1);
        let two = NonZeroU64::new(2).unwrap();
        let item = |whole: &[Digest], piece: &[u8], size| Item {
            line: 1,
            path: "f".into(),
            size,
            modified: None,
            digests: whole.to_vec(),
            outcome: None,
            state: None,
            inode: None,
            pieces: Some(divided(piece, two, &[md5]).into()),
        };
        let whole = [md5.digest(b"ab"), sha1.digest(b"ab")];
        let expected = Expected::of(&item(&whole, b"ab", Some(2)));
        assert_eq!((&expected.digests[..], &expected.pieces), (&whole[..], &None));
        let expected = Expected::of(&item(&whole[1..], b"ab", None));
        assert_eq!((expected.digests, expected.pieces), (vec![whole[1], whole[0]], None));
        let expected = Expected::of(&item(&whole, b"AB", Some(2)));
        let differing = Differing::of(&expected, &record(b"ab", two, md5)).expect("both are compared");
        assert!(!differing.is_none());
        // The beginning of a longer file.
        let expected = Expected::of(&item(&[md5.digest(b"abc")], b"ab", Some(3)));
        assert_eq!(expected.division(), Some(Division::Beginning(two)));
    }

    #[test]
    fn neighbours_that_differ_are_one_stretch_and_what_is_gone_differs() {
        let (md5, two) = (Algorithm::MD5, NonZeroU64::new(2).unwrap());
        let pieces = Some(divided(b"aabbccdde", two, &[md5]));
        let expected = Expected { size_bytes: None, modified: None, digests: Vec::new(), pieces };
        let differing = |read: &[u8]| {
            let differing = Differing::of(&expected, &record(read, two, md5)).expect("pieces are listed");
            assert_eq!(differing.listed, 5);
            assert_eq!(differing.is_none(), read == b"aabbccdde");
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
