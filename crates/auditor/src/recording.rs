//! What was judged is recorded, in batches: where a new file comes from, what is known from now on, and what is a finding.

use hashlane_catalog::paths::split;
use hashlane_catalog::scratch::{Displaced, Former, Gone};
use hashlane_catalog::{
    BACK, Batch, Cause, Collection, Content, DirectoryId, Finding, Item, ItemId, OF_MEDIUM, Policy,
    ReadingKind, Result, Seen, State, Verdict, WrittenOver,
};
use hashlane_record::shown_name;
use roaring::RoaringTreemap;

use crate::alike::{is_same_file, looks_alike};
use crate::good::{self, Good};
use crate::ground::Ground;
use crate::judge::Judged;
use crate::logs::Logs;
use crate::spread::{Damage, MOST_ALIKE};
use crate::tag::Known;
use crate::told::Stands;

/// What recording needs besides the batch, and keeps for the rest of the reading.
pub(crate) struct Recorder<'a> {
    pub(crate) collection: &'a Collection,
    pub(crate) ground: &'a Ground<'a>,
    pub(crate) gone: &'a Gone,
    /// Known items whose names have other files now, or none.
    pub(crate) displaced: &'a Displaced,
    /// Whether something is gone, so that new files may be moved ones.
    pub(crate) has_gone: bool,
    /// Items that a filter left out until now.
    pub(crate) taken_again: &'a RoaringTreemap,
    /// Contents that stand as damaged, and against which items.
    pub(crate) damage: Damage,
    /// What was found in the place of damage.
    pub(crate) written_over: WrittenOver,
    /// Files that may be appended to, and have other names now.
    pub(crate) logs: &'a Logs,
    /// Those of them that were found under these, and others that were moved.
    pub(crate) rotated: RoaringTreemap,
    /// Items that the page cache did not let go of when they were read last.
    pub(crate) in_use: RoaringTreemap,
    /// Items against which something stands, and that were read good, but from the page cache alone: that keeps no promise.
    pub(crate) only_cached: RoaringTreemap,
    /// Known items that were read and have another content.
    pub(crate) changed: RoaringTreemap,
    /// Items where something other than their content has changed, and those of them that were read good.
    pub(crate) changed_metadata: &'a RoaringTreemap,
    pub(crate) settled_metadata: RoaringTreemap,
    pub(crate) is_first: bool,
    /// What is recorded was not read here.
    pub(crate) is_elsewhere: bool,
    /// Items against which something stands.
    pub(crate) standing: RoaringTreemap,
    /// Items that were added in this run: they lie where others were read good around them.
    pub(crate) added: RoaringTreemap,
}

/// What is done to the catalogue for the files of a batch.
pub(crate) struct Recording<'r, 'a> {
    pub(crate) batch: Batch<'r>,
    of: &'r mut Recorder<'a>,
    /// Findings that were recorded, and whether they are said for the first time.
    pub(crate) found: Vec<Stands>,
    /// The directory of the last new file.
    directory: Option<(Vec<u8>, DirectoryId)>,
    good: Vec<Good>,
    now_s: i64,
}

/// A file that the page cache has not let go of at this many audits in a row is as good as read from its device: nothing better
/// comes.
const AUDITS_IN_USE: u64 = 3;

/// What a new file was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whence {
    /// Nothing that is known.
    Nowhere,
    /// This item, which is gone.
    Moved(ItemId),
    /// This item, whose name another file has.
    Rotated(ItemId),
    /// This item, whose known content it does not have; and whether that is gone.
    Damaged(ItemId, bool),
}

impl<'r, 'a> Recording<'r, 'a> {
    pub(crate) fn new(batch: Batch<'r>, of: &'r mut Recorder<'a>, now_s: i64) -> Self {
        Self { batch, of, found: Vec::new(), directory: None, good: Vec::new(), now_s }
    }

    /// Records a file, and returns the verdict on it, for which it may take a look at others.
    pub(crate) fn record(&mut self, judged: Judged) -> Result<(Verdict, ItemId)> {
        // As long as its content is the known one, or becomes that.
        let is_known = matches!(
            judged.verdict,
            Verdict::New | Verdict::Registered | Verdict::Ok | Verdict::Touched | Verdict::Grown
        );
        // Others do not report a version. What is as known has the one that was read here.
        let is_untold = self.of.is_elsewhere && judged.verdict == Verdict::Ok;
        let is_kept = is_known && !is_untold && self.of.collection.terms.is_in_store();
        let version = judged.version.clone();
        let (verdict, item) = match judged.known.clone() {
            None => self.new_file(judged)?,
            Some(known) => {
                let item = known.item;
                (self.known_file(known, judged)?, item)
            }
        };
        if is_kept {
            self.batch.put_read_version(item, version.as_deref())?;
        }
        let is_good = matches!(verdict, Verdict::Ok | Verdict::Touched | Verdict::Registered);
        if is_good && self.of.changed_metadata.contains(item.0 as u64) {
            self.of.settled_metadata.insert(item.0 as u64);
        }
        Ok((verdict, item))
    }

