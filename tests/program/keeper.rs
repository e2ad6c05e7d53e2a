//! Collections to work with, and what is said of them.

use std::thread;
use std::time::Duration;

use crate::work::{Cmd, Dir, HASHLANE};

/// Waits until all that was written counts as settled: two whole seconds of the clock after its last change.
pub(crate) fn settle() {
    thread::sleep(Duration::from_millis(3_050));
}

/// A tree of three files that was registered and audited.
pub(crate) fn kept(options: &[&str]) -> Dir {
    let dir = Dir::new();
    for (name, content) in [("tree/a", "first"), ("tree/d/b", "second"), ("tree/d/c", "third")] {
        dir.write(name, content);
    }
    settle();
    dir.keeper([&["collection", "add", "t", "tree"], options].concat()).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    dir
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
