//! What cannot be read: named, counted, in the exit code, and no hindrance to the rest.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use crate::work::{Dir, Ran, digest, gnu, have, needs, printed};

fn forbid(dir: &Dir, name: &str) {
    fs::set_permissions(dir.path(name), Permissions::from_mode(0o000)).unwrap();
}

#[test]
fn a_file_that_may_not_be_read_is_reported_and_the_others_are_listed() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/secret", "2").write("t/z", "3");
    forbid(&dir, "t/secret");
    let said = ["t/secret: Permission denied", "1 could not be read", "2 files, 2 B (2 B)"];
    let listed = gnu(&[("t/a", "1"), ("t/z", "3")]);
    dir.hashlane(["sum", "t"]).without_rights().run().code(16).printed(&listed).said(&said);
    dir.hashlane(["sum", "t/a", "t/secret", "t/z"])
        .without_rights()
        .run()
        .code(16)
        .printed(&listed)
        .said(&said);
}

#[test]
fn a_directory_that_may_not_be_listed_is_reported_and_the_others_are_walked() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("t/locked/b", "2").write("t/z", "3");
    forbid(&dir, "t/locked");
    dir.hashlane(["sum", "-q", "t"])
        .without_rights()
        .run()
        .code(16)
        .printed(gnu(&[("t/a", "1"), ("t/z", "3")]))
        .said(&["t/locked: Permission denied (listing the directory)"]);
    dir.hashlane(["sum", "-q", "t/locked"])
        .without_rights()
        .run()
        .code(16)
        .said(&["t/locked: Permission denied (listing the directory)"]);
}

#[test]
fn jsonl_lists_a_file_that_could_not_be_read_with_what_the_system_said() {
    let dir = Dir::new();
    dir.write("t/secret", "2");
    forbid(&dir, "t/secret");
    let ran = dir.hashlane(["sum", "-q", "--manifest-format", "jsonl", "t"]).without_rights().run().code(16);
    ran.printed(
        "{\"schema\":\"hashlane-manifest\",\"version\":1,\"path\":\"t/secret\",\"outcome\":\"failed\",\
         \"operation\":\"open\",\"errno\":13,\"offset_bytes\":0,\"error\":\"Permission denied\"}\n",
    )
    .said(&["t/secret: Permission denied"]);
}

#[test]
fn an_error_of_the_device_is_reported_with_its_place() {
    let dir = Dir::new();
    dir.write("a", "1").write("z", "2");
    dir.hashlane(["sum", "-q", "a", "/proc/self/mem", "z"])
        .run()
        .code(16)
        .printed(gnu(&[("a", "1"), ("z", "2")]))
        .said(&["/proc/self/mem: Input/output error (reading)"]);
}

#[test]
fn a_file_that_vanished_since_it_was_listed_is_reported() {
    let dir = Dir::new();
    dir.write("a", "1").write("z", "2");
    dir.hashlane(["sum", "-q", "--files-from", "-"])
        .input("a\ngone\nz\n")
        .run()
        .code(16)
        .printed(gnu(&[("a", "1"), ("z", "2")]))
        .said(&["gone: No such file or directory"]);
}

#[test]
fn a_check_tells_missing_files_from_unreadable_ones() {
    let dir = Dir::new();
    dir.write("a", "1").write("secret", "2").write("file", "3").make("directory");
    forbid(&dir, "secret");
    let names = ["a", "secret", "gone", "file/below", "directory"];
    let list: String = names.iter().map(|name| format!("{}  {name}\n", digest("sha256", "1"))).collect();
    dir.write("SHA256SUMS", list);
    dir.hashlane(["check", "SHA256SUMS"])
        .without_rights()
        .run()
        .code(2 + 16)
        .printed(
            "a: OK\nsecret: FAILED open or read\ngone: FAILED open or read\nfile/below: FAILED open or read\n\
             directory: FAILED open or read\n",
        )
        .said(&[
            "secret: Permission denied",
            "gone: No such file or directory",
            "file/below: Not a directory",
            "directory: Is a directory",
            "1 OK by sha256, 2 missing, 2 unreadable; 1 file, 1 B (1 B)",
        ]);
}

