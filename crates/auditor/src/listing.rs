//! The first part of an audit: the whole tree is listed and compared with what is known, before a byte is read.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use hashlane_catalog::paths::{joined, split};
use hashlane_catalog::scratch::{Displaced, Gone, GoneItem, LostOfSegment, ToJudge};
use hashlane_catalog::{
    Cause, Collection, Comparison, Content, Item, ItemId, Reader, Result, State, Verdict,
};
use hashlane_engine::{Control, Shown};
use roaring::RoaringTreemap;

use crate::ground::{Ground, content_of};
use crate::logs::Logs;

/// This many files are listed between two looks at how far that is.
pub(crate) const PROGRESS_FILES: u64 = 256;

/// What the listing of a tree found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listing {
    /// Files that are there and belong to the collection.
    pub files: u64,
    /// Their sizes.
    pub bytes: u64,
    /// Those of whose content nothing is known.
    pub new: u64,
    /// Those that are known, but not with this size and time.
    pub changed: u64,
    /// Files that are known and not there.
    pub gone: u64,
    /// Those of them that an earlier audit has reported as missing.
    pub said: u64,
    /// Those of them whose inode belongs to an unknown file: they were renamed, as far as can be seen without reading them.
    pub renamed: u64,
    /// Those of them that no earlier audit has reported as missing.
    pub renamed_since: u64,
    /// Files that are known and that a filter leaves out now.
    pub ignored: u64,
    /// Files that are there and cannot be read now, because they lie in an archive.
    pub offline: u64,
    /// Known files that look as they did, and are other files: they have other numbers.
    pub replaced: u64,
    /// Known files that look as they did, but for the time of the last change: their names, links, owners, modes or attributes have changed.
    pub changed_metadata: u64,
    /// Directories and files that could not be listed or looked up.
    pub unlisted: u64,
}

/// All that the listing leaves for the rest of the audit.
pub(crate) struct Found {
    pub(crate) listing: Listing,
    /// The size of the largest file that is there.
    pub(crate) largest_bytes: u64,
    /// The sizes of those that are new or look changed: they are read whatever is due.
    pub(crate) at_once_bytes: u64,
    pub(crate) to_judge: Arc<Mutex<ToJudge>>,
    pub(crate) gone: Gone,
    /// Items that are gone and were renamed, as far as can be seen without reading them, and not yet reported as missing by an
    /// audit.
    pub(crate) renamed_since: RoaringTreemap,
    pub(crate) displaced: Displaced,
    /// Known items that need no look at their age: they are gone or ignored, cannot be read now, or are read in any case. The plan
    /// takes them.
    pub(crate) skip: RoaringTreemap,
    /// Items that a filter leaves out since the last listing.
    pub(crate) newly_ignored: RoaringTreemap,
    /// Items that a filter left out, and that belong to the collection again.
    pub(crate) taken_again: RoaringTreemap,
    /// Items that are gone and that nobody has accepted, or that were never read.
    pub(crate) unmissed: RoaringTreemap,
    /// Items that are there and are read because they are new or look changed.
    pub(crate) changed: RoaringTreemap,
    /// Items that were missing, and are there again, but cannot be read now.
    pub(crate) returned: RoaringTreemap,
    /// Paths that could not be listed, and what the system said.
    pub(crate) unlisted: BTreeMap<Vec<u8>, String>,
    pub(crate) skipped: hashlane_engine::Skipped,
    /// Files that look changed, without an earlier audit having said so.
    pub(crate) unsaid: u64,
    /// Items that look as they did, and are other files; before anything is read, also those that earlier audits have found to be so, and
    /// that were not read since.
    pub(crate) replaced: RoaringTreemap,
    /// Items that look as they did, but for the time of the last change.
    pub(crate) changed_metadata: RoaringTreemap,
    /// Files that may be appended to, and have other names now.
    pub(crate) logs: Arc<Logs>,
}

impl Found {
    /// How many files of a segment are gone and were renamed, and were not reported as missing by an earlier audit.
    pub(crate) fn renamed_in(&self, segment: LostOfSegment) -> u64 {
        let up_to = |item: i64| self.renamed_since.rank(item as u64);
        up_to(segment.last.0) - up_to(segment.first.0.saturating_sub(1))
    }
}

/// Takes what was listed so far, every few files.
pub(crate) type Progress<'a> = &'a mut dyn FnMut(&Listing) -> Result<()>;

/// Takes each file that is listed: its directory, its name, and what is seen of it.
pub(crate) type Each<'a> = &'a mut dyn FnMut(&[u8], &[u8], Option<&Content>) -> Result<()>;

