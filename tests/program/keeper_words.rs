//! What the commands about collections say of files, paths and states: no more than is so, and in words for people.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::keeper::{kept, mounting, raw, settle, told};
use crate::work::{Dir, digest, have_mounts};

#[test]
fn only_what_the_program_keeps_beside_the_catalogue_is_left_out_of_a_tree() {
    let dir = Dir::new();
    dir.write("a", "first");
    dir.keeper(["collection", "add", "t", "."]).run().code(0);
    let said = told(&dir, &["audit", "t"], 0);
    assert!(said.contains("1 file listed"), "{said}");
    dir.keeper(["catalog", "backup", "copy"]).run().code(0);
    dir.keeper(["catalog", "restore", "copy"]).run().code(0);
    assert!(dir.has("catalog.sqlite.before-restore-1"));
    std::fs::remove_file(dir.path("copy")).unwrap();
    for name in ["audit-notes.txt", "audit-1.txt", "version-2.old", "before-restore-1.txt"] {
        dir.write(format!("catalog.sqlite.{name}"), "mine");
    }
    let said = told(&dir, &["audit", "t"], 0);
    assert!(said.contains("5 files listed"), "{said}");
}

#[test]
fn a_file_that_is_mounted_over_a_known_one_holds_the_audit() {
    if !have_mounts() {
        return;
    }
    let dir = kept(&[]);
    dir.write("other", "2nd");
    let script = "mount --bind other tree/d/b || exit 99; $0 audit t; echo over $?; $0 status --check >/dev/null; echo held $?; \
                  umount tree/d/b; $0 audit t --discard-held; $0 audit t; echo again $?; \
                  touch tree/new; mount --bind other tree/new; $0 audit t; echo new $?; umount tree/new; $0 audit t; echo gone $?";
    let ran = mounting(&dir, script).run().code(0).printed("over 75\nheld 75\nagain 0\nnew 0\ngone 75\n");
    for held in [
        "something is mounted over d/b now, and hides known files",
        "what was mounted at new before is not mounted there now",
    ] {
        assert!(ran.stderr.contains(held), "{}", ran.stderr);
    }
}

#[test]
fn a_name_that_no_collection_has_does_nothing_to_a_terminal() {
    let dir = kept(&[]);
    let name = "x\x1b[31m\ny";
    for command in [
        &["audit", name][..],
        &["status", name],
        &["accept", name, "a"],
        &["collection", "report", name],
        &["collection", "show", name],
        &["collection", "restore", name],
        &["collection", "purge", name, "--force"],
        &["collection", "rename", "t", name],
        &["collection", "add", name, "tree"],
    ] {
        let said = told(&dir, command, 64);
        assert!(said.contains("x\\x1b[31m\\ny") && said.lines().count() == 1, "{said:?}");
    }
}

