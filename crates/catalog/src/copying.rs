//! Databases, copied whole: to a file, or into each other.
//!
//! Invariant: a file has its name only when it is complete and on its medium, and takes the place of no other one.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hashlane_io::directory_of;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, ErrorCode};

use crate::damage::CataloguePart;
use crate::error::{Error, Result};
use crate::paths::beside;

/// How long a copy waits for others that write, and between two looks.
const PATIENCE: Duration = Duration::from_secs(600);
const PAUSE: Duration = Duration::from_millis(20);

/// Copies a database, with what is in its log, to `TO.partial`, and returns that name: [`name`] gives it the other one.
///
/// # Errors
/// It cannot be read or written, or is damaged. Then there is no such file.
pub(crate) fn write_partial(from: &Connection, to: &Path) -> Result<PathBuf> {
    write_checked(from, to, true)
}

/// The same, where the caller checks more of it than this would.
///
/// # Errors
/// As [`write_partial`].
pub(crate) fn write_unchecked(from: &Connection, to: &Path) -> Result<PathBuf> {
    write_checked(from, to, false)
}

fn write_checked(from: &Connection, to: &Path, is_checked: bool) -> Result<PathBuf> {
    let failed = |source| Error::Open { path: to.into(), source };
    let partial = beside(to, ".partial");
    match fs::remove_file(&partial) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    // Names of files are nobody else's, not even while they are copied.
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(&partial).map_err(failed)?;
    let written = write(from, &partial, is_checked)
        .and_then(|()| File::open(&partial).and_then(|file| file.sync_all()).map_err(failed));
    if let Err(error) = written {
        // It is worth nothing, and may have taken the last room.
        let _ = fs::remove_file(&partial);
        return Err(match error {
            Error::Database { source, .. } if is_damage(&source.0) => {
                Error::damaged(CataloguePart::File, source.to_string())
            }
            Error::Database { source, .. } => Error::Copy { path: to.into(), source },
            error => error,
        });
    }
    Ok(partial)
}

/// Gives a partial copy its name, for good.
///
/// # Errors
/// The name is taken, or the file system refuses it.
pub(crate) fn name(partial: &Path, to: &Path) -> Result<()> {
    hashlane_io::rename_new(partial, to)
        .and_then(|()| File::open(directory_of(to))?.sync_all())
        .map_err(|source| Error::Open { path: to.into(), source })
}

fn write(from: &Connection, to: &Path, is_checked: bool) -> Result<()> {
    let mut copy = Connection::open(to)?;
    copy_all(from, &mut copy)?;
    // One file, that needs no other beside it.
    copy.pragma_update(None, "journal_mode", "DELETE")?;
    if !is_checked {
        return Ok(());
    }
    // A copy of damage would take the place of good ones.
    let check: String = copy.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if check == "ok" { Ok(()) } else { Err(Error::damaged(CataloguePart::File, check)) }
}

/// Copies all pages of one database into another.
pub(crate) fn copy_all(from: &Connection, to: &mut Connection) -> Result<()> {
    let backup = Backup::new(from, to)?;
    let end = Instant::now() + PATIENCE;
    // In one step: what others write meanwhile goes to the log, and would have it begin again.
    loop {
        match backup.step(-1)? {
            StepResult::Done => return Ok(()),
            _ if Instant::now() < end => std::thread::sleep(PAUSE),
            _ => return Err(Error::Waited),
        }
    }
}

/// Whether an error says that the file is not what it should be, as opposed to its disk.
fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}
