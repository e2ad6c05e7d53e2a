//! The state of one message being hashed.

use std::fmt;

use hashlane_lanes::Midstate;

use crate::algorithm::Algorithm;
use crate::state::State;
use crate::value::{Digest, MAX_DIGEST_LENGTH};

/// The state of one message. After [`Hasher::finish`] it is fresh again, so one hasher serves many messages.
pub struct Hasher {
    algorithm: Algorithm,
    state: Box<dyn State>,
}

impl Hasher {
    pub(crate) fn new(algorithm: Algorithm, state: Box<dyn State>) -> Self {
        Self { algorithm, state }
    }

    /// The algorithm it computes.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The CPU path that it takes on this machine.
    pub fn backend(&self) -> &'static str {
        self.state.backend()
    }

    /// Takes in the next bytes of the message.
    pub fn update(&mut self, bytes: &[u8]) {
        self.state.update(bytes);
    }

    /// Forgets all bytes since the last digest; the hasher is fresh afterwards.
    pub fn reset(&mut self) {
        self.state.reset();
    }

    /// Goes on with a message that was put aside.
    pub(crate) fn restore(&mut self, saved: &Midstate) -> bool {
        self.state.restore(saved)
    }

    /// Whether messages can be put aside.
    pub(crate) fn can_save(&self) -> bool {
        self.midstate().is_some()
    }

    /// What can be put aside of the message.
    pub(crate) fn midstate(&self) -> Option<Midstate> {
        self.state.save()
    }

    /// The digest of all bytes since the last one; the hasher is fresh afterwards.
    pub fn finish(&mut self) -> Digest {
        let mut bytes = [0; MAX_DIGEST_LENGTH];
        let bytes = &mut bytes[..self.algorithm.length()];
        self.state.finish_into(bytes);
        Digest::new(self.algorithm, bytes).expect("the slice has the algorithm's length")
    }
}

/// The clone goes on with the same message.
impl Clone for Hasher {
    fn clone(&self) -> Self {
        Self { algorithm: self.algorithm, state: self.state.duplicate() }
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}