#[test]
fn messages_escape_what_a_terminal_would_obey() {
    let dir = Dir::new();
    let name = crate::work::bytes(b"\x1b[31m\n\xff\\");
    dir.hashlane(["sum".as_ref(), "-q".as_ref(), name.as_os_str()])
        .run()
        .code(16)
        .said(&["\\x1b[31m\\n\\xff\\\\: No such file or directory"]);
}

/// Most that a manifest may cost, in KiB: what the program needs anyhow, a line that is held twice, and room.
const MOST_KIB: u64 = 64 << 10;

/// Runs a command line; gives what it left and the most memory it had, in KiB.
fn measured(dir: &Dir, words: &str) -> (Ran, u64) {
    let ran = dir.shell(&format!("timeout 120 /usr/bin/time -q -f %M -o peak \"$0\" {words}")).run();
    let peak = String::from_utf8(dir.read("peak")).unwrap();
    (ran, peak.trim().parse().unwrap())
}

/// Writes a text that has something many times in its middle.
fn swollen(dir: &Dir, name: &str, before: &str, filling: &str, times: usize, after: &str) {
    dir.write(name, [before, &filling.repeat(times), after].concat());
}

#[test]
fn memory_does_not_grow_with_what_a_manifest_claims() {
    if !needs(have("time"), "time") {
        return;
    }
    let dir = Dir::new();
    dir.write("a", "1");
    let sha256 = digest("sha256", "1");
    let row = format!("a,{sha256}\n");
    let dfxml =
        format!("<fileobject><filename>a</filename><hashdigest type=\"sha256\">{sha256}</hashdigest>");
    let many = 10_000_000;
    // Name, text before, what comes very often, text behind, exit code.
    let cases = [
        ("line.sha256", gnu(&[("a", "1")]), "x", gnu(&[("a", "1")]), 16),
        ("comments.sha256", String::new(), "# x\n", gnu(&[("a", "1")]), 0),
        ("columns.csv", format!("path,sha256\n{row}"), ",", format!("\n{row}"), 16),
        ("quoted.csv", format!("path,sha256\n{row}\""), "a,b\n", String::new(), 16),
        // Below a header that is too long to be held, its rows are names and digests.
        ("header.csv", "path,sha256".to_owned(), ",x", format!("\n{row}"), 16),
        (
            "columns.hashdeep",
            "%%%% HASHDEEP-1.0\n%%%% size,sha256".to_owned(),
            ",md5",
            ",filename\n".to_owned(),
            64,
        ),
        (
            "first.hashdeep",
            "%%%% HASHDEEP-1.0\n%%%% size,sha256,filename\n1,".to_owned(),
            "0",
            format!("\n1,{sha256},a\n"),
            16,
        ),
        (
            "deep.jsonl",
            "{\"schema\":\"hashlane-manifest\",\"version\":1,\"x\":".to_owned(),
            "[",
            String::new(),
            64,
        ),
        ("deep.xml", "<dfxml>".to_owned(), "<a>", String::new(), 16),
        ("attributes.xml", "<dfxml ".to_owned(), "a='1' ", ">".to_owned(), 16),
        ("text.xml", format!("<dfxml>{dfxml}<x>"), "x", "</x></fileobject></dfxml>".to_owned(), 0),
        ("comment.xml", "<dfxml><!--".to_owned(), "-> ", format!("-->{dfxml}</fileobject></dfxml>"), 0),
        (
            "name.xml",
            "<dfxml><fileobject><filename>".to_owned(),
            "x",
            format!("</filename></fileobject>{dfxml}</fileobject></dfxml>"),
            16,
        ),
        ("fields.checkm", "#%checkm_0.7\n".to_owned(), "|", format!("\na | sha256 | {sha256}\n"), 16),
    ];
    for (name, before, filling, after, code) in cases {
        // A line of its own is a problem of its own.
        let times = if filling.contains('\n') { many / 10 } else { many };
        swollen(&dir, name, &before, filling, times, &after);
        let (ran, peak) = measured(&dir, &format!("check {name}"));
        assert_eq!(ran.status.code(), Some(code), "{name}: {}", ran.stderr);
        assert!(peak < MOST_KIB, "{name}: {peak} KiB");
        assert!(ran.stderr.len() < 2000, "{name}: {}", ran.stderr.len());
        fs::remove_file(dir.path(name)).unwrap();
    }
}

