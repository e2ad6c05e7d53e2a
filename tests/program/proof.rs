//! The algorithm of a list that does not tell it is proven by files that fit, and asked for where none does.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use hashlane_digest::{Algorithm, Security};

use super::work::{Cmd, Dir, digest};

/// Files `t/00` to `t/19`. The first `changed` of them are not as `list` has them, in untagged lines of `algorithm`.
fn listed(algorithm: &str, changed: usize) -> Dir {
    let dir = Dir::new();
    let mut list = String::new();
    for number in 0..20 {
        let name = format!("t/{number:02}");
        // The later, the larger: the order of the list is the order of sizes.
        let content = format!("{name}{}", "x".repeat(number));
        list += &format!("{}  {name}\n", digest(algorithm, &content));
        dir.write(&name, if number < changed { content + "changed" } else { content });
    }
    dir.write("list", list);
    dir
}

fn check(dir: &Dir) -> Cmd {
    dir.hashlane(["check", "list"])
}

/// Algorithms whose digests are as long as those of another one.
fn ambiguous() -> impl Iterator<Item = Algorithm> {
    Algorithm::all().filter(|one| {
        let like = |other: &Algorithm| other.name() != one.name() && other.length() == one.length();
        // That 20 bytes are SHA-1 is proven too, and no news.
        // C4 IDs tell what they are.
        Algorithm::all().any(|other| like(&other)) && one.name() != "sha1" && !one.names_itself()
    })
}

#[test]
fn each_algorithm_is_proven_by_the_first_file_that_fits() {
    let mut proven = 0;
    for algorithm in ambiguous().filter(|algorithm| algorithm.security() != Security::Checksum) {
        let name = algorithm.name();
        let dir = listed(name, 0);
        let said = [
            format!("list: the digests are {name}, proven by t/00"),
            format!("20 OK by {name}; 20 files, 270 B (270 B)"),
        ];
        check(&dir).run().code(0).said(&said.each_ref().map(String::as_str));
        let said = said.map(|said| said.replace("list:", "standard input:"));
        dir.hashlane(["check"])
            .input(dir.read("list"))
            .run()
            .code(0)
            .said(&said.each_ref().map(String::as_str));
        proven += 1;
    }
    assert_eq!(proven, 25);
    println!("{proven} algorithms are proven");
}

#[test]
fn eight_files_are_read_before_it_is_asked() {
    for changed in [1, 7] {
        let dir = listed("blake3", changed);
        let by = format!("list: the digests are blake3, proven by t/{changed:02}");
        check(&dir)
            .run()
            .code(4)
            .said_among_others(&[&by, &format!("{} OK by blake3, {changed} mismatch", 20 - changed)]);
    }
    let dir = listed("blake3", 8);
    let ran = check(&dir).run().code(16).printed("");
    let said = ran.messages().pop().unwrap();
    assert!(said.starts_with("list: a digest of 32 bytes can be sha256, "), "{said}");
    assert!(
        said.ends_with(
            "or write the manifest with --tag; not proven: none of them matches the 8 files that were read"
        ),
        "{said}"
    );
    dir.hashlane(["check", "-a", "blake3", "list"]).run().code(4);
}

#[test]
fn missing_files_do_not_count_among_those_that_were_read() {
    let dir = listed("sha3-256", 7);
    for number in 0..5 {
        fs::remove_file(dir.path(format!("t/{number:02}"))).unwrap();
    }
    check(&dir).run().code(6).said_among_others(&["list: the digests are sha3-256, proven by t/07"]);
}

#[test]
fn a_checksum_proves_nothing() {
    for algorithm in ambiguous().filter(|algorithm| algorithm.security() == Security::Checksum) {
        let dir = listed(algorithm.name(), 0);
        let said = check(&dir).run().code(64).printed("").messages().pop().unwrap();
        if algorithm.length() == 16 {
            let why = "; not proven: t/00 matches xxh128, but that is a checksum, and matching contents are easy to make";
            assert!(said.ends_with(why), "{said}");
        }
        dir.hashlane(["check", "-q", "-a", algorithm.name(), "list"]).run().code(0).said(&[]);
    }
}

