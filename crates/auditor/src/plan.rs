//! Which files are read, and in which order: those that a provider contradicts, new ones, then those whose size or time has changed, then those
//! that count as unread, those that may have been written to just after they were recorded, and those that were read longest ago; then those against
//! which something stands, and those that could not be read before.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::num::NonZeroU64;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use hashlane_catalog::paths::{joined, lies_within};
use hashlane_catalog::scratch::{Listed, ToJudge};
use hashlane_catalog::{
    Collection, Content, Item, ItemId, Reader, Result, RunId, SegmentNumber as Segment, State,
};
use hashlane_engine::CHECKPOINT_BYTES;
use roaring::RoaringTreemap;

use crate::alike::looks_alike;
use crate::asked::Budget;
use crate::checkpoints::Checkpoints;
use crate::course::{Course, lock};
use crate::ground::{ToRead, named};
use crate::logs::Logs;
use crate::pieces::Piece;
use crate::share::Share;
use crate::tag::{Known, Tag};

/// All that a plan is made of.
pub(crate) struct Plan {
    /// A connection of its own: the plan is carried out on another thread.
    pub(crate) catalog: Reader,
    pub(crate) collection: Collection,
    pub(crate) to_judge: Arc<Mutex<ToJudge>>,
    /// Items that are read soon: they may have been written to just after they were recorded.
    pub(crate) unsettled: VecDeque<ItemId>,
    /// Items whose content is another one, as a provider says.
    pub(crate) contradicted: VecDeque<ItemId>,
    /// Items against which something stands that nobody knows of.
    pub(crate) standing: RoaringTreemap,
    /// Known items that are not read again: those that are gone, and those that are read for another reason than their age.
    pub(crate) skip: RoaringTreemap,
    /// Items that are read again by this run, before the plan or after it, whatever the listing says of them.
    pub(crate) left_out: RoaringTreemap,
    /// Items that look changed, of a run that reads them by themselves.
    pub(crate) changed: RoaringTreemap,
    /// Paths below the root that the run is about; none: all.
    pub(crate) within: Vec<Vec<u8>>,
    /// Items that could not be read before. They come last: they would use up a budget each night.
    pub(crate) failing: RoaringTreemap,
    /// Those of them that are new or look changed.
    pub(crate) deferred: VecDeque<Listed>,
    /// The order in which those come against which something stands, once that is known.
    pub(crate) turns: Option<VecDeque<u64>>,
    /// When that was seen which stands against items, in seconds since 1970.
    pub(crate) seen: BTreeMap<i64, i64>,
    /// Which files may be appended to.
    pub(crate) logs: Arc<Logs>,
    pub(crate) pieces: VecDeque<Piece>,
    pub(crate) share: Share,
    /// When each run began, in seconds since 1970; nothing in a first audit, which reads all that it finds.
    pub(crate) began_s: Option<HashMap<RunId, i64>>,
    pub(crate) budget: Budget,
    pub(crate) course: Arc<Course>,
    pub(crate) stage: Stage,
    /// Listed files that follow in the present stage.
    pub(crate) listed: VecDeque<Listed>,
    /// Those of them that come next, whatever the stage is, with what is known of them, and whether they are taken into account already.
    pub(crate) next: VecDeque<(Listed, Option<Item>, IsPaid)>,
    /// The numbers of listed files that were handed out, or are in `next`.
    pub(crate) handed_out: RoaringTreemap,
    pub(crate) segments: Vec<Segment>,
    /// How far large files were read already.
    pub(crate) checkpoints: Arc<Checkpoints>,
}

/// Whether the budget was asked for a file, together with others.
pub(crate) type IsPaid = bool;

/// A known item that is to be read: its path, from where on no other item has a number, and whether it takes something from the share of the
/// night.
type NextKnown = (Vec<u8>, Item, i64, bool);

/// Listed files that are looked up together.
const TOGETHER: usize = 512;

/// Files that have changed places and are read in one run, if its whole budget suffices for that.
const MOST_AT_ONCE: usize = 16;

/// Files that are read before one of them: of more, the others come in the order of the listing.
const MOST_BEFORE: usize = 512;