    fn new_file(&mut self, judged: Judged) -> Result<(Verdict, ItemId)> {
        let (parent, name) = split(&judged.path);
        let directory = match &self.directory {
            Some((path, directory)) if path == parent => *directory,
            _ => {
                let directory = self.batch.directory(parent)?;
                self.directory = Some((parent.to_vec(), directory));
                directory
            }
        };
        if !matches!(judged.verdict, Verdict::New | Verdict::Registered) {
            let content = Content { digests: Vec::new(), ..judged.content.clone() };
            let item = self.batch.add(directory, name, &content, State::Unread)?;
            self.of.added.insert(item.0 as u64);
            self.batch.withhold(item, judged.verdict, &judged.seen(), judged.stint)?;
            return Ok((judged.verdict, item));
        }
        let whence = self.whence(&judged, name)?;
        if let Whence::Damaged(of, is_moved) = whence {
            let (known, state) = self.as_known_elsewhere(of, &judged)?;
            let item = self.batch.add(directory, name, &known, state)?;
            self.of.added.insert(item.0 as u64);
            return Ok((self.damaged_anew(item, (of, is_moved), &judged)?, item));
        }
        let verdict = if whence == Whence::Nowhere { judged.verdict } else { Verdict::Moved };
        let is_finding = judged.policy == Policy::Frozen && !self.of.is_first;
        let state = match judged.is_settled {
            _ if is_finding => State::Unaccepted,
            true => State::Present,
            false => State::Unsettled,
        };
        let item = self.batch.add(directory, name, &judged.content, state)?;
        self.of.added.insert(item.0 as u64);
        self.good_as_new(whence, item, &judged)?;
        self.end_move(whence, item, is_finding)?;
        if is_finding {
            self.find(item, verdict, &judged)?;
        }
        Ok((verdict, item))
    }

    /// What a new file was before, as far as its content or its inode shows. `name`: its own, in its directory.
    fn whence(&self, judged: &Judged, name: &[u8]) -> Result<Whence> {
        let content = &judged.content;
        let Some(size) = content.size else { return Ok(Whence::Nowhere) };
        let log = self.of.logs.origin(content, judged.beginning.as_ref(), &self.of.rotated);
        // Of logs that have changed places none was rotated.
        let log = match log.filter(|log| !self.of.changed.contains(log.item.0 as u64)) {
            // A copy of its content beside damage that lies there still is not a rotation.
            Some(log) if self.has_damage_in_place(log.item)? => None,
            log => log,
        };
        let moved = match size {
            _ if !self.of.has_gone => None,
            // A name that the log had meanwhile may be the one that is gone.
            _ if log.is_some_and(|log| log.has_inode_of(content)) => self.of.gone.take_same(content)?,
            // They are all alike.
            0 => {
                let is_old = !self.was_made_since(judged)?;
                self.of.gone.take_empty(content.inode.filter(|_| is_old), name)?
            }
            // A file that was a copy of damage has only that to be known by.
            _ if self.of.damage.contains_key(&content.digests) => None,
            _ => self.of.gone.take(content)?,
        };
        if let Some(origin) = moved {
            return Ok(Whence::Moved(origin));
        }
        if let Some(log) = log {
            return Ok(match self.of.gone.take_out(log.item)? {
                true => Whence::Moved(log.item),
                false => Whence::Rotated(log.item),
            });
        }
        if let Some(of) = self.renamed_from_left_out(content)? {
            return Ok(Whence::Moved(of));
        }
        if let Some(of) = self.found_damaged(content, None)? {
            let stands = self.batch.stands(self.of.collection, of)?.is_some();
            let is_moved = stands && !self.is_another(of, content)? && self.has_left(of, content)?;
            return Ok(Whence::Damaged(of, is_moved));
        }
        if let Some(of) = self.written_over(content)? {
            return Ok(Whence::Damaged(of, self.has_left(of, content)?));
        }
        // What it contained under its former name is not what it contains now.
        let renamed = match self.of.has_gone && content.inode.is_some() {
            true => self.of.gone.of_inode(content)?,
            false => None,
        };
        // Its old name may have another file by now.
        let renamed = renamed.map_or_else(|| self.renamed_from(None, judged), |of| Ok(Some(of)))?;
        match renamed {
            Some(of) if size > 0 && !self.was_made_since(judged)? => {
                Ok(Whence::Damaged(of, self.has_left(of, content)?))
            }
            _ => Ok(Whence::Nowhere),
        }
    }

