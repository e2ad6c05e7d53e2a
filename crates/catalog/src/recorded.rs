//! Which items have got a version in a run.

use roaring::RoaringTreemap;

/// From this many items on that have got a version it is faster to look at all.
const MANY: u64 = 100_000;

/// The items that have got a version in a run, as long as they are few and all of them were recorded by this process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorded(pub(crate) Option<(i64, RoaringTreemap)>);

impl Recorded {
    /// Those of a run that was just begun.
    pub(crate) fn of(run: i64) -> Self {
        Self(Some((run, RoaringTreemap::new())))
    }

    pub(crate) fn add(&mut self, run: i64, item: i64) {
        match &mut self.0 {
            Some((of, items)) if *of == run && items.len() < MANY => _ = items.insert(item as u64),
            _ => self.0 = None,
        }
    }
}
