//! What a record of the engine says of a file, in the terms of the catalogue.

use hashlane_catalog::{Content, Error, ReadingKind, keepable};
use hashlane_digest::Digest;
use hashlane_record::{
    Cause, Facts, Failure, Instability, Medium, Obstacle, Operation, Origin, Outcome, Record,
};

/// What was found of a file.
pub(crate) fn content_of(record: &Record) -> Content {
    let is_read = is_read(record);
    let facts = record.facts;
    // An object of a store has no number, and one time.
    let of_file = facts.filter(|facts| facts.inode != 0);
    Content {
        size: match is_read {
            // Of a file that was gone on with only the rest was read; what is made up when it is read has no size.
            true => Some(record.digested_bytes.max(facts.map_or(0, |facts| facts.size_bytes))),
            false => facts.map(|facts| facts.size_bytes),
        },
        modified: facts.map(|facts| keepable(facts.modified)),
        changed: of_file.map(|facts| keepable(facts.changed)),
        inode: of_file.map(|facts| facts.inode),
        digests: if is_read { record.digests.clone() } else { Vec::new() },
    }
}

/// Whether all of a content came, in one state.
pub(crate) fn is_read(record: &Record) -> bool {
    matches!(record.outcome, Outcome::Read | Outcome::Disputed(_))
}

/// Whether the store of what was read keeps a checksum of another content.
pub(crate) fn is_disputed(record: &Record) -> bool {
    matches!(record.outcome, Outcome::Disputed(_))
}

/// What is said of a content that has its known digests, and another checksum than its store keeps.
pub(crate) const AS_KNOWN: &str = "its content is as known, but the store keeps another checksum for it: that checksum is damaged; upload the object again";

/// Where the bytes of a reading came from.
pub(crate) fn reading_of(origin: Origin, medium: Medium) -> ReadingKind {
    match medium {
        Medium::Shown => return ReadingKind::Device,
        Medium::NotShown(Obstacle::BesideMetadata) => return ReadingKind::BesideMetadata,
        Medium::NotShown(Obstacle::CacheUnseen) => return ReadingKind::CacheUnseen,
        Medium::NotShown(Obstacle::CacheUnreported) => return ReadingKind::CacheUnreported,
        Medium::NotShown(Obstacle::InMemory) => return ReadingKind::InMemory,
        Medium::NotShown(Obstacle::Cached) => return ReadingKind::InUse,
        Medium::SeenCached => return ReadingKind::Cache,
        Medium::NotShown(_) | Medium::Unasked => {}
    }
    match origin {
        Origin { cache_bytes: 0, network_bytes: 0, unknown_bytes: 0, device_bytes } if device_bytes > 0 => {
            ReadingKind::Device
        }
        Origin { cache_bytes: 0, network_bytes, unknown_bytes: 0, device_bytes: 0 } if network_bytes > 0 => {
            ReadingKind::Network
        }
        Origin { cache_bytes, network_bytes: 0, unknown_bytes: 0, .. } if cache_bytes > 0 => {
            ReadingKind::Cache
        }
        _ => ReadingKind::Unknown,
    }
}

/// Whether a failure says that there is no file: nothing, or something else than the file that was listed.
pub(crate) fn is_not_there(failure: Failure) -> bool {
    use std::io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
    let error = failure.io_error();
    let is_link = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    failure.cause == Cause::Obstacle(Obstacle::Special)
        || is_link
        || matches!(error.kind(), NotFound | NotADirectory | IsADirectory)
}

/// Whether a failure says that this user may not open a file.
pub(crate) fn is_forbidden(failure: Failure) -> bool {
    failure.operation == Operation::Open && failure.io_error().kind() == std::io::ErrorKind::PermissionDenied
}

/// How long the beginning is that was digested by itself, and its digests.
pub(crate) fn beginning_of(record: &Record) -> Option<(u64, Vec<Digest>)> {
    let pieces = record.pieces.as_ref().filter(|pieces| pieces.count() == 1)?;
    Some((pieces.end(), pieces.digests(0).to_vec()))
}

/// What is appended to a file while it is read is left to the next audit: what was read is its beginning, and is as good as a file.
pub(crate) fn end_where_it_was_read(record: &mut Record) {
    let is_whole = |facts: Facts| record.digested_bytes >= facts.size_bytes;
    if record.outcome == Outcome::Unstable(Instability::Grew)
        && !record.digests.is_empty()
        && record.facts.is_some_and(is_whole)
    {
        record.outcome = Outcome::Read;
    }
}

/// Whether the beginning of a file that may grow is what was known of it.
pub(crate) fn begins_as(known: &Content, record: &Record) -> bool {
    let Some(pieces) = &record.pieces else { return false };
    known.size == Some(pieces.end()) && pieces.count() == 1 && pieces.digests(0) == known.digests
}

/// Why hashlane has not read a file, if that was for a reason of its own.
pub(crate) fn obstacle(record: &Record) -> Option<Obstacle> {
    match record.outcome {
        Outcome::Failed(Failure { cause: Cause::Obstacle(obstacle), .. }) => Some(obstacle),
        _ => None,
    }
}

/// Whether a server was not reached, or broke off.
pub(crate) fn is_of_network(failure: Failure) -> bool {
    use rustix::io::Errno;
    const OF_NETWORK: [Errno; 5] =
        [Errno::TIMEDOUT, Errno::CONNRESET, Errno::CONNREFUSED, Errno::HOSTUNREACH, Errno::PROTO];
    matches!(failure.cause, Cause::System(number) if OF_NETWORK.iter().any(|errno| errno.raw_os_error() == number))
}

/// An error of the catalogue on its way through the engine and back.
pub(crate) fn of_engine(error: hashlane_engine::Error) -> Error {
    match error {
        hashlane_engine::Error::Sink(source) => match source.downcast::<Error>() {
            Ok(error) => *error,
            Err(source) => Error::Sink(source),
        },
        error => Error::Engine(error),
    }
}
