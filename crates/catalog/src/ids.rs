//! The numbers by which everything is known in a catalogue.

/// A collection's number in its catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CollectionId(pub i64);

/// A run's number in its catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub i64);

impl RunId {
    /// The number: later runs have higher ones.
    pub fn number(self) -> i64 {
        self.0
    }
}

/// A stint's number in its catalogue: later ones have higher numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StintId(pub i64);

/// How many items a segment gets while names come in order. It has room for more, which come later in between.
pub(crate) const FILL: i64 = 4096;

/// Bits of an id that tell the item within its segment.
pub(crate) const SHIFT: u32 = 16;

/// How many it has room for.
pub(crate) const ROOM: i64 = 1 << SHIFT;

/// An item's number in its catalogue. Items of one segment of a directory have numbers next to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(pub i64);

/// A directory's number in its catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DirectoryId(pub(crate) i64);

/// A segment by its number, and how many items it has had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentNumber {
    /// Its number.
    pub number: i64,
    /// How many items it has had.
    pub items: i64,
}

impl SegmentNumber {
    /// The number of its first item.
    pub fn first(self) -> i64 {
        self.number << SHIFT
    }

    /// The number of its last item.
    pub fn last(self) -> i64 {
        self.first() + self.items - 1
    }
}

/// The ids that items of a part of a segment may have.
pub(crate) fn ids_of(part: i64) -> (ItemId, ItemId) {
    let first = part << SHIFT;
    (ItemId(first), ItemId(first + ROOM - 1))
}
