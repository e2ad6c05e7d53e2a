//! Many messages of one algorithm at once.

use crate::algorithm::Algorithm;
use crate::hasher::Hasher;
use crate::value::Digest;

/// The states of several independent messages of one algorithm, one in each slot.
///
/// The caller decides which message sits in which slot; the set decides how slots become kernel calls. An algorithm
/// without lanes is served by one message after the other.
#[derive(Debug)]
pub struct LaneSet {
    algorithm: Algorithm,
    slots: Vec<Hasher>,
}

impl LaneSet {
    /// A set of `slots` fresh states.
    pub fn new(algorithm: Algorithm, slots: usize) -> Self {
        Self { algorithm, slots: (0..slots).map(|_| algorithm.hasher()).collect() }
    }

    /// The algorithm that all slots compute.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Takes in the next bytes of the message in each slot named. A slot may be named more than once.
    ///
    /// # Panics
    /// A slot is outside the set.
    pub fn advance(&mut self, ready: &[(usize, &[u8])]) {
        for &(slot, bytes) in ready {
            self.slots[slot].update(bytes);
        }
    }

    /// The digest of the message in `slot`; the slot is fresh afterwards.
    ///
    /// # Panics
    /// The slot is outside the set.
    pub fn finish(&mut self, slot: usize) -> Digest {
        self.slots[slot].finish()
    }

    /// Forgets the message in `slot`, which is fresh afterwards. Allocates nothing.
    ///
    /// # Panics
    /// The slot is outside the set.
    pub fn forget(&mut self, slot: usize) {
        self.slots[slot].reset();
    }
}