#[test]
fn the_history_of_a_file_says_what_it_is() {
    let dir = kept(&[]);
    let is = |file: &str, state: &str| {
        let told = dir.keeper(["history", file]).run().code(0);
        let told = String::from_utf8(told.stdout).unwrap();
        assert!(told.contains(&format!("  state           {state}\n")), "{state} is not in:\n{told}");
        let told = dir.keeper(["history", file, "--format", "json"]).run().code(0);
        let told: Value = serde_json::from_slice(&told.stdout).unwrap();
        assert_eq!(told["state"], state);
    };
    is("t:a", "present");
    dir.corrupt("tree/a", "FIRST");
    std::fs::remove_file(dir.path("tree/d/b")).unwrap();
    dir.keeper(["audit", "t"]).run().code(10);
    is("t:a", "present, but corrupt");
    is("t:d/b", "missing");
    // Who knows of it does not change what it is.
    dir.keeper(["acknowledge", "t", "a", "--reason", "known"]).run().code(0);
    is("t:a", "present, but corrupt");
    dir.keeper(["accept", "t", "d/b"]).run().code(0);
    is("t:d/b", "retired");
    dir.corrupt("tree/a", "first");
    settle();
    dir.keeper(["collection", "set", "t", "--exclude", "c", "--yes"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    is("t:a", "present");
    is("t:d/c", "left out by a filter");
    std::fs::rename(dir.path("tree"), dir.path("away")).unwrap();
    dir.keeper(["audit", "t"]).run().code(75);
    let told = dir.keeper(["history", "t:a"]).run().code(0);
    let told = String::from_utf8(told.stdout).unwrap();
    assert!(told.contains("  state           present; t is offline since 2"), "{told}");
    let told = dir.keeper(["history", "t:a", "--format", "json"]).run().code(0);
    let told: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert_eq!(told["state"], "present", "a time has a field of its own");
    let since = told["offline_since"].as_str().unwrap();
    assert!(since.parse::<jiff::Timestamp>().is_ok() && since.ends_with('Z'), "{since}");
}

#[test]
fn a_path_of_which_there_is_nothing_to_say_is_an_error_that_says_why() {
    let dir = kept(&[]);
    dir.make("tree/empty/deeper").make("tree/full").link("a", "tree/link").link("d", "tree/behind");
    dir.link("../outside", "tree/out").link("nowhere", "tree/broken");
    dir.write("outside", "").write("tree/full/x.tmp", "x").write("tree/y.tmp", "y");
    dir.fifo("tree/fifo");
    dir.keeper(["collection", "set", "t", "--exclude", "*.tmp"]).run().code(0);
    let absolute = dir.path("tree/link");
    let absolute = absolute.to_str().unwrap();
    let root = dir.path("tree").canonicalize().unwrap();
    let leads_out = format!("is a symbolic link, which is not followed; it leads out of {}", root.display());
    let filters = "`hashlane collection show t` shows its filters";
    let [no_file, left_out] =
        [format!("no file of t lies in this directory; {filters}"), format!("is left out of t; {filters}")];
    for (path, why) in [
        ("link", "is a symbolic link, which is not followed; name a instead"),
        ("tree/link", "is a symbolic link, which is not followed; name a instead"),
        (absolute, "is a symbolic link, which is not followed; name a instead"),
        ("behind/b", "lies behind the symbolic link behind, which is not followed; name d/b instead"),
        ("out", &leads_out),
        ("broken", "is a symbolic link, which is not followed; it leads nowhere"),
        ("fifo", "is a FIFO; only files and directories are audited"),
        ("empty", &no_file),
        ("full", &no_file),
        ("y.tmp", &left_out),
    ] {
        for command in ["audit", "accept", "acknowledge"] {
            let said = told(&dir, &[command, "t", path], 64);
            assert_eq!(said, format!("hashlane: {path}: {why}\n"), "{command}");
        }
        if !path.contains("tree") {
            let path = format!("t:{path}");
            assert_eq!(told(&dir, &["history", &path], 64), format!("hashlane: {path}: {why}\n"));
        }
    }
    let nope = dir.path("tree/nope");
    for path in ["nope", "tree/nope", nope.to_str().unwrap()] {
        let said = told(&dir, &["audit", "t", path], 64);
        assert!(
            said.ends_with(": nothing is known at or below this path in t, and nothing lies there\n"),
            "{said}"
        );
        assert!(told(&dir, &["history", path], 64).ends_with(": no collection knows this file\n"));
    }
    // What is there, but not in the collection.
    for path in ["outside", "catalog.sqlite"] {
        for command in ["audit", "accept"] {
            let said = told(&dir, &[command, "t", path], 64);
            assert_eq!(said, format!("hashlane: {path}: does not lie below {}\n", root.display()));
        }
    }
    assert!(told(&dir, &["history", "tree/d"], 64).ends_with("tree/d: is a directory; name a file in it\n"));
    // A new file is read, and so is a directory with one.
    dir.write("tree/fresh/er/new", "new");
    let said = told(&dir, &["history", "tree/fresh/er/new"], 64);
    assert!(said.ends_with("is not known yet; `hashlane audit t` reads it\n"), "{said}");
    assert!(told(&dir, &["audit", "t", "fresh"], 0).contains("1 file read"));
    // What is known can be named whatever lies there now, and wherever its tree is.
    std::fs::remove_file(dir.path("tree/a")).unwrap();
    dir.link("d/b", "tree/a");
    let ran = dir.keeper(["audit", "t", "a"]).run().code(2);
    assert_eq!(ran.stdout, b"t: a: MISSING\n    a symbolic link is there now\n");
    dir.keeper(["accept", "t", "a"]).run().code(0);
    std::fs::rename(dir.path("tree"), dir.path("away")).unwrap();
    assert!(told(&dir, &["audit", "t", "d/b"], 75).contains("t: offline"));
}

#[test]
fn the_help_says_what_an_exit_code_leaves_out() {
    let dir = Dir::new();
    for command in ["audit", "status"] {
        let help = dir.hashlane([command, "--help"]).run().code(0);
        let help = String::from_utf8(help.stdout).unwrap();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "A collection that cannot be reached is offline. If it is removable, that alone adds nothing",
            "A collection without a promise is never late.",
            "Findings count as long as they stand, unless somebody acknowledged them.",
            "these add 16 instead of 75.",
        ] {
            assert!(help.contains(part), "{command}: {part:?} is not in:\n{help}");
        }
    }
}

#[test]
fn a_report_does_not_take_a_root_that_could_not_be_read_for_one_that_was_judged() {
    let dir = kept(&[]);
    std::fs::remove_file(dir.path("tree/d/b")).unwrap();
    dir.keeper(["audit", "t"]).run().code(2);
    let mode = |name: &str, mode| {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(dir.path(name), permissions).unwrap();
    };
    for name in ["catalog.sqlite", ".", "catalog.sqlite.audit-1"] {
        mode(name, 0o777);
    }
    mode("tree", 0o000);
    let catalogue = dir.path("catalog.sqlite");
    let refused = ["audit", "t", "--catalog", catalogue.to_str().unwrap()];
    dir.hashlane(refused).without_rights().run().code(18);
    mode("tree", 0o755);
    let report = |format| {
        let ran = dir.keeper(["collection", "report", "--format", format]).run().code(0);
        String::from_utf8(ran.stdout).unwrap()
    };
    let text = report("text").split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "UNREADABLE since 2",
        ": its root could not be listed: Permission denied. Nothing is said of its files since then.",
        "New in the last audit that judged files, of ",
        ": 1 missing.",
        "1 MISSING, 1 new",
        "./: since 2",
        " refused ",
    ] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
    assert!(report("html").contains("its root could not be listed: Permission denied"));
    assert!(report("csv").contains("t,d/b,missing,yes,"));
    let object: Value = serde_json::from_str(&report("json")).unwrap();
    assert_eq!(object["collections"][0]["findings"][0]["is_new"], true);
    assert_eq!(object["collections"][0]["audits"][0]["outcome"], "refused");
}

