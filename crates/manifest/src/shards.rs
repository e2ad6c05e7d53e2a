//! The lists of shards, brought together again: whether they are all parts of one listing, and what they list, one after the other.

use std::io;

use hashlane_digest::{Algorithm, Digest};
use hashlane_record::{ItemPath, Outcome, Trail};

use crate::error::Error;
use crate::format::Format;
use crate::header::Header;
use crate::item::Item;
use crate::merged::Merged;
use crate::problem::{LineProblem, ProblemKind};
use crate::reader::Reader;
use crate::shard::{Listing, Shard};
use crate::writer::Writer;

/// The list of a shard, opened.
pub struct ShardList {
    /// Its name, as it is shown.
    pub name: String,
    /// Which shard it is.
    pub shard: Shard,
    /// What was read of it before anything is written, in its order.
    begun: Vec<Result<Item, LineProblem>>,
    items: Merged<Reader<'static>>,
}

/// Why lists are not the shards of one listing, or do not hold what they should.
#[derive(Debug)]
#[non_exhaustive]
pub enum ShardProblem {
    /// A list does not say which shard it is.
    None {
        /// The list.
        list: String,
    },
    /// A list is several shards.
    Several {
        /// The list.
        list: String,
    },
    /// Two lists are of listings in another number of shards.
    OtherCount {
        /// The lists, and the number of shards of each.
        lists: [(String, u32); 2],
    },
    /// Two lists are shards of other listings.
    OtherListing {
        /// The lists, and what each is a shard of.
        lists: [(String, Listing); 2],
    },
    /// Two lists are the same shard.
    Twice {
        /// The lists.
        lists: [String; 2],
        /// Which shard.
        index: u32,
    },
    /// Shards are missing.
    Missing {
        /// First and last of those that are missing in a row.
        gaps: Vec<(u32, u32)>,
        /// The number of shards.
        count: u32,
        /// The number of files that they have.
        files: u64,
    },
    /// The shards state other files than their listing has.
    OtherFiles {
        /// What they state.
        stated: u128,
        /// What it has.
        listed: u128,
    },
    /// A shard does not begin where the one before ends.
    OtherBeginning {
        /// The list.
        list: String,
        /// The list before; `None` at the beginning.
        before: Option<String>,
    },
    /// Two shards have digests of other algorithms.
    OtherAlgorithms {
        /// The lists, and their algorithms.
        lists: [(String, Vec<Algorithm>); 2],
    },
    /// The list that is written has no place for an entry.
    NotHeld {
        /// The list of the entry.
        list: String,
        /// Why.
        error: Error,
    },
    /// A column that is not read. It leaves no doubt.
    ColumnNotRead {
        /// The list.
        list: String,
        /// The column, and why.
        kind: ProblemKind,
    },
    /// An entry that is not taken.
    Entry {
        /// The list.
        list: String,
        /// Why.
        why: BadEntry,
    },
    /// Entries stand behind the mark of a comment, and are not taken. It leaves no doubt by itself.
    CommentedOut {
        /// The list.
        list: String,
        /// How many.
        entries: u64,
    },
    /// A shard lists fewer files than it states.
    Fewer {
        /// The list.
        list: String,
        /// Which shard.
        index: u32,
        /// The files that it lists.
        listed: u64,
        /// The files that it states.
        stated: u64,
    },
    /// A shard lists other names than it should.
    OtherNames {
        /// The list.
        list: String,
        /// Which shard.
        index: u32,
    },
}

/// Why an entry of a shard is not taken.
#[derive(Debug)]
#[non_exhaustive]
pub enum BadEntry {
    /// It cannot be understood, or the list cannot be read on.
    Line(LineProblem),
    /// Its file was not read.
    NotRead(ItemPath),
    /// It has not the algorithms of those before.
    OtherAlgorithms(ItemPath, Vec<Algorithm>),
    /// The list that is written has no place for it.
    NotHeld(Error),
}

