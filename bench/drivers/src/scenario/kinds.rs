//! The kinds of change, and what is to be said of each: the verdicts of docs/guide/collections.md and decision 0034.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use anyhow::Result;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::tree::Tree;
use crate::damage;

/// Does something to a tree.
pub(super) type Change = fn(&Tree) -> Result<()>;

/// One kind of change.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) what: &'static str,
    pub(super) needs: Needs,
    /// Files that are there from the beginning.
    pub(super) before: &'static [&'static [u8]],
    /// What is done before the second audit of three.
    pub(super) midway: Change,
    /// What is done before the last one.
    pub(super) change: Change,
    /// What that one is to say, by path.
    pub(super) after: &'static [(&'static [u8], &'static str)],
}

/// What a kind of change takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    Nothing,
    /// The tree lies in an image.
    Image,
    Root,
    /// A file can be unreadable.
    Refusal,
}

/// The file that is damaged below its file system.
pub(super) const BELOW: &str = "flipped-below.dat";

/// Files that a filter leaves out, in the end.
pub(super) const FILTERED: &str = "*.tmp";

/// Files that may grow.
pub(super) const APPEND_ONLY: &str = "*.log";

const STRANGE: &[u8] = b"two\nlines\xff.dat";

const fn kind(
    what: &'static str,
    before: &'static [&'static [u8]],
    change: Change,
    after: &'static [(&'static [u8], &'static str)],
) -> Kind {
    Kind { what, needs: Needs::Nothing, before, midway: |_| Ok(()), change, after }
}

/// Puts something into the place of a file.
fn instead(
    tree: &Tree,
    name: &[u8],
    put: impl FnOnce(&std::path::Path) -> std::io::Result<()>,
) -> Result<()> {
    let path = tree.path(name);
    fs::remove_file(&path)?;
    put(&path)?;
    tree.runner().hand_over(&path)
}

