//! How outcomes are called in every format that has a place for them.

use hashlane_record::{Cause, Dispute, Failure, Instability, Obstacle, Operation, Outcome};

/// How outcomes are called.
pub(crate) const READ: &str = "read";
pub(crate) const UNSTABLE: &str = "unstable";
pub(crate) const FAILED: &str = "failed";
pub(crate) const CHANGES: [(Instability, &str); 3] =
    [(Instability::Shrank, "shrank"), (Instability::Grew, "grew"), (Instability::Modified, "modified")];
const OPERATIONS: [(Operation, &str); 6] = [
    (Operation::List, "list"),
    (Operation::Open, "open"),
    (Operation::Read, "read"),
    (Operation::Stat, "stat"),
    (Operation::FromMedium, "from-medium"),
    (Operation::Divide, "divide"),
];
const OBSTACLES: [(Obstacle, &str); 14] = [
    (Obstacle::Archived, "archived"),
    (Obstacle::BesideMetadata, "beside-metadata"),
    (Obstacle::Cached, "cached"),
    (Obstacle::CacheUnseen, "cache-unseen"),
    (Obstacle::CacheUnreported, "cache-unreported"),
    (Obstacle::DamagedOnWay, "damaged-on-way"),
    (Obstacle::Deleted, "deleted"),
    (Obstacle::InMemory, "in-memory"),
    (Obstacle::NotOnDevice, "not-on-device"),
    (Obstacle::RequestsUsedUp, "requests-used-up"),
    (Obstacle::Special, "special"),
    (Obstacle::StreamInUse, "stream-in-use"),
    (Obstacle::TooManyPieces, "too-many-pieces"),
    (Obstacle::Unsigned, "unsigned"),
];

/// How the three kinds of causes are called, the first two with a number.
pub(crate) const ERRNO: &str = "errno";
pub(crate) const STATUS: &str = "status";
pub(crate) const OBSTACLE: &str = "obstacle";

/// What a content is called that its store disputes, and whether two readings have brought it: among the obstacles, because readers know of
/// no other outcome.
const DISPUTED: [(bool, &str); 2] = [(true, "other-checksum"), (false, "doubtful-checksum")];

/// What is written of a reading that has failed, or brought what its store disputes.
pub(crate) struct Failed {
    pub(crate) operation: &'static str,
    /// Which kind of cause it is, and its number or its name.
    pub(crate) cause: (&'static str, Result<i32, &'static str>),
    pub(crate) offset_bytes: u64,
    pub(crate) error: String,
}

impl Failed {
    /// What is written of an outcome, if it is such.
    pub(crate) fn of(outcome: Outcome) -> Option<Self> {
        let (operation, cause, offset_bytes, error) = match outcome {
            Outcome::Read | Outcome::Unstable(_) => return None,
            Outcome::Disputed(dispute) => {
                let name = name_in(&DISPUTED, dispute.is_read_twice);
                (Operation::Read, (OBSTACLE, Err(name)), dispute.offset_bytes, dispute.to_string())
            }
            Outcome::Failed(failure) => {
                let cause = cause_parts(failure.cause);
                (failure.operation, cause, failure.offset_bytes, failure.to_string())
            }
        };
        Some(Self { operation: name_in(&OPERATIONS, operation), cause, offset_bytes, error })
    }

    /// The outcome that these members tell of. Of the three causes one is there.
    pub(crate) fn outcome(
        operation: Option<&str>,
        (errno, status, obstacle): (Option<i32>, Option<u16>, Option<&str>),
        offset_bytes: u64,
    ) -> Option<Outcome> {
        let operation = named_in(&OPERATIONS, operation)?;
        let cause = errno.map(Cause::System).or_else(|| status.map(Cause::Remote));
        if let (None, Some(is_read_twice)) = (cause, named_in(&DISPUTED, obstacle)) {
            return Some(Outcome::Disputed(Dispute { is_read_twice, offset_bytes }));
        }
        let cause = cause.or_else(|| named_in(&OBSTACLES, obstacle).map(Cause::Obstacle))?;
        Some(Outcome::Failed(Failure { operation, cause, offset_bytes }))
    }
}

/// A cause as a member or an attribute: its name, and a number or a name.
fn cause_parts(cause: Cause) -> (&'static str, Result<i32, &'static str>) {
    match cause {
        Cause::System(errno) => (ERRNO, Ok(errno)),
        Cause::Remote(status) => (STATUS, Ok(i32::from(status))),
        Cause::Obstacle(obstacle) => (OBSTACLE, Err(name_in(&OBSTACLES, obstacle))),
        _ => unreachable!("every kind of cause has a name here"),
    }
}

pub(crate) fn name_in<T: PartialEq>(names: &[(T, &'static str)], value: T) -> &'static str {
    names.iter().find(|(known, _)| *known == value).map_or("", |(_, name)| name)
}

pub(crate) fn named_in<T: Copy>(names: &[(T, &str)], name: Option<&str>) -> Option<T> {
    names.iter().find(|(_, known)| Some(*known) == name).map(|(value, _)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_obstacle_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<_> =
            Obstacle::ALL.iter().map(|&obstacle| name_in(&OBSTACLES, obstacle)).collect();
        assert_eq!(names.len(), Obstacle::ALL.len());
        assert!(!names.contains("") && DISPUTED.iter().all(|(_, disputed)| !names.contains(disputed)));
    }
}
