//! The first part of an audit: the whole tree is listed and compared with what is known, before a byte is read.

use std::path::Path;

use roaring::RoaringTreemap;

use super::ground::{Ground, Listed};
use super::scratch::{Displaced, Gone, ToJudge};
use crate::catalog::Catalog;
use crate::collections::Collection;
use crate::comparison::Comparison;
use crate::error::Result;
use crate::findings;
use crate::items::{Content, Item, State, joined};

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
    /// Those of them of which an earlier audit has said that they are missing.
    pub said: u64,
    /// Those of them whose inode a file has that is not known: they were renamed, as far as can be told without reading them.
    pub renamed: u64,
    /// Files that are known and that a filter leaves out now.
    pub ignored: u64,
    /// Directories and files that could not be listed or looked up.
    pub unlisted: u64,
}

/// All that the listing leaves for the rest of the audit.
pub(crate) struct Found {
    pub(crate) listing: Listing,
    /// The size of the largest file that is there.
    pub(crate) largest_bytes: u64,
    pub(crate) to_judge: ToJudge,
    pub(crate) gone: Gone,
    pub(crate) displaced: Displaced,
    /// Known items that need no look at their age: they are gone or ignored, or are read in any case.
    pub(crate) skip: RoaringTreemap,
    /// Items that a filter leaves out since the last listing.
    pub(crate) newly_ignored: RoaringTreemap,
    /// Items that are gone and that nobody has accepted, or that were never read.
    pub(crate) unmissed: RoaringTreemap,
    /// Items that are there and are read because they are new or look changed.
    pub(crate) changed: RoaringTreemap,
    /// Paths that could not be listed, and what the system said.
    pub(crate) unlisted: Vec<(Vec<u8>, String)>,
    pub(crate) skipped: hashlane_engine::Skipped,
    /// Files that look changed, and of which no earlier audit has said so.
    pub(crate) unsaid: u64,
}

/// Lists a tree. `scratch`: where large temporary files may lie.
pub(crate) fn list(
    catalog: &Catalog,
    collection: &Collection,
    ground: &dyn Ground,
    scratch: &Path,
    progress: &mut dyn FnMut(u64) -> Result<()>,
) -> Result<Found> {
    let (mut listing, mut to_judge) = (Listing::default(), ToJudge::new(scratch)?);
    let mut absent = Absent {
        catalog,
        ground,
        gone: Gone::new(scratch)?,
        displaced: Displaced::new(scratch)?,
        skip: RoaringTreemap::new(),
        unlisted: Vec::new(),
        gone_files: 0,
        said: 0,
        ignored: 0,
        newly_ignored: RoaringTreemap::new(),
        unmissed: RoaringTreemap::new(),
    };
    let (mut changed, mut unsaid, mut largest_bytes) = (RoaringTreemap::new(), 0, 0);
    let mut comparison = Comparison::new(catalog, collection);
    let skipped = ground.list(&mut |listed| match listed {
        Listed::Unlisted { path, reason } => {
            comparison.unsearched(path);
            absent.unlisted.push((path.to_vec(), reason.to_owned()));
            Ok(())
        }
        Listed::File { directory, name, content } => {
            let known = comparison.file(directory, name, &mut |path, item| absent.add(path, &item))?;
            listing.files += 1;
            let bytes = content.as_ref().and_then(|content| content.size).unwrap_or(0);
            listing.bytes += bytes;
            largest_bytes = largest_bytes.max(bytes);
            if listing.files.is_multiple_of(4096) {
                progress(listing.files)?;
            }
            match known {
                None => {
                    listing.new += 1;
                    to_judge.add(directory, name, &content.unwrap_or_default(), None, true)
                }
                Some(item) => {
                    let is_new = matches!(item.state, State::Retired | State::Unread);
                    let inode = content.as_ref().and_then(|content| content.inode);
                    if !is_new && inode.is_some() && inode != item.content.inode {
                        absent.displaced.add(&item)?;
                    }
                    if !is_new && !is_changed(&item, content.as_ref()) {
                        return Ok(());
                    }
                    match is_new {
                        true => listing.new += 1,
                        false => {
                            listing.changed += 1;
                            unsaid += u64::from(!findings::is_said(&catalog.connection, item.id)?);
                        }
                    }
                    changed.insert(item.id.0 as u64);
                    to_judge.add(directory, name, &content.unwrap_or_default(), Some(item.id), is_new)
                }
            }
        }
    })?;
    comparison.finish(&mut |path, item| absent.add(path, &item))?;
    absent.skip |= &changed;
    let Absent {
        gone, displaced, skip, unlisted, gone_files, said, ignored, newly_ignored, unmissed, ..
    } = absent;
    (listing.gone, listing.said, listing.ignored) = (gone_files, said, ignored);
    listing.unlisted = unlisted.len() as u64;
    if gone_files > 0 {
        to_judge.index()?;
        listing.renamed = renamed(&to_judge, &gone)?;
    }
    Ok(Found {
        listing,
        largest_bytes,
        to_judge,
        gone,
        displaced,
        skip,
        newly_ignored,
        unmissed,
        changed,
        unlisted,
        skipped,
        unsaid,
    })
}

/// Whether a known file looks written to.
fn is_changed(item: &Item, content: Option<&Content>) -> bool {
    let Some(content) = content else { return false };
    let known = &item.content;
    item.state == State::Ignored
        || known.size.is_some() && known.size != content.size
        || known.modified.is_some() && known.modified != content.modified
}

/// How many of the items that are gone have become files that are not known, by their inodes.
fn renamed(to_judge: &ToJudge, gone: &Gone) -> Result<u64> {
    let (mut renamed, mut behind, none) = (0, crate::items::ItemId(0), RoaringTreemap::new());
    while let Some((item, content, _)) = gone.next(behind)? {
        renamed += u64::from(content.inode.is_some() && to_judge.has_new(&content, &none)?);
        behind = item;
    }
    Ok(renamed)
}

/// Takes what is known and not there.
struct Absent<'a> {
    catalog: &'a Catalog,
    ground: &'a dyn Ground,
    gone: Gone,
    displaced: Displaced,
    skip: RoaringTreemap,
    unlisted: Vec<(Vec<u8>, String)>,
    gone_files: u64,
    said: u64,
    ignored: u64,
    newly_ignored: RoaringTreemap,
    unmissed: RoaringTreemap,
}

impl Absent<'_> {
    fn add(&mut self, directory: &[u8], item: &Item) -> Result<()> {
        let path = joined(directory, &item.name);
        self.skip.insert(item.id.0 as u64);
        // It is there, but that is all that is known of it.
        if self.unlisted.iter().any(|(unlisted, _)| *unlisted == path) {
            return Ok(());
        }
        if !self.ground.takes(&path) {
            if item.state != State::Ignored {
                self.newly_ignored.insert(item.id.0 as u64);
            }
            self.ignored += 1;
            return Ok(());
        }
        // Nobody knows it as anything that should be there.
        if item.state == State::Unaccepted || item.content.digests.is_empty() {
            self.unmissed.insert(item.id.0 as u64);
            return Ok(());
        }
        let is_said = findings::is_missing(&self.catalog.connection, item.id)?;
        self.gone_files += 1;
        self.said += u64::from(is_said);
        self.displaced.add(item)?;
        self.gone.add(item, is_said)
    }
}
