//! What `hashlane sum` reads besides files in trees: lists of names, standard input, FIFOs, files that are made up.

use std::fs::{self, File};
use std::io::Write as _;
use std::thread;

use crate::work::{Dir, bytes, digest, gnu};

#[test]
fn a_list_of_names_is_read_in_its_order() {
    let dir = Dir::new();
    dir.write("a", "1").write("b c", "2").write("list", "b c\na\nb c");
    let lines = gnu(&[("b c", "2"), ("a", "1"), ("b c", "2")]);
    dir.hashlane(["sum", "-q", "--files-from", "list"]).run().code(0).printed(&lines).said(&[]);
    dir.hashlane(["sum", "-q", "--files-from", "-"]).input("b c\na\nb c\n").run().code(0).printed(&lines);
    dir.hashlane(["sum", "-q", "--files-from", "-"])
        .input("b c\r\na\r\nb c\r\n")
        .run()
        .code(0)
        .printed(&lines);
}

#[test]
fn a_list_that_ends_names_with_nul_may_hold_any_name() {
    let dir = Dir::new();
    dir.write("new\nline", "1").write(b"\xff", "2");
    let list = b"new\nline\0\xff\0".to_vec();
    let lines = [
        format!("\\{}  new\\nline\n", digest("sha256", "1")).into_bytes(),
        [digest("sha256", "2").as_bytes(), b"  \xff\n"].concat(),
    ];
    dir.hashlane(["sum", "-q", "--files0-from", "-"]).input(list).run().code(0).printed(lines.concat());
}

#[test]
fn names_of_a_list_that_cannot_be_are_reported_and_the_others_read() {
    let dir = Dir::new();
    dir.write("a", "1").make("d").write("list", "nowhere\n\nd\na\nb\0c\n");
    let ran = dir.hashlane(["sum", "--files-from", "list"]).run().code(16).printed(gnu(&[("a", "1")]));
    // What is wrong with the list is said while it is read, and what is wrong with files in their order: which one comes
    // first is promised only as far as here.
    let mut said = ran.messages();
    let summary = said.split_off(4);
    assert_eq!(summary, ["2 could not be read", "1 file, 1 B (1 B)"]);
    let (of_list, of_files): (Vec<_>, Vec<_>) = said.iter().partition(|line| line.starts_with("list: "));
    assert_eq!(
        of_list,
        ["list: line 2: the name is empty", "list: line 5: the name contains a NUL byte: \"b\\x00c\""]
    );
    assert_eq!(
        of_files,
        [
            "nowhere: No such file or directory",
            "d: Is a directory; a list names files; name the directory as a PATH"
        ]
    );
    let ran = dir.hashlane(["sum", "-q", "--files-from", "-"]).input("\na\n").run().code(16);
    ran.printed(gnu(&[("a", "1")])).said(&["standard input: line 1: the name is empty"]);
}

#[test]
fn a_list_that_cannot_be_read_is_said() {
    let dir = Dir::new();
    dir.make("d");
    let said = |option: &str, list: &str, message: &str| {
        dir.hashlane(["sum", option, list]).run().code(16).printed("").said(&[message]);
    };
    said("--files-from", "nowhere", "--files-from nowhere: No such file or directory");
    said("--files0-from", "nowhere", "--files0-from nowhere: No such file or directory");
    said("--files-from", "d", "--files-from d: Is a directory");
}

#[test]
fn an_empty_list_gives_an_empty_manifest() {
    let dir = Dir::new();
    dir.hashlane(["sum", "--files-from", "-"]).run().code(0).printed("").said(&["0 files, 0 B (0 B)"]);
}

