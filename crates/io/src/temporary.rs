//! Files that must not outlive their process.
//!
//! Whatever has a name for a while has one that begins with the same letters and is locked while its process lives. So the
//! next run can tell what a killed one has left, name it and remove it, and leave alone what another one is using.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use tempfile::{Builder, NamedTempFile, TempDir};

/// Names of all these files begin so.
const PREFIX: &str = ".hashlane-tmp-";

/// Letters behind it, drawn at random.
const RANDOM: usize = 12;

/// The file in a directory that is locked in its stead: not every file system locks directories.
const LOCK: &str = "lock";

/// A new file that can be written and read and has no name any more.
///
/// # Errors
/// What the system says.
pub fn nameless_file(directory: &Path) -> io::Result<File> {
    // O_TMPFILE would spare the name, where the file system has it.
    Ok(named_file(directory, 0o666)?.into_file())
}

/// A new directory, and the lock that says that it is in use. Removed when it is dropped.
///
/// # Errors
/// What the system says.
pub fn locked_directory(parent: &Path) -> io::Result<(TempDir, File)> {
    unless_removed(|| {
        let directory = Builder::new().prefix(PREFIX).rand_bytes(RANDOM).tempdir_in(parent)?;
        let path = directory.path().join(LOCK);
        let lock = match lock(&path) {
            Err(error) if has_no_locks(&error) => Some(File::open(&path)?),
            lock => lock?,
        };
        Ok(lock.map(|lock| (directory, lock)))
    })
}

/// Whether files can be made in a directory.
///
/// # Errors
/// What the system says.
pub fn try_directory(directory: &Path) -> io::Result<()> {
    let mut file = nameless_file(directory)?;
    // Some file systems find out that they are full, or may not be written to, at the first byte only.
    file.write_all(&[0; 4096])
}

/// A new file with the permissions of any other, as far as `mode` goes and the umask lets it.
fn named_file(directory: &Path, mode: u32) -> io::Result<NamedTempFile> {
    let open = |path: &Path| OpenOptions::new().read(true).write(true).create_new(true).mode(mode).open(path);
    Builder::new().prefix(PREFIX).rand_bytes(RANDOM).make_in(directory, open)
}

/// A new file that is locked while it is open, and removed when it is dropped unless it has got another name.
pub(crate) fn locked_file(directory: &Path, mode: u32) -> io::Result<NamedTempFile> {
    unless_removed(|| {
        let file = named_file(directory, mode)?;
        let is_ours = match is_locked_by_us(file.as_file()) {
            Err(error) if has_no_locks(&error) => true,
            is_ours => is_ours?,
        };
        Ok(is_ours.then_some(file))
    })
}

/// A run that looks for leftovers may come between the making of a file and its locking and remove it: then it is made once
/// more.
fn unless_removed<T>(mut make: impl FnMut() -> io::Result<Option<T>>) -> io::Result<T> {
    const ATTEMPTS: usize = 100;
    for _ in 0..ATTEMPTS {
        match make() {
            Ok(Some(made)) => return Ok(made),
            Ok(None) => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("another run keeps removing the files of this one"))
}

/// Opens a file of ours, made if need be, and locks it; none if another process has it, or has removed it by now.
fn lock(path: &Path) -> io::Result<Option<File>> {
    // Not through a link: whoever else may write here could have it lead anywhere.
    let no_links = OFlags::NOFOLLOW.bits().cast_signed();
    let opened =
        OpenOptions::new().write(true).create(true).truncate(false).custom_flags(no_links).open(path);
    let file = match opened {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    Ok(is_locked_by_us(&file)?.then_some(file))
}

fn is_locked_by_us(file: &File) -> io::Result<bool> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file.metadata()?.nlink() > 0),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Whether the file system has no locks: Lustre by default, NFS without its daemon. Then files are made without, and nothing
/// is removed, because nothing shows what is in use.
fn has_no_locks(error: &io::Error) -> bool {
    let known = [Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOLCK, Errno::INVAL];
    error.raw_os_error().is_some_and(|code| known.iter().any(|errno| errno.raw_os_error() == code))
}

/// Removes what killed runs have left in a directory, and returns their paths.
///
/// # Errors
/// The directory cannot be listed. What cannot be removed stays, and is not in the list.
pub fn remove_leftovers(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut removed = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if is_name_of_ours(&entry.file_name()) && remove_if_abandoned(&entry).unwrap_or(false) {
            removed.push(entry.path());
        }
    }
    removed.sort();
    Ok(removed)
}

