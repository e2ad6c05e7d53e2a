//! A list whose first items are read before the others are wanted.

use std::collections::VecDeque;

use hashlane_digest::{Algorithm, Digest};

use crate::item::Item;
use crate::merged::Merged;
use crate::problem::LineProblem;
use crate::reader::Reader;

/// How much of items without digests is kept until the first that has some, in bytes.
const MOST_BYTES: usize = 16 << 20;

/// The items of a list. The first ones were read already: those without digests, and the first that has some.
pub struct Ahead {
    read: VecDeque<Item>,
    items: Merged<Reader<'static>>,
}

impl Ahead {
    /// Reads them: what could not be read has no digests, and does not tell which the others have. `None` if there is none. `say` takes what is
    /// no item.
    pub fn read(items: Merged<Reader<'static>>, say: &mut dyn FnMut(LineProblem)) -> Option<Self> {
        let mut ahead = Self { read: VecDeque::new(), items };
        let mut bytes = 0;
        while ahead.read.back().is_none_or(|item| item.digests.is_empty()) && bytes < MOST_BYTES {
            let Some(item) = ahead.next_unread(say) else { break };
            bytes += size_of::<Item>() + item.path.as_bytes().len();
            ahead.read.push_back(item);
        }
        (!ahead.read.is_empty()).then_some(ahead)
    }

    /// What reads the list.
    pub fn reader(&self) -> &Reader<'static> {
        self.items.get_ref()
    }

    /// The first item that was read and not handed out yet.
    pub fn first(&self) -> Option<&Item> {
        self.read.front()
    }

    /// What the list has digests of: what it says of itself if that is several, else what its first item with digests has.
    pub fn algorithms(&self) -> Vec<Algorithm> {
        match (self.reader().algorithms(), self.read.back()) {
            (stated, Some(item)) if stated.len() < 2 => item.digests.iter().map(Digest::algorithm).collect(),
            (stated, _) => stated.to_vec(),
        }
    }

    /// The next item. `say` takes what is none.
    pub fn next(&mut self, say: &mut dyn FnMut(LineProblem)) -> Option<Item> {
        self.read.pop_front().or_else(|| self.next_unread(say))
    }

    fn next_unread(&mut self, say: &mut dyn FnMut(LineProblem)) -> Option<Item> {
        loop {
            match self.items.next()? {
                Ok(item) => return Some(item),
                Err(problem) => say(problem),
            }
        }
    }
}
