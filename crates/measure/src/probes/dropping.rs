//! Another probe. Before each of its samples, the whole machine forgets.

use super::not_possible;
use crate::cell::{Cell, Unit};
use crate::clock::Stopwatch;
use crate::drop_caches::DropCaches;
use crate::sample::Work;
use crate::sampler::{NotPossible, Probe};

/// What is to be forgotten, and then measured.
struct Dropping<P> {
    drops: DropCaches,
    probe: P,
}

/// A probe. Before each of its samples that is forgotten, if anything is to be.
pub(crate) fn dropping(drops: Option<DropCaches>, probe: impl Probe + 'static) -> Box<dyn Probe> {
    match drops {
        Some(drops) => Box::new(Dropping { drops, probe }),
        None => Box::new(probe),
    }
}

impl<P: Probe> Probe for Dropping<P> {
    fn cell(&self) -> Cell {
        self.probe.cell()
    }

    fn unit(&self) -> Unit {
        self.probe.unit()
    }

    fn prepare(&mut self) -> Result<Option<u64>, NotPossible> {
        self.drops.drop_now().map_err(|error| not_possible(DropCaches::FILE, &error))?;
        self.probe.prepare()
    }

    fn rehearse(&mut self) -> Result<(), NotPossible> {
        self.probe.rehearse()
    }

    fn run(&mut self, repeats: u64, watch: &mut Stopwatch) -> Result<Work, NotPossible> {
        self.probe.run(repeats, watch)
    }

    fn confirm(&mut self, from_cache: bool) -> Result<(), NotPossible> {
        self.probe.confirm(from_cache)
    }

    fn repeats(&self) -> bool {
        self.probe.repeats()
    }

    fn digest(&self) -> Option<String> {
        self.probe.digest()
    }
}
