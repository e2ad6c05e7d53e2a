//! What `bag validate` says, and to whom.

use rustix::process::Signal;
use serde_json::Value;

use super::{FILES, bagit, bare, manifest, seal, validate, whole};
use crate::work::Dir;

#[test]
fn a_bag_is_valid_when_every_digest_is() {
    let dir = whole("1.0");
    let lines =
        "bag-info.txt: OK\nbagit.txt: OK\ndata/hello.txt: OK\ndata/sub/a b: OK\nmanifest-md5.txt: OK\n";
    let ran = validate(&dir, &["bag"]).code(0).printed(lines);
    assert_eq!(ran.messages()[0], "bag: valid, version 1.0: 5 OK; 2 files of payload with 8 B");
    validate(&dir, &["-q", "bag"]).code(0).printed("").said(&[]);
    validate(&dir, &["--status", "bag"]).code(0).printed("").said(&[]);
}

#[test]
fn everything_that_is_wrong_is_listed_after_an_oxum_that_does_not_fit() {
    let dir = whole("1.0");
    dir.write("bag/data/hello.txt", "HELLO, HELLO\n").write("bag/data/new", "n");
    std::fs::remove_file(dir.path("bag/data/sub/a b")).unwrap();
    let ran = validate(&dir, &["-q", "bag"]).code(7).printed(
        "data/new: EXTRA (in no manifest)\n\
         data/sub/a b: MISSING (listed, but does not exist)\n\
         data: FAILED (Payload-Oxum is 8.2, but there are 14 bytes in 2 files)\n\
         data/hello.txt: FAILED\n",
    );
    let said = "bag: NOT valid: 3 OK, 2 mismatch, 1 missing, 1 extra; 2 files of payload with 14 B";
    assert_eq!(ran.messages()[0], said);
    let ran = validate(&dir, &["--fail-fast", "bag"]).code(1).printed("data/new: EXTRA (in no manifest)\n");
    assert_eq!(ran.messages(), ["not valid; stopped at the first error"]);
    validate(&dir, &["--status", "bag"]).code(7).printed("").said(&[]);
}

#[test]
fn a_quick_check_never_looks_like_a_full_one() {
    let dir = whole("1.0");
    dir.write("bag/data/hello.txt", "hullo\n");
    let ran = validate(&dir, &["--quick", "bag"]).code(0);
    assert!(ran.lines().iter().all(|line| line.ends_with(b": PRESENT, NOT VERIFIED\n")));
    let said = "bag: complete, NOT validated: no digest was computed: 5 present; 2 files of payload with 8 B";
    assert_eq!(ran.messages(), [said]);
    // Also where little is to be said.
    assert_eq!(validate(&dir, &["--quick", "-q", "bag"]).code(0).printed("").messages(), [said]);
    let json = validate(&dir, &["--quick", "--format", "json", "bag"]).code(0).stdout;
    let last: Value = serde_json::from_slice(json.split(|&byte| byte == b'\n').nth(5).unwrap()).unwrap();
    assert_eq!((&last["conclusion"]["valid"], &last["conclusion"]["check"]), (&Value::Null, &"quick".into()));
    assert_eq!((&last["conclusion"]["digests_verified"], &last["summary"]["ok"]), (&false.into(), &0.into()));

    dir.write("bag/data/hello.txt", "longer than it was\n");
    let ran = validate(&dir, &["--quick", "-q", "bag"]).code(4);
    assert_eq!(ran.messages()[0].split(':').nth(1).unwrap(), " not complete; no digest was computed");
    let none = bare("1.0", &FILES);
    validate(&none, &["--quick", "-q", "bag"])
        .code(16)
        .printed("data: INVALID (no Payload-Oxum for --quick to compare with; leave out --quick)\n");
}

