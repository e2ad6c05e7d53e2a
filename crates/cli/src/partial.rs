//! Files that appear under their name only when they are complete.
//!
//! Until then one is written under its name with `.partial`, locked, so that two runs never write into one. Where there are no
//! locks, a run writes only into what it has created itself. What an earlier run left under that name is worth something to
//! somebody: it gets a number and stays. By its name a file is only renamed or removed by the run that has it open and locked.
//!
//! What stands under the final name is replaced, or not, as whoever writes it has decided ([`Existing`]);
//! [0024](../../../docs/decisions/0024-what-is-written-over.md) says who decides what.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use hashlane_io::rename_new;
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use crate::output::{Place, is_special, refused, shown};
use crate::screen::Screen;
use crate::status::Ended;
use crate::text;

/// How many files of earlier runs are kept beside each other; after so many somebody has to look.
const MOST_KEPT: u32 = 999;

/// What becomes of a file that has the name already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Existing {
    Replaced,
    Kept,
    /// Replaced as long as it is what it was (`None`: absent): what was written into it meanwhile is in no other file.
    Unchanged(Option<Version>),
}

/// What tells whether a file is the one that it was, with what was in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    identity: (u64, u64),
    size_bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Version {
    /// That of the file that a path leads to, if there is one.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let facts = fs::metadata(path).ok()?;
        Some(Self {
            identity: identity(&facts),
            size_bytes: facts.len(),
            modified: (facts.mtime(), facts.mtime_nsec()),
            changed: (facts.ctime(), facts.ctime_nsec()),
        })
    }
}

/// A file that is written under the name with `.partial` and renamed when it is complete.
#[derive(Debug)]
pub(crate) struct Partial {
    pub(crate) file: File,
    pub(crate) partial: PathBuf,
    pub(crate) path: PathBuf,
}

impl Partial {
    /// Creates the file, empty; `path` is what it will be. What an earlier run left there is kept, which is said.
    pub(crate) fn create(path: &Path, screen: &Screen) -> anyhow::Result<Self> {
        // Not the link but the file that it leads to is replaced.
        let behind = path.is_symlink().then(|| fs::canonicalize(path).ok()).flatten();
        let path = behind.unwrap_or_else(|| path.into());
        let partial = partial(&path);
        let file = loop {
            match claimed(&partial, fs::metadata(&path).is_ok())? {
                Claimed::Empty(file) => break file,
                Claimed::Left(left) => {
                    let kept = set_aside(&partial)?;
                    // Until here no other run could take it for its own, and have that one set aside.
                    drop(left);
                    screen.message(&format!(
                        "{} of an earlier run is kept as {}",
                        shown(&partial),
                        shown(&kept)
                    ));
                }
            }
        };
        Ok(Self { file, partial, path })
    }
}

/// Refuses to write over what is there, unless it was said that it may be lost.
pub(crate) fn refuse_existing(path: Option<&Path>) -> anyhow::Result<()> {
    match path {
        Some(path) if fs::symlink_metadata(path).is_ok() && !is_special(path) => Err(Ended::usage(format!(
            "{}: is there already; name another file, or replace it by --force",
            shown(path)
        ))),
        _ => Ok(()),
    }
}

/// Gives what is complete its name, for good.
pub(crate) fn put_in_place(
    file: &File,
    partial: &Path,
    path: &Path,
    existing: Existing,
) -> anyhow::Result<()> {
    if let Ok(old) = fs::metadata(path) {
        take_rights(file, path, &old);
    }
    file.sync_all().map_err(|error| Place::Partial(partial.into()).failed(&error))?;
    if !is_at(file, partial) {
        // Without locks, as on some file systems, another run may have set it aside as left by an earlier one.
        return Err(Ended::output(format!(
            "{}: is not the file of this run any more; {} was not written: run again",
            shown(partial),
            shown(path)
        )));
    }
    if matches!(existing, Existing::Unchanged(version) if version != Version::of(path)) {
        discard(file, partial)?;
        return Err(Ended::output(format!(
            "{}: was changed by another run meanwhile; nothing was written; run it again",
            shown(path)
        )));
    }
    let renamed = match existing {
        Existing::Replaced | Existing::Unchanged(_) => fs::rename(partial, path),
        Existing::Kept => rename_new(partial, path),
    };
    renamed.map_err(|error| {
        Ended::output(format!(
            "{} is complete but cannot be renamed to {}: {}",
            shown(partial),
            shown(path),
            text::system(&error)
        ))
    })?;
    // The new name survives a power cut once the directory is written; some file systems cannot, and say so.
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let _ = File::open(directory.unwrap_or(Path::new("."))).and_then(|directory| directory.sync_all());
    Ok(())
}