impl ShardList {
    /// # Errors
    /// It does not say which shard it is, or is several.
    pub fn new(name: String, reader: Reader<'static>) -> Result<Self, ShardProblem> {
        match reader.header_shards() {
            [shard] => Ok(Self { name, shard: shard.clone(), begun: Vec::new(), items: reader.merged() }),
            [] => Err(ShardProblem::None { list: name }),
            _ => Err(ShardProblem::Several { list: name }),
        }
    }

    /// What reads it.
    pub fn reader(&self) -> &Reader<'static> {
        self.items.get_ref()
    }

    /// The first entry that has digests. It is looked for among the first ones only: what is read here is held in memory.
    fn first_entry(&mut self) -> Option<&Item> {
        /// Most entries and bad lines that are looked at.
        const MOST: usize = 64;
        let tells = |item: &Item| is_read(item) && !item.digests.is_empty();
        while self.begun.len() < MOST && !matches!(self.begun.last(), Some(Ok(item)) if tells(item)) {
            self.begun.push(self.items.next()?);
        }
        self.begun.last()?.as_ref().ok().filter(|item| tells(item))
    }

    /// Hands over its entries; returns how many were taken. `take`: gives back why an entry is not. `say` takes what else is wrong.
    ///
    /// # Errors
    /// That of `take`.
    pub fn copy<E>(
        &mut self,
        take: &mut dyn FnMut(&Item, Format) -> Result<Option<BadEntry>, E>,
        say: &mut dyn FnMut(ShardProblem),
    ) -> Result<u64, E> {
        let Shard { index, files: stated, names: (before, through), .. } = self.shard;
        let (mut taken, mut is_whole, mut names) = (0, true, before);
        let format = self.reader().format();
        let list = || self.name.clone();
        for item in self.begun.drain(..).chain(&mut self.items) {
            let bad = match item {
                Ok(item) if !is_read(&item) => Some(BadEntry::NotRead(item.path)),
                Ok(item) => {
                    names.pass(item.path.as_bytes());
                    take(&item, format)?
                }
                Err(LineProblem { kind: kind @ ProblemKind::ColumnNotRead { .. }, .. }) => {
                    say(ShardProblem::ColumnNotRead { list: list(), kind });
                    continue;
                }
                Err(problem) if problem.is_entry() || matches!(problem.kind, ProblemKind::Input(_)) => {
                    Some(BadEntry::Line(problem))
                }
                Err(_) => continue,
            };
            match bad {
                None => taken += 1,
                Some(why) => {
                    is_whole = false;
                    say(ShardProblem::Entry { list: list(), why });
                }
            }
        }
        if let entries @ 1.. = self.reader().commented_out() {
            say(ShardProblem::CommentedOut { list: list(), entries });
        }
        if taken == stated && names != through {
            is_whole = false;
            say(ShardProblem::OtherNames { list: list(), index });
        }
        if self.reader().header_shards().len() != 1 {
            is_whole = false;
            say(ShardProblem::Several { list: list() });
        }
        if taken != stated && is_whole {
            say(ShardProblem::Fewer { list: list(), index, listed: taken, stated });
        }
        Ok(taken)
    }
}

fn is_read(item: &Item) -> bool {
    matches!(item.outcome, None | Some(Outcome::Read))
}

/// Whether an entry has digests of these algorithms, and of no others.
pub fn has_exactly(item: &Item, algorithms: &[Algorithm]) -> bool {
    let has = |algorithm: &Algorithm| item.digests.iter().any(|digest| digest.algorithm() == *algorithm);
    item.digests.len() == algorithms.len() && algorithms.iter().all(has)
}

