//! From what was seen of a file to its record.

use std::io;
use std::sync::{Arc, OnceLock};

use hashlane_digest::Digest;
use hashlane_io::{
    CacheUnseen, FileFacts, FileKind, MediumObstacle, Opened, ReadCause, ReadError, ReadStep, Sources, Store,
};
use hashlane_record::{
    Cause, Dispute, Facts, Failure, Instability, Medium, ObjectState, Obstacle, Operation, Origin, Outcome,
    Pieces, Record, Timestamp,
};
use rustix::io::Errno;

use crate::entry::{Entry, Excluded};

/// What becomes of an entry.
#[derive(Debug)]
pub(crate) enum Finished {
    /// It was read, or could not be.
    Record(Record),
    /// It is the file that the output goes to, and no item.
    Output { number: u64 },
    /// It is not wanted.
    Excluded(Excluded),
}

impl Finished {
    pub(crate) fn number(&self) -> u64 {
        match self {
            Self::Record(record) => record.number,
            Self::Output { number } => *number,
            Self::Excluded(excluded) => excluded.number,
        }
    }
}

/// What reading a file to its end, or to an error, has left.
#[derive(Debug)]
pub(crate) struct Reading<S: Store> {
    pub(crate) file: Option<Arc<S::Opened>>,
    pub(crate) digests: Vec<Digest>,
    pub(crate) pieces: Option<Box<Pieces>>,
    /// Offset of the first byte digested.
    pub(crate) start: u64,
    pub(crate) digested_bytes: u64,
    pub(crate) sources: Sources,
    pub(crate) failure: Option<Failure>,
    /// The sources are what was observed, not what the page cache showed beforehand: the engine went past it, or one read
    /// brought all, and nobody had read ahead before.
    pub(crate) observed: bool,
}

impl<S: Store> Reading<S> {
    /// The record of the entry, which is left without its tag. To be called as soon as the last byte was read. Takes note in
    /// `unseen` if it cannot be determined where bytes came from.
    pub(crate) fn record(self, entry: &mut Entry<S>, unseen: &OnceLock<CacheUnseen>) -> Record {
        let outcome = match (self.failure, &self.file) {
            (Some(failure), _) => Outcome::Failed(failure),
            (None, Some(file)) => settle(&**file, self.start + self.digested_bytes),
            (None, None) => unreachable!("a file that was read was open"),
        };
        let (digests, pieces) = match outcome {
            Outcome::Failed(_) => (Vec::new(), None),
            Outcome::Read | Outcome::Disputed(_) | Outcome::Unstable(_) => (self.digests, self.pieces),
        };
        let origin = self
            .file
            .as_ref()
            .map_or_else(Origin::default, |file| origin(&**file, self.sources, self.observed));
        if origin.unknown_bytes > 0
            && unseen.get().is_none()
            && let Some(reason) = self.file.as_ref().and_then(|file| file.cache_unseen())
        {
            // Another may have been faster: one reason is enough.
            _ = unseen.set(reason);
        }
        Record {
            number: entry.number,
            path: entry.location.printed(),
            outcome,
            facts: self.file.as_ref().map(|file| facts(file.facts())),
            digests,
            pieces,
            digested_bytes: self.digested_bytes,
            origin,
            medium: self.file.as_ref().map_or(Medium::Unasked, |file| medium(&**file)),
            state: self.file.as_ref().and_then(|file| state(&**file)),
            tag: std::mem::take(&mut entry.tag),
        }
    }
}

pub(crate) fn medium(file: &impl Opened) -> Medium {
    match file.medium_obstacle() {
        Some(obstacle) => Medium::NotShown(obstacle_of(obstacle)),
        None if file.is_from_medium() => Medium::Shown,
        None => Medium::Unasked,
    }
}

/// Compares the file with what it was when it was opened. `end`: the offset at which its bytes ended.
pub(crate) fn settle(file: &impl Opened, end: u64) -> Outcome {
    let before = file.facts();
    if before.kind != FileKind::Regular {
        return Outcome::Read;
    }
    let now = match file.facts_now() {
        Ok(now) => now,
        Err(error) => return not_settled(&error, end),
    };
    let unstable = if now.size_bytes > before.size_bytes {
        Some(Instability::Grew)
    } else if now.size_bytes < before.size_bytes {
        Some(Instability::Shrank)
    } else if !file.is_unchanged(&now) {
        Some(Instability::Modified)
    } else if end < before.size_bytes {
        Some(Instability::Shrank)
    } else if end > before.size_bytes {
        Some(Instability::Grew)
    } else {
        None
    };
    match unstable {
        Some(_) if file.is_synthetic() => Outcome::Read,
        Some(instability) => Outcome::Unstable(instability),
        None => Outcome::Read,
    }
}