/// Removes the partial file of this run, which has it open. What another run has under that name by now stays.
pub(crate) fn discard(file: &File, partial: &Path) -> anyhow::Result<()> {
    match is_at(file, partial) {
        true => fs::remove_file(partial).map_err(|error| refused(partial, &error)),
        false => Ok(()),
    }
}

/// The name under which a file is written until it is complete.
pub(crate) fn partial(path: &Path) -> PathBuf {
    with_ending(path, ".partial")
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Gives a file the rights of the one that it replaces, or fewer: who may not read that may not read this.
fn take_rights(file: &File, path: &Path, old: &fs::Metadata) {
    use std::os::unix::fs::fchown;
    let mut mode = old.mode() & 0o777;
    let has_group = fchown(file, Some(old.uid()), Some(old.gid()))
        .or_else(|_| fchown(file, None, Some(old.gid())))
        .is_ok();
    // With a list of rights those of the group are no more than its mask.
    let has_list =
        rustix::fs::getxattr(path, c"system.posix_acl_access", &mut [0_u8; 0]).is_ok_and(|size| size > 0);
    if !has_group || has_list {
        mode &= !0o070 | (mode & 0o007) << 3;
    }
    // A file system without rights refuses, and has none to keep.
    let _ = file.set_permissions(fs::Permissions::from_mode(mode));
}

/// What is under the partial name, locked where there are locks.
#[derive(Debug)]
enum Claimed {
    /// This run alone writes to it.
    Empty(File),
    /// An earlier run has left something in it. Without locks it may be one that runs, which then finds its file set aside.
    Left(File),
}

/// Opens or creates the file that the result is written to until it is complete. What another run is writing is refused, and so
/// is anything but a regular file. `replaces`: a file is there whose rights it will have, and until then nobody else has any.
fn claimed(partial: &Path, replaces: bool) -> anyhow::Result<Claimed> {
    // Without waiting, for a FIFO; not through a symbolic link.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(if replaces { 0o600 } else { 0o666 }).custom_flags(flags);
    let completed =
        || Ended::output(format!("{}: another run has just completed it; run again", shown(partial)));
    let (opened, is_new) = match options.clone().create_new(true).open(partial) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (options.open(partial), false),
        created => (created, true),
    };
    let file = opened.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if !is_new => completed(),
        _ => refused(partial, &error),
    })?;
    if !file.metadata().is_ok_and(|facts| facts.is_file()) {
        return Err(Ended::output(format!("{}: is not a regular file; remove it", shown(partial))));
    }
    let locked = flock(&file, FlockOperation::NonBlockingLockExclusive);
    if locked == Err(Errno::WOULDBLOCK) {
        let text =
            format!("{}: another run is writing it; wait for it, or name another file", shown(partial));
        return Err(Ended::output(text));
    }
    // Between opening and locking the run that was writing it may have completed it: then it has another name by now.
    if !is_at(&file, partial) {
        return Err(completed());
    }
    let facts = file.metadata().map_err(|error| refused(partial, &error))?;
    if facts.nlink() != 1 {
        return Err(Ended::output(format!("{}: has another name as well; remove it", shown(partial))));
    }
    // A file system without locks cannot tell whether another run is about to write into what is empty.
    if facts.len() > 0 || locked.is_err() && !is_new {
        return Ok(Claimed::Left(file));
    }
    if replaces {
        // What an earlier run left may have other rights.
        let _ = file.set_permissions(fs::Permissions::from_mode(0o600));
    }
    Ok(Claimed::Empty(file))
}