    /// Whether a file with the damage of an item is, by its inode, another one that is gone: a copy that was known before the damage was found.
    fn is_another(&self, of: ItemId, content: &Content) -> Result<bool> {
        let is_it = || self.batch.item(self.of.collection, of).map(|of| of.content.inode == content.inode);
        Ok(content.inode.is_some() && self.of.gone.has_same(content)? && !is_it()?)
    }

    /// Whether the file of an item has left its name, and this one may be it. It is not looked for there any more.
    fn has_left(&self, of: ItemId, content: &Content) -> Result<bool> {
        let is_rotated = self.is_rotated(of, content)?;
        if self.of.gone.take_out(of)? || is_rotated {
            return Ok(true);
        }
        self.has_left_unlisted(&self.batch.item(self.of.collection, of)?, content)
    }

    /// Whether a file is a log whose name has another file now. Of logs that have changed places none was rotated, nor was one that something
    /// damaged was written over: that lies there still.
    fn is_rotated(&self, of: ItemId, content: &Content) -> Result<bool> {
        if !self.of.logs.is_displaced(of, content) || self.of.changed.contains(of.0 as u64) {
            return Ok(false);
        }
        // Of damage that is missing nobody knows its inode any more.
        Ok(self.batch.stands(self.of.collection, of)?.is_none_or(|stands| {
            stands.seen.content.inode == content.inode
                || stands.seen.content.digests.is_empty() && stands.before.is_none()
        }))
    }

    /// Whether a file was renamed from a name that a filter leaves out, or that nobody has accepted: what is not there is not missed there.
    fn has_left_unlisted(&self, of: &Item, content: &Content) -> Result<bool> {
        let is_it = matches!(of.state, State::Ignored | State::Unaccepted)
            && content.inode.is_some()
            && of.content.inode == content.inode;
        Ok(is_it && matches!(self.of.ground.facts(&self.batch.path_of(of.id)?), Ok(None)))
    }

    /// The item that a filter leaves out and whose file this one is, as it is known.
    fn renamed_from_left_out(&self, content: &Content) -> Result<Option<ItemId>> {
        let Some(inode) = content.inode.filter(|_| self.of.displaced.has_left_out()) else { return Ok(None) };
        for Former { item: other, .. } in self.of.displaced.of_inode(inode)? {
            let known = self.batch.item(self.of.collection, other)?;
            let is_it = known.state == State::Ignored && known.content.digests == content.digests;
            if is_it && looks_alike(&known.content, content) && self.has_left_unlisted(&known, content)? {
                return Ok(Some(other));
            }
        }
        Ok(None)
    }

    /// The item against which a content stands as damaged. Of several the one is meant that was moved. `but`: the item that is asked about.
    fn found_damaged(&self, content: &Content, but: Option<ItemId>) -> Result<Option<ItemId>> {
        let Some(origins) = self.of.damage.get(&content.digests).filter(|_| content.size != Some(0)) else {
            return Ok(None);
        };
        let others = || origins.iter().map(|origin| origin.item).filter(|item| Some(*item) != but);
        let mut meant = others().next();
        let mut is_lost = false;
        for of in others().take(MOST_ALIKE) {
            // One that is good again is not the file that was damaged.
            if !self.of.gone.has(of)? || self.batch.stands(self.of.collection, of)?.is_none() {
                continue;
            }
            let inode = self.batch.item(self.of.collection, of)?.content.inode;
            if content.inode.is_some() && inode == content.inode {
                return Ok(Some(of));
            }
            if !is_lost {
                (meant, is_lost) = (Some(of), true);
            }
        }
        Ok(meant)
    }

