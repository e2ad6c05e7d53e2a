//! Why it cannot be seen what the page cache holds of a file.

use std::os::fd::{AsFd as _, BorrowedFd};
use std::sync::OnceLock;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;

use super::{cachestat, incore};

/// Why it cannot be seen what the page cache holds of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CacheUnseen {
    /// The call exists, and a filter of system calls refuses it.
    #[error("a sandbox (seccomp) blocks cachestat(2): {}", errno_name(*.0))]
    Blocked(i32),
    /// The kernel is too old for the call.
    #[error("this kernel is too old for cachestat(2) (ENOSYS): it came with Linux 6.5")]
    TooOld,
    /// The file belongs to somebody else.
    #[error(
        "the file belongs to another user, and the kernel tells only who may write to it what is cached (EPERM)"
    )]
    NotOwned,
    /// The pages belong to an inode of another file system.
    #[error("overlayfs caches its files under another inode, so cachestat(2) answers for the wrong one")]
    OtherInode,
    /// The file system has a cache of its own.
    #[error("the file system keeps its files in a cache of its own, which the kernel does not see")]
    OwnCache,
    /// Another failure of the call, by its number.
    #[error("cachestat(2): {}", std::io::Error::from_raw_os_error(*.0))]
    Failed(i32),
}

fn errno_name(errno: i32) -> &'static str {
    if errno == Errno::NOSYS.raw_os_error() { "ENOSYS" } else { "EPERM" }
}

impl CacheUnseen {
    /// What it means that the call failed so for a file.
    pub(super) fn of(error: Errno, file: BorrowedFd<'_>) -> Self {
        match error {
            Errno::NOSYS if kernel().is_some_and(|version| version >= (6, 5)) => {
                Self::Blocked(error.raw_os_error())
            }
            Errno::NOSYS => Self::TooOld,
            Errno::PERM if !incore::is_told(file) && is_callable() => Self::NotOwned,
            Errno::PERM => Self::Blocked(error.raw_os_error()),
            error => Self::Failed(error.raw_os_error()),
        }
    }
}

/// Whether the call answers for a file that is certainly our own.
fn is_callable() -> bool {
    static CALLABLE: OnceLock<bool> = OnceLock::new();
    *CALLABLE.get_or_init(|| {
        let own = memfd_create("hashlane", MemfdFlags::CLOEXEC);
        own.is_ok_and(|own| cachestat(own.as_fd(), 0, 0).is_ok())
    })
}

/// Version of the kernel: `6.18.44-generic` is 6 and 18.
fn kernel() -> Option<(u32, u32)> {
    let name = rustix::system::uname();
    version(name.release().to_str().ok()?)
}

fn version(release: &str) -> Option<(u32, u32)> {
    let mut parts = release.split(|letter: char| !letter.is_ascii_digit()).map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_begins_with_its_version() {
        for (release, expected) in [
            ("6.18.44-generic", Some((6, 18))),
            ("5.4.0", Some((5, 4))),
            ("6.5-rc1", Some((6, 5))),
            ("linux", None),
            ("6", None),
        ] {
            assert_eq!(version(release), expected, "{release}");
        }
    }

    #[test]
    fn a_refusal_has_the_cause_that_it_has() {
        let own = tempfile::tempfile().expect("a temporary file");
        let of = |error| CacheUnseen::of(error, own.as_fd());
        assert_eq!(of(Errno::PERM), CacheUnseen::Blocked(Errno::PERM.raw_os_error()));
        assert_eq!(of(Errno::BADF), CacheUnseen::Failed(Errno::BADF.raw_os_error()));
        let expected = match kernel() {
            Some(version) if version >= (6, 5) => CacheUnseen::Blocked(Errno::NOSYS.raw_os_error()),
            _ => CacheUnseen::TooOld,
        };
        assert_eq!(of(Errno::NOSYS), expected);
        assert!(of(Errno::PERM).to_string().ends_with("blocks cachestat(2): EPERM"));
    }
}