/// The outcome of a file that cannot be asked what it is now, or whose store says that it is another one.
fn not_settled(error: &ReadError, end: u64) -> Outcome {
    let is_read_twice = match error.cause {
        ReadCause::OtherChecksum => true,
        ReadCause::DoubtfulChecksum => false,
        _ => return Outcome::Failed(failure(error, end)),
    };
    Outcome::Disputed(Dispute { is_read_twice, offset_bytes: end })
}

/// Where the bytes came from. What was resident beforehand was cache and the rest came from the device, whatever the single reads
/// saw: after the first of them the kernel reads ahead. Without that knowledge (no cachestat) a file is unknown as a whole if any
/// part of it had to be waited for, unless one read brought it all. What comes from a file without size was made up for the reading
/// and lay nowhere. Holes, and what was set aside and never written, come from nowhere: they are not counted.
pub(crate) fn origin(file: &impl Opened, sources: Sources, observed: bool) -> Origin {
    let origin = origin_as_read(file, sources, observed);
    // A file that takes one read is not worth another call, unless its facts tell of holes.
    const LEAST_BYTES: u64 = 128 << 10;
    let may_be_unwritten = sources.total_bytes() > LEAST_BYTES || file.has_holes();
    if origin.device_bytes == 0 || !may_be_unwritten {
        return origin;
    }
    without_unwritten(origin, file.unwritten_bytes(), file.facts().size_bytes)
}

/// The origin of what was read of a file with `unwritten_bytes` that lie on no medium. Those were not read if they were known to be
/// holes. What was cached may have been theirs or not: then that much is unknown.
fn without_unwritten(origin: Origin, unwritten_bytes: u64, size_bytes: u64) -> Origin {
    let written = size_bytes.saturating_sub(unwritten_bytes);
    let nowhere = origin.read_bytes().saturating_sub(written);
    if unwritten_bytes == 0 || nowhere == 0 {
        return origin;
    }
    let least = origin.device_bytes.saturating_sub(nowhere);
    let most = origin.device_bytes.min(written);
    let unknown_bytes = if origin.cache_bytes > 0 { most.saturating_sub(least) } else { 0 };
    Origin { device_bytes: least, unknown_bytes: origin.unknown_bytes + unknown_bytes, ..origin }
}

fn origin_as_read(file: &impl Opened, sources: Sources, observed: bool) -> Origin {
    let total = sources.total_bytes();
    let facts = file.facts();
    let unknown = Origin { unknown_bytes: total, ..Origin::default() };
    if file.is_from_medium() {
        return Origin { device_bytes: total, ..Origin::default() };
    }
    if total > 0 && facts.size_bytes == 0 && facts.kind == FileKind::Regular && file.is_synthetic() {
        return unknown;
    }
    match file.resident_bytes() {
        Some(resident) if !observed => {
            let cache_bytes = resident.min(total);
            Origin { cache_bytes, device_bytes: total - cache_bytes, ..Origin::default() }
        }
        None if !observed && sources.device_bytes > 0 => unknown,
        _ => Origin {
            cache_bytes: sources.cache_bytes,
            device_bytes: sources.device_bytes,
            network_bytes: sources.network_bytes,
            unknown_bytes: sources.unknown_bytes,
        },
    }
}

/// The failure of a mapped window that lost its pages: what a read of them would have said.
pub(crate) fn broken_window(offset_bytes: u64) -> Failure {
    let cause = Cause::System(Errno::IO.raw_os_error());
    Failure { operation: Operation::Read, cause, offset_bytes }
}

/// The failure of a file that has more pieces than are kept.
pub(crate) fn too_many_pieces() -> Failure {
    let cause = Cause::Obstacle(Obstacle::TooManyPieces);
    Failure { operation: Operation::Divide, cause, offset_bytes: 0 }
}

/// Whether a failed reading only met the end of a file that became shorter, and may have grown again since: that is not an error of
/// the device.
pub(crate) fn is_truncation(file: &impl Opened, failure: &Failure) -> bool {
    let before = file.facts();
    *failure == broken_window(failure.offset_bytes)
        && file
            .facts_now()
            .is_ok_and(|now| now.size_bytes != before.size_bytes || now.modified != before.modified)
}

