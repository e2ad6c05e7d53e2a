//! Bounds on sizes and times of files.

use hashlane_io::{FileFacts, FileKind};
use hashlane_record::Timestamp;

/// Optional bounds of size and time. They apply to files found by a walk and to named files alike.
///
/// They apply to regular files only: a pipe has no size before it ends, and the contents of a device have no time. They never apply to
/// standard input, even if it is a regular file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The smallest accepted size, in bytes.
    pub min_size_bytes: Option<u64>,
    /// The largest accepted size, in bytes.
    pub max_size_bytes: Option<u64>,
    /// The earliest accepted time of the last change of the content.
    pub not_before: Option<Timestamp>,
    /// The time of the last change of the content must be before this.
    pub before: Option<Timestamp>,
}

impl Bounds {
    /// Whether there are no bounds.
    pub fn are_open(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a size in bytes and a time are within the bounds. Unknown values are accepted.
    pub fn hold(&self, size_bytes: Option<u64>, modified: Option<Timestamp>) -> bool {
        let Self { min_size_bytes, max_size_bytes, not_before, before } = *self;
        size_bytes.is_none_or(|size| {
            min_size_bytes.is_none_or(|least| size >= least) && max_size_bytes.is_none_or(|most| size <= most)
        }) && modified.is_none_or(|time| {
            not_before.is_none_or(|start| time >= start) && before.is_none_or(|end| time < end)
        })
    }

    /// Whether a file with these facts is within the bounds.
    pub fn take(&self, facts: &FileFacts) -> bool {
        let (seconds, nanos) = facts.modified;
        facts.kind != FileKind::Regular
            || self.hold(Some(facts.size_bytes), Some(Timestamp { seconds, nanos }))
    }

    /// The largest size in bytes up to which a file is read as soon as it is open, before its facts are looked at: none where
    /// that would often be for nothing.
    pub(crate) fn read_at_once(&self, most_bytes: u64) -> u64 {
        let known_by_size = self.not_before.is_none() && self.before.is_none();
        let wants_small = self.min_size_bytes.is_none_or(|least| least <= 1);
        if known_by_size && wants_small { most_bytes.min(self.max_size_bytes.unwrap_or(u64::MAX)) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64, nanos: u32) -> Timestamp {
        Timestamp { seconds, nanos }
    }

    fn facts(kind: FileKind, size_bytes: u64, modified: (i64, u32)) -> FileFacts {
        let (allocated_bytes, changed) = (size_bytes, modified);
        FileFacts {
            kind,
            size_bytes,
            allocated_bytes,
            modified,
            changed,
            accessed: changed,
            device: 1,
            inode: 1,
            links: 1,
        }
    }

    #[test]
    fn a_size_equal_to_a_bound_is_wanted() {
        let bounds = Bounds { min_size_bytes: Some(3), max_size_bytes: Some(5), ..Bounds::default() };
        let wanted = (0..8).filter(|&size| bounds.hold(Some(size), None)).collect::<Vec<_>>();
        assert_eq!(wanted, [3, 4, 5]);
        let nothing = Bounds { max_size_bytes: Some(0), ..Bounds::default() };
        assert!(nothing.hold(Some(0), None) && !nothing.hold(Some(1), None));
    }

    #[test]
    fn a_time_lies_on_one_side_of_a_bound() {
        let newer = Bounds { not_before: Some(at(7, 5)), ..Bounds::default() };
        let older = Bounds { before: Some(at(7, 5)), ..Bounds::default() };
        for (time, is_newer) in [(at(7, 4), false), (at(7, 5), true), (at(8, 0), true), (at(-1, 9), false)] {
            assert_eq!((newer.hold(None, Some(time)), older.hold(None, Some(time))), (is_newer, !is_newer));
        }
    }

    #[test]
    fn what_is_not_known_is_wanted_and_what_is_no_regular_file_too() {
        let bounds = Bounds { min_size_bytes: Some(1), not_before: Some(at(9, 0)), ..Bounds::default() };
        assert!(bounds.hold(None, None) && bounds.hold(Some(1), None) && !bounds.hold(Some(0), None));
        assert!(bounds.take(&facts(FileKind::Special, 0, (0, 0))));
        assert!(!bounds.take(&facts(FileKind::Regular, 0, (9, 0))));
        assert!(bounds.take(&facts(FileKind::Regular, 1, (9, 0))));
        assert!(Bounds::default().are_open() && !bounds.are_open());
    }

    #[test]
    fn only_what_is_likely_to_be_wanted_is_read_before_it_is_looked_at() {
        let most = |most| Bounds { max_size_bytes: Some(most), ..Bounds::default() }.read_at_once(100);
        assert_eq!((Bounds::default().read_at_once(100), most(7), most(700)), (100, 7, 100));
        assert_eq!(Bounds { min_size_bytes: Some(2), ..Bounds::default() }.read_at_once(100), 0);
        assert_eq!(Bounds { before: Some(at(0, 0)), ..Bounds::default() }.read_at_once(100), 0);
    }
}
