//! Many entries in one block of bytes.
//!
//! Invariant: a number names the same entry until the next sorting.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::algorithms::{Algorithms, Shape};
use crate::entry::{Draft, Entry};
use crate::state::State;

/// The end of the bytes that a [`Slot`] can point into: 1 TiB.
pub(crate) const MOST_BYTES: u64 = 1 << 40;

/// How many entries can be numbered.
pub(crate) const MOST_ENTRIES: u64 = u32::MAX as u64;

/// Entries, numbered from 0. What replaces an entry leaves the old bytes behind, until they are as many as
/// the others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    pub(crate) algorithms: Algorithms,
    slots: Vec<Slot>,
    shapes: Shapes,
    bytes: Vec<u8>,
    dead_bytes: usize,
}

/// Where an entry is, and what has become of it. Without alignment: 8 bytes.
#[derive(Clone, Copy, Debug)]
struct Slot {
    start: [u8; 5],
    /// The number of its shape.
    shape: [u8; 2],
    state: State,
}

/// The shapes of all entries, numbered. There are few.
#[derive(Clone, Debug, Default)]
struct Shapes {
    all: Vec<Shape>,
    numbers: HashMap<Shape, u16>,
    /// The number that was asked for last: entries in a row mostly have the same.
    last: u16,
}

impl Shapes {
    fn of(&self, slot: Slot) -> Shape {
        self.all[usize::from(u16::from_le_bytes(slot.shape))]
    }

    /// The number of a shape; `None` if there is none left.
    fn number(&mut self, shape: Shape) -> Option<[u8; 2]> {
        if self.all.get(usize::from(self.last)) != Some(&shape) {
            self.last = match self.numbers.get(&shape) {
                Some(&number) => number,
                None => {
                    let number = u16::try_from(self.all.len()).ok()?;
                    self.all.push(shape);
                    self.numbers.insert(shape, number);
                    number
                }
            };
        }
        Some(self.last.to_le_bytes())
    }
}

impl Records {
    pub(crate) fn new(algorithms: Algorithms) -> Self {
        Self { algorithms, ..Self::default() }
    }

    pub(crate) fn len(&self) -> u32 {
        self.slots.len() as u32
    }

