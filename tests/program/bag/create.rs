//! What `bag create` makes, and that nothing is lost on the way.

use rustix::process::Signal;

use super::{bagit, they_accept, validate};
use crate::work::{Cmd, Dir, bytes, digest, have_mounts};

const AGENT: &str = concat!("Bag-Software-Agent: hashlane ", env!("CARGO_PKG_VERSION"));

/// Names that a bag can hold and a shell script cannot.
const NAMES: [&str; 10] = [
    "a",
    "b c",
    " lead",
    "new\nline",
    "ret\rurn",
    "*star",
    "-n",
    "back\\slash",
    "sub/e\u{301}",
    "sub/comma,) x",
];

fn tree() -> Dir {
    let dir = Dir::new();
    for name in NAMES {
        dir.write(format!("d/{name}"), format!("content of {name}"));
    }
    dir
}

fn create(dir: &Dir, arguments: &[&str]) -> Cmd {
    dir.hashlane(["bag", "create"]).args(arguments).env("SOURCE_DATE_EPOCH", "86400")
}

/// All names below a directory.
fn names(dir: &Dir, below: &str) -> Vec<String> {
    let found = dir.command("find", [below, "-mindepth", "1", "-print0"]).run().code(0).stdout;
    let text = String::from_utf8_lossy(&found).into_owned();
    let mut names: Vec<_> = text.split_terminator('\0').map(str::to_owned).collect();
    names.sort();
    names
}

#[test]
fn a_directory_becomes_a_bag_that_all_accept() {
    let dir = tree();
    let before = names(&dir, "d").len();
    let ran = create(&dir, &["--info", "Contact-Name=Ada Lovelace", "--info", "Contact-Name=Bob", "d"])
        .run()
        .code(0);
    assert_eq!(ran.messages()[0], "d: bag of version 1.0 with 10 files of payload and 6 tag files");
    assert_eq!(names(&dir, "d/data").len(), before);
    assert_eq!(names(&dir, "d").len(), before + 7);
    let size: usize = NAMES.iter().map(|name| "content of ".len() + name.len()).sum();
    let info = format!(
        "Contact-Name: Ada Lovelace\nContact-Name: Bob\nBagging-Date: 1970-01-02\n\
         {AGENT}\nBag-Size: {size} B\n\
         Payload-Oxum: {size}.10\n"
    );
    assert_eq!(String::from_utf8(dir.read("d/bag-info.txt")).unwrap(), info);
    let manifest = String::from_utf8(dir.read("d/manifest-sha512.txt")).unwrap();
    let line = format!("{}  data/new%0Aline\n", digest("sha512", "content of new\nline"));
    assert!(manifest.contains(&line));
    let paths: Vec<_> = manifest.lines().map(|line| &line[130..]).collect();
    assert!(paths.is_sorted(), "{paths:?}");
    validate(&dir, &["-q", "d"]).code(0).printed("").said(&[]);
    if let Some(tool) = bagit() {
        assert!(they_accept(&dir, &tool, "d"));
    }
    // The manifest is one for `check` as well.
    let ran = dir.hashlane(["check", "-q", "--base", "d", "d/manifest-sha256.txt"]).run().code(0);
    ran.printed("");
}

#[test]
fn bags_with_percent_signs_are_as_the_version_has_them() {
    for (version, accepted) in [("1.0", false), ("0.97", true)] {
        let dir = Dir::new();
        dir.write("d/100%", "x").write("d/a%25", "y");
        let ran = create(&dir, &["--bagit-version", version, "d"]).run().code(0);
        assert_eq!(ran.messages()[0].starts_with("names with a percent sign: 2"), version == "1.0");
        validate(&dir, &["-q", "d"]).code(0).said(&[]);
        if let Some(tool) = bagit() {
            assert_eq!(they_accept(&dir, &tool, "d"), accepted, "{version}");
        }
    }
    let dir = Dir::new();
    dir.write("d/a%0Ab", "x");
    create(&dir, &["--bagit-version", "0.97", "d"]).run().code(16);
    create(&dir, &["d"]).run().code(0);
    validate(&dir, &["-q", "d"]).code(0).said(&[]);
}

