//! The known files and the inputs that are kept, as an audit and its findings share them.

use std::cmp::Ordering;

use crate::entry::Entry;
use crate::names::Names;
use crate::records::Records;
use crate::state::State;

/// The known files, sorted by name, and the inputs that are kept.
#[derive(Debug)]
pub(crate) struct Tables {
    pub(crate) names: Names,
    pub(crate) known: Records,
    pub(crate) held: Records,
}

/// A file of either table, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    Known(u32),
    Input(u32),
}

impl Tables {
    /// The known file of a name as it is spelled.
    pub(crate) fn find_exact(&self, path: &[u8]) -> Option<u32> {
        self.known.find(|entry| self.names.order(entry.name, path))
    }

    /// The known file of a name: that which is spelled alike, or else the first that counts as the same.
    pub(crate) fn find(&self, path: &[u8]) -> Option<u32> {
        self.find_exact(path).or_else(|| self.alike(path).next())
    }

    /// The known files whose names count as the same as one where case is folded, in order.
    pub(crate) fn alike<'a>(&'a self, path: &'a [u8]) -> impl Iterator<Item = u32> + 'a {
        let compared = move |number: u32| self.names.compare(self.known.entry(number).name, path);
        let from = match self.names.fold_case() {
            true => self.known.partition_point(|entry| self.names.compare(entry.name, path).is_lt()),
            false => self.known.len(),
        };
        (from..self.known.len()).take_while(move |&number| compared(number).is_eq())
    }

    pub(crate) fn path(&self, which: Which) -> &[u8] {
        match which {
            Which::Known(number) => self.known.entry(number).name,
            Which::Input(number) => name_of_input(&self.known, &self.held.entry(number)),
        }
    }

    /// The order of two files by name.
    pub(crate) fn order(&self, one: Which, other: Which) -> Ordering {
        self.names.order(self.path(one), self.path(other))
    }

    /// Of two files the one whose name comes first.
    pub(crate) fn earlier(&self, one: Which, other: Which) -> Which {
        if self.names.order(self.path(other), self.path(one)).is_lt() { other } else { one }
    }

    /// Sorts the inputs by name, and keeps the first of each name; says how many others there were.
    pub(crate) fn sort_held(&mut self) -> u64 {
        let Self { names, known, held } = self;
        held.sort_by(|left, right| names.order(name_of_input(known, left), name_of_input(known, right)));
        let waits = |entry: &Entry<'_>| entry.state != State::Judged;
        held.drop_repeated(|kept, next| waits(kept) && waits(next) && kept.name == next.name)
    }
}

/// What stands in place of the name of a [`State::Judged`] entry.
pub(crate) fn judged_name(known: u32) -> [u8; 4] {
    known.to_le_bytes()
}

fn name_of_input<'a>(known: &'a Records, input: &Entry<'a>) -> &'a [u8] {
    match input.state {
        State::Judged => {
            let number = input.name.try_into().expect("it was stored with four bytes");
            known.entry(u32::from_le_bytes(number)).name
        }
        _ => input.name,
    }
}
