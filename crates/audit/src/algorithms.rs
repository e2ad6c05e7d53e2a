//! The algorithms of all known files, numbered, and sets of them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use hashlane_digest::{Algorithm, Digest};

use crate::error::Error;

/// How many algorithms can be distinguished; the registry has fewer. The rest of a [`Shape`]'s 48 bits are other
/// facts.
pub(crate) const MOST_ALGORITHMS: usize = 46;

/// The length of a stored [`Shape`].
pub(crate) const SHAPE_BYTES: usize = 6;

/// Digests by the number of their algorithm.
pub(crate) type Placed<'a> = [Option<&'a [u8]>; MOST_ALGORITHMS];

/// No digest of any algorithm.
pub(crate) const NONE_PLACED: Placed<'static> = [None; MOST_ALGORITHMS];

/// Algorithms in the order in which they first appeared; the number of one is its place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Algorithms(Vec<Algorithm>);

/// The algorithms that are registered: those that are listed, and what they were after each step in which others came to them. As each step brings
/// one at least, there are fewer than places.
static GROWN: [OnceLock<Algorithms>; MOST_ALGORITHMS] = [const { OnceLock::new() }; MOST_ALGORITHMS];
/// The last step.
static STEPS: AtomicUsize = AtomicUsize::new(0);

/// What an entry holds: the algorithms of its digests, a size, a modification time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Shape(pub(crate) u64);

impl Algorithms {
    /// All that are listed, and others that were met in this process. The number of one never changes.
    pub(crate) fn registered() -> &'static Self {
        let grown = &GROWN[STEPS.load(Ordering::Acquire)];
        grown.get_or_init(|| Self(Algorithm::all().collect()))
    }

    /// The same with those of these digests, as far as there is room.
    pub(crate) fn registered_with(digests: &[Digest]) -> &'static Self {
        if digests.iter().all(|digest| digest.algorithm().is_listed()) {
            return Self::registered();
        }
        static GROWING: Mutex<()> = Mutex::new(());
        let _alone = GROWING.lock().unwrap_or_else(PoisonError::into_inner);
        let known = Self::registered();
        let mut more = known.clone();
        for algorithm in digests.iter().map(Digest::algorithm) {
            if more.place(algorithm).is_none() && more.0.len() < MOST_ALGORITHMS {
                more.0.push(algorithm);
            }
        }
        if more.0.len() > known.0.len() {
            let step = STEPS.load(Ordering::Acquire) + 1;
            let _ = GROWN[step].set(more);
            STEPS.store(step, Ordering::Release);
        }
        Self::registered()
    }

    pub(crate) fn as_slice(&self) -> &[Algorithm] {
        &self.0
    }

    pub(crate) fn place(&self, algorithm: Algorithm) -> Option<usize> {
        self.0.iter().position(|&known| known == algorithm)
    }

    /// Numbers the algorithms of all digests, or of none if there are too many.
    pub(crate) fn admit(&mut self, digests: &[Digest]) -> Result<(), Error> {
        let before = self.0.len();
        for digest in digests {
            if self.place(digest.algorithm()).is_none() {
                self.0.push(digest.algorithm());
            }
        }
        if self.0.len() > MOST_ALGORITHMS {
            self.0.truncate(before);
            return Err(Error::ManyAlgorithms { most: MOST_ALGORITHMS });
        }
        Ok(())
    }

    /// Digests by number. Those of algorithms without a number have nothing to be compared with and are
    /// passed over, and so is a second digest of an algorithm.
    pub(crate) fn placed<'a>(&self, digests: &'a [Digest]) -> Placed<'a> {
        let mut placed = NONE_PLACED;
        for (place, digest) in self.numbered(digests) {
            placed[place].get_or_insert(digest);
        }
        placed
    }

    /// Digests with the numbers of their algorithms, where these have one.
    pub(crate) fn numbered<'a>(&self, digests: &'a [Digest]) -> impl Iterator<Item = (usize, &'a [u8])> {
        digests.iter().filter_map(|digest| Some((self.place(digest.algorithm())?, digest.as_bytes())))
    }

    /// The length of all digests of a shape together, in bytes.
    pub(crate) fn digest_bytes(&self, shape: Shape) -> usize {
        shape.places().map(|place| self.0[place].length()).sum()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.0.capacity() * size_of::<Algorithm>()
    }
}

impl Shape {
    /// What is there of all algorithms.
    pub(crate) const ALL_DIGESTS: Self = Self(Self::SIZE - 1);

    const SIZE: u64 = 1 << MOST_ALGORITHMS;
    const MODIFIED: u64 = 1 << (MOST_ALGORITHMS + 1);

    pub(crate) fn new(placed: &Placed<'_>, size: bool, modified: bool) -> Self {
        let digests = placed.iter().enumerate().filter(|(_, digest)| digest.is_some());
        let digests = digests.fold(0, |bits, (place, _)| bits | 1 << place);
        let bit = |set: bool, bit: u64| if set { bit } else { 0 };
        Self(digests | bit(size, Self::SIZE) | bit(modified, Self::MODIFIED))
    }

    /// As it is stored.
    pub(crate) fn to_bytes(self) -> [u8; SHAPE_BYTES] {
        *self.0.to_le_bytes().first_chunk().expect("its bits are few")
    }

    /// Of bytes that were stored.
    pub(crate) fn from_bytes(bytes: [u8; SHAPE_BYTES]) -> Self {
        let [a, b, c, d, e, f] = bytes;
        Self(u64::from_le_bytes([a, b, c, d, e, f, 0, 0]))
    }

    pub(crate) fn has_size(self) -> bool {
        self.0 & Self::SIZE != 0
    }

    pub(crate) fn has_modified(self) -> bool {
        self.0 & Self::MODIFIED != 0
    }

    /// Its algorithms only.
    pub(crate) fn digests(self) -> Self {
        Self(self.0 & (Self::SIZE - 1))
    }

    pub(crate) fn has(self, place: usize) -> bool {
        self.digests().0 >> place & 1 == 1
    }

    /// The numbers of its algorithms, ascending.
    pub(crate) fn places(self) -> impl Iterator<Item = usize> {
        let mut bits = self.digests().0;
        std::iter::from_fn(move || {
            let place = bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
            (place < u64::BITS).then_some(place as usize)
        })
    }

    /// Those of its algorithms that come before one.
    pub(crate) fn below(self, place: usize) -> Self {
        Self(self.digests().0 & ((1 << place) - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_says_what_an_entry_holds() {
        let mut placed = NONE_PLACED;
        placed[0] = Some(&[]);
        placed[MOST_ALGORITHMS - 1] = Some(&[]);
        let shape = Shape::new(&placed, true, false);
        assert_eq!(shape.places().collect::<Vec<_>>(), [0, MOST_ALGORITHMS - 1]);
        assert!(shape.has_size() && !shape.has_modified());
        assert!(shape.has(0) && !shape.has(1) && shape.has(MOST_ALGORITHMS - 1));
        assert_eq!(shape.below(MOST_ALGORITHMS - 1).places().collect::<Vec<_>>(), [0]);
        assert_eq!(Shape::default().places().count(), 0);
    }

    #[test]
    fn all_registered_algorithms_find_a_place() {
        let digests: Vec<_> = Algorithm::all().map(|algorithm| algorithm.digest(b"")).collect();
        let mut algorithms = Algorithms::default();
        algorithms.admit(&digests).unwrap();
        algorithms.admit(&digests).unwrap();
        assert!(Algorithm::all().eq(algorithms.as_slice().iter().copied()));
        assert_eq!(algorithms.placed(&digests)[1], Some(digests[1].as_bytes()));
    }
}
