//! What is written over, what is not, and what an earlier run left: nothing is lost without a word.

use std::fs;
use std::path::Path;

use crate::work::{Cmd, Dir, HASHLANE, gnu, have};

/// A tree, two lists of it, and what stands where something is to be written.
fn tree() -> Dir {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/b", "2");
    for (list, algorithm) in [("SUMS.sha256", "sha256"), ("SUMS.md5", "md5")] {
        dir.hashlane(["sum", "-q", "-a", algorithm, "-o", list, "t"]).run().code(0);
    }
    dir
}

/// A tree, an index, a bag, and figures to compare.
fn everything() -> Dir {
    let dir = tree();
    dir.hashlane(["known", "build", "-q", "-o", "index.known", "SUMS.sha256"]).run().code(0);
    for name in ["ash.csv", "old_elm.csv"] {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/compare");
        dir.write(name, fs::read(fixtures.join(name)).unwrap());
    }
    dir.make("bag").write("bag/x", "x");
    dir.hashlane(["bag", "create", "-q", "bag"]).run().code(0);
    dir
}

#[test]
fn converting_replaces_no_list_unless_it_is_forced_to() {
    let dir = tree();
    let before = dir.read("SUMS.sha256");
    // As `convert SUMS.*` is where there are two.
    let said = ["SUMS.sha256: already exists; name another file, or replace it with --force"];
    dir.hashlane(["convert", "SUMS.md5", "SUMS.sha256"]).run().code(64).said(&said);
    dir.hashlane(["convert", "--add", "sha256", "SUMS.md5", "SUMS.sha256"]).run().code(64).said(&said);
    dir.link("SUMS.sha256", "link").link("nowhere", "dangling").write("empty", "");
    for there in ["link", "dangling", "empty"] {
        dir.hashlane(["convert", "--tag", "SUMS.md5", there]).run().code(64);
    }
    assert_eq!(dir.read("SUMS.sha256"), before);
    assert!(!dir.has("SUMS.sha256.partial") && !dir.has("nowhere"));
    dir.hashlane(["convert", "-q", "--force", "--tag", "SUMS.md5", "link"]).run().code(0);
    assert!(dir.read("SUMS.sha256").starts_with(b"MD5 (t/a) = "));
    dir.hashlane(["convert", "-q", "SUMS.md5", "/dev/null"]).run().code(0);
    dir.hashlane(["convert", "-q", "SUMS.md5", "-"]).run().code(0).printed(dir.read("SUMS.md5"));
}

#[test]
fn what_an_option_names_is_replaced_and_what_cannot_be_made_again_is_not() {
    let replaced: [&[&str]; 10] = [
        &["sum", "-q", "-o", "X", "t"],
        &["sum", "-q", "--files0-out", "X", "-o", "/dev/null", "t"],
        &["sum", "-q", "--known", "index.known", "--match", "--show-matched-by", "-o", "X", "t"],
        &["check", "-q", "--complete", "-o", "X", "SUMS.sha256", "--root", "t"],
        &["check", "-q", "--audit", "-o", "X", "SUMS.sha256", "--root", "t"],
        &["diff", "-q", "-o", "X", "SUMS.sha256", "t"],
        &["bag", "validate", "-q", "-o", "X", "bag"],
        &["convert", "-q", "--force", "SUMS.md5", "X"],
        &["as", "hashdeep", "-W", "X", "t/a"],
        &["compare", "--format", "csv", "-o", "X", "ash.csv", "old_elm.csv"],
    ];
    let kept: [(&[&str], i32); 4] = [
        (&["convert", "-q", "SUMS.md5", "X"], 64),
        (&["known", "build", "-q", "-o", "X", "SUMS.sha256"], 64),
        (&["bench", "-o", "X"], 64),
        (&["bag", "create", "-q", "bag"], 64),
    ];
    let dir = everything();
    for arguments in replaced {
        dir.write("X", "of last week");
        let ran = dir.hashlane(arguments).run();
        assert!(ran.status.code() == Some(0), "{arguments:?}: {}", ran.stderr);
        assert_ne!(dir.read("X"), b"of last week", "{arguments:?}");
        assert!(!dir.has("X.partial"), "{arguments:?}");
    }
    let manifest = dir.read("bag/manifest-sha256.txt");
    for (arguments, code) in kept {
        dir.write("X", "of last week");
        dir.hashlane(arguments).run().code(code);
        assert_eq!(dir.read("X"), b"of last week", "{arguments:?}");
        assert!(!dir.has("X.partial"), "{arguments:?}");
    }
    assert_eq!(dir.read("bag/manifest-sha256.txt"), manifest);
    // Links that are none of ours stay, and so do programs.
    dir.write("bin/md5sum", "a program");
    dir.hashlane(["install-links", "-q", "bin"]).run().code(74);
    assert_eq!(dir.read("bin/md5sum"), b"a program");
    // What is made from the program is made again.
    dir.write("schema/run.schema.json", "of last week");
    dir.hashlane(["generate", "schema", "schema"]).run().code(0);
    assert_ne!(dir.read("schema/run.schema.json"), b"of last week");
    // And so is an index.
    dir.hashlane(["known", "build", "-q", "-o", "index.known", "SUMS.md5"]).run().code(0);
}