/// Lists a tree. `scratch`: where large temporary files may lie.
pub(crate) fn list(
    catalog: &Reader,
    collection: &Collection,
    ground: &Ground<'_>,
    scratch: &Path,
    control: &Control,
    (progress, each): (Progress<'_>, Each<'_>),
) -> Result<Found> {
    let logs = RefCell::new(Logs::of(collection)?);
    let taken_again = RefCell::new(RoaringTreemap::new());
    let mut present = Present {
        catalog,
        logs: &logs,
        listing: Listing::default(),
        to_judge: ToJudge::new(scratch)?,
        changed: RoaringTreemap::new(),
        unsaid: 0,
        largest_bytes: 0,
        at_once_bytes: 0,
        offline: RoaringTreemap::new(),
        returned: RoaringTreemap::new(),
        replaced: RoaringTreemap::new(),
        changed_metadata: RoaringTreemap::new(),
        taken_again: &taken_again,
    };
    let mut absent = Absent {
        catalog,
        ground,
        logs: &logs,
        taken_again: &taken_again,
        gone: Gone::new(scratch)?,
        displaced: Displaced::new(scratch)?,
        skip: RoaringTreemap::new(),
        unlisted: BTreeMap::new(),
        gone_files: 0,
        said: 0,
        ignored: 0,
        newly_ignored: RoaringTreemap::new(),
        unmissed: RoaringTreemap::new(),
    };
    let mut comparison =
        Comparison::new(catalog, collection).watching(catalog.findings_of_retired(collection.id)?);
    let skipped = ground.list(scratch, control, &mut |shown| match shown {
        Shown::Unlisted { path, reason } => {
            comparison.unsearched(path);
            absent.unlisted.insert(path.to_vec(), reason.to_owned());
            Ok(())
        }
        Shown::File { path, seen, is_offline } => {
            let ((directory, name), content) = (split(path), seen.map(content_of));
            each(directory, name, content.as_ref())?;
            let known = comparison.file(directory, name, &mut |path, item| absent.add(path, item))?;
            let known = known.map(|item| take_again(catalog, item, &taken_again)).transpose()?;
            if is_offline && !known.as_ref().is_some_and(|item| present.is_changed(item, content.as_ref())) {
                present.add_offline(content.as_ref(), known.as_ref())?;
            } else {
                present.add((directory, name), content.as_ref(), known, &mut absent.displaced)?;
            }
            match present.listing.files.is_multiple_of(PROGRESS_FILES) {
                true => progress(&present.listing),
                false => Ok(()),
            }
        }
    })?;
    comparison.finish(&mut |path, item| absent.add(path, item))?;
    let Present { mut listing, to_judge, changed, unsaid, largest_bytes, offline, returned, .. } = present;
    let (replaced, changed_metadata, at_once_bytes) =
        (present.replaced, present.changed_metadata, present.at_once_bytes);
    (listing.replaced, listing.changed_metadata) = (replaced.len(), changed_metadata.len());
    let Absent { gone, mut displaced, mut skip, unlisted, newly_ignored, unmissed, .. } = absent;
    skip |= &changed;
    skip |= &offline;
    (listing.gone, listing.said, listing.ignored) = (absent.gone_files, absent.said, absent.ignored);
    listing.unlisted = unlisted.len() as u64;
    if !displaced.is_empty() {
        to_judge.index()?;
        forget_reused(collection, ground, &to_judge, &mut logs.borrow_mut())?;
    }
    if listing.new + listing.changed > 0 {
        for item in catalog.standing_items(collection.id, &[Verdict::Suspect, Verdict::UnstableMedium])? {
            let item = ItemId(item as i64);
            // Of what somebody has written to, or put in its place, nobody knows whether it wavers.
            let finding = catalog.finding(collection, item)?;
            if let Some(finding) = finding.filter(|finding| finding.seen.cause != Some(Cause::Restored)) {
                displaced.add_wavering(item, &finding.seen.content)?;
            }
        }
    }
    let mut renamed_since = RoaringTreemap::new();
    if listing.gone > 0 {
        (listing.renamed, renamed_since) = renamed(&to_judge, &gone)?;
        listing.renamed_since = renamed_since.len();
    }
    let to_judge = Arc::new(Mutex::new(to_judge));
    Ok(Found {
        listing,
        largest_bytes,
        at_once_bytes,
        to_judge,
        gone,
        renamed_since,
        displaced,
        skip,
        newly_ignored,
        taken_again: taken_again.into_inner(),
        unmissed,
        changed,
        returned,
        unlisted,
        skipped,
        unsaid,
        replaced,
        changed_metadata,
        logs: Arc::new(logs.into_inner()),
    })
}