#[test]
fn standard_input_is_read_without_a_path_and_for_a_dash() {
    let dir = Dir::new();
    dir.write("a", "1");
    dir.hashlane(["sum"])
        .input("hello")
        .run()
        .code(0)
        .printed(gnu(&[("-", "hello")]))
        .said(&["1 file, 5 B (5 B)"]);
    let lines = gnu(&[("a", "1"), ("-", "hello"), ("a", "1")]);
    dir.hashlane(["sum", "-q", "a", "-", "a"]).input("hello").run().code(0).printed(lines);
    let large = "x".repeat(5 << 20);
    dir.hashlane(["sum", "-q"]).input(large.clone()).run().code(0).printed(gnu(&[("-", &large)]));
    // A file behind standard input is read from where it stands.
    dir.shell("{ head -c 3 > /dev/null; \"$0\" sum -q; } < <(printf abcdef)").run().code(0);
    dir.write("six", "abcdef");
    dir.shell("{ dd bs=3 count=1 of=/dev/null status=none; \"$0\" sum -q; } < six")
        .run()
        .code(0)
        .printed(gnu(&[("-", "def")]));
}

#[test]
fn a_closed_standard_input_is_an_error() {
    let dir = Dir::new();
    // The standard library opens /dev/null in its place, which has to pass for no input.
    dir.shell("\"$0\" sum -q <&-").run().code(16).printed("").said(&["-: Bad file descriptor (reading)"]);
}

#[test]
fn made_up_files_without_a_size_are_read_to_their_end() {
    let dir = Dir::new();
    let version = fs::read("/proc/version").unwrap();
    let line = format!("{}  /proc/version\n", digest("sha256", &version));
    let ran = dir.hashlane(["sum", "/proc/version"]).run().code(0).printed(line);
    assert!(ran.stderr.ends_with("; 100 % unknown\n"), "{}", ran.stderr);
    let ran = dir.hashlane(["sum", "-q", "/proc/self/status", "/proc/cpuinfo"]).run().code(0);
    assert!(
        !ran.lines().iter().any(|line| line.starts_with(digest("sha256", "").as_bytes())),
        "nothing is empty"
    );
    // A size of 4,096 that is not true.
    let ran = dir.hashlane(["sum", "-q", "/sys/kernel/mm/transparent_hugepage/enabled"]).run();
    if let Ok(content) = fs::read("/sys/kernel/mm/transparent_hugepage/enabled") {
        assert!(ran.code(0).stdout.starts_with(digest("sha256", content).as_bytes()));
    }
}

#[test]
fn a_fifo_that_is_named_is_read() {
    let dir = Dir::new();
    let fifo = dir.fifo("fifo");
    dir.write("a", "1");
    let content = "through a pipe".repeat(100_000);
    let sent = content.clone();
    let writer =
        thread::spawn(move || File::options().write(true).open(fifo).unwrap().write_all(sent.as_bytes()));
    let lines = gnu(&[("a", "1"), ("fifo", &content), ("a", "1")]);
    dir.hashlane(["sum", "-q", "a", "fifo", "a"]).run().code(0).printed(lines).said(&[]);
    writer.join().unwrap().unwrap();
}

#[test]
fn a_device_that_is_named_is_read() {
    let dir = Dir::new();
    dir.hashlane(["sum", "-q", "/dev/null"]).run().code(0).printed(gnu(&[("/dev/null", "")]));
}

#[test]
fn options_that_contradict_each_other_are_usage_errors() {
    let dir = Dir::new();
    for arguments in [
        &["sum", "--files-from", "a", "b"][..],
        &["sum", "--files-from", "a", "--files0-from", "b"],
        &["sum", "--tag", "--manifest-format", "gnu", "a"],
        &["sum", "--jobs", "0", "a"],
        &["sum", "--engine", "warp", "a"],
    ] {
        let ran = dir.hashlane(arguments).run().code(64).printed("");
        assert!(ran.stderr.starts_with("hashlane: "), "{}", ran.stderr);
    }
}

