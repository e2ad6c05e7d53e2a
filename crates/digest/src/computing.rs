//! How one message is computed: by a library or by the kernels.

use std::sync::OnceLock;

use crate::algorithm::Algorithm;
use crate::algorithms::in_lanes;
use crate::calibration::{BackendChoice, Calibration};
use crate::hasher::Hasher;
use crate::value::Digest;

impl Algorithm {
    /// A fresh state for one message.
    pub fn hasher(self) -> Hasher {
        Hasher::new(self, (self.0.start)())
    }

    /// A fresh state for one message, computed as was chosen, where there is a choice.
    pub fn hasher_by(self, choice: &BackendChoice) -> Hasher {
        match self.lanes() {
            Some(lanes) if !self.is_by_library(choice) => {
                Hasher::new(self, in_lanes::start_in(choice.streams(self, lanes, 1)))
            }
            _ => self.hasher(),
        }
    }

    /// A fresh state of a message that can be put aside: that of [`Algorithm::hasher_by`], or one in lanes where the
    /// library's own cannot be. `None` where there is none.
    pub fn resumable_hasher(self, choice: &BackendChoice) -> Option<Hasher> {
        let in_lanes = |lanes| Hasher::new(self, in_lanes::start_in(choice.streams(self, lanes, 1)));
        Some(self.hasher_by(choice)).filter(Hasher::can_save).or_else(|| self.lanes().map(in_lanes))
    }

    /// Whether there is a library for a single message of it beside the kernels.
    pub fn has_library(self) -> bool {
        self.lanes().is_some() && !(self.0.start)().is_in_lanes()
    }

    /// Whether that library is what serves a single message.
    pub fn is_by_library(self, choice: &BackendChoice) -> bool {
        self.has_library()
            && match choice {
                BackendChoice::Auto => !self.is_alone_in_wide_lanes(),
                BackendChoice::Calibrated(_) => choice
                    .calibration(self)
                    .map_or_else(|| !self.is_alone_in_wide_lanes(), Calibration::prefers_library),
                BackendChoice::Only(_) => false,
            }
    }

    /// Whether a kernel for several messages serves a single one faster than any for one, as with SHA-3 by AVX-512: faster than what the
    /// library has for one, too.
    fn is_alone_in_wide_lanes(self) -> bool {
        static WIDE: OnceLock<Vec<hashlane_lanes::Algorithm>> = OnceLock::new();

        let wide = WIDE.get_or_init(|| {
            let is_wide = |lanes: &_| hashlane_lanes::Streams::new(*lanes, 1).serving(1).1 > 1;
            hashlane_lanes::Algorithm::ALL.into_iter().filter(is_wide).collect()
        });
        self.lanes().is_some_and(|lanes| wide.contains(&lanes))
    }

    /// The digest of a message that is in memory.
    pub fn digest(self, message: &[u8]) -> Digest {
        let mut hasher = self.hasher();
        hasher.update(message);
        hasher.finish()
    }
}