/// Takes what is there.
struct Present<'a> {
    catalog: &'a Reader,
    logs: &'a RefCell<Logs>,
    listing: Listing,
    to_judge: ToJudge,
    changed: RoaringTreemap,
    unsaid: u64,
    largest_bytes: u64,
    at_once_bytes: u64,
    /// Known items that cannot be read now, and those of them that were missing.
    offline: RoaringTreemap,
    returned: RoaringTreemap,
    replaced: RoaringTreemap,
    changed_metadata: RoaringTreemap,
    taken_again: &'a RefCell<RoaringTreemap>,
}

impl Present<'_> {
    /// Whether a known file looks written to, or was left out until now: of that time nothing is known.
    fn is_changed(&self, item: &Item, content: Option<&Content>) -> bool {
        content.is_some() && self.taken_again.borrow().contains(item.id.0 as u64) || is_changed(item, content)
    }

    /// Whether a known file looks as it did when what stands against it was found. Of a log the known beginning is read in any case.
    fn is_as_found(&self, item: &Item, (directory, name): (&[u8], &[u8]), seen: &Content) -> Result<bool> {
        let is_again = self.taken_again.borrow().contains(item.id.0 as u64);
        Ok(!is_again
            && is_changed(item, Some(seen))
            && self.catalog.looks_as_found(item.id, seen)?
            && !self.logs.borrow().takes(&joined(directory, name)))
    }

    /// Takes a file that cannot be read now. A known one is not due; one that is not known waits until it can be read. One that
    /// looks changed is none of these: that it cannot be read is said of it.
    fn add_offline(&mut self, content: Option<&Content>, known: Option<&Item>) -> Result<()> {
        let bytes = content.and_then(|content| content.size).unwrap_or(0);
        self.listing.files += 1;
        self.listing.bytes = self.listing.bytes.saturating_add(bytes);
        self.listing.offline += 1;
        if let Some(item) = known {
            self.offline.insert(item.id.0 as u64);
            if self.catalog.is_said_to_be_missing(item.id)? {
                self.returned.insert(item.id.0 as u64);
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        (directory, name): (&[u8], &[u8]),
        content: Option<&Content>,
        known: Option<Item>,
        displaced: &mut Displaced,
    ) -> Result<()> {
        let bytes = content.and_then(|content| content.size).unwrap_or(0);
        self.listing.files += 1;
        self.listing.bytes = self.listing.bytes.saturating_add(bytes);
        self.largest_bytes = self.largest_bytes.max(bytes);
        let unknown = Content::default();
        let seen = content.unwrap_or(&unknown);
        let Some(item) = known else {
            self.listing.new += 1;
            self.at_once_bytes = self.at_once_bytes.saturating_add(bytes);
            return self.to_judge.add(directory, name, seen, None, true);
        };
        let is_new = matches!(item.state, State::Retired | State::Unread);
        if !is_new && seen.inode.is_some() && seen.inode != item.content.inode {
            displaced.add(&item)?;
        }
        if is_new {
            self.listing.new += 1;
        } else if self.is_as_found(&item, (directory, name), seen)? {
            // It was read as it is now, and that stands. Before others it would use up a small budget each night.
            return Ok(());
        } else if self.is_changed(&item, content) {
            if seen.inode.is_none() || seen.inode != item.content.inode {
                self.logs.borrow_mut().add(&joined(directory, name), &item, true);
            }
            // A filter left it out: it may be another file all the same, and may be edited before its turn comes.
            let looks_changed = is_changed(&item, content);
            if !looks_changed {
                self.note_replaced(&item, seen);
            }
            self.listing.changed += 1;
            let is_unsaid = looks_changed && !self.catalog.is_said_to_differ(item.id)?;
            self.unsaid += u64::from(is_unsaid);
        } else {
            self.look_at_metadata(&item, seen);
            return Ok(());
        }
        self.changed.insert(item.id.0 as u64);
        self.at_once_bytes = self.at_once_bytes.saturating_add(bytes);
        self.to_judge.add(directory, name, seen, Some(item.id), is_new)
    }
}

impl Present<'_> {
    /// Takes note of a file whose size and time are as known, if it is another one, or something else of it has changed. What was never
    /// recorded, as in an imported list, or is not kept where the file lies, says nothing.
    fn look_at_metadata(&mut self, item: &Item, seen: &Content) {
        let (known, id) = (&item.content, item.id.0 as u64);
        if !self.note_replaced(item, seen)
            && known.changed.zip(seen.changed).is_some_and(|(known, seen)| known != seen)
        {
            self.changed_metadata.insert(id);
        }
    }

    /// Takes note of a file that is another one by its inode. Returns whether it is.
    fn note_replaced(&mut self, item: &Item, seen: &Content) -> bool {
        let is_other = item.content.inode.zip(seen.inode).is_some_and(|(known, seen)| known != seen);
        if is_other {
            self.replaced.insert(item.id.0 as u64);
        }
        is_other
    }
}

