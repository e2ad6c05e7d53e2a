//! Which files of a tree are the program's own: the catalogue, if it lies in the tree, and what is kept beside it.
//!
//! The names are made in `lock`, in `backups`, and by the command that restores a backup. Earlier programs have put copies of old versions
//! beside the catalogue.

use std::path::Path;

use crate::backups::{self, Shelf};
use crate::lock;
use crate::paths::bytes_of;
use crate::reader::Reader;

/// The program's own files of a tree.
#[derive(Debug)]
pub struct OwnFiles {
    /// The path of the catalogue below the root.
    catalog: Option<Vec<u8>>,
    /// That of the directory of its copies, and what they are called.
    copies: Option<(Vec<u8>, Shelf)>,
}

impl OwnFiles {
    /// Those of a catalogue in a tree with this root, if they may lie there.
    pub fn of(catalog: &Reader, root: &Path) -> Option<Self> {
        let below = |path: &Path| path.strip_prefix(root).ok().map(|below| bytes_of(below).to_vec());
        let shelf = catalog.backups.shelf(catalog.path());
        let copies = shelf.and_then(|shelf| Some((below(shelf.directory())?, shelf)));
        let own = Self { catalog: below(catalog.path()), copies };
        (own.catalog.is_some() || own.copies.is_some()).then_some(own)
    }

    /// Whether a path below the root is that of such a file.
    pub fn has(&self, path: &[u8]) -> bool {
        let is_catalog = |catalog: &Vec<u8>| is_of_catalog(path, catalog);
        let (directory, name) = match path.iter().rposition(|byte| *byte == b'/') {
            Some(slash) => (&path[..slash], &path[slash + 1..]),
            None => (&path[..0], path),
        };
        self.catalog.as_ref().is_some_and(is_catalog)
            || self.copies.as_ref().is_some_and(|(copies, shelf)| copies == directory && shelf.has(name))
    }
}

/// Whether a path is that of the catalogue, or of a file that the program keeps beside it. Only names that the program gives are taken:
/// whatever else begins like the catalogue is a file of the keeper's, and belongs to the collection.
fn is_of_catalog(path: &[u8], catalog: &[u8]) -> bool {
    path.strip_prefix(catalog).is_some_and(|rest| is_database(rest) || is_kept_beside(rest))
}

/// Whether what follows the name of a database makes it that of one of its files.
fn is_database(rest: &[u8]) -> bool {
    let endings: [&[u8]; 4] = [b"", b"-wal", b"-shm", b"-journal"];
    endings.contains(&rest)
}

/// Whether what follows the name of the catalogue makes it that of a lock or of a copy.
fn is_kept_beside(rest: &[u8]) -> bool {
    if [backups::LOCK, lock::TURN, lock::TELLING].iter().any(|lock| rest == lock.as_bytes()) {
        return true;
    }
    if let Some(behind) = rest.strip_prefix(b".audit-").and_then(behind_number) {
        return behind.is_empty();
    }
    // A second copy of one version has a number of its own behind that of the version.
    let of_version = rest.strip_prefix(b".version-").and_then(behind_number);
    let of_version = of_version.map(|rest| rest.strip_prefix(b".").and_then(behind_number).unwrap_or(rest));
    let of_restore = || rest.strip_prefix(b".before-restore-").and_then(behind_number);
    of_version.or_else(of_restore).is_some_and(|behind| {
        // It has another name until it is complete.
        is_database(behind) || behind.strip_prefix(b".partial").is_some_and(is_database)
    })
}

/// What follows a number as the program writes one; nothing if none is there.
fn behind_number(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0 && text[0] != b'0').then(|| &text[digits..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_beside_the_catalogue_has_names_of_its_own() {
        let is_of_catalog = |rest: &str| is_of_catalog(format!("d/c{rest}").as_bytes(), b"d/c");
        for kept in [
            "",
            "-wal",
            "-shm",
            "-journal",
            ".audit-1",
            ".audit-120",
            ".backup-lock",
            ".version-3",
            ".version-3.partial",
            ".version-3.2",
            ".version-3.12.partial-journal",
            ".before-restore-10",
            ".before-restore-1-wal",
            ".before-restore-1.partial",
            ".before-restore-1.partial-journal",
        ] {
            assert!(is_of_catalog(kept), "{kept:?}");
        }
        for other in [
            ".audit-",
            ".audit-notes.txt",
            ".audit-1.txt",
            ".audit-01",
            ".audit-1-wal",
            ".version-",
            ".version-2024-01-01",
            ".version-3.old",
            ".version-3.",
            ".version-3.2.1",
            ".version-3.02",
            ".before-restore-1.2",
            ".before-restore-1.bak",
            ".before-restore-",
            ".partial",
            "-wal2",
            "2",
            "/file",
        ] {
            assert!(!is_of_catalog(other), "{other:?}");
        }
        assert!(!super::is_of_catalog(b"other", b"d/c"));
    }
}