#[test]
fn a_bag_is_made_again_byte_for_byte() {
    let (one, other) = (tree(), tree());
    for dir in [&one, &other] {
        create(dir, &["-q", "-a", "sha256,md5,sha256,sha3-256", "d"]).run().code(0).said(&[]);
    }
    let tags =
        ["bagit.txt", "bag-info.txt", "manifest-md5.txt", "manifest-sha3256.txt", "tagmanifest-sha256.txt"];
    for name in tags {
        assert_eq!(one.read(format!("d/{name}")), other.read(format!("d/{name}")), "{name}");
    }
    assert!(!one.has("d/manifest-sha512.txt"));
    validate(&one, &["-q", "d"]).code(0);
}

#[test]
fn a_data_that_is_there_is_asked_about() {
    let dir = Dir::new();
    dir.write("d/data/x", "x").write("d/notes/readme", "r");
    let ran = create(&dir, &["d"]).run().code(64);
    assert!(ran.messages()[0].contains("--data keep") && ran.messages()[0].contains("--data move"));
    create(&dir, &["-q", "--data", "keep", "d"]).run().code(0);
    validate(&dir, &["d"]).code(0).printed(
        "bag-info.txt: OK\nbagit.txt: OK\ndata/x: OK\nmanifest-sha256.txt: OK\nmanifest-sha512.txt: OK\n\
         notes/readme: OK\n",
    );
    let again = create(&dir, &["d"]).run().code(64);
    assert!(again.messages()[0].contains("already a bag"));

    let dir = Dir::new();
    dir.write("d/data/x", "x").write("d/y", "y");
    create(&dir, &["-q", "--data", "move", "d"]).run().code(0);
    assert_eq!(dir.read("d/data/data/x"), b"x");
    validate(&dir, &["-q", "d"]).code(0);
    let dir = tree();
    create(&dir, &["--data", "keep", "d"]).run().code(64);
    dir.write("d/data/x", "x").write("d/manifest-foo.txt", "");
    create(&dir, &["--data", "keep", "d"]).run().code(16);
}

#[test]
fn what_no_bag_can_hold_is_named_and_nothing_is_changed() {
    let dir = tree();
    dir.write(b"d/\xff", "").write("d/\u{e9}", "").write("d/e\u{301}", "").write("secret", "s");
    dir.link("../secret", "d/out").link("nowhere", "d/dangling").link(".", "d/loop");
    dir.fifo("d/fifo");
    let before = names(&dir, "d");
    let ran = create(&dir, &["d"]).run().code(16);
    let messages = ran.messages();
    for (name, why) in [
        ("dangling", "leads nowhere"),
        ("fifo", "not a regular file"),
        ("loop", "to a directory"),
        ("out", "leads out of the bag"),
        ("\\xff", "not UTF-8"),
        ("\u{e9}", "the name is composed"),
        ("e\u{301}", "the name is decomposed"),
    ] {
        let said =
            messages.iter().any(|message| message.starts_with(&format!("{name}: ")) && message.contains(why));
        assert!(said, "{name}: {messages:?}");
    }
    assert_eq!(messages.last().unwrap(), "d: 7 names cannot be in a bag; nothing was changed");
    assert_eq!(names(&dir, "d"), before);
}

#[test]
fn names_that_other_systems_take_for_one_are_warned_of_and_empty_directories_kept_on_demand() {
    let dir = Dir::new();
    dir.write("d/Readme", "1").write("d/README", "2").make("d/empty/inner");
    let ran = create(&dir, &["d"]).run().code(0);
    let said = ran.messages();
    assert_eq!(said[0], "Readme: warning: the name is the same as README, ignoring case");
    assert!(said[1].starts_with("empty directories: 1,"), "{said:?}");
    assert!(dir.has("d/data/empty/inner"));
    let dir = Dir::new();
    dir.write("d/a", "1").make("d/empty/inner");
    create(&dir, &["-q", "--keep-empty", "d"]).run().code(0).said(&[]);
    assert_eq!(dir.read("d/data/empty/inner/.keep"), b"");
    validate(&dir, &["-q", "d"]).code(0);
}

