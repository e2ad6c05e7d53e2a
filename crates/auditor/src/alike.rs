//! What two looks at a file say of each other: whether somebody has written to it in between.

use hashlane_audit::TimeMatch;
use hashlane_catalog::{Content, Item, Seen, State};
use hashlane_record::Timestamp;

/// Whether nobody has written to a file between two looks at it, as far as its size and time tell.
pub(crate) fn looks_alike(one: &Content, other: &Content) -> bool {
    (one.size, one.modified) == (other.size, other.modified)
}

/// The same, and whether it has one inode, where there are inodes.
pub(crate) fn is_same_file(one: &Content, other: &Content) -> bool {
    one.inode == other.inode && looks_alike(one, other)
}

/// Whether a file has an earlier time than the known one, and not the same in another form.
pub(crate) fn is_older(known: &Content, seen: &Content, is_in_store: bool) -> bool {
    is_earlier(known.modified, seen.modified, is_in_store)
}

/// Whether the second one is earlier than the first, and not the same time in another form.
pub(crate) fn is_earlier(was: Option<Timestamp>, is: Option<Timestamp>, is_in_store: bool) -> bool {
    was.zip(is).is_some_and(|(was, is)| is < was && !TimeMatch::between(was, is).is_same(is_in_store))
}

/// Whether a file that has changed was edited, as far as its time shows: it has another time, and not the same one in another form.
/// If it was never seen with its known digests, nobody knows.
pub(crate) fn is_edit(known: &Item, seen: &Seen, is_in_store: bool) -> bool {
    let has_other_time = known.content.modified.is_some_and(|was| {
        seen.content.modified.is_none_or(|is| !TimeMatch::between(was, is).is_same(is_in_store))
    });
    known.state != State::Registered && has_other_time
}