/// Which state was read, where it has names.
pub(crate) fn state(file: &impl Opened) -> Option<Box<ObjectState>> {
    let names = file.state_names();
    ObjectState::new(names.etag, names.version).map(Box::new)
}

pub(crate) fn facts(facts: &FileFacts) -> Facts {
    let time = |(seconds, nanos)| Timestamp { seconds, nanos };
    Facts {
        size_bytes: facts.size_bytes,
        modified: time(facts.modified),
        changed: time(facts.changed),
        accessed: time(facts.accessed),
        device: facts.device,
        inode: facts.inode,
        links: facts.links,
    }
}

pub(crate) fn failure(error: &ReadError, offset_bytes: u64) -> Failure {
    let (operation, offset_bytes) = match error.step {
        ReadStep::Open => (Operation::Open, offset_bytes),
        ReadStep::Stat => (Operation::Stat, offset_bytes),
        ReadStep::Read => (Operation::Read, offset_bytes),
        // The file was refused as a whole, whichever of its pieces was reported first.
        ReadStep::FromMedium => (Operation::FromMedium, 0),
    };
    let cause = match &error.cause {
        ReadCause::System(error) => system_cause(error),
        ReadCause::Special => Cause::Obstacle(Obstacle::Special),
        ReadCause::Obstacle(obstacle) => Cause::Obstacle(obstacle_of(*obstacle)),
        ReadCause::Remote(status) => Cause::Remote(*status),
        ReadCause::Archived => Cause::Obstacle(Obstacle::Archived),
        ReadCause::RequestsUsedUp => Cause::Obstacle(Obstacle::RequestsUsedUp),
        ReadCause::Unsigned => Cause::Obstacle(Obstacle::Unsigned),
        ReadCause::Deleted => Cause::Obstacle(Obstacle::Deleted),
        // Only what came whole is disputed.
        ReadCause::DamagedOnWay | ReadCause::OtherChecksum | ReadCause::DoubtfulChecksum => {
            Cause::Obstacle(Obstacle::DamagedOnWay)
        }
    };
    Failure { operation, cause, offset_bytes }
}

fn obstacle_of(obstacle: MediumObstacle) -> Obstacle {
    match obstacle {
        MediumObstacle::BesideMetadata => Obstacle::BesideMetadata,
        MediumObstacle::Cached => Obstacle::Cached,
        MediumObstacle::CacheUnseen => Obstacle::CacheUnseen,
        MediumObstacle::CacheUnreported => Obstacle::CacheUnreported,
        MediumObstacle::InMemory => Obstacle::InMemory,
        MediumObstacle::NotOnDevice => Obstacle::NotOnDevice,
    }
}

/// The system's number of an error; those that the standard library makes itself have none and count as EIO.
pub(crate) fn system_cause(error: &io::Error) -> Cause {
    let made_up = match error.kind() {
        io::ErrorKind::InvalidInput => Errno::INVAL,
        io::ErrorKind::UnexpectedEof => Errno::NODATA,
        _ => Errno::IO,
    };
    Cause::System(error.raw_os_error().unwrap_or(made_up.raw_os_error()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_never_written_comes_from_nowhere() {
        let origin = |cache_bytes, device_bytes, unknown_bytes| Origin {
            cache_bytes,
            device_bytes,
            unknown_bytes,
            ..Origin::default()
        };
        for (read, unwritten, expected) in [
            (origin(0, 100, 0), 0, origin(0, 100, 0)),
            (origin(0, 100, 0), 100, origin(0, 0, 0)),
            (origin(0, 100, 0), 40, origin(0, 60, 0)),
            // Nobody read the holes.
            (origin(0, 60, 0), 40, origin(0, 60, 0)),
            // The 50 that were cached are those that were never written, or none of them.
            (origin(50, 50, 0), 50, origin(50, 0, 50)),
            (origin(20, 80, 0), 100, origin(20, 0, 0)),
        ] {
            assert_eq!(without_unwritten(read, unwritten, 100), expected, "{read:?}, {unwritten}");
        }
        // What became longer meanwhile has no holes for that.
        assert_eq!(without_unwritten(origin(0, 200, 0), 0, 100), origin(0, 200, 0));
    }
}
