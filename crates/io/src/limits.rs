//! Memory that this process may have: of its address space (`ulimit -v`), of its cgroup, and for its stack (`ulimit -s`).
//!
//! What a run takes is limited by constants, for machines that have it. Where the system sets a limit below that, a run takes
//! [`memory_budget`] and is slower.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::OnceLock;
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

use rustix::param::page_size;
use rustix::process::{Resource, getrlimit};

use crate::allocator;

/// Address space that is left to all that is not a block: stacks of threads, what they allocate while they start.
const SPARE_BYTES: u64 = 4 << 20;

/// The stack of a thread, as the library of Rust has it.
const STACK_BYTES: usize = 2 << 20;

/// Stacks below this are not relied on.
const LEAST_STACK_BYTES: u64 = 4 << 20;

/// The limits of this process, as they were when they were first asked for.
#[derive(Clone, Copy, Debug, Default)]
struct Limits {
    /// Address space that is not in use.
    free_address_space: Option<u64>,
    cgroup: Option<u64>,
}

impl Limits {
    fn of_process() -> Self {
        static LIMITS: OnceLock<Limits> = OnceLock::new();
        *LIMITS.get_or_init(|| Self { free_address_space: free_address_space(), cgroup: cgroup() })
    }

    /// Half of the least: the other half is for code, stacks, tables, names, and the page cache of a cgroup.
    fn budget(self) -> Option<usize> {
        let least = [self.free_address_space, self.cgroup].into_iter().flatten().min()?;
        Some(usize::try_from(least / 2).unwrap_or(usize::MAX))
    }
}

/// Bytes that blocks may have, all together. `None`: nobody limits them.
pub fn memory_budget() -> Option<usize> {
    Limits::of_process().budget()
}

/// Bytes of address space that this process had left when its limits were first asked for. `None`: nobody limits them.
pub fn address_space_limit() -> Option<u64> {
    Limits::of_process().free_address_space
}

/// Bytes that a run may leave in the page cache unless it is asked otherwise: so many that a small tree is there when it is read again,
/// and a large one does not push out what other programs need.
pub fn usual_cache_bytes() -> u64 {
    let memory = rustix::system::sysinfo();
    (memory.totalram as u64).saturating_mul(memory.mem_unit.into()) / 4
}

/// Keeps to the limits from now on: to be called by a program before it starts threads. Returns the bytes of address space that
/// are left, where they are limited.
pub fn keep_to_limits() -> Option<u64> {
    let limits = Limits::of_process();
    if limits.free_address_space.is_some() {
        one_heap();
    }
    if let Some(cgroup) = limits.cgroup {
        allocator::limit(usize::try_from(cgroup / 4 * 3).unwrap_or(usize::MAX));
    }
    limits.free_address_space
}

/// Lets all threads share one heap: the C library would reserve 64 MiB of address space for that of each.
fn one_heap() {
    #[cfg(target_env = "gnu")]
    // SAFETY: sets a number of the allocator, under its own lock.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Whether the stack of the main thread may not grow as far as programs are used to.
pub fn has_small_stack() -> bool {
    getrlimit(Resource::Stack).current.is_some_and(|bytes| bytes < LEAST_STACK_BYTES)
}

/// Starts a thread, with the stack that threads have elsewhere too.
///
/// # Errors
/// The system refuses it, or there is too little address space.
pub fn start_thread<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    check_room_for_thread(STACK_BYTES)?;
    Builder::new().name(name.into()).spawn(work)
}

/// The same within a scope.
///
/// # Errors
/// As [`start_thread`].
pub fn start_thread_in<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    check_room_for_thread(STACK_BYTES)?;
    Builder::new().name(name.into()).spawn_scoped(scope, work)
}

/// Refuses a thread for which there is not enough address space. One that has room for its stack and none for the rest ends
/// the process while it starts, and nothing can be done about it.
///
/// # Errors
/// There is too little.
pub(crate) fn check_room_for_thread(stack_bytes: usize) -> io::Result<()> {
    match free_address_space() {
        Some(free) if free < stack_bytes as u64 + SPARE_BYTES => Err(io::ErrorKind::OutOfMemory.into()),
        _ => Ok(()),
    }
}

/// Address space that this process may still take; `None` if it is not limited.
fn free_address_space() -> Option<u64> {
    let most = getrlimit(Resource::As).current?;
    let facts = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = facts.split(' ').next().and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0);
    Some(most.saturating_sub(pages * page_size() as u64))
}

/// The memory that the cgroup of this process may have, or one above it.
fn cgroup() -> Option<u64> {
    cgroup_in(Path::new("/sys/fs/cgroup"), &fs::read_to_string("/proc/self/cgroup").ok()?)
}

fn cgroup_in(mount: &Path, groups: &str) -> Option<u64> {
    let limits = groups.lines().filter_map(|line| {
        let (_, line) = line.split_once(':')?;
        let (controllers, group) = line.split_once(':')?;
        let (mount, files): (_, &[&str]) = match controllers {
            "" => (mount.to_owned(), &["memory.max", "memory.high"]),
            _ if controllers.split(',').any(|controller| controller == "memory") => {
                (mount.join(controllers), &["memory.limit_in_bytes"])
            }
            _ => return None,
        };
        // In a container the names above its own may not be there.
        let above = Path::new(group.trim_start_matches('/')).ancestors();
        let limit = |file: &Path| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
        above
            .flat_map(|group| files.iter().map(move |file| group.join(file)))
            .filter_map(|file| limit(&mount.join(file)))
            .min()
    });
    // The first version has a number for "no limit", which is beyond what any machine has.
    limits.min().filter(|&bytes| bytes < 1 << 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_limit_above_a_process_counts_in_both_versions() {
        let mount = tempfile::tempdir().expect("a temporary directory");
        let write = |name: &str, text: &str| {
            let path = mount.path().join(name);
            fs::create_dir_all(path.parent().expect("below the mount")).expect("directories");
            fs::write(path, text).expect("a file");
        };
        write("a/b/memory.max", "max\n");
        write("a/memory.max", "67108864\n");
        write("a/b/memory.high", "90000000\n");
        write("memory/c/memory.limit_in_bytes", "33554432\n");
        write("memory/memory.limit_in_bytes", "9223372036854771712\n");
        let of = |groups| cgroup_in(mount.path(), groups);
        assert_eq!(of("0::/a/b\n"), Some(64 << 20));
        assert_eq!(of("1:cpu:/\n0::/\n"), None);
        assert_eq!(of("4:memory:/c/elsewhere\n0::/a/b\n"), Some(32 << 20));
        assert_eq!(of("4:memory:/elsewhere\n"), None);
        assert_eq!(of(""), None);
    }

    #[test]
    fn a_budget_is_half_of_the_lower_limit() {
        let limits = |free_address_space, cgroup| Limits { free_address_space, cgroup }.budget();
        assert_eq!(limits(None, None), None);
        assert_eq!(limits(Some(64 << 20), None), Some(32 << 20));
        assert_eq!(limits(Some(64 << 20), Some(32 << 20)), Some(16 << 20));
    }
}
