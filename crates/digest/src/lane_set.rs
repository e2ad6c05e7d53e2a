//! Many messages of one algorithm at once.

use hashlane_lanes::{Backend, Occupancy, Part, Streams};

use crate::algorithm::Algorithm;
use crate::calibration::BackendChoice;
use crate::hasher::Hasher;
use crate::value::{Digest, MAX_DIGEST_LENGTH};

/// The states of several independent messages of one algorithm, one in each slot.
///
/// The caller decides which message sits in which slot; the set decides how slots become kernel calls. Where there are no lanes for
/// an algorithm, or no more than one for this many slots, one message after the other is served by a [`Hasher`].
#[derive(Debug)]
pub struct LaneSet {
    algorithm: Algorithm,
    states: States,
}

#[derive(Debug)]
enum States {
    InLanes(Streams),
    Alone(Vec<Hasher>),
}

impl Algorithm {
    /// The CPU path that is taken for this many messages at once, at least one.
    pub fn backend_for(self, messages: usize, choice: &BackendChoice) -> &'static str {
        LaneSet::by(self, messages, choice).backend()
    }
}

impl LaneSet {
    /// A set of `slots` fresh states, computed by whatever is expected to be fastest.
    pub fn new(algorithm: Algorithm, slots: usize) -> Self {
        Self::by(algorithm, slots, &BackendChoice::Auto)
    }

    /// A set of `slots` fresh states, computed as was chosen, where there is a choice. One message after the other where a
    /// library does that faster than as many lanes as there are slots.
    pub fn by(algorithm: Algorithm, slots: usize, choice: &BackendChoice) -> Self {
        let streams = algorithm.lanes().map(|lanes| choice.streams(algorithm, lanes, slots));
        let in_lanes = |streams: &Streams| streams.serving(slots).1 > 1 || !algorithm.is_by_library(choice);
        let states = match streams.filter(in_lanes) {
            Some(streams) => States::InLanes(streams),
            None => States::Alone((0..slots).map(|_| algorithm.hasher_by(choice)).collect()),
        };
        Self { algorithm, states }
    }

    /// As many fresh states as one kernel takes in at once, computed by that kernel, for measuring it. `None` if it is not
    /// one of [`hashlane_lanes::Algorithm::kernels`].
    pub fn with_kernel(algorithm: Algorithm, backend: Backend, lanes: usize) -> Option<Self> {
        let streams = Streams::with_kernel(algorithm.lanes()?, lanes, backend, lanes)?;
        Some(Self { algorithm, states: States::InLanes(streams) })
    }

    /// The algorithm that all slots compute.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The backend that takes in as many messages as there are slots.
    pub fn backend(&self) -> &'static str {
        match &self.states {
            States::InLanes(streams) => streams.serving(streams.slots()).0.name(),
            States::Alone(hashers) => {
                hashers.first().map_or_else(|| self.algorithm.backend(), Hasher::backend)
            }
        }
    }

    /// How many messages side by side it takes in fastest; 1 where the algorithm has no lanes.
    pub fn width(&self) -> usize {
        match &self.states {
            States::InLanes(streams) => streams.serving(streams.slots()).1,
            States::Alone(_) => 1,
        }
    }

    /// How full the lanes were, in all calls together; nothing where there are none.
    pub fn occupancy(&self) -> Occupancy {
        match &self.states {
            States::InLanes(streams) if self.width() > 1 => streams.occupancy(),
            _ => Occupancy::default(),
        }
    }

    /// Takes in the next bytes of the message in each slot named. The more there are, and the more alike in length, the
    /// fuller the lanes.
    ///
    /// # Panics
    /// A slot is outside the set or is named twice, or its message has ended.
    pub fn advance(&mut self, parts: &[Part<'_>]) {
        match &mut self.states {
            States::InLanes(streams) => streams.advance(parts),
            States::Alone(hashers) => parts.iter().for_each(|part| hashers[part.slot].update(part.bytes)),
        }
    }

    /// The digest of the message in `slot`; the slot is fresh afterwards.
    ///
    /// # Panics
    /// The slot is outside the set.
    pub fn finish(&mut self, slot: usize) -> Digest {
        match &mut self.states {
            States::InLanes(streams) => {
                let mut bytes = [0; MAX_DIGEST_LENGTH];
                let bytes = &mut bytes[..self.algorithm.length()];
                streams.finish(slot, bytes);
                Digest::new(self.algorithm, bytes).expect("the slice has the algorithm's length")
            }
            States::Alone(hashers) => hashers[slot].finish(),
        }
    }

    /// Forgets the message in `slot`, which is fresh afterwards. Allocates nothing.
    ///
    /// # Panics
    /// The slot is outside the set.
    pub fn forget(&mut self, slot: usize) {
        match &mut self.states {
            States::InLanes(streams) => streams.forget(slot),
            States::Alone(hashers) => hashers[slot].reset(),
        }
    }
}