#[test]
fn an_import_names_no_option_that_it_does_not_have() {
    let dir = kept(&[]);
    dir.write("list", format!("{}  a\n", digest("md5", "first")));
    let said = told(&dir, &["collection", "import", "t", "list"], 64);
    // Whichever of them it is, the collection has none of it.
    let why =
        "hashlane: list: a digest of 16 bytes can be md5, md4, blake2b-128 or xxh128; t is known by sha256\n";
    assert_eq!(said, why);
    dir.keeper(["collection", "add", "two", "tree", "-a", "sha256,md5"]).run().code(0);
    let said = told(&dir, &["collection", "import", "two", "list"], 64);
    assert!(!said.contains("--algorithm"), "{said}");
    let way_out = "name the file after its algorithm (MD5SUMS), or write the manifest with --tag; two is known by sha256 and md5\n";
    assert!(said.ends_with(way_out), "{said}");
    dir.write("other", format!("{}  a\n", digest("sha256", "other")));
    let said = told(&dir, &["collection", "import", "t", "other"], 16);
    assert_eq!(
        said,
        "hashlane: a: is known as another content, which is kept\n\
         hashlane: t: 0 files registered; 1 known as another content, 2 known, and in no list\n"
    );
}

#[test]
fn a_collision_by_its_size_is_told_as_one() {
    let dir = Dir::new();
    dir.write("tree/a", "first");
    settle();
    let digest = digest("sha256", "first");
    let listed = format!(
        r#"{{"schema":"hashlane-manifest","version":1,"path":"a","size_bytes":6,"digests":{{"sha256":"{digest}"}},"outcome":"read"}}"#
    );
    dir.write("list.jsonl", listed + "\n");
    dir.keeper(["collection", "add", "t", "tree"]).run().code(0);
    dir.keeper(["collection", "import", "t", "list.jsonl"]).run().code(0);
    let found = "t: a: COLLISION: a digest is as known, the size is not\n    \
                 a known digest or size was recorded wrong, or somebody has made another content of the same digest\n";
    let said = |words: &[&str]| String::from_utf8(dir.keeper(words.iter().copied()).run().stdout).unwrap();
    let unwrapped = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let audited = said(&["audit", "t"]);
    assert!(audited.starts_with(found), "{audited}");
    let history = said(&["history", "t:a"]);
    assert!(history.contains(found), "{history}");
    assert!(
        history.contains("present, but a digest is as known, and another one or the size is not\n"),
        "{history}"
    );
    let report = unwrapped(said(&["collection", "report"]));
    assert!(report.contains("a digest was as known, and another one or the size was not"), "{report}");
    assert!(report.contains("a known digest or size that was recorded or imported wrong"), "{report}");
}