#[test]
fn where_nothing_can_be_read_nothing_is_proven_and_nothing_passes() {
    let said = "list: algorithm not proven: no listed file can be read";
    let dir = listed("sha256", 0);
    fs::remove_dir_all(dir.path("t")).unwrap();
    for (arguments, code) in
        [(&[][..], 2), (&["-q"], 2), (&["--ignore-missing"], 16), (&["--exclude", "t"], 16)]
    {
        check(&dir).args(arguments).run().code(code).said_among_others(&[said, "no file was verified"]);
    }
    dir.hashlane(["check", "-"]).input(dir.read("list")).run().code(2);
    let ran = dir.hashlane(["check", "--audit", "list"]).run().code(16).printed("");
    ran.said_among_others(&[said, "list: cannot be used for an audit; name its algorithm with --algorithm"]);
    // Programs get no algorithm that nobody knows, and a summary all the same.
    let line = |ran: &crate::work::Ran, place: usize| -> serde_json::Value {
        serde_json::from_slice(ran.lines()[place]).unwrap()
    };
    let ran = check(&dir).args(["--format", "json"]).run().code(2);
    assert_eq!(
        (&line(&ran, 0)["verdict"], &line(&ran, 0)["expected"]),
        (&"missing".into(), &serde_json::json!({}))
    );
    let ran = dir.hashlane(["check", "--audit", "--format", "json", "list"]).run().code(16);
    assert_eq!((ran.lines().len(), line(&ran, 0)["passed"].as_bool()), (1, Some(false)));

    let dir = listed("sha256", 0);
    for number in 0..20 {
        fs::set_permissions(dir.path(format!("t/{number:02}")), Permissions::from_mode(0o000)).unwrap();
    }
    check(&dir).without_rights().run().code(16).said_among_others(&[said, "no file was verified"]);
}

#[test]
fn what_is_read_once_is_not_read_for_a_proof() {
    let dir = listed("sha256", 0);
    dir.fifo("pipe");
    for name in ["pipe", "-"] {
        dir.write("list", format!("{}  {name}\n", digest("sha256", "content")));
        let ran = check(&dir).input("content").run().code(64).printed("");
        assert!(
            ran.stderr.ends_with("; not proven: its files can be read only once, or are listed in pieces\n"),
            "{}",
            ran.stderr
        );
    }
    // The next one proves it, and standard input is verified.
    let other = digest("sha256", "t/00");
    dir.write("list", format!("{}  -\n{other}  t/00\n", digest("sha256", "content")));
    let ran = check(&dir).input("content").run().code(0);
    ran.said_among_others(&["list: the digests are sha256, proven by t/00", "2 OK by sha256; 2 files"]);
}

#[test]
fn a_proof_reads_what_the_check_reads() {
    let dir = listed("sha256", 3);
    // Names are relative to --base, and nothing outside proves anything.
    dir.write("outside", "secret").make("base/t").link("../../outside", "base/t/out");
    fs::rename(dir.path("t"), dir.path("moved")).unwrap();
    let with_base = |list: &str| {
        dir.write("list", list);
        dir.hashlane(["check", "--base", "base", "list"]).run()
    };
    let outside = format!("{}  t/out\n", digest("sha256", "secret"));
    with_base(&outside)
        .code(16)
        .said_among_others(&["list: algorithm not proven: no listed file can be read"]);
    dir.write("base/t/in", "inside");
    let inside = format!("{}  t/in\n", digest("sha256", "inside"));
    let ran = with_base(&(outside + &inside)).code(16);
    ran.said_among_others(&["list: the digests are sha256, proven by t/in", "1 OK by sha256, 1 unreadable"]);

    // What filters leave out proves nothing.
    let dir = listed("sha256", 0);
    let ran = check(&dir).args(["--exclude", "0*", "--min-size", "16"]).run().code(0);
    ran.said_among_others(&["list: the digests are sha256, proven by t/12", "8 OK by sha256, 12 excluded"]);
}

#[test]
fn each_list_is_proven_by_itself_and_audits_prove_too() {
    let dir = listed("sha256", 0);
    let other: String = (0..20)
        .map(|number| format!("{}  t/{number:02}\n", digest("blake2s", dir.read(format!("t/{number:02}")))))
        .collect();
    dir.write("other", other);
    let ran = dir.hashlane(["check", "list", "other"]).run().code(0);
    ran.said_among_others(&[
        "list: the digests are sha256, proven by t/00",
        "other: the digests are blake2s, proven by t/00",
        "40 OK by sha256 and blake2s; 40 files",
    ]);
    let audit = ["check", "--audit", "--root", "t", "list", "other"];
    let ran = dir.hashlane(audit).run().code(0);
    ran.said_among_others(&["audit passed: 20 OK by sha256 and blake2s; 20 files found, 20 listed"]);
    dir.hashlane(["check", "--complete", "--root", "t", "list"]).run().code(0);

    // The tree has another place by now.
    fs::create_dir(dir.path("new")).unwrap();
    fs::rename(dir.path("t"), dir.path("new/place")).unwrap();
    let audit = ["check", "--audit", "--base", "new/place", "--strip-prefix", "t", "list"];
    dir.hashlane(audit).run().code(0).said_among_others(&["list: the digests are sha256, proven by 00"]);
}