    pub(crate) fn entry(&self, number: u32) -> Entry<'_> {
        self.decode(self.slots[number as usize]).0
    }

    pub(crate) fn state(&self, number: u32) -> State {
        self.slots[number as usize].state
    }

    pub(crate) fn set_state(&mut self, number: u32, state: State) {
        self.slots[number as usize].state = state;
    }

    /// The numbers of the entries in certain states, from a number on, ascending.
    pub(crate) fn in_state(&self, from: u32, is_wanted: impl Fn(State) -> bool) -> impl Iterator<Item = u32> {
        (from..self.len()).filter(move |&number| is_wanted(self.state(number)))
    }

    /// Forgets all entries, and keeps the room that they took.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.bytes.clear();
        self.dead_bytes = 0;
    }

    /// Stores an entry; `None` if there is no room.
    pub(crate) fn push(&mut self, draft: &Draft<'_>, state: State) -> Option<u32> {
        let number = self.len();
        if u64::from(number) + 1 >= MOST_ENTRIES {
            return None;
        }
        let start = self.bytes.len();
        if (start + draft.most_bytes()) as u64 >= MOST_BYTES {
            return None;
        }
        let shape = self.shapes.number(draft.shape())?;
        draft.encode(&mut self.bytes);
        self.slots.push(Slot { start: low_bytes(start), shape, state });
        Some(number)
    }

    /// Adds to an entry what it lacks: its name and what it has stay. `None` if there is no room.
    pub(crate) fn complete(&mut self, number: u32, more: &Draft<'_>) -> Option<()> {
        let mut draft = self.entry(number).draft();
        draft.add(more);
        let (bytes, shape) = encoded(&draft);
        self.replace(number, &bytes, shape)
    }

    /// Takes all from an entry but its name. `None` if there is no room.
    pub(crate) fn strip(&mut self, number: u32) -> Option<()> {
        let (bytes, shape) = encoded(&Draft::of_name(self.entry(number).name));
        self.replace(number, &bytes, shape)
    }

    fn replace(&mut self, number: u32, bytes: &[u8], shape: Shape) -> Option<()> {
        let old = self.slots[number as usize];
        let (_, old_bytes) = self.decode(old);
        self.slots[number as usize] = self.store(bytes, shape, old.state)?;
        self.dead_bytes += old_bytes;
        if self.dead_bytes > self.bytes.len() / 2 {
            self.compact();
        }
        Some(())
    }

    /// The number of the entry that an order calls equal to what is looked for. The entries are sorted by it.
    pub(crate) fn find(&self, order: impl Fn(&Entry<'_>) -> Ordering) -> Option<u32> {
        let found = self.slots.binary_search_by(|&slot| order(&self.decode(slot).0));
        found.ok().map(|number| number as u32)
    }

    /// How many entries come before the first that something is not true of. They are sorted by it.
    pub(crate) fn partition_point(&self, is_before: impl Fn(&Entry<'_>) -> bool) -> u32 {
        self.slots.partition_point(|&slot| is_before(&self.decode(slot).0)) as u32
    }

    /// Numbers the entries anew, in an order; of those that it calls equal the first stays the first. Takes no
    /// memory: those that came later lie behind the others, unless something was added to them.
    pub(crate) fn sort_by(&mut self, order: impl for<'e> Fn(&Entry<'e>, &Entry<'e>) -> Ordering) {
        let mut slots = std::mem::take(&mut self.slots);
        slots.sort_unstable_by(|&left, &right| {
            order(&self.decode(left).0, &self.decode(right).0).then_with(|| left.start().cmp(&right.start()))
        });
        self.slots = slots;
    }

    /// Drops each entry that is the same as the one before; says how many. The others are numbered anew.
    pub(crate) fn drop_repeated(&mut self, same: impl Fn(&Entry<'_>, &Entry<'_>) -> bool) -> u64 {
        let mut slots = std::mem::take(&mut self.slots);
        let before = slots.len();
        slots.dedup_by(|&mut next, &mut kept| same(&self.decode(kept).0, &self.decode(next).0));
        self.slots = slots;
        (before - self.slots.len()) as u64
    }

    /// Gives back all memory that holds nothing.
    pub(crate) fn shrink(&mut self) {
        if self.dead_bytes > 0 {
            self.compact();
        }
        self.slots.shrink_to_fit();
        self.bytes.shrink_to_fit();
    }

    /// Memory it takes in bytes, with what is allocated and holds nothing.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>() + self.bytes.capacity() + self.algorithms.memory_bytes()
    }

    fn decode(&self, slot: Slot) -> (Entry<'_>, usize) {
        Entry::decode(&self.algorithms, (slot.state, self.shapes.of(slot)), &self.bytes[slot.start()..])
    }

    fn store(&mut self, bytes: &[u8], shape: Shape, state: State) -> Option<Slot> {
        let start = self.bytes.len();
        if (start + bytes.len()) as u64 >= MOST_BYTES {
            return None;
        }
        let shape = self.shapes.number(shape)?;
        self.bytes.extend(bytes);
        Some(Slot { start: low_bytes(start), shape, state })
    }

    fn compact(&mut self) {
        let mut order: Vec<u32> = (0..self.len()).collect();
        order.sort_unstable_by_key(|&number| self.slots[number as usize].start());
        let mut end = 0;
        for number in order {
            let slot = self.slots[number as usize];
            let (_, length) = self.decode(slot);
            self.bytes.copy_within(slot.start()..slot.start() + length, end);
            self.slots[number as usize].start = low_bytes(end);
            end += length;
        }
        self.bytes.truncate(end);
        self.dead_bytes = 0;
    }
}