#[test]
fn what_an_earlier_run_left_is_kept_under_a_number() {
    let commands: [&[&str]; 6] = [
        &["sum", "-q", "-o", "X", "t"],
        &["check", "-q", "-o", "X", "SUMS.sha256"],
        &["check", "-q", "--audit", "-o", "X", "SUMS.sha256", "--root", "t"],
        &["diff", "-q", "-o", "X", "SUMS.sha256", "t"],
        &["convert", "-q", "SUMS.md5", "X"],
        &["known", "build", "-q", "-o", "X", "SUMS.sha256"],
    ];
    for arguments in commands {
        let dir = tree();
        for (number, content) in [(1, "of monday"), (2, "of tuesday")] {
            dir.write("X.partial", content);
            let said = format!("X.partial of an earlier run was saved as X.partial.{number}");
            let ran = dir.hashlane(arguments).run().code(0);
            ran.said_among_others(&[&said]);
            assert_eq!(dir.read(format!("X.partial.{number}")), content.as_bytes(), "{arguments:?}");
            assert!(dir.has("X") && !dir.has("X.partial"), "{arguments:?}");
            fs::remove_file(dir.path("X")).unwrap();
        }
        // One that holds nothing is worth nothing.
        dir.write("X.partial", "");
        dir.hashlane(arguments).run().code(0);
        assert!(!dir.has("X.partial") && !dir.has("X.partial.3"), "{arguments:?}");
    }
    let dir = tree();
    dir.hashlane(["sum", "-q", "--manifest-format", "jsonl", "-o", "L", "t"]).run().code(0);
    dir.write("L.partial", "of monday");
    dir.hashlane(["sum", "-q", "--update", "L", "t"]).run().code(0);
    assert_eq!(dir.read("L.partial.1"), b"of monday");
}

#[test]
fn two_runs_never_write_into_one_file() {
    let dir = tree();
    let (reader, writer) = std::io::pipe().unwrap();
    let first = dir.hashlane(["sum", "-q", "-o", "X", "-"]).stdin(reader).start();
    while !dir.has("X.partial") {
        std::thread::yield_now();
    }
    // Whether it has locked the file by now or not, there is one writer.
    let second = dir.hashlane(["sum", "-q", "-o", "X", "t"]).run();
    if second.status.code() == Some(74) {
        second.said(&["X.partial: another run is writing it; wait for that run, or name another file"]);
        drop(writer);
        first.wait().code(0);
        assert_eq!(dir.read("X"), gnu(&[("-", "")]).as_bytes());
    } else {
        drop(writer);
        second.code(0);
        first.wait().code(74);
        assert_eq!(dir.read("X"), gnu(&[("t/a", "1"), ("t/b", "2")]).as_bytes());
    }
}