    /// The item whose damaged file this one is, by its inode: something else was written over the damage, and this is what was
    /// found then. What was known of any file is not damage.
    fn written_over(&self, content: &Content) -> Result<Option<ItemId>> {
        let Some((item, inode)) = self.of.written_over.get(&content.digests) else { return Ok(None) };
        // What is empty is like all that is.
        let is_it = content.inode.is_some() && *inode == content.inode && content.size != Some(0);
        let is_damage = is_it && !self.batch.was_known_until(self.of.collection, content, None)?;
        Ok(is_damage.then_some(*item))
    }

    /// Another item whose file lies under this name now, by its inode, size and time, though it does not contain what that one did. `item`: the
    /// one of this name, if it is known.
    fn renamed_from(&self, item: Option<ItemId>, judged: &Judged) -> Result<Option<ItemId>> {
        let content = &judged.content;
        let Some(inode) = content.inode.filter(|_| content.size != Some(0)) else { return Ok(None) };
        let mut former = None;
        for Former { item: other, looked, wavers } in self.of.displaced.of_inode(inode)? {
            let known = self.batch.item(self.of.collection, other)?;
            // It is one of its former names that knows what it is.
            if known.content.digests == content.digests {
                return Ok(None);
            }
            // Where its own name was read before this one, what is known of it looks like the file that is there now.
            if Some(other) == item || !looks_alike(&looked, content) {
                continue;
            }
            // Who has lost its name as one that is gone is judged as such, though a copy of it may be known by now.
            let is_gone = item.is_none() && matches!(known.state, State::Ignored | State::Unaccepted);
            if !self.was_made_since(judged)?
                && (is_gone
                    || wavers
                    || !self.batch.is_content_of_its_own(self.of.collection, content, &known)?)
            {
                former.get_or_insert(other);
            }
        }
        Ok(former)
    }

    /// Whether a file was made since the tree was last listed. Then it is not another one that was renamed, but has the inode of a
    /// file that was deleted. In trees whose files all have one time, size and time say little.
    fn was_made_since(&self, judged: &Judged) -> Result<bool> {
        let path = match &judged.known {
            Some(known) => self.batch.path_of(known.item)?,
            None => judged.path.clone(),
        };
        Ok(self.of.ground.was_made_since_listed(self.of.collection, &path))
    }

    /// What is known of a file that lies here now, damaged: its content and its times, as they were elsewhere, and whether anybody has accepted it.
    fn as_known_elsewhere(&self, of: ItemId, judged: &Judged) -> Result<(Content, State)> {
        let Item { content: known, state, .. } = self.batch.item(self.of.collection, of)?;
        let state = if state == State::Unaccepted { state } else { State::Present };
        Ok((Content { changed: judged.content.changed, inode: judged.content.inode, ..known }, state))
    }

    /// Records a file under a new name whose content is damaged. A copy of damage that was known before that was found may have had another name.
    fn damaged_anew(
        &mut self,
        item: ItemId,
        (of, is_moved): (ItemId, bool),
        judged: &Judged,
    ) -> Result<Verdict> {
        let verdict = self.damaged(item, (of, is_moved), judged)?;
        // Where nothing new is accepted, it is missed until somebody has decided.
        if !is_moved
            && judged.policy != Policy::Frozen
            && self.of.has_gone
            && judged.content.inode.is_some()
            && let Some(former) = self.of.gone.take_same(&judged.content)?
        {
            self.end_move(Whence::Moved(former), item, false)?;
        }
        Ok(verdict)
    }

    /// Records a file under a new name whose content is damaged: what was found so of another one, or not what that one contained when it was
    /// renamed.
    fn damaged(&mut self, item: ItemId, (of, is_moved): (ItemId, bool), judged: &Judged) -> Result<Verdict> {
        // Of what is read differently each time no reading is the content.
        let origins = self.of.damage.get(&judged.content.digests);
        let is_found = origins.is_some_and(|origins| origins.iter().any(|origin| origin.item == of));
        let path = shown_name(&self.batch.path_of(of)?);
        let (cause, detail) = match is_found {
            true if is_moved => (Cause::Renamed, format!("it was {path} before, and was damaged there")),
            true => (Cause::CopyOfDamage, format!("a copy of what was found at {path}")),
            // That is reported once it was read again.
            false => (Cause::Renamed, String::new()),
        };
        let seen = Seen { cause: Some(cause), detail, ..judged.seen() };
        let mut verdict = if is_found { Verdict::Corrupt } else { Verdict::Suspect };
        if is_moved && is_found {
            self.batch.hand_on(of, item, verdict, &seen)?;
            self.batch.saw_again(item, &seen, self.now_s)?;
            self.found.push(Stands { item, verdict, is_new: true });
        } else if is_found {
            let is_new = self.batch.put_finding(item, verdict, &seen, self.now_s)?;
            self.found.push(Stands { item, verdict, is_new });
        } else if let Some((stands, is_new)) =
            self.batch.put_suspicion(self.of.collection, item, &seen, self.now_s)?
        {
            self.found.push(Stands { item, verdict: stands, is_new });
            verdict = stands;
        }
        match is_moved {
            true => {
                self.batch.hand_on_good(of, item)?;
                // Nobody has accepted it under its former name, and nobody has under this one.
                let unaccepted = self.batch.unaccepted_as(self.of.collection, of)?;
                self.end_move(Whence::Moved(of), item, unaccepted.is_some())?;
                if let Some(verdict) = unaccepted {
                    self.batch.happened(item, verdict.name(), None, "", self.now_s)?;
                }
            }
            // What is damaged is not only what had this name.
            false => self.batch.came_here(item, of, self.now_s)?,
        }
        Ok(verdict)
    }