#[test]
fn damage_under_another_form_of_the_known_time_is_told_as_that_of_a_copy() {
    let copied = "its modification time is the known one in another form: it was copied or restored, and damaged before or on the way\n";
    let moved = "its change time has moved: a program set the modification time back, or it was damaged and then renamed\n";
    let dir = kept(&[]);
    let exact = dir.modified("tree/a").duration_since(SystemTime::UNIX_EPOCH).unwrap();
    // As tar and ZIP bring it back.
    let whole = SystemTime::UNIX_EPOCH + Duration::from_secs(exact.as_secs());
    dir.write("tree/a", "FIRST").set_modified("tree/a", whole);
    dir.corrupt("tree/d/b", "SECOND");
    let ran = dir.keeper(["audit", "t"]).run().code(8);
    let audited = String::from_utf8_lossy(&ran.stdout);
    let below = |title: &str| {
        let behind = audited.split_once(title).unwrap_or_else(|| panic!("{audited}")).1;
        behind.lines().nth(1).unwrap().trim().to_owned() + "\n"
    };
    assert_eq!(below("t: a: CORRUPT"), copied);
    assert_eq!(below("t: d/b: CORRUPT"), moved);
    let report = String::from_utf8(dir.keeper(["collection", "report"]).run().stdout).unwrap();
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(report.contains("or it was replaced by a bad copy"), "{report}");
}

