//! Collections to work with, and what is said of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::work::{Cmd, Dir, HASHLANE};

/// How long it takes until all that was written counts as settled: two whole seconds of the clock after its last change.
const SETTLING: Duration = Duration::from_millis(3_050);

/// The trees on the shelf: about as many as tests ask for.
const TREES: u32 = 64;

/// Waits until all that was written counts as settled.
pub(crate) fn settle() {
    thread::sleep(SETTLING);
}

/// A tree of three files that was registered and audited.
pub(crate) fn kept(options: &[&str]) -> Dir {
    let dir = Dir::new();
    SHELF.take_to(&dir.path("tree"));
    dir.keeper([&["collection", "add", "t", "tree"], options].concat()).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    dir
}

/// Trees that were all made at once and have settled together, for one test each. A move to its directory changes no time of a file.
struct Shelf {
    place: PathBuf,
    made: Instant,
    next: AtomicU32,
    /// Open as long as this process lives.
    _life: Option<ChildStdin>,
}

static SHELF: LazyLock<Shelf> = LazyLock::new(Shelf::filled);

impl Shelf {
    #[expect(clippy::zombie_processes, reason = "it ends after this process")]
    fn filled() -> Self {
        let place = tempfile::Builder::new().prefix("hashlane-shelf-").tempdir().unwrap().keep();
        for number in 0..TREES {
            write_tree(&place.join(number.to_string()));
        }
        // Nothing is called when tests end, however they do; but then nobody writes to the input of this any more.
        let mut remover = Command::new("sh");
        remover.args(["-c", "cat >/dev/null; rm -rf \"$0\""]).arg(&place).stdin(Stdio::piped());
        let remover = remover.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        Self { place, made: Instant::now(), next: AtomicU32::new(0), _life: remover.stdin }
    }

    /// Puts a tree that has settled at a path.
    fn take_to(&self, path: &Path) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        if number < TREES {
            fs::rename(self.place.join(number.to_string()), path).unwrap();
            thread::sleep(SETTLING.saturating_sub(self.made.elapsed()));
        } else {
            write_tree(path);
            settle();
        }
    }
}

fn write_tree(path: &Path) {
    fs::create_dir_all(path.join("d")).unwrap();
    for (name, content) in [("a", "first"), ("d/b", "second"), ("d/c", "third")] {
        fs::write(path.join(name), content).unwrap();
    }
}

/// Standard error of a command that ends with a code.
#[track_caller]
pub(crate) fn told(dir: &Dir, arguments: &[&str], code: i32) -> String {
    dir.keeper(arguments.iter().copied()).run().code(code).stderr
}

/// A shell script that may mount, with `hashlane` as `$0` and the catalogue of the directory.
pub(crate) fn mounting(dir: &Dir, script: &str) -> Cmd {
    let catalogue = dir.path("catalog.sqlite");
    dir.command("unshare", ["--mount", "bash", "-c", script, HASHLANE])
        .env("HASHLANE_CATALOG", catalogue.to_str().unwrap())
}

/// A command that may do no more than everybody.
pub(crate) fn nobody(dir: &Dir, arguments: &[&str]) -> Cmd {
    let catalog = dir.path("catalog.sqlite");
    dir.hashlane([arguments, &["--catalog", catalog.to_str().unwrap()]].concat()).without_rights()
}

/// The catalogue of a directory, to be written to past the program: as if it had done so, each row keeps its checksum.
pub(crate) fn raw(dir: &Dir) -> rusqlite::Connection {
    let raw = rusqlite::Connection::open(dir.path("catalog.sqlite")).unwrap();
    hashlane_catalog::keep_checksums(&raw).unwrap();
    raw
}