    /// What was moved to an item is no longer expected where it was.
    fn end_move(&mut self, whence: Whence, item: ItemId, is_finding: bool) -> Result<()> {
        let origin = match whence {
            Whence::Moved(origin) => {
                // Of a log that has several names each is found once.
                self.of.rotated.insert(origin.0 as u64);
                origin
            }
            // Its name has another file, which is as good as new: nothing else is known of that from here on, whatever ends the run.
            Whence::Rotated(log) => {
                self.of.rotated.insert(log.0 as u64);
                log
            }
            Whence::Nowhere | Whence::Damaged(..) => return Ok(()),
        };
        self.batch.set_state(origin, State::Retired)?;
        self.batch.forget_good(origin, origin)?;
        self.batch.drop_finding(origin)?;
        self.batch.happened(origin, Verdict::MovedAway.name(), Some(item), "", self.now_s)?;
        match is_finding {
            // That is reported with the finding.
            true => Ok(()),
            false => self.batch.came_from_elsewhere(item, Verdict::Moved, origin, self.now_s),
        }
    }

    fn known_file(&mut self, known: Known, judged: Judged) -> Result<Verdict> {
        let Known { item, from, state, content: was, .. } = known;
        let is_frozen = judged.policy == Policy::Frozen;
        let settled = if judged.is_settled { State::Present } else { State::Unsettled };
        // What had its name was found under another one: whatever lies here now is as good as new.
        let is_rotated = self.of.rotated.contains(item.0 as u64);
        let verdict = match judged.verdict {
            Verdict::Changed if is_rotated => Verdict::New,
            // Its time is the one under which it was read as it is known.
            Verdict::Changed if self.is_as_touched(item, &judged.content)? => Verdict::Suspect,
            Verdict::Unreadable | Verdict::Unstable if is_rotated => {
                let content = Content { digests: Vec::new(), ..judged.content.clone() };
                self.batch.replace(item, &content, State::Unread)?;
                judged.verdict
            }
            verdict => verdict,
        };
        if matches!(judged.verdict, Verdict::Ok | Verdict::Touched) {
            self.end_other_name(item, &judged.content)?;
        }
        match verdict {
            // It was listed and not read yet, or it is back.
            Verdict::New => {
                let path = self.batch.path_of(item)?;
                let whence = self.whence(&judged, split(&path).1)?;
                if let Whence::Damaged(of, is_moved) = whence {
                    let (known, state) = self.as_known_elsewhere(of, &judged)?;
                    self.batch.replace(item, &known, state)?;
                    return self.damaged_anew(item, (of, is_moved), &judged);
                }
                // Who undoes a move, or copies the file back, has what was accepted.
                let is_as_accepted = state == State::Retired && was.digests == judged.content.digests;
                let elsewhere = match is_frozen && is_as_accepted {
                    true => self.batch.unaccepted_elsewhere(self.of.collection, item)?,
                    false => None,
                };
                let is_finding = is_frozen && !self.of.is_first && elsewhere.is_none();
                let state = if is_finding { State::Unaccepted } else { settled };
                self.batch.replace(item, &judged.content, state)?;
                self.good_as_new(whence, item, &judged)?;
                self.end_move(whence, item, is_finding)?;
                if let Some(other) = elsewhere {
                    self.batch.happened(item, BACK, Some(other), "", self.now_s)?;
                    if whence != Whence::Moved(other) {
                        self.batch.left_as_copy(other, self.now_s)?;
                    }
                }
                let verdict = match whence {
                    Whence::Nowhere if self.of.is_first => Verdict::Registered,
                    Whence::Nowhere if elsewhere.is_some() => Verdict::Ok,
                    Whence::Nowhere => Verdict::New,
                    _ => Verdict::Moved,
                };
                match is_finding {
                    true => self.find(item, verdict, &judged)?,
                    false => _ = self.clear(item, judged.reading)?,
                }
                return Ok(verdict);
            }
            Verdict::Ok | Verdict::Registered => {
                // Its time may be the known one as another file system keeps it.
                let signs = |of: &Content| (of.modified, of.changed, of.inode);
                let is_as_known = signs(&was) == signs(&judged.content);
                // What was found while nothing new was accepted is accepted where everything is.
                let state = if is_frozen || state != State::Unaccepted { state } else { State::Unread };
                let next = if state == State::Unaccepted { State::Unaccepted } else { settled };
                if !is_as_known || state != next {
                    self.batch.replace(item, &judged.content, next)?;
                }
                self.good(from, item, &judged)?;
                match judged.reading {
                    // Only the medium says that it is good again.
                    reading
                        if state == State::Unaccepted
                            && !judged.is_of_medium()
                            && self.batch.is_of_medium(item)? =>
                    {
                        self.batch.settle_by(item, Some(reading), self.now_s)?;
                    }
                    // That it is as it was found says nothing of whether anybody wants it.
                    _ if state == State::Unaccepted => {
                        self.batch.settle_by(item, Some(judged.reading), self.now_s)?;
                        let stands = self.batch.keep_unaccepted(item, &judged.seen(), self.now_s)?;
                        self.found.push(Stands { item, verdict: stands, is_new: false });
                        return Ok(stands);
                    }
                    // What was read wrong from the medium is good again when the medium says so, and that is for a reading here to
                    // tell: what came over the network may have come from the memory of another machine.
                    reading if judged.is_of_medium() && !self.of.is_elsewhere => {
                        self.clear(item, reading)?;
                    }
                    reading => self.clear_unless_of_medium(item, reading)?,
                }
            }
            Verdict::Touched | Verdict::Grown if is_frozen && state == State::Unaccepted => {
                self.batch.replace(item, &judged.content, State::Unaccepted)?;
                self.good(from, item, &judged)?;
                // Only the medium says that it is good again.
                if !judged.is_of_medium() && self.batch.is_of_medium(item)? {
                    self.batch.settle_by(item, Some(judged.reading), self.now_s)?;
                    return Ok(judged.verdict);
                }
                let stands = self.batch.keep_unaccepted(item, &judged.seen(), self.now_s)?;
                self.batch.saw_again(item, &judged.seen(), self.now_s)?;
                self.found.push(Stands { item, verdict: stands, is_new: false });
                return Ok(stands);
            }
            // Who restores a file restores it at a time of its own.
            Verdict::Touched if is_frozen && !self.is_restored(item)? => {
                // Its inode is known from now on. Its time is what the finding is about.
                let known = Content { modified: was.modified, ..judged.content.clone() };
                self.batch.replace(item, &known, state)?;
                self.find(item, Verdict::Touched, &judged)?;
                self.batch.settle_by(item, Some(judged.reading), self.now_s)?;
                self.good(from, item, &judged)?;
            }
            Verdict::Touched | Verdict::Grown => {
                self.batch.replace(item, &judged.content, settled)?;
                self.good(from, item, &judged)?;
                if verdict == Verdict::Grown {
                    self.batch.edited(item, verdict, self.now_s);
                }
                match judged.reading {
                    reading if judged.is_of_medium() && !self.of.is_elsewhere => {
                        _ = self.clear(item, reading)?
                    }
                    reading => self.clear_unless_of_medium(item, reading)?,
                }
            }
            Verdict::Suspect => {
                let seen = judged.seen();
                let stands = self.batch.put_suspicion(self.of.collection, item, &seen, self.now_s)?;
                if let Some((stands, is_new)) = stands {
                    self.found.push(Stands { item, verdict: stands, is_new });
                    return Ok(stands);
                }
            }
            Verdict::Changed => {
                self.end_rotation(item, &judged)?;
                if let Some(verdict) = self.damage_in_place(item, &judged)? {
                    return Ok(verdict);
                }
                self.batch.withhold(item, Verdict::Changed, &judged.seen(), judged.stint)?;
            }
            verdict => {
                self.batch.withhold(item, verdict, &judged.seen(), judged.stint)?;
            }
        }
        Ok(verdict)
    }