#[test]
fn two_runs_never_write_into_one_file_where_there_are_no_locks_either() {
    if !have("strace") {
        return;
    }
    let dir = tree();
    let lockless = |arguments: [&str; 5]| -> Cmd {
        let calls =
            ["-f", "-qq", "-e", "trace=flock", "-e", "inject=flock:error=ENOLCK", "-o", "calls", HASHLANE];
        dir.command("strace", calls).args(arguments)
    };
    let (reader, writer) = std::io::pipe().unwrap();
    let first = lockless(["sum", "-q", "-o", "X", "-"]).stdin(reader).start();
    while !dir.has("X.partial") {
        std::thread::yield_now();
    }
    lockless(["sum", "-q", "-o", "X", "t"])
        .run()
        .code(0)
        .said(&["X.partial of an earlier run was saved as X.partial.1"]);
    drop(writer);
    first.wait().code(74);
    assert_eq!(dir.read("X"), gnu(&[("t/a", "1"), ("t/b", "2")]).as_bytes());
    assert!(dir.has("X.partial.1") && !dir.has("X.partial"));
}

#[test]
fn an_index_takes_the_place_of_no_pipe_device_or_directory() {
    use std::os::unix::fs::FileTypeExt as _;
    let dir = tree();
    let fifo = dir.make("directory").fifo("fifo");
    let _socket = std::os::unix::net::UnixListener::bind(dir.path("socket")).unwrap();
    dir.link("fifo", "link");
    let named = [
        ("fifo", "a FIFO"),
        ("link", "a FIFO"),
        ("socket", "a socket"),
        ("directory", "a directory"),
        ("/dev/null", "a device"),
    ];
    for (output, what) in named {
        let ran = dir.hashlane(["known", "build", "-q", "-o", output, "SUMS.sha256"]).run().code(64);
        ran.said(&[&format!(
            "--output {output}: is {what}, which an index cannot replace; name another file"
        )]);
        assert!(!dir.has(format!("{output}.partial")), "{output}");
    }
    assert!(fs::symlink_metadata(fifo).unwrap().file_type().is_fifo());
    // Another name for a file that is open, which would be replaced without a word.
    let file = fs::File::create(dir.path("open")).unwrap();
    dir.hashlane(["known", "build", "-q", "-o", "/dev/stdout", "SUMS.sha256"]).stdout(file).run().code(64);
    assert_eq!(dir.read("open"), b"");
}

#[test]
fn an_output_that_lacks_files_is_said_to() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tree();
    let said = |arguments: &[&str], last: Option<&str>| {
        let ran = dir.hashlane(["sum", "-q"]).args(arguments).without_rights().run().code(16);
        let messages = ran.messages();
        let lacks = messages.iter().find(|message| message.ends_with(" in it"));
        assert_eq!(lacks.map(String::as_str), last, "{arguments:?}: {messages:?}");
        assert!(last.is_none() || dir.has("X"), "{arguments:?}");
    };
    fs::set_permissions(dir.root(), fs::Permissions::from_mode(0o777)).unwrap();
    said(&["-o", "X", "t", "gone"], Some("X: 1 file is not in it"));
    said(&["-o", "X", "t", "gone", "gone too"], Some("X: 2 files are not in it"));
    said(&["-o", "X", "--manifest-format", "jsonl", "t", "gone"], Some("X: 1 file has no digest in it"));
    said(&["t", "gone"], None);
    said(&["-o", "/dev/null", "t", "gone"], Some("/dev/null: 1 file is not in it"));
    dir.write("names", "t/a\0t/\n\0\0").write("t/\n", "a name that a list for md5deep cannot hold");
    let names = ["-o", "X", "--files0-from", "names"];
    said(&names, Some("X: 1 file is not in it"));
    said(&[&names[..], &["--manifest-format", "md5deep-sizes"]].concat(), Some("X: 2 files are not in it"));
    dir.write("t/closed/c", "3");
    let closed = |mode| fs::set_permissions(dir.path("t/closed"), fs::Permissions::from_mode(mode)).unwrap();
    closed(0);
    said(&["-o", "X", "t"], Some("X: everything below a directory is not in it"));
    said(&["-o", "X", "t", "gone"], Some("X: 1 file and everything below a directory are not in it"));
    closed(0o755);
}