/// Items of one directory, and its path.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    directory: Vec<u8>,
    items: VecDeque<Item>,
}

/// How far a plan is.
#[derive(Debug)]
pub(crate) enum Stage {
    /// Those that a provider contradicts: a reading settles it.
    Contradicted,
    /// New files behind this number follow.
    New(i64),
    /// Files whose size or time has changed.
    Changed(i64),
    /// Files that may have been written to just after they were recorded. They come between the known ones that count as unread and the others.
    Unsettled,
    /// Known ones: the items of a segment that are loaded, with the present piece, and the first segment that was not.
    Known {
        piece: Option<Piece>,
        segment: usize,
        loaded: Loaded,
        reach: i64,
    },
    /// Files against which something stands, if they were not read by now: it may be over.
    Standing,
    /// Files that could not be read before, and are new or look changed.
    Deferred,
    Over,
}

impl Stage {
    /// The known ones, from the next piece on.
    fn of_known() -> Self {
        Self::Known { piece: None, segment: 0, loaded: Loaded::default(), reach: 0 }
    }
}

impl Plan {
    fn next_file(&mut self) -> Result<Option<ToRead>> {
        loop {
            if let Some(file) = self.next.pop_front() {
                if let Some(next) = self.hand_out(file)? {
                    return Ok(next);
                }
                continue;
            }
            match &mut self.stage {
                Stage::Contradicted => {
                    let Some(item) = self.contradicted.pop_front() else {
                        self.stage = Stage::New(0);
                        continue;
                    };
                    if let Some(next) = self.by_itself(item)? {
                        return Ok(next);
                    }
                }
                Stage::New(_) => {
                    if let Some(next) = self.next_new()? {
                        return Ok(next);
                    }
                }
                Stage::Changed(behind) => {
                    let behind = *behind;
                    let Some(listed) = self.next_listed(behind, false)? else {
                        self.stage = Stage::of_known();
                        continue;
                    };
                    self.stage = Stage::Changed(listed.number);
                    let is_handed_out = self.handed_out.contains(listed.number as u64);
                    let is_left_out = listed.item.is_none_or(|item| self.is_left_out(item));
                    if is_handed_out || is_left_out || !self.wants(&listed.path()) {
                        continue;
                    }
                    if self.is_failing(&listed) {
                        self.defer(listed);
                        continue;
                    }
                    if !self.line_up(listed)? {
                        return Ok(None);
                    }
                }
                Stage::Unsettled => {
                    let Some(item) = self.unsettled.pop_front() else {
                        self.stage = Stage::of_known();
                        continue;
                    };
                    if let Some(next) = self.by_itself(item)? {
                        self.course.unsettled_files.fetch_add(u64::from(next.is_some()), Ordering::Relaxed);
                        return Ok(next);
                    }
                }
                Stage::Known { .. } => match self.next_known()? {
                    Some((path, item, from, is_of_share)) => {
                        if !self.affords(&path, &item.content) {
                            return Ok(None);
                        }
                        if is_of_share {
                            let size = item.content.size.unwrap_or(0);
                            self.course.aged_bytes.fetch_add(size, Ordering::Relaxed);
                            self.course.largest_aged_bytes.fetch_max(size, Ordering::Relaxed);
                        }
                        return Ok(Some(self.known(path, item, (from, None), 0)));
                    }
                    None if matches!(self.stage, Stage::Known { .. }) => self.stage = Stage::Standing,
                    None => {}
                },
                Stage::Standing => {
                    let Some(item) = self.next_standing().filter(|item| !self.is_seen_before(*item)) else {
                        self.stage = Stage::Deferred;
                        continue;
                    };
                    self.standing.remove(item);
                    if let Some(next) = self.by_itself(ItemId(item as i64))? {
                        return Ok(next);
                    }
                }
                Stage::Deferred => {
                    let Some(listed) = self.deferred.pop_front() else {
                        self.course.is_over.store(true, Ordering::Release);
                        self.stage = Stage::Over;
                        continue;
                    };
                    match self.share {
                        Share::All if !self.pieces.is_empty() => self.stage = Stage::of_known(),
                        _ if !self.standing.is_empty() => self.stage = Stage::Standing,
                        _ => {}
                    }
                    if self.handed_out.contains(listed.number as u64) {
                        continue;
                    }
                    match listed.is_new {
                        true if !self.affords(&listed.path(), &listed.content) => return Ok(None),
                        true => {
                            self.handed_out.insert(listed.number as u64);
                            if let Some(next) = self.fresh(&listed)? {
                                return Ok(Some(next));
                            }
                        }
                        false if !self.line_up(listed)? => return Ok(None),
                        false => {}
                    }
                }
                Stage::Over => return Ok(None),
            }
        }
    }