    /// Takes note of a log that was rotated to the known name of another one: numbered logs go on by one each. That other one was found before, if it was
    /// rotated, too. Logs that have changed places were not.
    fn end_rotation(&mut self, item: ItemId, judged: &Judged) -> Result<()> {
        self.of.changed.insert(item.0 as u64);
        let log = self.of.logs.origin(&judged.content, judged.beginning.as_ref(), &self.of.rotated);
        let Some(log) = log.filter(|log| log.has_inode_of(&judged.content)) else { return Ok(()) };
        let is_log = self.of.logs.takes(&self.batch.path_of(item)?);
        if !is_log || self.of.changed.contains(log.item.0 as u64) || self.has_file_of(log.item, item)? {
            return Ok(());
        }
        self.of.gone.take_out(log.item)?;
        self.end_move(Whence::Rotated(log.item), item, false)
    }

    /// Whether the file of an item, as it is known or was found, lies under the name of another one now. A new file may have its inode.
    fn has_file_of(&self, there: ItemId, item: ItemId) -> Result<bool> {
        let Some(facts) = self.facts_at(there)? else { return Ok(false) };
        let found = self.stands(item)?.map(|stands| stands.seen.content);
        Ok(is_same_file(&self.batch.item(self.of.collection, item)?.content, &facts)
            || found.is_some_and(|found| is_same_file(&found, &facts)))
    }

