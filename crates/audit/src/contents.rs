//! Equal digests found among many files.
//!
//! Files of equal content are compared once, as a class: ten thousand empty files that moved are one
//! comparison. The algorithms are gone through one after the other, so that only one index is in memory at a
//! time.

use std::cmp::Ordering;

use crate::entry::Entry;
use crate::judge::Likeness;
use crate::records::Records;

/// Some of the entries of a table.
#[derive(Clone, Copy)]
pub(crate) struct Selected<'a> {
    pub(crate) records: &'a Records,
    pub(crate) has: &'a dyn Fn(&Entry<'_>) -> bool,
}

/// Two classes with an equal digest, each in ascending order of numbers.
pub(crate) struct Pair<'a> {
    pub(crate) asked: &'a [Key],
    pub(crate) among: &'a [Key],
    /// [`Likeness::Same`] or [`Likeness::Collision`].
    pub(crate) likeness: Likeness,
}

/// An entry, and the first bytes of the digest by which it is sorted: most comparisons need no more.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    prefix: u32,
    pub(crate) number: u32,
}

/// Finds every pair of a class asked for and a class among others that have an equal digest, each pair once.
/// Both tables number their algorithms alike.
pub(crate) fn pair_up(asked: Selected<'_>, among: Selected<'_>, mut found: impl FnMut(Pair<'_>)) {
    // Of the larger side only what may be equal to something is sorted: if nothing is left of a tree, all
    // that is listed is asked for.
    let asked_is_smaller = asked.len() <= among.len();
    for place in 0..asked.records.algorithms.as_slice().len() {
        let (asked_keys, among_keys) = if asked_is_smaller {
            let keys = asked.sorted(place, |_| true);
            let others = among.sorted(place, |prefix| has_prefix(&keys, prefix));
            (keys, others)
        } else {
            let keys = among.sorted(place, |_| true);
            (asked.sorted(place, |prefix| has_prefix(&keys, prefix)), keys)
        };
        let mut rest = &among_keys[..];
        for asked_class in classes(asked.records, &asked_keys) {
            let one = asked.records.entry(asked_class[0].number);
            let digest = one.digest(place);
            let compared = |key: &Key| {
                let prefix = key.prefix.cmp(&asked_class[0].prefix);
                prefix.then_with(|| among.records.entry(key.number).digest(place).cmp(&digest))
            };
            rest = &rest[rest.partition_point(|key| compared(key).is_lt())..];
            let equal = rest.partition_point(|key| compared(key).is_eq());
            for among_class in classes(among.records, &rest[..equal]) {
                let other = among.records.entry(among_class[0].number);
                if !pair_is_known(&one, &other, place) {
                    let likeness = Likeness::between(&one, &other);
                    found(Pair { asked: asked_class, among: among_class, likeness });
                }
            }
        }
    }
}

/// Whether an algorithm that came before has shown the pair.
fn pair_is_known(left: &Entry<'_>, right: &Entry<'_>, place: usize) -> bool {
    let mut before = left.shape.below(place).places();
    before.any(|place| left.digest(place).is_some_and(|digest| right.digest(place) == Some(digest)))
}

impl Selected<'_> {
    fn len(&self) -> usize {
        self.numbers().count()
    }

    fn numbers(&self) -> impl Iterator<Item = u32> {
        (0..self.records.len()).filter(|&number| (self.has)(&self.records.entry(number)))
    }

    /// Those that have a digest of an algorithm, equal contents side by side in ascending order of numbers.
    fn sorted(&self, place: usize, wanted: impl Fn(u32) -> bool) -> Vec<Key> {
        let key = |number: u32| {
            let digest = self.records.entry(number).digest(place)?;
            let mut prefix = [0; 4];
            let length = digest.len().min(prefix.len());
            prefix[..length].copy_from_slice(&digest[..length]);
            let prefix = u32::from_be_bytes(prefix);
            wanted(prefix).then_some(Key { prefix, number })
        };
        let mut keys: Vec<Key> = self.numbers().filter_map(key).collect();
        keys.sort_unstable_by(|left, right| {
            left.prefix.cmp(&right.prefix).then_with(|| {
                let (one, other) = (self.records.entry(left.number), self.records.entry(right.number));
                let digests = one.digest(place).cmp(&other.digest(place));
                digests.then_with(|| by_content(&one, &other)).then(left.number.cmp(&right.number))
            })
        });
        keys
    }
}

fn has_prefix(keys: &[Key], prefix: u32) -> bool {
    keys.binary_search_by_key(&prefix, |key| key.prefix).is_ok()
}

fn classes<'a>(records: &'a Records, keys: &'a [Key]) -> impl Iterator<Item = &'a [Key]> {
    keys.chunk_by(move |left, right| {
        left.prefix == right.prefix
            && by_content(&records.entry(left.number), &records.entry(right.number)).is_eq()
    })
}

/// An order in which only those are equal that are compared alike with everything.
fn by_content(left: &Entry<'_>, right: &Entry<'_>) -> Ordering {
    let key = |entry: &Entry<'_>| entry.shape.digests().0;
    key(left)
        .cmp(&key(right))
        .then_with(|| left.digest_bytes.cmp(right.digest_bytes))
        .then_with(|| left.size.cmp(&right.size))
}