#[test]
fn below_a_base_only_files_are_read_and_only_those_inside() {
    let dir = Dir::new();
    dir.write("base/a", "1").write("secret", "2").link("../secret", "base/link").link("..", "base/up");
    dir.link("/dev/zero", "base/zero");
    dir.fifo("base/pipe");
    let out = "leads out of --base base; leave out --base to follow it";
    let special = "is a pipe, socket or device, which is not read below --base; leave out --base to read it";
    let absolute = dir.path("secret").to_str().unwrap().to_owned();
    let names = [
        ("../secret", out),
        (absolute.as_str(), out),
        ("link", out),
        ("up/secret", out),
        ("zero", out),
        ("/dev/zero", out),
        ("pipe", special),
    ];
    for (name, why) in names {
        dir.write("SHA256SUMS", gnu(&[("a", "1"), (name, "2")]));
        for engine in ["buffered", "mmap", "uring", "direct"] {
            let ran =
                dir.shell(&format!("timeout 60 \"$0\" check --engine {engine} --base base SHA256SUMS")).run();
            ran.code(16).said_among_others(&[&format!("{name}: {why}")]);
        }
        let ran = dir.hashlane(["convert", "--add", "md5", "--base", "base", "SHA256SUMS", "out.sums"]).run();
        ran.code(16).said_among_others(&[&format!("SHA256SUMS: line 2: {name}: {why}")]);
        let ran = dir.hashlane(["check", "--audit", "--base", "base", "SHA256SUMS"]).run();
        assert_ne!(ran.status.code(), Some(0), "{name}: {}", ran.stderr);
    }
}

#[test]
fn a_manifest_in_which_nothing_could_be_verified_is_a_failure_of_every_command() {
    let dir = Dir::new();
    dir.write("t/a", "1");
    let lists = [
        ("empty.sha256", ""),
        ("comments.sha256", "# nothing\n\n"),
        ("prose.sha256", "once upon\na time\n"),
        ("cut.sha256", "6b86b273ff34fce1  a\n"),
        ("head.hashdeep", "%%%% HASHDEEP-1.0\n%%%% size,sha256,filename\n## \n"),
        ("head.csv", "path,sha256\n"),
        ("head.jsonl", "{\"schema\":\"hashlane-manifest\",\"version\":1,\"header\":{\"program\":\"x\"}}\n"),
        ("head.checkm", "#%checkm_0.7\n"),
        ("head.xml", "<?xml version='1.0'?><dfxml></dfxml>"),
        ("cut.xml", "<?xml version='1.0'?><dfxml><fileobject>"),
        (
            "directories.xml",
            "<dfxml><fileobject><filename>d</filename><name_type>d</name_type></fileobject></dfxml>",
        ),
        ("bad.sha1", "SHA1 (a) = zz\n"),
    ];
    for (name, text) in lists {
        dir.write(name, text);
        let commands: [&[&str]; 6] = [
            &["check", name],
            &["check", "--audit", "--base", "t", name],
            &["diff", name, "t"],
            &["diff", name, name],
            &["convert", name, "out.jsonl"],
            &["convert", "--add", "md5", name, "out.jsonl"],
        ];
        for command in commands {
            let code = dir.hashlane(command).run().status.code();
            assert!(code.is_some_and(|code| code > 0 && code <= 64), "{command:?}: {code:?}");
            assert!(!dir.has("out.jsonl"), "{command:?}");
            let _ = fs::remove_file(dir.path("out.jsonl.partial"));
        }
    }
}

