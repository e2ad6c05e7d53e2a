//! The state of one message being hashed.

use std::fmt;

use hashlane_lanes::Midstate;

use crate::algorithm::Algorithm;
use crate::saved::SavedState;
use crate::value::{Digest, MAX_DIGEST_LENGTH};

/// What an algorithm has to do. The result must not depend on how the message is cut into updates.
pub trait State: Send {
    /// Takes in the next bytes of the message.
    fn update(&mut self, bytes: &[u8]);

    /// Writes the digest of all bytes so far into `digest`, whose length is the algorithm's, and leaves a fresh state.
    fn finish_into(&mut self, digest: &mut [u8]);

    /// Forgets all bytes so far, in place.
    fn reset(&mut self);

    /// Another state of the same bytes.
    fn duplicate(&self) -> Box<dyn State>;

    /// The CPU path that it takes on this machine, such as `sha-ni`. Must claim only what the code does.
    fn backend(&self) -> &'static str {
        "portable"
    }

    /// Whether the kernels of `hashlane-lanes` compute it, and no library.
    fn is_in_lanes(&self) -> bool {
        false
    }

    /// What another state of the algorithm needs to go on with the message, or with as much of it as can be put aside.
    /// `None` where a message cannot be.
    fn save(&self) -> Option<Midstate> {
        None
    }

    /// Goes on with a message that was saved, by this backend or another one, in place of what was there. False, and the
    /// state is fresh, if none of this algorithm can have been saved so: never a panic, now or later.
    fn restore(&mut self, _saved: &Midstate) -> bool {
        false
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

    /// The state of the message, to be gone on with later. [`SavedState::length`] says how much of it is in there. `None`
    /// where this state cannot be put aside: [`Algorithm::resumable_hasher`] gives one that can, where there is one.
    pub fn save(&self) -> Option<SavedState> {
        SavedState::new(self.algorithm, self.state.save()?).ok()
    }

    /// Goes on with a message that was put aside.
    pub(crate) fn restore(&mut self, saved: &Midstate) -> bool {
        self.state.restore(saved)
    }

    /// Whether messages can be put aside.
    pub(crate) fn can_save(&self) -> bool {
        self.state.save().is_some()
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