impl Slot {
    fn start(self) -> usize {
        let [a, b, c, d, e] = self.start;
        u64::from_le_bytes([a, b, c, d, e, 0, 0, 0]) as usize
    }
}

fn encoded(draft: &Draft<'_>) -> (Vec<u8>, Shape) {
    let mut bytes = Vec::with_capacity(draft.most_bytes());
    draft.encode(&mut bytes);
    (bytes, draft.shape())
}

/// The bytes of a number below [`MOST_BYTES`].
fn low_bytes(number: usize) -> [u8; 5] {
    let [a, b, c, d, e, ..] = (number as u64).to_le_bytes();
    [a, b, c, d, e]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::NONE_PLACED;
    use hashlane_digest::Algorithm;

    fn draft(name: &[u8], size: u64) -> Draft<'_> {
        Draft { size: Some(size), modified: None, digests: NONE_PLACED, name }
    }

    #[test]
    fn a_slot_takes_eight_bytes_and_points_beyond_four_gibibytes() {
        assert_eq!(size_of::<Slot>(), 8);
        let far = MOST_BYTES as usize - 1;
        let slot = Slot { start: low_bytes(far), shape: [0; 2], state: State::Unseen };
        assert_eq!(slot.start(), far);
    }

    #[test]
    fn shapes_keep_their_numbers_until_there_are_too_many() {
        let mut shapes = Shapes::default();
        let numbered: Vec<_> = (0..=u64::from(u16::MAX)).map(|bits| shapes.number(Shape(bits))).collect();
        assert!(numbered.iter().all(Option::is_some));
        assert_eq!(shapes.number(Shape(1 << 40)), None);
        for (bits, number) in (0..).zip(&numbered) {
            let slot = Slot { start: low_bytes(0), shape: number.unwrap(), state: State::Unseen };
            assert_eq!((shapes.of(slot), shapes.number(Shape(bits))), (Shape(bits), *number));
        }
    }

    #[test]
    fn entries_that_are_completed_one_after_the_other_take_little_more_room() {
        let digests: Vec<_> = Algorithm::all().map(|algorithm| algorithm.digest(b"")).collect();
        let mut records = Records::default();
        records.algorithms.admit(&digests).unwrap();
        let names: Vec<String> = (0..100).map(|number| format!("name {number}")).collect();
        for name in &names {
            records.push(&draft(name.as_bytes(), 1), State::Unseen).unwrap();
        }
        for digest in &digests {
            let digests = records.algorithms.clone();
            let digests = digests.placed(std::slice::from_ref(digest));
            for number in 0..records.len() {
                records.complete(number, &Draft { digests, ..draft(b"", 2) }).unwrap();
            }
            let live = records.bytes.len() - records.dead_bytes;
            assert!(records.bytes.len() <= 2 * live + 1024);
        }
        records.shrink();
        let length: usize = digests.iter().map(|digest| digest.as_bytes().len()).sum();
        assert!(records.bytes.len() < names.len() * (length + 16));
        for (number, name) in (0..).zip(&names) {
            let entry = records.entry(number);
            assert_eq!(
                (entry.name, entry.size, entry.digests()),
                (name.as_bytes(), Some(1), digests.clone())
            );
        }
    }

    #[test]
    fn sorting_keeps_the_first_of_equal_entries_first() {
        let mut records = Records::default();
        for (name, size) in [(&b"b"[..], 1), (b"a", 2), (b"b", 3)] {
            records.push(&draft(name, size), State::Waiting).unwrap();
        }
        records.sort_by(|left, right| left.name.cmp(right.name));
        assert_eq!(records.drop_repeated(|kept, next| kept.name == next.name), 1);
        let left: Vec<_> = (0..records.len()).map(|number| records.entry(number).size).collect();
        assert_eq!(left, [Some(2), Some(1)]);
    }
}
