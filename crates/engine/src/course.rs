//! What an algorithm computes on its way through a file: the digest of the whole, or those of its pieces.

use std::num::NonZeroU64;

use hashlane_digest::{Algorithm, BackendChoice, Digest, Hasher, SavedState};
use hashlane_record::{Division, Pieces};

/// One algorithm's state.
#[derive(Debug)]
pub(crate) enum Course {
    /// Of the whole file.
    Whole(Hasher),
    /// Of each piece.
    Divided(Box<Divided>),
}

impl Course {
    /// What is computed of a file: the digests of the whole first, then those of pieces, each in the order of the algorithms.
    pub(crate) fn all(
        algorithms: &[Algorithm],
        division: Option<Division>,
        backend: &BackendChoice,
    ) -> impl Iterator<Item = Self> {
        let whole = |algorithm: &Algorithm| Self::Whole(algorithm.hasher_by(backend));
        let divided = move |division| {
            algorithms
                .iter()
                .map(move |algorithm| Self::Divided(Box::new(Divided::new(*algorithm, division, backend))))
        };
        algorithms.iter().map(whole).chain(division.into_iter().flat_map(divided))
    }

    /// What goes on with a file that is put aside now and then: from what is saved of it, or from its beginning. `None`: one of the
    /// algorithms cannot be put aside.
    pub(crate) fn resumable(
        algorithms: &[Algorithm],
        saved: &[SavedState],
        backend: &BackendChoice,
    ) -> Option<Vec<Self>> {
        match saved {
            [] => algorithms
                .iter()
                .map(|algorithm| algorithm.resumable_hasher(backend).map(Self::Whole))
                .collect(),
            saved => Some(saved.iter().map(|saved| Self::Whole(saved.resume(backend))).collect()),
        }
    }

    /// The state of the whole so far, if it can be saved just here.
    pub(crate) fn save(&self) -> Option<SavedState> {
        match self {
            Self::Whole(hasher) => hasher.save(),
            Self::Divided(_) => None,
        }
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Whole(hasher) => hasher.update(bytes),
            Self::Divided(divided) => divided.update(bytes),
        }
    }

    /// The digest of the whole; `None` if it is of pieces.
    pub(crate) fn whole(&mut self) -> Option<Digest> {
        match self {
            Self::Whole(hasher) => Some(hasher.finish()),
            Self::Divided(_) => None,
        }
    }

    /// The digests of the pieces; `None` if it is of the whole.
    pub(crate) fn divided(&mut self) -> Option<&mut Divided> {
        match self {
            Self::Whole(_) => None,
            Self::Divided(divided) => Some(divided),
        }
    }
}

/// The digests of pieces so far.
#[derive(Debug)]
pub(crate) struct Divided {
    algorithm: Algorithm,
    division: Division,
    hasher: Hasher,
    /// Bytes that the present piece still takes.
    left: u64,
    column: Vec<u8>,
    /// Nothing more is wanted.
    is_over: bool,
}

impl Divided {
    pub(crate) fn new(algorithm: Algorithm, division: Division, backend: &BackendChoice) -> Self {
        Self {
            algorithm,
            division,
            hasher: algorithm.hasher_by(backend),
            left: division.piece_bytes().get(),
            column: Vec::new(),
            is_over: false,
        }
    }

    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.is_over {
            let count = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
            self.hasher.update(&bytes[..count]);
            self.left -= count as u64;
            bytes = &bytes[count..];
            if self.left == 0 {
                self.end_piece();
            }
        }
    }

    fn end_piece(&mut self) {
        self.column.extend_from_slice(self.hasher.finish().as_bytes());
        self.left = self.division.piece_bytes().get();
        let count = (self.column.len() / self.algorithm.length()) as u64;
        self.is_over = matches!(self.division, Division::Beginning(_)) || count > Division::MOST_PIECES;
    }

    /// Whether there are more pieces than are kept.
    pub(crate) fn has_too_many(&self) -> bool {
        matches!(self.division, Division::Every(_))
            && (self.column.len() / self.algorithm.length()) as u64 > Division::MOST_PIECES
    }

    /// The digests of all pieces, the last one as long as it came to be.
    fn finish(&mut self) -> (Algorithm, Vec<u8>) {
        if !self.is_over && self.left < self.division.piece_bytes().get() {
            self.end_piece();
        }
        (self.algorithm, std::mem::take(&mut self.column))
    }
}

/// The digests of the pieces of a file of `size` bytes; `None` if it is one piece.
pub(crate) fn pieces<'a>(
    division: Division,
    size: u64,
    divided: impl Iterator<Item = &'a mut Divided>,
) -> Option<Box<Pieces>> {
    let piece_bytes = division.piece_bytes();
    let end = match division {
        Division::Every(_) => size,
        Division::Beginning(bytes) => size.min(bytes.get()),
    };
    let columns = divided.map(Divided::finish).collect();
    if size <= piece_bytes.get() {
        return None;
    }
    Pieces::new(piece_bytes, end, columns).map(Box::new)
}

/// The digests of the beginning of a file of more bytes.
pub(crate) fn of_beginning(
    beginning: &[u8],
    algorithms: &[Algorithm],
    backend: &BackendChoice,
) -> Option<Box<Pieces>> {
    let column = |algorithm: &Algorithm| {
        let mut hasher = algorithm.hasher_by(backend);
        hasher.update(beginning);
        (*algorithm, hasher.finish().as_bytes().to_vec())
    };
    let piece_bytes = NonZeroU64::new(beginning.len() as u64)?;
    Pieces::new(piece_bytes, piece_bytes.get(), algorithms.iter().map(column).collect()).map(Box::new)
}