#[test]
fn a_database_is_refused_as_a_manifest_and_an_empty_or_damaged_one_as_a_set() {
    let dir = Dir::new();
    let sha1 = digest("sha1", "1");
    let fill = |name: &str, rows: &[(&str, &str)]| {
        let database = rusqlite::Connection::open(dir.path(name)).unwrap();
        database.execute("CREATE TABLE FILE (sha1, file_name)", []).unwrap();
        for row in rows {
            database.execute("INSERT INTO FILE VALUES (?, ?)", *row).unwrap();
        }
    };
    fill("set.db", &[(&sha1, "a")]);
    fill("empty.db", &[]);
    fill("short.db", &[(&sha1[..38], "a")]);
    fill("large.db", &[(&sha1, &"x".repeat(50_000_000))]);
    let whole = dir.read("set.db");
    dir.write("cut.db", &whole[..whole.len() / 2]);
    let ran = dir.hashlane(["check", "set.db"]).run().code(64);
    assert!(ran.stderr.contains("an SQLite database, not a manifest; NSRL sets"), "{}", ran.stderr);
    dir.hashlane(["convert", "-q", "set.db", "set.jsonl"]).run().code(0);
    for name in ["empty.db", "short.db", "large.db", "cut.db"] {
        let ran = dir.hashlane(["convert", name, "out.jsonl"]).run().code(16);
        assert!(ran.stderr.contains(name) && !dir.has("out.jsonl"), "{name}: {}", ran.stderr);
        let _ = fs::remove_file(dir.path("out.jsonl.partial"));
        dir.hashlane(["known", "build", "-o", "index", name]).run().code(16);
        assert!(!dir.has("index"), "{name}");
    }
}

/// What is wrong with a bag, what is said of it, and how it comes about.
type Ruin<'a> = (&'a str, &'a str, &'a dyn Fn(&Dir));

