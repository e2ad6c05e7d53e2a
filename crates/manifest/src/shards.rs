//! The lists of shards, brought together again: whether they are all parts of one listing, and what they list, one after the other.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

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

/// What is wrong with lists as the shards of one listing.
#[derive(Debug)]
pub struct ShardProblem {
    /// The list; empty if it is wrong of all together.
    pub list: String,
    /// What is wrong.
    pub fault: Box<ShardFault>,
}

/// What another list has, which comes first, and what the list itself has instead.
#[derive(Debug)]
pub struct Unlike<T> {
    /// The other list.
    pub first: String,
    /// What that has.
    pub of_first: T,
    /// What the list has.
    pub has: T,
}

/// What is wrong with a list as a shard.
#[derive(Debug)]
#[non_exhaustive]
pub enum ShardFault {
    /// It does not say which shard it is.
    None,
    /// It is several shards.
    Several,
    /// It is one of another number of shards.
    OtherCount(Unlike<u32>),
    /// It is a shard of another listing.
    OtherListing(Unlike<Listing>),
    /// It is this shard, and so is the list that is named.
    Twice(u32, String),
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
    /// It does not begin where the list before ends; `None`: where the listing begins.
    OtherBeginning(Option<String>),
    /// It has digests of other algorithms.
    OtherAlgorithms(Unlike<Vec<Algorithm>>),
    /// The list that is written has no place for its entries.
    NotHeld(Error),
    /// A column is not read. It leaves no doubt.
    ColumnNotRead(ProblemKind),
    /// An entry is not taken.
    Entry(BadEntry),
    /// Entries stand behind the mark of a comment, and are not taken. It leaves no doubt by itself.
    CommentedOut(u64),
    /// It lists fewer files than it states.
    Fewer {
        /// Which shard.
        index: u32,
        /// The files that it lists.
        listed: u64,
        /// The files that it states.
        stated: u64,
    },
    /// It lists other names than this shard should.
    OtherNames(u32),
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

/// Takes an entry, of a list in a format; or gives back why it is not taken.
pub type Take<'a, E> = dyn FnMut(&Item, Format) -> Result<Option<BadEntry>, E> + 'a;

impl ShardFault {
    fn of(self, list: &str) -> ShardProblem {
        ShardProblem { list: list.to_owned(), fault: Box::new(self) }
    }
}

impl ShardList {
    /// # Errors
    /// It does not say which shard it is, or is several.
    pub fn new(name: String, reader: Reader<'static>) -> Result<Self, ShardProblem> {
        match reader.header_shards() {
            [shard] => Ok(Self { name, shard: shard.clone(), begun: Vec::new(), items: reader.merged() }),
            [] => Err(ShardFault::None.of(&name)),
            _ => Err(ShardFault::Several.of(&name)),
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
    pub fn copy<E>(&mut self, take: &mut Take<'_, E>, say: &mut dyn FnMut(ShardProblem)) -> Result<u64, E> {
        let Shard { index, files: stated, names: (before, through), .. } = self.shard;
        let (mut taken, mut is_whole, mut names) = (0, true, before);
        let format = self.reader().format();
        let list = &self.name;
        for item in self.begun.drain(..).chain(&mut self.items) {
            let bad = match item {
                Ok(item) if !is_read(&item) => Some(BadEntry::NotRead(item.path)),
                Ok(item) => {
                    names.pass(item.path.as_bytes());
                    take(&item, format)?
                }
                Err(LineProblem { kind: kind @ ProblemKind::ColumnNotRead { .. }, .. }) => {
                    say(ShardFault::ColumnNotRead(kind).of(list));
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
                    say(ShardFault::Entry(why).of(list));
                }
            }
        }
        if let entries @ 1.. = self.reader().commented_out() {
            say(ShardFault::CommentedOut(entries).of(list));
        }
        if taken == stated && names != through {
            is_whole = false;
            say(ShardFault::OtherNames(index).of(list));
        }
        if self.reader().header_shards().len() != 1 {
            is_whole = false;
            say(ShardFault::Several.of(list));
        }
        if taken != stated && is_whole {
            say(ShardFault::Fewer { index, listed: taken, stated }.of(list));
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

/// Whether the lines of a shard end with NUL, as its first line shows: how it was written says nothing of what is to be written now. Nothing of
/// what can be read only once.
pub fn has_nul_ends(path: &Path) -> Option<bool> {
    /// More than the first line of a header.
    const FIRST_LINE_BYTES: u64 = 256;
    let is_regular = std::fs::metadata(path).is_ok_and(|facts| facts.is_file());
    let file = is_regular.then(|| File::open(path).ok()).flatten()?;
    let mut beginning = Vec::new();
    file.take(FIRST_LINE_BYTES).read_to_end(&mut beginning).ok()?;
    let end = beginning.iter().find(|byte| matches!(byte, b'\n' | b'\0'));
    Some(beginning.starts_with(b"# hashlane ") && end == Some(&b'\0'))
}

/// What is wrong with lists as the shards of one listing, each once. Nothing if they are.
pub fn compare(lists: &[ShardList]) -> Vec<ShardProblem> {
    let Some((first, others)) = lists.split_first() else { return Vec::new() };
    let mut problems = Vec::new();
    for other in others {
        let (name, is) = (first.name.clone(), &first.shard);
        if other.shard.count != is.count {
            let unlike = Unlike { first: name, of_first: is.count, has: other.shard.count };
            problems.push(ShardFault::OtherCount(unlike).of(&other.name));
        } else if other.shard.listing != is.listing {
            let has = other.shard.listing.clone();
            let unlike = Unlike { first: name, of_first: is.listing.clone(), has };
            problems.push(ShardFault::OtherListing(unlike).of(&other.name));
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
            problems.push(ShardFault::Twice(one.shard.index, one.name.clone()).of(&other.name));
        }
    }
    in_order.dedup_by_key(|list| list.shard.index);
    // A shard without files need not be named: nothing is in it.
    let stated: u128 = in_order.iter().map(|list| u128::from(list.shard.files)).sum();
    let listed = u128::from(first.shard.listing.files);
    let gaps = gaps(in_order.iter().map(|list| list.shard.index), first.shard.count);
    if stated != listed {
        let files = listed.saturating_sub(stated) as u64;
        let fault = match files > 0 && !gaps.is_empty() {
            true => ShardFault::Missing { gaps, count: first.shard.count, files },
            false => ShardFault::OtherFiles { stated, listed },
        };
        problems.push(fault.of(""));
        return problems;
    }
    let (mut end, mut before) = (Trail::default(), None);
    for ShardList { name, shard, .. } in in_order {
        if shard.names.0 != end {
            problems.push(ShardFault::OtherBeginning(before).of(name));
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
            let unlike = Unlike { first: of_first.clone(), of_first: algorithms.clone(), has };
            problems.push(ShardFault::OtherAlgorithms(unlike).of(&name));
        } else if let Some(Err(error)) = writer.as_mut().map(|writer| writer.item(item)) {
            problems.push(ShardFault::NotHeld(error).of(&name));
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
