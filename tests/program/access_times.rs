//! What is audited looks as if nobody had read it: files and directories keep their access times, where the system grants that.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::keeper::settle;
use crate::work::{Dir, needs};

/// When nobody had changed anything yet: any reading moves such a time, also where a mount moves one only if it is older than the change
/// (`relatime`).
const LONG_AGO: SystemTime = SystemTime::UNIX_EPOCH;

/// Larger than what is read with others side by side.
const LARGE_BYTES: usize = (32 << 20) + 1;

/// Sets the access time of a file or a directory.
fn set_accessed(path: &Path) {
    let accessed = FileTimes::new().set_accessed(LONG_AGO + Duration::from_secs(1_000));
    File::open(path).unwrap().set_times(accessed).unwrap();
}

fn accessed(path: &Path) -> SystemTime {
    fs::metadata(path).unwrap().accessed().unwrap()
}

/// Those whose access times have moved; they are set back.
fn moved(paths: &[PathBuf]) -> Vec<&Path> {
    let moved: Vec<&Path> = paths
        .iter()
        .map(PathBuf::as_path)
        .filter(|path| accessed(path) != LONG_AGO + Duration::from_secs(1_000))
        .collect();
    moved.iter().for_each(|path| set_accessed(path));
    moved
}

/// A tree, and all that it has; none where reading moves no access time anyway.
fn tree() -> Option<(Dir, Vec<PathBuf>)> {
    let dir = Dir::new();
    dir.write("control/file", "read as everybody reads");
    let control = [dir.path("control"), dir.path("control/file")];
    control.iter().for_each(|path| set_accessed(path));
    assert_eq!(fs::read_dir(&control[0]).unwrap().count(), 1);
    fs::read(&control[1]).unwrap();
    if !needs(moved(&control).len() == control.len(), "a temporary directory that keeps access times") {
        return None;
    }
    dir.write("t/small", "1").write("t/d/b", "2").write("t/d/large", vec![7; LARGE_BYTES]).make("t/empty");
    let paths: Vec<PathBuf> =
        ["t", "t/small", "t/d", "t/d/b", "t/d/large", "t/empty"].map(|name| dir.path(name)).into();
    paths.iter().for_each(|path| set_accessed(path));
    Some((dir, paths))
}

#[test]
fn what_is_read_keeps_its_access_time() {
    let Some((dir, paths)) = tree() else { return };
    for arguments in [
        &["sum", "t", "-o", "SHA256SUMS"][..],
        &["sum", "--engine", "mmap", "-a", "blake3,sha256", "t"],
        &["sum", "--engine", "direct", "t"],
        &["sum", "--engine", "uring", "t"],
        &["check", "SHA256SUMS"],
        &["check", "--audit", "--root", "t", "SHA256SUMS"],
        &["check", "--complete", "--root", "t", "SHA256SUMS"],
        &["diff", "SHA256SUMS", "t"],
    ] {
        dir.hashlane(arguments).run().code(0);
        assert_eq!(moved(&paths), [] as [&Path; 0], "{arguments:?}");
    }
}

#[test]
fn an_audit_moves_no_access_time() {
    let Some((dir, mut paths)) = tree() else { return };
    dir.keeper(["collection", "add", "t", "t", "--marker", "--every", "30d"]).run().code(0);
    paths.push(dir.path("t/.hashlane-marker"));
    paths.iter().for_each(|path| set_accessed(path));
    settle();
    let audit = |options: &[&str], code| {
        dir.keeper([&["audit", "t"], options].concat()).run().code(code);
        assert_eq!(moved(&paths), [] as [&Path; 0], "{options:?}");
    };
    audit(&[], 0);
    audit(&["--due"], 0);
    audit(&["--from", "device", "--dry-run"], 0);
    // What differs is read again past the page cache.
    dir.corrupt("t/small", "0");
    set_accessed(&dir.path("t/small"));
    audit(&[], 8);
    // A directory that lost all that it had is looked into.
    fs::remove_file(dir.path("t/d/b")).unwrap();
    fs::remove_file(dir.path("t/d/large")).unwrap();
    paths.retain(|path| path.exists());
    let left = moved(&paths);
    assert!(left.is_empty(), "{left:?}");
    dir.keeper(["audit", "t"]).run();
    assert_eq!(moved(&paths), [] as [&Path; 0]);
}

/// Of files of somebody else the system moves them, and that is not an error; of one's own beside them it does not.
#[test]
fn what_belongs_to_somebody_else_is_read_all_the_same() {
    let Some((dir, paths)) = tree() else { return };
    if !needs(rustix::process::geteuid().is_root(), "root, for files of somebody else") {
        return;
    }
    let own = [dir.path("t/d/b"), dir.path("t/empty")];
    for path in &own {
        chown(path, Some(65_534), Some(65_534)).unwrap();
    }
    for engine in ["buffered", "uring", "mmap", "direct"] {
        let options = ["sum", "--engine", engine, "t"];
        let as_root = dir.hashlane(options).run().code(0).stdout;
        assert_eq!(moved(&paths), [] as [&Path; 0], "{engine}");
        let ran = dir.hashlane(options).without_rights().run().code(0);
        assert_eq!(String::from_utf8(ran.stdout), String::from_utf8(as_root), "{engine}");
        let moved = moved(&paths);
        assert!(moved.contains(&&*dir.path("t/small")) && moved.contains(&&*dir.path("t")), "{moved:?}");
        assert!(own.iter().all(|own| !moved.contains(&&**own)), "{engine}: {moved:?}");
    }
}