#[test]
fn a_link_that_stays_inside_is_listed_as_what_it_leads_to() {
    let dir = Dir::new();
    dir.write("d/sub/a", "x").link("sub/a", "d/l");
    create(&dir, &["-q", "d"]).run().code(0);
    assert!(dir.path("d/data/l").is_symlink());
    validate(&dir, &["-q", "d"]).code(0);
}

#[test]
fn a_run_that_is_interrupted_while_it_reads_has_changed_nothing() {
    for (signal, leftover) in [(Signal::INT, false), (Signal::KILL, true)] {
        let dir = tree();
        std::fs::File::create(dir.path("d/big")).unwrap().set_len(1 << 30).unwrap();
        dir.write("d/big2", vec![1; 4 << 20]);
        let before = names(&dir, "d");
        let run = create(&dir, &["--max-rate", "1MB", "--progress=json", "d"]).interruptible();
        let mut run = run.start();
        run.wait_for("digested_bytes");
        run.signal(signal);
        let ran = run.wait().died_by(signal);
        if leftover {
            assert!(dir.has("d/.hashlane-bag.partial"));
            let ran = create(&dir, &["--undo", "d"]).run().code(0);
            assert_eq!(ran.messages(), ["d: an earlier run was interrupted before it moved anything"]);
        } else {
            assert!(ran.stderr.contains("no bag was made; nothing was changed"), "{}", ran.stderr);
        }
        assert_eq!(names(&dir, "d"), before);
    }
    let dir = tree();
    assert_eq!(
        create(&dir, &["--undo", "d"]).run().code(0).messages(),
        ["d: no interrupted run; nothing to undo"]
    );
}

#[test]
fn what_an_interrupted_run_has_moved_is_put_back_first() {
    let dir = tree();
    // As a run leaves it that lost its power after two renames.
    dir.make("d/.hashlane-bag.partial/data").make("d/.hashlane-bag.partial/tags");
    dir.write("d/.hashlane-bag.partial/moves", "").write("d/.hashlane-bag.partial/names", "bagit.txt\0");
    dir.write("d/.hashlane-bag.partial/tags/bagit.txt", "x");
    for name in ["a", "sub"] {
        std::fs::rename(
            dir.path(format!("d/{name}")),
            dir.path(format!("d/.hashlane-bag.partial/data/{name}")),
        )
        .unwrap();
    }
    dir.write("d/a", "in the way");
    let ran = create(&dir, &["d"]).run().code(74);
    assert!(ran.messages()[0].contains("d/a: another file is in its place; fix that"), "{}", ran.stderr);
    assert_eq!(dir.read("d/a"), b"in the way");
    std::fs::remove_file(dir.path("d/a")).unwrap();
    let ran = create(&dir, &["d"]).run().code(0);
    assert!(ran.messages()[0].starts_with("d: an earlier run was interrupted;"), "{}", ran.stderr);
    assert!(!dir.has("d/.hashlane-bag.partial"));
    validate(&dir, &["-q", "d"]).code(0);
}

