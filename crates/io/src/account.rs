//! One account of descriptors and memory for all runs of this process.
//!
//! A run that took all that the system allows would leave nothing to one beside it, nor to a server's sockets. So each takes a
//! [`Lease`] when it starts and gives it back at its end. What it does for a file in between never looks at the account.

use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::limits::memory_budget;

/// Descriptors of a run that it opens beside its lease: manifests, temporary files, its database.
const OWN: usize = 16;

/// Descriptors that are taken to be open besides, at least.
const BESIDES: usize = 8;

/// With so few a run still goes on, a file at a time.
const LEAST: usize = 8;

/// Descriptors that are left to the next run, at most; at least a quarter of few.
const MOST_FOR_NEXT: usize = 64;

/// What runs have taken and not given back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leased {
    /// Leases.
    pub leases: usize,
    /// Descriptors of all of them.
    pub descriptors: usize,
    /// Bytes of all of them, where memory is limited.
    pub memory_bytes: usize,
}

/// What is taken, and what was open besides when it was.
#[derive(Debug, Default)]
struct Account {
    leased: Leased,
    besides: usize,
}

static ACCOUNT: Mutex<Account> =
    Mutex::new(Account { leased: Leased { leases: 0, descriptors: 0, memory_bytes: 0 }, besides: 0 });

fn account() -> MutexGuard<'static, Account> {
    ACCOUNT.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Account {
    /// Takes descriptors from `limit`; `open` of them are in use now.
    fn take_descriptors(&mut self, most: usize, limit: usize, open: usize) -> usize {
        // What the runs have open is not known, but it is no more than they took.
        let besides = open.saturating_sub(self.leased.descriptors).max(BESIDES);
        self.besides = if self.leased.leases == 0 { besides } else { self.besides.max(besides) };
        let left = limit.saturating_sub(self.besides + OWN * (self.leased.leases + 1));
        let left = left.saturating_sub(self.leased.descriptors);
        most.min(left - (left / 4).min(MOST_FOR_NEXT)).max(LEAST)
    }

    /// Takes bytes from the `budget` of the process: an eighth at least.
    fn take_memory(&self, most: usize, budget: usize) -> usize {
        most.min(budget.saturating_sub(self.leased.memory_bytes).max(budget / 8))
    }
}

/// Descriptors and memory that a run may take; dropped, they are given back.
#[derive(Debug)]
pub struct Lease {
    descriptors: usize,
    memory_bytes: Option<usize>,
}

impl Lease {
    /// At most this many descriptors and bytes: fewer if the system allows fewer, if others have them, or for the sake of those who come next.
    /// There are always enough to go on. The soft limit of descriptors is raised to the hard one.
    pub fn take(most_descriptors: usize, most_bytes: usize) -> Self {
        let limit = raised_limit();
        let mut account = account();
        let descriptors = account.take_descriptors(most_descriptors, limit, open_descriptors(limit));
        let memory_bytes = memory_budget().map(|budget| account.take_memory(most_bytes, budget));
        account.leased.leases += 1;
        account.leased.descriptors += descriptors;
        account.leased.memory_bytes += memory_bytes.unwrap_or(0);
        Self { descriptors, memory_bytes }
    }

    /// Descriptors that may be open at a time, at least 8.
    pub fn descriptors(&self) -> usize {
        self.descriptors
    }

    /// Bytes for blocks, names and records. `None`: nobody limits them.
    pub fn memory_bytes(&self) -> Option<usize> {
        self.memory_bytes
    }

    /// What all runs of this process have now.
    pub fn all() -> Leased {
        account().leased
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut account = account();
        account.leased.leases -= 1;
        account.leased.descriptors -= self.descriptors;
        account.leased.memory_bytes -= self.memory_bytes.unwrap_or(0);
    }
}

/// Files that this process may have open, with its soft limit raised to the hard one.
fn raised_limit() -> usize {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current < limit.maximum || (limit.current.is_some() && limit.maximum.is_none()) {
        let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
        if setrlimit(Resource::Nofile, raised).is_ok() {
            limit = raised;
        }
    }
    limit.current.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Files that this process has open, of `limit`; 0 where the system does not say.
fn open_descriptors(limit: usize) -> usize {
    const LIST: &str = "/proc/self/fd";

    // Since Linux 6.2 the size of the directory is their number.
    let size = fs::metadata(LIST).map_or(0, |facts| facts.len());
    if size > 0 {
        return usize::try_from(size).unwrap_or(usize::MAX);
    }
    match fs::read_dir(LIST) {
        // One is that of the list.
        Ok(list) => list.count().saturating_sub(1),
        Err(error) if error.raw_os_error() == Some(Errno::MFILE.raw_os_error()) => limit,
        Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    impl Account {
        /// What a run gets that wants more than there is.
        fn lease(&mut self, limit: usize, open: usize) -> usize {
            let descriptors = self.take_descriptors(1024, limit, open);
            self.leased.leases += 1;
            self.leased.descriptors += descriptors;
            descriptors
        }
    }

    #[test]
    fn a_run_alone_has_what_it_wants_and_the_next_ones_share_the_rest() {
        let mut account = Account::default();
        assert_eq!(account.lease(1 << 20, 5), 1024);
        assert_eq!(account.lease(1 << 20, 900), 1024);
        let mut account = Account::default();
        assert_eq!([5, 100, 120, 150].map(|open| account.lease(256, open)), [174, 32, 8, 8]);
    }

    #[test]
    fn what_is_open_besides_is_nobodys_whenever_it_was_opened() {
        let mut account = Account::default();
        assert_eq!(account.lease(256, 206), 26);
        // Some of the first run's are open by now; that is not known.
        assert_eq!(account.lease(256, 216), 8);
        let mut account = Account::default();
        assert_eq!(account.lease(1024, 5), 936);
        account.leased.descriptors = 300;
        // 500 sockets at least have come.
        assert_eq!((account.lease(1024, 800), account.besides), (144, 500));
    }

    #[test]
    fn memory_is_given_once_and_everybody_has_an_eighth() {
        let mut account = Account::default();
        assert_eq!(account.take_memory(100, 800), 100);
        account.leased.memory_bytes = 600;
        assert_eq!(account.take_memory(300, 800), 200);
        account.leased.memory_bytes = 800;
        assert_eq!(account.take_memory(300, 800), 100);
    }

    #[test]
    fn files_that_are_open_are_counted() {
        let before = open_descriptors(0);
        let held: Vec<_> = (0..200).map(|_| File::open("/dev/null").expect("open")).collect();
        // Other tests open and close some at the same time.
        assert!(open_descriptors(0) >= before.max(150) && before > 0);
        drop(held);
    }
}