#[test]
fn of_an_unknown_algorithm_it_is_said_where_the_known_ones_are_listed() {
    let dir = whole("1.0");
    dir.write("bag/manifest-best.txt", "00  data/hello.txt\n");
    let why = "the algorithm best is unknown, so its digests cannot be verified; `hashlane --version` lists the known algorithms";
    let ran = validate(&dir, &["-q", "bag"]).code(16);
    let line = format!("manifest-best.txt: INVALID ({why})\n");
    assert!(ran.lines().contains(&line.as_bytes()), "{}", String::from_utf8_lossy(&ran.stdout));
    let ran = validate(&dir, &["-q", "--format", "json", "bag"]);
    let lines: Vec<Value> = ran.lines().iter().map(|line| serde_json::from_slice(line).unwrap()).collect();
    assert!(
        lines.iter().any(|line| line["path"] == "manifest-best.txt" && line["problem"] == why),
        "{lines:?}"
    );
}

#[test]
fn json_says_the_same_in_objects() {
    let dir = whole("1.0");
    dir.write("bag/data/sub/a b", "B\n").write(b"bag/data/\xff", "");
    let ran = validate(&dir, &["--format", "json", "bag"]).code(5);
    let lines: Vec<Value> = ran.lines().iter().map(|line| serde_json::from_slice(line).unwrap()).collect();
    assert!(lines.iter().all(|line| line["schema"] == "hashlane-bag" && line["version"] == 1));
    let of = |path: &str| lines.iter().find(|line| line["path"] == path).unwrap();
    assert_eq!(of("data/hello.txt")["verdict"], "ok");
    let bad = of("data/sub/a b");
    assert_eq!(bad["verdict"], "mismatch");
    assert_ne!(bad["expected"]["md5"], bad["computed"]["md5"]);
    assert_eq!(of("data/\u{fffd}")["path_b64"], "ZGF0YS//");
    assert_eq!(lines.last().unwrap()["conclusion"]["valid"], false);
}

#[test]
fn what_is_used_in_another_way_than_it_is_written_is_said() {
    let dir = bare("1.0", &[("data/e\u{301}", "x"), ("data/100%", "y")]);
    dir.write("bag/manifest-md5.txt", {
        manifest("md5", &[("data/\u{e9}", "x"), ("./data/100%", "y")]).replace("  ./", " *./")
    });
    let ran = validate(&dir, &["bag"]).code(0);
    let messages = ran.messages();
    let warned = |what: &str| messages.iter().any(|message| message.contains(what));
    assert!(warned("line 1: the file exists under another Unicode normalization"), "{messages:?}");
    assert!(
        warned("line 2: an asterisk") && warned("line 2: the path is not in normal form"),
        "{messages:?}"
    );
    assert!(messages[3].ends_with("2 OK, 3 warnings; 2 files of payload with 2 B"), "{messages:?}");
}

#[test]
fn what_is_to_be_fetched_is_named_with_its_place() {
    let dir = bare("1.0", &FILES);
    dir.write("bag/fetch.txt", "https://example.org/h 6 data/hello.txt\n");
    seal(&dir, "md5");
    std::fs::remove_file(dir.path("bag/data/hello.txt")).unwrap();
    validate(&dir, &["-q", "bag"])
        .code(2)
        .printed("data/hello.txt: MISSING (to be fetched from https://example.org/h)\n");
}

#[test]
fn bad_tag_files_are_errors_with_a_line_and_no_more() {
    for (name, bytes, said) in [
        ("manifest-md5.txt", &b"\0\0\0"[..], "line 1"),
        ("manifest-md5.txt", b"\xff\xfe\xfd  data/hello.txt\n", "line 1"),
        ("manifest-md5.txt", b"d41d8cd98f00b204e9800998ecf8427  data/hello.txt\n", "line 1"),
        ("bagit.txt", b"", "bagit.txt: INVALID"),
        ("bagit.txt", b"BagIt-Version: 1.0\n\x00\x01\n", "bagit.txt: INVALID"),
        ("bag-info.txt", b"Contact-Name: \xff\n", "line 1: it is not in the encoding"),
        ("fetch.txt", b"x\n", "line 1: \"x\" is not a line of the form"),
    ] {
        let dir = bare("1.0", &FILES);
        dir.write(format!("bag/{name}"), bytes);
        let ran = validate(&dir, &["-q", "bag"]);
        let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(printed.contains(said), "{name}: {printed}");
        assert_eq!(ran.status.code().unwrap() & 16, 16, "{name}");
    }
    let dir = bare("1.0", &FILES);
    let mut long = vec![b'a'; 3 << 20];
    long.extend(b"  data/x\n");
    dir.write("bag/manifest-md5.txt", [manifest("md5", &FILES).as_bytes(), &long].concat());
    let ran = validate(&dir, &["-q", "bag"]).code(16);
    assert!(ran.stdout.len() < 300, "{} bytes", ran.stdout.len());
}

