//! What a run has done, in numbers.

use std::ops::AddAssign;
use std::time::Duration;

use hashlane_digest::{Algorithm, Occupancy};
use hashlane_record::Origin;

use crate::control::Stop;

/// What a run has done.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Files read to their end and stable.
    pub files: u64,
    /// Files that changed while they were read.
    pub unstable: u64,
    /// Files and directories that could not be read.
    pub failed: u64,
    /// Bytes digested, holes and repeated names included.
    pub digested_bytes: u64,
    /// The same for each algorithm: those of a file count for all of its algorithms.
    pub digested_by: Vec<(Algorithm, u64)>,
    /// Where the bytes that were read came from.
    pub origin: Origin,
    /// What walks passed over.
    pub skipped: Skipped,
    /// Whether and how the run was stopped.
    pub stopped: Option<Stop>,
    /// Files found and, because the run was stopped, not finished.
    pub dropped: u64,
    /// Time from start to end.
    pub elapsed: Duration,
    /// Number of workers.
    pub workers: usize,
    /// How full the lanes were in which files were digested side by side. Large files and algorithms without lanes are not
    /// in it.
    pub lanes: Occupancy,
    /// Reads that the engine which was asked for has left to another way, because it is not for their file system.
    pub unsuited: u64,
}

/// What walks passed over, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Symbolic links that were not followed.
    pub symlinks: u64,
    /// FIFOs, sockets and devices.
    pub special: u64,
    /// Files and directories that the filter excluded, by name, type, size or time.
    pub excluded: u64,
    /// Directories on other file systems.
    pub other_filesystem: u64,
    /// The files that the output goes to.
    pub output: u64,
}

impl AddAssign for Skipped {
    fn add_assign(&mut self, other: Self) {
        let Self { symlinks, special, excluded, other_filesystem, output } = other;
        self.symlinks += symlinks;
        self.special += special;
        self.excluded += excluded;
        self.other_filesystem += other_filesystem;
        self.output += output;
    }
}