#[test]
fn names_that_look_like_options_are_taken_behind_two_dashes() {
    let dir = Dir::new();
    dir.write("-n", "1").write(b"--\xff", "2");
    let lines =
        [gnu(&[("-n", "1")]).into_bytes(), [digest("sha256", "2").as_bytes(), b"  --\xff\n"].concat()];
    dir.hashlane([bytes(b"sum"), bytes(b"-q"), bytes(b"--"), bytes(b"-n"), bytes(b"--\xff")])
        .run()
        .code(0)
        .printed(lines.concat());
}

#[test]
fn a_stream_that_is_named_twice_is_read_once_and_the_other_name_fails() {
    let dir = Dir::new();
    let content = "0123456789".repeat(300_000);
    for names in [["-", "/dev/stdin"], ["/dev/stdin", "-"], ["/dev/stdin", "/proc/self/fd/0"]] {
        let ran = dir.hashlane(["sum", "-q"]).args(names).input(content.as_str()).run().code(16);
        let messages = ran.messages();
        let refused = names.iter().position(|name| messages[0].contains(&format!("{name}: ")));
        assert_eq!((messages.len(), refused.is_some()), (1, true), "{messages:?}");
        let read = names[1 - refused.expect("one of them")];
        ran.printed(gnu(&[(read, &content)]));
    }
    // What is not a stream may be read by any number of names.
    let nothing = gnu(&[("/dev/null", ""), ("/dev/null", "")]);
    dir.hashlane(["sum", "-q", "/dev/null", "/dev/null"]).run().code(0).printed(nothing);
}

#[test]
fn reading_standard_input_direct_leaves_it_to_others_as_it_was() {
    use rustix::fs::{OFlags, fcntl_getfl};

    let dir = Dir::new();
    let content = "x".repeat(1 << 20);
    dir.write("file", &content);
    let file = File::open(dir.path("file")).expect("it is there");
    let other = file.try_clone().expect("the same open file description");
    let ran = dir.hashlane(["sum", "-q", "--engine", "direct", "-"]).stdin(file).run();
    ran.code(0).printed(gnu(&[("-", &content)]));
    assert!(!fcntl_getfl(&other).expect("flags").contains(OFlags::DIRECT));
}

#[test]
fn a_list_of_names_of_which_nothing_can_be_read_is_refused_with_its_cause() {
    let dir = Dir::new();
    for option in ["--files-from", "--files0-from"] {
        for (list, cause) in [
            (".", "Is a directory"),
            ("nowhere", "No such file or directory"),
            ("/proc/self/mem", "Input/output error"),
        ] {
            let ran = dir.hashlane(["sum", option, list]).run().code(16).printed("");
            assert_eq!(ran.stderr, format!("hashlane: {option} {list}: {cause}\n"));
        }
        for (redirection, cause) in [
            ("<&-", "standard input is closed: Bad file descriptor"),
            ("0>for-writing", "Bad file descriptor"),
            ("<.", "Is a directory"),
        ] {
            let ran =
                dir.shell(&format!("exec \"$0\" sum {option} - {redirection}")).run().code(16).printed("");
            assert_eq!(ran.stderr, format!("hashlane: {option} -: {cause}\n"));
        }
        // One that is empty lists nothing, which is not a failure to read it.
        dir.shell(&format!("exec \"$0\" sum -q {option} - </dev/null")).run().code(0).printed("");
    }
}

#[test]
fn objects_among_files_are_said_to_be_objects() {
    let dir = Dir::new();
    dir.write("a", "1").write("names", "a\ns3://b/k\n");
    let message = "s3://b/k: No such file or directory; it is the name of an object: list objects apart from files, and in a file, which is looked at beforehand";
    let ran = dir.hashlane(["sum", "--files-from", "names"]).run().code(16);
    ran.printed(gnu(&[("a", "1")])).said_among_others(&[message]);
    dir.hashlane(["sum", "--files-from", "-"])
        .input("s3://b/k\n")
        .run()
        .code(16)
        .said_among_others(&[message]);
}