/// An item as it was before a filter left it out, if one did: it belongs to the collection again.
fn take_again(catalog: &Reader, item: Item, taken_again: &RefCell<RoaringTreemap>) -> Result<Item> {
    if item.state != State::Ignored {
        return Ok(item);
    }
    taken_again.borrow_mut().insert(item.id.0 as u64);
    Ok(Item { state: catalog.state_before(item.id)?, ..item })
}

/// Whether a known file looks written to.
fn is_changed(item: &Item, content: Option<&Content>) -> bool {
    let Some(content) = content else { return false };
    let known = &item.content;
    known.size.is_some() && known.size != content.size
        || known.modified.is_some() && known.modified != content.modified
}

/// How many of the items that are gone have become files that are not known, by their inodes; and which of those were not said to be missing
/// before.
fn renamed(to_judge: &ToJudge, gone: &Gone) -> Result<(u64, RoaringTreemap)> {
    let (mut renamed, mut since, mut behind) = (0, RoaringTreemap::new(), ItemId(0));
    let none = RoaringTreemap::new();
    while let Some(GoneItem { item, content, is_said }) = gone.next(behind)? {
        if content.inode.is_some() && to_judge.has_new(&content, &none)? {
            renamed += 1;
            if !is_said {
                since.insert(item.0 as u64);
            }
        }
        behind = item;
    }
    Ok((renamed, since))
}

/// Leaves out of the logs those whose inodes other files have by now: what was made since the tree was last listed was not renamed. Each is then
/// compared with what is known of its own name.
fn forget_reused(
    collection: &Collection,
    ground: &Ground<'_>,
    to_judge: &ToJudge,
    logs: &mut Logs,
) -> Result<()> {
    for inode in logs.inodes() {
        let files = to_judge.of_inode(inode)?;
        if files.iter().any(|file| ground.was_made_since_listed(collection, &file.path())) {
            logs.forget_inode(inode);
        }
    }
    Ok(())
}

/// Takes what is known and not there.
struct Absent<'a> {
    catalog: &'a Reader,
    ground: &'a Ground<'a>,
    logs: &'a RefCell<Logs>,
    taken_again: &'a RefCell<RoaringTreemap>,
    gone: Gone,
    displaced: Displaced,
    skip: RoaringTreemap,
    unlisted: BTreeMap<Vec<u8>, String>,
    gone_files: u64,
    said: u64,
    ignored: u64,
    newly_ignored: RoaringTreemap,
    unmissed: RoaringTreemap,
}

impl Absent<'_> {
    fn add(&mut self, directory: &[u8], item: Item) -> Result<()> {
        let path = joined(directory, &item.name);
        self.skip.insert(item.id.0 as u64);
        // It is there, but that is all that is known of it.
        if self.unlisted.contains_key(&path) {
            return Ok(());
        }
        // What stands against it goes with its name: what it was known as has another one.
        if item.state == State::Retired {
            if self.ground.takes(&path) {
                self.unmissed.insert(item.id.0 as u64);
            }
            return Ok(());
        }
        if !self.ground.takes(&path) {
            if item.state != State::Ignored {
                self.newly_ignored.insert(item.id.0 as u64);
            }
            // Who renames it to a name that is not left out has it audited again.
            self.displaced.add_left_out(&item)?;
            self.ignored += 1;
            return Ok(());
        }
        let item = &take_again(self.catalog, item, self.taken_again)?;
        // Nobody knows it as anything that should be there, unless more was found of it than that it is new.
        let is_unknown = item.state == State::Unaccepted && !self.catalog.would_be_missed(item.id)?;
        if is_unknown || item.content.digests.is_empty() {
            // Under another name it is the same file all the same.
            self.displaced.add(item)?;
            self.unmissed.insert(item.id.0 as u64);
            return Ok(());
        }
        let is_said = self.catalog.is_said_to_be_missing(item.id)?;
        self.gone_files += 1;
        self.said += u64::from(is_said);
        self.displaced.add(item)?;
        self.logs.borrow_mut().add(&path, item, false);
        self.gone.add(item, is_said)
    }
}