    /// The next listed file behind a number, of those that are new or of the others.
    fn next_listed(&mut self, behind: i64, is_new: bool) -> Result<Option<Listed>> {
        if self.listed.is_empty() {
            self.listed = lock(&self.to_judge).next(behind, is_new, TOGETHER)?;
        }
        Ok(self.listed.pop_front())
    }

    /// The next new file. `None`: it is not read after all, or there is none; `Some(None)`: the budget is used up.
    fn next_new(&mut self) -> Result<Option<Option<ToRead>>> {
        let Stage::New(behind) = self.stage else { return Ok(None) };
        let Some(listed) = self.next_listed(behind, true)? else {
            self.stage = Stage::Changed(0);
            return Ok(None);
        };
        let path = named(&listed.directory, &listed.name);
        if !self.wants(path.as_bytes()) {
            self.stage = Stage::New(listed.number);
            return Ok(None);
        }
        if listed.item.is_some_and(|item| self.is_left_out(item)) {
            self.course.note_new(listed.number, true);
            self.stage = Stage::New(listed.number);
            return Ok(None);
        }
        if self.is_failing(&listed) {
            self.stage = Stage::New(listed.number);
            self.defer(listed);
            return Ok(None);
        }
        if !self.affords(path.as_bytes(), &listed.content) {
            return Ok(Some(None));
        }
        self.stage = Stage::New(listed.number);
        self.handed_out.insert(listed.number as u64);
        Ok(self.fresh(&listed)?.map(Some))
    }

    /// Whether a file could not be read before.
    fn is_failing(&self, listed: &Listed) -> bool {
        listed.item.is_some_and(|item| self.failing.contains(item.0 as u64))
    }

    /// Puts a file behind the others, in the order in which they were seen last.
    fn defer(&mut self, listed: Listed) {
        let seen_s = |listed: &Listed| listed.item.and_then(|item| self.seen.get(&item.0).copied());
        let place = self.deferred.partition_point(|other| seen_s(other) <= seen_s(&listed));
        self.deferred.insert(place, listed);
    }

    /// The next item against which something stands: the one that was looked at longest ago.
    fn next_standing(&mut self) -> Option<u64> {
        let (standing, seen) = (&self.standing, &self.seen);
        let turns = self.turns.get_or_insert_with(|| {
            let mut turns: Vec<_> = standing.iter().collect();
            turns.sort_by_key(|item| (seen.get(&(*item as i64)).copied(), *item));
            turns.into()
        });
        while turns.front().is_some_and(|item| !standing.contains(*item)) {
            turns.pop_front();
        }
        turns.front().copied()
    }

    /// Whether a file that could not be read before was looked at before an item was.
    fn is_seen_before(&self, item: u64) -> bool {
        let seen_s = |item: i64| self.seen.get(&item).copied();
        let deferred = self.deferred.front().and_then(|listed| listed.item);
        deferred.is_some_and(|deferred| seen_s(deferred.0) < seen_s(item as i64))
    }

    /// Whether one of those is next that could not be read before, of an audit of all files: each takes its turn.
    fn is_turn_of_deferred(&self) -> bool {
        let seen_s = self.deferred.front().and_then(|listed| self.seen.get(&listed.item?.0));
        let read_s = self.pieces.front().map(|piece| piece.read_s.unwrap_or(i64::MIN));
        self.share == Share::All && seen_s.zip(read_s).is_some_and(|(seen_s, read_s)| *seen_s < read_s)
    }