/// Gives what an earlier run left a name of its own, with a number.
fn set_aside(partial: &Path) -> anyhow::Result<PathBuf> {
    for number in 1..=MOST_KEPT {
        let kept = with_ending(partial, &format!(".{number}"));
        match rename_new(partial, &kept) {
            Ok(()) => return Ok(kept),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(refused(partial, &error)),
        }
    }
    Err(Ended::output(format!(
        "{}: an earlier run left it, and {MOST_KEPT} others are kept beside it; remove those that nobody needs",
        shown(partial)
    )))
}

/// Whether a path leads to an open file itself.
fn is_at(file: &File, path: &Path) -> bool {
    let (open, named) = (file.metadata(), fs::symlink_metadata(path));
    open.is_ok_and(|open| named.is_ok_and(|named| identity(&open) == identity(&named)))
}

fn identity(facts: &fs::Metadata) -> (u64, u64) {
    (facts.dev(), facts.ino())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file on its way to `X`, with something in it, in a directory of its own.
    fn on_its_way() -> (tempfile::TempDir, PathBuf, Partial) {
        use std::io::Write as _;
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("X");
        let mut made = Partial::create(&path, &Screen::plain()).expect("a new file");
        made.file.write_all(b"new").expect("write");
        (directory, path, made)
    }

    #[test]
    fn a_name_that_was_taken_meanwhile_is_replaced_only_where_that_was_decided() {
        for (existing, expected) in [(Existing::Kept, b"old"), (Existing::Replaced, b"new")] {
            let (_directory, path, Partial { file, partial, .. }) = on_its_way();
            fs::write(&path, "old").expect("write");
            let placed = put_in_place(&file, &partial, &path, existing);
            assert_eq!(fs::read(&path).expect("read"), expected);
            assert_eq!((placed.is_ok(), partial.exists()), (existing == Existing::Replaced, placed.is_err()));
        }
    }

    #[test]
    fn a_file_that_another_run_has_set_aside_does_not_get_the_name_of_its_successor() {
        let (_directory, path, Partial { file, partial, .. }) = on_its_way();
        // As a run does where there are no locks.
        let kept = set_aside(&partial).expect("renamed");
        fs::write(&partial, "of the other run").expect("write");
        assert!(put_in_place(&file, &partial, &path, Existing::Replaced).is_err());
        assert!(!path.exists());
        assert_eq!(fs::read(kept).expect("read"), b"new");
        discard(&file, &partial).expect("nothing to remove");
        assert_eq!(fs::read(&partial).expect("it is still there"), b"of the other run");
    }

    #[test]
    fn what_an_earlier_run_left_is_locked_until_it_is_set_aside() {
        let (_directory, path, Partial { file, partial, .. }) = on_its_way();
        drop(file);
        let left = claimed(&partial, false).expect("nobody is writing it");
        assert!(matches!(left, Claimed::Left(_)));
        Partial::create(&path, &Screen::plain()).expect_err("it is locked");
        assert_eq!(fs::read(&partial).expect("it was not set aside"), b"new");
    }

    #[test]
    fn what_was_changed_meanwhile_is_not_replaced_by_what_was_made_of_it() {
        for (change, is_replaced) in [(None, true), (Some("other"), false)] {
            let (_directory, path, Partial { file, partial, .. }) = on_its_way();
            fs::write(&path, "old").expect("write");
            let version = Version::of(&path);
            if let Some(change) = change {
                fs::write(&path, change).expect("write");
            }
            let placed = put_in_place(&file, &partial, &path, Existing::Unchanged(version));
            assert_eq!(placed.is_ok(), is_replaced);
            assert_eq!(fs::read(&path).expect("read"), change.unwrap_or("new").as_bytes());
            assert!(!partial.exists());
        }
    }

    #[test]
    fn a_file_that_is_being_written_is_refused() {
        let (_directory, path, made) = on_its_way();
        let refused = Partial::create(&path, &Screen::plain()).expect_err("it is locked");
        assert!(
            refused.to_string().ends_with(": another run is writing it; wait for it, or name another file")
        );
        drop(made);
        Partial::create(&path, &Screen::plain()).expect("it is kept, and a new one made");
        assert_eq!(fs::read(with_ending(&path, ".partial.1")).expect("read"), b"new");
    }
}