    /// Whether what was found of an item, which only its medium can clear, lies there still.
    fn has_damage_in_place(&self, item: ItemId) -> Result<bool> {
        let stands = self.batch.stands(self.of.collection, item)?;
        let Some(stands) = stands.filter(|stands| OF_MEDIUM.contains(&stands.verdict)) else {
            return Ok(false);
        };
        Ok(self.facts_at(item)?.is_some_and(|facts| is_same_file(&stands.seen.content, &facts)))
    }

    /// What lies under the name of an item now, if that can be seen.
    fn facts_at(&self, item: ItemId) -> Result<Option<Content>> {
        Ok(self.of.ground.facts(&self.batch.path_of(item)?).ok().flatten())
    }

    /// Ends what is expected of another name of a file that a filter left out for a time: it may have had that meanwhile, and has its own again.
    fn end_other_name(&mut self, item: ItemId, content: &Content) -> Result<()> {
        if !self.of.has_gone || content.inode.is_none() || !self.of.taken_again.contains(item.0 as u64) {
            return Ok(());
        }
        let Some(other) = self.of.gone.of_inode(content)? else { return Ok(()) };
        let known = self.batch.item(self.of.collection, other)?;
        // Another name that it had before that is missed.
        if known.content.digests == content.digests
            && self.batch.left_out_in(item)?.is_some_and(|run| known.run >= run)
            && self.of.gone.take_out(other)?
        {
            self.end_move(Whence::Moved(other), item, false)?;
        }
        Ok(())
    }

    /// Records a file that was damaged under another name, and has come in the place of this one: it is not an edit, whatever its
    /// time.
    fn damage_in_place(&mut self, item: ItemId, judged: &Judged) -> Result<Option<Verdict>> {
        // Where that file is gone, it is missing: nobody would look for it under a name that was another one's.
        if let Some(of) = self.found_damaged(&judged.content, Some(item))? {
            return self.damaged_in_place(item, of, judged).map(Some);
        }
        // What stands against the content that is here now says more.
        let stands = self.stands(item)?;
        if stands.is_some_and(|stands| OF_MEDIUM.contains(&stands.verdict)) {
            return Ok(None);
        }
        // What is known of the file that had this name stays: that is what somebody would bring back.
        let of = self.written_over(&judged.content)?.filter(|of| *of != item);
        match of.map_or_else(|| self.renamed_from(Some(item), judged), |of| Ok(Some(of)))? {
            Some(of) => self.damaged_in_place(item, of, judged).map(Some),
            None => Ok(None),
        }
    }

    fn damaged_in_place(&mut self, item: ItemId, of: ItemId, judged: &Judged) -> Result<Verdict> {
        let verdict = self.damaged(item, (of, false), judged)?;
        // Under a name that is not a log's it is not a rotation: the log is missing.
        if self.is_rotated(of, &judged.content)? && self.of.logs.takes(&self.batch.path_of(item)?) {
            self.of.gone.take_out(of)?;
            self.end_move(Whence::Rotated(of), item, false)?;
        }
        Ok(verdict)
    }