#[test]
fn a_first_audit_that_a_budget_ended_is_told_with_what_it_has_read() {
    let dir = Dir::new();
    for number in 0..5 {
        dir.write(format!("tree/{number}"), format!("{number}"));
    }
    settle();
    dir.keeper(["collection", "add", "t", "tree"]).run().code(0);
    let status = || String::from_utf8(dir.keeper(["status"]).run().code(0).stdout).unwrap();
    assert!(status().starts_with("1 collection: none was audited yet\n"), "{}", status());
    dir.keeper(["audit", "t", "--files", "2"]).run().code(0);
    for part in [
        "1 collection: all that was read is well; the first audit of t is not over\n",
        "first audit not over",
        "t: its first audit is not over: 2 of 5 files read; `hashlane audit t --due` goes on\n",
    ] {
        assert!(status().contains(part), "{part:?} is not in:\n{}", status());
    }
    let report = dir.keeper(["collection", "report"]).run().code(0);
    let report = String::from_utf8(report.stdout).unwrap();
    let alert = "  INCOMPLETE: its first audit is not over: 2 of 5 files read. To go on:\n      hashlane audit t --due\n";
    assert!(report.contains(alert), "{report}");
    dir.keeper(["collection", "report", "--format", "json"]).run().code(0);
    let said = told(&dir, &["audit", "t", "--due"], 0);
    assert!(said.contains("3 files read"), "nothing is read twice: {said}");
    assert!(status().starts_with("1 collection: all is well\n"), "{}", status());
    // Of some paths only.
    dir.keeper(["collection", "add", "part", "tree"]).run().code(0);
    dir.keeper(["audit", "part", "0"]).run().code(0);
    assert!(
        status().contains("part: all that is known of it was read, but no audit of the whole has ended yet; `hashlane audit part --due` goes on\n"),
        "{}",
        status()
    );
    let said = told(&dir, &["audit", "part", "--due"], 0);
    assert!(said.contains("4 files read"), "nothing is read twice: {said}");
}

#[test]
fn an_audit_that_was_interrupted_is_told_with_the_command_that_goes_on_with_it() {
    let interrupted = |request: &str| {
        let dir = Dir::new();
        for number in 0..5 {
            dir.write(format!("tree/{number}"), format!("{number}"));
        }
        settle();
        dir.keeper(["collection", "add", "t", "tree"]).run().code(0);
        dir.keeper(["audit", "t", "--files", "2"]).run().code(0);
        // As it is when the process is killed.
        let raw = raw(&dir);
        raw.execute("UPDATE run SET ended_s = NULL, outcome = NULL, request = ?1", [request]).unwrap();
        dir
    };
    for (request, command) in [("all", "hashlane audit t"), ("due", "hashlane audit t --due")] {
        let dir = interrupted(request);
        let status = String::from_utf8(dir.keeper(["status"]).run().code(0).stdout).unwrap();
        assert!(status.contains(&format!("2 of 5 files read; `{command}` goes on\n")), "{status}");
        let report = dir.keeper(["collection", "report"]).run().code(0);
        let report = String::from_utf8(report.stdout).unwrap();
        let alert = "  The last audit was interrupted. To go on with it:\n";
        assert!(report.contains(&format!("{alert}      {command}\n")), "{report}");
        let said = told(&dir, &command.split(' ').skip(1).collect::<Vec<_>>(), 0);
        assert!(said.contains("3 files read") && said.contains("it continued an audit"), "{said}");
    }
    // Of some paths: nothing else goes on with that one.
    let dir = interrupted("all 0 1 2");
    let report = dir.keeper(["collection", "report"]).run().code(0);
    let report = String::from_utf8(report.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "The last audit, which was about a part of it, was interrupted. To go on with it, ask for the same again.",
        "INCOMPLETE: its first audit is not over: 2 of 5 files read. To go on: hashlane audit t --due",
    ] {
        assert!(report.contains(part), "{part:?} is not in:\n{report}");
    }
}