pub(super) const KINDS: &[Kind] = &[
    kind("unchanged", &[b"unchanged.dat"], |_| Ok(()), &[(b"unchanged.dat", "intact")]),
    kind(
        "edited, new time, same size",
        &[b"edited.dat"],
        |tree| tree.edit(b"edited.dat", b"an edit"),
        &[(b"edited.dat", "changed")],
    ),
    kind(
        "edited, new time, new size",
        &[b"longer.dat"],
        |tree| tree.append(b"longer.dat", b"more"),
        &[(b"longer.dat", "changed")],
    ),
    kind(
        "edited, time set back",
        &[b"set-back.dat"],
        |tree| damage::keeping_time(&tree.path(b"set-back.dat"), |path| damage::flip(path, 9000, 2)),
        &[(b"set-back.dat", "corrupt")],
    ),
    // The tree is unmounted for it, so it is done after all others.
    Kind {
        needs: Needs::Image,
        ..kind(
            "bit flipped below the file system",
            &[BELOW.as_bytes()],
            |_| Ok(()),
            &[(BELOW.as_bytes(), "corrupt")],
        )
    },
    kind(
        "cut off, new time",
        &[b"shorter.dat"],
        |tree| damage::cut_off(&tree.path(b"shorter.dat"), 5000),
        &[(b"shorter.dat", "changed")],
    ),
    kind(
        "cut off, time set back",
        &[b"cut-off.dat"],
        |tree| damage::keeping_time(&tree.path(b"cut-off.dat"), |path| damage::cut_off(path, 5000)),
        &[(b"cut-off.dat", "corrupt")],
    ),
    kind(
        "append-only, grown",
        &[b"grown.log"],
        |tree| tree.append(b"grown.log", b"a line\n"),
        &[(b"grown.log", "grown")],
    ),
    kind(
        "append-only, grown, its old part changed",
        &[b"rewritten.log"],
        |tree| {
            tree.append(b"rewritten.log", b"a line\n")?;
            tree.edit(b"rewritten.log", b"another past")
        },
        &[(b"rewritten.log", "changed")],
    ),
    kind(
        "touched",
        &[b"touched.dat"],
        |tree| damage::set_time(&tree.path(b"touched.dat"), SystemTime::now()),
        &[(b"touched.dat", "touched")],
    ),
    kind("chmod", &[b"mode.dat"], |tree| tree.set_mode(b"mode.dat", 0o640), &[(b"mode.dat", "intact")]),
    Kind {
        needs: Needs::Root,
        ..kind(
            "chown",
            &[b"owner.dat"],
            |tree| Ok(std::os::unix::fs::chown(tree.path(b"owner.dat"), None, Some(7))?),
            &[(b"owner.dat", "intact")],
        )
    },
    kind(
        "renamed in its directory",
        &[b"name.dat"],
        |tree| damage::rename(&tree.path(b"name.dat"), &tree.path(b"other-name.dat")),
        &[(b"name.dat", "moved-away"), (b"other-name.dat", "moved")],
    ),
    kind(
        "moved to another directory",
        &[b"from/moved.dat", b"to/neighbour.dat"],
        |tree| damage::rename(&tree.path(b"from/moved.dat"), &tree.path(b"to/moved.dat")),
        &[(b"from/moved.dat", "moved-away"), (b"to/moved.dat", "moved")],
    ),
    kind(
        "directory renamed with five files",
        &[b"old/1.dat", b"old/2.dat", b"old/3.dat", b"old/4.dat", b"old/below/5.dat"],
        |tree| damage::rename(&tree.path(b"old"), &tree.path(b"renamed")),
        &[
            (b"old/1.dat", "moved-away"),
            (b"renamed/1.dat", "moved"),
            (b"renamed/2.dat", "moved"),
            (b"renamed/3.dat", "moved"),
            (b"renamed/4.dat", "moved"),
            (b"renamed/below/5.dat", "moved"),
        ],
    ),
    kind(
        "swapped with a file of the same size",
        &[b"swapped-1.dat", b"swapped-2.dat"],
        |tree| damage::swap(&tree.path(b"swapped-1.dat"), &tree.path(b"swapped-2.dat")),
        &[(b"swapped-1.dat", "changed"), (b"swapped-2.dat", "changed")],
    ),
    kind(
        "swapped with a file of the same size and time",
        &[b"twin-1.dat", b"twin-2.dat"],
        |tree| {
            damage::swap(&tree.path(b"twin-1.dat"), &tree.path(b"twin-2.dat"))?;
            tree.set_back(b"twin-1.dat")?;
            tree.set_back(b"twin-2.dat")
        },
        &[(b"twin-1.dat", "corrupt"), (b"twin-2.dat", "corrupt")],
    ),
    kind(
        "copied",
        &[b"copied.dat"],
        |tree| {
            let content = fs::read(tree.path(b"copied.dat"))?;
            tree.write(b"copy.dat", &content)
        },
        &[(b"copied.dat", "intact"), (b"copy.dat", "copied")],
    ),
    kind(
        "hard link added",
        &[b"linked.dat"],
        |tree| Ok(fs::hard_link(tree.path(b"linked.dat"), tree.path(b"second-name.dat"))?),
        &[(b"linked.dat", "intact"), (b"second-name.dat", "copied")],
    ),
    kind(
        "deleted",
        &[b"deleted.dat"],
        |tree| Ok(fs::remove_file(tree.path(b"deleted.dat"))?),
        &[(b"deleted.dat", "missing")],
    ),
    kind(
        "deleted, and made anew as it was",
        &[b"anew.dat"],
        |tree| {
            let content = fs::read(tree.path(b"anew.dat"))?;
            fs::remove_file(tree.path(b"anew.dat"))?;
            tree.write(b"anew.dat", &content)
        },
        &[(b"anew.dat", "touched")],
    ),
    kind(
        "a directory in its place",
        &[b"was-file-1.dat"],
        |tree| instead(tree, b"was-file-1.dat", |path| fs::create_dir(path)),
        &[(b"was-file-1.dat", "missing")],
    ),
    kind(
        "a symbolic link in its place",
        &[b"was-file-2.dat"],
        |tree| instead(tree, b"was-file-2.dat", |path| symlink("unchanged.dat", path)),
        &[(b"was-file-2.dat", "missing")],
    ),
    kind(
        "a FIFO in its place",
        &[b"was-file-3.dat"],
        |tree| {
            instead(tree, b"was-file-3.dat", |path| {
                Ok(mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0)?)
            })
        },
        &[(b"was-file-3.dat", "missing")],
    ),
    kind("new", &[], |tree| tree.write(b"new.dat", b"new content"), &[(b"new.dat", "new")]),
    kind("new and empty", &[], |tree| tree.write(b"new.empty", b""), &[(b"new.empty", "new")]),
    kind(
        "empty, deleted",
        &[b"deleted.empty"],
        |tree| Ok(fs::remove_file(tree.path(b"deleted.empty"))?),
        &[(b"deleted.empty", "missing")],
    ),
    Kind {
        needs: Needs::Refusal,
        ..kind(
            "made unreadable",
            &[b"unreadable.dat"],
            |tree| tree.set_mode(b"unreadable.dat", 0),
            &[(b"unreadable.dat", "unreadable")],
        )
    },
    kind(
        "edited, and left out by a filter",
        &[b"filtered.tmp"],
        |tree| tree.edit(b"filtered.tmp", b"an edit"),
        &[(b"filtered.tmp", "ignored")],
    ),
    kind(
        "a name with a line break that is not UTF-8, edited, time set back",
        &[STRANGE],
        |tree| damage::keeping_time(&tree.path(STRANGE), |path| damage::flip(path, 20_000, 7)),
        &[(STRANGE, "corrupt")],
    ),
    kind(
        "sparse, bytes in its hole, time set back",
        &[b"holes.sparse"],
        |tree| damage::keeping_time(&tree.path(b"holes.sparse"), |path| damage::flip(path, 3 << 20, 1)),
        &[(b"holes.sparse", "corrupt")],
    ),
    Kind {
        midway: |tree| damage::keeping_time(&tree.path(b"restored.dat"), |path| damage::flip(path, 1, 1)),
        ..kind(
            "corrupt before, and restored",
            &[b"restored.dat"],
            |tree| tree.restore(b"restored.dat"),
            &[(b"restored.dat", "intact")],
        )
    },
    kind(
        "edited, time in the future",
        &[b"future.dat"],
        |tree| {
            tree.edit(b"future.dat", b"an edit")?;
            let future = SystemTime::now() + Duration::from_secs(10 * 365 * 24 * 3600);
            damage::set_time(&tree.path(b"future.dat"), future)
        },
        &[(b"future.dat", "changed")],
    ),
    Kind {
        midway: |tree| tree.edit(b"twice.dat", b"a first edit"),
        ..kind(
            "edited twice",
            &[b"twice.dat"],
            |tree| tree.edit(b"twice.dat", b"the second"),
            &[(b"twice.dat", "changed")],
        )
    },
];
