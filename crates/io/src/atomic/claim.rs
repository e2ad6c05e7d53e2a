//! Taking the partial name of a file for this run alone, and keeping what an earlier one left there.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use super::{ReplaceError, is_at, rename_new, with_ending};

/// How many files of earlier runs are kept beside each other; after that many somebody has to look.
const MOST_KEPT: u32 = 999;

/// What is under the partial name, locked where there are locks.
#[derive(Debug)]
pub(super) enum Claimed {
    /// This run alone writes to it.
    Empty(File),
    /// An earlier run has left something in it. Without locks it may be one that runs, which then finds its file set aside. No
    /// file: it is a symbolic link, which has no lock and is not followed.
    Left(Option<File>),
}

/// Opens or creates the file that the result is written to until it is complete. What another run is writing is refused, and so
/// is anything but a regular file and a link. `replaces`: a file is there whose rights it will have, and until then nobody else has any.
pub(super) fn claimed(partial: &Path, replaces: bool) -> Result<Claimed, ReplaceError> {
    // Without waiting, for a FIFO; not through a symbolic link.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(if replaces { 0o600 } else { 0o666 }).custom_flags(flags);
    let failed = |source| ReplaceError::Write { path: partial.into(), source };
    let (opened, is_new) = match options.clone().create_new(true).open(partial) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (options.open(partial), false),
        created => (created, true),
    };
    if opened.as_ref().is_err_and(|error| error.raw_os_error() == Some(Errno::LOOP.raw_os_error())) {
        return Ok(Claimed::Left(None));
    }
    let file = opened.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if !is_new => ReplaceError::JustCompleted { partial: partial.into() },
        _ => failed(error),
    })?;
    if !file.metadata().is_ok_and(|facts| facts.is_file()) {
        return Err(ReplaceError::NotRegular { partial: partial.into() });
    }
    let locked = flock(&file, FlockOperation::NonBlockingLockExclusive);
    if locked == Err(Errno::WOULDBLOCK) {
        return Err(ReplaceError::Busy { partial: partial.into() });
    }
    // Between opening and locking the run that was writing it may have completed it: then it has another name by now.
    if !is_at(&file, partial) {
        return Err(ReplaceError::JustCompleted { partial: partial.into() });
    }
    let facts = file.metadata().map_err(failed)?;
    // What has another name as well would change under that too. A file system without locks cannot tell whether another run is
    // about to write into what is empty.
    if facts.len() > 0 || facts.nlink() != 1 || locked.is_err() && !is_new {
        return Ok(Claimed::Left(Some(file)));
    }
    if replaces {
        // What an earlier run left may have other rights.
        let _ = file.set_permissions(fs::Permissions::from_mode(0o600));
    }
    Ok(Claimed::Empty(file))
}

/// Gives what an earlier run left a name of its own, with a number.
pub(super) fn set_aside(partial: &Path) -> Result<PathBuf, ReplaceError> {
    for number in 1..=MOST_KEPT {
        let kept = with_ending(partial, &format!(".{number}"));
        match rename_new(partial, &kept) {
            Ok(()) => return Ok(kept),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(ReplaceError::Write { path: partial.into(), source }),
        }
    }
    Err(ReplaceError::TooManyKept { partial: partial.into(), kept: MOST_KEPT })
}
