//! What tests of several studies need.

use std::path::Path;
use std::time::Duration;

use hashlane_digest::BackendChoice;

use crate::cell::Cell;
use crate::sampler::Observer;
use crate::study::Brief;

/// Looks on and never stops.
pub(crate) struct Silent;

impl Observer for Silent {
    fn at(&mut self, _: &Cell, _: f64) {}

    fn stops(&self) -> bool {
        false
    }
}

/// The shortest study: a round, and small inputs.
pub(crate) fn brief(directory: &Path) -> Brief {
    Brief {
        directory: directory.into(),
        budget: Duration::ZERO,
        quick: true,
        backend: BackendChoice::Auto,
        seed: 1,
        name: None,
        tells_host: false,
        program: "hashlane test".into(),
        command: vec!["hashlane".into(), "bench".into()],
    }
}
