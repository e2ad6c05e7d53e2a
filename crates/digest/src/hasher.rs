//! The state of one message being hashed.

use std::fmt;

use crate::algorithm::Algorithm;
use crate::value::{Digest, MAX_DIGEST_LENGTH};

/// What an algorithm has to do. The result must not depend on how the message is cut into updates.
pub trait State: Send {
    /// Takes in the next bytes of the message.
    fn update(&mut self, bytes: &[u8]);

    /// Writes the digest of all bytes so far into `digest`, whose length is the algorithm's, and leaves a fresh state.
    fn finish_into(&mut self, digest: &mut [u8]);

    /// Forgets all bytes so far, in place.
    fn reset(&mut self);

    /// The CPU path that it takes on this machine, such as `sha-ni`. Must claim only what the code does.
    fn backend(&self) -> &'static str {
        "portable"
    }
}

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

    /// The digest of all bytes since the last one; the hasher is fresh afterwards.
    pub fn finish(&mut self) -> Digest {
        let mut bytes = [0; MAX_DIGEST_LENGTH];
        let bytes = &mut bytes[..self.algorithm.length()];
        self.state.finish_into(bytes);
        Digest::new(self.algorithm, bytes).expect("the slice has the algorithm's length")
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hasher").field("algorithm", &self.algorithm).finish_non_exhaustive()
    }
}