#[test]
fn a_bag_whose_tag_files_are_hostile_is_not_valid_and_nothing_of_it_is_waited_for() {
    let file = digest("sha256", "1");
    let line = |name: &str| format!("{file}  {name}\n");
    let ruin: [Ruin<'_>; 13] = [
        ("parent", "leads out of its directory", &|dir| {
            dir.write("b/manifest-sha256.txt", line("data/../../x"));
        }),
        ("absolute", "leads out of the bag", &|dir| {
            dir.write("b/manifest-sha256.txt", line("/etc/passwd"));
        }),
        ("link", "leads out of the bag", &|dir| {
            dir.link("/etc/passwd", "b/data/link")
                .write("b/manifest-sha256.txt", line("data/a") + &line("data/link"));
        }),
        ("pipe", "data/pipe", &|dir| {
            dir.fifo("b/data/pipe");
            dir.write("b/manifest-sha256.txt", line("data/a") + &line("data/pipe"));
        }),
        ("pipe for a manifest", "is not a regular file", &|dir| {
            fs::remove_file(dir.path("b/manifest-sha256.txt")).unwrap();
            dir.fifo("b/manifest-sha256.txt");
        }),
        ("endless declaration", "is not a regular file", &|dir| {
            fs::remove_file(dir.path("b/bagit.txt")).unwrap();
            dir.link("/dev/zero", "b/bagit.txt");
        }),
        ("long line", "longer than 1048576 bytes", &|dir| {
            dir.write("b/manifest-sha256.txt", line("data/a") + &"x".repeat(20_000_000));
        }),
        ("long tag file", "is longer than 16777216 bytes", &|dir| {
            dir.write("b/bag-info.txt", "X: ".to_owned() + &"x".repeat(20_000_000));
        }),
        ("utf-16", "manifest-sha256.txt: INVALID", &|dir| {
            let text: Vec<u8> =
                ("\u{feff}".to_owned() + &line("data/a")).encode_utf16().flat_map(u16::to_le_bytes).collect();
            dir.write("b/manifest-sha256.txt", text);
        }),
        ("mark", "byte order mark", &|dir| {
            dir.write("b/bagit.txt", "\u{feff}BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
        }),
        ("nul", "contains a NUL byte", &|dir| {
            dir.write("b/manifest-sha256.txt", line("data/a") + &line("data/b\0c"));
        }),
        ("conflict", "listed twice with different digests", &|dir| {
            dir.write(
                "b/manifest-sha256.txt",
                line("data/a") + &format!("{}  data/a\n", digest("sha256", "2")),
            );
        }),
        ("nothing", "no file was verified", &|dir| {
            fs::remove_file(dir.path("b/data/a")).unwrap();
            dir.write("b/manifest-sha256.txt", "");
        }),
    ];
    for (what, said, ruin) in ruin {
        let dir = Dir::new();
        dir.write("b/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
        dir.write("b/data/a", "1").write("b/manifest-sha256.txt", line("data/a"));
        dir.hashlane(["bag", "validate", "b"]).run().code(0);
        ruin(&dir);
        let ran = dir.shell("timeout 60 \"$0\" bag validate b").run();
        let code = ran.status.code().unwrap();
        let text = String::from_utf8_lossy(&ran.stdout).into_owned() + &ran.stderr;
        assert!(code != 0 && code < 64 && text.contains(said), "{what}: {code}: {text}");
    }
}

#[test]
fn objects_are_not_taken_for_paths_of_this_machine() {
    let dir = Dir::new();
    dir.write("t/a", "1").write("SHA256SUMS", gnu(&[("t/a", "1")]));
    let object = "s3://bucket/key";
    for command in [
        &["bag", "create", object][..],
        &["bag", "validate", object],
        &["bench", "io", object],
        &["catalog", "backup", object],
        &["catalog", "verify", "--catalog", object],
        &["check", "SHA256SUMS", "--output", object],
        &["check", "--audit", "SHA256SUMS", "--temporary-directory", object],
        &["collection", "export", "name", "--output", object],
        &["collection", "import", "name", object],
        &["compare", "t", object],
        &["convert", object],
        &["convert", "--add", "md5", "--base", object, "SHA256SUMS"],
        &["diff", "SHA256SUMS", "t", "--output", object],
        &["known", "build", "--output", "index", object],
        &["known", "lookup", object, "t"],
        &["merge", "SHA256SUMS", object],
        &["mhl", "create", object],
        &["mhl", "info", object],
        &["mhl", "verify", object],
        &["report", object],
        &["sum", "--files-from", object],
        &["sum", "--output", object, "t"],
        &["sum", "--update", object, "t"],
        &["tune", object],
    ] {
        let ran = dir.hashlane(command).run().code(64).printed("");
        let message = format!(
            "{object}: is the name of an object, and a file or directory of this machine is meant; copy it here, or name another one"
        );
        assert!(ran.stderr.contains(&message), "{command:?}: {}", ran.stderr);
    }
    assert!(!dir.has("index"));
}

#[test]
fn a_url_with_a_user_is_refused_with_the_reason_and_without_the_secret() {
    let dir = Dir::new();
    let url = "http://me:secret@127.0.0.1:9/x";
    dir.write("SHA256SUMS", gnu(&[(url, "1")])).write("NAMES", format!("{url}\n"));
    let said = "http://...@127.0.0.1:9/x: Invalid argument; the server of a URL is HOST or HOST:PORT, without a user";
    for arguments in [&["check", "SHA256SUMS"][..], &["sum", "-a", "sha256", "--files-from", "NAMES"]] {
        let ran = dir.hashlane(arguments).run().code(16).said_among_others(&[said]);
        assert!(!ran.stderr.contains("secret") && !printed(&ran).contains("secret"), "{}", ran.stderr);
    }
}
