//! What the kernels of `hashlane-lanes` compute, here for a single message.

use hashlane_lanes::{Algorithm, Midstate, Part, Streams};

use crate::state::State;

/// A fresh state of one message.
pub(crate) fn start(algorithm: Algorithm) -> Box<dyn State> {
    start_in(Streams::new(algorithm, 1))
}

/// A fresh state of one message, in streams of one slot.
pub(crate) fn start_in(streams: Streams) -> Box<dyn State> {
    Box::new(InLanes(streams))
}

/// The only message of its streams.
#[derive(Clone)]
struct InLanes(Streams);

impl State for InLanes {
    fn update(&mut self, bytes: &[u8]) {
        self.0.advance(&[Part { slot: 0, bytes, last: false }]);
    }

    fn finish_into(&mut self, digest: &mut [u8]) {
        self.0.finish(0, digest);
    }

    fn reset(&mut self) {
        self.0.forget(0);
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }

    fn backend(&self) -> &'static str {
        self.0.serving(1).0.name()
    }

    fn is_in_lanes(&self) -> bool {
        true
    }

    fn save(&self) -> Option<Midstate> {
        self.0.save(0)
    }

    fn restore(&mut self, saved: &Midstate) -> bool {
        self.0.restore(0, saved)
    }
}