#[test]
fn messages_are_in_words_for_people() {
    let dir = kept(&[]);
    dir.write("tree/new", "new").write("tree/newer", "newer");
    let said = told(&dir, &["audit", "t", "--files", "1"], 0);
    assert!(said.contains("1 not checked") && !said.contains("not-checked"), "{said}");
    let said = told(&dir, &["audit", "t", "--only", "corrupt"], 0);
    assert!(said.contains("; there was nothing to read"), "{said}");
    let said = told(&dir, &["accept", "t", "a"], 16);
    let expected = "hashlane: t: no such finding; `hashlane collection report t` shows those that stand\n";
    assert_eq!(said, expected);
    // What cannot be looked at has not changed for all that is known.
    let root = dir.path("tree").canonicalize().unwrap();
    std::fs::remove_file(dir.path("tree/a")).unwrap();
    dir.keeper(["audit", "t"]).run().code(2);
    std::fs::rename(dir.path("tree"), dir.path("away")).unwrap();
    let said = told(&dir, &["accept", "t", "a"], 16);
    let why =
        format!("a: cannot be compared with what was found: {}: No such file or directory", root.display());
    assert!(said.contains(&why), "{said}");
    dir.make("tree").write("tree/a", "another");
    let said = told(&dir, &["accept", "t", "a"], 16);
    assert!(said.contains("a: has changed since it was found; audit it again, then decide\n"), "{said}");
}

#[test]
fn who_reads_a_report_slowly_keeps_no_moment_of_the_catalogue_open() {
    let dir = Dir::new();
    for number in 0..3000 {
        dir.write(format!("tree/{number}"), "");
    }
    dir.keeper(["collection", "add", "t", "tree", "--hold-files", "5000"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    for number in 0..3000 {
        std::fs::remove_file(dir.path(format!("tree/{number}"))).unwrap();
    }
    dir.write("tree/left", "one");
    dir.keeper(["audit", "t"]).run().code(2);
    for command in [
        &["collection", "report", "--format", "csv"][..],
        &["collection", "report", "--format", "json"],
        &["collection", "export", "t"],
    ] {
        let (mut read, write) = std::io::pipe().unwrap();
        let running = dir.keeper(command.iter().copied()).stdout(write).start();
        // It has more to write than a pipe takes.
        read.read_exact(&mut [0; 1000]).unwrap();
        let raw = raw(&dir);
        raw.busy_timeout(Duration::ZERO).unwrap();
        raw.execute("UPDATE collection SET created_s = created_s + 1", []).unwrap();
        let is_busy: bool = raw.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).unwrap();
        assert!(!is_busy, "{command:?}: the log cannot begin anew");
        drop(raw);
        let mut rest = Vec::new();
        read.read_to_end(&mut rest).unwrap();
        running.wait().code(0);
        assert!(rest.len() > 100_000, "{command:?}: it would not have had to wait");
    }
}

/// Names that would do something to a terminal, to a table or to a command line, and one that is as long as names get.
fn hostile() -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = [
        &b"-rf"[..],
        b"--format",
        b"=1+1",
        b"a\nb\n  state           retired",
        b"\x1b[31m",
        b"\xff\xfe",
        b" lead and trail ",
        b"\tq\r",
        b"<b>&\"'",
        "\u{202e}gpj".as_bytes(),
        b"a,b;c",
        b"t:a",
        b"\\n",
    ]
    .map(Vec::from)
    .into();
    names.push(vec![b'x'; 255]);
    names.push([&b"\n"[..], &[b'y'; 254]].concat());
    names
}

