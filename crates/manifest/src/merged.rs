//! Several lines about one file, one after the other, as one item.

use crate::item::Item;
use crate::problem::LineProblem;

/// Merges adjacent items of equal name into one, as BSD lines with several algorithms need it.
///
/// Items that contradict each other (one algorithm twice, different sizes, times, outcomes or states) stay apart, so
/// that nothing that the manifest says is lost.
#[derive(Debug)]
pub struct Merged<I> {
    items: I,
    held: Option<Item>,
    problem: Option<LineProblem>,
}

impl<I> Merged<I> {
    pub(crate) fn new(items: I) -> Self {
        Self { items, held: None, problem: None }
    }

    /// What is merged.
    pub fn get_ref(&self) -> &I {
        &self.items
    }
}

impl<I: Iterator<Item = Result<Item, LineProblem>>> Iterator for Merged<I> {
    type Item = Result<Item, LineProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(problem) = self.problem.take() {
            return Some(Err(problem));
        }
        loop {
            match (self.items.next(), self.held.as_mut()) {
                (Some(Ok(item)), None) => self.held = Some(item),
                (Some(Ok(item)), Some(held)) => {
                    if let Some(item) = absorb(held, item) {
                        return self.held.replace(item).map(Ok);
                    }
                }
                (Some(Err(problem)), None) => return Some(Err(problem)),
                (Some(Err(problem)), Some(_)) => {
                    self.problem = Some(problem);
                    return self.held.take().map(Ok);
                }
                (None, _) => return self.held.take().map(Ok),
            }
        }
    }
}

/// Takes the digests of `item` into `held`, or gives it back if it does not belong there.
fn absorb(held: &mut Item, item: Item) -> Option<Item> {
    let known = |digest| held.digests.iter().any(|other| same_algorithm(other, digest));
    let same_file = held.path == item.path
        && held.size == item.size
        && held.modified == item.modified
        && held.outcome == item.outcome
        && held.state == item.state
        && held.inode.zip(item.inode).is_none_or(|(held, other)| held == other)
        && held.pieces.is_none()
        && item.pieces.is_none();
    if !same_file || item.digests.iter().any(known) {
        return Some(item);
    }
    held.digests.extend(item.digests);
    held.inode = held.inode.or(item.inode);
    None
}

fn same_algorithm(one: &hashlane_digest::Digest, other: &hashlane_digest::Digest) -> bool {
    one.algorithm() == other.algorithm()
}