    /// A new file, to be read. `None`: its name is no longer known.
    fn fresh(&self, listed: &Listed) -> Result<Option<ToRead>> {
        let path = named(&listed.directory, &listed.name);
        let Some(item) = listed.item else {
            let tag = Tag::New(listed.number).encode();
            let beginning = self.logs.beginning(&listed.content).and_then(NonZeroU64::new);
            return Ok(Some(ToRead { path, tag, beginning }));
        };
        let Some(item) = self.catalog.item(&self.collection, item)? else { return Ok(None) };
        let from = item.id.0;
        Ok(Some(self.known(path.as_bytes().to_vec(), item, (from, None), listed.number)))
    }

    /// Has a changed file read next, behind all that have to be read before it. Together they may go round in a circle: files that have changed
    /// places. `false`: what is left of the budget does not suffice for that, though all of it would.
    fn line_up(&mut self, listed: Listed) -> Result<bool> {
        self.handed_out.insert(listed.number as u64);
        let mut files = vec![self.with_item(listed)?];
        let mut place = 0;
        while place < files.len().min(MOST_BEFORE) {
            let (file, known) = &files[place];
            let before = match known {
                Some(known) => self.before(known, file.content.inode)?,
                None => Vec::new(),
            };
            for file in before {
                self.handed_out.insert(file.number as u64);
                files.push(self.with_item(file)?);
            }
            place += 1;
        }
        let bytes = match files.len() {
            1 => 0,
            _ => files.iter().map(|(file, _)| self.rest(&file.path(), &file.content)).sum(),
        };
        let is_at_once = (2..=MOST_AT_ONCE).contains(&files.len())
            && self.budget.files.is_none_or(|most| files.len() as u64 <= most)
            && self.budget.bytes.is_none_or(|most| bytes <= most);
        if is_at_once && !self.affords_all(files.len() as u64, bytes) {
            return Ok(false);
        }
        self.next.extend(files.into_iter().rev().map(|(file, known)| (file, known, is_at_once)));
        Ok(true)
    }

    /// The files that have to be read before a known one whose name has another file now, of an inode: what it was may be one of them, and is
    /// judged by what is known of it, which the other file may take the place of. They are read also where the run is not about them.
    fn before(&self, known: &Item, inode: Option<u64>) -> Result<Vec<Listed>> {
        let Some(former) = known.content.inode.filter(|former| inode.is_some_and(|inode| inode != *former))
        else {
            return Ok(Vec::new());
        };
        let mut before = lock(&self.to_judge).of_inode(former)?;
        before.retain(|file| {
            let may_be_it = looks_alike(&known.content, &file.content) || self.logs.takes(&file.path());
            let is_left_out = file.item.is_some_and(|item| self.is_left_out(item));
            may_be_it && !is_left_out && !self.handed_out.contains(file.number as u64)
        });
        Ok(before)
    }

    /// A listed file, with what is known of it, if its content is known.
    fn with_item(&self, listed: Listed) -> Result<(Listed, Option<Item>)> {
        let item = listed.item.filter(|_| !listed.is_new);
        let known = item.map(|item| self.catalog.item(&self.collection, item)).transpose()?.flatten();
        Ok((listed, known))
    }

    /// A listed file, to be read. `None`: it is not read after all; `Some(None)`: the budget is used up.
    fn hand_out(
        &mut self,
        (listed, known, is_paid): (Listed, Option<Item>, IsPaid),
    ) -> Result<Option<Option<ToRead>>> {
        // What is no longer known is not read, and costs nothing.
        if !listed.is_new && known.is_none() {
            return Ok(None);
        }
        let path = listed.path();
        if !is_paid && !self.affords(&path, &listed.content) {
            return Ok(Some(None));
        }
        let Some(item) = known else { return Ok(self.fresh(&listed)?.map(Some)) };
        let may_grow = listed.content.size > item.content.size && self.logs.takes(&path);
        // Another log may have been rotated to its name.
        let other =
            self.logs.beginning(&listed.content).filter(|_| listed.content.inode != item.content.inode);
        let beginning = other.or(item.content.size.filter(|_| may_grow));
        let from = item.id.0;
        Ok(Some(Some(self.known(path, item, (from, beginning), 0))))
    }