#[test]
fn the_history_of_a_hostile_name_is_that_of_its_file_and_nothing_else() {
    let dir = Dir::new();
    for name in hostile() {
        dir.write([b"tree/", &name[..]].concat(), &name);
    }
    let deep: Vec<u8> = [&b"L"[..]; 1500].join(&b'/');
    dir.write([b"tree/", &deep[..]].concat(), "deep");
    settle();
    dir.keeper(["collection", "add", "t", "tree", "--frozen"]).run().code(0);
    dir.keeper(["audit", "t"]).run().code(0);
    let obeyed = |letter: char| letter != '\n' && (letter.is_control() || letter == '\u{202e}');
    for name in hostile().into_iter().chain([deep]) {
        let file = OsString::from_vec([b"t:", &name[..]].concat());
        let text = dir.keeper([OsStr::new("history"), &file]).run().code(0);
        let text = String::from_utf8(text.stdout).unwrap();
        assert!(!text.contains(obeyed) && text.lines().count() == 7, "{text}");
        let object = dir.keeper([OsStr::new("history"), OsStr::new("--format=json"), &file]).run().code(0);
        let object: Value = serde_json::from_slice(&object.stdout).unwrap();
        let path = match object["path_b64"].as_str() {
            Some(bytes) => data_encoding::BASE64.decode(bytes.as_bytes()).unwrap(),
            None => object["path"].as_str().unwrap().into(),
        };
        assert_eq!(path, name);
        assert_eq!(
            object["known"]["digests"]["sha256"],
            digest("sha256", dir.read([b"tree/", &name[..]].concat()))
        );
        // As a path, too, behind what ends the options.
        let path = [OsStr::new("audit"), OsStr::new("t"), OsStr::new("--"), OsStr::from_bytes(&name)];
        let said = dir.keeper(path).run().code(0).stderr;
        assert!(said.contains("1 file read"), "{said}");
    }
}

#[test]
fn a_collection_that_is_named_twice_is_told_once() {
    let dir = kept(&["--group", "g"]);
    dir.make("other");
    dir.keeper(["collection", "add", "u", "other"]).run().code(0);
    let status = dir.keeper(["status", "t", "u", "t", "--format", "json"]).run().code(0);
    let status: Value = serde_json::from_slice(&status.stdout).unwrap();
    let names: Vec<_> = status["collections"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["t", "u"]);
    let report = dir.keeper(["collection", "report", "t", "t"]).run().code(0);
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(report.starts_with("1 collection: all is well\n"), "{report}");
    assert_eq!(report.matches("\nt: ").count(), 1, "{report}");
}

#[test]
fn what_would_be_accepted_is_compared_with_what_was_found_too() {
    let dir = kept(&["--frozen"]);
    dir.write("tree/a", "edited").write("tree/d/b", "edited, too");
    dir.keeper(["audit", "t"]).run().code(4);
    dir.write("tree/a", "edited once more");
    let changed = "hashlane: a: has changed since it was found; audit it again, then decide\n";
    let accept = |options: &[&str], code| {
        let ran = dir.keeper([&["accept", "t", "a", "d/b"], options].concat()).run().code(code);
        (ran.printed("t: d/b: changed\n")).stderr
    };
    assert_eq!(accept(&["--dry-run"], 16), format!("{changed}hashlane: t: 1 file would be accepted\n"));
    dir.keeper(["status", "--check"]).run().code(4);
    assert_eq!(accept(&[], 16), format!("{changed}hashlane: t: 1 file accepted\n"));
    // A root that may not be read is there for all that.
    dir.keeper(["audit", "t"]).run().code(4);
    let mode = |name: &str, mode| {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(dir.path(name), permissions).unwrap();
    };
    let root = dir.path("tree").canonicalize().unwrap();
    for name in ["catalog.sqlite", ".", "catalog.sqlite.audit-1"] {
        mode(name, 0o777);
    }
    mode("tree", 0o000);
    let catalogue = dir.path("catalog.sqlite");
    for options in [&["--dry-run"][..], &[]] {
        let words = [&["accept", "t", "a", "--catalog", catalogue.to_str().unwrap()], options].concat();
        let said = dir.hashlane(words).without_rights().run().code(16).printed("").stderr;
        let why =
            format!("a: cannot be compared with what was found: {}: Permission denied\n", root.display());
        assert!(said.contains(&why), "{said}");
    }
    mode("tree", 0o755);
}

