//! Decides which listed files need not be read again, and by which evidence.

use std::num::NonZeroU64;

use hashlane_audit::Content;
use hashlane_digest::Algorithm;
use hashlane_engine::Seen;
use hashlane_io::FileFacts;
use hashlane_record::Timestamp;

/// By how much a file has to be older than the listing: clocks of file systems are coarse, and those of servers are others.
const MARGIN_SECONDS: i64 = 2;

/// The same for what a store says: its clock need not go as the one here does.
const MARGIN_IN_STORE_SECONDS: i64 = 60;

/// A time before which no file was changed, so that it shows of none that it was verified.
const NEVER: Timestamp = Timestamp { seconds: 0, nanos: 0 };

/// What shows that a file is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Size and mtime are as listed, and, if the list states its time, ctime is before that and the inode is as listed, where one is.
    Times,
    /// Size and mtime are as listed.
    Mtime,
    /// Its name is listed.
    Names,
}

/// The evidence for trusted files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Size, mtime and ctime, and the inode where one is listed.
    Times,
    /// Size and mtime: the list does not state when its files were verified, so ctime shows nothing.
    TimesUndated,
    /// Size and mtime.
    Mtime,
    /// Only the name.
    Names,
}

/// What is seen of a file without reading it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signs {
    size_bytes: u64,
    modified: Timestamp,
    /// When anything of it was changed.
    changed_seconds: i64,
    /// Its number on its device, and that. Objects have none.
    pub(crate) place: Option<(NonZeroU64, u64)>,
}

impl From<&FileFacts> for Signs {
    fn from(facts: &FileFacts) -> Self {
        let (seconds, nanos) = facts.modified;
        Self {
            size_bytes: facts.size_bytes,
            modified: Timestamp { seconds, nanos },
            changed_seconds: facts.changed.0,
            place: NonZeroU64::new(facts.inode).map(|inode| (inode, facts.device)),
        }
    }
}

impl From<Seen> for Signs {
    /// The store sets its time, and nobody else can.
    fn from(Seen { size_bytes, modified, .. }: Seen) -> Self {
        Self { size_bytes, modified, changed_seconds: modified.seconds, place: None }
    }
}

/// Whether a file has the size and the mtime that are listed. The same time in another form shows nothing: whoever made a copy has the file
/// read.
pub(crate) fn has_size_and_time(listed: &Content, signs: &Signs) -> bool {
    listed.size == Some(signs.size_bytes) && listed.modified == Some(signs.modified)
}

/// The rules by which the files of one list are trusted.
#[derive(Clone, Copy, Debug)]
pub struct Belief {
    trust: Trust,
    margin_seconds: i64,
    started: Option<Timestamp>,
    is_of_the_future: bool,
}

impl Belief {
    /// `started`: when everything listed was verified, according to the list. A time after `now` is not trusted: the clock was wrong then
    /// or is wrong now, so it does not show that any file is older.
    pub fn new(trust: Trust, started: Option<Timestamp>, now: Option<Timestamp>) -> Self {
        let is_of_the_future = started.zip(now).is_some_and(|(started, now)| started > now);
        let started = started.map(|started| if is_of_the_future { NEVER } else { started.max(NEVER) });
        Self { trust, margin_seconds: MARGIN_SECONDS, started, is_of_the_future }
    }

    /// The same for objects of a store.
    #[must_use]
    pub fn in_store(self) -> Self {
        Self { margin_seconds: MARGIN_IN_STORE_SECONDS, ..self }
    }

    /// Whether the time of the list is in the future.
    pub fn is_of_the_future(&self) -> bool {
        self.is_of_the_future
    }

    /// When everything listed was verified.
    pub fn listed_at(&self) -> Timestamp {
        self.started.unwrap_or(NEVER)
    }

    /// Whether a file has not changed since everything listed was verified.
    pub(crate) fn is_older(&self, signs: &Signs) -> bool {
        signs.changed_seconds.saturating_add(self.margin_seconds) < self.listed_at().seconds
    }

    /// Whether a file with another name than a listed one may be shown to be that: by its times, and as it was neither written nor renamed
    /// since.
    pub(crate) fn may_follow(&self, signs: &Signs) -> bool {
        self.basis() == Basis::Times && self.is_older(signs)
    }

    /// Whether a file need not be read: it is trusted to be unchanged, and all of these algorithms are listed. `inode`: what is listed.
    pub(crate) fn takes(
        &self,
        listed: &Content,
        inode: Option<NonZeroU64>,
        signs: &Signs,
        algorithms: &[Algorithm],
    ) -> bool {
        let has =
            |algorithm: &Algorithm| listed.digests.iter().any(|digest| digest.algorithm() == *algorithm);
        if !algorithms.iter().all(has) {
            return false;
        }
        let same_times = has_size_and_time(listed, signs);
        match self.trust {
            Trust::Names => true,
            Trust::Mtime => same_times,
            Trust::Times if self.started.is_none() => same_times,
            // Two directories may have exchanged their names, with files alike in size and time.
            Trust::Times => {
                let is_another = inode.zip(signs.place).is_some_and(|(inode, (seen, _))| inode != seen);
                same_times && !is_another && self.is_older(signs)
            }
        }
    }