    /// An item that is read whatever its age. `None`: it is not read after all; `Some(None)`: the budget is used up.
    fn by_itself(&mut self, item: ItemId) -> Result<Option<Option<ToRead>>> {
        // What is gone, looks changed or was read is reported in another way.
        if !self.skip.insert(item.0 as u64) {
            return Ok(None);
        }
        let path = self.catalog.path_of(item)?;
        let found = self.catalog.item(&self.collection, item)?;
        let Some(item) = found.filter(|item| item.state != State::Retired && self.wants(&path)) else {
            return Ok(None);
        };
        if self.changed.contains(item.id.0 as u64) {
            let listed = lock(&self.to_judge).of_item(item.id)?;
            let listed = listed.filter(|listed| !self.handed_out.contains(listed.number as u64));
            let is_lined_up = listed.map_or(Ok(true), |listed| self.line_up(listed))?;
            return Ok((!is_lined_up).then_some(None));
        }
        if !self.affords(&path, &item.content) {
            return Ok(Some(None));
        }
        let from = item.id.0;
        Ok(Some(Some(self.known(path, item, (from, None), 0))))
    }

    /// The next known item that is to be read, unless others come before it.
    fn next_known(&mut self) -> Result<Option<NextKnown>> {
        loop {
            let Stage::Known { piece, segment, loaded, reach } = &mut self.stage else { return Ok(None) };
            let piece_now = *piece;
            if let Some(item) = loaded.items.pop_front() {
                let from = std::mem::replace(reach, item.id.0 + 1);
                let path = joined(&loaded.directory, &item.name);
                let is_there = item.state != State::Retired && !self.skip.contains(item.id.0 as u64);
                if !is_there || !self.wants(&path) {
                    continue;
                }
                // What is known to be damaged comes last, whatever its age is. Who asks for all of it gets that in turn.
                let stands = piece_now.is_some_and(|piece| piece.stands);
                if stands && self.share != Share::All && self.standing.contains(item.id.0 as u64) {
                    continue;
                }
                let is_due = piece_now.is_some_and(|piece| self.is_due(&piece, item.run));
                // Others of those may have become known earlier.
                if !is_due && piece_now.is_some_and(|piece| piece.is_never_read) {
                    continue;
                }
                // Nor does one that is acknowledged say that what was read with it is not due.
                if !is_due && stands {
                    continue;
                }
                if !is_due && piece_now.is_some_and(|piece| piece.is_unread) {
                    self.leave_unread();
                    continue;
                }
                if is_due {
                    self.standing.remove(item.id.0 as u64);
                }
                return Ok(is_due.then_some((path, item, from, !stands)));
            }
            let present = match piece {
                Some(present)
                    if self.segments.get(*segment).is_some_and(|next| next.first() <= present.last) =>
                {
                    *present
                }
                _ => {
                    if self.is_turn_of_deferred() {
                        self.stage = Stage::Deferred;
                        return Ok(None);
                    }
                    let is_unread = |piece: &Piece| piece.is_never_read || piece.is_unread;
                    if !self.unsettled.is_empty() && !self.pieces.front().is_some_and(is_unread) {
                        self.stage = Stage::Unsettled;
                        return Ok(None);
                    }
                    let Some(next) = self.pieces.pop_front() else { return Ok(None) };
                    let Stage::Known { piece, segment, reach, .. } = &mut self.stage else { return Ok(None) };
                    *piece = Some(next);
                    *segment = self.segments.partition_point(|segment| segment.last() < next.first);
                    *reach = next.first;
                    continue;
                }
            };
            let of = self.segments[*segment];
            *segment += 1;
            let (first, last) = (of.first().max(present.first), of.last().min(present.last));
            let (directory, items) =
                self.catalog.items_between(&self.collection, ItemId(first), ItemId(last))?;
            *loaded = Loaded { directory, items: items.into() };
        }
    }