/// Whether it is a name as they are made here: what people call their files is not touched.
fn is_name_of_ours(name: &OsStr) -> bool {
    let random = name.as_encoded_bytes().strip_prefix(PREFIX.as_bytes());
    random.is_some_and(|random| random.len() == RANDOM && random.iter().all(u8::is_ascii_alphanumeric))
}

/// Removes an entry of this user that no living process holds. Its lock is held until all is gone, so that nobody moves in
/// meanwhile.
fn remove_if_abandoned(entry: &fs::DirEntry) -> io::Result<bool> {
    let (path, facts) = (entry.path(), entry.metadata()?);
    if facts.uid() != rustix::process::geteuid().as_raw() {
        return Ok(false);
    }
    if facts.is_dir() {
        let Some(_lock) = lock(&path.join(LOCK))? else { return Ok(false) };
        fs::remove_dir_all(path)?;
    } else if facts.is_file() {
        let Some(_lock) = lock(&path)? else { return Ok(false) };
        fs::remove_file(path)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replace;

    fn count(directory: &Path) -> usize {
        fs::read_dir(directory).expect("list").count()
    }

    #[test]
    fn what_a_living_process_holds_is_left_alone_and_the_rest_removed() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (held, lock) = locked_directory(directory.path()).expect("there is room");
        let written = locked_file(directory.path(), 0o666).expect("there is room");
        assert!(remove_leftovers(directory.path()).expect("list").is_empty());
        assert!(held.path().is_dir() && written.path().is_file());
        // As a kill leaves them: the locks are free, the files are there.
        let path = |name: &str| directory.path().join(format!("{PREFIX}{name}"));
        let (dead, unlocked, half) = (path("00000000dead"), path("000000000new"), path("00000000half"));
        fs::create_dir(&dead).expect("mkdir");
        fs::write(dead.join(LOCK), "").expect("write");
        fs::write(dead.join("file"), "x").expect("write");
        fs::create_dir(&unlocked).expect("mkdir");
        fs::write(&half, "x").expect("write");
        // Not of a run, whatever its name says.
        std::os::unix::fs::symlink(held.path(), path("00000000link")).expect("symlink");
        fs::write(path("notes"), "x").expect("write");
        let removed = remove_leftovers(directory.path()).expect("list");
        assert_eq!(removed, [unlocked, dead, half]);
        assert!(held.path().is_dir() && written.path().is_file());
        assert_eq!(count(directory.path()), 4);
        drop((held, lock, written));
        assert_eq!(count(directory.path()), 2);
    }

    #[test]
    fn a_file_without_a_name_can_be_used() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut file = nameless_file(directory.path()).expect("there is room");
        file.write_all(b"x").expect("there is room");
        assert_eq!((file.metadata().expect("facts").len(), count(directory.path())), (1, 0));
    }

    #[test]
    fn runs_that_begin_at_once_leave_each_other_alone() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path();
        std::thread::scope(|scope| {
            for number in 0..4 {
                scope.spawn(move || {
                    for _ in 0..200 {
                        remove_leftovers(path).expect("list");
                        let (held, _lock) = locked_directory(path).expect("there is room");
                        fs::write(held.path().join("file"), "x").expect("it is there");
                        replace(&path.join(number.to_string()), b"content").expect("there is room");
                    }
                });
            }
        });
        assert!(remove_leftovers(path).expect("list").is_empty());
        assert_eq!(count(path), 4);
    }
}