#[test]
fn lines_that_tell_prove_nothing_for_those_that_do_not() {
    let dir = listed("sha256", 20);
    let tagged = format!("SM3 (t/19) = {}\n", digest("sm3", dir.read("t/19")));
    dir.write("list", [dir.read("list"), tagged.into_bytes()].concat());
    let said = check(&dir).run().code(16).printed("").messages().pop().unwrap();
    assert!(said.ends_with("none of them matches the 8 files that were read"), "{said}");
}

#[test]
fn another_spelling_of_a_name_proves_too() {
    let (listed, there) = ("t/\u{e9}", "t/e\u{301}");
    let dir = Dir::new();
    dir.write(there, "coffee").write("list", format!("{}  {listed}\n", digest("sha3-256", "coffee")));
    for arguments in [
        &[][..],
        &["--complete", "--root", "t"],
        &["--audit", "--root", "t"],
        &["--audit", "--base", "t", "--strip-prefix", "t"],
        &["--base", "."],
    ] {
        let ran = check(&dir).arg("--normalize").args(arguments).run().code(0);
        ran.said_among_others(&["list: the digests are sha3-256, proven by "]);
    }
    // Nobody says that it is the same.
    check(&dir).run().code(2).said_among_others(&["list: algorithm not proven: no listed file can be read"]);
    // One that fits nothing is asked about.
    dir.write(there, "tea");
    check(&dir).arg("--normalize").run().code(16).printed("");
}

#[test]
fn what_can_be_read_and_has_no_proven_algorithm_is_not_verified() {
    let dir = Dir::new();
    // Longer than one call takes: a proof does not go there, and a check does.
    let (step, depth) = ("d".repeat(200), 25);
    let script = format!("for step in {{1..{depth}}}; do mkdir {step} && cd {step}; done; printf content >f");
    dir.shell(&script).run().code(0);
    let deep = format!("{step}/").repeat(depth) + "f";
    let untold = format!("{}  {deep}\n", digest("sha3-256", "content"));
    let not_verified = [
        "list: algorithm not proven: no listed file can be read",
        "1 listed file without a digest that can be verified",
    ];
    dir.write("list", &untold);
    check(&dir).run().code(16).printed("").said_among_others(&not_verified);
    dir.hashlane(["check", "-q", "-a", "sha3-256", "list"]).run().code(0);
    // What is gone is gone, and lines that tell are verified.
    let gone = format!("{}  gone\n", digest("sha3-256", "content"));
    let told = format!("SHA256 (told) = {}\n", digest("sha256", "content"));
    dir.write("told", "content").write("list", untold + &gone + &told);
    let ran = check(&dir).run().code(18).said_among_others(&not_verified);
    assert!(ran.stderr.contains("1 OK by sha256, 1 missing; "), "{}", ran.stderr);
}

#[test]
fn a_proof_does_not_cost_more_the_more_roots_there_are() {
    let dir = listed("sha256", 0);
    // Each line with each root would be 4 * 10^8 roots to bring into form, which nobody waits for.
    let roots: String = (0..20_000).map(|number| format!("# hashlane root: r{number}\n")).collect();
    let zeros = "0".repeat(64);
    let missing: String = (0..20_000).map(|number| format!("{zeros}  r{number}/gone\n")).collect();
    dir.write("list", [roots.as_bytes(), missing.as_bytes(), &dir.read("list")].concat());
    let ran = check(&dir).args(["-q", "--ignore-missing", "--exclude", "/cache"]).run().code(0);
    ran.said(&[]);
}

#[test]
fn files_that_cannot_be_opened_cost_a_proof_no_run() {
    let dir = listed("sha256", 0);
    dir.write("a", "a").write("b", "b");
    for name in ["a", "b"] {
        fs::set_permissions(dir.path(name), Permissions::from_mode(0o000)).unwrap();
    }
    // A run of the engine for each would be a minute.
    let zeros = "0".repeat(64);
    let closed = format!("{zeros}  a\n{zeros}  b\n").repeat(40_000);
    dir.write("list", [closed.as_bytes(), &dir.read("list")].concat());
    let ran = check(&dir).without_rights().run().code(16);
    ran.said_among_others(&[
        "list: the digests are sha256, proven by t/00",
        "20 OK by sha256, 80,000 unreadable",
    ]);
}