    /// Goes on to the first piece of files that were read: some of those may be late soon.
    fn leave_unread(&mut self) {
        let others = self.pieces.iter().position(|piece| !piece.is_unread);
        self.pieces.drain(..others.unwrap_or(self.pieces.len()));
        self.stage = Stage::of_known();
    }

    /// Whether a piece is to be read in this run; those behind it were read later.
    fn is_due(&self, piece: &Piece, run: RunId) -> bool {
        let Share::Due(due) = self.share else { return true };
        // What was never read counts from when it became known.
        let known_s = || self.began_s.as_ref().filter(|_| piece.is_never_read)?.get(&run).copied();
        match piece.read_s.or_else(known_s) {
            // Nothing is promised of it, or nothing is known of when it was read.
            _ if piece.is_never_read && due.share_bytes == 0 => true,
            None => true,
            // What is known to be damaged takes nothing from the share of what may be good.
            Some(since_s) => {
                let is_in_share = self.course.aged_bytes.load(Ordering::Relaxed) < due.bytes();
                is_in_share && !piece.stands || since_s.saturating_add(due.period_s) < due.before_s
            }
        }
    }

    /// A known file, to be read. From where on no other item has a number, and how many bytes of it are digested by themselves.
    fn known(&self, path: Vec<u8>, item: Item, (from, beginning): (i64, Option<u64>), listed: i64) -> ToRead {
        let Item { id, content, state, .. } = item;
        let known = Known { item: id, from: ItemId(from), state, content, listed };
        let beginning = beginning.and_then(NonZeroU64::new);
        ToRead { path: path.into(), tag: Tag::Known(known).encode(), beginning }
    }

    fn is_left_out(&self, item: ItemId) -> bool {
        self.left_out.contains(item.0 as u64)
    }

    fn wants(&self, path: &[u8]) -> bool {
        lies_within(path, &self.within)
    }

    /// How many bytes of a file are to be read: of a large one the rest counts that was not read yet.
    fn rest(&self, path: &[u8], content: &Content) -> u64 {
        let size = content.size.unwrap_or(0);
        match size > CHECKPOINT_BYTES {
            true => size - self.checkpoints.offset(path, content).min(size),
            false => size,
        }
    }

    /// Takes a file into account, if the budget suffices for it. It ends the plan if not.
    fn affords(&mut self, path: &[u8], content: &Content) -> bool {
        self.affords_all(1, self.rest(path, content))
    }

    /// The same of files and bytes.
    fn affords_all(&mut self, more_files: u64, more_bytes: u64) -> bool {
        let Budget { until, bytes, files, .. } = self.budget;
        let (read_files, read_bytes) =
            (self.course.files.load(Ordering::Relaxed), self.course.bytes.load(Ordering::Relaxed));
        // What is larger than the whole budget is read, and nothing else: else it never would be. Nor would anything, where listing
        // the tree takes longer than all of the time.
        // One that is known to be damaged waits until half of the budget is left, and does not end it for others.
        let is_alone = matches!(self.stage, Stage::Standing)
            && bytes.is_some_and(|bytes| more_bytes > bytes && read_bytes <= bytes / 2);
        let is_used_up = read_files > 0 && until.is_some_and(|until| Instant::now() >= until)
            || files.is_some_and(|files| {
                read_files >= files || (read_files > 0 && read_files + more_files > files)
            })
            || bytes.is_some_and(|bytes| {
                read_bytes >= bytes
                    || (read_bytes > 0 && !is_alone && read_bytes.saturating_add(more_bytes) > bytes)
            });
        if is_used_up {
            self.course.is_used_up.store(true, Ordering::Release);
            self.stage = Stage::Over;
            return false;
        }
        self.course.files.fetch_add(more_files, Ordering::Relaxed);
        self.course.bytes.fetch_add(more_bytes, Ordering::Relaxed);
        true
    }
}

impl Iterator for Plan {
    type Item = ToRead;

    fn next(&mut self) -> Option<ToRead> {
        match self.next_file() {
            Ok(next) => next,
            Err(error) => {
                self.stage = Stage::Over;
                *lock(&self.course.failed) = Some(error);
                None
            }
        }
    }
}