    /// What stood against an item when the audit began.
    fn stands(&self, item: ItemId) -> Result<Option<Finding>> {
        match self.of.standing.contains(item.0 as u64) {
            true => self.batch.stands(self.of.collection, item),
            false => Ok(None),
        }
    }

    /// Whether a file has the size and the time under which nothing but its time was found to have changed.
    fn is_as_touched(&self, item: ItemId, content: &Content) -> Result<bool> {
        let stands = self.stands(item)?;
        Ok(stands.is_some_and(|stands| {
            let seen = &stands.seen.content;
            stands.verdict == Verdict::Touched
                && (seen.size, seen.modified) == (content.size, content.modified)
        }))
    }

    /// Whether something stands against the content of an item, or says that it is gone: it has come back.
    fn is_restored(&self, item: ItemId) -> Result<bool> {
        let stands = self.stands(item)?;
        Ok(stands.is_some_and(|stands| {
            OF_MEDIUM.contains(&stands.verdict)
                || matches!(stands.verdict, Verdict::Missing | Verdict::Unreadable | Verdict::Unstable)
        }))
    }

    /// Records that a file was read under a new name. One that had another keeps the time of its reading there, until it is read from its device.
    fn good_as_new(&mut self, whence: Whence, item: ItemId, judged: &Judged) -> Result<()> {
        if let Whence::Moved(origin) = whence
            && self.of.collection.is_held_to_device()
        {
            self.batch.hand_on_good(origin, item)?;
        }
        self.good(item, item, judged)
    }

    /// Records that an item was read as it is known, or is known now. `from`: from where on no other item has a number.
    fn good(&mut self, from: ItemId, item: ItemId, judged: &Judged) -> Result<()> {
        let is_held = self.of.collection.is_held_to_device() && !self.of.is_elsewhere && !judged.is_empty;
        if is_held && judged.reading.is_of_cache() && self.of.standing.contains(item.0 as u64) {
            self.of.only_cached.insert(item.0 as u64);
        }
        match judged.reading {
            ReadingKind::InUse if is_held => {
                self.of.in_use.insert(item.0 as u64);
                let audits = self.batch.note_in_use(item)?;
                return match audits >= AUDITS_IN_USE {
                    true => self.batch.read_good_in(judged.stint, item, item, ReadingKind::InUse),
                    false => self.batch.read_from_cache(judged.stint, item),
                };
            }
            ReadingKind::Cache if is_held => return self.batch.read_from_cache(judged.stint, item),
            _ if self.of.in_use.remove(item.0 as u64) => self.batch.note_let_go(item)?,
            _ => {}
        }
        // An item without bytes goes with its neighbours: there is nothing to report about its reading.
        let reading = (!judged.is_empty).then_some(judged.reading);
        let mut first = from.0;
        // No other item was there when the plan was made. Those that were added since were read by themselves, or not at all.
        if first < item.0 {
            let before = self.of.added.rank(item.0 as u64 - 1);
            let last = before.checked_sub(1).and_then(|last| self.of.added.select(last));
            first = last.map_or(first, |last| first.max(last as i64 + 1));
        }
        self.good.push(Good { first, last: item.0, stint: judged.stint, reading });
        Ok(())
    }

    /// Records a finding.
    fn find(&mut self, item: ItemId, verdict: Verdict, judged: &Judged) -> Result<()> {
        let is_new = self.batch.put_finding(item, verdict, &judged.seen(), self.now_s)?;
        self.found.push(Stands { item, verdict, is_new });
        Ok(())
    }

    fn clear(&mut self, item: ItemId, reading: ReadingKind) -> Result<bool> {
        match self.of.standing.contains(item.0 as u64) {
            true => self.batch.clear_by(item, Some(reading), self.now_s),
            false => Ok(false),
        }
    }

    /// A content that was read wrong from the medium takes the medium to say that it is good.
    fn clear_unless_of_medium(&mut self, item: ItemId, reading: ReadingKind) -> Result<()> {
        if self.of.standing.contains(item.0 as u64) && !self.batch.is_of_medium(item)? {
            self.batch.clear_by(item, Some(reading), self.now_s)?;
        }
        Ok(())
    }

    /// Records what was read good, in as few spans as will do, and makes all of it.
    pub(crate) fn commit(mut self) -> Result<Vec<Stands>> {
        good::put(&mut self.good, &self.batch)?;
        self.batch.commit()?;
        Ok(self.found)
    }
}