/// What is wrong with lists as the shards of one listing, each once. Nothing if they are.
pub fn compare(lists: &[ShardList]) -> Vec<ShardProblem> {
    let Some((first, others)) = lists.split_first() else { return Vec::new() };
    let mut problems = Vec::new();
    for other in others {
        let pair = [other, first];
        if other.shard.count != first.shard.count {
            let lists = pair.map(|list| (list.name.clone(), list.shard.count));
            problems.push(ShardProblem::OtherCount { lists });
        } else if other.shard.listing != first.shard.listing {
            let lists = pair.map(|list| (list.name.clone(), list.shard.listing.clone()));
            problems.push(ShardProblem::OtherListing { lists });
        }
    }
    if !problems.is_empty() {
        // Which shards are missing depends on which listing is meant.
        return problems;
    }
    let mut in_order: Vec<&ShardList> = lists.iter().collect();
    in_order.sort_by_key(|list| list.shard.index);
    for pair in in_order.windows(2) {
        let [one, other] = pair else { continue };
        if one.shard.index == other.shard.index {
            let lists = [other, one].map(|list| list.name.clone());
            problems.push(ShardProblem::Twice { lists, index: one.shard.index });
        }
    }
    in_order.dedup_by_key(|list| list.shard.index);
    // A shard without files need not be named: nothing is in it.
    let stated: u128 = in_order.iter().map(|list| u128::from(list.shard.files)).sum();
    let listed = u128::from(first.shard.listing.files);
    let gaps = gaps(in_order.iter().map(|list| list.shard.index), first.shard.count);
    if stated != listed {
        problems.push(match stated < listed && !gaps.is_empty() {
            true => ShardProblem::Missing { gaps, count: first.shard.count, files: (listed - stated) as u64 },
            false => ShardProblem::OtherFiles { stated, listed },
        });
        return problems;
    }
    let (mut end, mut before) = (Trail::default(), None);
    for ShardList { name, shard, .. } in in_order {
        if shard.names.0 != end {
            problems.push(ShardProblem::OtherBeginning { list: name.clone(), before });
        }
        (end, before) = (shard.names.1, Some(name.clone()));
    }
    problems
}

/// First and last of the numbers up to `count` that are not among those that ascend.
fn gaps(there: impl Iterator<Item = u32>, count: u32) -> Vec<(u32, u32)> {
    let (mut gaps, mut next) = (Vec::new(), 1);
    for index in there.chain([count.saturating_add(1)]) {
        if index > next {
            gaps.push((next, index - 1));
        }
        next = index.saturating_add(1);
    }
    gaps
}

/// Looks whether the shards have the same algorithms, and whether the list that is written has a place for what they list: the first
/// entry of each shows, since one run wrote the rest. `start`: begins such a list, for an entry's algorithms and the format of its shard;
/// `None`: it cannot be begun, and why will be said then.
pub fn try_first_entries(
    lists: &mut [ShardList],
    mut start: impl FnMut(&[Algorithm], Format) -> Option<Writer<io::Sink>>,
) -> Vec<ShardProblem> {
    let mut problems = Vec::new();
    let mut first: Option<(String, Vec<Algorithm>, Option<Writer<io::Sink>>)> = None;
    for list in lists {
        let (format, name) = (list.reader().format(), list.name.clone());
        let Some(item) = list.first_entry() else { continue };
        let has: Vec<_> = item.digests.iter().map(Digest::algorithm).collect();
        let (of_first, algorithms, writer) =
            first.get_or_insert_with(|| (name.clone(), has.clone(), start(&has, format)));
        if !has_exactly(item, algorithms) {
            let lists = [(name, has), (of_first.clone(), algorithms.clone())];
            problems.push(ShardProblem::OtherAlgorithms { lists });
        } else if let Some(Err(error)) = writer.as_mut().map(|writer| writer.item(item)) {
            problems.push(ShardProblem::NotHeld { list: name, error });
        }
    }
    problems
}

/// The header of the list that shards become: their roots and file systems, and when the first of them was begun, if all say so.
pub fn header(lists: &[ShardList], header: Header) -> Header {
    let readers = || lists.iter().map(ShardList::reader);
    let started: Option<Vec<_>> = readers().map(Reader::header_started).collect();
    let started = started.and_then(|all| all.into_iter().min());
    let roots = readers().next().map_or_else(Vec::new, |reader| reader.header_roots().to_vec());
    let mut file_systems = Vec::new();
    for found in readers().flat_map(Reader::header_file_systems) {
        if !file_systems.contains(found) {
            file_systems.push(*found);
        }
    }
    Header { roots, started, file_systems, ..header }
}
