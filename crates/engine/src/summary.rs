//! The figures of a run.

use std::ops::AddAssign;
use std::time::Duration;

use hashlane_digest::{Algorithm, Occupancy};
use hashlane_io::CacheUnseen;
use hashlane_record::Origin;

use crate::control::Stop;

/// The figures of a run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Files read to their end and stable.
    pub files: u64,
    /// Files that changed while they were read.
    pub unstable: u64,
    /// Files and directories that could not be read.
    pub failed: u64,
    /// Bytes digested, including holes and repeated names.
    pub digested_bytes: u64,
    /// Those of them that were not read, as they are of further names of files that were.
    pub repeated_bytes: u64,
    /// Bytes digested by each algorithm; the bytes of a file count for all of its algorithms.
    pub digested_by: Vec<(Algorithm, u64)>,
    /// Where the bytes that were read came from.
    pub origin: Origin,
    /// What walks skipped.
    pub skipped: Skipped,
    /// Whether and how the run was stopped.
    pub stopped: Option<Stop>,
    /// Files found but not finished, because the run was stopped.
    pub dropped: u64,
    /// Time from start to end.
    pub elapsed: Duration,
    /// Number of workers.
    pub workers: usize,
    /// How full the lanes were in which files were digested side by side. Large files and algorithms without lanes do not count.
    pub lanes: Occupancy,
    /// Reads that the requested engine left to another way, because it does not support their file system.
    pub unsuited: u64,
    /// Why it could not be determined where the bytes of a file came from, if there was such a file: that of the first.
    pub unseen: Option<CacheUnseen>,
}

/// What walks skipped, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Symbolic links that were not followed.
    pub symlinks: u64,
    /// FIFOs, sockets and devices.
    pub special: u64,
    /// Files and directories that the filter excluded by name, type, size or time.
    pub excluded: u64,
    /// Directories on other file systems.
    pub other_filesystem: u64,
    /// Files that the output goes to.
    pub output: u64,
    /// Directories that were entered and in which there is nothing, nor was when they were listed. A root is none.
    pub empty_directories: u64,
}

/// Runs that were made one after the other, as if they had been one. What several of them have read counts as often. The more
/// abrupt stop is that of all, and so are the most workers.
impl AddAssign for Summary {
    fn add_assign(&mut self, other: Self) {
        let Self {
            files,
            unstable,
            failed,
            digested_bytes,
            repeated_bytes,
            digested_by,
            origin,
            skipped,
            stopped,
            dropped,
            elapsed,
            workers,
            lanes,
            unsuited,
            unseen,
        } = other;
        self.files += files;
        self.unstable += unstable;
        self.failed += failed;
        self.digested_bytes += digested_bytes;
        self.repeated_bytes += repeated_bytes;
        for (algorithm, bytes) in digested_by {
            self.add_digested(algorithm, bytes);
        }
        self.origin += origin;
        self.skipped += skipped;
        self.stopped = self.stopped.max(stopped);
        self.dropped += dropped;
        self.elapsed += elapsed;
        self.workers = self.workers.max(workers);
        self.lanes += lanes;
        self.unsuited += unsuited;
        self.unseen = self.unseen.or(unseen);
    }
}

impl Summary {
    /// Counts bytes digested by an algorithm.
    pub(crate) fn add_digested(&mut self, algorithm: Algorithm, bytes: u64) {
        match self.digested_by.iter_mut().find(|(known, _)| *known == algorithm) {
            Some((_, sum)) => *sum += bytes,
            None => self.digested_by.push((algorithm, bytes)),
        }
    }
}

impl AddAssign for Skipped {
    fn add_assign(&mut self, other: Self) {
        let Self { symlinks, special, excluded, other_filesystem, output, empty_directories } = other;
        self.symlinks += symlinks;
        self.special += special;
        self.excluded += excluded;
        self.other_filesystem += other_filesystem;
        self.output += output;
        self.empty_directories += empty_directories;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn algorithm(name: &str) -> Algorithm {
        Algorithm::named(name).expect("registered")
    }

    /// A summary whose numbers are all different, from `first` on.
    fn summary(first: u64, digested_by: Vec<(Algorithm, u64)>, stopped: Option<Stop>) -> Summary {
        Summary {
            files: first,
            unstable: first + 1,
            failed: first + 2,
            digested_bytes: first + 3,
            repeated_bytes: first + 19,
            digested_by,
            origin: Origin {
                cache_bytes: first + 4,
                device_bytes: first + 5,
                network_bytes: first + 17,
                unknown_bytes: first + 6,
            },
            skipped: Skipped {
                symlinks: first + 7,
                special: first + 8,
                excluded: first + 9,
                other_filesystem: first + 10,
                output: first + 11,
                empty_directories: first + 18,
            },
            stopped,
            dropped: first + 12,
            elapsed: Duration::from_nanos(first + 13),
            workers: first as usize + 14,
            lanes: Occupancy { bytes: first + 15, ..Occupancy::default() },
            unsuited: first + 16,
            unseen: (first > 500).then_some(CacheUnseen::TooOld),
        }
    }

    #[test]
    fn runs_add_up_in_every_number() {
        let [md5, sha1, sha256] = ["md5", "sha1", "sha256"].map(algorithm);
        let mut all = summary(100, vec![(md5, 5), (sha1, 6)], Some(Stop::Drained));
        all += summary(1000, vec![(sha256, 7), (md5, 8)], None);
        assert_eq!((all.files, all.unstable, all.failed), (1100, 1102, 1104));
        assert_eq!((all.digested_bytes, all.repeated_bytes), (1106, 1138));
        assert_eq!((all.dropped, all.unsuited), (1124, 1132));
        assert_eq!(all.digested_by, [(md5, 13), (sha1, 6), (sha256, 7)]);
        let Origin { cache_bytes, device_bytes, network_bytes, unknown_bytes } = all.origin;
        assert_eq!((cache_bytes, device_bytes, network_bytes, unknown_bytes), (1108, 1110, 1134, 1112));
        let skipped = Skipped {
            symlinks: 1114,
            special: 1116,
            excluded: 1118,
            other_filesystem: 1120,
            output: 1122,
            empty_directories: 1136,
        };
        assert_eq!(all.skipped, skipped);
        assert_eq!((all.elapsed, all.workers), (Duration::from_nanos(1126), 1014));
        assert_eq!(all.lanes.bytes, 1130);
        assert_eq!(all.unseen, Some(CacheUnseen::TooOld));
    }

    #[test]
    fn the_more_abrupt_stop_is_that_of_all() {
        let stops = [None, Some(Stop::Drained), Some(Stop::Aborted)];
        for (first, one) in stops.iter().enumerate() {
            for (second, other) in stops.iter().enumerate() {
                let mut all = summary(0, Vec::new(), *one);
                all += summary(0, Vec::new(), *other);
                assert_eq!(all.stopped, stops[first.max(second)]);
            }
        }
    }
}