#[test]
fn of_a_pipe_no_more_is_kept_than_there_is_room_for() {
    let dir = listed("sha256", 0);
    let list = dir.read("list");
    let line = format!("{}  {}\n", "0".repeat(64), "gone/".repeat(700));
    let missing = line.repeat((16 << 20) / line.len() + 1).into_bytes();
    let late = [&missing[..], &list].concat();
    let quietly = ["check", "-q", "--ignore-missing", "-"];
    let ran = dir.hashlane(quietly).input(&late[..]).run().code(64);
    assert!(ran.stderr.ends_with("none of its first files can be read\n"), "{:.100}", ran.stderr);
    // There is room for these.
    let early = [&missing[..1000 * line.len()], &list].concat();
    dir.hashlane(quietly).input(early).run().code(0).said(&[]);
    // A file is read again from its beginning, however long it is.
    dir.write("list", late);
    dir.hashlane(["check", "-q", "--ignore-missing", "list"]).run().code(0).said(&[]);
}

#[test]
fn programs_are_told_the_algorithms_too() {
    let dir = listed("sha256", 1);
    for (arguments, schema) in [(&[][..], "hashlane-check"), (&["--audit", "--root", "t"], "hashlane-audit")]
    {
        let ran = check(&dir).args(["--format", "json"]).args(arguments).run().code(4);
        let last: serde_json::Value = serde_json::from_slice(ran.lines().last().unwrap()).unwrap();
        assert_eq!((&last["schema"], &last["algorithms"]), (&schema.into(), &serde_json::json!(["sha256"])));
    }
}

#[test]
fn a_name_that_promises_another_algorithm_is_no_proof() {
    let dir = listed("crc32", 0);
    let sfv: String = (0..20)
        .map(|number| format!("t/{number:02} {}\n", digest("crc32", dir.read(format!("t/{number:02}")))))
        .collect();
    dir.write("c.sha256", &sfv).write("c.sfv", &sfv).write("c.crc32", &sfv).write("list", &sfv);
    let ran = dir.hashlane(["check", "c.sha256"]).run().code(64).printed("");
    ran.said(&["c.sha256: the manifest is named after sha256, but its lines are sfv, which stores crc32; if it is sfv, \
        use --manifest-format sfv; otherwise rename it"]);
    for arguments in [&["c.sfv"][..], &["c.crc32"], &["list"], &["--manifest-format", "sfv", "c.sha256"]] {
        let ran = dir.hashlane(["check"]).args(arguments).run().code(0);
        ran.said_among_others(&["20 OK by crc32; 20 files"]);
    }
    let md5: String = (0..20)
        .map(|number| {
            format!("MD5 (t/{number:02}) = {}\n", digest("md5", dir.read(format!("t/{number:02}"))))
        })
        .collect();
    dir.write("m.sha256", md5);
    for arguments in [&["-q"][..], &[], &["--audit", "--root", "t"]] {
        let ran = dir.hashlane(["check", "m.sha256"]).args(arguments).run().code(0);
        ran.said_among_others(&["m.sha256: is named after sha256, but its digests are md5"]);
    }
}

#[test]
fn what_was_not_asked_for_is_skipped() {
    let dir = listed("sha256", 0);
    let lines = |number: usize| {
        let name = format!("t/{number:02}");
        let content = dir.read(&name);
        format!("SHA1 ({name}) = {}\nMD5 ({name}) = {}\n", digest("sha1", &content), digest("md5", &content))
    };
    dir.write("list", (0..20).map(lines).collect::<String>());
    let ran = dir.hashlane(["check", "-a", "md5", "list"]).run().code(0);
    ran.said(&[
        "list: 20 lines skipped: not md5; --warn shows which",
        "20 OK by md5; 20 files, 270 B (270 B)",
    ]);
    let ran = dir.hashlane(["check", "-a", "md5", "--strict", "--warn", "list"]).run().code(0);
    ran.said_among_others(&[
        "list: line 1: skipped: not md5: \"SHA1 (t/00) = ",
        "list: 20 lines skipped: not md5",
    ]);
    // A file that has no line of it is not verified.
    dir.write("list", lines(0) + lines(1).lines().next().unwrap() + "\n");
    for arguments in [&[][..], &["--audit", "--root", "t"]] {
        let ran = dir.hashlane(["check", "-a", "md5", "list"]).args(arguments).run();
        assert!(ran.status.code().unwrap() & 16 > 0, "{}", ran.stderr);
        ran.said_among_others(&["list: 2 lines skipped: not md5; --warn shows which"]);
    }
}