#[test]
fn what_cannot_be_read_or_written_leaves_the_directory_as_it_was() {
    let dir = tree();
    std::fs::set_permissions(dir.root(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    std::fs::set_permissions(dir.path("d"), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    std::fs::set_permissions(dir.path("d/sub"), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    std::fs::set_permissions(dir.path("d/a"), std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
    let before = names(&dir, "d");
    let ran = create(&dir, &["d"]).without_rights().run().code(16);
    assert_eq!(
        ran.messages().last().unwrap(),
        "1 file could not be read; no bag was made, and nothing was changed"
    );
    assert_eq!(names(&dir, "d"), before);
    std::fs::set_permissions(dir.path("d"), std::os::unix::fs::PermissionsExt::from_mode(0o555)).unwrap();
    create(&dir, &["d"]).without_rights().run().code(74);
    assert_eq!(names(&dir, "d"), before);
    if have_mounts() {
        let script = "mount -t tmpfs -o size=64k none d && mkdir d/x && head -c 40000 /dev/zero > d/x/a; \
                      for n in $(seq 400); do echo > d/x/a-long-name-for-the-manifest-$n 2>/dev/null; done; \
                      \"$0\" bag create d/x; code=$?; ls -A d/x | grep -c -v long; exit $code";
        dir.command("unshare", ["--mount", "bash", "-c", script, crate::work::HASHLANE])
            .run()
            .code(74)
            .printed("1\n");
    }
}

#[test]
fn arguments_that_cannot_be_are_refused() {
    let dir = tree();
    for bad in [
        &["--info", "no value", "d"][..],
        &["--info", "a:b=c", "d"],
        &["--info", "Payload-Oxum=1.1", "d"],
        &["--bagit-version", "0.93", "d"],
        &["--undo", "-a", "md5", "d"],
        &["nowhere/d/a"],
        &["d/a"],
    ] {
        let code = create(&dir, bad).run().status.code();
        assert!(matches!(code, Some(64 | 16)), "{bad:?}: {code:?}");
    }
    let ran = create(&dir, &["d"]).env("SOURCE_DATE_EPOCH", "today").run().code(64);
    assert!(ran.messages()[0].contains("SOURCE_DATE_EPOCH"), "{}", ran.stderr);
    let dir = Dir::new();
    dir.write(b"\xff/a", "x");
    dir.hashlane(["bag", "create", "-q"]).arg(bytes(b"\xff")).run().code(0);
    dir.hashlane(["bag", "validate", "-q"]).arg(bytes(b"\xff")).run().code(0);
}

#[test]
fn what_may_not_be_done_is_said_of_the_path_that_it_is_about_and_changes_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    /// What is taken from whom, the options, the exit code, what is said.
    type Case<'a> = (&'a str, u32, &'a [&'a str], i32, &'a [&'a str]);
    let unsearched = "d: a directory could not be searched; no bag was made, and nothing was changed";
    let unread = "1 file could not be read; no bag was made, and nothing was changed";
    let cases: [Case<'_>; 9] = [
        ("d", 0o555, &[], 74, &["cannot write to d/.hashlane-bag.partial: Permission denied"]),
        ("d", 0o000, &[], 16, &["d: Permission denied"]),
        ("d", 0o333, &[], 16, &["d: Permission denied"]),
        ("d", 0o666, &[], 16, &["d/.hashlane-bag.partial: Permission denied; nothing was changed"]),
        ("d/a", 0o000, &[], 16, &["d/a: Permission denied", unread]),
        ("d/sub", 0o000, &[], 16, &["d/sub: Permission denied", unsearched]),
        ("d/sub", 0o555, &[], 74, &["cannot write to d/sub: Permission denied"]),
        ("d/sub/c", 0o000, &[], 16, &["d/sub/c: Permission denied", unread]),
        ("d/empty", 0o555, &["--keep-empty"], 74, &["cannot write to d/empty/.keep: Permission denied"]),
    ];
    for (name, mode, options, code, said) in cases {
        let dir = Dir::new();
        dir.write("d/a", "1").write("d/sub/c", "2");
        let rights = |name: &str, mode| {
            std::fs::set_permissions(dir.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
        };
        for open in ["d", "d/sub"] {
            rights(open, 0o777);
        }
        if name == "d/empty" {
            dir.make(name);
        }
        let before = names(&dir, "d");
        rights(name, mode);
        let ran = dir.hashlane(["bag", "create", "-q", "d"]).args(options).without_rights().run();
        rights(name, 0o777);
        ran.code(code).said(said);
        assert_eq!(names(&dir, "d"), before, "{name} {mode:o}");
    }
}