    /// Whether a file is as it is listed, and is read again only because it was listed so soon after it was written.
    pub(crate) fn is_too_young(&self, listed: &Content, signs: &Signs) -> bool {
        self.basis() == Basis::Times
            && !self.is_of_the_future
            && has_size_and_time(listed, signs)
            && !self.is_older(signs)
            && signs.changed_seconds.saturating_sub(self.margin_seconds) <= self.listed_at().seconds
    }

    /// The evidence for the trusted files.
    pub fn basis(&self) -> Basis {
        match self.trust {
            Trust::Names => Basis::Names,
            Trust::Mtime => Basis::Mtime,
            Trust::Times if self.started.is_some() => Basis::Times,
            Trust::Times => Basis::TimesUndated,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use hashlane_io::Directory;

    use super::*;

    #[test]
    fn a_file_is_trusted_only_where_all_that_is_asked_for_shows_it() {
        let root = tempfile::tempdir().expect("a directory");
        fs::write(root.path().join("f"), "content").expect("written");
        let directory = Directory::with_descriptor(
            b"d".to_vec(),
            fs::File::open(root.path()).expect("opened").into(),
            None,
        );
        let facts = directory.facts(c"f").expect("facts");
        let (md5, sha256) = (Algorithm::MD5, Algorithm::SHA256);
        let at = |seconds| Timestamp { seconds, nanos: 0 };
        let modified = Timestamp { seconds: facts.modified.0, nanos: facts.modified.1 };
        let listed =
            Content { size: Some(7), modified: Some(modified), digests: vec![md5.digest(b"content")] };
        let other = Content { modified: Some(at(1)), ..listed.clone() };
        let longer = Content { size: Some(8), ..listed.clone() };
        let changed = facts.changed.0;
        let takes = |trust, started: Option<i64>, listed: &Content| {
            let now = Some(at(changed + 1000));
            Belief::new(trust, started.map(at), now).takes(listed, None, &Signs::from(&facts), &[md5])
        };
        // Changed, and then listed; listed at the time of the change; listed at a time that is yet to come.
        for (started, is_trusted) in [(None, true), (Some(3), true), (Some(0), false), (Some(2000), false)] {
            let started = started.map(|after| changed + after);
            assert_eq!(takes(Trust::Times, started, &listed), is_trusted, "{started:?}");
            assert!(takes(Trust::Mtime, started, &listed) && takes(Trust::Names, started, &other));
            for other in [&other, &longer] {
                assert!(!takes(Trust::Times, started, other) && !takes(Trust::Mtime, started, other));
            }
        }
        let belief = Belief::new(Trust::Names, None, None);
        assert!(!belief.takes(&listed, None, &Signs::from(&facts), &[md5, sha256]), "a digest is lacking");
        // Another file has its name, size and time.
        for (inode, is_trusted) in [(facts.inode, true), (facts.inode + 1, false)] {
            let inode = NonZeroU64::new(inode);
            let takes = |trust| {
                let belief = Belief::new(trust, Some(at(changed + 3)), None);
                belief.takes(&listed, inode, &Signs::from(&facts), &[md5])
            };
            assert_eq!([Trust::Times, Trust::Mtime].map(takes), [is_trusted, true]);
        }
    }

    #[test]
    fn an_object_is_trusted_a_minute_after_it_was_written() {
        let md5 = Algorithm::MD5;
        let at = |seconds| Timestamp { seconds, nanos: 0 };
        let stored = Seen { size_bytes: 7, modified: at(1000), ..Seen::default() };
        let listed =
            Content { size: Some(7), modified: Some(at(1000)), digests: vec![md5.digest(b"content")] };
        let takes = |started| {
            let belief = Belief::new(Trust::Times, Some(at(started)), Some(at(5000))).in_store();
            belief.takes(&listed, None, &Signs::from(stored), &[md5])
        };
        assert_eq!([1003, 1060, 1061].map(takes), [false, false, true]);
        let is_too_young = |started| {
            let belief = Belief::new(Trust::Times, Some(at(started)), Some(at(5000))).in_store();
            belief.is_too_young(&listed, &Signs::from(stored))
        };
        // One that is listed long before it was written was listed by another clock.
        assert_eq!([900, 940, 1060, 1061].map(is_too_young), [false, true, true, false]);
        let belief = Belief::new(Trust::Mtime, Some(at(1003)), Some(at(5000))).in_store();
        assert!(!belief.is_too_young(&listed, &Signs::from(stored)), "it is trusted");
    }

    #[test]
    fn a_time_that_is_yet_to_come_or_before_all_others_shows_nothing() {
        let at = |seconds| Some(Timestamp { seconds, nanos: 0 });
        let belief = |started, now| Belief::new(Trust::Times, started, now);
        assert!(belief(at(11), at(10)).is_of_the_future() && !belief(at(10), at(10)).is_of_the_future());
        let listed = [(at(11), at(10)), (at(-5), at(10)), (None, at(10)), (at(9), at(10)), (at(9), None)];
        let listed = listed.map(|(started, now)| belief(started, now).listed_at().seconds);
        assert_eq!(listed, [0, 0, 0, 9, 9]);
        let basis = [at(9), None].map(|started| belief(started, at(10)).basis());
        assert_eq!(basis, [Basis::Times, Basis::TimesUndated]);
    }
}