#[test]
fn special_files_and_links_are_named_and_not_opened() {
    let dir = bare("1.0", &[("data/pipe", ""), ("data/loop", "")]);
    for name in ["bag/data/pipe", "bag/data/loop"] {
        std::fs::remove_file(dir.path(name)).unwrap();
    }
    dir.fifo("bag/data/pipe");
    dir.fifo("bag/data/other");
    dir.link("loop", "bag/data/loop").link("/etc", "bag/data/etc");
    validate(&dir, &["-q", "bag"]).code(17).printed(
        "data/etc: EXTRA (a symbolic link that is in no manifest)\n\
         data/other: EXTRA (not a regular file, and in no manifest)\n\
         data/loop: UNREADABLE (a symbolic link that leads nowhere)\n\
         data/pipe: UNREADABLE (not a regular file)\n",
    );
}

#[test]
fn what_cannot_be_read_is_no_bag() {
    let dir = Dir::new();
    dir.write("file", "x");
    let ran = validate(&dir, &["nowhere"]).code(16);
    assert_eq!(ran.messages(), ["nowhere: No such file or directory"]);
    let ran = validate(&dir, &["file"]).code(64);
    assert_eq!(ran.messages(), ["file: is not a directory; name the directory that contains bagit.txt"]);
    let dir = whole("1.0");
    let locked = dir.path("bag/data/sub");
    let no_rights = std::os::unix::fs::PermissionsExt::from_mode(0o000);
    std::fs::set_permissions(&locked, no_rights).unwrap();
    let ran = dir.hashlane(["bag", "validate", "-q", "bag"]).without_rights().run();
    std::fs::set_permissions(&locked, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let printed = String::from_utf8(ran.code(22).stdout).unwrap();
    assert!(printed.starts_with("data/sub: UNREADABLE (Permission denied)\n"), "{printed}");
}

#[test]
fn results_go_where_they_are_sent() {
    let dir = whole("1.0");
    validate(&dir, &["-o", "report", "bag"]).code(0).printed("");
    assert_eq!(dir.read("report").split(|&byte| byte == b'\n').count(), 6);
    assert!(!dir.has("report.partial"));
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    dir.hashlane(["bag", "validate", "bag"]).stdout(full).run().code(74);
    dir.hashlane(["bag", "validate", "bag"]).run_into_closed_pipe().died_by(Signal::PIPE).said(&[]);
}

#[test]
fn bags_of_bagit_py_are_valid() {
    let Some(tool) = bagit() else { return };
    let tool = tool.to_str().unwrap();
    for algorithms in [&[][..], &["--md5"], &["--sha1", "--sha3_256", "--blake2b"]] {
        let dir = Dir::new();
        for name in
            ["a", "b c", "new\nline", "ret\rurn", "100%", "u\u{308}", "\u{fc}x", "sub/-n", "back\\slash"]
        {
            dir.write(format!("bag/{name}"), name);
        }
        let made = dir.command(tool, ["--quiet", "--contact-name", "Ada"]).args(algorithms).arg("bag");
        made.env("PYTHONUTF8", "1").run().code(0);
        validate(&dir, &["-q", "bag"]).code(0).printed("");
        validate(&dir, &["-q", "--quick", "bag"]).code(0);
        dir.write("bag/data/100%", "101%");
        validate(&dir, &["-q", "bag"]).code(4).printed("data/100%: FAILED\n");
    }
}