#[test]
fn a_file_that_lies_in_two_collections_is_told_of_by_the_inner_one() {
    let dir = kept(&[]);
    // The order of the names is not that of the trees.
    for (name, root) in [("u", "tree/inner"), ("v", "tree/inner/most")] {
        dir.make(root);
        dir.keeper(["collection", "add", name, root]).run().code(0);
    }
    dir.write("tree/inner/most/new", "new").write("tree/inner/new", "new");
    for (file, name) in [("tree/inner/most/new", "v"), ("tree/inner/new", "u")] {
        let said = told(&dir, &["history", file], 64);
        let yet = format!("hashlane: {file}: is not known yet; `hashlane audit {name}` reads it\n");
        assert_eq!(said, yet);
    }
    // One leaves it out, and another one does not.
    dir.keeper(["collection", "set", "t", "--exclude", "inner"]).run().code(0);
    dir.keeper(["collection", "set", "v", "--exclude", "new"]).run().code(0);
    let said = told(&dir, &["history", "tree/inner/most/new"], 64);
    assert!(said.ends_with(": is not known yet; `hashlane audit u` reads it\n"), "{said}");
    dir.keeper(["collection", "set", "u", "--exclude", "new"]).run().code(0);
    let said = told(&dir, &["history", "tree/inner/most/new"], 64);
    assert!(said.ends_with(": is left out of v; `hashlane collection show v` shows its filters\n"), "{said}");
}

#[test]
fn a_report_says_of_the_last_audit_what_still_stands_and_no_more() {
    let dir = kept(&["--frozen"]);
    dir.write("tree/new", "new");
    dir.keeper(["audit", "t"]).run().code(1);
    dir.keeper(["acknowledge", "t", "new"]).run().code(0);
    let report = dir.keeper(["collection", "report", "t"]).run().code(0);
    let report = String::from_utf8(report.stdout).unwrap();
    assert!(report.contains(", found nothing new that still stands.\n"), "{report}");
    assert!(!report.contains("nothing new that is wrong"), "{report}");
}

#[test]
fn what_could_not_be_printed_is_printed_by_the_next_audit() {
    let dir = kept(&[]);
    std::fs::remove_file(dir.path("tree/a")).unwrap();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    dir.keeper(["audit", "t"]).stdout(full).run().code(74);
    let lines = |of: &[&str]| {
        let ran = dir.keeper([&["audit", "t"], of].concat()).run().code(2);
        String::from_utf8(ran.stdout).unwrap()
    };
    let said = lines(&["--format", "json"]);
    let finding: serde_json::Value = serde_json::from_str(said.lines().next().unwrap()).unwrap();
    assert_eq!((&finding["path"], &finding["again"]), (&"a".into(), &true.into()), "{said}");
    assert_eq!(lines(&[]), "", "once it is told, it is in the status");
}

#[test]
fn what_is_damaged_in_a_catalogue_is_named_by_whoever_reads_it() {
    let dir = kept(&[]);
    std::fs::remove_file(dir.path("tree/a")).unwrap();
    dir.keeper(["audit", "t"]).run().code(2);
    dir.keeper(["acknowledge", "t", "a", "--until", "1d"]).run().code(0);
    dir.keeper(["status", "--check"]).run().code(0);
    // One bit, and nobody hears of the file for 136 years.
    let raw = rusqlite::Connection::open(dir.path("catalog.sqlite")).unwrap();
    raw.execute("UPDATE finding SET known_until_s = known_until_s | 1 << 32", []).unwrap();
    drop(raw);
    let verified = dir.keeper(["catalog", "verify"]).run().code(8);
    let told_of = String::from_utf8(verified.stdout).unwrap();
    assert!(
        told_of.starts_with("a finding: row ") && told_of.ends_with(" is not as it was written\n"),
        "{told_of}"
    );
    for command in [&["status"][..], &["audit"], &["history", "tree/a"], &["collection", "report"]] {
        let said = told(&dir, command, 74);
        assert!(said.contains("catalog.sqlite: is damaged: a finding: "), "{said}");
        assert!(said.contains("`hashlane catalog restore` restores a backup"), "{said}");
    }
}
