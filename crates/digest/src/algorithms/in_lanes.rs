//! What the kernels of `hashlane-lanes` compute, here for a single message.

use hashlane_lanes::{Algorithm, Backend, Part, Streams};

use crate::hasher::State;

/// A fresh state of one message.
pub(crate) fn start(algorithm: Algorithm) -> Box<dyn State> {
    Box::new(InLanes(Streams::new(algorithm, 1)))
}

/// A fresh state of one message by a backend; by the portable one where the algorithm or the CPU lacks it.
pub(crate) fn start_by(algorithm: Algorithm, backend: Backend) -> Box<dyn State> {
    Box::new(InLanes(streams_by(algorithm, backend, 1)))
}

/// Streams by a backend; by the portable one where the algorithm or the CPU lacks it.
pub(crate) fn streams_by(algorithm: Algorithm, backend: Backend, slots: usize) -> Streams {
    [backend, Backend::Portable]
        .into_iter()
        .find_map(|backend| Streams::with_backend(algorithm, slots, backend))
        .expect("every algorithm has a portable kernel")
}

/// The only message of its streams.
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

    fn backend(&self) -> &'static str {
        self.0.serving(1).0.name()
    }
}
